/**
 * Adds up what the requests of a session cost under each policy and in each model of a cache.
 */

import { BreakpointCache, ImplicitCache, costOf } from "./caches.js";
import { jevAnswering } from "./jev.js";
import { POLICIES } from "./policies.js";
import { replay } from "./replay.js";
import { scoresFor } from "./scores.js";
import { writeScript } from "./script.js";
import { prunableTokens } from "./setups.js";
import { blocksOf } from "./wire.js";

/** @import { PromptCache, Usage } from "./caches.js" */
/** @import { Policy } from "./policies.js" */
/** @import { Script } from "./script.js" */
/** @import { Outline } from "./sessions.js" */
/** @import { Block } from "./wire.js" */

/** @typedef {"breakpoints" | "implicit"} CacheName */

/**
 * In tokens; `firsts` are those of each prompt's first request that were not read from the cache.
 * @typedef {object} Spent
 * @property {number} cost in tokens at the full price
 * @property {number} relative to the first policy
 * @property {number} hitShare
 * @property {number[]} firsts
 * @property {Usage} usage
 */

/**
 * `rewrites` counts requests that do not go on from the whole of the request before, so that a cache cannot either: at a
 * new prompt, and within one. A compaction is one.
 * @typedef {object} Outcome
 * @property {Policy} policy
 * @property {number} requests
 * @property {number} jevCalls
 * @property {number} jevQuestions
 * @property {number} missing calls of native tools that the request did not offer
 * @property {{ atPrompts: number, withinPrompts: number }} rewrites
 * @property {Record<CacheName, Spent>} caches
 */

/** @typedef {{ name: string, about: string, prunable: number, prompts: number, outcomes: Outcome[] }} Result */

/** @type {Record<CacheName, new () => PromptCache>} */
const CACHES = { breakpoints: BreakpointCache, implicit: ImplicitCache };
/** @type {CacheName[]} */
export const CACHE_NAMES = ["breakpoints", "implicit"];

/**
 * @param {Outline} outline
 * @param {{ noise?: number, policies?: readonly Policy[] }} [change]
 * @returns {Promise<Result>}
 */
export async function measure(outline, { noise = 1, policies = POLICIES } = {}) {
  const script = writeScript(outline);
  const jev = jevAnswering(scoresFor(new Map(script.prompts.map(({ text, topic }) => [text, topic])), noise));
  /** @type {Outcome[]} */
  const outcomes = [];
  for (const policy of policies) outcomes.push(await play(script, policy, jev, outcomes[0]));
  const { servers, prompts } = script;
  const { about, skills } = outline.setup;
  return { name: outline.name, about, prunable: prunableTokens({ servers, skills }), prompts: prompts.length, outcomes };
}

/**
 * @param {Script} script
 * @param {Policy} policy
 * @param {typeof fetch} jev
 * @param {Outcome} [reference]
 * @returns {Promise<Outcome>}
 */
async function play(script, policy, jev, reference) {
  const bills = { breakpoints: new Bill("breakpoints"), implicit: new Bill("implicit") };
  const rewrites = { atPrompts: 0, withinPrompts: 0 };
  let requests = 0;
  /** @type {string[]} */
  let before = [];
  const told = await replay(script, policy, jev, ({ request, seconds, isFirst }) => {
    const blocks = blocksOf(request);
    if (before.some((text, at) => text !== blocks[at]?.text)) rewrites[isFirst ? "atPrompts" : "withinPrompts"] += 1;
    before = blocks.map(({ text }) => text);
    requests += 1;
    for (const name of CACHE_NAMES) bills[name].add(blocks, seconds, isFirst);
  });
  const caches = {
    breakpoints: bills.breakpoints.total(reference?.caches.breakpoints),
    implicit: bills.implicit.total(reference?.caches.implicit),
  };
  return { policy, requests, ...told, rewrites, caches };
}

/** What one cache makes of a session. */
class Bill {
  #cache;
  #usage = { read: 0, written: 0, plain: 0 };
  /** @type {number[]} */
  #firsts = [];

  /** @param {CacheName} name */
  constructor(name) {
    this.#cache = new CACHES[name]();
  }

  /** @param {Block[]} blocks @param {number} seconds @param {boolean} isFirst */
  add(blocks, seconds, isFirst) {
    const { read, written, plain } = this.#cache.use(blocks, seconds);
    this.#usage.read += read;
    this.#usage.written += written;
    this.#usage.plain += plain;
    if (isFirst) this.#firsts.push(written + plain);
  }

  /** @param {Spent} [reference] @returns {Spent} */
  total(reference) {
    const { read, written, plain } = this.#usage;
    const cost = costOf(this.#usage);
    return {
      cost,
      relative: cost / (reference?.cost ?? cost),
      hitShare: read / (read + written + plain),
      firsts: this.#firsts,
      usage: this.#usage,
    };
  }
}
