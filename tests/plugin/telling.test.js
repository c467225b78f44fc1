/**
 * What a person sees: the console's report, the debug log, warnings; and that the key is in none of them.
 */

import assert from "node:assert/strict";
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

import { loadFreshCore } from "../../js-shim/core.js";
import { renderSkills } from "../mini-host/index.js";
import { eventOf } from "./events.js";
import { answering, raw } from "./fetches.js";
import { nativeServer, numbered, server, skillList } from "./inventory.js";
import { linesOf } from "./logs.js";
import { serve } from "./servers.js";
import { KEY, folder, stage } from "./stage.js";
import { brokenCore, trap } from "./traps.js";

/** @import { TestContext } from "node:test" */
/** @import { Wishes } from "./stage.js" */

/** The example of the documentation: two servers, one of which is rejected, and 27 skills, of which five stay. */
const SERVERS = [
  server("postgres", { query: "Run a read-only SQL query." }, { instructions: "Careful." }),
  server("wrait-mcp", { wrait_list_plugins: "List plugins." }),
];
const KEPT = numbered(5, "kept");
const GONE = numbered(22, "gone");
const SKILLS = skillList([...KEPT, ...GONE]);
const SCORES = {
  servers: { postgres: 0.05, "wrait-mcp": 0.95 },
  tools: { "wrait-mcp.wrait_list_plugins": 0.91 },
  skills: { ...Object.fromEntries(KEPT.map((id) => [id, 0.8])), ...Object.fromEntries(GONE.map((id) => [id, 0.02])) },
};
const EXAMPLE = { servers: SERVERS, skills: SKILLS, scores: SCORES };
const SYSTEM = [String(renderSkills(skillList(["forms"])))];

describe("the console's report", () => {
  /** @param {TestContext} t @param {Wishes} [wishes] */
  async function printed(t, wishes) {
    const made = await stage(t, { ...EXAMPLE, ...wishes, options: { debug_mode: true, ...wishes?.options } });
    await made.host.prompt("List the plugins");
    return made.printed.join("\n");
  }

  test("has counts, every score, decisions and reasons", async (t) => {
    const text = await printed(t);
    const head =
      /^\[opencode-jev-pruner\] \d+ms, 2 Jev call\(s\): servers 1\/2 kept, tools 1\/2 kept \(1 pruned\), skills 5\/27 kept \(22 pruned\)$/;
    const [first = "", ...lines] = text.split("\n");
    assert.match(first, head);
    assert.deepEqual(lines, [
      "  server 0.050 PRUNE postgres (phase 1 rejected)",
      "  server 0.950 keep  wrait-mcp (phase 1 passed)",
      "  tool   0.910 keep  wrait-mcp.wrait_list_plugins",
      ...GONE.map((id) => `  skill  0.020 PRUNE ${id}`),
      ...KEPT.map((id) => `  skill  0.800 keep  ${id}`),
      "  mcp instructions removed: postgres",
    ]);
  });

  test("is not printed without `debug_mode`", async (t) => {
    assert.equal(await printed(t, { options: { debug_mode: false } }), "");
  });

  test("comes once a request", async (t) => {
    const { host, printed: lines } = await stage(t, { ...EXAMPLE, options: { debug_mode: true } });
    await host.prompt("One");
    await host.step();
    assert.equal(lines.join("\n").match(/^\[opencode-jev-pruner\]/gm)?.length, 2);
  });

  test("counts calls and not questions", async (t) => {
    assert.match(await printed(t, { options: { max_questions_per_request: 10 } }), /, 4 Jev call\(s\):/);
  });

  test("says that nothing was asked when the answers were known", async (t) => {
    const { host, printed: lines } = await stage(t, { ...EXAMPLE, options: { debug_mode: true } });
    await host.prompt("One");
    lines.length = 0;
    await host.step();
    assert.match(lines.join("\n"), /, 0 Jev call\(s\): servers 1\/2 kept/);
  });

  test("says when Jev failed, and how", async (t) => {
    assert.match(await printed(t, { jev: { status: 529 } }), /529/);
  });

  test("says why a request was left as it was", async (t) => {
    const { context, printed: lines } = await stage(t, { options: { debug_mode: true } });
    await context(eventOf({ system: SYSTEM, messages: [] }));
    assert.match(lines.join("\n"), /^\[opencode-jev-pruner\] .*prompt/);
  });

  test("names a section that could not be read", async (t) => {
    const { context, printed: lines } = await stage(t, { options: { debug_mode: true } });
    await context(eventOf({ system: [...SYSTEM, '<mcp_instructions>\n  <server name="x">\n'] }));
    assert.match(lines.join("\n"), /<mcp_instructions>/);
  });

  test("does not stop a request when printing throws", async (t) => {
    const { host } = await stage(t, { ...EXAMPLE, options: { debug_mode: true } });
    console.log = () => {
      throw new Error("the pipe is broken");
    };
    const { touched } = await host.prompt("List the plugins");
    assert.equal(touched.system, true);
  });
});

