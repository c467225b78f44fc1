/**
 * A proxy between the plugin and the stand-in for Jev that does to replies what bad networks and gateways do. What it
 * does to which request follows from a seed.
 */

import { createServer } from "node:http";

import { oneOf } from "../sessions/random.js";

/** @import { AddressInfo, Socket } from "node:net" */
/** @import { ServerResponse } from "node:http" */

/** @typedef {{ status: number, text: string }} Reply what the stand-in said */
/** @typedef {{ slowMs: number, elsewhere: string, random: () => number }} Means */
/** @typedef {(response: ServerResponse, reply: Reply, means: Means) => unknown} Fault */

/** @param {ServerResponse} response @param {number} status @param {string} text @param {Record<string, string>} [headers] */
const send = (response, status, text, headers = {}) =>
  response.writeHead(status, { "Content-Type": "application/json", ...headers }).end(text);

/** The reply with its answers exchanged. @param {Reply} reply @param {(answers: [string, any][]) => [string, any][]} change */
function withAnswers({ text }, change) {
  const body = JSON.parse(text);
  return JSON.stringify({ ...body, answers: Object.fromEntries(change(Object.entries(body.answers ?? {}))) });
}

/** @type {Record<string, Fault>} */
export const FAULTS = {
  "is as it should be": (response, { status, text }) => send(response, status, text),
  "comes late, perhaps too late": (response, { status, text }, { slowMs, random }) =>
    setTimeout(() => send(response, status, text), 2 * slowMs * random()),
  "is cut in the middle of the body": (response, { text }) => {
    response.writeHead(200, { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(text) });
    response.write(text.slice(0, text.length / 2), () => response.socket?.destroy());
  },
  "is garbage": (response, _reply, { random }) =>
    response.writeHead(200).end(Buffer.from(Array.from({ length: 500 }, () => Math.floor(256 * random())))),
  "trickles in, a byte a second": (response, { text }) => {
    response.writeHead(200, { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(text) });
    let at = 0;
    const timer = setInterval(() => response.write(text.charAt(at++)), 1000).unref();
    response.on("close", () => clearInterval(timer));
  },
  "ends after the headers": (response, { text }) => {
    response.writeHead(200, { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(text) });
    response.flushHeaders();
    setImmediate(() => response.socket?.destroy());
  },
  "has other keys": (response, reply) =>
    send(response, 200, withAnswers(reply, (answers) => answers.map(([id, answer]) => [`${id}x`, answer]))),
  "has twice as many answers": (response, reply) =>
    send(response, 200, withAnswers(reply, (answers) => [...answers, ...answers.map(([id, answer]) => /** @type {[string, any]} */ ([`extra_${id}`, answer]))])),
  "lacks half of the answers": (response, reply) =>
    send(response, 200, withAnswers(reply, (answers) => answers.filter((_, at) => at % 2 === 0))),
  "says the opposite": (response, reply) =>
    send(response, 200, withAnswers(reply, (answers) => answers.map(([id, answer]) => [id, { ...answer, noul: 1 - answer.noul }]))),
  "sends on to another host": (response, _reply, { elsewhere }) => send(response, 307, "", { Location: elsewhere }),
  "is an overload": (response) => send(response, 529, JSON.stringify({ detail: "busy" })),
  "is a rate limit": (response) => send(response, 429, JSON.stringify({ error: "slow down" }), { "Retry-After": "1" }),
  "is a refused key": (response) => send(response, 401, JSON.stringify({ error: { message: "no" } })),
  "is a broken connection": (response) => response.socket?.resetAndDestroy(),
};

/** Half of the replies are good, so that many requests come through. */
const SHARE_GOOD = 0.5;

/**
 * @param {{ target: string, slowMs: number, random: () => number }} settings
 */
export async function startProxy({ target, slowMs, random }) {
  /** @type {string[]} */
  const seenElsewhere = [];
  const other = createServer((request, response) => {
    seenElsewhere.push(JSON.stringify(request.headers));
    response.end("{}");
  });
  const elsewhere = `${await listening(other)}/systemone`;
  /** @type {Map<string, number>} */
  const done = new Map();
  const proxy = createServer(async (request, response) => {
    const chunks = [];
    try {
      for await (const chunk of request) chunks.push(chunk);
    } catch {
      // Whoever hangs up while still sending wants no reply.
      return;
    }
    const name = random() < SHARE_GOOD ? "is as it should be" : oneOf(Object.keys(FAULTS), random);
    done.set(name, (done.get(name) ?? 0) + 1);
    const { status, text } = await forwarded(target, Buffer.concat(chunks), request.headers.authorization);
    if (!response.destroyed) FAULTS[name]?.(response, { status, text }, { slowMs, elsewhere, random });
  });
  const url = `${await listening(proxy)}/systemone`;
  return {
    url,
    /** How often each fault came. */
    done,
    /** What another host was told. */
    seenElsewhere,
    /** @returns {Promise<number>} */
    connections: () => new Promise((resolve) => proxy.getConnections((_error, count) => resolve(count))),
    close: async () => {
      for (const server of [proxy, other]) {
        const closed = new Promise((resolve) => server.close(resolve));
        server.closeAllConnections();
        await closed;
      }
    },
  };
}

/** @param {string} target @param {Buffer} body @param {string | undefined} authorization @returns {Promise<Reply>} */
async function forwarded(target, body, authorization = "") {
  const headers = { "content-type": "application/json", authorization };
  const response = await fetch(target, { method: "POST", body: body.toString("utf8"), headers });
  return { status: response.status, text: await response.text() };
}

/** @param {import("node:http").Server} server @returns {Promise<string>} its address */
async function listening(server) {
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  return `http://127.0.0.1:${/** @type {AddressInfo} */ (server.address()).port}`;
}
