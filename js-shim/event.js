// Reads an event for the core, and changes it as the core says (opencode-host.md §4). Each property that the core would
// read itself is a step across the border, and a request has thousands; so all of it crosses at once, in flat lists and
// numbers, and texts and tools that were told before cross as their number alone.
//
// Nothing of the event is changed in place but its own fields and the keys of its tool map; parts, messages and tool
// definitions are replaced by new objects, since the host may store edits of the old ones (§1.5).
import { flat } from "./flat.js";
import { isObject, isText, json, list } from "./values.js";

const ROLES = new Map([["system", "s"], ["user", "u"], ["assistant", "a"], ["tool", "t"]]);

/** What stands for a message where a text is in front of all messages, as `crate/src/wasm/event.rs` numbers it too. */
const PLACE = { system: -1, execute: -2 };

const EXECUTE = "execute";

/**
 * What was told before. It belongs to one instance of the core, which knows the same.
 * @typedef {object} Memory
 * @property {Map<number, { text: string, number: number }[]>} texts by their length, which is quicker than to hash them
 * @property {number} count of the texts
 * @property {{ fields: unknown[], number: number }[]} toolMaps the last one first
 * @property {Map<string, { words: number, chars: number }>} toolChars the length of a tool and of its description, by its
 *   name: an estimate that costs nothing for a tool whose words change and whose schema does not
 */

/** @returns {Memory} */
export const remember = () => ({ texts: new Map(), count: 0, toolMaps: [], toolChars: new Map() });

/**
 * @typedef {object} Outline
 * @property {any} event
 * @property {any[]} system
 * @property {any[]} messages
 * @property {Record<string, any>} tools
 * @property {string} session
 * @property {boolean} isSealed whether the event cannot take changes
 * @property {string} roles a letter for each message
 * @property {Int32Array} places of each text: its message or PLACE, its part, its number
 * @property {string[]} newTexts those that have not been told before, in the order of their numbers
 * @property {number} toolMap the number of the tool map
 * @property {string | undefined} newTools its names and descriptions, if it has not been told before
 * @property {Int32Array | undefined} toolChars the length of each definition in it
 */

/** @param {any} event @param {Memory} memory @returns {Outline} */
export function outline(event, memory) {
  const system = list(get(event, "system"));
  const messages = list(get(event, "messages"));
  const given = get(event, "tools");
  const tools = isObject(given) ? given : {};
  const session = get(event, "sessionID");
  /** @type {number[]} */
  const places = [];
  /** @type {string[]} */
  const newTexts = [];
  const note = (/** @type {number} */ message, /** @type {number} */ part, /** @type {unknown} */ text) => {
    if (isText(text)) places.push(message, part, numberOf(memory, text, newTexts));
  };
  system.forEach((part, at) => note(PLACE.system, at, get(part, "text")));
  let roles = "";
  for (const [at, message] of messages.entries()) {
    const role = get(message, "role");
    roles += ROLES.get(role) ?? "?";
    if (role === "system") list(get(message, "content")).forEach((part, place) => note(at, place, get(part, "text")));
  }
  note(PLACE.execute, 0, get(get(tools, EXECUTE), "description"));
  return {
    event, system, messages, tools, newTexts, roles,
    session: isText(session) ? session : "",
    isSealed: Object.isFrozen(event) || Object.isSealed(tools),
    places: Int32Array.from(places),
    ...outlineTools(tools, memory),
  };
}

/** @param {Memory} memory @param {string} text @param {string[]} newTexts */
function numberOf(memory, text, newTexts) {
  const alike = memory.texts.get(text.length) ?? [];
  const known = alike.find((entry) => entry.text === text);
  if (known) return known.number;
  const number = memory.count++;
  memory.texts.set(text.length, [...alike, { text, number }]);
  newTexts.push(text);
  return number;
}

/** All tools of the map but `execute`, in its order. @param {Record<string, any>} tools @param {Memory} memory */
function outlineTools(tools, memory) {
  const { toolMaps } = memory;
  /** @type {unknown[]} */
  const fields = [];
  for (const name of Object.keys(tools)) {
    const tool = get(tools, name);
    if (name !== EXECUTE && isObject(tool)) fields.push(name, get(tool, "description"));
  }
  const known = toolMaps.find((map) => map.fields.length === fields.length && map.fields.every((field, at) => field === fields[at]));
  if (known) return { toolMap: known.number, newTools: undefined, toolChars: undefined };
  const toolMap = toolMaps.length;
  toolMaps.unshift({ fields, number: toolMap });
  const chars = new Int32Array(fields.length / 2);
  for (let at = 0; at < chars.length; at++) {
    const name = /** @type {string} */ (fields[2 * at]);
    chars[at] = charsOfTool(name, fields[2 * at + 1], tools[name], memory);
  }
  return { toolMap, newTools: flat(fields), toolChars: chars };
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
 * What the assistant's and the tools' messages call or answer for: names of native tools; texts in which tools are called
 * or listed by their catalog paths, which are code for `execute` and what a `search` in it has found; ids or names of
 * skills that were loaded. Nothing is remembered of a call by its id alone: some providers count ids anew in every turn.
 * @param {any[]} messages
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
  return { names: flat([...names]), skills: flat([...skills]), paths: flat(paths) };
}

