/**
 * Renders the Code Mode catalog: as the 2.0 instruction source (opencode-host.md §6.1) and as the description that
 * the July beta gave to `execute` (§6.2 V1c). Which entries fit is decided in budget.js, types in schema-types.js.
 *
 *     - parcel-desk (9 tools, 1 shown)
 *       - tools["parcel-desk"].track({
 *       number: string,
 *     }): Promise<unknown> // Where a parcel is
 *
 * The prose around the anchors is ours. It speaks of tools, headings and paths as the host's prose does, so that a
 * reader that takes prose for entries is found out.
 */

import { DEFAULT_BUDGET, fill, tokens } from "./budget.js";
import { byCodeUnit, isCodeMode, sanitise, toolPath, usableTools } from "./names.js";
import { typeText } from "./schema-types.js";

/** @import { Entry, Namespace } from "./budget.js" */
/** @import { JsonSchema, Server, Tool } from "./types.js" */
/** @typedef {{ budget?: number }} CatalogOptions in tokens of four characters; Infinity shows everything */

const LONGEST_DESCRIPTION = 120;

/**
 * The catalog as OpenCode 2.0 writes it.
 * @param {Server[]} servers
 * @param {CatalogOptions} [options]
 */
export function renderCatalog(servers, { budget = DEFAULT_BUDGET } = {}) {
  const namespaces = namespacesOf(servers, catalogEntry).sort((a, b) => byCodeUnit(a.name, b.name));
  for (const { entries } of namespaces) entries.sort((a, b) => byCodeUnit(a.path, b.path));
  if (namespaces.length === 0) {
    return "No Code Mode tools are currently available. Leave `execute` alone until a later update lists some.";
  }
  // The header of every namespace is paid for before any entry, at the length it has with nothing shown.
  const headers = namespaces.reduce((sum, namespace) => sum + tokens(header(namespace, 0)), 0);
  const shown = fill(namespaces, budget - headers, byCodeUnit);
  const complete = namespaces.every(({ entries }) => entries.every((entry) => shown.has(entry)));
  return [
    "# Code Mode",
    complete
      ? "Use the `execute` tool to reach what is listed here: these are functions for the code you hand to it, not tools of your own."
      : "Use the `execute` tool to reach what is listed here. Neither these functions nor `search` are tools of your own; both exist only in the code you hand to it.",
    complete
      ? "The catalog is complete. What is not in it does not exist."
      : "The catalog is partial. Look for the rest with `search(...)` in `execute`, which answers at once and needs no `await`, and call what it finds by its `path`.",
    ...(complete ? [] : [`- ${searchSignature("2.0")}`]),
    "## Available tools",
    listing(namespaces, shown),
  ].join("\n\n");
}

/**
 * The description of `execute` in the July beta.
 * @param {Server[]} servers
 * @param {CatalogOptions} [options]
 */
export function renderCatalogV1c(servers, { budget = DEFAULT_BUDGET } = {}) {
  const namespaces = namespacesOf(servers, betaEntry)
    .sort((a, b) => a.name.localeCompare(b.name))
    // The beta knew no namespace descriptions.
    .map(({ name, entries }) => ({ name, entries }));
  const total = namespaces.reduce((sum, { entries }) => sum + entries.length, 0);
  const shown = fill(namespaces, budget, (a, b) => a.localeCompare(b));
  if (total === 0)
    return [...BETA_OPENING, "", "## Available tools", "", "No tools are currently available."].join("\n");
  const complete = shown.size === total;
  return [
    ...BETA_OPENING,
    ...betaProse(complete),
    "",
    complete
      ? "## Available tools (COMPLETE list - nothing is left out)"
      : `## Available tools (PARTIAL - ${shown.size} of ${total} shown; search(...) knows the others)`,
    "",
    listing(namespaces, shown),
    ...(complete ? [] : ["", "Search returns complete callable signatures:", `- ${searchSignature("beta")}`]),
  ].join("\n");
}

/**
 * A server without tools has no namespace; two servers of the same sanitised name share one.
 * @param {Server[]} servers
 * @param {(server: string, tool: Tool) => string} line
 * @returns {Namespace[]}
 */
function namespacesOf(servers, line) {
  /** @type {Map<string, Namespace>} */
  const namespaces = new Map();
  for (const server of servers.filter(isCodeMode)) {
    for (const tool of usableTools(server)) {
      const name = sanitise(server.name);
      const namespace = namespaces.get(name) ?? { name, entries: [] };
      namespaces.set(name, namespace);
      if (server.description !== undefined) namespace.description = server.description;
      namespace.entries.push({ path: `${name}.${sanitise(tool.name)}`, line: line(server.name, tool) });
    }
  }
  return [...namespaces.values()];
}