/** @param {TestContext} t @param {Wishes} [wishes] */
async function logged(t, wishes) {
  const file = join(folder(t), "debug.log");
  const made = await stage(t, { ...wishes, options: { debug_log_file: file, ...wishes?.options } });
  return {
    ...made,
    file,
    /** @param {number} count */
    lines: (count) => linesOf(file, count),
    /** @param {number} count */
    kinds: async (count) => (await linesOf(file, count)).map(({ event }) => event),
  };
}

describe("the debug log", () => {
  test("begins with `setup`", async (t) => {
    const { kinds } = await logged(t);
    assert.deepEqual(await kinds(1), ["setup"]);
  });

  test("begins with `disabled` without a key", async (t) => {
    const { kinds } = await logged(t, { options: { jev_api_key: undefined } });
    assert.deepEqual(await kinds(1), ["disabled"]);
  });

  test("begins with `disabled` where the host has no hooks", async (t) => {
    const { kinds } = await logged(t, { ctx: (ctx) => ({ ...ctx, session: {} }) });
    assert.deepEqual(await kinds(1), ["disabled"]);
  });

  test("gets one `report` a request", async (t) => {
    const { host, kinds } = await logged(t, EXAMPLE);
    await host.prompt("One");
    await host.prompt("Two");
    await host.step();
    assert.deepEqual(await kinds(4), ["setup", "report", "report", "report"]);
  });

  test("gets `skipped` with the reason", async (t) => {
    const { context, lines } = await logged(t);
    await context(eventOf({ system: SYSTEM, messages: [] }));
    const [, skipped] = await lines(2);
    assert.deepEqual([skipped.event, skipped.why], ["skipped", "no_prompt"]);
  });

  test("gets `error` with what happened and to which request, before the report", async (t) => {
    const { host, lines } = await logged(t, { ...EXAMPLE, jev: { status: 503 } });
    await host.prompt("One");
    const [, error, report] = await lines(3);
    assert.deepEqual([error.event, report.event, report.applied], ["error", "report", false]);
    assert.match(JSON.stringify(error), /503/);
    assert.match(error.request, /phase 1/);
  });

  test("gets the platform's own words with an `error`", async (t) => {
    const fetch = answering(() => {
      throw new TypeError("fetch failed", { cause: new Error("no route to the moon") });
    });
    const { host, lines } = await logged(t, { ...EXAMPLE, parts: { fetch } });
    await host.prompt("One");
    assert.match(JSON.stringify((await lines(3))[1]), /no route to the moon/);
  });

  test("gets the server's own words with an `error`, however they were cut in transit", async (t) => {
    const bytes = new TextEncoder().encode(JSON.stringify({ detail: "Schlüssel abgelaufen 🔑" }));
    const stream = () =>
      new ReadableStream({
        start: (controller) => {
          for (const byte of bytes) controller.enqueue(new Uint8Array([byte]));
          controller.close();
        },
      });
    const fetch = answering(() => new Response(stream(), { status: 401 }));
    const { host, lines } = await logged(t, { ...EXAMPLE, parts: { fetch } });
    await host.prompt("One");
    assert.match(JSON.stringify((await lines(3))[1]), /Schlüssel abgelaufen 🔑/);
  });

  test("gets one `error` for each request that failed", async (t) => {
    const { host, kinds } = await logged(t, {
      ...EXAMPLE,
      jev: { status: 503 },
      options: { max_questions_per_request: 1 },
    });
    await host.prompt("One");
    assert.deepEqual(await kinds(4), ["setup", "error", "error", "report"]);
  });

  test("gets `error` when the module traps", async (t) => {
    const core = await loadFreshCore();
    const { context, kinds } = await logged(t, { parts: { load: () => brokenCore(core, { prune: () => trap() }) } });
    await context(eventOf({ system: SYSTEM }));
    assert.deepEqual(await kinds(2), ["setup", "error"]);
  });

  test("gets `warmup` before the first request is reported", async (t) => {
    const { host, kinds } = await logged(t, { ...EXAMPLE, options: { warmup_on_load: true }, jev: { score: () => 1 } });
    assert.deepEqual(await kinds(2), ["setup", "warmup"]);
    await host.prompt("One");
    assert.deepEqual(await kinds(3), ["setup", "warmup", "report"]);
  });

  test("is written without `debug_mode`, and nothing is printed", async (t) => {
    const { host, kinds, printed } = await logged(t, EXAMPLE);
    await host.prompt("One");
    assert.equal((await kinds(2)).length, 2);
    assert.deepEqual(printed, []);
  });

  test("can be read by its owner alone", async (t) => {
    const { lines, file } = await logged(t);
    await lines(1);
    assert.equal(statSync(file).mode & 0o777, 0o600);
  });

  test("is appended to", async (t) => {
    const file = join(folder(t), "debug.log");
    writeFileSync(file, '{"event":"before"}\n');
    await stage(t, { options: { debug_log_file: file } });
    assert.deepEqual(
      (await linesOf(file, 2)).map(({ event }) => event),
      ["before", "setup"],
    );
  });

  test("keeps the order of a hundred requests", async (t) => {
    const { context, lines } = await logged(t);
    const sessions = numbered(100, "ses");
    for (const session of sessions) await context(eventOf({ system: SYSTEM, session }));
    assert.deepEqual(
      (await lines(101)).slice(1).map(({ session }) => session),
      sessions,
    );
  });

  test("is written whole when requests come at once", async (t) => {
    const { context, lines } = await logged(t);
    const sessions = numbered(50, "ses");
    await Promise.all(sessions.map((session) => context(eventOf({ system: SYSTEM, session }))));
    assert.deepEqual(
      (await lines(51))
        .slice(1)
        .map(({ session }) => session)
        .sort(),
      sessions,
    );
  });

  test("is taken from the project's folder when its path is relative", async (t) => {
    const directory = folder(t);
    await stage(t, { directory, options: { debug_log_file: "logs.jsonl" } });
    assert.equal((await linesOf(join(directory, "logs.jsonl"), 1)).length, 1);
  });
});

