/**
 * Events as the host hands them to the context hook, for tests that need one that no host would render, and a watch that
 * tells whether anything of an event was changed.
 */

import assert from "node:assert/strict";
import { inspect } from "node:util";

import { MiniHost } from "../mini-host/index.js";

/** @import { HostOptions } from "../mini-host/host.js" */
/** @import { ContentPart, ContextEvent } from "../mini-host/types.js" */

export const EXECUTE = { description: "Runs code.", input: { type: "object" } };

/** @param {string} text */
export const textPart = (text) => ({ type: "text", text });

/** A prompt as the host stores it. @param {string} text @param {string} [id] */
export const userMessage = (text, id = "msg_prompt") => ({ id, role: "user", content: [textPart(text)], metadata: {} });

/** A change told during a session. @param {...(string | ContentPart)} parts */
export const systemMessage = (...parts) => ({
  role: "system",
  content: parts.map((part) => (typeof part === "string" ? textPart(part) : part)),
});

/**
 * @param {object} wishes
 * @param {string} [wishes.session]
 * @param {string[]} [wishes.system]
 * @param {any[]} [wishes.messages]
 * @param {Record<string, { description: string, input?: object }>} [wishes.tools] native ones besides `execute`
 * @param {string} [wishes.execute] its description
 * @returns {any}
 */
export const eventOf = ({
  session = "ses_1",
  system = [],
  messages = [userMessage("Do it")],
  tools = {},
  execute,
}) => ({
  sessionID: session,
  agent: "build",
  model: { id: "model-1", providerID: "provider-1" },
  system: system.map(textPart),
  messages,
  tools: { ...tools, execute: execute === undefined ? EXECUTE : { ...EXECUTE, description: execute } },
});

/**
 * What the stand-in host hands to a hook when a user types this.
 * @param {HostOptions} options
 * @param {string} [prompt]
 * @returns {Promise<any>}
 */
export async function hostEvent(options, prompt = "Do it") {
  const host = new MiniHost(options);
  /** @type {ContextEvent | undefined} */
  let seen;
  await host.load({
    id: "spy",
    /** @param {any} ctx */
    setup: (ctx) => ctx.session.hook("context", (/** @type {ContextEvent} */ event) => void (seen = event)),
  });
  await host.prompt(prompt);
  return seen;
}

/**
 * Remembers an event; the returned function fails unless it still is what it was, and made of the very same objects.
 * @param {any} event
 */
export function watch(event) {
  const look = (/** @type {unknown} */ value) =>
    inspect(value, { depth: Infinity, maxArrayLength: Infinity, maxStringLength: Infinity, breakLength: 120 });
  const fields = { ...event };
  const objects = objectsIn(event);
  const looks = look(event);
  return () => {
    assert.equal(look(event), looks);
    for (const [name, value] of Object.entries(fields))
      assert.equal(event[name], value, `event.${name} is another object`);
    const now = objectsIn(event);
    assert.equal(now.length, objects.length);
    now.forEach((object, at) => assert.ok(Object.is(object, objects[at]), "an object of the event was replaced"));
  };
}

/** All objects that can be reached without calling a getter. @param {unknown} value @param {Set<object>} [found] */
function objectsIn(value, found = new Set()) {
  if (typeof value !== "object" || value === null || found.has(value)) return [...found];
  found.add(value);
  for (const { value: inner } of Object.values(Object.getOwnPropertyDescriptors(value))) objectsIn(inner, found);
  return [...found];
}
