/**
 * Answers yes-or-no questions by the words that the state and the question's subject share: deterministic, blind to
 * meaning, good enough to tell "fill the PDF form" from a weather tool. How questions and answers travel is told in
 * wire.js and answers.js.
 *
 *     Is "list_tables" of "postgres" called for here? Tool purpose: List the tables of a schema.
 *         ^^^^^^^^^^^      ^^^^^^^^                                 ^^^^^^^^^^^^^^^^^^^^^^^^^^^^
 *         names count more                                          than what is told,
 *                                                                   its label left aside
 */

/** @typedef {{ type: string, instructions?: unknown, criteria?: unknown }} Question */

const NAME_WEIGHT = 1.5;
/** Of words that half of all tools have. */
const WEAK_WEIGHT = 0.3;

const STOP_WORDS = new Set(
  stems(`
  a about above after again all also am an and any are as at be because been before being between both but by can could
  did do does doing done during each either else etc every few for from further had has have having he her here his how
  i if in into is it its itself just kindly let like may me might mine more most much must my no nor not now of off on
  once one only or other our out over own per please quite rather same she should since so some such than that the their
  them then there these they this those through to too under until up upon us very via was we were what when where
  whether which while who whom whose why will with within without would yes you your
  mcp need needed purpose request require required server skill tool use used user using want
`),
);

const WEAK_WORDS = new Set(
  stems(`
  add all based build change check content create current data delete detail file find fetch first generate get give
  help id information item keep last list look make name new number open page project provide read remove result return
  run search send set show specific start support text time update value various view work write
`),
);

/**
 * @param {Question} question
 * @param {unknown} state
 * @returns {number} from 0.02, nothing in common, to 0.97
 */
export function likelihood(question, state) {
  const { names, prose } = subjectOf(question.instructions);
  const spoken = new Set(words(leaves(state).join(" ")));
  const named = new Set(words(names.join(" ")));
  const told = new Set(words(prose).filter((word) => !named.has(word)));
  const strength = (NAME_WEIGHT * weigh(named, spoken) + weigh(told, spoken)) / lengthPenalty(named.size + told.size);
  return fromStrength(strength, [...named, ...told].join(" "));
}

/**
 * The quoted names in front of the question mark and what stands behind it; without a question mark everything counts.
 * @param {unknown} instructions
 */
export function subjectOf(instructions) {
  /** @type {string[]} */
  const names = [];
  /** @type {string[]} */
  const prose = [];
  for (const text of leaves(instructions)) {
    const [, question, rest] = /^((?:"[^"]*"|[^?"])*\?)([^]*)$/.exec(text) ?? [];
    if (question === undefined || rest === undefined) prose.push(text);
    else {
      names.push(...[...question.matchAll(/"([^"]*)"/g)].map(([, name = ""]) => name));
      prose.push(rest.replace(/^\s*(?:\p{L}+ ){0,3}\p{L}+:/u, ""));
    }
  }
  return { names, prose: prose.join(" ").trim() };
}

/**
 * All strings of a value.
 * @param {unknown} value
 * @returns {string[]}
 */
function leaves(value) {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(leaves) : [];
}

/** @param {string} text */
const words = (text) => stems(text).filter((word) => !STOP_WORDS.has(word));

/**
 * `listOpenIssues`, `list_open_issues` and "lists open issues" have the same words.
 * @param {string} text
 */
function stems(text) {
  return text
    .replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "")
    .map(stem);
}

/**
 * Enough to bring "migrations", "migrating" and "migrate" together.
 * @param {string} word
 */
export function stem(word) {
  let root = word.replace(/(?<=..)ies$/, "y").replace(/(?<=ss|x|z|ch|sh)es$/, "");
  if (root.length > 3) root = root.replace(/(?<![sui])s$/, "");
  const short = root.replace(/(?<=\p{L}{3})(?:ing|ed|ion)$/u, "");
  if (short !== root) root = short.replace(/([bdgmnprt])\1$/, "$1");
  return root.length > 3 ? root.replace(/e$/, "") : root;
}

/**
 * @param {Set<string>} subject
 * @param {Set<string>} spoken
 */
function weigh(subject, spoken) {
  return [...subject]
    .filter((word) => spoken.has(word))
    .reduce((sum, word) => sum + (WEAK_WORDS.has(word) ? WEAK_WEIGHT : 1), 0);
}

/**
 * Long descriptions share words with everything.
 * @param {number} count
 */
const lengthPenalty = (count) => 1 + Math.log(1 + Math.max(0, count - 6) / 12);

/**
 * Two steps with a slope between them: unrelated 0.02 to 0.10, related 0.60 to 0.97.
 * @param {number} strength 1 is one telling word in common
 * @param {string} seed makes subjects differ a little that have nothing in common with the state
 */
function fromStrength(strength, seed) {
  if (strength < 0.6) return 0.02 + 0.04 * fraction(seed) + 0.04 * (strength / 0.6);
  if (strength < 1) return 0.1 + 0.5 * ((strength - 0.6) / 0.4);
  return 0.6 + 0.37 * (1 - Math.exp(-(strength - 1) / 1.5));
}

/**
 * A number from 0 to 1 that depends on the text alone.
 * @param {string} text
 */
export function fraction(text) {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return ((hash ^ (hash >>> 13)) >>> 0) / 2 ** 32;
}
