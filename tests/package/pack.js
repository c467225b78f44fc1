/**
 * Packs this package as `npm publish` would, and installs it as a user does. What must be in it is told in the tests.
 */

import { execFile, execFileSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

export const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/**
 * @typedef {object} Packed
 * @property {string} tarball its path
 * @property {number} size of the tarball
 * @property {number} unpackedSize
 * @property {{ path: string, size: number }[]} files
 */

/** @param {string} folder where the tarball goes @returns {Promise<Packed>} */
export async function pack(folder) {
  const flags = ["--json", "--ignore-scripts", "--loglevel=error", "--pack-destination", folder];
  const { stdout } = await promisify(execFile)("npm", ["pack", ...flags], { cwd: ROOT, timeout: 60_000 });
  const [{ filename, size, unpackedSize, files }] = JSON.parse(stdout);
  return { tarball: join(folder, filename), size, unpackedSize, files };
}

/** As a user does it who has no network. @param {string} project its folder @param {string} tarball */
export function install(project, tarball) {
  const flags = ["--no-save", "--offline", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  execFileSync("npm", ["install", ...flags, tarball], { cwd: project, stdio: "ignore", timeout: 60_000 });
}
