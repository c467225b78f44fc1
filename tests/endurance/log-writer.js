/**
 * A process of its own that writes so many lines to a debug log: `node log-writer.js FILE NAME COUNT`. Some are longer than
 * what Node writes at once.
 */

import { openDebugLog } from "../../js-shim/debug-log.js";

const [, , file = "", name, count] = process.argv;
const log = openDebugLog({ file, warn: (text) => console.error(text) });
for (let at = 0; at < Number(count); at++) {
  log.write("report", { name, at, text: "x".repeat(at % 50 === 0 ? 700_000 : 10 * (at % 40)) });
  if (at % 7 === 0) await log.flushed();
}
await log.flushed();
