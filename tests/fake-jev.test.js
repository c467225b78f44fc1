/**
 * The System One stand-in, held against the wire contract in jev-api.md §1: what it accepts, what it refuses and how,
 * and what it answers. How it goes wrong when told to is in fake-jev-faults.test.js.
 */

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { NOUL, asking, post, request, withFake } from "./fake-jev/asking.js";
import { stem, subjectOf } from "./fake-jev/scoring.js";
import { startFakeJev } from "./fake-jev/server.js";

/** @import { FakeJev, Settings } from "./fake-jev/server.js" */

describe("a valid request", () => {
  /** @type {FakeJev} */
  let fake;
  before(async () => void (fake = await startFakeJev({ port: 0 })));
  after(() => fake.close());

  for (const path of ["/systemone", "/v1/systemone", "/inference/systemone/v1/systemone"]) {
    test(`is served at ${path}`, async () =>
      assert.equal((await post(new URL(path, fake.url).href, request())).status, 200));
  }

  test("is answered with model, answers and usage", async () => {
    const { body } = await post(fake.url, request());
    assert.deepEqual(Object.keys(body), ["model", "answers", "usage"]);
  });

  test("gets the version of the model that answered, which is none of the real ones", async () => {
    assert.match((await post(fake.url, request())).body.model, /^fake-jev-/);
  });

  test("gets a request id as header", async () => {
    assert.match((await post(fake.url, request())).headers.get("x-typesafe-request-id") ?? "", /^req_/);
  });

  test("gets whole token counts", async () => {
    const { usage } = (await post(fake.url, request())).body;
    assert.ok(Number.isInteger(usage.input_tokens) && Number.isInteger(usage.output_tokens));
  });

  test("gets one noul, and nothing else, for each noul question, under the same id", async () => {
    const { answers } = (await post(fake.url, request({ questions: { "any id / at all": NOUL } }))).body;
    const noul = answers["any id / at all"]?.noul;
    assert.deepEqual(answers, { "any id / at all": { type: "noul", noul } });
    assert.ok(noul >= 0 && noul <= 1);
  });

  test("gets nouls of two decimals", async () => {
    const { noul } = (await post(fake.url, request())).body.answers.q;
    assert.equal(noul, Number(noul.toFixed(2)));
  });

  test("gets an even choice among the options", async () => {
    const { q } = (
      await post(fake.url, asking({ type: "choice", instructions: "Which?", criteria: { a: null, b: "x" } }))
    ).body.answers;
    assert.equal(q.type, "choice");
    assert.ok(["a", "b"].includes(q.choice));
    assert.deepEqual(q.probabilities, { a: 0.5, b: 0.5 });
    assert.equal(typeof q.confidence, "number");
  });

  test("gets an even score with its legend", async () => {
    const { q } = (
      await post(fake.url, asking({ type: "score", instructions: "How much?", criteria: ["low", "high"] }))
    ).body.answers;
    assert.equal(q.type, "score");
    assert.deepEqual(q.legend, { 0: "low", 1: "high" });
    assert.deepEqual(q.probabilities, { 0: 0.5, 1: 0.5 });
  });

  /** @type {Array<[string, unknown]>} */
  const tolerated = [
    ["an object as state", request({ state: { prompt: "x" } })],
    ["a list as state", request({ state: ["x"] })],
    ["an empty state", request({ state: "" })],
    ["unknown fields", request({ temperature: 1 })],
    ["structured instructions", asking({ type: "noul", instructions: { candidate: {}, question: "x" } })],
    ["one-sided criteria", asking({ ...NOUL, criteria: { true: "Somebody says so" } })],
    [
      "255 options",
      asking({
        type: "choice",
        criteria: Object.fromEntries(Array.from({ length: 255 }, (_, at) => [`o${at}`, null])),
      }),
    ],
  ];
  for (const [name, body] of tolerated) {
    test(`may have ${name}`, async () => assert.equal((await post(fake.url, body)).status, 200));
  }

  test("is recorded with its headers, body and time", async () => {
    await post(fake.url, request({ state: "remember me" }), { headers: { Authorization: "Bearer k" } });
    const last = fake.requests.at(-1);
    assert.equal(last?.headers.authorization, "Bearer k");
    assert.equal(last?.body.state, "remember me");
    assert.ok(Math.abs(Date.now() - (last?.at ?? 0)) < 5000);
  });
});

