// Reads the arguments of a command, or says in one sentence what is wrong with them.
import { parseArgs } from "node:util";

/** Somebody's mistake at the command line; the message is all there is to say. */
export class UsageError extends Error {
  name = "UsageError";
}

/** @typedef {Record<string, { type: "string" | "boolean", multiple?: boolean }>} Flags */

/**
 * @template {Flags} F
 * @param {string[]} args @param {F} options
 */
export function readArgs(args, options) {
  try {
    return parseArgs({ args, options, allowPositionals: true });
  } catch (error) {
    throw new UsageError(String(/** @type {Error} */ (error).message.split(". ")[0]));
  }
}

/** @param {string[]} files */
export function someLogs(files) {
  if (files.length === 0) throw new UsageError("which log? Name the file that option debug_log_file names");
  return files;
}

/** @param {string} flag @param {string | undefined} value @param {number} most @returns {number | undefined} */
export function numberArg(flag, value, most) {
  if (value === undefined) return undefined;
  const number = value.trim() === "" ? NaN : Number(value);
  if (!(number >= 0 && number <= most)) throw new UsageError(`--${flag} takes a number from 0 to ${most}, not "${value}"`);
  return number;
}

/** @param {string} flag @param {string | undefined} value @returns {number | undefined} */
export function countArg(flag, value) {
  if (value === undefined) return undefined;
  if (!/^[1-9]\d{0,8}$/.test(value)) throw new UsageError(`--${flag} takes a whole number from 1, not "${value}"`);
  return Number(value);
}
