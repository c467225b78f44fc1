/**
 * Where the plugin says something to a person. What it says is told in telling.test.js.
 */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setImmediate } from "node:timers/promises";

import { server } from "../../js-shim/legacy.js";
import { inHostLog, onStderr } from "../../js-shim/voice.js";

/** @import { TestContext } from "node:test" */

/** @param {TestContext} t @returns {string[][]} what was printed, by the way it was */
function printed(t) {
  /** @type {string[][]} */
  const lines = [];
  for (const way of /** @type {const} */ (["log", "info", "warn", "error"])) {
    t.mock.method(console, way, (/** @type {unknown} */ text) => void lines.push([way, String(text)]));
  }
  return lines;
}

/** @param {(given: any) => unknown} log */
const clientWith = (log) => ({ app: { log } });

describe("in OpenCode 2", () => {
  test("everything is on stderr", (t) => {
    const lines = printed(t);
    const voice = onStderr();
    voice.warn("Amiss");
    voice.print("A report");
    assert.deepEqual(lines, [["warn", "[opencode-jev-pruner] Amiss"], ["error", "A report"]]);
  });
});

describe("in OpenCode 1.18", () => {
  test("everything is in the host's log, and nothing is printed", async (t) => {
    const lines = printed(t);
    /** @type {unknown[]} */
    const logged = [];
    const voice = inHostLog(clientWith(async ({ body }) => void logged.push([body.level, body.message])));
    voice.warn("Amiss");
    voice.print("A report");
    await setImmediate();
    assert.deepEqual(logged, [["warn", "[opencode-jev-pruner] Amiss"], ["info", "A report"]]);
    assert.deepEqual(lines, []);
  });

  for (const [what, client] of /** @type {[string, any][]} */ ([
    ["is not there", undefined],
    ["throws", clientWith(() => assert.fail("broken"))],
    ["answers with an error", clientWith(async () => ({ error: { name: "broken" } }))],
  ])) {
    test(`where the log ${what}, it is on stderr`, async (t) => {
      const lines = printed(t);
      inHostLog(client, { isTerminal: false }).print("A report");
      await setImmediate();
      assert.deepEqual(lines, [["error", "A report"]]);
    });

    test(`where the log ${what} and a terminal is drawn, it is nowhere`, async (t) => {
      const lines = printed(t);
      inHostLog(client, { isTerminal: true }).print("A report");
      await setImmediate();
      assert.deepEqual(lines, []);
    });
  }

  test("a missing key is a notice of the terminal at the first prompt, once", async (t) => {
    printed(t);
    const { JEV_API_KEY, TYPESAFE_API_KEY } = process.env;
    t.after(() => Object.assign(process.env, { ...(JEV_API_KEY && { JEV_API_KEY }), ...(TYPESAFE_API_KEY && { TYPESAFE_API_KEY }) }));
    delete process.env.JEV_API_KEY;
    delete process.env.TYPESAFE_API_KEY;
    /** @type {string[]} */
    const shown = [];
    const client = { tui: { showToast: async (/** @type {any} */ { body }) => void shown.push(body.message) } };
    /** @type {any} */
    const hooks = await server({ client, directory: "/project" }, {});
    const output = { message: { id: "msg_1" }, parts: [] };
    await hooks["chat.message"]({}, output);
    await hooks["chat.message"]({}, output);
    assert.equal(shown.length, 1);
    assert.match(String(shown[0]), /no key for Jev.*the plugin is disabled/);
  });
});
