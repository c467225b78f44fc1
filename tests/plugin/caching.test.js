/**
 * When Jev is asked again: what an answer is good for, how long, and what a failure leaves behind.
 */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

import { renderCatalog, renderInstructions, renderSkills } from "../mini-host/index.js";
import { eventOf, systemMessage, userMessage, watch } from "./events.js";
import { answering, raw, scripted } from "./fetches.js";
import { server, skillList } from "./inventory.js";
import { shown } from "./reading.js";
import { subjects } from "./scores.js";
import { stage } from "./stage.js";

/** @import { TestContext } from "node:test" */
/** @import { Wishes } from "./stage.js" */

const SERVERS = [server("desk", ["add", "drop"], { instructions: "Items." }), server("notes", ["find"])];
const SKILLS = skillList(["forms", "captions"]);
const SCORES = { servers: { desk: 1 }, tools: { "desk.add": 1 }, skills: { forms: 1 } };
/** Requests to Jev in a whole run. */
const RUN = 2;
/** A failure that asking once more does not heal. */
const FINAL = 400;

const SYSTEM = [`${renderCatalog(SERVERS)}\n\n${renderInstructions(SERVERS)}\n\n${renderSkills(SKILLS)}`];
/** @param {Parameters<typeof eventOf>[0]} [change] */
const event = (change) => eventOf({ system: SYSTEM, messages: [userMessage("Add an item")], ...change });

/**
 * How often Jev is asked for these events, one after the other.
 * @param {TestContext} t @param {any[]} events @param {Wishes} [wishes]
 */
async function asked(t, events, wishes) {
  const { context, jev } = await stage(t, { scores: SCORES, ...wishes });
  for (const each of events) await context(each);
  return jev.requests.length;
}

describe("one run is enough", () => {
  test("for the steps of one prompt", async (t) => {
    const later = [userMessage("Add an item"), { role: "assistant", content: [{ type: "text", text: "Added." }] }];
    assert.equal(await asked(t, [event(), event({ messages: later })]), RUN);
  });

  test("for the same prompt typed again", async (t) => {
    const again = [userMessage("Add an item", "msg_1"), userMessage("Add an item", "msg_2")];
    assert.equal(await asked(t, [event(), event({ messages: again })]), RUN);
  });

  test("and a later step is pruned alike, byte for byte", async (t) => {
    const { context } = await stage(t, { scores: SCORES });
    const [first, second] = [event(), event()];
    await context(first);
    await context(second);
    assert.deepEqual(second, first);
    assert.deepEqual(shown(second).tools, ["desk.add"]);
  });

  test("and the report says that it was not asked", async (t) => {
    const { context, reports } = await stage(t, { scores: SCORES });
    await context(event());
    await context(event());
    assert.deepEqual(
      reports.map(({ stats }) => [stats.jev_calls, stats.from_cache]),
      [
        [RUN, false],
        [0, true],
      ],
    );
  });

  test("for the host's steps", async (t) => {
    const { host, jev } = await stage(t, { servers: SERVERS, skills: SKILLS, scores: SCORES });
    await host.prompt("Add an item");
    host.assistant("I add it.", [{ id: "1", name: "execute" }]);
    host.toolResult({ id: "1", name: "execute", value: "done" });
    await host.step();
    assert.equal(jev.requests.length, RUN);
  });
});

describe("Jev is asked anew", () => {
  for (const [what, change] of /** @type {[string, Parameters<typeof eventOf>[0]][]} */ ([
    ["for another prompt", { messages: [userMessage("Drop an item")] }],
    ["in another session", { session: "ses_2" }],
    [
      "when a skill is described otherwise",
      { system: [String(SYSTEM[0]).replace("All about captions.", "Other words.")] },
    ],
    [
      "when a tool went",
      {
        system: [
          String(SYSTEM[0])
            .replace(/\n {2}- tools\.desk\.drop.*/, "")
            .replace("desk (2 tools)", "desk (1 tool)"),
        ],
      },
    ],
    ["when instructions changed", { system: [String(SYSTEM[0]).replace("Items.", "Other items.")] }],
  ])) {
    test(what, async (t) => {
      assert.equal(await asked(t, [event(), event(change)]), 2 * RUN);
    });
  }

  test("when a skill came, and then about that", async (t) => {
    const { context, asked: bodies } = await stage(t, { scores: SCORES });
    await context(event());
    const before = bodies().length;
    const told = systemMessage(`The skills have changed.\n${renderSkills([...SKILLS, ...skillList(["late"])])}`);
    await context(event({ messages: [told, userMessage("Add an item")] }));
    assert.ok(bodies().slice(before).flatMap(subjects).includes("skill late"));
  });

  test("not when only other text changed", async (t) => {
    assert.equal(
      await asked(t, [event(), event({ system: ["Be brief.", ...SYSTEM, "Today's date: Fri Jan 02 2026"] })]),
      RUN,
    );
  });

  test("when `cache_ttl_ms` is over", async (t) => {
    const { context, jev } = await stage(t, { scores: SCORES, options: { cache_ttl_ms: 80 } });
    await context(event());
    await sleep(120);
    await context(event());
    assert.equal(jev.requests.length, 2 * RUN);
  });

  test("not before `cache_ttl_ms` is over", async (t) => {
    const { context, jev } = await stage(t, { scores: SCORES, options: { cache_ttl_ms: 60_000 } });
    await context(event());
    await sleep(120);
    await context(event());
    assert.equal(jev.requests.length, RUN);
  });

  test("every time with `cache_ttl_ms: 0`", async (t) => {
    assert.equal(await asked(t, [event(), event(), event()], { options: { cache_ttl_ms: 0 } }), 3 * RUN);
  });
});

