/**
 * Measures one engine in this process, and prints what it took as JSON: `node measure.js ENGINE FOLDER quick|usual`.
 */

import { summary } from "../bench/stats.js";
import { manyTools, readData } from "./data.js";
import { ENGINES } from "./engines.js";

/** @import { Summary } from "../bench/stats.js" */
/** @import { Task } from "./data.js" */

/**
 * Both times are the least of several runs, which others on the machine disturb least; `queryMs` sums up the queries.
 * @typedef {{ tools: number, indexMs: number, queryMs: Summary, megabytes: number }} Timed
 */
/** @typedef {{ small: Timed, large: Timed, recall: Record<1 | 5 | 20, number>, hit: Record<1 | 5 | 20, number> }} Measured */

const SMALL = 527;
const LARGE = 5_000;
const DEPTHS = /** @type {const} */ ([1, 5, 20]);

const [name = "", folder = "", effort = "usual"] = process.argv.slice(2);
const data = readData(folder);
const engine = await /** @type {NonNullable<typeof ENGINES[string]>} */ (ENGINES[name])();
const rounds = effort === "quick" ? { index: 1, query: 1 } : { index: 9, query: 40 };

/** What garbage leaves behind. */
const collect = () => /** @type {any} */ (globalThis).gc?.() ?? /** @type {any} */ (globalThis).Bun?.gc(true);

function bytesInUse() {
  collect();
  return process.memoryUsage().heapUsed + (engine.bytes?.() ?? 0);
}

/** @param {number} count @returns {Timed} */
function timed(count) {
  const tools = manyTools(data.tools, count);
  const prepared = engine.prepare(tools);
  const before = bytesInUse();
  /** @type {number[]} */
  const indexMs = [];
  let search = time(indexMs, () => engine.build(prepared)).result;
  const megabytes = (bytesInUse() - before) / 1e6;
  for (let round = 1; round < rounds.index; round++) search = time(indexMs, () => engine.build(prepared)).result;
  const least = data.tasks.map(() => Infinity);
  for (let round = 0; round < rounds.query; round++) {
    for (const [at, { prompt }] of data.tasks.entries()) {
      least[at] = Math.min(least[at] ?? Infinity, time([], () => search(prompt, 5)).ms);
    }
  }
  return { tools: tools.length, indexMs: Math.min(...indexMs), queryMs: summary(least), megabytes };
}

/** @template T @param {number[]} times takes what it took @param {() => T} work */
function time(times, work) {
  const since = performance.now();
  const result = work();
  const ms = performance.now() - since;
  times.push(ms);
  return { result, ms };
}

/** Of all that the tasks need, the share among the first results. @param {Task[]} tasks @param {(query: string, limit: number) => string[]} search */
function shares(tasks, search) {
  const all = tasks.reduce((sum, { needs }) => sum + needs.length, 0);
  const share = (/** @type {number} */ depth) => {
    const met = tasks.map(({ prompt, needs }) => {
      const found = new Set(search(prompt, 20).slice(0, depth));
      return needs.filter((ids) => ids.some((id) => found.has(id))).length;
    });
    return met.reduce((sum, count) => sum + count, 0) / all;
  };
  return /** @type {Record<1 | 5 | 20, number>} */ (Object.fromEntries(DEPTHS.map((depth) => [depth, share(depth)])));
}

// The large one first, since the memory of a module never shrinks.
const large = timed(LARGE);
const small = timed(SMALL);
const search = engine.build(engine.prepare(data.tools));
const recall = shares(data.tasks, (query, limit) => engine.ids(search(query, limit)));
const hit = shares(data.queries, engine.skills(data.skills));
console.log(JSON.stringify({ small, large, recall, hit }));
