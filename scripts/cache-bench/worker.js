/**
 * Measures sessions in a thread of its own, one after the other. run.js starts it.
 */

import { parentPort, workerData } from "node:worker_threads";

import { measure } from "./measure.js";
import { SESSIONS } from "./sessions.js";

parentPort?.on("message", async (/** @type {number} */ at) => {
  const outline = SESSIONS[at];
  if (!outline) throw new RangeError(`there is no session ${at}`);
  parentPort?.postMessage(await measure(outline, workerData));
});
