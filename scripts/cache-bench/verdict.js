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
