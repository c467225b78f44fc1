/**
 * Thirty turns with a Jev that says anything: what is shown only grows until the history is compacted, the same is
 * shown in the same bytes, and a prompt changes what was sent before at most once, so that the provider's cache holds.
 * Where a change costs something, nothing is changed but for tools of the tool map.
 */

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { stateAfter } from "./reader.js";
import { CAPTIONS, DESK, FORMS, LONG, MAPS, NOTES, PILOT, RENDERINGS, SLIDES } from "./inventory.js";
import { play } from "./session.js";
import { randomBy } from "./random.js";

/** @import { HostOptions } from "../mini-host/host.js" */
/** @import { Server } from "../mini-host/types.js" */
/** @import { Played, Session } from "./session.js" */

const TURNS = 30;
/** In one turn of so many a server comes, and the history is compacted. */
const SERVER_COMES = 11;
const IS_COMPACTED = 20;

/** So little that no provider keeps it, and a change costs nothing. @type {HostOptions} */
const SHORT = { hostTools: [], basePrompt: "" };
/** Of each server a tool or two are not listed, also when another comes. @type {HostOptions} */
const SAMPLED = { ctx: { toolList: true }, budget: 100 };

/** @type {Array<{ rendering: string, servers: Server[], host: HostOptions, is: string }>} */
const SESSIONS = [
  { rendering: "V4, complete", servers: [DESK, MAPS], host: SHORT, is: "short" },
  { rendering: "V1c, complete", servers: [DESK, MAPS], host: SHORT, is: "short" },
  { rendering: "V4, complete", servers: [DESK, MAPS], host: { basePrompt: LONG }, is: "long" },
  { rendering: "V4, with the sources in their old order", servers: [DESK, MAPS], host: { basePrompt: LONG }, is: "long" },
  { rendering: "V2, complete", servers: [DESK, MAPS], host: { basePrompt: LONG }, is: "long" },
  { rendering: "V1c, complete", servers: [DESK, MAPS], host: { basePrompt: LONG }, is: "long" },
  { rendering: "V4, complete", servers: [DESK, MAPS, PILOT], host: { basePrompt: LONG }, is: "long, with tools in the tool map" },
  { rendering: "V3, complete", servers: [DESK, MAPS, PILOT], host: { basePrompt: LONG }, is: "long, with tools in the tool map" },
  { rendering: "V4, partial", servers: [DESK, MAPS], host: { ...SHORT, ...SAMPLED }, is: "short, with a sample" },
  { rendering: "V4, partial", servers: [DESK, MAPS], host: { basePrompt: LONG, ...SAMPLED }, is: "long, with a sample" },
  { rendering: "V2, partial", servers: [DESK, MAPS], host: { basePrompt: LONG, ...SAMPLED }, is: "long, with a sample" },
];

/** What the model can see, by name. @param {Played} played */
function shown({ after, step, native }) {
  const { namespaces, servers, skills } = stateAfter(after.told);
  const names = Object.keys(step.after.tools);
  return [
    ...[...namespaces].flatMap(([name, { tools }]) => [
      `namespace ${name}`,
      ...[...tools].map((tool) => `tool ${tool}`),
    ]),
    ...[...servers.keys()].map((name) => `instructions ${name}`),
    ...[...skills].map((id) => `skill ${id}`),
    ...[...native].filter((tool) => names.includes(tool.replace(".", "_"))).map((tool) => `native ${tool}`),
  ].sort();
}

/** The tools and the system text, byte by byte. @param {Played} played */
const beginning = ({ step }) => JSON.stringify([step.after.tools, step.after.system]);
/**
 * All that is told of the lists, byte by byte, in front of a message.
 * @param {Played} played
 * @param {number} [until]
 */
const told = ({ step }, until = Infinity) =>
  JSON.stringify([
    step.after.tools,
    step.after.system,
    step.after.messages.slice(0, until).filter(({ role }) => role === "system"),
  ]);
/** Whether the host has changed the tools: V1c renders its catalog anew when a server comes. @param {Played[]} pair */
const isHosts = (...pair) => new Set(pair.map(({ step }) => JSON.stringify(step.before.tools))).size > 1;
/** @param {Played} played */
const ours = ({ after }) => after.told.filter((told) => told.ours);
/** @param {Played} played */
const added = ({ verdicts }) => [...verdicts].filter(([, verdict]) => verdict === "add").map(([key]) => key);

