/**
 * The rehearsal: a made-up request through every stage, so that the first real one need not wait for compilation. It must
 * not be noticed in any other way.
 */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

import { loadFreshCore } from "../../js-shim/core.js";
import { prune } from "../../js-shim/prune.js";
import { rehearse } from "../../js-shim/rehearsal.js";
import { eventOf } from "./events.js";
import { stage } from "./stage.js";

/** Longer than the plugin waits before it rehearses. */
const REHEARSED_MS = 150;

const now = () => performance.now();

/** A core that counts the requests it begins with. */
async function counting() {
  const core = await loadFreshCore();
  /** @type {string[]} */
  const sessions = [];
  /** @type {typeof core["prune"]} */
  const noted = (snapshot, call) => {
    sessions.push(snapshot.session);
    return core.prune(snapshot, call);
  };
  return { core: { ...core, prune: noted }, sessions };
}

describe("a rehearsal", () => {
  test("plays requests of a session of its own", async () => {
    const { core, sessions } = await counting();
    const { config } = core.resolveOptions({ jev_api_key: "sk-test" }, {});
    await rehearse(core, config, now);
    assert.ok(sessions.length > 0);
    assert.deepEqual(new Set(sessions), new Set(["opencode-jev-pruner rehearsal"]));
  });

  test("prunes in what it plays: tools, skills and instructions go through every stage", async () => {
    const core = await loadFreshCore();
    /** @type {any[]} */
    const changes = [];
    /** @type {typeof core["prune"]} */
    const noted = (snapshot, call) => {
      const pruning = core.prune(snapshot, call);
      const change = pruning.change.bind(pruning);
      return Object.assign(pruning, {
        change: () => {
          const made = change();
          changes.push(made);
          return made;
        },
      });
    };
    const { config } = core.resolveOptions({ jev_api_key: "sk-test" }, {});
    await rehearse({ ...core, prune: noted }, config, now);
    assert.ok(changes.every((change) => change !== undefined && change.edits.length > 0), JSON.stringify(changes));
  });

  test("does nothing once a real request has come", async () => {
    const { core, sessions } = await counting();
    const { config } = core.resolveOptions({ jev_api_key: "sk-test" }, {});
    const ask = async () => ({ status: 200, body: '{"answers":{}}' });
    await prune(core, eventOf({}), { config, ask, now });
    await rehearse(core, config, now);
    assert.equal(sessions.length, 1);
  });

  test("is played after setup, and asks nobody and tells nobody", async (t) => {
    const { core, sessions } = await counting();
    const { jev, reports, warned, printed } = await stage(t, { parts: { load: () => core, rehearse: true } });
    await sleep(REHEARSED_MS);
    assert.ok(sessions.length > 0);
    assert.deepEqual([jev.requests.length, reports, warned, printed], [0, [], [], []]);
  });
});
