// The plugin in OpenCode 2: `setup` registers the hooks, and every event goes to the core as it is.
import { COMMAND_NAME, HISTORY_COMMANDS, answerCommand, commandAbout } from "./commands.js";
import { createFinder, finderTools, hostLists } from "./discovery.js";
import { describe, startEngine, warn } from "./engine.js";
import { inventoryReader } from "./inventory.js";
import { isLegacyHost } from "./legacy.js";
import { callOwnTool, ownTools } from "./own-tools.js";
import { repairHook } from "./repair.js";
import { prune } from "./prune.js";
import { familyOf } from "./sessions.js";
import { statusCommands } from "./status.js";
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
  const { config, lent, guard, status } = engine;
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
      const report = await prune(core, event, { ...lent, hook: name, child, inventory: await inventory(event) });
      status.noteReport(report);
      if (name === "context") totals.add(report);
    });
  }
  void followSessions(ctx, guard, family);
  if (enabled) await offerTools(ctx, engine);
  if (config.discovery.enabled) await offerFinding(ctx, engine);
  if (config.repair_arguments) await Promise.resolve(ctx.tool?.hook?.("execute.before", repairHook(ctx, engine))).catch(() => {});
  await offerCommand(ctx, engine, totals);
  return () => totals.flushed();
}

/** @typedef {NonNullable<ReturnType<typeof startEngine>>} Engine */

/** The model's own tools to clear up its conversation, where the host takes them. @param {any} ctx @param {Engine} engine */
async function offerTools(ctx, { config, guard }) {
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
}

/**
 * The tools that find what is hidden. Where the host does not take them, what they would find is not hidden.
 * @param {any} ctx @param {Engine} engine
 */
async function offerFinding(ctx, { core, config, guard, lent, status }) {
  /** @type {any[] | undefined} */
  let registered;
  const lists = hostLists(ctx, config.jev_timeout_ms, () => registered);
  const finder = createFinder({ config, guard, now: lent.now, status }, lists);
  const tools = finderTools(finder, finder.definitions(core));
  if (await transform(ctx.tool, tools, (editor) => (registered = editor.list?.()))) return;
  lent.config = { ...lent.config, discovery: { ...config.discovery, enabled: false } };
  warn("this host takes no tools of plugins, so option `discovery` does nothing; what it would hide is shown");
}

/** The person's command. @param {any} ctx @param {Engine} engine @param {ReturnType<typeof totalsIn>} totals */
async function offerCommand(ctx, { config, guard, status }, totals) {
  const table = { ...(config.history.enabled && HISTORY_COMMANDS), ...statusCommands(status) };
  const answer = guard(async (core, /** @type {{ session: string, line: string }} */ given) =>
    answerCommand(core, table, { ...given, totals: await totals.read() }));
  await transform(ctx.command, [{
    name: COMMAND_NAME,
    description: commandAbout(table),
    execute: async (/** @type {any} */ given) => {
      const text = await answer({ session: given.sessionID, line: given.prompt?.text ?? "" });
      // A notice in the session; nobody is asked to answer it.
      if (text !== undefined) await ctx.session.synthetic?.({ sessionID: given.sessionID, text, resume: false });
    },
  }]);
}

/**
 * Adds to one of the host's registries. A host that refuses must not stop the rest.
 * @param {any} registry @param {object[]} items @param {(editor: any) => void} [look] is shown what is registered
 * @returns {Promise<boolean>} whether the host took them
 */
async function transform(registry, items, look) {
  if (items.length === 0 || typeof registry?.transform !== "function") return false;
  try {
    await registry.transform((/** @type {any} */ editor) => {
      items.forEach((item) => editor.add(item));
      look?.(editor);
    });
    return true;
  } catch (error) {
    warn(`this host did not take ${items.length} registration(s): ${describe(error)}`);
    return false;
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
