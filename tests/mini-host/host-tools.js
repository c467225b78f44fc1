/**
 * The native tools of the stand-in host (opencode-host.md §9), which native tools a model call carries (§4.5), and the
 * list of all tools. Names are the host's, descriptions are ours.
 */

import { renderCatalogV1c } from "./catalog.js";
import { byCodeUnit, isCodeMode, nativeName, sanitise, usableTools } from "./names.js";

/** @import { Rendering } from "./catalog.js" */
/** @import { JsonSchema, NativeTool, Server, ToolDefinition } from "./types.js" */

/** @param {Record<string, string>} fields name to description; all are required strings */
const input = (fields) => ({
  type: "object",
  properties: Object.fromEntries(
    Object.entries(fields).map(([name, description]) => [name, { type: "string", description }]),
  ),
  required: Object.keys(fields),
  additionalProperties: false,
});

/** @type {NativeTool[]} */
export const HOST_TOOLS = [
  { name: "read", description: "Read a file of the project.", input: input({ path: "Which file" }) },
  {
    name: "glob",
    description: "List files whose path fits a pattern.",
    input: input({ pattern: "For example src/**/*.ts" }),
  },
  {
    name: "grep",
    description: "Find lines that match an expression.",
    input: input({ pattern: "A regular expression" }),
  },
  {
    name: "edit",
    description: "Replace a piece of a file.",
    input: input({ path: "Which file", old: "What goes", new: "What comes" }),
  },
  {
    name: "write",
    description: "Write a whole file.",
    input: input({ path: "Which file", content: "Its new content" }),
  },
  { name: "shell", description: "Run a command in the project.", input: input({ command: "As typed in a terminal" }) },
  { name: "webfetch", description: "Fetch one page as text.", input: input({ url: "Which page" }) },
  { name: "websearch", description: "Search the web.", input: input({ query: "What to look for" }) },
  { name: "question", description: "Ask the user something and wait.", input: input({ question: "What to ask" }) },
  {
    name: "skill",
    description: "Load one of the available skills into the conversation.",
    input: input({ id: "The id in the list of skills" }),
  },
  {
    name: "subagent",
    description: "Hand a task to another agent.",
    input: input({ agent: "Which one", prompt: "The task" }),
  },
];

/** Static since 2.0: it points at the catalog, which stands among the instructions. */
const EXECUTE = [
  "Run JavaScript that calls Code Mode tools and works with what they return.",
  'Only paths of the Code Mode catalog, or found by `search`, can be called: `tools.<namespace>["tool-name"](input)`.',
].join("\n");

/** @type {JsonSchema} */
const EXECUTE_INPUT = {
  type: "object",
  properties: { code: { type: "string" } },
  required: ["code"],
  additionalProperties: false,
};

/**
 * Sorted by code unit, `execute` last.
 * @param {object} inventory
 * @param {NativeTool[]} inventory.hostTools
 * @param {Server[]} inventory.servers
 * @param {Rendering} inventory.rendering
 * @param {number} [inventory.budget]
 * @param {boolean} [inventory.canExecute]
 * @returns {Record<string, ToolDefinition>}
 */
export function nativeTools({ hostTools, servers, rendering, budget, canExecute = true }) {
  const execute = rendering === "v1c" ? renderCatalogV1c(servers, { budget }) : EXECUTE;
  const sorted = [...hostTools, ...mcpTools(servers.filter((server) => !isCodeMode(server)))]
    .filter(({ name }) => name !== "execute")
    .sort((a, b) => byCodeUnit(a.name, b.name));
  // Deep copies: whatever a plugin does to a definition must not reach the next model call.
  return structuredClone(
    Object.fromEntries(
      [...sorted, ...(canExecute ? [{ name: "execute", description: execute, input: EXECUTE_INPUT }] : [])].map(
        (tool) => [tool.name, { description: tool.description, input: tool.input }],
      ),
    ),
  );
}

/**
 * @param {Server[]} servers
 * @returns {NativeTool[]}
 */
function mcpTools(servers) {
  return servers.flatMap((server) =>
    usableTools(server).map(({ name, description = "", inputSchema = { type: "object", properties: {} } }) => ({
      name: nativeName(server.name, name),
      description,
      input: inputSchema,
    })),
  );
}

/**
 * The authoritative inventory, with the tools that a partial catalog does not show (§3.2).
 * @param {{ hostTools: NativeTool[], servers: Server[] }} inventory
 */
export function allTools({ hostTools, servers }) {
  const own = hostTools.map(({ name, description, input }) => ({
    id: name,
    name,
    description,
    input,
    options: { codemode: false },
  }));
  const served = servers.flatMap((server) =>
    usableTools(server).map(({ name, description = "", inputSchema = { type: "object" }, outputSchema }) => ({
      id: nativeName(server.name, name),
      name: sanitise(name),
      description,
      input: inputSchema,
      ...(outputSchema ? { output: outputSchema } : {}),
      options: { namespace: sanitise(server.name), codemode: isCodeMode(server) },
    })),
  );
  return [...own, ...served];
}
