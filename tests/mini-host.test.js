/**
 * The stand-in host as a plugin and a test see it. Expected behaviour is that of opencode-host.md §1 to §5 and
 * host-observed.md; what it makes of a
 * hook's work is in mini-host-guard.test.js, its texts have tests of their own.
 */

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { MiniHost, SAMPLE_SERVERS, SAMPLE_SKILLS } from "./mini-host/index.js";

/** @import { ContextEvent, PromptEvent } from "./mini-host/types.js" */

/**
 * A plugin with one context hook.
 * @param {(event: ContextEvent) => unknown} callback
 * @param {string} [id]
 */
const editing = (callback, id = "editor") => ({
  id,
  /** @param {any} ctx */
  setup: (ctx) => ctx.session.hook("context", callback),
});

/** @param {import("./mini-host/host.js").HostOptions} options @returns {Promise<any>} the ctx after setup, and what was listed during it */
async function contextOf(options) {
  const host = new MiniHost({ servers: SAMPLE_SERVERS, skills: SAMPLE_SKILLS, ...options });
  /** @type {any} */
  const seen = {};
  await host.load(
    {
      id: "looker",
      /** @param {any} ctx */
      setup: async (ctx) => {
        seen.ctx = ctx;
        seen.during = await ctx.tool?.list();
      },
    },
    { depth: 3 },
    { directory: "/elsewhere" },
  );
  return seen;
}

