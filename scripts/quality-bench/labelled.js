/**
 * Labelled sets: prompts, each with what it needs. It reads them from files, checks that what they need exists, and
 * names the file in every complaint. Lists of servers and skills are read by the stand-in host's own reader.
 *
 *     tasks:    [{ prompt, needs: [{ tool, servers: ["any", "of these"] }] }]
 *     queries:  [{ prompt, needs: ["skill-id"] }]
 */

import { readFileSync } from "node:fs";

/** @import { Server, Skill } from "../../tests/mini-host/types.js" */

/**
 * One thing that a prompt needs, in whichever of these places.
 * @typedef {{ kind: "tool", tool: string, servers: string[] } | { kind: "skill", id: string }} Need
 */
/** @typedef {{ prompt: string, needs: Need[] }} Task */

/**
 * What is measured together: prompts, and what they are chosen from.
 * @typedef {{ name: string, servers: Server[], skills: Skill[], tasks: Task[] }} LabelledSet
 */

/** A mistake in a file or a flag; the message is all there is to say. */
export class InputError extends Error {
  name = "InputError";
}

/**
 * @param {string} file @param {Server[]} servers @returns {Task[]}
 */
export function readTasks(file, servers) {
  return readPrompts(file, (need, place) => {
    const { tool, servers: names } = Object(need);
    if (typeof tool !== "string" || !isTexts(names)) throw new InputError(`${place} is not { tool, servers: [names] }`);
    const known = servers.filter((server) => names.includes(server.name));
    if (!known.some((server) => server.tools.some(({ name }) => name === tool))) {
      throw new InputError(`${place}: no server of ${names.join(", ")} has a tool "${tool}"`);
    }
    return { kind: "tool", tool, servers: names };
  });
}

/**
 * @param {string} file @param {Skill[]} skills @returns {Task[]}
 */
export function readQueries(file, skills) {
  return readPrompts(file, (need, place) => {
    if (!skills.some(({ id }) => id === need)) throw new InputError(`${place}: there is no skill "${need}"`);
    return { kind: "skill", id: String(need) };
  });
}

/**
 * Prompts that need nothing tell nothing of what is lost, so they are left out.
 * @param {string} file @param {(need: unknown, place: string) => Need} readNeed @returns {Task[]}
 */
function readPrompts(file, readNeed) {
  const list = readJson(file);
  if (!Array.isArray(list)) throw new InputError(`${file} is not a list of prompts`);
  const tasks = list.map((entry, at) => {
    const place = `${file}: prompt ${at + 1}`;
    const { prompt, needs } = Object(entry);
    if (typeof prompt !== "string" || prompt.trim() === "") throw new InputError(`${place} has no text`);
    if (!Array.isArray(needs)) throw new InputError(`${place} has no list of needs`);
    return { prompt, needs: needs.map((need, number) => readNeed(need, `${place}, need ${number + 1}`)) };
  });
  return tasks.filter(({ needs }) => needs.length > 0);
}

/** @param {string} file @returns {unknown} */
export function readJson(file) {
  let text;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    throw new InputError(`${file} cannot be read (${/** @type {NodeJS.ErrnoException} */ (error).code})`);
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new InputError(`${file} is not JSON (${/** @type {Error} */ (error).message})`);
  }
}

/** @param {unknown} value @returns {value is string[]} */
const isTexts = (value) => Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === "string");
