#!/usr/bin/env node
/**
 * `npm run bench:quality`: what the plugin keeps of what labelled prompts need, and how many tokens that takes, at the
 * settings in force and along curves of others. It measures the module as committed.
 */

import { writeFileSync } from "node:fs";

import { startFakeJev } from "../../tests/fake-jev/server.js";
import { readServers, readSkills } from "../../tests/mini-host/index.js";
import { rememberingScorer } from "./answers.js";
import { chart } from "./chart.js";
import { drawCurve } from "./curve.js";
import { figuresOf } from "./figures.js";
import { HELP, readFlags } from "./flags.js";
import { InputError, readQueries, readTasks } from "./labelled.js";
import { playAll } from "./play.js";
import { curveTable, table } from "./report.js";
import { SAMPLE_SKILLS_SET, SAMPLE_TOOLS_SET } from "./sample.js";

/** @import { LabelledSet } from "./labelled.js" */
/** @import { Result } from "./report.js" */

/** @typedef {ReturnType<typeof readFlags>} Flags */

async function main() {
  const flags = readFlags(process.argv.slice(2));
  if (flags.help) return void process.stdout.write(HELP);
  const sets = setsOf(flags).map((set) => ({ ...set, tasks: set.tasks.slice(0, flags.limit) }));
  const key = process.env.JEV_API_KEY || process.env.TYPESAFE_API_KEY;
  // What the caller has set must not change what is measured.
  for (const name of Object.keys(process.env)) if (/^(JEV_|TYPESAFE_)/.test(name)) delete process.env[name];
  const source = await sourceOf(flags, key);
  try {
    const scorer = rememberingScorer(source.ask, flags.answers);
    const play = {
      catalog: flags.catalog,
      options: { ...source.options, ...flags.options },
      followUp: flags["follow-up"],
    };
    /** @type {Result[]} */
    const results = [];
    for (const set of sets) {
      // With answers of earlier runs nothing is waited for; without, all is asked so that times are true.
      scorer.remember(flags.answers !== undefined);
      const figures = figuresOf(await playAll(set, scorer, play));
      scorer.remember(true);
      const tell = progress(set.name);
      const curve = flags.every > 0 ? await drawCurve(set, scorer, play, { every: flags.every, tell }) : [];
      results.push({ name: set.name, figures, curve });
    }
    await show(results, flags, scorer.model() ?? flags.scorer);
    if (flags.answers !== undefined) scorer.save(flags.answers);
  } finally {
    await source.close();
  }
}

/** @param {Flags} flags @returns {LabelledSet[]} */
function setsOf({ servers: serverFile, tasks, skills: skillFile, queries, describe }) {
  /** @type {LabelledSet[]} */
  const sets = [];
  if (serverFile && tasks) {
    const servers = checked(() => readServers(serverFile, { describe }));
    sets.push({ name: "MCP tools", servers, skills: [], tasks: readTasks(tasks, servers) });
  }
  if (skillFile && queries) {
    const skills = checked(() => readSkills(skillFile));
    sets.push({ name: "skills", servers: [], skills, tasks: readQueries(queries, skills) });
  }
  return sets.length > 0 ? sets : [SAMPLE_TOOLS_SET, SAMPLE_SKILLS_SET];
}

/** @template T @param {() => T} read @returns {T} */
function checked(read) {
  try {
    return read();
  } catch (error) {
    throw new InputError(/** @type {Error} */ (error).message);
  }
}

/**
 * Who answers, and which options of the plugin that takes.
 * @param {Flags} flags @param {string | undefined} key
 */
async function sourceOf({ scorer }, key) {
  if (scorer === "lexical") {
    const ask = async () => {
      throw new Error("a plugin that scores by itself asked for answers");
    };
    // It counts on the model being able to find the rest.
    return { options: { scorer: "lexical", discovery: { enabled: true } }, ask, close: async () => {} };
  }
  const fake = scorer === "fake" ? await startFakeJev({ port: 0 }) : undefined;
  const endpoint = fake?.url ?? scorer;
  const authorization = `Bearer ${key ?? "none"}`;
  return {
    options: {},
    ask: (/** @type {string} */ body, /** @type {RequestInit} */ init) =>
      fetch(endpoint, { ...init, body, headers: { "content-type": "application/json", authorization } }),
    close: async () => fake?.close(),
  };
}

/** @param {string} name */
const progress = (name) => (/** @type {number} */ done, /** @type {number} */ of) => {
  if (process.stderr.isTTY) process.stderr.write(`\r[bench:quality] ${name}: ${done} of ${of} settings `);
  if (process.stderr.isTTY && done === of) process.stderr.write("\n");
};

/** @param {readonly Result[]} results @param {Flags} flags @param {string} scorer */
async function show(results, flags, scorer) {
  console.log(`Scored by ${scorer}; ${flags.catalog} list of tools.\n\n${table(results)}`);
  for (const result of results) if (result.curve.length > 0) console.log(`\n${curveTable(result)}`);
  const { catalog, options } = flags;
  if (flags.json) writeFileSync(flags.json, `${JSON.stringify({ scorer, catalog, options, results }, null, 1)}\n`);
  if (flags.svg) writeFileSync(flags.svg, await chart(results, `Scored by ${scorer}; ${catalog} list of tools`));
}

main().catch((error) => {
  console.error(error instanceof InputError ? `[bench:quality] ${error.message}. See --help.` : error);
  process.exitCode = error instanceof InputError ? 2 : 1;
});
