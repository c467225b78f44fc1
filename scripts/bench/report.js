/**
 * What the measurements mean: each beside what is aimed at, met or missed, as a table for people. How they are made is
 * told in run.js.
 */

/** @import { Measured } from "./measure.js" */
/** @import { HistoryTimes, MeasuredHistory } from "./measure-history.js" */
/** @import { Measurements } from "./run.js" */
/** @import { Summary } from "./stats.js" */

/**
 * One line of the table. Times are in milliseconds; a ratio is only one number.
 * @typedef {object} Row
 * @property {string} label
 * @property {number} [least]
 * @property {number} median
 * @property {number} [p95]
 * @property {number} [core] the median of what the core says of itself
 * @property {number} [aim] the median should be less
 */

const AIMS = { load: { Node: 10, Bun: 20 }, cold: 1, cached: 0.2, ratio: 12, historyFirst: 15, historyNext: 3 };
export const MOST_MODULE_BYTES = 600_000;

/** @param {Row} row @returns {boolean | undefined} nothing if nothing is aimed at */
export const isMet = ({ median, aim }) => (aim === undefined ? undefined : median < aim);

/** @param {Measurements} measurements @returns {Row[]} */
export function rowsOf({ runtime, load, first, small, large, history }) {
  const isBun = runtime.name === "Bun";
  /** @param {Measured} size @param {"cold" | "cached"} kind */
  const times = (size, kind) => ({ ...size[kind].wall, core: size[kind].core.median });
  /** @param {"cold" | "cached"} kind */
  const ratio = (kind) => large[kind].wall.median / small[kind].wall.median;
  return [
    row("load the module and call it", load.load, isBun ? AIMS.load.Bun : AIMS.load.Node),
    row("  its JavaScript before that", load.glue),
    row("first request of a process, small", first),
    { ...row("cold, small", small.cold.wall, AIMS.cold), ...times(small, "cold") },
    { ...row("cached, small", small.cached.wall, AIMS.cached), ...times(small, "cached") },
    row("  the shim before that, cold", small.cold.lists),
    row("  the shim before that, cached", small.cached.lists),
    { ...row("cold, large", large.cold.wall), ...times(large, "cold") },
    { ...row("cached, large", large.cached.wall), ...times(large, "cached") },
    { label: "large / small, cold", median: ratio("cold"), aim: AIMS.ratio },
    { label: "large / small, cached", median: ratio("cached"), aim: AIMS.ratio },
    historyRow("long history, first request", history.first, AIMS.historyFirst),
    historyRow("long history, nothing new to prune", history.next, AIMS.historyNext),
  ];
}

/** @param {string} label @param {Summary} summary @param {number} [aim] @returns {Row} */
const row = (label, summary, aim) => ({ label, ...summary, ...(aim !== undefined && { aim }) });

/** @param {string} label @param {HistoryTimes} times @param {number} aim @returns {Row} */
const historyRow = (label, { wall, core }, aim) => ({ ...row(label, wall, aim), core: core.median });

const HEAD = columns("milliseconds", ["least", "median", "p95", "core", "aim", ""]);

/**
 * @param {string} title
 * @param {Row[]} rows
 */
export function table(title, rows) {
  const lines = rows.map((row) => {
    const { label, least, median, p95, core, aim } = row;
    const verdict = { true: "met", false: "MISSED", undefined: "" }[`${isMet(row)}`] ?? "";
    const unit = p95 === undefined ? "x" : "";
    const goal = aim === undefined ? "" : `< ${aim}${unit}`;
    return columns(label, [digits(least), `${digits(median)}${unit}`, digits(p95), digits(core), goal, verdict]);
  });
  return [title, HEAD, ...lines].join("\n");
}

/**
 * @param {string} title
 * @param {{ label: string, measured: Measured }[]} parts
 */
export function breakdownTable(title, parts) {
  const lines = parts.map(({ label, measured: { cold, cached, questions } }) =>
    columns(label, [
      digits(cold.wall.median),
      digits(cold.core.median),
      digits(cached.wall.median),
      digits(cached.core.median),
      `${questions}`,
    ]),
  );
  return [title, columns("milliseconds, small", ["cold", "core", "cached", "core", "questions"]), ...lines].join("\n");
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
