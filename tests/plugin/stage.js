/**
 * Sets the plugin up for one test and takes everything down after it: a scripted Jev, the stand-in host, a core of its
 * own, and nothing of the caller's environment. It fails a test that leaves a rejection unhandled. What is fact and what
 * is not stands in the tests.
 *
 *     const { host, asked } = await stage(t, { servers, skills, scores: { servers: { postgres: 0.9 }, otherwise: 0.1 } });
 *     const { before, after } = await host.prompt("Why is this query slow?");
 */

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";

import pruner from "../../index.js";
import { loadFreshCore } from "../../js-shim/core.js";
import { setup } from "../../js-shim/plugin.js";
import { replyTo } from "../fake-jev/answers.js";
import { startFakeJev } from "../fake-jev/server.js";
import { readRequest } from "../fake-jev/wire.js";
import { MiniHost } from "../mini-host/index.js";
import { scriptOf } from "./scores.js";

/** @import { TestContext } from "node:test" */
/** @import { FakeJev, Settings } from "../fake-jev/server.js" */
/** @import { HostOptions } from "../mini-host/host.js" */
/** @import { Server, Skill } from "../mini-host/types.js" */
/** @import { Scores } from "./scores.js" */

/** @typedef {NonNullable<Parameters<typeof setup>[1]>} Parts */
/** @typedef {(event: any) => Promise<unknown>} Hook */

/** What a request to Jev held. */
/** @typedef {{ model: string, state: string, questions: Record<string, { type: string, instructions: string }> }} Body */

/**
 * @typedef {object} Wishes
 * @property {Server[]} [servers]
 * @property {Skill[]} [skills]
 * @property {HostOptions} [host]
 * @property {Scores} [scores] what Jev answers
 * @property {Settings} [jev] how it behaves otherwise
 * @property {Record<string, unknown>} [options] the plugin's; one that is `undefined` is not given at all
 * @property {Record<string, string>} [env]
 * @property {Parts} [parts] what replaces parts of the plugin
 * @property {(ctx: any) => any} [ctx] changes what the host hands to the plugin
 * @property {string} [directory] of the project
 */

export const KEY = "sk-test-0123456789abcdefghijklmnop";

/** Each prompt is decided alone and for what is listed, however little there is to save. */
export const PLAIN = { decision_scope: "prompt", refill_catalog: false, recovery_hint: false, min_saving_chars: 0 };

/** Where the debug log is, if a test names no file. */
process.env.XDG_STATE_HOME = mkdtempSync(join(tmpdir(), "pruner-state-"));
process.once("exit", () => rmSync(String(process.env.XDG_STATE_HOME), { recursive: true, force: true }));

/** Everything else that the plugin reads of the environment begins so. */
const OURS = /^(JEV_|TYPESAFE_)/;

/** @type {unknown[]} */
const unhandled = [];
process.on("unhandledRejection", (reason) => unhandled.push(reason));

/**
 * @param {TestContext} t
 * @param {Wishes} [wishes]
 */
export async function stage(t, wishes = {}) {
  const { servers = [], skills = [], scores = {}, options = {}, env = {}, parts = {}, ctx = (given) => given } = wishes;
  const { warned, printed } = captureConsole(t);
  replaceEnvironment(t, env);
  const jev = await startFakeJev({ port: 0, score: scriptOf(scores), ...wishes.jev });
  t.after(async () => {
    await jev.close();
    // What a dying connection still has to say, it says within the next turns.
    for (let turn = 0; turn < 5; turn++) await setImmediate();
    assert.deepEqual(unhandled.splice(0), [], "a rejection was left unhandled");
  });

  const core = await loadFreshCore();
  /** The reports of all requests. @type {any[]} */
  const reports = [];
  const host = new MiniHost({ servers, skills, ...wishes.host });
  /** @type {Record<string, Hook>} */
  const hooks = {};
  /** The events that the host handed to the context hook. @type {any[]} */
  const events = [];
  const plugin = {
    id: pruner.id,
    /** @param {any} given */
    setup: (given) =>
      setup(ctx(spying(given, hooks, events)), {
        load: () => core,
        rehearse: false,
        noteReport: (/** @type {any} */ report) => reports.push(report),
        fetch: shortcutTo(jev),
        ...parts,
      }),
  };
  await host.load(
    plugin,
    withoutGaps({ jev_api_key: KEY, jev_endpoint: jev.url, jev_timeout_ms: 5000, ...PLAIN, ...options }),
    { directory: wishes.directory },
  );
  return {
    host,
    jev,
    reports,
    warned,
    printed,
    events,
    core,
    /** The bodies of all requests to Jev, in order. */
    asked: () => jev.requests.map(({ body }) => /** @type {Body} */ (body)),
    /** Runs the plugin's context hook on an event of the test's own. @param {any} event */
    context: (event) => runOf(hooks, "context")(event),
    /** Tells the plugin of a prompt as it is admitted. @param {any} event */
    prompted: (event) => runOf(hooks, "prompt")(event),
  };
}

