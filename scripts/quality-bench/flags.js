/**
 * What may stand behind `npm run bench:quality --`: reads it, or tells in one sentence what is wrong with it.
 */

import { parseArgs } from "node:util";

import { InputError } from "./labelled.js";
import { CATALOGS } from "./play.js";

/** @import { Catalog } from "./play.js" */

export const HELP = `Sends labelled prompts through the plugin, each in a session of its own, and tells what of what they need is kept.

  npm run bench:quality                          a small set of our own
    -- --servers FILE --tasks FILE               [{ server, tools }] and [{ prompt, needs: [{ tool, servers }] }]
       --skills FILE --queries FILE              { id: description } and [{ prompt, needs: [id] }]
       --scorer fake|lexical|URL                 who answers: a stand-in by word overlap (the default), the plugin's own
                                                 word search, or a System One endpoint with the key from JEV_API_KEY
       --catalog ${CATALOGS.join("|").padEnd(31)} how the host lists tools (complete)
       --describe                                show the servers' descriptions, which hosts usually do not have
       --set NAME=VALUE                          an option of the plugin; may be repeated
       --follow-up TEXT                          measure the request of this second prompt instead
       --answers FILE                            keep the scorer's answers here, and ask only what is not in it
       --curve N                                 every N-th setting of the curve (1); 0 draws none
       --limit N                                 only the first N prompts of each set
       --json FILE, --svg FILE                   all figures; the curve as a chart
       --help                                    print this and end
`;

const text = /** @type {const} */ ({ type: "string" });
const flag = /** @type {const} */ ({ type: "boolean" });
const OPTIONS = {
  servers: text,
  tasks: text,
  skills: text,
  queries: text,
  scorer: text,
  catalog: text,
  describe: flag,
  set: /** @type {const} */ ({ type: "string", multiple: true }),
  "follow-up": text,
  answers: text,
  curve: text,
  limit: text,
  json: text,
  svg: text,
  help: flag,
};

const PAIRS = /** @type {const} */ ([["servers", "tasks"], ["skills", "queries"]]);

/** @param {string[]} args */
export function readFlags(args) {
  const values = parse(args);
  for (const [one, other] of PAIRS) {
    if (one in values !== other in values) throw new InputError(`--${one} and --${other} go together`);
  }
  return {
    ...values,
    scorer: scorerFrom(values.scorer ?? "fake"),
    catalog: catalogFrom(values.catalog ?? "complete"),
    options: Object.fromEntries((values.set ?? []).map(optionFrom)),
    every: countFrom("curve", values.curve ?? "1"),
    limit: values.limit === undefined ? Infinity : countFrom("limit", values.limit),
  };
}

/** @param {string[]} args */
function parse(args) {
  try {
    return parseArgs({ args, options: OPTIONS }).values;
  } catch (error) {
    throw new InputError(String(/** @type {Error} */ (error).message.split(". ")[0]));
  }
}

/** @param {string} value */
function scorerFrom(value) {
  if (value === "fake" || value === "lexical") return value;
  if (URL.canParse(value) && /^https?:$/.test(new URL(value).protocol)) return value;
  throw new InputError(`--scorer takes fake, lexical or an http address, not "${value}"`);
}

/** @param {string} value @returns {Catalog} */
function catalogFrom(value) {
  const found = CATALOGS.find((name) => name === value);
  if (!found) throw new InputError(`--catalog takes ${CATALOGS.join(", ")}, not "${value}"`);
  return found;
}

/** Numbers, lists and words as they would stand in opencode.json. @param {string} given @returns {[string, unknown]} */
function optionFrom(given) {
  const [name = "", ...rest] = given.split("=");
  if (name === "" || rest.length === 0) throw new InputError(`--set takes NAME=VALUE, not "${given}"`);
  const value = rest.join("=");
  try {
    return [name, JSON.parse(value)];
  } catch {
    return [name, value];
  }
}

/** @param {string} name @param {string} value */
function countFrom(name, value) {
  if (!/^\d{1,9}$/.test(value)) throw new InputError(`--${name} takes a whole number, not "${value}"`);
  return Number(value);
}
