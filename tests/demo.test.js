/**
 * Tests of `npm run demo`: its line diff, its flags, and that it prunes and prints where there is nothing but Node.
 */

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { fileURLToPath } from "node:url";

import fc from "fast-check";

import { diffLines, hunksOf } from "../scripts/demo/diff.js";
import { readFlags } from "../scripts/demo/flags.js";
import { painter, savingsLine, unifiedDiff } from "../scripts/demo/print.js";
import { withFake } from "./fake-jev/asking.js";

/** @import { Line } from "../scripts/demo/diff.js" */

const root = fileURLToPath(new URL("..", import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), "demo-test-"));
after(() => rmSync(scratch, { recursive: true, force: true }));

/** @type {(style: any, text: string) => string} */
const plain = (_, text) => text;

/** @param {Line[]} lines @param {Line["kind"]} kind */
const side = (lines, kind) =>
  lines.filter((line) => line.kind === "same" || line.kind === kind).map(({ text }) => text);

/** @param {Line[]} lines */
const changes = (lines) => lines.filter(({ kind }) => kind !== "same").length;

/** The slow and certain way. @param {string[]} a @param {string[]} b */
function fewestChanges(a, b) {
  const table = Array.from({ length: a.length + 1 }, () => new Array(b.length + 1).fill(0));
  const at = (/** @type {number} */ x, /** @type {number} */ y) => table[x]?.[y] ?? 0;
  for (let x = a.length - 1; x >= 0; x--) {
    for (let y = b.length - 1; y >= 0; y--) {
      /** @type {any[]} */ (table[x])[y] = a[x] === b[y] ? at(x + 1, y + 1) + 1 : Math.max(at(x + 1, y), at(x, y + 1));
    }
  }
  return a.length + b.length - 2 * at(0, 0);
}

describe("the line diff", () => {
  const texts = fc.array(fc.constantFrom("a", "b", "  - c", "<d>", "</d>"), { minLength: 1, maxLength: 30 });

  it("holds both texts, with as few changes as can be", () => {
    fc.assert(
      fc.property(texts, texts, (a, b) => {
        const lines = diffLines(a.join("\n"), b.join("\n"));
        assert.deepEqual(side(lines, "gone"), a);
        assert.deepEqual(side(lines, "come"), b);
        assert.equal(changes(lines), fewestChanges(a, b));
      }),
    );
  });

  it("finds no difference in equal texts, and knows that an empty text has no line", () => {
    assert.equal(changes(diffLines("a\nb", "a\nb")), 0);
    assert.deepEqual(diffLines("", ""), []);
    assert.deepEqual(diffLines("a\n", ""), [{ kind: "gone", text: "a" }, { kind: "gone", text: "" }]);
  });

  it("shows an element going from its start to its end", () => {
    const element = (/** @type {string} */ name) => ["  <skill>", `    <id>${name}</id>`, "  </skill>"];
    const lines = diffLines(["a", "b", "c"].flatMap(element).join("\n"), ["a", "c"].flatMap(element).join("\n"));
    assert.deepEqual(lines.filter(({ kind }) => kind === "gone").map(({ text }) => text), element("b"));
  });

  const long = Array.from({ length: 20_000 }, (_, at) =>
    [`  - tools.desk.tool_${at}({`, "  owner: string,", "  repo: string,", "}): Promise<unknown>"][at % 4],
  );
  /** @type {Record<string, (string | undefined)[]>} */
  const others = {
    "most of it gone": long.filter((_, at) => at % 28 < 4),
    "little of it gone and some changed": long
      .map((line, at) => (at % 100 ? line : "new"))
      .filter((_, at) => at % 28 > 3),
    backwards: [...long].reverse(),
    "few lines, often": long.map((_, at) => `${(at * 7919) % 13}`),
    "nothing in common": long.map((line) => `${line}!`),
  };
  for (const [name, other] of Object.entries(others)) {
    it(`tells 20,000 lines apart in under a second: ${name}`, () => {
      const start = performance.now();
      const lines = diffLines(long.join("\n"), other.join("\n"));
      assert.ok(performance.now() - start < 1000, `took ${performance.now() - start} ms`);
      assert.deepEqual(side(lines, "gone"), long);
      assert.deepEqual(side(lines, "come"), other);
    });
  }

  it("stays true when it gives up being short", () => {
    const [a, b] = [3, 7].map((step) => Array.from({ length: 20_000 }, (_, at) => `${(at * at * step) % 11}`));
    const lines = diffLines((a ?? []).join("\n"), (b ?? []).join("\n"));
    assert.deepEqual(side(lines, "gone"), a);
    assert.deepEqual(side(lines, "come"), b);
  });
});

