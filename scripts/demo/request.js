/**
 * Makes the one request of the demo as OpenCode would, with the plugin loaded from the checkout's entry, and collects
 * what came of it. Where the tools come from and how all is shown is told elsewhere.
 */

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import plugin from "../../index.js";
import { MiniHost } from "../../tests/mini-host/index.js";

/** @import { Server, Skill, Step, Transcript } from "../../tests/mini-host/types.js" */

/**
 * What the demo needs of the plugin's own account of the request.
 * @typedef {object} Report
 * @property {boolean} applied
 * @property {string} [skipped]
 * @property {unknown[]} [errors]
 */

/**
 * @param {object} request
 * @param {Server[]} request.servers
 * @param {Skill[]} request.skills
 * @param {string} request.prompt
 * @param {number} [request.budget]
 * @param {Record<string, unknown>} request.options of the plugin
 * @returns {Promise<{ step: Step, report: Report | undefined }>} no report if the plugin did not come that far
 */
export async function sendThroughPlugin({ servers, skills, prompt, budget, options }) {
  const directory = mkdtempSync(join(tmpdir(), "jev-pruner-demo-"));
  const log = join(directory, "log");
  try {
    const host = new MiniHost({ servers, skills, budget, ctx: { toolList: true } });
    await host.load(plugin, { ...options, debug_log_file: log }, { directory });
    const step = await host.prompt(prompt);
    await host.unload();
    return { step, report: await readReport(log) };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/**
 * Nobody waits for the log, so it may be written a moment later.
 * @param {string} file
 * @returns {Promise<Report | undefined>}
 */
async function readReport(file) {
  for (let waited = 0; waited < 1000; waited += 10) {
    const lines = readLines(file);
    const found = lines.find(({ event }) => event === "report");
    if (found || lines.some(({ event }) => event === "disabled")) return found;
    await sleep(10);
  }
  return undefined;
}

/** @param {string} file @returns {any[]} the complete lines */
function readLines(file) {
  try {
    const text = readFileSync(file, "utf8");
    return text.slice(0, text.lastIndexOf("\n") + 1).split("\n").filter(Boolean).map((line) => JSON.parse(line));
  } catch {
    return [];
  }
}

/**
 * Everything of a request that may hold lists of tools and skills, but for the tool definitions.
 * @param {Transcript} transcript
 */
export function textOf({ system, messages, tools }) {
  const told = messages.filter(({ role }) => role === "system").flatMap(({ content }) => content);
  const texts = [...system, ...told].map(({ text }) => text).filter((text) => typeof text === "string");
  return [...texts, tools.execute?.description ?? ""].join("\n\n");
}

/**
 * The size of each tool definition, by name, in characters.
 * @param {Transcript} transcript
 */
export const toolSizes = ({ tools }) =>
  new Map(Object.entries(tools).map(([name, tool]) => [name, JSON.stringify({ name, ...tool }).length]));