describe("of 501 answers", () => {
  /** @param {TestContext} t */
  async function filled(t) {
    const fetch = scripted(SCORES);
    const { context } = await stage(t, { parts: { fetch } });
    const small = (/** @type {number} */ at) =>
      eventOf({ session: `ses_${at}`, system: [String(renderSkills(SKILLS))] });
    for (let at = 0; at <= 500; at++) await context(small(at));
    const before = fetch.calls.length;
    return { asks: async (/** @type {number} */ at) => (await context(small(at)), fetch.calls.length - before) };
  }

  test("the oldest is forgotten", async (t) => {
    const { asks } = await filled(t);
    assert.equal(await asks(0), 1);
  });

  test("the second is not", async (t) => {
    const { asks } = await filled(t);
    assert.equal(await asks(1), 0);
  });
});

describe("two hooks at once", () => {
  for (const [what, options] of /** @type {[string, Record<string, unknown>][]} */ ([
    ["with the cache", {}],
    ["without it", { cache_ttl_ms: 0 }],
  ])) {
    test(`share one run, ${what}`, async (t) => {
      const { context, jev } = await stage(t, { scores: SCORES, options, jev: { latency: 30 } });
      await Promise.all([context(event()), context(event())]);
      assert.equal(jev.requests.length, RUN);
    });

    test(`are both pruned, ${what}`, async (t) => {
      const { context } = await stage(t, { scores: SCORES, options, jev: { latency: 30 } });
      const [first, second] = [event(), event()];
      await Promise.all([context(first), context(second)]);
      assert.deepEqual([shown(first).tools, second], [["desk.add"], first]);
    });

    test(`share a failure, ${what}, and stay as they were`, async (t) => {
      const { context, jev } = await stage(t, { options, jev: { status: FINAL, latency: 30 } });
      const [first, second] = [event(), event()];
      const unchanged = [watch(first), watch(second)];
      await Promise.all([context(first), context(second)]);
      unchanged.forEach((check) => check());
      assert.equal(jev.requests.length, 1);
    });
  }

  test("share the run that is in phase 2 already", async (t) => {
    /** @type {Promise<unknown>} */
    let late = Promise.resolve();
    const fetch = answering(async ({ body, at }) => {
      if (at === 1) {
        late = context(event());
        await sleep(30);
      }
      return Object.fromEntries(Object.keys(body.questions).map((id) => [id, 0.9]));
    });
    const { context } = await stage(t, { parts: { fetch } });
    await context(event());
    await late;
    assert.equal(fetch.calls.length, RUN);
  });

  test("of two sessions have a run each", async (t) => {
    const { context, jev } = await stage(t, { scores: SCORES, jev: { latency: 30 } });
    await Promise.all([context(event()), context(event({ session: "ses_2" }))]);
    assert.equal(jev.requests.length, 2 * RUN);
  });
});

describe("after a failure", () => {
  test("the same prompt is asked about again", async (t) => {
    const { context, jev } = await stage(t, { scores: SCORES, jev: { status: 500 } });
    await context(event());
    jev.settings.status = undefined;
    const second = event();
    await context(second);
    assert.deepEqual(shown(second).tools, ["desk.add"]);
  });

  test("in phase 2 the answers of phase 1 are not taken for the whole", async (t) => {
    const fetch = answering(({ body, at }) =>
      at === 1 ? raw("Busy", { status: 529 }) : Object.fromEntries(Object.keys(body.questions).map((id) => [id, 0])),
    );
    const { context } = await stage(t, { parts: { fetch } });
    await context(event());
    const second = event();
    await context(second);
    assert.deepEqual(shown(second).skills, []);
  });

  /** @param {TestContext} t @param {number} pause after the failure, of a cooldown of 150 ms */
  async function afterPause(t, pause) {
    const made = await stage(t, { scores: SCORES, jev: { status: FINAL }, options: { failure_cooldown_ms: 150 } });
    await made.context(event());
    made.jev.settings.status = undefined;
    await sleep(pause);
    const second = event({ messages: [userMessage("Something else")] });
    const unchanged = watch(second);
    await made.context(second);
    return { ...made, second, unchanged };
  }

  test("Jev is left alone for `failure_cooldown_ms`", async (t) => {
    const { jev, unchanged } = await afterPause(t, 0);
    assert.equal(jev.requests.length, 1);
    unchanged();
  });

  test("the report says that it is left alone", async (t) => {
    const { reports } = await afterPause(t, 0);
    assert.deepEqual([reports[1].applied, reports[1].skipped], [false, "cooldown"]);
  });

  test("Jev is asked again when `failure_cooldown_ms` is over", async (t) => {
    const { second } = await afterPause(t, 200);
    assert.deepEqual(shown(second).tools, ["desk.add"]);
  });
});