describe("what is shown of a diff", () => {
  const numbers = Array.from({ length: 30 }, (_, at) => `${at + 1}`);

  it("leaves out what stayed, but for three lines around each change", () => {
    const now = numbers.filter((line) => line !== "10" && line !== "25").map((line) => (line === "12" ? "new" : line));
    assert.deepEqual(unifiedDiff(numbers.join("\n"), now.join("\n"), plain), [
      ...["@@ -7,9 +7,8 @@", " 7", " 8", " 9", "-10", " 11", "-12", "+new", " 13", " 14", " 15"],
      ...["@@ -22,7 +21,6 @@", " 22", " 23", " 24", "-25", " 26", " 27", " 28"],
    ]);
  });

  it("names the line before an empty range, and no count of one", () => {
    assert.deepEqual(unifiedDiff("", "a", plain), ["@@ -0,0 +1 @@", "+a"]);
    assert.deepEqual(unifiedDiff("a\nb", "", plain), ["@@ -1,2 +0,0 @@", "-a", "-b"]);
  });

  it("is nothing when nothing changed", () => assert.deepEqual(hunksOf(diffLines("a\nb", "a\nb")), []));

  it("has colours at a terminal only, and not where NO_COLOR is set", () => {
    assert.equal(painter({ isTTY: true }, {})("red", "x"), "\x1b[31mx\x1b[0m");
    assert.equal(painter({ isTTY: true }, { NO_COLOR: "1" })("red", "x"), "x");
    assert.equal(painter({}, {})("red", "x"), "x");
  });

  it("counts four characters as a token", () => {
    assert.deepEqual(savingsLine("all", 4000, 1000).split(/ {2,}/), ["all", "1,000", "250", "750", "75.0 %"]);
    assert.match(savingsLine("none", 0, 0), /0\.0 %$/);
  });
});

