/**
 * Measures all sessions, as many at once as there are processors.
 */

import { once } from "node:events";
import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";

import { SESSIONS } from "./sessions.js";

/** @import { Result } from "./measure.js" */

/**
 * @param {{ noise?: number, isWanted?: (name: string) => boolean }} [change]
 * @returns {Promise<Result[]>} in the order of the sessions
 */
export async function measureAll({ noise = 1, isWanted = () => true } = {}) {
  const places = SESSIONS.flatMap(({ name }, at) => (isWanted(name) ? [at] : []));
  // The longest first, so that none is left over at the end.
  const left = [...places].sort((a, b) => lengthOf(b) - lengthOf(a));
  /** @type {Map<number, Result>} */
  const results = new Map();
  async function work() {
    const worker = new Worker(new URL("./worker.js", import.meta.url), { workerData: { noise } });
    try {
      for (let at = left.shift(); at !== undefined; at = left.shift()) {
        worker.postMessage(at);
        const [result] = await once(worker, "message");
        results.set(at, result);
      }
    } finally {
      await worker.terminate();
    }
  }
  await Promise.all(Array.from({ length: Math.min(availableParallelism(), places.length) }, work));
  return places.map((at) => /** @type {Result} */ (results.get(at)));
}

/** @param {number} at */
function lengthOf(at) {
  const { prompts, steps } = /** @type {import("./sessions.js").Outline} */ (SESSIONS[at]);
  return prompts * (steps[0] + steps[1]);
}
