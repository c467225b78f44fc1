/**
 * Which questions are put to Jev, and what its answers make of servers, tools and skills. How the texts are rewritten
 * then is in rewriting.test.js, which tools of the tool map may go is in native-tools.test.js.
 */

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { renderCatalog } from "../mini-host/index.js";
import { eventOf } from "./events.js";
import { answering, json, raw } from "./fetches.js";
import { nativeServer, numbered, server, skillList } from "./inventory.js";
import { shown } from "./reading.js";
import { subjects } from "./scores.js";
import { stage } from "./stage.js";

/** @import { TestContext } from "node:test" */
/** @import { Body, Wishes } from "./stage.js" */

const POSTGRES = server("postgres", { query: "Run a read-only SQL query.", tables: "List all tables." });
const NOTES = server("notes", { find: "Find a note." });
const SKILLS = skillList({ "pdf-forms": "Fill and flatten forms.", captions: "Write subtitles." });

/** A whole catalog, so that every tool is listed. */
const HOST = { budget: Infinity };

/** @param {TestContext} t @param {Wishes} wishes */
async function decided(t, { host, ...wishes }) {
  const made = await stage(t, { ...wishes, host: { ...HOST, ...host } });
  const { after } = await made.host.prompt("Why is this query slow?");
  return { ...made, left: shown(after) };
}

/** @param {Body | undefined} body */
const ids = (body) => Object.keys(body?.questions ?? {});
/** @param {Body | undefined} body */
const instructions = (body) => Object.values(body?.questions ?? {}).map((question) => question.instructions);
/** One half of a character that has two. */
const HALF = /\p{Surrogate}/u;
/** @param {string} text */
const points = (text) => [...text].length;

describe("the questions", () => {
  const both = { servers: [NOTES, POSTGRES], skills: SKILLS, scores: { otherwise: 1 } };

  test("are about servers first", async (t) => {
    const { asked } = await decided(t, both);
    assert.deepEqual(subjects(asked()[0]).sort(), ["server notes", "server postgres"]);
  });

  test("are then about the tools of the servers that passed, and about all skills", async (t) => {
    const { asked } = await decided(t, { ...both, scores: { servers: { notes: 0 }, otherwise: 1 } });
    assert.deepEqual(subjects(asked()[1]).sort(), [
      "skill captions",
      "skill pdf-forms",
      "tool postgres.query",
      "tool postgres.tables",
    ]);
  });

  test("come in one request a phase", async (t) => {
    const { asked } = await decided(t, both);
    assert.equal(asked().length, 2);
  });

  test("end after phase 1 when nothing is left to ask", async (t) => {
    const { asked } = await decided(t, { servers: [NOTES, POSTGRES] });
    assert.equal(asked().length, 1);
  });

  test("are numbered by kind", async (t) => {
    const { asked } = await decided(t, both);
    assert.deepEqual(
      asked()
        .map(ids)
        .map((found) => found.sort()),
      [
        ["s0", "s1"],
        ["k0", "k1", "t0", "t1", "t2"],
      ],
    );
  });

  test("are worded with tool, server and purpose", async (t) => {
    const { asked } = await decided(t, both);
    assert.ok(
      instructions(asked()[1]).includes(
        'Does the user\'s request require the tool "query" from the MCP server "postgres"? Tool purpose: Run a read-only SQL query.',
      ),
    );
  });

  test("put the names of servers and skills in double quotes", async (t) => {
    const { asked } = await decided(t, both);
    const all = asked().flatMap(instructions).join("\n");
    for (const name of ["notes", "postgres", "pdf-forms", "captions"]) assert.ok(all.includes(`"${name}"`), name);
  });

  test("tell a skill's purpose", async (t) => {
    const { asked } = await decided(t, both);
    assert.match(
      instructions(asked()[1]).find((text) => text.includes('"pdf-forms"')) ?? "",
      /Fill and flatten forms\.$/,
    );
  });

  test("tell of a server its description, the first sentence of its instructions and its tools' names", async (t) => {
    const told = {
      ...POSTGRES,
      description: "Two databases.",
      instructions: "Read before you write. Never drop.\nBye.",
    };
    const { asked } = await decided(t, { ...both, servers: [NOTES, told] });
    const question = instructions(asked()[0]).find((text) => text.includes('"postgres"')) ?? "";
    for (const part of ["Two databases.", "Read before you write.", "query", "tables"])
      assert.ok(question.includes(part), part);
    assert.doesNotMatch(question, /Never drop|Bye/);
  });

  test("stand in a body of model, state and questions, and each is a noul", async (t) => {
    const { asked } = await decided(t, both);
    for (const body of asked()) {
      assert.deepEqual(Object.keys(body).sort(), ["model", "questions", "state"]);
      assert.equal(body.state, "Why is this query slow?");
      for (const question of Object.values(body.questions)) {
        assert.deepEqual(Object.keys(question).sort(), ["instructions", "type"]);
        assert.equal(question.type, "noul");
      }
    }
  });

  test("name a tool once, however often the request lists it", async (t) => {
    const { host, asked } = await stage(t, { ...both, servers: [POSTGRES], host: HOST });
    await host.prompt("One");
    host.systemMessage(`The catalog has changed.\n\n${renderCatalog([POSTGRES], HOST)}`);
    await host.prompt("Two");
    assert.deepEqual(subjects(asked().at(-1)).sort(), [
      "skill captions",
      "skill pdf-forms",
      "tool postgres.query",
      "tool postgres.tables",
    ]);
  });
});

