// Finds the plugin's entry in OpenCode's configuration (opencode-host.md §10), as the host would give it to the plugin.
import { existsSync, readFileSync, realpathSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

import { UsageError } from "../args.js";
import { parseJsonc } from "./jsonc.js";

/** Our package, and the id under which the plugin is switched off and on. */
const PACKAGE = "opencode-jev-pruner";
const NAMES = ["opencode.json", "opencode.jsonc"];

/**
 * @typedef {object} Found
 * @property {string} file
 * @property {unknown} options
 * @property {{ file: string, by: string }} [off] what switches the plugin off
 */

/**
 * @param {string} [file] the only one to look at
 * @returns {{ found: Found | undefined, looked: string[] }} the nearest entry, and all files that were read for it
 */
export function findEntry(file) {
  const looked = file === undefined ? configFiles(process.cwd(), process.env) : [resolve(file)];
  /** @type {Found | undefined} */
  let found;
  // The host goes through them in this order, and what comes later counts.
  for (const path of looked.toReversed()) {
    for (const entry of entriesOf(read(path))) {
      const { name, options } = readEntry(entry);
      if (isOurs(name, dirname(path))) found = { file: path, options };
      else if (found && switches(name, "-")) found = { ...found, off: { file: path, by: String(name) } };
      else if (found && switches(name, "")) found = { file: found.file, options: found.options };
    }
  }
  return { found, looked };
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
    return parseJsonc(filledIn(text, dirname(path)));
  } catch (error) {
    throw new UsageError(`${path} is not JSON (${/** @type {Error} */ (error).message})`);
  }
}

/** @param {string} path @returns {string | undefined} */
function textOf(path) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

/**
 * With what the host puts in place of `{env:NAME}` and `{file:PATH}`. A file that is not there stays as it is named.
 * @param {string} text @param {string} folder of the configuration
 */
function filledIn(text, folder) {
  const inString = (/** @type {string} */ value) => JSON.stringify(value).slice(1, -1);
  return text
    .replaceAll(/\{env:([^}]+)\}/g, (_, name) => inString(process.env[name] ?? ""))
    .replaceAll(/\{file:([^}]+)\}/g, (whole, path) => {
      const content = textOf(pathOf(path.trim(), folder));
      return content === undefined ? whole : inString(content.trim());
    });
}

/** Under `plugins` (OpenCode 2) and `plugin` (1.18). @param {any} config @returns {unknown[]} */
const entriesOf = (config) => [config?.plugins, config?.plugin].flatMap((list) => (Array.isArray(list) ? list : []));

/** Whether an entry is a pattern for our id, behind this sign. @param {unknown} name @param {"-" | ""} sign */
function switches(name, sign) {
  if (typeof name !== "string" || !name.startsWith(sign)) return false;
  const pattern = name.slice(sign.length);
  return pattern.endsWith("*") ? PACKAGE.startsWith(pattern.slice(0, -1)) : pattern === PACKAGE;
}

/** @param {any} entry @returns {{ name: unknown, options: unknown }} */
function readEntry(entry) {
  if (Array.isArray(entry)) return { name: entry[0], options: entry[1] ?? {} };
  if (typeof entry === "string") return { name: entry, options: {} };
  return { name: entry?.package, options: entry?.options ?? {} };
}

/** By the name of the package that it names, whichever copy of it that is. @param {unknown} name @param {string} folder */
function isOurs(name, folder) {
  if (typeof name !== "string") return false;
  if (name === PACKAGE || name.startsWith(`${PACKAGE}@`)) return true;
  const isPath = /^(\.\.?|~)\/|^file:/.test(name) || isAbsolute(name);
  return isPath ? packageAt(pathOf(name, folder)) === PACKAGE : isRepository(name);
}

/** A package that comes from a repository with its name. @param {string} spec */
const isRepository = (spec) => /^(git[+:@]|github:|https?:|ssh:)/.test(spec) && new RegExp(`[/:]${PACKAGE}(\\.git)?(#.*)?$`).test(spec);

/** @param {string} name a path or a file URL, also one that is none: hosts take `file://./x` @param {string} folder */
function pathOf(name, folder) {
  const path = pathOfURL(name) ?? name.replace(/^file:(\/\/)?/, "");
  return path.startsWith("~/") ? join(homedir(), path.slice(2)) : resolve(folder, path);
}

/** @param {string} name @returns {string | undefined} */
function pathOfURL(name) {
  try {
    return fileURLToPath(name);
  } catch {
    return undefined;
  }
}

/** The name of the package that a path lies in: of the nearest `package.json`. @param {string} path @returns {unknown} */
function packageAt(path) {
  for (let folder = startOf(real(path)); ; folder = dirname(folder)) {
    const text = textOf(join(folder, "package.json"));
    if (text !== undefined) return nameIn(text);
    if (dirname(folder) === folder) return undefined;
  }
}

/** @param {string} path */
const startOf = (path) => (statSync(path, { throwIfNoEntry: false })?.isDirectory() ? path : dirname(path));

/** @param {string} text @returns {unknown} */
function nameIn(text) {
  try {
    return JSON.parse(text)?.name;
  } catch {
    return undefined;
  }
}

/** @param {string} path */
function real(path) {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
