/**
 * The plugin as OpenCode finds it: the package's own entry, loaded by the host with the module that ships and the `fetch`
 * of the platform.
 */

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import * as entry from "../../index.js";
import { startFakeJev } from "../fake-jev/server.js";
import { MiniHost, SAMPLE_SERVERS, SAMPLE_SKILLS } from "../mini-host/index.js";
import { shown } from "./reading.js";
import { scriptOf } from "./scores.js";
import { KEY } from "./stage.js";

/** @import { TestContext } from "node:test" */
/** @import { Scores } from "./scores.js" */

let sessions = 0;

/**
 * A host with the plugin, as a user has it; all share the one module of this process.
 * @param {TestContext} t @param {Scores} scores @param {Record<string, unknown>} [options]
 */
async function loaded(t, scores, options) {
  const jev = await startFakeJev({ port: 0, score: scriptOf(scores) });
  t.after(() => jev.close());
  const host = new MiniHost({ servers: SAMPLE_SERVERS, skills: SAMPLE_SKILLS });
  host.sessionID = `ses_loading_${++sessions}`;
  const given = { jev_api_key: KEY, jev_endpoint: jev.url, jev_timeout_ms: 5000, ...options };
  await host.load(entry, given);
  return { host, jev, reload: () => host.load(entry, given) };
}

describe("the package's entry", () => {
  test("has the plugin as its default export", () => {
    assert.equal(entry.default.id, "opencode-jev-pruner");
    assert.equal(typeof entry.default.setup, "function");
  });

  test("prunes when the host loads it", async (t) => {
    const { host } = await loaded(t, { servers: { postgres: 1 }, skills: { "query-tuning": 1 } });
    const { after, violations } = await host.prompt("Why is this query slow?");
    const left = shown(after);
    assert.deepEqual([Object.keys(left.namespaces), left.skills, violations], [["postgres"], ["query-tuning"], []]);
  });

  test("has no hooks left after it was unloaded", async (t) => {
    const { host, jev } = await loaded(t, {});
    await host.unload();
    const { touched } = await host.prompt("Why is this query slow?");
    assert.deepEqual([touched.system, jev.requests.length], [false, 0]);
  });

  test("can be loaded again", async (t) => {
    const { host, reload } = await loaded(t, {});
    await host.unload();
    await reload();
    const { after } = await host.prompt("Why is this query slow?");
    assert.deepEqual(shown(after).skills, []);
  });

  test("serves two projects, each by its own options", async (t) => {
    const first = await loaded(t, {}, { prune_skills: false });
    const second = await loaded(t, {}, { prune_mcp_tools: false });
    second.host.sessionID = first.host.sessionID;
    const [one, two] = await Promise.all([first.host.prompt("Go on"), second.host.prompt("Go on")]);
    assert.deepEqual([shown(one.after).skills.length, shown(two.after).skills.length], [SAMPLE_SKILLS.length, 0]);
    assert.deepEqual(shown(one.after).instructions, []);
    assert.ok(shown(two.after).instructions.length > 0);
  });

  test("asks each project's own endpoint", async (t) => {
    const [first, second] = [await loaded(t, {}), await loaded(t, { otherwise: 1 })];
    second.host.sessionID = first.host.sessionID;
    const [one, two] = await Promise.all([first.host.prompt("Go on"), second.host.prompt("Go on")]);
    assert.deepEqual([shown(one.after).skills.length, shown(two.after).skills.length], [0, SAMPLE_SKILLS.length]);
  });
});
