// The plugin in OpenCode 1.18: its hooks are turned into one event like OpenCode 2's, which the core prunes,
// and what became of the event is carried back (opencode-host.md §13, host-observed.md).
//
// At each step of a conversation the host calls, in this order,
//
//     experimental.chat.messages.transform   the history and, in its last user message, the prompt
//     experimental.chat.system.transform     the system text, with skills and MCP instructions
//     (building the request)                 asks `user.tools[name] !== false` of every tool
//
// No list of MCP tools can be had before the third; there their names show themselves, and are remembered.
import { COMMAND_NAME, HISTORY_COMMANDS, answerCommand, commandAbout } from "./commands.js";
import { createFinder } from "./discovery.js";
import { encode } from "./encoded-list.js";
import { describe, startEngine } from "./engine.js";
import { inOneReport } from "./one-report.js";
import { callOwnTool, ownTools } from "./own-tools.js";
import { prune } from "./prune.js";
import { familyOf } from "./sessions.js";
import { statusCommands } from "./status.js";
import { isText } from "./values.js";
import { inHostLog } from "./voice.js";
import { withTimeLimit } from "./with-time-limit.js";

/**
 * @typedef {{ id?: string, role?: string, sessionID?: string, tools?: Record<string, boolean> }} Info
 * @typedef {{ type?: string, text?: string, synthetic?: boolean, tool?: string, state?: { input?: any } }} Part
 * @typedef {{ info: Info, parts: Part[] }} Stored
 * @typedef {Record<string, { description: string }>} Tools
 * @typedef {{ user: Info, prompt: string | undefined, messages: object[], tools?: Tools }} Turn the last user message, the
 *   id of the last one that is a prompt, the history as OpenCode 2 has it, and the tools that were known when the prompt came
 */

/** Sessions whose turn is remembered between two hooks; more than a process ever runs at once. */
const MAX_TURNS = 200;

let isRunning = false;

/** Whether this process is an OpenCode 1.18: it calls `setup` too, with a context that has no hooks. */
export function isLegacyHost() {
  return isRunning;
}

/**
 * @param {any} input what OpenCode 1.18 hands to a plugin: `client`, `directory`, ...
 * @param {unknown} options
 * @param {import("./engine.js").Parts} [parts]
 */
export async function server(input, options, parts = {}) {
  isRunning = true;
  const voice = inHostLog(input?.client);
  try {
    const engine = startEngine({ options, directory: input?.directory, voice }, parts);
    const asked = commandHooks(engine);
    if (engine.isDisabled) return { ...asked, "chat.message": engine.guard(toldOnce(input, engine)) };
    return { ...asked, ...hooks(input, engine) };
  } catch (error) {
    voice.warn(`could not start: ${describe(error)}; requests are left as they are`);
    return {};
  }
}

/** @typedef {import("./engine.js").Engine} Engine */

