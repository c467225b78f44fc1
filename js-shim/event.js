// Reads an event for the core, and changes it as the core says (opencode-host.md §4). Each property that the core would
// read itself is a step across the boundary, and a request has thousands; so all of it crosses at once, in encoded lists
// and numbers, and texts and tools that crossed before cross as their number alone.
//
// Nothing of the event is changed in place but its own fields and the keys of its tool map; parts, messages and tool
// definitions are replaced by new objects, since the host may store edits of the old ones (§1.5).
import { outlineConversation, redraw } from "./conversation.js";
import { encode, fieldsOf } from "./encoded-list.js";
import { isObject, isText, json, list } from "./values.js";

/** One letter for each role; a user message with metadata, which marks what a person typed, has a capital one. */
const ROLES = new Map([["system", "s"], ["user", "u"], ["assistant", "a"], ["tool", "t"]]);

/** What stands for a message where a text is in front of all messages, as `crate/src/wasm/event.rs` numbers it too. */
const PLACE = { system: -1, execute: -2 };

const EXECUTE = "execute";

/** Sessions and agents of one project offer different tools at the same time. Thousands of texts stand in each map. */
const MAX_TOOL_MAPS = 8;

const MAX_TEXTS = 512;
const MAX_TEXT_CHARS = 8 << 20;
const MAX_INPUTS = 20_000;
const MAX_INPUT_CHARS = 16 << 20;

/**
 * What crossed before. It belongs to one instance of the core, which keeps the same under the same numbers.
 * @typedef {object} Memory
 * @property {number} generation of another generation the core knows nothing
 * @property {Map<string, number>} texts and their numbers
 * @property {number} textChars the length of all of them
 * @property {unknown[][]} toolMaps names and descriptions, each in the place that is its number
 * @property {number} nextToolMap the place of the next new one, which takes that of the oldest
 * @property {Map<string, { words: number, chars: number }>} toolChars the length of a tool and of its description, by its
 *   name: an estimate that costs nothing for a tool whose words change and whose schema does not
 * @property {Map<string, number>} inputs of calls in conversations, and their numbers
 * @property {number} inputChars the length of all of them
 */

let generations = 0;

/** @returns {Memory} */
function emptyMemory() {
  generations += 1;
  return {
    generation: generations,
    texts: new Map(), textChars: 0,
    toolMaps: [], nextToolMap: 0, toolChars: new Map(),
    inputs: new Map(), inputChars: 0,
  };
}

/** By core. @type {WeakMap<object, Memory>} */
const memories = new WeakMap();

/** What a core knows; nothing once it would be too much. @param {object} core @returns {Memory} */
function memoryOf(core) {
  const known = memories.get(core);
  const isFull = known && (known.texts.size >= MAX_TEXTS || known.textChars > MAX_TEXT_CHARS ||
    known.inputs.size > MAX_INPUTS || known.inputChars > MAX_INPUT_CHARS);
  if (known && !isFull) return known;
  const memory = emptyMemory();
  memories.set(core, memory);
  return memory;
}

/** After something went wrong: what one side knows the other may not. @param {object} core */
export const forgetKnown = (core) => void memories.delete(core);

/**
 * A request, as the core reads it.
 * @typedef {object} Snapshot
 * @property {number} generation of what crossed before; see `Memory`
 * @property {string} session OpenCode's id of the session, or nothing
 * @property {boolean} isSealed whether the event cannot take changes
 * @property {string} roles a letter for each message: s, u, a, t, or ? for a role that is not known; a user message with
 *   metadata is U
 * @property {string} userIds an encoded list: OpenCode's id of each user message, or nothing
 * @property {Int32Array} places of each text in which tools and skills may be offered two numbers: its message, or -1 for a
 *   system part and -2 for the description of `execute`; and the number of the text
 * @property {string[]} newTexts those that have not crossed before, in the order of their numbers
 * @property {number} toolMap the number of the tool map
 * @property {string | undefined} newTools its names and descriptions as an encoded list, if it has not crossed before
 * @property {Int32Array | undefined} toolChars the length of each definition in it, as JSON
 * @property {Uses} uses what the conversation has used
 * @property {import("./conversation.js").Outline | undefined} conversation the messages, where what is stale in them may go
 * @property {(message: number) => { text: string, isAttachment: boolean }[]} textsOf the text parts of a message
 * @property {() => number} chars the length of all messages, about
 * @property {Source} source what was read, to be changed; the core does not look at it
 */

/**
 * The objects of an event that a snapshot was taken of.
 * @typedef {object} Source
 * @property {any} event
 * @property {any[]} system
 * @property {any[]} messages
 * @property {Record<string, any>} tools
 * @property {number} count how many messages there were
 * @property {{ message: number, part: number, text: string }[]} texts where each stands: its message or PLACE, and its part
 */

