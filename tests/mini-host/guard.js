/**
 * What stands between a plugin's hook and the model: the checks and conversions of opencode-host.md §5.2, and one
 * check that no host makes but every plugin must pass, namely that stored objects are replaced and never changed in
 * place (§1.5). Building the event and running the hooks is host.js.
 */

import { isDeepStrictEqual } from "node:util";

/** @import { ContextEvent, MessageShape, ModelRequest, NativeTool, TextPart, ToolDefinition, Transcript } from "./types.js" */

const ROLES = ["system", "user", "assistant", "tool"];

/**
 * A copy that shares nothing and has forgotten its classes.
 * @param {Transcript} transcript
 * @returns {Transcript}
 */
export function snapshot({ system, messages, tools }) {
  return structuredClone({ system, messages: messages.map((message) => ({ ...message })), tools });
}

/** Remembers what the objects of an event looked like when they were handed out. */
export class Guard {
  #system;
  #messages;
  #tools;
  #before;

  /** @param {Transcript} transcript the very objects that go into the event */
  constructor(transcript) {
    this.#system = [...transcript.system];
    this.#messages = [...transcript.messages];
    this.#tools = { ...transcript.tools };
    this.#before = snapshot(transcript);
  }

  /** Fresh each time, so that nobody can spoil it for others. */
  get before() {
    return structuredClone(this.#before);
  }

  /** Throws at the first object that is no longer what it was. */
  verify() {
    const now = snapshot({ system: this.#system, messages: this.#messages, tools: this.#tools });
    const place = firstDifference(this.#before, now, "event");
    if (place) throw new Error(`${place} was changed in place; a plugin must put a new object there`);
  }

  /** @param {Transcript} left */
  touched({ system, messages, tools }) {
    /** @type {(a: readonly unknown[], b: readonly unknown[]) => boolean} */
    const differ = (a, b) => a.length !== b.length || a.some((item, at) => item !== b[at]);
    return {
      system: differ(this.#system, system),
      messages: differ(this.#messages, messages),
      tools: differ(Object.entries(this.#tools).flat(), Object.entries(tools).flat()),
    };
  }

  /**
   * Takes definitions by identity, else by key; what matches neither is dropped without a word, so it is told here.
   * A moved definition is told too: the host read would rename the tool, the host observed dropped it.
   * @param {Record<string, ToolDefinition>} left
   * @param {string[]} violations
   * @returns {NativeTool[]}
   */
  matchTools(left, violations) {
    const names = new Map(Object.entries(this.#tools).map(([name, tool]) => [tool, name]));
    /** @type {NativeTool[]} */
    const matched = [];
    for (const [key, tool] of Object.entries(left)) {
      const name = names.get(tool);
      if (name === undefined && !Object.hasOwn(this.#tools, key)) {
        violations.push(`tool "${key}" is none of the host's and was dropped`);
        continue;
      }
      if (name !== undefined && name !== key) violations.push(`tool "${name}" was moved to the key "${key}"`);
      if (typeof tool?.description !== "string" || !isObject(tool.input)) {
        throw new TypeError(`tools["${key}"] is not { description, input }`);
      }
      matched.push({ name: key, description: tool.description, input: tool.input });
    }
    return matched;
  }
}

/**
 * The request that the host would build from what the hooks left. Throws where the host's own validation would.
 * @param {ContextEvent} event
 * @param {Guard} guard
 * @param {string[]} violations
 * @returns {ModelRequest}
 */
export function buildRequest(event, guard, violations) {
  if (!Array.isArray(event.system)) throw new TypeError("system is not an array");
  if (!Array.isArray(event.messages)) throw new TypeError("messages is not an array");
  if (!isObject(event.tools)) throw new TypeError("tools is not an object");
  event.system.forEach((part, at) => checkPart(part, `system[${at}]`, violations, ["text"]));
  event.messages.forEach((message, at) => checkMessage(message, `messages[${at}]`, violations));
  return structuredClone({
    sessionID: event.sessionID,
    agent: event.agent,
    model: event.model,
    system: event.system,
    messages: event.messages.map((message) => ({ ...message })),
    tools: guard.matchTools(event.tools, violations),
  });
}

/**
 * @param {ModelRequest} request
 * @returns {Transcript}
 */
export function transcriptOf({ system, messages, tools }) {
  const byName = tools.map(({ name, description, input }) => [name, { description, input }]);
  return structuredClone({ system, messages, tools: Object.fromEntries(byName) });
}

/**
 * @param {unknown} message
 * @param {string} place
 * @param {string[]} violations
 */
function checkMessage(message, place, violations) {
  if (!isObject(message)) throw new TypeError(`${place} is not an object`);
  const { role, content } = /** @type {MessageShape} */ (message);
  if (!ROLES.includes(role)) throw new TypeError(`${place} has the role ${JSON.stringify(role)}`);
  if (!Array.isArray(content)) throw new TypeError(`${place} has no content array`);
  if (content.length === 0) violations.push(`${place} has no content left; some providers refuse that`);
  content.forEach((part, at) => checkPart(part, `${place}.content[${at}]`, violations));
}

/**
 * @param {unknown} part
 * @param {string} place
 * @param {string[]} violations
 * @param {string[]} [types] all but those named here are errors
 */
function checkPart(part, place, violations, types) {
  if (!isObject(part)) throw new TypeError(`${place} is not an object`);
  const { type, text } = /** @type {TextPart} */ (part);
  if (typeof type !== "string" || (types && !types.includes(type))) {
    throw new TypeError(`${place} has the type ${JSON.stringify(type)}`);
  }
  if (type !== "text" && type !== "reasoning") return;
  if (typeof text !== "string") throw new TypeError(`${place} has no text`);
  if (text === "") violations.push(`${place} is an empty text; some providers refuse that`);
}

/** @param {unknown} value */
const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * @param {any} a
 * @param {any} b
 * @param {string} place
 * @returns {string | undefined}
 */
function firstDifference(a, b, place) {
  if (isDeepStrictEqual(a, b)) return undefined;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return place;
  for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) {
    const step = Array.isArray(a) ? `[${key}]` : /^\w+$/.test(key) ? `.${key}` : `["${key}"]`;
    const found = firstDifference(a[key], b[key], place + step);
    if (found) return found;
  }
  return place;
}
