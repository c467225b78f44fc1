/**
 * Times requests in one process and prints the times as JSON; index.js starts it in each runtime.
 *
 *     node measure.js '{ "size": { "servers": 10, "tools": 250, "skills": 60 }, "warmUp": 50, "runs": 300 }'
 *
 * Three clocks tell each time. `wall` is all that `prune` takes of the host's time, answers of Jev left out: they are
 * given at once, and what making them takes is subtracted. `rust` is what calls of the core take, with all that crosses the
 * boundary; `shim` is the rest: reading the event, changing it, promises. What the shim does before that, reading what
 * OpenCode lists, is told apart, as `lists`.
 */

import { loadCore } from "../../js-shim/core.js";
import { prune } from "../../js-shim/prune.js";
import { rehearse } from "../../js-shim/rehearsal.js";
import { inventoryReader } from "../../js-shim/inventory.js";
import { summary } from "./stats.js";
import { makeWorkload } from "./workload.js";

/** @import { Summary } from "./stats.js" */
/** @import { Parts, Sample, Size } from "./workload.js" */

/**
 * @typedef {object} Case
 * @property {Size} size
 * @property {number} warmUp requests that are not counted
 * @property {number} runs requests that are
 * @property {Parts} [parts] of a request
 * @property {Record<string, unknown>} [options] of the plugin
 * @property {boolean} [lists] false for a host that lists nothing
 * @property {boolean} [rehearsed] whether the module has been rehearsed, as the plugin does when it is idle after setup
 */

/** @typedef {{ wall: Summary, rust: Summary, shim: Summary, lists: Summary }} Times in milliseconds */

/**
 * `first` is the first request of the process; `cold` one of a new session with texts never seen before; `prompted` a new
 * prompt in a session whose texts are known; `cached` the next step of a turn.
 * @typedef {{ first: number, cold: Times, prompted: Times, cached: Times, questions: number }} Measured
 */

const core = loadCore();

/** @param {Case} settings @returns {Promise<Measured>} */
async function measure({ size, warmUp, runs, parts, options, lists = true, rehearsed = false }) {
  const workload = makeWorkload(size, parts);
  const { config } = core.resolveOptions({ jev_api_key: "none", ...options }, {});
  const jev = instantJev();
  if (rehearsed) await rehearse(core, config, () => performance.now());
  const rust = stopwatch();
  const timed = timedCore(core, rust);
  const lent = {
    config,
    ask: jev.ask,
    now: () => performance.now(),
    print() {},
    log() {},
    warn() {},
  };
  /** @type {Sample["lists"] | undefined} */
  let host;
  const ctx = {
    tool: { list: async () => host?.tools },
    mcp: { list: async () => host?.servers },
    skill: { list: async () => host?.skills },
  };
  const readInventory = inventoryReader(lists ? ctx : {}, config.jev_timeout_ms);
  /** @param {Sample} sample */
  async function request(sample) {
    const { event: given, prompt } = sample;
    host = sample.lists;
    core.rememberPrompt(prompt.id, prompt.text, performance.now());
    jev.spent = 0;
    rust.spent = 0;
    const start = performance.now();
    const inventory = await readInventory(given);
    const read = performance.now();
    const told = await prune(timed, given, { ...lent, inventory });
    const end = performance.now();
    if (!told.applied) throw new Error(`nothing was pruned: ${JSON.stringify(told).slice(0, 500)}`);
    const { from_cache, jev_questions } = told.stats;
    const wall = end - read - jev.spent;
    return {
      lists: read - start,
      wall,
      rust: rust.spent,
      shim: wall - rust.spent,
      fromCache: from_cache,
      asked: jev_questions,
    };
  }

  const cold = [];
  for (let number = 0; number < 1 + warmUp + runs; number++) cold.push(await request(workload(number)));
  const turn = warmUp + runs + 1;
  const prompted = [];
  for (let number = 0; number < warmUp + runs; number++) {
    const sample = workload(turn);
    sample.prompt.text += ` This is wish ${number}.`;
    prompted.push(await request(sample));
  }
  if (prompted.some(({ fromCache }) => fromCache)) throw new Error("a new prompt was answered from the cache");
  const cached = [];
  await request(workload(turn));
  for (let step = 1; step <= warmUp + runs; step++) {
    const time = await request(workload(turn, 1 + (step % 5)));
    if (!time.fromCache) throw new Error("the next step of a turn was not answered from the cache");
    cached.push(time);
  }
  return {
    first: cold[0]?.wall ?? NaN,
    cold: timesOf(cold.slice(1 + warmUp)),
    prompted: timesOf(prompted.slice(warmUp)),
    cached: timesOf(cached.slice(warmUp)),
    questions: cold[0]?.asked ?? 0,
  };
}

/** @param {{ wall: number, rust: number, shim: number, lists: number }[]} measured @returns {Times} */
const timesOf = (measured) => ({
  lists: summary(measured.map(({ lists }) => lists)),
  wall: summary(measured.map(({ wall }) => wall)),
  rust: summary(measured.map(({ rust }) => rust)),
  shim: summary(measured.map(({ shim }) => shim)),
});

/** Adds up what calls take. */
function stopwatch() {
  const watch = {
    spent: 0,
    /** @template T @param {() => T} call @returns {T} */
    time: (call) => {
      const start = performance.now();
      const result = call();
      watch.spent += performance.now() - start;
      return result;
    },
  };
  return watch;
}

/**
 * The core, with all that it does for a request on a stopwatch.
 * @param {import("../../js-shim/core.js").Glue} core @param {ReturnType<typeof stopwatch>} watch
 * @returns {import("../../js-shim/core.js").Glue}
 */
function timedCore(core, watch) {
  /** @type {import("../../js-shim/core.js").Glue["prune"]} */
  const prune = (snapshot, call) => {
    const pruning = watch.time(() => core.prune(snapshot, call));
    return /** @type {any} */ ({
      get requests() {
        return watch.time(() => pruning.requests);
      },
      exchange: pruning.exchange,
      answer: (/** @type {any} */ replies, /** @type {number} */ now) => watch.time(() => pruning.answer(replies, now)),
      change: () => watch.time(() => pruning.change()),
      tell: (/** @type {boolean} */ applied, /** @type {any} */ ms) => watch.time(() => pruning.tell(applied, ms)),
      free: () => pruning.free(),
    });
  };
  return { ...core, prune };
}

/** Answers at once: three of ten servers are needed, every fifth tool and every tenth skill. */
function instantJev() {
  /** @type {Record<string, (number: number) => boolean>} */
  const needed = { s: (at) => at % 10 < 3, t: (at) => at % 5 === 0, k: (at) => at % 10 === 0 };
  const jev = {
    spent: 0,
    /** @param {string} body */
    ask(body) {
      const start = performance.now();
      const ids = Object.keys(JSON.parse(body).questions);
      const answers = ids.map((id) => {
        const isNeeded = needed[id.charAt(0)]?.(Number(id.slice(1)));
        return [id, { type: "noul", noul: isNeeded ? 0.91 : 0.06 }];
      });
      const reply = { model: "instant", answers: Object.fromEntries(answers), usage: { input_tokens: 1 } };
      const promise = Promise.resolve({ status: 200, body: JSON.stringify(reply) });
      jev.spent += performance.now() - start;
      return promise;
    },
  };
  return jev;
}

console.log(JSON.stringify(await measure(JSON.parse(process.argv[2] ?? "{}"))));
