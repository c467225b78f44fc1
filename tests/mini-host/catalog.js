/**
 * Renders the Code Mode catalog: as the 2.0 instruction source (opencode-host.md §6.1), as the betas before had it, and
 * as the description that the July beta gave to `execute` (§6.2). Which entries fit is decided in budget.js, what
 * stands around the list in catalog-heads.js, types in schema-types.js, and what is told of changes in changes.js.
 *
 *     - parcel-desk (9 tools, 1 shown)
 *       - tools["parcel-desk"].track({
 *       number: string,
 *     }): Promise<unknown> // Where a parcel is
 */

import { DEFAULT_BUDGET, fill, tokens } from "./budget.js";
import { NO_TOOLS, headOf } from "./catalog-heads.js";
import { byCodeUnit, isCodeMode, sanitise, toolPath, usableTools } from "./names.js";
import { typeText } from "./schema-types.js";

/** @import { Entry, Namespace } from "./budget.js" */
/** @import { Server, Tool } from "./types.js" */

/**
 * How a catalog is written: `v4` is 2.0's, `v3` and `v2` are those of the betas before, `v1c` stood in the description
 * of `execute`.
 * @typedef {"v4" | "v3" | "v2" | "v1c"} Rendering
 */

/**
 * The budget is in tokens of four characters; Infinity shows everything.
 * @typedef {{ budget?: number, rendering?: Rendering }} CatalogOptions
 */

/**
 * What a catalog says, before it is written down.
 * @typedef {object} Catalog
 * @property {Namespace[]} namespaces
 * @property {Set<Entry>} shown
 * @property {boolean} isComplete
 * @property {number} total of tools
 */

const LONGEST_DESCRIPTION = 120;

/**
 * Which tools a catalog has and shows. The betas knew no namespace descriptions, and V1c had an order of its own.
 * @param {Server[]} servers
 * @param {CatalogOptions} [options]
 * @returns {Catalog}
 */
export function catalogOf(servers, { budget = DEFAULT_BUDGET, rendering = "v4" } = {}) {
  const isOldest = rendering === "v1c";
  /** @type {(a: string, b: string) => number} */
  const compare = isOldest ? (a, b) => a.localeCompare(b) : byCodeUnit;
  const all = namespacesOf(servers, rendering === "v4" ? catalogEntry : betaEntry);
  const namespaces = rendering === "v4" ? all : all.map(({ name, entries }) => ({ name, entries }));
  namespaces.sort((a, b) => compare(a.name, b.name));
  if (!isOldest) for (const { entries } of namespaces) entries.sort((a, b) => byCodeUnit(a.path, b.path));
  // The header of every namespace is paid for before any entry, at the length it has with nothing shown.
  const headers = isOldest ? 0 : namespaces.reduce((sum, namespace) => sum + tokens(header(namespace, 0)), 0);
  const shown = fill(namespaces, budget - headers, compare);
  const total = namespaces.reduce((sum, { entries }) => sum + entries.length, 0);
  return { namespaces, shown, total, isComplete: shown.size === total };
}

/**
 * A catalog as it stands in the system text or, with `v1c`, in the description of `execute`.
 * @param {Server[]} servers
 * @param {CatalogOptions} [options]
 */
export function renderCatalog(servers, { budget, rendering = "v4" } = {}) {
  return writeCatalog(catalogOf(servers, { budget, rendering }), rendering);
}

/**
 * The description of `execute` in the July beta.
 * @param {Server[]} servers
 * @param {{ budget?: number }} [options]
 */
export const renderCatalogV1c = (servers, { budget } = {}) => renderCatalog(servers, { budget, rendering: "v1c" });

/**
 * @param {Catalog} catalog
 * @param {Rendering} rendering
 */
export function writeCatalog({ namespaces, shown, isComplete, total }, rendering) {
  if (total === 0) return NO_TOOLS[rendering];
  const { before, behind } = headOf(rendering, { isComplete, shown: shown.size, total });
  return `${before}\n\n${listing(namespaces, shown)}${behind}`;
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
