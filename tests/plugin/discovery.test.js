/**
 * Finding on demand: what the model is given for it, what it finds, and that what it found is there from then on. How
 * well a search ranks is told in crate/src/search and measured by `npm run bench:search`.
 */

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { join } from "node:path";

import { loadFreshCore } from "../../js-shim/core.js";
import { nativeServer, server, skillList } from "./inventory.js";
import { linesOf } from "./logs.js";
import { folder, stage } from "./stage.js";
import { brokenCore, trap } from "./traps.js";

/** @import { TestContext } from "node:test" */
/** @import { Wishes } from "./stage.js" */

const DESK = nativeServer("desk", ["add_item", "drop_item"]);
const MAPS = nativeServer("maps", ["plan_route", "find_place"]);
const NOTES = server("notes", ["find_note"]);
const SKILLS = skillList(["tea", "knots"]);
const NOTHING_NEEDED = { otherwise: 0.1 };
const SESSION = { decision_scope: "session" };

/** @param {TestContext} t @param {Wishes} [wishes] */
const found = (t, { options, host, ...wishes } = {}) =>
  stage(t, {
    servers: [DESK, MAPS, NOTES],
    skills: SKILLS,
    scores: NOTHING_NEEDED,
    ...wishes,
    host: { ...host, ctx: { toolList: true, mcpList: true, skillList: true, registries: true, ...host?.ctx } },
    options: { ...SESSION, ...options, discovery: { enabled: true, .../** @type {object} */ (options?.discovery) } },
  });

/** @param {{ content: string }} run */
const answerOf = ({ content }) => JSON.parse(content);

/** @param {{ after: { tools: object } }} step */
const toolsOf = ({ after }) => Object.keys(after.tools);

/** @param {{ after: object }} step */
const allTextOf = ({ after }) => JSON.stringify(after);

/** @param {{ after: { system: { text: string }[] } }} step */
const systemOf = ({ after }) => after.system.map(({ text }) => text).join("\n");

describe("a hidden native tool", () => {
  test("is found, shown in the next step, called, and still shown two prompts later", async (t) => {
    const { host, warned } = await found(t);
    const first = await host.prompt("Say hello");
    assert.ok(!toolsOf(first).includes("maps_plan_route"));

    const answer = answerOf(await host.callTool("tool_search", { query: "plan a route" }));
    assert.equal(answer.tools[0].id, "maps_plan_route");
    assert.equal(answer.tools[0].call, "`maps_plan_route`, from your next step on");

    assert.ok(toolsOf(await host.step()).includes("maps_plan_route"));
    assert.equal((await host.callTool("maps_plan_route")).content, "maps_plan_route was run");
    await host.step();
    await host.prompt("Thank you");
    assert.ok(toolsOf(await host.prompt("And goodbye")).includes("maps_plan_route"));
    assert.deepEqual(host.violations, []);
    assert.deepEqual(warned, []);
  });

  test("stays shown though each prompt is decided alone", async (t) => {
    const { host } = await found(t, { options: { decision_scope: "prompt" } });
    await host.prompt("Say hello");
    await host.callTool("load_tool", { name: "plan_route" });
    assert.ok(toolsOf(await host.step()).includes("maps_plan_route"));
    const next = await host.prompt("Thank you");
    assert.ok(toolsOf(next).includes("maps_plan_route"));
    assert.ok(!toolsOf(next).includes("maps_find_place"));
  });

  test("is hidden again after a compaction, and in another session", async (t) => {
    const { host } = await found(t);
    await host.prompt("Say hello");
    await host.callTool("load_tool", { name: "plan_route" });
    assert.ok(toolsOf(await host.step()).includes("maps_plan_route"));
    host.sessionID = "ses_2";
    assert.ok(!toolsOf(await host.prompt("Hello")).includes("maps_plan_route"));
    host.sessionID = "ses_1";
    host.compact();
    await new Promise((resolve) => setImmediate(resolve));
    assert.ok(!toolsOf(await host.prompt("Go on")).includes("maps_plan_route"));
  });

  test("tells in the report that it was asked for", async (t) => {
    const { host, reports } = await found(t);
    await host.prompt("Say hello");
    await host.callTool("load_tool", { name: "plan_route" });
    await host.step();
    const judged = reports.at(-1).tools.find((/** @type {any} */ tool) => tool.name === "maps.plan_route");
    assert.equal(judged.reason, "asked_for");
  });
});

