/**
 * Tests of `npm run bench:cache`: the models of a cache on examples that are computed by hand, the scripts and scores
 * that sessions are made of, and that the command says what it found. What the plugin costs is not asserted here.
 */

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { BreakpointCache, ImplicitCache, costOf } from "../scripts/cache-bench/caches.js";
import { scoresFor, subjectOf } from "../scripts/cache-bench/scores.js";
import { writeScript } from "../scripts/cache-bench/script.js";
import { SESSIONS } from "../scripts/cache-bench/sessions.js";
import { SETUPS, prunableTokens } from "../scripts/cache-bench/setups.js";
import { makeTopic } from "../scripts/cache-bench/topics.js";
import { excesses, losses } from "../scripts/cache-bench/verdict.js";
import { blocksOf } from "../scripts/cache-bench/wire.js";

/** @import { PromptCache } from "../scripts/cache-bench/caches.js" */
/** @import { Block } from "../scripts/cache-bench/wire.js" */

const root = fileURLToPath(new URL("..", import.meta.url));

/** @param {string[]} args */
const bench = (...args) =>
  promisify(execFile)(process.execPath, ["scripts/cache-bench/index.js", ...args], { cwd: root, maxBuffer: 1 << 24 });

/** A block of so many tokens, four characters each. @param {string} letter @param {number} tokens @returns {Block} */
const block = (letter, tokens) => ({ part: "messages", text: letter.repeat(4 * tokens) });
/** The same with a breakpoint. @param {string} letter @param {number} tokens @returns {Block} */
const mark = (letter, tokens) => ({ ...block(letter, tokens), mark: true });

/** Uses of a cache, one after the other. @param {PromptCache} cache @param {...[number, Block[]]} requests when and what */
const uses = (cache, ...requests) => requests.map(([seconds, blocks]) => cache.use(blocks, seconds));

/** The same, ten seconds apart. @param {PromptCache} cache @param {Block[][]} requests */
const inTime = (cache, requests) => requests.map((blocks, at) => cache.use(blocks, 10 * at));

test("reading costs a tenth, writing a quarter more", () => {
  // 1000 x 0.1 + 200 x 1.25 + 30 x 1 = 100 + 250 + 30
  assert.equal(costOf({ read: 1000, written: 200, plain: 30 }), 380);
});