/**
 * Reads an event for a core.
 * @param {object} core
 * @param {any} event
 * @param {{ withConversation?: boolean, onOddConversation?: (error: unknown) => void }} [wanted] whether the messages are
 *   read too, and who is told of ones that cannot be read; then they are left as they are
 * @returns {Snapshot}
 */
export function readEvent(core, event, { withConversation = false, onOddConversation = () => {} } = {}) {
  if (!isObject(event)) throw new TypeError("the event must be an object");
  const memory = memoryOf(core);
  const system = list(get(event, "system"));
  const messages = list(get(event, "messages"));
  const given = get(event, "tools");
  const tools = isObject(given) ? given : {};
  const session = get(event, "sessionID");
  const texts = textsIn({ system, messages, tools });
  return {
    generation: memory.generation,
    session: isText(session) ? session : "",
    isSealed: Object.isFrozen(event) || Object.isSealed(tools),
    roles: Array.from(messages, roleOf).join(""),
    userIds: encode(messages.filter((message) => get(message, "role") === "user").map((message) => get(message, "id"))),
    uses: usesIn(messages),
    ...numberTexts(texts, memory),
    ...numberTools(tools, memory),
    conversation: withConversation ? conversationOf(event, messages, memory, onOddConversation) : undefined,
    textsOf: (message) => textsOf(messages[message]),
    chars: () => charsIn(messages),
    source: { event, system, messages, tools, texts, count: messages.length },
  };
}

/** @param {unknown} message */
function roleOf(message) {
  const letter = ROLES.get(get(message, "role")) ?? "?";
  return letter === "u" && isObject(get(message, "metadata")) ? "U" : letter;
}

/** @param {unknown} message */
function textsOf(message) {
  return list(get(message, "content")).flatMap((part) => {
    const text = get(part, "text");
    if (get(part, "type") !== "text" || !isText(text)) return [];
    return [{ text, isAttachment: isObject(get(get(part, "metadata"), "attachment")) }];
  });
}

/** @param {any} event @param {any[]} messages @param {Memory} memory @param {(error: unknown) => void} onOdd */
function conversationOf(event, messages, memory, onOdd) {
  const before = memory.inputs.size;
  try {
    return outlineConversation(event, messages, memory);
  } catch (error) {
    // Inputs that were numbered and never crossed are taken back.
    for (const key of [...memory.inputs.keys()].slice(before)) memory.inputs.delete(key);
    onOdd(error);
    return undefined;
  }
}

/**
 * All texts in which an event may offer tools and skills, the system parts first.
 * @param {any} event
 * @returns {Source["texts"]}
 */
export function textsIn(event) {
  /** @type {Source["texts"]} */
  const texts = [];
  const note = (/** @type {number} */ message, /** @type {number} */ part, /** @type {unknown} */ text) => {
    if (isText(text)) texts.push({ message, part, text });
  };
  for (const [at, part] of list(get(event, "system")).entries()) note(PLACE.system, at, get(part, "text"));
  for (const [at, message] of list(get(event, "messages")).entries()) {
    if (get(message, "role") !== "system") continue;
    for (const [place, part] of list(get(message, "content")).entries()) note(at, place, get(part, "text"));
  }
  note(PLACE.execute, 0, get(get(get(event, "tools"), EXECUTE), "description"));
  return texts;
}

/** @param {Source["texts"]} texts @param {Memory} memory */
function numberTexts(texts, memory) {
  /** @type {string[]} */
  const newTexts = [];
  const places = texts.flatMap(({ message, text }) => {
    const known = memory.texts.get(text);
    if (known !== undefined) return [message, known];
    memory.texts.set(text, memory.texts.size);
    memory.textChars += text.length;
    newTexts.push(text);
    return [message, memory.texts.size - 1];
  });
  return { newTexts, places: Int32Array.from(places) };
}

/**
 * All tools of the map but `execute`, in its order. One whose name holds a NUL could not be named in a list; the core does
 * not see it, so it stays.
 * @param {Record<string, any>} tools @param {Memory} memory
 */
function numberTools(tools, memory) {
  /** @type {unknown[]} */
  const fields = [];
  for (const name of Object.keys(tools)) {
    const tool = get(tools, name);
    if (name === EXECUTE || !isObject(tool) || name.includes("\0")) continue;
    const description = get(tool, "description");
    fields.push(name, isText(description) ? description : undefined);
  }
  const known = memory.toolMaps.findIndex((map) => map.length === fields.length && map.every((field, at) => field === fields[at]));
  if (known >= 0) return { toolMap: known, newTools: undefined, toolChars: undefined };
  const toolMap = memory.nextToolMap;
  memory.toolMaps[toolMap] = fields;
  memory.nextToolMap = (toolMap + 1) % MAX_TOOL_MAPS;
  const chars = new Int32Array(fields.length / 2);
  for (let at = 0; at < chars.length; at++) {
    const name = /** @type {string} */ (fields[2 * at]);
    chars[at] = charsOfTool(name, fields[2 * at + 1], tools[name], memory);
  }
  return { toolMap, newTools: encode(fields), toolChars: chars };
}

