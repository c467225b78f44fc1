// How the plugin speaks to a person outside of a conversation: what is amiss, and with `debug_mode` what became of each
// request. Never on stdout: `opencode run` prints the answer there, and a program may read it.
import { isatty } from "node:tty";

import { within } from "./with-time-limit.js";

/**
 * @typedef {object} Voice
 * @property {(text: string) => void} warn of something amiss
 * @property {(text: string) => void} print a report
 * @property {string[]} warned the last warnings, for who asks: not everybody sees where they are printed
 */

const NAME = "opencode-jev-pruner";
const TIMEOUT_MS = 10_000;
const STDERR = 2;

const MAX_WARNED = 10;

/** @param {Pick<Voice, "warn" | "print">} voice @returns {Voice} */
function remembering({ warn, print }) {
  /** @type {string[]} */
  const warned = [];
  return {
    warned,
    print,
    warn(text) {
      warned.push(text);
      warned.splice(0, warned.length - MAX_WARNED);
      warn(text);
    },
  };
}

/**
 * On stderr: the plugins of OpenCode 2 run in its server, where nothing is drawn.
 * @returns {Voice}
 */
export const onStderr = () => remembering({
  warn: (text) => console.warn(`[${NAME}] ${text}`),
  print: (text) => console.error(text),
});

/**
 * In the log of OpenCode 1.18, which has its terminal interface in the same process: what is written beside it is drawn
 * over it. Where the log does not take it, stderr does, unless that is a terminal.
 * @param {any} client
 * @param {{ isTerminal?: boolean }} [stderr]
 * @returns {Voice}
 */
export function inHostLog(client, { isTerminal = isatty(STDERR) } = {}) {
  const aside = isTerminal ? { warn() {}, print() {} } : onStderr();
  /** @param {string} level @param {string} message @param {() => void} otherwise */
  async function write(level, message, otherwise) {
    const { value, problem } = await within(TIMEOUT_MS, () => {
      if (typeof client?.app?.log !== "function") throw new Error("it has no log");
      return client.app.log({ body: { service: NAME, level, message } });
    });
    if (problem !== undefined || value?.error !== undefined) otherwise();
  }
  return remembering({
    // This log does not show which service a line is of.
    warn: (text) => void write("warn", `[${NAME}] ${text}`, () => aside.warn(text)),
    print: (text) => void write("info", text, () => aside.print(text)),
  });
}
