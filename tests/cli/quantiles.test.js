/**
 * The summaries of endless streams: how true they are, and that they do not grow.
 */

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Histogram, Quantiles, Series, Tally } from "../../cli/quantiles.js";

describe("quantiles", () => {
  test("are within one percent of the truth", () => {
    const quantiles = new Quantiles();
    for (let value = 1; value <= 10_000; value++) quantiles.add(value);
    for (const share of [0.01, 0.5, 0.95, 1]) {
      const [told, truth] = [Number(quantiles.at(share)), 10_000 * share];
      assert.ok(Math.abs(told - truth) <= 0.0101 * truth, `${share}: ${told}`);
    }
  });

  test("of one value are that value, nearly", () => {
    const quantiles = new Quantiles();
    quantiles.add(250);
    assert.ok(Math.abs(Number(quantiles.at(0.95)) - 250) < 2.6);
  });

  test("of nothing are nothing", () => assert.equal(new Quantiles().at(0.5), undefined));

  test("leave out what is no number", () => {
    const quantiles = new Quantiles();
    [NaN, Infinity, /** @type {any} */ (undefined)].forEach((value) => quantiles.add(value));
    assert.equal(quantiles.count, 0);
  });

  test("tell how many values lie between bounds", () => {
    const quantiles = new Quantiles();
    [1, 5, 15, 20, 500].forEach((value) => quantiles.add(value));
    assert.deepEqual(quantiles.between([10, 100]), [2, 2, 1]);
  });
});

test("a histogram puts 1 into its last bin, and nothing else where it does not belong", () => {
  const histogram = new Histogram(4);
  [0, 0.24, 0.25, 1, -0.1, 1.1, NaN].forEach((share) => histogram.add(share));
  assert.deepEqual(histogram.counts, [2, 1, 0, 1]);
});

describe("a tally", () => {
  test("tells the most frequent first, equal ones by name", () => {
    const tally = new Tally();
    ["b", "a", "c", "c"].forEach((name) => tally.add(name));
    assert.deepEqual(tally.top(2), [["c", 2], ["a", 1]]);
  });

  test("forgets the rarest of very many names", () => {
    const tally = new Tally();
    for (let at = 0; at < 100; at++) tally.add("frequent");
    for (let at = 0; at < 50_000; at++) tally.add(`name ${at}`);
    assert.ok(tally.size <= 20_000);
    assert.deepEqual(tally.top(1), [["frequent", 100]]);
  });
});

describe("a series", () => {
  test("is whole while it is short", () => {
    const series = new Series(4);
    [1, 2, 3].forEach((value) => series.add(value, 0));
    assert.deepEqual(series.stretches.map(({ before }) => before), [1, 2, 3]);
  });

  test("stays short, and loses nothing of its sum", () => {
    const series = new Series(8);
    for (let value = 1; value <= 1000; value++) series.add(value, 1);
    assert.ok(series.stretches.length <= 8);
    const sum = (/** @type {"count" | "before" | "after"} */ key) => series.stretches.reduce((all, next) => all + next[key], 0);
    assert.deepEqual([sum("count"), sum("before"), sum("after")], [1000, 500_500, 1000]);
  });
});