describe("a score at the threshold keeps and one below prunes", () => {
  const listed = { servers: [NOTES, POSTGRES], skills: SKILLS };
  for (const [given, options, server, other] of /** @type {const} */ ([
    ["by default", {}, [0.35, 0.34], [0.55, 0.54]],
    ["when set", { jev_phase1_threshold: 0.8, jev_confidence_threshold: 0.2 }, [0.8, 0.79], [0.2, 0.19]],
  ])) {
    test(`a server, ${given}`, async (t) => {
      const scores = { servers: { notes: server[0], postgres: server[1] }, otherwise: 1 };
      const { left } = await decided(t, { ...listed, options, scores });
      assert.deepEqual(Object.keys(left.namespaces), ["notes"]);
    });

    test(`a tool, ${given}`, async (t) => {
      const scores = { tools: { "postgres.query": other[0], "postgres.tables": other[1] }, otherwise: 1 };
      const { left } = await decided(t, { ...listed, options, scores });
      assert.deepEqual(left.tools, ["notes.find", "postgres.query"]);
    });

    test(`a skill, ${given}`, async (t) => {
      const scores = { skills: { captions: other[0], "pdf-forms": other[1] }, otherwise: 1 };
      const { left } = await decided(t, { ...listed, options, scores });
      assert.deepEqual(left.skills, ["captions"]);
    });
  }
});

describe("phase 1", () => {
  /** @param {TestContext} t @param {Wishes} wishes */
  const serversAsked = async (t, wishes) =>
    (await decided(t, { scores: { otherwise: 1 }, ...wishes }))
      .asked()
      .flatMap(subjects)
      .filter((subject) => subject.startsWith("server "))
      .sort();

  const OPENCODE = server("opencode", ["session_rename"]);

  test("is skipped with one server", async (t) => {
    assert.deepEqual(await serversAsked(t, { servers: [POSTGRES] }), []);
  });

  test("is skipped with one server beside always-included ones", async (t) => {
    assert.deepEqual(await serversAsked(t, { servers: [POSTGRES, OPENCODE] }), []);
  });

  test("asks about two servers beside always-included ones", async (t) => {
    assert.deepEqual(await serversAsked(t, { servers: [POSTGRES, NOTES, OPENCODE] }), [
      "server notes",
      "server postgres",
    ]);
  });

  test("is skipped with `enable_two_phase_gating: false`", async (t) => {
    const options = { enable_two_phase_gating: false };
    assert.deepEqual(await serversAsked(t, { servers: [POSTGRES, NOTES], options }), []);
  });

  test("does not ask about a server with an always-included tool", async (t) => {
    const options = { always_include_tools: ["query"] };
    assert.deepEqual(await serversAsked(t, { servers: [POSTGRES, NOTES], options }), ["server notes"]);
  });

  test("asks about namespaces whoever registered them", async (t) => {
    const browser = server("browser", ["open"], { description: "The desktop browser." });
    assert.deepEqual(await serversAsked(t, { servers: [POSTGRES, browser] }), ["server browser", "server postgres"]);
  });

  test("asks about a server that only its instructions or native tools tell of", async (t) => {
    const pilot = nativeServer("page pilot", ["click"], { instructions: "Clicks." });
    assert.deepEqual(await serversAsked(t, { servers: [POSTGRES, pilot] }), ["server page pilot", "server postgres"]);
  });

  test("asks once about two servers of one sanitised name", async (t) => {
    const twins = [
      server("my db", ["read"], { instructions: "A." }),
      server("my.db", ["write"], { instructions: "B." }),
    ];
    assert.equal((await serversAsked(t, { servers: [...twins, NOTES] })).length, 2);
  });
});

