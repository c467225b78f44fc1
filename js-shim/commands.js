// `/jev WORD ARGUMENT`: what a person can ask the plugin. Each word is a row of the table; what it answers is worded
// in the core.

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

/** @type {Record<string, Row>} */
export const COMMANDS = {
  context: { usage: "context", about: "tokens of the newest request by kind, and what was saved", answer: ofHistory("context") },
  sweep: { usage: "sweep [N]", about: "take all, or the last N, tool outputs since your last prompt out of later requests", answer: ofHistory("sweep") },
  stats: { usage: "stats", about: "what was saved in this session and in all", answer: ofHistory("stats") },
};

export const COMMAND_NAME = "jev";
export const COMMAND_ABOUT = `Ask opencode-jev-pruner: ${Object.values(COMMANDS).map(({ usage }) => usage).join(", ")}`;

/**
 * The answer to a whole command line, with or without its own name in front.
 * @param {Glue} core
 * @param {{ session: string, line: string, totals: Asked["totals"] }} given
 */
export function answerCommand(core, { session, line, totals }) {
  const [, word = "", argument = ""] = /^(?:\/?jev(?:\s+|$))?(\S*)\s*(.*)$/s.exec(line.trim()) ?? [];
  const row = Object.hasOwn(COMMANDS, word) ? COMMANDS[word] : undefined;
  const answer = row?.answer(core, { session, argument: argument.trim(), totals });
  if (answer !== undefined) return answer;
  const known = Object.values(COMMANDS).map(({ usage, about }) => `  /jev ${usage}: ${about}`).join("\n");
  return word === "" ? known : `There is no \`/jev ${word}\`. There are:\n${known}`;
}
