/**
 * Which tools of the request's tool map belong to an MCP server, so that they may go, and which never do. The host's lists
 * and names are those of opencode-host.md §3.2, §4.5 and §9.
 */

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { HOST_TOOLS, renderInstructions } from "../mini-host/index.js";
import { eventOf, userMessage, watch } from "./events.js";
import { nativeServer, server, skillList } from "./inventory.js";
import { subjects } from "./scores.js";
import { stage } from "./stage.js";

/** @import { TestContext } from "node:test" */
/** @import { Wishes } from "./stage.js" */

/** Says nothing to the model, so that only a list of the host's tells of it. */
const PILOT = nativeServer("page-pilot", ["click", "close"]);
const DESK = nativeServer("desk", ["add", "drop"], { instructions: "Items." });
const NOTES = server("notes", ["find"]);
const HOST_NAMES = [...HOST_TOOLS.map(({ name }) => name), "execute"];

/** The tools that are left of those that are not the host's own. @param {TestContext} t @param {Wishes} wishes */
async function left(t, wishes) {
  const { host, ...made } = await stage(t, wishes);
  const { after } = await host.prompt("Go on");
  return { ...made, host, tools: Object.keys(after.tools).filter((name) => !HOST_NAMES.includes(name)) };
}

describe("with the host's list of tools", () => {
  for (const wrapped of [false, true]) {
    for (const mcpList of [false, true]) {
      const how = `${wrapped ? "wrapped" : "bare"}, ${mcpList ? "with" : "without"} its list of servers`;

      test(`tools of MCP servers go: ${how}`, async (t) => {
        const host = { ctx: { toolList: true, mcpList, wrapped } };
        const { tools } = await left(t, { servers: [PILOT, DESK, NOTES], host, scores: { servers: { notes: 1 } } });
        assert.deepEqual(tools, []);
      });
    }
  }

  test("a kept tool stays, at its place among the others", async (t) => {
    const scores = { servers: { "page-pilot": 1 }, tools: { "page-pilot.close": 1 } };
    const { host, events } = await stage(t, { servers: [PILOT, DESK], host: { ctx: { toolList: true } }, scores });
    const { before, after } = await host.prompt("Go on");
    const gone = ["page-pilot_click", "desk_add", "desk_drop"];
    assert.deepEqual(
      Object.keys(after.tools),
      Object.keys(before.tools).filter((name) => !gone.includes(name)),
    );
    assert.equal(Object.keys(events[0].tools).at(-1), "execute");
  });

  test("a tool of no namespace is nobody's", async (t) => {
    const custom = { name: "desk_custom", description: "A plugin's own.", input: { type: "object" } };
    const { tools } = await left(t, {
      servers: [DESK, NOTES],
      host: { ctx: { toolList: true }, hostTools: [...HOST_TOOLS, custom] },
    });
    assert.deepEqual(tools, ["desk_custom"]);
  });

  test("a namespace that is no MCP server keeps its tools", async (t) => {
    const tool = (/** @type {string} */ id, /** @type {string} */ namespace) => ({
      id,
      options: { namespace, codemode: false },
    });
    const { context } = await stage(t, {
      ctx: (ctx) => ({
        ...ctx,
        tool: { list: async () => [tool("desk_add", "desk"), tool("plugin_run", "plugin")] },
        mcp: { list: async () => [{ name: "desk", status: "connected" }] },
      }),
    });
    const event = eventOf({ tools: { desk_add: definition(), plugin_run: definition() } });
    await context(event);
    assert.deepEqual(Object.keys(event.tools), ["plugin_run", "execute"]);
  });

  test("a name that two servers could have made belongs to whom the list says", async (t) => {
    const { context, asked } = await stage(t, {
      scores: { otherwise: 1 },
      ctx: (ctx) => ({
        ...ctx,
        tool: {
          list: async () => [
            { id: "a_b_c", options: { namespace: "a" } },
            { id: "a_b_d", options: { namespace: "a_b" } },
          ],
        },
      }),
    });
    await context(eventOf({ tools: { a_b_c: definition(), a_b_d: definition() } }));
    assert.deepEqual(subjects(asked()[1]).sort(), ["tool a.b_c", "tool a_b.d"]);
  });

  test("which is empty during setup, is read in the hook", async (t) => {
    let ready = false;
    const { context } = await stage(t, {
      ctx: (ctx) => ({
        ...ctx,
        tool: { list: async () => (ready ? [{ id: "desk_add", options: { namespace: "desk" } }] : []) },
      }),
    });
    ready = true;
    const event = eventOf({ tools: { desk_add: definition() } });
    await context(event);
    assert.deepEqual(Object.keys(event.tools), ["execute"]);
  });

  test("is read once for all steps that offer the same", async (t) => {
    let reads = 0;
    const { host } = await stage(t, {
      servers: [DESK, NOTES],
      ctx: (ctx) => ({
        ...ctx,
        tool: { list: async () => (reads++, [{ id: "desk_add", options: { namespace: "desk" } }]) },
      }),
    });
    await host.prompt("Go on");
    host.assistant("I go on.");
    await host.step();
    assert.equal(reads, 1);
  });

  test("is read again when the request has other tools", async (t) => {
    const servers = [DESK];
    const { host } = await stage(t, { servers, host: { ctx: { toolList: true } } });
    await host.prompt("Go on");
    host.servers = [DESK, PILOT];
    const { after } = await host.prompt("Go on, with more");
    assert.deepEqual(
      Object.keys(after.tools).filter((name) => !HOST_NAMES.includes(name)),
      [],
    );
  });
});

