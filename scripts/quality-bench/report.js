/**
 * The results for people: a table of all sets, and the curve as columns of numbers.
 */

/** @import { Point } from "./curve.js" */
/** @import { Figures } from "./figures.js" */

/** @typedef {{ name: string, figures: Figures, curve: Point[] }} Result */

/** @type {[string, (figures: Figures) => string][]} */
const ROWS = [
  ["prompts", ({ tasks }) => String(tasks)],
  ["  for which the scorer failed", ({ failed }) => String(failed)],
  ["prompts with every needed server kept", ({ tasksWithServers }) => percent(tasksWithServers)],
  ["prompts with every needed tool shown", ({ tasksWithTools }) => percent(tasksWithTools)],
  ["  or its server named, to be searched", ({ tasksWithReach }) => percent(tasksWithReach)],
  ["needed tools or skills shown", ({ needsShown }) => percent(needsShown)],
  ["  without the plugin", ({ needsShownBefore }) => percent(needsShownBefore)],
  ["tokens of the lists kept", ({ tokensKept }) => percent(tokensKept)],
  ["requests to the scorer, a prompt", ({ calls }) => calls.toFixed(1)],
  ["questions, a prompt", ({ questions }) => questions.toFixed(1)],
  ["waiting for the scorer, median ms", ({ msJev }) => msJev.toFixed(0)],
  ["the plugin's own time, median ms", ({ msOwn }) => msOwn.toFixed(1)],
];

/** @param {readonly Result[]} results */
export function table(results) {
  const head = columns("", results.map(({ name }) => name));
  return [head, ...ROWS.map(([label, of]) => columns(label, results.map(({ figures }) => of(figures))))].join("\n");
}

/** @param {Result} result */
export function curveTable({ name, curve }) {
  const head = columns(`${name}, by setting`, ["tokens", "shown", "whole prompts"]);
  const rows = curve.map(({ family, setting, isDefault, figures }) =>
    columns(`${family} ${setting}${isDefault ? " (default)" : ""}`, [
      percent(figures.tokensKept),
      percent(figures.needsShown),
      percent(figures.tasksWithTools),
    ]),
  );
  return [head, ...rows].join("\n");
}

/** @param {string} label @param {string[]} cells */
const columns = (label, cells) => `${label.padEnd(42)}${cells.map((cell) => cell.padStart(16)).join("")}`;

/** @param {number} share */
const percent = (share) => `${(100 * share).toFixed(1)}%`;
