// Reads the host's own lists of tools, skills and MCP servers, where it has them (opencode-host.md §3.2). They
// are empty during setup, so they are read in the hook, and again when a request offers something else.
import { textsIn } from "./event.js";
import { encode } from "./encoded-list.js";
import { isText } from "./values.js";
import { withTimeLimit } from "./with-time-limit.js";

/**
 * What the core takes: lists with their fields in a row (see crate/src/candidates/inventory.rs), and the schemas of one tool at
 * a time, `{ input?, output? }` as JSON.
 * @typedef {object} Inventory
 * @property {string} [tools]
 * @property {string} [servers]
 * @property {string} [skills]
 * @property {string} [unseenServers]
 * @property {(tool: number) => string | undefined} [schemas]
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
const MAX_KNOWN = 6;

/** What a request offers: the names of its tools, and the texts that may tell of others. @param {any} event @returns {string[]} */
function offers(event) {
  return [...Object.keys(event?.tools ?? {}), ...textsIn(event).map(({ text }) => text)];
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
  const known = tools?.filter(hasId);
  return {
    tools: known && encode(known.flatMap(({ id, name, description, options }) =>
      [id, name, options?.namespace, description, options?.codemode === false ? "native" : ""])),
    servers: servers && encode(servers.map((server) => text(server?.name) ?? server?.id)),
    skills: skills && encode(skills.filter(hasId).flatMap(({ id, description }) => [id, description])),
    schemas: (at) => schemasOf(known?.[at]),
  };
}

/** @param {any} item */
const hasId = (item) => isText(item?.id) && item.id !== "";

/** @param {any} tool @returns {string | undefined} */
function schemasOf(tool) {
  try {
    return tool && JSON.stringify({ input: tool.input, output: tool.output });
  } catch {
    return undefined;
  }
}

/**
 * The host's list, bare or wrapped (opencode-host.md §3.2); nothing if it has none, fails, or takes too long.
 * @param {() => any} call @param {number} timeoutMs @returns {Promise<any[] | undefined>}
 */
export async function list(call, timeoutMs) {
  const answer = await withTimeLimit(timeoutMs, call);
  const items = Array.isArray(answer) ? answer : answer?.data;
  return Array.isArray(items) ? items : undefined;
}

/** @param {unknown} value @returns {string | undefined} */
function text(value) {
  return isText(value) ? value : undefined;
}
