/**
 * What is done to requests. Every policy is played through the same sessions, the first is what the others are compared
 * with. Another one, also one that changes the history, needs no more than a line here.
 */

/**
 * @typedef {object} Policy
 * @property {string} id
 * @property {string} label
 * @property {Record<string, unknown>} [options] of the plugin; left out, the plugin is not loaded at all
 * @property {boolean} [required] whether it must cost no more than the first
 */

/** @type {[Policy, ...Policy[]]} */
export const POLICIES = [
  { id: "none", label: "no pruning" },
  { id: "prompt", label: "per prompt", options: { decision_scope: "prompt" } },
  { id: "session", label: "per session", options: { decision_scope: "session" }, required: true },
];
