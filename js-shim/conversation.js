// Reads a conversation for the core, and draws it anew as the core says. A long history has a thousand parts, and
// each property that the core would read itself is a step across the boundary; so all of it crosses at once, as one
// list of numbers and one of texts. What may go from a conversation, and when, is decided in the core.
//
// Both lines of OpenCode are read here; they differ in where things stand (opencode-host.md §4, §13):
//
//     2     { id, role, content: [{ type: "tool-call", id, name, input }, ...] }
//           { role: "tool", content: [{ type: "tool-result", id, name, result: { type, value } }] }
//     1.18  { info: { id, role }, parts: [{ type: "tool", callID, tool, state: { status, input, output } }, ...] }

import { encode, fieldsOf, withoutNul } from "./encoded-list.js";
import { isObject, json, list } from "./values.js";

/** The kinds of parts and changes, as `crate/src/wasm/conversation.rs` numbers them too. */
const PART = { other: 0, silent: 1, text: 2, thinking: 3, reasoning: 4, call: 5, output: 6, both: 7 };
const CHANGE = { drop: 0, output: 1, content: 2, input: 3, text: 4 };
const OUTPUT = { success: 0, error: 1, untouchable: 2 };
const ROLES = ["unknown", "system", "user", "assistant", "tool"];

/** What an image or a file is counted as, in characters. */
const MEDIA_CHARS = 4_000;
/** Longer strings of what is written to files are only measured. */
const MEASURED_CHARS = 200;
const WRITERS = new Set(["write", "edit", "patch"]);
/** Parts in which 1.18 keeps its own books, and which no model sees. */
const SILENT = new Set(["step-start", "step-finish", "snapshot", "patch"]);

/** Sizes of outputs that are no text. @type {WeakMap<object, number>} */
const sizes = new WeakMap();

/**
 * What the core needs to know of a conversation.
 * @typedef {object} Outline
 * @property {Int32Array} numbers of each message: role, whether a person typed it, how many parts; of each part: PART, and
 *   what `outlinePart` writes for it
 * @property {string} texts an encoded list: the message's id, then what `outlinePart` writes for its parts
 * @property {string} model provider and name of the model
 */

/**
 * What the core says of it.
 * @typedef {object} HistoryChange
 * @property {Uint32Array} edits in the order of the messages: message, part, kind of change, and for a text how many ranges
 *   go and these ranges
 * @property {string} texts an encoded list: what stands in the place of outputs and inputs
 * @property {number} [noteBehind] the message behind which one of ours stands
 * @property {string} [note] its text
 */

/** @typedef {{ numbers: number[], texts: string[], memory: Inputs }} Writing */
/** @typedef {{ inputs: Map<string, number>, inputChars: number }} Inputs */

/**
 * An input that crossed before crosses as its number; others are added to `memory`.
 * @param {any} event @param {any[]} messages @param {Inputs} memory @returns {Outline}
 */
export function outlineConversation(event, messages, memory) {
  /** @type {Writing} */
  const out = { numbers: [], texts: [], memory };
  for (const [at, message] of messages.entries()) {
    const stored = isObject(message?.info);
    const head = stored ? message.info : message;
    const content = list(stored ? message.parts : message?.content);
    const isPrompt = head?.role === "user" && (stored ? content.some(isTyped) : isObject(message.metadata));
    out.numbers.push(Math.max(0, ROLES.indexOf(head?.role)), isPrompt ? 1 : 0, content.length);
    write(out, typeof head?.id === "string" ? head.id : `#${at}`);
    for (const part of content) outlinePart(out, part);
  }
  return { numbers: Int32Array.from(out.numbers), texts: encode(out.texts), model: modelOf(event) };
}

