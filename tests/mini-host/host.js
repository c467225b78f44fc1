/**
 * A stand-in for OpenCode 2.0: loads a plugin, admits prompts, makes model calls and shows what the plugin made of
 * them (opencode-host.md §1, §3, §4, §5). It has no model: what an assistant says is pushed by the test, and so are
 * the messages that tell of changes during a session. The text of the catalogs is rendered elsewhere.
 *
 *     const host = new MiniHost({ servers, skills });
 *     await host.load(plugin, { minScore: 0.5 });
 *     const { before, after } = await host.prompt("Why does the nightly import fail?");
 */

import { Guard, buildRequest, transcriptOf } from "./guard.js";
import { HOST_TOOLS, nativeTools } from "./host-tools.js";
import { isCodeMode, nativeName, sanitise, usableTools } from "./names.js";
import { EventFeed, Hooks, checkPlugin, messageOf, storageOver } from "./plugin-context.js";
import { sessionText } from "./sources.js";

/** @import { ContentPart, ContextEvent, MessageShape, Model, NativeTool, Plugin, PromptEvent, Role, Server, Skill, Step } from "./types.js" */
/** @import { SourceOrder } from "./sources.js" */

/**
 * Which lists a plugin can read from `ctx`; hosts differ, and so does whether a list comes as `{ location, data }`.
 * @typedef {{ toolList?: boolean, mcpList?: boolean, skillList?: boolean, wrapped?: boolean }} ContextLists
 */

/**
 * @typedef {object} HostOptions
 * @property {Server[]} [servers]
 * @property {Skill[]} [skills]
 * @property {string} [basePrompt]
 * @property {string} [agentsMd]
 * @property {number} [budget] of the catalog, in tokens; Infinity makes it complete
 * @property {"v4" | "v1c"} [rendering] `v1c` puts the catalog into the description of `execute`, as the July beta did
 * @property {SourceOrder} [sourceOrder]
 * @property {NativeTool[]} [hostTools]
 * @property {ContextLists} [ctx]
 */

/** Messages are class instances (§4.2); a plain object of the same shape is taken back as well. */
class Message {
  /** @param {MessageShape} shape */
  constructor({ id, role, content, metadata }) {
    if (id !== undefined) this.id = id;
    /** @type {Role} */
    this.role = role;
    /** @type {ContentPart[]} */
    this.content = content;
    if (metadata !== undefined) this.metadata = metadata;
  }
}

/** @typedef {{ messages: Message[], baseline?: string, guard?: Guard }} Session */
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
    sourceOrder = "new",
    hostTools = HOST_TOOLS,
    ctx = {},
  } = {}) {
    /** Can change during a session: native tools and lists follow at once, the system text at the next compaction. */
    this.servers = servers;
    this.skills = skills;
    this.basePrompt =
      basePrompt ?? "You help with the code in front of you. Say little, change little, check what you did.";
    this.agentsMd = agentsMd;
    this.budget = budget;
    this.rendering = rendering;
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
    // What a plugin kept in hand and changed after its hook had returned comes to light here.
    session.guard?.verify();
    const event = this.#event(session);
    const guard = new Guard(event);
    session.guard = guard;
    try {
      await this.#hooks.run("context", event);
    } finally {
      guard.verify();
    }
    /** @type {string[]} */
    const violations = [];
    const request = buildRequest(event, guard, violations);
    this.violations.push(...violations);
    return { before: guard.before, after: transcriptOf(request), request, touched: guard.touched(event), violations };
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
    session.guard = undefined;
    this.synthetic(`<conversation-checkpoint>\n${summary}\n</conversation-checkpoint>`);
    this.emit("session.compaction.ended", { sessionID: this.sessionID });
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

  /**
   * @param {Session} session
   * @returns {ContextEvent}
   */
  #event(session) {
    session.baseline ??= sessionText({
      servers: this.servers,
      skills: this.skills,
      directory: this.directory,
      agentsMd: this.agentsMd,
      budget: this.budget,
      order: this.sourceOrder,
      catalog: this.rendering === "v4",
    });
    return {
      sessionID: this.sessionID,
      agent: this.agent,
      model: { ...this.model },
      system: [this.basePrompt, session.baseline].filter((text) => text !== "").map((text) => ({ type: "text", text })),
      messages: [...session.messages],
      tools: nativeTools(this),
    };
  }

  /**
   * @param {Plugin} plugin
   * @param {Record<string, unknown>} options
   */
  #context(plugin, options) {
    const values = this.#storage.get(plugin.id) ?? new Map();
    this.#storage.set(plugin.id, values);
    const { toolList, mcpList, skillList } = this.lists;
    return {
      options,
      app: { name: "mini-host", version: "2.0.0", channel: "test" },
      location: {
        directory: this.directory,
        project: { id: "prj_1", directory: this.directory, canonical: this.directory },
      },
      session: {
        /** @param {string} name @param {import("./types.js").HookCallback} callback @param {{ providerID?: string }} [filter] */
        hook: async (name, callback, { providerID } = {}) =>
          this.#hooks.add({ name, callback, providerID, owner: plugin.id }),
      },
      event: { subscribe: this.#events.subscribe.bind(this.#events) },
      storage: storageOver(values),
      ...(toolList ? { tool: { list: async () => this.#list(this.#allTools()) } } : {}),
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

  /** The authoritative inventory, with the tools that a partial catalog does not show (§3.2). */
  #allTools() {
    const own = this.hostTools.map(({ name, description, input }) => ({
      id: name,
      name,
      description,
      input,
      options: { codemode: false },
    }));
    const served = this.servers.flatMap((server) =>
      usableTools(server).map(({ name, description = "", inputSchema = { type: "object" }, outputSchema }) => ({
        id: nativeName(server.name, name),
        name: sanitise(name),
        description,
        input: inputSchema,
        ...(outputSchema ? { output: outputSchema } : {}),
        options: { namespace: sanitise(server.name), codemode: isCodeMode(server) },
      })),
    );
    return [...own, ...served];
  }
}

/**
 * @param {string | { name: string, text: string }} file
 * @returns {ContentPart}
 */
function attachment(file) {
  const { name, text } = typeof file === "string" ? { name: file, text: "" } : file;
  return { type: "text", text: `\n\nAttached file: ${name}\n\n${text}`, metadata: { attachment: { name } } };
}
