// The plugin's life in OpenCode 2: it resolves the options, registers the hooks, and hands every event to the
// core. It decides nothing, and nothing that goes wrong here reaches the host.
import { readFileSync } from "node:fs";
import { loadCore, loadFreshCore } from "./core.js";
import { openDebugLog } from "./debug-log.js";
import { inventoryReader } from "./inventory.js";
import { createJevClient, redactor } from "./jev-client.js";

export const PLUGIN_ID = "opencode-jev-pruner";

/** @typedef {import("./core.js").Glue} Glue */

/** Each load of the module stays in memory, so a module that always traps is given up. */
const MAX_LOADS = 10;

/**
 * @param {any} ctx what OpenCode hands to a plugin (opencode-host.md §3.2); every part of it may be missing
 * @param {{ load?: () => Glue, loadFresh?: () => Promise<Glue>, fetch?: typeof globalThis.fetch }} [parts] for tests
 */
export async function setup(ctx, parts = {}) {
  try {
    await start(ctx, parts);
  } catch (error) {
    warn(`could not start: ${describe(error)}; requests are left as they are`);
  }
}

/** @param {any} ctx @param {NonNullable<Parameters<typeof setup>[1]>} parts */
async function start(ctx, parts) {
  const core = (parts.load ?? loadCore)();
  const { config, apiKey, warnings } = core.resolveOptions(ctx?.options, process.env);
  warnings.forEach(warn);
  const redact = redactor(apiKey);
  const log = openDebugLog({ file: config.debug_log_file, directory: ctx?.location?.directory, warn });
  if (!apiKey) {
    warn("no key for Jev: set option `jev_api_key` or environment variable JEV_API_KEY; " +
      "until then the plugin is disabled and requests are left as they are");
    log.write("disabled", { why: "no_key", version: version() });
    return;
  }
  if (typeof ctx?.session?.hook !== "function") {
    warn("this host offers no `session.hook`; the plugin is disabled and requests are left as they are");
    log.write("disabled", { why: "no_session_hook", version: version() });
    return;
  }
  log.write("setup", {
    version: version(),
    config: { ...config, jev_endpoint: redact(config.jev_endpoint) },
    warnings,
  });

  const ask = createJevClient({
    endpoint: config.jev_endpoint,
    apiKey,
    timeoutMs: config.jev_timeout_ms,
    fetch: parts.fetch,
  });
  const lent = {
    config,
    ask,
    now: () => performance.now(),
    print: (/** @type {string} */ text) => console.log(text),
    log: log.write,
    redact,
  };
  const inventory = inventoryReader(ctx, config.jev_timeout_ms);
  const guard = coreGuard(core, parts.loadFresh ?? loadFreshCore, (error) => {
    const what = isTrap(error) ? "trap" : "exception";
    log.write("error", { request: "none", what, message: redact(describe(error)) });
  });

  await ctx.session.hook("prompt", guard((core, event) => {
    if (typeof event?.messageID !== "string" || typeof event.prompt?.text !== "string") return;
    core.rememberPrompt(event.messageID, event.prompt.text, performance.now());
  }));
  await ctx.session.hook("context", guard(async (core, event) => {
    await core.prune(event, { ...lent, inventory: await inventory(event?.tools) });
  }));
  if (config.warmup_on_load) {
    void guard((core) => core.warmUp(lent))(undefined);
  }
}

/**
 * Wraps a hook so that it resolves whatever happens: a throw would be the end of the user's request
 * (opencode-host.md §3.4). After a trap the next call finds a fresh core, since the memory of a module that
 * trapped cannot be trusted.
 * @param {Glue} core @param {() => Promise<Glue>} loadFresh 
 * @param {(error: unknown) => void} tell
 */
function coreGuard(core, loadFresh, tell) {
  /** @type {Promise<Glue>} */
  let current = Promise.resolve(core);
  let loads = 0;
  /** @param {(core: Glue, event: any) => unknown} hook */
  return (hook) => async (/** @type {any} */ event) => {
    const used = current;
    try {
      await hook(await used, event);
    } catch (error) {
      tell(error);
      if (!isTrap(error) || used !== current) return;
      loads += 1;
      current = loads > MAX_LOADS ? Promise.reject(new Error("it trapped too often")) : loadFresh();
      current.catch((reason) => warn(`could not load the module again: ${describe(reason)}; requests are left as they are`));
    }
  };
}

/** A stack overflow inside the module is a RangeError and leaves it as broken as a trap. @param {unknown} error */
function isTrap(error) {
  return error instanceof WebAssembly.RuntimeError || error instanceof RangeError;
}

/** @param {string} text */
function warn(text) {
  console.warn(`[opencode-jev-pruner] ${text}`);
}

/** @param {unknown} error */
function describe(error) {
  return error instanceof Error ? error.message : String(error);
}

function version() {
  return JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")).version;
}
