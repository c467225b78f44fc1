// Loads the wasm module, and loads it afresh after a trap. What the module does is its own business.
import { readFileSync } from "node:fs";
import * as firstGlue from "../wasm/jev_pruner.js";

/** @typedef {typeof import("../wasm/jev_pruner.js")} Glue */

const WASM_URL = new URL("../wasm/jev_pruner_bg.wasm", import.meta.url);

/** @type {WebAssembly.Module | undefined} */
let compiled;
let instances = 0;

/**
 * The module, compiled once in a process.
 *
 * `readFileSync` of a URL beside this file works in Node and in OpenCode's Bun, wherever the package lies
 * (opencode-host.md §2.7).
 * @returns {Glue}
 */
export function loadCore() {
  compiled ??= new WebAssembly.Module(readFileSync(WASM_URL));
  firstGlue.initSync({ module: compiled });
  return firstGlue;
}

/**
 * Another instance of the module with a memory of its own. The glue holds one instance for good, so another
 * one needs another copy of the glue, which is what a different query makes of the same file. Bun looks at
 * the query only in a relative path.
 * @returns {Promise<Glue>}
 */
export async function loadFreshCore() {
  instances += 1;
  /** @type {Glue} */
  const glue = await import(`../wasm/jev_pruner.js?instance=${instances}`);
  compiled ??= new WebAssembly.Module(readFileSync(WASM_URL));
  glue.initSync({ module: compiled });
  return glue;
}