describe("a cache with breakpoints", () => {
  const tools = mark("t", 1_500);
  const system = mark("s", 500);
  const usesOf = (/** @type {Block[][]} */ ...requests) => inTime(new BreakpointCache(), requests);

  test("writes everything up to the last breakpoint, and reads it with the next request", () => {
    assert.deepEqual(
      usesOf([tools, system, mark("a", 100)], [tools, system, block("a", 100), block("b", 40), mark("c", 20)]),
      [
        // 1500 + 500 + 100
        { read: 0, written: 2_100, plain: 0 },
        // The first request ends at "a"; behind it are 40 + 20.
        { read: 2_100, written: 60, plain: 0 },
      ],
    );
  });

  test("neither reads nor writes what stands behind the last breakpoint", () => {
    const blocks = [tools, system, block("a", 100)];
    assert.deepEqual(usesOf(blocks, blocks)[1], { read: 2_000, written: 0, plain: 100 });
  });

  test("keeps no beginning of less than 1,024 tokens", () => {
    const short = [mark("t", 1_000), mark("a", 23)];
    assert.deepEqual(usesOf(short, short)[1], { read: 0, written: 0, plain: 1_023 });
    const enough = [mark("t", 1_000), mark("a", 24)];
    // 1,000 are too few, so that nothing is left when "a" is another one.
    assert.deepEqual(usesOf(enough, [mark("t", 1_000), mark("b", 24)], enough), [
      { read: 0, written: 1_024, plain: 0 },
      { read: 0, written: 1_024, plain: 0 },
      { read: 1_024, written: 0, plain: 0 },
    ]);
  });

  test("keeps the tools when the system text changes, and nothing when a tool does", () => {
    const history = [block("a", 3_000), mark("b", 100)];
    assert.deepEqual(
      usesOf([tools, system, ...history], [tools, mark("S", 500), ...history], [mark("T", 1_500), system, ...history]),
      [
        // 1500 + 500 + 3000 + 100
        { read: 0, written: 5_100, plain: 0 },
        { read: 1_500, written: 3_600, plain: 0 },
        { read: 0, written: 5_100, plain: 0 },
      ],
    );
  });

  test("keeps the first part of the system text when the last one changes", () => {
    const ending = (/** @type {string} */ letter) => [tools, mark("p", 300), mark(letter, 700), mark("a", 100)];
    // 1500 + 300 are read, 700 + 100 written.
    assert.deepEqual(usesOf(ending("q"), ending("Q"))[1], { read: 1_800, written: 800, plain: 0 });
  });

  test("looks 20 places back from a breakpoint, its own included", () => {
    const first = [tools, system, mark("a", 100)];
    const later = (/** @type {number} */ between) => [
      ...[tools, system, block("a", 100)], ...Array.from({ length: between }, () => block("b", 10)), mark("c", 10),
    ];
    // "c" is 19 places behind "a": the twentieth that is looked at. 18 x 10 + 10 are new.
    assert.deepEqual(usesOf(first, later(18))[1], { read: 2_100, written: 190, plain: 0 });
    // One more, and only the breakpoint on the system text finds its own: 2000. 100 + 19 x 10 + 10 are written.
    assert.deepEqual(usesOf(first, later(19))[1], { read: 2_000, written: 300, plain: 0 });
  });

  test("forgets what was not used for five minutes", () => {
    const blocks = [tools, system, mark("a", 100)];
    const read = (/** @type {number} */ seconds) => uses(new BreakpointCache(), [0, blocks], [seconds, blocks])[1]?.read;
    assert.deepEqual([300, 301].map(read), [2_100, 0]);
  });

  test("keeps what is used, the shorter beginnings too", () => {
    const blocks = [tools, system, mark("a", 100)];
    const cache = new BreakpointCache();
    const other = [tools, system, mark("b", 50)];
    const [, , third, fourth] = uses(cache, [0, blocks], [200, blocks], [400, blocks], [600, other]);
    assert.deepEqual(third, { read: 2_100, written: 0, plain: 0 });
    assert.deepEqual(fourth, { read: 2_000, written: 50, plain: 0 });
  });
});

describe("an implicit cache", () => {
  const usesOf = (/** @type {Block[][]} */ ...requests) => inTime(new ImplicitCache(), requests);

  test("reads the common beginning in steps of 128 tokens and charges nothing for writing", () => {
    assert.deepEqual(usesOf([block("a", 1_300)], [block("a", 1_300), block("b", 100)]), [
      { read: 0, written: 0, plain: 1_300 },
      // 10 x 128 = 1280 of 1400
      { read: 1_280, written: 0, plain: 120 },
    ]);
  });

  test("finds nothing of less than 1,024 tokens", () => {
    const [, same] = usesOf([block("a", 1_023), block("b", 900)], [block("a", 1_023), block("c", 900)]);
    assert.deepEqual(same, { read: 0, written: 0, plain: 1_923 });
    const [, enough] = usesOf([block("a", 1_024), block("b", 900)], [block("a", 1_024), block("c", 900)]);
    assert.deepEqual(enough, { read: 1_024, written: 0, plain: 900 });
  });

  test("ends within a block where the first byte differs", () => {
    const one = { ...block("a", 2_000), text: "a".repeat(4 * 1_600) + "x".repeat(1_600) };
    const [, second] = usesOf([one], [block("a", 2_000)]);
    // 1600 are common: 12 x 128 = 1536.
    assert.deepEqual(second, { read: 1_536, written: 0, plain: 464 });
  });

  test("takes the best of the requests of the last five minutes", () => {
    const [long, short] = [[block("a", 1_280), block("b", 1_280)], [block("a", 1_280), block("c", 1_280)]];
    const read = (/** @type {number} */ seconds) =>
      uses(new ImplicitCache(), [0, long], [100, short], [seconds, long])[2]?.read;
    assert.deepEqual([300, 301, 401].map(read), [2_560, 1_280, 0]);
  });
});