/** Everything of a candidate but how long it is. @param {any} candidate */
const withoutSize = ({ chars, ...candidate }) => candidate;

describe("a report in the log", () => {
  /** @param {TestContext} t @param {Wishes} [wishes] */
  async function reported(t, wishes) {
    const { host, lines, events } = await logged(t, { ...EXAMPLE, ...wishes });
    const { before, after } = await host.prompt("List the plugins");
    const all = await lines(2);
    return { report: all.find(({ event }) => event === "report"), before, after, events };
  }

  test("says whether the request was changed", async (t) => {
    assert.equal((await reported(t)).report.applied, true);
  });

  test("says that a request was not changed when all was kept", async (t) => {
    assert.equal((await reported(t, { scores: { otherwise: 1 } })).report.applied, false);
  });

  test("counts servers, tools and skills", async (t) => {
    const { stats } = (await reported(t)).report;
    assert.deepEqual(
      [stats.servers, stats.tools, stats.skills],
      [
        { total: 2, kept: 1, pruned: 1 },
        { total: 2, kept: 1, pruned: 1 },
        { total: 27, kept: 5, pruned: 22 },
      ],
    );
  });

  test("has score, decision and reason of every server", async (t) => {
    assert.deepEqual((await reported(t)).report.servers.map(withoutSize), [
      { name: "postgres", score: 0.05, decision: "prune", reason: "phase1_rejected" },
      { name: "wrait-mcp", score: 0.95, decision: "keep", reason: "phase1_passed" },
    ]);
  });

  test("has score, decision and reason of every tool, also of one that was not asked about", async (t) => {
    assert.deepEqual((await reported(t)).report.tools.map(withoutSize), [
      { name: "postgres.query", score: null, decision: "prune", reason: "server_rejected" },
      { name: "wrait-mcp.wrait_list_plugins", score: 0.91, decision: "keep", reason: "passed" },
    ]);
  });

  test("has score, decision and reason of every skill", async (t) => {
    const { skills } = (await reported(t)).report;
    assert.equal(skills.length, 27);
    assert.deepEqual(
      withoutSize(skills.find((/** @type {any} */ { name }) => name === "gone_003")),
      {
        name: "gone_003",
        score: 0.02,
        decision: "prune",
        reason: "rejected",
      },
    );
  });

  test("has the length of what the request shows of each tool and skill, and none of servers", async (t) => {
    const servers = [
      server("desk", { add: "Fügt 😀 hinzu." }),
      nativeServer("pilot", { click: "Klickt." }, { instructions: "Clicks." }),
    ];
    const skills = [{ id: "forms", name: "Forms", description: "Füllt 😀 aus.\nZwei Zeilen." }];
    const { report, before } = await reported(t, { servers, skills });
    const text = before.system.map(({ text }) => text).join("\n");
    const length = (/** @type {RegExp} */ pattern) => [...String(pattern.exec(text)?.[0])].length;
    const chars = (/** @type {any[]} */ list) => list.map(({ name, chars }) => [name, chars]);
    const click = before.tools.pilot_click;
    assert.deepEqual(chars(report.servers), [["desk", 0], ["pilot", 0]]);
    assert.deepEqual(chars(report.tools), [
      // The catalog ends with it, without a line's end.
      ["desk.add", length(/ {2}- tools\.desk\.add[^]*?hinzu\./)],
      ["pilot.click", JSON.stringify(click).length],
    ]);
    assert.deepEqual(chars(report.skills), [["forms", length(/ {2}<skill>[^]*?<\/skill>/)]]);
  });

  test("has the thresholds in force, and whether the session begins with it", async (t) => {
    const { host, lines } = await logged(t, { ...EXAMPLE, options: { decision_scope: "session", selection: "budget" } });
    await host.prompt("List the plugins");
    await host.prompt("List the plugins once more, and then do something else.");
    const reports = (await lines(3)).filter(({ event }) => event === "report");
    assert.deepEqual(reports.map(({ first }) => first), [true, false]);
    assert.deepEqual(reports.map(({ thresholds }) => thresholds), Array(2).fill({ servers: 0.15, tools_and_skills: 0.25 }));
  });

  test("names the instructions and native tools that were removed", async (t) => {
    const servers = [...SERVERS, nativeServer("pilot", ["click", "close"], { instructions: "Clicks." })];
    const scores = { ...SCORES, servers: { "wrait-mcp": 1, pilot: 1 }, tools: { "pilot.click": 1 } };
    const { removed } = (await reported(t, { servers, scores })).report;
    assert.deepEqual([removed.native_tools, removed.mcp_instructions], [["pilot_close"], ["postgres"]]);
  });

  test("has what the change saved, in characters", async (t) => {
    const agentsMd = "Grüße 😀";
    const { report, before, after } = await reported(t, { host: { agentsMd } });
    const length = (/** @type {typeof before} */ { system }) =>
      system.reduce((sum, { text }) => sum + [...text].length, 0);
    const { characters_before, characters_after } = report.stats;
    assert.equal(characters_before - characters_after, length(before) - length(after));
  });

  test("counts the native tools that went among what was saved", async (t) => {
    const servers = [nativeServer("pilot", ["click", "close"], { instructions: "Clicks." }), ...SERVERS];
    const all = { ...SCORES, servers: { "wrait-mcp": 1, postgres: 1 }, tools: {}, otherwise: 1 };
    const { report, before } = await reported(t, {
      servers,
      scores: { ...all, servers: { ...all.servers, pilot: 0 } },
    });
    const { characters_before, characters_after } = report.stats;
    const definitions = ["pilot_click", "pilot_close"].map((name) => JSON.stringify(before.tools[name]).length);
    const instructions = String(
      / {2}<server name="pilot">[^]*?<\/server>\n/.exec(String(before.system[1]?.text))?.[0],
    ).length;
    assert.ok(
      characters_before - characters_after >= instructions + definitions.reduce((sum, length) => sum + length, 0),
    );
  });

  test("estimates tokens as a quarter of the characters", async (t) => {
    const { stats } = (await reported(t)).report;
    for (const when of ["before", "after"]) {
      assert.equal(stats[`tokens_${when}`], Math.round(stats[`characters_${when}`] / 4));
    }
  });

  test("has milliseconds in Rust and in Jev", async (t) => {
    const { report } = await reported(t, { jev: { latency: 40 } });
    assert.ok(report.stats.ms_jev >= 2 * 39, `${report.stats.ms_jev}`);
    assert.ok(report.stats.ms_rust > 0 && report.stats.ms_rust < report.stats.ms_jev, `${report.stats.ms_rust}`);
  });

  test("names sections that could not be read", async (t) => {
    const { context, lines } = await logged(t);
    await context(eventOf({ system: [...SYSTEM, '<mcp_instructions>\n  <server name="x">\n'] }));
    const [, report] = await lines(2);
    assert.match(JSON.stringify(report.unrecognised), /<mcp_instructions>/);
  });

  test("does not hold the prompt", async (t) => {
    const { host, lines } = await logged(t, EXAMPLE);
    await host.prompt("My secret plan");
    assert.doesNotMatch(JSON.stringify(await lines(2)), /secret plan/);
  });
});

