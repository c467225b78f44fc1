/**
 * The sessions that are replayed, in outline. What is said and done in them is written out by script.js.
 */

import { SETUPS } from "./setups.js";

/** @import { Setup } from "./setups.js" */

/**
 * Prompts are counted from 1.
 * @typedef {object} Outline
 * @property {string} name unique, and the seed of everything invented
 * @property {Setup} setup
 * @property {number} prompts
 * @property {[number, number]} steps tool steps of a prompt, at least and at most
 * @property {boolean} [changing] the topic changes every 2 to 5 prompts, otherwise there is one
 * @property {Record<number, number>} [late] at which prompt a server is there for the first time: its place in the setup
 * @property {number} [compaction] before this prompt the history is compacted
 * @property {boolean} [pauses] before every second prompt the user is away for longer than a cache lasts
 */

const { catalog, native, small, old } = SETUPS;
/** @type {[number, number]} */
const FEW = [2, 4];
/** @type {[number, number]} */
const MANY = [2, 6];

/** @type {Outline[]} */
export const SESSIONS = [
  { name: "catalog, 1 prompt", setup: catalog, prompts: 1, steps: FEW },
  { name: "catalog, 3 prompts, changing topics", setup: catalog, prompts: 3, steps: FEW, changing: true },
  { name: "catalog, 10 prompts, one topic", setup: catalog, prompts: 10, steps: FEW },
  { name: "catalog, 10 prompts, changing topics", setup: catalog, prompts: 10, steps: FEW, changing: true },
  { name: "catalog, 25 prompts, one topic", setup: catalog, prompts: 25, steps: MANY },
  { name: "catalog, 25 prompts, changing topics", setup: catalog, prompts: 25, steps: MANY, changing: true },
  {
    name: "catalog, servers connecting late", setup: catalog, prompts: 14, steps: FEW, changing: true, late: { 5: 10, 9: 11 },
  },
  { name: "catalog, a compaction in the middle", setup: catalog, prompts: 25, steps: MANY, changing: true, compaction: 13 },
  { name: "catalog, pauses of 6 to 40 minutes", setup: catalog, prompts: 12, steps: FEW, changing: true, pauses: true },
  { name: "native, 3 prompts, one topic", setup: native, prompts: 3, steps: FEW },
  { name: "native, 25 prompts, one topic", setup: native, prompts: 25, steps: MANY },
  { name: "native, 25 prompts, changing topics", setup: native, prompts: 25, steps: MANY, changing: true },
  { name: "native, servers connecting late", setup: native, prompts: 12, steps: FEW, changing: true, late: { 4: 6, 8: 7 } },
  { name: "small, 10 prompts, changing topics", setup: small, prompts: 10, steps: FEW, changing: true },
  { name: "very many native, 3 prompts", setup: old, prompts: 3, steps: FEW },
  { name: "very many native, 12 prompts, changing topics", setup: old, prompts: 12, steps: FEW, changing: true },
];
