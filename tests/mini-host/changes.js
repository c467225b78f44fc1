/**
 * What the host tells when its inventory became another during a session (opencode-host.md §1.4, §6.3, §7, §8): the
 * changed sources of two inventories, joined by a blank line, for one role-system message. The lists as they stand at
 * the start of a session are written in catalog.js, instructions.js and skills.js; when something is told is host.js.
 *
 * Each source has the same four forms:
 *
 *     it was not there        the list as at the start of a session, without a word about a change
 *     it is gone              one sentence
 *     additions and removals  a sentence in front of what is new, a sentence that names what is gone
 *     anything else           a sentence that says that the old list is void, and the list stated anew
 *
 * The sentences begin with the host's words; how they go on is ours.
 */

import { catalogOf, writeCatalog } from "./catalog.js";
import { instructingServers, renderInstructions, serverElements } from "./instructions.js";
import { isCodeMode } from "./names.js";
import { listedSkills, renderSkills, skillElements } from "./skills.js";

/** @import { Entry } from "./budget.js" */
/** @import { Catalog, Rendering } from "./catalog.js" */
/** @import { InstructionsStyle } from "./instructions.js" */
/** @import { SourceOrder } from "./sources.js" */
/** @import { Server, Skill } from "./types.js" */

/**
 * What a session can use; with `canExecute: false` the agent may run no code, so that no Code Mode tool is in reach.
 * @typedef {{ servers: Server[], skills: Skill[], canExecute?: boolean }} Inventory
 */

/**
 * @typedef {object} Wording
 * @property {number} [budget] of the catalog
 * @property {Rendering} [rendering]
 * @property {InstructionsStyle} [instructionsStyle]
 * @property {SourceOrder} [order]
 */

/**
 * @param {Inventory} before
 * @param {Inventory} after
 * @param {Wording} [wording]
 * @returns {string | undefined} nothing where nothing that is told of has changed
 */
export function renderChanges(before, after, wording = {}) {
  const catalog = catalogChange(before, after, wording);
  const instructions = instructionsChange(before, after, wording.instructionsStyle);
  const skills = skillsChange(before, after);
  const texts = wording.order === "old" ? [catalog, skills, instructions] : [catalog, instructions, skills];
  const told = texts.filter((text) => text !== undefined);
  return told.length === 0 ? undefined : told.join("\n\n");
}

/**
 * The catalog, where it is a source of its own.
 * @param {Inventory} inventory
 * @param {Wording} wording
 * @returns {Catalog | undefined}
 */
export function catalogSource({ servers, canExecute = true }, { budget, rendering = "v4" }) {
  if (rendering === "v1c" || !canExecute) return undefined;
  const catalog = catalogOf(servers, { budget, rendering });
  // V2 had nothing to say of an empty catalog; later renderings say so in a sentence.
  return rendering === "v2" && catalog.total === 0 ? undefined : catalog;
}

/**
 * The servers whose instructions are of use.
 * @param {Inventory} inventory
 */
export const instructionsSource = ({ servers, canExecute = true }) =>
  canExecute ? servers : servers.filter((server) => !isCodeMode(server));

/**
 * @param {Inventory} before
 * @param {Inventory} after
 * @param {Wording} wording
 */
function catalogChange(before, after, wording) {
  const { rendering = "v4" } = wording;
  const [previous, current] = [catalogSource(before, wording), catalogSource(after, wording)];
  if (!current) return previous && "Code Mode tools are no longer available. Forget those that were listed.";
  const stated = writeCatalog(current, rendering);
  if (!previous) return stated;
  if (writeCatalog(previous, rendering) === stated) return undefined;
  const anew = `The Code Mode tool catalog has changed. This catalog supersedes all that was listed before.\n\n${stated}`;
  const paragraphs = catalogParagraphs(previous, current);
  const told = ["The Code Mode tool catalog has changed.", ...paragraphs].join("\n\n");
  return paragraphs.length > 0 && told.length < anew.length ? told : anew;
}

/**
 * Of a complete catalog the entries are told, of a partial one only the sizes of its namespaces; none where that would
 * not tell everything.
 * @param {Catalog} previous
 * @param {Catalog} current
 */
function catalogParagraphs(previous, current) {
  const crosses = previous.isComplete !== current.isComplete || current.total === 0;
  if (crosses || descriptions(previous) !== descriptions(current)) return [];
  const entries = difference(
    shownEntries(previous),
    shownEntries(current),
    ({ path }) => path,
    ({ line }) => line,
  );
  if (current.isComplete) return entryParagraphs(entries);
  if (entries.added.length + entries.changed.length + entries.removed.length > 0) return [];
  return namespaceParagraphs(
    difference(
      sizes(previous),
      sizes(current),
      ({ name }) => name,
      ({ size }) => size,
    ),
  );
}

/** @param {Catalog} catalog */
const descriptions = ({ namespaces }) =>
  JSON.stringify(
    namespaces.filter(({ description }) => description).map(({ name, description }) => [name, description]),
  );

/** @param {Catalog} catalog */
const shownEntries = ({ namespaces, shown }) =>
  namespaces.flatMap(({ entries }) => entries.filter((entry) => shown.has(entry)));

