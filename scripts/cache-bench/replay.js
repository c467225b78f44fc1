/**
 * Plays a session through the stand-in host, with the real plugin in it if the policy has one, and hands over every
 * request as it goes to the model, with the time at which it does. What it costs is told in measure.js.
 */

import { randomUUID } from "node:crypto";

import { loadCore } from "../../js-shim/core.js";
import { PLUGIN_ID, setup } from "../../js-shim/plugin.js";
import { MiniHost } from "../../tests/mini-host/index.js";
import { ENDPOINT } from "./jev.js";
import { hostOptions } from "./setups.js";

/** @import { ModelRequest } from "../../tests/mini-host/types.js" */
/** @import { Policy } from "./policies.js" */
/** @import { Prompt, Script, Turn } from "./script.js" */

/** @typedef {{ request: ModelRequest, seconds: number, prompt: number, isFirst: boolean }} Sent `isFirst` of its prompt */

/** What the plugin reported. @typedef {{ jevCalls: number, jevQuestions: number, missing: number }} Told */

/**
 * @param {Script} script
 * @param {Policy} policy
 * @param {typeof globalThis.fetch} jev
 * @param {(sent: Sent) => void} take
 * @returns {Promise<Told>} `missing` counts calls of native tools that the request did not offer
 */
export async function replay({ outline, servers, prompts }, policy, jev, take) {
  const host = new MiniHost({ ...hostOptions(outline.setup), servers });
  // The core remembers sessions for as long as the process lives.
  host.sessionID = `ses_${randomUUID()}`;
  const told = { jevCalls: 0, jevQuestions: 0, missing: 0 };
  let seconds = 0;
  const pruner = policy.options && pluginTelling(told, jev, () => 1_000 * seconds);
  if (pruner) await host.load(pruner.plugin, { ...OPTIONS, ...policy.options });
  let requests = 0;
  for (const [at, prompt] of prompts.entries()) {
    seconds += prompt.pause;
    await prepare(host, prompt);
    let { request } = await host.prompt(prompt.text);
    requests += 1 + prompt.steps.length;
    take({ request, seconds, prompt: at, isFirst: true });
    for (const step of prompt.steps) {
      told.missing += missingOf(request, step);
      seconds += step.seconds;
      say(host, step);
      ({ request } = await host.step());
      take({ request, seconds, prompt: at, isFirst: false });
    }
    seconds += prompt.answer.seconds;
    say(host, prompt.answer);
  }
  await host.unload();
  pruner?.check(requests);
  return told;
}

/** A busy machine must not look like a slow Jev. */
const OPTIONS = { jev_api_key: "sk-cache-bench", jev_endpoint: ENDPOINT, jev_timeout_ms: 60_000, mode: "prune" };

/**
 * The plugin, with what it reports added up. It never throws, so what went wrong in it is asked for.
 * @param {Told} told
 * @param {typeof globalThis.fetch} fetch
 * @param {() => number} now the session's own time
 */
function pluginTelling(told, fetch, now) {
  const core = loadCore();
  let reports = 0;
  /** @type {unknown[]} */
  const faults = [];
  /** @param {any} report */
  const noteReport = (report) => {
    faults.push(...(report.errors ?? []), ...(report.unrecognised ?? []));
    told.jevCalls += report.stats.jev_calls;
    told.jevQuestions += report.stats.jev_questions;
    reports += 1;
  };
  return {
    /** Throws if a request went out as it was for a reason that nobody scripted. @param {number} requests */
    check(requests) {
      if (faults.length > 0) throw new Error(`the plugin met with ${JSON.stringify(faults)}`);
      if (reports !== requests) throw new Error(`the plugin reported ${reports} of ${requests} requests`);
    },
    plugin: {
      id: PLUGIN_ID,
      setup: (/** @type {unknown} */ ctx) => setup(ctx, { load: () => core, noteReport, now, fetch }),
    },
  };
}

/** What happened before a prompt. @param {MiniHost} host @param {Prompt} prompt */
async function prepare(host, { compacted, connected }) {
  if (compacted) {
    host.compact(SUMMARY);
    // The plugin hears of it a moment later.
    await new Promise((resolve) => setImmediate(resolve));
  }
  // The host tells of them by itself.
  if (connected.length > 0) host.servers = [...host.servers, ...connected];
}

const SUMMARY = "What was done so far, what was found out, and what is still to do. ".repeat(60);

/** @param {MiniHost} host @param {Turn} turn */
function say(host, { said, calls }) {
  host.assistant(said, calls);
  for (const { id, name, value } of calls) host.toolResult({ id, name, value });
}

/** @param {ModelRequest} request @param {Turn} turn */
function missingOf({ tools }, { calls }) {
  const offered = new Set(tools.map(({ name }) => name));
  return calls.filter(({ name }) => !offered.has(name)).length;
}
