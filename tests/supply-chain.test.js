/**
 * What this package is built with: pinned, from the two public registries, and nothing of it installed by users. Whether
 * any of it has a known weakness is asked by `scripts/supply-chain`.
 */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";

/** @param {string} file */
const read = (file) => readFileSync(new URL(`../${file}`, import.meta.url), "utf8");

describe("users install nothing but this package", () => {
  const manifest = JSON.parse(read("package.json"));

  for (const kind of ["dependencies", "optionalDependencies", "peerDependencies", "bundleDependencies", "bundledDependencies"]) {
    test(`package.json has no ${kind}`, () => assert.equal(manifest[kind], undefined));
  }

  for (const script of ["preinstall", "install", "postinstall", "prepare"]) {
    test(`nothing runs as ${script}`, () => assert.equal(manifest.scripts[script], undefined));
  }
});

test("every npm package is pinned by its hash and comes from the configured registry", () => {
  /** @type {Record<string, { resolved?: string, integrity?: string, link?: boolean }>} */
  const { "": _ours, ...packages } = JSON.parse(read("package-lock.json")).packages;
  const odd = Object.entries(packages)
    // With an address of its own it would come from wherever that leads.
    .filter(([, { resolved, integrity, link }]) => link || !integrity || resolved !== undefined)
    .map(([name]) => name);
  assert.ok(Object.keys(packages).length > 0);
  assert.deepEqual(odd, []);
});

for (const [file, own] of /** @type {[string, string[]][]} */ ([
  ["Cargo.lock", ["opencode-jev-pruner"]],
  ["fuzz/Cargo.lock", ["opencode-jev-pruner", "opencode-jev-pruner-fuzz"]],
])) {
  test(`every crate in ${file} is ours, or is pinned by its hash and comes from the one registry`, () => {
    const crates = read(file).split("[[package]]").slice(1).map(fieldsOf);
    const sources = new Set(crates.flatMap(({ source }) => source ?? []));
    const odd = crates.filter(({ source, checksum }) => !source?.startsWith("registry+") || !checksum);
    assert.ok(crates.length > own.length);
    assert.equal(sources.size, 1);
    assert.deepEqual(odd.map(({ name }) => name).sort(), own);
  });
}

/** The fields of one package in Cargo.lock. @param {string} text @returns {Record<string, string>} */
function fieldsOf(text) {
  return Object.fromEntries([...text.matchAll(/^(\w+) = "(.*)"$/gm)].map(([, name, value]) => [name, value]));
}
