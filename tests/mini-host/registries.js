/**
 * What plugins register in the stand-in host besides session hooks: tools, hooks around tool calls, and commands
 * (opencode-host.md §3.2; packages/plugin/src/promise/{tool,command}.ts). A registered tool is one of the host's native
 * tools from then on; Code Mode tools of plugins are beyond this host.
 */

import { messageOf } from "./plugin-context.js";

/** @import { NativeTool } from "./types.js" */

/** @typedef {string | { type: string, text: string }[]} Content */
/** @typedef {NativeTool & { options?: { codemode?: boolean }, jsonSchema?: object, execute: (input: any, context: any) => Promise<{ content: Content }> }} PluginTool */
/** @typedef {{ name: string, description?: string, execute: (given: any) => Promise<unknown> }} Command */

export class Registries {
  /** @type {Map<string, PluginTool>} */
  tools = new Map();
  /** @type {Map<string, Command>} */
  commands = new Map();
  /** What plugins said in a session without anybody having to answer. @type {Array<{ sessionID: string, text: string, description?: string }>} */
  notices = [];
  /** What is to be done when all plugins are set up. @type {Array<() => void>} */
  #batch = [];
  /** @type {Array<{ name: string, callback: (event: any) => unknown }>} */
  #hooks = [];

  /** The parts of `ctx` that take registrations. @param {() => object[]} listed all tools of the host */
  context(listed) {
    return {
      tool: {
        transform: async (/** @type {(editor: any) => void} */ callback) => callback(this.#toolEditor(listed)),
        hook: async (/** @type {string} */ name, /** @type {(event: any) => unknown} */ callback) =>
          void this.#hooks.push({ name, callback }),
      },
      command: {
        transform: async (/** @type {(editor: any) => void} */ callback) =>
          callback({ add: (/** @type {Command} */ command) => this.commands.set(command.name, command) }),
      },
      notify: async (/** @type {{ sessionID: string, text: string }} */ notice) => void this.notices.push(notice),
    };
  }

  /**
   * As the beta before 2.0 has them (host-observed.md "Seen later"): no command can be added, a tool needs `jsonSchema`,
   * and what is registered during setup is carried out after it, where a throw is the host's.
   */
  contextOfBeta() {
    const { tool, command, notify } = this.context(() => []);
    return {
      tool: {
        ...tool,
        transform: async (/** @type {(editor: any) => void} */ callback) => {
          callback({ add: (/** @type {PluginTool} */ added) => this.tools.set(added.name, added) });
          return { dispose: async () => {} };
        },
      },
      command: {
        ...command,
        transform: async (/** @type {(editor: any) => void} */ callback) => void this.#batch.push(() =>
          callback({ list: () => [], get: () => undefined, update() {}, remove() {} })),
      },
      notify,
    };
  }

  /** All plugins are set up. */
  runBatch() {
    for (const run of this.#batch.splice(0)) run();
  }

  /** @param {() => object[]} listed */
  #toolEditor(listed) {
    return {
      list: listed,
      add: (/** @type {PluginTool} */ tool) => {
        if (!/^[A-Za-z0-9_-]{1,64}$/.test(tool.name)) throw new Error(`Invalid tool name: ${tool.name}`);
        if (tool.options?.codemode !== false) throw new Error("the stand-in host has no Code Mode tools of plugins");
        this.tools.set(tool.name, tool);
      },
      remove: (/** @type {string} */ id) => void this.tools.delete(id),
    };
  }

  /**
   * Runs a tool as the host does: the hooks first, which may put other arguments.
   * @param {string} name @param {unknown} input @param {string} sessionID
   * @param {(input: unknown) => Promise<{ content: Content }>} execute
   */
  async run(name, input, sessionID, execute) {
    const event = { tool: name, sessionID, agent: "build", messageID: "msg_call", id: "call_1", input };
    for (const { callback } of this.#hooks.filter((hook) => hook.name === "execute.before")) {
      try {
        await callback(event);
      } catch (cause) {
        throw new Error(`a hook before the tool ${name} failed: ${messageOf(cause)}`, { cause });
      }
    }
    const { content } = await execute(event.input);
    return { input: event.input, content: typeof content === "string" ? content : content.map(({ text }) => text).join("\n") };
  }
}
