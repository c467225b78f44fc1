/**
 * What the commands make of a log line that is a report and yet odd: of another version, cut by hand, or with names that
 * others chose. One such line must not spoil the others, and no name may give orders to the terminal.
 */

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { logOf, report, run } from "./running.js";

/** @import { TestContext } from "node:test" */

const tool = (/** @type {object} */ fields) => ({ name: "maps.route", score: 0.9, decision: "keep", reason: "passed", chars: 400, ...fields });

describe("a figure that is no number", () => {
  const odd = { jev_calls: "two", jev_questions: null, tokens_before: {}, tokens_after: [], ms_total: "fast", ms_rust: "NaN" };
  const logged = (/** @type {TestContext} */ t) => logOf(t, report({ stats: { tokens_before: 100, tokens_after: 40 } }), report({ stats: odd }));

  test("is left out of the sums of `report`", async (t) => {
    const { stdout, stderr, code } = await run(["report", logged(t)]);
    assert.doesNotMatch(stdout, /NaN|undefined|null/);
    assert.match(stdout, /in all +2 .* 60 /);
    assert.deepEqual([stderr, code], ["", 0]);
  });

  test("is nothing to `explain`", async (t) => {
    const { stdout, stderr, code } = await run(["explain", logged(t)]);
    assert.doesNotMatch(stdout, /NaN|undefined|object/);
    assert.deepEqual([stderr, code], ["", 0]);
  });
});

test("a history whose savings are no number has saved nothing", async (t) => {
  const { stdout } = await run(["report", logOf(t, report({ history: { tokens_saved: "much" } }))]);
  assert.doesNotMatch(stdout, /NaN|much|in the history/);
});

describe("a candidate", () => {
  for (const score of ["0.9", {}, true, [1]]) {
    test(`whose score is ${JSON.stringify(score)} has none`, async (t) => {
      const { stdout, stderr } = await run(["explain", logOf(t, report({ tools: [tool({ score })] }))]);
      assert.match(stdout, /^tool maps\.route +- +keep/m);
      assert.equal(stderr, "");
    });
  }

  test("without a decision is left out", async (t) => {
    const { stdout, stderr } = await run(["explain", logOf(t, report({ tools: [tool({ decision: undefined }), tool({ name: "maps.near" })] }))]);
    assert.match(stdout, /maps\.near/);
    assert.doesNotMatch(stdout, /maps\.route/);
    assert.equal(stderr, "");
  });
});

describe("a name that holds control characters", () => {
  const NAME = "\u001b]0;owned\u0007\u001b[2Jred\u009b31m\nin all 9999\u202e";
  const entries = () => [
    report({ session: NAME, tools: [tool({ name: NAME, decision: "prune" })], errors: [{ request: NAME, what: NAME, message: NAME }] }),
    { event: "missed", name: NAME },
  ];

  for (const command of ["report", "explain", "replay"]) {
    for (const more of [[], ["--json"]]) {
      test(`is told by their numbers by ${[command, ...more].join(" ")}`, async (t) => {
        const { stdout, stderr } = await run([command, logOf(t, ...entries()), ...more]);
        assert.doesNotMatch(stdout + stderr, /[\0-\x08\x0b-\x1f\x7f-\x9f\u202e]/);
        assert.doesNotMatch(stdout, /^in all 9999/m);
      });
    }
  }
});
