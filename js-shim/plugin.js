// The plugin in OpenCode 2: `setup` registers the hooks, and every event goes to the core as it is.
import { COMMAND_ABOUT, COMMAND_NAME, answerCommand } from "./commands.js";
import { describe, startEngine, warn } from "./engine.js";
import { inventoryReader } from "./inventory.js";
import { isLegacyHost } from "./legacy.js";
import { callOwnTool, ownTools } from "./own-tools.js";
import { familyOf } from "./sessions.js";
import { totalsIn } from "./totals.js";

export const PLUGIN_ID = "opencode-jev-pruner";

/**
 * @param {any} ctx what OpenCode hands to a plugin (opencode-host.md §3.2); every part of it may be missing
 * @param {import("./engine.js").Parts} [parts]
 */
export async function setup(ctx, parts = {}) {
  try {
    return await register(ctx, parts);
  } catch (error) {
    warn(`could not start: ${describe(error)}; requests are left as they are`);
    return undefined;
  }
}

/** @param {any} ctx @param {import("./engine.js").Parts} parts */
async function register(ctx, parts) {
  const missing = typeof ctx?.session?.hook === "function" ? undefined : "session.hook";
  if (missing && isLegacyHost()) return undefined;
  const engine = startEngine({ options: ctx?.options, directory: ctx?.location?.directory, missing }, parts);
  if (!engine) return undefined;
  const { config, lent, guard } = engine;
  const inventory = inventoryReader(ctx, config.jev_timeout_ms);
  const totals = totalsIn(ctx.storage);
  const family = familyOf((sessionID) => ctx.session.get?.({ sessionID }), config.jev_timeout_ms);
  const { enabled, subagents } = config.history;
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
      const child = enabled && !subagents && (await family.isChild(event?.sessionID));
      const report = await core.prune(event, { ...lent, hook: name, child, inventory: await inventory(event) });
      if (name === "context") totals.add(report);
    });
  }
  void followSessions(ctx, guard, family);
  if (enabled) await offer(ctx, { config, guard, totals });
  return () => totals.flushed();
}

/**
 * The model's own tools and the person's command, where the host takes them.
 * @param {any} ctx
 * @param {Pick<NonNullable<ReturnType<typeof startEngine>>, "config" | "guard"> & { totals: ReturnType<typeof totalsIn> }} engine
 */
async function offer(ctx, { config, guard, totals }) {
  const call = guard(callOwnTool);
  await transform(ctx.tool, ownTools(config.history.tools).map(({ name, description, fields, required }) => ({
    name,
    description,
    input: { type: "object", properties: fields, required, additionalProperties: false },
    options: { codemode: false },
    execute: async (/** @type {any} */ input, /** @type {any} */ context) => ({
      content: (await call(name, input, context)) ?? "This does not work now.",
    }),
  })));
  const answer = guard(async (core, /** @type {{ session: string, line: string }} */ given) =>
    answerCommand(core, { ...given, totals: await totals.read() }));
  await transform(ctx.command, [{
    name: COMMAND_NAME,
    description: COMMAND_ABOUT,
    execute: async (/** @type {any} */ given) => {
      const text = await answer({ session: given.sessionID, line: given.prompt?.text ?? "" });
      // A notice in the session; nobody is asked to answer it.
      if (text !== undefined) await ctx.session.synthetic?.({ sessionID: given.sessionID, text, resume: false });
    },
  }]);
}

/**
 * Adds to one of the host's registries. A host that refuses must not stop the rest.
 * @param {any} registry @param {object[]} items
 */
async function transform(registry, items) {
  if (items.length === 0) return;
  try {
    await registry?.transform?.((/** @type {any} */ editor) => items.forEach((item) => editor.add(item)));
  } catch (error) {
    warn(`this host did not take ${items.length} registration(s): ${describe(error)}`);
  }
}

/** What was shown in a session is forgotten with its history (opencode-host.md §3.2). */
const FORGETTING = ["session.compaction.ended", "session.deleted"];

/**
 * @param {any} ctx
 * @param {NonNullable<ReturnType<typeof startEngine>>["guard"]} guard
 * @param {ReturnType<typeof familyOf>} family
 */
async function followSessions(ctx, guard, family) {
  const forget = guard((core, /** @type {any} */ event) => {
    const session = event?.data?.sessionID ?? event?.data?.id;
    if (event?.type === "session.created") family.note(event.data?.info ?? event.data);
    if (FORGETTING.includes(event?.type) && typeof session === "string") core.forgetSession(session);
  });
  try {
    for await (const event of ctx.event?.subscribe?.({}) ?? []) await forget(event);
  } catch {
    // Without events, the changed baseline still tells of a compaction.
  }
}