/**
 * @param {Namespace[]} namespaces
 * @param {Set<Entry>} shown
 */
function listing(namespaces, shown) {
  return namespaces
    .flatMap((namespace) => {
      const lines = namespace.entries.filter((entry) => shown.has(entry)).map((entry) => entry.line);
      return [header(namespace, lines.length), ...lines];
    })
    .join("\n");
}

/**
 * @param {Namespace} namespace
 * @param {number} shown
 */
function header({ name, description, entries }, shown) {
  const count = `${entries.length} ${entries.length === 1 ? "tool" : "tools"}`;
  const part = shown === entries.length ? "" : `, ${shown === 0 ? "none" : shown} shown`;
  return `- ${name} (${count}${part})${description === undefined ? "" : ` // ${description}`}`;
}

/**
 * One tool as it stands in the 2.0 catalog.
 * @param {string} server
 * @param {Tool} tool
 */
export function catalogEntry(server, tool) {
  const input = typeText(tool.inputSchema ?? { type: "object" });
  const output = tool.outputSchema ? typeText(tool.outputSchema) : "unknown";
  const signature = `${toolPath(server, tool.name)}(${input === "{}" ? "" : input}): Promise<${output}>`;
  return `  - ${signature}${trailing(tool, LONGEST_DESCRIPTION - 3)}`;
}

/**
 * One tool as it stood in the beta: an argument name before the type, and no empty brackets.
 * @param {string} server
 * @param {Tool} tool
 */
function betaEntry(server, tool) {
  const input = typeText(tool.inputSchema ?? { type: "object" }, { docs: "beta" });
  const output = tool.outputSchema ? typeText(tool.outputSchema, { docs: "beta" }) : "unknown";
  return `  - ${toolPath(server, tool.name)}(input: ${input}): Promise<${output}>${trailing(tool, LONGEST_DESCRIPTION - 1)}`;
}

/**
 * The first line of a description, cut if it is too long. The beta kept more of it before the dots.
 * @param {Tool} tool
 * @param {number} kept
 */
function trailing({ description = "" }, kept) {
  const line = /** @type {string} */ (description.split("\n")[0]).trim();
  if (line === "") return "";
  return ` // ${line.length > LONGEST_DESCRIPTION ? `${line.slice(0, kept)}...` : line}`;
}

/** @type {JsonSchema} */
const SEARCH_INPUT = {
  type: "object",
  properties: {
    query: { type: "string" },
    namespace: { type: "string" },
    limit: { type: "integer" },
    offset: { type: "integer" },
  },
};

/** @type {JsonSchema} */
const SEARCH_OUTPUT = {
  type: "object",
  properties: {
    items: {
      type: "array",
      items: {
        type: "object",
        properties: { path: { type: "string" }, description: { type: "string" }, signature: { type: "string" } },
        required: ["path", "description", "signature"],
      },
    },
    remaining: { type: "integer" },
    next: {
      anyOf: [{ type: "object", properties: { offset: { type: "integer" } }, required: ["offset"] }, { type: "null" }],
    },
  },
  required: ["items", "remaining", "next"],
};

/** @param {import("./schema-types.js").DocStyle} docs */
function searchSignature(docs) {
  const argument = docs === "beta" ? "input: " : "";
  return `search(${argument}${typeText(SEARCH_INPUT, { docs })}): ${typeText(SEARCH_OUTPUT, { docs })}`;
}

const BETA_OPENING = [
  "This is a restricted JavaScript language: enough to call the functions under `tools` and to work with what they give back.",
  "Names are exact. Take them as they are printed.",
];

/** @param {boolean} complete */
function betaProse(complete) {
  return [
    "",
    "## Workflow",
    "",
    ...(complete
      ? [
          "1. Everything there is stands below `## Available tools`; copy the signature of your choice.",
          "2. Return the fields that are needed and no more.",
        ]
      : ['1. Find a function: `return search({ query: "what it does" })`.', "2. Call it by the path that came back."]),
    "",
    "## Rules",
    "",
    '- Call several at once with `Promise.all`; where the signature has brackets, so has the call: `tools.<namespace>["tool-name"](input)`.',
    "- `Object.keys(tools)` gives the namespaces (1 tool is enough to make one).",
    "",
    "## Language",
    "",
    "Data, loops, functions and `await`. No imports, no timers, no network of its own.",
  ];
}
