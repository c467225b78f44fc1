/**
 * Pruning of the history in a real OpenCode 1.18, which has no key for Jev: what goes out to the model, and that nothing of
 * it is stored. The model counts the ids of its calls anew in every message.
 */

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, test } from "node:test";

/** @import { ModelRequest } from "../model-server.js" */
/** @import { Stage } from "../stage.js" */

const LONG = "A line of a long file.\n".repeat(200);

/** @param {ModelRequest | undefined} request */
const outputs = (request) => (request?.messages ?? []).filter(({ role }) => role === "tool").map(({ content }) => String(content));

/** @param {ModelRequest | undefined} request */
const inputs = (request) =>
  (request?.messages ?? []).flatMap(({ tool_calls }) => tool_calls ?? []).map((call) => JSON.parse(/** @type {any} */ (call).function.arguments));

/** @param {() => Stage} staged */
export function forgetting(staged) {
  describe("a history", () => {
    const path = (/** @type {string} */ name) => join(staged().forgetful.directory, name);
    const read = (/** @type {string} */ name) => ({ calls: [{ name: "read", arguments: { filePath: path(name) } }] });
    before(() => ["long.txt", "other.txt"].forEach((name) => writeFileSync(path(name), LONG)));

    test("loses outputs and contents that are stale, and the stored one does not", async () => {
      const { forgetful } = staged();
      const session = await forgetful.session();
      const write = { calls: [{ name: "write", arguments: { filePath: path("new.txt"), content: LONG } }] };
      await forgetful.ask("Read and write", { session, replies: [read("long.txt"), write, read("new.txt")] });
      await forgetful.ask("Again", { session, replies: [read("long.txt")] });
      const [last] = await forgetful.ask("And now?", { session });
      const [first, , second, again] = outputs(last);
      assert.match(first ?? "", /^\[Same call made again later/);
      assert.equal(second, "[File read previously. Read again if needed: /project/new.txt]");
      assert.ok((again ?? "").length > LONG.length);
      assert.equal(inputs(last)[1].content, `[${LONG.length} characters, no longer shown]`);
      const stored = JSON.stringify(await forgetful.messages(session));
      assert.ok(!stored.includes("no longer shown") && !stored.includes("Read again if needed"));
    });

    test("can be cleared up by the model", async () => {
      const { forgetful } = staged();
      const session = await forgetful.session();
      const discard = { calls: [{ name: "discard", arguments: { ids: ["1"], reason: "It is known." } }] };
      const [first, second, third] = await forgetful.ask("Read it", { session, replies: [read("other.txt"), discard] });
      const offered = first?.tools.find(({ function: { name } }) => name === "discard");
      assert.deepEqual(Object.keys(/** @type {any} */ (offered?.function.parameters).properties), ["ids", "reason"]);
      assert.match(String(second?.messages.at(-1)?.content), /<prunable-outputs>[^]*1: read/);
      const [output, answer] = outputs(third);
      assert.equal(output, "[Output discarded as no longer needed]");
      assert.match(answer ?? "", /^Taken out: 1 output\(s\)/);
    });

    test("is told of by /jev", async () => {
      const { forgetful, host, model } = staged();
      const session = await forgetful.session();
      await forgetful.ask("Hello", { session });
      const already = model.requests.length;
      const body = { command: "jev", arguments: "context" };
      await host.call("POST", `/session/${session.id}/command`, { directory: forgetful.directory, body });
      const asked = model.requests.slice(already).find((request) => request.session === session.id && !request.isTitle);
      assert.match(JSON.stringify(asked?.messages.at(-1)), /Repeat this to me as it is.*Newest request, in estimated tokens/);
    });
  });
}
