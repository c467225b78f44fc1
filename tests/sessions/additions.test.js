/**
 * What a later prompt needs is told in a message of ours where a change would cost too much. How long such a message
 * stands, with what it goes, who sees it, and how the tools that the host's sample left out come into it. That it says
 * the right things is held against every request by the rules (rules.js).
 */

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { CAPTIONS, DESK, FORMS, LONG, MAPS, NOTES, RENDERINGS, SLIDES, tool } from "./inventory.js";
import { oneOf, randomBy } from "./random.js";
import { play } from "./session.js";

/** @import { TestContext } from "node:test" */
/** @import { HostOptions } from "../mini-host/host.js" */
/** @import { Played, Scores, Session } from "./session.js" */

/** @type {Scores} */
const SCORES = { "server maps": 1, "tool maps.route": 1, "skill forms": 1 };
const NEED_CAPTIONS = { ...SCORES, "skill captions": 1 };
const NEED_MORE = { ...NEED_CAPTIONS, "server notes": 1, "tool notes.find": 1 };

/** Our messages, each as the things that it tells. @param {Played} played */
function ours({ after }) {
  const told = after.told.filter(({ ours }) => ours);
  return [...new Set(told.map(({ text }) => text))].map((at) =>
    told.filter(({ text }) => text === at).flatMap(({ items }) => items.map(({ kind, name }) => `${kind} ${name}`)),
  );
}
/** All that was sent. @param {Played} played */
const sent = ({ step }) => step.after;
/** @param {Played} played */
const system = ({ step }) => step.after.system.map(({ text }) => text).join("\n\n");

