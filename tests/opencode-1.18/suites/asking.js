/**
 * `/jev` in a real OpenCode 1.18, where the answer goes through the model, and what the plugin has to say beside it: a person's
 * question is no prompt, and nothing is printed where the host draws or answers.
 */

import assert from "node:assert/strict";
import { before, describe, test } from "node:test";

import { scriptOf } from "../../plugin/scores.js";
import { toolNames } from "../reading.js";

/** @import { ModelRequest } from "../model-server.js" */
/** @import { Stage } from "../stage.js" */

const LONG_FILE = "long.txt";

/** @param {() => Stage} staged */
export function asking(staged) {
  describe("a question to the plugin", () => {
    /** @type {ModelRequest | undefined} */
    let prompted;
    /** @type {ModelRequest | undefined} */
    let asked;
    /** @type {ModelRequest | undefined} */
    let later;
    let jevRequests = 0;

    before(async () => {
      const stage = staged();
      stage.script(scriptOf({ servers: { files: 0.9 }, tools: { "files.read_text_file": 0.9 }, skills: { tea: 0.9 } }));
      // Once, so that the names of the tools are known.
      await stage.pruned.ask("Hello");
      const session = await stage.pruned.session();
      [prompted] = await stage.pruned.ask("Where is the key?", { session });
      const before = stage.jev.requests.length;
      [asked] = await stage.pruned.command("status", { session });
      jevRequests = stage.jev.requests.length - before;
      [later] = await stage.pruned.ask("Where is the key?", { session });
    });

    test("is answered through the model", () => {
      assert.match(JSON.stringify(asked?.messages.at(-1)), /Repeat this to me as it is.*health: healthy/);
    });

    test("is not put to Jev, though it names every server", () => {
      assert.equal(jevRequests, 0);
    });

    test("has the tools and the system text of the prompt before it", () => {
      assert.ok(prompted && asked);
      assert.deepEqual([toolNames(asked), asked.system], [toolNames(prompted), prompted.system]);
    });

    test("changes nothing for the prompt after it", () => {
      assert.ok(prompted && later);
      assert.deepEqual([toolNames(later), later.system], [toolNames(prompted), prompted.system]);
    });

    test("does not age the history: an output just read is still there", async () => {
      const { forgetful } = staged();
      const session = await forgetful.session();
      const read = { calls: [{ name: "read", arguments: { filePath: `${forgetful.directory}/${LONG_FILE}` } }] };
      const requests = await forgetful.ask("Read it", { session, replies: [read] });
      const output = requests.at(-1)?.messages.findLast(({ role }) => role === "tool")?.content;
      for (const word of ["context", "stats", "status"]) await forgetful.command(word, { session });
      const [last] = await forgetful.command("context", { session });
      assert.equal(last?.messages.findLast(({ role }) => role === "tool")?.content, output);
    });
  });

  describe("what the plugin has to say", () => {
    test("is in the host's log: reports where `debug_mode` is on", async () => {
      const { finding, host } = staged();
      await finding.ask("Hello");
      assert.match(host.log(), /level=INFO .*\[opencode-jev-pruner\] \d+ms/);
    });

    test("is in the host's log: that there is no key", () => {
      assert.match(staged().host.log(), /level=WARN .*\[opencode-jev-pruner\] no key for Jev/);
    });

    test("is not printed, where it would be drawn over the terminal or stand in front of an answer", () => {
      assert.doesNotMatch(staged().host.printed(), /jev/i);
    });
  });
}
