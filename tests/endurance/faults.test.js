/**
 * The network at its worst: 2,000 random requests (`npm run test:faults`; 300 in `npm test`) through a proxy that delays,
 * cuts, garbles and redirects. Every event is either pruned by one whole plan or the very same as before.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

import { loadFreshCore } from "../../js-shim/core.js";
import { startFakeJev } from "../fake-jev/server.js";
import { sanitise } from "../mini-host/index.js";
import { oneOf, randomBy } from "../sessions/random.js";
import { readTranscript } from "../sessions/reader.js";
import { RULES, verdictsOf } from "../sessions/rules.js";
import { FULL, KEY, hostWith, prompt, servers, skills } from "./inventory.js";
import { FAULTS, startProxy } from "./proxy.js";

/** @import { Server, Step } from "../mini-host/types.js" */
/** @import { Rendering } from "../mini-host/catalog.js" */

const REQUESTS = FULL ? 2000 : 300;
const AT_ONCE = 10;
const SLOW_MS = 400;
const SEED = Number(process.env.JEV_PRUNER_SEED ?? 1);

/** @type {unknown[]} */
const unhandled = [];
process.on("unhandledRejection", (reason) => unhandled.push(reason));

/** What is wrong with a request after the plugin. @param {Step} step @param {any} report @param {Server[]} offered @returns {string[]} */
function complaints(step, report, offered) {
  const { touched } = step;
  if (!report.applied) {
    const isTouched = touched.system || touched.messages || touched.tools;
    return isTouched ? ["it says that nothing was changed, and something was"] : [];
  }
  if (report.errors?.length > 0) return ["it was changed although Jev failed"];
  const native = offered.filter(({ codemode }) => codemode === false);
  const seen = {
    step,
    before: readTranscript(step.before),
    after: readTranscript(step.after),
    verdicts: verdictsOf(report),
    known: verdictsOf(report),
    native: new Set(native.flatMap(({ name, tools }) => tools.map((tool) => `${sanitise(name)}.${sanitise(tool.name)}`))),
    registered: new Map(),
    rewritten: 0,
  };
  return Object.entries(RULES).flatMap(([rule, check]) => check(seen, undefined).map((what) => `${rule}: ${what}`));
}

test(`${REQUESTS} requests through a network that fails in ${Object.keys(FAULTS).length - 1} ways (seed ${SEED})`, { timeout: 580_000 }, async (t) => {
  const random = randomBy(SEED);
  const fake = await startFakeJev({ port: 0 });
  const proxy = await startProxy({ target: fake.url, slowMs: SLOW_MS, random });
  t.after(async () => {
    await proxy.close();
    await fake.close();
  });
  const core = await loadFreshCore();
  const { warn, error } = console;
  /** @type {string[]} */
  const printed = [];
  const note = (/** @type {unknown[]} */ ...words) => void printed.push(words.join(" "));
  Object.assign(console, { warn: note, error: note });
  t.after(() => Object.assign(console, { warn, error }));
  const outcomes = { pruned: 0, untouched: 0, failed: 0 };
  const options = { jev_endpoint: proxy.url, jev_timeout_ms: SLOW_MS, refill_catalog: false, recovery_hint: false };

  /** @param {number} worker */
  async function work(worker) {
    const rendering = oneOf(/** @type {Rendering[]} */ (["v4", "v3", "v2", "v1c"]), random);
    const offered = servers(1 + Math.floor(9 * random()), random);
    const { host, reports } = await hostWith(core, {
      host: { servers: offered, skills: skills(Math.floor(20 * random())), rendering, budget: Infinity },
      options,
    });
    for (let at = 0; at < REQUESTS / AT_ONCE; at++) {
      host.sessionID = `ses_${worker}_${at}`;
      const step = await host.prompt(prompt(random));
      const report = reports.at(-1);
      const wrong = complaints(step, report, offered);
      assert.deepEqual(wrong, [], `worker ${worker}, request ${at}`);
      if (report.errors?.length > 0) outcomes.failed += 1;
      else outcomes[report.applied ? "pruned" : "untouched"] += 1;
      assert.ok(!JSON.stringify([report, printed]).includes(KEY), "the key was told");
    }
    assert.deepEqual(host.violations, []);
    await host.unload();
  }

  await Promise.all(Array.from({ length: AT_ONCE }, (_, worker) => work(worker)));
  t.diagnostic(`${JSON.stringify(outcomes)}; replies: ${JSON.stringify(Object.fromEntries(proxy.done))}`);

  await t.test("came to all ends, by all faults", () => {
    assert.deepEqual([...proxy.done.keys()].sort(), Object.keys(FAULTS).sort());
    assert.ok(outcomes.pruned > REQUESTS / 10 && outcomes.failed > REQUESTS / 10, JSON.stringify(outcomes));
  });
  await t.test("left no rejection unhandled", () => assert.deepEqual(unhandled, []));
  await t.test("told the other host nothing, least of all the key", () => assert.deepEqual(proxy.seenElsewhere, []));
  await t.test("left no connection", async () => {
    // A connection that is kept for the next request is closed after some seconds.
    for (let waited = 0; waited < 15_000 && (await proxy.connections()) > 0; waited += 200) await sleep(200);
    assert.equal(await proxy.connections(), 0);
  });
});
