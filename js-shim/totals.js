// Sums over all sessions, kept where the host keeps something for plugins (opencode-host.md §3.2). They are written a
// while after they change, since every request changes them.
import { withTimeLimit, within } from "./with-time-limit.js";

/** @typedef {{ requests: number, tokens_saved: number }} Sums */

const KEY = "history/totals";
const DELAY_MS = 5_000;
/** A person waits for the sums. */
const TIMEOUT_MS = 2_000;

/** @param {any} storage the host's, if it has one @param {number} [timeoutMs] */
export function totalsIn(storage, timeoutMs = TIMEOUT_MS) {
  /** @type {Sums} */
  let waiting = { requests: 0, tokens_saved: 0 };
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  let writing = Promise.resolve();

  async function flush() {
    clearTimeout(timer);
    timer = undefined;
    const { requests, tokens_saved } = waiting;
    waiting = { requests: 0, tokens_saved: 0 };
    if (requests === 0) return;
    const { value: known, problem } = await within(timeoutMs, () => storage.get(KEY));
    // Without the sums of before, the new ones would take their place.
    if (problem !== undefined) return;
    const sums = { requests: (known?.requests ?? 0) + requests, tokens_saved: (known?.tokens_saved ?? 0) + tokens_saved };
    await within(timeoutMs, () => storage.set(KEY, sums));
  }
  // Sums that cannot be written are lost, and nothing else.
  const flushed = () => (writing = writing.then(flush));
  const isKept = typeof storage?.get === "function" && typeof storage?.set === "function";

  return {
    /** @param {any} report of a request */
    add(report) {
      if (!isKept || !report?.history) return;
      waiting.requests += 1;
      waiting.tokens_saved += report.applied ? report.history.tokens_saved : 0;
      timer ??= setTimeout(flushed, DELAY_MS);
      timer.unref?.();
    },
    flushed,
    /** @returns {Promise<Sums | undefined>} nothing where nothing is kept, or cannot be read */
    async read() {
      if (!isKept) return undefined;
      await withTimeLimit(timeoutMs, flushed);
      const { value, problem } = await within(timeoutMs, () => storage.get(KEY));
      return problem === undefined ? (value ?? { requests: 0, tokens_saved: 0 }) : undefined;
    },
  };
}
