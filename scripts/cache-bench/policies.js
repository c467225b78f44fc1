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
 * @property {string} [below] the policy that it must cost less than in long sessions
 */

/** @type {[Policy, ...Policy[]]} */
export const POLICIES = [
  { id: "none", label: "no pruning" },
  { id: "prompt", label: "per prompt", options: { decision_scope: "prompt" } },
  { id: "session", label: "per session", options: { decision_scope: "session" }, required: true },
  {
    id: "history",
    label: "with history",
    options: { decision_scope: "session", history: { enabled: true } },
    below: "session",
  },
  {
    id: "history-only",
    label: "history only",
    options: { prune_mcp_tools: false, prune_skills: false, history: { enabled: true } },
    below: "none",
  },
];
