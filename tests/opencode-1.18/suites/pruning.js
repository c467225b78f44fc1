/**
 * What a model gets from a real OpenCode 1.18 with this plugin, held against what it gets without: in a session's first
 * request, in that of another session after it, and when nothing or everything is needed. What happens when Jev fails, or when tools are
 * called, is told in other suites. This one is the first to prompt: no tool's name is known to the plugin before.
 */

import assert from "node:assert/strict";
import { before, describe, test } from "node:test";

import { scriptOf } from "../../plugin/scores.js";
import { cutLines, swap } from "../../plugin/surgery.js";
import { ODD, SERVER_NAMES, SKILLS, serverOf } from "../project.js";
import {
  assertSameRequest,
  instructedServers,
  instructionsSection,
  skillNames,
  skillsSection,
  toolNames,
  without,
} from "../reading.js";

/** @import { ModelRequest } from "../model-server.js" */
/** @import { Stage } from "../stage.js" */

const FIRST = "How hot must the water be, and which note says so?";
const SECOND = "And for how long?";

/** Two servers, one tool of each, and two skills are needed. */
const NEEDED = scriptOf({
  servers: { everything: 0.9, files: 0.9 },
  tools: { "everything.echo": 0.9, "files.read_text_file": 0.9 },
  skills: { tea: 0.9, knots: 0.9 },
});
const NEEDED_SERVERS = ["everything", "files"];
const NEEDED_TOOLS = ["everything_echo", "files_read_text_file"];
const NEEDED_SKILLS = ["knots", "tea"];

/**
 * @typedef {{ first: ModelRequest, second: ModelRequest, stored: any[], session: string, other: string }} Conversation
 *   the first request of a session, and that of another one after it
 */

