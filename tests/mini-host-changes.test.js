/**
 * What the stand-in host tells of changes during a session, and when. Every expected text follows from
 * opencode-host.md §6.3, §7 and §8; the lists as they stand at the start of a session have tests of their own.
 */

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { MiniHost, renderCatalog, renderChanges, renderInstructions, renderSkills } from "./mini-host/index.js";

/** @import { Wording } from "./mini-host/changes.js" */
/** @import { Server, Skill, Step } from "./mini-host/types.js" */

/** @param {string} name @param {string[]} tools @returns {Server} */
const server = (name, ...tools) => ({ name, tools: tools.map((name) => ({ name })) });
/** @param {string} id @returns {Skill} */
const skill = (id) => ({ id, name: id, description: `Does ${id}.` });
/** @param {Server[]} servers @param {Skill[]} [skills] */
const inventory = (servers, skills = []) => ({ servers, skills });
const lines = (/** @type {string[]} */ ...lines) => lines.join("\n");

/** Large enough that a restatement is longer than what is told of a change. */
const MANY = server("many", ...Array.from({ length: 12 }, (_, at) => `tool_${at}`));
const NOTES = server("notes", "add", "find");

/** @param {Server[]} before @param {Server[]} after @param {Wording} [wording] */
const told = (before, after, wording) => renderChanges(inventory(before), inventory(after), wording);

describe("of a complete catalog is told", () => {
  const complete = { budget: Infinity };

  test("nothing when nothing changed", () => assert.equal(told([NOTES], [NOTES], complete), undefined));

  test("what is new, what is other than before, and what is gone", () => {
    const before = [MANY, { name: "notes", tools: [{ name: "add" }, { name: "find" }, { name: "drop-all" }] }];
    const after = [MANY, { name: "notes", tools: [{ name: "find", description: "Find one" }, { name: "keep" }] }];
    assert.equal(
      told(before, after, complete),
      lines(
        "The Code Mode tool catalog has changed.",
        "",
        "New tools are available in addition to those previously listed:",
        "  - tools.notes.keep(): Promise<unknown>",
        "",
        "Changed tool listings supersede the previously listed ones:",
        "  - tools.notes.find(): Promise<unknown> // Find one",
        "",
        'The following tools are no longer available and must not be called: tools.notes.add, tools.notes["drop-all"].',
      ),
    );
  });

  test("the whole catalog anew when that is shorter", () => {
    const text = told([MANY], [NOTES], complete) ?? "";
    const [sentence, ...rest] = text.split("\n\n");
    assert.match(sentence ?? "", /^The Code Mode tool catalog has changed\. This catalog supersedes/);
    assert.equal(rest.join("\n\n"), renderCatalog([NOTES], complete));
  });

  test("the whole catalog anew when it has become partial", () => {
    assert.ok(told([NOTES], [NOTES, MANY], { budget: 90 })?.endsWith(renderCatalog([NOTES, MANY], { budget: 90 })));
  });

  test("the whole catalog anew when a namespace is described in other words", () => {
    assert.match(told([MANY, NOTES], [MANY, { ...NOTES, description: "Short" }], complete) ?? "", / supersedes /);
  });

  test("in one sentence that no tool is left", () => {
    assert.match(
      told([NOTES], [], complete) ?? "",
      / supersedes [^\n]*\n\nNo Code Mode tools are currently available\./,
    );
  });

  test("in one sentence that code can no longer be run", () => {
    const text = renderChanges(inventory([NOTES]), { ...inventory([NOTES]), canExecute: false });
    assert.match(text ?? "", /^Code Mode tools are no longer available\./);
  });
});

describe("of a partial catalog is told", () => {
  test("how large namespaces are, where the entries shown are the same", () => {
    const before = [server("a", "x", "y"), server("b", "x"), server("c", "x")];
    const after = [server("a", "x", "y", "z"), server("b", "x"), server("d", "x")];
    assert.equal(
      told(before, after, { budget: 0 }),
      lines(
        "The Code Mode tool catalog has changed.",
        "",
        "New tool namespaces are available: `d` (1 tools).",
        "",
        "The following namespace inventories changed; look anew before you count on what was found: `a` now has 3 tools.",
        "",
        "The following tool namespaces are no longer available and must be left alone: `c`.",
      ),
    );
  });

  test("the whole catalog anew where other entries are shown", () => {
    const after = [MANY, server("notes", "add")];
    assert.ok(told([MANY, NOTES], after, { budget: 60 })?.endsWith(renderCatalog(after, { budget: 60 })));
  });
});