for (const rendering of ["V4, complete", "V2, partial", "V1c, complete"]) {
  /** @param {TestContext} t @param {HostOptions} [more] */
  const start = (t, more) =>
    play(t, {
      servers: [DESK, MAPS, NOTES],
      skills: [FORMS, CAPTIONS, SLIDES],
      basePrompt: LONG,
      ...RENDERINGS[rendering],
      budget: Infinity,
      ...more,
      scores: SCORES,
    });
  /** A session in which a second prompt needed more than the first. @param {TestContext} t */
  async function told(t) {
    const session = await start(t);
    await session.prompt("Where is the next post box?");
    session.scores = NEED_CAPTIONS;
    const played = await session.prompt("Caption it");
    assert.deepEqual(ours(played), [["skill captions"]]);
    return { session, played };
  }

  describe(`a message of ours, with a catalog in ${rendering},`, () => {
    test("stays where it is while others come", async (t) => {
      const { session, played } = await told(t);
      session.scores = NEED_MORE;
      const next = await session.prompt("And note that");
      assert.deepEqual(ours(next), [["skill captions"], ["namespace notes", "tool notes.find"]]);
      const before = sent(played).messages.length;
      assert.deepEqual(sent(next).messages.slice(0, before), sent(played).messages);
      assert.deepEqual(sent(next).system, sent(played).system);
    });

    test("is not there in a short session, where a change costs nothing", async (t) => {
      const session = await start(t, { basePrompt: "", hostTools: [], servers: [MAPS], skills: [FORMS, CAPTIONS] });
      await session.prompt("Where is the next post box?");
      session.scores = NEED_CAPTIONS;
      const played = await session.prompt("Caption it");
      assert.deepEqual(ours(played), []);
      assert.match(system(played), /<id>captions</);
    });

    test("goes with the prompt that is taken back, and what it told is asked about and told again", async (t) => {
      const { session } = await told(t);
      session.undo();
      const { asked, ...played } = await session.prompt("Caption that instead");
      assert.ok(asked.includes("skill captions"), `asked were ${asked}`);
      assert.deepEqual(ours(/** @type {Played} */ ({ asked, ...played })), [["skill captions"]]);
    });

    test("is told again when the same prompt is taken back and typed again", async (t) => {
      const { session, played } = await told(t);
      session.undo();
      const again = await session.prompt("Caption it");
      assert.ok(again.asked.includes("skill captions"), `asked were ${again.asked}`);
      assert.deepEqual(ours(again), [["skill captions"]]);
      assert.deepEqual(sent(again).system, sent(played).system);
    });

    test("is not told again when the next prompt does not need it", async (t) => {
      const { session } = await told(t);
      session.undo();
      session.scores = SCORES;
      const played = await session.prompt("Leave it");
      assert.deepEqual(ours(played), []);
      assert.equal(played.verdicts.get("skill captions"), "prune");
      assert.doesNotMatch(JSON.stringify(sent(played)), /<id>captions</);
    });

    test("stays when only a later prompt is taken back", async (t) => {
      const { session, played } = await told(t);
      session.scores = NEED_MORE;
      await session.prompt("And note that");
      session.undo();
      session.scores = SCORES;
      const next = await session.prompt("Go on");
      assert.deepEqual(ours(next), [["skill captions"]]);
      assert.equal(next.verdicts.get("server notes"), "prune");
      assert.deepEqual(sent(next).messages.slice(0, -1), sent(played).messages);
    });

    test("comes with the same bytes when the hook is called twice, or twice at once", async (t) => {
      const { session, played } = await told(t);
      const [one, other] = await Promise.all([session.host.step(), session.host.step()]);
      assert.deepEqual(one.after, sent(played));
      assert.deepEqual(other.after, sent(played));
    });

    test("comes with the same bytes when a new prompt's hook runs twice at once", async (t) => {
      const session = await start(t);
      const typed = (/** @type {string} */ id, /** @type {string} */ text) =>
        session.host.message({ id, role: "user", content: [{ type: "text", text }], metadata: {} });
      typed("msg_a", "Where is the next post box?");
      await session.step();
      session.scores = NEED_CAPTIONS;
      typed("msg_b", "Caption it");
      const [one, other] = await Promise.all([session.host.step(), session.host.step()]);
      assert.match(JSON.stringify(one.after.messages), /<id>captions</);
      assert.deepEqual(one.after, other.after);
    });

    for (const [what, call] of /** @type {Array<[string, (session: Session) => Promise<Played>]>} */ ([
      ["a generated text", (session) => session.generate("Name this session")],
      ["a summary", (session) => session.summarise()],
      ["a request that keeps the cache warm", (session) => session.warm()],
    ])) {
      test(`is in ${what}, unchanged`, async (t) => {
        const { session, played } = await told(t);
        session.scores = { otherwise: 1 };
        const request = await call(session);
        assert.deepEqual(request.asked, []);
        const length = sent(played).messages.length;
        assert.deepEqual(sent(request).messages.slice(0, length), sent(played).messages);
        assert.deepEqual([sent(request).system, sent(request).tools], [sent(played).system, sent(played).tools]);
      });
    }

    test("tells nothing in the middle of a turn", async (t) => {
      const session = await start(t);
      const first = await session.prompt("Where is the next post box?");
      session.host.assistant("", [{ id: "call_1", name: "execute", input: { code: "await tools.notes.find({})" } }]);
      session.host.toolResult({ id: "call_1", name: "execute", value: "[]" });
      const step = await session.step();
      assert.deepEqual(ours(step), []);
      assert.deepEqual(sent(step).system, sent(first).system);
      assert.deepEqual(ours(await session.prompt("And then?")), [["namespace notes", "tool notes.find"]]);
    });

    test("and a change are for the next prompt where this one has changed something, however short all is", async (t) => {
      const session = await start(t, { basePrompt: "", hostTools: [], servers: [MAPS, NOTES], skills: [FORMS, CAPTIONS] });
      await session.prompt("Where is the next post box?");
      session.scores = NEED_CAPTIONS;
      const first = await session.prompt("Caption it");
      assert.equal(first.rewritten, 1);
      session.host.assistant("", [{ id: "call_1", name: "execute", input: { code: "await tools.notes.find({})" } }]);
      session.host.toolResult({ id: "call_1", name: "execute", value: "[]" });
      const step = await session.step();
      assert.deepEqual(sent(step).system, sent(first).system);
      assert.equal(step.verdicts.get("tool notes.find"), "prune");
      assert.equal((await session.prompt("And then?")).verdicts.get("tool notes.find"), "keep");
    });

    test("is gone after a compaction", async (t) => {
      const { session } = await told(t);
      await session.summarise();
      await session.compact();
      const played = await session.prompt("Caption it");
      assert.deepEqual(ours(played), []);
      assert.match(system(played), /<id>captions</);
    });

    test("tells only instructions that a server still has", async (t) => {
      const wordy = { ...NOTES, instructions: "Short ones." };
      const session = await start(t, { servers: [DESK, MAPS, wordy] });
      await session.prompt("Where is the next post box?");
      session.host.servers = [DESK, MAPS, NOTES];
      await session.prompt("And now?");
      session.scores = NEED_MORE;
      const played = await session.prompt("Note that");
      assert.deepEqual(ours(played).flat().filter((what) => what.startsWith("server")), []);
      assert.doesNotMatch(JSON.stringify(sent(played)), /Short ones/);
    });

    test("tells also the tools that a hidden server got since", async (t) => {
      const session = await start(t);
      await session.prompt("Where is the next post box?");
      session.host.servers = [DESK, MAPS, { ...NOTES, tools: [...NOTES.tools, tool("sort")] }];
      session.scores = { ...SCORES, "server notes": 1, "tool notes.find": 1, "tool notes.sort": 1 };
      const played = await session.prompt("Note and sort that");
      // Where the host's own change has cost the cache, both stand where the host has them.
      const isTold = rendering !== "V1c, complete";
      assert.deepEqual(ours(played), isTold ? [["namespace notes", "tool notes.find", "tool notes.sort"]] : []);
      assert.match(played.after.texts.join("\n"), /- tools\.notes\.find[^]*- tools\.notes\.sort/);
    });
  });
}

