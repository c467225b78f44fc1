/**
 * Tests of `npm run bench:quality`: that it counts what it says, on requests and answers that are made up here. How good
 * the plugin is, is not asserted.
 */

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { rememberingScorer } from "../scripts/quality-bench/answers.js";
import { settingsOf } from "../scripts/quality-bench/curve.js";
import { figuresOf } from "../scripts/quality-bench/figures.js";
import { readQueries, readTasks } from "../scripts/quality-bench/labelled.js";
import { metBy, visibleIn, sizeOf } from "../scripts/quality-bench/visible.js";
import { MiniHost } from "./mini-host/index.js";

/** @import { Outcome } from "../scripts/quality-bench/figures.js" */
/** @import { Need } from "../scripts/quality-bench/labelled.js" */

const root = fileURLToPath(new URL("..", import.meta.url));

/** @type {string} */
let folder;
before(() => void (folder = mkdtempSync(join(tmpdir(), "quality-bench-"))));
after(() => rmSync(folder, { recursive: true, force: true }));

/** @param {string} name @param {unknown} content */
function file(name, content) {
  const path = join(folder, name);
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  return path;
}

/** @param {string} tool @param {...string} servers @returns {Need} */
const toolOf = (tool, ...servers) => ({ kind: "tool", tool, servers });

const SERVERS = [
  { name: "my desk", tools: [{ name: "find-it", description: "Find it." }, { name: "keep", description: "Keep it." }] },
  { name: "other", codemode: false, tools: [{ name: "go", description: "Go." }] },
];

describe("what the model sees", () => {
  /** @param {string} [budget] */
  const request = async (budget) => {
    const host = new MiniHost({
      servers: SERVERS,
      skills: [{ id: "forms", name: "Forms", description: "Fill forms." }],
      budget: budget === "none" ? 0 : Infinity,
    });
    return (await host.prompt("x")).after;
  };

  test("of a catalog is its entries, by path", async () => {
    const visible = visibleIn(await request());
    assert.deepEqual([visible.tool("my desk", "find-it"), visible.tool("my desk", "find")], [true, false]);
  });

  test("of native tools is the tool map", async () => {
    const visible = visibleIn(await request());
    assert.deepEqual([visible.tool("other", "go"), visible.tool("other", "stop")], [true, false]);
    assert.deepEqual([visible.server("other"), visible.server("another")], [true, false]);
  });

  test("of skills is the list of them", async () => {
    const visible = visibleIn(await request());
    assert.deepEqual([visible.skill("forms"), visible.skill("form")], [true, false]);
  });

  test("of a server without shown tools is its name, so that it can be searched", async () => {
    const visible = visibleIn(await request("none"));
    const need = toolOf("keep", "my desk");
    assert.deepEqual(metBy(need, visible, true), { server: true, shown: false, named: true });
    assert.deepEqual(metBy(need, visible, false), { server: true, shown: false, named: false });
  });

  test("is enough in one of the servers that would do", async () => {
    const visible = visibleIn(await request());
    assert.equal(metBy(toolOf("go", "gone", "other"), visible, false).shown, true);
  });

  test("has the size of its texts and its tools", () => {
    const tools = { go: { description: "Go.", input: { type: "object" } } };
    const transcript = { system: [{ type: /** @type {const} */ ("text"), text: "12345" }], messages: [], tools };
    assert.equal(sizeOf(transcript), 5 + '{"name":"go","description":"Go.","input":{"type":"object"}}'.length);
  });
});

