/**
 * Decides which tools a Code Mode catalog shows when not all fit: the two budget rules of the host
 * (opencode-host.md §6.1 "Budget" and §6.2 V1c). What an entry looks like is not known here, only what it costs.
 */

/**
 * @typedef {object} Entry
 * @property {string} path
 * @property {string} line its whole text, several lines as a rule
 */

/**
 * @typedef {object} Namespace
 * @property {string} name
 * @property {string} [description]
 * @property {Entry[]} entries in the order in which they are shown
 */

/** Enough for some 8,000 characters of listings. */
export const DEFAULT_BUDGET = 2000;

/** @param {string} text */
export const tokens = (text) => Math.round(text.length / 4);

/**
 * Goes round the namespaces in their order, giving each its cheapest remaining entry; one that cannot
 * pay for its next entry takes no further part.
 * @param {Namespace[]} namespaces
 * @param {number} budget
 * @param {(a: string, b: string) => number} compare breaks ties of cost by path
 * @returns {Set<Entry>}
 */
export function fill(namespaces, budget, compare) {
  /** @type {Set<Entry>} */
  const shown = new Set();
  let left = budget;
  let queues = namespaces.map(({ entries }) =>
    entries
      .map((entry) => ({ entry, cost: tokens(entry.line) }))
      .sort((a, b) => a.cost - b.cost || compare(a.entry.path, b.entry.path)),
  );
  while (queues.length > 0) {
    queues = queues.filter((queue) => {
      const next = queue.shift();
      if (!next || next.cost > left) return false;
      left -= next.cost;
      shown.add(next.entry);
      return true;
    });
  }
  return shown;
}
