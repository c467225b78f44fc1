// `opencode-jev-pruner replay`
import { loadCore } from "../../js-shim/core.js";
import { numberArg, readArgs, someLogs } from "../args.js";
import { columns, complain, oneLine, percent, say, whole } from "../print.js";
import { readLogs } from "../read-log.js";
import { Tally } from "../quantiles.js";
import { optionFrom, settingsOf } from "./settings.js";

/** @import { Entry, Line } from "../read-log.js" */
/** @import { Options } from "./settings.js" */

const HELP = `What the same scores would have decided under other settings.

  opencode-jev-pruner replay LOG... [--threshold N] [--phase1 N] [--budget N] [--set NAME=VALUE]... [--json]

  --threshold N      option jev_confidence_threshold, 0 to 1
  --phase1 N         option jev_phase1_threshold, 0 to 1
  --budget N         selection: "budget" with budget_fraction N, 0 to 1
  --set NAME=VALUE   any option that decides, for example decision_scope=prompt
  --json             all figures as JSON

Everything else is as the log says it was, what was shown at once or put off to spare the prompt cache too. A log in which each prompt was decided alone tells nothing of what a session
would have kept. It decides by the plugin's own rules. Tokens count the tools and skills
themselves, four characters each, not headings and instructions. unknown: tools of servers that would have passed; nobody
asked about these tools, so they count as kept. missed: used in the conversation, and hidden before.
`;

const NAMES_TOLD = 10;
const FLAGS = /** @type {const} */ ({
  threshold: { type: "string" },
  phase1: { type: "string" },
  budget: { type: "string" },
  set: { type: "string", multiple: true },
  json: { type: "boolean" },
});

/** @typedef {Record<"requests" | "servers" | "tools" | "skills" | "added" | "missed" | "unknown" | "tokensHidden", number>} Sums */

/** @typedef {{ name: string, decision: string, chars?: number }} Candidate */

/** @returns {Sums} */
const nothing = () => ({ requests: 0, servers: 0, tools: 0, skills: 0, added: 0, missed: 0, unknown: 0, tokensHidden: 0 });

/** @param {string[]} args */
async function run(args) {
  const { values, positionals } = readArgs(args, FLAGS);
  const changed = changedOptions(values);
  const replay = new Replay(changed);
  const damage = await readLogs(someLogs(positionals), (line) => replay.take(line));
  const trouble = damage.words();
  if (trouble) complain(trouble);
  if (replay.was.requests === 0) {
    complain("there is no decision in it: was Jev ever asked?");
    return 1;
  }
  say(values.json ? JSON.stringify(replay.result(), null, 2) : textOf(replay));
  return 0;
}

/**
 * @param {{ threshold?: string, phase1?: string, budget?: string, set?: string[] }} flags
 * @returns {Options}
 */
function changedOptions({ threshold, phase1, budget, set = [] }) {
  const numbers = {
    jev_confidence_threshold: numberArg("threshold", threshold, 1),
    jev_phase1_threshold: numberArg("phase1", phase1, 1),
    budget_fraction: numberArg("budget", budget, 1),
  };
  return {
    ...Object.fromEntries(Object.entries(numbers).filter(([, value]) => value !== undefined)),
    ...(budget !== undefined && { selection: "budget" }),
    ...Object.fromEntries(set.map(optionFrom)),
  };
}

/** Takes a log line by line. */
class Replay {
  was = nothing();
  is = nothing();
  toolsInAll = 0;
  skillsInAll = 0;
  nowShown = new Tally();
  nowHidden = new Tally();
  #core = loadCore();
  /** The settings in force, and who decides by them. */
  #settings = "";
  /** @type {InstanceType<import("../../js-shim/core.js").Glue["Replayer"]> | undefined} */
  #replayer;

  /** @param {Options} changed */
  constructor(changed) {
    this.changed = changed;
    this.#use({});
  }

