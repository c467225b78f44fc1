/**
 * Small servers and skills, made of the few words that a test is about.
 *
 *     server("postgres", { query: "Run a query." }, { instructions: "Be careful." })
 */

/** @import { Server, Skill } from "../mini-host/types.js" */

/**
 * @param {string} name
 * @param {Record<string, string> | string[]} tools descriptions by name, or only names
 * @param {Partial<Server>} [more]
 * @returns {Server}
 */
export const server = (name, tools, more = {}) => ({
  name,
  tools: Array.isArray(tools)
    ? tools.map((tool) => ({ name: tool }))
    : Object.entries(tools).map(([tool, description]) => ({ name: tool, description })),
  ...more,
});

/** Offers its tools natively. @param {string} name @param {Record<string, string> | string[]} tools @param {Partial<Server>} [more] */
export const nativeServer = (name, tools, more = {}) => server(name, tools, { codemode: false, ...more });

/**
 * Skills whose name is their id.
 * @param {Record<string, string> | string[]} skills descriptions by id, or only ids
 * @returns {Skill[]}
 */
export const skillList = (skills) =>
  (Array.isArray(skills) ? skills.map((id) => [id, `All about ${id}.`]) : Object.entries(skills)).map(
    ([id, description]) => ({ id: String(id), name: String(id), description }),
  );

/** @param {number} count @param {string} stem */
export const numbered = (count, stem) =>
  Array.from({ length: count }, (_, at) => `${stem}_${String(at).padStart(3, "0")}`);
