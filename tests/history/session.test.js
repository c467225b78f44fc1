/**
 * Pruning of the history in whole sessions of OpenCode 2: beside the pruning of lists, after compactions, in child
 * sessions, and what is reported of it.
 */

import assert from "node:assert/strict";
import { setImmediate } from "node:timers/promises";
import { describe, test } from "node:test";

import { numbered, server } from "../plugin/inventory.js";
import { linesOf } from "../plugin/logs.js";
import { folder, stage } from "../plugin/stage.js";
import { left } from "./messages.js";

/** @import { MiniHost } from "../mini-host/index.js" */

const LARGE = "x".repeat(900);
const AT_ONCE = { history: { enabled: true, batch_tokens: 0 } };

/** The model reads a file. @param {MiniHost} host @param {string} id @param {string} [value] */
function read(host, id, value = LARGE) {
  host.assistant("", [{ id, name: "read", input: { path: `${id}.ts` } }]);
  host.toolResult({ id, name: "read", value });
}

/** @param {{ after: { messages: any[] } }} step */
const outputs = ({ after }) => left(after.messages).calls.map(({ output }) => output);

/** @param {string} id */
const hint = (id) => `[File read previously. Read again if needed: ${id}.ts]`;

/** Two turns in which nothing is done. @param {MiniHost} host */
async function later(host) {
  await host.prompt("And now?");
  return host.prompt("And then?");
}

test("lists and history are pruned in one plan", async (t) => {
  const { host, reports } = await stage(t, {
    servers: [server("desk", ["add"]), server("notes", ["find"])],
    scores: { servers: { desk: 0.9 }, tools: { "desk.add": 0.9 }, otherwise: 0.1 },
    options: AT_ONCE,
  });
  await host.prompt("Read it");
  read(host, "a");
  const step = await later(host);
  assert.deepEqual(outputs(step), [hint("a")]);
  assert.ok(!JSON.stringify(step.after.system).includes("tools.notes.find"));
  const { applied, history } = reports.at(-1);
  assert.ok(applied);
  assert.deepEqual(
    { ...history, tokens_saved: 0, strategies: history.strategies.map((/** @type {any} */ one) => one.strategy) },
    { tokens_saved: 0, edits: 1, new_edits: 1, tokens_waiting: 0, strategies: ["placeholder_compression"] },
  );
  assert.ok(history.tokens_saved > 200 && history.tokens_saved < 225);
});

test("a failing Jev does not keep the history from being pruned", async (t) => {
  const { host } = await stage(t, { servers: [server("desk", ["add"]), server("notes", ["find"])], jev: { status: 500 }, options: AT_ONCE });
  await host.prompt("Read it");
  read(host, "a");
  assert.deepEqual(outputs(await later(host)), [hint("a")]);
});

test("nothing waits when the lists change anyway", async (t) => {
  const { host } = await stage(t, {
    servers: [server("desk", numbered(9, "add")), server("notes", numbered(9, "find"))],
    scores: { servers: { desk: 0.9, notes: 0.1 }, otherwise: 0.9 },
    options: { history: { enabled: true }, decision_scope: "prompt" },
  });
  await host.prompt("Read it");
  read(host, "a");
  assert.deepEqual(outputs(await later(host)), [LARGE]);
  host.servers = [...host.servers, server("maps", numbered(9, "look"))];
  host.hostTools = host.hostTools.filter(({ name }) => name !== "webfetch");
  assert.deepEqual(outputs(await host.prompt("And now?")), [hint("a")]);
});

test("nothing waits in the first request after a compaction, if that keeps something stale", async (t) => {
  const { host } = await stage(t, { options: { history: { enabled: true } } });
  await host.prompt("Read it");
  host.compact();
  await setImmediate();
  const kept = (/** @type {string} */ id) =>
    host.message({ id, role: "user", content: [{ type: "text", text: "Go on." }], metadata: {} });
  kept("msg_kept_1");
  read(host, "a");
  kept("msg_kept_2");
  assert.deepEqual(outputs(await host.prompt("And now?")), [hint("a")]);
});

test("the host's own requests take what was made and make nothing", async (t) => {
  const { host } = await stage(t, { options: AT_ONCE });
  await host.prompt("Read it");
  read(host, "a");
  await later(host);
  read(host, "b");
  await host.prompt("And now?");
  assert.deepEqual(outputs(await host.summarise()), [hint("a"), LARGE]);
});