describe("a log that cannot be written", () => {
  for (const [what, path] of /** @type {[string, (directory: string) => string][]} */ ([
    ["in a folder that is not there", (directory) => join(directory, "missing", "debug.log")],
    ["that is a folder", (directory) => (mkdirSync(join(directory, "log")), join(directory, "log"))],
  ])) {
    test(`is one warning, however much there is to write: ${what}`, async (t) => {
      const { host, warned } = await stage(t, { ...EXAMPLE, options: { debug_log_file: path(folder(t)) } });
      for (const prompt of ["One", "Two", "Three"]) {
        await host.prompt(prompt);
        await sleep(20);
      }
      assert.equal(warned.length, 1, warned.join("\n"));
      assert.match(String(warned[0]), /debug_log_file/);
    });

    test(`keeps no request from being pruned: ${what}`, async (t) => {
      const { host } = await stage(t, { ...EXAMPLE, options: { debug_log_file: path(folder(t)) } });
      assert.equal((await host.prompt("One")).touched.system, true);
    });
  }
});

describe("warming up", () => {
  test("is one small request when the plugin loads", async (t) => {
    const { jev } = await stage(t, { options: { warmup_on_load: true }, jev: { score: () => 1 } });
    await sleep(100);
    assert.deepEqual(
      jev.requests.map(({ body }) => Object.keys(body.questions).length),
      [1],
    );
  });

  test("is not waited for by setup", async (t) => {
    const start = performance.now();
    await stage(t, { options: { warmup_on_load: true }, jev: { latency: 2000 } });
    assert.ok(performance.now() - start < 1000);
  });

  test("that fails is told in the log and nowhere else", async (t) => {
    const { kinds, warned, printed } = await logged(t, { options: { warmup_on_load: true }, jev: { status: 500 } });
    assert.deepEqual(await kinds(2), ["setup", "warmup"]);
    assert.deepEqual([warned, printed], [[], []]);
  });

  test("that fails does not keep a request from being pruned", async (t) => {
    const { host, jev } = await stage(t, { ...EXAMPLE, options: { warmup_on_load: true }, jev: { status: 500 } });
    await sleep(100);
    jev.settings.status = undefined;
    assert.equal((await host.prompt("One")).touched.system, true);
  });
});

