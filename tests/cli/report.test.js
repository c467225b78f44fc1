/**
 * `opencode-jev-pruner report`: what it counts, and how it treats logs that are damaged or very long.
 */

import assert from "node:assert/strict";
import { createWriteStream, readFileSync } from "node:fs";
import { once } from "node:events";
import { join } from "node:path";
import { describe, test } from "node:test";

import { nativeServer, skillList } from "../plugin/inventory.js";
import { candidate, folder, loggedBy, logOf, report, run } from "./running.js";

/** @import { TestContext } from "node:test" */

/** @param {TestContext} t @param {...(object | string)} lines @returns {Promise<any>} the figures */
async function figures(t, ...lines) {
  const { stdout, code } = await run(["report", logOf(t, ...lines), "--json"]);
  assert.equal(code, 0);
  return JSON.parse(stdout);
}

const keep = (/** @type {string} */ name) => candidate(name, 0.9, "keep", "passed");
const prune = (/** @type {string} */ name) => candidate(name, 0.1, "prune", "rejected");

describe("it counts", () => {
  test("requests that were pruned, skipped and failed, each by kind", async (t) => {
    const { all } = await figures(
      t,
      report(),
      report({ applied: false, skipped: "no_prompt", stats: { jev_calls: 0 } }),
      report({ applied: false, errors: [{ request: "phase 1, request 1 of 1", what: "timeout", message: "x" }] }),
      { event: "error", request: "phase 1, request 1 of 1", what: "timeout", message: "told in the report too" },
      { event: "error", request: "none", what: "trap", message: "x" },
    );
    assert.deepEqual([all.requests, all.pruned, all.skipped, all.failed], [3, 1, 1, 1]);
    assert.deepEqual(all.failures, [{ name: "timeout", count: 1 }, { name: "trap", count: 1 }]);
    assert.deepEqual(all.skips, [{ name: "no_prompt", count: 1 }]);
  });

  test("tokens saved where a request was changed, and apart what shadow mode would have saved", async (t) => {
    const { all } = await figures(t, report(), report(), report({ mode: "shadow", applied: false }), report({ applied: false }));
    assert.deepEqual([all.tokensSaved, all.tokensBefore, all.tokensWouldSave, all.wouldPrune], [1200, 2000, 600, 1]);
  });

  test("how long requests waited only where Jev was asked", async (t) => {
    const { all } = await figures(t, report(), report({ stats: { jev_calls: 0, ms_total: 5000, ms_rust: 4 } }));
    assert.ok(Math.abs(all.msWaiting.p95 - 100) < 2);
    assert.ok(Math.abs(all.msOwn.p95 - 4) < 0.1);
  });

  test("requests that showed what the one before in their session had shown", async (t) => {
    const shown = (/** @type {string} */ session, /** @type {any[]} */ ...tools) => report({ session, tools });
    const { all } = await figures(
      t,
      shown("a", keep("s.x"), prune("s.y")),
      shown("b", keep("s.y")),
      shown("a", keep("s.x"), prune("s.y"), prune("s.z")),
      shown("a", keep("s.x"), keep("s.y")),
      report({ session: "a", applied: false, skipped: "no_prompt" }),
      shown("b", keep("s.y")),
    );
    assert.deepEqual([all.stable, all.changed], [2, 1]);
  });

  test("what was missed, in prune and in shadow mode, by name", async (t) => {
    const { all, mostMissed } = await figures(
      t,
      report(),
      { event: "missed", name: "s.x", score: 0.5, threshold: 0.55 },
      { event: "would_have_missed", name: "s.x", score: 0.5, threshold: 0.55 },
    );
    assert.equal(all.missed, 2);
    assert.deepEqual(mostMissed, [{ name: "s.x", count: 2 }]);
  });

  test("candidates once, not again at each step of the same turn", async (t) => {
    const lists = { servers: [keep("s")], tools: [prune("s.x")], skills: [prune("k")] };
    const { mostPruned, scores } = await figures(t, report(lists), report({ ...lists, stats: { from_cache: true } }));
    assert.deepEqual(mostPruned, [{ name: "skill k", count: 1 }, { name: "tool s.x", count: 1 }]);
    const sum = (/** @type {number[]} */ counts) => counts.reduce((a, b) => a + b, 0);
    assert.deepEqual([sum(scores.servers), sum(scores.toolsAndSkills)], [1, 2]);
  });

  test("each day by itself", async (t) => {
    const { days, from, to } = await figures(t, report({ time: "2026-01-03T00:00:00.000Z" }), report({ time: "2026-01-04T09:00:00.000Z" }), report({ time: "2026-01-04T10:00:00.000Z" }));
    assert.deepEqual(days.map((/** @type {any} */ { date, requests }) => [date, requests]), [["2026-01-03", 1], ["2026-01-04", 2]]);
    assert.deepEqual([from, to], ["2026-01-03T00:00:00.000Z", "2026-01-04T10:00:00.000Z"]);
  });

  test("what the real plugin logs", async (t) => {
    const servers = [nativeServer("pilot", { click: "Click.", shoot: "Shoot." }, { instructions: "A." })];
    const scores = { tools: { "pilot.click": 0.9 }, skills: { forms: 0.9 }, otherwise: 0.1 };
    const log = await loggedBy(t, { servers, skills: skillList(["forms", "captions"]), scores }, async ({ host }) => {
      await host.prompt("Click the button that sends the form, then look at it.");
      await host.step();
    });
    const { stdout } = await run(["report", log, "--json"]);
    const { all, mostPruned, entries, damaged } = JSON.parse(stdout);
    assert.deepEqual([all.requests, all.pruned, all.stable, entries, damaged], [2, 2, 1, 3, 0]);
    assert.ok(all.tokensSaved > 0);
    assert.deepEqual(mostPruned.map((/** @type {any} */ { name }) => name), ["skill captions", "tool pilot.shoot"]);
  });
});

