/**
 * The plugin on both lines of OpenCode, as a function that takes a conversation and gives what goes out instead. Nobody
 * may change what was handed over, so every conversation is frozen before.
 */

import assert from "node:assert/strict";

import { loadFreshCore } from "../../js-shim/core.js";
import { server } from "../../js-shim/legacy.js";
import { stage } from "../plugin/stage.js";
import { inV2, stored } from "./messages.js";

/** @import { TestContext } from "node:test" */
/** @import { Turn } from "./messages.js" */

/**
 * @typedef {object} Line
 * @property {string} name
 * @property {(t: TestContext, history: object, more?: object) => Promise<(talk: Turn[], model?: { providerID: string, id: string }) => Promise<any[]>>} start
 */

/** @type {Line[]} */
export const LINES = [
  {
    name: "OpenCode 2",
    async start(t, history, more) {
      const { context } = await stage(t, { options: { history: { enabled: true, ...history }, ...more } });
      return async (talk, model = { providerID: "provider-1", id: "model-1" }) => {
        const messages = frozen(inV2(talk));
        const event = { sessionID: "ses_1", agent: "build", model, system: [], messages, tools: {} };
        await context(event);
        return event.messages;
      };
    },
  },
  {
    name: "OpenCode 1.18",
    async start(_t, history, more) {
      const core = await loadFreshCore();
      const options = { jev_api_key: "none", history: { enabled: true, ...history }, ...more };
      const hooks = /** @type {any} */ (await server({}, options, { load: () => core }));
      return async (talk, model) => {
        const messages = stored(talk);
        if (model) for (const { info } of messages) if (info.model) info.model = { providerID: model.providerID, modelID: model.id };
        messages.forEach(frozen);
        const output = { messages };
        await hooks["experimental.chat.messages.transform"]({}, output);
        assert.equal(output.messages, messages, "the host goes on with its own array");
        return output.messages;
      };
    },
  },
];

/** @template T @param {T} value @returns {T} */
function frozen(value) {
  // The host must be able to change the user message, and 1.18 lets plugins do so.
  if (typeof value === "object" && value !== null && /** @type {any} */ (value).role !== "user") {
    Object.values(value).forEach(frozen);
    Object.freeze(value);
  }
  return value;
}
