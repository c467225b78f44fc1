/**
 * What the shim outlines of an event for the core. What becomes of an event stands in deciding.test.js and
 * failing-open.test.js.
 */

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { changeEvent, charsIn, readEvent, usesIn } from "../../js-shim/event.js";
import { eventOf } from "./events.js";

/** @param {string} role @param {...object} content */
const message = (role, ...content) => ({ role, content });
/** @param {string} name @param {unknown} [input] */
const call = (name, input = {}, id = "call_1") => ({ type: "tool-call", id, name, input });
/** @param {string} name @param {unknown} result */
const result = (name, result, id = "call_1") => ({ type: "tool-result", id, name, result });
const broken = { get type() { throw new Error("not to be read"); } };

describe("a conversation has used", () => {
  test("the tools that it called or has answers of, each told once", () => {
    const messages = [message("assistant", call("read"), call("desk_add"), call("read")), message("tool", result("notes_find", {}))];
    assert.deepEqual(usesIn(messages), { names: "read\0desk_add\0notes_find", skills: "", paths: "" });
  });

  test("nothing that stands in other messages or parts", () => {
    const messages = [message("user", call("read")), message("system", call("read")), message("assistant", { type: "text", text: "read", name: "read" })];
    assert.equal(usesIn(messages).names, "");
  });

  test("what the code for `execute` names", () => {
    const messages = [message("assistant", call("execute", { code: "tools.desk.add()" }), call("execute", { code: 7 }), call("execute"))];
    assert.equal(usesIn(messages).paths, "tools.desk.add()");
  });

  test("what a search in that code has found, its quotes as they were", () => {
    const found = { type: "json", value: 'tools["desk"].add' };
    const searching = [message("assistant", call("execute", { code: "search({})" }, "a")), message("tool", result("execute", found, "a"))];
    assert.match(usesIn(searching).paths, /tools\["desk"\]\.add/);
    const other = [message("assistant", call("execute", { code: "1" }, "a")), message("tool", result("execute", found, "a"))];
    assert.equal(usesIn(other).paths, "1");
  });

  test("the skills that were loaded, by id or by name", () => {
    const messages = [message("assistant", call("skill", { id: "forms" }), call("skill", { name: "Zip" }), call("skill", { id: "" }))];
    assert.equal(usesIn(messages).skills, "forms\0Zip");
  });

  test("what can be read, whatever else is in it", () => {
    const messages = [null, 7, { role: "assistant" }, message("assistant", broken, /** @type {any} */ (null), call("read"))];
    assert.equal(usesIn(messages).names, "read");
  });

  test("a name that holds a NUL as one name", () => {
    assert.equal(usesIn([message("assistant", call("a\0b"))]).names, "a b");
  });
});

describe("a text of an event", () => {
  const system = (/** @type {string[]} */ ...texts) => ({ ...eventOf({ system: texts }), tools: {} });

  test("is told once, and by its number from then on", () => {
    const core = {};
    const first = readEvent(core, system("one", "two"));
    const second = readEvent(core, system("two", "new"));
    assert.deepEqual([first.newTexts, second.newTexts], [["one", "two"], ["new"]]);
    assert.deepEqual([...first.places], [-1, 0, -1, 1]);
    assert.deepEqual([...second.places], [-1, 1, -1, 2]);
  });

  test("stands in a system part, a part of a system message, or the description of `execute`", () => {
    const event = { ...system("one"), messages: [message("user"), message("system", { type: "text", text: "two" })], tools: { execute: { description: "three" } } };
    assert.deepEqual([...readEvent({}, event).places], [-1, 0, 1, 1, -2, 2]);
  });

  test("is left out where it cannot be read", () => {
    const part = { get text() { throw new Error("not to be read"); } };
    const event = { ...system("one"), system: [part, { text: 7 }, { text: "two" }] };
    assert.deepEqual(readEvent({}, event).newTexts, ["two"]);
  });
});

