/**
 * The rules find what they are there to find: each is shown a request that keeps to it, and the same with one thing
 * wrong. A checker that is never seen to object proves nothing.
 */

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { renderChanges, renderInstructions, renderSkills, renderCatalog } from "../mini-host/index.js";
import { CAPTIONS, DESK, FORMS, MAPS, NOTES, SLIDES } from "./inventory.js";
import { oursIn } from "./ours.js";
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
 * What differs from what the host said and from keeping everything; `host` is what it said at the start, `prompts` are
 * those that follow on the change, `ours` stands in front of the last of them.
 * @typedef {object} Other
 * @property {string} [host]
 * @property {string} [baseline]
 * @property {string} [change]
 * @property {Record<string, "keep" | "prune" | "add" | "skip">} [verdicts]
 * @property {any[]} [messages]
 * @property {string[]} [prompts]
 * @property {any} [ours]
 * @property {number} [rewritten]
 * @property {Record<string, string[]>} [registered]
 */

/** @param {string} id */
const prompt = (id) => ({ id, role: "user", content: [{ type: "text", text: `Prompt ${id}` }], metadata: {} });
/** @param {string} text */
const said = (text) => ({ role: "system", content: [{ type: "text", text }] });

/** @param {Other} other @returns {Seen} */
function seen({ host = BASELINE, baseline = host, change = CHANGE, messages = [], prompts = ["msg_1"], ours, ...other }) {
  const transcript = (/** @type {string} */ baseline, /** @type {string} */ change, /** @type {any[]} */ messages) => ({
    system: [{ type: /** @type {const} */ ("text"), text: baseline }],
    messages: [said(change), ...messages],
    tools: {},
  });
  const asked = prompts.map(prompt);
  const withOurs = [...asked.slice(0, -1), ...(ours ? [typeof ours === "string" ? said(ours) : ours] : []), asked.at(-1)];
  const [stood, stands] = [
    transcript(host, CHANGE, asked),
    transcript(baseline, change, [...withOurs, ...messages].filter(Boolean)),
  ];
  const all = new Map([...KEPT, ...Object.entries(other.verdicts ?? {})]);
  return {
    step: {
      before: stood,
      after: stands,
      request: /** @type {any} */ ({}),
      touched: { system: false, messages: false, tools: false },
      violations: [],
    },
    before: readTranscript(stood),
    after: readTranscript(stands, oursIn(stood, stands)),
    verdicts: all,
    known: all,
    native: new Set(),
    registered: new Map(Object.entries(other.registered ?? {})),
    rewritten: other.rewritten ?? 0,
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

const KEPT_IN_PLACE = "what is kept stands where it stood, in its order, but what a message of ours tells";
const NOTHING_NEW = "no line is new or has moved, but of what is added and of messages of ours";
const STAYS_SHOWN = "what was shown stays shown, but what was told in front of a prompt that was taken back";
const SAME_BYTES = "where nothing more is shown, all that was sent has the same bytes";
const OURS_STANDS = "a message of ours stands in front of a prompt, behind all else there, and is one text";
const OURS_SAYS = "a message of ours says what is new as the host would, in the host's newest words";
const OURS_TELLS = "a message of ours with nothing to tell is none";
const OURS_IS_TRUE = "a message of ours tells of what was available there, and is not hidden now";
const LAST_WORD = "the last word on a thing is the host's last word on it";
const ADDED = "what is added to the host's sample is the host's tool in its words, told once, and stays";
const LABELS = "labels and claims are true of their own list";

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
    assert.deepEqual(broken(seen({ change })), [KEPT_IN_PLACE]);
  });

  test("find kept things in another order", () => {
    const [first, second] = ["forms", "captions"].map(
      (id) => BASELINE.match(new RegExp(` {2}<skill>\\n {4}<id>${id}[^]*?</skill>\\n`))?.[0] ?? "",
    );
    const baseline = BASELINE.replace(`${second}${first}`, `${first}${second}`);
    assert.ok(broken(seen({ baseline })).includes(NOTHING_NEW));
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
      NOTHING_NEW,
    ]);
  });

  test("find an empty message", () => {
    const messages = [{ role: "system", content: [] }];
    assert.ok(broken(seen({ messages })).includes("nothing is empty"));
  });

  test("find a conversation that is another one", () => {
    const messages = [{ role: "user", content: [{ type: "text", text: "Hello" }] }];
    assert.deepEqual(broken(seen({ messages })), ["what nobody can prune is as it was"]);
  });

  test("find that something shown is hidden again", () => {
    const now = seen({ verdicts: { "skill captions": "prune" } });
    assert.ok(broken(now, seen({})).includes(STAYS_SHOWN));
  });

  test("find other bytes where nothing more is shown", () => {
    const earlier = seen({ baseline: BASELINE.replace("Use the skill tool", "Use the tool") });
    assert.deepEqual(broken(seen({}), earlier), [SAME_BYTES]);
  });
});

