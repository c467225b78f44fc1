/**
 * The tests in a real OpenCode 1.18. They share one host, which is booted here, since that takes longer than most of them;
 * what they check is told in the suites.
 */

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { whyNoHost } from "./binary.js";
import { KEY, openStage } from "./stage.js";
import { asking } from "./suites/asking.js";
import { failingOpen } from "./suites/failing-open.js";
import { finding } from "./suites/finding.js";
import { forgetting } from "./suites/forgetting.js";
import { hostTexts } from "./suites/host-texts.js";
import { pruning } from "./suites/pruning.js";
import { turns } from "./suites/turns.js";

/** @import { Stage } from "./stage.js" */

/** How a line of the plugin begins in the host's log. */
const OURS = "[opencode-jev-pruner]";

describe("in OpenCode 1.18", { skip: whyNoHost(), timeout: 300_000 }, () => {
  /** @type {Stage} */
  let stage;
  before(async () => void (stage = await openStage()));
  after(() => stage?.close());
  const staged = () => stage;

  pruning(staged);
  failingOpen(staged);
  turns(staged);
  hostTexts(staged);
  forgetting(staged);
  finding(staged);
  asking(staged);

  test("the host has found nothing to complain about", () => {
    assert.deepEqual(
      stage.host
        .log()
        .split("\n")
        .filter((line) => /level=(?:ERROR|WARN)/.test(line) && !line.includes(OURS)),
      [],
    );
  });

  test("the key for Jev stands in no log, and the model has not seen it", () => {
    assert.ok(stage.jev.requests.every(({ headers }) => headers.authorization === `Bearer ${KEY}`));
    for (const text of [stage.host.log(), JSON.stringify(stage.debugLog()), JSON.stringify(stage.model.requests)]) {
      assert.ok(!text.includes(KEY));
    }
  });
});
