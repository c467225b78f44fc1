/**
 * Reads a debug log that somebody is still writing.
 */

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/**
 * The lines of a debug log once it holds so many; nobody waits for them but tests.
 * @param {string} file @param {number} count
 * @returns {Promise<any[]>}
 */
export async function linesOf(file, count) {
  for (let tries = 0; tries < 200; tries++) {
    const text = existsSync(file) ? readFileSync(file, "utf8") : "";
    const lines = text.split("\n");
    assert.ok(text === "" || lines.pop() === "", "the last line does not end");
    if (lines.length >= count && text !== "") return lines.map((line) => JSON.parse(line));
    await sleep(10);
  }
  return assert.fail(`${file} does not get ${count} lines`);
}