/** @param {any} input @param {Engine} engine */
function hooks(input, engine) {
  const { core, config, lent, guard, status } = engine;
  /** @type {Map<string, Turn>} */
  const turns = new Map();
  const seen = toolsSeen();
  const tell = toldOnce(input, engine);
  const { enabled, subagents, tools } = config.history;
  const ask = (/** @type {string} */ id) => input.client?.session?.get?.({ path: { id } });
  const family = familyOf(ask, config.jev_timeout_ms);
  // The history comes by a hook of its own; what comes by the others is only a sketch of it.
  const reporting = inOneReport(lent);
  const lentForLists = { ...lent, config: { ...lent.config, history: { ...config.history, enabled: false } } };

  /** @param {import("./core.js").Glue} core @param {Stored[]} messages @param {string} session */
  async function pruneHistory(core, messages, session) {
    if (!enabled || (!subagents && (await family.isChild(session)))) return;
    const event = { sessionID: session, system: [], messages, tools: {} };
    const report = await prune(core, event, { ...lent, ...reporting.ofHistory(session), hook: "messages" });
    // The host goes on with the array that it handed over.
    if (report.applied) messages.splice(0, messages.length, ...event.messages);
  }

  /** @returns {Offered[]} */
  function offered() {
    const own = guard(callOwnTool);
    const clearing = enabled ? ownTools(tools) : [];
    const finder = createFinder({ config, guard, now: lent.now, status }, seen.lists);
    const finding = config.discovery.enabled ? finder.definitions(core) : [];
    return [
      ...clearing.map(({ name, description, fields }) =>
        ({ name, description, fields, call: (/** @type {any} */ given, /** @type {any} */ context) => own(name, given, context) })),
      ...finding.map(({ name, description, input: { properties } }) =>
        ({ name, description, fields: properties, call: (/** @type {any} */ given, /** @type {any} */ context) => finder.call(name, given, context) })),
    ];
  }

  return {
    // In the other modes nothing of ours is in the request.
    ...(config.mode === "prune" && (enabled || config.discovery.enabled) && { tool: toolHooks(offered()) }),

    "chat.message": guard((core, _input, /** @type {any} */ output) => {
      void tell();
      const { id } = output.message;
      if (typeof id === "string") core.rememberPrompt(id, typedText(output.parts), lent.now());
    }),

    event: guard((core, /** @type {any} */ { event }) => {
      const session = event?.properties?.sessionID ?? event?.properties?.info?.id;
      if (event?.type === "session.created") family.note(event.properties?.info);
      const forgets = event?.type === "session.compacted" || event?.type === "session.deleted";
      if (forgets && typeof session === "string") core.forgetSession(session);
    }),

    "experimental.chat.messages.transform": guard(async (core, _input, /** @type {any} */ output) => {
      const turn = readTurn(output.messages);
      const session = turn?.user.sessionID;
      if (!turn || !session) return;
      const before = turns.get(session);
      // All steps of a turn are decided on the same, so that they give the same request.
      if (before && before.prompt === turn.prompt) turn.tools = before.tools;
      turns.delete(session);
      turns.set(session, turn);
      for (const oldest of turns.keys()) {
        if (turns.size <= MAX_TURNS) break;
        turns.delete(oldest);
      }
      await pruneHistory(core, output.messages, session);
    }),

    "experimental.chat.system.transform": guard(async (core, /** @type {any} */ given, /** @type {any} */ output) => {
      const text = output.system[0];
      const turn = turns.get(given.sessionID);
      if (!turn || typeof text !== "string" || !core.isMainSystemText(text)) return;
      // Such a prompt names its own tools, and what it lacks says nothing about the session.
      if (turn.user.tools?.["*"] === false) return;
      const servers = await connectedServers(input.client, config.jev_timeout_ms);
      const namespaces = servers.map((name) => core.namespaceOf(name));
      const event = {
        sessionID: given.sessionID,
        system: [{ type: "text", text }],
        messages: turn.messages,
        tools: { ...(turn.tools ??= seen.of(namespaces)) },
      };
      // Whatever happens to the plan, names are learned for the next prompt.
      hideTools(turn.user, seen.recorder(core, namespaces), () => false);
      const inventory = { servers: encode(servers), unseenServers: encode(servers) };
      const report = await prune(core, event, { ...lentForLists, ...reporting.ofLists(given.sessionID), inventory, fixedMessages: true });
      status.noteReport(report);
      if (!report.applied) return;
      const hidden = new Set(report.removed.native_tools);
      const hiddenServers = new Set(report.removed.servers);
      hideTools(turn.user, seen.recorder(core, namespaces), (name, owner) => hidden.has(name) || hiddenServers.has(owner));
      // What the core adds is a part of its own; here there is one text.
      const pruned = event.system.map(({ text }) => text).join("\n");
      if (pruned) output.system[0] = pruned;
    }),
  };
}

/** @typedef {{ name: string, description: string, fields: Record<string, object>, call: (input: any, context: any) => Promise<string | undefined> }} Offered */

/** The model's own tools, as this line of the host takes them. @param {Offered[]} offered */
const toolHooks = (offered) => Object.fromEntries(offered.map(({ name, description, fields, call }) => [name, {
  description,
  args: fields,
  execute: async (/** @type {any} */ input, /** @type {any} */ context) => (await call(input, context)) ?? "This does not work now.",
}]));

/**
 * The person's command. This line of the host has no command that only the plugin answers: the answer goes to the model as
 * the prompt, to be repeated. It counts as no prompt, since nobody typed a synthetic text.
 * @param {Engine} engine
 */
function commandHooks({ config, guard, status, isDisabled }) {
  const table = { ...(!isDisabled && config.history.enabled && HISTORY_COMMANDS), ...statusCommands(status) };
  return {
    config: guard((_core, /** @type {any} */ given) => {
      given.command ??= {};
      given.command[COMMAND_NAME] ??= { template: "$ARGUMENTS", description: commandAbout(table) };
    }),
    "command.execute.before": guard((core, /** @type {any} */ given, /** @type {any} */ output) => {
      if (given.command !== COMMAND_NAME) return;
      const text = answerCommand(core, table, { session: given.sessionID, line: given.arguments ?? "", totals: undefined });
      const asked = `Repeat this to me as it is, and do nothing else:\n\n${text}`;
      output.parts.splice(0, output.parts.length, { type: "text", text: asked, synthetic: true });
    }),
  };
}

