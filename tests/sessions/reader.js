/**
 * Reads what a model is told of tools, MCP servers and skills, the way a model would: all texts of a request in their
 * order, sentence by sentence. Written from the grammar (opencode-host.md §6 to §8) and from nothing of the plugin.
 * What may and may not stand there is said in rules.js.
 */

import { sanitise } from "../mini-host/index.js";
import { IN_FRONT, placesOf } from "./ours.js";

/** @import { Transcript } from "../mini-host/types.js" */

/** @typedef {"catalog" | "instructions" | "skills"} List */

/**
 * A tool (`notes.add`), a namespace, a server by its configured name, or a skill by its id. `text` is everything that
 * stands there of it, for a namespace its first line.
 * @typedef {object} Item
 * @property {"tool" | "namespace" | "server" | "skill"} kind
 * @property {string} name
 * @property {string} namespace of a tool or server
 * @property {string} text
 * @property {number} [total] of a namespace: how many tools it has
 * @property {number} [shown] of a namespace: how many of them its label says are listed
 */

/**
 * One thing that is told of a list.
 *
 * `all` is the whole list, `some` are items that are new or other than before, `gone` are names, `void` says that all
 * that was told before does not hold.
 * @typedef {object} Told
 * @property {List} list
 * @property {"all" | "some" | "gone" | "void"} how
 * @property {number} text which text it stands in
 * @property {number} place how many messages that are not of the system stand in front of it (ours.js)
 * @property {boolean} ours whether it stands in a message of the plugin's own
 * @property {string} sentence the line that opens it
 * @property {Item[]} items
 * @property {"complete" | "partial" | undefined} [claim] what a catalog says of itself
 * @property {{ shown: number, total: number } | undefined} [counts] what the heading of a catalog says
 */

/**
 * @typedef {object} Reading
 * @property {string[]} texts
 * @property {Told[]} told
 * @property {string[]} problems
 */

/**
 * @param {Pick<Transcript, "system" | "messages" | "tools">} transcript
 * @param {Set<number>} [ours] the indices of the plugin's own messages
 * @returns {Reading}
 */
export function readTranscript({ system, messages, tools }, ours = new Set()) {
  const places = placesOf(messages);
  const inFront = [...system.map(({ text }) => text), tools.execute?.description ?? ""];
  const texts = [
    ...inFront.map((text) => ({ text, place: IN_FRONT, ours: false })),
    ...messages.flatMap(({ role, content }, at) =>
      role === "system"
        ? content.map(({ text }) => ({
            text: typeof text === "string" ? text : "",
            place: Number(places[at]),
            ours: ours.has(at),
          }))
        : [],
    ),
  ];
  const readings = texts.map(({ text, place, ours }, at) => new TextReader(text, { text: at, place, ours }).read());
  return {
    texts: texts.map(({ text }) => text),
    told: readings.flatMap(({ told }) => told),
    problems: readings.flatMap(({ problems }) => problems),
  };
}

/** Sentences that announce items. @type {Array<[RegExp, List]>} */
const ANNOUNCING = [
  [/^New tools are available/, "catalog"],
  [/^Changed tool (listings|signatures) supersede/, "catalog"],
  [/^New MCP server instructions are available/, "instructions"],
  [/^New skills are available/, "skills"],
];

/** Sentences that void what was told before. @type {Array<[RegExp, List]>} */
const VOIDING = [
  [/^The Code Mode tool catalog has changed\. This catalog supersedes/, "catalog"],
  [/^(No )?Code Mode tools are (no longer|currently) available\./, "catalog"],
  [/^The available MCP server instructions have changed\./, "instructions"],
  [/^MCP server instructions are no longer available\./, "instructions"],
  [/^The available skills have changed\. This list supersedes/, "skills"],
  [/^Skill guidance is no longer available\./, "skills"],
];