/**
 * Asks the scripted Jev without a network, as long as it behaves; misbehaviour takes the long way. It saves half of the
 * time.
 * @param {FakeJev} jev
 * @returns {typeof fetch}
 */
function shortcutTo({ url, requests, settings }) {
  return async (address, init) => {
    const { status, broken, latency } = settings;
    if (address !== url || status !== undefined || broken !== undefined || latency !== undefined)
      return fetch(address, init);
    const text = String(init?.body);
    const headers = Object.fromEntries(new Headers(init?.headers));
    requests.push({
      method: String(init?.method),
      path: new URL(url).pathname,
      headers,
      body: JSON.parse(text),
      at: Date.now(),
    });
    return Response.json(replyTo(readRequest(text), settings));
  };
}

/**
 * A folder that is gone after the test.
 * @param {TestContext} t
 */
export function folder(t) {
  const path = mkdtempSync(join(tmpdir(), "pruner-test-"));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** @param {Record<string, Hook>} hooks @param {string} name */
function runOf(hooks, name) {
  const hook = hooks[name];
  assert.ok(hook, `the plugin has no ${name} hook`);
  return hook;
}

/** @param {any} given @param {Record<string, Hook>} hooks @param {any[]} events */
function spying(given, hooks, events) {
  /** @param {string} name @param {Hook} callback @param {...unknown} rest */
  const hook = (name, callback, ...rest) => {
    hooks[name] = callback;
    const remembered = (/** @type {any} */ event) => {
      if (name === "context") events.push(event);
      return callback(event);
    };
    return given.session.hook(name, remembered, ...rest);
  };
  return { ...given, session: { ...given.session, hook } };
}

/** @param {Record<string, unknown>} options */
const withoutGaps = (options) => Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));

/** @param {TestContext} t */
function captureConsole(t) {
  /** @type {string[]} */
  const warned = [];
  /** @type {string[]} */
  const printed = [];
  /** @type {string[]} */
  const onStdout = [];
  const { log, info, warn, error } = console;
  Object.assign(console, {
    log: (/** @type {unknown[]} */ ...words) => void onStdout.push(words.join(" ")),
    info: (/** @type {unknown[]} */ ...words) => void onStdout.push(words.join(" ")),
    warn: (/** @type {unknown[]} */ ...words) => void warned.push(words.join(" ")),
    error: (/** @type {unknown[]} */ ...words) => void printed.push(words.join(" ")),
  });
  t.after(() => {
    Object.assign(console, { log, info, warn, error });
    assert.deepEqual(onStdout, [], "something was printed where the host's answer stands");
  });
  return { warned, printed };
}

/** @param {TestContext} t @param {Record<string, string>} env */
function replaceEnvironment(t, env) {
  const saved = { ...process.env };
  const clear = () =>
    Object.keys(process.env)
      .filter((name) => OURS.test(name))
      .forEach((name) => delete process.env[name]);
  clear();
  Object.assign(process.env, env);
  t.after(() => {
    clear();
    Object.assign(process.env, saved);
  });
}
