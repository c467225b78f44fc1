/**
 * Scripted sessions during which servers, tools, instructions and skills come, change and go, in every rendering. After
 * each request the rules of rules.js are held against what the model reads; what a test says beyond them is its own
 * fact.
 */

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { CAPTIONS, DESK, FORMS, MAPS, NOTES, PILOT, RENDERINGS, SLIDES, skill, tool } from "./inventory.js";
import { stateAfter } from "./reader.js";
import { play } from "./session.js";

/** @import { TestContext } from "node:test" */
/** @import { HostOptions } from "../mini-host/host.js" */
/** @import { Server } from "../mini-host/types.js" */
/** @import { Played, Scores } from "./session.js" */

const SERVERS = [DESK, MAPS, PILOT];
const SKILLS = [FORMS, CAPTIONS];
/** Of what is there from the start, `maps` is needed, and `forms`. @type {Scores} */
const SCORES = { "server maps": 1, "tool maps.route": 1, "tool maps.near": 1, "skill forms": 1 };
const NEED_NOTES = { "server notes": 1, "tool notes.add": 1, "tool notes.drop": 1, "tool notes.find": 1 };

/** What the model knows of. @param {Played} played */
const known = ({ after }) => {
  const { namespaces, servers, skills } = stateAfter(after.told);
  return { namespaces: [...namespaces.keys()].sort(), servers: [...servers.keys()].sort(), skills: [...skills].sort() };
};
/** The texts of the changes that are told. @param {Played} played */
const changes = ({ step }) =>
  step.after.messages.filter(({ role }) => role === "system").map(({ content }) => String(content[0]?.text));

