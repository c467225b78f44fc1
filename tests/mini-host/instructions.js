/**
 * Renders `<mcp_instructions>`, the instructions that servers sent for the model (opencode-host.md §7). What is told of
 * them during a session stands in changes.js.
 */

import { isCodeMode, sanitise, usableTools } from "./names.js";

/** @import { Server } from "./types.js" */

/**
 * `old` is the wording of before: nothing is indented.
 * @typedef {"new" | "old"} InstructionsStyle
 */

/**
 * Nothing is escaped: neither the raw server name nor what the server says, from which only the space around it is
 * taken. Without any server to tell of there is no block at all.
 * @param {Server[]} servers
 * @param {InstructionsStyle} [style]
 * @returns {string | undefined}
 */
export function renderInstructions(servers, style = "new") {
  const told = instructingServers(servers);
  if (told.length === 0) return undefined;
  return ["<mcp_instructions>", ...serverElements(told, style), "</mcp_instructions>"].join("\n");
}

/**
 * A server without instructions or without tools does not appear.
 * @param {Server[]} servers
 */
export const instructingServers = (servers) =>
  servers
    .filter((server) => server.instructions?.trim() && usableTools(server).length > 0)
    .sort((a, b) => a.name.localeCompare(b.name));

/**
 * @param {Server[]} servers
 * @param {InstructionsStyle} [style]
 * @returns {string[]} lines
 */
export const serverElements = (servers, style = "new") => servers.flatMap(style === "old" ? oldElement : element);

/** @param {Server} server */
function element(server) {
  const namespace = JSON.stringify(sanitise(server.name));
  const reach = isCodeMode(server)
    ? [`Use tools from this server through \`execute\` under \`tools[${namespace}]\`.`]
    : [];
  return [
    `  <server name="${server.name}">`,
    ...[...reach, ...linesOf(server)].map((line) => `    ${line}`),
    "  </server>",
  ];
}

/** @param {Server} server */
const oldElement = (server) => [
  `<server name="${server.name}">`,
  `Its tools are available via \`tools[${JSON.stringify(sanitise(server.name))}]\`.`,
  ...linesOf(server),
  "</server>",
];

/** @param {Server} server */
const linesOf = ({ instructions = "" }) => instructions.trim().split("\n");
