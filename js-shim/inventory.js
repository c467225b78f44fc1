// Reads the host's own lists of tools and MCP servers, where it has them (opencode-host.md §3.2). They are
// empty during setup, so they are read in the hook, and again when the request's tools are other ones.

import { withTimeLimit } from "./with-time-limit.js";

/** @typedef {{ tools?: { id: string, namespace?: string }[], servers?: string[] }} Inventory */

/**
 * @param {any} ctx the plugin's context; every part of it may be missing
 * @param {number} timeoutMs
 * @returns {(tools: object) => Promise<Inventory>} never rejects; what cannot be had is left out
 */
export function inventoryReader(ctx, timeoutMs) {
  /** @type {string | undefined} */
  let readFor;
  /** @type {Promise<Inventory>} */
  let inventory = Promise.resolve({});
  return (tools) => {
    const names = Object.keys(tools ?? {}).join("\n");
    if (names !== readFor) {
      readFor = names;
      inventory = read(ctx, timeoutMs);
    }
    return inventory;
  };
}

/** @param {any} ctx @param {number} timeoutMs @returns {Promise<Inventory>} */
async function read(ctx, timeoutMs) {
  const [tools, servers] = await Promise.all([list(ctx?.tool, timeoutMs), list(ctx?.mcp, timeoutMs)]);
  /** @type {Inventory} */
  const inventory = {};
  if (tools) {
    inventory.tools = tools
      .filter((tool) => typeof tool?.id === "string")
      .map((tool) => ({ id: tool.id, namespace: text(tool.options?.namespace) }));
  }
  if (servers) {
    inventory.servers = servers.map((server) => text(server?.name) ?? text(server?.id)).filter(isText);
  }
  return inventory;
}

/**
 * The host's list, bare or wrapped (opencode-host.md §3.2); nothing if it has none, fails, or takes too long.
 * @param {any} owner @param {number} timeoutMs @returns {Promise<any[] | undefined>}
 */
async function list(owner, timeoutMs) {
  if (typeof owner?.list !== "function") return undefined;
  const answer = await withTimeLimit(timeoutMs, () => owner.list());
  const items = Array.isArray(answer) ? answer : answer?.data;
  return Array.isArray(items) ? items : undefined;
}

/** @param {unknown} value @returns {string | undefined} */
function text(value) {
  return typeof value === "string" ? value : undefined;
}

/** @param {string | undefined} value @returns {value is string} */
function isText(value) {
  return value !== undefined;
}