test("two servers of one sanitised name go as one", async (t) => {
  const twins = [server("my db", ["read"], { instructions: "A." }), server("my.db", ["write"], { instructions: "B." })];
  const { left } = await decided(t, { servers: [...twins, NOTES], scores: { servers: { notes: 1 }, otherwise: 0 } });
  assert.deepEqual([left.namespaces, left.instructions], [{ notes: "1 tool" }, []]);
});

describe("paths that are not server and tool", () => {
  const TEXT = [
    "# Code Mode\n\nUse the `execute` tool.\n\nThe catalog is complete. No more.\n\n## Available tools\n",
    "- browser (2 tools)",
    "  - tools.browser.open(): Promise<unknown>",
    "  - tools.browser.tabs.list(): Promise<unknown> // List the tabs",
    "- ping (1 tool)",
    "  - tools.ping(): Promise<unknown>",
  ].join("\n");

  test("a nested path belongs to its first segment", async (t) => {
    const { context, asked } = await stage(t, { scores: { otherwise: 1 } });
    await context(eventOf({ system: [TEXT] }));
    assert.deepEqual(subjects(asked()[0]).sort(), ["server browser", "server ping"]);
  });

  test("a nested tool goes alone", async (t) => {
    const { context } = await stage(t, { scores: { tools: { "browser.tabs.list": 0 }, otherwise: 1 } });
    const event = eventOf({ system: [TEXT] });
    await context(event);
    assert.deepEqual(shown(event).tools, ["browser.open", "ping"]);
  });

  test("a tool without namespace is a server of its own", async (t) => {
    const { context } = await stage(t, { scores: { servers: { ping: 0 }, otherwise: 1 } });
    const event = eventOf({ system: [TEXT] });
    await context(event);
    assert.deepEqual(Object.keys(shown(event).namespaces), ["browser"]);
  });
});

describe("a server", () => {
  test("that was rejected goes with its tools, whose questions were never put", async (t) => {
    const { left, asked } = await decided(t, {
      servers: [POSTGRES, NOTES],
      scores: { servers: { notes: 1 }, tools: { "notes.find": 1 } },
    });
    assert.deepEqual(
      [
        left.tools,
        asked()
          .flatMap(subjects)
          .filter((subject) => /postgres\./.test(subject)),
      ],
      [["notes.find"], []],
    );
  });

  test("that passed keeps its best-scored tool when all are rejected", async (t) => {
    const scores = { servers: { postgres: 1, notes: 1 }, tools: { "postgres.query": 0.1, "postgres.tables": 0.2 } };
    const { left } = await decided(t, { servers: [POSTGRES, NOTES], scores });
    assert.deepEqual(left.tools, ["notes.find", "postgres.tables"]);
  });

  test("that passed and lists no tool stays", async (t) => {
    const budget = 1;
    const { left } = await decided(t, {
      servers: [POSTGRES, NOTES],
      host: { budget },
      scores: { servers: { postgres: 1 } },
    });
    assert.deepEqual(left.namespaces, { postgres: "2 tools, none shown" });
  });

  for (const [why, wishes] of /** @type {[string, Wishes][]} */ ([
    ["as the only one", { servers: [POSTGRES] }],
    ["in one phase", { servers: [POSTGRES, NOTES], options: { enable_two_phase_gating: false } }],
  ])) {
    test(`that was not asked about ${why} goes whole when all its tools are rejected`, async (t) => {
      const { left } = await decided(t, { ...wishes, scores: { tools: { "notes.find": 1 } } });
      assert.ok(!("postgres" in left.namespaces));
    });

    test(`that was not asked about ${why} stays when one tool is kept`, async (t) => {
      const { left } = await decided(t, { ...wishes, scores: { tools: { "postgres.query": 1 } } });
      assert.equal(left.namespaces.postgres, "2 tools, 1 shown");
    });
  }

  test("keeps its instructions as long as one of its tools stays", async (t) => {
    const told = { ...POSTGRES, instructions: "Careful." };
    const { left } = await decided(t, { servers: [told], scores: { tools: { "postgres.query": 1 } } });
    assert.deepEqual(left.instructions, ["postgres"]);
  });
});

