// Counts what a log tells: in all and by day. Memory grows with days, tools and sessions, not with requests.
import { createHash } from "node:crypto";

import { Histogram, Quantiles, Series, Tally } from "../quantiles.js";

/** @import { Entry } from "../read-log.js" */

const MAX_SESSIONS = 10_000;
const SCORE_BINS = 50;
const MOST_STRETCHES = 240;

/** What is counted of a day and of all days alike. */
export class Counts {
  requests = 0;
  pruned = 0;
  /** In `shadow` mode, where nothing is changed. */
  wouldPrune = 0;
  skipped = 0;
  failed = 0;
  jevCalls = 0;
  jevQuestions = 0;
  /** Of requests that were pruned. */
  tokensBefore = 0;
  tokensAfter = 0;
  /** What was left out of conversations. */
  historySaved = 0;
  /** Tokens that shadow mode would have saved. */
  wouldSave = 0;
  /** Requests whose decision is the one of the request before in their session, and all others but first ones. */
  stable = 0;
  changed = 0;
  missed = 0;
  /** How long a request waited for Jev and the plugin, where Jev was asked; and the plugin's own time. */
  waiting = new Quantiles();
  own = new Quantiles();
  failures = new Tally();
  skips = new Tally();
}

export class Totals {
  all = new Counts();
  /** @type {Map<string, Counts>} */
  days = new Map();
  entries = 0;
  from = "";
  to = "";
  pruned = new Tally();
  missed = new Tally();
  serverScores = new Histogram(SCORE_BINS);
  toolScores = new Histogram(SCORE_BINS);
  tokens = new Series(MOST_STRETCHES);
  /** The thresholds of the last decision. @type {{ servers: number, tools_and_skills: number } | undefined} */
  thresholds = undefined;
  /** A fingerprint of the last decision of each session, the latest last. @type {Map<string, string>} */
  #decisions = new Map();

  /** @param {Entry} entry */
  add(entry) {
    this.entries += 1;
    const time = typeof entry.time === "string" ? entry.time : "";
    if (time) this.from ||= time;
    if (time) this.to = time;
    const both = [this.all, this.#day(time.slice(0, 10) || "unknown")];
    switch (entry.event) {
      case "report":
        return this.#addReport(entry, both);
      case "missed":
      case "would_have_missed":
        this.missed.add(String(entry.name));
        return both.forEach((counts) => (counts.missed += 1));
      case "error":
        // Failures of Jev stand in the reports too; these are the plugin's own.
        if (entry.request === "none") both.forEach((counts) => counts.failures.add(String(entry.what)));
    }
  }

  /** @param {string} date */
  #day(date) {
    const known = this.days.get(date) ?? new Counts();
    this.days.set(date, known);
    return known;
  }

  /** @param {Entry} report @param {Counts[]} both */
  #addReport(report, both) {
    const { stats = {}, errors = [], skipped } = report;
    const tokens = { before: Number(stats.tokens_before ?? 0), after: Number(stats.tokens_after ?? 0) };
    const stability = skipped || errors.length > 0 ? undefined : this.#stability(report);
    for (const counts of both) {
      counts.requests += 1;
      counts.jevCalls += stats.jev_calls ?? 0;
      counts.jevQuestions += stats.jev_questions ?? 0;
      if (skipped) counts.skipped += 1;
      if (skipped) counts.skips.add(String(skipped));
      if (errors.length > 0) counts.failed += 1;
      for (const error of errors) counts.failures.add(String(error?.what));
      if (stability) counts[stability] += 1;
      if (stats.jev_calls > 0) counts.waiting.add(stats.ms_total);
      if (typeof stats.ms_rust === "number") counts.own.add(stats.ms_rust);
      addTokens(counts, report, tokens);
    }
    if (tokens.before > 0) this.tokens.add(tokens.before, report.applied ? tokens.after : tokens.before);
    if (!skipped && report.thresholds) this.thresholds = report.thresholds;
    // Later steps of a turn tell the same scores again.
    if (!stats.from_cache) this.#addCandidates(report);
  }

  /** @param {Entry} report */
  #addCandidates({ servers = [], tools = [], skills = [] }) {
    for (const { score } of servers) if (typeof score === "number") this.serverScores.add(score);
    for (const [kind, list] of /** @type {const} */ ([["tool", tools], ["skill", skills]])) {
      for (const { name, score, decision } of list) {
        if (typeof score === "number") this.toolScores.add(score);
        if (decision === "prune") this.pruned.add(`${kind} ${name}`);
      }
    }
  }

  /**
   * Whether what is shown is what the session's request before showed, so that the provider's cache holds.
   * @param {Entry} report @returns {"stable" | "changed" | undefined} nothing for a session's first
   */
  #stability({ session, servers = [], tools = [], skills = [] }) {
    const shown = [servers, tools, skills].map((list) => list.filter(isShown).map(nameOf));
    const decision = createHash("sha1").update(JSON.stringify(shown)).digest("base64");
    const before = this.#decisions.get(session);
    this.#decisions.delete(session);
    this.#decisions.set(session, decision);
    if (this.#decisions.size > MAX_SESSIONS) this.#decisions.delete(String(this.#decisions.keys().next().value));
    if (before === undefined) return undefined;
    return before === decision ? "stable" : "changed";
  }
}

/** @param {Counts} counts @param {Entry} report @param {{ before: number, after: number }} tokens */
function addTokens(counts, report, { before, after }) {
  if (report.applied) {
    counts.pruned += 1;
    counts.tokensBefore += before;
    counts.tokensAfter += after;
    counts.historySaved += report.history?.tokens_saved ?? 0;
  } else if (report.mode === "shadow" && after < before) {
    counts.wouldPrune += 1;
    counts.wouldSave += before - after;
  }
}

/** @param {{ decision: string }} candidate */
const isShown = ({ decision }) => decision === "keep" || decision === "add";
/** @param {{ name: string }} candidate */
const nameOf = ({ name }) => name;
