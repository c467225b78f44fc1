/**
 * Chance that comes out the same every time, and invented text of a wanted length. What is made of it is told in
 * setups.js and script.js.
 */

/**
 * @typedef {object} Random
 * @property {() => number} next from 0 to 1
 * @property {(least: number, most: number) => number} whole a whole number, both ends possible
 * @property {(least: number, most: number) => number} spread a whole number; small ones are as likely as large ones by
 *   their order of magnitude, as lengths of files and outputs are
 * @property {<T>(list: readonly T[]) => T} pick
 * @property {(share: number) => boolean} chance
 */

/** @param {string} seed @returns {Random} */
export function randomFrom(seed) {
  let state = [...seed].reduce((hash, letter) => Math.imul(hash ^ (letter.codePointAt(0) ?? 0), 0x01000193), 0x811c9dc5);
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    next,
    whole: (least, most) => least + Math.floor(next() * (most - least + 1)),
    spread: (least, most) => Math.round(least * (most / least) ** next()),
    pick(list) {
      const picked = list[Math.floor(next() * list.length)];
      if (picked === undefined) throw new RangeError("nothing to pick from");
      return picked;
    },
    chance: (share) => next() < share,
  };
}

const WORDS = `
  after again align amount before bundle button cache change check client column commit compare config count customer
  daily default delete deploy detail draft empty entry error event every export failed field filter final folder handle
  header import index input invoice later layout limit local market merge method missing module moved nightly number
  offset older order output owner parse partial payment period pointer process project queue range reader record region
  release remove render report request result retry revenue review runner sample schema second select session setting
  shared signal simple single source stale status store stream summary table target thread timeout total update user
  value version view window worker
`.trim().split(/\s+/);

/**
 * Words without a meaning, in lines, exactly as many characters as wanted.
 * @param {Random} random
 * @param {number} chars
 */
export function prose(random, chars) {
  let text = "";
  while (text.length < chars) text += random.pick(WORDS) + (random.chance(0.08) ? ".\n" : " ");
  return text.slice(0, Math.max(0, chars - 1)).trimEnd().padEnd(chars - 1, ".") + ".";
}
