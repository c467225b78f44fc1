/**
 * OpenCode 1.18 takes no messages from a plugin (`fixedMessages`), so whatever a later prompt needs is shown where the
 * host has it, however long the text. Its hooks are called here as that host calls them.
 */

import assert from "node:assert/strict";
import { test } from "node:test";

import { loadFreshCore } from "../../js-shim/core.js";
import { server } from "../../js-shim/legacy.js";
import { startFakeJev } from "../fake-jev/server.js";
import { renderSkillsV1 } from "../mini-host/index.js";
import { scriptOf } from "../plugin/scores.js";
import { CAPTIONS, FORMS, LONG, SLIDES } from "./inventory.js";

/** @import { TestContext } from "node:test" */
/** @import { Scores } from "../plugin/scores.js" */

const SKILLS = [FORMS, CAPTIONS, SLIDES].map((skill) => ({ ...skill, location: `/skills/${skill.id}/SKILL.md` }));
const SYSTEM = `${LONG}<env>\n  Working directory: /project\n</env>\n${renderSkillsV1(SKILLS)}`;

/** @param {TestContext} t @param {Scores} scores can change */
async function started(t, scores) {
  const jev = await startFakeJev({ port: 0, score: (question, state, id) => scriptOf(scores)(question, state, id) });
  t.after(() => jev.close());
  const core = await loadFreshCore();
  const client = { mcp: { status: async () => ({ data: {} }) } };
  const options = { jev_api_key: "sk-test", jev_endpoint: jev.url, jev_timeout_ms: 5000 };
  /** @type {any} */
  const hooks = await server({ client, directory: "/project" }, options, { load: () => core });
  /** @type {any[]} */
  const history = [];
  return {
    jev,
    /** What the host sends for a prompt. @param {string} text */
    async prompt(text) {
      const info = { id: `msg_${history.length}`, role: "user", sessionID: "ses_1" };
      history.push({ info, parts: [{ type: "text", text }] });
      const output = { messages: structuredClone(history), system: [SYSTEM] };
      await hooks["experimental.chat.messages.transform"]({}, output);
      await hooks["experimental.chat.system.transform"]({ sessionID: "ses_1" }, output);
      const others = output.messages.map(({ info: { id, role }, parts }) => ({ id, role, parts }));
      return { system: String(output.system[0]), messages: others };
    },
    /** The same of the history alone. */
    stored: () => history.map(({ info: { id, role }, parts }) => ({ id, role, parts })),
  };
}

test("in OpenCode 1.18 nothing is told in a message, and all that is needed stands in the system text", async (t) => {
  /** @type {Scores} */
  const scores = { skills: { "The forms": 1 } };
  const host = await started(t, scores);
  const first = await host.prompt("Fill in the form for the parcel, please, all of it");
  assert.deepEqual([/<name>The forms/, /<name>The captions/].map((name) => name.test(first.system)), [true, false]);
  scores.skills = { "The captions": 1 };
  const second = await host.prompt("Caption the film of the parcel, please, all of it");
  for (const name of [/<name>The forms/, /<name>The captions/]) assert.match(second.system, name);
  assert.deepEqual(second.messages, host.stored());
});

test("in OpenCode 1.18 a prompt that needs nothing more brings the same bytes", async (t) => {
  const host = await started(t, { skills: { "The forms": 1 } });
  const first = await host.prompt("Fill in the form for the parcel, please, all of it");
  const second = await host.prompt("Fill in the other form for the parcel, please");
  assert.equal(second.system, first.system);
});
