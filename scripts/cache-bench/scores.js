/**
 * What Jev is made to answer. A question about something that the prompt's topic needs is answered high, about something
 * near to it in the middle, about all the rest low. Around that an answer wavers in two ways, both the same in every
 * run: by what a topic has to do with a thing, which stays while the topic lasts, and by how a prompt is worded.
 *
 *     needed  0.82    passes both thresholds, save for one prompt in a hundred
 *     near    0.38    passes as a server in most prompts, as a tool or skill in one of nine
 *     far     0.06    passes as a server in one prompt of two hundred, as a tool or skill never
 */

import { fraction } from "../../tests/fake-jev/scoring.js";

/** @import { Script } from "../../tests/fake-jev/answers.js" */
/** @import { Need, Topic } from "./topics.js" */

/** @type {Record<Need, number>} */
const MIDDLE = { needed: 0.82, near: 0.38, far: 0.06 };
/** Each of the two ways takes an answer up or down by at most this. */
const WAVER = 0.16;

/**
 * @param {ReadonlyMap<string, Topic>} topics by the text of the prompt
 * @param {number} [noise] how much answers waver, as a multiple of the usual
 * @returns {Script}
 */
export const scoresFor = (topics, noise = 1) => (question, state) => {
  const prompt = String(state);
  const topic = topics.get(prompt);
  if (!topic) throw new Error(`nobody wrote the prompt "${prompt.slice(0, 60)}"`);
  const subject = subjectOf(String(question.instructions));
  const byTopic = waver(`${topic.name} and ${subject}`);
  const byPrompt = waver(`${prompt} and ${subject}`);
  return Math.min(1, Math.max(0, MIDDLE[topic.need(subject)] + noise * WAVER * (byTopic + byPrompt)));
};

/** @param {string} seed from -1 to 1 */
const waver = (seed) => 2 * fraction(seed) - 1;

/** Whom a question is about, as topics name it. @param {string} instructions */
export function subjectOf(instructions) {
  const [, name, server] =
    /\b(?:MCP server|tool|skill) "([^"]*)"(?: from the MCP server "([^"]*)")?\?/.exec(instructions) ?? [];
  if (name === undefined) throw new Error(`a question of unknown wording: ${instructions}`);
  return server === undefined ? name : `${server}.${name}`;
}