/** @param {Writing} out @param {any} part */
function outlinePart(out, part) {
  const { numbers } = out;
  switch (part?.type) {
    case "text":
      if (typeof part.text !== "string") break;
      if (part.text.includes("<thinking>") && !part.text.includes("\0")) {
        numbers.push(PART.thinking, isMarked(part));
        out.texts.push(part.text);
      } else numbers.push(PART.text, isMarked(part), part.text.length);
      return;
    case "reasoning":
      if (typeof part.text !== "string") break;
      numbers.push(PART.reasoning, isMarked(part), part.text.length);
      return;
    case "tool-call": {
      const input = inputOf(out, part.name, part.input);
      if (typeof part.id !== "string" || typeof part.name !== "string" || !input) break;
      numbers.push(PART.call, isMarked(part), part.providerExecuted ? 1 : 0, input.number);
      write(out, part.id, part.name, ...input.news);
      return;
    }
    case "tool-result":
      if (typeof part.id !== "string") break;
      numbers.push(PART.output, ...outputOf(part));
      write(out, part.id);
      return;
    case "tool": {
      const { state } = part;
      const input = inputOf(out, part.tool, state?.input);
      if (typeof part.callID !== "string" || typeof part.tool !== "string" || !isObject(state) || !input) break;
      const byProvider = part.metadata?.providerExecuted ? 1 : 0;
      numbers.push(PART.both, isMarked(part), byProvider, input.number, ...storedOutputOf(state));
      write(out, part.callID, part.tool, ...input.news);
      return;
    }
    default:
      if (!SILENT.has(part?.type)) break;
      numbers.push(PART.silent);
      return;
  }
  numbers.push(PART.other);
}

/** @param {Writing} out @param {...string} texts */
function write(out, ...texts) {
  for (const text of texts) out.texts.push(withoutNul(text));
}

/**
 * The number of an input, and the input itself if it is new. Two inputs have the same number only if they say the same.
 * @param {Writing} out @param {unknown} name @param {unknown} input
 * @returns {{ number: number, news: string[] } | undefined} nothing for an input that cannot be read
 */
function inputOf({ memory }, name, input) {
  const measured = WRITERS.has(/** @type {string} */ (name));
  let json;
  try {
    json = (measured ? JSON.stringify(input, measure) : JSON.stringify(input)) ?? "null";
  } catch {
    return undefined;
  }
  const key = measured ? `measured ${json}` : json;
  const number = memory.inputs.get(key);
  if (number !== undefined) return { number, news: [] };
  memory.inputs.set(key, memory.inputs.size);
  memory.inputChars += key.length;
  return { number: memory.inputs.size - 1, news: [key] };
}

/** @param {string} _name @param {unknown} value */
function measure(_name, value) {
  return typeof value === "string" && value.length > MEASURED_CHARS ? { "": value.length } : value;
}

/** @param {{ result?: any, providerExecuted?: unknown }} part @returns {[kind: number, chars: number]} */
function outputOf({ result, providerExecuted }) {
  if (!isObject(result) || providerExecuted) return [OUTPUT.untouchable, 0];
  switch (result.type) {
    case "text":
    case "json":
    case "content":
      return [OUTPUT.success, sizeOf(result.value)];
    case "error":
      return [OUTPUT.error, sizeOf(result.value)];
    default:
      return [OUTPUT.untouchable, 0];
  }
}

/** @param {any} state @returns {[kind: number, chars: number]} */
function storedOutputOf({ status, output, error, time, attachments }) {
  const media = list(attachments).length * MEDIA_CHARS;
  if (status === "completed" && !time?.compacted && typeof output === "string") {
    return [OUTPUT.success, output.length + media];
  }
  if (status === "error" && typeof error === "string") return [OUTPUT.error, error.length];
  return [OUTPUT.untouchable, 0];
}

/** @param {any} value @returns {number} */
function sizeOf(value) {
  if (typeof value === "string") return value.length;
  if (!isObject(value)) return json(value).length;
  const known = sizes.get(value);
  if (known !== undefined) return known;
  const size = Array.isArray(value) ? value.reduce((sum, item) => sum + sizeOfItem(item), 0) : json(value).length;
  sizes.set(value, size);
  return size;
}

/** @param {any} item */
function sizeOfItem(item) {
  if (item?.type === "text" && typeof item.text === "string") return item.text.length;
  return ["media", "file", "image"].includes(item?.type) ? MEDIA_CHARS : json(item).length;
}

/**
 * Whether a part carries something of its provider. What 2 calls providerMetadata is metadata in 1.18, where all parts
 * are named after their message.
 * @param {any} part
 */
