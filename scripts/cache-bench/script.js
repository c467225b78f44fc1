/**
 * Writes out a session: what the user types, what the model says, which tools it calls and what they give back, how long
 * everything takes, and what changes meanwhile. All of it is invented, in lengths as they occur, and the same under every
 * policy: a tool is called whether or not the request still offered it.
 */

import { toolPath, nativeName } from "../../tests/mini-host/index.js";
import { prose, randomFrom } from "./random.js";
import { makeTopic } from "./topics.js";

/** @import { Server } from "../../tests/mini-host/types.js" */
/** @import { Random } from "./random.js" */
/** @import { Outline } from "./sessions.js" */
/** @import { Topic } from "./topics.js" */

/** @typedef {{ id: string, name: string, input: object, value: string }} Call */

/**
 * The model speaks and calls tools; `seconds` pass until the next request.
 * @typedef {{ said: string, calls: Call[], seconds: number }} Turn
 */

/**
 * @typedef {object} Prompt
 * @property {string} text
 * @property {Topic} topic
 * @property {number} pause seconds since the model's last words
 * @property {boolean} compacted whether the history is compacted before it
 * @property {Server[]} connected which servers are new
 * @property {Turn[]} steps
 * @property {Turn} answer
 */

/**
 * @typedef {object} Script
 * @property {Outline} outline
 * @property {Server[]} servers that are there at the start
 * @property {Prompt[]} prompts
 */

/** @param {Outline} outline @returns {Script} */
export function writeScript(outline) {
  const random = randomFrom(outline.name);
  const { late = {}, setup } = outline;
  const latecomers = new Set(Object.values(late).map((at) => setup.servers[at]));
  const start = setup.servers.filter((server) => !latecomers.has(server));
  let servers = start;
  /** @type {Set<string>} */
  const loaded = new Set();
  const prompts = topicsOf(random, outline).map(({ name, first, isNew }, at) => {
    const connected = connectedAt(outline, at + 1);
    servers = [...servers, ...connected];
    const topic = makeTopic(`${outline.name} ${name}`, { servers, skills: setup.skills }, first);
    const steps = Array.from({ length: random.whole(...outline.steps) }, (_, step) =>
      turn(random, [
        ...(isNew && step === 0 ? openingCalls({ random, topic, servers, loaded }) : []),
        ...callsOf(random, topic, servers),
      ]),
    );
    const isAway = outline.pauses && at % 2 === 1;
    return {
      text: `${prose(random, random.spread(60, 600))} (${at + 1})`,
      topic,
      pause: isAway ? random.spread(360, 2_400) : random.spread(15, 150),
      compacted: outline.compaction === at + 1,
      connected,
      steps: numbered(steps, `${outline.name}-${at}`.replace(/\W+/g, "_")),
      answer: turn(random, []),
    };
  });
  return { outline, servers: start, prompts };
}

/** @param {Outline} outline @param {number} prompt @returns {Server[]} */
function connectedAt({ late = {}, setup }, prompt) {
  const server = setup.servers[late[prompt] ?? -1];
  return server ? [server] : [];
}

/**
 * Which topic each prompt is about, and whether it is a new one. Whoever connects late is what the next prompts are about.
 * @param {Random} random @param {Outline} outline
 */
function topicsOf(random, { prompts, changing = false, late = {}, setup }) {
  const always = setup.servers.length - Object.keys(late).length;
  let left = 0;
  let current = { name: "", first: 0 };
  return Array.from({ length: prompts }, (_, at) => {
    const newcomer = late[at + 1];
    const isNew = newcomer !== undefined || at === 0 || (changing && left === 0);
    if (isNew) {
      current = { name: String(at + 1), first: newcomer ?? random.whole(0, always - 1) };
      left = random.whole(2, 5);
    }
    left = Math.max(0, left - 1);
    return { ...current, isNew };
  });
}

/**
 * With a new topic the model loads a skill that is needed and, in every second case, looks for tools in a catalog.
 * @param {{ random: Random, topic: Topic, servers: Server[], loaded: Set<string> }} given
 * @returns {Call[]}
 */
function openingCalls({ random, topic, servers, loaded }) {
  const [skill] = topic.skills.filter((id) => !loaded.has(id));
  const calls = [];
  if (skill !== undefined) {
    loaded.add(skill);
    const text = `<skill_content name="${skill}">\n${prose(random, 3_000)}\n</skill_content>`;
    calls.push(call("skill", { id: skill }, text));
  }
  const [needed] = topic.tools;
  const server = servers.find(({ name }) => name === needed?.server);
  if (server && server.codemode !== false && random.chance(0.5)) {
    const items = server.tools.slice(0, 6).map(({ name, description }) => ({
      path: toolPath(server.name, name),
      description,
      signature: `${toolPath(server.name, name)}({ ${prose(random, 80)} }): Promise<unknown>`,
    }));
    const code = `return search({ query: ${JSON.stringify(prose(random, 30))} })`;
    calls.push(call("execute", { code }, JSON.stringify({ items, remaining: 3, next: null })));
  }
  return calls;
}

/** @param {Random} random @param {Topic} topic @param {Server[]} servers @returns {Call[]} */
function callsOf(random, topic, servers) {
  const parallel = random.chance(0.25) ? random.whole(2, 4) : 1;
  return Array.from({ length: parallel }, () => (random.chance(0.4) ? served(random, topic, servers) : own(random)));
}

/**
 * A call of a needed tool, through `execute` if the server is in the catalog.
 * @param {Random} random @param {Topic} topic @param {Server[]} servers
 */
function served(random, topic, servers) {
  const { server, tool } = random.pick(topic.tools);
  const value = prose(random, random.spread(200, 6_000));
  const input = { reason: prose(random, random.spread(20, 200)) };
  if (servers.find(({ name }) => name === server)?.codemode === false) {
    return call(nativeName(server, tool), input, value);
  }
  return call("execute", { code: `return await ${toolPath(server, tool)}(${JSON.stringify(input)})` }, value);
}

/** A call of one of the host's own tools. @param {Random} random */
function own(random) {
  const path = `src/${random.pick(["api", "jobs", "views", "store"])}/part-${random.whole(1, 40)}.ts`;
  switch (random.pick(["read", "read", "grep", "shell", "edit"])) {
    case "read":
      return call("read", { path }, prose(random, random.spread(800, 9_000)));
    case "grep":
      return call("grep", { pattern: prose(random, 20) }, prose(random, random.spread(100, 4_000)));
    case "shell":
      return call("shell", { command: prose(random, 50) }, prose(random, random.spread(100, 5_000)));
    default:
      return call("edit", { path, old: prose(random, 300), new: prose(random, random.spread(200, 2_000)) }, "Done.");
  }
}

/** @param {string} name @param {object} input @param {string} value @returns {Call} */
const call = (name, input, value) => ({ id: "", name, input, value });

/** @param {Random} random @param {Call[]} calls @returns {Turn} */
const turn = (random, calls) => ({
  said: prose(random, calls.length > 0 ? random.spread(40, 400) : random.spread(200, 2_000)),
  calls,
  seconds: random.spread(4, 60),
});

/** Calls have ids of their own, as providers give them. @param {Turn[]} steps @param {string} name @returns {Turn[]} */
const numbered = (steps, name) =>
  steps.map((step, place) => ({
    ...step,
    calls: step.calls.map((call, number) => ({ ...call, id: `call_${name}_${place}_${number}` })),
  }));
