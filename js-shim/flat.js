// Lists of texts as they cross the border to the core: in one text, with NUL between the fields (see
// crate/src/inventory.rs).

import { isText } from "./values.js";

/** Fields in a row, with nothing for what is no text. @param {readonly unknown[]} fields */
export function flat(fields) {
  return fields.map((field) => (isText(field) ? withoutNul(field) : "")).join("\0");
}

/** @param {string} text */
const withoutNul = (text) => (text.includes("\0") ? text.replaceAll("\0", " ") : text);
