/**
 * Whole turns in a real OpenCode 1.18 with this plugin: the model calls tools, also hidden ones, sessions have children,
 * are compacted and run at the same time. What single requests look like is told in pruning.js.
 */

import assert from "node:assert/strict";
import { before, beforeEach, describe, test } from "node:test";

import { scriptOf } from "../../plugin/scores.js";
import { ANSWER } from "../model-server.js";
import { NOTE, serverOf } from "../project.js";
import { assertSameRequest, skillNames, toolNames } from "../reading.js";

/** @import { ModelRequest, Reply } from "../model-server.js" */
/** @import { Stage } from "../stage.js" */

/** One tool and one skill are needed. */
const NEEDED = scriptOf({
  servers: { files: 0.9 },
  tools: { "files.read_text_file": 0.9 },
  skills: { tea: 0.9 },
});
const NOTHING = scriptOf({});

/** @param {ModelRequest} request */
const mcpTools = (request) => toolNames(request).filter((name) => serverOf(name) !== undefined);

/** @param {() => Stage} staged */
export function turns(staged) {
  describe("a turn", () => {
    // The names of all tools are known from here on.
    before(() => staged().pruned.ask("Hello"));
    beforeEach(() => staged().script(NEEDED));

    /** A call of a file's tool, of a real server. @returns {Reply} */
    const readNote = () => ({
      calls: [{ name: "files_read_text_file", arguments: { path: `${staged().pruned.directory}/${NOTE.name}` } }],
    });

    test("offers a needed tool, and the real server's result comes back in the next request", async () => {
      const [first, second] = await staged().pruned.ask("Where is the key?", { replies: [readNote()] });
      assert.ok(first && second);
      assert.deepEqual(mcpTools(first), ["files_read_text_file"]);
      const result = second.messages.at(-1);
      assert.equal(result?.role, "tool");
      assert.equal(result?.content, NOTE.text);
    });

    test("offers the same at each of its steps", async () => {
      const [first, second] = await staged().pruned.ask("Where is the key?", { replies: [readNote()] });
      assert.ok(first && second);
      assert.equal(second.system, first.system);
      assert.deepEqual(second.tools, first.tools);
    });

    test("asks Jev once, however many steps it has", async () => {
      const already = staged().jev.requests.length;
      const requests = await staged().pruned.ask("Where is the key?", { replies: [readNote(), readNote()] });
      assert.equal(requests.length, 3);
      assert.equal(staged().jev.requests.length - already, 2, "one request for each phase");
    });

    test("is reported once for each request", async () => {
      const session = await staged().pruned.session();
      const requests = await staged().pruned.ask("Where is the key?", { session, replies: [readNote()] });
      const again = await staged().pruned.ask("And the flowerpot?", { session });
      assert.equal(requests.length + again.length, 3);
      const reports = staged()
        .debugLog()
        .filter((entry) => entry.event === "report" && entry.session === session.id);
      assert.equal(reports.length, 3);
    });

    test("goes on with an error when the model calls a hidden tool", async () => {
      const call = { name: "memory_read_graph", arguments: {} };
      const [first, second] = await staged().pruned.ask("What do you remember?", { replies: [{ calls: [call] }] });
      assert.ok(first && second);
      assert.ok(!toolNames(first).includes(call.name));
      assert.match(String(second.messages.at(-1)?.content), /unavailable tool 'memory_read_graph'/);
    });

    test("shows a hidden tool from the step on in which it was missed", async () => {
      const { pruned, debugLog } = staged();
      const session = await pruned.session();
      const call = { calls: [{ name: "memory_read_graph", arguments: {} }] };
      const already = debugLog().length;
      const [first, second, third] = await pruned.ask("What do you remember?", { session, replies: [call, call] });
      const later = await pruned.askOnce("And what else?", { session });
      assert.ok(first && second && third);
      assert.deepEqual([first, second, third, later].map((request) => toolNames(request).includes("memory_read_graph")), [false, true, true, true]);
      assert.match(String(third.messages.at(-1)?.content), /entities/);
      const missed = debugLog().slice(already).filter(({ event }) => event === "missed");
      assert.deepEqual(missed.map(({ name }) => name), ["memory.read_graph"]);
    });

    test("that may use no tool costs the session nothing that it was shown", async () => {
      const { pruned } = staged();
      const session = await pruned.session();
      const first = await pruned.askOnce("Where is the key?", { session });
      const already = staged().debugLog().length;
      const none = await pruned.askOnce("Only answer", { session, more: { tools: { "*": false } } });
      const reports = staged().debugLog().slice(already).filter(({ event, session: of }) => event === "report" && of === session.id);
      const allowed = await pruned.askOnce("Where is the key?", { session, more: { tools: { "*": true } } });
      assert.deepEqual(mcpTools(none), []);
      assert.deepEqual(reports, [], "nothing was removed, and nothing is claimed");
      assert.ok(mcpTools(first).length > 0);
      for (const name of mcpTools(first)) assert.ok(mcpTools(allowed).includes(name), name);
    });

    test("still loads a hidden skill that the model asks for by name", async () => {
      const replies = [{ calls: [{ name: "skill", arguments: { name: "chess" } }] }];
      const [first, second] = await staged().pruned.ask("Why did I lose?", { replies });
      assert.ok(first && second);
      assert.deepEqual(skillNames(first.system), ["tea"]);
      assert.match(String(second.messages.at(-1)?.content), /Steps of chess\./);
    });

    test("offers what the session was shown, so that the provider's cache holds", async () => {
      const session = await staged().pruned.session();
      const first = await staged().pruned.askOnce("Where is the key?", { session });
      staged().script(NOTHING);
      const request = await staged().pruned.askOnce("And now sing.", { session });
      assert.deepEqual(mcpTools(request), ["files_read_text_file"]);
      assert.deepEqual(request.tools, first.tools);
      assert.equal(request.system, first.system);
    });

    test("has no tool that the user turned off", async () => {
      staged().script(scriptOf({ otherwise: 1 }));
      const more = { tools: { bash: false, everything_echo: false } };
      const [request] = await staged().pruned.ask("Only mine", { more });
      const [reference] = await staged().plain.ask("Only mine", { more });
      assert.ok(request && reference);
      assert.ok(!toolNames(reference).includes("bash") && !toolNames(reference).includes("everything_echo"));
      assert.deepEqual(toolNames(request), toolNames(reference));
    });

    test("has the tools that the user turned on, whatever Jev says", async () => {
      staged().script(NOTHING);
      const [request] = await staged().pruned.ask("Only mine", { more: { tools: { memory_read_graph: true } } });
      assert.ok(request);
      assert.deepEqual(mcpTools(request), ["memory_read_graph"]);
    });

    test("of a subagent is pruned for its own prompt, within what it may use", async () => {
      const input = { description: "look", prompt: "Find the key", subagent_type: "general" };
      const replies = [{ calls: [{ name: "task", arguments: input }] }, { text: "Under a pot." }, { text: ANSWER }];
      const [parent, child, end] = await staged().pruned.ask("Delegate", { replies });
      const [, reference] = await staged().plain.ask("Delegate", { replies });
      assert.ok(parent && child && end && reference);
      assert.deepEqual(child.messages, reference.messages);
      assert.deepEqual(
        child.tools,
        reference.tools.filter(
          ({ function: { name } }) => !mcpTools(reference).includes(name) || name === "files_read_text_file",
        ),
      );
      assert.deepEqual(skillNames(child.system), ["tea"]);
      assert.match(String(end.messages.at(-1)?.content), /Under a pot\./);
    });

    test("of a child session is pruned", async () => {
      const parent = await staged().pruned.session();
      const session = await staged().pruned.session({ parentID: parent.id });
      const [request] = await staged().pruned.ask("Where is the key?", { session });
      assert.ok(request);
      assert.deepEqual(mcpTools(request), ["files_read_text_file"]);
    });

    test("is pruned in its own way when two sessions run at once", async () => {
      staged().script((question, state, id) => {
        const skill = JSON.stringify(state).includes("sing") ? "moon" : "tea";
        return scriptOf({ skills: { [skill]: 0.9 } })(question, state, id);
      });
      const asked = await Promise.all(["Please sing.", "Please pour."].map((text) => staged().pruned.askOnce(text)));
      assert.deepEqual(
        asked.map(({ system }) => skillNames(system)),
        [["moon"], ["tea"]],
      );
    });

    test("that compacts the session is left alone, and the next prompt is pruned", async () => {
      /** @type {ModelRequest[][]} */
      const both = [];
      for (const project of [staged().plain, staged().pruned]) {
        const session = await project.session();
        await project.ask("One", { session });
        const summary = await project.compact(session);
        both.push([...summary, ...(await project.ask("Two", { session }))]);
      }
      const [[summary, next], [itsSummary, itsNext]] = /** @type {[ModelRequest[], ModelRequest[]]} */ (both);
      assert.ok(summary && next && itsSummary && itsNext);
      assertSameRequest(itsSummary, summary);
      assert.deepEqual(itsNext.messages, next.messages);
      assert.deepEqual(skillNames(itsNext.system), ["tea"]);
    });

    test("after a compaction is decided anew", async () => {
      const session = await staged().pruned.session();
      await staged().pruned.ask("Where is the key?", { session });
      await staged().pruned.compact(session);
      staged().script(NOTHING);
      const request = await staged().pruned.askOnce("And now sing.", { session });
      assert.deepEqual(mcpTools(request), []);
      assert.deepEqual(skillNames(request.system), []);
    });
  });
}
