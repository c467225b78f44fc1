/**
 * Two models of a provider's prompt cache. Both tell of each request how many of its tokens were read from the cache,
 * written to it, and neither.
 *
 * With breakpoints, as Anthropic documents it: what is cached is the beginning of a request up to a breakpoint, if it has
 * at least 1,024 tokens. It is found again by a breakpoint at the same place or at most 19 blocks behind it, and lives
 * for five minutes after its last use. What stands between the longest beginning found and the last breakpoint is
 * written.
 *
 * Implicit, as with other providers: every beginning of a request is cached in steps of 128 tokens, and found again from
 * 1,024 tokens on. Nothing is charged for writing. The lifetime is taken to be the same.
 */

import { tokensOf } from "./wire.js";

/** @import { Block } from "./wire.js" */

/** In tokens. @typedef {{ read: number, written: number, plain: number }} Usage */

/**
 * `seconds` is when, and never goes back.
 * @typedef {{ use(blocks: readonly Block[], seconds: number): Usage }} PromptCache
 */

const LEAST_TOKENS = 1_024;
const LIFETIME_SECONDS = 300;
/** How many places a breakpoint looks at, its own included. */
const LOOKBACK = 20;
const STEP_TOKENS = 128;

/** What a token costs, where 1 is one that the cache has nothing to do with. */
const PRICES = { read: 0.1, written: 1.25, plain: 1 };

/** In tokens at the full price. @param {Usage} usage */
export const costOf = ({ read, written, plain }) => PRICES.read * read + PRICES.written * written + PRICES.plain * plain;

/** @implements {PromptCache} */
export class BreakpointCache {
  #numbers = new Numbers();
  /** Until when a beginning lives, by its number. @type {Map<number, number>} */
  #until = new Map();

  /** @param {readonly Block[]} blocks @param {number} seconds */
  use(blocks, seconds) {
    const beginnings = this.#numbers.ofBeginnings(blocks);
    const ends = endsOf(blocks);
    const marks = blocks.flatMap(({ mark }, at) => (mark ? [at] : []));
    const found = Math.max(-1, ...marks.map((mark) => this.#lookBack(beginnings, mark, seconds)));
    const cacheable = marks.filter((mark) => (ends[mark] ?? 0) >= LEAST_TOKENS);
    // Those before the one that was found are used again with it, those behind it are written.
    for (const at of [...cacheable, found]) {
      const beginning = beginnings[at];
      if (beginning !== undefined) this.#until.set(beginning, seconds + LIFETIME_SECONDS);
    }
    const read = ends[found] ?? 0;
    const cached = Math.max(read, ends[cacheable.at(-1) ?? -1] ?? 0);
    return { read, written: cached - read, plain: (ends.at(-1) ?? 0) - cached };
  }

  /** @param {number[]} beginnings @param {number} mark @param {number} seconds @returns {number} -1 if nothing is found */
  #lookBack(beginnings, mark, seconds) {
    for (let at = mark; at > Math.max(-1, mark - LOOKBACK); at--) {
      const until = this.#until.get(/** @type {number} */ (beginnings[at]));
      if (until !== undefined && until >= seconds) return at;
    }
    return -1;
  }
}

/** @implements {PromptCache} */
export class ImplicitCache {
  /** @type {{ texts: string[], seconds: number }[]} */
  #past = [];

  /** @param {readonly Block[]} blocks @param {number} seconds */
  use(blocks, seconds) {
    const texts = blocks.map(({ text }) => text);
    this.#past = this.#past.filter((past) => seconds - past.seconds <= LIFETIME_SECONDS);
    const known = Math.max(0, ...this.#past.map((past) => tokensOf(commonChars(past.texts, texts))));
    // A request keeps alive what it has in common with earlier ones.
    this.#past.push({ texts, seconds });
    const steps = STEP_TOKENS * Math.floor(known / STEP_TOKENS);
    const read = steps >= LEAST_TOKENS ? steps : 0;
    return { read, written: 0, plain: (endsOf(blocks).at(-1) ?? 0) - read };
  }
}

/** Numbers for texts and for beginnings of requests, the same for equal ones. */
class Numbers {
  /** @type {Map<string, number>} */
  #texts = new Map();
  /** By the number of a beginning and that of the text that goes on. @type {Map<string, number>} */
  #beginnings = new Map();

  /** One for the beginning that ends with each block. @param {readonly Block[]} blocks */
  ofBeginnings(blocks) {
    let before = 0;
    return blocks.map(({ text }) => (before = numberOf(`${before} ${numberOf(text, this.#texts)}`, this.#beginnings)));
  }
}

/** @param {string} key @param {Map<string, number>} known */
function numberOf(key, known) {
  const number = known.get(key) ?? known.size + 1;
  known.set(key, number);
  return number;
}

/** Where each block ends, in tokens. @param {readonly Block[]} blocks */
function endsOf(blocks) {
  let chars = 0;
  return blocks.map(({ text }) => tokensOf((chars += text.length)));
}

/** How long the common beginning of two requests is. @param {string[]} a @param {string[]} b */
function commonChars(a, b) {
  let chars = 0;
  for (const [at, text] of b.entries()) {
    const other = a[at] ?? "";
    if (other !== text) {
      let same = 0;
      while (same < text.length && text[same] === other[same]) same += 1;
      return chars + same;
    }
    chars += text.length;
  }
  return chars;
}
