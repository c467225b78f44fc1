// One request, from reading the event to telling of it: the only loop of the plugin. What to ask, and what becomes of the
// event, is decided in the core; here its requests are sent and its plan is swapped in, at once or not at all.
import { changeEvent, forgetKnown, readEvent } from "./event.js";

/**
 * @typedef {import("./core.js").Glue} Glue
 * @typedef {import("./jev-client.js").Reply} Reply
 * @typedef {import("../wasm/jev_pruner.js").Wanted} Wanted
 */

/**
 * What the core is told of a request besides the event.
 * @typedef {object} PruneCall
 * @property {any} [config] resolved options; defaults without
 * @property {import("./inventory.js").Inventory} [inventory] what OpenCode lists
 * @property {string} [hook] the hook that brings the request: `context`, `generate`, `compaction`, or `messages` for the
 *   messages alone
 * @property {boolean} [fixedMessages] whether no messages can be put among those of the event
 * @property {number} now milliseconds of any clock that only goes forward
 */

/**
 * What a pruning needs of the rest of the plugin.
 * @typedef {object} Host
 * @property {any} [config]
 * @property {(body: string, limits: { label: string, timeoutMs: number, delayMs: number }) => Promise<Reply>} ask Jev
 * @property {() => number} now
 * @property {PruneCall["inventory"]} [inventory]
 * @property {PruneCall["hook"]} [hook]
 * @property {boolean} [child] whether the session is a child of another one
 * @property {PruneCall["fixedMessages"]} [fixedMessages]
 * @property {(text: string) => void} [print] debug output
 * @property {(text: string) => void} [warn]
 * @property {(kind: string, fields: object) => void} [log]
 * @property {(report: any) => void} [noteReport]
 */

/** Cores that have pruned: what they call is compiled. @type {WeakSet<object>} */
const warm = new WeakSet();

/** @param {Glue} core */
export const isWarm = (core) => warm.has(core);

/** Prunings that ask, by core and number: others that would ask the same wait for them. @type {WeakMap<object, Map<number, Promise<unknown>>>} */
const underWay = new WeakMap();

/** @param {Glue} core @returns {Map<number, Promise<any>>} */
function prunings(core) {
  const known = underWay.get(core) ?? new Map();
  underWay.set(core, known);
  return known;
}

/**
 * Decides on one request and prunes it, in one last synchronous step or not at all.
 * @param {Glue} core @param {any} event @param {Host} host
 * @returns {Promise<any>} the report
 */
export async function prune(core, event, host) {
  const started = host.now();
  warm.add(core);
  const { history } = host.config ?? {};
  try {
    const snapshot = readEvent(core, event, {
      withConversation: Boolean(history?.enabled) && (!host.child || history.subagents),
      onOddConversation: (error) =>
        host.log?.("error", { request: "none", what: "history", message: error instanceof Error ? error.message : String(error) }),
    });
    const read = host.now() - started;
    const { config, inventory, hook, fixedMessages } = host;
    const pruning = core.prune(snapshot, { config, inventory, hook, fixedMessages, now: started });
    const { exchange } = pruning;
    const ended = finish(core, pruning, snapshot.source, host, { started, read });
    const others = prunings(core);
    if (exchange !== undefined && !others.has(exchange)) {
      others.set(exchange, ended.catch(() => {}).finally(() => others.delete(exchange)));
    }
    return await ended;
  } catch (error) {
    forgetKnown(core);
    throw error;
  }
}

/**
 * @param {Glue} core @param {import("../wasm/jev_pruner.js").Pruning} pruning
 * @param {import("./event.js").Source} source @param {Host} host @param {{ started: number, read: number }} times
 */
async function finish(core, pruning, source, host, { started, read }) {
  try {
    let jev = 0;
    while (pruning.requests.length > 0) {
      const since = host.now();
      const replies = await send(core, pruning.requests, host);
      const now = host.now();
      jev += now - since;
      pruning.answer(replies, now);
    }
    const since = host.now();
    const change = pruning.change();
    const applied = change !== undefined && changeEvent(source, change);
    const now = host.now();
    const told = pruning.tell(applied, { total: now - started, jev, read, apply: now - since });
    tell(told, host);
    return told.report;
  } finally {
    // A module that trapped does not even free.
    quietly(() => pruning.free());
  }
}

/**
 * The replies to what a pruning wants, in its order; another pruning that asks the same has none.
 * @param {Glue} core @param {Wanted[]} wanted @param {Host} host
 */
const send = (core, wanted, host) =>
  Promise.all(wanted.map((one) => ("exchange" in one ? prunings(core).get(one.exchange) : ask(one, host))));

/** A function that throws has failed like one that rejects. @param {import("../wasm/jev_pruner.js").JevRequest} request @param {Host} host */
async function ask({ body, ...limits }, host) {
  try {
    return await host.ask(body, limits);
  } catch {
    return undefined;
  }
}

/** @param {import("../wasm/jev_pruner.js").Telling} told @param {Host} host */
function tell({ report, console, log, warnings }, host) {
  quietly(() => {
    for (const warning of warnings) host.warn?.(warning);
  });
  quietly(() => host.noteReport?.(report));
  quietly(() => {
    if (console !== undefined) host.print?.(console);
  });
  quietly(() => {
    for (const [kind, fields] of log) host.log?.(kind, fields);
  });
}

/** Telling must not stand in the way of the request. @param {() => void} telling */
function quietly(telling) {
  try {
    telling();
  } catch {
    // Nobody is left to be told.
  }
}
