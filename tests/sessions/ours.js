/**
 * Which messages of a request are the plugin's own, and where they stand. The host knows nothing of them, so they are
 * found by comparing: a system message that no message of the host's could have been cut down to is ours.
 */

import { isSubsequence } from "./lines.js";

/** @import { MessageShape, Transcript } from "../mini-host/types.js" */

/** A place is a number of messages that are not of the system; ours at one place stands behind the host's there. */
export const IN_FRONT = -1;

/** @param {MessageShape} message */
const linesOf = ({ content }) => content.flatMap(({ text }) => (typeof text === "string" ? text.split("\n") : []));

/** The place of each message. @param {MessageShape[]} messages */
export function placesOf(messages) {
  let place = 0;
  return messages.map(({ role }) => (role === "system" ? place : place++));
}

/**
 * The indices of our messages. A message that could be the host's is taken for the host's, and so is any that states a
 * whole catalog, since additions to it are lines that the host did not say.
 * @param {Pick<Transcript, "messages">} before
 * @param {Pick<Transcript, "messages">} after
 * @returns {Set<number>}
 */
export function oursIn(before, after) {
  const places = placesOf(before.messages);
  /** @param {number} place */
  const hosts = (place) => before.messages.filter(({ role }, at) => role === "system" && places[at] === place);
  /** @type {Map<number, MessageShape[]>} */
  const left = new Map();
  const here = placesOf(after.messages);
  const ours = after.messages.flatMap((message, at) => {
    if (message.role !== "system") return [];
    const place = Number(here[at]);
    const candidates = left.get(place) ?? hosts(place);
    const lines = linesOf(message);
    const isHosts = (/** @type {MessageShape} */ other) =>
      isSubsequence(lines, linesOf(other)) || lines.some((line) => line.startsWith("## Available tools"));
    const found = candidates.findIndex(isHosts);
    left.set(place, candidates.slice(found + 1));
    return found < 0 ? [at] : [];
  });
  return new Set(ours);
}

/**
 * How many messages of an earlier request a later one still has; what stood behind was taken back.
 * @param {Pick<Transcript, "messages">} earlier as the host made it
 * @param {Pick<Transcript, "messages">} now
 */
export function commonPlaces(earlier, now) {
  const ids = new Set(now.messages.flatMap(({ id }) => id ?? []));
  const others = earlier.messages.filter(({ role }) => role !== "system");
  const gone = others.findIndex(({ id }) => id !== undefined && !ids.has(id));
  return gone < 0 ? others.length : gone;
}
