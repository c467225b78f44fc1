/**
 * Stand-ins for `fetch`, for answers that no server gives on demand.
 *
 *     const fetch = answering(({ body }) => ({ t0: 0.9 }))     ids to scores, as Jev would send them
 *     fetch.calls.length
 */

/** @import { Body } from "./stage.js" */
/** @import { Scores } from "./scores.js" */

import { scoreOf } from "./scores.js";

/** @typedef {{ url: string, init: RequestInit & { headers: Record<string, string> }, body: Body, at: number }} Call */
/** @typedef {typeof fetch & { calls: Call[] }} CountedFetch */

/**
 * @param {(call: Call) => unknown} answer a `Response`, or answers as `withScores` takes them; a throw is a throw
 * @returns {CountedFetch}
 */
export function answering(answer) {
  /** @type {Call[]} */
  const calls = [];
  /** @param {unknown} url @param {any} init */
  const fetch = (url, init) => {
    const call = { url: String(url), init, body: JSON.parse(init.body), at: calls.length };
    calls.push(call);
    const given = answer(call);
    return Promise.resolve(given).then((value) =>
      value instanceof Response ? value : withScores(/** @type {any} */ (value)),
    );
  };
  return /** @type {CountedFetch} */ (Object.assign(fetch, { calls }));
}

/** Answers by name, as the scripted server does. @param {Scores} scores */
export const scripted = (scores) =>
  answering(({ body }) =>
    Object.fromEntries(
      Object.entries(body.questions).map(([id, { instructions }]) => [id, scoreOf(scores, id, instructions)]),
    ),
  );

/** A good reply. @param {Record<string, number>} scores by the id of the question */
export const withScores = (scores) =>
  json({
    model: "jev-1.13.0",
    answers: Object.fromEntries(Object.entries(scores).map(([id, noul]) => [id, { type: "noul", noul }])),
    usage: { input_tokens: 300, output_tokens: 20 },
  });

/** A reply with this value as its body. @param {unknown} value */
export const json = (value) => raw(JSON.stringify(value));

/** @param {string} text @param {ResponseInit} [init] */
export const raw = (text, init) => new Response(text, { headers: { "content-type": "application/json" }, ...init });
