// How numbers and tables look in a terminal.

/** @param {number} value */
export const whole = (value) => Math.round(value).toLocaleString("en-US");

/** @param {number} part @param {number} all */
export const percent = (part, all) => (all > 0 ? `${((100 * part) / all).toFixed(1)}%` : "-");

/** @param {number | undefined} ms */
export const milliseconds = (ms) => (ms === undefined ? "-" : ms < 10 ? ms.toFixed(1) : whole(ms));

/**
 * Columns that fit their widest cell, so many of them to the left, the others to the right.
 * @param {string[][]} rows @param {{ left?: number }} [align]
 */
export function columns(rows, { left = 1 } = {}) {
  const widths = rows.reduce((/** @type {number[]} */ most, row) => {
    row.forEach((cell, at) => (most[at] = Math.max(most[at] ?? 0, cell.length)));
    return most;
  }, []);
  /** @param {string} cell @param {number} at */
  const fit = (cell, at) => (at < left ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0));
  return rows.map((row) => row.map(fit).join("  ").trimEnd()).join("\n");
}
