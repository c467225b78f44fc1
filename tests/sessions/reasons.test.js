/**
 * Every reason that a report may give is given by some scripted request, and no other is ever given: the reasons for
 * which a candidate stays or goes, and those for which a request is left alone. The lists are read from the sources
 * that the README's table is made of.
 */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, describe, test } from "node:test";

import { loadFreshCore } from "../../js-shim/core.js";
import { prune } from "../../js-shim/prune.js";
import { CAPTIONS, DESK, FORMS, LONG, MAPS, NOTES, PILOT } from "./inventory.js";
import { eventOf } from "../plugin/events.js";
import { scriptOf } from "../plugin/scores.js";
import { stage } from "../plugin/stage.js";

/** @import { TestContext } from "node:test" */
/** @import { Scores } from "../plugin/scores.js" */
/** @import { Wishes } from "../plugin/stage.js" */

const source = (/** @type {string} */ file) =>
  readFileSync(new URL(`../../crate/src/${file}`, import.meta.url), "utf8");

/** `AlwaysIncluded = "always_included", "always included";` */
const REASONS = [...source("policy/reason.rs").matchAll(/^ {4}[A-Z]\w+ = "(\w+)", "[^"]+";$/gm)].map(([, name]) =>
  String(name),
);
const SKIPPED = [
  ...(/pub enum Skipped \{([^}]*)\}/.exec(source("report/mod.rs"))?.[1] ?? "").matchAll(/^ {4}(\w+),$/gm),
].map(([, name]) =>
  String(name)
    .replace(/(?!^)[A-Z]/g, (letter) => `_${letter}`)
    .toLowerCase(),
);

/** Everything is asked about, in session scope. */
const OPTIONS = { decision_scope: "session", refill_catalog: true, recovery_hint: true, min_saving_chars: 0 };
const PART = 150;

/** @type {Set<string>} */
const given = new Set();

/**
 * @param {TestContext} t
 * @param {Omit<Wishes, "scores"> & { scores?: Scores }} wishes `scores` can change
 */
async function prepared(t, { options, host, scores = {}, ...wishes }) {
  const staged = await stage(t, {
    servers: [DESK, MAPS],
    skills: [FORMS, CAPTIONS],
    ...wishes,
    jev: { score: (question, state, id) => scriptOf(scores)(question, state, id), ...wishes.jev },
    host: { budget: Infinity, ...host },
    options: { ...OPTIONS, ...options },
  });
  /** Why things stay and go in the last report, by their names. */
  const reasons = () => {
    const report = staged.reports.at(-1);
    const judged = [...report.servers, ...report.tools, ...report.skills];
    for (const { reason } of judged) given.add(reason);
    if (report.skipped) given.add(report.skipped);
    return Object.fromEntries(judged.map(({ name, reason }) => [name, reason]));
  };
  return { ...staged, scores, reasons };
}

/** The reasons of the first prompt. @param {TestContext} t @param {Parameters<typeof prepared>[1]} wishes */
async function reasonsOf(t, wishes) {
  const { host, reasons } = await prepared(t, wishes);
  await host.prompt("Do it");
  return reasons();
}

/**
 * @param {TestContext} t
 * @param {Wishes["options"]} options
 * @param {Omit<Parameters<typeof prepared>[1], "options">} [wishes]
 */
async function skippedFor(t, options, wishes = {}) {
  const { host, reports, reasons } = await prepared(t, { options, ...wishes });
  await host.prompt("Do it");
  reasons();
  return reports.at(-1).skipped;
}

