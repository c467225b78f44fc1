/**
 * In OpenCode 1.18 the history of a request comes by one hook and its lists by another: what is told of both is one report.
 */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { loadFreshCore } from "../../js-shim/core.js";
import { server } from "../../js-shim/legacy.js";
import { renderSkillsV1 } from "../mini-host/index.js";
import { linesOf } from "../plugin/logs.js";
import { folder } from "../plugin/stage.js";
import { call, prompt, step, stored, text } from "./messages.js";

/** @import { TestContext } from "node:test" */

const SKILLS = [{ id: "tea", name: "tea", description: "Brew tea.", location: "/skills/tea/SKILL.md" }];
const SYSTEM = `You help.\n<env>\n  Working directory: /project\n</env>\n${renderSkillsV1(SKILLS)}`;
const read = () => step(call("read", { path: "a" }, text(4000)));

/** @param {TestContext} t */
async function started(t) {
  const directory = folder(t);
  const core = await loadFreshCore();
  /** @type {string[]} */
  const printed = [];
  const client = { app: { log: async (/** @type {any} */ { body }) => void printed.push(body.message) } };
  const options = { scorer: "none", min_saving_chars: 0, discovery: { enabled: true, hide: ["tea"] }, history: { enabled: true, batch_tokens: 0 }, debug_mode: true, debug_log_file: "log.jsonl" };
  /** @type {any} */
  const hooks = await server({ client, directory }, options, { load: () => core });
  const log = join(directory, "log.jsonl");
  return {
    printed,
    history: () => hooks["experimental.chat.messages.transform"]({}, { messages: stored([prompt(), read(), read(), prompt()]) }),
    lists: () => hooks["experimental.chat.system.transform"]({ sessionID: "ses_1" }, { system: [SYSTEM] }),
    reports: () => readFileSync(log, "utf8").trimEnd().split("\n").map((line) => JSON.parse(line)).filter(({ event }) => event === "report"),
    written: (/** @type {number} */ count) => linesOf(log, count),
  };
}

test("a request with history and lists is one report, with what both saved", async (t) => {
  const { history, lists, reports, written } = await started(t);
  await history();
  await lists();
  await written(2);
  const [report, ...others] = reports();
  assert.deepEqual(others, []);
  assert.equal(report.applied, true);
  assert.ok(report.history.tokens_saved > 900, JSON.stringify(report.history));
  assert.equal(report.skills.length, 1);
});

test("a request with history and lists is told once in words", async (t) => {
  const { history, lists, printed } = await started(t);
  await history();
  await lists();
  assert.equal(printed.length, 1);
  assert.match(String(printed[0]), /skills 0\/1 kept[^]*\n {2}history: \d+ tokens left out/);
  assert.doesNotMatch(String(printed[0]), /left as it was/);
});

test("steps that follow on each other are a report each", async (t) => {
  const { history, lists, reports, written } = await started(t);
  for (const _ of [1, 2]) {
    await history();
    await lists();
  }
  await written(3);
  assert.deepEqual(reports().map((report) => report.history.tokens_saved > 900), [true, true]);
});

test("a history without lists, as in a compaction, is told alone", async (t) => {
  const { history, printed } = await started(t);
  t.mock.timers.enable({ apis: ["setTimeout"] });
  await history();
  assert.deepEqual(printed, []);
  t.mock.timers.tick(15_000);
  assert.match(String(printed[0]), /only the history was looked at/);
});
