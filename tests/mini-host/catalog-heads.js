/**
 * What stands before and behind the list of a Code Mode catalog, in each of the host's renderings (opencode-host.md
 * §6.1, §6.2). The list itself is written in catalog.js. The anchors are the host's, the prose around them is ours: it
 * speaks of tools, headings and paths as the host's prose does, so that a reader that takes prose for entries is found
 * out.
 */

import { typeText } from "./schema-types.js";

/** @import { Rendering } from "./catalog.js" */
/** @import { JsonSchema } from "./types.js" */
/** @typedef {{ isComplete: boolean, shown: number, total: number }} Counts */

/**
 * @param {Rendering} rendering
 * @param {Counts} counts
 * @returns {{ before: string, behind: string }} a blank line goes between `before` and the list
 */
export function headOf(rendering, counts) {
  if (rendering === "v1c") return headV1c(counts);
  return { before: [...HEADS[rendering](counts.isComplete), "## Available tools"].join("\n\n"), behind: "" };
}

/** @type {Record<"v4" | "v3" | "v2", (isComplete: boolean) => string[]>} */
const HEADS = {
  v4: (isComplete) => [
    "# Code Mode",
    ...(isComplete
      ? [
          "Use the `execute` tool to reach what is listed here: these are functions for the code you hand to it, not tools of your own.",
          "The catalog is complete. What is not in it does not exist.",
        ]
      : [
          "Use the `execute` tool to reach what is listed here. Neither these functions nor `search` are tools of your own; both exist only in the code you hand to it.",
          "The catalog is partial. Look for the rest with `search(...)` in `execute`, which answers at once and needs no `await`, and call what it finds by its `path`.",
          `- ${searchSignature("2.0")}`,
        ]),
  ],
  v3: (isComplete) => [
    `The Code Mode tool catalog below is ${isComplete ? "complete" : "partial"}.`,
    ...searchSection(isComplete, "With `search` you find the exact paths of the others:"),
  ],
  v2: (isComplete) => [
    "Run JavaScript to orchestrate tool calls and to put their results together. There are no imports, no files and no timers.",
    "Return what is needed. Await every call, and run those that do not need each other at once.",
    'Names are exact: as they are printed below, brackets and all, for example `tools.<namespace>["tool-name"](input)`.',
    ...searchSection(isComplete, "Not all signatures are printed. With `search` you find the others:"),
  ],
};

/** @type {Record<Rendering, string>} */
export const NO_TOOLS = {
  v4: "No Code Mode tools are currently available. Leave `execute` alone until a later update lists some.",
  v3: "No Code Mode tools are currently available. Leave `execute` alone until a later update lists some.",
  v2: "No tools are currently available.",
  get v1c() {
    return [...BETA_OPENING, "", "## Available tools", "", "No tools are currently available."].join("\n");
  },
};

/** @param {boolean} isComplete @param {string} words */
const searchSection = (isComplete, words) => (isComplete ? [] : ["## Search", words, `- ${searchSignature("beta")}`]);

/** @param {Counts} counts */
function headV1c({ isComplete, shown, total }) {
  const before = [
    ...BETA_OPENING,
    ...betaProse(isComplete),
    "",
    isComplete
      ? "## Available tools (COMPLETE list - nothing is left out)"
      : `## Available tools (PARTIAL - ${shown} of ${total} shown; search(...) knows the others)`,
  ].join("\n");
  const behind = isComplete ? "" : `\n\nSearch returns complete callable signatures:\n- ${searchSignature("beta")}`;
  return { before, behind };
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
