/**
 * `opencode-jev-pruner replay`: that it decides as the plugin does, and says what other settings would have changed. The
 * rules themselves are tested in crate/src/replay.rs.
 */

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { nativeServer, skillList } from "../plugin/inventory.js";
import { candidate, loggedBy, logOf, report, run } from "./running.js";

/** @import { TestContext } from "node:test" */
/** @import { Staged } from "./running.js" */

const SERVERS = [
  nativeServer("pilot", { click: "Click.", shoot: "Shoot." }, { instructions: "A." }),
  nativeServer("notes", { add: "Add.", find: "Find." }, { instructions: "B." }),
];
const SKILLS = skillList(["forms", "captions"]);
const SCORES = {
  servers: { pilot: 0.9, notes: 0.3 },
  tools: { "pilot.click": 0.9, "pilot.shoot": 0.5 },
  skills: { forms: 0.6, captions: 0.4 },
};

/** Two prompts of one session; in between the model uses what was hidden. @param {Staged} staged */
async function twoPrompts({ host }) {
  await host.prompt("Click the button that sends the form, then look at it.");
  host.assistant("Clicked.", [{ id: "c1", name: "pilot_shoot" }]);
  host.toolResult({ id: "c1", name: "pilot_shoot", value: "ok" });
  await host.step();
  await host.prompt("And now everything once more, but with another form, please.");
}

/** @param {TestContext} t @param {string[]} [flags] @param {Record<string, unknown>} [options] */
async function replayed(t, flags = [], options = {}) {
  const wishes = { servers: SERVERS, skills: SKILLS, scores: SCORES, options: { decision_scope: "session", ...options } };
  const log = await loggedBy(t, wishes, twoPrompts);
  const { stdout, code, stderr } = await run(["replay", log, "--json", ...flags]);
  assert.equal(code, 0, stderr);
  return JSON.parse(stdout);
}

describe("under the settings of the log it decides what the plugin decided", () => {
  for (const options of [
    {},
    { decision_scope: "prompt" },
    { enable_two_phase_gating: false },
    { selection: "budget", budget_fraction: 0.4 },
    { always_include_tools: ["notes.add"], always_include_skills: ["captions"] },
    { max_pruned_fraction: 0.5 },
    { jev_confidence_threshold: 0.95 },
  ]) {
    test(JSON.stringify(options), async (t) => {
      const { was, is, nowShown, nowHidden } = await replayed(t, [], options);
      assert.ok(was.requests === 3 && was.tools + was.skills > 0);
      assert.deepEqual([is.servers, is.tools, is.skills, is.missed], [was.servers, was.tools, was.skills, was.missed]);
      assert.deepEqual([nowShown, nowHidden, is.tokensHidden], [[], [], was.tokensHidden]);
    });
  }
});

describe("under other settings it tells what", () => {
  test("a lower threshold would have shown, and what would not have been missed", async (t) => {
    const { was, is, nowShown } = await replayed(t, ["--threshold", "0.45"]);
    assert.deepEqual(nowShown.map((/** @type {any} */ { name }) => name), ["pilot.shoot"]);
    assert.deepEqual([was.missed, is.missed], [1, 0]);
  });

  test("a higher threshold would have hidden", async (t) => {
    const { nowHidden } = await replayed(t, ["--threshold", "0.8"]);
    assert.deepEqual(nowHidden.map((/** @type {any} */ { name }) => name), ["forms"]);
  });

  test("a lower threshold for servers would have let through, though nobody asked about their tools", async (t) => {
    const { is, nowShown } = await replayed(t, ["--phase1", "0.2"]);
    assert.equal(is.unknown, 2);
    assert.deepEqual(nowShown.map((/** @type {any} */ { name }) => name).slice(0, 2), ["notes.add", "notes.find"]);
  });

  test("any other option would have come to", async (t) => {
    const { nowShown } = await replayed(t, ["--set", 'always_include_skills=["captions"]']);
    assert.deepEqual(nowShown, [{ name: "captions", count: 3 }]);
  });
});

test("a session that was compacted begins anew", async (t) => {
  const { stdout } = await run([
    "replay",
    logOf(
      t,
      report({ first: true, skills: [candidate("forms", 0.9, "keep", "passed")] }),
      report({ first: true, skills: [candidate("forms", 0.1, "prune", "rejected")] }),
    ),
    "--json",
  ]);
  const { was, is } = JSON.parse(stdout);
  assert.deepEqual([is.skills, is.tokensHidden], [1, was.tokensHidden]);
});

test("for people it prints both side by side", async (t) => {
  const log = logOf(t, report({ skills: [candidate("forms", 0.6, "keep", "passed", 400)] }));
  const { stdout } = await run(["replay", log, "--threshold", "0.7"]);
  assert.match(stdout, /^1 requests; jev_confidence_threshold 0\.7$/m);
  assert.match(stdout, /^skills hidden +0 +0\.0% +1 +100\.0%$/m);
  assert.match(stdout, /^tokens hidden +0 +100$/m);
  assert.match(stdout, /^Would be hidden\n +1 {2}forms$/m);
});

for (const [flags, complaint] of /** @type {[string[], RegExp][]} */ ([
  [["--threshold", "2"], /--threshold takes a number from 0 to 1, not "2"/],
  [["--phase1", ""], /--phase1 takes a number from 0 to 1, not ""/],
  [["--set", "mode"], /--set takes NAME=VALUE/],
  [["--set", "max_candidates=0"], /option `max_candidates` must be a whole number from 1 to 10000, not 0/],
  [["--set", "nothing=1"], /nothing/],
])) {
  test(`a setting that makes no sense is refused: ${flags.join(" ")}`, async (t) => {
    const { code, stderr } = await run(["replay", logOf(t, report()), ...flags]);
    assert.equal(code, 2);
    assert.match(stderr, complaint);
  });
}

test("a log without a decision ends with 1", async (t) => {
  const { code, stderr } = await run(["replay", logOf(t, report({ applied: false, skipped: "no_prompt" }))]);
  assert.equal(code, 1);
  assert.match(stderr, /there is no decision in it/);
});
