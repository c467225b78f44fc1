/**
 * What the stand-in host makes of what a plugin's hook left: what goes to the model, what is told as a violation, and
 * what is an error (opencode-host.md §1.5, §5.2; host-observed.md "V2: what edits do").
 */

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { MiniHost, SAMPLE_SERVERS, SAMPLE_SKILLS } from "./mini-host/index.js";

/** @import { ContextEvent } from "./mini-host/types.js" */

/**
 * A host with one plugin that edits events.
 * @param {(event: ContextEvent) => unknown} callback
 */
async function hostWith(callback) {
  const host = new MiniHost({ servers: SAMPLE_SERVERS, skills: SAMPLE_SKILLS });
  /** @param {any} ctx */
  const setup = (ctx) => ctx.session.hook("context", callback);
  await host.load({ id: "editor", setup });
  return host;
}

describe("after the hooks", () => {
  test("an untouched event leaves as it came", async () => {
    const host = await hostWith(() => {});
    const { before, after, touched, violations } = await host.prompt("hi");
    assert.deepEqual(after, before);
    assert.deepEqual(touched, { system: false, messages: false, tools: false });
    assert.deepEqual(violations, []);
  });

  test("an equal copy counts as touched", async () => {
    const host = await hostWith((event) => (event.system = event.system.map((part) => ({ ...part }))));
    const { touched } = await host.prompt("hi");
    assert.deepEqual(touched, { system: true, messages: false, tools: false });
  });

  test("replaced parts, messages and tools go to the model and are not stored", async () => {
    const host = await hostWith((event) => {
      event.messages = event.messages.map((message) => ({ ...message, content: [{ type: "text", text: "replaced" }] }));
      event.tools.read = { description: "replaced", input: { type: "object" } };
      delete event.tools.shell;
    });
    const { after } = await host.prompt("one");
    assert.deepEqual(after.messages[0]?.content, [{ type: "text", text: "replaced" }]);
    assert.equal(after.tools.read?.description, "replaced");
    assert.ok(!("shell" in after.tools));
    const { before } = await host.step();
    assert.deepEqual(before.messages[0]?.content, [{ type: "text", text: "one" }]);
    assert.ok("shell" in before.tools);
  });

  test("a tool of its own making is dropped and told", async () => {
    const host = await hostWith((event) => (event.tools.mine = { description: "", input: {} }));
    const { request, violations } = await host.prompt("hi");
    assert.ok(!request.tools.some(({ name }) => name === "mine"));
    assert.deepEqual(violations, ['tool "mine" is none of the host\'s and was dropped']);
    assert.deepEqual(host.violations, violations);
  });

  test("a definition that was moved to another key is told", async () => {
    const host = await hostWith((event) => {
      const { read, ...rest } = event.tools;
      event.tools = { ...rest, ...(read && { look: read }) };
    });
    const { request, violations } = await host.prompt("hi");
    assert.ok(request.tools.some(({ name }) => name === "look"));
    assert.deepEqual(violations, ['tool "read" was moved to the key "look"']);
  });

  test("empty texts and empty messages are told", async () => {
    const host = await hostWith((event) => {
      event.system = [{ type: "text", text: "" }];
      event.messages = event.messages.map((message) => ({ ...message, content: [] }));
    });
    const { violations } = await host.prompt("hi");
    assert.equal(violations.length, 2);
  });

  /** @type {Array<[string, (event: any) => unknown, RegExp]>} */
  const fatal = [
    ["a part without text", (event) => (event.system = [{ type: "text" }]), /system\[0\] has no text/],
    ["a string as part", (event) => (event.system = ["text"]), /system\[0\] is not an object/],
    [
      "a message without content",
      (event) => (event.messages = [{ role: "user" }]),
      /messages\[0\] has no content array/,
    ],
    [
      "a message with an unknown role",
      (event) => (event.messages = [{ role: "robot", content: [] }]),
      /messages\[0\] has the role "robot"/,
    ],
    [
      "a tool without description",
      (event) => (event.tools.read = { input: {} }),
      /tools\["read"\] is not \{ description, input \}/,
    ],
    ["a hook that throws", () => Promise.reject(new Error("no")), /the context hook of plugin "editor" failed: no/],
  ];
  for (const [name, callback, error] of fatal) {
    test(`${name} ends the request`, async () => assert.rejects((await hostWith(callback)).prompt("hi"), error));
  }

  /** @type {Array<[string, (event: any) => unknown, RegExp]>} */
  const inPlace = [
    ["a system part", (event) => (event.system[1].text = ""), /event\.system\[1\]\.text was changed in place/],
    [
      "a message's part",
      (event) => (event.messages[0].content[0].text = ""),
      /event\.messages\[0\]\.content\[0\]\.text was changed in place/,
    ],
    [
      "a message",
      (event) => (event.messages[0].content = []),
      /event\.messages\[0\]\.content\[0\] was changed in place/,
    ],
    [
      "a tool's schema",
      (event) => (event.tools.read.input.properties.more = {}),
      /event\.tools\.read\.input\.properties\.more was changed in place/,
    ],
    [
      "a part that was then removed",
      (event) => (event.system.shift().text = ""),
      /event\.system\[0\]\.text was changed in place/,
    ],
  ];
  for (const [name, callback, error] of inPlace) {
    test(`changing ${name} in place is an error`, async () =>
      assert.rejects((await hostWith(callback)).prompt("hi"), error));
  }

  test("what is changed in place after the hook has returned is an error of the next step", async () => {
    /** @type {any} */
    let kept;
    const host = await hostWith((event) => (kept = event.messages[0]));
    await host.prompt("hi");
    kept.content[0].text = "";
    await assert.rejects(host.step(), /event\.messages\[0\]\.content\[0\]\.text was changed in place/);
  });
});
