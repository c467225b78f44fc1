/**
 * Random sessions, in each rendering: things come, change and go in any order, Jev says anything, and after every
 * request all rules hold (rules.js). What a session does follows from its number, so that one that fails can be played
 * again.
 */

import { describe, test } from "node:test";

import { subjectOf } from "../plugin/scores.js";
import { CAPTIONS, DESK, FORMS, LONG, MAPS, NOTES, PILOT, RENDERINGS, SLIDES, skill, tool } from "./inventory.js";
import { oneOf, randomBy } from "./random.js";
import { play } from "./session.js";

/** @import { HostOptions } from "../mini-host/host.js" */
/** @import { Session } from "./session.js" */
/** @import { Server, Skill } from "../mini-host/types.js" */

/** How many of each kind; `SESSIONS=100` plays more. */
const SESSIONS = Number(process.env.SESSIONS ?? 2);
const ACTIONS = 30;

/** @type {Record<string, HostOptions>} */
const KINDS = {
  "of short texts": { hostTools: [], basePrompt: "" },
  "of long texts": { basePrompt: LONG },
  "of long texts, in a host that lists its tools": { basePrompt: LONG, ctx: { toolList: true } },
};

const SERVERS = [DESK, NOTES, MAPS, PILOT];
const SKILLS = [FORMS, CAPTIONS, SLIDES];

/** @typedef {(session: Session, random: () => number, at: number) => unknown} Act */

/** What happens between requests. @type {Act[]} */
const CHANGES = [
  function aServerComesOrGoes({ host }, random) {
    const server = oneOf(SERVERS, random);
    const others = host.servers.filter(({ name }) => name !== server.name);
    host.servers = others.length < host.servers.length ? others : [...others, server];
  },
  function everythingGoes({ host }, random) {
    if (random() < 0.1) host.servers = [];
    if (random() < 0.1) host.skills = [];
  },
  function aServerGetsOrLosesAToolOrSaysSomethingElseOfOne({ host }, random, at) {
    host.servers = changing(host.servers, random, (server) => {
      const [first, ...others] = server.tools;
      const made = [
        [tool(`new-${at}`), ...server.tools],
        others,
        [{ name: first?.name ?? "only", description: `Since ${at}.` }, ...others],
      ];
      return { ...server, tools: oneOf(made, random) };
    });
  },
  function aServerSaysSomethingElseOrNothing({ host }, random, at) {
    host.servers = changing(host.servers, random, (server) => ({
      ...server,
      instructions: random() < 0.3 ? undefined : `Words of ${at}.\n\nAnd more.`,
    }));
  },
  function aSkillComesGoesOrChanges({ host }, random, at) {
    const { id } = oneOf(SKILLS, random);
    const others = host.skills.filter((known) => known.id !== id);
    host.skills = random() < 0.4 ? others : [...others, skill(id, `Since ${at}.`)];
  },
  function codeCanNoLongerBeRunOrAgain({ host }, random) {
    host.canExecute = random() < 0.8;
  },
  function aPromptIsTakenBack(session) {
    session.undo();
  },
  async function theHistoryIsCompacted(session, random, at) {
    if (random() < 0.7) return;
    await session.summarise();
    await session.compact();
    await session.prompt(`Prompt ${at} after the summary`);
  },
];

/** @type {Act[]} */
const REQUESTS = [
  function aPrompt(session, random, at) {
    return session.prompt(`Prompt ${at} ${random()}`);
  },
  function aPromptOfWhichJevThinksOtherwise(session, random, at) {
    changeMind(session, random);
    return session.prompt(`Prompt ${at} ${random()}`);
  },
  function theLastPromptOnceMore(session) {
    return session.prompt(session.lastPrompt);
  },
  function aStep(session, random, at) {
    session.host.assistant(`Step ${at}`);
    return session.step();
  },
  function aStepThatUsesSomething(session, random, at) {
    const [namespace, tool] = [oneOf(["maps", "notes"], random), oneOf(["route", "find", "add"], random)];
    const call = { id: `call_${at}`, name: "execute" };
    session.host.assistant("", [{ ...call, input: { code: `await tools.${namespace}.${tool}({})` } }]);
    session.host.toolResult({ ...call, value: "[]" });
    return session.step();
  },
  function warming(session) {
    return session.warm();
  },
  function aTextIsGenerated(session) {
    return session.generate("Name this session");
  },
];

for (const [rendering, options] of Object.entries(RENDERINGS)) {
  describe(`with a catalog in ${rendering}`, () => {
    for (const [kind, number] of Object.keys(KINDS).flatMap((kind) =>
      Array.from({ length: SESSIONS }, (_, at) => /** @type {const} */ ([kind, at + 1])),
    )) {
      test(`random session ${number} ${kind} keeps all rules`, async (t) => {
        const random = randomBy(number);
        const [servers, skills] = [SERVERS.filter(() => random() < 0.6), SKILLS.filter(() => random() < 0.6)];
        const acts = Array.from({ length: ACTIONS }, () => oneOf(random() < 0.4 ? CHANGES : REQUESTS, random));
        const session = await play(t, { ...options, ...KINDS[kind], servers, skills });
        changeMind(session, random);
        await session.prompt("Prompt 0");
        for (const [at, act] of acts.entries()) {
          // Each action has numbers of its own, so that one can be left out to see whether it matters.
          await act(session, randomBy(number * 1000 + at), at);
        }
      });
    }
  });
}

/** @param {Session} session @param {() => number} random */
function changeMind(session, random) {
  const scores = new Map();
  session.score = (id, instructions) => {
    const { name } = subjectOf(id, instructions);
    if (!scores.has(name)) scores.set(name, random() ** 2);
    return scores.get(name);
  };
}

/** @template T @param {T[]} items @param {() => number} random @param {(item: T) => T} change @returns {T[]} */
function changing(items, random, change) {
  const at = Math.floor(random() * items.length);
  return items.map((item, place) => (place === at ? change(item) : item));
}
