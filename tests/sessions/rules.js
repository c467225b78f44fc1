/**
 * What must hold of a request after the plugin, whatever was decided: each rule reads what the model would read
 * (reader.js), before and after, and says in a sentence what is wrong. What the plugin reports is believed only for the
 * verdicts themselves.
 */

import { isDeepStrictEqual } from "node:util";

import { sanitise } from "../mini-host/index.js";
import { isSubsequence } from "./lines.js";
import { commonPlaces, oursIn, placesOf } from "./ours.js";
import { stateAfter } from "./reader.js";

/** @import { MessageShape, Step, Transcript } from "../mini-host/types.js" */
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
 * @property {Registered} registered
 * @property {number} rewritten how often what was sent before was changed since the last prompt, but where the host
 *   had changed its tools, which stand in front of all else
 */

/**
 * The entries of all tools that the host has, and had, as a whole catalog of it lists them: by `desk.add`, the newest
 * last. Of these a sample may leave some out.
 * @typedef {Map<string, string[]>} Registered
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

/** @param {Item} item */
const keyOf = ({ kind, name }) => `${kind} ${name}`;
/** @param {Told} told */
const isOfItems = ({ how }) => how === "all" || how === "some";

/** The catalogs that stand there, each with what the host said in its place. @param {Seen} seen */
function catalogs({ before, after, step }) {
  const all = (/** @type {Reading} */ { told }) => told.filter(({ list, how }) => list === "catalog" && how === "all");
  const [stood, stands] = [all(before), all(after)];
  // Only restatements are ever cut out whole, the oldest first; the baseline is always there.
  const inBaseline = stands.filter(({ text }) => text <= step.after.system.length).length;
  return stands.map((catalog, at) => ({
    catalog,
    source: stood[at < inBaseline ? at : at + stood.length - stands.length],
  }));
}

/** Entries of the host's catalogs that the host's sample left out. @param {Seen} seen */
const additions = (seen) =>
  catalogs(seen).flatMap(({ catalog, source }) => {
    const known = new Set(source?.items.map(keyOf));
    return catalog.items.filter((item) => item.kind === "tool" && !known.has(keyOf(item)));
  });

/** What messages of ours tell in the whole of the request. @param {Reading} reading */
const oursOf = ({ told }) => told.filter(({ ours }) => ours);

/**
 * Whether what the host says of a thing has to give way, since a message of ours behind it tells it: `perhaps` where
 * that names all tools of a namespace, and so may or may not tell of the namespace itself.
 * @param {Item} item @param {number} place @param {Told[]} ours @param {number} total
 */
function isToldLater({ kind, name }, place, ours, total) {
  const later = ours.filter((told) => told.place >= place);
  if (later.some(({ items }) => items.some((item) => item.kind === kind && item.name === name))) return "yes";
  const isWhole = (/** @type {Told} */ { items }) =>
    items.filter((item) => item.kind === "tool" && item.namespace === name).length >= total;
  return kind === "namespace" && total > 0 && later.some(isWhole) ? "perhaps" : "no";
}

/** The last that is said of each thing. @param {Told[]} told @param {number} [until] up to which place */
const lastWords = (told, until = Infinity) =>
  new Map(itemsOf(holding(told.filter(({ place }) => place <= until))).map((item) => [keyOf(item), item]));

const CHANGED = "The Code Mode tool catalog has changed.";
/** How the host announces what is new (opencode-host.md §6.3, §7, §8). */
const ANNOUNCEMENTS = [
  /^New tool namespaces are available: `[^`]+` \(\d+ tools\)(, `[^`]+` \(\d+ tools\))*\.$/,
  /^New tools are available in addition to those previously listed:$/,
  /^New MCP server instructions are available in addition to those previously listed:$/,
  /^New skills are available in addition to those previously listed:$/,
];

