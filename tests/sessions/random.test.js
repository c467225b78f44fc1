/**
 * Random sessions, in each rendering: things come, change and go in any order, Jev says anything, and after every
 * request all rules hold (rules.js). What a session does follows from its number, so that one that fails can be played
 * again.
 */

import { describe, test } from "node:test";

import { subjectOf } from "../plugin/scores.js";
import { CAPTIONS, DESK, FORMS, MAPS, NOTES, PILOT, RENDERINGS, SLIDES, skill, tool } from "./inventory.js";
import { oneOf, randomBy } from "./random.js";
import { play } from "./session.js";

/** @import { Session } from "./session.js" */
/** @import { Server, Skill } from "../mini-host/types.js" */

const SESSIONS = 4;
const ACTIONS = 25;

const SERVERS = [DESK, NOTES, MAPS, PILOT];
const SKILLS = [FORMS, CAPTIONS, SLIDES];

for (const [rendering, options] of Object.entries(RENDERINGS)) {
  describe(`with a catalog in ${rendering}`, () => {
    for (let number = 1; number <= SESSIONS; number++) {
      test(`random session ${number} keeps all rules`, async (t) => {
        const random = randomBy(number);
        const [servers, skills] = [SERVERS.filter(() => random() < 0.6), SKILLS.filter(() => random() < 0.6)];
        const acts = Array.from({ length: ACTIONS }, () => oneOf(Object.keys(ACTS), random));
        const session = await play(t, { ...options, servers, skills });
        await session.prompt("Prompt 0");
        for (const [at, name] of acts.entries()) {
          // Each action has numbers of its own, so that one can be left out to see whether it matters.
          await ACTS[name]?.(session, randomBy(number * 1000 + at), at);
        }
      });
    }
  });
}

/** @type {Record<string, (session: Session, random: () => number, at: number) => unknown>} */
const ACTS = {
  "a server comes or goes": ({ host }, random) => {
    const server = oneOf(SERVERS, random);
    const others = host.servers.filter(({ name }) => name !== server.name);
    host.servers = others.length < host.servers.length ? others : [...others, server];
  },
  "all servers go": ({ host }, random) => void (random() < 0.2 && (host.servers = [])),
  "a server gets a tool, loses one, or says something else of one": ({ host }, random, at) => {
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
  "a server says something else, or nothing": ({ host }, random, at) => {
    host.servers = changing(host.servers, random, (server) => ({
      ...server,
      instructions: random() < 0.3 ? undefined : `Words of ${at}.\n\nAnd more.`,
    }));
  },
  "a skill comes, goes or changes": ({ host }, random, at) => {
    const { id } = oneOf(SKILLS, random);
    const others = host.skills.filter((known) => known.id !== id);
    host.skills = random() < 0.4 ? others : [...others, skill(id, `Since ${at}.`)];
  },
  "all skills go": ({ host }, random) => void (random() < 0.2 && (host.skills = [])),
  "code can no longer be run, or again": ({ host }, random) => void (host.canExecute = random() < 0.7),
  "Jev changes its mind": (session, random) => {
    const scores = new Map();
    session.score = (id, instructions) => {
      const { name } = subjectOf(id, instructions);
      if (!scores.has(name)) scores.set(name, random());
      return scores.get(name);
    };
  },
  "a prompt": (session, random, at) => session.prompt(`Prompt ${at} ${random()}`),
  "another prompt": (session, random, at) => session.prompt(`Prompt ${at} ${random()}`),
  "a step": (session, random, at) => {
    session.host.assistant(`Step ${at}`);
    return session.step();
  },
  warming: (session) => session.warm(),
  "a text is generated": (session) => session.generate("Name this session"),
  "a compaction": async (session, random, at) => {
    if (random() < 0.5) return;
    await session.summarise();
    await session.compact();
    await session.prompt(`Prompt ${at} after the summary`);
  },
};

/** @template T @param {T[]} items @param {() => number} random @param {(item: T) => T} change @returns {T[]} */
function changing(items, random, change) {
  const at = Math.floor(random() * items.length);
  return items.map((item, place) => (place === at ? change(item) : item));
}