/** What a message of ours can tell of: a whole server, a tool of another, and a skill. */
const [CAPTIONS_ELEMENT = "", MAPS_ELEMENT = "", MAPS_ENTRIES = "", COUNT_ENTRY = ""] = [
  / {2}<skill>\n {4}<id>captions[^]*?<\/skill>/,
  / {2}<server name="maps">[^]*?<\/server>/,
  /(?<=- maps \(2 tools\)\n)[^]*?(?=\n\n)/,
  / {2}- tools\.issue__desk_\.count[^\n]*/,
].map((pattern) => String(pattern.exec(BASELINE)?.[0]));
const NEW_TOOLS = "New tools are available in addition to those previously listed:";
const NEW_SKILLS = "New skills are available in addition to those previously listed:";
const CHANGED = "The Code Mode tool catalog has changed.";
const OURS = [
  CHANGED,
  `${NEW_TOOLS}\n${COUNT_ENTRY}\n${MAPS_ENTRIES}`,
  `New MCP server instructions are available in addition to those previously listed:\n${MAPS_ELEMENT}`,
  `${NEW_SKILLS}\n${CAPTIONS_ELEMENT}`,
].join("\n\n");
/** The start of the session without all that. */
const CUT = [`- maps (2 tools)\n${MAPS_ENTRIES}`, COUNT_ENTRY, MAPS_ELEMENT, CAPTIONS_ELEMENT]
  .reduce((text, piece) => without(text, `\n${piece}`), BASELINE)
  .replace("issue__desk_ (3 tools)", "issue__desk_ (3 tools, 2 shown)")
  .replace(/The catalog is complete\.[^\n]*/, "The catalog is partial.");

describe("of messages of ours the rules", () => {
  test("find nothing in one that tells what is cut in front of it", () => {
    const now = seen({ baseline: CUT, ours: OURS });
    assert.deepEqual(broken(now, now), []);
  });

  test("find nothing in one that names a namespace of which it does not list all", () => {
    const ours = [
      CHANGED,
      "New tool namespaces are available: `maps` (2 tools).",
      `${NEW_TOOLS}\n${COUNT_ENTRY}`,
      OURS.slice(OURS.indexOf("New MCP")),
    ].join("\n\n");
    const hidden = { "tool maps.near": "prune", "tool maps.route": "prune" };
    assert.deepEqual(broken(seen({ baseline: CUT, ours, verdicts: /** @type {any} */ (hidden) })), []);
  });

  test("find a thing that is told and stands where it stood as well", () => {
    assert.deepEqual(broken(seen({ ours: `${NEW_SKILLS}\n${CAPTIONS_ELEMENT}` })), [KEPT_IN_PLACE]);
  });

  test("find a thing that is neither told nor stands where it stood", () => {
    assert.deepEqual(broken(seen({ baseline: without(BASELINE, `\n${CAPTIONS_ELEMENT}`) })), [KEPT_IN_PLACE]);
  });

  for (const [what, piece, other] of [
    ["an entry", "Counts // all", "Counts // some"],
    ["a server's instructions", "    Text only.", "    Text alone."],
    ["a skill", "Knows all about captions", "Knows a lot about captions"],
  ]) {
    test(`find ${what} in words that the host did not say`, () => {
      const ours = OURS.replace(String(piece), String(other));
      assert.notEqual(ours, OURS);
      assert.deepEqual(broken(seen({ baseline: CUT, ours })), [OURS_SAYS, LAST_WORD]);
    });
  }

  test("find words that the host has overtaken since", () => {
    const earlier = seen({ baseline: CUT, ours: OURS });
    const host = BASELINE.replace(COUNT_ENTRY, `${COUNT_ENTRY} now`);
    assert.deepEqual(broken(seen({ host, baseline: CUT, ours: OURS }), earlier), [LAST_WORD]);
  });

  test("find a namespace counted as the host does not", () => {
    const ours = OURS.replace(`\n\n${NEW_TOOLS}`, `\n\nNew tool namespaces are available: \`maps\` (7 tools).\n\n${NEW_TOOLS}`);
    assert.deepEqual(broken(seen({ baseline: CUT, ours })), [OURS_SAYS, LAST_WORD]);
  });

  test("find an announcement that is not the host's", () => {
    const ours = OURS.replace(NEW_SKILLS, "New skills are available today:");
    assert.deepEqual(broken(seen({ baseline: CUT, ours })), [OURS_SAYS]);
  });

  test("find a line that tells nothing", () => {
    assert.deepEqual(broken(seen({ baseline: CUT, ours: `${OURS}\n\nUse them well.` })), [OURS_SAYS]);
    assert.deepEqual(broken(seen({ ours: "Use them well." })), [OURS_TELLS, NOTHING_NEW]);
  });

  test("find one behind the prompt", () => {
    const now = seen({ baseline: CUT, messages: [said(OURS)] });
    assert.deepEqual(broken(now), [OURS_STANDS]);
  });

  test("find one in front of a message that nobody typed", () => {
    /** @type {any} */
    const output = { id: "msg_9", role: "user", content: [{ type: "text", text: "Shell output" }] };
    const now = seen({ baseline: CUT, messages: [said(OURS), output] });
    now.step.before.messages.push(output);
    assert.deepEqual(broken(now), [OURS_STANDS]);
  });

  test("find one that is more than a text", () => {
    const ours = { ...said(OURS), id: "msg_9" };
    assert.deepEqual(broken(seen({ baseline: CUT, ours })), [OURS_STANDS]);
  });

  test("find one that tells of what is pruned", () => {
    const now = seen({ baseline: CUT, ours: OURS, verdicts: { "skill captions": "prune" } });
    assert.deepEqual(broken(now), ["nothing pruned stands anywhere", OURS_IS_TRUE]);
  });

  test("find one that tells of what is gone", () => {
    const forms = / {2}<skill>\n {4}<id>forms[^]*?<\/skill>/.exec(BASELINE)?.[0];
    assert.ok(broken(seen({ ours: `${NEW_SKILLS}\n${forms}` })).includes(OURS_IS_TRUE));
  });

  test("find one that was sent and is not sent again, or otherwise, or elsewhere", () => {
    const earlier = seen({ baseline: CUT, ours: OURS });
    const prompts = ["msg_1", "msg_2"];
    assert.ok(broken(seen({ baseline: CUT, prompts, ours: OURS }), earlier).includes(SAME_BYTES));
    assert.ok(broken(seen({ prompts }), earlier).includes(SAME_BYTES));
    assert.ok(broken(seen({ baseline: CUT, ours: `${OURS}\n` }), earlier).includes(SAME_BYTES));
  });

  test("find nothing in one that is gone with the prompt in front of which it stood", () => {
    const prompts = ["msg_1", "msg_2"];
    const hidden = Object.fromEntries(
      ["skill captions", "server maps", "tool maps.near", "tool maps.route", "tool issue__desk_.count"].map((key) => [key, "prune"]),
    );
    const earlier = seen({ baseline: CUT, prompts, ours: OURS });
    assert.deepEqual(broken(seen({ baseline: CUT, verdicts: /** @type {any} */ (hidden) }), earlier), []);
  });

  test("find what was shown in place and is hidden when a prompt is taken back", () => {
    const baseline = without(BASELINE, `\n${CAPTIONS_ELEMENT}`);
    const now = seen({ baseline, verdicts: { "skill captions": "prune" } });
    assert.deepEqual(broken(now, seen({ prompts: ["msg_1", "msg_2"] })), [STAYS_SHOWN, SAME_BYTES]);
  });

  test("find that more than one change was made for a prompt", () => {
    assert.deepEqual(broken(seen({ rewritten: 1 })), []);
    assert.deepEqual(broken(seen({ rewritten: 2 })), ["what was sent is changed at most once for a prompt"]);
  });
});

