/**
 * What must hold whatever is pruned, on both lines of OpenCode: nothing that a provider would refuse, nothing of the
 * newest turn, batches, and the same edits ever after.
 */

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { LINES } from "./lines.js";
import { call, failure, left, prompt, reasoning, said, step, text } from "./messages.js";

/** @import { Turn } from "./messages.js" */

const LARGE = "x".repeat(900);
const SIGNED = { providerMetadata: { anthropic: { signature: "sig" } } };
const ITEM = { providerMetadata: { openai: { itemId: "rs_1", reasoningEncryptedContent: "enc" } } };

/** @param {string} path @param {number} [chars] */
const read = (path, chars = 900) => step(call("read", { path }, text(chars)));

for (const line of LINES) {
  describe(`${line.name}:`, () => {
    /** @param {import("node:test").TestContext} t @param {Turn[]} talk @param {{ providerID: string, id: string }} [model] */
    const pruned = async (t, talk, model) => left(await (await line.start(t, { batch_tokens: 0 }))(talk, model));

    test("it is off unless it is wanted", async (t) => {
      const run = await line.start(t, { enabled: false, batch_tokens: 0 });
      const [output] = left(await run([prompt(), read("a"), prompt(), prompt(), prompt()])).calls;
      assert.equal(output?.output, LARGE);
    });

    test("the newest turn stays whole", async (t) => {
      const turn = [step(reasoning("Hm."), said("x")), read("a"), read("a"), step(call("edit", { new: LARGE }, failure()))];
      const { calls, thought } = await pruned(t, [prompt(), ...turn]);
      assert.deepEqual(calls.map(({ output }) => output), [LARGE, LARGE, "It did not work."]);
      assert.deepEqual(thought, ["Hm."]);
    });

    test("thinking that its provider signed stays with the call it led to", async (t) => {
      for (const marks of [SIGNED, ITEM]) {
        const talk = [prompt(), step(reasoning("Hm.", marks), call("glob", {}, text(9))), prompt(), prompt()];
        assert.deepEqual((await pruned(t, talk)).thought, ["Hm."]);
      }
    });

    test("thinking that its provider signed goes from a mere answer, unless the answer is tied to it", async (t) => {
      const answer = [prompt(), step(reasoning("Hm.", SIGNED), said("It is 4.")), prompt(), prompt()];
      assert.deepEqual((await pruned(t, answer)).thought, []);
      const tied = [prompt(), step(reasoning("Hm.", ITEM), said("It is 4.", ITEM)), prompt(), prompt()];
      assert.deepEqual((await pruned(t, tied)).thought, ["Hm."]);
    });

    test("models that want their reasoning back have it", async (t) => {
      const talk = [prompt(), step(reasoning("Hm."), said("It is 4.")), prompt(), prompt()];
      assert.deepEqual((await pruned(t, talk, { providerID: "deepseek", id: "v4" })).thought, ["Hm."]);
      assert.deepEqual((await pruned(t, talk, { providerID: "x", id: "kimi-k2.5" })).thought, ["Hm."]);
      assert.deepEqual((await pruned(t, talk, { providerID: "x", id: "y" })).thought, []);
    });

    test("an input stays that its provider may have signed", async (t) => {
      const marked = step(call("edit", { new: LARGE }, failure(), line.name === "OpenCode 2" ? SIGNED : { metadata: SIGNED.providerMetadata }));
      const { calls } = await pruned(t, [prompt(), marked, prompt(), prompt(), prompt()]);
      assert.equal(calls[0]?.input.new, LARGE);
    });

    test("a message with a part of an unknown kind stays", async (t) => {
      const strange = step(reasoning("Hm."), { type: "hologram" }, said("x"), call("read", { path: "a" }, text(900)));
      const { calls, thought } = await pruned(t, [prompt(), strange, prompt(), prompt(), prompt()]);
      assert.equal(calls[0]?.output, LARGE);
      assert.deepEqual(thought, ["Hm."]);
    });

    test("a call without an end stays", async (t) => {
      const { calls } = await pruned(t, [prompt(), step(call("edit", { new: LARGE })), prompt(), prompt(), prompt()]);
      assert.equal(calls[0]?.input.new, LARGE);
    });

    test("edits wait for a batch, are made together, and then stay as they are", async (t) => {
      const run = await line.start(t, { batch_tokens: 1_000 });
      const talk = [prompt(), read("a", 3_000), prompt(), prompt()];
      const outputs = async () => left(await run(talk)).calls.map(({ output }) => String(output).length);
      assert.deepEqual(await outputs(), [3_000]);
      talk.push(read("b", 3_000), prompt(), prompt());
      const both = await outputs();
      assert.ok(both.every((chars) => chars < 100));
      talk.push(read("c", 3_000), prompt(), prompt());
      assert.deepEqual(await outputs(), [...both, 3_000]);
    });

    test("the same request has the same bytes", async (t) => {
      const run = await line.start(t, { batch_tokens: 0 });
      const talk = [prompt(), step(reasoning("Hm."), call("read", { path: "a" }, text(900))), read("a"), prompt(), prompt()];
      assert.equal(JSON.stringify(await run(talk)), JSON.stringify(await run(talk)));
    });

    test("a shadow changes nothing", async (t) => {
      const run = await line.start(t, { batch_tokens: 0 }, { mode: "shadow" });
      assert.equal(left(await run([prompt(), read("a"), prompt(), prompt()])).calls[0]?.output, LARGE);
    });

    test("it needs no key", async (t) => {
      const run = await line.start(t, { batch_tokens: 0 }, { jev_api_key: undefined });
      assert.notEqual(left(await run([prompt(), read("a"), prompt(), prompt()])).calls[0]?.output, LARGE);
    });
  });
}