/** @param {() => Stage} staged */
export function pruning(staged) {
  describe("a request", () => {
    /** @type {Conversation} */
    let plain;
    /** @type {Conversation} */
    let pruned;

    before(async () => {
      const stage = staged();
      stage.script(NEEDED);
      /** @param {Stage["plain"]} project @returns {Promise<Conversation>} */
      const conversation = async (project) => {
        const session = await project.session();
        const first = await project.askOnce(FIRST, { session });
        // What a session was shown stays shown, so it takes another one to see single tools go.
        const other = await project.session();
        const second = await project.askOnce(SECOND, { session: other });
        return { first, second, stored: await project.messages(session), session: session.id, other: other.id };
      };
      plain = await conversation(stage.plain);
      pruned = await conversation(stage.pruned);
    });

    test("without the plugin holds the skills, instructions and MCP tools of all", () => {
      assert.equal(skillNames(plain.first.system).length, SKILLS.filter(({ description }) => description).length + 1);
      assert.deepEqual(instructedServers(plain.first.system), ["everything", ODD]);
      assert.deepEqual(
        [...new Set(toolNames(plain.first).map(serverOf))].filter(Boolean).sort(),
        [...SERVER_NAMES].sort(),
      );
    });

    test("loses the rejected skills and server instructions, and no other byte of the system text", () => {
      const skills = skillNames(plain.first.system).filter((name) => !NEEDED_SKILLS.includes(name));
      assertHinted(pruned.first.system, without(plain.first.system, { skills, instructions: [ODD] }));
      assert.equal(pruned.second.system, pruned.first.system);
    });

    test("loses all tools of rejected servers the first time, and no other", () => {
      const isKept = (/** @type {string} */ tool) => [undefined, ...NEEDED_SERVERS].includes(serverOf(tool));
      assert.deepEqual(
        pruned.first.tools,
        plain.first.tools.filter(({ function: { name } }) => isKept(name)),
      );
    });

    test("loses single tools the second time, when their names are known", () => {
      const isKept = (/** @type {string} */ tool) => NEEDED_TOOLS.includes(tool) || serverOf(tool) === undefined;
      assert.deepEqual(
        pruned.second.tools,
        plain.second.tools.filter(({ function: { name } }) => isKept(name)),
      );
    });

    test("keeps every byte of the tools that stay", () => {
      const texts = new Set(plain.first.tools.map((tool) => JSON.stringify(tool)));
      for (const tool of [...pruned.first.tools, ...pruned.second.tools]) {
        assert.ok(texts.has(JSON.stringify(tool)), tool.function.name);
      }
    });

    test("keeps the conversation and every setting", () => {
      for (const which of /** @type {const} */ (["first", "second"])) {
        const { messages: _messages, tools: _tools, ...settings } = plain[which].body;
        const { messages, tools, ...left } = pruned[which].body;
        assert.ok(messages && tools);
        assert.deepEqual(left, settings);
        assert.deepEqual(pruned[which].messages, plain[which].messages);
      }
    });

    test("makes Jev hear the names of tools from the second prompt on", () => {
      const asked = staged().jev.requests.map(({ body }) => JSON.stringify(body.questions));
      const servers = asked.filter((questions) => questions.includes('the MCP server \\"memory\\"?'));
      assert.doesNotMatch(servers[0] ?? "", /add_observations/);
      assert.match(servers[1] ?? "", /the MCP server \\"memory\\"\? Server purpose: Tools: add_observations, /);
    });

    test("leaves no trace of what is gone in what the host stores", () => {
      const traces = (/** @type {any[]} */ messages) =>
        messages.map(({ info, parts }) => [
          info.role,
          info.tools,
          info.system,
          parts.map((/** @type {any} */ part) => [part.type, part.text]),
        ]);
      assert.deepEqual(traces(pruned.stored), traces(plain.stored));
    });

    test("is told in the debug log: one setup, and one report for each", () => {
      const log = staged().debugLog();
      assert.equal(log[0].event, "setup");
      assert.equal(log.filter(({ event }) => event === "setup").length, 1);
      const own = log.filter(({ session }) => [pruned.session, pruned.other].includes(session));
      assert.deepEqual(
        own.map(({ event, applied }) => [event, applied]),
        [
          ["report", true],
          ["report", true],
        ],
      );
    });

    test("is reported with the servers, tools and skills that were kept", () => {
      const report = staged()
        .debugLog()
        .filter(({ session }) => session === pruned.other)
        .at(-1);
      const kept = (/** @type {any[]} */ list) =>
        list
          .filter(({ decision }) => decision === "keep")
          .map(({ name }) => name)
          .sort();
      assert.deepEqual(kept(report.servers), NEEDED_SERVERS);
      assert.deepEqual(kept(report.tools), ["everything.echo", "files.read_text_file"]);
      assert.deepEqual(kept(report.skills), NEEDED_SKILLS);
    });

    test("holds no list and no MCP tool when nothing is needed; what is said before the skills stays", async () => {
      staged().script(scriptOf({}));
      const request = await staged().pruned.askOnce(FIRST);
      const { system } = plain.first;
      const skills = skillsSection(system);
      const prose = skills.slice(0, skills.indexOf("\n<available_skills>"));
      assertHinted(request.system, swap(cutLines(system, instructionsSection(system)), skills, prose));
      assert.deepEqual(
        toolNames(request),
        toolNames(plain.first).filter((name) => serverOf(name) === undefined),
      );
    });

    test("is what it is without the plugin when everything is needed", async () => {
      staged().script(scriptOf({ otherwise: 1 }));
      assertSameRequest(await staged().pruned.askOnce(FIRST), plain.first);
    });

    test("for a title is left alone", async () => {
      staged().script(scriptOf({}));
      const { plain: without, pruned: withIt } = staged();
      assertSameRequest(await withIt.titleOf(FIRST), await without.titleOf(FIRST));
    });
  });
}

/**
 * The text is as expected, but for one line of ours at its end, where the skills are.
 * @param {string} text @param {string} expected
 */
function assertHinted(text, expected) {
  assert.equal(text.slice(0, expected.length), expected);
  assert.match(text.slice(expected.length), /^\nMore skills [^\n]+$/);
}