for (const [rendering, host] of Object.entries(RENDERINGS)) {
  /** @param {TestContext} t @param {Scores} [scores] @param {HostOptions} [more] */
  const started = async (t, scores = {}, more = {}) => {
    const session = await play(t, {
      servers: SERVERS,
      skills: SKILLS,
      ...host,
      ...more,
      scores: { ...SCORES, ...scores },
    });
    const first = await session.prompt("Where is the next post box?");
    return { session, host: session.host, first };
  };

  describe(`with a catalog in ${rendering}`, () => {
    test("the model knows of what is needed alone", async (t) => {
      const { first } = await started(t);
      assert.deepEqual(known(first), { namespaces: ["maps"], servers: ["maps"], skills: ["forms"] });
    });

    test("a server that comes and is needed is told of", async (t) => {
      const { session, host } = await started(t, NEED_NOTES);
      host.servers = [...SERVERS, NOTES];
      assert.deepEqual(known(await session.prompt("Note that")).namespaces, ["maps", "notes"]);
    });

    test("of a server that comes and is not needed nothing is said", async (t) => {
      const { session, host } = await started(t);
      host.servers = [...SERVERS, NOTES, { ...DESK, name: "desk two" }];
      const played = await session.prompt("Go on");
      assert.deepEqual(known(played), { namespaces: ["maps"], servers: ["maps"], skills: ["forms"] });
    });

    test("a server that comes in the middle of a turn is asked about alone", async (t) => {
      const { session, host, first } = await started(t, NEED_NOTES);
      host.servers = [...SERVERS, NOTES];
      const { asked } = await session.step();
      assert.ok(asked.includes("server notes"));
      assert.deepEqual(
        asked.filter((subject) => first.asked.includes(subject)),
        [],
      );
    });

    test("a server that was needed and goes is told to be gone", async (t) => {
      const { session, host } = await started(t);
      host.servers = [DESK, PILOT];
      const played = await session.prompt("Go on");
      assert.deepEqual(known(played).servers, []);
      assert.ok(!known(played).namespaces.includes("maps"));
    });

    test("a hidden server that goes changes nothing before the change", async (t) => {
      const { session, host } = await started(t);
      host.servers = [MAPS, PILOT];
      await session.prompt("Go on");
    });

    test("a hidden server that goes and comes back stays hidden in the middle of a turn", async (t) => {
      const { session, host } = await started(t);
      host.servers = [MAPS, PILOT];
      await session.step();
      host.servers = SERVERS;
      const { asked } = await session.step();
      assert.deepEqual(asked, []);
    });

    test("when all servers go, nothing changes before that is told", async (t) => {
      const { session, host } = await started(t);
      host.servers = [];
      await session.prompt("Go on");
    });

    test("when everything goes, nothing changes before that is told", async (t) => {
      const { session, host } = await started(t);
      host.servers = [];
      host.skills = [];
      await session.prompt("Go on");
    });

    test("when code can no longer be run and can again, what was shown is shown", async (t) => {
      const { session, host, first } = await started(t);
      host.canExecute = false;
      await session.prompt("Go on");
      host.canExecute = true;
      const played = await session.prompt("And on");
      assert.deepEqual(known(played), known(first));
    });

    test("a hidden tool that says something else stays hidden when it is not needed", async (t) => {
      const { session, host } = await started(t, { "tool maps.near": 0 });
      host.servers = [DESK, { ...MAPS, tools: [tool("route"), tool("near", "In other words.")] }, PILOT];
      const played = await session.step();
      assert.doesNotMatch(played.after.texts.join("\n"), /In other words/);
    });

    test("a shown tool that says something else is told of in its new words", async (t) => {
      const { session, host } = await started(t);
      host.servers = [DESK, { ...MAPS, tools: [tool("route", "In other words."), { name: "near" }] }, PILOT];
      const played = await session.step();
      const told = played.before.texts.some((text) => text.includes("In other words"));
      assert.equal(
        played.after.texts.some((text) => text.includes("In other words")),
        told,
      );
      assert.deepEqual(
        played.asked.filter((subject) => subject.includes(" maps")),
        [],
      );
    });

    test("a shown server that gets a tool is not asked about, but the tool is", async (t) => {
      const { session, host } = await started(t);
      host.servers = [DESK, { ...MAPS, tools: [...MAPS.tools, { name: "a" }] }, PILOT];
      const { asked } = await session.step();
      assert.deepEqual(
        asked.filter((subject) => subject.includes(" maps")),
        ["tool maps.a"],
      );
    });

    test("a hidden server of which a sample shows other tools is not asked about again in a turn", async (t) => {
      const { session, host } = await started(t);
      host.servers = [DESK, { ...MAPS, tools: [...MAPS.tools, { name: "a" }, { name: "b" }] }, PILOT];
      const { asked } = await session.step();
      assert.deepEqual(
        asked.filter((subject) => !subject.includes(" maps")),
        [],
      );
    });

    test("instructions that are stated anew bring nothing hidden back and ask nothing", async (t) => {
      const { session, host } = await started(t);
      host.servers = [DESK, { ...MAPS, instructions: "Other words." }, PILOT];
      const played = await session.step();
      assert.deepEqual(known(played).servers, ["maps"]);
      assert.match(played.after.texts.join("\n"), /Other words/);
      assert.deepEqual(played.asked, []);
    });

    test("a skill that comes and is needed is told of, one that is not needed is not", async (t) => {
      const { session, host } = await started(t, { "skill slides": 1 });
      host.skills = [...SKILLS, SLIDES, skill("zebra")];
      const played = await session.prompt("Go on");
      assert.deepEqual(known(played).skills, ["forms", "slides"]);
    });

    test("of a skill that comes and is not needed nothing is said, not even in an empty message", async (t) => {
      const { session, host } = await started(t);
      host.skills = [...SKILLS, SLIDES];
      assert.deepEqual(changes(await session.prompt("Go on")), []);
    });

    test("skills that are stated anew bring nothing hidden back and ask about nothing else", async (t) => {
      const { session, host } = await started(t);
      host.skills = [skill("forms", "Other words."), CAPTIONS];
      const played = await session.step();
      assert.deepEqual(known(played).skills, ["forms"]);
      assert.deepEqual(played.asked, []);
    });

    test("a skill that is gone is told to be gone, hidden or not", async (t) => {
      const { session, host } = await started(t, {}, { skills: [...SKILLS, SLIDES] });
      host.skills = [SLIDES];
      const [told] = changes(await session.prompt("Go on"));
      assert.equal(told, "The following skill IDs are no longer available and must not be used: captions, forms.");
    });

    test("when all skills go and others come, they are told of without a word about a change", async (t) => {
      const { session, host } = await started(t, { "skill slides": 1 });
      host.skills = [];
      await session.prompt("Go on");
      host.skills = [SLIDES, skill("zebra")];
      assert.deepEqual(known(await session.prompt("And on")).skills, ["slides"]);
    });

    test("changes of all lists in one message are each pruned", async (t) => {
      const { session, host } = await started(t, { "skill slides": 1 });
      host.servers = [...SERVERS, { ...NOTES, instructions: "Short ones." }];
      host.skills = [...SKILLS, SLIDES];
      const played = await session.prompt("Go on");
      assert.deepEqual(known(played), { namespaces: ["maps"], servers: ["maps"], skills: ["forms", "slides"] });
    });

    test("text that is none of the lists' stays in the message that it shares with a change", async (t) => {
      const { session, host } = await started(t);
      const change =
        "New skills are available in addition to those previously listed:\n  <skill>\n    <id>zebra</id>\n    <name>Z</name>\n    <description>Z.</description>\n  </skill>";
      host.systemMessage(
        `Today's date: Fri Jan 02 2026\n\n${change}\n\nInstructions from: /project/sub/AGENTS.md\n# Sub`,
      );
      const played = await session.prompt("Go on");
      assert.deepEqual(changes(played), [
        "Today's date: Fri Jan 02 2026\n\nInstructions from: /project/sub/AGENTS.md\n# Sub",
      ]);
    });

    test("a list that says in a sentence that it is empty is gone", async (t) => {
      const { session, host } = await started(t);
      host.systemMessage(
        "The available skills have changed. This list supersedes the one before.\nSkills provide specialized instructions.\nNo skills are currently available.",
      );
      assert.deepEqual(known(await session.prompt("Go on")).skills, []);
    });

    test("after a compaction everything is decided from scratch", async (t) => {
      const { session, host, first } = await started(t);
      host.servers = [...SERVERS, NOTES];
      await session.prompt("Go on");
      session.scores = NEED_NOTES;
      await session.compact();
      const played = await session.prompt("Note that");
      assert.ok(
        first.asked.filter((subject) => !subject.startsWith("tool")).every((subject) => played.asked.includes(subject)),
      );
      assert.deepEqual(known(played), { namespaces: ["notes"], servers: [], skills: [] });
    });
  });
}