/**
 * Tells once in the terminal what a person has to know before anything else.
 * @param {any} input @param {Engine} engine
 */
function toldOnce(input, { config, notice }) {
  let untold = notice;
  return async () => {
    if (untold === undefined) return;
    const message = untold;
    untold = undefined;
    const body = { title: "opencode-jev-pruner", message, variant: "warning", duration: NOTICE_MS };
    await withTimeLimit(config.jev_timeout_ms, () => input?.client?.tui?.showToast?.({ body }));
  };
}

/** Long enough to be read. */
const NOTICE_MS = 10_000;

/**
 * The host asks `user.tools[name]` for every tool of the request, so the answers can be given there and then;
 * exact names alone would not do, since at a first prompt none is known. What the user's own setting says
 * stays. The answers come from the prototype, so that a copy of the object is a plain one.
 * @param {Info} user
 * @param {(name: string) => string | undefined} ownerOf also told of every name
 * @param {(name: string, owner: string) => boolean} isHidden
 */
function hideTools(user, ownerOf, isHidden) {
  const answers = new Proxy(Object.prototype, {
    get(target, name, receiver) {
      if (typeof name !== "string" || name in target) return Reflect.get(target, name, receiver);
      try {
        const owner = ownerOf(name);
        return owner !== undefined && isHidden(name, owner) ? false : undefined;
      } catch {
        return undefined;
      }
    },
  });
  user.tools = Object.assign(Object.create(answers), user.tools);
}

/** The names of MCP tools that requests have shown so far, by namespace. */
function toolsSeen() {
  /** @type {Map<string, Set<string>>} */
  const names = new Map();
  let count = 0;
  /** @type {{ count: number, lists: import("./discovery.js").Lists }} */
  let told = { count: 0, lists: {} };
  return {
    /** All of them, as the core searches them; nothing but their names is known. The same object until there are more. */
    async lists() {
      if (told.count === count) return told.lists;
      const tools = [...names].flatMap(([owner, known]) =>
        [...known].flatMap((name) => [name, name.slice(owner.length + 1), owner, "", "native", ""]));
      told = { count, lists: { tools: encode(tools) } };
      return told.lists;
    },
    /** @param {string[]} namespaces @returns {Tools} */
    of(namespaces) {
      const known = namespaces.flatMap((namespace) => [...(names.get(namespace) ?? [])]);
      return Object.fromEntries(known.sort().map((name) => [name, { description: "" }]));
    },
    /** @param {import("./core.js").Glue} core @param {string[]} namespaces */
    recorder(core, namespaces) {
      return (/** @type {string} */ name) => {
        const owner = core.ownerOf(name, namespaces);
        if (owner === undefined) return undefined;
        const known = names.get(owner) ?? new Set();
        if (!known.has(name)) count += 1;
        names.set(owner, known.add(name));
        return owner;
      };
    },
  };
}

/** @param {Stored[]} messages @returns {Turn | undefined} */
function readTurn(messages) {
  const user = messages.findLast(({ info }) => info.role === "user")?.info;
  const prompt = messages.findLast(({ info, parts }) => info.role === "user" && typedText(parts) !== "")?.info.id;
  return user && { user, prompt, messages: messages.map(readMessage) };
}

/**
 * A message as OpenCode 2 has it. Only real prompts carry metadata there; here they are the user messages
 * with text that is not synthetic.
 * @param {Stored} message
 */
function readMessage({ info, parts }) {
  if (info.role !== "user") {
    const calls = parts.filter((part) => part.type === "tool").map((part) => ({ type: "tool-call", name: calledName(part) }));
    return { id: info.id, role: info.role, content: calls };
  }
  const text = typedText(parts);
  return { id: info.id, role: "user", content: [{ type: "text", text }], ...(text && { metadata: {} }) };
}

/** What was called. A call of a tool that is not in the request is stored as one of `invalid`. @param {Part} part */
function calledName({ tool, state }) {
  const wanted = tool === "invalid" ? state?.input?.tool : undefined;
  return isText(wanted) ? wanted : tool;
}

/** @param {Part[]} parts */
function typedText(parts) {
  return parts
    .filter((part) => part.type === "text" && !part.synthetic)
    .map((part) => part.text)
    .join("\n");
}

/** @param {any} client @param {number} timeoutMs @returns {Promise<string[]>} */
async function connectedServers(client, timeoutMs) {
  const answer = await withTimeLimit(timeoutMs, () => client?.mcp?.status?.());
  const status = answer?.data ?? {};
  return Object.keys(status).filter((name) => status[name]?.status === "connected").sort();
}