describe("a candidate stays or goes", () => {
  const needed = { servers: { maps: 1 }, tools: { "maps.route": 1 }, skills: { forms: 1 } };

  test("by its score", async (t) => {
    const reasons = await reasonsOf(t, { scores: needed });
    assert.deepEqual(
      ["maps", 'issue "desk"', "maps.route", "maps.near", 'issue "desk".add', "forms", "captions"].map(
        (name) => reasons[name],
      ),
      ["phase1_passed", "phase1_rejected", "passed", "rejected", "server_rejected", "passed", "rejected"],
    );
  });

  test("because a list of the user's says so", async (t) => {
    const options = {
      always_include_servers: ["maps"],
      always_include_tools: ["add"],
      always_include_skills: ["forms"],
    };
    const reasons = await reasonsOf(t, { options });
    assert.deepEqual(
      ["maps", "maps.near", 'issue "desk"', 'issue "desk".add', "forms"].map((name) => reasons[name]),
      ["always_included", "always_included", "has_always_included_tool", "always_included", "always_included"],
    );
  });

  test("as the only server, without a question, and with all its tools", async (t) => {
    const kept = await reasonsOf(t, { servers: [MAPS], scores: needed });
    assert.equal(kept.maps, "server_not_asked");
    assert.equal((await reasonsOf(t, { servers: [MAPS] })).maps, "all_tools_rejected");
  });

  test("without Jev, by the words that it shares with the prompt", async (t) => {
    const { host, reasons } = await prepared(t, { options: { scorer: "lexical", lexical_keep: 1 } });
    await host.prompt("Which route is near?");
    const given = reasons();
    assert.deepEqual([given.maps, given['issue "desk"']], ["shares_words", "shares_few_words"]);
  });

  test("because it is hidden until it is asked for, or was asked for", async (t) => {
    const options = { scorer: "none", discovery: { enabled: true, hide: ["maps"] } };
    const { host, reasons } = await prepared(t, { options, host: { ctx: { registries: true } } });
    await host.prompt("Do it");
    const before = reasons();
    assert.deepEqual([before.maps, before['issue "desk"']], ["on_demand", "not_scored"]);
    await host.callTool("load_tool", { name: "maps.near" });
    await host.prompt("Go on");
    assert.equal(reasons()["maps.near"], "asked_for");
  });

  test("as the best tool of a server that passed", async (t) => {
    const reasons = await reasonsOf(t, { scores: { servers: { maps: 1 }, tools: { "maps.near": 0.2 } } });
    assert.equal(reasons["maps.near"], "best_of_server");
  });

  test("because Jev did not answer", async (t) => {
    const reasons = await reasonsOf(t, { jev: { missing: 1 } });
    assert.equal(reasons.forms, "no_answer");
  });

  test("because the conversation has used it", async (t) => {
    const { host, reasons } = await prepared(t, {});
    host.assistant("", [{ id: "call_1", name: "execute", input: { code: "await tools.maps.route({})" } }]);
    host.toolResult({ id: "call_1", name: "execute", value: "[]" });
    await host.prompt("Do it");
    assert.equal(reasons()["maps.route"], "used_in_conversation");
  });

  test("because it was shown before", async (t) => {
    const { host, reasons, scores } = await prepared(t, { scores: structuredClone(needed) });
    await host.prompt("Do it");
    scores.skills = {};
    await host.prompt("Do that");
    assert.equal(reasons().forms, "shown_before");
  });

  test("from the next prompt on, because the turn has used it and its beginning stays", async (t) => {
    const { host, reasons } = await prepared(t, { scores: needed, host: { basePrompt: LONG } });
    await host.prompt("Do it");
    host.assistant("", [{ id: "call_1", name: "execute", input: { code: "await tools.maps.near({})" } }]);
    host.toolResult({ id: "call_1", name: "execute", value: "[]" });
    await host.step();
    assert.equal(reasons()["maps.near"], "from_next_prompt");
    await host.prompt("Do that");
    assert.equal(reasons()["maps.near"], "used_in_conversation");
  });

  test("for the cache, because its server's tools in the tool map are shown together", async (t) => {
    const host = { basePrompt: LONG, ctx: { mcpList: true } };
    const { host: played, reasons, scores } = await prepared(t, { servers: [MAPS, PILOT], host });
    await played.prompt("Do it");
    scores.servers = { "page-pilot": 1 };
    scores.tools = { "page-pilot.click": 1 };
    await played.prompt("Click on it");
    assert.deepEqual([reasons()["page-pilot.click"], reasons()["page-pilot.type"]], ["passed", "shown_for_cache"]);
  });

  test("because it was hidden before, where nothing may be asked", async (t) => {
    const { host, reasons } = await prepared(t, { scores: needed });
    await host.prompt("Do it");
    await host.generate("Name this session");
    assert.equal(reasons().captions, "hidden_before");
  });

  test("because too much would be hidden", async (t) => {
    const reasons = await reasonsOf(t, { options: { max_pruned_fraction: 0.5 } });
    assert.equal([reasons.forms, reasons.captions].filter((reason) => reason === "pruning_limited").length, 1);
  });

  test("because better ones used up the budget", async (t) => {
    const options = { selection: "budget", budget_fraction: 0.5 };
    const reasons = await reasonsOf(t, { options, scores: { skills: { forms: 0.9, captions: 0.8 } } });
    assert.equal(reasons.captions, "over_budget");
  });

  test("as a tool that the host's sample left out", async (t) => {
    const host = { budget: PART, ctx: { toolList: true } };
    const scores = { servers: { notes: 1 }, tools: { "notes.add": 1, "notes.find": 1 }, otherwise: 0 };
    const reasons = await reasonsOf(t, { servers: [DESK, MAPS, NOTES], host, scores });
    assert.deepEqual([reasons["notes.find"], reasons["notes.drop"]], ["added", "not_listed"]);
  });

  test("as a tool that the host's sample left out and for which there is no room", async (t) => {
    const host = { budget: 60, ctx: { toolList: true } };
    const reasons = await reasonsOf(t, { servers: [NOTES, MAPS], skills: [], host, scores: { otherwise: 1 } });
    assert.equal(reasons["notes.find"], "no_room");
  });
});

