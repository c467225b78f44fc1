/**
 * Tells two texts apart line by line: which lines went, which came, and these in hunks with a little of what stayed
 * around them. How that looks on a screen is told in print.js.
 *
 * The comparison is the O(NP) one of Wu, Manber, Myers and Miller. Its cost grows with the lines that only the
 * shorter text has, so for a text that lost thousands of lines and got a few others it is close to reading it once.
 */

/** @typedef {{ kind: "same" | "gone" | "come", text: string }} Line */
/** @typedef {{ before: number, after: number, lines: Line[] }} Hunk with the number of its first line in either text */
/** @typedef {[before: number, after: number]} Pair the places of a line that both texts have */
/** @typedef {{ x: number, y: number, length: number, previous: Snake | undefined }} Snake some pairs in a row */

/**
 * After so many steps the best path so far is taken and the comparison starts again at its end. What comes out is
 * still true, only perhaps longer than it had to be.
 */
const MOST_STEPS = 100_000;

/**
 * @param {string} before
 * @param {string} after
 * @returns {Line[]}
 */
export function diffLines(before, after) {
  const [a, b] = [linesOf(before), linesOf(after)];
  /** @type {Line[]} */
  const lines = [];
  let [x, y] = [0, 0];
  /** @type {Pair} */
  const end = [a.length, b.length];
  for (const [nextX, nextY] of [...pairsOf(a, b), end]) {
    for (; x < nextX; x++) lines.push({ kind: "gone", text: /** @type {string} */ (a[x]) });
    for (; y < nextY; y++) lines.push({ kind: "come", text: /** @type {string} */ (b[y]) });
    if (x < a.length) lines.push({ kind: "same", text: /** @type {string} */ (a[x]) });
    [x, y] = [x + 1, y + 1];
  }
  return slide(lines);
}

/**
 * Leaves out what stayed the same, but for some lines around each change.
 * @param {Line[]} lines
 * @param {number} [context]
 * @returns {Hunk[]}
 */
export function hunksOf(lines, context = 3) {
  const shown = new Uint8Array(lines.length);
  lines.forEach(({ kind }, at) => {
    if (kind !== "same") shown.fill(1, Math.max(0, at - context), at + context + 1);
  });
  /** @type {Hunk[]} */
  const hunks = [];
  let [before, after] = [1, 1];
  lines.forEach((line, at) => {
    if (shown[at] && !shown[at - 1]) hunks.push({ before, after, lines: [] });
    if (shown[at]) hunks.at(-1)?.lines.push(line);
    before += line.kind === "come" ? 0 : 1;
    after += line.kind === "gone" ? 0 : 1;
  });
  return hunks;
}

/** A text without anything in it has no line. @param {string} text */
const linesOf = (text) => (text === "" ? [] : text.split("\n"));

/**
 * A longest series of lines that both have, in order.
 * @param {string[]} a
 * @param {string[]} b
 * @returns {Pair[]}
 */
function pairsOf(a, b) {
  // What only one text has can never be paired, and numbers compare faster than lines.
  const [inA, inB] = [numbersOf(a), numbersOf(b)];
  /** @param {string[]} lines @param {Map<string, number>} other */
  const shared = (lines, other) => lines.flatMap((line, at) => (other.has(line) ? [at] : []));
  const [placesA, placesB] = [shared(a, inB), shared(b, inA)];
  /** @param {string[]} lines @param {number[]} places */
  const coded = (lines, places) => Int32Array.from(places, (at) => inA.get(/** @type {string} */ (lines[at])) ?? -1);
  const isSwapped = placesA.length > placesB.length;
  const [left, right] = [coded(a, placesA), coded(b, placesB)];
  const pairs = isSwapped ? compare(right, left).map(([y, x]) => [x, y]) : compare(left, right);
  return pairs.map(([x = 0, y = 0]) => [placesA[x] ?? 0, placesB[y] ?? 0]);
}

/** @param {string[]} lines */
const numbersOf = (lines) => new Map(lines.map((line, at) => [line, at]));

/**
 * @param {Int32Array} a the shorter one
 * @param {Int32Array} b
 * @returns {Pair[]}
 */
