/**
 * Ten megabytes of hostile text in a request cost less than a second, in the module as it ships and with the way across its
 * border. `fuzz/tests/ten_megabytes.rs` holds the core to the same with more texts. The limit of a second is for a machine that
 * does nothing else, so it is only set with JEV_PRUNER_FULL=1 (`npm run test:hostile`); otherwise only the absurd is caught.
 */

import assert from "node:assert/strict";
import { test } from "node:test";

import { eventOf } from "../plugin/events.js";
import { stage } from "../plugin/stage.js";

const SIZE = 10 << 20;
const MOST_MS = process.env["JEV_PRUNER_FULL"] ? 1000 : 5000;

/** @param {string} beginning @param {string} again */
const heap = (beginning, again) => beginning + again.repeat(Math.ceil(SIZE / again.length));

const LIST = "# Code Mode\n\nThe catalog is partial.\n\n## Available tools\n\n";

/** @type {Record<string, string>} */
const TEXTS = {
  "empty lines": heap("", "\n"),
  "openings of lists that are empty": heap("", "## Available tools (COMPLETE list\n"),
  "a path that never ends": heap(`${LIST}- n (1 tool)\n  - tools.n`, ".a"),
  "one namespace again and again": heap(LIST, "- n (9 tools, none shown)\n"),
  "closing tags of servers": heap('<mcp_instructions>\n<server name="x">\n', "</server>\n"),
  "a description that never ends": heap("<available_skills>\n  <skill>\n    <id>x</id>\n    <description>\n", "text</description>\n"),
};

/** What the process worked, in milliseconds: other programs do not count. */
const worked = () => process.cpuUsage().user / 1000;

for (const [name, text] of Object.entries(TEXTS)) {
  test(`ten megabytes: ${name}`, async (t) => {
    const { context } = await stage(t, { options: { scorer: "none" } });
    await context(eventOf({ session: "warm", system: ["Base."] }));
    const times = [];
    for (const session of ["first", "second", "third"]) {
      // A text that was met before would not be read again.
      const event = eventOf({ session, system: ["Base.", `${text}\n${session}`] });
      const before = worked();
      await context(event);
      times.push(worked() - before);
    }
    const least = Math.min(...times);
    t.diagnostic(`${least.toFixed(0)} ms`);
    assert.ok(least < MOST_MS, `took ${least.toFixed(0)} ms`);
  });
}
