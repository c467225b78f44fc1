/**
 * Times what pruning the history of one long session takes, and prints the times as JSON; index.js starts it in each
 * runtime.
 *
 *     node measure-history.js '{ "warmUp": 5, "runs": 30 }'
 *
 * `first` is the first request of a session that is already long, `next` one in which nothing new is to be pruned. Each
 * request has all of its objects and strings anew, as a host may build them. Nothing else is to be pruned, so that the
 * times are those of the history.
 */

import { loadCore } from "../../js-shim/core.js";
import { prune } from "../../js-shim/prune.js";
import { makeConversation } from "./conversation.js";
import { summary } from "./stats.js";

/** @import { Summary } from "./stats.js" */

/** @typedef {{ wall: Summary }} HistoryTimes */
/**
 * @typedef {object} MeasuredHistory
 * @property {HistoryTimes} first
 * @property {HistoryTimes} next
 * @property {number} cold the first request of the process
 * @property {number} bytes of the messages as JSON
 * @property {number} left bytes of the messages that go out
 * @property {number} messages
 * @property {number} calls
 * @property {{ strategy: string, edits: number, tokens: number }[]} strategies
 */

const core = loadCore();

/** @param {{ warmUp: number, runs: number }} settings @returns {Promise<MeasuredHistory>} */
async function measure({ warmUp, runs }) {
  const { config } = core.resolveOptions({ jev_api_key: "none", history: { enabled: true } }, {});
  const lent = {
    config,
    ask: () => Promise.reject(new Error("nobody is asked")),
    now: () => performance.now(),
    print() {},
    log() {},
    warn() {},
  };
  /** @param {string} session @param {string} json */
  async function request(session, json) {
    const given = { sessionID: session, system: [], messages: JSON.parse(json), tools: {} };
    const start = performance.now();
    const told = await prune(core, given, lent);
    const wall = performance.now() - start;
    if (!told.applied) throw new Error(`nothing was pruned: ${JSON.stringify(told).slice(0, 500)}`);
    return { wall, report: told, event: given };
  }

  const first = [];
  for (let run = 0; run < 1 + warmUp + runs; run++) {
    first.push(await request(`session-${run}`, JSON.stringify(makeConversation(String(run)))));
  }
  const json = JSON.stringify(makeConversation("0"));
  const next = [];
  for (let run = 0; run < warmUp + runs; run++) next.push(await request("session-0", json));
  const [one] = first;
  const messages = JSON.parse(json);
  return {
    cold: one?.wall ?? NaN,
    first: timesOf(first.slice(1 + warmUp)),
    next: timesOf(next.slice(warmUp)),
    bytes: json.length,
    left: JSON.stringify(one?.event.messages).length,
    messages: messages.length,
    calls: [...json.matchAll(/"type":"tool-call"/g)].length,
    strategies: one?.report.history.strategies ?? [],
  };
}

/** @param {{ wall: number }[]} measured @returns {HistoryTimes} */
const timesOf = (measured) => ({ wall: summary(measured.map(({ wall }) => wall)) });

console.log(JSON.stringify(await measure(JSON.parse(process.argv[2] ?? "{}"))));
