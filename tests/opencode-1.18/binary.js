/**
 * Finds the real OpenCode among the dev dependencies, and says what becomes of the tests that need it where it is missing.
 */

import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

const require = createRequire(import.meta.url);
const manifest = require.resolve("opencode-ai/package.json");

/** @type {string} */
export const VERSION = require(manifest).version;

/** npm installs the package of this platform alone, which holds nothing but the binary. */
export function binary() {
  const system = process.platform === "win32" ? "windows" : process.platform;
  const program = process.platform === "win32" ? "opencode.exe" : "opencode";
  const kinds = ["", "-musl", "-baseline", "-baseline-musl"];
  return kinds
    .map((kind) => join(dirname(dirname(manifest)), `opencode-${system}-${process.arch}${kind}`, "bin", program))
    .find(existsSync);
}

/** Why the tests in the real host cannot run here, or `false`: what `skip` takes. In CI it is an error instead. */
export function whyNoHost() {
  if (binary()) return false;
  const why = `there is no OpenCode ${VERSION} for ${process.platform}-${process.arch} in node_modules`;
  if (process.env.CI === "true") throw new Error(`${why}: in CI these tests must run`);
  return why;
}
