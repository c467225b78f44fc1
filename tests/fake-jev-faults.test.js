/**
 * How the System One stand-in goes wrong when told to, and the command that runs it by hand. Its behaviour otherwise is
 * in fake-jev.test.js.
 */

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { afterEach, describe, test } from "node:test";
import { fileURLToPath } from "node:url";

import { ANYBODY, NOUL, post, request, withFake } from "./fake-jev/asking.js";
import { FAULT_KINDS } from "./fake-jev/faults.js";
import { startFakeJev } from "./fake-jev/server.js";

/** @import { FaultKind } from "./fake-jev/faults.js" */

describe("on request the server", () => {
  test("answers with a status", async () => {
    await withFake({ status: 529 }, async ({ url }) => assert.equal((await post(url, request())).status, 529));
  });

  test("tells with a 429 when to come back", async () => {
    await withFake({ status: 429 }, async ({ url }) =>
      assert.match((await post(url, request())).headers.get("retry-after") ?? "", /^\d+$/),
    );
  });

  test("changes its behaviour from the next request on", async () => {
    await withFake({ status: 500 }, async ({ url, settings }) => {
      assert.equal((await post(url, request())).status, 500);
      settings.status = undefined;
      assert.equal((await post(url, request())).status, 200);
    });
  });

  test("takes its time", async () => {
    await withFake({ latency: 120 }, async ({ url }) => {
      const start = performance.now();
      await post(url, request());
      assert.ok(performance.now() - start >= 115);
    });
  });

  test("leaves out a share of the answers, the same ones each time", async () => {
    const questions = Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`q${at}`, NOUL]));
    await withFake({ missing: 0.5 }, async ({ url }) => {
      const first = Object.keys((await post(url, request({ questions }))).body.answers);
      assert.ok(first.length > 70 && first.length < 130, String(first.length));
      assert.deepEqual(Object.keys((await post(url, request({ questions }))).body.answers), first);
    });
  });

  test("leaves out all answers", async () => {
    await withFake({ missing: 1 }, async ({ url }) => assert.deepEqual((await post(url, request())).body.answers, {}));
  });

  /** @param {FaultKind} broken @param {(response: Response) => Promise<void>} use */
  const withFault = (broken, use) =>
    withFake({ broken }, async ({ url }) =>
      use(await fetch(url, { method: "POST", headers: ANYBODY, body: JSON.stringify(request()), redirect: "manual" })),
    );

  for (const kind of /** @type {const} */ (["truncated", "not-json", "empty"])) {
    test(`sends what is no JSON (${kind})`, () => withFault(kind, async (response) => assert.rejects(response.json())));
  }

  for (const kind of /** @type {const} */ (["array", "null", "wrong-shape"])) {
    test(`sends JSON without answers (${kind})`, () =>
      withFault(kind, async (response) =>
        assert.equal(/** @type {any} */ (await response.json())?.answers, undefined),
      ));
  }

  for (const kind of /** @type {const} */ (["wrong-answers", "wrong-type", "text-numbers", "out-of-range", "nulls"])) {
    test(`sends answers that hold no probability (${kind})`, () =>
      withFault(kind, async (response) => {
        const { noul } = /** @type {any} */ (await response.json()).answers.q;
        assert.ok(!(typeof noul === "number" && noul >= 0 && noul <= 1));
      }));
  }

  test("answers what nobody asked", () =>
    withFault("strangers", async (response) =>
      assert.equal(Object.keys(/** @type {any} */ (await response.json()).answers).length, 2),
    ));

  test("sends more than 4 MiB", () =>
    withFault("huge", async (response) => assert.ok((await response.text()).length > 4 * 2 ** 20)));

  test("redirects", () =>
    withFault("redirect", async (response) => {
      assert.equal(response.status, 307);
      assert.ok(response.headers.has("location"));
    }));

  test("sends less than it promised", () => withFault("cut-off", async (response) => assert.rejects(response.text())));

  test("drops the connection", () =>
    assert.rejects(
      withFault("reset", async () => {}),
      TypeError,
    ));

  for (const kind of /** @type {const} */ (["hang", "stall"])) {
    test(`never ends (${kind})`, () =>
      withFake({ broken: kind }, async ({ url }) => {
        const ask = async () =>
          (
            await fetch(url, { method: "POST", headers: ANYBODY, body: JSON.stringify(request()), signal: AbortSignal.timeout(150) })
          ).text();
        await assert.rejects(ask, { name: "TimeoutError" });
      }));
  }

  test("has no further faults than those tried here", () => assert.equal(FAULT_KINDS.length, 18));

  test("can be closed while it lets somebody wait", async () => {
    const fake = await startFakeJev({ port: 0, latency: 60_000 });
    const asked = assert.rejects(post(fake.url, request()));
    while (fake.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    await fake.close();
    await asked;
  });
});

describe("the command", () => {
  /** @type {import("node:child_process").ChildProcess[]} */
  const children = [];
  afterEach(() => children.splice(0).forEach((child) => child.kill("SIGKILL")));

  /** @param {string[]} args */
  function run(...args) {
    const script = fileURLToPath(new URL("./fake-jev/cli.js", import.meta.url));
    const child = spawn(process.execPath, [
      ...process.execArgv.filter((arg) => !arg.startsWith("--test")),
      script,
      ...args,
    ]);
    children.push(child);
    const output = { out: "", err: "" };
    child.stdout.on("data", (chunk) => (output.out += chunk));
    child.stderr.on("data", (chunk) => (output.err += chunk));
    return { child, output, ended: once(child, "close").then(([code]) => /** @type {number} */ (code)) };
  }

  for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM"])) {
    test(`prints one line, serves, and ends on ${signal}`, async () => {
      const { child, output, ended } = run("--port", "0", "--missing", "1");
      while (!output.out.includes("\n")) await once(child.stdout, "data");
      const [, url] = /^\[fake-jev\] listening on (http:\/\/127\.0\.0\.1:\d+\/systemone)\n$/.exec(output.out) ?? [];
      assert.deepEqual((await post(String(url), request())).body.answers, {});
      child.kill(signal);
      assert.equal(await ended, 0);
    });
  }

  test("says in one line that a port is in use and ends with 1", async () => {
    const other = createServer();
    await new Promise((resolve) => other.listen(0, "127.0.0.1", () => resolve(undefined)));
    const { port } = /** @type {import("node:net").AddressInfo} */ (other.address());
    const { output, ended } = run("--port", String(port));
    assert.equal(await ended, 1);
    assert.match(output.err, new RegExp(`^\\[fake-jev\\] Port ${port} is in use\\.[^\\n]*\\n$`));
    other.close();
  });

  for (const args of [["--colour"], ["--port", "many"], ["--broken", "arm"], ["--missing", "2"], ["stray"]]) {
    test(`refuses ${args.join(" ")} in one line and ends with 2`, async () => {
      const { output, ended } = run(...args);
      assert.equal(await ended, 2);
      assert.match(output.err, /^\[fake-jev\] [^\n]+\n$/);
    });
  }

  test("explains its flags", async () => {
    const { output, ended } = run("--help");
    assert.equal(await ended, 0);
    for (const flag of ["port", "latency", "status", "missing", "broken", "key"])
      assert.match(output.out, new RegExp(`--${flag} `));
  });
});