describe("without a list of tools", () => {
  test("names of servers in the texts tell whose a tool is", async (t) => {
    const { tools } = await left(t, { servers: [DESK, NOTES] });
    assert.deepEqual(tools, []);
  });

  test("a server that no text names keeps its tools", async (t) => {
    const { tools } = await left(t, { servers: [PILOT, NOTES] });
    assert.deepEqual(tools, ["page-pilot_click", "page-pilot_close"]);
  });

  test("the host's list of servers tells whose a tool is", async (t) => {
    const { tools } = await left(t, { servers: [PILOT, NOTES], host: { ctx: { mcpList: true } } });
    assert.deepEqual(tools, []);
  });

  test("a raw name is matched by its sanitised form", async (t) => {
    const odd = nativeServer('odd "srv".x', ["list all"], { instructions: "Odd." });
    const { tools } = await left(t, { servers: [odd, NOTES] });
    assert.deepEqual(tools, []);
  });

  test("the longest name wins", async (t) => {
    const servers = [
      nativeServer("a", ["x"], { instructions: "A." }),
      nativeServer("a_b", ["c"], { instructions: "B." }),
    ];
    const { asked } = await left(t, { servers, scores: { otherwise: 1 } });
    assert.deepEqual(subjects(asked()[1]).sort(), ["tool a.x", "tool a_b.c"]);
  });

  for (const [what, list] of /** @type {[string, () => unknown][]} */ ([
    [
      "throws",
      () => {
        throw new Error("not today");
      },
    ],
    ["rejects", () => Promise.reject(new Error("not today"))],
    ["gives nothing", () => undefined],
    ["gives no list", () => ({ data: "none" })],
  ])) {
    test(`texts tell whose a tool is when every list ${what}`, async (t) => {
      const { tools } = await left(t, {
        servers: [DESK, NOTES],
        ctx: (ctx) => ({ ...ctx, tool: { list }, mcp: { list } }),
      });
      assert.deepEqual(tools, []);
    });
  }

  test("texts tell whose a tool is when every list hangs", async (t) => {
    const hanging = () => new Promise(() => {});
    const { tools } = await left(t, {
      servers: [DESK, NOTES],
      options: { jev_timeout_ms: 200 },
      ctx: (ctx) => ({ ...ctx, tool: { list: hanging }, mcp: { list: hanging } }),
    });
    assert.deepEqual(tools, []);
  });

  test("texts tell whose a tool is when the list cannot even be looked at", async (t) => {
    const owner = {
      get list() {
        throw new Error("not here");
      },
    };
    const { tools } = await left(t, { servers: [DESK, NOTES], ctx: (ctx) => ({ ...ctx, tool: owner }) });
    assert.deepEqual(tools, []);
  });

  test("a host that offers no lists at all is served", async (t) => {
    const { tools } = await left(t, { servers: [DESK, NOTES], ctx: ({ options, session }) => ({ options, session }) });
    assert.deepEqual(tools, []);
  });
});

describe("a list with odd entries", () => {
  const odd = [null, 5, {}, { id: 7 }, { id: "x", options: null }, { id: "y", options: { namespace: 7 } }];

  test("is good for its other entries", async (t) => {
    const { context } = await stage(t, {
      ctx: (ctx) => ({
        ...ctx,
        tool: { list: async () => [...odd, { id: "desk_add", options: { namespace: "desk" } }] },
        mcp: { list: async () => [null, 5, {}, { name: 7 }, { name: "desk" }] },
      }),
    });
    const event = eventOf({ tools: { desk_add: definition() } });
    await context(event);
    assert.deepEqual(Object.keys(event.tools), ["execute"]);
  });
});

