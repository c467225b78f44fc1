/**
 * Which text of a conversation is taken for the user's prompt, and that nothing happens without one. Patterns are those of
 * opencode-host.md §4.4 and host-observed.md.
 */

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { renderSkills } from "../mini-host/index.js";
import { eventOf, textPart, userMessage, watch } from "./events.js";
import { skillList } from "./inventory.js";
import { stage } from "./stage.js";

/** @import { TestContext } from "node:test" */

const SKILLS = skillList(["forms", "captions"]);
const SYSTEM = [String(renderSkills(SKILLS))];

/** A user message that no user typed: it has no metadata. @param {...string} texts */
const untyped = (...texts) => ({ id: `msg_${texts[0]}`, role: "user", content: texts.map(textPart) });
/** @param {string} text */
const assistant = (text) => ({ id: `msg_${text}`, role: "assistant", content: [textPart(text)] });

/**
 * What Jev read as the prompt, if it was asked.
 * @param {TestContext} t @param {any[]} messages @param {Record<string, string>} [remembered] prompts by message id
 * @param {Record<string, unknown>} [options] of the plugin; unless told, only the prompt itself is read
 */
async function stateOf(t, messages, remembered = {}, options = { state_context: "prompt" }) {
  const { context, prompted, asked } = await stage(t, { options });
  for (const [messageID, text] of Object.entries(remembered)) {
    await prompted({ sessionID: "ses_1", messageID, prompt: { text }, delivery: "queue" });
  }
  await context(eventOf({ system: SYSTEM, messages }));
  return asked()[0]?.state;
}

describe("the prompt is", () => {
  test("what the prompt hook was told for a message of the conversation", async (t) => {
    const messages = [userMessage("Loaded skill text\nAs shown", "msg_1")];
    assert.equal(await stateOf(t, messages, { msg_1: "As typed" }), "As typed");
  });

  test("the newest of those", async (t) => {
    const messages = [userMessage("1", "msg_1"), assistant("a"), userMessage("2", "msg_2"), assistant("b")];
    assert.equal(await stateOf(t, messages, { msg_1: "First", msg_2: "Second" }), "Second");
  });

  test("not one that is admitted and not yet in the conversation", async (t) => {
    const messages = [userMessage("1", "msg_1"), assistant("a")];
    assert.equal(await stateOf(t, messages, { msg_1: "First", msg_2: "Queued" }), "First");
  });

  test("one that was remembered rather than a later notice", async (t) => {
    const messages = [userMessage("1", "msg_1"), untyped("A notice")];
    assert.equal(await stateOf(t, messages, { msg_1: "First" }), "First");
  });

  test("else the last user message with metadata", async (t) => {
    const messages = [
      userMessage("First", "msg_1"),
      assistant("a"),
      userMessage("Second", "msg_2"),
      untyped("A notice"),
    ];
    assert.equal(await stateOf(t, messages), "Second");
  });

  test("else the last user message with metadata, whatever else is in that", async (t) => {
    const messages = [{ ...userMessage("First"), metadata: { source: "queue" } }, untyped("A notice")];
    assert.equal(await stateOf(t, messages), "First");
  });

  for (const [what, text] of Object.entries({
    "shell output": "The following shell command was executed by the user:\n\nls",
    "the beta's shell output": "Shell command: ls\n\nREADME.md",
    "a checkpoint": "<conversation-checkpoint>\nIn short.\n</conversation-checkpoint>",
    "a change of the directory": "The working directory has been changed to /other",
    "a skill's text": '<skill_content name="forms">\nFill.\n</skill_content>',
  })) {
    test(`else the last user message that is not ${what}`, async (t) => {
      assert.equal(await stateOf(t, [untyped("Typed"), assistant("a"), untyped(text)]), "Typed");
    });

    if (what === "a skill's text") continue;
    test(`one with metadata even when it looks like ${what}`, async (t) => {
      assert.equal(await stateOf(t, [untyped("Typed"), userMessage(text)]), text);
    });
  }

  test("one, whatever tools answered since", async (t) => {
    const call = { type: "tool-call", id: "1", name: "read", input: {} };
    const result = { type: "tool-result", id: "1", name: "read", result: { type: "text", value: "x" } };
    const messages = [
      userMessage("Typed"),
      { role: "assistant", content: [call] },
      { role: "tool", content: [result] },
    ];
    assert.equal(await stateOf(t, messages), "Typed");
  });
});

