// `/jev WORD ARGUMENT`: what a person can ask the plugin. Each word is a row of a table; those of the history are answered
// in the core, those on how it goes in status.js.

/** @typedef {import("./core.js").Glue} Glue */

/**
 * @typedef {object} Asked
 * @property {string} session
 * @property {string} argument what follows the word
 * @property {import("./totals.js").Sums | undefined} totals of all sessions
 */

/** @typedef {{ usage: string, about: string, answer: (core: Glue, asked: Asked) => string | undefined }} Row */

/** @param {string} word @returns {Row["answer"]} */
const ofHistory = (word) => (core, { session, argument, totals }) =>
  core.historyCommand(session, word, argument, totals?.requests, totals?.tokens_saved);

/** @typedef {Record<string, Row>} Table */

/** What is asked of the history. @type {Table} */
export const HISTORY_COMMANDS = {
  context: { usage: "context", about: "tokens of the newest request by kind, and what was saved", answer: ofHistory("context") },
  sweep: { usage: "sweep [N]", about: "take all, or the last N, tool outputs since your last prompt out of later requests", answer: ofHistory("sweep") },
  stats: { usage: "stats", about: "what was saved in this session and in all", answer: ofHistory("stats") },
};

export const COMMAND_NAME = "jev";
/** @param {Table} table */
export const commandAbout = (table) => `Ask opencode-jev-pruner: ${Object.values(table).map(({ usage }) => usage).join(", ")}`;

/**
 * The answer to a whole command line, with or without its own name in front.
 * @param {Glue} core @param {Table} table
 * @param {{ session: string, line: string, totals: Asked["totals"] }} given
 */
export function answerCommand(core, table, { session, line, totals }) {
  const [, word = "", argument = ""] = /^(?:\/?jev(?:\s+|$))?(\S*)\s*(.*)$/s.exec(line.trim()) ?? [];
  const row = Object.hasOwn(table, word) ? table[word] : undefined;
  const answer = row?.answer(core, { session, argument: argument.trim(), totals });
  if (answer !== undefined) return answer;
  const known = Object.values(table).map(({ usage, about }) => `  /jev ${usage}: ${about}`).join("\n");
  return word === "" ? known : `There is no \`/jev ${word}\`. There are:\n${known}`;
}