describe("the host's own tools are never candidates", () => {
  // Of opencode-host.md §9, among them names that a server could have made.
  const OWN = [
    "read",
    "glob",
    "grep",
    "edit",
    "write",
    "patch",
    "shell",
    "webfetch",
    "websearch",
    "question",
    "skill",
    "subagent",
  ];
  const OLDER = ["apply_patch", "plan_exit"];

  test("by the host's list", async (t) => {
    const { asked, tools, host } = await left(t, {
      servers: [DESK, NOTES],
      host: { ctx: { toolList: true, mcpList: true } },
    });
    const names = asked()
      .flatMap(subjects)
      .map((subject) => subject.split(".").at(-1) ?? "");
    assert.deepEqual([tools, names.filter((name) => HOST_NAMES.includes(name))], [[], []]);
    assert.deepEqual(
      Object.keys((await host.step()).after.tools),
      [...HOST_NAMES.slice(0, -1)].sort().concat("execute"),
    );
  });

  for (const name of [...OWN, ...OLDER]) {
    const [owner = ""] = name.split("_");

    test(`${name}, even when a server is called ${owner}`, async (t) => {
      const { context } = await stage(t);
      const servers = [
        nativeServer(owner, ["x"], { instructions: "A." }),
        nativeServer("other", ["y"], { instructions: "B." }),
      ];
      const event = eventOf({ system: [String(renderInstructions(servers))], tools: { [name]: definition() } });
      await context(event);
      assert.deepEqual(Object.keys(event.tools), [name, "execute"]);
    });
  }

  test("execute, even when a server is called so", async (t) => {
    const { host } = await stage(t, { servers: [server("execute", ["x"]), nativeServer("exe", ["cute"]), NOTES] });
    const { after } = await host.prompt("Go on");
    assert.ok("execute" in after.tools);
  });
});

describe("a native tool that the conversation has used", () => {
  const scores = { servers: { notes: 1 } };
  const wishes = { servers: [DESK, NOTES], host: { ctx: { toolList: true } }, scores };

  test("is never deleted", async (t) => {
    const { host } = await stage(t, wishes);
    await host.prompt("Go on");
    host.assistant("", [{ id: "1", name: "desk_add" }]);
    host.toolResult({ id: "1", name: "desk_add", value: "done" });
    const { after } = await host.prompt("And now?");
    assert.deepEqual(["desk_add" in after.tools, "desk_drop" in after.tools], [true, false]);
  });

  test("is not deleted in the very turn that used it", async (t) => {
    const { host } = await stage(t, {
      ...wishes,
      scores: { tools: { "desk.add": 1 }, servers: { desk: 1, notes: 1 } },
    });
    await host.prompt("Go on");
    host.assistant("", [{ id: "1", name: "desk_add" }]);
    host.toolResult({ id: "1", name: "desk_add", value: "done" });
    assert.ok("desk_add" in (await host.step()).after.tools);
  });

  test("is not deleted when only its call or only its result is left", async (t) => {
    for (const content of [
      { type: "tool-call", id: "1", name: "desk_add", input: {} },
      { type: "tool-result", id: "1", name: "desk_add", result: { type: "text", value: "x" } },
    ]) {
      const { context } = await stage(t);
      const role = content.type === "tool-call" ? "assistant" : "tool";
      const event = eventOf({
        system: [String(renderInstructions([DESK, nativeServer("other", ["y"], { instructions: "B." })]))],
        messages: [{ role, content: [content] }, userMessage("Go on")],
        tools: { desk_add: definition(), desk_drop: definition() },
      });
      await context(event);
      assert.deepEqual(Object.keys(event.tools), ["desk_add", "execute"]);
    }
  });

  test("keeps its server's instructions", async (t) => {
    const { host } = await stage(t, wishes);
    await host.prompt("Go on");
    host.assistant("", [{ id: "1", name: "desk_add" }]);
    const { after } = await host.prompt("And now?");
    assert.match(String(after.system[1]?.text), /<server name="desk">/);
  });

  test("does not protect one whose name only begins alike", async (t) => {
    const servers = [nativeServer("desk", ["add", "add_all"], { instructions: "Items." }), NOTES];
    const { host } = await stage(t, { ...wishes, servers });
    await host.prompt("Go on");
    host.assistant("", [{ id: "1", name: "desk_add" }]);
    const { after } = await host.prompt("And now?");
    assert.equal("desk_add_all" in after.tools, false);
  });
});

test("tools that are no objects are passed over", async (t) => {
  const { context } = await stage(t, { skills: skillList(["forms"]) });
  const event = eventOf({ system: [String(renderInstructions([DESK]))] });
  Object.assign(event.tools, { desk_add: null, desk_drop: "text", desk_list: 5 });
  const unchanged = watch(event);
  await context(event);
  unchanged();
});

function definition() {
  return { description: "Does something.", input: { type: "object" } };
}
