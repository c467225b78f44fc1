// Builds the wasm module that ships: wasm-pack, then binaryen's optimiser, then the files into wasm/ with a
// record of the sources they were built from. `--out DIR` builds elsewhere and leaves wasm/ alone.
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";
import { hashOfSources, root } from "./sources.js";

const NAME = "jev_pruner";

const { values } = parseArgs({ options: { out: { type: "string", default: join(root, "wasm") } } });
const out = resolve(values.out);
const built = join(root, "target", "wasm-pack");

rmSync(built, { recursive: true, force: true });
// The paths of the machine that builds are nobody's business, and they take room.
run("bash", ["-c", `
  set -eu
  eval "$(scripts/wasm-toolchain)"
  export RUSTFLAGS="--remap-path-prefix=\${CARGO_HOME:-$HOME/.cargo}=cargo --remap-path-prefix=$PWD=. --remap-path-prefix=$(rustc --print sysroot)=rust"
  wasm-pack build crate --mode no-install --target web --release --no-pack --out-dir '${built}' --out-name ${NAME} -- --locked
`]);

const module = join(built, `${NAME}_bg.wasm`);
// Only features that every engine of a supported host has; with all of them the optimiser would write
// encodings that Node 20 cannot read.
const FEATURES = ["bulk-memory", "multivalue", "mutable-globals", "nontrapping-float-to-int", "reference-types", "sign-ext"];
run(join(root, "node_modules/.bin/wasm-opt"), [
  "-O3", ...FEATURES.map((feature) => `--enable-${feature}`), "--strip-debug", "--strip-producers", module, "-o", module,
]);

mkdirSync(out, { recursive: true });
for (const file of [`${NAME}.js`, `${NAME}.d.ts`, `${NAME}_bg.wasm`]) cpSync(join(built, file), join(out, file));

const bytes = readFileSync(module).length;
writeFileSync(join(out, "built-from.json"), `${JSON.stringify({ sources: hashOfSources(), bytes }, null, 2)}\n`);
const gzipped = gzipSync(readFileSync(module)).length;
console.log(`[build-wasm] ${out}: ${(bytes / 1000).toFixed(0)} KB, ${(gzipped / 1000).toFixed(0)} KB gzipped`);

/** @param {string} command @param {string[]} args */
function run(command, args) {
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: "inherit" });
  if (status !== 0) fail(`${command} failed${error ? `: ${error.message}` : ""}`);
}

/** @param {string} message @returns {never} */
function fail(message) {
  console.error(`[build-wasm] ${message}`);
  process.exit(1);
}
