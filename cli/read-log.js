// Reads debug logs of any size, line by line, in constant memory. A line that is damaged is counted and skipped.
import { createReadStream, statSync } from "node:fs";
import { UsageError } from "./args.js";

/** A line longer than this is not the plugin's: a report of 10,000 tools has some two million characters. */
const MAX_LINE_BYTES = 64 << 20;
const MAX_TOLD = 5;
const NEWLINE = 10;

/**
 * @typedef {Record<string, any> & { event: string, time?: string }} Entry
 * @typedef {{ entry: Entry, text: string }} Line `text` is the entry as it stands in the log
 */

/** What was wrong with lines, for a person. */
export class Damage {
  count = 0;
  /** The first few. @type {string[]} */
  places = [];

  /** @param {string} place */
  add(place) {
    this.count += 1;
    if (this.places.length < MAX_TOLD) this.places.push(place);
  }

  /** @returns {string | undefined} */
  words() {
    if (this.count === 0) return undefined;
    const more = this.count > this.places.length ? ", ..." : "";
    return `${this.count} damaged ${this.count === 1 ? "line was" : "lines were"} skipped: ${this.places.join("; ")}${more}`;
  }
}

/**
 * Hands over every entry of these logs, in order.
 * @param {string[]} files @param {(line: Line) => void} take
 * @param {{ progress?: (done: number, of: number) => void }} [options] told in bytes; `of` is 0 where nobody knows
 * @returns {Promise<Damage>}
 */
export async function readLogs(files, take, { progress = progressLine() } = {}) {
  const damage = new Damage();
  const of = files.reduce((sum, file) => sum + sizeOf(file), 0);
  let done = 0;
  for (const file of files) {
    const lines = lineReader(file, files.length > 1, take, damage);
    try {
      for await (const chunk of file === "-" ? process.stdin : createReadStream(file, { highWaterMark: 1 << 20 })) {
        lines.add(chunk);
        done += chunk.length;
        progress(done, of);
      }
    } catch (error) {
      throw new UsageError(`${file} cannot be read (${/** @type {NodeJS.ErrnoException} */ (error).code ?? error})`);
    }
    lines.end();
  }
  progress(of, of);
  return damage;
}

/**
 * Cuts chunks into lines.
 * @param {string} file @param {boolean} isOneOfMany @param {(line: Line) => void} take @param {Damage} damage
 */
function lineReader(file, isOneOfMany, take, damage) {
  let number = 0;
  /** The beginning of a line whose end is yet to come. @type {Buffer[]} */
  let open = [];
  let length = 0;
  const place = () => `line ${number}${isOneOfMany ? ` of ${file}` : ""}`;

  /** @param {Buffer} piece */
  function keep(piece) {
    length += piece.length;
    if (length <= MAX_LINE_BYTES) open.push(piece);
    else open = [];
  }

  function finish() {
    number += 1;
    const text = open.length === 1 && open[0] ? open[0].toString("utf8") : Buffer.concat(open).toString("utf8");
    const isTooLong = length > MAX_LINE_BYTES;
    open = [];
    length = 0;
    if (isTooLong) return damage.add(`${place()} is longer than ${MAX_LINE_BYTES >> 20} MB`);
    if (text.trim() === "") return;
    const entry = parsed(text);
    if (typeof entry === "string") damage.add(`${place()} ${entry}`);
    else take({ entry, text });
  }

  return {
    /** @param {Buffer} chunk */
    add(chunk) {
      let from = 0;
      for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
        keep(chunk.subarray(from, at));
        finish();
        from = at + 1;
      }
      if (from < chunk.length) keep(chunk.subarray(from));
    },
    end() {
      if (length > 0) finish();
    },
  };
}

/** @param {string} text @returns {Entry | string} what is wrong with it */
function parsed(text) {
  try {
    const entry = JSON.parse(text);
    if (typeof entry?.event !== "string") return "is no entry of the plugin's log";
    return entry.event === "report" ? tidied(entry) : entry;
  } catch {
    return "is not JSON";
  }
}

/**
 * A report that holds what the commands expect and nothing else: lists of candidates whose scores are numbers, and figures
 * that are numbers. What is not of its kind is as if it were not there, since one odd line must not spoil all sums.
 * @param {any} report @returns {Entry}
 */
function tidied(report) {
  const list = (/** @type {unknown} */ value, /** @type {(item: any) => boolean} */ fits) => (Array.isArray(value) ? value.filter(fits) : []);
  const candidates = KINDS.map((name) => [name, list(report[name], isCandidate).map(tidiedCandidate)]);
  const { servers, tools_and_skills } = isRecord(report.thresholds) ? report.thresholds : {};
  return {
    ...report,
    ...Object.fromEntries(candidates),
    errors: list(report.errors, isRecord),
    stats: isRecord(report.stats) ? Object.fromEntries(Object.entries(report.stats).filter(([name, value]) => isFigure(value) || (KINDS.includes(name) && isRecord(value)))) : {},
    history: isRecord(report.history) && isNumber(report.history.tokens_saved) ? report.history : undefined,
    removed: { ...(isRecord(report.removed) && report.removed), mcp_instructions: list(report.removed?.mcp_instructions, (name) => typeof name === "string") },
    thresholds: isNumber(servers) && isNumber(tools_and_skills) ? report.thresholds : undefined,
  };
}

const KINDS = ["servers", "tools", "skills"];

/** @param {any} value */
const isRecord = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
const isNumber = Number.isFinite;
/** @param {any} value */
const isFigure = (value) => isNumber(value) || typeof value === "boolean";
/** @param {any} item */
const isCandidate = (item) => isRecord(item) && [item.name, item.reason, item.decision].every((text) => typeof text === "string");

/** @param {any} candidate */
const tidiedCandidate = ({ score, chars, ...candidate }) => ({ ...candidate, score: isNumber(score) ? score : null, chars: isNumber(chars) ? chars : 0 });

/** @param {string} file */
function sizeOf(file) {
  if (file === "-") return 0;
  try {
    return statSync(file).size;
  } catch {
    // Opening it will say why.
    return 0;
  }
}

/** Tells a person at a terminal how far it is, once it takes long enough to ask. */
function progressLine() {
  const stream = process.stderr;
  const started = Date.now();
  let told = started;
  let isShown = false;
  return (/** @type {number} */ done, /** @type {number} */ of) => {
    if (!stream.isTTY) return;
    const now = Date.now();
    if (done >= of && isShown) stream.write("\r\x1b[K");
    if (done >= of || now - told < 250 || now - started < 1000) return;
    told = now;
    isShown = true;
    stream.write(`\r[${Math.floor((100 * done) / of)}% of ${(of / 1e6).toFixed(0)} MB] `);
  };
}