/** The text that is made of these paragraphs and of nothing else. @param {Told[]} told */
const written = (told) =>
  [
    ...(told.some(({ list }) => list === "catalog") ? [CHANGED] : []),
    ...told.map(({ sentence, items }) =>
      [sentence, ...items.filter(({ kind }) => kind !== "namespace").map(({ text }) => text)].join("\n"),
    ),
  ].join("\n\n");

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

  "what is kept stands where it stood, in its order, but what a message of ours tells"(seen) {
    const { before, after, verdicts } = seen;
    const state = stateAfter(before.told);
    const isAvailable = availability(state);
    const ours = oursOf(after);
    const added = new Set(additions(seen));
    const places = (/** @type {Told[]} */ told, /** @type {(item: Item) => boolean} */ isMeant) =>
      holding(told)
        .filter(isOfItems)
        .flatMap(({ items, place }) => items.filter(isMeant).map((item) => ({ item, place })))
        .map(({ item, place }) => {
          const total = state.namespaces.get(item.namespace)?.total ?? 0;
          return { item, is: isToldLater(item, place, ours, total) };
        })
        .filter(({ is }) => is !== "perhaps");
    const kept = places(before.told, (item) => isAvailable(item) && !isPruned(item, verdicts))
      .filter(({ is }) => is === "no")
      .map(({ item }) => inOneLine(item));
    const hosts = holding(after.told).filter((told) => !told.ours);
    const found = places(hosts, (item) => isAvailable(item) && !added.has(item)).map(({ item }) => inOneLine(item));
    return isDeepStrictEqual(kept, found) ? [] : [`instead of\n${kept.join("\n")}\nstands\n${found.join("\n")}`];
  },

  "what is gone, or was never decided on, is left as it stands"(seen, earlier) {
    const { before, after } = seen;
    const isAvailable = availability(stateAfter(before.told));
    const known = earlier ? withoutLost(earlier, seen) : new Map();
    const isLeft = (/** @type {Item} */ item) => !isAvailable(item) && !isPruned(item, known);
    const [stood, stands] = [before, after].map(({ told }) => itemsOf(holding(told)).filter(isLeft).map(inOneLine));
    // A message of ours that names all tools of a namespace has named the namespace.
    const implied = itemsOf(oursOf(after)).map(({ namespace }) => `namespace ${namespace}`);
    return (stood ?? [])
      .filter((line) => !stands?.includes(line) && !implied.includes(line))
      .map((line) => `${line} was taken out`);
  },

  "a message of ours stands in front of a prompt, behind all else there, and is one text"({ step }) {
    const { messages } = step.after;
    const all = oursIn(step.before, step.after);
    return [...all].flatMap((at) => {
      // After a prompt was taken back the one before it can have two.
      const [ours, next] = [messages[at], messages.find((_message, other) => other > at && !all.has(other))];
      const isText = ours?.content.length === 1 && ours.content[0]?.type === "text";
      const isPlain = isDeepStrictEqual(Object.keys(ours ?? {}).sort(), ["content", "role"]);
      return [
        ...(next?.role === "user" && next.metadata ? [] : ["a message of ours stands in front of no prompt"]),
        ...(isText && isPlain ? [] : ["a message of ours is no text as the host writes them"]),
      ];
    });
  },

  "a message of ours says what is new as the host would, in the host's newest words"({ before, after, registered }, earlier) {
    const already = new Set(earlier && oursOf(earlier.after).map(({ text }) => earlier.after.texts[text]));
    const texts = [...new Set(oursOf(after).map(({ text }) => text))];
    return texts.flatMap((at) => {
      const text = String(after.texts[at]);
      if (already.has(text)) return [];
      const told = after.told.filter((told) => told.text === at);
      const isAnnounced = (/** @type {Told} */ { how, sentence }) =>
        how === "some" && ANNOUNCEMENTS.some((words) => words.test(sentence));
      const said = lastWords(before.told, told[0]?.place);
      const isHosts = (/** @type {Item} */ item) =>
        item.kind === "namespace"
          ? item.total === stateAfter(before.told).namespaces.get(item.name)?.total
          : item.text === (said.get(keyOf(item))?.text ?? registered.get(item.name)?.at(-1));
      return [
        ...told.filter((told) => !isAnnounced(told)).map(({ sentence }) => `"${sentence}" is not how the host adds`),
        ...itemsOf(told).filter((item) => !isHosts(item)).map((item) => `${item.text}\nis not what the host says`),
        ...(written(told) === text ? [] : [`in a message of ours stands more than\n${written(told)}`]),
      ];
    });
  },

  "a message of ours with nothing to tell is none": ({ step, after }) => {
    const texts = new Set(oursOf(after).map(({ text }) => text));
    const messages = oursIn(step.before, step.after).size;
    return texts.size === messages ? [] : [`of ${messages} messages of ours tell ${texts.size} something`];
  },

  "a message of ours tells of what was available there, and is not hidden now"({ before, after, verdicts, registered }) {
    const now = availability(stateAfter(before.told));
    return oursOf(after).flatMap(({ items, place }) => {
      const isThere = availability(stateAfter(before.told.filter((told) => told.place <= place)));
      const isKnown = (/** @type {Item} */ item) => isThere(item) || (item.kind === "tool" && registered.has(item.name));
      return [
        ...items.filter((item) => !isKnown(item)).map((item) => `${keyOf(item)} is told of and is not available`),
        ...items
          .filter((item) => now(item) && isPruned(item, verdicts))
          .map((item) => `${keyOf(item)} is told of and is pruned`),
      ];
    });
  },

  "the last word on a thing is the host's last word on it"({ before, after, verdicts, registered }) {
    const state = stateAfter(before.told);
    const isAvailable = availability(state);
    const [said, stands] = [lastWords(before.told), lastWords(after.told)];
    const isMeant = (/** @type {Item} */ item) => isAvailable(item) && !isPruned(item, verdicts);
    return [...stands].flatMap(([key, item]) => {
      const host = said.get(key);
      if (item.kind === "namespace") {
        const totals = [host?.total, state.namespaces.get(item.name)?.total];
        return !isMeant(item) || totals.includes(item.total) ? [] : [`the host counts ${totals} in "${item.text}"`];
      }
      if (host) return !isMeant(item) || host.text === item.text ? [] : [`${item.text}\nis told, and\n${host.text}`];
      // What the host has taken back is taken back by the host's own words behind.
      return item.kind !== "tool" || registered.get(item.name)?.includes(item.text) ? [] : [`nobody said ${item.text}`];
    });
  },

  "what is added to the host's sample is the host's tool in its words, told once, and stays"(seen, earlier) {
    const { after, before, verdicts, registered } = seen;
    const isAvailable = availability(stateAfter(before.told));
    const told = itemsOf(holding(after.told)).map(keyOf);
    const times = (/** @type {string} */ key) => told.filter((other) => other === key).length;
    const added = [...verdicts].filter(([, verdict]) => verdict === "add").map(([key]) => key);
    const inLists = additions(seen);
    const known = earlier && withoutLost(earlier, seen);
    return [
      ...inLists
        .filter(({ name, text }) => !registered.get(name)?.includes(text))
        .map(({ text }) => `${text}\nwas added, and is no entry of the host's`),
      ...inLists
        .filter((item) => !isAvailable(item) && !["add", undefined].includes(verdicts.get(keyOf(item))))
        .map((item) => `${keyOf(item)} is added and not decided on so`),
      ...added.filter((key) => times(key) !== 1).map((key) => `${key} is added and told ${times(key)} times`),
      ...[...(known ?? [])]
        .filter(([key, verdict]) => verdict === "add" && ["skip", "prune"].includes(String(verdicts.get(key))))
        .map(([key]) => `${key} was added and is no more`),
    ];
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

  "labels and claims are true of their own list": (seen) =>
    catalogs(seen).flatMap(({ catalog, source }) =>
      source ? untruths(catalog, source) : ["a catalog stands there that did not"],
    ),

  "no line is new or has moved, but of what is added and of messages of ours"(seen) {
    const { before, after } = seen;
    const texts = [...before.texts];
    const ours = new Set(oursOf(after).map(({ text }) => text));
    const added = additions(seen).map(({ text }) => `\n${text}`);
    const hosts = after.texts.filter((_text, at) => !ours.has(at));
    return hosts.filter((text) => {
      const plain = added.reduce((text, entry) => text.replace(entry, ""), text);
      while (texts.length > 0) if (isSubsequence(plain.split("\n"), String(texts.shift()).split("\n"))) return false;
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

  "what was shown stays shown, but what was told in front of a prompt that was taken back"(seen, earlier) {
    const known = earlier ? withoutLost(earlier, seen) : new Map();
    const lost = [...known].filter(([key, verdict]) => verdict === "keep" && seen.verdicts.get(key) === "prune");
    return lost.map(([key]) => `${key} was shown and is pruned now`);
  },

  "where nothing more is shown, all that was sent has the same bytes"(seen, earlier) {
    if (!earlier || hasGrown(seen.verdicts, withoutLost(earlier, seen))) return [];
    // The tools stand in front of all else: where the host changes a list in them, messages of ours may be undone.
    const isUndone = !isDeepStrictEqual(earlier.step.before.tools.execute, seen.step.before.tools.execute);
    const difference = firstRewritten(seen, earlier);
    return difference && !(isUndone && oursOf(earlier.after).length > 0) ? [difference] : [];
  },

  "what was sent is changed at most once for a prompt": ({ rewritten }) =>
    rewritten > 1 ? [`it was changed ${rewritten} times`] : [],
};

/**
 * What was known of everything; what was told in front of a prompt that was taken back since is hidden again.
 * @param {Seen} earlier @param {Seen} now
 * @returns {Verdicts}
 */
export function withoutLost(earlier, now) {
  if (!isUndone(now, earlier)) return earlier.known;
  const places = commonPlaces(earlier.step.before, now.step.before);
  const lost = earlier.after.told.filter(({ place }) => place >= places);
  const hosts = itemsOf(earlier.after.told.filter(({ ours }) => !ours)).map(keyOf);
  const ours = itemsOf(lost.filter(({ ours }) => ours)).flatMap((item) => [
    ...(item.kind === "namespace" ? [] : [keyOf(item)]),
    ...(hosts.includes(`namespace ${item.namespace}`) ? [] : [`server ${item.namespace}`]),
  ]);
  const lists = itemsOf(lost.filter(({ how }) => how === "all")).map(keyOf);
  const known = new Map(earlier.known);
  for (const [key, verdict] of earlier.known) {
    if (verdict === "keep" && ours.includes(key)) known.set(key, "prune");
    if (verdict === "add" && [...ours, ...lists].includes(key)) known.delete(key);
  }
  return known;
}

/**
 * The first place at which a request that follows on an earlier one says another thing than that did: what a
 * provider's cache is of. What the host itself says differently is not compared, and what was taken back is not.
 * @param {Pick<Seen, "step">} now
 * @param {Pick<Seen, "step">} earlier
 */
export function firstRewritten(now, earlier) {
  const common = isUndone(now, earlier) ? commonPlaces(earlier.step.before, now.step.before) : Infinity;
  const [was, is] = [sent(earlier.step.after, common), sent(now.step.after, Infinity)];
  const isSame = isDeepStrictEqual(earlier.step.before.tools, now.step.before.tools);
  const pairs = was.texts.map((text, at) => [text, is.texts[at] ?? ""]);
  const [then, since] = [...pairs, ...(isSame ? [[was.tools, is.tools]] : [])].find(([was, is]) => was !== is) ?? [];
  return then === undefined ? undefined : firstDifference(then, String(since));
}

/** Whether messages were taken back. @param {Pick<Seen, "step">} now @param {Pick<Seen, "step">} earlier */
const isUndone = (now, earlier) =>
  commonPlaces(earlier.step.before, now.step.before) <
  earlier.step.before.messages.filter(({ role }) => role !== "system").length;

/**
 * The system text and the messages in front of so many of the conversation, and the tools.
 * @param {Transcript} transcript @param {number} places
 */
function sent({ system, messages, tools }, places) {
  const here = placesOf(messages);
  const common = messages.filter((_message, at) => Number(here[at]) < places);
  return {
    texts: [...system.map(({ text }) => text), ...common.map(({ content }) => JSON.stringify(content, null, 1))],
    tools: JSON.stringify(tools, null, 1),
  };
}

/** @param {string} was @param {string} is */
function firstDifference(was, is) {
  const [before, after] = [was.split("\n"), is.split("\n")];
  const at = before.findIndex((line, at) => line !== after[at]);
  return `line ${at + 1} was ${JSON.stringify(before[at] ?? "absent")} and is ${JSON.stringify(after[at] ?? "absent")}`;
}

/** Whether something is shown that was hidden, or added that was not. @param {Verdicts} now @param {Verdicts} before */
export const hasGrown = (now, before) =>
  [...before].some(([key, verdict]) => verdict === "prune" && now.get(key) === "keep") ||
  [...now].some(([key, verdict]) => verdict === "add" && before.get(key) !== "add");

/** @param {Told} catalog @param {Told} source */
function untruths(catalog, source) {
  const count = (/** @type {string} */ namespace) =>
    catalog.items.filter((item) => item.kind === "tool" && item.namespace === namespace).length;
  const namespaces = catalog.items.filter(({ kind }) => kind === "namespace");
  const tools = catalog.items.length - namespaces.length;
  const isWhole = isDeepStrictEqual(catalog.items.map(keyOf), source.items.map(keyOf));
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
