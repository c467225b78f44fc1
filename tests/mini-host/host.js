/**
 * A stand-in for OpenCode 2.0: loads a plugin, admits prompts, makes model calls and shows what the plugin made of them
 * (opencode-host.md §1, §3, §4, §5). It has no model: what an assistant says is pushed by the test. When `servers` or
 * `skills` are other ones than before, the next call tells so in a role-system message (§1.4). All texts are rendered
 * elsewhere.
 *
 *     const host = new MiniHost({ servers, skills });
 *     await host.load(plugin, { minScore: 0.5 });
 *     const { before, after } = await host.prompt("Why does the nightly import fail?");
 */

import { renderChanges } from "./changes.js";
import { Guard, buildRequest, transcriptOf } from "./guard.js";
import { HOST_TOOLS, allTools, nativeTools } from "./host-tools.js";
import { Message, attachment } from "./messages.js";
import { EventFeed, Hooks, checkPlugin, messageOf, storageOver } from "./plugin-context.js";
import { Registries } from "./registries.js";
import { sessionText } from "./sources.js";

/** @import { ContextEvent, MessageShape, Model, NativeTool, Plugin, PromptEvent, Server, Skill, Step } from "./types.js" */
/** @import { Rendering } from "./catalog.js" */
/** @import { Inventory } from "./changes.js" */
/** @import { InstructionsStyle } from "./instructions.js" */
/** @import { SourceOrder } from "./sources.js" */

/**
 * Which lists a plugin can read from `ctx`; hosts differ, and so does whether a list comes as `{ location, data }`.
 * `registries` is whether plugins may register tools and commands, and whether they are those of the beta, which also names
 * no location but beside its lists.
 * @typedef {{ toolList?: boolean, mcpList?: boolean, skillList?: boolean, wrapped?: boolean, registries?: boolean | "beta" }} ContextLists
 */

/**
 * @typedef {object} HostOptions
 * @property {Server[]} [servers]
 * @property {Skill[]} [skills]
 * @property {string} [basePrompt]
 * @property {string} [agentsMd]
 * @property {number} [budget] of the catalog, in tokens; Infinity makes it complete
 * @property {Rendering} [rendering] `v1c` puts the catalog into the description of `execute`, as the July beta did, and
 *   renders it anew for each call
 * @property {InstructionsStyle} [instructionsStyle]
 * @property {SourceOrder} [sourceOrder]
 * @property {NativeTool[]} [hostTools]
 * @property {ContextLists} [ctx]
 */

/**
 * `told` is what the model knows of: as in the baseline, and as in the changes told since.
 * @typedef {{ messages: Message[], baseline?: string, told?: Inventory, guard?: Guard }} Session
 */
/** @typedef {{ plugin: Plugin, cleanup: unknown }} LoadedPlugin */

export class MiniHost {
  /** Settable, to play several sessions. */
  sessionID = "ses_1";
  agent = "build";
  /** @type {Model} */
  model = { id: "model-1", providerID: "provider-1" };
  /** What all steps so far did that a host forgives silently. @type {string[]} */
  violations = [];
  /** Of the plugin being loaded; set by `load`. */
  directory = "/project";
  /** Whether the agent may run code; without it there are no Code Mode tools. */
  canExecute = true;
  /** What plugins registered. */
  registered = new Registries();
  /** What a model call was offered last, by session. @type {Map<string, string[]>} */
  #offered = new Map();
  /** Further fields of every event, as other versions of the host may have them. @type {Record<string, unknown>} */
  eventFields = {};

  #hooks = new Hooks();
  #events = new EventFeed();
  #ready = false;
  #messageCount = 0;
  /** @type {Map<string, Session>} */
  #sessions = new Map();
  /** @type {Map<string, Map<string, string>>} */
  #storage = new Map();
  /** @type {LoadedPlugin[]} */
  #loaded = [];

