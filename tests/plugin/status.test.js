/**
 * What a person is told by `/jev status`, `/jev perf` and `/jev why`, and the model by `jev_status`.
 */

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { createStatus, lines } from "../../js-shim/status.js";
import { server, skillList } from "./inventory.js";
import { KEY, stage } from "./stage.js";

/** @import { TestContext } from "node:test" */
/** @import { Wishes } from "./stage.js" */

const SCORES = { servers: { maps: 0.9 }, tools: { "maps.route": 0.8 }, otherwise: 0.1 };

/** @param {TestContext} t @param {Wishes} [wishes] */
const asked = (t, { options, ...wishes } = {}) =>
  stage(t, {
    servers: [server("maps", ["route", "near"]), server("notes", ["find"])],
    skills: skillList(["tea"]),
    scores: SCORES,
    ...wishes,
    host: { ctx: { mcpList: true, registries: true } },
    options: { decision_scope: "session", ...options },
  });

/** @param {Awaited<ReturnType<typeof stage>>} staged @param {string} words */
async function told({ host }, words) {
  await host.command("jev", words);
  return host.registered.notices.at(-1)?.text ?? "";
}

describe("/jev status", () => {
  test("tells health, settings, and what the session shows, and never the key", async (t) => {
    const staged = await asked(t);
    await staged.host.prompt("Find a route");
    const text = await told(staged, "status");
    for (const line of [/^health: healthy$/m, /^version: \d/m, /^mode: prune$/m, /^key: present$/m, /^ {2}name: maps, tools: 2, shown: 1$/m, /^ {2}name: notes, tools: 1, shown: 0$/m, /^ {2}tools: maps\.route$/m]) {
      assert.match(text, line);
    }
    assert.doesNotMatch(text, new RegExp(KEY));
  });

  test("is degraded after Jev failed, with the reason and the cooldown", async (t) => {
    const staged = await asked(t, { jev: { status: 500 }, options: { failure_cooldown_ms: 60_000 } });
    await staged.host.prompt("Find a route");
    const text = await told(staged, "status");
    assert.match(text, /^health: degraded$/m);
    assert.match(text, /^reason: Jev failed the last time: HTTP 500$/m);
    assert.match(text, /^cooldown_ms: [1-9]\d{4}$/m);
  });

  test("is disabled where the mode is off", async (t) => {
    assert.match(await told(await asked(t, { options: { mode: "off" } }), "status"), /^health: disabled\nreason: option `mode` is `off`$/m);
  });
});

test("/jev perf counts each part of the work", async (t) => {
  const staged = await asked(t);
  await staged.host.prompt("Find a route");
  const text = await told(staged, "perf");
  for (const [stage, count] of [["parse", 1], ["decide", 1], ["apply", 1], ["jev", 2], ["search", 0]]) {
    assert.match(text, new RegExp(`^${stage}:\\n  count: ${count}\\n`, "m"));
  }
});

describe("/jev why", () => {
  test("tells score, threshold, phase and reason", async (t) => {
    const staged = await asked(t);
    await staged.host.prompt("Find a route");
    assert.match(
      await told(staged, "why route"),
      /^kind: tool, name: maps\.route, shown: true, reason: passed, score: 0\.8, threshold: 0\.55, phase: 2, decided_seconds_ago: 0$/,
    );
    assert.match(await told(staged, "why NOTES"), /kind: server, name: notes, shown: false, reason: phase1_rejected, score: 0\.1, threshold: 0\.35, phase: 1/);
    assert.match(await told(staged, "why tea"), /kind: skill, name: tea, shown: false/);
  });

  test("says that a name is not known, or missing", async (t) => {
    const staged = await asked(t);
    assert.match(await told(staged, "why maps"), /Nothing was decided/);
    await staged.host.prompt("Find a route");
    assert.match(await told(staged, "why nobody"), /Nothing in this session is called `nobody`/);
    assert.match(await told(staged, "why"), /Say which/);
  });
});

test("/jev alone, and with a word that is none, tells what there is", async (t) => {
  const staged = await asked(t);
  assert.match(await told(staged, ""), /\/jev status: .*\n.*\/jev perf: .*\n.*\/jev why NAME: /);
  assert.match(await told(staged, "statsu"), /There is no `\/jev statsu`/);
});

test("jev_status tells the same as JSON, and is there only if it is wanted", async (t) => {
  const staged = await asked(t, { options: { discovery: { enabled: true, status_tool: true } } });
  await staged.host.prompt("Find a route");
  const all = JSON.parse((await staged.host.callTool("jev_status", {})).content);
  assert.equal(all.status.health, "healthy");
  assert.equal(all.perf.jev.count, 2);
  const [why] = JSON.parse((await staged.host.callTool("jev_status", { name: "maps" })).content);
  assert.equal(why.reason, "phase1_passed");
  const without = await asked(t, { options: { discovery: { enabled: true } } });
  await without.host.prompt("Hello");
  assert.ok(!without.host.registered.tools.has("jev_status"));
});

describe("times", () => {
  test("have count, total, average, least, most and the 95th percentile of the newest", () => {
    const status = createStatus({ config: {}, version: "1", hasKey: true });
    for (let ms = 1; ms <= 100; ms++) status.noteSearch(ms);
    assert.deepEqual(status.perf().search, { count: 100, total_ms: 5050, average_ms: 50.5, min_ms: 1, max_ms: 100, p95_ms: 95 });
  });

  test("of what was never done are zero", () => {
    const none = { count: 0, total_ms: 0, average_ms: 0, min_ms: 0, max_ms: 0, p95_ms: 0 };
    assert.deepEqual(createStatus({ config: {}, version: "1", hasKey: true }).perf().jev, none);
  });
});

test("lines are for people", () => {
  const value = { a: 1, b: ["x", "y"], c: [], d: [{ e: null, f: true }], g: { h: "i" } };
  assert.equal(lines(value), "a: 1\nb: x, y\nc: none\nd:\n  e: none, f: true\ng:\n  h: i");
});
