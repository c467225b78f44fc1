/**
 * What is asked of the policies, and where it does not hold.
 */

import { CACHE_NAMES } from "./measure.js";

/** @import { CacheName, Result } from "./measure.js" */

/** From here on a policy must cost less than doing nothing. */
const MANY_PRUNABLE_TOKENS = 3_000;
/** Below, it may cost so much more. */
const MOST = 1.02;

/** @typedef {{ session: string, policy: string, cache: CacheName, relative: number, allowed: number }} Excess */

/** From so many prompts on a session is a long one. */
const MANY_PROMPTS = 20;

/** One policy costs no less than the one it must stay below. @typedef {{ session: string, policy: string, below: string, cache: CacheName, relative: number }} Loss */

/** Long sessions in which a policy must cost less than another one and does not. @param {readonly Result[]} results @returns {Loss[]} */
export const losses = (results) =>
  results
    .filter(({ prompts }) => prompts >= MANY_PROMPTS)
    .flatMap(({ name, outcomes }) =>
      outcomes.flatMap(({ policy, caches }) => {
        const other = outcomes.find((outcome) => outcome.policy.id === policy.below);
        if (!other) return [];
        return CACHE_NAMES.map((cache) => ({
          session: name,
          policy: policy.label,
          below: other.policy.label,
          cache,
          relative: caches[cache].cost / other.caches[cache].cost,
        })).filter(({ relative }) => relative >= 1);
      }),
    );

/** @param {readonly Result[]} results @returns {Excess[]} */
export const excesses = (results) =>
  results.flatMap(({ name, prunable, outcomes }) =>
    outcomes
      .filter(({ policy }) => policy.required)
      .flatMap(({ policy, caches }) =>
        CACHE_NAMES.map((cache) => ({
          session: name,
          policy: policy.label,
          cache,
          relative: caches[cache].relative,
          allowed: prunable > MANY_PRUNABLE_TOKENS ? 1 : MOST,
        })),
      )
      .filter(({ relative, allowed }) => (allowed === 1 ? relative >= 1 : relative > allowed)),
  );