describe("a request is refused", () => {
  /** @type {FakeJev} */
  let fake;
  before(async () => void (fake = await startFakeJev({ port: 0 })));
  after(() => fake.close());

  test("with 404 at any other path", async () =>
    assert.equal((await post(new URL("/v1/v1/systemone", fake.url).href, request())).status, 404));

  test("with 405 when it is no POST", async () => assert.equal((await fetch(fake.url)).status, 405));

  test("with 400 and the documented shape when the model is unknown", async () => {
    const { status, body } = await post(fake.url, request({ model: "gpt-1" }));
    assert.equal(status, 400);
    assert.deepEqual(body, { detail: { error_type: "api_usage_error", message: "Unknown model: gpt-1" } });
  });

  test("with 400 when a question's type is capitalised", async () => {
    const { status, body } = await post(fake.url, asking({ ...NOUL, type: "Noul" }));
    assert.equal(status, 400);
    assert.equal(body.detail.error_type, "api_usage_error");
  });

  /** @type {Array<[string, unknown, Array<string | number>]>} */
  const invalid = [
    ["it is not JSON", "{", ["body"]],
    ["it is no object", [], ["body"]],
    ["the model is missing", { ...request(), model: undefined }, ["body", "model"]],
    ["the state is missing", request({ state: undefined }), ["body", "state"]],
    ["the state is null", request({ state: null }), ["body", "state"]],
    ["the state is a number", request({ state: 1 }), ["body", "state"]],
    ["the questions are missing", request({ questions: undefined }), ["body", "questions"]],
    ["the questions are a list", request({ questions: [NOUL] }), ["body", "questions"]],
    ["there is no question", request({ questions: {} }), ["body", "questions"]],
    ["an id is empty", request({ questions: { "": NOUL } }), ["body", "questions", ""]],
    ["a question is text", asking("x"), ["body", "questions", "q"]],
    ["a question has no type", asking({ instructions: "x" }), ["body", "questions", "q"]],
    ["a noul has no instructions", asking({ type: "noul" }), ["body", "questions", "q", "instructions"]],
    [
      "instructions are a number",
      asking({ type: "noul", instructions: 1 }),
      ["body", "questions", "q", "instructions"],
    ],
    [
      "a noul's criteria have other sides",
      asking({ ...NOUL, criteria: { yes: "x" } }),
      ["body", "questions", "q", "criteria"],
    ],
    [
      "a score's criteria are a map",
      asking({ type: "score", criteria: { 0: "a", 1: "b" } }),
      ["body", "questions", "q", "criteria"],
    ],
    [
      "a score has eleven levels",
      asking({ type: "score", criteria: Array(11).fill("x") }),
      ["body", "questions", "q", "criteria"],
    ],
    [
      "a choice has one option",
      asking({ type: "choice", criteria: { a: null } }),
      ["body", "questions", "q", "criteria"],
    ],
    [
      "a choice has 256 options",
      asking({
        type: "choice",
        criteria: Object.fromEntries(Array.from({ length: 256 }, (_, at) => [`o${at}`, null])),
      }),
      ["body", "questions", "q", "criteria"],
    ],
  ];
  for (const [name, sent, place] of invalid) {
    test(`with 422 and the place when ${name}`, async () => {
      const { status, body } = await post(fake.url, sent);
      assert.equal(status, 422);
      assert.deepEqual(body.detail[0].loc, place);
      assert.deepEqual([typeof body.detail[0].msg, typeof body.detail[0].type], ["string", "string"]);
    });
  }

  const words = "word ".repeat(6000); // 10,000 tokens of three characters
  test("with 400 and no message when everything together is over 64,000 tokens", async () => {
    const questions = (/** @type {number} */ count) =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`q${at}`, { type: "noul", instructions: words }]));
    assert.equal((await post(fake.url, request({ questions: questions(6) }))).status, 200);
    const { status, body } = await post(fake.url, request({ questions: questions(7) }));
    assert.equal(status, 400);
    assert.deepEqual(body, { detail: { error_type: "max_tokens_exceeded" } });
  });

  test("with 400 when state and longest question alone are over 32,000 tokens", async () => {
    assert.equal(
      (await post(fake.url, { ...asking({ type: "noul", instructions: words }), state: words.repeat(2) })).status,
      200,
    );
    assert.equal(
      (await post(fake.url, { ...asking({ type: "noul", instructions: words.repeat(2) }), state: words.repeat(2) }))
        .status,
      400,
    );
  });

  for (const key of [undefined, "k"]) {
    test(`with 403 when no key is sent, where ${key ?? "any"} is wanted`, async () => {
      await withFake({ key }, async ({ url }) => assert.equal((await post(url, request(), { headers: {} })).status, 403));
    });
  }

  test("with 401 and the documented shape when the key is wrong", async () => {
    await withFake({ key: "k" }, async ({ url }) => {
      const { status, body } = await post(url, request(), { headers: { Authorization: "Bearer other" } });
      assert.equal(status, 401);
      assert.equal(body.detail.error_type, "authentication_error");
    });
  });

  test("not when the key is right", async () => {
    await withFake({ key: "k" }, async ({ url }) => {
      assert.equal((await post(url, request(), { headers: { Authorization: "Bearer k" } })).status, 200);
    });
  });
});

