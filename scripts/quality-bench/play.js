/**
 * Plays labelled prompts through the real plugin in the stand-in host, each in a session of its own, and tells what
 * became of each.
 */

import { randomUUID } from "node:crypto";

import { PLUGIN_ID, setup } from "../../js-shim/plugin.js";
import { MiniHost } from "../../tests/mini-host/index.js";
import { metBy, visibleIn, sizeOf } from "./visible.js";

/** @import { HostOptions } from "../../tests/mini-host/host.js" */
/** @import { Server } from "../../tests/mini-host/types.js" */
/** @import { Scorer } from "./answers.js" */
/** @import { Outcome } from "./figures.js" */
/** @import { LabelledSet, Task } from "./labelled.js" */

/**
 * How the host lists tools: all of them in a catalog, the sample that fits OpenCode's usual budget, or each as a native
 * tool with its whole schema.
 * @typedef {"complete" | "sample" | "native"} Catalog
 */
/** @type {readonly Catalog[]} */
export const CATALOGS = ["complete", "sample", "native"];

/** What the plugin said of a request. @typedef {{ stats: any, errors?: unknown[], skipped?: string }} Report */

/** @type {Record<Catalog, (servers: Server[]) => HostOptions>} */
const HOSTS = {
  complete: (servers) => ({ servers, budget: Infinity }),
  sample: (servers) => ({ servers, ctx: { toolList: true } }),
  native: (servers) => ({
    servers: servers.map((server) => ({ ...server, codemode: false })),
    ctx: { toolList: true },
  }),
};

/** A slow scorer must not look like one that failed, and no answer of another task may help. */
const OPTIONS = { jev_api_key: "none", jev_timeout_ms: 60_000, deadline_ms: 120_000, cache_ttl_ms: 0 };

/** A scorer that is busy is asked again. */
const MAX_TRIES = 3;

/**
 * @typedef {object} Play
 * @property {Catalog} catalog
 * @property {Record<string, unknown>} options of the plugin
 * @property {string} [followUp] a further prompt, on whose request everything is measured then
 */

/**
 * @param {LabelledSet} set @param {Scorer} scorer @param {Play} play
 * @returns {Promise<Outcome[]>}
 */
export async function playAll({ servers, skills, tasks }, scorer, { catalog, options, followUp }) {
  const { ctx, ...lists } = HOSTS[catalog](servers);
  const hostOptions = { ...lists, ctx: { ...ctx, registries: options.scorer === "lexical" }, skills };
  const host = new MiniHost(hostOptions);
  /** @type {Report[]} */
  const reports = [];
  await host.load(pluginTelling(reports, scorer), { ...OPTIONS, ...options });
  const bare = new MiniHost({ ...hostOptions, servers: [], skills: [] });
  const others = sizeOf((await bare.prompt("What is the size of a request without lists?")).after);
  const outcomes = [];
  for (const task of tasks) outcomes.push(await playOne(host, task, { reports, others, catalog, followUp }));
  await host.unload();
  return outcomes;
}

/**
 * @param {MiniHost} host @param {Task} task
 * @param {{ reports: Report[], others: number, catalog: Catalog, followUp?: string }} stage
 * @returns {Promise<Outcome>}
 */
async function playOne(host, { prompt, needs }, { reports, others, catalog, followUp }) {
  for (let tries = 1; ; tries++) {
    // The core remembers sessions for as long as the process lives.
    host.sessionID = `ses_${randomUUID()}`;
    let step = await host.prompt(prompt);
    if (followUp !== undefined) {
      host.assistant(`I have looked at what you want: ${prompt.split(/(?<=[.?!])\s/)[0]} Shall I go on?`);
      step = await host.prompt(followUp);
    }
    const report = reports.at(-1);
    if (!report) throw new Error("the plugin did not report; is it disabled?");
    if (report.errors && tries < MAX_TRIES) continue;
    const [before, after] = /** @type {const} */ ([visibleIn(step.before), visibleIn(step.after)]);
    /** @param {import("./visible.js").Visible} visible */
    const met = (visible) => needs.map((need) => metBy(need, visible, catalog !== "native"));
    return {
      met: met(after),
      metBefore: met(before),
      before: sizeOf(step.before) - others,
      after: sizeOf(step.after) - others,
      calls: report.stats.jev_calls,
      questions: report.stats.jev_questions,
      msJev: report.stats.ms_jev,
      msOwn: report.stats.ms_rust,
      failed: report.errors !== undefined,
    };
  }
}

/** @param {Report[]} reports @param {Scorer} scorer */
function pluginTelling(reports, scorer) {
  return {
    id: PLUGIN_ID,
    /** @param {any} ctx */
    setup: (ctx) => setup(ctx, { noteReport: (report) => reports.push(report), fetch: scorer.fetch }),
  };
}
