/**
 * Writes a project for OpenCode 1.18 to open: its `opencode.json`, skills, a file to read, and this package as a user
 * has it who installed the packed tarball. Which host opens it is not its business.
 */

import { mkdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

import { install } from "../package/pack.js";

/** @typedef {{ folder: string, name: string, description?: string }} ProjectSkill */

const require = createRequire(import.meta.url);

/** A server whose name is not one that could stand in a tool's name. */
export const ODD = 'odd "srv".x';

/**
 * Real MCP servers, as npm has them; `everything` and the odd one are the same, which sends instructions. A setting that
 * only a caller knows is filled in with the project's folder.
 * @type {Record<string, { package: string, args?: string[], environment?: Record<string, string> }>}
 */
const SERVERS = {
  [ODD]: { package: "server-everything" },
  everything: { package: "server-everything" },
  files: { package: "server-filesystem", args: ["<project>"] },
  memory: { package: "server-memory", environment: { MEMORY_FILE_PATH: "<project>/memory.jsonl" } },
  thinking: { package: "server-sequential-thinking" },
};

export const SERVER_NAMES = Object.keys(SERVERS);

/** Whose tool it is, by its name as the model sees it; nobody's if it is the host's own. @param {string} tool */
export const serverOf = (tool) => SERVER_NAMES.find((name) => tool.startsWith(`${name.replaceAll(/["\s.]/g, "_")}_`));

/**
 * Of our own wording; some would be markup if anybody escaped them, one stands in a folder that would be, one says nothing.
 * @type {ProjectSkill[]}
 */
export const SKILLS = [
  { folder: "bread", name: "Bread", description: "Bake a loaf: plan the rise, fold, shape and score the dough." },
  { folder: "bike-repair", name: "bike-repair", description: "Find out what rattles on a bicycle and mend it." },
  { folder: "chess", name: "chess", description: "Go through a lost game of chess and find the move that lost it." },
  {
    folder: "garden-plan",
    name: "Garden plan",
    description: "Say what grows beside what, in which month & in how much sun.",
  },
  {
    folder: "knots",
    name: "knots",
    description:
      "Tie a knot that holds, and one that comes loose.\nA second line in column 0.\n  And an indented third, </skill> and all.",
  },
  {
    folder: "letters & cards",
    name: "letters",
    description: "Word a letter of thanks, of condolence or of complaint.",
  },
  { folder: "moon", name: "moon", description: "Tell the phase of the moon and what <b>tide</b> it brings." },
  { folder: "old-photos", name: "Old <photos> & films", description: "Scan, clean and date old photographs." },
  { folder: "silent", name: "silent" },
  { folder: "tea", name: "tea", description: "Brew tea: how hot, how long, how much. Use before guests come." },
];

/** A file in every project. */
export const NOTE = { name: "note.txt", text: "The spare key is under the third flowerpot." };

/**
 * @param {object} wanted
 * @param {string} wanted.directory that does not exist yet
 * @param {string} wanted.baseURL of the model
 * @param {{ tarball: string, options: Record<string, unknown> }} [wanted.plugin]
 * @param {string[]} [wanted.servers] which of the MCP servers it has
 */
export function writeProject({ directory, baseURL, plugin, servers = SERVER_NAMES }) {
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, NOTE.name), NOTE.text);
  for (const skill of SKILLS) writeSkill(directory, skill);
  if (plugin) install(directory, plugin.tarball);
  writeFileSync(
    join(directory, "opencode.json"),
    JSON.stringify(configuration(directory, baseURL, servers, plugin?.options), null, 2),
  );
}

/** @param {string} directory @param {string} baseURL @param {string[]} servers @param {Record<string, unknown>} [options] of the plugin */
function configuration(directory, baseURL, servers, options) {
  return {
    $schema: "https://opencode.ai/config.json",
    autoupdate: false,
    share: "disabled",
    model: "fake/fake-1",
    small_model: "fake/fake-1",
    provider: {
      fake: {
        npm: "@ai-sdk/openai-compatible",
        options: { baseURL, apiKey: "none" },
        models: { "fake-1": { tool_call: true, limit: { context: 200_000, output: 8000 } } },
      },
    },
    mcp: Object.fromEntries(
      servers.map((name) => [name, { type: "local", timeout: 30_000, ...commandOf(name, directory) }]),
    ),
    ...(options && { plugin: [["./node_modules/opencode-jev-pruner", options]] }),
  };
}

/** How a server is started for a project. @param {string} name @param {string} directory */
export function commandOf(name, directory) {
  const { package: from, args = [], environment = {} } = SERVERS[name] ?? { package: name };
  const fill = (/** @type {string} */ text) => text.replace("<project>", directory);
  return {
    command: ["node", programOf(`@modelcontextprotocol/${from}`), ...args.map(fill)],
    environment: Object.fromEntries(Object.entries(environment).map(([key, value]) => [key, fill(value)])),
  };
}

/** @param {string} name of a package with one program */
function programOf(name) {
  const manifest = require.resolve(`${name}/package.json`);
  const [program] = Object.values(/** @type {Record<string, string>} */ (require(manifest).bin));
  if (!program) throw new Error(`${name} has no program`);
  return join(dirname(manifest), program);
}

/**
 * In a folder of which the host asks nothing further: for `.opencode` it would install a package.
 * @param {string} directory @param {ProjectSkill} skill
 */
function writeSkill(directory, { folder, name, description }) {
  const path = join(directory, ".agents", "skills", folder);
  mkdirSync(path, { recursive: true });
  const fields = Object.entries({ name, description }).filter(([, value]) => value !== undefined);
  const head = fields.map(([field, value]) => `${field}: ${JSON.stringify(value)}\n`).join("");
  writeFileSync(join(path, "SKILL.md"), `---\n${head}---\nSteps of ${name}.\n`);
}
