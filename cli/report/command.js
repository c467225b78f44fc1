// `opencode-jev-pruner report`
import { writeFileSync } from "node:fs";

import { UsageError, readArgs, someLogs } from "../args.js";
import { complain, say } from "../print.js";
import { readLogs } from "../read-log.js";
import { htmlOf } from "./html.js";
import { summaryOf } from "./summary.js";
import { textOf } from "./text.js";
import { Totals } from "./totals.js";

const HELP = `What happened, by day and in all.

  opencode-jev-pruner report LOG... [--html FILE] [--json]

  --html FILE   write one self-contained page with charts
  --json        print all figures as JSON instead of a table

tokens saved: in the lists and the history of pruned requests, a token estimated as four characters. wait: until a request went on, where
Jev was asked. stable: of a session's later requests, those that showed what the one before had shown. missed: tools and
skills that were used though they had been hidden. Quantiles are within one percent.
Ends with 1 if the logs hold no report.
`;

/** @param {string[]} args */
async function run(args) {
  const { values, positionals } = readArgs(args, { html: { type: "string" }, json: { type: "boolean" } });
  const totals = new Totals();
  const damage = await readLogs(someLogs(positionals), ({ entry }) => totals.add(entry));
  const summary = summaryOf(totals, damage.count);
  const trouble = damage.words();
  if (trouble) complain(trouble);
  if (values.html !== undefined) save(values.html, htmlOf(summary));
  if (values.json) say(JSON.stringify(summary, null, 2));
  else if (totals.all.requests > 0) say(textOf(summary));
  if (totals.all.requests > 0) return 0;
  complain("there is no report in it: has the plugin seen a request since the log began?");
  return 1;
}

/** @param {string} file @param {string} text */
function save(file, text) {
  try {
    writeFileSync(file, text);
  } catch (error) {
    throw new UsageError(`${file} cannot be written (${/** @type {NodeJS.ErrnoException} */ (error).code})`);
  }
}

export const command = { summary: "what happened, by day and in all", help: HELP, run };
