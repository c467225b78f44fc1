/**
 * What may stand behind `npm run demo --`: reads it, or tells in one sentence what is wrong with it. What the flags
 * bring about is told in index.js.
 */

import { parseArgs } from "node:util";

export const HELP = `Sends one request with many tools and skills through the plugin and shows what it takes out.

  npm run demo                        invented tools and skills, nothing else needed
  npm run demo -- --tools FILE...     the tools of these "tools/list" dumps instead; one or more files
                  --skills FILE       the skills of this file instead: [{ id, name, description }]
                  --prompt TEXT       what the user asks
                  --budget N|all      how many tokens the host spends on listing tools (2000); all lists every one
                  --endpoint URL      ask this System One endpoint, with the key from JEV_API_KEY or
                                      TYPESAFE_API_KEY; without it a stand-in answers by word overlap
                  --help              print this and end

Ends with 0 if something was taken out or there was nothing to ask, 1 if not, 2 if a flag or a file is wrong.
`;

/**
 * @typedef {object} Flags
 * @property {string[]} tools
 * @property {string} [skills]
 * @property {string} [prompt]
 * @property {number} [budget]
 * @property {string} [endpoint]
 * @property {boolean} help
 */

/** Somebody's mistake at the command line; the message is all there is to say. */
export class UsageError extends Error {
  name = "UsageError";
}

const text = /** @type {const} */ ({ type: "string" });
const OPTIONS = {
  tools: /** @type {const} */ ({ type: "string", multiple: true }),
  skills: text,
  prompt: text,
  budget: text,
  endpoint: text,
  help: /** @type {const} */ ({ type: "boolean", short: "h" }),
};

/**
 * @param {string[]} args
 * @returns {Flags}
 */
export function readFlags(args) {
  const { values, tokens } = parse(args);
  /** @type {string[]} */
  const tools = [];
  /** @type {string | undefined} */
  let flag;
  for (const token of tokens) {
    if (token.kind === "option") {
      flag = token.name;
      if (flag === "tools" && token.value !== undefined) tools.push(token.value);
    }
    // Several files may stand behind one `--tools`.
    if (token.kind === "positional") {
      if (flag !== "tools") throw new UsageError(`What is "${token.value}"? Files stand behind --tools or --skills.`);
      tools.push(token.value);
    }
  }
  const { skills, prompt, budget, endpoint, help = false } = values;
  if (prompt?.trim() === "") throw new UsageError("--prompt is empty; without a prompt there is nothing to ask.");
  return { tools, skills, prompt, budget: budgetFrom(budget), endpoint: endpointFrom(endpoint), help };
}

/** @param {string[]} args */
function parse(args) {
  try {
    return parseArgs({ args, options: OPTIONS, allowPositionals: true, tokens: true });
  } catch (error) {
    // The first sentence names the flag; what follows is advice on positional arguments.
    throw new UsageError(`${/** @type {Error} */ (error).message.split(". ")[0]?.replace(/\.$/, "")}.`);
  }
}

/** @param {string | undefined} value */
function budgetFrom(value) {
  if (value === undefined) return undefined;
  if (value === "all") return Infinity;
  if (!/^\d{1,9}$/.test(value)) throw new UsageError(`--budget takes a whole number or "all", not "${value}".`);
  return Number(value);
}

/** @param {string | undefined} value */
function endpointFrom(value) {
  if (value === undefined) return undefined;
  const protocol = URL.canParse(value) ? new URL(value).protocol : undefined;
  if (protocol !== "https:" && protocol !== "http:") {
    throw new UsageError(`--endpoint takes an http or https address, not "${value}".`);
  }
  return value;
}
