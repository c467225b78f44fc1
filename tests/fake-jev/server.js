/**
 * A System One server for tests: it speaks the whole wire contract (jev-api.md §1), answers deterministically and can
 * be told to misbehave. Requests are checked in wire.js, answers are made in answers.js and scoring.js, faults
 * in faults.js.
 *
 *     const fake = await startFakeJev({ port: 0, score: (question, state, id) => (id === "q1" ? 0.9 : undefined) });
 *     await ask(fake.url);
 *     fake.requests.at(-1).body.questions;
 *     fake.settings.status = 529;                     from the next request on
 *     await fake.close();
 */

import { createServer } from "node:http";

import { replyTo } from "./answers.js";
import { sendBroken } from "./faults.js";
import { Refusal, checkKey, notFound, readRequest, refusalOf, wrongMethod } from "./wire.js";

/** @import { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http" */
/** @import { AddressInfo } from "node:net" */
/** @import { Script } from "./answers.js" */
/** @import { FaultKind } from "./faults.js" */

/**
 * How the server behaves; it can be changed between requests.
 * @typedef {object} Settings
 * @property {number} [latency] milliseconds before every reply
 * @property {number} [status] the status of every reply, instead of an answer
 * @property {number} [missing] share of answers left out, 0 to 1; which ones depends on their ids alone
 * @property {FaultKind} [broken]
 * @property {string} [key] asked of every caller; left out, any will do
 * @property {Script} [score]
 */

/**
 * What came in. The body is parsed if it is JSON, and text otherwise.
 * @typedef {{ method: string, path: string, headers: IncomingHttpHeaders, body: any, at: number }} Recorded
 */

/**
 * @typedef {object} FakeJev
 * @property {string} url of the endpoint
 * @property {number} port
 * @property {Recorded[]} requests in the order in which they were complete
 * @property {Settings} settings
 * @property {() => Promise<void>} close
 */

const PATHS = ["/systemone", "/v1/systemone", "/inference/systemone/v1/systemone"];

/**
 * @param {Settings & { port?: number, host?: string }} [options] port 0 takes any free one
 * @returns {Promise<FakeJev>} rejected when the port is taken
 */
export async function startFakeJev({ port = 8787, host = "127.0.0.1", ...settings } = {}) {
  /** @type {Recorded[]} */
  const requests = [];
  /** @type {Set<NodeJS.Timeout>} */
  const waiting = new Set();
  const server = createServer(async (request, response) => {
    const recorded = await record(request).catch(() => undefined);
    // Whoever hangs up while still sending wants no reply.
    if (!recorded) return;
    requests.push(recorded.entry);
    response.setHeader("x-typesafe-request-id", `req_fake_${String(requests.length).padStart(6, "0")}`);
    const timer = setTimeout(() => {
      waiting.delete(timer);
      answer(recorded, response, settings);
    }, settings.latency ?? 0);
    waiting.add(timer);
  });
  await new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => resolve(undefined));
  });
  const taken = /** @type {AddressInfo} */ (server.address()).port;
  return {
    url: `http://${host}:${taken}/systemone`,
    port: taken,
    requests,
    settings,
    close: async () => {
      for (const timer of waiting) clearTimeout(timer);
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

/** @typedef {{ entry: Recorded, text: string }} Incoming */

/**
 * @param {IncomingMessage} request
 * @returns {Promise<Incoming>}
 */
async function record(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString("utf8");
  const path = (request.url ?? "").split("?", 1)[0] ?? "";
  return {
    entry: { method: request.method ?? "", path, headers: request.headers, body: parsedOr(text), at: Date.now() },
    text,
  };
}

/** @param {string} text */
function parsedOr(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/**
 * @param {Incoming} incoming
 * @param {ServerResponse} response
 * @param {Settings} settings
 */
function answer({ entry, text }, response, settings) {
  try {
    if (entry.path === "/elsewhere/systemone") return void response.writeHead(307, { Location: entry.path }).end();
    if (!PATHS.includes(entry.path)) throw notFound();
    if (entry.method !== "POST") throw wrongMethod();
    if (settings.status !== undefined && settings.status !== 200) throw refusalOf(settings.status);
    checkKey(entry.headers.authorization, settings.key);
    const reply = replyTo(readRequest(text), settings);
    if (settings.broken !== undefined) sendBroken(settings.broken, response, reply);
    else sendJson(response, 200, reply);
  } catch (error) {
    // A script that throws is a mistake in a test; a status nobody else uses shows it.
    const refusal = error instanceof Refusal ? error : new Refusal(599, { detail: `fake-jev: ${error}` });
    sendJson(response, refusal.status, refusal.body, refusal.headers);
  }
}

/**
 * @param {ServerResponse} response
 * @param {number} status
 * @param {unknown} body
 * @param {Record<string, string>} [headers]
 */
function sendJson(response, status, body, headers = {}) {
  response.writeHead(status, { "Content-Type": "application/json", ...headers }).end(JSON.stringify(body));
}