function compare(a, b) {
  /** @type {Pair[]} */
  const pairs = [];
  let [x, y] = [0, 0];
  while (x < a.length && y < b.length) {
    const part = comparePart(a.subarray(x), b.subarray(y));
    for (const [partX, partY] of part.pairs) pairs.push([x + partX, y + partY]);
    [x, y] = [x + part.x, y + part.y];
  }
  return pairs;
}

/**
 * Compares from the start, to the end unless that takes too many steps.
 * @param {Int32Array} a
 * @param {Int32Array} b
 * @returns {{ pairs: Pair[], x: number, y: number }} `x` and `y` say how far it came
 */
function comparePart(a, b) {
  // Diagonal `k` holds the points with `y - x = k`; of each, the furthest `y` that was reached and the way there.
  const origin = a.length + 1;
  const reached = new Int32Array(a.length + b.length + 3).fill(-1);
  /** @type {Array<Snake | undefined>} */
  const ways = new Array(reached.length);
  let steps = 0;

  /** @param {number} k */
  function advance(k) {
    const at = k + origin;
    const [down, right] = [/** @type {number} */ (reached[at - 1]) + 1, /** @type {number} */ (reached[at + 1])];
    const from = Math.max(down, right);
    let y = from;
    for (let x = y - k; x < a.length && y < b.length && a[x] === b[y]; x++) y++;
    const previous = down > right ? ways[at - 1] : ways[at + 1];
    ways[at] = y > from ? { x: from - k, y: from, length: y - from, previous } : previous;
    reached[at] = y;
    steps += 1 + y - from;
  }

  const last = b.length - a.length;
  for (let p = 0; p <= a.length && steps < MOST_STEPS; p++) {
    for (let k = -p; k < last; k++) advance(k);
    for (let k = last + p; k > last; k--) advance(k);
    advance(last);
    if (reached[last + origin] === b.length) return { pairs: unroll(ways[last + origin]), x: a.length, y: b.length };
  }
  const way = ways.reduce((best, next) => (endOf(next) > endOf(best) ? next : best), undefined);
  return { pairs: unroll(way), x: way ? way.x + way.length : a.length, y: way ? way.y + way.length : b.length };
}

/** @param {Snake | undefined} snake */
const endOf = (snake) => (snake ? snake.x + snake.y + 2 * snake.length : 0);

/** @param {Snake | undefined} way @returns {Pair[]} */
function unroll(way) {
  /** @type {Pair[]} */
  const pairs = [];
  for (let snake = way; snake; snake = snake.previous) {
    for (let at = snake.length - 1; at >= 0; at--) pairs.push([snake.x + at, snake.y + at]);
  }
  return pairs.reverse();
}

/**
 * Where a run of changed lines could as well stand a little higher, moves it up to where a list item or an element
 * begins: a person then sees whole items go, not the end of one and the start of the next.
 * @param {Line[]} lines changed in place
 */
function slide(lines) {
  for (let end = 0; end < lines.length; ) {
    const start = end;
    const kind = lines[start]?.kind;
    while (lines[end]?.kind === kind) end++;
    if (kind === "same" || lines[start - 1]?.kind !== "same" || !isSame(lines[end])) continue;
    const up = shiftOf(lines, start, end);
    for (let by = 1; by <= up; by++) swapKinds(lines, start - by, end - by);
  }
  return lines;
}

/** @param {Line | undefined} line */
const isSame = (line) => line === undefined || line.kind === "same";

/**
 * By how many lines a run moves up: to the outermost beginning that it can reach.
 * @param {Line[]} lines
 * @param {number} start
 * @param {number} end
 */
function shiftOf(lines, start, end) {
  let [best, outermost] = [0, Infinity];
  for (let by = 0; ; by++) {
    const indent = (lines[start - by]?.text ?? "").search(/(?<=^\s*)(?:- |<[^/])/);
    if (indent >= 0 && indent < outermost) [best, outermost] = [by, indent];
    const [enters, leaves] = [lines[start - by - 1], lines[end - by - 1]];
    if (enters?.kind !== "same" || enters.text !== leaves?.text) return best;
  }
}

/** @param {Line[]} lines @param {number} one @param {number} other */
function swapKinds(lines, one, other) {
  const [a, b] = [lines[one], lines[other]];
  if (a && b) [a.kind, b.kind] = [b.kind, a.kind];
}
