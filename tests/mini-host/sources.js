/**
 * Joins everything that a session is told at its start into the system text (opencode-host.md §1.1, §1.2). Each
 * source is rendered elsewhere; when the text is rendered anew is the host's affair.
 */

import { renderCatalog } from "./catalog.js";
import { renderInstructions } from "./instructions.js";
import { renderSkills } from "./skills.js";

/** @import { Server, Skill } from "./types.js" */

/**
 * Which order the sources stand in: `new` puts what most sessions share first, `old` is that of 2.0.16.
 * @typedef {"new" | "old"} SourceOrder
 */

/**
 * @typedef {object} Sources
 * @property {Server[]} servers
 * @property {Skill[]} skills
 * @property {string} directory
 * @property {string} [agentsMd]
 * @property {number} [budget]
 * @property {SourceOrder} order
 * @property {boolean} catalog false when the catalog is told in the description of `execute` instead
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
export function sessionText({ servers, skills, directory, agentsMd, budget, order, catalog }) {
  /** @type {Record<(typeof ORDERS)[SourceOrder][number], string | undefined>} */
  const texts = {
    catalog: catalog ? renderCatalog(servers, { budget }) : undefined,
    instructions: renderInstructions(servers),
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
