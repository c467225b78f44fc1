/**
 * The requests of a session that no prompt of its own begins: steps, warming, generated texts, summaries, and those of
 * child sessions. What they may ask and what they bring.
 */

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { CAPTIONS, DESK, FORMS, LONG, MAPS, NOTES, PILOT, RENDERINGS, SLIDES, skill } from "./inventory.js";
import { play } from "./session.js";

/** @import { TestContext } from "node:test" */
/** @import { HostOptions } from "../mini-host/host.js" */
/** @import { Played } from "./session.js" */

const SCORES = { "server maps": 1, "tool maps.route": 1, "skill forms": 1 };

/** All that a provider's cache is of, before the conversation. @param {Played} played */
const beginning = ({ step }) => ({ system: step.after.system, tools: step.after.tools });
/** @param {Played} played */
const told = ({ step }) => step.after.messages.filter(({ role }) => role === "system");

for (const rendering of ["V4, complete", "V2, partial", "V1c, complete"]) {
  /** @param {TestContext} t @param {HostOptions} [more] */
  const start = (t, more) =>
    play(t, {
      servers: [DESK, MAPS, PILOT],
      skills: [FORMS, CAPTIONS],
      ...RENDERINGS[rendering],
      basePrompt: LONG,
      ...more,
      scores: { ...SCORES },
    });

  describe(`with a catalog in ${rendering}`, () => {
    test("the steps of a turn bring the same bytes, and ask nothing", async (t) => {
      const session = await start(t);
      const first = await session.prompt("Where is the next post box?");
      session.host.assistant("", [{ id: "call_1", name: "execute", input: { code: "1 + 1" } }]);
      session.host.toolResult({ id: "call_1", name: "execute", value: "2" });
      session.scores = { otherwise: 1 };
      const next = await session.step();
      assert.deepEqual(beginning(next), beginning(first));
      assert.deepEqual(next.asked, []);
    });

    test("warming brings the same bytes, and asks nothing", async (t) => {
      const session = await start(t);
      const first = await session.prompt("Where is the next post box?");
      session.scores = { otherwise: 1 };
      const warmed = await session.warm();
      assert.deepEqual(beginning(warmed), beginning(first));
      assert.deepEqual(warmed.step.after.messages.slice(0, -1), first.step.after.messages);
      assert.deepEqual(warmed.asked, []);
    });

    for (const [hook, call] of /** @type {const} */ ([
      [
        "a generated text",
        (/** @type {import("./session.js").Session} */ session) => session.generate("Name this session"),
      ],
      ["a summary", (/** @type {import("./session.js").Session} */ session) => session.summarise()],
    ])) {
      test(`${hook} brings the bytes of the last decision, and asks nothing`, async (t) => {
        const session = await start(t);
        const first = await session.prompt("Where is the next post box?");
        session.scores = { otherwise: 1 };
        const played = await call(session);
        assert.deepEqual(beginning(played), beginning(first));
        assert.deepEqual(played.asked, []);
      });

      test(`after ${hook} the next step of the turn asks nothing and brings the same bytes`, async (t) => {
        const session = await start(t);
        const first = await session.prompt("Where is the next post box?");
        session.scores = { otherwise: 1 };
        await call(session);
        const next = await session.step();
        assert.deepEqual(next.asked, []);
        assert.deepEqual(beginning(next), beginning(first));
      });

      test(`${hook} asks nothing about a server that came since, and the next prompt does`, async (t) => {
        const session = await start(t);
        await session.prompt("Where is the next post box?");
        session.host.servers = [...session.host.servers, NOTES];
        const played = await call(session);
        assert.deepEqual(played.asked, []);
        const next = await session.prompt("Go on");
        assert.ok(next.asked.includes("server notes"), `asked were ${next.asked}`);
        assert.equal(next.verdicts.get("server notes"), "prune");
      });

      test(`${hook} brings nothing back that is hidden and says something else since`, async (t) => {
        const session = await start(t);
        const first = await session.prompt("Where is the next post box?");
        session.host.skills = [FORMS, skill("captions", "Other words.")];
        session.host.servers = [{ ...DESK, instructions: "Other words." }, MAPS, PILOT];
        const played = await call(session);
        assert.deepEqual(played.asked, []);
        assert.deepEqual(beginning(played), beginning(first));
      });
    }

    test("a generated text asks where there is no decision yet", async (t) => {
      const session = await start(t);
      const played = await session.generate("Where is the next post box?");
      assert.ok(played.asked.includes("server maps"));
      assert.equal(played.verdicts.get("server page-pilot"), "prune");
    });

    test("a child session decides for itself, and the parent's bytes stay", async (t) => {
      const session = await start(t);
      const parent = await session.prompt("Where is the next post box?");
      session.host.sessionID = "ses_child";
      session.scores = { "server page-pilot": 1, "tool page-pilot.click": 1 };
      const child = await session.prompt("Click on it");
      assert.deepEqual(
        child.asked.filter((subject) => subject.startsWith("server")),
        parent.asked.filter((subject) => subject.startsWith("server")),
      );
      assert.equal(child.verdicts.get("server page-pilot"), "keep");
      assert.equal(child.verdicts.get("server maps"), "prune");
      session.host.sessionID = "ses_1";
      assert.deepEqual(beginning(await session.step()), beginning(parent));
    });

    test("a restatement that a later one supersedes is cut once the beginning changes, and stays cut", async (t) => {
      const session = await start(t);
      await session.prompt("Where is the next post box?");
      for (const words of ["Other words.", "Yet other words."]) {
        session.host.servers = [DESK, { ...MAPS, instructions: words }, PILOT];
        await session.prompt(words);
      }
      const restated = (/** @type {Played} */ played) => JSON.stringify(told(played)).match(/have changed\./g)?.length;
      session.scores = { ...SCORES, "skill captions": 1 };
      // What is told of changes nothing that was sent before.
      assert.equal(restated(await session.prompt("Caption it")), 2);
      // A tool of the tool map cannot be told of.
      session.scores = { ...SCORES, "server page-pilot": 1, "tool page-pilot.click": 1 };
      assert.equal(restated(await session.prompt("Click on it")), 1);
      assert.equal(restated(await session.prompt("Go on")), 1);
    });

    test("what was told in a message of ours stands where the host has it once the beginning changes", async (t) => {
      const session = await start(t);
      await session.prompt("Where is the next post box?");
      session.scores = { ...SCORES, "skill captions": 1 };
      const played = await session.prompt("Caption it");
      assert.deepEqual(played.after.told.filter(({ ours }) => ours).map(({ items }) => items.map(({ name }) => name)), [
        ["captions"],
      ]);
      session.scores = { ...SCORES, "server page-pilot": 1, "tool page-pilot.click": 1 };
      const next = await session.prompt("Click on it");
      assert.deepEqual(told(next), []);
      assert.match(JSON.stringify(next.step.after.system), /<id>captions</);
    });

    test("a restatement that a later one supersedes stays while only something new is shown", async (t) => {
      const session = await start(t);
      await session.prompt("Where is the next post box?");
      for (const words of ["Other words.", "Yet other words."]) {
        session.host.servers = [DESK, { ...MAPS, instructions: words }, PILOT];
        await session.prompt(words);
      }
      session.scores = { ...SCORES, "skill slides": 1 };
      session.host.skills = [FORMS, CAPTIONS, SLIDES];
      const played = await session.step();
      assert.equal(played.verdicts.get("skill slides"), "keep");
      assert.equal(JSON.stringify(told(played)).match(/have changed\. What follows/g)?.length, 2);
    });

    test("a compaction starts from scratch though the lists are the same", async (t) => {
      const session = await start(t);
      await session.prompt("Where is the next post box?");
      await session.summarise();
      await session.compact();
      session.scores = { "server page-pilot": 1, "tool page-pilot.click": 1 };
      const played = await session.prompt("Click on it");
      assert.equal(played.verdicts.get("server maps"), "prune");
      assert.equal(played.verdicts.get("tool page-pilot.click"), "keep");
    });

    test("a session that is deleted is forgotten", async (t) => {
      const session = await start(t);
      const first = await session.prompt("Where is the next post box?");
      session.host.emit("session.deleted", { sessionID: "ses_1" });
      await new Promise((resolve) => setImmediate(resolve));
      session.host.message({ role: "assistant", content: [{ type: "text", text: "There." }] });
      const { asked } = await session.step();
      assert.deepEqual(asked, first.asked);
    });
  });
}