describe("what a search finds", () => {
  test("holds the whole schema of the host and how to call a tool of Code Mode", async (t) => {
    const { host } = await found(t);
    await host.prompt("Say hello");
    const [tool] = answerOf(await host.callTool("tool_search", { query: "find note" })).tools;
    assert.equal(tool.call, "tools.notes.find_note({...}) inside `execute`");
    assert.deepEqual(tool.input_schema, NOTES.tools[0]?.inputSchema ?? { type: "object" });
  });

  test("follows the host's list when it changes", async (t) => {
    const { host } = await found(t);
    await host.prompt("Say hello");
    assert.deepEqual(answerOf(await host.callTool("tool_search", { query: "weather" })).tools, []);
    host.servers = [...host.servers, server("sky", ["weather"])];
    assert.equal(answerOf(await host.callTool("tool_search", { query: "weather" })).tools[0].id, "sky_weather");
  });

  test("comes from the request where the host lists nothing", async (t) => {
    const { host } = await found(t, { host: { ctx: { toolList: false, skillList: false } } });
    await host.prompt("Say hello");
    assert.equal(answerOf(await host.callTool("tool_search", { query: "plan route" })).tools[0].id, "maps_plan_route");
    assert.equal(answerOf(await host.callTool("skill_search", { query: "tea" })).skills[0].id, "tea");
  });

  test("is a skill that the next prompt's requests tell of", async (t) => {
    const { host } = await found(t);
    assert.doesNotMatch(systemOf(await host.prompt("Say hello")), /<id>knots<\/id>/);
    assert.equal(answerOf(await host.callTool("skill_search", { query: "knots" })).skills[0].id, "knots");
    assert.match(allTextOf(await host.prompt("Go on")), /<id>knots<\/id>/);
  });

  test("is never a tool of the host or of the plugin", async (t) => {
    const { host } = await found(t);
    await host.prompt("Say hello");
    const { servers } = answerOf(await host.callTool("load_tool", { name: "__list__" }));
    assert.deepEqual(Object.keys(servers), ["desk", "maps", "notes"]);
  });
});

describe("without a key", () => {
  const env = { JEV_API_KEY: "", TYPESAFE_API_KEY: "" };
  const NO_KEY = { jev_api_key: undefined };

  test("`lexical` keeps the servers that share most words with the prompt, and asks nobody", async (t) => {
    const { host, asked, warned } = await found(t, { env, options: { ...NO_KEY, scorer: "lexical", lexical_keep: 1 } });
    const step = await host.prompt("Plan a route to the harbour");
    assert.deepEqual(
      toolsOf(step).filter((name) => /^(desk|maps)_/.test(name)),
      ["maps_find_place", "maps_plan_route"],
    );
    assert.deepEqual(asked(), []);
    assert.deepEqual(warned, []);
  });

  test("`none` hides what is to be hidden and nothing else", async (t) => {
    const options = { ...NO_KEY, scorer: "none", discovery: { hide: ["maps", "re:^te"], keep: ["maps.find*"] } };
    const { host, asked } = await found(t, { env, options });
    const step = await host.prompt("Say hello");
    assert.deepEqual(
      toolsOf(step).filter((name) => /^(desk|maps)_/.test(name)),
      ["desk_add_item", "desk_drop_item", "maps_find_place"],
    );
    assert.match(systemOf(step), /<id>knots<\/id>/);
    assert.doesNotMatch(systemOf(step), /<id>tea<\/id>/);
    await host.callTool("load_tool", { name: "plan_route" });
    assert.ok(toolsOf(await host.step()).includes("maps_plan_route"));
    assert.deepEqual(asked(), []);
  });

  test("Jev as the scorer leaves the plugin disabled", async (t) => {
    const { host, warned } = await found(t, { env, options: NO_KEY });
    const { before, after } = await host.prompt("Say hello");
    assert.deepEqual(after, before);
    assert.equal(host.registered.tools.size, 0);
    assert.match(warned.join("\n"), /no key for Jev/);
  });
});

