/**
 * Cuts pieces out of rendered texts the way the rules say, by plain string work, so that tests can compare every byte.
 * Each cut fails where there is nothing to cut or more than one place to cut at.
 */

import assert from "node:assert/strict";

/** @param {string} text @param {string} piece @param {string} replacement */
export function swap(text, piece, replacement) {
  const parts = text.split(piece);
  assert.equal(parts.length, 2, `${parts.length - 1} times in the text: ${piece}`);
  return parts.join(replacement);
}

/** @param {string} text @param {string} piece */
export const cut = (text, piece) => swap(text, piece, "");

/**
 * Removes lines of a list together with the newline before or, for the first, the one behind: as if the list had been
 * joined without them.
 * @param {string} text @param {string} lines
 */
export function cutLines(text, lines) {
  const at = `\n${text}\n`.indexOf(`\n${lines}\n`);
  assert.notEqual(at, -1, `not in the text: ${lines}`);
  const before = text.slice(0, Math.max(0, at - 1));
  const behind = text.slice(at + lines.length);
  const isFirst = before === "" || before.endsWith("\n");
  return isFirst ? text.slice(0, at) + behind.slice(1) : before + behind;
}

/** A catalog entry: from its first line to the next entry, header or blank line. @param {string} text @param {string} path */
export function entryOf(text, path) {
  return from(text, `  - tools${path}(`, /\n(?= {2}- tools[.[]|- |\n)|$(?![^])/);
}

/** A namespace with its entries: from its header to the next or the end of the list. @param {string} text @param {string} name */
export function blockOf(text, name) {
  return from(text, `- ${name} (`, /\n(?=- |\n)|$(?![^])/);
}

/** @param {string} text @param {string} name as it is configured */
export const elementOf = (text, name) => from(text, `  <server name="${name}">`, /(?<=\n {2}<\/server>)(?=\n)/);

/** @param {string} text @param {string} id */
export const skillOf = (text, id) => from(text, `  <skill>\n    <id>${id}</id>`, /(?<=\n {2}<\/skill>)(?=\n)/);

/** From a line that begins like this to where the end is. @param {string} text @param {string} beginning @param {RegExp} end */
function from(text, beginning, end) {
  const start = `\n${text}`.indexOf(`\n${beginning}`);
  assert.notEqual(start, -1, `not in the text: ${beginning}`);
  const rest = text.slice(start);
  return rest.slice(0, rest.search(end));
}

export const COMPLETE_LINE = /^The catalog is complete\..*$/m;
export const PARTIAL_LINE = /^The catalog is partial\..*$/m;
/** The heading of the July beta's catalog. */
export const V1C_HEADING = /^## Available tools \(.*$/m;

/**
 * A text with the line of ours that stands in a result, in the place of the one that said that nothing is left out.
 * @param {string} text @param {string} result
 */
export function saysPartial(text, result) {
  const [complete] = COMPLETE_LINE.exec(text) ?? [];
  const [partial] = PARTIAL_LINE.exec(result) ?? [];
  assert.ok(complete && partial, "no complete catalog before, or no partial one after");
  return swap(text, complete, partial);
}
