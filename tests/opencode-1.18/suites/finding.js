/**
 * Finding on demand in a real OpenCode 1.18: the model asks for a tool that it was not shown, and has it from its next step
 * on. In this line of the host MCP tools are known by their names only, and only after a request has shown them.
 */

import assert from "node:assert/strict";
import { before, describe, test } from "node:test";

import { toolNames } from "../reading.js";

/** @import { ModelRequest } from "../model-server.js" */
/** @import { Stage } from "../stage.js" */

const WANTED = "memory_read_graph";

/** @param {() => Stage} staged */
export function finding(staged) {
  describe("a tool that is not shown", () => {
    /** @type {ModelRequest[]} */
    let turn;
    /** @type {ModelRequest} */
    let later;

    before(async () => {
      const stage = staged();
      // Once, so that the names of the tools are known.
      await stage.finding.askOnce("Say hello.");
      const session = await stage.finding.session();
      stage.model.replies.push(
        { calls: [{ name: "tool_search", arguments: { query: "read graph" } }] },
        { calls: [{ name: WANTED, arguments: {} }] },
      );
      turn = await stage.finding.ask("What do we know?", { session });
      await stage.finding.ask("Thank you.", { session });
      later = await stage.finding.askOnce("Goodbye.", { session });
    });

    /** What the model got to read of a call. @param {ModelRequest | undefined} request */
    const answerIn = (request) => String(request?.messages.findLast(({ role }) => role === "tool")?.content);

    test("is not in the request, and the tools to find it are", () => {
      assert.ok(!toolNames(/** @type {ModelRequest} */ (turn[0])).includes(WANTED));
      const own = turn[0]?.tools.find(({ function: { name } }) => name === "tool_search");
      assert.ok(JSON.stringify(own?.function.parameters).includes('"query"'));
    });

    test("is found by the words of its name", () => {
      assert.equal(JSON.parse(answerIn(turn[1])).tools[0].id, WANTED);
    });

    test("is there in the next step and can be called", () => {
      assert.ok(toolNames(/** @type {ModelRequest} */ (turn[1])).includes(WANTED));
      assert.match(answerIn(turn[2]), /entities/);
    });

    test("is still there two prompts later", () => {
      assert.ok(toolNames(later).includes(WANTED));
    });
  });
}