describe("a prompt shorter than 40 characters", () => {
  const earlier = "Which of the queries of last night were slow, and why?";
  /** @param {string} prompt */
  const conversation = (prompt) => [
    userMessage(earlier, "msg_1"),
    assistant("Two of them. Shall I create an index?"),
    userMessage(prompt, "msg_2"),
  ];
  const withContext = (/** @type {string} */ prompt) =>
    `Earlier request: ${earlier}\nThe assistant answered: Shall I create an index?\nThe user's request now: ${prompt}`;

  test("brings along the one before it and the assistant's last sentence", async (t) => {
    assert.equal(await stateOf(t, conversation("Yes"), {}, {}), withContext("Yes"));
  });

  test("does so as it was typed, where that was remembered", async (t) => {
    const typed = { msg_1: earlier, msg_2: "As typed" };
    assert.equal(await stateOf(t, conversation("As shown"), typed, {}), withContext("As typed"));
  });

  test("stands alone where `state_context` says so", async (t) => {
    assert.equal(await stateOf(t, conversation("Yes"), {}, { state_context: "prompt" }), "Yes");
  });

  test("stands alone at the beginning of a session", async (t) => {
    assert.equal(await stateOf(t, [userMessage("Yes")], {}, {}), "Yes");
  });

  test("is the same at every step of its turn", async (t) => {
    const { context, asked } = await stage(t);
    const steps = [conversation("Yes"), [...conversation("Yes"), assistant("Working on it. Almost done.")]];
    for (const messages of steps) await context(eventOf({ system: SYSTEM, messages }));
    assert.deepEqual(asked().map(({ state }) => state), [withContext("Yes")]);
  });
});

test("a prompt of 40 characters stands alone", async (t) => {
  const prompt = "x".repeat(40);
  const messages = [userMessage("Before", "msg_1"), assistant("a"), userMessage(prompt, "msg_2")];
  assert.equal(await stateOf(t, messages, {}, {}), prompt);
});

describe("attachments", () => {
  const file = "\n\nAttached file: notes.md\n\nAll about pumpkins.";

  for (const [what, part] of Object.entries({
    "a file": textPart(file),
    "a directory": textPart("\n\nAttached directory: src\n\na.js"),
    "a part that its own metadata calls an attachment": {
      ...textPart("pumpkins"),
      metadata: { attachment: { name: "x" } },
    },
    "a picture": { type: "media", mediaType: "image/png", data: "AAAA" },
  })) {
    test(`are left out of the prompt: ${what}`, async (t) => {
      const message = { ...userMessage("Typed"), content: [textPart("Typed"), part] };
      assert.equal(await stateOf(t, [message]), "Typed");
    });
  }

  test("are left out of a prompt that is found by its looks", async (t) => {
    assert.equal(await stateOf(t, [untyped("Typed", file)]), "Typed");
  });

  test("are left out of what the host attaches", async (t) => {
    const { host, asked } = await stage(t, { skills: SKILLS });
    await host.prompt("Typed", { attachments: [{ name: "notes.md", text: "pumpkins" }, "src"] });
    assert.equal(asked()[0]?.state, "Typed");
  });

  test("alone are no prompt", async (t) => {
    assert.equal(await stateOf(t, [{ ...userMessage(""), content: [textPart(file)] }]), undefined);
  });
});

describe("without a prompt", () => {
  for (const [what, messages] of /** @type {[string, any[]][]} */ ([
    ["no message", []],
    ["only what the assistant said", [assistant("Hello")]],
    ["only notices", [untyped("Shell command: ls\n\nx")]],
    ["an empty prompt", [userMessage("")]],
    ["a blank prompt", [userMessage(" \n\t")]],
  ])) {
    test(`Jev is not asked and nothing changes: ${what}`, async (t) => {
      const { context, asked } = await stage(t);
      const event = eventOf({ system: SYSTEM, messages });
      const unchanged = watch(event);
      await context(event);
      unchanged();
      assert.deepEqual(asked(), []);
    });

    test(`the report says why: ${what}`, async (t) => {
      const { context, reports } = await stage(t);
      await context(eventOf({ system: SYSTEM, messages }));
      assert.deepEqual([reports[0].applied, reports[0].skipped], [false, "no_prompt"]);
    });
  }
});

test("without a candidate Jev is not asked, nothing changes, and the report says why", async (t) => {
  const { context, asked, reports } = await stage(t);
  const event = eventOf({
    system: ["Answer in short sentences."],
    tools: { read: { description: "Read.", input: {} } },
  });
  const unchanged = watch(event);
  await context(event);
  unchanged();
  assert.deepEqual([asked(), reports[0].skipped], [[], "no_candidates"]);
});

test("a prompt event without id or text is no matter", async (t) => {
  const { prompted, context, asked } = await stage(t);
  for (const event of [
    undefined,
    null,
    {},
    { messageID: 1, prompt: { text: "x" } },
    { messageID: "m", prompt: null },
  ]) {
    await prompted(event);
  }
  await context(eventOf({ system: SYSTEM }));
  assert.equal(asked()[0]?.state, "Do it");
});
