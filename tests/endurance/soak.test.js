/**
 * What is left after 10,000 requests (`npm run test:soak`; 1,000 in `npm test`): no memory that grows, no connection, no
 * timer that keeps the process alive.
 */

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { FULL } from "./inventory.js";

const REQUESTS = FULL ? 10_000 : 1000;
/** 200 sessions are remembered; in the short run they are not all there at the first look. */
const MOST_GROWTH_MB = FULL ? 8 : 25;

const MOST_ENDING_MS = 10_000;

test(`after ${REQUESTS} requests nothing has grown, and nothing is left open`, { timeout: 580_000 }, async (t) => {
  const script = fileURLToPath(new URL("soak.js", import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, ["--expose-gc", script, String(REQUESTS)]);
  const { first, second, at } = JSON.parse(stdout);
  const ending = Date.now() - at;
  const megabytes = (/** @type {number} */ bytes) => (bytes / 1e6).toFixed(1);
  t.diagnostic(
    `heap ${megabytes(first.heap)} to ${megabytes(second.heap)} MB, outside of it ${megabytes(first.external)} to ${megabytes(second.external)} MB, whole process ${megabytes(first.rss)} to ${megabytes(second.rss)} MB`,
  );
  for (const kind of ["heap", "external"]) {
    assert.ok(second[kind] - first[kind] < MOST_GROWTH_MB * 1e6, `${kind} grew by ${megabytes(second[kind] - first[kind])} MB`);
  }
  // An open connection or a timer would keep the process; idle connections are closed after four seconds.
  assert.ok(ending < MOST_ENDING_MS, `it took ${ending} ms to end`);
});
