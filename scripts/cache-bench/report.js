/**
 * The results for people: a list of all policies for a terminal, and a table for each cache for the README.
 */

import { CACHE_NAMES } from "./measure.js";

/** @import { CacheName, Outcome, Result } from "./measure.js" */
/** @import { Excess, Loss } from "./verdict.js" */

/** @type {Record<CacheName, string>} */
const CACHE_LABELS = {
  breakpoints: "Cache with breakpoints (writing 1.25, reading 0.1)",
  implicit: "Implicit cache (reading 0.1)",
};

/** @param {readonly Result[]} results */
export const listing = (results) => results.map(section).join("\n\n");

/** @param {Result} result */
function section({ name, about, prunable, prompts, outcomes }) {
  const requests = outcomes[0]?.requests ?? 0;
  const title = `${name}: ${prompts} prompts, ${requests} requests; ${about}, ${thousands(prunable)} prunable tokens`;
  return [title, ...CACHE_NAMES.flatMap((cache) => [HEADS[cache], ...outcomes.map((outcome) => row(outcome, cache))])].join(
    "\n",
  );
}

/** @param {Outcome} outcome @param {CacheName} cache */
function row({ policy, jevCalls, rewrites, missing, caches }, cache) {
  const { cost, relative, hitShare, firsts } = caches[cache];
  return columns(policy.label, [
    thousands(cost),
    percent(relative),
    percent(hitShare),
    thousands(mean(firsts)),
    thousands(Math.max(...firsts)),
    `${rewrites.atPrompts} + ${rewrites.withinPrompts}`,
    String(jevCalls),
    String(missing),
  ]);
}

const TITLES = ["cost", "relative", "hits", "first", "most", "rewrites", "Jev", "missing"];

/** @type {Record<CacheName, string>} */
const HEADS = { breakpoints: columns("breakpoints", TITLES), implicit: columns("implicit", TITLES) };

/** @param {string} label @param {string[]} cells */
function columns(label, cells) {
  return `  ${label.padEnd(14)}${cells.map((cell) => cell.padStart(11)).join("")}`;
}

/** @param {readonly Result[]} results */
export const markdown = (results) =>
  CACHE_NAMES.map((cache) => `${CACHE_LABELS[cache]}:\n\n${markdownTable(results, cache)}`).join("\n\n");

/** @param {readonly Result[]} results @param {CacheName} cache */
function markdownTable(results, cache) {
  const labels = results[0]?.outcomes.map(({ policy }) => policy.label) ?? [];
  const [reference = "", ...others] = labels;
  const each = (/** @type {string} */ what) => `${what}: ${labels.join(" / ")}`;
  const head = [
    "session", "prunable tokens", "requests", `cost: ${reference}`, ...others.map((label) => `cost: ${label}`),
    each("cache hits"), each("uncached tokens of a first request"), `rewrites: ${others.join(" / ")}`,
    `Jev calls: ${others.join(" / ")}`,
  ];
  const rows = results.map(({ name, prunable, outcomes }) => {
    const spent = outcomes.map(({ caches }) => caches[cache]);
    const pruning = outcomes.slice(1);
    return [
      name,
      thousands(prunable),
      String(outcomes[0]?.requests),
      thousands(spent[0]?.cost ?? 0),
      ...spent.slice(1).map(({ relative }) => percent(relative)),
      spent.map(({ hitShare }) => percent(hitShare)).join(" / "),
      spent.map(({ firsts }) => thousands(mean(firsts))).join(" / "),
      pruning.map(({ rewrites }) => rewrites.atPrompts + rewrites.withinPrompts).join(" / "),
      pruning.map(({ jevCalls }) => jevCalls).join(" / "),
    ];
  });
  const rule = head.map((_, at) => (at === 0 ? "---" : "---:"));
  return [head, rule, ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

/** @param {readonly Excess[]} excesses */
export const complaints = (excesses) =>
  excesses.map(
    ({ session, policy, cache, relative, allowed }) =>
      `${session} (${cache}): ${policy} costs ${percent(relative)} of no pruning, ` +
      (allowed === 1 ? "and must cost less than 100%" : `and may cost at most ${percent(allowed)}`),
  );

/** @param {readonly Loss[]} losses */
export const complaintsOfLosses = (losses) =>
  losses.map(
    ({ session, policy, below, cache, relative }) =>
      `${session} (${cache}): ${policy} costs ${percent(relative)} of ${below}, and must cost less`,
  );

/** @param {number} number */
const thousands = (number) => Math.round(number).toLocaleString("en-US");

/** @param {number} share */
const percent = (share) => `${(100 * share).toFixed(1)}%`;

/** @param {readonly number[]} values */
const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
