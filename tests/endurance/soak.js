/**
 * A process of its own that sends so many requests through the plugin and tells what is left of them, as one line of JSON:
 * `node --expose-gc soak.js COUNT`. Sessions come and go, replies fail now and then.
 */

import { loadCore } from "../../js-shim/core.js";
import { startFakeJev } from "../fake-jev/server.js";
import { oneOf, randomBy } from "../sessions/random.js";
import { hostWith, prompt, servers, skills } from "./inventory.js";

const requests = Number(process.argv[2]);
const AT_ONCE = 10;
const STEPS_A_SESSION = 5;
const random = randomBy(3);
const fake = await startFakeJev({ port: 0 });
const core = loadCore();
const options = { jev_endpoint: fake.url, jev_timeout_ms: 5000, refill_catalog: false };
console.warn = () => {};

/** What is alive now, in bytes. */
function alive() {
  // Twice, since what finalizers let go is collected only then.
  for (let run = 0; run < 2; run++) /** @type {any} */ (globalThis).gc();
  const { heapUsed, external, rss } = process.memoryUsage();
  return { heap: heapUsed, external, rss };
}

/** Requests one after the other, in sessions of a few. @param {number} worker @param {number} count */
async function work(worker, count) {
  let sent = 0;
  for (let session = 0; sent < count; session++) {
    // A host forgets its sessions too, so that only what the plugin keeps is measured.
    const { host } = await hostWith(core, { host: { servers: servers(6, random), skills: skills(15), budget: Infinity }, options });
    host.sessionID = `ses_${worker}_${session}_${count}`;
    for (let step = 0; step < STEPS_A_SESSION && sent < count; step++, sent++) {
      fake.settings.status = random() < 0.05 ? oneOf([429, 500, 401], random) : undefined;
      if (step % 2 === 0) await host.prompt(prompt(random));
      else await host.step();
      fake.requests.length = 0;
    }
    await host.unload();
  }
}

/** @param {number} count */
const all = (count) => Promise.all(Array.from({ length: AT_ONCE }, (_, worker) => work(worker, count / AT_ONCE)));

// What is remembered on purpose has its limits; they are reached first.
const before = Math.round(0.3 * requests);
await all(before);
const first = alive();
await all(requests - before);
const second = alive();
await fake.close();
console.log(JSON.stringify({ requests, first, second, at: Date.now() }));