describe("a request is left alone", () => {
  test("when it is switched off", async (t) => assert.equal(await skippedFor(t, { mode: "off" }), "off"));

  test("when all of it is too short", async (t) => {
    assert.equal(await skippedFor(t, { min_saving_chars: 100_000 }), "too_small");
  });

  test("when nothing in it could be pruned", async (t) => {
    assert.equal(await skippedFor(t, {}, { servers: [], skills: [] }), "no_candidates");
  });

  test("when a hook of OpenCode 1.18 brings the history alone", async () => {
    const core = await loadFreshCore();
    const { config } = core.resolveOptions({ jev_api_key: "sk-test", history: { enabled: true } }, {});
    const lent = { config, ask: () => assert.fail("nobody is asked"), now: () => 0, hook: "messages" };
    const told = await prune(core, { sessionID: "ses_1", system: [], messages: [], tools: {} }, lent);
    given.add(told.skipped);
    assert.equal(told.skipped, "only_history");
  });

  test("when nobody has asked anything", async (t) => {
    const { host, reports, reasons } = await prepared(t, {});
    host.synthetic("The following shell command was executed by the user");
    await host.step();
    reasons();
    assert.equal(reports.at(-1).skipped, "no_prompt");
  });

  test("after Jev has failed", async (t) => {
    const { host, reports, reasons } = await prepared(t, {
      options: { failure_cooldown_ms: 60_000 },
      jev: { status: 400 },
    });
    await host.prompt("Do it");
    await host.prompt("Do that");
    reasons();
    assert.equal(reports.at(-1).skipped, "cooldown");
  });

  test("when it cannot be changed", async (t) => {
    const { context, reports, reasons } = await prepared(t, {});
    await context(Object.freeze(eventOf({ system: ["Base."] })));
    reasons();
    assert.equal(reports.at(-1).skipped, "sealed");
  });
});

describe("the reasons", () => {
  after(() => given.clear());

  test("that are documented were all given, and no other", () => {
    assert.ok(REASONS.length >= 19 && SKIPPED.length >= 6, `read were ${REASONS} and ${SKIPPED}`);
    assert.deepEqual([...given].sort(), [...REASONS, ...SKIPPED].sort());
  });
});
