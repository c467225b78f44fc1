/**
 * A scorer that remembers: it stands where the plugin's `fetch` goes and passes on only the questions it has not had
 * answered before. Each question stands for itself (jev-api.md §4), so an answer holds for every threshold, and a curve
 * over thresholds costs no more than its widest point.
 */

import { readFileSync, writeFileSync } from "node:fs";

/** @typedef {{ state: unknown, questions: Record<string, { instructions: unknown }>, model: string }} Body */
/** @typedef {(text: string, init: RequestInit) => Promise<Response>} Upstream */

/**
 * @typedef {object} Scorer
 * @property {typeof globalThis.fetch} fetch for the plugin
 * @property {{ requests: number, questions: number, ms: number }} passedOn what went to the real scorer so far
 * @property {(remembers: boolean) => void} remember whether known answers are used, or everything is asked anew
 * @property {() => string | undefined} model who answered last
 * @property {(file: string) => void} save
 */

/**
 * @param {Upstream} upstream
 * @param {string} [file] answers of earlier runs
 * @returns {Scorer}
 */
export function rememberingScorer(upstream, file) {
  /** @type {Map<string, unknown>} */
  const known = new Map(file ? loaded(file) : []);
  const passedOn = { requests: 0, questions: 0, ms: 0 };
  let usesKnown = true;
  /** @type {string | undefined} */
  let model;

  /**
   * @param {Body} body @param {string[]} ids @param {RequestInit} init
   * @returns {Promise<Response | undefined>} what the scorer said if it did not answer
   */
  async function ask(body, ids, init) {
    const questions = Object.fromEntries(ids.map((id) => [id, body.questions[id]]));
    const since = performance.now();
    const response = await upstream(JSON.stringify({ ...body, questions }), init);
    passedOn.requests += 1;
    passedOn.questions += ids.length;
    const text = await response.text();
    passedOn.ms += performance.now() - since;
    if (response.status !== 200) return new Response(text, response);
    const reply = JSON.parse(text);
    model = reply.model;
    for (const id of ids) if (reply.answers?.[id]) known.set(keyOf(body, id), reply.answers[id]);
    return undefined;
  }

  return {
    passedOn,
    remember: (remembers) => void (usesKnown = remembers),
    model: () => model,
    save: (to) => writeFileSync(to, JSON.stringify([...known])),
    fetch: async (_address, init = {}) => {
      /** @type {Body} */
      const body = JSON.parse(String(init.body));
      const ids = Object.keys(body.questions).filter((id) => !usesKnown || !known.has(keyOf(body, id)));
      // Whether the caller still waits or not, an answer that was paid for is kept.
      const refused = ids.length > 0 && (await ask(body, ids, { ...init, signal: undefined }));
      if (refused) return refused;
      const answers = Object.keys(body.questions).map((id) => [id, known.get(keyOf(body, id))]);
      return Response.json({ model, answers: Object.fromEntries(answers.filter(([, answer]) => answer)) });
    },
  };
}

/** The same words in the same state are the same question. @param {Body} body @param {string} id */
const keyOf = (body, id) => JSON.stringify([body.model, body.state, body.questions[id]]);

/** @param {string} file @returns {[string, unknown][]} */
function loaded(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === "ENOENT") return [];
    throw error;
  }
}
