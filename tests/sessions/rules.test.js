/**
 * The rules find what they are there to find: each is shown a request that keeps to it, and the same with one thing
 * wrong. A checker that is never seen to object proves nothing.
 */

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { renderChanges, renderInstructions, renderSkills, renderCatalog } from "../mini-host/index.js";
import { CAPTIONS, DESK, FORMS, MAPS, NOTES, SLIDES } from "./inventory.js";
import { readTranscript } from "./reader.js";
import { RULES } from "./rules.js";

/** @import { Seen, Verdicts } from "./rules.js" */

const SERVERS = [DESK, MAPS];
const SKILLS = [FORMS, CAPTIONS];
const LATER = { servers: [DESK, MAPS, { ...NOTES, instructions: "Short ones." }], skills: [CAPTIONS, SLIDES] };
const BASELINE = [renderCatalog(SERVERS, { budget: Infinity }), renderInstructions(SERVERS), renderSkills(SKILLS)].join(
  "\n\n",
);
const CHANGE = String(renderChanges({ servers: SERVERS, skills: SKILLS }, LATER, { budget: Infinity }));
const SECOND_DESK_ENTRY = /\n {2}- tools\.issue__desk_\.count[^\n]*/;

/** All that is there is kept. @type {Verdicts} */
const KEPT = new Map(
  [
    ...["server issue__desk_", "tool issue__desk_.list-items", "tool issue__desk_.add", "tool issue__desk_.count"],
    ...[
      "server maps",
      "tool maps.route",
      "tool maps.near",
      "server notes",
      "tool notes.find",
      "tool notes.drop",
      "tool notes.add",
    ],
    ...["skill captions", "skill slides"],
  ].map((key) => [key, /** @type {const} */ ("keep")]),
);

/**
 * What differs from what the host said and from keeping everything.
 * @typedef {{ baseline?: string, change?: string, verdicts?: Record<string, "keep" | "prune">, messages?: any[] }} Other
 */

/** @param {Other} other @returns {Seen} */
function seen({ baseline = BASELINE, change = CHANGE, verdicts = {}, messages = [] }) {
  const transcript = (/** @type {string} */ baseline, /** @type {string} */ change, /** @type {any[]} */ messages) => ({
    system: [{ type: /** @type {const} */ ("text"), text: baseline }],
    messages: [{ role: /** @type {const} */ ("system"), content: [{ type: "text", text: change }] }, ...messages],
    tools: {},
  });
  const [stood, stands] = [transcript(BASELINE, CHANGE, []), transcript(baseline, change, messages)];
  const all = new Map([...KEPT, ...Object.entries(verdicts)]);
  return {
    step: {
      before: stood,
      after: stands,
      request: /** @type {any} */ ({}),
      touched: { system: false, messages: false, tools: false },
      violations: [],
    },
    before: readTranscript(stood),
    after: readTranscript(stands),
    verdicts: all,
    known: all,
    native: new Set(),
  };
}

/** @param {Seen} now @param {Seen} [earlier] @returns {string[]} the rules that are broken */
const broken = (now, earlier) =>
  Object.entries(RULES)
    .filter(([, check]) => check(now, earlier).length > 0)
    .map(([rule]) => rule);

/** The text without a piece that stands in it. @param {string} text @param {string | RegExp} piece */
function without(text, piece) {
  const left = text.replace(piece, "");
  assert.notEqual(left, text);
  return left;
}

