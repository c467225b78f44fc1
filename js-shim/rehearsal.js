// Plays a small made-up request through every stage while nobody waits. An engine compiles each function of the module
// when it is first called, which would take most of the time of the first real request. Nobody is asked or told, and
// nothing of it stays.
import { isWarm, prune } from "./prune.js";

/** @typedef {import("./core.js").Glue} Glue */

/** A session that no host has. */
const SESSION = "opencode-jev-pruner rehearsal";

/** Setup is over by then, and a person is still typing. */
const DELAY_MS = 50;

/**
 * @param {(hook: (core: Glue) => unknown) => () => Promise<unknown>} guard
 * @param {{ config: any, now: () => number }} host
 */
export function rehearseLater(guard, { config, now }) {
  const timer = setTimeout(guard((core) => rehearse(core, config, now)), DELAY_MS);
  timer.unref?.();
}

/**
 * Does nothing where a real request has come already.
 * @param {Glue} core @param {any} config resolved options @param {() => number} now
 */
export async function rehearse(core, config, now) {
  if (isWarm(core)) return;
  const settings = { ...config, mode: "prune", debug_mode: false, debug_log_file: null, min_saving_chars: 0 };
  const host = { config: settings, ask, now };
  try {
    for (const prompt of ["Add a note", "Add a note", "List my notes"]) await prune(core, event(prompt), host);
  } finally {
    core.forgetSession(SESSION);
  }
}

/** Says yes to every other question. @param {string} body */
async function ask(body) {
  const ids = Object.keys(JSON.parse(body).questions);
  return { status: 200, body: JSON.stringify({ answers: Object.fromEntries(ids.map((id, at) => [id, { noul: at % 2 }])) }) };
}

const SYSTEM = `# Code Mode

The catalog is complete.

## Available tools

- notes (2 tools) // Short notes
  - tools.notes.add({
  text: string,
}): Promise<unknown> // Add a note
  - tools.notes.list(): Promise<unknown> // List notes
- weather (1 tool)
  - tools.weather.now(): Promise<unknown> // Look outside

<mcp_instructions>
  <server name="notes">
    Notes have a text.
  </server>
  <server name="weather">
    It may rain.
  </server>
</mcp_instructions>

<available_skills>
  <skill>
    <id>forms</id>
    <name>Forms</name>
    <description>Fill in forms</description>
  </skill>
  <skill>
    <id>zip</id>
    <name>Zip</name>
    <description>Pack files</description>
  </skill>
</available_skills>`;

/** @param {string} prompt */
const event = (prompt) => ({
  sessionID: SESSION,
  system: [{ type: "text", text: SYSTEM }],
  messages: [{ id: prompt, role: "user", metadata: {}, content: [{ type: "text", text: prompt }] }],
  tools: {
    execute: { description: "Run code", input: { type: "object" } },
    desk_send: { description: "Send an item", input: { type: "object" } },
  },
});