describe("older catalogs", () => {
  for (const [rendering, opening] of /** @type {const} */ ([
    ["v3", /^The Code Mode tool catalog below is partial\.$/m],
    ["v2", /^Run JavaScript to orchestrate tool calls/m],
  ])) {
    test(`are stated as ${rendering} was`, () => {
      assert.match(told([NOTES], [NOTES, MANY], { rendering, budget: 120 }) ?? "", opening);
    });
  }

  test("say by a search section that they are partial", () => {
    for (const rendering of /** @type {const} */ (["v3", "v2"])) {
      const heads = [Infinity, 40].map((budget) => renderCatalog([MANY], { rendering, budget }));
      assert.deepEqual(
        heads.map((text) => /\n\n## Search\n\n[^\n]+\n\n- search\(/.test(text)),
        [false, true],
      );
    }
  });

  test("had no namespace descriptions", () => {
    assert.doesNotMatch(renderCatalog([{ ...NOTES, description: "Short" }], { rendering: "v3" }), /Short/);
  });

  test("of V1c are told without a message", () => {
    assert.equal(told([NOTES], [MANY], { rendering: "v1c" }), undefined);
  });

  test("of V2 are gone with their last tool and come back without a word about a change", () => {
    const v2 = /** @type {const} */ ({ rendering: "v2", budget: Infinity });
    assert.match(told([NOTES], [], v2) ?? "", /^Code Mode tools are no longer available\./);
    assert.equal(told([], [NOTES], v2), renderCatalog([NOTES], v2));
  });
});

describe("of MCP instructions and skills is told", () => {
  const [DESK, MAPS] = [server("desk", "t"), server("maps", "t")].map((one) => ({
    ...one,
    instructions: `Of ${one.name}.`,
  }));
  const servers = (/** @type {(Server | undefined)[]} */ ...told) => inventory(/** @type {Server[]} */ (told));
  const skills = (/** @type {Skill[]} */ ...told) => inventory([], told);
  const v1c = /** @type {const} */ ({ rendering: "v1c" });

  test("the list without a word about a change when there was none", () => {
    assert.equal(renderChanges(servers(), servers(DESK), v1c), renderInstructions(servers(DESK).servers));
    assert.equal(renderChanges(skills(), skills(skill("a"))), renderSkills([skill("a")]));
  });

  test("what is new and what is gone, without the list's own tags", () => {
    assert.equal(
      renderChanges(servers(DESK), servers(MAPS), v1c),
      lines(
        "New MCP server instructions are available in addition to those previously listed:",
        '  <server name="maps">',
        '    Use tools from this server through `execute` under `tools["maps"]`.',
        "    Of maps.",
        "  </server>",
        "Instructions for the following MCP servers are no longer available: desk.",
      ),
    );
    assert.equal(
      renderChanges(skills(skill("a"), skill("b")), skills(skill("c"))),
      lines(
        "New skills are available in addition to those previously listed:",
        "  <skill>",
        "    <id>c</id>",
        "    <name>c</name>",
        "    <description>Does c.</description>",
        "  </skill>",
        "The following skill IDs are no longer available and must not be used: a, b.",
      ),
    );
  });

  test("the list anew when one of them says something else", () => {
    const other = { .../** @type {Server} */ (DESK), instructions: "Other." };
    assert.ok(
      renderChanges(servers(DESK, MAPS), servers(other, MAPS), v1c)?.match(
        /^The available MCP server instructions have changed\.[^\n]*\n<mcp_instructions>\n/,
      ),
    );
    assert.match(
      renderChanges(skills(skill("a")), skills({ ...skill("a"), description: "Other." })) ?? "",
      /^The available skills have changed\. This list supersedes[^\n]*\nSkills provide [^]*Other\./,
    );
  });

  test("in one sentence that none is left", () => {
    assert.equal(renderChanges(servers(DESK), servers(), v1c), "MCP server instructions are no longer available.");
    assert.match(renderChanges(skills(skill("a")), skills()) ?? "", /^Skill guidance is no longer available\./);
  });

  test("in the old wording without indentation", () => {
    const text = renderInstructions(servers(DESK).servers, "old");
    assert.equal(
      text,
      lines(
        "<mcp_instructions>",
        '<server name="desk">',
        'Its tools are available via `tools["desk"]`.',
        "Of desk.",
        "</server>",
        "</mcp_instructions>",
      ),
    );
  });
});

describe("the stand-in host", () => {
  /** The texts of the system messages of a call. @param {Pick<Step, "before">} step */
  const changes = ({ before }) =>
    before.messages.filter(({ role }) => role === "system").map(({ content }) => content[0]?.text);

  test("tells of changes in one message in front of the prompt that follows, in the order of the sources", async () => {
    const host = new MiniHost({ servers: [MANY], skills: [skill("a")], budget: Infinity });
    await host.prompt("one");
    host.servers = [MANY, { ...NOTES, instructions: "Short ones." }];
    host.skills = [skill("a"), skill("b")];
    const { before } = await host.prompt("two");
    assert.deepEqual(
      before.messages.map(({ role }) => role),
      ["user", "system", "user"],
    );
    const [text] = changes({ before });
    assert.deepEqual(
      [...String(text).matchAll(/^(New [a-zA-Z ]+?|<mcp_instructions>)(?= are available|$)/gm)].map(
        ([, opening]) => opening,
      ),
      ["New tools", "<mcp_instructions>", "New skills"],
    );
  });

  test("tells of a change in the middle of a turn", async () => {
    const host = new MiniHost({ servers: [MANY], budget: Infinity });
    await host.prompt("one");
    host.assistant("Looking.");
    host.servers = [MANY, NOTES];
    assert.equal(changes(await host.step()).length, 1);
  });

  test("tells each change once, and against what was told last", async () => {
    const host = new MiniHost({ servers: [MANY], budget: Infinity });
    await host.prompt("one");
    host.servers = [MANY, NOTES];
    await host.prompt("two");
    host.servers = [MANY];
    const told = changes(await host.prompt("three"));
    assert.equal(told.length, 2);
    assert.match(
      String(told[1]),
      /no longer available and must not be called: tools\.notes\.add, tools\.notes\.find\.$/,
    );
  });

  test("drops what was told with the history, and states everything anew", async () => {
    const host = new MiniHost({ servers: [MANY], budget: Infinity });
    await host.prompt("one");
    host.servers = [MANY, NOTES];
    await host.prompt("two");
    host.compact();
    const step = await host.prompt("three");
    assert.deepEqual(changes(step), []);
    assert.match(step.before.system[1]?.text ?? "", /tools\.notes\.add/);
  });

  test("tells a generated text of a change and stores neither", async () => {
    const host = new MiniHost({ servers: [MANY], budget: Infinity });
    await host.prompt("one");
    host.servers = [MANY, NOTES];
    const { before } = await host.generate("Name this session");
    assert.deepEqual(
      before.messages.map(({ role }) => role),
      ["user", "system", "user"],
    );
    assert.equal((await host.step()).before.messages.length, 2);
  });

  test("runs the hooks `generate` and `compaction` on events of the same shape", async () => {
    const host = new MiniHost({ servers: [NOTES] });
    /** @type {string[]} */
    const ran = [];
    await host.load({
      id: "a",
      /** @param {any} ctx */
      async setup(ctx) {
        for (const name of ["context", "generate", "compaction"]) {
          await ctx.session.hook(name, (/** @type {object} */ event) =>
            ran.push(`${name}: ${Object.keys(event).join(" ")}`),
          );
        }
      },
    });
    await host.prompt("one");
    await host.generate("Name this session");
    await host.summarise();
    const shape = "sessionID agent model system messages tools";
    assert.deepEqual(ran, [`context: ${shape}`, `generate: ${shape}`, `compaction: ${shape}`]);
  });

  test("keeps a cache warm with a message that it does not store", async () => {
    const host = new MiniHost();
    await host.prompt("one");
    const { before } = await host.warm();
    assert.deepEqual([before.messages.length, before.messages[1]?.metadata], [2, undefined]);
    assert.equal((await host.step()).before.messages.length, 1);
  });

  test("tells when a hook exchanged a field that it does not know", async () => {
    const host = new MiniHost();
    host.eventFields = { kind: "primary", options: { effort: "high" } };
    await host.load({
      id: "a",
      setup: (/** @type {any} */ ctx) =>
        ctx.session.hook("context", (/** @type {any} */ event) => (event.options = { ...event.options })),
    });
    const { violations } = await host.prompt("one");
    assert.deepEqual(violations, ["event.options is another one"]);
  });
});
