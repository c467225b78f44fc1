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
  /** @param {string} name @param {(core: import("./core.js").Glue, event: any) => unknown} callback */
  const hook = async (name, callback) => {
    // A host that does not know a hook may refuse it; that must not stop the others.
    await Promise.resolve(ctx.session.hook(name, guard(callback))).catch(() => {});
  };
  await hook("prompt", (core, event) => {
    if (typeof event?.messageID !== "string" || typeof event.prompt?.text !== "string") return;
    core.rememberPrompt(event.messageID, event.prompt.text, lent.now());
  });
  for (const name of ["context", "generate", "compaction"]) {
    await hook(name, async (core, event) => {
      await core.prune(event, { ...lent, hook: name, inventory: await inventory(event) });
    });
  }
  void followSessions(ctx, guard);
}

/** What was shown in a session is forgotten with its history (opencode-host.md §3.2). */
const FORGETTING = ["session.compaction.ended", "session.deleted"];

/** @param {any} ctx @param {NonNullable<ReturnType<typeof startEngine>>["guard"]} guard */
async function followSessions(ctx, guard) {
  const forget = guard((core, /** @type {any} */ event) => {
    const session = event?.data?.sessionID ?? event?.data?.id;
    if (FORGETTING.includes(event?.type) && typeof session === "string") core.forgetSession(session);
  });
  try {
    for await (const event of ctx.event?.subscribe?.({}) ?? []) await forget(event);
  } catch {
    // Without events, the changed baseline still tells of a compaction.
  }
}
