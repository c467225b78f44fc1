/**
 * What must hold of a request after the plugin, whatever was decided: each rule reads what the model would read
 * (reader.js), before and after, and says in a sentence what is wrong. What the plugin reports is believed only for the
 * verdicts themselves.
 */

import { isDeepStrictEqual } from "node:util";

import { sanitise } from "../mini-host/index.js";
import { stateAfter } from "./reader.js";

/** @import { Step, Transcript } from "../mini-host/types.js" */
/** @import { Item, List, Reading, Told } from "./reader.js" */

/**
 * By `server desk`, `tool desk.add` and `skill forms`; servers by namespace.
 * @typedef {Map<string, "keep" | "prune" | "add" | "skip">} Verdicts
 */

/**
 * @typedef {object} Seen
 * @property {Step} step
 * @property {Reading} before
 * @property {Reading} after
 * @property {Verdicts} verdicts
 * @property {Verdicts} known the last verdict on everything since the history began or was compacted
 * @property {Set<string>} native the tools of servers that stand in the tool map, as `desk.add`
 */

/** @param {any} report @returns {Verdicts} */
export function verdictsOf(report) {
  const servers = report.servers
    .map((/** @type {any} */ { name }) => name)
    .sort((/** @type {string} */ a, /** @type {string} */ b) => b.length - a.length);
  const toolKey = (/** @type {string} */ name) => {
    const server = servers.find((/** @type {string} */ server) => name.startsWith(`${server}.`)) ?? "";
    return `tool ${sanitise(server)}${name.slice(server.length)}`;
  };
  return new Map([
    ...report.servers.map((/** @type {any} */ { name, decision }) => [`server ${sanitise(name)}`, decision]),
    ...report.tools.map((/** @type {any} */ { name, decision }) => [toolKey(name), decision]),
    ...report.skills.map((/** @type {any} */ { name, decision }) => [`skill ${name}`, decision]),
  ]);
}

/** @param {Item} item @param {Verdicts} verdicts */
const isPruned = ({ kind, name, namespace }, verdicts) =>
  kind === "skill"
    ? verdicts.get(`skill ${name}`) === "prune"
    : verdicts.get(`server ${namespace}`) === "prune" || (kind === "tool" && verdicts.get(`tool ${name}`) === "prune");

/** Whether a thing is there at all now. @param {ReturnType<typeof stateAfter>} state */
const availability =
  ({ namespaces, servers, skills }) =>
  (/** @type {Item} */ { kind, name, namespace }) =>
    kind === "skill"
      ? skills.has(name)
      : kind === "server"
        ? servers.has(name)
        : kind === "namespace"
          ? namespaces.has(name)
          : Boolean(namespaces.get(namespace)?.tools.has(name));

/**
 * What is told from the last word on that voids the rest.
 * @param {Told[]} told
 */
function holding(told) {
  /** @type {Record<List, number>} */
  const since = { catalog: 0, instructions: 0, skills: 0 };
  told.forEach(({ list, how }, at) => how === "void" && (since[list] = at));
  return told.filter(({ list }, at) => at >= since[list]);
}

/** @param {Told[]} told */
const itemsOf = (told) => told.filter(({ how }) => how === "all" || how === "some").flatMap(({ items }) => items);
/** The label of a namespace may be another one. @param {Item} item */
const inOneLine = ({ kind, name, text }) => (kind === "namespace" ? `namespace ${name}` : `${kind} ${name}: ${text}`);

