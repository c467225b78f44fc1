/**
 * What the model sees of the tools and skills, read from the request as it leaves and not from what the plugin says of
 * itself.
 */

import { nativeName, sanitise, toolPath } from "../../tests/mini-host/names.js";

/** @import { Transcript } from "../../tests/mini-host/types.js" */
/** @import { Need } from "./labelled.js" */

/**
 * @typedef {object} Visible
 * @property {(server: string) => boolean} server whether it is named, or any of its tools is there
 * @property {(server: string, tool: string) => boolean} tool
 * @property {(id: string) => boolean} skill
 */

/** All texts that tell of tools and skills: the system text, and what is told of changes. @param {Transcript} transcript */
function textsOf({ system, messages }) {
  const told = messages.filter(({ role }) => role === "system").flatMap(({ content }) => content);
  return [...system, ...told].map(({ text }) => text).filter((text) => typeof text === "string");
}

/** @param {Transcript} transcript @returns {Visible} */
export function visibleIn(transcript) {
  const { tools } = transcript;
  const lines = textsOf(transcript).flatMap((text) => text.split("\n"));
  const native = Object.keys(tools);
  // A catalog entry goes on in the lines behind it; its path ends before the first bracket of its input.
  const entries = new Set(lines.filter((line) => line.startsWith("  - tools")).map((line) => line.slice(4).split("(")[0]));
  const headers = new Set(lines.filter((line) => line.startsWith("- ")).map((line) => line.slice(2).split(" ")[0]));
  const skills = new Set(lines.filter((line) => line.startsWith("    <id>")).map((line) => line.slice(8, -5)));
  return {
    server: (server) => headers.has(sanitise(server)) || native.some((name) => name.startsWith(nativeName(server, ""))),
    tool: (server, tool) => entries.has(toolPath(server, tool)) || Object.hasOwn(tools, nativeName(server, tool)),
    skill: (id) => skills.has(id),
  };
}

/**
 * `named`: its server is still named in the catalog, so that `search({ namespace })` lists it.
 * @typedef {{ server: boolean, shown: boolean, named: boolean }} Met
 */

/** @param {Need} need @param {Visible} visible @param {boolean} canSearch @returns {Met} */
export function metBy(need, visible, canSearch) {
  if (need.kind === "skill") {
    const shown = visible.skill(need.id);
    return { server: shown, shown, named: shown };
  }
  const server = need.servers.some((name) => visible.server(name));
  const shown = need.servers.some((name) => visible.tool(name, need.tool));
  return { server, shown, named: shown || (canSearch && server) };
}

/**
 * Everything in which lists stand, in characters: those texts and the tools.
 * @param {Transcript} transcript
 */
export function sizeOf(transcript) {
  const texts = textsOf(transcript).reduce((sum, text) => sum + text.length, 0);
  const defined = Object.entries(transcript.tools).map(([name, tool]) => JSON.stringify({ name, ...tool }).length);
  return texts + defined.reduce((sum, length) => sum + length, 0);
}
