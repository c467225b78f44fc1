/**
 * Loads a copy of the package in a process of its own, as a host would, plays one prompt in the stand-in host and prints
 * what happened as JSON. Run by loading.test.js, in Node and in Bun:
 *
 *     node probe.js '{ "modules": ["file:///somewhere/index.js"], "core": "file:///somewhere/js-shim/core.js" }'
 */

import { createRequire, register } from "node:module";

import { startFakeJev } from "../fake-jev/server.js";
import { MiniHost, renderInstructions, renderSkillsV1 } from "../mini-host/index.js";

/**
 * What to load: the modules in turn, each as if none had been loaded before, and the file that loads the core.
 * @typedef {{ modules: string[], core?: string }} Wanted
 */

/** @typedef {{ system: string, tools: string[], asked: number }} Played */

/**
 * @typedef {object} Found
 * @property {{ id: string, keys: string[], isNew: boolean, modern: Played, legacy: Played }[]} loaded for each module
 * @property {string[]} warned
 * @property {boolean} [freshCore] whether further cores have a memory of their own and work
 */

const SERVERS = [
  { name: "maps", tools: [{ name: "route", description: "Find a way." }], instructions: "Ask before you route." },
  { name: "mail", tools: [{ name: "send", description: "Send a letter." }], codemode: false },
];
const SKILLS = [
  { id: "tea", name: "tea", description: "Brew tea." },
  { id: "moon", name: "moon", description: "Tell the phase of the moon." },
];

/** As OpenCode 1.18 writes it, in short. */
const LEGACY_SYSTEM = [
  "You help with the code in front of you.",
  "Here is some useful information about the environment you are running in:",
  "<env>",
  "  Working directory: /project",
  "</env>",
  renderInstructions(SERVERS.map((server) => ({ ...server, codemode: false }))),
  renderSkillsV1(SKILLS.map((skill) => ({ ...skill, location: `/project/${skill.id}` }))),
].join("\n");

const SPREAD_QUERY = `
  export async function resolve(specifier, context, next) {
    const found = await next(specifier, context);
    const query = /^\\.\\.?\\//.test(specifier) && context.parentURL ? new URL(context.parentURL).search : "";
    return query && !new URL(found.url).search ? { ...found, url: found.url + query } : found;
  }
`;
if (!("bun" in process.versions)) register(`data:text/javascript,${encodeURIComponent(SPREAD_QUERY)}`);

/** @type {Wanted} */
const wanted = JSON.parse(process.argv[2] ?? "{}");

/** Modules may share a core, which remembers what was asked in a session. */
let sessions = 0;
const newSession = () => `ses_${++sessions}`;

/** @type {string[]} */
const warned = [];
console.warn = (...words) => void warned.push(words.join(" "));

const jev = await startFakeJev({
  port: 0,
  score: ({ instructions }) => (String(instructions).includes('"tea"') ? 0.9 : 0),
});
const options = { jev_api_key: "sk-probe", jev_endpoint: jev.url, jev_timeout_ms: 20_000, min_saving_chars: 0 };
/** @type {Found} */
const found = { loaded: [], warned };
const seen = new Set();
for (const module of wanted.modules) {
  forget();
  const { default: plugin } = await import(module);
  const played = { modern: await modern(plugin), legacy: await legacy(plugin) };
  found.loaded.push({ id: plugin.id, keys: Object.keys(plugin), isNew: !seen.has(plugin), ...played });
  seen.add(plugin);
}
if (wanted.core !== undefined) found.freshCore = await freshCores(wanted.core);
await jev.close();
console.log(JSON.stringify(found));

/**
 * As hosts do before they load a plugin again: on Bun they drop what was loaded, on Node they let the query spread from a
 * module to all that it imports (opencode-host.md §2.6).
 */
function forget() {
  if (!("bun" in process.versions)) return;
  const { cache } = createRequire(import.meta.url);
  for (const file of Object.keys(cache)) if (/[/\\](?:js-shim|wasm|index\.js$)/.test(file)) delete cache[file];
}

/** One prompt in OpenCode 2. @param {unknown} plugin @returns {Promise<Played>} */
async function modern(plugin) {
  const before = jev.requests.length;
  const host = new MiniHost({ servers: SERVERS, skills: SKILLS, ctx: { toolList: true, mcpList: true } });
  host.sessionID = newSession();
  await host.load(plugin, options);
  const { after } = await host.prompt("How hot must the water be?");
  await host.unload();
  return {
    system: after.system.map(({ text }) => text).join("\n\n"),
    tools: Object.keys(after.tools),
    asked: jev.requests.length - before,
  };
}

/** One prompt in OpenCode 1.18, by hand. @param {any} plugin @returns {Promise<Played>} */
async function legacy(plugin) {
  const before = jev.requests.length;
  const client = {
    mcp: { status: async () => ({ data: { mail: { status: "connected" }, maps: { status: "connected" } } }) },
  };
  const hooks = await plugin.server({ client, directory: "/project" }, options);
  const sessionID = newSession();
  const user = { id: "msg_1", role: "user", sessionID, tools: undefined };
  const messages = [{ info: user, parts: [{ type: "text", text: "How hot must the water be?" }] }];
  const output = { system: [LEGACY_SYSTEM] };
  await hooks["experimental.chat.messages.transform"]({}, { messages });
  await hooks["experimental.chat.system.transform"]({ sessionID }, output);
  /** @type {Record<string, boolean>} */
  const answers = user.tools ?? {};
  const tools = ["bash", "mail_send", "maps_route"].filter((name) => answers[name] !== false);
  return { system: String(output.system[0]), tools, asked: jev.requests.length - before };
}

/** @param {string} file @returns {Promise<boolean>} */
async function freshCores(file) {
  const { loadCore, loadFreshCore } = await import(file);
  const cores = [loadCore(), await loadFreshCore(), await loadFreshCore()];
  const configs = cores.map((core) => core.resolveOptions({ jev_api_key: "k", jev_timeout_ms: 77 }, {}).config);
  return new Set(cores).size === 3 && configs.every(({ jev_timeout_ms }) => jev_timeout_ms === 77);
}
