/**
 * `opencode-jev-pruner check`: which configuration it finds, where it says that settings come from, and what it says of
 * Jev. It must never print the key.
 */

import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";

import { suggestedTimeout } from "../../cli/check/command.js";
import { parseJsonc } from "../../cli/check/jsonc.js";
import { startFakeJev } from "../fake-jev/server.js";
import { folder, run } from "./running.js";

/** @import { TestContext } from "node:test" */
/** @import { Settings } from "../fake-jev/server.js" */

const KEY = "sk-check-0123456789abcdef";
const HERE = fileURLToPath(new URL("../..", import.meta.url));

/** A project with these files, and a home of its own. @param {TestContext} t @param {Record<string, string | object>} files */
function project(t, files) {
  const root = folder(t);
  for (const [name, content] of Object.entries({ ".git/HEAD": "", ...files })) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), typeof content === "string" ? content : JSON.stringify(content));
  }
  return { cwd: root, env: { HOME: join(root, "home"), XDG_CONFIG_HOME: join(root, "home/.config") } };
}

/** @param {TestContext} t @param {Settings} [settings] */
async function jev(t, settings) {
  const fake = await startFakeJev({ port: 0, ...settings });
  t.after(() => fake.close());
  return fake;
}

const entry = (/** @type {object} */ options) => ({ package: "opencode-jev-pruner", options });
/** @param {string} stdout @param {string} name */
const lineOf = (stdout, name) => stdout.split("\n").find((line) => line.startsWith(`${name} `));

