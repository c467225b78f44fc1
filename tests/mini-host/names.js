/**
 * How the host turns the names of servers and tools into namespaces, native tool names and Code Mode paths
 * (opencode-host.md §4.5 and §6.1). Which tools are listed where is decided elsewhere.
 */

/** @import { Server, Tool } from "./types.js" */

const IDENTIFIER = /^[A-Za-z_$][A-Za-z0-9_$]*$/;
const LONGEST_NAME = 64;

/** @param {string} name */
export const isIdentifier = (name) => IDENTIFIER.test(name);

/** @param {string} name */
export const sanitise = (name) => name.replace(/[^a-zA-Z0-9_-]/g, "_");

/**
 * @param {string} server
 * @param {string} tool
 */
export const nativeName = (server, tool) => `${sanitise(server)}_${sanitise(tool)}`;

/**
 * @param {string} server
 * @param {string} tool
 */
export const toolPath = (server, tool) => `tools${[server, tool].map(sanitise).map(accessor).join("")}`;

/** @param {string} name */
const accessor = (name) => (isIdentifier(name) ? `.${name}` : `[${JSON.stringify(name)}]`);

/**
 * The order of catalogs and native tools: by code unit, whatever the locale says.
 * @param {string} a
 * @param {string} b
 */
export const byCodeUnit = (a, b) => (a < b ? -1 : a > b ? 1 : 0);

/**
 * A name that is too long is skipped by the host with no more than a log line.
 * @param {Server} server
 * @returns {Tool[]}
 */
export const usableTools = (server) =>
  isUsable(server.name) ? server.tools.filter((tool) => isUsable(tool.name)) : [];

/** @param {string} name */
const isUsable = (name) => name.length > 0 && name.length <= LONGEST_NAME;

/** @param {Server} server */
export const isCodeMode = (server) => server.codemode !== false;