describe("the key is in no log, report, print or warning", () => {
  const ODD = 'sk-"quoted\\and/slashed"-0123456789';

  /** What a text must not hold: any longer piece of the key, as it is or as JSON writes it. @param {string} key @param {string} text */
  function holdsNothing(key, text) {
    for (const written of [key, JSON.stringify(key).slice(1, -1)]) {
      for (let at = 0; at + 10 <= written.length; at++) {
        const found = text.indexOf(written.slice(at, at + 10));
        assert.equal(found, -1, `a piece of the key in: ${text.slice(Math.max(0, found - 30), found + 30)}`);
      }
    }
  }

  /** @param {TestContext} t @param {string} key @param {Wishes} wishes */
  async function silent(t, key, { options, ...wishes }) {
    const made = await logged(t, {
      ...EXAMPLE,
      ...wishes,
      options: { debug_mode: true, jev_api_key: key, ...options },
    });
    await made.host.prompt("One");
    const lines = await made.lines(2);
    await sleep(20);
    const told = [readFileSync(made.file, "utf8"), ...made.printed, ...made.warned, JSON.stringify(made.reports)].join(
      "\n",
    );
    holdsNothing(key, told);
    return { ...made, lines, told };
  }

  for (const key of [KEY, ODD]) {
    const name = key === ODD ? "a key that JSON has to escape" : "a key";

    test(`when all goes well, ${name}`, async (t) => {
      await silent(t, key, {});
    });

    /** Bodies of errors that quote what was sent. @type {Record<string, (given: string) => Response>} */
    const echoes = {
      "in an error's message": (given) =>
        Response.json({ error: { message: `Unknown key ${given}` } }, { status: 401 }),
      "as an error's detail": (given) => Response.json({ detail: given }, { status: 401 }),
      "in a plain text": (given) => raw(`${given} is not known`, { status: 403 }),
      "in a page instead of JSON": (given) => raw(`<html>${given}</html>`),
      "in a status text": (given) => raw("{}", { status: 500, statusText: `${given} failed` }),
      "as a redirect's target": (given) =>
        raw("", { status: 302, headers: { location: `https://x.example/?${encodeURIComponent(given)}` } }),
      "at the end of what is shown of a message": (given) =>
        Response.json({ error: `${"x".repeat(290)}${given} and more` }, { status: 401 }),
      "at the end of what is shown of a text": (given) => raw(`${"x".repeat(110)}${given} and more`, { status: 500 }),
      "at the end of what is shown of a page": (given) => raw(`${"<".repeat(110)}${given} and more`),
    };
    for (const [where, echo] of Object.entries(echoes)) {
      test(`when the server quotes it ${where}, ${name}`, async (t) => {
        const fetch = answering(({ init }) => echo(init.headers.authorization?.replace("Bearer ", "") ?? ""));
        const { lines } = await silent(t, key, { parts: { fetch } });
        assert.equal(lines[1].event, "error");
      });
    }

    test(`when \`fetch\` quotes it in an error, ${name}`, async (t) => {
      const fetch = answering(({ init }) => {
        throw new TypeError(`bad header ${init.headers.authorization}`, {
          cause: new Error(JSON.stringify(init.headers)),
        });
      });
      await silent(t, key, { parts: { fetch } });
    });

    test(`when a longer error of \`fetch\` quotes it, ${name}`, async (t) => {
      const fetch = answering(({ init }) => {
        throw new TypeError(`${"x".repeat(285)} ${init.headers.authorization} and more`);
      });
      await silent(t, key, { parts: { fetch } });
    });

    test(`when warming up fails and quotes it, ${name}`, async (t) => {
      const fetch = answering(({ init }) => raw(String(init.headers.authorization), { status: 401 }));
      await silent(t, key, { parts: { fetch }, options: { warmup_on_load: true } });
    });

    test(`when the module throws it, ${name}`, async (t) => {
      const core = await loadFreshCore();
      const prune = () => {
        throw new Error(`lost ${key}`);
      };
      await silent(t, key, { parts: { load: () => brokenCore(core, { prune }) } });
    });
  }

  test("when it stands in the endpoint's address", async (t) => {
    const address = await serve(t, (request, response) => {
      request.resume();
      response.writeHead(500).end();
    });
    await silent(t, KEY, { options: { jev_endpoint: `${address}?key=${KEY}` } });
  });

  for (const [what, key] of Object.entries({
    "a line break": "sk-0123456789abcdef\nx",
    "a space": "sk-0123456789 abcdef",
    "letters beyond ASCII": "sk-0123456789äbcdef",
  })) {
    test(`when it has ${what} and cannot be used`, async (t) => {
      const { warned, printed } = await stage(t, { options: { jev_api_key: key, debug_mode: true } });
      assert.ok(warned.length > 0);
      holdsNothing("sk-0123456789", [...warned, ...printed].join("\n"));
    });
  }

  for (const name of ["jev_model", "jev_endpoint", "debug_mode", "jev_timeout_ms", "always_include_tools"]) {
    test(`when it was given as ${name} by mistake and is warned of`, async (t) => {
      const { warned } = await stage(t, { options: { [name]: name === "jev_model" ? [KEY] : KEY } });
      holdsNothing(KEY, warned.join("\n"));
    });
  }
});
