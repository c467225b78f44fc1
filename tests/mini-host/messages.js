/**
 * The objects that a conversation is made of (opencode-host.md §4.2, §4.3). Which messages there are is host.js.
 */

/** @import { ContentPart, MessageShape, Role } from "./types.js" */

/** Messages are class instances (§4.2); a plain object of the same shape is taken back as well. */
export class Message {
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

/**
 * @param {string | { name: string, text: string }} file
 * @returns {ContentPart}
 */
export function attachment(file) {
  const { name, text } = typeof file === "string" ? { name: file, text: "" } : file;
  return { type: "text", text: `\n\nAttached file: ${name}\n\n${text}`, metadata: { attachment: { name } } };
}