describe("the rules", () => {
  test("find nothing in a request that is as the host made it", () => assert.deepEqual(broken(seen({}), seen({})), []));

  test("find a thing that was not decided on", () => {
    const now = seen({});
    now.verdicts.delete("skill slides");
    assert.deepEqual(broken(now), ["candidates are what is available now"]);
  });

  for (const key of ["skill slides", "tool notes.add", "server notes", "tool maps.near"]) {
    test(`find ${key} told of though it is pruned`, () => {
      assert.ok(broken(seen({ verdicts: { [key]: "prune" } })).includes("nothing pruned stands anywhere"));
    });
  }

  test("find a kept thing that is missing in one of two places", () => {
    const change = without(CHANGE, /\n {2}- tools\.notes\.add[^\n]*/);
    assert.deepEqual(broken(seen({ change })), ["what is kept stands where it stood, in its order"]);
  });

  test("find kept things in another order", () => {
    const [first, second] = ["forms", "captions"].map(
      (id) => BASELINE.match(new RegExp(` {2}<skill>\\n {4}<id>${id}[^]*?</skill>\\n`))?.[0] ?? "",
    );
    const baseline = BASELINE.replace(`${second}${first}`, `${first}${second}`);
    assert.ok(broken(seen({ baseline })).includes("no line is new or has moved"));
  });

  test("find a thing taken out that was gone anyway", () => {
    const baseline = without(BASELINE, / {2}<skill>\n {4}<id>forms[^]*?<\/skill>\n/);
    assert.deepEqual(broken(seen({ baseline })), ["what is gone, or was never decided on, is left as it stands"]);
  });

  test("find that nobody is told what is gone", () => {
    const change = without(CHANGE, /\nThe following skill IDs[^\n]*/);
    assert.ok(broken(seen({ change })).includes("what is told to be gone stays told"));
  });

  for (const [sentence, piece] of /** @type {Array<[string, RegExp]>} */ ([
    ["of new tools", /(?<=New tools are[^\n]*)\n {2}- tools[^]*?(?=\n\n)/],
    ["of new instructions", /(?<=New MCP server[^\n]*)\n {2}<server[^]*?<\/server>/],
    ["of new skills", /(?<=New skills are[^\n]*)\n {2}<skill>[^]*?<\/skill>/],
    ["of a changed catalog", /(?<=catalog has changed\.)\n\nNew tools[^]*?(?=\n\nNew MCP)/],
  ])) {
    test(`find a sentence ${sentence} with nothing behind it`, () => {
      assert.ok(broken(seen({ change: without(CHANGE, piece) })).includes("every sentence has something behind it"));
    });
  }

  test("find a label that counts what is not there, and a claim to be complete", () => {
    const now = seen({
      baseline: without(BASELINE, SECOND_DESK_ENTRY),
      verdicts: { "tool issue__desk_.count": "prune" },
    });
    assert.deepEqual(RULES["labels and claims are true of their own list"]?.(now, undefined), [
      '"- issue__desk_ (3 tools)" is followed by another number of tools',
      "a catalog that lost something says that it is complete",
    ]);
  });

  test("find nothing where label and claim have followed", () => {
    const baseline = without(BASELINE, SECOND_DESK_ENTRY)
      .replace("issue__desk_ (3 tools)", "issue__desk_ (3 tools, 2 shown)")
      .replace(/The catalog is complete\.[^\n]*/, "The catalog is partial.");
    assert.deepEqual(broken(seen({ baseline, verdicts: { "tool issue__desk_.count": "prune" } })), []);
  });

  test("find a line of somebody else's that is another one", () => {
    assert.deepEqual(broken(seen({ baseline: BASELINE.replace("Use the skill tool", "Use the tool") })), [
      "no line is new or has moved",
    ]);
  });

  test("find an empty message", () => {
    const messages = [{ role: "system", content: [] }];
    assert.deepEqual(broken(seen({ messages })), ["nothing is empty"]);
  });

  test("find a conversation that is another one", () => {
    const messages = [{ role: "user", content: [{ type: "text", text: "Hello" }] }];
    assert.deepEqual(broken(seen({ messages })), ["what nobody can prune is as it was"]);
  });

  test("find that something shown is hidden again", () => {
    const now = seen({ verdicts: { "skill captions": "prune" } });
    assert.ok(broken(now, seen({})).includes("what was shown stays shown"));
  });

  test("find other bytes where nothing more is shown", () => {
    const earlier = seen({ baseline: BASELINE.replace("Use the skill tool", "Use the tool") });
    assert.deepEqual(broken(seen({}), earlier), [
      "where nothing more is shown, all that went before has the same bytes",
    ]);
  });
});
