/**
 * The measurements in words: one table for each runtime, and each aim with whether it was met.
 */

import { OURS } from "./engines.js";

/** @import { Measured } from "./measure.js" */

const MOST_INDEX_MS = 60;

/** @param {number} ms */
const time = (ms) => (ms < 1 ? `${(ms * 1000).toFixed(0)} µs` : `${ms.toFixed(1)} ms`);

/** @param {number} share */
const percent = (share) => `${(share * 100).toFixed(1)}%`;

/** @param {string} title @param {Record<string, Measured>} measured */
export function table(title, measured) {
  const head = ["", "index 527", "index 5,000", "query 527", "query 5,000", "memory 5,000", "recall@1", "@5", "@20", "hit@1", "@5", "@20"];
  const rows = Object.entries(measured).map(([name, { small, large, recall, hit }]) => [
    name,
    time(small.indexMs),
    time(large.indexMs),
    time(small.queryMs.median),
    time(large.queryMs.median),
    `${large.megabytes.toFixed(0)} MB`,
    ...[recall[1], recall[5], recall[20], hit[1], hit[5], hit[20]].map(percent),
  ]);
  const widths = head.map((word, at) => Math.max(word.length, ...rows.map((row) => row[at]?.length ?? 0)));
  const line = (/** @type {string[]} */ cells) =>
    cells.map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0))).join("  ");
  return [`${title}; times are the least of several runs, for queries their median`, line(head), ...rows.map(line)].join("\n");
}

/** @param {Record<string, Measured>} measured @returns {{ line: string, met: boolean }[]} */
export function verdict(measured) {
  const { [OURS]: ours, flexsearch, lunr } = measured;
  if (!ours || !flexsearch || !lunr) return [];
  const aims = [
    { aim: `index 5,000 tools in less than ${MOST_INDEX_MS} ms`, met: ours.large.indexMs < MOST_INDEX_MS, is: time(ours.large.indexMs) },
    ...(/** @type {const} */ (["small", "large"])).map((size) => ({
      aim: `a query over ${ours[size].tools.toLocaleString("en")} tools faster than flexsearch's (${time(flexsearch[size].queryMs.median)})`,
      met: ours[size].queryMs.median < flexsearch[size].queryMs.median,
      is: time(ours[size].queryMs.median),
    })),
    ...(/** @type {const} */ ([5, 20])).map((depth) => ({
      aim: `recall@${depth} no lower than lunr's (${percent(lunr.recall[depth])})`,
      met: ours.recall[depth] >= lunr.recall[depth],
      is: percent(ours.recall[depth]),
    })),
    { aim: `hit@5 no lower than lunr's (${percent(lunr.hit[5])})`, met: ours.hit[5] >= lunr.hit[5], is: percent(ours.hit[5]) },
  ];
  return aims.map(({ aim, met, is }) => ({ met, line: `${met ? "met   " : "missed"}  ${aim}: ${is}` }));
}
