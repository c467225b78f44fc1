/**
 * Reads and cuts what the real host rendered, by plain string work and unlike the plugin does. Each cut fails where there
 * is nothing to cut.
 */

import assert from "node:assert/strict";

import { cutLines, elementOf } from "../plugin/surgery.js";

/** @import { ModelRequest } from "./model-server.js" */

/** @param {Pick<ModelRequest, "tools">} request */
export const toolNames = ({ tools }) => tools.map(({ function: { name } }) => name);

/** The names of all skills in their order. @param {string} system */
export const skillNames = (system) =>
  [...system.matchAll(/^ {4}<name>(.*)<\/name>$/gm)].map(([, name]) => String(name));

/** The servers whose instructions are told, in their order. @param {string} system */
export const instructedServers = (system) =>
  [...system.matchAll(/^ {2}<server name="(.*)">$/gm)].map(([, name]) => String(name));

/**
 * The text without the skills and server instructions of these names.
 * @param {string} system
 * @param {{ skills?: string[], instructions?: string[] }} gone
 */
export function without(system, { skills = [], instructions = [] }) {
  const pieces = [
    ...skills.map((name) => skillElement(system, name)),
    ...instructions.map((name) => elementOf(system, name)),
  ];
  return pieces.reduce(cutLines, system);
}

/** From the first line of a section to its last. @param {string} system @param {string} first @param {string} last */
export function section(system, first, last) {
  const start = `\n${system}`.indexOf(`\n${first}`);
  const end = `${system}\n`.indexOf(`\n${last}\n`);
  assert.ok(start >= 0 && end > start, `no section from ${first} to ${last}`);
  return system.slice(start, end + 1 + last.length);
}

/** @param {string} system */
export const skillsSection = (system) => section(system, "Skills provide", "</available_skills>");

/** @param {string} system */
export const instructionsSection = (system) => section(system, "<mcp_instructions>", "</mcp_instructions>");

/** @param {string} system @param {string} name */
function skillElement(system, name) {
  const start = system.indexOf(`  <skill>\n    <name>${name}</name>\n`);
  const end = system.indexOf("\n  </skill>\n", start);
  assert.ok(start >= 0 && end > start, `no skill ${name}`);
  return system.slice(start, end + "\n  </skill>".length);
}

/**
 * Two requests are the same, down to the order of everything. What differs is told without the rest.
 * @param {Pick<ModelRequest, "body"> | undefined} request @param {Pick<ModelRequest, "body"> | undefined} reference
 */
export function assertSameRequest(request, reference) {
  assert.ok(request && reference, "no request");
  for (const key of new Set([...Object.keys(reference.body), ...Object.keys(request.body)])) {
    assert.deepEqual(request.body[key], reference.body[key], key);
  }
  assert.equal(JSON.stringify(request.body), JSON.stringify(reference.body), "the order differs");
}