/** @param {string} name @param {unknown} description @param {any} tool @param {Memory} memory */
function charsOfTool(name, description, tool, { toolChars }) {
  const words = isText(description) ? description.length : 0;
  const known = toolChars.get(name);
  if (known?.words === words) return known.chars;
  const chars = json(tool).length;
  toolChars.set(name, { words, chars });
  return chars;
}

/**
 * Encoded lists.
 * @typedef {{ names: string, skills: string, paths: string }} Uses
 */

/**
 * What the assistant's and the tools' messages call or answer for: names of native tools; texts in which tools are called
 * or listed by their catalog paths, which are code for `execute` and what a `search` in it has found; ids or names of
 * skills that were loaded. Nothing is remembered of a call by its id alone: some providers count ids anew in every turn.
 * @param {any[]} messages
 * @returns {Uses}
 */
export function usesIn(messages) {
  /** @type {Set<string>} */
  const names = new Set();
  /** @type {Set<string>} */
  const skills = new Set();
  /** @type {string[]} */
  const paths = [];
  const searches = new Set();
  for (const message of messages) {
    const role = get(message, "role");
    if (role !== "assistant" && role !== "tool") continue;
    for (const part of list(get(message, "content"))) {
      const type = get(part, "type");
      const name = get(part, "name");
      if ((type !== "tool-call" && type !== "tool-result") || !isText(name)) continue;
      names.add(name);
      if (type === "tool-call" && name === "skill") {
        // OpenCode 2 names a skill by its id, 1.18 by its name.
        for (const id of ["id", "name"].map((key) => get(get(part, "input"), key))) if (isText(id) && id) skills.add(id);
      }
      if (name !== EXECUTE) continue;
      const code = get(get(part, "input"), "code");
      if (type === "tool-call" && isText(code)) {
        if (code.includes("search(")) searches.add(get(part, "id"));
        paths.push(code);
      }
      if (type === "tool-result" && searches.has(get(part, "id"))) paths.push(json(get(part, "result")).replaceAll('\\"', '"'));
    }
  }
  return { names: encode([...names]), skills: encode([...skills]), paths: encode(paths) };
}

/** The length of all messages, about. Images and files count little. @param {any[]} messages */
export function charsIn(messages) {
  let chars = 0;
  for (const message of messages) {
    for (const part of list(get(message, "content"))) {
      const result = get(part, "result");
      // What a tool gave back is a text with a word for its kind, mostly.
      const given = isText(get(result, "value")) ? result.value : result;
      chars += charsOf(get(part, "text")) + charsOf(get(part, "input")) + charsOf(given);
    }
  }
  return chars;
}

/** @param {unknown} value */
function charsOf(value) {
  if (isText(value)) return value.length;
  return isObject(value) ? json(value).length : 0;
}

/**
 * What becomes of an event.
 * @typedef {object} Change
 * @property {Uint32Array} edits of each text that changes: its place in the snapshot, how many ranges go, and of each
 *   range its start and end in UTF-16 code units, and whether something stands there instead
 * @property {Uint32Array} announced in front of which messages announcements of ours stand
 * @property {string} words an encoded list: what stands in those ranges, then the announcements
 * @property {string} gone names of tools, an encoded list
 * @property {string} [note] a system part of ours
 * @property {string} [pointers] the description of `load_tool`
 * @property {import("./conversation.js").HistoryChange} [history] what the conversation loses
 */

/**
 * Changes the event that a snapshot was taken of in one step, or not at all.
 * @param {Source} source @param {Change} wanted
 * @returns {boolean} false if it is no longer the event that was read, or takes no changes
 */
export function changeEvent(source, wanted) {
  const { tools } = source;
  if (!isAsRead(source)) return false;
  const assigned = newValues(source, wanted);
  const gone = fieldsOf(wanted.gone);
  const possible = assigned.every(([object, key]) => allows(object, key, "writable")) &&
    gone.every((name) => allows(tools, name, "configurable"));
  if (!possible) return false;
  const before = assigned.map(([object, key]) => get(object, key));
  try {
    for (const [object, key, value] of assigned) object[key] = value;
  } catch {
    // A setter may refuse what its property allows; then nothing is changed.
    assigned.forEach(([object, key], at) => Reflect.set(object, key, before[at]));
    return false;
  }
  for (const name of gone) delete tools[name];
  return true;
}

/** Whether everything that ranges were reckoned for is where it was: others may change the event meanwhile. @param {Source} source */
function isAsRead({ event, system, messages, tools, texts, count }) {
  const isSame = get(event, "system") === system && get(event, "messages") === messages && get(event, "tools") === tools;
  return isSame && messages.length === count &&
    texts.every(({ message, part, text }) => textAt({ system, messages, tools }, message, part) === text);
}

