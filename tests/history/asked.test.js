/**
 * What the model and the person can do to the history themselves: the tools discard and extract, and the command /jev.
 */

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { loadFreshCore } from "../../js-shim/core.js";
import { server as legacy } from "../../js-shim/legacy.js";
import { stage } from "../plugin/stage.js";
import { call, left, prompt, step, stored, text } from "./messages.js";

/** @import { MiniHost } from "../mini-host/index.js" */

const TOOLS = { discard: true, extract: true, nudge_frequency: 2 };

/**
 * A host that takes tools and commands.
 * @param {import("node:test").TestContext} t @param {object} history @param {object} [more]
 */
async function started(t, history, more) {
  /** @type {Record<string, any>} */
  const tools = {};
  /** @type {Record<string, any>} */
  const commands = {};
  /** @type {any[]} */
  const told = [];
  /** @param {Record<string, any>} registry */
  const into = (registry) => ({
    transform: async (/** @type {(editor: object) => void} */ change) => change({ add: (/** @type {any} */ item) => (registry[item.name] = item) }),
  });
  const made = await stage(t, {
    options: { history: { enabled: true, ...history }, ...more },
    ctx: (given) => ({
      ...given,
      tool: into(tools),
      command: into(commands),
      session: { ...given.session, synthetic: async (/** @type {any} */ message) => void told.push(message) },
    }),
  });
  const { host } = made;
  /** The model reads some files, each in a step of its own. @param {number} count */
  async function reads(count) {
    let last = await host.prompt("Read them");
    for (let at = 1; at <= count; at++) {
      host.assistant("", [{ id: `${at}`, name: "read", input: { path: `${at}.ts` } }]);
      host.toolResult({ id: `${at}`, name: "read", value: "x".repeat(400) });
      last = await host.step();
    }
    return last;
  }
  /** @param {string} line */
  const command = async (line) => {
    await commands.jev.execute({ sessionID: host.sessionID, prompt: { text: line }, delivery: "queue" });
    return told.at(-1);
  };
  return { ...made, tools, commands, told, reads, command, context: { sessionID: host.sessionID } };
}

/** What the model reads of an answer. @param {{ content: { text: string }[] }} answer */
const wordsOf = ({ content }) => content.map(({ text }) => text).join("\n");

/** @param {{ after: { messages: any[] } }} step */
const outputs = ({ after }) => left(after.messages).calls.map(({ output }) => output);

const LIST = `<prunable-outputs>
Tool outputs that can be taken out of this conversation, by id:
1: read 1.ts (100 tokens)
2: read 2.ts (100 tokens)
</prunable-outputs>`;

describe("the model's own tools", () => {
  test("are there only if they are wanted, and are called directly", async (t) => {
    assert.deepEqual(Object.keys((await started(t, {})).tools), []);
    const { tools } = await started(t, { tools: { discard: true } });
    assert.deepEqual(Object.keys(tools), ["discard"]);
    assert.deepEqual(tools.discard.options, { codemode: false });
    assert.deepEqual(tools.discard.input.required, ["ids", "reason"]);
  });

  test("come with a list at the end of the conversation, once enough outputs are there", async (t) => {
    const { reads, host } = await started(t, { tools: TOOLS });
    const { before, after } = await reads(2);
    const last = after.messages.at(-1);
    assert.deepEqual(last, { role: "user", content: [{ type: "text", text: LIST }] });
    assert.deepEqual(after.messages.slice(0, -1), before.messages);
    // It stays where it was, so that the beginning of the request stays the same.
    host.assistant("I see.", []);
    const next = await host.step();
    assert.deepEqual(next.after.messages.slice(0, -1), after.messages);
  });

  test("discard drops an output for good", async (t) => {
    const { reads, host, tools, context } = await started(t, { tools: TOOLS });
    await reads(3);
    const answer = await tools.discard.execute({ ids: ["1"], reason: "read" }, context);
    assert.equal(wordsOf(answer), "Taken out: 1 output(s), about 100 tokens.");
    const gone = "[Output discarded as no longer needed]";
    assert.deepEqual(outputs(await host.step()), [gone, "x".repeat(400), "x".repeat(400)]);
    assert.equal(outputs(await host.prompt("And now?"))[0], gone);
  });

  test("extract puts the model's words in place of an output", async (t) => {
    const { reads, host, tools, context } = await started(t, { tools: TOOLS });
    await reads(2);
    await tools.extract.execute({ ids: [2], distillation: "It exports go()." }, context);
    assert.equal(outputs(await host.step())[1], "[Output replaced by its summary]\nIt exports go().");
  });

  test("an unknown id is answered with the valid ones, and counted", async (t) => {
    const { reads, tools, context, command } = await started(t, { tools: TOOLS });
    await reads(2);
    const content = wordsOf(await tools.discard.execute({ ids: ["9"], reason: "?" }, context));
    assert.match(content, /Unknown ids, nothing done for them: 9\. Valid ids: 1: read 1\.ts \(100 tokens\); 2: /);
    assert.match((await command("stats")).text, /1 unknown id\(s\) given by the model/);
  });

  test("a call from nowhere, or without sense, is answered", async (t) => {
    const { reads, tools, context } = await started(t, { tools: TOOLS });
    await reads(1);
    assert.match(wordsOf(await tools.discard.execute({ ids: ["1"] }, {})), /Nothing can be taken out/);
    assert.match(wordsOf(await tools.discard.execute(undefined, context)), /^Taken out: 0 output\(s\)/);
    assert.match(wordsOf(await tools.discard.execute({ ids: "1" }, context)), /^Taken out: 1 output\(s\)/);
  });
});

