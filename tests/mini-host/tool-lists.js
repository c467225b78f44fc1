/**
 * Reads lists of tools and skills from files, in any of the forms in which such lists are passed around, into the
 * shape that the stand-in host takes. It checks what it needs and names the file in every complaint.
 *
 *     { server, tools: [...] }    { servers: [{ server, tools }] }    [{ server, description, tools }]
 *     [{ id, name, description }]    { "skill-id": "description" }
 */

import { readFileSync } from "node:fs";

/** @import { JsonSchema, Server, Skill, Tool } from "./types.js" */

/**
 * The short form of parameters that some registries use instead of a schema.
 * @typedef {{ name: string, type?: string, desc?: string, optional?: boolean, items?: JsonSchema }} Argument
 */

/**
 * A list's server descriptions are left out unless asked for: MCP servers reach the catalog without one
 * (opencode-host.md §6.1).
 * @param {string} file
 * @param {{ describe?: boolean }} [options]
 * @returns {Server[]}
 */
export const readServers = (file, options) => serversFrom(readJson(file), file, options);

/**
 * @param {string} file
 * @returns {Skill[]}
 */
export const readSkills = (file) => skillsFrom(readJson(file), file);

/**
 * @param {unknown} data
 * @param {string} source named in errors
 * @param {{ describe?: boolean }} [options]
 * @returns {Server[]}
 */
export function serversFrom(data, source, { describe = false } = {}) {
  const list = Array.isArray(data) ? data : isRecord(data) && "servers" in data ? data.servers : [data];
  if (!Array.isArray(list)) throw new TypeError(`${source}: "servers" is not a list`);
  return list.map((entry, at) => {
    const name = isRecord(entry) ? (entry.server ?? entry.name) : undefined;
    if (!isRecord(entry) || typeof name !== "string")
      throw new TypeError(`${source}: entry ${at + 1} does not name its server`);
    if (!Array.isArray(entry.tools)) throw new TypeError(`${source}: server "${name}" has no list of tools`);
    /** @type {Server} */
    const server = { name, tools: entry.tools.map((tool) => toolFrom(tool, `${source}: server "${name}"`)) };
    if (describe && typeof entry.description === "string") server.description = entry.description;
    if (typeof entry.instructions === "string") server.instructions = entry.instructions;
    if (typeof entry.codemode === "boolean") server.codemode = entry.codemode;
    return server;
  });
}

/**
 * @param {unknown} data
 * @param {string} source named in errors
 * @returns {Skill[]}
 */
export function skillsFrom(data, source) {
  if (Array.isArray(data)) return data.map((entry, at) => skillFrom(entry, `${source}: skill ${at + 1}`));
  if (!isRecord(data)) throw new TypeError(`${source}: neither a list of skills nor descriptions by name`);
  return Object.entries(data).map(([id, description]) =>
    skillFrom({ id, name: id, description }, `${source}: skill "${id}"`),
  );
}

/**
 * @param {unknown} data
 * @param {string} place
 * @returns {Tool}
 */
function toolFrom(data, place) {
  if (!isRecord(data) || typeof data.name !== "string") throw new TypeError(`${place} has a tool without a name`);
  /** @type {Tool} */
  const tool = { name: data.name, inputSchema: inputSchemaOf(data) };
  if (typeof data.description === "string") tool.description = data.description;
  if (isRecord(data.outputSchema)) tool.outputSchema = data.outputSchema;
  return tool;
}

/**
 * @param {Record<string, unknown>} tool
 * @returns {JsonSchema}
 */
function inputSchemaOf({ inputSchema, arguments: short }) {
  if (isRecord(inputSchema)) return inputSchema;
  const args = /** @type {Argument[]} */ (Array.isArray(short) ? short : []);
  return {
    type: "object",
    properties: Object.fromEntries(
      args.map(({ name, type = "string", desc, items }) => [
        name,
        { type, ...(items && { items }), ...(desc && { description: desc }) },
      ]),
    ),
    required: args.filter(({ optional }) => !optional).map(({ name }) => name),
  };
}

/**
 * @param {unknown} data
 * @param {string} place
 * @returns {Skill}
 */
function skillFrom(data, place) {
  if (!isRecord(data) || typeof data.id !== "string") throw new TypeError(`${place} has no id`);
  const { id, name = id, description } = data;
  if (typeof name !== "string" || typeof description !== "string") throw new TypeError(`${place} has no description`);
  return { id, name, description };
}

/** @param {string} file */
function readJson(file) {
  const text = readFileSync(file, "utf8");
  try {
    return /** @type {unknown} */ (JSON.parse(text));
  } catch (cause) {
    throw new SyntaxError(`${file}: not JSON (${/** @type {Error} */ (cause).message})`, { cause });
  }
}

/**
 * @param {unknown} value
 * @returns {value is Record<string, unknown>}
 */
const isRecord = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