describe("a noul", () => {
  /** @param {unknown} state @param {string} instructions @param {Settings} [settings] */
  async function noul(state, instructions, settings = {}) {
    let value;
    await withFake(settings, async ({ url }) => {
      value = (await post(url, { ...asking({ type: "noul", instructions }), state })).body.answers.q.noul;
    });
    return Number(value);
  }
  const tables =
    'Would the user need the tool "list_tables" of "postgres" for this? Tool purpose: List the tables of a database schema.';

  /** @type {Array<[string, unknown]>} */
  const related = [
    ["shares a name's words", "Which tables have no primary key?"],
    ["shares a server's name", "Ask postgres how many users there are"],
    ["shares words in another form", "The schemas of our databases have drifted apart"],
    ["finds them inside an object", { messages: [{ role: "user", text: "show me all tables" }] }],
  ];
  for (const [name, state] of related) {
    test(`is 0.6 to 0.97 when the state ${name}`, async () => {
      const value = await noul(state, tables);
      assert.ok(value >= 0.6 && value <= 0.97, String(value));
    });
  }

  /** @type {Array<[string, string]>} */
  const unrelated = [
    ["has nothing in common", "Book a flight to Lisbon"],
    [
      "shares only the wording of the question",
      "My request requires the use of a tool from a server, for a user purpose",
    ],
    ["shares only a word that any tool has", "List everything"],
    ["is empty", ""],
  ];
  for (const [name, state] of unrelated) {
    test(`is 0.02 to 0.10 when the state ${name}`, async () => {
      const value = await noul(state, tables);
      assert.ok(value >= 0.02 && value <= 0.1, String(value));
    });
  }

  test("is the same every time", async () => {
    const state = "Which tables have no primary key?";
    assert.equal(await noul(state, tables), await noul(state, tables));
  });

  test("is higher for more words in common", async () => {
    assert.ok(
      (await noul("List the tables of the schema in postgres", tables)) > (await noul("Which tables?", tables)),
    );
  });

  test("is higher for a word of the names than for one of the description", async () => {
    assert.ok((await noul("Anything with postgres", tables)) > (await noul("Anything with a schema", tables)));
  });

  test("can be scripted by question, state and id", async () => {
    const settings = {
      score: (/** @type {any} */ question, /** @type {unknown} */ state, /** @type {string} */ id) =>
        question === undefined || state !== "s" || id !== "q" ? 0 : 0.456,
    };
    assert.equal(await noul("s", tables, settings), 0.46);
  });

  test("is judged by its words where the script has no opinion", async () => {
    assert.ok((await noul("Which tables?", tables, { score: () => undefined })) >= 0.6);
  });
});

describe("the subject of a question", () => {
  test("is its quoted names and the text that follows the question, minus a leading label", () => {
    assert.deepEqual(subjectOf('Is the skill "pdf-forms" needed? Skill purpose: Fill in forms.'), {
      names: ["pdf-forms"],
      prose: "Fill in forms.",
    });
  });

  test("does not end at a question mark within a name", () => {
    assert.deepEqual(subjectOf('Is "why?" needed? Answers why.'), { names: ["why?"], prose: "Answers why." });
  });

  test("is everything when there is no question mark", () => {
    assert.deepEqual(subjectOf("The request needs forms."), { names: [], prose: "The request needs forms." });
  });

  test("is sought in all strings of structured instructions", () => {
    assert.deepEqual(subjectOf({ candidate: { name: "forms" }, question: 'Is "it" needed?' }), {
      names: ["it"],
      prose: "forms",
    });
  });

  for (const [one, other] of [
    ["migrations", "migrate"],
    ["queries", "query"],
    ["running", "run"],
    ["boxes", "box"],
    ["releases", "release"],
    ["created", "creation"],
  ]) {
    test(`takes ${one} and ${other} for one word`, () => assert.equal(stem(String(one)), stem(String(other))));
  }
});
