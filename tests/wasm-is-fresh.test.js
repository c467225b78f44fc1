// The committed module must be the one that the committed sources give.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { hashOfSources, recordFile } from "../scripts/sources.js";

test("the wasm module was built from the sources beside it", () => {
  const record = JSON.parse(readFileSync(recordFile, "utf8"));
  assert.equal(record.sources, hashOfSources(), "crate/ has changed since the module was built: npm run build");
});
