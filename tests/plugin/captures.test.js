/**
 * Feeds requests of real hosts to the hook and checks what comes out by counting lines, knowing nothing of how the plugin
 * reads. Needs the captures, which are not part of this repository: JEV_PRUNER_DATA names the folder they are in.
 */

import assert from "node:assert/strict";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";

import fc from "fast-check";

import { sanitise } from "../mini-host/names.js";
import { watch } from "./events.js";
import { answering } from "./fetches.js";
import { subjectOf } from "./scores.js";
import { stage } from "./stage.js";

/** @import { TestContext } from "node:test" */
/** @import { Subject } from "./scores.js" */

const folder = join(process.env.JEV_PRUNER_DATA ?? "", "host-captures");
const skip = existsSync(folder) ? false : "set JEV_PRUNER_DATA to the folder that holds host-captures";
const files = skip ? ["no captures"] : readdirSync(folder).filter((name) => /^v2.*\.json$/.test(name));

/** @typedef {{ sessionID: string, system: any[], messages: any[], tools: Record<string, any> }} Event */
/** @typedef {(subject: Subject) => boolean} Keeps */

/** @param {string} file @returns {Event} */
const capture = (file) => JSON.parse(readFileSync(join(folder, file), "utf8"));

/**
 * @param {TestContext} t
 * @param {Keeps} keeps
 */
async function prunedBy(t, keeps) {
  const fetch = answering(({ body }) =>
    Object.fromEntries(
      Object.entries(body.questions).map(([id, { instructions }]) => [
        id,
        keeps(named(subjectOf(id, instructions))) ? 1 : 0,
      ]),
    ),
  );
  return stage(t, { parts: { fetch }, options: { cache_ttl_ms: 0 } });
}

/** Servers by their namespace, whatever name a question used. @param {Subject} subject @returns {Subject} */
function named({ kind, name }) {
  const raw = name.replaceAll("'", '"');
  if (kind === "server") return { kind, name: sanitise(raw) };
  if (kind === "skill") return { kind, name };
  const dot = raw.lastIndexOf(".");
  return { kind, name: `${sanitise(raw.slice(0, dot))}.${raw.slice(dot + 1)}` };
}

/** What a session began with. @param {Event} event @returns {string[]} */
const baselineOf = ({ system, tools }) => [...system.map(({ text }) => text), tools.execute.description];

/** What it was told later. @param {Event} event @returns {string[]} */
const changesOf = ({ messages }) =>
  messages
    .filter(({ role }) => role === "system")
    .flatMap(({ content }) => content.map((/** @type {any} */ { text }) => text));

