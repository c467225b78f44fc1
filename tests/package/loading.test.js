/**
 * Loads the package as users have it, in Node and in Bun, from all kinds of places, and prunes a request there. What is
 * in the package is told in contents.test.js, the process that loads it is probe.js.
 */

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";

import { ROOT, install, pack } from "./pack.js";
import { runtimes } from "./runtimes.js";

/** @import { Found, Wanted } from "./probe.js" */

const run = promisify(execFile);
const PROBE = fileURLToPath(new URL("probe.js", import.meta.url));
const NAME = "opencode-jev-pruner";

/** Spaces, letters of several scripts, and what means something in a URL. */
const STRANGE = "größer & so #1 проект 试验 100%";

/** @type {string} */
let folder;
/** @type {string} */
let plain;
/** @type {string} */
let strange;

before(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "pruner-loading-")));
  const { tarball } = await pack(folder);
  plain = join(folder, "project");
  strange = join(folder, STRANGE);
  for (const project of [plain, strange]) {
    mkdirSync(project);
    install(project, tarball);
    for (const name of [NAME, `${NAME}/server`]) {
      writeFileSync(join(project, entryFor(name)), `export { default } from ${JSON.stringify(name)};\n`);
    }
  }
});
after(() => rmSync(folder, { recursive: true, force: true }));

/** A file of a project that loads the package by its name. @param {string} name */
const entryFor = (name) => `${name.replace("/", "-")}.mjs`;

/** @param {string} project @param {string[]} file */
const urlOf = (project, ...file) => pathToFileURL(join(project, ...file)).href;

/** @param {string} project @param {string} file of the installed package */
const installed = (project, file) => urlOf(project, "node_modules", NAME, file);

for (const { name, program, env, skip } of runtimes()) {
  /** @param {Wanted} wanted @returns {Promise<Found>} */
  const probe = async (wanted) => {
    const { stdout } = await run(program, [PROBE, JSON.stringify(wanted)], {
      timeout: 60_000,
      cwd: folder,
      env: { PATH: process.env.PATH, ...env },
    });
    return JSON.parse(stdout);
  };

  describe(`in ${name} a request is pruned by the package`, { skip }, () => {
    test("from node_modules, by its name", async () => {
      assertWorks(await probe({ modules: [urlOf(plain, entryFor(NAME))] }));
    });

    test("from node_modules, by the entry that hosts ask for first", async () => {
      assertWorks(await probe({ modules: [urlOf(plain, entryFor(`${NAME}/server`))] }));
    });

    test("from a path with spaces and letters of all kinds", async () => {
      assertWorks(await probe({ modules: [installed(strange, "index.js"), urlOf(strange, entryFor(NAME))] }));
    });

    test("from a checkout, through its index.js", async () => {
      assertWorks(await probe({ modules: [urlOf(ROOT, "index.js")] }));
    });

    test("after a reload", async () => {
      const url = installed(plain, "index.js");
      const found = await probe({ modules: [url, `${url}?__opencode_reload=2`, `${url}?mtime=1796035402756`] });
      assert.deepEqual(
        found.loaded.map(({ isNew }) => isNew),
        [true, true, true],
      );
      assertWorks(found);
    });

    test("after a reload, from a path with spaces and letters of all kinds", async () => {
      const url = installed(strange, "index.js");
      assertWorks(await probe({ modules: [url, `${url}?__opencode_reload=2`] }));
    });
  });

  describe(`in ${name} further cores`, { skip }, () => {
    test("can be loaded, for when one has trapped", async () => {
      const found = await probe({ modules: [], core: installed(plain, "js-shim/core.js") });
      assert.equal(found.freshCore, true);
    });

    test("can be loaded after a reload and from a path with letters of all kinds", async () => {
      const found = await probe({ modules: [], core: `${installed(strange, "js-shim/core.js")}?__opencode_reload=2` });
      assert.equal(found.freshCore, true);
    });
  });
}

test("require finds the package's main file, for hosts that look for it so", () => {
  const found = createRequire(join(plain, "anything.js")).resolve(NAME);
  assert.equal(found, join(plain, "node_modules", NAME, "index.js"));
});

/** Every module that was loaded did what a host needs. @param {Found} found */
function assertWorks({ loaded, warned }) {
  assert.ok(loaded.length > 0);
  for (const { id, keys, modern, legacy } of loaded) {
    assert.equal(id, NAME);
    assert.deepEqual(keys.sort(), ["id", "server", "setup"]);
    for (const { system, asked } of [modern, legacy]) {
      assert.ok(asked > 0, "Jev was not asked");
      assert.match(system, /<name>tea<\/name>/);
      assert.doesNotMatch(system, /<name>moon<\/name>|mcp_instructions|tools\.maps/);
    }
    assert.ok(!modern.tools.includes("mail_send"));
    assert.deepEqual(legacy.tools, ["bash"]);
  }
  assert.deepEqual(warned, []);
}
