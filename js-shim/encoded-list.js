// Lists of texts as they cross the boundary: one text, with NUL between the fields (see crate/src/encoded_list.rs).
import { isText } from "./values.js";

/** A list for the core, with nothing for what is no text. @param {readonly unknown[]} fields */
export const encode = (fields) => fields.map((field) => (isText(field) ? withoutNul(field) : "")).join("\0");

/** A list of the core's, which has a NUL behind each field. @param {string} list */
export const fieldsOf = (list) => list.split("\0").slice(0, -1);

/** @param {string} text */
export const withoutNul = (text) => (text.includes("\0") ? text.replaceAll("\0", " ") : text);