test("images and files go only with an output that a placeholder replaces", async (t) => {
  const { host } = await stage(t, { options: AT_ONCE });
  const image = { type: "media", mediaType: "image/png", data: "AAAA" };
  await host.prompt("Look");
  host.assistant("", [{ id: "a", name: "read", input: { path: "a.png" } }, { id: "b", name: "todowrite", input: {} }]);
  for (const [id, name] of [["a", "read"], ["b", "todowrite"]]) {
    const result = { type: "content", value: [{ type: "text", text: "An image." }, image] };
    host.message(/** @type {any} */ ({ role: "tool", content: [{ type: "tool-result", id, name, result }] }));
  }
  const [first, second] = outputs(await later(host));
  assert.equal(first, "[File read previously. Read again if needed: a.png]");
  assert.deepEqual(second, [{ type: "text", text: "An image." }, image]);
});

test("a conversation that cannot be read is left alone, and the lists are pruned all the same", async (t) => {
  const file = `${folder(t)}/log`;
  const { context, host } = await stage(t, {
    servers: [server("desk", ["add"]), server("notes", ["find"])],
    scores: { servers: { desk: 0.9 }, tools: { "desk.add": 0.9 }, otherwise: 0.1 },
    options: { ...AT_ONCE, debug_log_file: file },
  });
  const { before } = await host.prompt("Read it");
  const broken = {
    role: "assistant",
    get content() {
      throw new Error("nobody reads this");
    },
  };
  const event = { ...before, sessionID: "ses_2", messages: [...before.messages, broken], model: {} };
  await context(event);
  assert.ok(!JSON.stringify(event.system).includes("tools.notes.find"));
  const errors = (await linesOf(file, 4)).filter((/** @type {any} */ line) => line.event === "error");
  assert.deepEqual(errors.map(({ what, message }) => [what, message]), [["history", "nobody reads this"]]);
});

describe("a child session", () => {
  /** @param {import("node:test").TestContext} t @param {object} history @param {any} [get] */
  const child = async (t, history, get) => {
    const { host } = await stage(t, {
      options: { history: { enabled: true, batch_tokens: 0, ...history } },
      ctx: (given) => ({ ...given, session: { ...given.session, get } }),
    });
    return host;
  };
  /** @param {MiniHost} host */
  const play = async (host) => {
    await host.prompt("Read it");
    read(host, "a");
    return outputs(await later(host));
  };

  test("is left alone, by what the host tells of it", async (t) => {
    const host = await child(t, {});
    host.emit("session.created", { info: { id: host.sessionID, parentID: "ses_0" } });
    await setImmediate();
    assert.deepEqual(await play(host), [LARGE]);
  });

  test("is left alone, by what the host says when asked", async (t) => {
    const asked = async (/** @type {{ sessionID: string }} */ { sessionID }) => ({ id: sessionID, parentID: "ses_0" });
    assert.deepEqual(await play(await child(t, {}, asked)), [LARGE]);
  });

  test("may be one where the host does not answer, and is left alone", async (t) => {
    assert.deepEqual(await play(await child(t, {}, async () => { throw new Error("no"); })), [LARGE]);
  });

  test("is pruned if that is wanted", async (t) => {
    const host = await child(t, { subagents: true });
    host.emit("session.created", { info: { id: host.sessionID, parentID: "ses_0" } });
    await setImmediate();
    assert.deepEqual(await play(host), [hint("a")]);
  });

  test("is not what a session without a parent is", async (t) => {
    assert.deepEqual(await play(await child(t, {}, async () => ({ data: { id: "x" } }))), [hint("a")]);
  });
});

test("without a key only the history is pruned, and that is said once", async (t) => {
  const file = `${folder(t)}/log`;
  const { host, warned, jev } = await stage(t, {
    servers: [server("desk", ["add"]), server("notes", ["find"])],
    options: { ...AT_ONCE, jev_api_key: undefined, debug_log_file: file },
  });
  await host.prompt("Read it");
  read(host, "a");
  const step = await later(host);
  assert.deepEqual(outputs(step), [hint("a")]);
  assert.deepEqual(step.after.system, step.before.system);
  assert.equal(jev.requests.length, 0);
  assert.equal(warned.filter((text) => text.includes("only the history is pruned")).length, 1);
  const lines = await linesOf(file, 7);
  assert.equal(lines[0].event, "setup");
});

test("the console tells what each strategy saved", async (t) => {
  const { host, printed } = await stage(t, { options: { ...AT_ONCE, debug_mode: true } });
  await host.prompt("Read it");
  read(host, "a");
  await later(host);
  assert.match(printed.at(-1) ?? "", /\n {2}history: 21\d tokens left out \(placeholder_compression 21\d\)$/);
});
