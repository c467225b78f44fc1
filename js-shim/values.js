// What values are, whoever handed them over.

/** @param {unknown} value @returns {value is string} */
export const isText = (value) => typeof value === "string";

/** @param {any} value */
export const isObject = (value) => typeof value === "object" && value !== null;

/** The value if it is a list, and an empty one for anything else. @param {unknown} value @returns {any[]} */
export const list = (value) => (Array.isArray(value) ? value : []);

/** A value as JSON; nothing for one that JSON cannot hold. @param {unknown} value */
export function json(value) {
  try {
    return JSON.stringify(value) ?? "";
  } catch {
    return "";
  }
}
