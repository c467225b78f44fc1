/**
 * A long conversation in the shape in which OpenCode 2 hands it to a plugin: 60 turns, 383 messages, 262 tool calls,
 * 2.4 MB of JSON. Files are read again and again, written and then read, calls fail, and the model reasons before each
 * step. How it is timed is told in measure-history.js.
 */

import { prose, randomFrom } from "../cache-bench/random.js";

/** @import { Random } from "../cache-bench/random.js" */
/** @import { MessageShape } from "../../tests/mini-host/types.js" */

export const TURNS = 60;
const STEPS = 131;

/** @typedef {{ name: string, input: object, result: { type: string, value: string } }} Call */

/** @param {string} seed also makes all ids other ones @returns {MessageShape[]} */
export function makeConversation(seed) {
  const random = randomFrom("conversation");
  /** @type {MessageShape[]} */
  const messages = [];
  let calls = 0;
  for (let turn = 0; turn < TURNS; turn++) {
    messages.push({
      id: `msg_${seed}_${turn}`,
      role: "user",
      content: [{ type: "text", text: prose(random, random.spread(60, 600)) }],
      metadata: {},
    });
    // One change of the host's lists, as such sessions have.
    if (turn === 30) messages.splice(-1, 0, { role: "system", content: [{ type: "text", text: "Today's date: Monday" }] });
    const steps = Math.floor(((turn + 1) * STEPS) / TURNS) - Math.floor((turn * STEPS) / TURNS);
    for (let step = 0; step < steps; step++) {
      const made = [callOf(random), callOf(random)].map((call) => ({ ...call, id: `call_${seed}_${calls++}` }));
      messages.push({
        id: `msg_${seed}_${turn}_${step}`,
        role: "assistant",
        content: [
          { type: "reasoning", text: prose(random, random.spread(300, 3_000)) },
          { type: "text", text: prose(random, random.spread(40, 300)) },
          ...made.map(({ id, name, input }) => ({ type: "tool-call", id, name, input, providerExecuted: false })),
        ],
      });
      const results = made.map(({ id, name, result }) => ({ type: "tool-result", id, name, result, providerExecuted: false }));
      messages.push({ role: "tool", content: results });
    }
    const answer = [{ type: "text", text: prose(random, random.spread(200, 2_000)) }];
    messages.push({ id: `msg_${seed}_${turn}_answer`, role: "assistant", content: answer });
  }
  return messages;
}

/** @param {Random} random @returns {Call} */
function callOf(random) {
  const path = `src/part-${random.whole(1, 25)}.ts`;
  const text = (/** @type {number} */ least, /** @type {number} */ most) => ({
    type: "text",
    value: prose(random, random.spread(least, most)),
  });
  switch (random.pick(["read", "read", "read", "grep", "shell", "mcp", "write", "edit", "failed"])) {
    case "read":
      return { name: "read", input: { path }, result: text(5_000, 26_000) };
    case "grep":
      return { name: "grep", input: { pattern: prose(random, 20), path: "src" }, result: text(1_000, 12_000) };
    case "shell":
      return { name: "shell", input: { command: prose(random, 60) }, result: text(1_500, 22_000) };
    case "mcp":
      return { name: "desk_list", input: { box: prose(random, 12), limit: 20 }, result: text(1_500, 18_000) };
    case "write":
      return { name: "write", input: { path, content: prose(random, random.spread(4_000, 24_000)) }, result: text(20, 40) };
    case "edit":
      return {
        name: "edit",
        input: { path, old: prose(random, 300), new: prose(random, random.spread(200, 2_000)) },
        result: text(20, 40),
      };
    default:
      return {
        name: "edit",
        input: { path, old: prose(random, random.spread(1_000, 4_000)), new: prose(random, 1_000) },
        result: { type: "error", value: "The text to replace was not found in the file." },
      };
  }
}
