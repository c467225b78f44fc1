/**
 * Thirty turns with a Jev that says anything: what is shown only grows until the history is compacted, the same is
 * shown in the same bytes, and a prompt changes the beginning of a request at most once, so that the provider's cache
 * holds.
 */

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { stateAfter } from "./reader.js";
import { CAPTIONS, DESK, FORMS, MAPS, NOTES, PILOT, RENDERINGS, SLIDES } from "./inventory.js";
import { play } from "./session.js";
import { randomBy } from "./random.js";

/** @import { Played, Session } from "./session.js" */

const TURNS = 30;
/** In one turn of so many a server comes, and the history is compacted. */
const SERVER_COMES = 11;
const IS_COMPACTED = 20;

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
 * All requests of a session, turn by turn.
 * @param {Session} session
 * @param {number} seed
 */
async function turns(session, seed) {
  const random = randomBy(seed);
  session.score = () => random();
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

for (const seed of [1, 2, 3, 4, 5]) {
  const rendering = Object.keys(RENDERINGS)[seed * 2 - 2] ?? "";
  describe(`over ${TURNS} turns of session ${seed}, with a catalog in ${rendering}`, () => {
    /** @type {Played[][]} */
    let played = [];

    test("all rules are kept", async (t) => {
      const session = await play(t, {
        servers: [DESK, MAPS, PILOT],
        skills: [FORMS, CAPTIONS, SLIDES],
        ...RENDERINGS[rendering],
      });
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
        if (String(shown(before)) === String(shown(after))) assert.equal(beginning(after), beginning(before));
      });
    });

    test("a prompt changes the system text or the tool map at most once, and no step after it does", () => {
      for (const [first, ...steps] of played) {
        for (const step of steps) assert.equal(beginning(step), beginning(/** @type {Played} */ (first)));
      }
    });

    test("something is hidden at first, and more is shown later", () => {
      const [first, last] = [played[0]?.[0], played[IS_COMPACTED - 1]?.[0]].map(
        (one) => shown(/** @type {Played} */ (one)).length,
      );
      assert.ok(Number(first) < Number(last), `${first} things are shown at first, ${last} later`);
    });
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