describe("what nobody knows", () => {
  test("fields of an event pass by identity", async (t) => {
    const session = await play(t, { servers: [DESK, MAPS], skills: [FORMS], scores: SCORES });
    session.host.eventFields = { kind: "primary", options: { effort: "high" }, plan: new Map() };
    const { step } = await session.prompt("Where is the next post box?");
    assert.deepEqual([step.violations, step.touched.system], [[], true]);
  });

  test("parts pass by identity, also in a message of which a text is pruned", async (t) => {
    const session = await play(t, { servers: [DESK, MAPS], skills: [FORMS, CAPTIONS], scores: SCORES });
    const effort = { type: "effort", level: "high" };
    const compaction = { type: "compaction", opaque: { kept: [1, 2] } };
    await session.prompt("Where is the next post box?");
    const change =
      "New skills are available in addition to those previously listed:\n  <skill>\n    <id>zebra</id>\n    <name>Z</name>\n  </skill>";
    session.host.message({
      role: "system",
      content: [effort, { type: "text", text: `Today's date: x\n\n${change}` }, compaction],
    });
    session.host.message({ role: "user", content: [effort] });
    await session.prompt("Go on");
    const { messages } = session.events.at(-1);
    const [mixed, alone] = [messages[1], messages[2]];
    assert.deepEqual(mixed.content[1], { type: "text", text: "Today's date: x" });
    assert.ok(mixed.content[0] === effort && mixed.content[2] === compaction && alone.content[0] === effort);
  });

  test("a system message with nothing but unknown parts stays", async (t) => {
    const session = await play(t, { servers: [DESK, MAPS], skills: [FORMS], scores: SCORES });
    await session.prompt("Where is the next post box?");
    session.host.message({ role: "system", content: [{ type: "effort", level: "low" }] });
    const { step } = await session.prompt("Go on");
    assert.deepEqual(step.after.messages[1], { role: "system", content: [{ type: "effort", level: "low" }] });
  });
});