describe("an answer that is none keeps its candidate", () => {
  for (const [what, answer] of /** @type {[string, string | undefined][]} */ ([
    ["left out", undefined],
    ["null", "null"],
    ["a bare number", "0"],
    ["an empty object", "{}"],
    ["a noul of null", '{"type":"noul","noul":null}'],
    ["a noul as text", '{"type":"noul","noul":"0"}'],
    ["a noul of true", '{"type":"noul","noul":false}'],
    ["a noul as a list", '{"type":"noul","noul":[0]}'],
    ["a noul below 0", '{"type":"noul","noul":-0.01}'],
    ["a noul above 1", '{"type":"noul","noul":1.01}'],
    ["a noul beyond all numbers", '{"type":"noul","noul":1e999}'],
    ["a noul below all numbers", '{"type":"noul","noul":-1e999}'],
  ])) {
    /** `captions` is answered like this, everything else with 0. @param {Body} body */
    const reply = (body) => {
      const answers = Object.entries(body.questions)
        .map(([id, question]) => [
          id,
          question.instructions.includes('"captions"') ? answer : '{"type":"noul","noul":0}',
        ])
        .filter(([, text]) => text !== undefined);
      return raw(`{"model":"m","answers":{${answers.map(([id, text]) => `"${id}":${text}`).join()}}}`);
    };

    test(what, async (t) => {
      const { left } = await decided(t, { skills: SKILLS, parts: { fetch: answering(({ body }) => reply(body)) } });
      assert.deepEqual(left.skills, ["captions"]);
    });
  }

  test("of a server", async (t) => {
    const fetch = answering(({ body, at }) => (at === 0 ? json({ answers: {} }) : zeros(body)));
    const { left } = await decided(t, { servers: [POSTGRES, NOTES], parts: { fetch } });
    // Both passed, so each keeps one tool.
    assert.deepEqual(Object.keys(left.namespaces), ["notes", "postgres"]);
  });

  test("of everybody, and the request stays as it was", async (t) => {
    const { host } = await stage(t, { servers: [POSTGRES, NOTES], skills: SKILLS, jev: { missing: 1 } });
    const { touched } = await host.prompt("Go on");
    assert.deepEqual(touched, { system: false, messages: false, tools: false });
  });

  /** @param {Body} body */
  const zeros = (body) => Object.fromEntries(ids(body).map((id) => [id, 0]));
});

describe("an always-included", () => {
  test("server stays whole, and its tools are not asked about", async (t) => {
    const options = { always_include_servers: ["postgres"] };
    const { left, asked } = await decided(t, { servers: [{ ...POSTGRES, instructions: "A." }, NOTES], options });
    assert.deepEqual(left.tools, ["postgres.query", "postgres.tables"]);
    assert.deepEqual(left.instructions, ["postgres"]);
    assert.deepEqual(asked().flatMap(subjects), ["tool notes.find"]);
  });

  test("tool stays, and the others of its server are asked about", async (t) => {
    const options = { always_include_tools: ["query"] };
    const { left, asked } = await decided(t, { servers: [POSTGRES, NOTES], options });
    assert.deepEqual(left.tools, ["postgres.query"]);
    assert.deepEqual(asked().flatMap(subjects).sort(), ["server notes", "tool postgres.tables"]);
  });

  test("skill stays and is not asked about", async (t) => {
    const options = { always_include_skills: ["captions"] };
    const { left, asked } = await decided(t, { skills: SKILLS, options });
    assert.deepEqual(left.skills, ["captions"]);
    assert.deepEqual(asked().flatMap(subjects), ["skill pdf-forms"]);
  });

  test("server of the host is `opencode` by default", async (t) => {
    const { left } = await decided(t, { servers: [server("opencode", ["session_rename"]), POSTGRES, NOTES] });
    assert.deepEqual(left.tools, ["opencode.session_rename"]);
  });

  for (const id of ["core_system_skill", "error_recovery"]) {
    test(`skill is \`${id}\` by default`, async (t) => {
      const { left, asked } = await decided(t, { skills: skillList([id, "other"]) });
      assert.deepEqual([left.skills, asked().flatMap(subjects)], [[id], ["skill other"]]);
    });
  }

  test("list of its own replaces the default one", async (t) => {
    const options = { always_include_skills: ["other"] };
    const { left } = await decided(t, { skills: skillList(["error_recovery", "other"]), options });
    assert.deepEqual(left.skills, ["other"]);
  });

  test("everything leaves nothing to ask", async (t) => {
    const options = { always_include_servers: ["*"], always_include_skills: ["*"] };
    const { asked } = await decided(t, { servers: [POSTGRES, NOTES], skills: SKILLS, options });
    assert.deepEqual(asked(), []);
  });
});

