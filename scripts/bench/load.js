/**
 * Loads the module in a process of its own, as the plugin does when OpenCode starts, and prints as JSON how long that
 * took; index.js starts it in each runtime.
 */

const start = performance.now();
const { loadCore } = await import("../../js-shim/core.js");
const imported = performance.now();
// Reads the file, compiles it, makes an instance of it.
const core = loadCore();
const loaded = performance.now();
core.resolveOptions({}, {});
const called = performance.now();

console.log(
  JSON.stringify({ glue: imported - start, module: loaded - imported, call: called - loaded }),
);

export {};
