/**
 * `opencode-jev-pruner explain`: one request, told in full.
 */

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { candidate, logOf, report, run } from "./running.js";

const FIRST = report({
  first: true,
  servers: [candidate("notes", 0.4, "keep", "phase1_passed", 0)],
  tools: [
    candidate("notes.find", 0.2, "prune", "rejected", 1234),
    candidate("notes.add", 0.61, "keep", "passed", 90),
    candidate("notes.tag", 0.7, "add", "added", 0),
  ],
  skills: [candidate("forms", null, "keep", "no_answer", 80)],
  removed: { mcp_instructions: ["desk"] },
});
const SECOND = report({ session: "ses_2", applied: false, errors: [{ request: "phase 1, request 1 of 1", what: "timeout", message: "no answer within 900 ms" }] });
const THIRD = report({ session: "ses_2", applied: false, skipped: "too_small" });

describe("it tells of a request", () => {
  test("each candidate with score, decision, reason and size, what is shown first", async (t) => {
    const { stdout } = await run(["explain", logOf(t, FIRST, SECOND), "--request", "1"]);
    assert.equal(
      stdout,
      [
        "Request 1, 2026-01-02T03:04:05.000Z, session ses_1",
        "pruned: 600 of 1,000 tokens (60.0%)",
        "thresholds: servers 0.35, tools and skills 0.55; the session's first decision",
        "100 ms, of which the plugin's own 2.0; 2 requests to Jev with 9 questions",
        "instructions removed: desk",
        "",
        "candidate        score                reason  characters",
        "server notes     0.400   keep  phase1 passed",
        "tool notes.add   0.610   keep         passed          90",
        "tool notes.tag   0.700    ADD          added",
        "tool notes.find  0.200  PRUNE       rejected       1,234",
        "skill forms          -   keep      no answer          80",
        "",
      ].join("\n"),
    );
  });

  test("why it was left as it was", async (t) => {
    const log = logOf(t, FIRST, SECOND, THIRD);
    assert.match((await run(["explain", log, "--request", "2"])).stdout, /left as it was: Jev failed\n {2}phase 1, request 1 of 1: timeout: no answer within 900 ms/);
    assert.match((await run(["explain", log])).stdout, /^Request 3, .*\nleft as it was: too small$/m);
  });

  test("counted within one session", async (t) => {
    const { stdout } = await run(["explain", logOf(t, FIRST, SECOND, THIRD), "--session", "ses_2", "--request", "1"]);
    assert.match(stdout, /^Request 1, .* session ses_2\nleft as it was: Jev failed/);
  });

  test("as it stands in the log, as JSON", async (t) => {
    const { stdout } = await run(["explain", logOf(t, FIRST), "--json"]);
    assert.deepEqual(JSON.parse(stdout).tools, FIRST.tools);
  });
});

for (const [flags, code, complaint] of /** @type {[string[], number, RegExp][]} */ ([
  [["--request", "4"], 2, /there is no request 4: the log has 3/],
  [["--request", "0"], 2, /--request takes a whole number from 1, not "0"/],
  [["--session", "ses_9"], 1, /there is no report of session ses_9/],
])) {
  test(`${flags.join(" ")} ends with ${code}`, async (t) => {
    const ended = await run(["explain", logOf(t, FIRST, SECOND, THIRD), ...flags]);
    assert.equal(ended.code, code);
    assert.match(ended.stderr, complaint);
  });
}
