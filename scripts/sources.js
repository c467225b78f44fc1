// Which sources the committed wasm module was built from: one hash over everything that goes into it.
// scripts/build-wasm.js writes it beside the module, a test compares it.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("..", import.meta.url));
export const recordFile = join(root, "wasm", "built-from.json");

const INPUTS = ["Cargo.toml", "Cargo.lock", "crate/Cargo.toml", "crate/src"];

/** The hash of all sources of the wasm module, over paths and contents in a fixed order. */
export function hashOfSources() {
  const hash = createHash("sha256");
  for (const file of INPUTS.flatMap((input) => filesIn(join(root, input))).sort()) {
    hash.update(`${relative(root, file)}\0${readFileSync(file, "utf8")}\0`);
  }
  return hash.digest("hex");
}

/** @param {string} path @returns {string[]} */
function filesIn(path) {
  if (/\.(rs|toml|lock)$/.test(path)) return [path];
  return readdirSync(path, { withFileTypes: true })
    .flatMap((entry) => filesIn(join(path, entry.name)));
}
