// A summary as one HTML file that needs nothing else: no network, no script. It looks right in light and in dark.
import { milliseconds, percent, whole } from "../print.js";
import { barChart, escaped, namesChart, tokensChart } from "./charts.js";

/** @import { CountSummary, Summary } from "./summary.js" */

const STYLE = `
:root { color-scheme: light dark; --page: #ffffff; --text: #1f2328; --faint: #59636e; --grid: #d8dee4; --card: #f6f8fa;
  --before: #9a6700; --after: #0969da; --servers: #8250df; --tools: #1a7f37; --missed: #cf222e; }
@media (prefers-color-scheme: dark) { :root { --page: #0d1117; --text: #e6edf3; --faint: #9198a1; --grid: #30363d; --card: #161b22;
  --before: #d29922; --after: #58a6ff; --servers: #bc8cff; --tools: #3fb950; --missed: #ff7b72; } }
body { margin: 0 auto; max-width: 1360px; padding: 24px; background: var(--page); color: var(--text);
  font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 22px; margin: 0; } h2 { font-size: 16px; margin: 0 0 4px; } p { margin: 0 0 12px; color: var(--faint); }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(150px, 1fr)); gap: 12px; margin: 20px 0; }
.card, section { background: var(--card); border: 1px solid var(--grid); border-radius: 8px; padding: 12px 16px; }
.card b { display: block; font-size: 22px; } .card span { color: var(--faint); font-size: 13px; }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 520px), 1fr)); gap: 16px; }
svg { display: block; width: 100%; height: auto; } svg text { fill: var(--faint); font: 11px system-ui, sans-serif; }
.grid { stroke: var(--grid); } .line { fill: none; stroke-width: 2; }
.line.before { stroke: var(--before); } .line.after { stroke: var(--after); }
circle.before { fill: var(--before); } circle.after { fill: var(--after); }
.bar.servers { fill: var(--servers); } .bar.tools { fill: var(--tools); } .bar.latency { fill: var(--after); }
.bar.pruned { fill: var(--before); } .bar.missed { fill: var(--missed); }
.mark { stroke-width: 1.5; stroke-dasharray: 4 3; } .mark.servers { stroke: var(--servers); } .mark.tools { stroke: var(--tools); }
.key i { display: inline-block; width: 10px; height: 10px; border-radius: 2px; margin: 0 4px 0 12px; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; } .wide { overflow-x: auto; margin-top: 16px; }
th, td { padding: 4px 10px; text-align: right; border-bottom: 1px solid var(--grid); white-space: nowrap; }
th { color: var(--faint); font-weight: 500; } th:first-child, td:first-child { text-align: left; }
`;

/** @param {Summary} summary */
export function htmlOf(summary) {
  const { all, from, to } = summary;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>opencode-jev-pruner: report</title>
<style>${STYLE}</style>
</head>
<body>
<h1>opencode-jev-pruner</h1>
<p>${whole(all.requests)} requests, ${escaped(from || "?")} to ${escaped(to || "?")}${damage(summary.damaged)}</p>
<div class="cards">${cards(all).map(([value, name]) => `<div class="card"><b>${escaped(value)}</b><span>${escaped(name)}</span></div>`).join("")}</div>
<div class="charts">${sections(summary).join("\n")}</div>
<section class="wide"><h2>By day</h2>${table(summary)}</section>
</body>
</html>
`;
}

/** @param {number} count */
const damage = (count) => (count > 0 ? `; ${whole(count)} damaged lines of the log were skipped` : "");

/** @param {CountSummary} all @returns {[string, string][]} */
function cards(all) {
  return [
    [whole(all.tokensSaved), "tokens saved"],
    [percent(all.tokensBefore - all.tokensAfter, all.tokensBefore), "of the lists in pruned requests"],
    [`${whole(all.pruned)} of ${whole(all.requests)}`, "requests pruned"],
    [`${milliseconds(all.msWaiting.p50)} / ${milliseconds(all.msWaiting.p95)}`, "ms waited where Jev was asked, p50 / p95"],
    [percent(all.stable, all.stable + all.changed), "of later requests kept the prompt cache"],
    [whole(all.failed), "requests for which Jev failed"],
    [whole(all.missed), "missed: used, and hidden before"],
  ];
}

/** @param {Summary} summary */
function sections({ tokens, scores, thresholds, latency, mostPruned, mostMissed }) {
  const marks = thresholds
    ? [
        { at: thresholds.servers, text: `servers ${thresholds.servers}`, kind: "servers" },
        { at: thresholds.tools_and_skills, text: `tools and skills ${thresholds.tools_and_skills}`, kind: "tools" },
      ]
    : [];
  const hasScores = [...scores.servers, ...scores.toolsAndSkills].some((count) => count > 0);
  const bars = [
    { counts: scores.servers, kind: "servers" },
    { counts: scores.toolsAndSkills, kind: "tools" },
  ];
  return [
    section("Tokens by request", key(["before", "before"], ["after", "after"]), tokens.length > 0 && tokensChart("Tokens before and after, by request", tokens)),
    section("Scores and thresholds", key(["servers", "servers"], ["tools", "tools and skills"]),
      hasScores && barChart("How often each score was given", bars, { labels: SHARES, unit: "candidates", marks })),
    section("Waiting for Jev", "<p>milliseconds, where Jev was asked</p>", latency.counts.some((count) => count > 0) &&
      barChart("How long requests waited", [{ counts: latency.counts, kind: "latency" }], { labels: latencyLabels(latency.bounds), unit: "requests" })),
    section("Most pruned", "<p>how often each was hidden anew</p>", mostPruned.length > 0 && namesChart("Most pruned", mostPruned, "pruned")),
    section("Most missed", "<p>hidden, and used all the same</p>", mostMissed.length > 0 && namesChart("Most missed", mostMissed, "missed")),
  ];
}

/** @type {[number, string][]} */
const SHARES = [0, 0.2, 0.4, 0.6, 0.8, 1].map((share) => [share, share.toFixed(1)]);

/** Every other bound stands under its edge. @param {number[]} bounds @returns {[number, string][]} */
const latencyLabels = (bounds) =>
  bounds.map((bound, at) => /** @type {[number, string]} */ ([(at + 1) / (bounds.length + 1), String(bound)])).filter((_, at) => at % 2 === 1);

/** @param {...[string, string]} entries colour and name */
const key = (...entries) =>
  `<p class="key">${entries.map(([colour, name]) => `<i style="background: var(--${colour})"></i>${name}`).join("")}</p>`;

/** @param {string} title @param {string} about @param {string | false} chart */
const section = (title, about, chart) => `<section><h2>${title}</h2>${about}${chart || "<p>Nothing to show.</p>"}</section>`;

/** @param {Summary} summary */
function table({ days, all }) {
  const head = ["day", "requests", "pruned", "skipped", "failed", "tokens saved", "p50 ms", "p95 ms", "missed"];
  /** @param {string} name @param {CountSummary} counts */
  const row = (name, counts) =>
    cells("td", [
      name,
      ...[counts.requests, counts.pruned, counts.skipped, counts.failed, counts.tokensSaved].map(whole),
      milliseconds(counts.msWaiting.p50),
      milliseconds(counts.msWaiting.p95),
      whole(counts.missed),
    ]);
  return `<table>${cells("th", head)}${days.map((day) => row(day.date, day)).join("")}${row("in all", all)}</table>`;
}

/** @param {"td" | "th"} tag @param {string[]} texts */
const cells = (tag, texts) => `<tr>${texts.map((text) => `<${tag}>${escaped(text)}</${tag}>`).join("")}</tr>`;