describe("it finds the plugin's entry", () => {
  const options = { jev_timeout_ms: 777 };
  for (const [where, files] of Object.entries(/** @type {Record<string, Record<string, string | object>>} */ ({
    "in opencode.json, as OpenCode 2 has it": { "opencode.json": { plugins: ["other", entry(options)] } },
    "in opencode.json, as OpenCode 1.18 has it": { "opencode.json": { plugin: [["opencode-jev-pruner@1.2.3", options]] } },
    "by the path of this package": { "opencode.json": { plugins: [{ package: HERE, options }] } },
    "among comments": { "opencode.jsonc": `// ours\n{ "plugins": [ /* here */ ${JSON.stringify(entry(options))}, ], }` },
    "in .opencode": { ".opencode/opencode.json": { plugins: [entry(options)] } },
    "in the person's own configuration": { "home/.config/opencode/opencode.json": { plugins: [entry(options)] } },
    "in the project's rather than the person's own": {
      "opencode.json": { plugins: [entry(options)] },
      "home/.config/opencode/opencode.json": { plugins: [entry({ jev_timeout_ms: 5 })] },
    },
  }))) {
    test(where, async (t) => {
      const { stdout } = await run(["check", "--offline"], project(t, files));
      assert.match(stdout, /^The plugin's entry in /);
      assert.match(String(lineOf(stdout, "jev_timeout_ms")), /777 +option `jev_timeout_ms`$/);
    });
  }

  test("or says that there is none, and where it looked", async (t) => {
    const { stdout } = await run(["check", "--offline"], project(t, { "opencode.json": { plugins: ["other", 7, { package: "./not-ours" }] } }));
    assert.match(stdout, /^The plugin is not configured in .*opencode\.json; these would be its settings/);
  });

  test("or says what is wrong with the file", async (t) => {
    const { code, stderr } = await run(["check"], project(t, { "opencode.json": "{ plugins" }));
    assert.equal(code, 2);
    assert.match(stderr, /opencode\.json is not JSON/);
  });
});

describe("it reads a configuration as the host does", () => {
  const COPY = { "copy/package.json": { name: "opencode-jev-pruner" }, "copy/js-shim/index.js": "" };
  const options = { jev_timeout_ms: 777 };
  for (const [what, name, files] of /** @type {[string, string, Record<string, string | object>][]} */ ([
    ["the path of another copy", "./copy", COPY],
    ["a file in another copy", "./copy/js-shim/index.js", COPY],
    ["a URL of another copy", "file://./copy", COPY],
    ["a copy at home", "~/copy", { "home/copy/package.json": { name: "opencode-jev-pruner" } }],
    ["a repository", "github:somebody/opencode-jev-pruner#main", {}],
    ["a version from a repository", "opencode-jev-pruner@git+https://localhost/x/opencode-jev-pruner.git", {}],
  ])) {
    test(`${what} is the plugin`, async (t) => {
      const { stdout } = await run(["check", "--offline"], project(t, { ...files, "opencode.json": { plugin: [[name, options]] } }));
      assert.match(stdout, /^The plugin's entry in /);
      assert.match(String(lineOf(stdout, "jev_timeout_ms")), /777/);
    });
  }

  for (const other of ["file://./plugins/x.ts", "file://~/x.js", "file://{env:HOME}/x.js", "file:///a%zz", "", "./no-such-folder", 7, null, []]) {
    test(`${JSON.stringify(other)} is another plugin, or none`, async (t) => {
      const { stdout, stderr } = await run(["check", "--offline"], project(t, { "opencode.json": { plugin: [other, ["opencode-jev-pruner", options]] } }));
      assert.match(String(lineOf(stdout, "jev_timeout_ms")), /777/);
      assert.equal(stderr, "");
    });
  }

  test("`{env:NAME}` is what the environment has", async (t) => {
    const place = project(t, { "opencode.json": { plugins: [entry({ jev_api_key: "{env:MY_KEY}", jev_endpoint: "{env:MY_URL}/v1" })] } });
    const env = { ...place.env, MY_KEY: KEY, MY_URL: "http://127.0.0.1:9" };
    const { stdout } = await run(["check", "--offline"], { ...place, env });
    assert.match(String(lineOf(stdout, "jev_api_key")), /set \(25 characters\)/);
    assert.match(String(lineOf(stdout, "jev_endpoint")), /"http:\/\/127\.0\.0\.1:9\/v1"/);
    assert.ok(!stdout.includes(KEY));
  });

  test("`{file:PATH}` is what the file has", async (t) => {
    const files = { "key.txt": `${KEY}\n`, "opencode.json": { plugins: [entry({ jev_api_key: "{file:./key.txt}" })] } };
    assert.match(String(lineOf((await run(["check", "--offline"], project(t, files))).stdout, "jev_api_key")), /set \(25 characters\)/);
  });

  for (const empty of ["", " \n", "// nothing yet\n"]) {
    test(`${JSON.stringify(empty)} is an empty configuration`, async (t) => {
      const files = { "opencode.json": empty, "home/.config/opencode/opencode.json": { plugins: [entry(options)] } };
      assert.match(String(lineOf((await run(["check", "--offline"], project(t, files))).stdout, "jev_timeout_ms")), /777/);
    });
  }
});

describe("a plugin of the person's own configuration is", () => {
  /** @param {TestContext} t @param {unknown[]} plugins of the project */
  const inProject = (t, plugins) => {
    const place = project(t, { "opencode.json": { plugins }, "home/.config/opencode/opencode.json": { plugins: [entry({})] } });
    return run(["check", "--offline"], { ...place, env: { ...place.env, JEV_API_KEY: KEY } });
  };

  for (const by of ["-opencode-jev-pruner", "-opencode-*", "-*"]) {
    test(`switched off in a project by "${by}"`, async (t) => {
      const { stdout, code } = await inProject(t, ["other", by]);
      assert.ok(stdout.includes(`The plugin is switched off: by "${by}" in `));
      assert.equal(code, 1);
    });
  }

  for (const plugins of [["-other"], ["-*", "opencode-jev-pruner"], ["-*", "*"]]) {
    test(`on with ${JSON.stringify(plugins)}`, async (t) => {
      const { stdout, code } = await inProject(t, plugins);
      assert.doesNotMatch(stdout, /switched off/);
      assert.equal(code, 0);
    });
  }
});

describe("without a key it says", () => {
  for (const scorer of ["lexical", "none"]) {
    test(`that none is needed by the scorer ${scorer}, with 0`, async () => {
      const options = { scorer, discovery: { enabled: true, hide: ["maps"] } };
      const { stdout, code } = await run(["check", "--options", JSON.stringify(options)]);
      assert.match(stdout, new RegExp(`no key is needed: option scorer is "${scorer}"`));
      assert.doesNotMatch(stdout, /disabled/);
      assert.equal(code, 0);
    });
  }

  test("the same with one, and asks nobody", async () => {
    const options = { scorer: "lexical", jev_api_key: KEY, jev_endpoint: "http://127.0.0.1:9/systemone" };
    const { stdout, stderr } = await run(["check", "--options", JSON.stringify(options)]);
    assert.match(stdout, /Jev is not asked/);
    assert.equal(stderr, "");
  });

  test("that only the history is pruned where that is on, with 0", async () => {
    const { stdout, code } = await run(["check", "--options", JSON.stringify({ history: { enabled: true } })]);
    assert.match(stdout, /There is no key, so only the history is pruned/);
    assert.equal(code, 0);
  });
});

test("each setting is told with the place that it comes from", async (t) => {
  const place = project(t, { "opencode.json": { plugins: [entry({ promptChars: 1, mode: "shadow", maxCandidates: 7 })] } });
  const env = { ...place.env, JEV_TIMEOUT_MS: "1500", JEV_PRUNER_MODE: "off", JEV_API_KEY: KEY };
  const { stdout, code } = await run(["check", "--offline"], { ...place, env });
  assert.match(String(lineOf(stdout, "mode")), /"shadow" +option `mode`$/);
  assert.match(String(lineOf(stdout, "max_candidates")), /7 +option `maxCandidates`$/);
  assert.match(String(lineOf(stdout, "jev_timeout_ms")), /1500 +environment variable `JEV_TIMEOUT_MS`$/);
  assert.match(String(lineOf(stdout, "selection")), /"threshold" +default$/);
  assert.match(String(lineOf(stdout, "jev_api_key")), /set \(25 characters\) +environment variable `JEV_API_KEY`$/);
  assert.match(stdout, /warning: .*promptChars/);
  assert.equal(code, 1);
});

describe("of Jev it says", () => {
  test("that it answers, how fast, and whether the time limit would do", async (t) => {
    const { url } = await jev(t, { key: KEY });
    const { stdout, code } = await run(["check", "--options", JSON.stringify({ jev_endpoint: url, jev_api_key: KEY })]);
    assert.equal(code, 0);
    assert.match(stdout, /answers: [\d.]+ ms on a new connection, then [\d.]+ ms, at most [\d.]+ ms\./);
    assert.match(stdout, /jev_timeout_ms is 900; \d+ would do\./);
    assert.ok(!stdout.includes(KEY));
  });

  test("that the time limit may be short where it is slow", async (t) => {
    const { url } = await jev(t, { latency: 150 });
    const { stdout } = await run(["check", "--options", JSON.stringify({ jev_endpoint: url, jev_api_key: KEY, jev_timeout_ms: 100 })]);
    assert.match(stdout, /jev_timeout_ms is 100, which may be short: \d+ would leave room/);
  });

  test("what it answered instead, with 1, and without the key", async (t) => {
    const { url } = await jev(t, { key: "another" });
    const { stdout, stderr, code } = await run(["check", "--options", JSON.stringify({ jev_endpoint: url, jev_api_key: KEY })]);
    assert.equal(code, 1);
    assert.match(stdout, /did not answer: http: .*401/);
    assert.ok(!`${stdout}${stderr}`.includes(KEY));
  });

  test("that nobody is there, with 1", async () => {
    const { stdout, code } = await run(["check", "--options", JSON.stringify({ jev_endpoint: "http://127.0.0.1:9/systemone", jev_api_key: KEY })]);
    assert.equal(code, 1);
    assert.match(stdout, /did not answer: network: /);
  });

  test("nothing without a key, with 1", async () => {
    const { stdout, code } = await run(["check", "--options", "{}"]);
    assert.equal(code, 1);
    assert.match(stdout, /There is no key, so the plugin is disabled/);
  });
});

for (const [args, complaint] of /** @type {[string[], RegExp][]} */ ([
  [["--options", "{"], /--options is not JSON/],
  [["--config", "/nowhere.json"], /\/nowhere\.json cannot be read/],
  [["log"], /what is "log"\?/],
])) {
  test(`check ${args.join(" ")} ends with 2`, async () => {
    const { code, stderr } = await run(["check", ...args]);
    assert.equal(code, 2);
    assert.match(stderr, complaint);
  });
}

test("a time limit is suggested with room: thrice the slowest warm answer, one and a half of a cold one, 300 at least", () => {
  assert.deepEqual([suggestedTimeout(10, 5), suggestedTimeout(400, 100), suggestedTimeout(400, 301)], [300, 600, 1000]);
});

describe("JSON with comments", () => {
  for (const [text, value] of /** @type {[string, unknown][]} */ ([
    ['{"a": "// no comment", "b": "/* nor this */"}', { a: "// no comment", b: "/* nor this */" }],
    ['{"a": [1, 2, /* and */ ], // last\n}', { a: [1, 2] }],
    ['{"a": "quoted \\" // still", }', { a: 'quoted " // still' }],
    ['{"a": ",]", "b": 1}', { a: ",]", b: 1 }],
    ['\uFEFF{"a": 1}', { a: 1 }],
  ])) {
    test(text, () => assert.deepEqual(parseJsonc(text), value));
  }
});
