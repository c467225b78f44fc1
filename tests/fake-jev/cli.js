#!/usr/bin/env node
/**
 * Runs the System One stand-in by hand, to try a plugin without a key. The server itself is server.js.
 */

import { parseArgs } from "node:util";

import { FAULT_KINDS, isFaultKind } from "./faults.js";
import { startFakeJev } from "./server.js";

const HELP = `Answers System One requests by word overlap, without a model. Any key will do.

  --port N        default 8787; 0 takes any free port
  --latency MS    wait before every reply
  --status CODE   reply with this status instead of an answer
  --missing RATE  leave out this share of the answers, 0 to 1
  --broken KIND   ${FAULT_KINDS.join(", ").replace(/(.{60,80}?,) /g, "$1\n                  ")}
  --key K         serve only requests with "Authorization: Bearer K"; without it any key will do
  --help          print this and end
`;

/**
 * @param {string} message
 * @param {number} code
 * @returns {never}
 */
function end(message, code) {
  console.error(`[fake-jev] ${message}`);
  process.exit(code);
}

function readFlags() {
  const text = /** @type {const} */ ({ type: "string" });
  try {
    return parseArgs({
      options: {
        port: text,
        latency: text,
        status: text,
        missing: text,
        broken: text,
        key: text,
        help: { type: "boolean" },
      },
    }).values;
  } catch (error) {
    // The first sentence names the flag; what follows is advice on positional arguments.
    return end(`${/** @type {Error} */ (error).message.split(". ")[0]}. See --help.`, 2);
  }
}

/**
 * @param {string} flag
 * @param {string | undefined} value
 * @param {number} most
 * @param {{ whole?: boolean, least?: number }} [options]
 */
function numberOf(flag, value, most, { whole = true, least = 0 } = {}) {
  if (value === undefined) return undefined;
  const number = value.trim() === "" ? NaN : Number(value);
  if (!(number >= least && number <= most) || (whole && !Number.isInteger(number))) {
    return end(
      `--${flag} takes a ${whole ? "whole " : ""}number from ${least} to ${most}, not "${value}". See --help.`,
      2,
    );
  }
  return number;
}

const flags = readFlags();
if (flags.help) {
  process.stdout.write(HELP);
  process.exit(0);
}
const { broken } = flags;
if (broken !== undefined && !isFaultKind(broken))
  end(`--broken takes one of ${FAULT_KINDS.join(", ")}, not "${broken}".`, 2);
const port = numberOf("port", flags.port, 65_535) ?? 8787;
const settings = {
  latency: numberOf("latency", flags.latency, 600_000),
  status: numberOf("status", flags.status, 599, { least: 200 }),
  missing: numberOf("missing", flags.missing, 1, { whole: false }),
  broken,
  key: flags.key,
};

const fake = await startFakeJev({ port, ...settings }).catch((/** @type {NodeJS.ErrnoException} */ error) =>
  end(
    error.code === "EADDRINUSE"
      ? `Port ${port} is in use. Choose another with --port.`
      : `Cannot listen on port ${port}: ${error.message}`,
    1,
  ),
);
console.log(`[fake-jev] listening on ${fake.url}`);
for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM"])) {
  process.once(signal, () => void fake.close().then(() => process.exit(0)));
}
