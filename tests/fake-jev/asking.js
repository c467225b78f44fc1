/**
 * Requests to the System One stand-in, as its tests send them. Nothing here checks an answer.
 */

import { startFakeJev } from "./server.js";

/** @import { FakeJev, Settings } from "./server.js" */

export const NOUL = { type: "noul", instructions: "Is anybody waiting for this?" };

/** A valid request with some of its fields replaced. @param {Record<string, unknown>} [change] */
export const request = (change = {}) => ({
  model: "jev-latest",
  state: "The printer on floor two is out of paper.",
  questions: { q: NOUL },
  ...change,
});

/** Any key will do where none is asked for. */
export const ANYBODY = { "Content-Type": "application/json", Authorization: "Bearer any" };

/** @param {unknown} question */
export const asking = (question) => request({ questions: { q: question } });

/**
 * @param {string} url
 * @param {unknown} body
 * @param {RequestInit} [init]
 */
export async function post(url, body, init) {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const response = await fetch(url, {
    method: "POST",
    body: text,
    headers: ANYBODY,
    ...init,
  });
  return { status: response.status, headers: response.headers, body: /** @type {any} */ (await response.json()) };
}

/**
 * Lends a server that is gone afterwards.
 * @param {Settings} settings
 * @param {(fake: FakeJev) => Promise<void>} use
 */
export async function withFake(settings, use) {
  const fake = await startFakeJev({ port: 0, ...settings });
  try {
    await use(fake);
  } finally {
    await fake.close();
  }
}
