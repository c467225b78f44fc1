// How numbers and tables look in a terminal.

/**
 * A text without what a terminal would take as an order, or that turns the writing direction: names and messages come
 * from others. Such a character is told by its number.
 * @param {string} text
 */
export const printable = (text) =>
  text.replaceAll(/[\0-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g, (odd) =>
    `\\u${odd.charCodeAt(0).toString(16).padStart(4, "0")}`);

/** The same on one line, so that it cannot look like several. @param {unknown} text */
export const oneLine = (text) => printable(String(text)).replaceAll(/[\t\n]/g, (odd) => (odd === "\n" ? "\\n" : "\\t"));

/** Prints lines for a person. @param {string} text */
export const say = (text) => console.log(printable(text));

/** Tells a person what is amiss. @param {string} text */
export const complain = (text) => console.error(printable(text));

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
  const lines = rows.map((row) => row.map(oneLine));
  const widths = lines.reduce((/** @type {number[]} */ most, row) => {
    row.forEach((cell, at) => (most[at] = Math.max(most[at] ?? 0, cell.length)));
    return most;
  }, []);
  /** @param {string} cell @param {number} at */
  const fit = (cell, at) => (at < left ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0));
  return lines.map((row) => row.map(fit).join("  ").trimEnd()).join("\n");
}
