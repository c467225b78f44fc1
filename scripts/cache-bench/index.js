#!/usr/bin/env node
/**
 * `npm run bench:cache`: what a provider charges for whole sessions when nothing is pruned, when each prompt is decided
 * alone, when a session only grows, and when its history is pruned besides. It ends with 1 where growing sessions do not
 * pay, or pruning of long histories does not.
 */

import { parseArgs } from "node:util";

import { complaints, complaintsOfLosses, listing, markdown } from "./report.js";
import { measureAll } from "./run.js";
import { SESSIONS } from "./sessions.js";
import { excesses, losses } from "./verdict.js";

const HELP = `Replays scripted sessions through the plugin and models the provider's prompt cache.

  npm run bench:cache                      all sessions, every policy in two models of a cache
                      -- --session WORDS   only sessions whose name has these words
                         --noise FACTOR    how much Jev's answers waver, 1 as usual
                         --json            all numbers as JSON, the tokens of each prompt's first request too
                         --markdown        tables for the README
                         --help            print this and end

cost: input in tokens at the full price. hits: the share of all input tokens that were read from the cache. first, most:
tokens of a prompt's first request that were not, on average and at most; they delay the first word. rewrites: requests
that do not go on from the whole of the request before, at new prompts + within a prompt. Jev: requests to it. missing:
calls of native tools that the request did not offer, which would have ended the turn.
`;

function readFlags() {
  const flag = /** @type {const} */ ({ type: "boolean" });
  const value = /** @type {const} */ ({ type: "string" });
  try {
    const { values } = parseArgs({
      options: { session: value, noise: { ...value, default: "1" }, json: flag, markdown: flag, help: flag },
    });
    const noise = Number(values.noise);
    if (!(noise >= 0)) throw new Error(`"${values.noise}" is no factor`);
    return { ...values, noise };
  } catch (error) {
    const [complaint = ""] = /** @type {Error} */ (error).message.split(". ");
    return fail(complaint);
  }
}

/** @param {string} complaint @returns {never} */
function fail(complaint) {
  console.error(`[bench:cache] ${complaint}. See --help.`);
  process.exit(2);
}

const flags = readFlags();
if (flags.help) {
  process.stdout.write(HELP);
  process.exit(0);
}
const isWanted = (/** @type {string} */ name) => name.includes(flags.session ?? "");
// What the caller has set must not change what is measured.
for (const name of Object.keys(process.env)) if (/^(JEV_|TYPESAFE_)/.test(name)) delete process.env[name];

if (!SESSIONS.some(({ name }) => isWanted(name))) fail(`there is no session "${flags.session}"`);
const results = await measureAll({ noise: flags.noise, isWanted });
const failed = excesses(results);
const lost = losses(results);
if (flags.json) console.log(JSON.stringify({ noise: flags.noise, results, failed, lost }, null, 2));
else console.log(flags.markdown ? markdown(results) : listing(results));
if (!flags.json) for (const complaint of [...complaints(failed), ...complaintsOfLosses(lost)]) console.error(complaint);
process.exitCode = failed.length + lost.length > 0 ? 1 : 0;
