/**
 * Starts measurements, each in a process of its own so that none warms up another, in one runtime or the other. What
 * is measured is told in load.js and measure.js, what it means in report.js.
 */

import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { devNull } from "node:os";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { summary } from "./stats.js";

/** @import { Case, Measured } from "./measure.js" */
/** @import { MeasuredHistory } from "./measure-history.js" */
/** @import { Summary } from "./stats.js" */

const SMALL = { servers: 10, tools: 250, skills: 60 };
const LARGE = { servers: 100, tools: 2500, skills: 600 };

/** @typedef {"small" | "large"} SizeName */

/** How often each thing is done. @typedef {{ loads: number, firsts: number, small: number, large: number, history: number }} Effort */

/** @type {Record<"usual" | "quick", Effort>} */
export const EFFORTS = {
  usual: { loads: 15, firsts: 7, small: 300, large: 60, history: 40 },
  quick: { loads: 1, firsts: 1, small: 3, large: 1, history: 1 },
};

/** @typedef {{ name: string, command: string, version: string }} Runtime */

/**
 * @typedef {object} Measurements
 * @property {Runtime} runtime
 * @property {Record<"glue" | "module" | "call", Summary>} load
 * @property {Summary} first of a process that has done nothing yet
 * @property {Summary} firstRehearsed of one that has rehearsed
 * @property {Measured} small
 * @property {Measured} large
 * @property {MeasuredHistory} history
 */

/**
 * One part of a request changed.
 * @typedef {{ label: string, change: Omit<Case, "size" | "warmUp" | "runs"> }} Variant
 */

/** @type {Variant[]} */
const VARIANTS = [
  { label: "as above", change: {} },
  { label: "nothing but skills (prune_mcp_tools: false)", change: { options: { prune_mcp_tools: false } } },
  { label: "nothing but tools (prune_skills: false)", change: { options: { prune_skills: false } } },
  { label: "all servers in the catalog, no native tools", change: { parts: { native: false } } },
  { label: "no history but the prompt", change: { parts: { history: false } } },
  { label: "ASCII letters only", change: { parts: { ascii: true } } },
  { label: "a host that lists nothing when asked", change: { lists: false } },
  { label: "one phase", change: { options: { enable_two_phase_gating: false } } },
  { label: "with the console report", change: { options: { debug_mode: true, debug_log_file: devNull } } },
];

/** @returns {Runtime} */
export const node = () => ({ name: "Node", command: process.execPath, version: process.versions.node });

/** @returns {Promise<Runtime | string>} why there is none, if there is none */
export async function bun() {
  const command = fileURLToPath(new URL("../../node_modules/.bin/bun", import.meta.url));
  if (!existsSync(command)) return "Bun is skipped: there is no node_modules/.bin/bun; `npm install` brings it.";
  try {
    const { stdout } = await promisify(execFile)(command, ["--version"]);
    return { name: "Bun", command, version: stdout.trim() };
  } catch (error) {
    const [reason] = /** @type {Error} */ (error).message.split("\n");
    return `Bun is skipped: node_modules/.bin/bun does not run (${reason}).`;
  }
}

/**
 * @param {Runtime} runtime
 * @param {Effort} effort
 * @returns {Promise<Measurements>}
 */
export async function measureAll(runtime, effort) {
  /** @type {Record<"glue" | "module" | "call", number>[]} */
  const loads = [];
  for (let run = 0; run < effort.loads; run++) loads.push(await inProcess(runtime, "load.js"));
  /** @param {boolean} rehearsed */
  const firsts = async (rehearsed) => {
    const times = [];
    for (let run = 0; run < effort.firsts; run++) {
      times.push((await measureCase(runtime, { size: SMALL, warmUp: 0, runs: 1, rehearsed })).first);
    }
    return summary(times);
  };
  /** @param {"glue" | "module" | "call"} part */
  const timeOf = (part) => summary(loads.map((load) => load[part]));
  return {
    runtime,
    load: { glue: timeOf("glue"), module: timeOf("module"), call: timeOf("call") },
    first: await firsts(false),
    firstRehearsed: await firsts(true),
    small: await measureCase(runtime, caseOf("small", effort)),
    large: await measureCase(runtime, caseOf("large", effort)),
    history: await inProcess(runtime, "measure-history.js", JSON.stringify(warmed(effort.history))),
  };
}

/**
 * Where the time goes, as far as leaving things out can tell.
 * @param {Runtime} runtime
 * @param {Effort} effort
 * @returns {Promise<{ label: string, measured: Measured }[]>}
 */
export async function breakDown(runtime, effort) {
  const rows = [];
  for (const { label, change } of VARIANTS) {
    rows.push({ label, measured: await measureCase(runtime, { ...caseOf("small", effort), ...change }) });
  }
  return rows;
}

/** @param {SizeName} name @param {Effort} effort @returns {Case} */
const caseOf = (name, effort) => {
  return { size: name === "small" ? SMALL : LARGE, ...warmed(effort[name]) };
};

/** @param {number} runs */
const warmed = (runs) => ({ warmUp: Math.ceil(runs / 3), runs });

/** @param {Runtime} runtime @param {Case} settings @returns {Promise<Measured>} */
const measureCase = (runtime, settings) => inProcess(runtime, "measure.js", JSON.stringify(settings));

/**
 * @param {Runtime} runtime
 * @param {string} script
 * @param {string[]} args
 */
async function inProcess({ command }, script, ...args) {
  const path = fileURLToPath(new URL(script, import.meta.url));
  const { stdout } = await promisify(execFile)(command, [path, ...args], { maxBuffer: 1 << 24 });
  return JSON.parse(stdout.slice(stdout.lastIndexOf("\n", stdout.length - 2) + 1));
}