describe("figures", () => {
  /** @param {string} shown one letter a need: shown, named, lost @param {number} after @param {number} ms @returns {Outcome} */
  const outcome = (shown, after, ms) => ({
    met: [...shown].map((letter) => ({ server: letter !== "l", shown: letter === "s", named: letter !== "l" })),
    metBefore: [...shown].map(() => ({ server: true, shown: true, named: true })),
    before: 100,
    after,
    calls: 2,
    questions: 10,
    msJev: ms,
    msOwn: 1,
    failed: false,
  });
  const figures = figuresOf([outcome("ss", 10, 5), outcome("sn", 20, 7), outcome("lnns", 60, 90)]);

  test("count a prompt only when everything that it needs is there", () => {
    assert.deepEqual(
      [figures.tasksWithServers, figures.tasksWithTools, figures.tasksWithReach],
      [2 / 3, 1 / 3, 2 / 3],
    );
  });

  test("count needs one by one", () => assert.deepEqual([figures.needsShown, figures.needsShownBefore], [4 / 8, 1]));

  test("weigh tokens by size, not by prompt", () => assert.equal(figures.tokensKept, 90 / 300));

  test("tell the median of times", () => assert.equal(figures.msJev, 7));
});

describe("a scorer that remembers", () => {
  const address = "http://127.0.0.1/systemone";

  /** @param {string[]} names */
  const body = (...names) =>
    JSON.stringify({
      model: "m",
      state: "s",
      questions: Object.fromEntries(names.map((name, at) => [`q${at}`, { type: "noul", instructions: name }])),
    });

  /** Answers with the length of the name, in percent. @param {string[][]} asked */
  const upstream = (asked) => async (/** @type {string} */ text) => {
    const questions = Object.entries(JSON.parse(text).questions);
    asked.push(questions.map(([, { instructions }]) => instructions));
    const answers = questions.map(([id, { instructions }]) => [id, { type: "noul", noul: instructions.length / 100 }]);
    return Response.json({ model: "counting", answers: Object.fromEntries(answers) });
  };

  /** @param {ReturnType<typeof rememberingScorer>} scorer @param {...string} names */
  const ask = async (scorer, ...names) => {
    const reply = /** @type {any} */ (await (await scorer.fetch(address, { body: body(...names) })).json());
    return names.map((_, at) => reply.answers[`q${at}`]?.noul);
  };

  test("passes on only what it was not asked before, whatever its id", async () => {
    /** @type {string[][]} */
    const asked = [];
    const scorer = rememberingScorer(upstream(asked));
    assert.deepEqual(await ask(scorer, "a", "bb"), [0.01, 0.02]);
    assert.deepEqual(await ask(scorer, "bb", "ccc", "a"), [0.02, 0.03, 0.01]);
    assert.deepEqual(asked, [["a", "bb"], ["ccc"]]);
  });

  test("asks all anew while it shall not remember", async () => {
    /** @type {string[][]} */
    const asked = [];
    const scorer = rememberingScorer(upstream(asked));
    await ask(scorer, "a");
    scorer.remember(false);
    await ask(scorer, "a");
    assert.deepEqual(asked, [["a"], ["a"]]);
  });

  test("hands on a refusal as it is, and remembers nothing of it", async () => {
    let status = 529;
    const inner = upstream([]);
    const scorer = rememberingScorer(async (text) =>
      status === 200 ? inner(text) : new Response("busy", { status }),
    );
    assert.equal((await scorer.fetch(address, { body: body("a") })).status, 529);
    status = 200;
    assert.deepEqual(await ask(scorer, "a"), [0.01]);
  });

  test("keeps its answers from one run to the next", async () => {
    const path = join(folder, "answers.json");
    const first = rememberingScorer(upstream([]), path);
    await ask(first, "a", "bb");
    first.save(path);
    const second = rememberingScorer(() => assert.fail("asked again"), path);
    assert.deepEqual(await ask(second, "bb"), [0.02]);
  });
});

describe("a curve", () => {
  test("goes through the settings in force in every family that has them", () => {
    const defaults = settingsOf({ hasServers: true, every: 4 }).filter(({ isDefault }) => isDefault);
    assert.deepEqual(
      defaults.map(({ options }) => options),
      [{ jev_confidence_threshold: 0.55, jev_phase1_threshold: 0.35 }, { jev_phase1_threshold: 0.35 }],
    );
  });

  test("of the plugin's own scorer goes through how many are kept", () => {
    const settings = settingsOf({ hasServers: true, every: 1, isLexical: true });
    assert.deepEqual([...new Set(settings.map(({ family }) => family))], ["kept"]);
    assert.deepEqual(settings.filter(({ isDefault }) => isDefault).map(({ options }) => options), [{ lexical_keep: 12 }]);
  });

  test("over skills alone has no threshold for servers", () => {
    const families = settingsOf({ hasServers: false, every: 1 }).map(({ family }) => family);
    assert.deepEqual([...new Set(families)], ["threshold", "budget"]);
  });
});

