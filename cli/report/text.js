// A summary for a terminal.
import { columns, milliseconds, oneLine, percent, whole } from "../print.js";

/** @import { CountSummary, Summary } from "./summary.js" */

/** @param {Summary} summary */
export function textOf(summary) {
  const { all, days, mostPruned, mostMissed, from, to } = summary;
  return [
    `${whole(all.requests)} requests from ${oneLine(from || "?")} to ${oneLine(to || "?")}`,
    "",
    columns([HEAD, ...days.map((day) => row(day.date, day)), row("in all", all)]),
    "",
    ...facts(all),
    ...list("Most pruned", mostPruned),
    ...list("Most missed", mostMissed),
  ].join("\n");
}

const HEAD = ["day", "requests", "pruned", "skipped", "failed", "tokens saved", "of lists", "wait p50", "p95 ms", "stable", "missed"];

/** @param {string} label @param {CountSummary} counts */
function row(label, counts) {
  return [
    label,
    whole(counts.requests),
    whole(counts.pruned),
    whole(counts.skipped),
    whole(counts.failed),
    whole(counts.tokensSaved),
    percent(counts.tokensBefore - counts.tokensAfter, counts.tokensBefore),
    milliseconds(counts.msWaiting.p50),
    milliseconds(counts.msWaiting.p95),
    percent(counts.stable, counts.stable + counts.changed),
    whole(counts.missed),
  ];
}

/** @param {CountSummary} all */
function facts(all) {
  const { msOwn, jevCalls, jevQuestions, tokensSavedInHistory, wouldPrune, tokensWouldSave, failures, skips } = all;
  /** @param {{ name: string, count: number }[]} items */
  const listed = (items) => items.map(({ name, count }) => `${oneLine(name)} ${whole(count)}`).join(", ");
  return [
    `The plugin's own time: median ${milliseconds(msOwn.p50)} ms, p95 ${milliseconds(msOwn.p95)} ms`,
    `Jev: ${whole(jevCalls)} requests, ${whole(jevQuestions)} questions`,
    ...(tokensSavedInHistory > 0 ? [`Of the tokens saved, ${whole(tokensSavedInHistory)} in the history`] : []),
    ...(wouldPrune > 0 ? [`Shadow mode: ${whole(wouldPrune)} requests would have saved ${whole(tokensWouldSave)} tokens`] : []),
    ...(failures.length > 0 ? [`Failures: ${listed(failures)}`] : []),
    ...(skips.length > 0 ? [`Skipped: ${listed(skips)}`] : []),
  ];
}

/** @param {string} title @param {{ name: string, count: number }[]} items */
function list(title, items) {
  if (items.length === 0) return [];
  return ["", title, ...items.map(({ name, count }) => `  ${whole(count).padStart(7)}  ${oneLine(name)}`)];
}