/** @param {{ system: any[], messages: any[], tools: any }} event @param {number} message @param {number} part @returns {unknown} */
function textAt({ system, messages, tools }, message, part) {
  if (message === PLACE.execute) return get(get(tools, EXECUTE), "description");
  const parts = message === PLACE.system ? system : list(get(messages[message], "content"));
  return get(parts[part], "text");
}

/** @param {Source} source @param {Change} wanted @returns {[object: any, key: string, value: unknown][]} */
function newValues({ event, system, messages, tools, texts }, wanted) {
  const words = fieldsOf(wanted.words)[Symbol.iterator]();
  const next = () => {
    const { value, done } = words.next();
    if (done) throw new Error("the change of an event lacks words");
    return value;
  };
  /** By message and part. @type {Map<number, Map<number, string>>} */
  const edited = new Map();
  for (let at = 0; at < wanted.edits.length; ) {
    const [place = 0, count = 0] = wanted.edits.subarray(at, at + 2);
    const end = at + 2 + 3 * count;
    const source = texts[place];
    if (!source) throw new Error("the change of an event names a text that it has not");
    const parts = edited.get(source.message) ?? new Map();
    edited.set(source.message, parts.set(source.part, cut(source.text, wanted.edits.subarray(at + 2, end), next)));
    at = end;
  }
  /** @type {[any, string, unknown][]} */
  const assigned = [];
  const inSystem = edited.get(PLACE.system);
  if (inSystem || wanted.note !== undefined) {
    const note = wanted.note === undefined ? [] : [{ type: "text", text: wanted.note }];
    assigned.push([event, "system", [...replaceTexts(system, inSystem), ...note]]);
  }
  const ours = Array.from(wanted.announced, (before) => ({ before, message: systemMessage(next()) }));
  if ([...edited.keys()].some((message) => message >= 0) || ours.length > 0 || wanted.history) {
    assigned.push([event, "messages", newMessages(messages, edited, ours, wanted.history)]);
  }
  const description = edited.get(PLACE.execute)?.get(0);
  if (description !== undefined) assigned.push([tools, EXECUTE, { ...tools[EXECUTE], description }]);
  const loader = get(tools, "load_tool");
  if (wanted.pointers !== undefined && isObject(loader)) {
    assigned.push([tools, "load_tool", { ...loader, description: wanted.pointers }]);
  }
  return assigned;
}

/**
 * The messages with other texts, with others in their places, and with messages of ours between them.
 * @param {any[]} messages @param {Map<number, Map<number, string>>} edited
 * @param {{ before: number, message: object }[]} ours @param {Change["history"]} history
 */
function newMessages(messages, edited, ours, history) {
  const { drawn, note } = history ? redraw(messages, history) : { drawn: [], note: undefined };
  /** @type {any[]} */
  const out = [];
  for (const [at, message] of messages.entries()) {
    for (const { before, message: announcement } of ours) if (before === at) out.push(announcement);
    const changed = edited.get(at);
    const content = changed && replaceTexts(list(message.content), changed);
    if (!content) out.push(drawn[at] ?? message);
    else if (content.length > 0) out.push({ ...message, content });
    if (note?.behind === at) out.push(note.message);
  }
  return out;
}

/** What stays of a text. @param {string} source @param {Uint32Array} ranges @param {() => string} next */
function cut(source, ranges, next) {
  let out = "";
  let at = 0;
  for (let place = 0; place < ranges.length; place += 3) {
    out += source.slice(at, ranges[place]);
    if (ranges[place + 2]) out += next();
    at = ranges[place + 1] ?? at;
  }
  return out + source.slice(at);
}

/** A part whose text became empty is left out. @param {any[]} parts @param {Map<number, string> | undefined} edited */
function replaceTexts(parts, edited) {
  /** @type {any[]} */
  const out = [];
  for (const [at, part] of parts.entries()) {
    const text = edited?.get(at);
    if (text === undefined) out.push(part);
    else if (text.trim() !== "") out.push({ ...part, text });
  }
  return out;
}

/** A message as the host writes one for changes (opencode-host.md §1.4). @param {string} text */
const systemMessage = (text) => ({ role: "system", content: [{ type: "text", text }] });

/** Whether an own property may be changed or deleted. @param {object} object @param {string} key @param {"writable" | "configurable"} what */
const allows = (object, key, what) => Boolean(Object.getOwnPropertyDescriptor(object, key)?.[what]);

/** A property that cannot be read is as good as not there. @param {any} object @param {string} key */
function get(object, key) {
  if (!isObject(object)) return undefined;
  try {
    return object[key];
  } catch {
    return undefined;
  }
}
