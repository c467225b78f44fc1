/**
 * The requests that are measured: invented servers, tools, skills and a history of one size or another, put into the
 * shape in which OpenCode hands them to a plugin. How they are timed is told in measure.js.
 *
 * The hard case is meant: half of the servers have native tools with whole schemas, the catalog lists every tool of the
 * others, letters outside of Latin-1 make every long text a two-byte one, and all strings of a request are new objects.
 */

import { nativeTools, HOST_TOOLS } from "../../tests/mini-host/host-tools.js";
import { nativeName, sanitise } from "../../tests/mini-host/names.js";
import { sessionText } from "../../tests/mini-host/sources.js";

/** @import { ContextEvent, JsonSchema, MessageShape, Server, Skill, Tool } from "../../tests/mini-host/types.js" */

/** @typedef {{ servers: number, tools: number, skills: number }} Size */

/** @typedef {{ tools: object[], servers: object[], skills: object[] }} HostLists */

/**
 * What can be left out, to see what it costs.
 * @typedef {{ native?: boolean, history?: boolean, ascii?: boolean }} Parts
 */

/**
 * @typedef {object} Sample
 * @property {ContextEvent} event
 * @property {HostLists} lists what the host says of itself when asked (opencode-host.md §3.2)
 * @property {{ id: string, text: string }} prompt
 */

/** Stands in the texts for a word that differs from request to request; as long as what `request` puts there. */
const MARK = "Wort0000000";

const SUBJECTS = ["invoice", "branch", "sensor", "ticket", "table", "page", "parcel", "shift", "recipe", "contract"];
const VERBS = ["list", "create", "update", "archive", "search", "compare", "export", "approve", "merge", "watch"];

/**
 * @param {Size} size
 * @param {Parts} [parts]
 * @returns {(number: number, step?: number) => Sample} the same number gives the same texts in new strings; each step
 * of a turn has one more tool call in its history
 */
export function makeWorkload(size, { native = true, history = true, ascii = false } = {}) {
  const servers = serversOf(size, native);
  const skills = skillsOf(size);
  const prompt = { id: "msg_prompt", text: `Please ${MARK} the überfällige invoices → and tell me what is left.` };
  const text = sessionText({ servers, skills, directory: "/project", budget: Infinity, order: "new", catalog: true });
  /** @type {ContextEvent} */
  const event = {
    sessionID: MARK,
    agent: "build",
    model: { id: "model-1", providerID: "provider-1" },
    system: [`You help with ${MARK}. Be brief; quote “like this”.`, text].map((text) => ({ type: "text", text })),
    messages: historyOf(history ? 60 : 1, prompt),
    tools: nativeTools({ hostTools: HOST_TOOLS, servers, rendering: "v4" }),
  };
  /** @type {HostLists} */
  const lists = {
    tools: [
      ...HOST_TOOLS.map((tool) => ({ ...tool, id: tool.name, options: { codemode: false } })),
      ...servers.flatMap((server) => server.tools.map((tool) => listed(server, tool))),
    ],
    servers: servers.map(({ name }) => ({ name, status: "connected" })),
    skills,
  };
  const json = JSON.stringify({ event, lists, prompt });
  const template = ascii ? json.replace(/[^\x00-\x7f]/g, "e") : json;
  return (number, step = 0) => {
    /** @type {Sample} */
    const sample = JSON.parse(template.replaceAll(MARK, `Wort${String(number).padStart(7, "0")}`));
    for (let call = 0; call < step; call++) sample.event.messages.push(...toolCall(`step_${call}`));
    return sample;
  };
}

/** @param {Size} size @param {boolean} native @returns {Server[]} */
function serversOf({ servers, tools }, native) {
  return Array.from({ length: servers }, (_, at) => ({
    name: `${SUBJECTS[at % SUBJECTS.length]}-desk-${at}`,
    ...(native && at % 2 === 1 && { codemode: false }),
    ...(at % Math.ceil(servers / 3) === 0 && { instructions: instructions(at) }),
    tools: Array.from({ length: tools / servers }, (_, place) => toolOf(at, place)),
  }));
}

