// The lists of a report, as the core tells them: names in a flat list, everything else in numbers.
import { fieldsOf } from "./flat.js";

/** Numbers of one candidate: score (NaN if there is none), length, and which of the words are its decision and reason. */
const EACH = 4;

/**
 * @param {string} names of servers, tools and skills, then of native tools, servers and instructions that were taken out
 * @param {Uint32Array} counts how many of each
 * @param {Float64Array} numbers of the servers, tools and skills
 * @param {string} words what the numbers of decisions and reasons mean
 */
export function details(names, counts, numbers, words) {
  const name = fieldsOf(names);
  const word = fieldsOf(words);
  let at = 0;
  const next = (/** @type {number} */ kind) => name.slice(at, (at += counts[kind] ?? 0));
  const judged = (/** @type {number} */ kind) => {
    const first = at;
    return next(kind).map((name, place) => {
      const [score = NaN, chars, decision = 0, reason = 0] = numbers.subarray(EACH * (first + place), EACH * (first + place + 1));
      return { name, score: Number.isNaN(score) ? null : score, decision: word[decision], reason: word[reason], chars };
    });
  };
  return {
    servers: judged(0),
    tools: judged(1),
    skills: judged(2),
    removed: { native_tools: next(3), servers: next(4), mcp_instructions: next(5) },
  };
}
