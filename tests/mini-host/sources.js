/**
 * Joins everything that a session is told at its start into the system text (opencode-host.md §1.1, §1.2). Each
 * source is rendered elsewhere; when the text is rendered anew is the host's affair.
 */

import { writeCatalog } from "./catalog.js";
import { catalogSource, instructionsSource } from "./changes.js";
import { renderInstructions } from "./instructions.js";
import { renderSkills } from "./skills.js";

/** @import { Inventory, Wording } from "./changes.js" */

/**
 * Which order the sources stand in: `new` puts what most sessions share first, `old` is that of 2.0.16.
 * @typedef {"new" | "old"} SourceOrder
 */

/**
 * `catalog: false` leaves the catalog out.
 * @typedef {Inventory & Wording & { directory: string, agentsMd?: string, catalog?: boolean }} Sources
 */

/** @type {Record<SourceOrder, ReadonlyArray<"catalog" | "instructions" | "skills" | "agents" | "environment" | "date">>} */
const ORDERS = {
  new: ["catalog", "instructions", "skills", "agents", "environment", "date"],
  old: ["environment", "date", "catalog", "agents", "skills", "instructions"],
};

/**
 * A source with nothing to say leaves no trace.
 * @param {Sources} sources
 */
export function sessionText({ directory, agentsMd, order = "new", catalog: hasCatalog = true, ...sources }) {
  const { rendering = "v4", instructionsStyle, skills } = sources;
  const catalog = hasCatalog ? catalogSource(sources, sources) : undefined;
  /** @type {Record<(typeof ORDERS)[SourceOrder][number], string | undefined>} */
  const texts = {
    catalog: catalog && writeCatalog(catalog, rendering),
    instructions: renderInstructions(instructionsSource(sources), instructionsStyle),
    skills: renderSkills(skills),
    agents: agentsMd === undefined ? undefined : `Instructions from: ${directory}/AGENTS.md\n${agentsMd}`,
    environment: environment(directory),
    date: "Today's date: Thu Jan 01 2026",
  };
  return ORDERS[order]
    .map((source) => texts[source])
    .filter((text) => text !== undefined)
    .join("\n\n");
}

/** @param {string} directory */
function environment(directory) {
  return [
    "Here is some useful information about the environment you are running in:",
    "<env>",
    `  Working directory: ${directory}`,
    "  Platform: linux",
    "</env>",
  ].join("\n");
}