  /** @param {HostOptions} [options] */
  constructor({
    servers = [],
    skills = [],
    basePrompt,
    agentsMd,
    budget,
    rendering = "v4",
    instructionsStyle = "new",
    sourceOrder = "new",
    hostTools = HOST_TOOLS,
    ctx = {},
  } = {}) {
    /** Can change during a session: native tools and lists follow at once, a message tells, the baseline stays (§1.3). */
    this.servers = servers;
    this.skills = skills;
    this.basePrompt =
      basePrompt ?? "You help with the code in front of you. Say little, change little, check what you did.";
    this.agentsMd = agentsMd;
    this.budget = budget;
    this.rendering = rendering;
    this.instructionsStyle = instructionsStyle;
    this.sourceOrder = sourceOrder;
    this.hostTools = hostTools;
    this.lists = ctx;
  }

  /**
   * @param {unknown} module the default export, or the whole module
   * @param {Record<string, unknown>} [options] as in the user's configuration
   * @param {{ directory?: string }} [location]
   */
  async load(module, options = {}, { directory = this.directory } = {}) {
    const plugin = checkPlugin(module);
    this.directory = directory;
    this.#ready = false;
    try {
      this.#loaded.push({ plugin, cleanup: await plugin.setup(this.#context(plugin, options)) });
      this.registered.runBatch();
    } catch (cause) {
      this.#hooks.removeAll(plugin.id);
      throw new Error(`plugin "${plugin.id}" failed in setup: ${messageOf(cause)}`, { cause });
    } finally {
      this.#ready = true;
    }
  }

  /** Ends all plugins: their hooks are gone, their cleanups have run. */
  async unload() {
    for (const { plugin, cleanup } of this.#loaded.splice(0)) {
      this.#hooks.removeAll(plugin.id);
      if (typeof cleanup === "function") await cleanup();
    }
  }

  /**
   * Admits what the user typed and makes one model call.
   * @param {string} text
   * @param {{ attachments?: Array<string | { name: string, text: string }> }} [options]
   * @returns {Promise<Step>}
   */
  async prompt(text, { attachments = [] } = {}) {
    const session = this.#session();
    this.#tellChanges(session);
    const id = this.#nextID();
    /** @type {PromptEvent} */
    const event = { sessionID: this.sessionID, messageID: id, prompt: { text }, delivery: "queue" };
    await this.#hooks.run("prompt", event);
    const content = [{ type: "text", text: event.prompt.text }, ...attachments.map(attachment)];
    session.messages.push(new Message({ id, role: "user", content, metadata: {} }));
    return this.step();
  }

  /**
   * One model call, as after a prompt and after every tool result.
   * @returns {Promise<Step>}
   */
  async step() {
    const session = this.#session();
    this.#tellChanges(session);
    return this.#call("context", session, session.messages);
  }

  /**
   * A call that only keeps the provider's cache warm: the context of now and a user message that nobody typed and that
   * is not stored (§5.4).
   * @returns {Promise<Step>}
   */
  async warm() {
    const session = this.#session();
    const keepAlive = new Message({
      role: "user",
      content: [{ type: "text", text: "Reply with OK and nothing else." }],
    });
    return this.#call("context", session, [...session.messages, keepAlive]);
  }

  /**
   * A text that somebody else wants of the session's model. Neither the change that is told before it nor the prompt is
   * stored (§1.4).
   * @param {string} prompt
   * @returns {Promise<Step>}
   */
  async generate(prompt) {
    const session = this.#session();
    const change = this.#change(session);
    const asked = new Message({ role: "user", content: [{ type: "text", text: prompt }] });
    return this.#call("generate", session, [...session.messages, ...(change ? [change] : []), asked]);
  }

  /**
   * The call that summarises the history; `compact` is what follows from it. The words that ask for the summary are
   * added behind the hooks (§4).
   * @returns {Promise<Step>}
   */
  async summarise() {
    const session = this.#session();
    return this.#call("compaction", session, session.messages);
  }

  /**
   * What the model said and which tools it called.
   * @param {string} text
   * @param {Array<{ id: string, name: string, input?: unknown }>} [calls]
   */
  assistant(text, calls = []) {
    const said = text === "" ? [] : [{ type: "text", text }];
    const called = calls.map(({ id, name, input = {} }) => ({
      type: "tool-call",
      id,
      name,
      input,
      providerExecuted: false,
    }));
    this.#push({ id: this.#nextID(), role: "assistant", content: [...said, ...called] });
  }

