/**
 * What a model gets from a real OpenCode 1.18 while Jev is down, slow, broken or answers half: the request that it gets
 * without this plugin, or one that lacks only what was answered about.
 */

import assert from "node:assert/strict";
import { before, beforeEach, describe, test } from "node:test";

import { fraction } from "../../fake-jev/scoring.js";
import { scriptOf, subjectOf } from "../../plugin/scores.js";
import { nativeName } from "../../mini-host/index.js";
import { SERVER_NAMES } from "../project.js";
import { assertSameRequest, skillNames, toolNames } from "../reading.js";

/** @import { FaultKind } from "../../fake-jev/faults.js" */
/** @import { ModelRequest } from "../model-server.js" */
/** @import { Stage } from "../stage.js" */

const PROMPT = "What grows beside beans?";

/** Longer than the plugin waits. */
const TOO_SLOW_MS = 20_000;

/** @type {FaultKind[]} */
const BROKEN = ["truncated", "not-json", "empty", "wrong-shape", "huge", "cut-off", "reset", "redirect"];

/** @type {FaultKind[]} */
const MEANINGLESS = ["wrong-answers", "wrong-type", "text-numbers", "out-of-range", "nulls"];

/** @param {() => Stage} staged */
export function failingOpen(staged) {
  describe("a request is what it is without the plugin", () => {
    /** @type {ModelRequest} */
    let reference;

    before(async () => void (reference = await staged().plain.askOnce(PROMPT)));
    // Whatever is answered and believed is rejected, so that it would show.
    beforeEach(() => staged().script(scriptOf({ otherwise: 0 })));

    const ask = () => staged().pruned.askOnce(PROMPT);

    /** @returns {Promise<string>} what went wrong, as the log has it */
    async function untouched() {
      assertSameRequest(await ask(), reference);
      const report = staged()
        .debugLog()
        .filter(({ event }) => event === "report")
        .at(-1);
      assert.equal(report.applied, false);
      return report.errors[0].what;
    }

    test("when Jev is down", async () => {
      await staged().withoutJev(async () => assert.equal(await untouched(), "network"));
    });

    test("when Jev takes too long", async () => {
      staged().jev.settings.latency = TOO_SLOW_MS;
      assert.equal(await untouched(), "timeout");
    });

    for (const kind of BROKEN) {
      test(`when Jev's answer is broken: ${kind}`, async () => {
        staged().jev.settings.broken = kind;
        await untouched();
      });
    }

    for (const kind of MEANINGLESS) {
      test(`when no answer of Jev's means anything: ${kind}`, async () => {
        staged().jev.settings.broken = kind;
        assertSameRequest(await ask(), reference);
      });
    }

    for (const status of [401, 429, 500, 529]) {
      test(`when Jev refuses with ${status}`, async () => {
        staged().jev.settings.status = status;
        await untouched();
      });
    }

    test("when Jev answers no question at all", async () => {
      staged().jev.settings.missing = 1;
      assertSameRequest(await ask(), reference);
    });

    test("but for what was answered, when Jev answers half of the questions", async () => {
      const { jev } = staged();
      jev.settings.missing = 0.5;
      const before = jev.requests.length;
      const request = await ask();
      const asked = jev.requests
        .slice(before)
        .flatMap(({ body }) => Object.entries(/** @type {Questions} */ (body.questions)));
      const subjects = asked.map(([id, { instructions }]) => ({
        ...subjectOf(id, instructions),
        answered: fraction(id) >= 0.5,
      }));
      const names = (/** @type {string} */ kind, /** @type {boolean} */ answered) =>
        subjects.filter((subject) => subject.kind === kind && subject.answered === answered).map(({ name }) => name);

      assert.ok(names("skill", true).length > 0 && names("skill", false).length > 0);
      const rejected = names("skill", true);
      assert.deepEqual(
        skillNames(request.system),
        skillNames(reference.system).filter((name) => !rejected.includes(name)),
      );
      assert.ok(names("tool", false).length > 0);
      for (const tool of names("tool", false)) assert.ok(toolNames(request).includes(offeredAs(tool)), tool);
    });

    test("only as long as Jev fails: the next request is pruned", async () => {
      staged().jev.settings.status = 500;
      assertSameRequest(await ask(), reference);
      delete staged().jev.settings.status;
      assert.deepEqual(skillNames((await ask()).system), []);
    });
  });
}

/** @typedef {Record<string, { instructions: string }>} Questions */

/** The name that the model sees of a tool that is asked about as `server.tool`. @param {string} subject */
function offeredAs(subject) {
  const server = SERVER_NAMES.find((name) => subject.startsWith(`${name.replaceAll('"', "'")}.`)) ?? "";
  return nativeName(server, subject.slice(server.length + 1));
}
