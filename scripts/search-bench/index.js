#!/usr/bin/env node
/**
 * `npm run bench:search`: how fast the plugin finds tools, how much memory its index takes, and how much of what a task
 * needs it finds, beside four JavaScript libraries on the same data, in Node and in Bun. Each engine runs in a process of
 * its own.
 */

import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

import { bun, node } from "../bench/run.js";
import { missingFiles } from "./data.js";
import { ENGINES } from "./engines.js";
import { table, verdict } from "./report.js";

/** @import { Measured } from "./measure.js" */

const HELP = `Measures searches over tools, in Node and Bun, beside wink-bm25-text-search, lunr, minisearch and flexsearch.

  npm run bench:search -- [FOLDER]     FOLDER holds livemcpbench/ and metatool/; default: $JEV_PRUNER_DATA
                          --json       all numbers as JSON
                          --quick      few runs, only to see that it works
                          --help       print this and end

Indexing and searching are timed as JavaScript sees them: for this plugin that holds flattening the host's list, crossing
into the module, and reading the whole answer for the model, with descriptions and schemas. The libraries are given texts
that were prepared before, and give back only ids.
recall: of all tools that the tasks of LiveMCPBench need, the share among the first 1, 5, 20 results for the task's own
words. hit: the share of MetaTool's queries whose one skill is among the first 5.
It ends with 1 when an aim is missed, and with 2 when it cannot run.
`;

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: { json: { type: "boolean" }, quick: { type: "boolean" }, help: { type: "boolean" } },
});
if (flags.help) {
  process.stdout.write(HELP);
  process.exit(0);
}
const folder = positionals[0] ?? process.env.JEV_PRUNER_DATA;
const missing = folder ? missingFiles(folder) : [];
if (!folder || missing.length > 0) {
  const what = folder ? `${missing.join(" and ")} missing in ${folder}` : "no data: name its folder, or set JEV_PRUNER_DATA";
  console.error(`[bench:search] ${what}. See --help.`);
  process.exit(2);
}

const results = [];
const found = await bun();
if (typeof found === "string") console.error(found);
for (const runtime of [node(), ...(typeof found === "string" ? [] : [found])]) {
  /** @type {Record<string, Measured>} */
  const measured = {};
  for (const engine of Object.keys(ENGINES)) measured[engine] = measure(runtime, engine);
  const title = `${runtime.name} ${runtime.version}`;
  results.push({ runtime: title, measured, verdict: verdict(measured) });
  if (!flags.json) console.log(`\n${table(title, measured)}\n\n${verdict(measured).map(({ line }) => line).join("\n")}`);
}
if (flags.json) console.log(JSON.stringify(results, null, 2));
process.exitCode = results.every(({ verdict }) => verdict.every(({ met }) => met)) ? 0 : 1;

/**
 * @param {{ name: string, command: string, args?: string[] }} runtime @param {string} engine
 * @returns {Measured}
 */
function measure({ name, command, args = [] }, engine) {
  const worker = fileURLToPath(new URL("measure.js", import.meta.url));
  const given = [...args, ...(name === "Node" ? ["--expose-gc"] : []), worker, engine, String(folder), flags.quick ? "quick" : "usual"];
  const { status, stdout, stderr } = spawnSync(command, given, { encoding: "utf8", maxBuffer: 1 << 26, timeout: 300_000 });
  if (status !== 0) {
    console.error(`[bench:search] ${engine} in ${name} failed:\n${stderr}`);
    process.exit(2);
  }
  return JSON.parse(stdout);
}
