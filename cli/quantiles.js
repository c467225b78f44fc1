// Quantiles, histograms, tallies and series of endless streams of numbers and names, in constant memory.

/** Neighbouring buckets are two percent apart, and so is a quantile from the truth at most. */
const STEP = Math.log(1.02);
const LEAST = 0.001;

/** Quantiles of positive numbers, within one percent. */
export class Quantiles {
  count = 0;
  #buckets = new Map();

  /** @param {number} value */
  add(value) {
    if (!Number.isFinite(value)) return;
    const bucket = Math.round(Math.log(Math.max(value, LEAST)) / STEP);
    this.#buckets.set(bucket, (this.#buckets.get(bucket) ?? 0) + 1);
    this.count += 1;
  }

  /** The value that this share of all does not exceed; nothing without values. @param {number} share @returns {number | undefined} */
  at(share) {
    let left = Math.max(1, Math.ceil(share * this.count));
    for (const [value, count] of this.#sorted()) {
      left -= count;
      if (left <= 0) return value;
    }
    return undefined;
  }

  /**
   * How many values fall between these bounds, each counted where it is below the next bound.
   * @param {number[]} bounds ascending @returns {number[]} one more than there are bounds
   */
  between(bounds) {
    const counts = Array.from({ length: bounds.length + 1 }, () => 0);
    for (const [value, count] of this.#sorted()) {
      const at = bounds.findIndex((bound) => value < bound);
      const place = at < 0 ? bounds.length : at;
      counts[place] = (counts[place] ?? 0) + count;
    }
    return counts;
  }

  /** @returns {[number, number][]} values and their counts, the least first */
  #sorted() {
    const buckets = [...this.#buckets].sort(([a], [b]) => a - b);
    return buckets.map(([bucket, count]) => [Math.exp(bucket * STEP), count]);
  }
}

/** Shares from 0 to 1 in equal bins. */
export class Histogram {
  /** @param {number} bins */
  constructor(bins) {
    this.counts = Array.from({ length: bins }, () => 0);
  }

  /** @param {number} share */
  add(share) {
    if (!(share >= 0 && share <= 1)) return;
    const bin = Math.min(this.counts.length - 1, Math.floor(share * this.counts.length));
    this.counts[bin] = (this.counts[bin] ?? 0) + 1;
  }
}

/** More names than anybody has tools; beyond them the rarest are forgotten. */
const MAX_NAMES = 20_000;

/** How often each name came. */
export class Tally {
  /** @type {Map<string, number>} */
  #counts = new Map();

  /** @param {string} name */
  add(name) {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
    if (this.#counts.size > MAX_NAMES) this.#counts = new Map(this.top(MAX_NAMES / 2));
  }

  get size() {
    return this.#counts.size;
  }

  /** The most frequent, names in order where they are equal. @param {number} most @returns {[string, number][]} */
  top(most) {
    const sorted = [...this.#counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
    return sorted.slice(0, most);
  }
}

/**
 * A long series in few points: neighbours are joined whenever it grows too long.
 * @typedef {{ count: number, before: number, after: number }} Stretch
 */
export class Series {
  /** @type {Stretch[]} */
  stretches = [];
  /** How many values go into one stretch. */
  width = 1;

  /** @param {number} most */
  constructor(most) {
    this.most = most;
  }

  /** @param {number} before @param {number} after */
  add(before, after) {
    const last = this.stretches.at(-1);
    if (last && last.count < this.width) {
      last.count += 1;
      last.before += before;
      last.after += after;
      return;
    }
    if (this.stretches.length >= this.most) this.#halve();
    this.stretches.push({ count: 1, before, after });
  }

  #halve() {
    this.width *= 2;
    this.stretches = this.stretches.reduce((/** @type {Stretch[]} */ joined, next, at) => {
      const last = joined.at(-1);
      if (at % 2 === 0 || !last) joined.push({ ...next });
      else Object.assign(last, sum(last, next));
      return joined;
    }, []);
  }
}

/** @param {Stretch} a @param {Stretch} b @returns {Stretch} */
const sum = (a, b) => ({ count: a.count + b.count, before: a.before + b.before, after: a.after + b.after });
