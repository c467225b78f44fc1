/**
 * The ways in which a reply can go wrong on purpose. Each gets the reply as it should have been and sends something
 * else, or nothing. Plain error statuses are refusals and belong to wire.js.
 */

/** @import { ServerResponse } from "node:http" */
/** @import { Answer, Reply } from "./answers.js" */
/** @typedef {(response: ServerResponse, reply: Reply) => void} Fault */

/** @type {(response: ServerResponse, text: string, type?: string) => void} */
const send = (response, text, type = "application/json") =>
  void response.writeHead(200, { "Content-Type": type }).end(text);

/** The reply with every answer replaced. @type {(reply: Reply, change: (answer: Answer, id: string) => unknown) => string} */
const changed = (reply, change) =>
  JSON.stringify({
    ...reply,
    answers: Object.fromEntries(Object.entries(reply.answers).map(([id, answer]) => [id, change(answer, id)])),
  });

const FIVE_MEBIBYTES = 5 * 2 ** 20;

/** @satisfies {Record<string, Fault>} */
const FAULTS = {
  /** JSON that stops in the middle, in a complete HTTP message. */
  truncated: (response, reply) => {
    const text = JSON.stringify(reply);
    send(response, text.slice(0, Math.floor(text.length / 2)));
  },
  /** A page, as a proxy shows it. */
  "not-json": (response) => send(response, "<!doctype html><title>Sign in</title>", "text/html"),
  /** The answers under another name, and in another service's format. */
  "wrong-shape": (response, reply) =>
    send(
      response,
      JSON.stringify({ results: Object.keys(reply.answers).map((id) => ({ id, type: "boolean", probability: 0.5 })) }),
    ),
  /** The frame is right, the answers carry no `noul`. */
  "wrong-answers": (response, reply) =>
    send(
      response,
      changed(reply, () => ({ type: "noul", probability: 0.5 })),
    ),
  /** Answers of a type that was not asked for. */
  "wrong-type": (response, reply) =>
    send(
      response,
      changed(reply, () => ({ type: "choice", choice: "yes", confidence: 1, probabilities: { yes: 1 } })),
    ),
  /** Numbers as text. */
  "text-numbers": (response, reply) =>
    send(
      response,
      changed(reply, (answer) => ({ ...answer, noul: String(answer.noul) })),
    ),
  /** Numbers that are no probabilities. */
  "out-of-range": (response, reply) =>
    send(
      response,
      changed(reply, (answer, id) => ({ ...answer, noul: id.length % 2 === 0 ? 1.7 : -0.3 })),
    ),
  /** Nulls for numbers. */
  nulls: (response, reply) =>
    send(
      response,
      changed(reply, (answer) => ({ ...answer, noul: null })),
    ),
  /** Right answers, and some to questions that nobody asked. */
  strangers: (response, reply) =>
    send(
      response,
      JSON.stringify({ ...reply, answers: { ...reply.answers, "never asked": { type: "noul", noul: 1 } } }),
    ),
  array: (response) => send(response, "[]"),
  null: (response) => send(response, "null"),
  empty: (response) => send(response, ""),
  /** Valid, but far longer than any real reply. */
  huge: (response, reply) => send(response, JSON.stringify({ padding: "x".repeat(FIVE_MEBIBYTES), ...reply })),
  /** Never answers. */
  hang: () => {},
  /** Begins to answer and never ends. */
  stall: (response, reply) => {
    const text = JSON.stringify(reply);
    response
      .writeHead(200, { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(text) })
      .write(text.slice(0, 10));
  },
  /** Promises more than it sends before the connection is gone. */
  "cut-off": (response, reply) => {
    const text = JSON.stringify(reply);
    response.writeHead(200, { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(text) });
    response.write(text.slice(0, 10), () => response.socket?.destroy());
  },
  /** The connection goes without a word. */
  reset: (response) => void response.socket?.resetAndDestroy(),
  /** To a place that keeps redirecting. A client that follows takes its key along. */
  redirect: (response) => void response.writeHead(307, { Location: "/elsewhere/systemone" }).end(),
};

/** @typedef {keyof typeof FAULTS} FaultKind */

/** @type {ReadonlyArray<FaultKind>} */
export const FAULT_KINDS = /** @type {FaultKind[]} */ (Object.keys(FAULTS));

/**
 * @param {string} kind
 * @returns {kind is FaultKind}
 */
export const isFaultKind = (kind) => Object.hasOwn(FAULTS, kind);

/**
 * @param {FaultKind} kind
 * @param {ServerResponse} response
 * @param {Reply} reply
 */
export function sendBroken(kind, response, reply) {
  /** @type {Fault} */
  const fault = FAULTS[kind];
  fault(response, reply);
}