  /** @param {{ id: string, name: string, value: string }} result */
  toolResult({ id, name, value }) {
    const part = { type: "tool-result", id, name, result: { type: "text", value }, providerExecuted: false };
    this.#push({ role: "tool", content: [part] });
  }

  /**
   * The model calls a native tool, and the host runs it: what it was called with in the end, and what it answered. Both
   * stand in the history.
   * @param {string} name @param {any} [input]
   */
  async callTool(name, input = {}) {
    if (!this.#offered.get(this.sessionID)?.includes(name)) throw new Error(`Tool is not available for this request: ${name}`);
    const id = `call_${this.#session().messages.length}`;
    const run = await this.registered.run(name, input, this.sessionID, async (given) => {
      const own = this.registered.tools.get(name);
      return own ? own.execute(given, { sessionID: this.sessionID }) : { content: `${name} was run` };
    });
    this.assistant("", [{ id, name, input: run.input }]);
    this.toolResult({ id, name, value: run.content });
    return run;
  }

  /** The person types `/name words`. @param {string} name @param {string} words */
  async command(name, words) {
    const command = this.registered.commands.get(name);
    if (!command) throw new Error(`there is no command /${name}`);
    await command.execute({ sessionID: this.sessionID, messageID: this.#nextID(), prompt: { text: words }, delivery: "queue" });
  }

  /**
   * A change told during the session (§1.4): no id, no metadata, frozen once said.
   * @param {string} text
   */
  systemMessage(text) {
    this.#push({ role: "system", content: [{ type: "text", text }] });
  }

  /**
   * A user message that no user typed: shell output, an activated skill, a notice. It has no metadata.
   * @param {string} text
   */
  synthetic(text) {
    this.#push({ id: this.#nextID(), role: "user", content: [{ type: "text", text }] });
  }

  /**
   * Replaces the history by a summary; the system text is rendered anew at the next step (§1.3).
   * @param {string} [summary]
   */
  compact(summary = "The work so far, in short.") {
    const session = this.#session();
    session.messages = [];
    session.baseline = undefined;
    session.told = undefined;
    session.guard = undefined;
    this.synthetic(`<conversation-checkpoint>\n${summary}\n</conversation-checkpoint>`);
    this.emit("session.compaction.ended", { sessionID: this.sessionID });
  }

  /** Takes the last prompt back, with all that followed on it; what was told in front of it stays told. */
  undo() {
    const { messages } = this.#session();
    const prompt = messages.findLastIndex(({ metadata }) => metadata !== undefined);
    if (prompt >= 0) messages.splice(prompt);
  }

  /**
   * Any message, with parts of any kind.
   * @param {MessageShape} shape
   */
  message(shape) {
    this.#push(shape);
  }

  /**
   * Tells those who subscribed.
   * @param {string} type
   * @param {unknown} [data]
   */
  emit(type, data = {}) {
    this.#events.emit(type, data);
  }

  /** @returns {Session} */
  #session() {
    const session = this.#sessions.get(this.sessionID) ?? { messages: [] };
    this.#sessions.set(this.sessionID, session);
    return session;
  }

  #nextID() {
    return `msg_${String(++this.#messageCount).padStart(4, "0")}`;
  }

  /** @param {MessageShape} shape */
  #push(shape) {
    this.#session().messages.push(new Message(shape));
  }

