/**
 * How the demo looks on a screen: colours, the hunks of a diff, columns of numbers. What is printed is decided in
 * index.js.
 */

import { diffLines, hunksOf } from "./diff.js";

/** @import { Line } from "./diff.js" */

const CODES = { bold: 1, dim: 2, red: 31, green: 32, cyan: 36 };

/** @typedef {(style: keyof typeof CODES, text: string) => string} Paint */

/**
 * Colours only for a person at a terminal, and only if that person wants any (no-color.org).
 * @param {{ isTTY?: boolean }} stream
 * @param {NodeJS.ProcessEnv} env
 * @returns {Paint}
 */
export function painter({ isTTY }, { NO_COLOR, TERM }) {
  const isColoured = Boolean(isTTY) && !NO_COLOR && TERM !== "dumb";
  return (style, text) => (isColoured && text !== "" ? `\x1b[${CODES[style]}m${text}\x1b[0m` : text);
}

/** @type {Record<Line["kind"], { sign: string, style?: "red" | "green" }>} */
const LOOKS = { same: { sign: " " }, gone: { sign: "-", style: "red" }, come: { sign: "+", style: "green" } };

/**
 * The changes in the unified format, without file names.
 * @param {string} before
 * @param {string} after
 * @param {Paint} paint
 */
export function unifiedDiff(before, after, paint) {
  return hunksOf(diffLines(before, after)).flatMap((hunk) => {
    /** @param {Line["kind"]} other */
    const count = (other) => hunk.lines.filter(({ kind }) => kind !== other).length;
    const [from, to] = [range(hunk.before, count("come")), range(hunk.after, count("gone"))];
    return [
      paint("cyan", `@@ -${from} +${to} @@`),
      ...hunk.lines.map(({ kind, text }) => {
        const { sign, style } = LOOKS[kind];
        return style ? paint(style, sign + text) : sign + text;
      }),
    ];
  });
}

/** An empty range stands after the line before it. @param {number} start @param {number} count */
const range = (start, count) => `${count === 0 ? start - 1 : start}${count === 1 ? "" : `,${count}`}`;

/**
 * What went of some characters, as tokens of four each.
 * @param {string} label
 * @param {number} before
 * @param {number} after
 */
export function savingsLine(label, before, after) {
  const [was, is, saved] = [tokens(before), tokens(after), tokens(before) - tokens(after)];
  const percent = was === 0 ? 0 : (100 * saved) / was;
  const columns = [was, is, saved].map((value) => value.toLocaleString("en-US").padStart(10));
  return `${label.padEnd(24)}${columns.join("")}${`${percent.toFixed(1)} %`.padStart(10)}`;
}

export const SAVINGS_HEAD = `${"".padEnd(24)}${["before", "after", "saved"].map((word) => word.padStart(10)).join("")}`;

/** @param {number} characters */
const tokens = (characters) => Math.round(characters / 4);