describe("a pattern", () => {
  const servers = [server("issue desk", ["get-issue", "log-work"], { instructions: "A." }), NOTES];

  for (const [pattern, matches] of /** @type {[string, boolean][]} */ ([
    ["get-issue", true],
    ["issue_desk_get-issue", true],
    ["issue_desk.get-issue", true],
    ["get-*", true],
    ["*.get-issue", true],
    ["issue_desk?get-issue", true],
    ["get?issue", true],
    ["*", true],
    ["get", false],
    ["issue", false],
    ["get-issue?", false],
    ["GET-ISSUE", false],
    ["get-issu[e]", false],
    ["{get-issue,x}", false],
    ["get.issue", false],
    ["!log-work", false],
    ["", false],
  ])) {
    test(`for tools: ${JSON.stringify(pattern)} is ${matches ? "get-issue" : "another"}`, async (t) => {
      const { left } = await decided(t, { servers, options: { always_include_tools: [pattern] } });
      assert.equal(left.tools.includes("issue_desk.get-issue"), matches);
    });
  }

  for (const [pattern, matches] of /** @type {[string, boolean][]} */ ([
    ["issue_desk", true],
    ["issue desk", true],
    ["issue*", true],
    ["issue?desk", true],
    ["issue", false],
    ["[i]ssue desk", false],
  ])) {
    test(`for servers: ${JSON.stringify(pattern)} is ${matches ? "issue desk" : "another"}`, async (t) => {
      const { left } = await decided(t, { servers, options: { always_include_servers: [pattern] } });
      assert.equal(left.instructions.includes("issue desk"), matches);
    });
  }

  for (const [pattern, matches] of /** @type {[string, boolean][]} */ ([
    ["pdf-forms", true],
    ["PDF forms", true],
    ["pdf*", true],
    ["PDF?forms", true],
    ["forms", false],
    ["pdf.forms", false],
  ])) {
    test(`for skills: ${JSON.stringify(pattern)} is ${matches ? "PDF forms" : "another"}`, async (t) => {
      const skills = [{ id: "pdf-forms", name: "PDF forms", description: "Fill forms." }];
      const { left } = await decided(t, { skills, options: { always_include_skills: [pattern] } });
      assert.equal(left.skills.includes("pdf-forms"), matches);
    });
  }
});

describe("switched off", () => {
  const all = { servers: [{ ...POSTGRES, instructions: "A." }, NOTES], skills: SKILLS };

  test("tools stay and are not asked about with `prune_mcp_tools: false`", async (t) => {
    const { left, asked } = await decided(t, { ...all, options: { prune_mcp_tools: false } });
    assert.deepEqual(asked().flatMap(subjects).sort(), ["skill captions", "skill pdf-forms"]);
    assert.deepEqual([left.tools.length, left.instructions.length, left.skills.length], [3, 1, 0]);
  });

  test("native tools stay with `prune_mcp_tools: false`", async (t) => {
    const servers = [nativeServer("pilot", ["click"], { instructions: "A." })];
    const { left } = await decided(t, { ...all, servers, options: { prune_mcp_tools: false } });
    assert.ok(left.native.includes("pilot_click"));
  });

  test("skills stay and are not asked about with `prune_skills: false`", async (t) => {
    const { left, asked } = await decided(t, { ...all, options: { prune_skills: false } });
    assert.deepEqual(asked().flatMap(subjects).sort(), ["server notes", "server postgres"]);
    assert.deepEqual([left.tools.length, left.skills.length], [0, 2]);
  });

  test("both leave nothing to do", async (t) => {
    const { asked, reports } = await decided(t, { ...all, options: { prune_mcp_tools: false, prune_skills: false } });
    assert.deepEqual([asked(), reports[0].applied], [[], false]);
  });
});

