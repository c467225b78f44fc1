#!/usr/bin/env node
/**
 * `npm run bench`: how long the plugin keeps a request waiting, Jev's own time left out, and how long its module takes
 * to load, in Node and in Bun. The numbers are those of this machine while it had nothing else to do.
 */

import { statSync } from "node:fs";
import { availableParallelism, cpus, loadavg } from "node:os";
import { parseArgs } from "node:util";

import { MOST_MODULE_BYTES, breakdownTable, historyLines, isMet, rowsOf, sizeLine, table } from "./report.js";
import { EFFORTS, breakDown, bun, measureAll, node } from "./run.js";

const HELP = `Measures the plugin's own time for a request, and for loading its module, in Node and Bun.

  npm run bench                   small: 10 servers, 250 tools, 60 skills; large: ten times that
  npm run bench -- --breakdown    the small one also with one thing left out or changed at a time
                  --json          all numbers as JSON
                  --quick         few runs, only to see that it works
                  --help          print this and end

load: reading the file, compiling it, making an instance. The engine compiles most functions at their first call, which is
told apart. cold, all of it new: a new prompt in a new session, with texts never seen before. a new prompt: in a session whose texts are
known. cached: the next step of the same turn. All strings are new objects each time. in Rust: without the shim's
functions that read the event, change it and draw the report. the shim: reading what the host lists. Jev answers at once,
and its time is left out. long history: 60 turns, 262 calls of tools, with history.enabled and nothing else to prune.
`;

/** @returns {{ breakdown?: boolean, json?: boolean, quick?: boolean, help?: boolean }} */
function readFlags() {
  const flag = /** @type {const} */ ({ type: "boolean" });
  try {
    return parseArgs({ options: { breakdown: flag, json: flag, quick: flag, help: flag } }).values;
  } catch (error) {
    const [complaint] = /** @type {Error} */ (error).message.split(". ");
    console.error(`[bench] ${complaint}. See --help.`);
    process.exit(2);
  }
}

const flags = readFlags();
if (flags.help) {
  process.stdout.write(HELP);
  process.exit(0);
}
const effort = flags.quick ? EFFORTS.quick : EFFORTS.usual;
/** @param {string} text */
const say = (text) => (flags.json ? console.error(text) : console.log(text));

const bytes = statSync(new URL("../../wasm/jev_pruner_bg.wasm", import.meta.url)).size;
const found = await bun();
if (typeof found === "string") say(found);
const load = loadavg()[0] ?? 0;
if (load > availableParallelism() / 2) {
  const processors = `${availableParallelism()} processors`;
  say(`This machine is busy (load ${load.toFixed(1)} on ${processors}); only the column "least" tells much.`);
}

const results = [];
for (const runtime of [node(), ...(typeof found === "string" ? [] : [found])]) {
  const title = `${runtime.name} ${runtime.version}`;
  const measurements = await measureAll(runtime, effort);
  const rows = rowsOf(measurements).map((row) => ({ ...row, met: isMet(row) }));
  if (!flags.json) say(`\n${table(title, rows)}\n\n${historyLines(measurements.history)}`);
  const breakdown = flags.breakdown ? await breakDown(runtime, effort) : undefined;
  if (breakdown && !flags.json) say(`\n${breakdownTable(`${title}, one thing changed at a time`, breakdown)}`);
  results.push({ ...measurements, rows, ...(breakdown && { breakdown }) });
}
if (flags.json) {
  const module = { bytes, aim: MOST_MODULE_BYTES, met: bytes < MOST_MODULE_BYTES };
  const machine = { platform: process.platform, arch: process.arch, processor: cpus()[0]?.model, load };
  console.log(JSON.stringify({ machine, module, results }, null, 2));
} else {
  say(`\n${sizeLine(bytes)}`);
}
