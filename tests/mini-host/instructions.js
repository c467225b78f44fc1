/**
 * Renders `<mcp_instructions>`, the instructions that servers sent for the model (opencode-host.md §7). Changes
 * during a session are other texts and are written by whoever needs them.
 */

import { isCodeMode, sanitise, usableTools } from "./names.js";

/** @import { Server } from "./types.js" */

/**
 * Nothing is escaped: neither the raw server name nor what the server says. A server without instructions or
 * without tools does not appear; without any there is no block at all.
 * @param {Server[]} servers
 * @returns {string | undefined}
 */
export function renderInstructions(servers) {
  const told = servers
    .filter((server) => server.instructions !== undefined && usableTools(server).length > 0)
    .sort((a, b) => a.name.localeCompare(b.name));
  if (told.length === 0) return undefined;
  return ["<mcp_instructions>", ...told.flatMap(block), "</mcp_instructions>"].join("\n");
}

/** @param {Server} server */
function block(server) {
  const namespace = JSON.stringify(sanitise(server.name));
  const reach = isCodeMode(server)
    ? [`Use tools from this server through \`execute\` under \`tools[${namespace}]\`.`]
    : [];
  return [
    `  <server name="${server.name}">`,
    ...[...reach, ...(server.instructions ?? "").split("\n")].map((line) => `    ${line}`),
    "  </server>",
  ];
}