describe("the model is told", () => {
  test("by one constant line that lists are shortened, and by no line when nothing is", async (t) => {
    const { host } = await found(t);
    const [first, second] = [await host.prompt("Say hello"), await host.prompt("Again")];
    const line = "2 lists are shortened here, of tools and of skills: `tool_search` and `skill_search` find the rest.";
    for (const { after } of [first, second]) assert.equal(after.system.at(-1)?.text, line);
    const all = await found(t, { scores: { otherwise: 0.9 } });
    const { before, after } = await all.host.prompt("Say hello");
    assert.deepEqual(after, before);
  });

  test("not by that line if it is not wanted", async (t) => {
    const { host } = await found(t, { options: { discovery: { system_hint: false } } });
    assert.doesNotMatch(systemOf(await host.prompt("Say hello")), /tool_search/);
  });

  test("by the description of load_tool what is hidden, if that is wanted", async (t) => {
    const { host } = await found(t, { options: { discovery: { pointer_list: true } } });
    const first = await host.prompt("Say hello");
    const { description } = /** @type {any} */ (first.after.tools.load_tool);
    assert.match(description, /Not shown now:\ndesk: add_item, drop_item\nmaps: find_place, plan_route\nnotes: find_note$/);
    assert.equal(/** @type {any} */ ((await host.prompt("Again")).after.tools.load_tool).description, description);
    await host.callTool("load_tool", { name: "plan_route" });
    assert.doesNotMatch(/** @type {any} */ ((await host.step()).after.tools.load_tool).description, /plan_route/);
    assert.deepEqual(host.violations, []);
  });
});

describe("a host", () => {
  test("that takes no tools hides nothing that only a search would find", async (t) => {
    const options = { scorer: "none", discovery: { hide: ["*"] } };
    const { host, warned } = await found(t, { host: { ctx: { registries: false } }, options });
    const { before, after } = await host.prompt("Say hello");
    assert.deepEqual(after, before);
    assert.match(warned.join("\n"), /takes no tools of plugins/);
  });

  test("is offered nothing while discovery is off", async (t) => {
    const { host } = await found(t, { options: { discovery: { enabled: false } } });
    await host.prompt("Say hello");
    assert.equal(host.registered.tools.size, 0);
  });
});

test("a search goes on after the module trapped", async (t) => {
  const load = brokenCore(await loadFreshCore(), { callTool: trap });
  const { host } = await found(t, { parts: { load: () => load } });
  await host.prompt("Say hello");
  assert.match((await host.callTool("tool_search", { query: "route" })).content, /does not work now/);
  assert.equal(answerOf(await host.callTool("tool_search", { query: "plan route" })).tools[0].id, "maps_plan_route");
});

describe("arguments of a call", () => {
  const inputSchema = { type: "object", properties: { isOpen: { type: "boolean" }, title: { type: "string" } } };
  const TYPED = { ...DESK, tools: [{ name: "add_item", description: "Add an item.", inputSchema }] };
  const wishes = { servers: [TYPED], scores: { otherwise: 0.9 } };

  test("are mended before the tool runs, counted and logged", async (t) => {
    const directory = folder(t);
    const options = { repair_arguments: true, debug_log_file: "log.jsonl" };
    const { host, reports } = await found(t, { ...wishes, options, directory });
    await host.prompt("Say hello");
    const { input } = await host.callTool("desk_add_item", { is_open: "true", title: "1" });
    assert.deepEqual(input, { title: "1", isOpen: true });
    await host.step();
    assert.equal(reports.at(-1).stats.arguments_repaired, 2);
    await host.step();
    assert.equal(reports.at(-1).stats.arguments_repaired, 0);
    const lines = await linesOf(join(directory, "log.jsonl"), 4);
    const logged = lines.find(({ event }) => event === "repaired");
    assert.deepEqual([logged.tool, logged.arguments], ["desk_add_item", ["isOpen", "isOpen"]]);
  });

  test("are the very same if nothing is to be mended, and while the option is off", async (t) => {
    for (const options of [{ repair_arguments: true }, {}]) {
      const { host } = await found(t, { ...wishes, options });
      await host.prompt("Say hello");
      const given = options.repair_arguments ? { isOpen: true } : { isOpen: "true" };
      assert.equal((await host.callTool("desk_add_item", given)).input, given);
    }
  });
});
