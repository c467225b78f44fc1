/**
 * From what became of each task to the figures of a whole set. Arithmetic only.
 */

/** @import { Met } from "./visible.js" */

/**
 * What became of one task. Sizes are of the lists alone, in characters.
 * @typedef {object} Outcome
 * @property {Met[]} met one for each need
 * @property {Met[]} metBefore the same for the request as the host made it
 * @property {number} before
 * @property {number} after
 * @property {number} calls to the scorer
 * @property {number} questions
 * @property {number} msJev
 * @property {number} msOwn
 * @property {boolean} failed whether the scorer failed, so that nothing was taken out
 */

/**
 * Shares are 0 to 1, times are milliseconds.
 * @typedef {object} Figures
 * @property {number} tasks
 * @property {number} failed
 * @property {number} tasksWithServers every needed server is still there
 * @property {number} tasksWithTools every needed tool or skill is shown
 * @property {number} tasksWithReach every needed tool is shown, or its server is named and can be searched
 * @property {number} needsShown of all needed tools or skills
 * @property {number} needsShownBefore by the host alone; less than 1 only where it lists a sample
 * @property {number} tokensKept of the lists
 * @property {number} calls a task
 * @property {number} questions a task
 * @property {number} msJev a task, the median
 * @property {number} msOwn a task, the median
 */

/** @param {Outcome[]} outcomes @returns {Figures} */
export function figuresOf(outcomes) {
  /** @param {(outcome: Outcome) => number} of */
  const mean = (of) => sum(outcomes, of) / outcomes.length;
  /** @param {keyof Met} key */
  const everyNeed = (key) => mean(({ met }) => Number(met.every((need) => need[key])));
  const shown = (/** @type {Met[]} */ needs) => needs.filter(({ shown }) => shown).length;
  const needs = sum(outcomes, ({ met }) => met.length);
  return {
    tasks: outcomes.length,
    failed: sum(outcomes, ({ failed }) => Number(failed)),
    tasksWithServers: everyNeed("server"),
    tasksWithTools: everyNeed("shown"),
    tasksWithReach: everyNeed("named"),
    needsShown: sum(outcomes, ({ met }) => shown(met)) / needs,
    needsShownBefore: sum(outcomes, ({ metBefore }) => shown(metBefore)) / needs,
    tokensKept: sum(outcomes, ({ after }) => after) / sum(outcomes, ({ before }) => before),
    calls: mean(({ calls }) => calls),
    questions: mean(({ questions }) => questions),
    msJev: median(outcomes.map(({ msJev }) => msJev)),
    msOwn: median(outcomes.map(({ msOwn }) => msOwn)),
  };
}

/** @template T @param {T[]} items @param {(item: T) => number} of */
const sum = (items, of) => items.reduce((total, item) => total + of(item), 0);

/** @param {number[]} values */
function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  return ((sorted[Math.ceil(middle) - 1] ?? 0) + (sorted[Math.floor(middle)] ?? 0)) / 2;
}

/**
 * Where the curve stands at a share of tokens: the best that any point reaches with no more. So that curves of
 * different rules can be compared at the same price.
 * @param {{ figures: Figures }[]} points @param {number} tokens
 */
export function bestWithin(points, tokens) {
  const cheap = points.filter(({ figures }) => figures.tokensKept <= tokens);
  return cheap.reduce((best, { figures }) => Math.max(best, figures.needsShown), 0);
}