describe("many questions are split", () => {
  test("at 100 a request by default", async (t) => {
    const { asked } = await decided(t, { servers: [server("big", numbered(230, "tool"))] });
    assert.deepEqual(
      asked()
        .map((body) => ids(body).length)
        .sort(),
      [100, 100, 30],
    );
  });

  test("at `max_questions_per_request`, in phase 1 too", async (t) => {
    const servers = numbered(5, "server").map((name) => server(name, ["go"]));
    const { asked } = await decided(t, { servers, options: { max_questions_per_request: 2 } });
    assert.deepEqual(
      asked()
        .map((body) => ids(body).length)
        .sort(),
      [1, 2, 2],
    );
  });

  test("and asked all at once", async (t) => {
    /** @type {Array<() => void>} */
    const held = [];
    const fetch = answering(
      ({ body }) =>
        new Promise((resolve) => {
          held.push(() => resolve(Object.fromEntries(ids(body).map((id) => [id, 0]))));
          // Nobody gets an answer before all three have asked.
          if (held.length === 3) held.forEach((release) => release());
        }),
    );
    const options = { max_questions_per_request: 2, jev_timeout_ms: 2000 };
    const { left } = await decided(t, { skills: skillList(numbered(6, "skill")), options, parts: { fetch } });
    assert.deepEqual(left.skills, []);
  });

  test("and each answer finds its candidate", async (t) => {
    const kept = ["skill_001", "skill_004"];
    const scores = { skills: Object.fromEntries(kept.map((id) => [id, 1])) };
    const skills = skillList(numbered(6, "skill"));
    const { left } = await decided(t, { skills, scores, options: { max_questions_per_request: 2 } });
    assert.deepEqual(left.skills, kept);
  });

  for (const [letter, what] of [
    ["x", "characters"],
    ["😀", "characters beyond the basic plane, which count once"],
  ]) {
    test(`at 48,000 ${what}`, async (t) => {
      const skills = skillList(
        Object.fromEntries(numbered(30, "skill").map((id) => [id, String(letter).repeat(4000)])),
      );
      const { asked } = await decided(t, { skills, options: { max_description_chars: 4000 } });
      const sizes = asked().map(
        (body) => points(body.state) + instructions(body).reduce((sum, text) => sum + points(text), 0),
      );
      assert.ok(Math.max(...sizes) <= 48_000, `${sizes}`);
      // 30 questions of a little over 4,000 characters: 11 to a request.
      assert.deepEqual(
        asked()
          .map((body) => ids(body).length)
          .sort(),
        [11, 11, 8],
      );
    });
  }
});

describe("long texts are cut", () => {
  for (const [given, options, most] of /** @type {[string, Record<string, unknown>, number][]} */ ([
    ["6,000 characters by default", {}, 6000],
    ["`max_prompt_chars`", { max_prompt_chars: 7 }, 7],
  ])) {
    test(`the prompt at ${given}, between code points`, async (t) => {
      const { host, asked } = await stage(t, { skills: SKILLS, options });
      await host.prompt("😀".repeat(most + 1));
      assert.equal(asked()[0]?.state, "😀".repeat(most));
    });
  }

  test("a prompt of just the limit is whole", async (t) => {
    const { host, asked } = await stage(t, { skills: SKILLS, options: { max_prompt_chars: 7 } });
    await host.prompt("é".repeat(7));
    assert.equal(asked()[0]?.state, "é".repeat(7));
  });

  for (const [given, options, most] of /** @type {[string, Record<string, unknown>, number][]} */ ([
    ["400 characters by default", {}, 400],
    ["`max_description_chars`", { max_description_chars: 9 }, 9],
  ])) {
    const long = "😀".repeat(most + 1);
    const smiles = (/** @type {string | undefined} */ text) => points(String(text).replaceAll(/[^😀]/gu, ""));

    test(`what a skill is for at ${given}, between code points`, async (t) => {
      const { asked } = await decided(t, { skills: skillList({ a: long }), options });
      assert.equal(smiles(instructions(asked()[0])[0]), most);
      assert.doesNotMatch(String(instructions(asked()[0])[0]), HALF);
    });

    test(`what a tool is for at ${given}, between code points`, async (t) => {
      const servers = [nativeServer("pilot", { click: long }, { instructions: "A." })];
      const { asked } = await decided(t, { servers, options });
      assert.equal(smiles(instructions(asked()[0])[0]), most);
    });

    test(`what is known of a server at ${given}, between code points`, async (t) => {
      const servers = [server("big", ["go"], { description: long }), NOTES];
      const { asked } = await decided(t, { servers, options });
      const question = instructions(asked()[0]).find((text) => text.includes('"big"'));
      assert.ok(smiles(question) > 0 && smiles(question) <= most, `${smiles(question)}`);
      assert.doesNotMatch(String(question), HALF);
    });
  }
});
