/**
 * The HTML page of `opencode-jev-pruner report --html`: what stands in it, and how a browser shows it. The browser's part
 * is skipped, and says so, where there is none.
 */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { pathToFileURL } from "node:url";

import { findBrowser, openBrowser } from "./browser.js";
import { candidate, folder, logOf, report, run } from "./running.js";

/** @import { TestContext } from "node:test" */

const NASTY = '<script>document.title="taken"</script>"&\'';

const LINES = [
  ...Array.from({ length: 20 }, (_, at) =>
    report({
      time: `2026-01-0${1 + (at % 3)}T03:04:05.000Z`,
      stats: { tokens_before: 40_000, tokens_after: 1000 * at, ms_total: 10 * (at + 1) },
      servers: [candidate("notes", 0.2 + at / 40, "keep", "phase1_passed")],
      tools: [candidate(`notes.${NASTY}`, 0.1, "prune", "rejected"), candidate("notes.add", 0.8, "keep", "passed")],
    }),
  ),
  { event: "missed", name: NASTY, score: 0.5, threshold: 0.55 },
];

/** @param {TestContext} t @param {...object} lines */
async function pageOf(t, ...lines) {
  const path = join(folder(t), "page.html");
  const { code } = await run(["report", logOf(t, ...lines), "--html", path]);
  return { path, code, text: readFileSync(path, "utf8") };
}

describe("the page", () => {
  test("needs nothing from outside, and runs nothing", async (t) => {
    const { text } = await pageOf(t, ...LINES);
    assert.doesNotMatch(text, /<(?:script|link|img|iframe|object|embed)\b|@import|url\(|\bhref=|\bsrc=|https?:/i);
  });

  test("shows names from the log as they are, and never as markup", async (t) => {
    const { text } = await pageOf(t, ...LINES);
    assert.ok(text.includes("&lt;script&gt;document.title=&quot;taken&quot;&lt;/script&gt;&quot;&amp;'"));
  });

  test("is written for a log without a report too", async (t) => {
    const { text, code } = await pageOf(t, { event: "setup" });
    assert.equal(code, 1);
    assert.match(text, /Nothing to show\./);
    assert.doesNotMatch(text, /NaN|undefined|Infinity/);
  });

  test("has no number that is none", async (t) => {
    const { text } = await pageOf(t, ...LINES);
    assert.doesNotMatch(text, /NaN|undefined|Infinity/);
  });
});

const browserName = findBrowser();
describe("in a browser the page", { skip: browserName ? false : "no Chromium on this machine (set CHROMIUM to its path)" }, () => {
  /** @type {Awaited<ReturnType<typeof openBrowser>>} */
  let browser;
  before(async () => void (browser = await openBrowser(String(browserName))));
  after(() => browser?.close());

  /** @param {TestContext} t @param {"light" | "dark"} scheme @param {number} [width] */
  const opened = async (t, scheme, width = 1200) => {
    const { path } = await pageOf(t, ...LINES);
    const url = pathToFileURL(path).href;
    return { url, page: await browser.page(url, scheme, width) };
  };

  test("asks the network for nothing, and nothing in it is refused", async (t) => {
    const { url, page } = await opened(t, "light");
    assert.deepEqual(page.requested, [url]);
    assert.deepEqual(page.complaints, []);
    assert.equal(await page.evaluate("document.title"), "opencode-jev-pruner: report");
  });

  test("shows its charts: two lines, bars, and the thresholds between them", async (t) => {
    const { page } = await opened(t, "light");
    const heights = await page.evaluate("[...document.querySelectorAll('svg')].map((svg) => svg.getBoundingClientRect().height)");
    assert.equal(heights.length, 5);
    assert.ok(heights.every((/** @type {number} */ height) => height > 20), String(heights));
    assert.equal(await page.evaluate("document.querySelectorAll('polyline').length"), 2);
    // Of 0 to 1, at 0.35 and 0.55 of the chart's inner width, which begins behind the labels of its axis.
    const marks = await page.evaluate("[...document.querySelectorAll('.mark')].map((line) => Number(line.getAttribute('x1')))");
    const [left, width] = [56, 640 - 56 - 12];
    assert.deepEqual(marks.map((/** @type {number} */ x) => ((x - left) / width).toFixed(2)), ["0.35", "0.55"]);
  });

  test("has light and dark colours that can be read", async (t) => {
    const contrast = `(() => {
      const light = (colour) => {
        const [r, g, b] = colour.match(/[\\d.]+/g).map(Number).map((v) => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
      };
      const ratio = (a, b) => (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
      const page = light(getComputedStyle(document.body).backgroundColor);
      const card = light(getComputedStyle(document.querySelector("section")).backgroundColor);
      const text = light(getComputedStyle(document.body).color);
      const label = light(getComputedStyle(document.querySelector("svg text")).fill);
      return { page, text: ratio(page, text), label: ratio(card, label) };
    })()`;
    for (const scheme of /** @type {const} */ (["light", "dark"])) {
      const { page } = await opened(t, scheme);
      const found = await page.evaluate(contrast);
      assert.equal(found.page > 0.5, scheme === "light");
      // What accessibility guidelines ask of text.
      assert.ok(found.text >= 4.5 && found.label >= 4.5, `${scheme}: ${JSON.stringify(found)}`);
    }
  });

  test("fits a narrow window", async (t) => {
    const { page } = await opened(t, "light", 400);
    assert.ok((await page.evaluate("document.documentElement.scrollWidth")) <= 400);
  });
});
