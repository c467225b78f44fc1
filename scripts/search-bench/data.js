/**
 * The data that searches are measured on: tools, tasks and skills of public benchmarks (their folder is named by whoever
 * runs it), and a larger list made of them.
 */

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** @typedef {{ id: string, name: string, description: string, input: any, options: { namespace: string } }} Tool as OpenCode lists it */
/** @typedef {{ prompt: string, needs: string[][] }} Task each need is met by any one of some ids */
/** @typedef {{ id: string, name: string, description: string }} Skill */

const FILES = ["livemcpbench/servers.json", "livemcpbench/tasks.json", "metatool/skills.json", "metatool/queries.json"];

/** @param {string} folder */
export const missingFiles = (folder) => FILES.filter((file) => !existsSync(join(folder, file)));

/** @param {string} folder @param {string} file */
const read = (folder, file) => JSON.parse(readFileSync(join(folder, file), "utf8"));

/** @param {string} name */
const sanitise = (name) => name.replaceAll(/[^A-Za-z0-9_-]/g, "_");

/** @param {string} server @param {string} tool */
const idOf = (server, tool) => `${sanitise(server)}_${sanitise(tool)}`;

/** @param {string} folder @returns {{ tools: Tool[], tasks: Task[], skills: Skill[], queries: Task[] }} */
export function readData(folder) {
  const tools = read(folder, FILES[0] ?? "").flatMap((/** @type {any} */ { server, tools }) =>
    tools.map((/** @type {any} */ { name, description = "", inputSchema = {} }) =>
      ({ id: idOf(server, name), name, description, input: inputSchema, options: { namespace: sanitise(server) } })));
  const tasks = read(folder, FILES[1] ?? "").map((/** @type {any} */ { prompt, needs }) =>
    ({ prompt, needs: needs.map((/** @type {any} */ { tool, servers }) => servers.map((/** @type {string} */ server) => idOf(server, tool))) }));
  const skills = Object.entries(read(folder, FILES[2] ?? "")).map(([id, description]) => ({ id, name: id, description: String(description) }));
  const queries = read(folder, FILES[3] ?? "").map((/** @type {any} */ { prompt, needs }) =>
    ({ prompt, needs: needs.map((/** @type {string} */ id) => [id]) }));
  return { tools, tasks, skills, queries };
}

/** So many tools: the same ones again under other servers. @param {Tool[]} tools @param {number} count @returns {Tool[]} */
export function manyTools(tools, count) {
  return Array.from({ length: count }, (_, at) => {
    const tool = /** @type {Tool} */ (tools[at % tools.length]);
    const copy = Math.floor(at / tools.length);
    if (copy === 0) return tool;
    const namespace = `${tool.options.namespace}${copy}`;
    return { ...tool, id: `${namespace}_${sanitise(tool.name)}`, options: { namespace } };
  });
}

/** @typedef {{ id: string, server: string, name: string, description: string, parameters: string }} Texts */

/** What a library is given of a tool: words apart, and those of its schema at any depth. @param {Tool} tool @returns {Texts} */
export function textsOf({ id, name, description, input, options }) {
  return { id, server: apart(options.namespace), name: apart(name), description, parameters: apart(wordsOf(input).join(" ")) };
}

/** @param {string} text */
const apart = (text) => text.replaceAll(/([\p{Ll}\p{N}])(?=\p{Lu})/gu, "$1 ").replaceAll(/[_\-./]/g, " ");

/** @param {any} schema @returns {string[]} */
function wordsOf(schema) {
  if (typeof schema !== "object" || schema === null) return [];
  const inner = Object.entries(schema.properties ?? {}).flatMap(([name, field]) => [name, ...wordsOf(field)]);
  const said = typeof schema.description === "string" ? [schema.description] : [];
  return [...said, ...inner, ...wordsOf(schema.items)];
}