describe("/jev", () => {
  test("answers in the session without asking the model", async (t) => {
    const { command, context } = await started(t, {});
    const { text: words, ...rest } = await command("stats");
    // The terminal shows the description.
    assert.deepEqual(rest, { ...context, description: words, resume: false });
    assert.match(words, /^This session: 0 tokens left out of 0 request\(s\)\nAll sessions: 0 tokens/);
  });

  test("context shows the tokens by kind and what was saved", async (t) => {
    const { reads, command, host } = await started(t, { batch_tokens: 0 });
    await reads(2);
    await host.prompt("And now?");
    await host.prompt("And then?");
    const { text: words } = await command("/jev context");
    for (const kind of ["system", "catalogs", "user", "assistant", "tools", "thinking"]) {
      assert.match(words, new RegExp(`^ {2}${kind} +\\d+$`, "m"));
    }
    assert.match(words, /Saved in the history: \d+ tokens by 2 edits\n {2}placeholder_compression +\d+ tokens, 2 edits/);
  });

  test("sweep takes out the outputs since the last prompt, all or the last few", async (t) => {
    for (const [line, expected] of /** @type {[string, boolean[]][]} */ ([["sweep", [true, true, true]], ["sweep 2", [false, true, true]]])) {
      const { reads, command, host } = await started(t, {});
      await reads(3);
      assert.match((await command(line)).text, /^Taken out of later requests: \d output\(s\)/);
      const swept = outputs(await host.prompt("And now?")).map((output) => String(output).startsWith("[Output swept"));
      assert.deepEqual(swept, expected);
    }
  });

  test("sweep says what it does not understand, and does nothing", async (t) => {
    const { reads, command, host } = await started(t, {});
    await reads(1);
    for (const line of ["sweep all", "sweep 0", "sweep -1"]) assert.match((await command(line)).text, /Nothing was done/);
    assert.deepEqual(outputs(await host.step()), ["x".repeat(400)]);
  });

  test("stats sums up this session and, where the host keeps something, all of them", async (t) => {
    const { reads, command, host } = await started(t, { batch_tokens: 0 });
    await reads(1);
    await host.prompt("And now?");
    await host.prompt("And then?");
    const [, here] = /This session: (\d+) tokens left out of 4/.exec((await command("stats")).text) ?? [];
    assert.ok(Number(here) > 50);
    host.sessionID = "ses_2";
    await host.prompt("Elsewhere");
    assert.equal(
      (await command("stats")).text,
      `This session: ${here} tokens left out of 4 request(s)\nAll sessions: ${here} tokens left out of 5 request(s)`.replace(
        /This session: \d+ tokens left out of 4/,
        "This session: 0 tokens left out of 1",
      ),
    );
  });

  test("lists what there is for an unknown word, or none", async (t) => {
    const { command } = await started(t, {});
    assert.match((await command("dance")).text, /^There is no `\/jev dance`\. There are:\n {2}\/jev context: /);
    assert.match((await command("")).text, /^ {2}\/jev context: .*\n {2}\/jev sweep \[N\]: .*\n {2}\/jev stats: /);
  });

  test("offers nothing of the history when that is not pruned", async (t) => {
    const { command } = await started(t, { enabled: false });
    assert.doesNotMatch((await command("")).text, /jev (context|sweep|stats)/);
    assert.match((await command("context")).text, /^There is no `\/jev context`/);
  });
});

describe("OpenCode 1.18", () => {
  const start = async (/** @type {object} */ history) => {
    const core = await loadFreshCore();
    const options = { jev_api_key: "none", history: { enabled: true, ...history } };
    return /** @type {any} */ (await legacy({}, options, { load: () => core }));
  };
  const read = (/** @type {string} */ path) => step(call("read", { path }, text(400)));

  test("takes the tools, with plain schemas of their arguments", async () => {
    const hooks = await start({ tools: TOOLS });
    const messages = stored([prompt(), read("a"), read("b")]);
    const output = { messages: [...messages] };
    await hooks["experimental.chat.messages.transform"]({}, output);
    const note = output.messages.at(-1);
    assert.equal(note.info.role, "user");
    assert.deepEqual(note.info.model, messages[0].info.model);
    assert.match(note.parts[0].text, /1: read a \(100 tokens\)\n2: read b/);
    assert.equal(await hooks.tool.discard.execute({ ids: ["1"], reason: "" }, { sessionID: "ses_1" }), "Taken out: 1 output(s), about 100 tokens.");
    assert.deepEqual(Object.keys(hooks.tool.discard.args), ["ids", "reason"]);
    const next = { messages: [...messages] };
    await hooks["experimental.chat.messages.transform"]({}, next);
    assert.equal(left(next.messages).calls[0]?.output, "[Output discarded as no longer needed]");
  });

  test("answers /jev through the model", async () => {
    const hooks = await start({});
    /** @type {any} */
    const config = {};
    await hooks.config(config);
    assert.equal(config.command.jev.template, "$ARGUMENTS");
    const output = { parts: [{ type: "text", text: "stats" }] };
    await hooks["command.execute.before"]({ command: "jev", sessionID: "ses_1", arguments: "stats" }, output);
    assert.match(output.parts[0]?.text ?? "", /^Repeat this to me as it is, and do nothing else:\n\nThis session: 0 tokens/);
    const other = { parts: [{ type: "text", text: "x" }] };
    await hooks["command.execute.before"]({ command: "init", sessionID: "ses_1", arguments: "" }, other);
    assert.equal(other.parts[0]?.text, "x");
  });
});
