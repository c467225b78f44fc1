// Reads the host's own lists of tools, skills and MCP servers, where it has them (opencode-host.md §3.2). They
// are empty during setup, so they are read in the hook, and again when a request offers something else.
import { withTimeLimit } from "./with-time-limit.js";

/**
 * @typedef {object} Tool
 * @property {string} id
 * @property {string} [name]
 * @property {string} [namespace]
 * @property {string} [description]
 * @property {unknown} [input]
 * @property {unknown} [output]
 * @property {boolean} [codemode]
 *
 * @typedef {{ tools?: Tool[], servers?: string[], skills?: { id: string, description?: string }[] }} Inventory
 */

/**
 * @param {any} ctx the plugin's context; every part of it may be missing
 * @param {number} timeoutMs
 * @returns {(event: any) => Promise<Inventory>} never rejects; what cannot be had is left out
 */
export function inventoryReader(ctx, timeoutMs) {
  /** @type {{ texts: string[], inventory: Promise<Inventory> }[]} */
  const known = [];
  return (event) => {
    const texts = offers(event);
    const again = known.find((entry) => sameTexts(entry.texts, texts));
    if (again) return again.inventory;
    const inventory = read(ctx, timeoutMs);
    known.unshift({ texts, inventory });
    known.length = Math.min(known.length, MAX_KNOWN);
    return inventory;
  };
}

/** Sessions and agents of one project offer different things at the same time. */
const MAX_KNOWN = 16;

/** All texts in which a request offers tools and skills. @param {any} event @returns {string[]} */
function offers(event) {
  const system = Array.isArray(event?.system) ? event.system : [];
  const messages = Array.isArray(event?.messages) ? event.messages : [];
  const parts = [...system, ...messages.flatMap((/** @type {any} */ message) =>
    message?.role === "system" && Array.isArray(message.content) ? message.content : [])];
  const texts = parts.map((part) => part?.text).filter(isText);
  return [...Object.keys(event?.tools ?? {}), event?.tools?.execute?.description ?? "", ...texts];
}

/** @param {string[]} a @param {string[]} b */
function sameTexts(a, b) {
  return a.length === b.length && a.every((text, at) => text === b[at]);
}

/** @param {any} ctx @param {number} timeoutMs @returns {Promise<Inventory>} */
async function read(ctx, timeoutMs) {
  const [tools, servers, skills] = await Promise.all(
    ["tool", "mcp", "skill"].map((name) => list(() => ctx?.[name]?.list?.(), timeoutMs)),
  );
  /** @type {Inventory} */
  const inventory = {};
  if (tools) inventory.tools = tools.filter((tool) => isText(tool?.id)).map(readTool);
  if (servers) inventory.servers = servers.map((server) => text(server?.name) ?? text(server?.id)).filter(isText);
  if (skills) {
    inventory.skills = skills
      .filter((skill) => isText(skill?.id))
      .map((skill) => ({ id: skill.id, description: text(skill.description) }));
  }
  return inventory;
}

/** Plain data only: the host's tool carries functions. @param {any} tool @returns {Tool} */
function readTool(tool) {
  const { codemode } = tool.options ?? {};
  return {
    id: tool.id,
    name: text(tool.name),
    namespace: text(tool.options?.namespace),
    description: text(tool.description),
    input: plain(tool.input),
    output: plain(tool.output),
    codemode: typeof codemode === "boolean" ? codemode : undefined,
  };
}

/** A schema as the JSON it stands for. @param {unknown} schema */
function plain(schema) {
  try {
    return schema && JSON.parse(JSON.stringify(schema));
  } catch {
    return undefined;
  }
}

/**
 * The host's list, bare or wrapped (opencode-host.md §3.2); nothing if it has none, fails, or takes too long.
 * @param {() => any} call @param {number} timeoutMs @returns {Promise<any[] | undefined>}
 */
async function list(call, timeoutMs) {
  const answer = await withTimeLimit(timeoutMs, call);
  const items = Array.isArray(answer) ? answer : answer?.data;
  return Array.isArray(items) ? items : undefined;
}

/** @param {unknown} value @returns {string | undefined} */
function text(value) {
  return isText(value) ? value : undefined;
}

/** @param {unknown} value @returns {value is string} */
function isText(value) {
  return typeof value === "string";
}