describe("a labelled file with a mistake is refused, and says where:", () => {
  const skills = [{ id: "forms", name: "forms", description: "x" }];
  for (const [what, content, read, complaint] of /** @type {[string, unknown, (path: string) => unknown, RegExp][]} */ ([
    ["no JSON", "[{", (path) => readTasks(path, SERVERS), /is not JSON/],
    ["no list", {}, (path) => readTasks(path, SERVERS), /is not a list of prompts/],
    ["no prompt", [{ needs: [] }], (path) => readTasks(path, SERVERS), /prompt 1 has no text/],
    ["no needs", [{ prompt: "x" }], (path) => readTasks(path, SERVERS), /prompt 1 has no list of needs/],
    [
      "a tool that no server has",
      [{ prompt: "x", needs: [{ tool: "fly", servers: ["other"] }] }],
      (path) => readTasks(path, SERVERS),
      /prompt 1, need 1: no server of other has a tool "fly"/,
    ],
    [
      "an unknown skill",
      [{ prompt: "x", needs: ["forms", "fly"] }],
      (path) => readQueries(path, skills),
      /prompt 1, need 2: there is no skill "fly"/,
    ],
  ])) {
    test(what, () => assert.throws(() => read(file("labelled.json", content)), complaint));
  }

  test("but prompts that need nothing are only left out", () => {
    const path = file("labelled.json", [{ prompt: "a", needs: [] }, { prompt: "b", needs: ["forms"] }]);
    assert.deepEqual(readQueries(path, skills), [{ prompt: "b", needs: [{ kind: "skill", id: "forms" }] }]);
  });
});

describe("the command", () => {
  /** @param {...string} args */
  const bench = (...args) =>
    promisify(execFile)(process.execPath, ["scripts/quality-bench/index.js", ...args], { cwd: root });

  test("measures a set, prints a table, and writes figures and a chart", async () => {
    const [json, svg] = [join(folder, "out.json"), join(folder, "out.svg")];
    const servers = file("servers.json", SERVERS.map(({ name, tools }) => ({ server: name, tools })));
    const tasks = file("tasks.json", [{ prompt: "find-it in my desk", needs: [{ tool: "find-it", servers: ["my desk"] }] }]);
    const { stdout } = await bench(
      ...["--servers", servers, "--tasks", tasks, "--curve", "7", "--json", json, "--svg", svg],
      ...["--set", "min_saving_chars=0"],
    );
    assert.match(stdout, /^Scored by fake-jev-1; complete list of tools\.\n/);
    assert.match(stdout, /prompts with every needed tool shown +100\.0%/);
    const { results } = JSON.parse(readFileSync(json, "utf8"));
    assert.equal(results[0].figures.tasks, 1);
    assert.ok(results[0].figures.tokensKept < 1);
    const drawn = readFileSync(svg, "utf8");
    assert.ok(drawn.startsWith("<svg") && drawn.includes("needed tools or skills shown"));
  });

  for (const [args, complaint] of /** @type {[string[], RegExp][]} */ ([
    [["--tasks", "x"], /--servers and --tasks go together/],
    [["--scorer", "guess"], /--scorer takes fake, lexical or an http address/],
    [["--catalog", "half"], /--catalog takes complete, sample, native/],
    [["--set", "x"], /--set takes NAME=VALUE/],
    [["--servers", "none.json", "--tasks", "none.json"], /none\.json/],
    [["--nothing"], /Unknown option '--nothing'/],
  ])) {
    test(`refuses ${args.join(" ")} with 2`, async () => {
      const failed = await bench(...args).then(
        () => assert.fail("it ran"),
        (error) => error,
      );
      assert.equal(failed.code, 2);
      assert.match(failed.stderr, complaint);
    });
  }
});