  /** @param {Line} line */
  take({ entry, text }) {
    if (entry.event === "setup") return this.#use(Object(entry.config));
    if (entry.event === "missed" || entry.event === "would_have_missed") this.was.missed += 1;
    if (entry.event !== "report") return;
    const replayed = this.#replayer?.replay(text);
    if (replayed) this.#count(entry, replayed);
  }

  /** Another start of the plugin with the same settings goes on where the last one ended. @param {Options} logged */
  #use(logged) {
    const settings = settingsOf(this.#core, logged, this.changed);
    if (settings === this.#settings) return;
    this.#settings = settings;
    this.#replayer?.free();
    this.#replayer = new this.#core.Replayer(settings);
  }

  /** @param {Entry} report @param {{ servers: string, tools: string, skills: string, missed: unknown[] }} replayed */
  #count(report, replayed) {
    this.was.requests += 1;
    this.is.requests += 1;
    this.is.missed += replayed.missed.length;
    for (const kind of /** @type {const} */ (["servers", "tools", "skills"])) {
      report[kind].forEach((/** @type {Candidate} */ candidate, /** @type {number} */ at) => this.#compare(kind, candidate, replayed[kind].charAt(at)));
    }
  }

  /** @param {"servers" | "tools" | "skills"} kind @param {Candidate} candidate @param {string} letter as replay.rs tells them */
  #compare(kind, { name, decision, chars = 0 }, letter) {
    if (decision === "add") this.was.added += 1;
    if (letter === "a") this.is.added += 1;
    if (letter === "u") this.is.unknown += 1;
    if (decision !== "keep" && decision !== "prune") return;
    const [wasHidden, isHidden] = [decision === "prune", letter === "p"];
    if (kind === "tools") this.toolsInAll += 1;
    if (kind === "skills") this.skillsInAll += 1;
    for (const [sums, hidden] of /** @type {[Sums, boolean][]} */ ([[this.was, wasHidden], [this.is, isHidden]])) {
      if (hidden) sums[kind] += 1;
      if (hidden) sums.tokensHidden += chars / 4;
    }
    if (kind === "servers" || wasHidden === isHidden) return;
    (isHidden ? this.nowHidden : this.nowShown).add(name);
  }

  result() {
    /** @param {Tally} tally */
    const names = (tally) => tally.top(NAMES_TOLD).map(([name, count]) => ({ name, count }));
    const { changed, was, is, toolsInAll, skillsInAll } = this;
    return { changed, toolsInAll, skillsInAll, was, is, nowShown: names(this.nowShown), nowHidden: names(this.nowHidden) };
  }
}

/** @param {Replay} replay */
function textOf(replay) {
  const { changed, was, is, toolsInAll, skillsInAll, nowShown, nowHidden } = replay.result();
  const settings = Object.entries(changed).map(([name, value]) => `${name} ${JSON.stringify(value)}`);
  /** @param {string} label @param {keyof Sums} key @param {number} [all] */
  const row = (label, key, all) => [label, whole(was[key]), all ? percent(was[key], all) : "", whole(is[key]), all ? percent(is[key], all) : ""];
  return [
    `${whole(was.requests)} requests; ${settings.join(", ") || "nothing changed"}`,
    "",
    columns([
      ["", "as it was", "", "replayed", ""],
      row("servers hidden", "servers"),
      row("tools hidden", "tools", toolsInAll),
      row("skills hidden", "skills", skillsInAll),
      row("tokens hidden", "tokensHidden"),
      row("tools added", "added"),
      row("missed", "missed"),
      ["unknown", "", "", whole(is.unknown), ""],
    ]),
    ...named("Would be shown", nowShown),
    ...named("Would be hidden", nowHidden),
  ].join("\n");
}

/** @param {string} title @param {{ name: string, count: number }[]} items */
function named(title, items) {
  if (items.length === 0) return [];
  return ["", title, ...items.map(({ name, count }) => `  ${whole(count).padStart(7)}  ${oneLine(name)}`)];
}

export const command = { summary: "what the same scores would have decided", help: HELP, run };