const LISTING = /(?<=^## Available tools(?: \((?:PARTIAL|COMPLETE).*)?\n\n)- [^]*?(?=\n\n|$(?![^]))/m;
const INSTRUCTIONS = /^<mcp_instructions>$[^]*?^<\/mcp_instructions>$/m;
const SKILLS = /^<available_skills>$[^]*?^<\/available_skills>$/m;
const SUPERSEDES = "This catalog supersedes";

/** @param {string} text @param {RegExp} section */
const sectionOf = (text, section) => section.exec(text)?.[0] ?? "";
/** @param {string} text @param {RegExp} line */
const all = (text, line) => [...text.matchAll(line)].map(([, found]) => String(found));
/** @param {string} text */
const toolsIn = (text) =>
  all(text, /^ {2}- tools([.[].*?)\(/gm).map((path) => path.replaceAll(/\["(.*?)"\]/g, ".$1").slice(1));
/** @param {string} text */
const skillsIn = (text) => all(text, /^ {4}<id>(.*)<\/id>$/gm);
/** The names that such a sentence lists. @param {string} text @param {RegExp} sentence */
const goneIn = (text, sentence) => sentence.exec(text)?.[1]?.split(", ") ?? [];
/** @param {string} header */
const ownerOf = (header) => String(header.split(/[. ]/, 1)[0]);

/** What a text lists, in its order. @param {string} text */
function listsOf(text) {
  const outside = [LISTING, INSTRUCTIONS, SKILLS].reduce((rest, section) => rest.replace(section, ""), text);
  return {
    headers: all(sectionOf(text, LISTING), /^- (\S+ \(.*?\))/gm),
    tools: toolsIn(sectionOf(text, LISTING)),
    /** The beta's heading, with its counts. */
    heading: /^## Available tools \((PARTIAL - \d+ of \d+|COMPLETE)/m.exec(text)?.[1],
    instructions: all(sectionOf(text, INSTRUCTIONS), /^ {2}<server name="(.*)">$/gm),
    skills: skillsIn(sectionOf(text, SKILLS)),
    addedTools: toolsIn(outside),
    addedSkills: skillsIn(outside),
  };
}

/**
 * What there is after all changes: a later list stands for an earlier one, additions and removals alter it.
 * @param {Event} event
 */
function availableIn(event) {
  let [namespaces, tools, told, skills] = [new Set([""]), new Set([""]), new Set([""]), new Set([""])];
  for (const text of [...baselineOf(event), ...changesOf(event)]) {
    const lists = listsOf(text);
    if (LISTING.test(text)) [namespaces, tools] = [new Set(lists.headers.map(ownerOf)), new Set(lists.tools)];
    if (INSTRUCTIONS.test(text)) told = new Set(lists.instructions.map(sanitise));
    if (SKILLS.test(text)) skills = new Set(lists.skills);
    for (const tool of lists.addedTools) (namespaces.add(ownerOf(tool)), tools.add(tool));
    for (const skill of lists.addedSkills) skills.add(skill);
    for (const tool of goneIn(text, /^The following tools .* must not be called: tools\.(.*)\.$/m)) tools.delete(tool);
    for (const skill of goneIn(text, /^The following skill IDs .* must not be used: (.*)\.$/m)) skills.delete(skill);
    for (const name of goneIn(text, /^Instructions for the following MCP servers are no longer available: (.*)\.$/m))
      told.delete(sanitise(name));
  }
  const servers = new Set([...namespaces, ...told]);
  for (const key of Object.keys(event.tools)) {
    for (const server of servers)
      if (server && key.startsWith(`${server}_`)) tools.add(`${server}.${key.slice(server.length + 1)}`);
  }
  const names = (/** @type {Set<string>} */ set) => [...set].filter((name) => name !== "");
  return { servers: names(servers), tools: names(tools), skills: names(skills) };
}

/** All that stands outside of lists, whatever joins it. @param {string} text */
const aroundLists = (text) =>
  [LISTING, INSTRUCTIONS, SKILLS]
    .reduce((rest, section) => rest.replace(section, ""), text)
    .replace(/^The catalog is (?:complete|partial)\..*$/m, "")
    .replace(/(?<=^## Available tools \()(?:PARTIAL - \d+ of \d+ shown.*|COMPLETE list .*)(?=\)$)/m, "")
    .replaceAll(/\n+/g, "\n")
    .trim();

/**
 * What must be left of a text's lists; what is not available now is nobody's business.
 * @param {ReturnType<typeof listsOf>} lists
 * @param {Keeps} keeps
 */
function expectedOf({ headers, tools, heading, instructions, skills, addedTools, addedSkills }, keeps) {
  const keepsServer = (/** @type {string} */ name) => keeps({ kind: "server", name });
  const keepsTool = (/** @type {string} */ name) => keepsServer(ownerOf(name)) && keeps({ kind: "tool", name });
  const keepsSkill = (/** @type {string} */ name) => keeps({ kind: "skill", name });
  const left = tools.filter(keepsTool);
  return {
    headers: headers.filter((header) => keepsServer(ownerOf(header))).map((header) => relabelled(header, tools, left)),
    tools: left,
    heading:
      left.length === tools.length
        ? heading
        : heading?.replace("COMPLETE", `PARTIAL - 0 of ${tools.length}`).replace(/\d+/, String(left.length)),
    instructions: instructions.filter((name) => keepsServer(sanitise(name))),
    skills: skills.filter(keepsSkill),
    addedTools: addedTools.filter(keepsTool),
    addedSkills: addedSkills.filter(keepsSkill),
  };
}

/** @param {string} header @param {string[]} before @param {string[]} after */
function relabelled(header, before, after) {
  const [was, is] = [before, after].map((tools) => tools.filter((tool) => ownerOf(tool) === ownerOf(header)).length);
  return was === is ? header : header.replace(/( tools?)(?:, \S+ shown)?\)/, `$1, ${is || "none"} shown)`);
}

/** Texts whose whole catalog a later text stands for; they need not say it any more. @param {string[]} texts */
const superseded = (texts) =>
  texts.filter(
    (text, at) => text.includes(SUPERSEDES) && texts.slice(at + 1).some((later) => later.includes(SUPERSEDES)),
  );

/** All lists of several texts, one behind the other; a text that is gone is missed by nobody. @param {ReturnType<typeof listsOf>[]} lists */
const together = (lists) => {
  const { headers, ...rest } = Object.fromEntries(
    /** @type {const} */ (["headers", "tools", "instructions", "skills", "addedTools", "addedSkills"]).map((field) => [
      field,
      lists.flatMap((list) => list[field]),
    ]),
  );
  return { headers, ...rest };
};

/**
 * Runs the hook on a capture, checks what is left by the decision, and that a second run finds nothing to do.
 * @param {string} file
 * @param {Awaited<ReturnType<typeof stage>>} made
 * @param {Keeps} decision
 */
async function check(file, { context, reports }, decision) {
  const [before, event] = [capture(file), capture(file)];
  const { servers, tools, skills } = availableIn(before);
  const available = new Set([
    ...servers.map((name) => `server ${name}`),
    ...tools.map((name) => `tool ${name}`),
    ...skills.map((name) => `skill ${name}`),
  ]);
  /** @type {Keeps} */
  const keeps = (subject) => !available.has(`${subject.kind} ${subject.name}`) || decision(subject);
  await context(event);
  assert.deepEqual(reports.at(-1).unrecognised ?? [], []);

  assert.deepEqual(
    baselineOf(event).map(listsOf),
    baselineOf(before).map((text) => expectedOf(listsOf(text), keeps)),
  );
  assert.deepEqual(baselineOf(event).map(aroundLists), baselineOf(before).map(aroundLists));

  const old = superseded(changesOf(before));
  const changes = changesOf(before).map((text) => ({
    ...listsOf(text),
    ...(old.includes(text) ? { headers: [], tools: [] } : {}),
  }));
  assert.deepEqual(together(changesOf(event).map(listsOf)), together(changes.map((lists) => expectedOf(lists, keeps))));
  const said = new Set(changesOf(before).join("\n").split("\n"));
  const isLabel = (/** @type {string} */ line) => /^- \S+ \(/.test(line);
  for (const line of changesOf(event).join("\n").split("\n")) assert.ok(said.has(line) || isLabel(line), line);

  const goes = (/** @type {string} */ key) => {
    const owner = servers.find((name) => key.startsWith(`${name}_`));
    return (
      owner !== undefined &&
      !(
        keeps({ kind: "server", name: owner }) &&
        keeps({ kind: "tool", name: `${owner}.${key.slice(owner.length + 1)}` })
      )
    );
  };
  assert.deepEqual(
    Object.keys(event.tools),
    Object.keys(before.tools).filter((key) => !goes(key)),
  );

  const unchanged = watch(event);
  await context(event);
  unchanged();
  return event;
}

for (const file of files) {
  describe(file, { skip }, () => {
    test("is something to read", () => {
      const { servers, tools, skills } = availableIn(capture(file));
      assert.ok(
        servers.length >= 1 && tools.length >= 9 && skills.length >= 8,
        `${servers.length} ${tools.length} ${skills.length}`,
      );
    });

    test("stays as it was, and of the same objects, when everything is kept", async (t) => {
      const { context } = await prunedBy(t, () => true);
      const event = capture(file);
      const old = superseded(changesOf(event));
      const isOld = (/** @type {any} */ { content }) => old.includes(content[0].text);
      const kept = event.messages.filter((message) => !isOld(message));
      const rest = { ...event, messages: kept };
      const unchanged = watch(rest);
      await context(event);
      assert.deepEqual([event.system === rest.system, event.tools === rest.tools], [true, true]);
      assert.deepEqual(
        kept.filter((message) => !event.messages.includes(message)),
        [],
      );
      assert.equal(event.messages.length, capture(file).messages.length);
      unchanged();
    });

    test("loses every list, and nothing else, when everything is rejected", async (t) => {
      await check(file, await prunedBy(t, () => false), () => false);
    });

    test("keeps what was said before its lists when everything is rejected", async (t) => {
      const { context } = await prunedBy(t, () => false);
      const event = capture(file);
      await context(event);
      const heads = (/** @type {Event} */ given) =>
        baselineOf(given)
          .join("\n")
          .match(/^(?:# Code Mode|## Available tools\b|Skills provide specialized)/gm);
      assert.deepEqual(heads(event), heads(capture(file)));
    });

    test("loses what is rejected when every second candidate is", async (t) => {
      const { servers, tools, skills } = availableIn(capture(file));
      // A server that passes keeps a tool anyway, so its first one is not among the rejected.
      const first = servers.map((server) => tools.find((tool) => ownerOf(tool) === server));
      const kept = new Set([...servers, ...skills, ...tools].filter((_, at) => at % 2 === 0));
      /** @type {Keeps} */
      const keeps = ({ name }) =>
        kept.has(name) || first.includes(name) || (servers.length === 1 && name === servers[0]);
      await check(file, await prunedBy(t, keeps), keeps);
    });

    test("loses what is rejected in any of 20 ways, and nothing twice", async (t) => {
      const { servers, tools, skills } = availableIn(capture(file));
      // A single server is not asked about and goes with its last tool.
      const isAlone = servers.length === 1;
      const first = isAlone ? [] : servers.map((server) => tools.find((tool) => ownerOf(tool) === server));
      const idOf = (/** @type {Subject} */ { kind, name }) => `${kind} ${name}`;
      const everything = [
        ...(isAlone ? [] : servers.map((name) => idOf({ kind: "server", name }))),
        ...tools.filter((tool) => !first.includes(tool)).map((name) => idOf({ kind: "tool", name })),
        ...skills.map((name) => idOf({ kind: "skill", name })),
      ];
      /** @type {Set<string>} */
      let rejected = new Set();
      /** @type {Keeps} */
      const keeps = (subject) =>
        isAlone && subject.kind === "server"
          ? tools.some((name) => keeps({ kind: "tool", name }))
          : !rejected.has(idOf(subject));
      const made = await prunedBy(t, keeps);
      await fc.assert(
        fc.asyncProperty(fc.subarray(everything, { minLength: 1 }), async (some) => {
          rejected = new Set(some);
          await check(file, made, keeps);
        }),
        { numRuns: 20, seed: 20 },
      );
    });
  });
}