test("a request is tools, system and messages, with breakpoints where the host sets them", () => {
  const text = (/** @type {string} */ text) => /** @type {const} */ ({ type: "text", text });
  const blocks = blocksOf({
    tools: ["read", "execute"].map((name) => ({ name, description: "d", input: {} })),
    system: [text("one"), text("two"), text("three")],
    messages: [
      { role: "system", content: [text("a < b & c")] },
      { role: "user", content: [text("Hello")] },
      { role: "assistant", content: [text("Hi"), { type: "tool-call", id: "1", name: "read", input: { path: "p" } }] },
      { role: "tool", content: [{ type: "tool-result", id: "1", name: "read", result: { type: "text", value: "v" } }] },
    ],
  });
  assert.deepEqual(
    blocks.map(({ text, mark }) => (mark ? `* ${text}` : text)),
    [
      '{"name":"read","description":"d","input_schema":{}}',
      '* {"name":"execute","description":"d","input_schema":{}}',
      "* one",
      "two",
      "* three",
      "<system-update>\na &lt; b &amp; c\n</system-update>",
      "Hello",
      "Hi",
      '{"type":"tool_use","id":"1","name":"read","input":{"path":"p"}}',
      '* {"type":"tool_result","tool_use_id":"1","content":"v"}',
    ],
  );
});

describe("a script", () => {
  const outline = (/** @type {string} */ words) =>
    SESSIONS.find(({ name }) => name.includes(words)) ?? assert.fail(words);

  test("is the same every time", () =>
    assert.deepEqual(JSON.stringify(writeScript(outline("late"))), JSON.stringify(writeScript(outline("late")))));

  test("has prompts and ids of calls that no other one has", () => {
    const names = SESSIONS.flatMap((session) => writeScript(session).prompts).flatMap(({ text, steps }) => [
      text,
      ...steps.flatMap(({ calls }) => calls.map(({ id }) => id)),
    ]);
    assert.equal(new Set(names).size, names.length);
  });

  test("lets servers come late, and works with them from then on", () => {
    const { servers, prompts } = writeScript(outline("catalog, servers connecting late"));
    assert.equal(servers.length, 10);
    const newcomers = prompts.flatMap(({ connected, topic }, at) =>
      connected.map(({ name }) => `${topic.need(name)} at ${at + 1}`),
    );
    assert.deepEqual(newcomers, ["needed at 5", "needed at 9"]);
  });

  test("knows sessions that are short and long, compacted and interrupted", () => {
    const lengths = SESSIONS.map(({ prompts }) => prompts);
    assert.ok(Math.min(...lengths) === 1 && lengths.filter((length) => length >= 25).length >= 5);
    assert.equal(writeScript(outline("compaction")).prompts.filter(({ compacted }) => compacted).length, 1);
    // Longer than a cache lasts.
    assert.equal(writeScript(outline("pauses")).prompts.filter(({ pause }) => pause > 300).length, 6);
  });
});

test("what is connected is as large as its name says", () => {
  assert.ok(prunableTokens(SETUPS.small) < 1_500);
  assert.ok(prunableTokens(SETUPS.catalog) > 3_000);
  assert.ok(prunableTokens(SETUPS.native) > 10_000);
  // 232 tools were observed in 366,627 bytes.
  assert.ok(Math.abs(prunableTokens(SETUPS.old) - 366_627 / 4) < 5_000);
});

describe("Jev's answers", () => {
  const topic = makeTopic("x", SETUPS.catalog, 0);
  const [needed] = topic.tools;
  const score = (/** @type {string} */ instructions, noise = 1) =>
    scoresFor(new Map([["Do it", topic]]), noise)({ type: "noul", instructions }, "Do it", "q");
  const question = (/** @type {string} */ subject) => `Does the user's request require ${subject}? Purpose: "any" thing?`;

  test("are about whom the question names", () => {
    assert.equal(subjectOf(question('the MCP server "notes"')), "notes");
    assert.equal(subjectOf(question('the tool "add" from the MCP server "notes"')), "notes.add");
    assert.equal(subjectOf(question('the skill "forms"')), "forms");
    assert.throws(() => subjectOf("Is it?"), /unknown wording/);
  });

  test("are high for what the topic needs, low for what is far, and waver the same way each time", () => {
    const asked = question(`the tool "${needed?.tool}" from the MCP server "${needed?.server}"`);
    assert.equal(score(asked, 0), 0.82);
    assert.equal(score(question('the skill "nobody-has-this"'), 0), 0.06);
    assert.equal(score(asked), score(asked));
    assert.notEqual(score(asked), 0.82);
    assert.ok(Math.abs(Number(score(asked)) - 0.82) <= 0.32);
  });
});