  /** @returns {Inventory} */
  #inventory() {
    return { servers: this.servers, skills: this.skills, canExecute: this.canExecute };
  }

  #hostTools() {
    return [...this.hostTools, ...this.registered.tools.values()].map(({ name, description, input }) => ({ name, description, input }));
  }

  #wording() {
    const { budget, rendering, instructionsStyle, sourceOrder: order } = this;
    return { budget, rendering, instructionsStyle, order };
  }

  /**
   * What has changed since the model was last told.
   * @param {Session} session
   */
  #change({ told }) {
    const text = told && renderChanges(told, this.#inventory(), this.#wording());
    return text && new Message({ role: "system", content: [{ type: "text", text }] });
  }

  /** @param {Session} session */
  #tellChanges(session) {
    const change = this.#change(session);
    if (!change) return;
    session.messages.push(change);
    session.told = structuredClone(this.#inventory());
  }

  /**
   * @param {string} hook
   * @param {Session} session
   * @param {Message[]} messages
   * @returns {Promise<Step>}
   */
  async #call(hook, session, messages) {
    this.#checkTools();
    // What a plugin kept in hand and changed after its hook had returned comes to light here.
    session.guard?.verify();
    const event = this.#event(session, messages);
    const guard = new Guard(event);
    session.guard = guard;
    try {
      await this.#hooks.run(hook, event);
    } finally {
      guard.verify();
    }
    const violations = Object.entries(this.eventFields)
      .filter(([name, value]) => event[/** @type {keyof ContextEvent} */ (name)] !== value)
      .map(([name]) => `event.${name} is another one`);
    const request = buildRequest(event, guard, violations);
    this.#offered.set(this.sessionID, request.tools.map(({ name }) => name));
    this.violations.push(...violations);
    return { before: guard.before, after: transcriptOf(request), request, touched: guard.touched(event), violations };
  }

  /** The beta looks at the schemas of all tools before it asks anybody, and tells of what it cannot read in an event only. */
  #checkTools() {
    if (this.lists.registries !== "beta") return;
    const odd = [...this.registered.tools.values()].find(({ jsonSchema }) => jsonSchema === undefined);
    if (!odd) return;
    const error = { type: "unknown", message: `the schema of ${odd.name} cannot be read` };
    this.emit("session.execution.failed", { sessionID: this.sessionID, error });
    throw new Error(error.message);
  }

  /**
   * @param {Session} session
   * @param {Message[]} messages
   * @returns {ContextEvent}
   */
  #event(session, messages) {
    session.told ??= structuredClone(this.#inventory());
    session.baseline ??= sessionText({
      ...this.#inventory(),
      ...this.#wording(),
      directory: this.directory,
      agentsMd: this.agentsMd,
    });
    return {
      ...this.eventFields,
      sessionID: this.sessionID,
      agent: this.agent,
      model: { ...this.model },
      system: [this.basePrompt, session.baseline].filter((text) => text !== "").map((text) => ({ type: "text", text })),
      messages: [...messages],
      tools: nativeTools({ ...this.#wording(), ...this.#inventory(), hostTools: this.#hostTools() }),
    };
  }

  /**
   * @param {Plugin} plugin
   * @param {Record<string, unknown>} options
   */
  #context(plugin, options) {
    const values = this.#storage.get(plugin.id) ?? new Map();
    this.#storage.set(plugin.id, values);
    const { toolList, mcpList, skillList, registries } = this.lists;
    const listed = () => allTools({ hostTools: this.#hostTools(), servers: this.servers });
    const isBeta = registries === "beta";
    const takes = isBeta ? this.registered.contextOfBeta() : registries ? this.registered.context(listed) : undefined;
    return {
      options,
      app: { name: "mini-host", version: "2.0.0", channel: "test" },
      ...(!isBeta && {
        location: {
          directory: this.directory,
          project: { id: "prj_1", directory: this.directory, canonical: this.directory },
        },
      }),
      session: {
        /** @param {string} name @param {import("./types.js").HookCallback} callback @param {{ providerID?: string }} [filter] */
        hook: async (name, callback, { providerID } = {}) =>
          this.#hooks.add({ name, callback, providerID, owner: plugin.id }),
        ...(takes && { synthetic: takes.notify }),
      },
      ...(takes && { command: takes.command }),
      event: { subscribe: this.#events.subscribe.bind(this.#events) },
      storage: storageOver(values),
      ...(toolList || takes ? { tool: { ...(toolList && { list: async () => this.#list(listed()) }), ...takes?.tool } } : {}),
      ...(mcpList
        ? { mcp: { list: async () => this.#list(this.servers.map(({ name }) => ({ name, status: "connected" }))) } }
        : {}),
      ...(skillList ? { skill: { list: async () => this.#list(this.skills) } } : {}),
    };
  }

  /**
   * Lists are empty until all plugins are set up (host-observed.md "V2: the rest").
   * @param {readonly object[]} items
   */
  #list(items) {
    const data = this.#ready ? structuredClone(items) : [];
    return this.lists.wrapped ? { location: { directory: this.directory }, data } : data;
  }
}
