/**
 * What each strategy takes out of a conversation, on both lines of OpenCode.
 */

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { LINES } from "./lines.js";
import { call, failure, left, prompt, reasoning, said, step, text } from "./messages.js";

/** @import { Turn } from "./messages.js" */

const AT_ONCE = { batch_tokens: 0 };
const LARGE = "x".repeat(900);
const SHORTER = "[900 characters, no longer shown]";
const REPEATED = "[Same call made again later; the newest output stands there]";

/** @param {string} path @param {number} [chars] */
const read = (path, chars = 900) => step(call("read", { path }, text(chars)));

for (const line of LINES) {
  describe(`${line.name}:`, () => {
    /** @param {import("node:test").TestContext} t @param {Turn[]} talk @param {object} [history] */
    const pruned = async (t, talk, history = {}) => left(await (await line.start(t, { ...AT_ONCE, ...history }))(talk));

    test("of the same calls only the newest keeps its output", async (t) => {
      const same = [
        step(call("desk_list", { box: "in", n: 1 }, text(900))),
        step(call("desk_list", { n: 1, box: "in" }, text(800))),
        step(call("desk_list", { n: 2, box: "in" }, text(700))),
      ];
      const { calls } = await pruned(t, [prompt(), ...same, prompt()]);
      assert.deepEqual(calls.map(({ output }) => output), [REPEATED, "x".repeat(800), "x".repeat(700)]);
    });

    test("a write that was read later loses its content and nothing else", async (t) => {
      const write = step(call("write", { path: "a.ts", content: LARGE, mode: "new" }, text(20)));
      const { calls } = await pruned(t, [prompt(), write, read("a.ts"), prompt()]);
      assert.deepEqual(calls[0]?.input, { path: "a.ts", content: SHORTER, mode: "new" });
      assert.equal(calls[0]?.output, "x".repeat(20));
      assert.equal(calls[1]?.output, LARGE);
    });

    test("a write of a file that was wholly written again loses its content", async (t) => {
      const write = (/** @type {string} */ content) => step(call("write", { filePath: "/p/a.ts", content }, text(20)));
      const { calls } = await pruned(t, [prompt(), write(LARGE), write(LARGE + LARGE), prompt()]);
      assert.deepEqual(calls.map(({ input }) => input.content), [SHORTER, LARGE + LARGE]);
    });

    test("a failed call loses the large strings of its input two turns later, and its error stays", async (t) => {
      const failed = step(call("edit", { path: "a.ts", edits: [{ old: LARGE, new: "y" }] }, failure("Not found.")));
      const before = await pruned(t, [prompt(), failed, prompt()]);
      assert.equal(before.calls[0]?.input.edits[0].old, LARGE);
      const after = await pruned(t, [prompt(), failed, prompt(), prompt()]);
      assert.deepEqual(after.calls[0], {
        name: "edit",
        input: { path: "a.ts", edits: [{ old: SHORTER, new: "y" }] },
        output: "Not found.",
      });
    });

    test("reasoning and thinking aloud of older messages go", async (t) => {
      const thoughtful = step(reasoning("Hm."), said("<thinking>\nHm.\n</thinking>\nIt is 4."), call("glob", {}, text(9)));
      const talk = [prompt(), thoughtful, prompt(), thoughtful];
      const { said: texts, thought } = await pruned(t, talk);
      assert.deepEqual(texts, ["It is 4.", "<thinking>\nHm.\n</thinking>\nIt is 4."]);
      assert.deepEqual(thought, ["Hm."]);
    });

    for (const [name, input, hint] of /** @type {[string, object, string][]} */ ([
      ["read", { path: "src/a.ts" }, "[File read previously. Read again if needed: src/a.ts]"],
      ["grep", { pattern: "fn main" }, "[Content search completed for: fn main. Search again if needed]"],
      ["shell", { command: "npm test" }, "[Command executed: npm test. Re-run if needed]"],
      ["webfetch", { url: "https://a.example/b" }, "[URL fetched: https://a.example/b. Fetch again if needed]"],
      ["desk_list", { box: "in" }, "[Tool desk_list called previously with: in. Call it again if needed]"],
      ["execute", { code: "return 1" }, "[Tool execute called previously with: return 1. Call it again if needed]"],
    ])) {
      test(`an older large output of ${name} becomes a hint that keeps the trace`, async (t) => {
        const talk = [prompt(), step(call(name, input, text(900))), prompt()];
        assert.equal((await pruned(t, talk)).calls[0]?.output, LARGE);
        assert.equal((await pruned(t, [...talk, prompt()])).calls[0]?.output, hint);
      });
    }

    test("a small output stays", async (t) => {
      const { calls } = await pruned(t, [prompt(), read("a", 396), prompt(), prompt(), prompt()]);
      assert.equal(calls[0]?.output, "x".repeat(396));
    });

    test("protected turns, tools and files stay", async (t) => {
      const talk = [prompt(), read("a"), read("secret/b"), step(call("todowrite", {}, text(900))), prompt(), prompt(), prompt()];
      const outputs = async (/** @type {object} */ history) =>
        (await pruned(t, talk, history)).calls.map(({ output }) => output === LARGE);
      assert.deepEqual(await outputs({}), [false, false, true]);
      assert.deepEqual(await outputs({ turnProtection: { enabled: true } }), [true, true, true]);
      assert.deepEqual(await outputs({ protectedTools: ["re*"] }), [true, true, true]);
      assert.deepEqual(await outputs({ protected_file_patterns: ["secret/*"] }), [false, true, true]);
    });

    test("each strategy can be switched off", async (t) => {
      const talk = [
        prompt(),
        step(reasoning("Hm."), said("It is 4.")),
        step(call("write", { path: "b", content: LARGE }, text(20))),
        read("b"), read("b"),
        step(call("edit", { path: "a", new: LARGE }, failure())),
        prompt(), prompt(), prompt(),
      ];
      const run = await line.start(t, {
        ...AT_ONCE,
        deduplication: { enabled: false },
        supersede_writes: { enabled: false },
        purge_errors: { enabled: false },
        prune_thinking: { enabled: false },
        placeholder_compression: { enabled: false },
      });
      assert.deepEqual(left(await run(talk)), {
        calls: [
          { name: "write", input: { path: "b", content: LARGE }, output: "x".repeat(20) },
          { name: "read", input: { path: "b" }, output: LARGE },
          { name: "read", input: { path: "b" }, output: LARGE },
          { name: "edit", input: { path: "a", new: LARGE }, output: "It did not work." },
        ],
        said: ["It is 4."],
        thought: ["Hm."],
      });
    });
  });
}