/** @type {Record<string, (seen: Seen, earlier: Seen | undefined) => string[]>} */
export const RULES = {
  "candidates are what is available now"({ before, verdicts, native }) {
    const { namespaces, servers, skills } = stateAfter(before.told);
    const expected = new Set([
      ...[...namespaces.keys(), ...servers.values()].map((name) => `server ${name}`),
      ...[...namespaces.values()].flatMap(({ tools }) => [...tools].map((name) => `tool ${name}`)),
      ...[...native].flatMap((name) => [`tool ${name}`, `server ${name.split(".")[0]}`]),
      ...[...skills].map((id) => `skill ${id}`),
    ]);
    const found = new Set(
      [...verdicts].filter(([, verdict]) => ["keep", "prune"].includes(verdict)).map(([key]) => key),
    );
    return [
      ...[...expected].filter((key) => !found.has(key)).map((key) => `${key} is available and was not decided on`),
      ...[...found].filter((key) => !expected.has(key)).map((key) => `${key} was decided on and is not available`),
    ];
  },

  "nothing pruned stands anywhere"({ before, after, verdicts }) {
    const isAvailable = availability(stateAfter(before.told));
    const left = itemsOf(after.told).filter((item) => isAvailable(item) && isPruned(item, verdicts));
    return left.map(({ kind, name }) => `${kind} ${name} is pruned and told of`);
  },

  "what is kept stands where it stood, in its order"({ before, after, verdicts }) {
    const isAvailable = availability(stateAfter(before.told));
    const kept = itemsOf(holding(before.told)).filter((item) => isAvailable(item) && !isPruned(item, verdicts));
    const found = itemsOf(holding(after.told)).filter(isAvailable);
    return isDeepStrictEqual(kept.map(inOneLine), found.map(inOneLine))
      ? []
      : [`instead of\n${kept.map(inOneLine).join("\n")}\nstands\n${found.map(inOneLine).join("\n")}`];
  },

  "what is gone, or was never decided on, is left as it stands"({ before, after }, earlier) {
    const isAvailable = availability(stateAfter(before.told));
    const isLeft = (/** @type {Item} */ item) => !isAvailable(item) && !(earlier && isPruned(item, earlier.known));
    const [stood, stands] = [before, after].map(({ told }) => itemsOf(holding(told)).filter(isLeft).map(inOneLine));
    return (stood ?? []).filter((line) => !stands?.includes(line)).map((line) => `${line} was taken out`);
  },

  "what is told to be gone stays told"({ before, after }) {
    const [stood, stands] = [before, after].map(({ told }) =>
      told
        .filter(({ sentence }) => /no longer available|currently available/.test(sentence))
        .map(({ sentence }) => sentence),
    );
    return isDeepStrictEqual(stood, stands)
      ? []
      : [`instead of ${JSON.stringify(stood)} is told ${JSON.stringify(stands)}`];
  },

  "every sentence has something behind it": ({ before, after }) =>
    after.problems.filter((problem) => !before.problems.includes(problem)),

  "labels and claims are true of their own list"({ before, after, step }) {
    const catalogs = (/** @type {Reading} */ { told }) =>
      told.filter(({ list, how }) => list === "catalog" && how === "all");
    const [stood, stands] = [catalogs(before), catalogs(after)];
    // Only restatements are ever cut out whole, the oldest first; the baseline is always there.
    const inBaseline = stands.filter(({ text }) => text <= step.after.system.length).length;
    return stands.flatMap((catalog, at) => {
      const source = stood[at < inBaseline ? at : at + stood.length - stands.length];
      return source ? untruths(catalog, source) : ["a catalog stands there that did not"];
    });
  },

  "no line is new or has moved"({ before, after }) {
    const texts = [...before.texts];
    return after.texts.filter((text) => {
      while (texts.length > 0) if (isSubsequence(text.split("\n"), String(texts.shift()).split("\n"))) return false;
      return true;
    });
  },

  "nothing is empty": ({ step }) => [
    ...step.violations,
    ...step.after.system.filter(({ text }) => text.trim() === "").map(() => "a system part is empty"),
    ...step.after.messages
      .filter(
        ({ content }) =>
          content.length === 0 || content.some(({ type, text }) => type === "text" && String(text).trim() === ""),
      )
      .map(({ role }) => `a ${role} message is empty or has an empty part`),
  ],

  "what nobody can prune is as it was"({ step, verdicts, native }) {
    const others = (/** @type {Transcript} */ { messages }) => messages.filter(({ role }) => role !== "system");
    const [before, after] = [step.before, step.after].map(({ tools }) => Object.keys(tools));
    const gone = [...native].filter((tool) =>
      isPruned({ kind: "tool", name: tool, namespace: String(tool.split(".")[0]), text: "" }, verdicts),
    );
    const names = gone.map((tool) => tool.replace(".", "_"));
    return [
      ...(isDeepStrictEqual(others(step.before), others(step.after)) ? [] : ["the conversation is another one"]),
      ...(isDeepStrictEqual(
        before?.filter((name) => !names.includes(name)),
        after,
      )
        ? []
        : [`of the tools ${before} are left ${after}, and not pruned are all but ${names}`]),
    ];
  },

  "what was shown stays shown"({ verdicts }, earlier) {
    const lost = [...(earlier?.known ?? [])].filter(
      ([key, verdict]) => verdict === "keep" && verdicts.get(key) === "prune",
    );
    return lost.map(([key]) => `${key} was shown and is pruned now`);
  },

  "where nothing more is shown, all that went before has the same bytes"(seen, earlier) {
    if (!earlier || hasGrown(seen.verdicts, earlier.known)) return [];
    const [was, is] = [earlier, seen].map(({ step }) => textsOf(step.after));
    return (was ?? []).flatMap((text, at) => (text === is?.[at] ? [] : [firstDifference(text, is?.[at] ?? "")]));
  },
};

