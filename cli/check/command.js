// `opencode-jev-pruner check`
import { loadCore } from "../../js-shim/core.js";
import { createJevClient, redactor } from "../../js-shim/jev-client.js";
import { warmUp } from "../../js-shim/warm-up.js";
import { UsageError, readArgs } from "../args.js";
import { columns, milliseconds, say } from "../print.js";
import { findEntry } from "./config.js";

const HELP = `The settings in force and where each comes from, and a tiny question to Jev.

  opencode-jev-pruner check [--config FILE] [--options JSON] [--offline]

  --config FILE    this opencode.json, instead of those that OpenCode would read from here
  --options JSON   the plugin's options themselves
  --offline        ask nobody

It asks once on a new connection and some times more on a warm one, and suggests jev_timeout_ms from what that took. Mind
that the OpenCode service has an environment of its own: "opencode service set env JEV_API_KEY ...".
Ends with 1 if a key is needed and there is none, the plugin is switched off, a setting is not valid, or Jev does not answer.
`;

const FLAGS = /** @type {const} */ ({ config: { type: "string" }, options: { type: "string" }, offline: { type: "boolean" } });
const WARM_ASKS = 5;
/** The check itself waits longer than the plugin would, to tell slow from dead. */
const PATIENCE_MS = 10_000;

/** @param {string[]} args */
async function run(args) {
  const { values, positionals } = readArgs(args, FLAGS);
  if (positionals.length > 0) throw new UsageError(`what is "${positionals[0]}"? See check --help`);
  const { place, options, off } = source(values);
  const core = loadCore();
  const { config, apiKey, warnings, sources } = core.resolveOptions(options, process.env);
  say(`${place}\n`);
  say(settingsTable(config, sources, apiKey));
  for (const warning of warnings) say(`\nwarning: ${warning}`);
  if (off) say(`\nThe plugin is switched off: by ${JSON.stringify(off.by)} in ${off.file}.`);
  const isInOrder = warnings.length === 0 && !off;
  if (config.scorer !== "jev") {
    say(`\nJev is not asked, and no key is needed: option scorer is ${JSON.stringify(config.scorer)}.`);
    return isInOrder ? 0 : 1;
  }
  if (!apiKey) {
    const how = "set option jev_api_key or environment variable JEV_API_KEY";
    const isOn = config.history.enabled;
    say(isOn ? `\nThere is no key, so only the history is pruned; for the rest ${how}.` : `\nThere is no key, so the plugin is disabled: ${how}.`);
    return isOn && isInOrder ? 0 : 1;
  }
  const isReached = values.offline || (await askJev(core, config, apiKey));
  return isReached && isInOrder ? 0 : 1;
}

/** @param {{ config?: string, options?: string }} flags @returns {{ place: string, options: unknown, off?: { file: string, by: string } }} */
function source({ config, options }) {
  if (options !== undefined) {
    try {
      return { place: "Options as given", options: JSON.parse(options) };
    } catch (error) {
      throw new UsageError(`--options is not JSON (${/** @type {Error} */ (error).message})`);
    }
  }
  const { found, looked } = findEntry(config);
  if (found) return { place: `The plugin's entry in ${found.file}`, ...found };
  const where = looked.length > 0 ? ` in ${looked.join(", ")}` : ": there is no opencode.json here or above";
  return { place: `The plugin is not configured${where}; these would be its settings`, options: {} };
}

/** @param {Record<string, unknown>} config @param {[string, string][]} sources @param {string | undefined} apiKey */
function settingsTable(config, sources, apiKey) {
  const places = new Map(sources);
  const redact = redactor(apiKey);
  const rows = flat(config).map(([name, value]) => {
    const shown = name === "jev_api_key" ? (apiKey ? `set (${apiKey.length} characters)` : "not set") : redact(JSON.stringify(value));
    return { name, shown, place: places.get(name) ?? "default" };
  });
  return columns([["option", "value", "from"], ...rows.map(({ name, shown, place }) => [name, shown, place])], { left: 3 });
}

/** Options in groups as `group.option`. @param {object} config @param {string} [group] @returns {[string, unknown][]} */
const flat = (config, group = "") =>
  Object.entries(config).flatMap(([name, value]) =>
    typeof value === "object" && value !== null && !Array.isArray(value) ? flat(value, `${group}${name}.`) : [[`${group}${name}`, value]],
  );

/** @param {ReturnType<typeof loadCore>} core @param {any} config @param {string} apiKey */
async function askJev(core, config, apiKey) {
  const redact = redactor(apiKey);
  const endpoint = config.jev_endpoint;
  /** @returns {Promise<{ ok: boolean, ms: number, error?: { kind: string, message: string } }>} */
  const ask = async () =>
    (await warmUp(core, {
      config: { ...config, jev_timeout_ms: Math.max(PATIENCE_MS, config.jev_timeout_ms) },
      ask: createJevClient({ endpoint, apiKey }),
      now: () => performance.now(),
    })) ?? { ok: false, ms: 0 };
  const cold = await ask();
  if (!cold.ok) {
    say(`\nJev at ${redact(endpoint)} did not answer: ${cold.error?.kind ?? "failed"}: ${cold.error?.message ?? ""}`);
    return false;
  }
  const warm = [];
  for (let asked = 0; asked < WARM_ASKS; asked++) warm.push(await ask());
  const times = warm.filter(({ ok }) => ok).map(({ ms }) => ms).sort((a, b) => a - b);
  const [median = cold.ms, slowest = cold.ms] = [times[Math.floor(times.length / 2)], times.at(-1)];
  say(`\nJev at ${redact(endpoint)} answers: ${milliseconds(cold.ms)} ms on a new connection, then ${milliseconds(median)} ms, at most ${milliseconds(slowest)} ms.`);
  if (times.length < WARM_ASKS) say(`${WARM_ASKS - times.length} of ${WARM_ASKS} further questions failed.`);
  const suggested = suggestedTimeout(cold.ms, slowest);
  const now = config.jev_timeout_ms;
  const isShort = now < suggested;
  say(`jev_timeout_ms is ${now}${isShort ? `, which may be short: ${suggested} would leave room for a slow answer` : `; ${suggested} would do`}.`);
  return true;
}

/** Three times the slowest warm answer, or one and a half of a cold one, in hundreds; a real question is longer than this one. @param {number} cold @param {number} slowest */
export const suggestedTimeout = (cold, slowest) => Math.max(300, Math.ceil(Math.max(1.5 * cold, 3 * slowest) / 100) * 100);

export const command = { summary: "the settings in force, and a question to Jev", help: HELP, run };
