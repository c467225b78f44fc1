/**
 * Plays a session in the stand-in host with the plugin loaded and a scripted Jev, and after every request holds what
 * the model would read against all rules (rules.js). Each call also asks for the same request once more, which has to
 * bring the same bytes and no question.
 *
 *     const session = await play(t, { rendering: "v3", servers, skills, scores: { "server desk": 0.9 } });
 *     await session.prompt("Add an item");
 *     session.host.servers = [...session.host.servers, NOTES];
 *     const { asked } = await session.step();
 */

import assert from "node:assert/strict";
import { setImmediate } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";

import { renderCatalog, sanitise } from "../mini-host/index.js";
import { subjectOf, subjects } from "../plugin/scores.js";
import { stage } from "../plugin/stage.js";
import { oursIn } from "./ours.js";
import { readTranscript } from "./reader.js";
import { RULES, firstRewritten, verdictsOf, withoutLost } from "./rules.js";

/** @import { TestContext } from "node:test" */
/** @import { HostOptions } from "../mini-host/host.js" */
/** @import { Server, Skill, Step } from "../mini-host/types.js" */
/** @import { Wishes } from "../plugin/stage.js" */
/** @import { Registered, Seen } from "./rules.js" */

/**
 * A request after the plugin, with whom Jev was asked about for it.
 * @typedef {Seen & { report: any, asked: string[] }} Played
 */

/** The defaults of the plugin, but that everything is asked about, however short it is. */
const OPTIONS = { decision_scope: "session", refill_catalog: true, recovery_hint: true, min_saving_chars: 0 };

/**
 * What Jev answers, by `server desk`, `tool desk.add` or `skill forms`; all others get `otherwise`, or 0.
 * @typedef {Record<string, number>} Scores
 */

/**
 * @param {TestContext} t
 * @param {HostOptions & { scores?: Scores, options?: Wishes["options"], rules?: typeof RULES }} wishes
 */
export async function play(t, { scores = {}, options, servers = [], skills = [], rules = RULES, ctx, ...host }) {
  /** @type {{ session?: Session }} */
  const played = {};
  /** @type {import("../fake-jev/answers.js").Script} */
  const score = (question, _state, id) => played.session?.score(id, String(question.instructions));
  // The list of servers says whose the native tools are.
  const staged = await stage(t, {
    servers,
    skills,
    host: { ctx: { mcpList: true, ...ctx }, ...host },
    jev: { score },
    options: { ...OPTIONS, ...options },
  });
  played.session = new Session(staged, scores, rules);
  return played.session;
}

/** @typedef {Awaited<ReturnType<typeof stage>>} Staged */

export class Session {
  /** @type {Map<string, Seen>} */
  #earlier = new Map();
  #staged;
  #rules;
  #questions = 0;
  /** @type {Registered} */
  #registered = new Map();
  /** What was last typed. */
  lastPrompt = "";

  /** @param {Staged} staged @param {Scores} scores can change from prompt to prompt @param {typeof RULES} rules */
  constructor(staged, scores, rules) {
    this.#staged = staged;
    this.#rules = rules;
    this.scores = scores;
    this.host = staged.host;
    this.warned = staged.warned;
    this.events = staged.events;
  }

  /** @param {string} id @param {string} instructions */
  score(id, instructions) {
    const { kind, name } = subjectOf(id, instructions);
    return this.scores[`${kind} ${name}`] ?? this.scores.otherwise ?? 0;
  }

  /** @param {string} text */
  prompt(text) {
    this.lastPrompt = text;
    return this.#request(() => this.host.prompt(text));
  }

  step() {
    return this.#request(() => this.host.step());
  }

  warm() {
    return this.#request(() => this.host.warm(), { isStored: false });
  }

  /** @param {string} text */
  generate(text) {
    return this.#request(() => this.host.generate(text), { isStored: false });
  }

  summarise() {
    return this.#request(() => this.host.summarise(), { isStored: false });
  }

  /** The summary takes the place of the history; what the plugin hears of it, it hears before the next prompt. */
  async compact() {
    this.host.compact();
    this.#earlier.delete(this.host.sessionID);
    await setImmediate();
  }

  /** The last prompt is taken back, and what followed on it. */
  undo() {
    this.host.undo();
  }

  /** Whom Jev was asked about since the last call. */
  #asked() {
    const bodies = this.#staged.asked().slice(this.#questions);
    this.#questions += bodies.length;
    return bodies.flatMap(subjects);
  }

  /**
   * @param {() => Promise<Step>} call
   * @param {{ isStored?: boolean }} [how] whether what the request tells is in the next one too
   * @returns {Promise<Played>}
   */
  async #request(call, { isStored = true } = {}) {
    const session = this.host.sessionID;
    const step = await call();
    const report = this.#staged.reports.at(-1);
    const asked = this.#asked();
    const earlier = this.#earlier.get(session);
    const seen = this.#see(step, report, earlier);
    if (report.errors?.length > 0) assert.deepEqual(step.after, step.before);
    else obeyed(this.#rules, seen, earlier);
    if (isStored) {
      this.#earlier.set(session, seen);
      const again = await this.host.step();
      if (isDeepStrictEqual(again.before, step.before)) {
        assert.deepEqual(again.after, step.after, "the same request has other bytes");
        assert.deepEqual(this.#asked(), [], "Jev was asked about the same request again");
      }
    }
    return { ...seen, report, asked };
  }

  /** @param {Step} step @param {any} report @param {Seen | undefined} earlier @returns {Seen} */
  #see(step, report, earlier) {
    const verdicts = verdictsOf(report);
    const seen = {
      step,
      before: readTranscript(step.before),
      after: readTranscript(step.after, oursIn(step.before, step.after)),
      verdicts,
      known: new Map(verdicts),
      native: new Set(
        this.host.servers
          .filter(({ codemode }) => codemode === false)
          .flatMap(({ name, tools }) => tools.map((tool) => `${sanitise(name)}.${sanitise(tool.name)}`)),
      ),
      registered: this.#register(),
      rewritten: 0,
    };
    if (!earlier) return seen;
    seen.known = new Map([...withoutLost(earlier, seen), ...verdicts]);
    const isSamePrompt = promptOf(earlier.step) === promptOf(step);
    const isHosts = !isDeepStrictEqual(earlier.step.before.tools, step.before.tools);
    seen.rewritten = (isSamePrompt ? earlier.rewritten : 0) + (!isHosts && firstRewritten(seen, earlier) ? 1 : 0);
    return seen;
  }

  /** Learns how the host lists each tool that it has now. */
  #register() {
    const { rendering } = this.host;
    for (const server of this.host.servers) {
      const text = renderCatalog([server], { rendering, budget: Infinity });
      const { told } = readTranscript({ system: [{ type: "text", text }], messages: [], tools: {} });
      for (const { kind, name, text } of told.flatMap(({ items }) => items)) {
        if (kind !== "tool") continue;
        const known = this.#registered.get(name) ?? [];
        this.#registered.set(name, [...known.filter((other) => other !== text), text]);
      }
    }
    return this.#registered;
  }
}

/** The message of the prompt that a request is for. @param {Step} step */
const promptOf = ({ before }) => before.messages.findLast(({ metadata }) => metadata !== undefined)?.id;

/** @param {typeof RULES} rules @param {Seen} seen @param {Seen | undefined} earlier */
function obeyed(rules, seen, earlier) {
  const broken = Object.entries(rules).flatMap(([rule, check]) =>
    check(seen, earlier).map((what) => `${rule}: ${what}`),
  );
  assert.equal(broken.length, 0, broken.join("\n\n"));
}
