/**
 * What many measurements of one thing come to.
 */

/**
 * `least` is what it takes while nothing else happens.
 * @typedef {{ least: number, median: number, p95: number }} Summary
 */

/** @param {number[]} values @returns {Summary} */
export const summary = (values) => ({
  least: quantile(values, 0),
  median: quantile(values, 0.5),
  p95: quantile(values, 0.95),
});

/**
 * The least value that so large a share of all does not exceed.
 * @param {number[]} values
 * @param {number} share
 */
export function quantile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? NaN;
}