/** The length of all messages, about. Images and files count little. @param {any[]} messages */
export function charsIn(messages) {
  let chars = 0;
  for (const message of messages) {
    for (const part of list(get(message, "content"))) {
      chars += charsOf(get(part, "text")) + charsOf(get(part, "input")) + charsOf(get(part, "result"));
    }
  }
  return chars;
}

/** @param {unknown} value a text, or an object that may hold one as its `value` */
function charsOf(value) {
  if (isText(value)) return value.length;
  if (!isObject(value)) return 0;
  const text = get(value, "value");
  return isText(text) ? text.length : json(value).length;
}

/**
 * What becomes of an event.
 * @typedef {object} Change
 * @property {Uint32Array} edits of each text that changes: its place in the outline, how many ranges go, and of each
 *   range its start, its end and whether something stands there instead
 * @property {Uint32Array} told in front of which messages ones of ours stand
 * @property {string} words a flat list: what stands in those ranges, then our messages
 * @property {string} gone names of tools, flat
 * @property {string | undefined} note a system part of ours
 * @property {string | undefined} pointers the description of `load_tool`
 * @property {any[]} drawn messages that become others, at their places
 * @property {any} behind a message of ours behind another one, if there is one
 * @property {number} behindAt which that is
 */

/**
 * Changes the event in one step, or not at all.
 * @param {Outline} outline @param {Change} change
 * @returns {boolean} false if it is no longer the event that was read, or takes no changes
 */
export function change(outline, change) {
  const { event, tools } = outline;
  const { system, messages } = outline;
  if (get(event, "system") !== system || get(event, "messages") !== messages || get(event, "tools") !== tools) return false;
  const assigned = newValues(outline, change);
  const gone = change.gone === "" ? [] : change.gone.split("\0");
  const possible = assigned.every(([object, key]) => allows(object, key, "writable")) &&
    gone.every((name) => allows(tools, name, "configurable"));
  if (!possible) return false;
  for (const [object, key, value] of assigned) object[key] = value;
  for (const name of gone) delete tools[name];
  return true;
}

/** @param {Outline} outline @param {Change} change @returns {[object: any, key: string, value: unknown][]} */
function newValues({ event, system, messages, tools, places }, change) {
  const words = change.words.split("\0")[Symbol.iterator]();
  const next = () => /** @type {string} */ (words.next().value);
  /** New texts by message and part. @type {Map<number, Map<number, string>>} */
  const texts = new Map();
  for (let at = 0; at < change.edits.length; ) {
    const [place = 0, count = 0] = change.edits.subarray(at, at + 2);
    const end = at + 2 + 3 * count;
    const [message = 0, part = 0] = places.subarray(3 * place, 3 * place + 2);
    const source = textAt({ system, messages, tools }, message, part);
    const parts = texts.get(message) ?? new Map();
    texts.set(message, parts.set(part, cut(source, change.edits.subarray(at + 2, end), next)));
    at = end;
  }
  /** @type {[any, string, unknown][]} */
  const assigned = [];
  const inSystem = texts.get(PLACE.system);
  if (inSystem || change.note !== undefined) {
    const ours = change.note === undefined ? [] : [{ type: "text", text: change.note }];
    assigned.push([event, "system", [...replaceTexts(system, inSystem), ...ours]]);
  }
  const ours = Array.from(change.told, (before) => ({ before, message: systemMessage(next()) }));
  if ([...texts.keys()].some((message) => message >= 0) || ours.length > 0 || change.drawn.length > 0 || change.behind) {
    assigned.push([event, "messages", newMessages(messages, texts, ours, change)]);
  }
  const description = texts.get(PLACE.execute)?.get(0);
  if (description !== undefined) assigned.push([tools, EXECUTE, { ...tools[EXECUTE], description }]);
  const loader = get(tools, "load_tool");
  if (change.pointers !== undefined && isObject(loader)) {
    assigned.push([tools, "load_tool", { ...loader, description: change.pointers }]);
  }
  return assigned;
}

/**
 * The messages with other texts, with others in their places, and with messages of ours between them.
 * @param {any[]} messages @param {Map<number, Map<number, string>>} texts
 * @param {{ before: number, message: object }[]} ours @param {Change} change
 */
function newMessages(messages, texts, ours, { drawn, behind, behindAt }) {
  return messages.flatMap((message, at) => {
    const out = ours.filter(({ before }) => before === at).map(({ message }) => message);
    const changed = texts.get(at);
    if (changed) {
      const content = replaceTexts(list(message.content), changed);
      if (content.length > 0) out.push({ ...message, content });
    } else out.push(drawn[at] ?? message);
    if (behind && behindAt === at) out.push(behind);
    return out;
  });
}

/** @param {{ system: any[], messages: any[], tools: any }} event @param {number} message @param {number} part @returns {string} */
function textAt({ system, messages, tools }, message, part) {
  if (message === PLACE.system) return system[part].text;
  return message === PLACE.execute ? tools[EXECUTE].description : messages[message].content[part].text;
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

/** A part whose text became empty is left out. @param {any[]} parts @param {Map<number, string> | undefined} texts */
function replaceTexts(parts, texts) {
  return parts.flatMap((part, at) => {
    const text = texts?.get(at);
    if (text === undefined) return [part];
    return text.trim() === "" ? [] : [{ ...part, text }];
  });
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