describe("loading", () => {
  for (const [name, module] of Object.entries({
    "a bare function": () => {},
    "no id": { setup() {} },
    "an id that is no string": { id: 1, setup() {} },
    "neither setup nor effect": { id: "a" },
    nothing: undefined,
  })) {
    test(`refuses ${name}`, async () => {
      await assert.rejects(new MiniHost().load(module), /the plugin's default export is not/);
    });
  }

  test("tolerates further keys, so that one module can serve two plugin interfaces", async () => {
    await new MiniHost().load({ id: "a", setup() {}, server() {} });
  });

  test("says which plugin failed in setup, and its hooks are gone", async () => {
    const host = new MiniHost();
    const plugin = {
      id: "broken",
      /** @param {any} ctx */
      async setup(ctx) {
        await ctx.session.hook("context", () => assert.fail("ran"));
        throw new Error("no key");
      },
    };
    await assert.rejects(host.load(plugin), /plugin "broken" failed in setup: no key/);
    await host.prompt("go on");
  });

  test("gives options, place and app", async () => {
    const { ctx } = await contextOf({});
    assert.deepEqual(ctx.options, { depth: 3 });
    assert.equal(ctx.location.directory, "/elsewhere");
    assert.match(ctx.app.version, /^2\./);
  });

  test("gives lists only where they are switched on", async () => {
    const { ctx } = await contextOf({});
    assert.deepEqual([ctx.tool, ctx.mcp, ctx.skill], [undefined, undefined, undefined]);
  });

  test("shows empty lists during setup and full ones afterwards", async () => {
    const { ctx, during } = await contextOf({ ctx: { toolList: true } });
    assert.deepEqual(during, []);
    const query = (await ctx.tool.list()).find((/** @type {any} */ tool) => tool.id === "postgres_query");
    assert.deepEqual(query.options, { namespace: "postgres", codemode: true });
    assert.equal(query.name, "query");
  });

  test("can wrap lists with their place", async () => {
    const { ctx } = await contextOf({ ctx: { skillList: true, mcpList: true, wrapped: true } });
    const { location, data } = await ctx.skill.list();
    assert.equal(location.directory, "/elsewhere");
    assert.equal(data.length, SAMPLE_SKILLS.length);
    assert.equal((await ctx.mcp.list()).data.length, SAMPLE_SERVERS.length);
  });

  test("keeps storage as JSON, to be read by prefix", async () => {
    const { ctx } = await contextOf({});
    await ctx.storage.set("a:1", { n: 1 });
    await ctx.storage.set("b:1", 2);
    assert.deepEqual(await ctx.storage.get("a:1"), { n: 1 });
    assert.deepEqual(await ctx.storage.scan({ prefix: "b:" }), [{ key: "b:1", value: 2 }]);
    await ctx.storage.remove("a:1");
    assert.equal(await ctx.storage.get("a:1"), undefined);
  });

  test("ends with the cleanup that setup returned", async () => {
    const host = new MiniHost();
    let cleaned = false;
    await host.load({ id: "a", setup: () => () => (cleaned = true) });
    await host.unload();
    assert.ok(cleaned);
  });

  test("lets a plugin follow events from the moment it asks", async () => {
    const host = new MiniHost();
    /** @type {any} */
    let feed;
    await host.load({ id: "a", setup: (/** @type {any} */ ctx) => void (feed = ctx.event.subscribe({})) });
    host.emit("session.created", { sessionID: "ses_2" });
    const { value } = await feed.next();
    assert.deepEqual([value.type, value.data], ["session.created", { sessionID: "ses_2" }]);
  });
});

describe("a prompt", () => {
  test("reaches the prompt hook with the id that the message will have", async () => {
    const host = new MiniHost();
    /** @type {PromptEvent[]} */
    const seen = [];
    await host.load({
      id: "a",
      setup: (/** @type {any} */ ctx) =>
        ctx.session.hook("prompt", (/** @type {PromptEvent} */ event) => seen.push(event)),
    });
    const { before } = await host.prompt("Book a room");
    const [event] = seen;
    assert.deepEqual(event, {
      sessionID: "ses_1",
      messageID: before.messages[0]?.id,
      prompt: { text: "Book a room" },
      delivery: "queue",
    });
  });

  test("is a user message with metadata, which notices and system messages lack", async () => {
    const host = new MiniHost();
    host.systemMessage("Something changed.");
    host.synthetic("A command was run.");
    const { before } = await host.prompt("Book a room");
    const [change, notice, prompt] = before.messages;
    assert.deepEqual(change, { role: "system", content: [{ type: "text", text: "Something changed." }] });
    assert.equal(notice?.metadata, undefined);
    assert.deepEqual(prompt?.metadata, {});
  });

  test("carries attachments as further text parts", async () => {
    const { before } = await new MiniHost().prompt("Read this", { attachments: [{ name: "a.md", text: "# A" }] });
    assert.equal(/** @type {any} */ (before.messages[0]).content[1].text, "\n\nAttached file: a.md\n\n# A");
  });

  test("is not repeated by the steps that follow it", async () => {
    const host = new MiniHost();
    await host.prompt("List the tables");
    host.assistant("", [{ id: "call_1", name: "execute", input: { code: "1" } }]);
    host.toolResult({ id: "call_1", name: "execute", value: "1" });
    const { before } = await host.step();
    assert.deepEqual(
      before.messages.map(({ role }) => role),
      ["user", "assistant", "tool"],
    );
  });

  test("belongs to the session that is set", async () => {
    const host = new MiniHost();
    await host.prompt("one");
    host.sessionID = "ses_2";
    const { before, request } = await host.prompt("two");
    assert.equal(before.messages.length, 1);
    assert.equal(request.sessionID, "ses_2");
  });
});

describe("the event of a model call", () => {
  test("has the base prompt and one text with all sources, most-shared first", async () => {
    const { before } = await new MiniHost({
      servers: SAMPLE_SERVERS,
      skills: SAMPLE_SKILLS,
      basePrompt: "Base.",
      agentsMd: "# Rules\n",
    }).prompt("hi");
    assert.equal(before.system.length, 2);
    assert.equal(before.system[0]?.text, "Base.");
    assert.deepEqual(anchors(before.system[1]?.text), [
      "# Code Mode",
      "<mcp_instructions>",
      "Skills provide",
      "Instructions from:",
      "<env>",
      "Today's date:",
    ]);
  });

  test("can have the sources in the order of 2.0.16", async () => {
    const { before } = await new MiniHost({
      servers: SAMPLE_SERVERS,
      skills: SAMPLE_SKILLS,
      agentsMd: "# Rules\n",
      sourceOrder: "old",
    }).prompt("hi");
    assert.deepEqual(anchors(before.system[1]?.text), [
      "<env>",
      "Today's date:",
      "# Code Mode",
      "Instructions from:",
      "Skills provide",
      "<mcp_instructions>",
    ]);
  });

  test("keeps the system text of a session when the inventory changes, until compaction", async () => {
    const host = new MiniHost({ skills: [{ id: "a", name: "A", description: "One" }] });
    const { before: first } = await host.prompt("one");
    host.skills = [{ id: "b", name: "B", description: "Two" }];
    const { before: second } = await host.prompt("two");
    assert.deepEqual(second.system, first.system);
    host.compact();
    const { before: third } = await host.prompt("three");
    assert.match(third.system[1]?.text ?? "", /<id>b<\/id>/);
    assert.match(/** @type {any} */ (third.messages[0]).content[0].text, /^<conversation-checkpoint>/);
  });

  test("has native tools by code unit with execute last, MCP tools only of servers without Code Mode", async () => {
    const { before } = await new MiniHost({ servers: SAMPLE_SERVERS }).prompt("hi");
    const names = Object.keys(before.tools);
    assert.equal(names.at(-1), "execute");
    assert.deepEqual(names.slice(0, -1), names.slice(0, -1).sort());
    assert.ok(names.includes("page-pilot_click"));
    assert.ok(!names.some((name) => name.startsWith("postgres")));
  });

  test("can carry the catalog in the description of execute instead", async () => {
    const { before } = await new MiniHost({ servers: SAMPLE_SERVERS, rendering: "v1c" }).prompt("hi");
    assert.match(
      before.tools.execute?.description ?? "",
      /^This is a restricted JavaScript language[^]*\n- calendar \(6 tools/,
    );
    assert.doesNotMatch(before.system[1]?.text ?? "", /Code Mode/);
  });

  test("has messages that are instances of a class", async () => {
    let plain = true;
    const host = new MiniHost();
    await host.load(editing((event) => (plain = event.messages[0]?.constructor === Object)));
    await host.prompt("hi");
    assert.ok(!plain);
  });

  test("goes through all hooks in turn, each seeing what the one before left", async () => {
    const host = new MiniHost();
    await host.load(editing((event) => (event.system = [{ type: "text", text: "first" }]), "a"));
    await host.load(
      editing((event) => (event.system = [{ type: "text", text: `${event.system[0]?.text}, second` }]), "b"),
    );
    const { after } = await host.prompt("hi");
    assert.deepEqual(after.system, [{ type: "text", text: "first, second" }]);
  });

  test("passes by a hook that is meant for another provider", async () => {
    const host = new MiniHost();
    await host.load({
      id: "a",
      setup: (/** @type {any} */ ctx) =>
        ctx.session.hook("context", () => assert.fail("ran"), { providerID: "another" }),
    });
    await host.prompt("hi");
  });

  test("no longer meets a hook that was disposed of", async () => {
    const host = new MiniHost();
    await host.load({
      id: "a",
      /** @param {any} ctx */
      async setup(ctx) {
        const hook = await ctx.session.hook("context", () => assert.fail("ran"));
        await hook.dispose();
      },
    });
    await host.prompt("hi");
  });
});

/** The openings of the sections, in the order in which they stand. @param {string} [text] */
function anchors(text = "") {
  const known = ["# Code Mode", "<mcp_instructions>", "Skills provide", "Instructions from:", "<env>", "Today's date:"];
  return text.split("\n").flatMap((line) => known.filter((anchor) => line.startsWith(anchor)));
}
