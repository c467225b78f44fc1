// The plugin in OpenCode 2: `setup` registers the hooks, and every event goes to the core as it is.
import { describe, startEngine, warn } from "./engine.js";
import { inventoryReader } from "./inventory.js";
import { isLegacyHost } from "./legacy.js";

export const PLUGIN_ID = "opencode-jev-pruner";

/**
 * @param {any} ctx what OpenCode hands to a plugin (opencode-host.md §3.2); every part of it may be missing
 * @param {import("./engine.js").Parts} [parts]
 */
export async function setup(ctx, parts = {}) {
  try {
    await register(ctx, parts);
  } catch (error) {
    warn(`could not start: ${describe(error)}; requests are left as they are`);
  }
}

/** @param {any} ctx @param {import("./engine.js").Parts} parts */
async function register(ctx, parts) {
  const missing = typeof ctx?.session?.hook === "function" ? undefined : "session.hook";
  if (missing && isLegacyHost()) return;
  const engine = startEngine({ options: ctx?.options, directory: ctx?.location?.directory, missing }, parts);
  if (!engine) return;
  const { config, lent, guard } = engine;
  const inventory = inventoryReader(ctx, config.jev_timeout_ms);
  await ctx.session.hook("prompt", guard((core, /** @type {any} */ event) => {
    if (typeof event?.messageID !== "string" || typeof event.prompt?.text !== "string") return;
    core.rememberPrompt(event.messageID, event.prompt.text, lent.now());
  }));
  await ctx.session.hook("context", guard(async (core, /** @type {any} */ event) => {
    await core.prune(event, { ...lent, inventory: await inventory(event?.tools) });
  }));
}
