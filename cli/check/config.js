// Finds the plugin's entry in OpenCode's configuration (opencode-host.md §10), as the host would give it to the plugin.
import { existsSync, readFileSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

import { UsageError } from "../args.js";
import { parseJsonc } from "./jsonc.js";

const PACKAGE = "opencode-jev-pruner";
const NAMES = ["opencode.json", "opencode.jsonc"];

/**
 * @typedef {object} Found
 * @property {string} file
 * @property {unknown} options
 */

/**
 * @param {string} [file] the only one to look at
 * @returns {{ found: Found | undefined, looked: string[] }} the nearest entry, and all files that were read for it
 */
export function findEntry(file) {
  const files = file === undefined ? configFiles(process.cwd(), process.env) : [resolve(file)];
  const looked = [];
  for (const path of files) {
    looked.push(path);
    const entry = entryOf(read(path), path);
    if (entry) return { found: { file: path, options: entry.options }, looked };
  }
  return { found: undefined, looked };
}

/** The project's, nearest first, then the person's own. @param {string} from @param {NodeJS.ProcessEnv} env */
function configFiles(from, env) {
  const folders = [];
  for (let folder = from; ; folder = dirname(folder)) {
    folders.push(join(folder, ".opencode"), folder);
    if (existsSync(join(folder, ".git")) || dirname(folder) === folder) break;
  }
  folders.push(env.OPENCODE_CONFIG_DIR || join(env.XDG_CONFIG_HOME || join(homedir(), ".config"), "opencode"));
  const named = env.OPENCODE_CONFIG ? [resolve(env.OPENCODE_CONFIG)] : [];
  return [...named, ...folders.flatMap((folder) => NAMES.map((name) => join(folder, name)))].filter((path) => existsSync(path));
}

/** @param {string} path @returns {any} */
function read(path) {
  let text;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    throw new UsageError(`${path} cannot be read (${/** @type {NodeJS.ErrnoException} */ (error).code})`);
  }
  try {
    return parseJsonc(text);
  } catch (error) {
    throw new UsageError(`${path} is not JSON (${/** @type {Error} */ (error).message})`);
  }
}

/**
 * Our entry under `plugins` (OpenCode 2) or `plugin` (1.18).
 * @param {any} config @param {string} path
 */
function entryOf(config, path) {
  const entries = [config?.plugins, config?.plugin].flatMap((list) => (Array.isArray(list) ? list : []));
  return entries.map(readEntry).find(({ name }) => isOurs(name, dirname(path)));
}

/** @param {any} entry @returns {{ name: unknown, options: unknown }} */
function readEntry(entry) {
  if (Array.isArray(entry)) return { name: entry[0], options: entry[1] ?? {} };
  if (typeof entry === "string") return { name: entry, options: {} };
  return { name: entry?.package, options: entry?.options ?? {} };
}

/** By the package's name, or by the path of this very package. @param {unknown} name @param {string} folder */
function isOurs(name, folder) {
  if (typeof name !== "string") return false;
  if (name === PACKAGE || name.startsWith(`${PACKAGE}@`)) return true;
  const path = name.startsWith("file://") ? fileURLToPath(name) : name;
  const isPath = isAbsolute(path) || /^\.\.?\//.test(path);
  return isPath && real(resolve(folder, path)) === real(fileURLToPath(new URL("../..", import.meta.url)));
}

/** @param {string} path */
function real(path) {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
