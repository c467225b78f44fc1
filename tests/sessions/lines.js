/**
 * What the plugin may do to the lines of a text of the host's: leave them out, and bring labels, claims and hints in
 * line with that.
 */

/** How the plugin's own lines begin, which tell how to reach what is not listed. */
const HINTS = ["More skills are installed", "Inside `execute`, `search({ query })` finds"];

/**
 * Whether these lines stand among the others in this order, labels, claims and hints aside.
 * @param {string[]} lines
 * @param {string[]} among
 */
export function isSubsequence(lines, among) {
  let at = 0;
  const isHint = (/** @type {string | undefined} */ line) => HINTS.some((hint) => line?.startsWith(hint));
  // A hint in a paragraph of its own has brought a blank line with it.
  const isOfHint = (/** @type {number} */ at) => lines[at] === "" && isHint(lines[at - 1]) && lines[at - 2] === "";
  return lines
    .filter((line, at) => !isHint(line) && !isOfHint(at))
    .every((line) => {
      const plain = withoutNumbers(line);
      while (at < among.length) if (withoutNumbers(String(among[at++])) === plain) return true;
      return line === "";
    });
}

/** @param {string} line */
const withoutNumbers = (line) =>
  line
    .replace(/^(- [A-Za-z0-9_-]+) \([^)]*\)/, "$1")
    .replace(/^(The catalog is|The Code Mode tool catalog below is|## Available tools \().*/, "$1")
    .replace(/^((New tool namespaces|The following namespace inventories)[^:]*: ).*/, "$1");
