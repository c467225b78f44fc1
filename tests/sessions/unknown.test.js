/**
 * Lists in renderings that nobody knows yet: they are left as they are, told of in the report and warned about once,
 * and what is known beside them is pruned all the same.
 */

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { CAPTIONS, DESK, FORMS, MAPS, NOTES } from "./inventory.js";
import { play } from "./session.js";

/** @import { TestContext } from "node:test" */

/** A head that no rendering has, above a list as all have it. */
const V5 =
  "# Code Mode, fifth edition\n\nAll of it is here.\n\n## Available tools\n\n- maps (1 tool)\n  - tools.maps.route(): Promise<unknown>";
const SCORES = { "skill forms": 1 };

/** The reader of the other tests would read what nobody is to know. */
const rules = {};

/** @param {TestContext} t @param {string} text stands in a system part of its own */
const started = (t, text) =>
  play(t, {
    rules,
    basePrompt: text,
    servers: [DESK, MAPS],
    skills: [FORMS, CAPTIONS],
    rendering: "v1c",
    scores: SCORES,
  });

for (const [name, text, firstLine] of [
  ["a catalog under a head that is not known", V5, "## Available tools"],
  [
    "instructions with an attribute",
    '<mcp_instructions version="2">\n  <server name="maps">\n    Text.\n  </server>\n</mcp_instructions>',
    '<mcp_instructions version="2">',
  ],
  [
    "skills with an attribute",
    '<available_skills sorted="yes">\n  <skill>\n    <id>forms</id>\n  </skill>\n</available_skills>',
    '<available_skills sorted="yes">',
  ],
  [
    "a change that tells something new",
    "The Code Mode tool catalog has changed.\n\nTools are cheaper today: tools.maps.route.",
    "The Code Mode tool catalog has changed.",
  ],
  ["a list that does not end", "<available_skills>\n  <skill>\n    <id>forms</id>", "<available_skills>"],
]) {
  describe(`${name}`, () => {
    test("is left as it is", async (t) => {
      const { step } = await (await started(t, String(text))).prompt("Fill this in");
      assert.equal(step.after.system[0]?.text, text);
    });

    test("does not keep the lists beside it from being pruned", async (t) => {
      const { verdicts, step } = await (await started(t, String(text))).prompt("Fill this in");
      assert.equal(verdicts.get("skill captions"), "prune");
      assert.doesNotMatch(step.after.system[1]?.text ?? "", /captions/);
    });

    test("stands in the report with its first line", async (t) => {
      const { report } = await (await started(t, String(text))).prompt("Fill this in");
      assert.deepEqual(
        report.unrecognised.map((/** @type {any} */ section) => section.first_line),
        [firstLine],
      );
    });

    test("is warned about once, however many requests hold it", async (t) => {
      const session = await started(t, String(text));
      await session.prompt("Fill this in");
      await session.prompt("And that");
      session.host.sessionID = "ses_2";
      await session.prompt("And in another session");
      assert.equal(session.warned.filter((words) => words.includes(String(firstLine))).length, 1);
    });
  });
}

describe("a catalog that is stated anew in a rendering that is not known", () => {
  const restated = `The Code Mode tool catalog has changed. This catalog supersedes all that was listed before.\n\n${V5}`;

  test("is left as it is, and so is what went before", async (t) => {
    const session = await play(t, {
      rules,
      servers: [NOTES, { name: "ledger", tools: [{ name: "book" }] }],
      skills: [FORMS, CAPTIONS],
      budget: Infinity,
      scores: SCORES,
    });
    const first = await session.prompt("Fill this in");
    session.host.systemMessage(restated);
    const next = await session.prompt("Go on");
    assert.deepEqual(next.step.after.system, first.step.after.system);
    assert.equal(next.step.after.messages[1]?.content[0]?.text, restated);
  });
});
