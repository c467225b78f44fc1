// The tools that the model has to clear up its own conversation, as both lines of OpenCode take them. What they do is
// decided in the core.

/** @typedef {import("./core.js").Glue} Glue */
/** @typedef {{ name: string, description: string, fields: Record<string, object>, required: string[] }} OwnTool */

const IDS = { type: "array", items: { type: "string" }, description: "Ids from the newest <prunable-outputs> list." };

/** @type {Record<"discard" | "extract", OwnTool>} */
const TOOLS = {
  discard: {
    name: "discard",
    description:
      "Drop tool outputs that are no longer needed from this conversation, to make room. Only ids from the newest " +
      "<prunable-outputs> list are valid. What was dropped can be had again by calling its tool again.",
    fields: { ids: IDS, reason: { type: "string", description: "Why they are no longer needed." } },
    required: ["ids", "reason"],
  },
  extract: {
    name: "extract",
    description:
      "Replace tool outputs in this conversation by what matters in them, to make room. Only ids from the newest " +
      "<prunable-outputs> list are valid. Write down everything that will be needed: the outputs themselves go.",
    fields: { ids: IDS, distillation: { type: "string", description: "What to keep of these outputs, in your words." } },
    required: ["ids", "distillation"],
  },
};

/** @param {{ discard: boolean, extract: boolean }} wanted @returns {OwnTool[]} */
export const ownTools = (wanted) => Object.values(TOOLS).filter(({ name }) => wanted[/** @type {"discard"} */ (name)]);

/**
 * Carries out a call; the answer is for the model.
 * @param {Glue} core @param {string} name @param {any} input @param {any} context the host's, of the call
 */
export function callOwnTool(core, name, input, context) {
  const session = typeof context?.sessionID === "string" ? context.sessionID : "";
  const texts = (/** @type {unknown} */ value) => (Array.isArray(value) ? value : value === undefined ? [] : [value]).map(String);
  return core.takeOut(session, texts(input?.ids), name === "extract" ? texts(input?.distillation) : []);
}
