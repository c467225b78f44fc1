// Appends one JSON object a line to the debug log. Nobody waits for it, and a log that cannot be written
// costs one warning and nothing else.
import { open } from "node:fs/promises";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";

/** @typedef {(event: string, fields?: object) => void} Log */

/**
 * @param {{ file: string | undefined | null, directory?: string, warn: (text: string) => void }} settings
 * @returns {{ write: Log, flushed: () => Promise<void> }}
 */
export function openDebugLog({ file, directory, warn }) {
  if (!file) return { write() {}, flushed: async () => {} };
  const path = resolvePath(file, directory);
  /** @type {string[]} */
  let waiting = [];
  let flushing = Promise.resolve();
  let warned = false;
  /** Whether the file ends in the middle of a line, as on a full disk; then the next line begins with a break. */
  let isTorn = false;

  async function flush() {
    if (waiting.length === 0) return;
    const lines = waiting;
    waiting = [];
    try {
      const whole = await append(path, `${isTorn ? "\n" : ""}${lines.join("")}`);
      isTorn = !whole;
      if (!whole) throw new Error("only a part could be written, is the disk full?");
    } catch (error) {
      if (warned) return;
      warned = true;
      warn(`option \`debug_log_file\` cannot be written (${error instanceof Error ? error.message : error}); ` +
        "nothing is logged until it can, check the path and its permissions");
    }
  }

  return {
    write(event, fields = {}) {
      waiting.push(`${JSON.stringify({ event, time: new Date().toISOString(), ...fields })}\n`);
      flushing = flushing.then(flush);
    },
    flushed: () => flushing,
  };
}

/**
 * Appends in one call to the system, so that processes that share a file leave each other's lines whole; Node's own
 * `appendFile` cuts long texts into several. The file is opened each time, since it may have been rotated away.
 * @param {string} path @param {string} text @returns {Promise<boolean>} whether all of it was written
 */
async function append(path, text) {
  const bytes = Buffer.from(text);
  const file = await open(path, "a", 0o600);
  try {
    return (await file.write(bytes)).bytesWritten === bytes.length;
  } finally {
    await file.close();
  }
}

/**
 * The host's working directory is not the project's (opencode-host.md §10), so a relative path starts at the
 * project, or at home where the host does not name one.
 * @param {string} file @param {string | undefined} directory
 */
function resolvePath(file, directory) {
  if (file === "~" || file.startsWith("~/")) return join(homedir(), file.slice(1));
  return isAbsolute(file) ? file : join(directory ?? homedir(), file);
}
