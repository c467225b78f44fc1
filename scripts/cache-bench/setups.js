/**
 * What a user has connected: invented MCP servers, skills, and the host's own tools and instructions, in the sizes that
 * were observed in real requests. Which of it a prompt needs is told in topics.js.
 */

import { HOST_TOOLS, nativeName, renderCatalog, renderInstructions, renderSkills } from "../../tests/mini-host/index.js";
import { prose, randomFrom } from "./random.js";

/** @import { HostOptions } from "../../tests/mini-host/host.js" */
/** @import { JsonSchema, NativeTool, Server, Skill, Tool } from "../../tests/mini-host/types.js" */
/** @import { Random } from "./random.js" */

/**
 * @typedef {object} Setup
 * @property {string} about for people
 * @property {Server[]} servers all of them; a session may say that some connect late
 * @property {Skill[]} skills
 */

/**
 * @typedef {object} Size
 * @property {number} servers
 * @property {number} tools in all
 * @property {number} skills
 * @property {boolean} native whether the tools are native ones, each with its whole schema
 * @property {[number, number]} fields of a tool, at least and at most
 */

const NAMES = [
  "issues", "wiki", "code-forge", "calendar", "mailbox", "warehouse", "metrics", "deploys", "design-files", "payments",
  "contacts", "web-search", "object-store", "queues", "team-chat", "ticket-desk", "maps", "api-docs", "secrets",
  "test-runs",
];
const VERBS = ["list", "get", "create", "update", "delete", "search", "export", "archive", "compare", "watch"];
const NOUNS = ["entry", "folder", "comment", "member", "label", "report", "version", "schedule", "rule", "attachment"];

/** @type {Record<"catalog" | "native" | "small" | "old", Setup>} */
export const SETUPS = {
  catalog: setup("12 servers in the catalog, 24 skills", {
    servers: 12, tools: 108, skills: 24, native: false, fields: [1, 5],
  }),
  native: setup("8 servers with native tools, 24 skills", {
    servers: 8, tools: 80, skills: 24, native: true, fields: [3, 7],
  }),
  small: setup("2 servers in the catalog, 4 skills", { servers: 2, tools: 8, skills: 4, native: false, fields: [1, 3] }),
  // The host that was observed sent 232 tools in 366,627 bytes.
  old: setup("15 servers with very many native tools, 10 skills", {
    servers: 15, tools: 232, skills: 10, native: true, fields: [7, 15],
  }),
};

/** As long as the host's own were observed to be: 8,554 and 12,921 characters. */
const BASE_PROMPT = prose(randomFrom("base prompt"), 8_500);
const HOST_TOOL_CHARS = 12_900;
const AGENTS_MD = prose(randomFrom("AGENTS.md"), 4_000);

/** @param {Setup} setup @returns {HostOptions} */
export const hostOptions = ({ servers, skills }) => ({
  servers,
  skills,
  basePrompt: BASE_PROMPT,
  agentsMd: AGENTS_MD,
  hostTools: grownHostTools(),
  ctx: { toolList: true, mcpList: true, skillList: true },
});

/**
 * Everything that a plugin could take out: catalog, instructions, skills and the JSON of native MCP tools.
 * @param {{ servers: Server[], skills: Skill[] }} offered
 */
export function prunableTokens({ servers, skills }) {
  const listed = servers.filter(({ codemode }) => codemode !== false);
  const texts = [
    listed.length > 0 ? renderCatalog(listed) : "",
    renderInstructions(servers) ?? "",
    renderSkills(skills) ?? "",
    ...servers.filter((server) => !listed.includes(server)).flatMap(nativeJson),
  ];
  return Math.round(texts.join("").length / 4);
}

/** @param {Server} server */
const nativeJson = ({ name, tools }) =>
  tools.map((tool) =>
    JSON.stringify({ name: nativeName(name, tool.name), description: tool.description, input_schema: tool.inputSchema }),
  );

/** @param {string} about @param {Size} size @returns {Setup} */
function setup(about, size) {
  const random = randomFrom(about);
  return {
    about,
    servers: Array.from({ length: size.servers }, (_, at) => server(random, size, at)),
    skills: Array.from({ length: size.skills }, (_, at) => skill(random, at)),
  };
}

/** @param {Random} random @param {Size} size @param {number} at @returns {Server} */
function server(random, { servers, tools, native, fields }, at) {
  const count = Math.floor(tools / servers) + (at < tools % servers ? 1 : 0);
  return {
    name: NAMES[at] ?? `server-${at}`,
    ...(native && { codemode: false }),
    ...(at % 3 === 0 && { instructions: prose(random, 600) }),
    tools: Array.from({ length: count }, (_, place) => tool(random, fields, place)),
  };
}

/** @param {Random} random @param {[number, number]} fields @param {number} at @returns {Tool} */
function tool(random, fields, at) {
  const count = random.whole(...fields);
  const names = Array.from({ length: count }, (_, place) => `${NOUNS[(at + place * 3) % NOUNS.length]}_${place}`);
  return {
    name: `${VERBS[at % VERBS.length]}_${NOUNS[Math.floor(at / VERBS.length + at) % NOUNS.length]}_${at}`,
    description: prose(random, random.spread(50, 400)),
    inputSchema: {
      type: "object",
      properties: Object.fromEntries(names.map((name) => [name, field(random)])),
      required: names.slice(0, 1),
      additionalProperties: false,
    },
  };
}

/** @param {Random} random @returns {JsonSchema} */
function field(random) {
  return { type: random.pick(["string", "integer", "boolean"]), description: line(random, random.whole(20, 110)) };
}

/** @param {Random} random @param {number} at @returns {Skill} */
function skill(random, at) {
  return {
    id: `${VERBS[at % VERBS.length]}-${NOUNS[(at * 7) % NOUNS.length]}-${at}`,
    name: `Skill ${at}`,
    description: line(random, random.whole(120, 320)),
  };
}

/** @param {Random} random @param {number} chars */
function line(random, chars) {
  return prose(random, chars).replaceAll("\n", " ");
}

/** The stand-in host's tools, each with a description as long as real ones. @returns {NativeTool[]} */
function grownHostTools() {
  const random = randomFrom("host tools");
  const missing = Math.max(0, HOST_TOOL_CHARS - JSON.stringify(HOST_TOOLS).length);
  return HOST_TOOLS.map((tool) => ({
    ...tool,
    description: `${tool.description}\n\n${prose(random, Math.round(missing / HOST_TOOLS.length))}`,
  }));
}
