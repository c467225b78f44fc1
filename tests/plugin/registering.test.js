/**
 * What the plugin registers, in hosts that take it, refuse it, fail over it, or never answer. Whatever they do, `setup`
 * ends, nothing is thrown into the host, requests are pruned, and what is not there is told in one line.
 */

import assert from "node:assert/strict";
import { homedir } from "node:os";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

import { nativeServer, server, skillList } from "./inventory.js";
import { linesOf } from "./logs.js";
import { folder, stage } from "./stage.js";

/** @import { TestContext } from "node:test" */
/** @import { Wishes } from "./stage.js" */

const NEVER = () => new Promise(() => {});
const OURS = { discovery: { enabled: true }, history: { enabled: true, tools: { discard: true } }, repair_arguments: true };
const NO_KEY = { env: { JEV_API_KEY: "", TYPESAFE_API_KEY: "" } };

/** @param {TestContext} t @param {Wishes} [wishes] */
const registered = (t, { options, host, ...wishes } = {}) =>
  stage(t, {
    servers: [nativeServer("desk", ["add_item"]), server("notes", ["find"])],
    skills: skillList(["tea"]),
    scores: { otherwise: 0.1 },
    ...wishes,
    host: { ctx: { toolList: true, mcpList: true, skillList: true, registries: true, ...host?.ctx } },
    options: { decision_scope: "session", ...options },
  });

/** @param {TestContext} t @param {Wishes} [wishes] */
const inBeta = (t, wishes) => registered(t, { ...wishes, host: { ctx: { toolList: false, mcpList: false, wrapped: true, registries: "beta" } } });

/** @param {any} step */
const isPruned = ({ after }) => !JSON.stringify(after.system).includes("<id>tea</id>");

/** A turn of the event loop, in which events arrive. */
const soon = () => sleep(5);

describe("in the beta before OpenCode 2", () => {
  test("a registry without `add` is one line, and requests are pruned", async (t) => {
    const { host, warned } = await inBeta(t);
    assert.ok(isPruned(await host.prompt("Say hello")));
    assert.deepEqual(warned, [
      "[opencode-jev-pruner] this host does not take the command `/jev` (its registry has no `add`); it is not there",
    ]);
  });

  test("our tools are in the requests and can be called", async (t) => {
    const { host } = await inBeta(t, { options: OURS });
    const { after } = await host.prompt("Say hello");
    for (const name of ["tool_search", "discard"]) assert.ok(name in after.tools, name);
    assert.match((await host.callTool("skill_search", { query: "tea" })).content, /"tea"/);
  });

  test("an answer of our tools has both of its parts", async (t) => {
    const { host } = await inBeta(t, { options: OURS });
    await host.prompt("Say hello");
    const tool = host.registered.tools.get("tool_search");
    assert.deepEqual(tool?.jsonSchema, tool?.input);
    const answer = /** @type {any} */ (await tool?.execute({ query: "item" }, { sessionID: "ses_1" }));
    assert.deepEqual(Object.keys(answer), ["structured", "content"]);
    assert.deepEqual(answer.content.map((/** @type {any} */ part) => part.type), ["text"]);
  });

  test("a relative debug log lies in the folder that stands beside the host's lists", async (t) => {
    const directory = folder(t);
    const { host } = await inBeta(t, { directory, options: { debug_log_file: "log.jsonl" } });
    await host.prompt("Say hello");
    const [first] = await linesOf(join(directory, "log.jsonl"), 2);
    assert.equal(first.event, "setup");
  });
});

describe("the folder of a relative debug log", () => {
  /** A host that names none but in what it says of a session. @param {any} session */
  const silent = (session) => (/** @type {any} */ { skill, location, ...ctx }) => ({ ...ctx, session: { ...ctx.session, get: async () => session } });

  test("is that of the first request's session, where nothing else names one", async (t) => {
    const directory = folder(t);
    const { host } = await registered(t, { ctx: silent({ data: { location: { directory } } }), options: { debug_log_file: "log.jsonl" } });
    await host.prompt("Say hello");
    assert.equal((await linesOf(join(directory, "log.jsonl"), 2))[0].event, "setup");
  });

  test("is not the home, where nothing names one", async (t) => {
    const { host, warned } = await registered(t, { ctx: silent(undefined), options: { debug_log_file: "no-such-log.jsonl" } });
    await host.prompt("Say hello");
    const path = join(String(process.env.XDG_STATE_HOME), "opencode-jev-pruner", "no-such-log.jsonl");
    assert.equal((await linesOf(path, 2))[0].event, "setup");
    assert.match(warned.join("\n"), /names no project folder/);
    assert.ok(!existsSync(join(homedir(), "no-such-log.jsonl")));
  });
});

