/**
 * Holds the stand-in host's texts against what real hosts wrote, for all tools whose schemas are known from elsewhere.
 * Needs the captures, which are not part of this repository: JEV_PRUNER_DATA names the folder they are in.
 */

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";

import { DEFAULT_BUDGET, fill, tokens } from "./mini-host/budget.js";
import {
  catalogEntry,
  readServers,
  renderCatalog,
  renderCatalogV1c,
  renderInstructions,
  renderSkills,
} from "./mini-host/index.js";
import { byCodeUnit } from "./mini-host/names.js";

/** @import { Server, Tool } from "./mini-host/types.js" */

const folder = process.env.JEV_PRUNER_DATA ?? "";
const skip = existsSync(join(folder, "host-captures"))
  ? false
  : "set JEV_PRUNER_DATA to the folder that holds host-captures";

/** @param {string} name @returns {any} */
const capture = (name) => JSON.parse(readFileSync(join(folder, "host-captures", name), "utf8"));
/** @param {string} name */
const systemText = (name) => /** @type {string} */ (capture(name).system[1].text);

/** From the list of tools to the next section. @param {string} text */
function listingOf(text) {
  const start = text.search(/^## Available tools/m);
  return text.slice(start, text.indexOf("\n\n", text.indexOf("\n\n", start) + 2)).split("\n\n")[1] ?? "";
}

/** Entries by path, as they stand in a listing. @param {string} listing */
function entriesOf(listing) {
  const starts = /^(?= {2}- tools[.[]|- )/m;
  const entries = listing.split(starts).filter((piece) => piece.startsWith("  - tools"));
  return new Map(entries.map((entry) => [entry.slice(4, entry.indexOf("(")), entry.trimEnd()]));
}

/** What stands before the result type, and behind it. @param {string | undefined} entry */
const withoutResult = (entry = "") => [entry.split("): Promise<")[0], / \/\/ .*$/.exec(entry)?.[0]];

/** Tools that a host offered natively. @param {Record<string, any>} tools @param {string} prefix @returns {Tool[]} */
const nativeOf = (tools, prefix) =>
  Object.entries(tools)
    .filter(([name]) => name.startsWith(prefix))
    .map(([name, { description, input }]) => ({ name: name.slice(prefix.length), description, inputSchema: input }));

/** The 1.18 line offers every MCP tool natively, so a request of it tells nearly all input schemas. @returns {Record<string, any>} */
const nativeOfOldLine = () =>
  Object.fromEntries(
    capture("v1.18.33-model-request.json").tools.map((/** @type {any} */ { function: tool }) => [
      tool.name,
      { description: tool.description, input: tool.parameters },
    ]),
  );

/** @param {Server[]} servers @param {Map<string, string>} entries */
function compare(servers, entries) {
  let compared = 0;
  for (const { name, tools } of servers) {
    for (const tool of tools) {
      const rendered = catalogEntry(name, tool);
      const real = entries.get(rendered.slice(4, rendered.indexOf("(")));
      if (real === undefined) continue;
      // Only lists of tools tell output schemas; native definitions do not.
      if (tool.outputSchema) assert.equal(rendered, real);
      else assert.deepEqual(withoutResult(rendered), withoutResult(real));
      compared++;
    }
  }
  return compared;
}

describe("against the captures of real hosts", { skip }, () => {
  test("a server that was native in one and listed in the other is rendered alike", () => {
    const tools = nativeOf(capture("v20shape-partial-changes.json").tools, "everything_");
    const entries = entriesOf(listingOf(systemText("v20shape-complete-changes.json")));
    assert.equal(compare([{ name: "everything", tools }], entries), 16);
  });

  test("published tool lists are rendered as the catalog had them, results included", () => {
    const entries = entriesOf(listingOf(systemText("v20shape-partial-first.json")));
    for (const [name, shown] of /** @type {const} */ ([
      ["memory", 2],
      ["filesystem", 2],
    ])) {
      const [server] = readServers(join(folder, "mcp-tools", `server-${name}.json`));
      assert.equal(compare([{ name, tools: server?.tools ?? [] }], entries), shown);
    }
  });

  test("the schemas of the old line's native tools are rendered as the catalog had them", () => {
    const native = nativeOfOldLine();
    const entries = entriesOf(listingOf(systemText("v20shape-partial-first.json")));
    assert.equal(
      compare(
        namespaces(entries).map((name) => ({ name, tools: nativeOf(native, `${name}_`) })),
        entries,
      ),
      22,
    );
  });

  test("the budget picks the same entries", () => {
    const text = listingOf(systemText("v20shape-partial-first.json"));
    const shown = entriesOf(text);
    const known = new Map([...entriesOf(listingOf(systemText("v20shape-complete-changes.json"))), ...shown]);
    const native = nativeOfOldLine();
    const published = ["memory", "filesystem"].flatMap((name) =>
      readServers(join(folder, "mcp-tools", `server-${name}.json`)).map(({ tools }) => ({ name, tools })),
    );
    const heads = [...text.matchAll(/^- (\S+) \((\d+) tools?/gm)].map(([, name, count]) => ({
      name: String(name),
      count: Number(count),
    }));
    const inventory = heads.map(({ name, count }) => {
      const tools = published.find((server) => server.name === name)?.tools ?? nativeOf(native, `${name}_`);
      const lines = new Map(tools.map((tool) => [pathOf(catalogEntry(name, tool)), catalogEntry(name, tool)]));
      for (const [path, line] of known) if (namespaceOf(path) === name) lines.set(path, line);
      // Of the few tools of which nothing is known, all that matters is that they cost more than those shown.
      while (lines.size < count) lines.set(`unknown${lines.size}`, "?".repeat(4000));
      return { name, entries: [...lines].map(([path, line]) => ({ path, line })) };
    });
    const headers = inventory.reduce(
      (sum, { name, entries }) =>
        sum + tokens(`- ${name} (${entries.length} tool${entries.length === 1 ? "" : "s"}, none shown)`),
      0,
    );
    const picked = fill(inventory, DEFAULT_BUDGET - headers, byCodeUnit);
    assert.deepEqual([...picked].map(({ path }) => path).sort(), [...shown.keys()].sort());
  });

  test("the beta's entries are rendered alike", () => {
    const entries = entriesOf(listingOf(capture("v2beta-first-request.json").tools.execute.description));
    const native = { ...nativeOfOldLine(), ...capture("v20shape-partial-changes.json").tools };
    const servers = namespaces(entries).map((name) => ({ name, tools: nativeOf(native, `${name}_`) }));
    const rendered = entriesOf(listingOf(renderCatalogV1c(servers, { budget: Infinity })));
    const comparable = [...entries].filter(([path]) => rendered.has(path));
    assert.equal(comparable.length, 17);
    for (const [path, entry] of comparable) assert.deepEqual(withoutResult(rendered.get(path)), withoutResult(entry));
  });

  test("the search signature is printed alike", () => {
    const none = renderCatalog([{ name: "a", tools: [{ name: "t" }] }], { budget: 0 });
    assert.equal(none.split("\n\n")[3], systemText("v20shape-partial-first.json").split("\n\n")[3]);
    const beta = renderCatalogV1c([{ name: "a", tools: [{ name: "t" }] }], { budget: 0 });
    assert.equal(
      beta.split("\n\n").at(-1),
      capture("v2beta-first-request.json").tools.execute.description.split("\n\n").at(-1),
    );
  });

  for (const name of ["v20shape-complete-changes.json", "v20shape-partial-first.json"]) {
    test(`MCP instructions and skills of ${name} come out as they went in`, () => {
      const text = systemText(name);
      const instructions = between(text, "\n<mcp_instructions>\n", "\n</mcp_instructions>");
      const servers = [...instructions.matchAll(/^ {2}<server name="(.*)">\n([^]*?)\n {2}<\/server>$/gm)].map(
        ([, server = "", body = ""]) => {
          const lines = body.split("\n").map((line) => line.slice(4));
          const codemode = lines[0]?.startsWith("Use tools from this server through `execute`") ?? false;
          return {
            name: server,
            codemode,
            instructions: lines.slice(codemode ? 1 : 0).join("\n"),
            tools: [{ name: "t" }],
          };
        },
      );
      assert.equal(renderInstructions(servers), `<mcp_instructions>\n${instructions}\n</mcp_instructions>`);

      const list = between(text, "\n<available_skills>\n", "\n</available_skills>");
      const skills = [
        ...list.matchAll(
          /^ {2}<skill>\n {4}<id>(.*)<\/id>\n {4}<name>(.*)<\/name>\n {4}<description>([^]*?)<\/description>\n {2}<\/skill>$/gm,
        ),
      ];
      const rendered =
        renderSkills(skills.reverse().map(([, id = "", name = "", description = ""]) => ({ id, name, description }))) ??
        "";
      assert.equal(between(rendered, "\n<available_skills>\n", "\n</available_skills>"), list);
    });
  }
});

/** @param {string} entry */
const pathOf = (entry) => entry.slice(4, entry.indexOf("("));
/** @param {string} path */
const namespaceOf = (path) => /^tools(?:\.(\w+)|\["([^"]+)"\])/.exec(path)?.slice(1).find(Boolean) ?? "";
/** @param {Map<string, string>} entries */
const namespaces = (entries) => [...new Set([...entries.keys()].map(namespaceOf))];
/** @param {string} text @param {string} start @param {string} end */
const between = (text, start, end) => text.slice(text.indexOf(start) + start.length, text.indexOf(end));