describe("the verdict", () => {
  /** @param {number} prunable @param {number} relative */
  const result = (prunable, relative) => {
    const spent = { cost: 0, relative, hitShare: 0, firsts: [], usage: { read: 0, written: 0, plain: 0 } };
    const counts = { requests: 1, jevCalls: 0, jevQuestions: 0, missing: 0, rewrites: { atPrompts: 0, withinPrompts: 0 } };
    const outcome = { policy: { id: "p", label: "p" }, ...counts, caches: { breakpoints: spent, implicit: spent } };
    const outcomes = [outcome, { ...outcome, policy: { ...outcome.policy, required: true } }];
    return { name: "n", about: "", prunable, prompts: 1, outcomes };
  };

  test("asks for less than no pruning where there is much to prune, and allows two percent more elsewhere", () => {
    assert.deepEqual([0.999, 1].map((relative) => excesses([result(3_001, relative)]).length), [0, 2]);
    assert.deepEqual([1.02, 1.021].map((relative) => excesses([result(3_000, relative)]).length), [0, 2]);
  });

  test("asks of a policy to stay below another one in long sessions", () => {
    /** @param {number} prompts @param {number} cost */
    const against = (prompts, cost) => {
      const [other] = result(1, 1).outcomes;
      assert.ok(other);
      const spent = { ...other.caches.implicit, cost };
      const outcome = { ...other, policy: { id: "q", label: "q", below: "p" }, caches: { breakpoints: spent, implicit: spent } };
      const caches = { breakpoints: { ...spent, cost: 100 }, implicit: { ...spent, cost: 100 } };
      return losses([{ ...result(1, 1), prompts, outcomes: [{ ...other, caches }, outcome] }]);
    };
    assert.deepEqual([99, 100].map((cost) => against(20, cost).length), [0, 2]);
    assert.deepEqual(against(19, 200), []);
    assert.equal(against(25, 150)[0]?.relative, 1.5);
  });
});

describe("the command", () => {
  const one = ["--session", "catalog, 1 prompt"];

  test("replays a session under every policy, and says so in JSON", async () => {
    const { stdout } = await bench(...one, "--json");
    const { results } = JSON.parse(stdout);
    const [none, prompt, session] = results[0].outcomes;
    assert.deepEqual([none.policy.id, prompt.policy.id, session.policy.id], ["none", "prompt", "session"]);
    assert.equal(none.caches.breakpoints.relative, 1);
    assert.ok(none.jevCalls === 0 && session.jevCalls > 0);
    // With one prompt there is nothing to keep from an earlier one.
    assert.deepEqual(session.caches, prompt.caches);
  });

  test("has tables for the README", async () => {
    const { stdout } = await bench(...one, "--markdown");
    assert.equal(stdout.match(/^\| catalog, 1 prompt \| [\d,]+ \| \d+ \| [\d,]+ \| [\d.]+% \| [\d.]+% \| /gm)?.length, 2);
  });

  test("ends with 2 and one line for what it does not know", async () => {
    for (const [args, complaint] of /** @type {const} */ ([
      [["--fast"], /^\[bench:cache\] Unknown option '--fast'\. See --help\.\n$/],
      [["--noise", "much"], /^\[bench:cache\] "much" is no factor\. See --help\.\n$/],
      [["--session", "of nobody"], /^\[bench:cache\] there is no session "of nobody"\. See --help\.\n$/],
    ])) {
      await assert.rejects(bench(...args), { code: 2, stderr: complaint });
    }
  });

  test("tells how it is used", async () => assert.match((await bench("--help")).stdout, /--noise/));
});