describe("with a catalog that the host renders anew for each request", () => {
  test("what was told of it stands where the host has it once the host has changed it", async (t) => {
    const session = await play(t, {
      servers: [DESK, MAPS, NOTES],
      skills: [FORMS],
      basePrompt: LONG,
      rendering: "v1c",
      budget: Infinity,
      scores: SCORES,
    });
    await session.prompt("Where is the next post box?");
    session.scores = NEED_MORE;
    assert.deepEqual(ours(await session.prompt("Note that")), [["namespace notes", "tool notes.find"]]);
    const [find, ...others] = NOTES.tools;
    session.host.servers = [DESK, MAPS, { ...NOTES, tools: [{ ...find, name: "find", description: "Other words." }, ...others] }];
    const changed = await session.step();
    assert.deepEqual(ours(changed), []);
    assert.match(String(sent(changed).tools.execute?.description), /tools\.notes\.find.*\n?[^]*Other words\./);
  });
});

/** Of each server a tool or two are listed. */
const SAMPLE = { budget: 100, ctx: { toolList: true } };
/** Everything of `notes` is needed. @type {Scores} */
const NEED_NOTES = {
  "server notes": 1,
  ...Object.fromEntries(["add", "find", "drop", "sort", "merge"].map((name) => [`tool notes.${name}`, 1])),
};