/** @param {number} at */
const instructions = (at) =>
  Array.from(
    { length: 40 },
    (_, line) =>
      `- Rule ${line} of desk ${at}: look up the ${MARK} first, then change it; “Größe” is in metres, not feet.`,
  ).join("\n");

/** @param {Server} server @param {Tool} tool */
const listed = ({ name, codemode = true }, { name: tool, description, inputSchema }) => ({
  id: nativeName(name, tool),
  name: tool,
  description,
  input: inputSchema,
  options: { namespace: sanitise(name), codemode },
});

/** Names do not repeat within a server. @param {number} server @param {number} at @returns {Tool} */
function toolOf(server, at) {
  const subject = SUBJECTS[(server + at) % SUBJECTS.length];
  const verb = VERBS[Math.floor(at / SUBJECTS.length) % VERBS.length];
  return {
    name: `${verb}_${subject}_${at}`,
    description:
      `${verb} one or more ${subject} records of the ${MARK} that match – by name, owner or state – and say ` +
      "what changed." +
      (at % 4 === 0 ? "\nA second line tells of limits: at most 500 of them at once, żadnych wyjątków." : ""),
    inputSchema: schemaOf(subject ?? "", at),
  };
}

/** @param {string} subject @param {number} at @returns {JsonSchema} */
const schemaOf = (subject, at) => ({
  type: "object",
  properties: {
    [`${subject}_id`]: { type: "string", description: `Which ${subject}; its key as in “AB-12”` },
    state: { type: "string", enum: ["open", "waiting", "done"], description: "Only those in this state" },
    limit: { type: "integer", minimum: 1, maximum: 500, default: 50, description: "How many at most" },
    ...(at % 3 === 0 && {
      filter: {
        type: "object",
        description: "Further conditions, all of which must hold",
        properties: {
          owner: { type: "string", description: "User name of the owner" },
          labels: { type: "array", items: { type: "string" }, description: "All of these" },
          since: { type: "string", format: "date-time", description: "Changed at or after this time" },
        },
      },
    }),
  },
  required: [`${subject}_id`],
  additionalProperties: false,
});

/** @param {Size} size @returns {Skill[]} */
const skillsOf = ({ skills }) =>
  Array.from({ length: skills }, (_, at) => ({
    id: `skill-${at}`,
    name: `Skill ${at}`,
    description:
      `Use when the ${MARK} asks to ${VERBS[at % VERBS.length]} a ${SUBJECTS[(at * 3) % SUBJECTS.length]}, or ` +
      "mentions “Übersicht”, a summary, or a hand-over to other people. Not for single entries or without a date.",
  }));

/** @param {number} length @param {{ id: string, text: string }} prompt @returns {MessageShape[]} */
function historyOf(length, { id, text }) {
  const calls = Array.from({ length: (length - 2) / 2 }, (_, call) => toolCall(`call_${call}`));
  const user = (/** @type {string} */ id, /** @type {string} */ text) =>
    /** @type {MessageShape} */ ({ id, role: "user", content: [{ type: "text", text }], metadata: {} });
  if (length < 4) return [user(id, text)];
  const split = Math.floor((calls.length * 2) / 3);
  const first = user("msg_first", "Look around first – świetnie.");
  return [first, ...calls.slice(0, split).flat(), user(id, text), ...calls.slice(split).flat()];
}

/**
 * An assistant that says something and calls a tool, and what the tool gave back.
 * @param {string} id
 * @returns {MessageShape[]}
 */
const toolCall = (id) => [
  {
    id: `msg_${id}`,
    role: "assistant",
    content: [
      { type: "text", text: `Next I look at ${id}; that should tell where the überfällige ones are.` },
      { type: "tool-call", id, name: "read", input: { path: `src/${id}.ts` }, providerExecuted: false },
    ],
  },
  {
    role: "tool",
    content: [
      { type: "tool-result", id, name: "read", result: { type: "text", value: `line – ${id}\n`.repeat(80) } },
    ],
  },
];
