// One request of OpenCode 1.18 is one report, though its history and its lists come by two hooks, each of which the core
// reports on. What it says of the history waits for what it says of the lists; where that does not come, as in a
// compaction, it is told alone.
import { isObject, isText } from "./values.js";

/** Between the two hooks the host reads files and connects, which took over two seconds at a first prompt. */
const WAIT_MS = 15_000;

/**
 * @typedef {{ log: import("./debug-log.js").Log, print: (text: string) => void }} Telling
 * @typedef {{ told: (() => void)[], report?: any, text?: string, timer: ReturnType<typeof setTimeout> }} Held
 */

/** @param {Telling} telling */
export function inOneReport({ log, print }) {
  /** By session. @type {Map<string, Held>} */
  const held = new Map();

  /** @param {string} session @returns {Held | undefined} */
  function take(session) {
    const taken = held.get(session);
    clearTimeout(taken?.timer);
    held.delete(session);
    return taken;
  }

  /** @param {string} session */
  const tellAlone = (session) => take(session)?.told.forEach((tell) => tell());

  return {
    /** @param {string} session @returns {Telling} for the history of a request */
    ofHistory(session) {
      tellAlone(session);
      const timer = setTimeout(() => tellAlone(session), WAIT_MS);
      timer.unref?.();
      /** @type {Held} */
      const waiting = { told: [], timer };
      held.set(session, waiting);
      return {
        log(event, fields) {
          // What went wrong is told when it does.
          if (event === "error") return log(event, fields);
          waiting.told.push(() => log(event, fields));
          if (event === "report") waiting.report = fields;
        },
        print(text) {
          waiting.told.push(() => print(text));
          waiting.text = text;
        },
      };
    },

    /** @param {string} session @returns {Telling} for the lists of the same request */
    ofLists(session) {
      // Others of this session may begin while this one asks.
      const waiting = take(session);
      return {
        log: (event, fields) => log(event, event === "report" ? withHistory(fields, waiting?.report) : fields),
        print: (text) => print([text, ...linesOfHistory(waiting?.text)].join("\n")),
      };
    },
  };
}

/** @param {any} report @param {any} ofHistory */
function withHistory(report, ofHistory) {
  if (!isObject(ofHistory?.history)) return report;
  const stats = { ...report.stats };
  for (const name of ["ms_total", "ms_rust", "ms_parse"]) stats[name] = (stats[name] ?? 0) + (ofHistory.stats?.[name] ?? 0);
  return { ...report, applied: report.applied || ofHistory.applied, history: ofHistory.history, stats };
}

/** @param {string | undefined} text */
const linesOfHistory = (text) => (isText(text) ? text.split("\n").filter((line) => line.startsWith("  history: ")) : []);
