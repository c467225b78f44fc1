/**
 * Builds the reply to a valid request (jev-api.md §1 "Response 200"). How likely a yes is comes from scoring.js or
 * from the caller's script.
 */

import { fraction, likelihood } from "./scoring.js";

/** @import { Question } from "./scoring.js" */
/** @import { Request } from "./wire.js" */

/**
 * Scripts answers: a number is taken as it is, undefined leaves the question to the words in it.
 * @typedef {(question: Question, state: unknown, id: string) => number | undefined} Script
 */

/** @typedef {{ type: string, [field: string]: unknown }} Answer */
/** @typedef {{ model: string, answers: Record<string, Answer>, usage: { input_tokens: number, output_tokens: number } }} Reply */

/** Says in every report that no real model answered. */
export const MODEL = "fake-jev-1";
const TOKENS_PER_REQUEST = 270;
const TOKENS_PER_ANSWER = 19;

/**
 * @param {Request} request
 * @param {{ missing?: number, score?: Script }} [options]
 * @returns {Reply}
 */
export function replyTo({ state, questions, tokens }, { missing = 0, score } = {}) {
  const answered = Object.entries(questions).filter(([id]) => fraction(id) >= missing);
  const answers = Object.fromEntries(answered.map(([id, question]) => [id, answerTo(question, state, id, score)]));
  const usage = { input_tokens: TOKENS_PER_REQUEST + tokens, output_tokens: TOKENS_PER_ANSWER * answered.length };
  return { model: MODEL, answers, usage };
}

/**
 * @param {Question} question
 * @param {unknown} state
 * @param {string} id
 * @param {Script | undefined} score
 * @returns {Answer}
 */
function answerTo(question, state, id, score) {
  switch (question.type) {
    case "choice":
      return evenChoice(Object.keys(/** @type {object} */ (question.criteria)));
    case "score":
      return evenScore(/** @type {unknown[]} */ (question.criteria));
    default:
      return { type: "noul", noul: rounded(score?.(question, state, id) ?? likelihood(question, state)) };
  }
}

/** As the service rounds. @param {number} value */
const rounded = (value) => Math.round(value * 100) / 100;

/**
 * Choices and scores are valid but undecided: every option is as likely as the next.
 * @param {string[]} options
 * @returns {Answer}
 */
function evenChoice(options) {
  const even = rounded(1 / options.length);
  return {
    type: "choice",
    choice: options[0],
    confidence: even,
    probabilities: Object.fromEntries(options.map((option) => [option, even])),
  };
}

/**
 * @param {unknown[]} levels
 * @returns {Answer}
 */
function evenScore(levels) {
  const even = rounded(1 / levels.length);
  return {
    type: "score",
    score: (levels.length - 1) / 2,
    confidence: even,
    legend: Object.fromEntries(levels.map((level, at) => [String(at), level])),
    probabilities: Object.fromEntries(levels.map((_, at) => [String(at), even])),
  };
}
