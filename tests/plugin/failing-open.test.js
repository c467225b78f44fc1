/**
 * Whatever goes wrong, the hook resolves, in time, and leaves the event as it was, down to the identity of its objects.
 * Kinds of failure are those of jev-api.md §1 and of networks. That nothing is told of the key is in telling.test.js.
 */

import assert from "node:assert/strict";
import { once } from "node:events";
import { describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

import { loadFreshCore } from "../../js-shim/core.js";
import { prune } from "../../js-shim/prune.js";
import { renderCatalogV1c, renderSkills } from "../mini-host/index.js";
import { eventOf, hostEvent, systemMessage, textPart, userMessage, watch } from "./events.js";
import { answering, raw, scripted, withScores } from "./fetches.js";
import { nativeServer, numbered, server, skillList } from "./inventory.js";
import { shown } from "./reading.js";
import { deserted, serve } from "./servers.js";
import { KEY, PLAIN, stage } from "./stage.js";
import { brokenCore, trap } from "./traps.js";

/** @import { IncomingMessage, ServerResponse } from "node:http" */
/** @import { TestContext } from "node:test" */
/** @import { Glue } from "../../js-shim/core.js" */
/** @import { Body, Wishes } from "./stage.js" */

const SERVERS = [
  server("postgres", { query: "Run a query.", tables: "List tables." }, { instructions: "Careful." }),
  server("notes", { find: "Find a note." }),
  nativeServer("pilot", ["click", "close"], { instructions: "Clicks." }),
];
const SKILLS = skillList(["forms", "captions"]);

/** Something to prune in every place. */
async function fullEvent() {
  const event = await hostEvent({ servers: SERVERS, skills: SKILLS, budget: Infinity });
  event.messages.unshift(systemMessage(String(renderSkills(SKILLS))));
  event.tools.execute.description = renderCatalogV1c(SERVERS);
  return event;
}

const SOON = 120;

/**
 * A pruning that traps with Jev's answers in its hands.
 * @param {Glue} core @returns {Glue["prune"]}
 */
const trapsAnswered = (core) => (snapshot, call) => Object.assign(core.prune(snapshot, call), { answer: () => trap() });

/**
 * Runs the hook and fails if anything of the event changed.
 * @param {TestContext} t @param {Wishes} wishes
 */
async function survives(t, wishes) {
  const made = await stage(t, wishes);
  const event = await fullEvent();
  const unchanged = watch(event);
  await made.context(event);
  unchanged();
  // What comes too late must not change it either.
  await sleep(20);
  unchanged();
  return { ...made, event };
}

test("the event of these tests is one that answers change everywhere", async (t) => {
  const { context } = await stage(t);
  const event = await fullEvent();
  const { system, messages, tools } = event;
  const { execute } = tools;
  await context(event);
  assert.deepEqual(
    [event.system === system, event.messages === messages, event.tools.execute === execute, "pilot_click" in tools],
    [false, false, false, false],
  );
});

describe("the event stays as it was when Jev's answer is", () => {
  for (const broken of /** @type {const} */ ([
    "truncated",
    "not-json",
    "wrong-shape",
    "array",
    "null",
    "empty",
    "huge",
    "cut-off",
    "reset",
    "redirect",
  ])) {
    test(broken, async (t) => {
      const { jev, reports } = await survives(t, { jev: { broken } });
      assert.ok(jev.requests.length > 0);
      assert.deepEqual([reports[0].applied, reports[0].errors.length], [false, 1]);
    });
  }

  for (const broken of /** @type {const} */ ([
    "wrong-answers",
    "wrong-type",
    "text-numbers",
    "out-of-range",
    "nulls",
  ])) {
    test(broken, async (t) => {
      const { reports } = await survives(t, { jev: { broken } });
      assert.equal(reports[0].applied, false);
    });
  }

  for (const body of [
    '"text"',
    "5",
    "true",
    "{}",
    '{"answers":null}',
    '{"answers":[]}',
    '{"answers":"t0"}',
    "{]",
    " ",
  ]) {
    test(`the text ${body}`, async (t) => {
      await survives(t, { parts: { fetch: answering(() => raw(body)) } });
    });
  }

  for (const status of [400, 401, 402, 403, 404, 408, 410, 413, 422, 429, 500, 502, 503, 504, 529]) {
    test(`HTTP ${status}`, async (t) => {
      await survives(t, { jev: { status } });
    });
  }

  for (const status of [201, 204, 205]) {
    test(`HTTP ${status} without a body`, async (t) => {
      await survives(t, { parts: { fetch: answering(() => new Response(null, { status })) } });
    });
  }

  test("right, with the status of an error", async (t) => {
    const fetch = answering(({ body }) => {
      const zeros = Object.fromEntries(Object.keys(body.questions).map((id) => [id, 0]));
      return new Response(withScores(zeros).body, { status: 500 });
    });
    await survives(t, { parts: { fetch } });
  });
});

describe("a body", () => {
  const LIMIT = 4 * 2 ** 20;

  /** A right answer, padded to a size. @param {Body} body @param {number} bytes */
  function padded(body, bytes) {
    const answers = Object.keys(body.questions).map((id) => `"${id}":{"type":"noul","noul":0}`);
    const [head, tail] = ['{"padding":"', `","answers":{${answers.join()}}}`];
    return raw(head + "x".repeat(bytes - head.length - tail.length) + tail);
  }

  test("of 4 MiB is read", async (t) => {
    const { context } = await stage(t, { parts: { fetch: answering(({ body }) => padded(body, LIMIT)) } });
    const event = eventOf({ system: [String(renderSkills(SKILLS))] });
    await context(event);
    assert.deepEqual(shown(event).skills, []);
  });

  test("of one byte more is not", async (t) => {
    await survives(t, { parts: { fetch: answering(({ body }) => padded(body, LIMIT + 1)) } });
  });

  test("that never ends is not waited for", async (t) => {
    const fetch = answering(() => {
      const chunk = new TextEncoder().encode(" ".repeat(2 ** 16));
      return new Response(new ReadableStream({ pull: (stream) => stream.enqueue(chunk) }));
    });
    const start = performance.now();
    await survives(t, { parts: { fetch }, options: { jev_timeout_ms: 5000 } });
    assert.ok(performance.now() - start < 4000, "it took as long as the time limit");
  });

  test("that breaks off is a failure", async (t) => {
    const fetch = answering(
      () => new Response(new ReadableStream({ pull: (stream) => stream.error(new Error("lost")) })),
    );
    await survives(t, { parts: { fetch } });
  });
});

describe("the event stays as it was when the address", () => {
  test("refuses connections", async (t) => {
    await survives(t, { options: { jev_endpoint: await deserted() } });
  });

  test("has a name that does not exist", async (t) => {
    await survives(t, { options: { jev_endpoint: "https://jev.invalid/systemone", jev_timeout_ms: 1000 } });
  });

  test("speaks no TLS", async (t) => {
    const { port } = new URL(await serve(t, (_, response) => void response.end("{}")));
    await survives(t, { options: { jev_endpoint: `https://127.0.0.1:${port}/systemone` } });
  });

  test("has a port that nobody may call", async (t) => {
    await survives(t, { options: { jev_endpoint: "http://127.0.0.1:1/systemone" } });
  });
});

describe("a redirect", () => {
  for (const status of [301, 302, 303, 307, 308]) {
    test(`of status ${status} is not followed`, async (t) => {
      /** @type {IncomingMessage[]} */
      const strayed = [];
      const other = await serve(t, (request, response) => {
        strayed.push(request);
        response.end("{}");
      });
      const jev_endpoint = await serve(t, (request, response) => {
        request.resume();
        response.writeHead(status, { Location: other }).end();
      });
      await survives(t, { options: { jev_endpoint } });
      assert.deepEqual(
        strayed.map(({ headers }) => headers.authorization),
        [],
      );
    });
  }
});

test("the key goes to the endpoint, as a bearer token", async (t) => {
  const { jev } = await survives(t, { jev: { status: 500 } });
  assert.equal(jev.requests[0]?.headers.authorization, `Bearer ${KEY}`);
});

describe("in time:", () => {
  /** @param {TestContext} t @param {Wishes} wishes */
  async function inTime(t, wishes) {
    const made = await stage(t, { ...wishes, options: { jev_timeout_ms: SOON, ...wishes.options } });
    const event = await fullEvent();
    const unchanged = watch(event);
    const start = performance.now();
    await made.context(event);
    const took = performance.now() - start;
    unchanged();
    assert.ok(took <= 2 * SOON + 100, `it took ${took} ms`);
    return { ...made, took };
  }

  /** @param {(response: ServerResponse) => void} answer */
  const endpoint = async (/** @type {TestContext} */ t, answer) => ({
    jev_endpoint: await serve(t, (request, response) => {
      request.resume();
      answer(response);
    }),
  });

  test("Jev is slower than the limit", async (t) => {
    const { reports } = await inTime(t, { jev: { latency: 10 * SOON } });
    assert.match(JSON.stringify(reports[0].errors), /timeout/);
  });

  for (const broken of /** @type {const} */ (["hang", "stall"])) {
    test(`Jev does ${broken}`, async (t) => {
      await inTime(t, { jev: { broken } });
    });
  }

  test("Jev sends a byte now and then", async (t) => {
    const options = await endpoint(t, (response) => {
      response.writeHead(200, { "content-type": "application/json" });
      const timer = setInterval(() => response.write(" "), 10);
      void once(response, "close").then(() => clearInterval(timer));
    });
    await inTime(t, { options });
  });

  test("Jev sends headers without end", async (t) => {
    const options = await endpoint(t, (response) => {
      response.socket?.write("HTTP/1.1 200 OK\r\n");
      const timer = setInterval(() => response.socket?.write("x-more: 1\r\n"), 10);
      void once(response, "close").then(() => clearInterval(timer));
    });
    await inTime(t, { options });
  });

  test("`fetch` never settles", async (t) => {
    await inTime(t, { parts: { fetch: () => new Promise(() => {}) } });
  });

  test("`fetch` settles and its body never does, whatever it is told", async (t) => {
    await inTime(t, {
      parts: { fetch: async () => new Response(new ReadableStream({ pull: () => new Promise(() => {}) })) },
    });
  });

  test("the host's lists hang as well", async (t) => {
    const hanging = { list: () => new Promise(() => {}) };
    const { took } = await inTime(t, {
      jev: { broken: "hang" },
      ctx: (ctx) => ({ ...ctx, tool: hanging, mcp: hanging }),
    });
    assert.ok(took >= SOON);
  });

  test("many requests hang at once", async (t) => {
    await inTime(t, { jev: { broken: "hang" }, options: { max_questions_per_request: 1 } });
  });

  test("a request that was given up is cancelled", async (t) => {
    /** @type {Array<AbortSignal>} */
    const signals = [];
    const fetch = /** @type {any} */ (
      (/** @type {string} */ _url, /** @type {{ signal: AbortSignal }} */ { signal }) => {
        signals.push(signal);
        return new Promise(() => {});
      }
    );
    await inTime(t, { parts: { fetch } });
    assert.deepEqual(
      signals.map(({ aborted }) => aborted),
      [true],
    );
  });
});

describe("the event stays as it was when `fetch`", () => {
  for (const [what, fetch] of /** @type {[string, any][]} */ ([
    [
      "throws",
      () => {
        throw new TypeError("no network here");
      },
    ],
    ["rejects", () => Promise.reject(new TypeError("no network here"))],
    ["rejects with nothing", () => Promise.reject()],
    [
      "throws a text",
      () => {
        throw "no";
      },
    ],
    ["gives nothing", async () => undefined],
    ["gives null", async () => null],
    ["gives something else", async () => ({ ok: true })],
    [
      "gives a body that cannot be read",
      async () => ({
        status: 200,
        body: {
          getReader: () => {
            throw new Error("locked");
          },
        },
      }),
    ],
    ["was aborted by somebody", () => Promise.reject(new DOMException("aborted", "AbortError"))],
    ["gives a status that is no number", async () => ({ status: "200", body: null })],
    ["is missing", null],
  ])) {
    test(what, async (t) => {
      await survives(t, { parts: { fetch } });
    });
  }
});

describe("a failure after an answer", () => {
  test("leaves the event as it was: in phase 2", async (t) => {
    const fetch = answering(({ body, at }) => {
      if (at === 0) return Object.fromEntries(Object.keys(body.questions).map((id) => [id, id === "s0" ? 1 : 0]));
      return raw("Busy", { status: 529 });
    });
    const { reports } = await survives(t, { parts: { fetch } });
    assert.ok(fetch.calls.length > 1);
    assert.equal(reports[0].applied, false);
  });

  for (const failing of [0, 1, 2]) {
    test(`leaves the event as it was: of three parallel requests the one at ${failing}`, async (t) => {
      const fetch = answering(({ body, at }) => {
        if (at === failing) throw new TypeError("lost");
        return Object.fromEntries(Object.keys(body.questions).map((id) => [id, 0]));
      });
      await survives(t, { parts: { fetch }, options: { max_questions_per_request: 1 } });
      assert.equal(fetch.calls.length, 3);
    });
  }
});

describe("after a failure", () => {
  test("the next request is pruned", async (t) => {
    const { jev, context } = await survives(t, { jev: { status: 500 } });
    jev.settings.status = undefined;
    const event = await fullEvent();
    await context(event);
    assert.deepEqual(shown(event).skills, []);
  });
});

describe("after a trap", () => {
  for (const [what, prune] of /** @type {[string, (core: Glue) => Glue["prune"]][]} */ ([
    ["at once", () => () => trap()],
    ["while it waited", trapsAnswered],
    [
      "with the stack full",
      () => () => {
        throw new RangeError("Maximum call stack size exceeded");
      },
    ],
  ])) {
    /** @param {TestContext} t */
    const trapped = async (t) => {
      const core = await loadFreshCore();
      let loads = 0;
      const made = await survives(t, {
        parts: {
          load: () => brokenCore(core, { prune: prune(core) }),
          loadFresh: () => {
            loads += 1;
            return loadFreshCore();
          },
        },
      });
      return { ...made, loads: () => loads };
    };

    test(`${what}, the module is instantiated afresh`, async (t) => {
      const { loads } = await trapped(t);
      assert.equal(loads(), 1);
    });

    test(`${what}, the next request is pruned`, async (t) => {
      const { context } = await trapped(t);
      const event = await fullEvent();
      await context(event);
      assert.deepEqual(shown(event).skills, []);
    });

    test(`${what}, the one after that needs no further module`, async (t) => {
      const { context, loads } = await trapped(t);
      await context(await fullEvent());
      await context(await fullEvent());
      assert.equal(loads(), 1);
    });
  }

  test("in the prompt hook, the next request is pruned", async (t) => {
    const core = await loadFreshCore();
    const { prompted, context } = await stage(t, {
      parts: { load: () => brokenCore(core, { rememberPrompt: () => trap(), prune: () => trap() }) },
    });
    await prompted({ sessionID: "ses_1", messageID: "msg_1", prompt: { text: "Do it" } });
    const event = await fullEvent();
    await context(event);
    assert.deepEqual(shown(event).skills, []);
  });

  test("two requests at once that trap cost one new module", async (t) => {
    const core = await loadFreshCore();
    let loads = 0;
    const { context } = await stage(t, {
      parts: {
        load: () => brokenCore(core, { prune: trapsAnswered(core) }),
        loadFresh: () => {
          loads += 1;
          return loadFreshCore();
        },
      },
    });
    const events = [await fullEvent(), await fullEvent()];
    await Promise.all(events.map((event) => context(event)));
    assert.equal(loads, 1);
  });

  test("a request that shared the run of the one that trapped ends in time", async (t) => {
    const core = await loadFreshCore();
    let calls = 0;
    const { context } = await stage(t, {
      options: { jev_timeout_ms: SOON },
      jev: { latency: 30 },
      parts: {
        load: () =>
          brokenCore(core, {
            // The first request's core traps with the answer in its hands.
            prune: (snapshot, call) => (calls++ > 0 ? core.prune : trapsAnswered(core))(snapshot, call),
          }),
      },
    });
    const [other, event] = [await fullEvent(), await fullEvent()];
    const unchanged = watch(event);
    const first = context(other);
    const outcome = await Promise.race([
      Promise.all([first, context(event)]).then(() => "ended"),
      sleep(2 * SOON + 100, "still waiting"),
    ]);
    assert.equal(outcome, "ended");
    unchanged();
  });

  test("a module that cannot be loaded again leaves requests as they are", async (t) => {
    const core = await loadFreshCore();
    const { context } = await survives(t, {
      parts: {
        load: () => brokenCore(core, { prune: () => trap() }),
        loadFresh: () => Promise.reject(new Error("no memory")),
      },
    });
    const event = await fullEvent();
    const unchanged = watch(event);
    await context(event);
    unchanged();
  });

  test("a module that always traps leaves requests as they are", async (t) => {
    const core = await loadFreshCore();
    const broken = brokenCore(core, { prune: () => trap() });
    const { context } = await survives(t, { parts: { load: () => broken, loadFresh: async () => broken } });
    const event = await fullEvent();
    const unchanged = watch(event);
    for (let step = 0; step < 20; step++) await context(event);
    unchanged();
  });
});

describe("a module that throws something else", () => {
  test("leaves the event as it was, and is kept", async (t) => {
    const core = await loadFreshCore();
    let calls = 0;
    /** @type {Glue["prune"]} */
    const prune = (snapshot, call) => {
      if (calls++ === 0) throw new TypeError("odd");
      return core.prune(snapshot, call);
    };
    const { context } = await survives(t, {
      parts: { load: () => brokenCore(core, { prune }), loadFresh: () => assert.fail("a new module was asked for") },
    });
    const event = await fullEvent();
    await context(event);
    assert.deepEqual(shown(event).skills, []);
  });
});

describe("a module that cannot be loaded at all", () => {
  /** @param {TestContext} t */
  const unloaded = (t) =>
    stage(t, {
      parts: {
        load: () => {
          throw new WebAssembly.CompileError("no wasm here");
        },
      },
    });

  test("does not stop the host", async (t) => {
    const { host } = await unloaded(t);
    assert.deepEqual((await host.prompt("Go on")).touched, { system: false, messages: false, tools: false });
  });

  test("is one warning", async (t) => {
    const { warned } = await unloaded(t);
    assert.equal(warned.length, 1);
    assert.match(String(warned[0]), /no wasm here/);
  });
});

describe("a fresh core", () => {
  test("is another instance each time", async () => {
    const [first, second] = [await loadFreshCore(), await loadFreshCore()];
    assert.notEqual(first.prune, second.prune);
  });

  test("knows nothing of what another one was asked", async () => {
    const fetch = scripted({});
    /** @param {Glue} core */
    const run = async (core) => {
      const { config } = core.resolveOptions({ jev_api_key: KEY, ...PLAIN }, {});
      const ask = async (/** @type {string} */ body) => {
        const response = await fetch("http://jev", { body });
        return { status: response.status, body: await response.text() };
      };
      await prune(core, eventOf({ system: [String(renderSkills(SKILLS))] }), {
        config,
        ask,
        now: () => performance.now(),
      });
      return fetch.calls.length;
    };
    const [first, second] = [await loadFreshCore(), await loadFreshCore()];
    assert.deepEqual([await run(first), await run(first), await run(second)], [1, 1, 2]);
  });
});

describe("an event that cannot be changed is left as it was:", () => {
  /** @type {Record<string, (event: any) => unknown>} */
  const locks = {
    frozen: (event) => Object.freeze(event),
    "its tools frozen": (event) => Object.freeze(event.tools),
    "its tools sealed": (event) => Object.seal(event.tools),
    "its system fixed": (event) => Object.defineProperty(event, "system", { writable: false, configurable: false }),
    "its messages fixed": (event) => Object.defineProperty(event, "messages", { writable: false, configurable: false }),
    "one tool fixed": (event) => Object.defineProperty(event.tools, "pilot_click", { configurable: false }),
    "its execute fixed": (event) =>
      Object.defineProperty(event.tools, "execute", { writable: false, configurable: false }),
  };
  for (const [what, lock] of Object.entries(locks)) {
    test(what, async (t) => {
      const { context } = await stage(t);
      const event = await fullEvent();
      lock(event);
      const unchanged = watch(event);
      await context(event);
      unchanged();
    });
  }
});

describe("an event that somebody changes meanwhile", () => {
  for (const [what, change] of /** @type {[string, (event: any) => void][]} */ ([
    ["its system", (event) => (event.system = [...event.system])],
    ["its messages", (event) => (event.messages = [...event.messages])],
    ["its tools", (event) => (event.tools = { ...event.tools })],
  ])) {
    test(`is left as they made it: ${what}`, async (t) => {
      /** @type {any} */
      const held = {};
      const fetch = answering(async ({ body }) => {
        if (!held.done) change(held.event);
        held.done = held.done ?? watch(held.event);
        return Object.fromEntries(Object.keys(body.questions).map((id) => [id, 0]));
      });
      const { context } = await stage(t, { parts: { fetch } });
      held.event = await fullEvent();
      await context(held.event);
      held.done();
    });
  }
});

describe("a strange event is left as it was:", () => {
  const section = String(renderSkills(SKILLS));
  /** @type {Record<string, () => any>} */
  const events = {
    nothing: () => undefined,
    null: () => null,
    "a text": () => "event",
    "a number": () => 5,
    "an empty object": () => ({}),
    "an empty list": () => [],
    "no system": () => omit(eventOf({}), "system"),
    "no messages": () => omit(eventOf({ system: [section] }), "messages"),
    "no tools": () => omit(eventOf({}), "tools"),
    "everything null": () => ({ sessionID: null, system: null, messages: null, tools: null }),
    "everything a text": () => ({ sessionID: "s", system: "a", messages: "b", tools: "c" }),
    "no session": () => omit(eventOf({ messages: [] }), "sessionID"),
    "messages that are none": () => ({
      ...eventOf({ system: [section] }),
      messages: [null, undefined, 5, "text", [], {}],
    }),
    "messages without content": () =>
      eventOf({
        system: [section],
        messages: [{ role: "user" }, { role: "user", content: null }, { role: "user", content: "Do it" }],
      }),
    "roles that are none": () =>
      eventOf({
        system: [section],
        messages: [
          { role: 5, content: [textPart("x")] },
          { role: "robot", content: [textPart("x")] },
        ],
      }),
  };
  for (const [what, make] of Object.entries(events)) {
    test(what, async (t) => {
      const { context } = await stage(t);
      const event = make();
      const unchanged = typeof event === "object" && event !== null ? watch(event) : () => {};
      await context(event);
      unchanged();
    });

    test(`${what}, and the next request is pruned`, async (t) => {
      const { context } = await stage(t);
      await context(make());
      const event = await fullEvent();
      await context(event);
      assert.deepEqual(shown(event).skills, []);
    });
  }

  /** @param {any} object @param {string} field */
  function omit(object, field) {
    delete object[field];
    return object;
  }
});

describe("a field that throws when it is read", () => {
  /** @type {[string, (event: any) => any, string][]} */
  const fields = [
    ["system", (event) => event, "system"],
    ["messages", (event) => event, "messages"],
    ["tools", (event) => event, "tools"],
    ["a part's text", (event) => event.system[0], "text"],
    ["a message's role", (event) => event.messages[0], "role"],
    ["a message's content", (event) => event.messages[0], "content"],
    ["a message's metadata", (event) => event.messages[0], "metadata"],
    ["a message's id", (event) => event.messages[0], "id"],
    ["a tool's description", (event) => event.tools.a, "description"],
  ];
  for (const [what, ownerOf, field] of fields) {
    /** @param {TestContext} t */
    const survived = async (t) => {
      const made = await stage(t);
      const event = eventOf({ system: [String(renderSkills(SKILLS))], tools: { a: { description: "A." } } });
      Object.defineProperty(ownerOf(event), field, {
        configurable: true,
        get: () => {
          throw new Error(`${field} cannot be read`);
        },
      });
      await made.context(event);
      return made;
    };

    test(`does not reach the host: ${what}`, async (t) => {
      await survived(t);
    });

    test(`does not keep the next request from being pruned: ${what}`, async (t) => {
      const { context } = await survived(t);
      const event = await fullEvent();
      await context(event);
      assert.deepEqual(shown(event).skills, []);
    });
  }
});

describe("strange parts", () => {
  const section = String(renderSkills(SKILLS));
  const strange = [
    null,
    undefined,
    5,
    "text",
    [],
    {},
    { type: "text" },
    { type: "text", text: 5 },
    { type: "text", text: null },
  ];

  test("beside good ones in the system stay, and the good ones are pruned", async (t) => {
    const { context } = await stage(t);
    const event = eventOf({});
    event.system = [...strange, textPart(section)];
    await context(event);
    assert.deepEqual(event.system.slice(0, -1), strange);
    assert.doesNotMatch(event.system.at(-1).text, /<skill>/);
  });

  test("beside good ones in a message stay, and the good ones are pruned", async (t) => {
    const { context } = await stage(t);
    const event = eventOf({
      messages: [{ role: "system", content: [...strange, textPart(section)] }, userMessage("Do it")],
    });
    await context(event);
    assert.deepEqual(event.messages[0].content.slice(0, -1), strange);
    assert.doesNotMatch(event.messages[0].content.at(-1).text, /<skill>/);
  });

  test("beside a prompt do not hide it", async (t) => {
    const { context, asked } = await stage(t);
    const message = {
      ...userMessage("Do it"),
      content: [...strange.filter((part) => part !== "text"), textPart("Do it")],
    };
    await context(eventOf({ system: [section], messages: [message] }));
    assert.equal(asked()[0]?.state, "Do it");
  });
});

test("a hundred requests at once that all fail are a hundred events left alone", async (t) => {
  const { context } = await stage(t, { jev: { status: 500 } });
  const events = await Promise.all(
    numbered(100, "ses").map(async (session) => ({ ...(await fullEvent()), sessionID: session })),
  );
  const unchanged = events.map(watch);
  await Promise.all(events.map((event) => context(event)));
  unchanged.forEach((check) => check());
});