function isMarked({ providerMetadata, encrypted, native, metadata, messageID }) {
  const isThere = (/** @type {unknown} */ value) => value !== undefined && value !== null;
  const stored = typeof messageID === "string" && isFilled(metadata);
  return isFilled(providerMetadata) || isThere(encrypted) || isThere(native) || stored ? 1 : 0;
}

/** @param {unknown} value */
const isFilled = (value) => isObject(value) && Object.keys(/** @type {object} */ (value)).length > 0;

/** A text of a user message of 1.18 that a person typed. @param {any} part */
const isTyped = (part) => part?.type === "text" && !part.synthetic;

/**
 * The messages that become others, at their places, made of new objects, and one of ours; the given ones stay as they are.
 * @param {any[]} messages @param {HistoryChange} change
 * @returns {{ drawn: any[], note: { behind: number, message: any } | undefined }} `drawn` has holes
 */
export function redraw(messages, { edits: numbers, texts: encoded, note, noteBehind }) {
  const texts = fieldsOf(encoded)[Symbol.iterator]();
  const next = () => /** @type {string} */ (texts.next().value);
  /** @type {any[]} */
  const drawn = [];
  for (let at = 0; at < numbers.length; ) {
    const [message = 0, place = 0, change] = numbers.subarray(at, at + 3);
    at += 3;
    const field = isObject(messages[message].info) ? "parts" : "content";
    drawn[message] ??= { ...messages[message], [field]: [...messages[message][field]] };
    const parts = drawn[message][field];
    if (change === CHANGE.text) {
      const end = at + 1 + 2 * (numbers[at] ?? 0);
      parts[place] = { ...parts[place], text: without(parts[place].text, numbers.subarray(at + 1, end)) };
      at = end;
    } else parts[place] = changed(parts[place], change, next);
  }
  for (const message of drawn) {
    if (!message) continue;
    const field = isObject(message.info) ? "parts" : "content";
    message[field] = message[field].filter((/** @type {unknown} */ part) => part !== undefined);
  }
  const hasNote = note !== undefined && noteBehind !== undefined;
  return { drawn, note: hasNote ? { behind: noteBehind, message: ourMessage(messages, note) } : undefined };
}

/** @param {any} part @param {number | undefined} change @param {() => string} next @returns {any} */
function changed(part, change, next) {
  if (change === CHANGE.drop) return undefined;
  const { state } = part;
  if (change === CHANGE.output) {
    if (state) return { ...part, state: { ...state, [state.status === "error" ? "error" : "output"]: next(), attachments: [] } };
    return { ...part, result: { type: part.result.type === "error" ? "error" : "text", value: next() } };
  }
  const before = (state ?? part).input;
  const input = change === CHANGE.content ? { ...before, content: next() } : JSON.parse(next());
  return state ? { ...part, state: { ...state, input } } : { ...part, input };
}

/** @param {string} text @param {Uint32Array} ranges */
function without(text, ranges) {
  let out = "";
  let at = 0;
  for (let place = 0; place < ranges.length; place += 2) {
    out += text.slice(at, ranges[place]);
    at = ranges[place + 1] ?? text.length;
  }
  return out + text.slice(at);
}

/**
 * A message of our own, in the shape of the others.
 * @param {any[]} messages @param {string} text
 */
function ourMessage(messages, text) {
  const part = { type: "text", text };
  const user = messages.findLast((message) => message?.info?.role === "user");
  if (!user) return { role: "user", content: [part] };
  return {
    info: { ...user.info, id: NOTE_ID },
    parts: [{ ...part, id: NOTE_ID, messageID: NOTE_ID, sessionID: user.info.sessionID, synthetic: true }],
  };
}

/** What our own message is called in OpenCode 1.18, where every message has a name. */
const NOTE_ID = "msg_jev_pruner_note";

/**
 * Provider and name of the model, as the event or the newest user message has them.
 * @param {any} event
 */
function modelOf({ model, messages }) {
  const { providerID, id, modelID } = model ?? messages.findLast((/** @type {any} */ message) => message?.info?.role === "user")?.info.model ?? {};
  return `${providerID ?? ""}/${id ?? modelID ?? ""}`;
}
