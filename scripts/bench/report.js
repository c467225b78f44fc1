/**
 * What the measurements mean: each beside what is aimed at, met or missed, as a table for people. How they are made is
 * told in run.js.
 */

/** @import { Measured } from "./measure.js" */
/** @import { MeasuredHistory } from "./measure-history.js" */
/** @import { Measurements } from "./run.js" */
/** @import { Summary } from "./stats.js" */

/**
 * One line of the table. Times are in milliseconds; a ratio is only one number.
 * @typedef {object} Row
 * @property {string} label
 * @property {number} [least]
 * @property {number} median
 * @property {number} [p95]
 * @property {number} [rust] the median without what the shim's functions take
 * @property {number} [aim] the median should be less
 */

const AIMS = { load: { Node: 15, Bun: 30 }, first: 5, cold: 1, cached: 0.2, ratio: 12, historyFirst: 15, historyNext: 3 };
export const MOST_MODULE_BYTES = 1_600_000;

/** What is aimed at is time in Rust, where that is known. @param {Row} row @returns {boolean | undefined} nothing if nothing is aimed at */
export const isMet = ({ median, rust, aim }) => (aim === undefined ? undefined : (rust ?? median) < aim);

/** @param {Measurements} measurements @returns {Row[]} */
export function rowsOf({ runtime, load, first, firstRehearsed, small, large, history }) {
  const isBun = runtime.name === "Bun";
  /** @param {string} label @param {Measured} size @param {"cold" | "prompted" | "cached"} kind @param {number} [aim] */
  const times = (label, size, kind, aim) => ({ ...row(label, size[kind].wall, aim), rust: size[kind].rust.median });
  /** @param {"cold" | "cached"} kind */
  const ratio = (kind) => large[kind].wall.median / small[kind].wall.median;
  return [
    row("load the module", load.module, isBun ? AIMS.load.Bun : AIMS.load.Node),
    row("  its JavaScript before that", load.glue),
    row("  its first call after that", load.call),
    row("first request of a process, small", first),
    row("  after the rehearsal", firstRehearsed, AIMS.first),
    times("cold, small: all of it new", small, "cold", AIMS.cold),
    times("cold, small: a new prompt", small, "prompted", AIMS.cold),
    times("cached, small", small, "cached", AIMS.cached),
    row("  the shim before that, cold", small.cold.lists),
    row("  the shim before that, cached", small.cached.lists),
    times("cold, large: all of it new", large, "cold"),
    times("cold, large: a new prompt", large, "prompted"),
    times("cached, large", large, "cached"),
    { label: "large / small, cold", median: ratio("cold"), aim: AIMS.ratio },
    { label: "large / small, cached", median: ratio("cached"), aim: AIMS.ratio },
    row("long history, first request", history.first.wall, AIMS.historyFirst),
    row("long history, nothing new to prune", history.next.wall, AIMS.historyNext),
  ];
}

/** @param {string} label @param {Summary} summary @param {number} [aim] @returns {Row} */
const row = (label, summary, aim) => ({ label, ...summary, ...(aim !== undefined && { aim }) });

const HEAD = columns("milliseconds", ["least", "median", "p95", "in Rust", "aim", ""]);

/**
 * @param {string} title
 * @param {Row[]} rows
 */
export function table(title, rows) {
  const lines = rows.map((row) => {
    const { label, least, median, p95, rust, aim } = row;
    const verdict = { true: "met", false: "MISSED", undefined: "" }[`${isMet(row)}`] ?? "";
    const unit = p95 === undefined ? "x" : "";
    const goal = aim === undefined ? "" : `< ${aim}${unit}`;
    return columns(label, [digits(least), `${digits(median)}${unit}`, digits(p95), digits(rust), goal, verdict]);
  });
  return [title, HEAD, ...lines].join("\n");
}

/**
 * @param {string} title
 * @param {{ label: string, measured: Measured }[]} parts
 */
export function breakdownTable(title, parts) {
  const lines = parts.map(({ label, measured: { cold, prompted, cached, questions } }) => {
    const times = [cold, prompted, cached].flatMap(({ wall, rust }) => [digits(wall.median), digits(rust.median)]);
    return columns(label, [...times, `${questions}`]);
  });
  const head = ["cold", "in Rust", "prompted", "in Rust", "cached", "in Rust", "questions"];
  return [title, columns("milliseconds, small", head), ...lines].join("\n");
}

/** What pruning the long history saves. @param {MeasuredHistory} history */
export function historyLines({ messages, calls, bytes, left, strategies }) {
  const head = `long history: ${messages} messages, ${calls} calls, ${megabytes(bytes)} become ${megabytes(left)}`;
  const rows = strategies.map(({ strategy, edits, tokens }) => columns(strategy, [`${tokens}`, "tokens by", `${edits}`, "edits"]));
  return [head, ...rows].join("\n");
}

/** @param {number} bytes */
const megabytes = (bytes) => `${(bytes / 1e6).toFixed(2)} MB`;

/** @param {number} bytes */
export function sizeLine(bytes) {
  const verdict = bytes < MOST_MODULE_BYTES ? "met" : "MISSED";
  return `module: ${Math.round(bytes / 1000)} KB, aim < ${MOST_MODULE_BYTES / 1000} KB, ${verdict}`;
}

/** @param {number | undefined} value */
function digits(value) {
  if (value === undefined) return "";
  return value.toFixed(value < 1 ? 3 : value < 100 ? 2 : 0);
}

/** @param {string} label @param {string[]} cells */
function columns(label, cells) {
  return `  ${label.padEnd(46)}${cells.map((cell) => cell.padStart(10)).join("")}`.trimEnd();
}
