/**
 * What is in the package that users install, and what its manifest promises to hosts. Whether it works is told in
 * loading.test.js.
 */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, normalize } from "node:path";
import { after, before, describe, test } from "node:test";

import { pack } from "./pack.js";

/** @import { Packed } from "./pack.js" */

/** A name that is new here is one that every user gets. */
const FILES = [
  "LICENSE",
  "README.md",
  "bin/opencode-jev-pruner.js",
  "cli/args.js",
  "cli/check/command.js",
  "cli/check/config.js",
  "cli/check/jsonc.js",
  "cli/explain/command.js",
  "cli/main.js",
  "cli/print.js",
  "cli/quantiles.js",
  "cli/read-log.js",
  "cli/replay/command.js",
  "cli/replay/settings.js",
  "cli/report/charts.js",
  "cli/report/command.js",
  "cli/report/html.js",
  "cli/report/summary.js",
  "cli/report/text.js",
  "cli/report/totals.js",
  "cli/version.js",
  "index.js",
  "js-shim/commands.js",
  "js-shim/conversation.js",
  "js-shim/core.js",
  "js-shim/debug-log.js",
  "js-shim/discovery.js",
  "js-shim/engine.js",
  "js-shim/event.js",
  "js-shim/encoded-list.js",
  "js-shim/first-request.js",
  "js-shim/index.js",
  "js-shim/inventory.js",
  "js-shim/jev-client.js",
  "js-shim/legacy.js",
  "js-shim/location.js",
  "js-shim/notices.js",
  "js-shim/one-report.js",
  "js-shim/options.d.ts",
  "js-shim/own-tools.js",
  "js-shim/plugin.js",
  "js-shim/registering.js",
  "js-shim/rehearsal.js",
  "js-shim/repair.js",
  "js-shim/prune.js",
  "js-shim/sessions.js",
  "js-shim/status.js",
  "js-shim/tool-forms.js",
  "js-shim/totals.js",
  "js-shim/values.js",
  "js-shim/voice.js",
  "js-shim/warm-up.js",
  "js-shim/with-time-limit.js",
  "package.json",
  "schema.json",
  "wasm/built-from.json",
  "wasm/jev_pruner.d.ts",
  "wasm/jev_pruner.js",
  "wasm/jev_pruner_bg.wasm",
];

const MOST_UNPACKED = 2_000_000;
const MOST_PACKED = 800_000;
/** Less than this and the module cannot be in it. */
const LEAST_PACKED = 50_000;

describe("the package", () => {
  /** @type {string} */
  let folder;
  /** @type {Packed} */
  let packed;
  /** @type {any} */
  let manifest;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "pruner-contents-"));
    packed = await pack(folder);
    execFileSync("tar", ["-xzf", packed.tarball, "-C", folder]);
    manifest = JSON.parse(readFileSync(join(folder, "package", "package.json"), "utf8"));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  const paths = () => packed.files.map(({ path }) => path);

  test("holds what a user needs, and nothing else", () => {
    assert.deepEqual(paths().sort(), [...FILES].sort());
  });

  test(`is less than ${MOST_UNPACKED / 1000} KB on disk`, () => {
    assert.ok(packed.unpackedSize < MOST_UNPACKED, `${packed.unpackedSize} bytes`);
  });

  test(`is ${LEAST_PACKED / 1000} to ${MOST_PACKED / 1000} KB to download`, () => {
    assert.ok(packed.size > LEAST_PACKED && packed.size < MOST_PACKED, `${packed.size} bytes`);
  });

  test("needs no other package", () => {
    for (const kind of ["dependencies", "peerDependencies", "optionalDependencies", "bundleDependencies"]) {
      assert.equal(manifest[kind], undefined, kind);
    }
  });

  test("runs nothing when it is installed", () => {
    const hooks = ["preinstall", "install", "postinstall", "prepare", "prepublish"];
    assert.deepEqual(
      hooks.filter((name) => manifest.scripts?.[name]),
      [],
    );
  });

  test("names a file of it as main, for every export and for every command", () => {
    for (const path of [manifest.main, ...Object.values(manifest.exports), ...Object.values(manifest.bin)]) {
      assert.ok(paths().includes(normalize(path)), path);
    }
  });

  test("is found by OpenCode 2 and 1.18 alike, which look for other exports", () => {
    assert.equal(manifest.exports["./server"], "./index.js");
    assert.equal(manifest.exports["."], "./index.js");
    assert.equal(manifest.main, "./index.js");
  });

  test("has a command that runs from where it is unpacked", () => {
    const command = join(folder, "package", manifest.bin["opencode-jev-pruner"]);
    assert.equal(execFileSync(command, ["--version"], { encoding: "utf8" }), `${manifest.version}\n`);
  });

  test("exports neither a terminal interface nor remote calls, for which hosts would look", () => {
    assert.deepEqual(Object.keys(manifest.exports).sort(), [".", "./server"]);
  });

  test("holds modules, in the eyes of every runtime", () => {
    assert.equal(manifest.type, "module");
  });

  test("imports nothing but files of it and modules of Node's", () => {
    for (const path of paths().filter((name) => name.endsWith(".js"))) {
      const text = readFileSync(join(folder, "package", path), "utf8");
      const imported = [...text.matchAll(/^(?:import|export)\b[^"'`;]*?\bfrom\s*["'](.+?)["']/gm)].map(([, name]) =>
        String(name),
      );
      assert.deepEqual(
        imported.filter((name) => !/^(?:node:|\.\.?\/)/.test(name)),
        [],
        path,
      );
    }
  });

  test("names no place on the machine that built it", () => {
    for (const path of paths()) {
      const text = readFileSync(join(folder, "package", path), "latin1");
      const [place] = /\/(?:home|root|Users)\/[\w./-]+/.exec(text) ?? [];
      assert.equal(place, undefined, path);
    }
  });
});
