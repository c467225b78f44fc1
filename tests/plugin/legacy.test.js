/**
 * The adapter for OpenCode 1.18, called as that host calls it: what it offers, and how it reads what the host stored. What a
 * real host makes of it is in tests/opencode-1.18.
 */

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { loadFreshCore } from "../../js-shim/core.js";
import { server } from "../../js-shim/legacy.js";
import { renderSkillsV1 } from "../mini-host/index.js";

const SKILLS = [{ id: "tea", name: "tea", description: "Brew tea.", location: "/skills/tea/SKILL.md" }];
const SYSTEM = `You help.\n<env>\n  Working directory: /project\n</env>\n${renderSkillsV1(SKILLS)}`;
const EVERYTHING = { discovery: { enabled: true, hide: ["*"] }, history: { enabled: true, tools: { discard: true } } };

const client = { app: { log: async () => {} }, mcp: { status: async () => ({ data: { desk: { status: "connected" } } }) } };

/** @param {object} [options] */
async function started(options) {
  const core = await loadFreshCore();
  /** The events of the lists that came to the core. @type {any[]} */
  const events = [];
  const prune = (/** @type {any} */ snapshot, /** @type {any} */ call) => {
    if (call.hook !== "messages") events.push(structuredClone(snapshot.source.event));
    return core.prune(snapshot, call);
  };
  /** @type {any} */
  const hooks = await server({ client, directory: "/project" }, { scorer: "none", min_saving_chars: 0, ...EVERYTHING, ...options }, { load: () => ({ ...core, prune }), rehearse: false });
  return { hooks, events };
}

/** @param {string} id @param {object[]} parts @param {object} [more] */
const user = (id, parts, more) => ({ info: { id, role: "user", sessionID: "ses_1", ...more }, parts });
const text = (/** @type {string} */ words, more = {}) => ({ type: "text", text: words, ...more });

/** A step as the host makes it; `ask` stands for the building of the request. @param {any} hooks @param {any[]} messages */
async function step(hooks, messages) {
  const output = { messages, system: [SYSTEM] };
  await hooks["experimental.chat.messages.transform"]({}, output);
  await hooks["experimental.chat.system.transform"]({ sessionID: "ses_1" }, output);
  const last = messages.findLast(({ info }) => info.role === "user");
  return { system: String(output.system[0]), isOffered: (/** @type {string} */ name) => last.info.tools?.[name] !== false };
}

describe("it offers", () => {
  test("our tools while it prunes", async () => {
    assert.ok("tool_search" in (await started()).hooks.tool);
  });

  for (const mode of ["off", "shadow"]) {
    test(`none of our tools while the mode is ${mode}`, async () => {
      assert.equal((await started({ mode })).hooks.tool, undefined);
    });
  }

  test("/jev, whatever else is on", async () => {
    const { hooks } = await started({ discovery: { enabled: false }, history: { enabled: false }, scorer: "lexical" });
    /** @type {any} */
    const config = {};
    await hooks.config(config);
    assert.ok("jev" in config.command);
  });
});

describe("a question to the plugin", () => {
  /** @param {any} hooks */
  async function asked(hooks) {
    const output = { parts: [text("status")] };
    await hooks["command.execute.before"]({ command: "jev", sessionID: "ses_1", arguments: "status" }, output);
    return user("msg_2", output.parts);
  }

  test("is no prompt", async () => {
    const { hooks, events } = await started();
    await step(hooks, [user("msg_1", [text("Say hello")]), await asked(hooks)]);
    assert.deepEqual(events[0].messages.map((/** @type {any} */ message) => "metadata" in message), [true, false]);
  });

  test("has the tools that were known when the prompt before it came", async () => {
    const { hooks, events } = await started();
    const prompt = () => user("msg_1", [text("Say hello")]);
    const first = await step(hooks, [prompt()]);
    // The host builds the request, and so tells of a tool.
    first.isOffered("desk_add");
    await step(hooks, [prompt(), await asked(hooks)]);
    await step(hooks, [prompt(), user("msg_3", [text("And now?")])]);
    assert.deepEqual(events.map(({ tools }) => Object.keys(tools)), [[], [], ["desk_add"]]);
  });
});

test("a call of `invalid` is one of the tool that it names", async () => {
  const { hooks, events } = await started();
  const call = { type: "tool", tool: "invalid", callID: "call_1", state: { status: "completed", input: { tool: "desk_add", error: "no such tool" }, output: "x" } };
  await step(hooks, [user("msg_1", [text("Add it")]), { info: { id: "msg_2", role: "assistant", sessionID: "ses_1" }, parts: [call] }]);
  assert.deepEqual(events[0].messages[1].content, [{ type: "tool-call", name: "desk_add" }]);
});

test("a prompt that denies all tools but its own is left as it is", async () => {
  const { hooks, events } = await started();
  const { system } = await step(hooks, [user("msg_1", [text("Only answer")], { tools: { "*": false } })]);
  assert.deepEqual([system, events.length], [SYSTEM, 0]);
});
