/**
 * The MCP instructions and skills that the stand-in host writes, and the lists of tools and skills that it reads. Every
 * expected text follows from opencode-host.md §7 and §8; catalogs are in mini-host-catalog.test.js.
 */

import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";

import {
  readServers,
  readSkills,
  renderInstructions,
  renderSkills,
  serversFrom,
  skillsFrom,
} from "./mini-host/index.js";

/** @import { Server } from "./mini-host/types.js" */

/** @param {string[]} lines */
const lines = (...lines) => lines.join("\n");
/** @param {string} name @param {string[]} tools @returns {Server} */
const server = (name, ...tools) => ({ name, tools: tools.map((name) => ({ name })) });

describe("MCP instructions", () => {
  test("indent every line, escape nothing and tell the namespace of Code Mode servers", () => {
    const servers = [
      { ...server("maps", "t"), instructions: "Text only", codemode: false },
      { ...server('issue "desk"', "t"), instructions: "One\n\n</mcp_instructions>" },
    ];
    assert.equal(
      renderInstructions(servers),
      lines(
        "<mcp_instructions>",
        '  <server name="issue "desk"">',
        '    Use tools from this server through `execute` under `tools["issue__desk_"]`.',
        "    One",
        "    ",
        "    </mcp_instructions>",
        "  </server>",
        '  <server name="maps">',
        "    Text only",
        "  </server>",
        "</mcp_instructions>",
      ),
    );
  });

  test("are absent when no server with tools sent any", () => {
    assert.equal(renderInstructions([server("a", "t"), { ...server("b"), instructions: "Hello" }]), undefined);
  });
});

describe("the skills section", () => {
  test("is sorted by id, escapes nothing and indents no second line", () => {
    const text = renderSkills([
      { id: "b", name: "B", description: "Two & <three>\nlines" },
      { id: "a", name: "A", description: "One" },
    ]);
    assert.equal(
      text?.slice(text.indexOf("<available_skills>")),
      lines(
        "<available_skills>",
        "  <skill>",
        "    <id>a</id>",
        "    <name>A</name>",
        "    <description>One</description>",
        "  </skill>",
        "  <skill>",
        "    <id>b</id>",
        "    <name>B</name>",
        "    <description>Two & <three>",
        "lines</description>",
        "  </skill>",
        "</available_skills>",
      ),
    );
  });

  test("opens with the sentences that announce it", () => {
    const opening =
      renderSkills([{ id: "a", name: "A", description: "One" }])
        ?.split("\n")
        .slice(0, 3) ?? [];
    assert.match(opening[0] ?? "", /^Skills provide specialized instructions and workflows/);
    assert.match(opening[1] ?? "", /^Use the skill tool to load a skill/);
    assert.match(opening[2] ?? "", /^The user may also invoke a skill directly\./);
  });

  test("leaves out skills without description and those that only the user starts", () => {
    assert.equal(
      renderSkills([
        { id: "a", name: "A" },
        { id: "b", name: "B", description: "Two", autoinvoke: false },
      ]),
      undefined,
    );
  });
});

describe("a list of tools", () => {
  const tools = [{ name: "t", description: "Do it", inputSchema: { type: "object" } }];
  for (const [form, data] of Object.entries({
    "one server": { source: "x", server: "a", tools },
    "servers under a key": { servers: [{ server: "a", tools }] },
    "a bare list of servers": [{ server: "a", description: "Of a", tools }],
  })) {
    test(`can be ${form}`, () => assert.deepEqual(serversFrom(data, "list"), [{ name: "a", tools }]));
  }

  test("keeps server descriptions on request", () => {
    assert.equal(
      serversFrom([{ server: "a", description: "Of a", tools }], "list", { describe: true })[0]?.description,
      "Of a",
    );
  });

  test("can give short arguments instead of a schema", () => {
    const args = [
      { name: "q", type: "string", desc: "Query" },
      { name: "tags", type: "array", items: { type: "string" }, optional: true },
    ];
    const [read] = serversFrom({ server: "a", tools: [{ name: "t", arguments: args }] }, "list");
    assert.deepEqual(read?.tools[0]?.inputSchema, {
      type: "object",
      properties: { q: { type: "string", description: "Query" }, tags: { type: "array", items: { type: "string" } } },
      required: ["q"],
    });
  });

  test("names the source in every complaint", () => {
    assert.throws(() => serversFrom({ tools }, "my.json"), /my\.json: entry 1 does not name its server/);
    assert.throws(() => serversFrom({ server: "a" }, "my.json"), /my\.json: server "a" has no list of tools/);
    assert.throws(
      () => serversFrom({ server: "a", tools: [{}] }, "my.json"),
      /my\.json: server "a" has a tool without a name/,
    );
    assert.throws(() => skillsFrom([{ id: "a" }], "my.json"), /my\.json: skill 1 has no description/);
    assert.throws(() => skillsFrom("a", "my.json"), /my\.json: neither a list of skills nor descriptions by name/);
  });

  test("is read from a file, whose name is told when it is missing or broken", (t) => {
    const folder = mkdtempSync(join(tmpdir(), "lists-"));
    t.after(() => rmSync(folder, { recursive: true }));
    writeFileSync(join(folder, "good.json"), JSON.stringify({ server: "a", tools }));
    writeFileSync(join(folder, "bad.json"), "{");
    assert.equal(readServers(join(folder, "good.json"))[0]?.name, "a");
    assert.throws(() => readSkills(join(folder, "bad.json")), /bad\.json: not JSON/);
    assert.throws(() => readSkills(join(folder, "none.json")), /none\.json/);
  });
});

describe("a list of skills", () => {
  test("can be a list or descriptions by name", () => {
    const expected = [{ id: "a", name: "a", description: "One" }];
    assert.deepEqual(skillsFrom([{ id: "a", source: "x", description: "One" }], "list"), expected);
    assert.deepEqual(skillsFrom({ a: "One" }, "list"), expected);
  });
});
