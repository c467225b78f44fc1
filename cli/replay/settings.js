// The settings that a replay decides by: those of the log, with some exchanged.
import { UsageError } from "../args.js";

/** @typedef {import("../../js-shim/core.js").Glue} Glue */
/** @typedef {Record<string, unknown>} Options */

/**
 * The resolved configuration; a value that the plugin would refuse is refused here.
 * @param {Glue} core @param {Options} logged @param {Options} changed
 * @returns {string} JSON
 */
export function settingsOf(core, logged, changed) {
  // What the log names is resolved already, and may come from a version that knew other options.
  const { warnings } = core.resolveOptions(changed, {});
  if (warnings.length > 0) throw new UsageError(warnings[0]);
  const known = Object.fromEntries(Object.entries(logged).filter(([, value]) => value !== null));
  const { config } = core.resolveOptions({ ...known, ...changed }, {});
  return JSON.stringify(config);
}

/** Numbers, lists and words as they would stand in opencode.json. @param {string} given @returns {[string, unknown]} */
export function optionFrom(given) {
  const at = given.indexOf("=");
  if (at <= 0) throw new UsageError(`--set takes NAME=VALUE, not "${given}"`);
  const [name, value] = [given.slice(0, at), given.slice(at + 1)];
  try {
    return [name, JSON.parse(value)];
  } catch {
    return [name, value];
  }
}