const CHANGED = "The Code Mode tool catalog has changed.";
const NAMESPACE = /^- ([A-Za-z0-9_-]+) \((\d+) tools?(?:, (none|\d+) shown)?\)(?: \/\/ .*)?$/;
const ENTRY = /^ {2}- tools((?:\.[A-Za-z_$][\w$]*|\["(?:[^"\\]|\\.)*"\])+)\(/;
const CLAIM = /^The (?:catalog is|Code Mode tool catalog below is) (complete|partial)\./;
const HEADING = /^## Available tools(?: \((?:COMPLETE list|PARTIAL - (\d+) of (\d+) shown).*\))?$/;

class TextReader {
  /** @type {Told[]} */
  told = [];
  /** @type {string[]} */
  problems = [];
  #at = 0;
  /** @type {"complete" | "partial" | undefined} */
  #claim;
  #lines;
  #where;

  /** @param {string} text @param {Pick<Told, "text" | "place" | "ours">} where */
  constructor(text, where) {
    this.#lines = text.split("\n");
    this.#where = where;
  }

  read() {
    while (this.#at < this.#lines.length) this.#section();
    return this;
  }

  get #line() {
    return this.#lines[this.#at];
  }

  #section() {
    const line = String(this.#lines[this.#at++]);
    this.#claim = /** @type {any} */ (CLAIM.exec(line)?.[1]) ?? this.#claim;
    const announcing = ANNOUNCING.find(([pattern]) => pattern.test(line));
    const voiding = VOIDING.find(([pattern]) => pattern.test(line));
    if (voiding) this.#tell(voiding[1], "void", line, []);
    else if (HEADING.test(line)) this.#catalog(line);
    else if (line === CHANGED) this.#expectParagraph();
    else if (line === "<mcp_instructions>") this.#wrapped("instructions", line, "</mcp_instructions>");
    else if (line === "<available_skills>") this.#wrapped("skills", line, "</available_skills>");
    else if (announcing) this.#announced(announcing[1], line);
    else this.#named(line);
  }

  /** @param {List} list @param {Told["how"]} how @param {string} sentence @param {Item[]} items */
  #tell(list, how, sentence, items) {
    this.told.push({ list, how, ...this.#where, sentence, items });
  }

  /** @param {string} heading */
  #catalog(heading) {
    const [, shown, total] = HEADING.exec(heading) ?? [];
    const isV1c = heading.includes("(");
    const claim = isV1c ? (shown ? "partial" : "complete") : this.#claim;
    this.#claim = undefined;
    const isListed = this.#line === "" && NAMESPACE.test(this.#lines[this.#at + 1] ?? "");
    if (isListed) this.#at += 1;
    const items = isListed ? this.#namespaces() : [];
    const counts = shown ? { shown: Number(shown), total: Number(total) } : undefined;
    this.told.push({ list: "catalog", how: "all", ...this.#where, sentence: heading, items, claim, counts });
  }

  #namespaces() {
    /** @type {Item[]} */
    const items = [];
    for (let found; (found = NAMESPACE.exec(this.#line ?? ""));) {
      const [line, name = "", total, shown] = found;
      this.#at += 1;
      const said = shown === undefined ? Number(total) : shown === "none" ? 0 : Number(shown);
      items.push({ kind: "namespace", name, namespace: name, text: line, total: Number(total), shown: said });
      items.push(...this.#entries());
    }
    if (this.#line && !/^(<|Skills provide|Instructions from:)/.test(this.#line)) {
      this.problems.push(`in the list of a catalog stands "${this.#line}"`);
    }
    return items;
  }

  #entries() {
    /** @type {Item[]} */
    const items = [];
    for (let found; (found = ENTRY.exec(this.#line ?? ""));) {
      const { namespace, name } = toolOf(String(found[1]));
      const lines = [this.#lines[this.#at++]];
      while (/^( {2}[^- ]| {3}|\})/.test(this.#line ?? "")) lines.push(this.#lines[this.#at++]);
      items.push({ kind: "tool", name, namespace, text: lines.join("\n") });
    }
    return items;
  }

  /** @param {List} list @param {string} open @param {string} close */
  #wrapped(list, open, close) {
    const items = list === "skills" ? this.#skills() : this.#servers();
    if (this.#line !== close)
      this.problems.push(`${open} is not closed where it should be, but "${this.#line}" follows`);
    else this.#at += 1;
    if (items.length === 0) this.problems.push(`${open} has nothing in it`);
    this.#tell(list, "all", open, items);
  }

  /** @param {List} list @param {string} sentence */
  #announced(list, sentence) {
    const items = list === "catalog" ? this.#entries() : list === "skills" ? this.#skills() : this.#servers();
    if (items.length === 0) this.problems.push(`"${sentence}" has nothing behind it`);
    this.#tell(list, "some", sentence, items);
  }

  #servers() {
    /** @type {Item[]} */
    const items = [];
    for (let found; (found = /^( {2})?<server name="(.*)">$/.exec(this.#line ?? ""));) {
      const [, indent = "", name = ""] = found;
      const lines = this.#through(`${indent}</server>`);
      const said = /^ {4}Use tools from this server through `execute` under `tools\[(".*")\]`\.$/.exec(
        lines[1] ?? "",
      )?.[1];
      const namespace = said ? JSON.parse(said) : sanitise(name);
      items.push({ kind: "server", name, namespace, text: lines.join("\n") });
    }
    return items;
  }

  #skills() {
    /** @type {Item[]} */
    const items = [];
    while (this.#line === "  <skill>") {
      const lines = this.#through("  </skill>");
      const name = /^ {4}<(?:id|name)>(.*)<\/(?:id|name)>$/.exec(lines[1] ?? "")?.[1] ?? "";
      items.push({ kind: "skill", name, namespace: "", text: lines.join("\n") });
    }
    return items;
  }

  /** The lines up to the next one that is this. @param {string} last */
  #through(last) {
    const found = this.#lines.indexOf(last, this.#at);
    if (found < 0) this.problems.push(`behind "${this.#line}" no "${last}" follows`);
    const lines = this.#lines.slice(this.#at, found < 0 ? undefined : found + 1);
    this.#at += lines.length;
    return lines;
  }

  /** Behind the sentence stands at least one paragraph. */
  #expectParagraph() {
    const next = this.#line === "" ? (this.#lines[this.#at + 1] ?? "") : "";
    if (!/^(New tool|Changed tool|The following (tool|namespace))/.test(next)) {
      this.problems.push(`"${CHANGED}" has nothing behind it`);
    }
  }

  /** Sentences that name what they are about. @param {string} line */
  #named(line) {
    const names = line.replace(/\.$/, "").replace(/^[^:]*: /, "");
    const counted = [...names.matchAll(/`([^`]+)`(?: now has| \()? ?(\d+)?/g)].map(([text, name = "", total]) => ({
      kind: /** @type {const} */ ("namespace"),
      name,
      namespace: name,
      text,
      total: Number(total ?? 0),
    }));
    if (/^(New tool namespaces are available|The following namespace inventories changed)/.test(line)) {
      if (counted.length === 0) this.problems.push(`"${line}" names nothing`);
      this.#tell("catalog", "some", line, counted);
    }
    if (/^The following tool namespaces are no longer available/.test(line))
      this.#tell("catalog", "gone", line, counted);
    if (/^The following tools are no longer available/.test(line)) {
      const tools = names
        .split(", ")
        .map((path) => ({ ...toolOf(path.slice("tools".length)), kind: /** @type {const} */ ("tool"), text: path }));
      this.#tell("catalog", "gone", line, tools);
    }
    const named = (/** @type {"server" | "skill"} */ kind) =>
      names.split(", ").map((name) => ({ kind, name, namespace: sanitise(name), text: name }));
    if (/^Instructions for the following MCP servers are no longer/.test(line)) {
      this.#tell("instructions", "gone", line, named("server"));
    }
    if (/^The following skill IDs are no longer available/.test(line))
      this.#tell("skills", "gone", line, named("skill"));
  }
}

/** `.notes["add-many"]` is the tool `notes.add-many`. @param {string} path */
function toolOf(path) {
  const segments = [...path.matchAll(/\.([\w$]+)|\["((?:[^"\\]|\\.)*)"\]/g)].map(([, plain, quoted]) =>
    plain === undefined ? String(JSON.parse(`"${quoted}"`)) : plain,
  );
  const [namespace = "", ...inner] = segments;
  return { namespace, name: `${namespace}.${inner.length === 0 ? namespace : inner.join(".")}` };
}

/**
 * What holds at the end of all that was told.
 * @param {Told[]} told
 */
export function stateAfter(told) {
  /** @type {Map<string, { total: number, tools: Set<string> }>} */
  const namespaces = new Map();
  /** @type {Map<string, string>} */
  const servers = new Map();
  /** @type {Set<string>} */
  const skills = new Set();
  const all = { catalog: namespaces, instructions: servers, skills };
  for (const { list, how, items } of told) {
    if (how === "void") all[list].clear();
    for (const item of items) {
      if (how === "gone") forget(item);
      else learn(item);
    }
  }
  return { namespaces, servers, skills };

  /** @param {Item} item */
  function learn({ kind, name, namespace, total = 0 }) {
    if (kind === "server") servers.set(name, namespace);
    else if (kind === "skill") skills.add(name);
    else {
      const known = namespaces.get(namespace) ?? { total: 0, tools: new Set() };
      namespaces.set(namespace, known);
      if (kind === "tool") known.tools.add(name);
      known.total = Math.max(kind === "namespace" ? total : known.total, known.tools.size);
    }
  }

  /** @param {Item} item */
  function forget({ kind, name, namespace }) {
    if (kind === "server") servers.delete(name);
    else if (kind === "skill") skills.delete(name);
    else if (kind === "namespace") namespaces.delete(name);
    else {
      const known = namespaces.get(namespace);
      if (known?.tools.delete(name)) known.total -= 1;
      if (known?.total === 0) namespaces.delete(namespace);
    }
  }
}
