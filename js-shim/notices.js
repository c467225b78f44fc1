// Notices to a person in a session of OpenCode 2. Nobody is asked to answer them, but the model reads them with the next
// prompt.
import { isText } from "./values.js";
import { within } from "./with-time-limit.js";

const TIMEOUT_MS = 5_000;

/**
 * @param {any} ctx the plugin's context
 * @returns {(sessionID: unknown, text: string) => Promise<boolean>} whether the host took it; never rejects
 */
export const noticesOf = (ctx) => async (sessionID, text) => {
  if (!isText(sessionID)) return false;
  // The terminal shows the description, the model reads the text.
  const { problem } = await within(TIMEOUT_MS, () => {
    if (typeof ctx?.session?.synthetic !== "function") throw new Error("it takes no notices");
    return ctx.session.synthetic({ sessionID, text, description: text, resume: false });
  });
  return problem === undefined;
};