/** @param {Catalog} catalog */
const sizes = ({ namespaces }) => namespaces.map(({ name, entries }) => ({ name, size: entries.length }));

/** @param {Difference<Entry>} entries */
function entryParagraphs({ added, changed, removed }) {
  const listed = (/** @type {string} */ sentence, /** @type {Entry[]} */ entries) =>
    entries.length === 0 ? [] : [[sentence, ...entries.map(({ line }) => line)].join("\n")];
  return [
    ...listed("New tools are available in addition to those previously listed:", added),
    ...listed("Changed tool listings supersede the previously listed ones:", changed),
    ...enumerated("The following tools are no longer available and must not be called: ", removed.map(callOf)),
  ];
}

/** `tools.notes["add-many"]`, as its entry begins. @param {Entry} entry */
const callOf = ({ line }) => line.slice("  - ".length, line.indexOf("("));

/** @param {Difference<{ name: string, size: number }>} namespaces */
const namespaceParagraphs = ({ added, changed, removed }) => [
  ...enumerated(
    "New tool namespaces are available: ",
    added.map(({ name, size }) => `\`${name}\` (${size} tools)`),
  ),
  ...enumerated(
    "The following namespace inventories changed; look anew before you count on what was found: ",
    changed.map(({ name, size }) => `\`${name}\` now has ${size} tools`),
  ),
  ...enumerated(
    "The following tool namespaces are no longer available and must be left alone: ",
    removed.map(({ name }) => `\`${name}\``),
  ),
];

/**
 * @param {Inventory} before
 * @param {Inventory} after
 * @param {InstructionsStyle} [style]
 */
function instructionsChange(before, after, style) {
  const [previous, current] = [before, after].map(instructionsSource).map(instructingServers);
  return listChange(/** @type {Server[]} */ (previous), /** @type {Server[]} */ (current), {
    keyOf: ({ name }) => name,
    textOf: (server) => serverElements([server], style).join("\n"),
    state: (servers) => /** @type {string} */ (renderInstructions(servers, style)),
    gone: "MCP server instructions are no longer available.",
    anew: "The available MCP server instructions have changed. What follows takes their place.",
    // How the old wording told of single servers is not known.
    added:
      style === "old" ? undefined : "New MCP server instructions are available in addition to those previously listed:",
    removed: "Instructions for the following MCP servers are no longer available: ",
  });
}

/**
 * @param {Inventory} before
 * @param {Inventory} after
 */
function skillsChange(before, after) {
  return listChange(listedSkills(before.skills), listedSkills(after.skills), {
    keyOf: ({ id }) => id,
    textOf: (skill) => skillElements([skill]).join("\n"),
    state: (skills) => /** @type {string} */ (renderSkills(skills)),
    gone: "Skill guidance is no longer available. Load none of those that were listed.",
    anew: "The available skills have changed. This list supersedes the one before.",
    added: "New skills are available in addition to those previously listed:",
    removed: "The following skill IDs are no longer available and must not be used: ",
  });
}

/**
 * What is told of a list whose items stand behind one another.
 * @template T
 * @param {T[]} previous
 * @param {T[]} current
 * @param {object} words
 * @param {(item: T) => string} words.keyOf
 * @param {(item: T) => string} words.textOf
 * @param {(items: T[]) => string} words.state
 * @param {string} words.gone
 * @param {string} words.anew
 * @param {string | undefined} words.added undefined where additions are not told alone
 * @param {string} words.removed
 * @returns {string | undefined}
 */
function listChange(previous, current, { keyOf, textOf, state, gone, anew, added, removed }) {
  const items = difference(previous, current, keyOf, textOf);
  if (items.added.length + items.changed.length + items.removed.length === 0) return undefined;
  if (current.length === 0) return gone;
  if (previous.length === 0) return state(current);
  if (items.changed.length > 0 || (items.added.length > 0 && added === undefined)) return `${anew}\n${state(current)}`;
  return [
    ...(items.added.length > 0 ? [added, ...items.added.map(textOf)] : []),
    ...enumerated(removed, items.removed.map(keyOf)),
  ].join("\n");
}

/** A sentence that ends with names, if there are any. @param {string} sentence @param {string[]} names */
const enumerated = (sentence, names) => (names.length === 0 ? [] : [`${sentence}${names.join(", ")}.`]);

/**
 * @template T
 * @typedef {{ added: T[], changed: T[], removed: T[] }} Difference
 */

/**
 * @template T
 * @param {T[]} before
 * @param {T[]} after
 * @param {(item: T) => string} keyOf
 * @param {(item: T) => unknown} valueOf
 * @returns {Difference<T>}
 */
function difference(before, after, keyOf, valueOf) {
  const known = new Map(before.map((item) => [keyOf(item), valueOf(item)]));
  const left = new Set(after.map(keyOf));
  return {
    added: after.filter((item) => !known.has(keyOf(item))),
    changed: after.filter((item) => known.has(keyOf(item)) && known.get(keyOf(item)) !== valueOf(item)),
    removed: before.filter((item) => !left.has(keyOf(item))),
  };
}
