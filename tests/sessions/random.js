/**
 * Numbers that look random and follow from a seed, so that a session that fails can be played again.
 */

/** Mulberry32. @param {number} seed @returns {() => number} from 0 to 1 */
export function randomBy(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** @template T @param {T[]} items @param {() => number} random @returns {T} */
export const oneOf = (items, random) => /** @type {T} */ (items[Math.floor(random() * items.length)]);
