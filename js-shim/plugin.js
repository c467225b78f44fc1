// The plugin in OpenCode 2: `setup` registers the hooks, and every event goes to the core as it is.
import { COMMAND_NAME, HISTORY_COMMANDS, answerCommand, commandAbout } from "./commands.js";
import { createFinder, finderTools, hostLists } from "./discovery.js";
import { describe, startEngine } from "./engine.js";
import { watchFirstRequest } from "./first-request.js";
import { inventoryReader } from "./inventory.js";
import { isLegacyHost } from "./legacy.js";
import { projectFolder } from "./location.js";
import { noticesOf } from "./notices.js";
import { callOwnTool, ownTools } from "./own-tools.js";
import { hookInto, offer } from "./registering.js";
import { repairHook } from "./repair.js";
import { prune } from "./prune.js";
import { familyOf } from "./sessions.js";
import { statusCommands } from "./status.js";
import { asToolOf2 } from "./tool-forms.js";
import { totalsIn } from "./totals.js";
import { onStderr } from "./voice.js";

export const PLUGIN_ID = "opencode-jev-pruner";

/**
 * @param {any} ctx what OpenCode hands to a plugin (opencode-host.md §3.2); every part of it may be missing
 * @param {import("./engine.js").Parts} [parts]
 */
export async function setup(ctx, parts = {}) {
  const voice = onStderr();
  try {
    return await register(ctx, voice, parts);
  } catch (error) {
    voice.warn(`could not start: ${describe(error)}; requests are left as they are`);
    return undefined;
  }
}

/**
 * What the functions below work with.
 * @typedef {{ ctx: any, engine: Engine, voice: Voice, totals: Totals, watch: ReturnType<typeof watchFirstRequest>, finding: string[] }} Registering `finding`
 *   holds the names of the tools that find what is hidden, once the host has them
 */

/** @param {any} ctx @param {Voice} voice @param {import("./engine.js").Parts} parts */
async function register(ctx, voice, parts) {
  const missing = typeof ctx?.session?.hook === "function" ? undefined : "session.hook";
  if (missing && isLegacyHost()) return undefined;
  const project = projectFolder(ctx, LIST_MS);
  const engine = startEngine({ options: ctx?.options, directory: project.folder, voice, missing }, parts);
  const totals = totalsIn(ctx?.storage);
  const watch = watchFirstRequest(voice);
  /** @type {Registering} */
  const given = { ctx, engine, voice, totals, watch, finding: [] };
  const { isDisabled, config } = engine;
  const family = familyOf((sessionID) => ctx.session.get?.({ sessionID }), config.jev_timeout_ms);
  const isPruning = !isDisabled && config.mode === "prune";
  // All at once: a part of the host that hangs must not add up with another one that does.
  await Promise.all([
    ...(isDisabled ? [] : sessionHooks(given, family, project)),
    ...(isPruning && config.history.enabled ? [offerTools(given)] : []),
    ...(isPruning && config.discovery.enabled ? [offerFinding(given)] : []),
    ...(isPruning && config.repair_arguments ? [offerRepair(given)] : []),
    offerCommand(given),
  ]);
  void followEvents(given, family);
  return () => totals.flushed();
}

/** @typedef {import("./engine.js").Engine} Engine */
/** @typedef {import("./voice.js").Voice} Voice */
/** @typedef {ReturnType<typeof totalsIn>} Totals */
/** @typedef {ReturnType<typeof familyOf>} Family */

/** How long a list may take that tells where the project is. */
const LIST_MS = 5_000;

/** @param {Registering} given @param {Family} family @param {ReturnType<typeof projectFolder>} project */
function sessionHooks({ ctx, engine, voice, totals, watch, finding }, family, project) {
  const { config, lent, guard, status } = engine;
  const inventory = inventoryReader(ctx, config.jev_timeout_ms);
  const settings = settingsOf(lent, finding);
  const { enabled, subagents } = config.history;
  /** @param {string} name @param {(core: import("./core.js").Glue, event: any) => unknown} callback */
  const hook = async (name, callback) => {
    const problem = await hookInto(ctx.session, name, guard(callback));
    if (problem === undefined) return;
    lent.log("not_taken", { what: `hook ${name}`, why: problem });
    if (name === "context") voice.warn(`this host does not take the hook \`context\` (${problem}); requests are left as they are`);
  };
  const onPrompt = hook("prompt", (core, event) => {
    if (typeof event?.messageID !== "string" || typeof event.prompt?.text !== "string") return;
    core.rememberPrompt(event.messageID, event.prompt.text, lent.now());
  });
  const onRequest = ["context", "generate", "compaction"].map((name) => hook(name, async (core, event) => {
    watch.reached();
    void project.note(event);
    const child = enabled && !subagents && (await family.isChild(event?.sessionID));
    const used = name === "context" ? settings(event) : lent.config;
    const report = await prune(core, event, { ...lent, config: used, hook: name, child, inventory: await inventory(event) });
    status.noteReport(report);
    if (name === "context") totals.add(report);
  }));
  return [onPrompt, ...onRequest];
}


