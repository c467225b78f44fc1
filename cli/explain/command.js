// `opencode-jev-pruner explain`
import { UsageError, countArg, readArgs, someLogs } from "../args.js";
import { columns, complain, milliseconds, oneLine, percent, say, whole } from "../print.js";
import { readLogs } from "../read-log.js";

/** @import { Entry } from "../read-log.js" */

const HELP = `One request: every candidate with its score and its reason.

  opencode-jev-pruner explain LOG... [--request N] [--session ID] [--json]

  --request N    the N-th request of the log, from 1; without it the last one
  --session ID   count only requests of this session
  --json         the report as it stands in the log

The README of the package tells what each reason means.
`;

/** @typedef {{ name: string, score: number | null, decision: string, reason: string, chars?: number }} Candidate */

/** @param {string[]} args */
async function run(args) {
  const flags = /** @type {const} */ ({ request: { type: "string" }, session: { type: "string" }, json: { type: "boolean" } });
  const { values, positionals } = readArgs(args, flags);
  const wanted = countArg("request", values.request);
  let count = 0;
  /** @type {{ number: number, entry: Entry } | undefined} */
  let found;
  const damage = await readLogs(someLogs(positionals), ({ entry }) => {
    if (entry.event !== "report" || (values.session !== undefined && entry.session !== values.session)) return;
    count += 1;
    if (wanted === undefined || wanted === count) found = { number: count, entry };
  });
  const trouble = damage.words();
  if (trouble) complain(trouble);
  if (wanted !== undefined && wanted > count && count > 0) {
    throw new UsageError(`there is no request ${wanted}: ${values.session ? "of this session " : ""}the log has ${count}`);
  }
  if (!found) {
    complain(values.session ? `there is no report of session ${values.session}` : "there is no report in it");
    return 1;
  }
  say(values.json ? JSON.stringify(found.entry, null, 2) : textOf(found.entry, found.number));
  return 0;
}

/** @param {Entry} report @param {number} number */
function textOf(report, number) {
  const { servers = [], tools = [], skills = [] } = report;
  /** @param {string} kind @param {Candidate[]} list */
  const rows = (kind, list) => [...list].sort(byDecision).map((candidate) => row(kind, candidate));
  const all = [...rows("server", servers), ...rows("tool", tools), ...rows("skill", skills)];
  return [
    oneLine(`Request ${number}, ${report.time ?? "?"}, session ${report.session}`),
    ...facts(report),
    ...(all.length > 0 ? ["", columns([["candidate", "score", "", "reason", "characters"], ...all])] : []),
  ].join("\n");
}

/** What is shown first, then by score; names in order where it is equal. @param {Candidate} a @param {Candidate} b */
function byDecision(a, b) {
  const place = (/** @type {Candidate} */ { decision }) => ["keep", "add", "prune", "skip"].indexOf(decision);
  return place(a) - place(b) || (b.score ?? -1) - (a.score ?? -1) || (a.name < b.name ? -1 : 1);
}

/** @param {string} kind @param {Candidate} candidate */
const row = (kind, { name, score, decision, reason, chars }) => [
  `${kind} ${name}`,
  score === null ? "-" : score.toFixed(3),
  { keep: "keep", prune: "PRUNE", add: "ADD", skip: "skip" }[decision] ?? decision,
  reason.replaceAll("_", " "),
  chars ? whole(chars) : "",
];

/** @param {Entry} report */
function facts({ mode, applied, first, skipped, errors = [], thresholds, stats = {}, removed = {} }) {
  const { tokens_before: before = 0, tokens_after: after = 0 } = stats;
  const saved = before - after;
  const what = skipped
    ? `left as it was: ${oneLine(skipped).replaceAll("_", " ")}`
    : errors.length > 0
      ? "left as it was: Jev failed"
      : applied
        ? `pruned: ${whole(saved)} of ${whole(before)} tokens (${percent(saved, before)})`
        : mode === "shadow"
          ? `left as it was, in shadow mode; ${whole(saved)} of ${whole(before)} tokens would have gone`
          : "left as it was: nothing to take out";
  return [
    what,
    ...errors.map((/** @type {any} */ { request, what, message }) => oneLine(`  ${request}: ${what}: ${message}`)),
    ...(thresholds ? [`thresholds: servers ${thresholds.servers}, tools and skills ${thresholds.tools_and_skills}${first ? "; the session's first decision" : ""}`] : []),
    `${milliseconds(stats.ms_total)} ms, of which the plugin's own ${milliseconds(stats.ms_rust)}; ${stats.jev_calls ?? 0} requests to Jev with ${stats.jev_questions ?? 0} questions${stats.from_cache ? "; answers known from before" : ""}`,
    ...(removed.mcp_instructions?.length ? [`instructions removed: ${removed.mcp_instructions.map(oneLine).join(", ")}`] : []),
  ];
}

export const command = { summary: "one request in detail", help: HELP, run };
