/**
 * What users work on: a topic needs some servers, of these some tools, and some skills; other things are near to it, and
 * all the rest is far from it. How that becomes an answer of Jev is told in scores.js.
 */

import { randomFrom } from "./random.js";

/** @import { Server, Skill } from "../../tests/mini-host/types.js" */

/** @typedef {"needed" | "near" | "far"} Need */

/**
 * Servers by their name, tools by `server.tool`, skills by their id.
 * @typedef {object} Topic
 * @property {string} name
 * @property {{ server: string, tool: string }[]} tools that are needed
 * @property {string[]} skills that are needed
 * @property {(subject: string) => Need} need
 */

/**
 * @param {string} name topics of different names need different things
 * @param {{ servers: readonly Server[], skills: readonly Skill[] }} offered
 * @param {number} first the server that is needed in any case
 * @returns {Topic}
 */
export function makeTopic(name, { servers, skills }, first) {
  const random = randomFrom(`topic ${name}`);
  const at = (/** @type {number} */ place) => /** @type {Server} */ (servers[place % servers.length]);
  const needed = [at(first), ...(random.chance(0.4) ? [at(first + 3)] : [])].filter(isFirst);
  const near = at(first + 1);
  const tools = needed.flatMap((server) =>
    some(random, server.tools, random.whole(2, 3)).map((tool) => ({ server: server.name, tool: tool.name })),
  );
  const ids = some(random, skills, Math.min(skills.length - 1, 4)).map(({ id }) => id);
  const skillsNeeded = ids.slice(0, random.whole(0, 1));
  const wanted = new Set([...needed.map(({ name }) => name), ...tools.map(pathOf), ...skillsNeeded]);
  // Of a needed server all tools sound alike; so does one other server, and a few skills.
  const alike = new Set([
    near.name,
    ...needed.flatMap((server) => server.tools.map((tool) => pathOf({ server: server.name, tool: tool.name }))),
    ...ids,
  ]);
  return {
    name,
    tools,
    skills: skillsNeeded,
    need: (subject) => (wanted.has(subject) ? "needed" : alike.has(subject) ? "near" : "far"),
  };
}

/** @param {{ server: string, tool: string }} tool */
export const pathOf = ({ server, tool }) => `${server}.${tool}`;

/** @type {<T>(item: T, at: number, list: T[]) => boolean} */
const isFirst = (item, at, list) => list.indexOf(item) === at;

/**
 * @template T
 * @param {import("./random.js").Random} random
 * @param {readonly T[]} list
 * @param {number} count
 */
function some(random, list, count) {
  const left = [...list];
  return Array.from({ length: Math.min(count, left.length) }, () => {
    const [picked] = left.splice(random.whole(0, left.length - 1), 1);
    return /** @type {T} */ (picked);
  });
}