/**
 * The settings for a request. An agent may not be allowed to use our tools: then it is not told of them, and nothing is
 * hidden from it that only they would find.
 * @param {Engine["lent"]} lent @param {string[]} finding
 */
function settingsOf(lent, finding) {
  /** The same object again, since the core reads each one anew. @type {{ of?: any, without?: any }} */
  let known = {};
  return (/** @type {any} */ event) => {
    const { config } = lent;
    const offered = event?.tools ?? {};
    if (!config.discovery.enabled || finding.every((name) => Object.hasOwn(offered, name))) return config;
    if (known.of !== config) known = { of: config, without: withoutFinding(config) };
    return known.without;
  };
}

/** @param {any} config */
const withoutFinding = (config) => ({ ...config, discovery: { ...config.discovery, enabled: false } });

/** The model's own tools to clear up its conversation, where the host takes them. @param {Registering} given */
async function offerTools({ ctx, engine: { config, guard }, voice, watch }) {
  const call = guard(callOwnTool);
  const tools = ownTools(config.history.tools).map(({ name, description, fields, required }) => asToolOf2({
    name,
    description,
    input: { type: "object", properties: fields, required, additionalProperties: false },
    call: async (input, context) => (await call(name, input, context)) ?? "This does not work now.",
  }));
  const refused = (/** @type {string} */ why) =>
    voice.warn(`this host does not take the tools \`discard\` and \`extract\` (${why}); the model has none of them`);
  watch.offered(await offer(ctx.tool, tools, { refused }), tools);
}

/**
 * The tools that find what is hidden. Where the host does not take them, what they would find is not hidden.
 * @param {Registering} given
 */
async function offerFinding({ ctx, engine: { core, config, guard, lent, status }, voice, watch, finding }) {
  /** @type {any[] | undefined} */
  let registered;
  const lists = hostLists(ctx, config.jev_timeout_ms, () => registered);
  const finder = createFinder({ config, guard, now: lent.now, status }, lists);
  const tools = finderTools(finder, finder.definitions(core));
  finding.push(...tools.map(({ name }) => name));
  const off = () => void (lent.config = withoutFinding(lent.config));
  const refused = (/** @type {string} */ why) => {
    off();
    voice.warn(`this host takes no tools of plugins (${why}), so option \`discovery\` does nothing; what it would hide is shown`);
  };
  const look = (/** @type {any} */ editor) => void (registered = editor.list?.());
  watch.offered(await offer(ctx.tool, tools, { refused, look }), tools, off);
}

/** @param {Registering} given */
async function offerRepair({ ctx, engine, voice }) {
  const problem = await hookInto(ctx.tool, "execute.before", repairHook(ctx, engine));
  if (problem !== undefined) voice.warn(`this host does not take hooks on tools (${problem}), so option \`repair_arguments\` does nothing`);
}

/** The person's command. @param {Registering} given */
async function offerCommand({ ctx, engine: { config, guard, status, isDisabled }, voice, totals }) {
  if (typeof ctx?.command?.transform !== "function") return;
  const table = { ...(!isDisabled && config.history.enabled && HISTORY_COMMANDS), ...statusCommands(status) };
  const notify = noticesOf(ctx);
  const answer = guard(async (core, /** @type {{ session: string, line: string }} */ given) =>
    answerCommand(core, table, { ...given, totals: await totals.read() }));
  const command = {
    name: COMMAND_NAME,
    description: commandAbout(table),
    execute: async (/** @type {any} */ given) => {
      const text = await answer({ session: given?.sessionID, line: given?.prompt?.text ?? "" });
      await notify(given?.sessionID, text ?? "This does not work now; the debug log says why.");
    },
  };
  const refused = (/** @type {string} */ why) => voice.warn(`this host does not take the command \`/${COMMAND_NAME}\` (${why}); it is not there`);
  await offer(ctx.command, [command], { refused });
}

/** What was shown in a session is forgotten with its history (opencode-host.md §3.2). */
const FORGETTING = ["session.compaction.ended", "session.deleted"];

/** @param {Registering} given @param {Family} family */
async function followEvents({ ctx, engine: { guard, notice }, watch }, family) {
  let untold = notice;
  const notify = noticesOf(ctx);
  const follow = guard(async (core, /** @type {any} */ event) => {
    const session = event?.data?.sessionID ?? event?.data?.id;
    if (event?.type === "session.created") family.note(event.data?.info ?? event.data);
    if (FORGETTING.includes(event?.type) && typeof session === "string") core.forgetSession(session);
    // At the end of a turn: a notice in the middle of one would be read by the model within it.
    if (!ENDS.includes(event?.type)) return;
    const failure = event.type === "session.execution.failed" ? await watch.failed(event.data?.error) : undefined;
    const texts = [untold, failure].filter((text) => text !== undefined);
    untold = undefined;
    for (const text of texts) await notify(session, `opencode-jev-pruner: ${text}`);
  });
  try {
    for await (const event of ctx?.event?.subscribe?.({}) ?? []) await follow(event);
  } catch {
    // Without events, the changed baseline still tells of a compaction.
  }
}

/** How the host tells that a turn is over. */
const ENDS = ["session.execution.succeeded", "session.execution.failed", "session.execution.interrupted"];