describe("of additions to the host's sample the rules", () => {
  /** A sample without one tool of the desk. */
  const host = without(BASELINE, `\n${COUNT_ENTRY}`)
    .replace("issue__desk_ (3 tools)", "issue__desk_ (3 tools, 2 shown)")
    .replace(/The catalog is complete\.[^\n]*/, "The catalog is partial.");
  const filled = BASELINE.replace(/The catalog is complete\.[^\n]*/, "The catalog is partial.");
  const registered = { "issue__desk_.count": [COUNT_ENTRY] };
  const added = { "tool issue__desk_.count": /** @type {const} */ ("add") };

  test("find nothing in one that is the host's", () => {
    const now = seen({ host, baseline: filled, verdicts: added, registered });
    assert.deepEqual(broken(now, now), []);
  });

  test("find nothing in one that a message of ours tells", () => {
    const ours = `${CHANGED}\n\n${NEW_TOOLS}\n${COUNT_ENTRY}`;
    const now = seen({ host, ours, verdicts: added, registered });
    assert.deepEqual(broken(now, now), []);
  });

  test("find one that is none of the host's tools", () => {
    assert.deepEqual(broken(seen({ host, baseline: filled, verdicts: added })), [LAST_WORD, ADDED]);
  });

  test("find one that is told twice, or not at all", () => {
    const ours = `${CHANGED}\n\n${NEW_TOOLS}\n${COUNT_ENTRY}`;
    assert.deepEqual(broken(seen({ host, baseline: filled, ours, verdicts: added, registered })), [ADDED]);
    assert.deepEqual(broken(seen({ host, verdicts: added, registered })), [ADDED]);
  });

  test("find one that the label does not count", () => {
    const baseline = filled.replace("issue__desk_ (3 tools)", "issue__desk_ (3 tools, 2 shown)");
    assert.deepEqual(broken(seen({ host, baseline, verdicts: added, registered })), [LABELS]);
  });

  test("find one under a label that counts fewer tools than there are by now", () => {
    const counted = seen({ host, baseline: filled.replace("(3 tools)", "(4 tools)"), verdicts: added, registered });
    assert.deepEqual(broken(counted), [LAST_WORD, LABELS]);
  });

  test("find one that is no longer added", () => {
    const earlier = seen({ host, baseline: filled, verdicts: added, registered });
    const now = seen({ host, verdicts: { "tool issue__desk_.count": "skip" }, registered });
    assert.deepEqual(broken(now, earlier), [ADDED, SAME_BYTES]);
  });
});
