// Appends one JSON object a line to the debug log. Nobody waits for it, and a log that cannot be written
// costs one warning and nothing else.
import { mkdir, open, rename, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, isAbsolute, join } from "node:path";

/** @typedef {(event: string, fields?: object) => void} Log */

/**
 * @typedef {object} DebugLog
 * @property {Log} write
 * @property {() => Promise<void>} flushed
 * @property {() => string | undefined} path where it is, as far as that is known
 */

/**
 * @param {object} settings
 * @param {string | undefined | null} settings.file
 * @param {boolean} [settings.isDefault] whether nobody named this file: then its folder is made, and it does not grow for good
 * @param {string | Promise<string | undefined>} [settings.directory] of the project; lines wait until it is known
 * @param {(text: string) => void} settings.warn
 * @returns {DebugLog}
 */
export function openDebugLog({ file, isDefault = false, directory, warn }) {
  if (!file) return { write() {}, flushed: async () => {}, path: () => undefined };
  /** @type {string | undefined} */
  let path = placeOf(file);
  /** @type {string[]} */
  let waiting = [];
  let flushing = Promise.resolve();
  let warned = false;
  /** Whether the file ends in the middle of a line, as on a full disk; then the next line begins with a break. */
  let isTorn = false;
  let isReady = false;

  async function flush() {
    if (waiting.length === 0) return;
    path ??= await besideProject(file ?? "", directory, warn);
    const lines = waiting;
    waiting = [];
    try {
      if (isDefault && !isReady) await makeReady(path);
      isReady = true;
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
    path: () => path,
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

/** Where `debug_mode` writes if no file is named: the console of a plugin is not seen everywhere. */
export function defaultLogFile() {
  const state = process.env.XDG_STATE_HOME;
  return join(state && isAbsolute(state) ? state : join(homedir(), ".local", "state"), "opencode-jev-pruner", "debug.jsonl");
}

/** Old lines of the default file are given up beyond this, but for one file of as much. */
const MAX_DEFAULT_BYTES = 16 << 20;

/** @param {string} path */
async function makeReady(path) {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const size = await stat(path).then((found) => found.size, () => 0);
  if (size > MAX_DEFAULT_BYTES) await rename(path, `${path}.old`);
}

/** Where a file is; nothing for a relative path, which starts at the project. @param {string} file */
function placeOf(file) {
  if (file === "~" || file.startsWith("~/")) return join(homedir(), file.slice(1));
  return isAbsolute(file) ? file : undefined;
}

/**
 * The host's working directory is not the project's (opencode-host.md §10). Where the host names none, a file of that
 * name stands beside the default one: nobody looks for it at home, and every project would share it there.
 * @param {string} file @param {string | Promise<string | undefined> | undefined} directory @param {(text: string) => void} warn
 */
async function besideProject(file, directory, warn) {
  const folder = await directory;
  if (folder) return join(folder, file);
  const path = join(dirname(defaultLogFile()), file);
  warn(`option \`debug_log_file\` is relative and this host names no project folder; it is ${path}`);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 }).catch(() => {});
  return path;
}
