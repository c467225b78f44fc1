/**
 * The debug log on a bad day (`npm run test:log`): several processes write to it, the disk is full, somebody rotates it
 * away. The request that is logged must never notice.
 */

import assert from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { openDebugLog } from "../../js-shim/debug-log.js";
import { skillList } from "../plugin/inventory.js";
import { folder, stage } from "../plugin/stage.js";
import { FULL } from "./inventory.js";


const WRITER = fileURLToPath(new URL("log-writer.js", import.meta.url));
const LINES = FULL ? 5000 : 400;

/** @param {string} path */
const linesOf = (path) => readFileSync(path, "utf8").trimEnd().split("\n");

/** A log, and what it warned of. @param {string} file */
function opened(file) {
  /** @type {string[]} */
  const warned = [];
  return { log: openDebugLog({ file, warn: (text) => void warned.push(text) }), warned };
}

test(`three processes write ${LINES} lines each, and every line is whole`, async (t) => {
  const path = join(folder(t), "log");
  const names = ["a", "b", "c"];
  await Promise.all(names.map((name) => promisify(execFile)(process.execPath, [WRITER, path, name, String(LINES)])));
  const entries = linesOf(path).map((line) => JSON.parse(line));
  for (const name of names) {
    // Each process's lines stand in their order.
    assert.deepEqual(
      entries.filter((entry) => entry.name === name).map(({ at }) => at),
      Array.from({ length: LINES }, (_, at) => at),
    );
  }
});

describe("a full disk", () => {
  test("costs one warning, and is forgotten when there is room again", async (t) => {
    const path = join(folder(t), "log");
    symlinkSync("/dev/full", path);
    const { log, warned } = opened(path);
    for (let at = 0; at < 3; at++) {
      log.write("report", { at });
      await log.flushed();
    }
    assert.equal(warned.length, 1);
    assert.match(String(warned[0]), /`debug_log_file` cannot be written \(ENOSPC/);
    unlinkSync(path);
    log.write("report", { at: 3 });
    await log.flushed();
    assert.deepEqual(linesOf(path).map((line) => JSON.parse(line).at), [3]);
  });

  test("changes no request", async (t) => {
    const { host, warned } = await stage(t, {
      skills: skillList(["forms", "captions"]),
      scores: { skills: { forms: 0.9 } },
      options: { debug_log_file: "/dev/full" },
    });
    const { after } = await host.prompt("Fill in the form.");
    assert.ok(!after.system.some(({ text }) => text.includes("captions")));
    await new Promise((resolve) => setTimeout(resolve, 50));
    assert.equal(warned.filter((text) => text.includes("debug_log_file")).length, 1);
  });

  test("that takes half a line leaves the next one whole", async (t) => {
    const disk = join(folder(t), "disk");
    mkdirSync(disk);
    const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=64k", "none", disk]);
    if (mounted.status !== 0) return t.skip("no small disk can be mounted here");
    try {
      const path = join(disk, "log");
      const { log, warned } = opened(path);
      for (const length of [10, 100_000]) {
        log.write("report", { text: "x".repeat(length) });
        await log.flushed();
      }
      assert.match(String(warned[0]), /only a part could be written, is the disk full\?/);
      // Somebody makes room at the file's beginning; what is left is the torn line.
      spawnSync("truncate", ["-s", "20000", path]);
      log.write("report", { text: "last" });
      await log.flushed();
      assert.equal(JSON.parse(String(linesOf(path).at(-1))).text, "last");
    } finally {
      spawnSync("umount", [disk]);
    }
  });
});

describe("a log that is rotated away", () => {
  test("goes on in a new file, which only its owner can read", async (t) => {
    const path = join(folder(t), "log");
    const { log, warned } = opened(path);
    for (let at = 0; at < 3; at++) {
      log.write("report", { at });
      await log.flushed();
      if (at < 2) renameSync(path, `${path}.${at}`);
    }
    assert.deepEqual([`${path}.0`, `${path}.1`, path].flatMap(linesOf).map((line) => JSON.parse(line).at), [0, 1, 2]);
    assert.equal(spawnSync("stat", ["-c", "%a", path], { encoding: "utf8" }).stdout.trim(), "600");
    assert.deepEqual(warned, []);
  });

  test("with its folder is warned of once, and goes on when that is back", async (t) => {
    const place = join(folder(t), "logs");
    mkdirSync(place);
    const { log, warned } = opened(join(place, "log"));
    const write = async (/** @type {number} */ at) => {
      log.write("report", { at });
      await log.flushed();
    };
    await write(0);
    rmSync(place, { recursive: true });
    await write(1);
    await write(2);
    mkdirSync(place);
    await write(3);
    assert.deepEqual(linesOf(join(place, "log")).map((line) => JSON.parse(line).at), [3]);
    assert.equal(warned.length, 1);
  });
});