describe("a tool that the host's sample left out", () => {
  /** @param {TestContext} t @param {HostOptions} [more] */
  const start = (t, more) =>
    play(t, {
      servers: [DESK, MAPS, NOTES],
      skills: [FORMS, CAPTIONS, SLIDES],
      basePrompt: LONG,
      ...SAMPLE,
      ...more,
      scores: { ...NEED_NOTES },
    });
  /** @param {Played} played */
  const added = ({ verdicts }) => [...verdicts].filter(([, verdict]) => verdict === "add").map(([key]) => key);
  /** What a catalog says of `notes`. @param {string} text */
  const labels = (text) => text.match(/^- notes \(.*\)$/gm);
  const GROWN = { ...NOTES, tools: [...NOTES.tools, tool("sort"), tool("merge")] };

  test("is added where the host lists the others, when the session begins", async (t) => {
    const played = await (await start(t)).prompt("Note that");
    assert.deepEqual(added(played), ["tool notes.drop", "tool notes.find"]);
    assert.deepEqual(labels(system(played)), ["- notes (3 tools)"]);
  });

  test("is told of in a message of ours when a later prompt needs it", async (t) => {
    const session = await start(t);
    session.scores = { "server notes": 1, "tool notes.add": 1 };
    const first = await session.prompt("Note that");
    session.scores = NEED_NOTES;
    const played = await session.prompt("Find and drop it");
    assert.deepEqual(ours(played), [["tool notes.drop", "tool notes.find"]]);
    assert.equal(system(played), system(first));
  });

  for (const [what, host] of /** @type {Array<[string, HostOptions]>} */ ([
    ["a long session", {}],
    ["a short one", { basePrompt: "", hostTools: [], servers: [MAPS, NOTES] }],
  ])) {
    test(`is not put under a label that counts fewer tools than there are, in ${what}`, async (t) => {
      const session = await start(t, host);
      session.scores = { "server notes": 1, "tool notes.add": 1 };
      await session.prompt("Note that");
      session.host.servers = session.host.servers.map((server) => (server === NOTES ? GROWN : server));
      session.scores = NEED_NOTES;
      const played = await session.prompt("Sort, merge, find and drop them");
      assert.match(played.before.texts.join("\n"), /`notes` now has 5 tools\./);
      const [label = ""] = labels(system(played)) ?? [];
      const listed = system(played).match(/^ {2}- tools\.notes\./gm)?.length ?? 0;
      assert.equal(label, listed === 3 ? "- notes (3 tools)" : `- notes (3 tools, ${listed} shown)`);
      const all = ["tool notes.drop", "tool notes.find", "tool notes.merge", "tool notes.sort"];
      assert.deepEqual(added(played).sort(), all);
      assert.equal(ours(played).flat().length + listed, 5);
    });
  }

  test("is added to a catalog that is stated anew", async (t) => {
    const session = await start(t);
    const first = await session.prompt("Note that");
    session.host.servers = [DESK, { ...MAPS, tools: [tool("route"), { name: "near" }] }, NOTES];
    const played = await session.prompt("Go on");
    assert.match(played.before.texts.join("\n"), /This catalog supersedes/);
    assert.deepEqual(added(played), added(first));
    assert.equal(system(played), system(first));
    const restated = String(played.after.texts.find((text) => text.includes("This catalog supersedes")));
    assert.deepEqual(labels(restated), ["- notes (3 tools)"]);
    assert.match(restated, /tools\.notes\.find/);
  });

  test("that was told of is added to a catalog that is stated later", async (t) => {
    const session = await start(t);
    session.scores = { "server notes": 1, "tool notes.add": 1 };
    await session.prompt("Note that");
    session.scores = NEED_NOTES;
    await session.prompt("Find and drop it");
    session.host.servers = [DESK, { ...MAPS, tools: [tool("route"), { name: "near" }] }, NOTES];
    const played = await session.prompt("Go on");
    const restated = String(played.after.texts.find((text) => text.includes("This catalog supersedes")));
    assert.deepEqual(labels(restated), ["- notes (3 tools)"]);
    assert.deepEqual(ours(played), [["tool notes.drop", "tool notes.find"]]);
  });

  test("and was listed and hidden before that is told once", async (t) => {
    const session = await start(t, { servers: [MAPS, NOTES], budget: 300 });
    session.scores = { "server notes": 1, "tool notes.add": 1 };
    await session.prompt("Note that");
    // With the desk there is no room for all of the notes any more.
    session.host.servers = [DESK, MAPS, NOTES];
    session.scores = { "tool notes.find": 1, "skill captions": 1 };
    const played = await session.prompt("Find it and caption it");
    assert.deepEqual(added(played), ["tool notes.find"]);
    assert.deepEqual(ours(played), [["tool notes.find", "skill captions"]]);
  });

  test("keeps its server, though that is the only one and all that is listed of it is rejected", async (t) => {
    const session = await start(t, { servers: [NOTES], budget: 30 });
    session.scores = { "tool notes.find": 1 };
    const played = await session.prompt("Find it");
    assert.deepEqual(added(played), ["tool notes.find"]);
    assert.deepEqual(labels(system(played)), ["- notes (3 tools, 1 shown)"]);
  });

  for (const seed of [1, 2, 3]) {
    test(`stays added over 30 turns of session ${seed}, through all restatements`, async (t) => {
      const random = randomBy(seed);
      const session = await start(t);
      session.score = () => random() ** 2;
      /** @type {Set<string>} */
      const all = new Set();
      let restatements = 0;
      for (let turn = 0; turn < 30; turn++) {
        if (random() < 0.3) {
          // Another word about a tool that is listed makes the host state everything anew.
          const words = `Since ${turn}.`.padEnd(10);
          session.host.servers = [DESK, { ...MAPS, tools: [tool("route"), { name: "near", description: words }] }, NOTES];
        }
        const played = await session.prompt(`Prompt ${turn} of ${seed}`);
        restatements = played.before.texts.filter((text) => text.includes("This catalog supersedes")).length;
        for (const key of all) assert.ok(["add", "keep"].includes(String(played.verdicts.get(key))), key);
        added(played).forEach((key) => all.add(key));
        if (random() < 0.3) session.host.assistant(oneOf(["Done.", "So be it."], random));
      }
      assert.ok(all.size > 0 && restatements > 3, `${all.size} tools were added, ${restatements} times all was stated`);
    });
  }
});
