// What the plugin does on every line of OpenCode: it resolves the options, opens the log, prepares the client
// for Jev, and keeps whatever goes wrong away from the host. Which hooks there are, and what an event looks
// like, is the adapters' part (plugin.js, legacy.js).
import { readFileSync } from "node:fs";
import { loadCore, loadFreshCore } from "./core.js";
import { defaultLogFile, openDebugLog } from "./debug-log.js";
import { createJevClient, redactor } from "./jev-client.js";
import { rehearseLater } from "./rehearsal.js";
import { createStatus } from "./status.js";
import { warmUp } from "./warm-up.js";

/** @typedef {import("./core.js").Glue} Glue */

/**
 * Parts that a test or a benchmark may exchange. `noteReport` is shown every report.
 * @typedef {{ load?: () => Glue, loadFresh?: () => Promise<Glue>, fetch?: typeof globalThis.fetch, now?: () => number, noteReport?: (report: any) => void, rehearse?: boolean }} Parts
 */

/** Each load of the module stays in memory, so a module that always traps is given up. */
const MAX_LOADS = 10;

/**
 * Prepares everything for one instance of the plugin, or says why it is disabled: then `disabled` says so, nothing is
 * pruned, and only a person's questions are answered.
 * @param {object} given
 * @param {unknown} given.options
 * @param {string | undefined | Promise<string | undefined>} given.directory of the project
 * @param {import("./voice.js").Voice} given.voice
 * @param {string} [given.missing] what the plugin needs of the host and does not find
 * @param {Parts} parts
 */
export function startEngine({ options, directory, voice, missing }, parts) {
  const { warn } = voice;
  const core = (parts.load ?? loadCore)();
  const { config: wanted, apiKey, warnings } = core.resolveOptions(options, process.env);
  warnings.forEach(warn);
  const isDefault = wanted.debug_mode && !wanted.debug_log_file;
  const config = isDefault ? { ...wanted, debug_log_file: defaultLogFile() } : wanted;
  const log = openDebugLog({ file: config.debug_log_file, isDefault, directory, warn });
  const canDecide = Boolean(apiKey) || config.scorer !== "jev";
  const canPrune = canDecide || config.history.enabled;
  const disabled = !canPrune ? NO_KEY : missing === undefined ? undefined : whyMissing(missing);
  const notice = noticeOf({ disabled, canDecide });
  if (notice) warn(notice);
  const redact = redactor(apiKey);
  if (disabled) log.write("disabled", { why: disabled.why, version: version() });
  else {
    log.write("setup", {
      version: version(),
      config: { ...config, jev_endpoint: redact(config.jev_endpoint) },
      warnings,
    });
  }
  const status = createStatus({
    config,
    version: version(),
    hasKey: Boolean(apiKey),
    disabled: disabled?.words,
    partly: canDecide ? undefined : ONLY_HISTORY,
    logFile: log.path,
    warned: voice.warned,
  });
  const lent = {
    // Without a key nobody can be asked about tools and skills.
    config: canDecide ? config : { ...config, prune_mcp_tools: false, prune_skills: false },
    ask: status.watch(createJevClient({
      endpoint: config.jev_endpoint,
      apiKey: apiKey ?? "",
      fetch: parts.fetch,
    })),
    now: parts.now ?? (() => performance.now()),
    noteReport: parts.noteReport,
    print: voice.print,
    warn,
    log: log.write,
  };
  const guard = coreGuard(core, parts.loadFresh ?? loadFreshCore, warn, (error) => {
    const what = isTrap(error) ? "trap" : "exception";
    log.write("error", { request: "none", what, message: redact(describe(error)) });
  });
  if (!disabled && parts.rehearse !== false) rehearseLater(guard, lent);
  if (config.warmup_on_load && apiKey && !disabled) {
    void guard(async (core) => log.write("warmup", (await warmUp(core, lent)) ?? {}))();
  }
  return { config, lent, guard, status, core, notice, isDisabled: Boolean(disabled) };
}

/** @typedef {ReturnType<typeof startEngine>} Engine */

const NO_KEY = {
  why: "no_key",
  words: "no key for Jev: set option `jev_api_key` or environment variable JEV_API_KEY",
};

const ONLY_HISTORY = `${NO_KEY.words}; only the history is pruned`;

/**
 * What a person has to know before anything else.
 * @param {{ disabled: { words: string } | undefined, canDecide: boolean }} started
 */
function noticeOf({ disabled, canDecide }) {
  if (disabled) return `${disabled.words}; the plugin is disabled and requests are left as they are`;
  return canDecide ? undefined : ONLY_HISTORY;
}

/** @param {string} missing */
function whyMissing(missing) {
  return { why: "host_too_old", words: `this host offers no \`${missing}\`` };
}

/**
 * Wraps hooks so that they resolve whatever happens: a throw would be the end of the user's request
 * (opencode-host.md §3.4). After a trap the next call finds a fresh core, since the memory of a module that
 * trapped cannot be trusted.
 * @param {Glue} core @param {() => Promise<Glue>} loadFresh
 * @param {(text: string) => void} warn @param {(error: unknown) => void} tell
 */
function coreGuard(core, loadFresh, warn, tell) {
  /** @type {Promise<Glue>} */
  let current = Promise.resolve(core);
  let loads = 0;
  /**
   * @template {unknown[]} Given
   * @param {(core: Glue, ...given: Given) => unknown} hook
   * @returns {(...given: Given) => Promise<any>} what the hook gives, nothing if it failed
   */
  return (hook) => async (...given) => {
    const used = current;
    try {
      return await hook(await used, ...given);
    } catch (error) {
      tell(error);
      if (!isTrap(error) || used !== current) return undefined;
      loads += 1;
      current = loads > MAX_LOADS ? Promise.reject(new Error("it trapped too often")) : loadFresh();
      current.catch((reason) => warn(`could not load the module again: ${describe(reason)}; requests are left as they are`));
      return undefined;
    }
  };
}

/** A stack overflow inside the module is a RangeError and leaves it as broken as a trap. @param {unknown} error */
function isTrap(error) {
  return error instanceof WebAssembly.RuntimeError || error instanceof RangeError;
}

/** @param {unknown} error */
export function describe(error) {
  return error instanceof Error ? error.message : String(error);
}

function version() {
  return JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")).version;
}
