// Charts as inline SVG, without a library: lines, bars and histograms. Colours are classes, which html.js gives a look in
// light and in dark.
import { whole } from "../print.js";

const WIDTH = 640;
const HEIGHT = 220;
const LEFT = 56;
const BOTTOM = 34;
const TOP = 12;
const RIGHT = 12;
const INNER = { width: WIDTH - LEFT - RIGHT, height: HEIGHT - TOP - BOTTOM };

/** @param {string} text */
export const escaped = (text) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

/** @param {number} value */
const short = (value) =>
  value >= 1e6 ? `${(value / 1e6).toFixed(1)}M` : value >= 1e4 ? `${Math.round(value / 1e3)}k` : String(Math.round(value));

/** Up to the next 1, 2 or 5 with zeros. @param {number} value */
function roundUp(value) {
  if (value <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return ([1, 2, 5, 10].find((step) => step * power >= value) ?? 10) * power;
}

/** @param {number} x @param {number} y @param {string} text @param {string} [anchor] */
const label = (x, y, text, anchor = "middle") =>
  `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" text-anchor="${anchor}">${escaped(text)}</text>`;

/** @param {number} share from the bottom */
const yAt = (share) => TOP + INNER.height * (1 - share);
/** @param {number} share */
const xAt = (share) => LEFT + INNER.width * share;

/** @param {number} most @param {string} unit */
function verticalAxis(most, unit) {
  const lines = [0, 0.25, 0.5, 0.75, 1].map((share) => {
    const y = yAt(share);
    return `<line class="grid" x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${y}" y2="${y}"/>${label(LEFT - 6, y + 4, short(most * share), "end")}`;
  });
  return `${lines.join("")}<text class="unit" x="12" y="${TOP + INNER.height / 2}" transform="rotate(-90 12 ${TOP + INNER.height / 2})" text-anchor="middle">${escaped(unit)}</text>`;
}

/** @param {string} name told to those who cannot see it @param {string} inside @param {number} [height] */
const svg = (name, inside, height = HEIGHT) =>
  `<svg role="img" aria-label="${escaped(name)}" viewBox="0 0 ${WIDTH} ${height}">${inside}</svg>`;

/**
 * Two lines over the same steps.
 * @param {string} name @param {{ before: number, after: number, requests: number }[]} points
 */
export function tokensChart(name, points) {
  const most = roundUp(Math.max(...points.map(({ before }) => before)));
  const total = points.reduce((sum, { requests }) => sum + requests, 0);
  let passed = 0;
  const placed = points.map((point) => {
    const x = xAt((passed + point.requests / 2) / total);
    passed += point.requests;
    return { ...point, x };
  });
  /** @param {"before" | "after"} key */
  const line = (key) => {
    const places = placed.map((point) => `${point.x.toFixed(1)},${yAt(point[key] / most).toFixed(1)}`);
    const dots = placed.length < 3 ? placed.map((point) => `<circle class="${key}" cx="${point.x}" cy="${yAt(point[key] / most)}" r="3"/>`) : [];
    return `<polyline class="line ${key}" points="${places.join(" ")}"/>${dots.join("")}`;
  };
  const ends = label(LEFT, HEIGHT - 14, "1", "start") + label(WIDTH - RIGHT, HEIGHT - 14, whole(total), "end");
  return svg(name, verticalAxis(most, "tokens") + line("before") + line("after") + ends + label(xAt(0.5), HEIGHT - 14, "request"));
}

/**
 * Bars side by side.
 * @param {string} name
 * @param {{ counts: number[], kind: string }[]} rows drawn over one another
 * @param {{ labels: [number, string][], unit: string, marks?: { at: number, text: string, kind: string }[] }} axis places are shares
 *   of the width
 */
export function barChart(name, rows, { labels, unit, marks = [] }) {
  const most = roundUp(Math.max(1, ...rows.flatMap(({ counts }) => counts)));
  const bars = rows.flatMap(({ counts, kind }, row) =>
    counts.map((count, at) => {
      const slot = INNER.width / counts.length;
      const width = Math.max(1, slot / rows.length - 1);
      const height = INNER.height * (count / most);
      return `<rect class="bar ${kind}" x="${(xAt(0) + slot * at + width * row + 0.5).toFixed(1)}" y="${(TOP + INNER.height - height).toFixed(1)}" width="${width.toFixed(1)}" height="${height.toFixed(1)}"><title>${whole(count)}</title></rect>`;
    }),
  );
  const lines = marks.map(({ at, text, kind }, row) => {
    const x = xAt(at).toFixed(1);
    return `<line class="mark ${kind}" x1="${x}" x2="${x}" y1="${TOP}" y2="${TOP + INNER.height}"/>${label(xAt(at) + 4, TOP + 10 + 13 * row, text, "start")}`;
  });
  const ticks = labels.map(([at, text]) => label(xAt(at), HEIGHT - 14, text));
  return svg(name, verticalAxis(most, unit) + bars.join("") + lines.join("") + ticks.join(""));
}

/**
 * One bar a name, the longest first.
 * @param {string} name @param {{ name: string, count: number }[]} items @param {string} kind
 */
export function namesChart(name, items, kind) {
  const most = Math.max(1, ...items.map(({ count }) => count));
  const text = 250;
  const rows = items.map(({ name: label, count }, at) => {
    const y = 6 + 22 * at;
    const width = (WIDTH - text - 70) * (count / most);
    const shown = label.length > 38 ? `${label.slice(0, 37)}…` : label;
    return `<text x="${text - 8}" y="${y + 13}" text-anchor="end">${escaped(shown)}<title>${escaped(label)}</title></text><rect class="bar ${kind}" x="${text}" y="${y}" width="${width.toFixed(1)}" height="16"/><text x="${(text + width + 6).toFixed(1)}" y="${y + 13}">${whole(count)}</text>`;
  });
  return svg(name, rows.join(""), 12 + 22 * items.length);
}