test("what was left out of the history counts among the tokens saved, and not in the share of the lists", async (t) => {
  const log = logOf(t, report({ history: { tokens_saved: 5000 } }), report({ applied: false, history: { tokens_saved: 7000 } }));
  const { all } = JSON.parse((await run(["report", log, "--json"])).stdout);
  assert.deepEqual([all.tokensSaved, all.tokensSavedInHistory], [5600, 5000]);
  const { stdout } = await run(["report", log]);
  assert.match(stdout, /^in all +2 +1 .* 5,600 +60\.0%/m);
  assert.match(stdout, /^Of the tokens saved, 5,000 in the history$/m);
});

describe("a log that is damaged", () => {
  const lines = [report(), "{ half a", "[1]", "", "\u0000\u0000", report()];

  test("is read all the same, and the lines are told", async (t) => {
    const { code, stderr, stdout } = await run(["report", logOf(t, ...lines)]);
    assert.equal(code, 0);
    assert.match(stdout, /^2 requests/);
    assert.equal(stderr, "3 damaged lines were skipped: line 2 is not JSON; line 3 is no entry of the plugin's log; line 5 is not JSON\n");
  });

  test("names the file where there are several", async (t) => {
    const [one, other] = [logOf(t, report()), logOf(t, "x")];
    const { stderr, stdout } = await run(["report", one, other]);
    assert.match(stdout, /^1 requests/);
    assert.ok(stderr.includes(`line 1 of ${other} is not JSON`), stderr);
  });

  test("may end in the middle of a line", async (t) => {
    const { stdout, stderr, code } = await run(["report", "-"], { input: `${JSON.stringify(report())}\n{"event":"rep` });
    assert.equal(code, 0);
    assert.match(stdout, /^1 requests/);
    assert.match(stderr, /line 2 is not JSON/);
  });

  test("with a report whose fields are of other kinds stops nothing", async (t) => {
    const odd = [
      { event: "report", stats: 7, errors: [null], servers: [{}], tools: [{ name: 1 }], session: {}, time: 5 },
      { event: "report", stats: null, errors: 5, servers: 5, tools: "tools", skills: { a: 1 }, removed: [], thresholds: 3 },
      { event: "setup", config: 9 },
      { event: "missed" },
    ];
    const log = logOf(t, ...odd, report({ skills: [candidate("forms", 0.9, "keep", "passed")] }));
    for (const command of ["report", "replay", "explain"]) {
      const { code, stderr } = await run([command, log]);
      assert.equal(code, 0, stderr);
    }
    assert.match((await run(["report", log])).stdout, /^3 requests/);
  });
});

describe("it ends", () => {
  test("with 1 when there is no report, and says so", async (t) => {
    const { code, stderr } = await run(["report", logOf(t, { event: "setup" })]);
    assert.equal(code, 1);
    assert.match(stderr, /no report in it/);
  });

  for (const [args, complaint] of /** @type {[string[], RegExp][]} */ ([
    [["report"], /which log\?/],
    [["report", "/nowhere/log"], /\/nowhere\/log cannot be read \(ENOENT\)/],
    [["report", "/"], /cannot be read \(EISDIR\)/],
    [["report", "-", "--colour"], /Unknown option '--colour'/],
    [["report", "-", "--html", "/nowhere/page.html"], /\/nowhere\/page.html cannot be written \(ENOENT\)/],
    [["tell"], /there is no command "tell"; there are report, replay, explain, check/],
  ])) {
    test(`with 2 for ${args.join(" ")}`, async () => {
      const { code, stderr } = await run(args, { input: `${JSON.stringify(report())}\n` });
      assert.equal(code, 2);
      assert.match(stderr, complaint);
    });
  }

  for (const args of [[], ["--help"], ["report", "--help"], ["replay", "--help"], ["explain", "--help"], ["check", "--help"]]) {
    test(`with 0 and words of help for "${args.join(" ")}"`, async () => {
      const { code, stdout } = await run(args);
      assert.equal(code, 0);
      assert.match(stdout, /opencode-jev-pruner/);
    });
  }

  test("with the version when asked for it", async () => {
    const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
    assert.equal((await run(["--version"])).stdout, `${version}\n`);
  });
});

test("a long log takes no more memory than a short one", async (t) => {
  const path = join(folder(t), "log");
  const tools = Array.from({ length: 300 }, (_, at) => (at % 3 ? prune(`server.tool_${at}`) : keep(`server.tool_${at}`)));
  const stream = createWriteStream(path);
  const bytes = Number(process.env.JEV_PRUNER_LONG_LOG_MB ?? 150) * 1e6;
  for (let written = 0, at = 0; written < bytes; at++) {
    const line = `${JSON.stringify(report({ session: `ses_${at}`, tools }))}\n`;
    written += line.length;
    if (!stream.write(line)) await once(stream, "drain");
  }
  stream.end();
  await once(stream, "finish");
  // What is alive at any time must fit in a heap of 40 MB.
  const { code, stderr } = await run(["report", path], { node: ["--max-old-space-size=40"] });
  assert.equal(code, 0, stderr);
});