/**
 * All requests of a session, turn by turn.
 * @param {Session} session
 * @param {number} seed
 */
async function turns(session, seed) {
  const random = randomBy(seed);
  // Little is needed at first, and a little more with each prompt.
  session.score = () => random() ** 2;
  /** @type {Played[][]} */
  const played = [];
  for (let turn = 0; turn < TURNS; turn++) {
    if (turn === SERVER_COMES) session.host.servers = [...session.host.servers, NOTES];
    if (turn === IS_COMPACTED) await session.compact();
    const requests = [await session.prompt(`Prompt ${turn} of ${seed}`)];
    for (let step = Math.floor(random() * 3); step > 0; step--) {
      session.host.assistant(`Step ${step}`);
      requests.push(await session.step());
    }
    played.push(requests);
  }
  return played;
}

for (const [at, { rendering, servers, host, is }] of SESSIONS.entries()) {
  const seed = at + 1;
  describe(`over ${TURNS} turns of session ${seed}, ${is}, with a catalog in ${rendering}`, () => {
    /** @type {Played[][]} */
    let played = [];

    test("all rules are kept", async (t) => {
      const session = await play(t, { servers, skills: [FORMS, CAPTIONS, SLIDES], ...RENDERINGS[rendering], ...host });
      played = await turns(session, seed);
    });

    test("what is shown only grows between compactions", () => {
      assert.equal(played.length, TURNS);
      pairs(played, ([before, after]) => {
        const now = shown(after);
        assert.deepEqual(
          shown(before).filter((name) => !now.includes(name)),
          [],
        );
      });
    });

    test("where the same is shown the bytes are the same", () => {
      pairs(played, ([before, after]) => {
        if (isHosts(before, after) || String(shown(before)) !== String(shown(after))) return;
        assert.equal(beginning(after), beginning(before));
        assert.equal(told(after, before.step.after.messages.length), told(before));
      });
    });

    test("no step of a turn changes anything", () => {
      for (const [first, ...steps] of played) {
        for (const step of steps) assert.equal(told(step), told(/** @type {Played} */ (first)));
      }
    });

    test("a prompt changes the system text or the tool map at most once", () => {
      for (const turn of played) assert.ok(turn.every(({ rewritten }) => rewritten <= 1));
    });

    test("something is hidden at first, and more is shown later", () => {
      const [first, last] = [played[0]?.[0], played[IS_COMPACTED - 1]?.[0]].map(
        (one) => shown(/** @type {Played} */ (one)).length,
      );
      assert.ok(Number(first) < Number(last), `${first} things are shown at first, ${last} later`);
    });

    if (is === "short") {
      test("nothing is told, since a change costs nothing", () => {
        assert.ok(played.flat().every((request) => ours(request).length === 0));
      });
    }

    if (is.startsWith("long")) {
      test("something is told in messages of ours", () => {
        assert.ok(played.flat().some((request) => ours(request).length > 0));
      });
    }

    if (is === "long") {
      test("the beginning is the same until the history is compacted", () => {
        pairs(played, ([before, after]) => {
          if (!isHosts(before, after)) assert.equal(beginning(after), beginning(before));
        });
      });
    }

    if (is.endsWith("with a sample")) {
      test("tools are added, and stay until the history is compacted or the host lists them", () => {
        assert.ok(played.slice(0, IS_COMPACTED).flat().some((request) => added(request).length > 0));
        pairs(played, ([before, after]) => {
          const stays = (/** @type {string} */ key) => ["add", "keep"].includes(String(after.verdicts.get(key)));
          assert.deepEqual(
            added(before).filter((key) => !stays(key)),
            [],
          );
        });
      });
    }
  });
}

/**
 * Calls back with each two requests in a row that no compaction divides.
 * @param {Played[][]} played
 * @param {(pair: [Played, Played]) => void} check
 */
function pairs(played, check) {
  for (const part of [played.slice(0, IS_COMPACTED).flat(), played.slice(IS_COMPACTED).flat()]) {
    part.slice(1).forEach((after, at) => check([/** @type {Played} */ (part[at]), after]));
  }
}