describe("a host that throws", () => {
  test("when something is added keeps none of it, and hides nothing that only our tools would find", async (t) => {
    /** @type {string[]} */
    const kept = [];
    let throws = false;
    const editor = {
      add: ({ name = "" }) => (name === "load_tool" ? assert.fail("no more") : void kept.push(name)),
      remove: (/** @type {string} */ name) => void kept.splice(kept.indexOf(name), 1),
    };
    const transform = async (/** @type {(editor: object) => void} */ run) => {
      try {
        run(editor);
      } catch {
        throws = true;
      }
    };
    const ctx = (/** @type {any} */ given) => ({ ...given, tool: { ...given.tool, transform } });
    const options = { scorer: "none", discovery: { enabled: true, hide: ["*"] } };
    const { host, warned } = await registered(t, { ctx, options });
    assert.deepEqual([kept, throws], [[], false]);
    assert.ok(!isPruned(await host.prompt("Say hello")));
    assert.match(warned.join("\n"), /takes no tools of plugins \(no more\)/);
  });

  test("at one hook has the others", async (t) => {
    const ctx = (/** @type {any} */ given) => {
      const hook = (/** @type {string} */ name, /** @type {unknown[]} */ ...rest) =>
        name === "prompt" ? assert.fail("unknown hook") : given.session.hook(name, ...rest);
      return { ...given, session: { ...given.session, hook } };
    };
    const { host, warned } = await registered(t, { ctx });
    assert.ok(isPruned(await host.prompt("Say hello")));
    assert.deepEqual(warned, []);
  });

  test("when it reads its storage still answers /jev", async (t) => {
    const storage = { get: () => assert.fail("broken"), set: async () => {} };
    const { host } = await registered(t, { ctx: (given) => ({ ...given, storage }), options: OURS });
    await host.prompt("Say hello");
    await host.command("jev", "stats");
    assert.match(String(host.registered.notices.at(-1)?.text), /^This session: /);
  });
});

test("a registry that runs its callbacks again has everything once", async (t) => {
  /** @type {((editor: object) => void)[]} */
  const callbacks = [];
  const transform = async (/** @type {(editor: object) => void} */ run) => void callbacks.push(run);
  await registered(t, { ctx: (given) => ({ ...given, command: { transform } }) });
  for (const _ of ["at the start", "at a reload"]) {
    /** @type {string[]} */
    const added = [];
    for (const run of callbacks) run({ add: ({ name = "" }) => void added.push(name) });
    assert.deepEqual(added, ["jev"]);
  }
});

test("setup ends, and requests are pruned, though every registry and every hook but one hangs", async (t) => {
  const ctx = (/** @type {any} */ given) => {
    const hook = (/** @type {string} */ name, /** @type {unknown[]} */ ...rest) => {
      void given.session.hook(name, ...rest);
      return NEVER();
    };
    return { ...given, session: { ...given.session, hook }, tool: { transform: NEVER, hook: NEVER }, command: { transform: NEVER } };
  };
  const since = Date.now();
  const { host, warned } = await registered(t, { ctx, options: OURS });
  assert.ok(Date.now() - since < 4_000, `${Date.now() - since} ms`);
  assert.ok(isPruned(await host.prompt("Say hello")));
  for (const what of [/tools `discard`/, /tools of plugins/, /hooks on tools/, /command `\/jev`/]) assert.match(warned.join("\n"), what);
});

test("/jev answers though the host's storage hangs", async (t) => {
  const { host } = await registered(t, { ctx: (given) => ({ ...given, storage: { get: NEVER, set: NEVER } }), options: OURS });
  await host.prompt("Say hello");
  await host.command("jev", "status");
  assert.match(String(host.registered.notices.at(-1)?.text), /^health: /);
});

describe("when a request fails", () => {
  const ERROR = { type: "unknown", message: "the schema of tool_search cannot be read" };
  const failure = { sessionID: "ses_1", error: ERROR };

  /** @param {TestContext} t */
  async function watched(t) {
    let disposed = 0;
    const ctx = (/** @type {any} */ given) => ({
      ...given,
      tool: {
        ...given.tool,
        transform: async (/** @type {(editor: object) => void} */ run) => {
          await given.tool.transform(run);
          return { dispose: async () => void (disposed += 1) };
        },
      },
    });
    const made = await registered(t, { ctx, options: { scorer: "none", ...OURS, discovery: { enabled: true, hide: ["*"] } } });
    return { ...made, disposed: () => disposed };
  }

  test("before the first came to the plugin, its tools are taken back, and it goes on without", async (t) => {
    const { host, warned, disposed } = await watched(t);
    host.emit("session.execution.failed", failure);
    await soon();
    assert.equal(disposed(), 2);
    assert.match(String(host.registered.notices.at(-1)?.text), /they are taken back/);
    assert.match(warned.join("\n"), /discard, .*tool_search.* \(the schema of tool_search cannot be read\); they are taken back/);
    assert.ok(!isPruned(await host.prompt("Say hello")), "what only they would find is shown");
  });

  test("since a provider cannot be reached, they stay", async (t) => {
    const { host, disposed } = await watched(t);
    host.emit("session.execution.failed", { ...failure, error: { type: "provider.no-route", message: "no model" } });
    await soon();
    assert.equal(disposed(), 0);
  });

  test("after one came to the plugin, they stay", async (t) => {
    const { host, disposed } = await watched(t);
    await host.prompt("Say hello");
    host.emit("session.execution.failed", failure);
    await soon();
    assert.equal(disposed(), 0);
  });
});

