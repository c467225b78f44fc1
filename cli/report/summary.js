// The totals as plain data: what `--json` prints and what text and HTML are made from.

/** @import { Counts, Totals } from "./totals.js" */
/** @import { Tally } from "../quantiles.js" */

const MOST_NAMES = 15;
/** Bounds of the latency chart, in milliseconds. */
export const LATENCY_BOUNDS = [1, 2, 5, 10, 20, 50, 100, 200, 300, 500, 750, 1000, 1500, 2000, 5000];

/** @typedef {ReturnType<typeof summaryOf>} Summary */
/** @typedef {ReturnType<typeof countsOf>} CountSummary */

/** @param {Totals} totals @param {number} damaged lines */
export function summaryOf(totals, damaged) {
  return {
    from: totals.from,
    to: totals.to,
    entries: totals.entries,
    damaged,
    all: countsOf(totals.all),
    days: [...totals.days].filter(([, { requests, missed }]) => requests + missed > 0)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([date, counts]) => ({ date, ...countsOf(counts) })),
    thresholds: totals.thresholds,
    mostPruned: named(totals.pruned),
    mostMissed: named(totals.missed),
    scores: { servers: totals.serverScores.counts, toolsAndSkills: totals.toolScores.counts },
    latency: { bounds: LATENCY_BOUNDS, counts: totals.all.waiting.between(LATENCY_BOUNDS) },
    tokens: totals.tokens.stretches.map(({ count, before, after }) => ({
      requests: count,
      before: Math.round(before / count),
      after: Math.round(after / count),
    })),
  };
}

/** Times are milliseconds; those without a value had no request to measure. @param {Counts} counts */
function countsOf(counts) {
  return {
    requests: counts.requests,
    pruned: counts.pruned,
    wouldPrune: counts.wouldPrune,
    skipped: counts.skipped,
    failed: counts.failed,
    jevCalls: counts.jevCalls,
    jevQuestions: counts.jevQuestions,
    tokensBefore: counts.tokensBefore,
    tokensAfter: counts.tokensAfter,
    tokensSaved: counts.tokensBefore - counts.tokensAfter + counts.historySaved,
    tokensSavedInHistory: counts.historySaved,
    tokensWouldSave: counts.wouldSave,
    stable: counts.stable,
    changed: counts.changed,
    missed: counts.missed,
    msWaiting: { p50: counts.waiting.at(0.5), p95: counts.waiting.at(0.95) },
    msOwn: { p50: counts.own.at(0.5), p95: counts.own.at(0.95) },
    failures: named(counts.failures),
    skips: named(counts.skips),
  };
}

/** @param {Tally} tally */
const named = (tally) => tally.top(MOST_NAMES).map(([name, count]) => ({ name, count }));