describe("flags", () => {
  it("take several files behind one --tools, and --tools several times", () => {
    const { tools, skills } = readFlags(["--tools", "a", "b", "--skills", "s", "--tools", "c"]);
    assert.deepEqual({ tools, skills }, { tools: ["a", "b", "c"], skills: "s" });
  });

  it("take a budget in tokens, or all", () => {
    assert.equal(readFlags(["--budget", "500"]).budget, 500);
    assert.equal(readFlags(["--budget=all"]).budget, Infinity);
    assert.equal(readFlags([]).budget, undefined);
  });

  for (const [args, complaint] of /** @type {const} */ ([
    [["--tool"], /'--tool'/],
    [["stray"], /"stray"/],
    [["--skills", "a", "b"], /"b"/],
    [["--tools"], /'--tools/],
    [["--budget", "lots"], /"lots"/],
    [["--endpoint", "ftp://x"], /"ftp:\/\/x"/],
    [["--prompt", " "], /--prompt is empty/],
  ])) {
    it(`complain of: ${args.join(" ")}`, () => {
      assert.throws(() => readFlags([...args]), { name: "UsageError", message: complaint });
    });
  }
});

/**
 * @param {string[]} [args]
 * @param {{ directory?: string, env?: Record<string, string> }} [settings]
 * @returns {Promise<{ code: number | null, out: string, err: string }>}
 */
async function demo(args = [], { directory = root, env = {} } = {}) {
  const child = spawn(process.execPath, ["scripts/demo/index.js", ...args], {
    cwd: directory,
    env: { PATH: process.env.PATH, ...env },
  });
  let [out, err] = ["", ""];
  child.stdout.on("data", (chunk) => (out += chunk));
  child.stderr.on("data", (chunk) => (err += chunk));
  const [code] = await once(child, "close");
  return { code, out, err };
}

/** @param {string} name @param {unknown} content */
function file(name, content) {
  const path = join(scratch, name);
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  return path;
}

describe("the demo", { concurrency: 2 }, () => {
  it("prunes and prints in a checkout where nothing was installed", async () => {
    const directory = join(scratch, "checkout");
    const parts = ["index.js", "package.json", "js-shim", "wasm", "scripts/demo", "tests/mini-host", "tests/fake-jev"];
    for (const part of parts) {
      cpSync(join(root, part), join(directory, part), { recursive: true });
    }
    const { code, out, err } = await demo([], { directory });
    assert.deepEqual({ code, err }, { code: 0, err: "" });
    assert.match(out, /^\[opencode-jev-pruner\] \d+ms, 2 Jev call\(s\): servers 1\/6 kept/m);
    assert.match(out, /^-- calendar \(6 tools\)$/m);
    assert.match(out, /^- page-pilot_click$/m);
    assert.match(out, /^together( +[\d,]+){3} +[1-9][\d.]+ %$/m);
    assert.ok(!out.includes("\x1b"));
  });

  it("takes tools, skills and a prompt from elsewhere", async () => {
    const tools = [1, 2].map((number) =>
      file(`tools-${number}.json`, {
        server: `desk${number}`,
        tools: [{ name: "stamp_letter", description: `Stamp it. ${"No letter leaves without a stamp. ".repeat(3)}` }],
      }),
    );
    const skills = file("skills.json", [{ id: "folding", description: "Fold paper boats." }]);
    const { code, out } = await demo(["--tools", ...tools, "--skills", skills, "--prompt", "Sing", "--budget", "all"]);
    assert.equal(code, 0);
    assert.match(out, /2 MCP servers, 2 tools and 1 skill /);
    assert.match(out, /PRUNE desk1 /);
    assert.match(out, /PRUNE folding$/m);
  });

  it("ends with 0 when there is nothing to ask about", async () => {
    const { code, out } = await demo(["--tools", file("none.json", []), "--skills", file("none.json", [])]);
    assert.equal(code, 0);
    assert.match(out, /nothing to ask about/);
  });

  it("ends with 1 when nothing is taken out though it could ask", async () => {
    const kept = await demo([], { env: { JEV_CONFIDENCE_THRESHOLD: "0", JEV_PHASE1_THRESHOLD: "0" } });
    assert.equal(kept.code, 1);
    assert.match(kept.out, /every tool and skill was kept/);
  });

  it("asks another endpoint with the key from the environment, and ends with 1 when that fails", async () => {
    await withFake({ status: 503, key: "a-key" }, async (fake) => {
      const { code, out } = await demo(["--endpoint", fake.url], { env: { JEV_API_KEY: "a-key" } });
      assert.equal(code, 1);
      assert.match(out, /asking failed/);
      assert.equal(fake.requests[0]?.headers.authorization, "Bearer a-key");
      assert.ok(!out.includes("a-key"));
    });
  });

  for (const [name, args, complaint] of /** @type {const} */ ([
    ["a missing file", ["--tools", "nowhere.json"], /no file "nowhere\.json"/],
    ["a file that is not JSON", ["--tools", file("bad.json", "{")], /bad\.json: not JSON/],
    ["a file of another kind", ["--skills", file("other.json", [{ skill: 1 }])], /other\.json: skill 1 has no id/],
    ["a folder", ["--skills", scratch], /is a folder/],
    ["an endpoint without a key", ["--endpoint", "https://jev.example"], /JEV_API_KEY/],
    ["an unknown flag", ["--toools"], /'--toools'/],
  ])) {
    it(`ends with 2 and one line for ${name}`, async () => {
      const { code, out, err } = await demo([...args]);
      assert.deepEqual({ code, out }, { code: 2, out: "" });
      assert.match(err, complaint);
      assert.match(err, /^\[demo\] .* See --help\.\n$/);
    });
  }

  it("tells how it is used", async () => {
    const { code, out } = await demo(["--help"]);
    assert.equal(code, 0);
    for (const flag of ["tools", "skills", "prompt", "budget", "endpoint"]) assert.match(out, new RegExp(`--${flag} `));
  });
});