/** What a provider's cache is of: the system text and all that was told since. @param {Transcript} transcript */
const textsOf = ({ system, messages }) => [
  ...system.map(({ text }) => text),
  ...messages.filter(({ role }) => role === "system").map(({ content }) => JSON.stringify(content, null, 1)),
];

/** @param {string} was @param {string} is */
function firstDifference(was, is) {
  const [before, after] = [was.split("\n"), is.split("\n")];
  const at = before.findIndex((line, at) => line !== after[at]);
  return `line ${at + 1} was ${JSON.stringify(before[at] ?? "absent")} and is ${JSON.stringify(after[at] ?? "absent")}`;
}

/** Whether something is shown that was hidden. @param {Verdicts} now @param {Verdicts} before */
export const hasGrown = (now, before) =>
  [...before].some(([key, verdict]) => verdict === "prune" && now.get(key) === "keep");

/** @param {Told} catalog @param {Told} source */
function untruths(catalog, source) {
  const count = (/** @type {string} */ namespace) =>
    catalog.items.filter((item) => item.kind === "tool" && item.namespace === namespace).length;
  const namespaces = catalog.items.filter(({ kind }) => kind === "namespace");
  const tools = catalog.items.length - namespaces.length;
  const isWhole = catalog.items.length === source.items.length;
  const total = source.counts?.total ?? source.items.reduce((sum, { total = 0 }) => sum + total, 0);
  return [
    ...namespaces
      .filter(({ name, shown }) => shown !== count(name))
      .map(({ text }) => `"${text}" is followed by another number of tools`),
    ...namespaces
      .filter(
        ({ name, total }) =>
          total !== source.items.find((item) => item.kind === "namespace" && item.name === name)?.total,
      )
      .map(({ text }) => `"${text}" counts other tools than the host`),
    ...(isWhole && catalog.claim !== source.claim ? [`a whole catalog says that it is ${catalog.claim}`] : []),
    ...(!isWhole && catalog.claim === "complete" ? ["a catalog that lost something says that it is complete"] : []),
    ...(catalog.counts && (catalog.counts.shown !== tools || catalog.counts.total !== total)
      ? [`"${catalog.sentence}" counts wrong`]
      : []),
  ];
}

/**
 * Whether these lines stand among the others in this order, labels, claims and hints aside.
 * @param {string[]} lines
 * @param {string[]} among
 */
function isSubsequence(lines, among) {
  let at = 0;
  return lines
    .filter((line) => !line.startsWith("More skills are installed"))
    .every((line) => {
      const plain = withoutNumbers(line);
      while (at < among.length) if (withoutNumbers(String(among[at++])) === plain) return true;
      return line === "";
    });
}

/** @param {string} line */
const withoutNumbers = (line) =>
  line
    .replace(/^(- [A-Za-z0-9_-]+) \([^)]*\)/, "$1")
    .replace(/^(The catalog is|The Code Mode tool catalog below is|## Available tools \().*/, "$1")
    .replace(/^((New tool namespaces|The following namespace inventories)[^:]*: ).*/, "$1");
