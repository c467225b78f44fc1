// A tool of ours as a line of OpenCode wants to have it.

/**
 * @typedef {object} Tool
 * @property {string} name
 * @property {string} description
 * @property {object} input its JSON schema
 * @property {(input: any, context: any) => Promise<string>} call answers in words for the model
 */

/**
 * For OpenCode 2 and for the beta before it, which calls the schema `jsonSchema` and fails at every request that has a
 * tool without it, and wants an answer in two parts. Each takes no notice of what only the other one knows.
 * @param {Tool} tool
 */
export const asToolOf2 = ({ name, description, input, call }) => ({
  name,
  description,
  input,
  jsonSchema: input,
  options: { codemode: false },
  execute: async (/** @type {any} */ given, /** @type {any} */ context) => {
    return { structured: {}, content: [{ type: "text", text: await call(given, context) }] };
  },
});
