/**
 * What a plugin is given: the `ctx` of `setup`, with its hooks, events, storage and lists, and the check of the module
 * shape before that (opencode-host.md §2.3, §3.2, §3.3). When hooks run is decided in host.js.
 */

import { types } from "node:util";

/** @import { ContextEvent, HookCallback, Plugin, PromptEvent, Registration } from "./types.js" */

/**
 * @param {unknown} loaded the default export, or the module that has it
 * @returns {Plugin & { setup: (ctx: any) => unknown }}
 */
export function checkPlugin(loaded) {
  const plugin = /** @type {any} */ (
    types.isModuleNamespaceObject(loaded) ? /** @type {any} */ (loaded).default : loaded
  );
  const isPlugin = typeof plugin === "object" && plugin !== null && typeof plugin.id === "string";
  if (!isPlugin || (typeof plugin.setup !== "function" && typeof plugin.effect !== "function")) {
    throw new TypeError("the plugin's default export is not { id: string, setup: function }");
  }
  // With both, `effect` would win; running effects is beyond this host.
  if (typeof plugin.effect === "function")
    throw new TypeError(`plugin "${plugin.id}" is written with effect, not setup`);
  return plugin;
}

/** @typedef {{ name: string, callback: HookCallback, providerID?: string, owner: string }} Hook */

/** The hooks of all plugins, in the order of their registration. */
export class Hooks {
  /** @type {Hook[]} */
  #hooks = [];

  /**
   * Every name is accepted, also one that never fires (host-observed.md "V2: the rest").
   * @param {Hook} hook
   * @returns {Registration}
   */
  add(hook) {
    this.#hooks.push(hook);
    return {
      dispose: async () => {
        this.#hooks = this.#hooks.filter((other) => other !== hook);
      },
    };
  }

  /** @param {string} owner */
  removeAll(owner) {
    this.#hooks = this.#hooks.filter((hook) => hook.owner !== owner);
  }

  /**
   * One after the other on the same event. There is no timeout, and a throw ends the operation.
   * @param {string} name
   * @param {PromptEvent | ContextEvent} event
   */
  async run(name, event) {
    for (const hook of this.#hooks.filter((hook) => hook.name === name)) {
      if (hook.providerID !== undefined && "model" in event && hook.providerID !== event.model.providerID) continue;
      try {
        await hook.callback(event);
      } catch (cause) {
        throw new Error(`the ${name} hook of plugin "${hook.owner}" failed: ${messageOf(cause)}`, { cause });
      }
    }
  }
}

/** @param {unknown} error */
export const messageOf = (error) => (error instanceof Error ? error.message : String(error));

/** Events for `ctx.event.subscribe`. */
export class EventFeed {
  /** @type {Set<(event: object) => void>} */
  #listeners = new Set();
  #count = 0;

  /**
   * @param {string} type
   * @param {unknown} data
   */
  emit(type, data) {
    const event = { id: `evt_${++this.#count}`, created: this.#count, type, data };
    for (const listener of this.#listeners) listener(event);
  }

  /**
   * Listens from now on, not from the first `next()` on.
   * @param {{ signal?: AbortSignal }} [options]
   * @returns {AsyncGenerator<object, void, void>}
   */
  subscribe({ signal } = {}) {
    /** @type {object[]} */
    const queue = [];
    let wake = () => {};
    /** @param {object} event */
    const listener = (event) => {
      queue.push(event);
      wake();
    };
    this.#listeners.add(listener);
    signal?.addEventListener("abort", () => wake(), { once: true });
    const listeners = this.#listeners;
    return (async function* () {
      try {
        while (!signal?.aborted) {
          const event = queue.shift();
          if (event) yield event;
          else await new Promise((resolve) => (wake = () => resolve(undefined)));
        }
      } finally {
        listeners.delete(listener);
      }
    })();
  }
}

/**
 * `ctx.storage`: JSON values, shared by all projects of one plugin.
 * @param {Map<string, string>} values
 */
export function storageOver(values) {
  return {
    /** @param {string} key */
    get: async (key) => {
      const value = values.get(key);
      return value === undefined ? undefined : JSON.parse(value);
    },
    /** @param {string} key @param {unknown} value */
    set: async (key, value) => void values.set(key, JSON.stringify(value)),
    /** @param {string} key */
    remove: async (key) => void values.delete(key),
    /** @param {{ prefix?: string, after?: string, limit?: number }} [range] */
    scan: async ({ prefix = "", after, limit = 1000 } = {}) =>
      [...values.keys()]
        .filter((key) => key.startsWith(prefix) && (after === undefined || key > after))
        .sort()
        .slice(0, limit)
        .map((key) => ({ key, value: JSON.parse(/** @type {string} */ (values.get(key))) })),
  };
}
