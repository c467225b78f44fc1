/**
 * A request in the order in which providers read it: tools, then system, then messages, with the cache breakpoints that
 * the host sets: on the last tool, on the first and the last part of the system text, and on the last message.
 */

/** @import { ContentPart, MessageShape, ModelRequest } from "../../tests/mini-host/types.js" */

/**
 * @typedef {object} Block
 * @property {"tools" | "system" | "messages"} part
 * @property {string} text what reaches the model
 * @property {boolean} [mark] whether a cache breakpoint is on it
 */

const CHARS_PER_TOKEN = 4;

/** An estimate that needs no tokenizer and is the same for everything. @param {number} chars */
export const tokensOf = (chars) => chars / CHARS_PER_TOKEN;

/** @param {Pick<ModelRequest, "tools" | "system" | "messages">} request @returns {Block[]} */
export function blocksOf({ tools, system, messages }) {
  const definitions = tools.map(({ input, ...tool }) => JSON.stringify({ ...tool, input_schema: input }));
  return [
    ...marked("tools", definitions, [-1]),
    ...marked("system", system.map(({ text }) => text), [0, -1]),
    ...marked("messages", messages.flatMap(textsOf), [-1]),
  ];
}

/**
 * @param {Block["part"]} part
 * @param {string[]} texts
 * @param {number[]} places of breakpoints, from the end if negative
 * @returns {Block[]}
 */
function marked(part, texts, places) {
  const marks = new Set(places.map((place) => (place < 0 ? texts.length + place : place)));
  return texts.map((text, at) => ({ part, text, ...(marks.has(at) && { mark: true }) }));
}

/** @param {MessageShape} message */
const textsOf = ({ role, content }) => content.map((part) => (role === "system" ? update(textOf(part)) : textOf(part)));

/** A change told during the session goes out as a user's text (host-observed.md). @param {string} text */
const update = (text) =>
  `<system-update>\n${text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")}\n</system-update>`;

/** @param {ContentPart} part */
function textOf(part) {
  switch (part.type) {
    case "text":
      return String(part.text);
    case "tool-call": {
      const { id, name, input } = /** @type {Record<string, unknown>} */ (part);
      return JSON.stringify({ type: "tool_use", id, name, input });
    }
    case "tool-result": {
      const { id, result } = /** @type {{ id: string, result: { value: unknown } }} */ (/** @type {unknown} */ (part));
      return JSON.stringify({ type: "tool_result", tool_use_id: id, content: result.value });
    }
    default:
      throw new TypeError(`a part of the type "${part.type}" is not known here`);
  }
}
