/**
 * The Jev stand-in without a network, so that no slow machine and no dying connection is counted as a request.
 */

import { replyTo } from "../../tests/fake-jev/answers.js";
import { readRequest } from "../../tests/fake-jev/wire.js";

/** @import { Script } from "../../tests/fake-jev/answers.js" */

export const ENDPOINT = "https://jev.invalid/systemone";

/**
 * What answers in place of a server.
 * @param {Script} score
 * @returns {typeof globalThis.fetch}
 */
export const jevAnswering = (score) => async (_endpoint, init) =>
  Response.json(replyTo(readRequest(String(init?.body)), { score }));