describe("the tools of an event", () => {
  const withTools = (/** @type {object} */ tools) => ({ ...eventOf({}), tools });

  test("are told by name and description, but for `execute`, with the length of each", () => {
    const read = { description: "Reads" };
    const told = readEvent({}, withTools({ read, execute: { description: "x" }, odd: {}, not: 7 }));
    assert.equal(told.newTools, "read\0Reads\0odd\0");
    assert.deepEqual([...(told.toolChars ?? [])], [JSON.stringify(read).length, 2]);
  });

  test("are forgotten when eight other maps have come", () => {
    const core = {};
    const map = (/** @type {number} */ at) => readEvent(core, withTools({ a: { description: `${at}` } }));
    const first = Array.from({ length: 8 }, (_, at) => map(at).toolMap);
    assert.deepEqual(first, [0, 1, 2, 3, 4, 5, 6, 7]);
    assert.equal(map(8).toolMap, 0);
    assert.equal(map(1).newTools, undefined);
    assert.equal(map(0).newTools, `a\0${0}`);
  });

  test("are left out where a list could not name them, or something else than a text describes them", () => {
    const told = readEvent({}, withTools({ "a\0b": { description: "x" }, c: { description: {} } }));
    assert.equal(told.newTools, "c\0");
  });

  test("are known again when names and descriptions are the same", () => {
    const core = {};
    const tools = [{ a: { description: "x" } }, { a: { description: "y" } }, { a: { description: "x" } }];
    const told = tools.map((tools) => readEvent(core, withTools(tools)));
    assert.deepEqual(told.map(({ toolMap }) => toolMap), [0, 1, 0]);
    assert.deepEqual(told.map(({ newTools }) => newTools), ["a\0x", "a\0y", undefined]);
  });
});

describe("an event that became another one since it was read", () => {
  const nothing = { edits: new Uint32Array(), announced: new Uint32Array(), words: "", gone: "" };
  /** Takes the first two characters of the first text away. */
  const cutting = { ...nothing, edits: Uint32Array.of(0, 1, 0, 2, 0) };
  const read = () => readEvent({}, { ...eventOf({ system: ["one", "two"] }), messages: [message("user", { type: "text", text: "three" })] }).source;

  test("is changed as long as all of it is as it was", () => {
    const source = read();
    assert.equal(changeEvent(source, cutting), true);
    assert.equal(source.event.system[0].text, "e");
  });

  /** @type {Record<string, (event: any) => unknown>} */
  const others = {
    "a message was put in front": (event) => event.messages.unshift(message("user")),
    "a message was put behind": (event) => event.messages.push(message("user")),
    "a part was put in front": (event) => event.system.unshift({ type: "text", text: "zero" }),
    "a part is gone": (event) => event.system.pop(),
    "a text was changed": (event) => (event.system[0].text = "ONE"),
    "a text cannot be read": (event) => Object.defineProperty(event.system[0], "text", { get: () => assert.fail("not to be read") }),
    "its tools are others": (event) => (event.tools = {}),
    "its `execute` is gone": (event) => delete event.tools.execute,
  };
  for (const [what, alter] of Object.entries(others)) {
    test(`is left alone where ${what}`, () => {
      const source = read();
      alter(source.event);
      const { system, messages, tools } = source.event;
      assert.equal(changeEvent(source, cutting), false);
      assert.deepEqual([source.event.system, source.event.messages, source.event.tools].map((part, at) => part === [system, messages, tools][at]), [true, true, true]);
    });
  }

  test("is left alone where one of its fields refuses", () => {
    const source = read();
    const { system } = source.event;
    source.event = new Proxy(source.event, {
      set: (target, key, value) => key !== "messages" && Reflect.set(target, key, value),
    });
    assert.equal(changeEvent(source, { ...cutting, announced: Uint32Array.of(0), words: "Told.\0", gone: "execute\0" }), false);
    assert.equal(source.event.system, system);
    assert.ok("execute" in source.event.tools);
  });
});

test("a conversation whose messages cannot be walked is not read at all", () => {
  const { proxy, revoke } = Proxy.revocable([], {});
  revoke();
  assert.throws(() => readEvent({}, { ...eventOf({}), messages: [message("assistant", call("read")), { role: "assistant", content: proxy }] }));
});

test("many texts of one length are told as quickly as others", () => {
  const messages = Array.from({ length: 20_000 }, (_, at) => message("system", { type: "text", text: `It is now ${String(at).padStart(6, "0")} o'clock.` }));
  const start = performance.now();
  assert.equal(readEvent({}, { ...eventOf({}), messages }).newTexts.length, 20_001);
  assert.ok(performance.now() - start < 1_000);
});

test("a conversation is as long as its texts and what its calls take and bring", () => {
  const input = { path: "a" };
  const messages = [message("user", { type: "text", text: "four" }), message("assistant", call("read", input), broken), message("tool", result("read", { type: "text", value: "abc" }))];
  assert.equal(charsIn(messages), 4 + JSON.stringify(input).length + 3);
});