describe("nothing of ours is in the requests", () => {
  for (const mode of ["off", "shadow"]) {
    test(`while the mode is ${mode}, though everything is on`, async (t) => {
      const { host } = await registered(t, { options: { ...OURS, mode } });
      const { before, after } = await host.prompt("Say hello");
      assert.deepEqual(after, before);
      assert.equal(host.registered.tools.size, 0);
      const given = { is_open: "true" };
      assert.equal((await host.callTool("desk_add_item", given)).input, given);
    });
  }
});

describe("an agent that may not use our tools", () => {
  const options = { scorer: "none", discovery: { enabled: true, hide: ["*"] } };

  test("is not told of them, and sees what only they would find", async (t) => {
    const { host } = await registered(t, { options });
    for (const name of [...host.registered.tools.keys()]) host.registered.tools.delete(name);
    const { before, after } = await host.prompt("Say hello");
    assert.deepEqual(after, before);
  });

  test("changes nothing for the one who may", async (t) => {
    const { host } = await registered(t, { options });
    const first = await host.prompt("Say hello");
    const tools = [...host.registered.tools];
    for (const [name] of tools) host.registered.tools.delete(name);
    await host.prompt("Plan it");
    for (const [name, tool] of tools) host.registered.tools.set(name, tool);
    const { after } = await host.prompt("Do it");
    assert.deepEqual([after.system, Object.keys(after.tools)], [first.after.system, Object.keys(first.after.tools)]);
  });
});

describe("without a key", () => {
  test("a notice says so after the first turn, once", async (t) => {
    const { host } = await registered(t, { ...NO_KEY, options: { jev_api_key: undefined } });
    await host.prompt("Say hello");
    assert.deepEqual(host.registered.notices, []);
    host.emit("session.execution.succeeded", { sessionID: "ses_1" });
    host.emit("session.execution.succeeded", { sessionID: "ses_1" });
    await soon();
    assert.deepEqual(host.registered.notices.map(({ text, description }) => [/no key for Jev.*JEV_API_KEY/.test(text), description === text]), [[true, true]]);
  });

  test("/jev status says that the plugin is disabled, and why", async (t) => {
    const { host } = await registered(t, { ...NO_KEY, options: { jev_api_key: undefined } });
    await host.command("jev", "status");
    assert.match(String(host.registered.notices.at(-1)?.text), /^health: disabled\nreason: no key for Jev/);
  });

  test("/jev status says that only the history is pruned, where that is on", async (t) => {
    const { host } = await registered(t, { ...NO_KEY, options: { jev_api_key: undefined, history: { enabled: true } } });
    await host.command("jev", "status");
    assert.match(String(host.registered.notices.at(-1)?.text), /^health: degraded\nreason: no key for Jev.*only the history is pruned/);
  });
});

test("/jev status tells what was amiss, since not everybody sees stderr", async (t) => {
  const { host } = await registered(t, { options: { no_such_option: 1 } });
  await host.command("jev", "status");
  assert.match(String(host.registered.notices.at(-1)?.text), /^warnings:\n {2}warning: option `no_such_option` is unknown/m);
});

describe("with `debug_mode`", () => {
  test("a report is on stderr, and every one in a file that /jev status names", async (t) => {
    const { host, printed, warned } = await registered(t, { options: { debug_mode: true } });
    await host.prompt("Say hello");
    assert.match(printed.join("\n"), /^\[opencode-jev-pruner\] \d+ms/);
    await host.command("jev", "status");
    const [, path = ""] = /^debug_log: (.*)$/m.exec(String(host.registered.notices.at(-1)?.text)) ?? [];
    assert.equal(path, join(String(process.env.XDG_STATE_HOME), "opencode-jev-pruner", "debug.jsonl"));
    assert.deepEqual(warned, []);
    assert.ok((await linesOf(path, 2)).some(({ event }) => event === "report"));
  });

  test("the file is the one that was named", async (t) => {
    const file = join(folder(t), "log.jsonl");
    const { host } = await registered(t, { options: { debug_mode: true, debug_log_file: file } });
    await host.prompt("Say hello");
    await host.command("jev", "status");
    assert.match(String(host.registered.notices.at(-1)?.text), new RegExp(`^debug_log: ${file}$`, "m"));
  });
});
