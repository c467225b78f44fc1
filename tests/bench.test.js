/**
 * Tests of `npm run bench`: that it measures what it says, not how fast this machine is.
 */

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { isMet, sizeLine, table } from "../scripts/bench/report.js";
import { quantile, summary } from "../scripts/bench/stats.js";
import { makeWorkload } from "../scripts/bench/workload.js";

const root = fileURLToPath(new URL("..", import.meta.url));

/** @param {string[]} args */
const bench = (...args) =>
  promisify(execFile)(process.execPath, ["scripts/bench/index.js", ...args], { cwd: root, maxBuffer: 1 << 24 });

describe("a summary", () => {
  it("has the least, the median, and the value that 95 of 100 do not exceed", () => {
    const values = Array.from({ length: 100 }, (_, at) => 100 - at);
    assert.deepEqual(summary(values), { least: 1, median: 50, p95: 95 });
  });

  it("of one value is that value", () => assert.equal(quantile([7], 0.95), 7));

  it("does not sort what it was given", () => {
    const values = [3, 1, 2];
    summary(values);
    assert.deepEqual(values, [3, 1, 2]);
  });
});

describe("the table", () => {
  it("marks each aim as met or missed, by the time in Rust where that is known", () => {
    const rows = [
      { label: "load", least: 8, median: 9.5, p95: 12, aim: 10 },
      { label: "cold", median: 1.2, p95: 2, rust: 0.5, aim: 1 },
      { label: "slow", median: 1.2, p95: 2, rust: 1, aim: 1 },
      { label: "growth", median: 9.75, aim: 12 },
      { label: "first", median: 40, p95: 50 },
    ];
    assert.deepEqual(rows.map(isMet), [true, true, false, true, undefined]);
    const [title, , load, cold, slow, growth, first] = table("Node 20", rows).split("\n");
    assert.equal(title, "Node 20");
    assert.match(load ?? "", /load +8\.00 +9\.50 +12\.00 +< 10 +met$/);
    assert.match(cold ?? "", /cold +1\.20 +2\.00 +0\.500 +< 1 +met$/);
    assert.match(slow ?? "", /slow +1\.20 +2\.00 +1\.00 +< 1 +MISSED$/);
    assert.match(growth ?? "", /growth +9\.75x +< 12x +met$/);
    assert.match(first ?? "", /first +40\.00 +50\.00$/);
  });

  it("tells whether the module is as small as is aimed at", () => {
    assert.match(sizeLine(1_599_999), /1600 KB, aim < 1600 KB, met/);
    assert.match(sizeLine(1_600_000), /MISSED/);
  });
});

describe("a measured request", () => {
  const workload = makeWorkload({ servers: 10, tools: 250, skills: 60 });
  const { event, lists, prompt } = workload(1);
  const text = event.system[1]?.text ?? "";
  const entries = [...text.matchAll(/^ {2}- tools\S+\(/gm)];

  it("has half of the servers in a catalog that lists all of their tools, half in the tool map", () => {
    assert.match(text, /The catalog is complete/);
    assert.equal(entries.length, 125);
    assert.equal(Object.keys(event.tools).filter((name) => name.includes("-desk-")).length, 125);
    assert.equal(lists.tools.length - 250, Object.keys(event.tools).length - 125 - 1);
  });

  it("has 60 skills, 3 servers with instructions, and a history of 60 messages", () => {
    assert.equal(text.match(/^ {2}<skill>$/gm)?.length, 60);
    assert.equal(text.match(/^ {2}<server /gm)?.length, 3);
    assert.equal(event.messages.length, 60);
    assert.equal(event.messages.filter(({ id }) => id === prompt.id).length, 1);
  });

  it("has letters that no one-byte string can hold", () => assert.match(text, /[^\x00-\xff]/));

  it("has other texts under another number, and one more call in each step", () => {
    assert.notEqual(workload(2).event.system[1]?.text, text);
    assert.equal(workload(1).event.system[1]?.text, text);
    assert.equal(workload(1, 2).event.messages.length, 64);
  });

  it("can be without native tools, history or wide letters", () => {
    const without = { native: false, history: false, ascii: true };
    const plain = makeWorkload({ servers: 10, tools: 250, skills: 60 }, without)(1);
    assert.equal(plain.event.messages.length, 1);
    assert.ok(!Object.keys(plain.event.tools).some((name) => name.includes("-desk-")));
    assert.doesNotMatch(JSON.stringify(plain), /[^\x00-\x7f]/);
  });
});

describe("the bench", () => {
  it("measures each runtime that is there, and says so in JSON", async () => {
    const { stdout } = await bench("--quick", "--json");
    const { module, results } = JSON.parse(stdout);
    assert.ok(module.bytes > 0);
    assert.equal(results[0].runtime.name, "Node");
    for (const { rows, small } of results) {
      for (const { label, median } of rows) assert.ok(median > 0, label);
      // Servers, then the tools of three of them and all skills.
      assert.equal(small.questions, 10 + 75 + 60);
    }
  });

  it("ends with 2 and one line for an unknown flag", async () => {
    await assert.rejects(bench("--fast"), { code: 2, stderr: /^\[bench\] Unknown option '--fast'\. See --help\.\n$/ });
  });

  it("tells how it is used", async () => assert.match((await bench("--help")).stdout, /--breakdown/));
});
