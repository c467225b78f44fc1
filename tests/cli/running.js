/**
 * Runs the command line tool as a person would, and makes logs for it: by hand, and with the real plugin.
 */

import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { stage } from "../plugin/stage.js";

/** @import { TestContext } from "node:test" */
/** @import { Wishes } from "../plugin/stage.js" */

const BIN = fileURLToPath(new URL("../../bin/opencode-jev-pruner.js", import.meta.url));

/** @typedef {{ code: number, stdout: string, stderr: string }} Ended */

/**
 * @param {string[]} args @param {{ input?: string, env?: Record<string, string>, cwd?: string, node?: string[] }} [options]
 * @returns {Promise<Ended>}
 */
export function run(args, { input = "", env = {}, cwd, node = [] } = {}) {
  return new Promise((resolve) => {
    const bare = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(JEV_|TYPESAFE_|OPENCODE|XDG_)/.test(name)));
    const child = execFile(
      process.execPath,
      [...node, BIN, ...args],
      { env: { ...bare, ...env }, cwd, maxBuffer: 1 << 26 },
      (error, stdout, stderr) => resolve({ code: typeof error?.code === "number" ? error.code : error ? -1 : 0, stdout, stderr }),
    );
    child.stdin?.end(input);
  });
}

/** A folder that is gone after the test. @param {TestContext} t */
export function folder(t) {
  const path = mkdtempSync(join(tmpdir(), "pruner-cli-"));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** @param {TestContext} t @param {...(object | string)} lines entries, or lines as they are */
export function logOf(t, ...lines) {
  const path = join(folder(t), "log");
  writeFileSync(path, lines.map((line) => `${typeof line === "string" ? line : JSON.stringify(line)}\n`).join(""));
  return path;
}

/**
 * A report as the plugin logs it, of a request that was pruned.
 * @param {Record<string, any>} [fields]
 */
export function report({ stats = {}, ...fields } = {}) {
  const counts = { total: 0, kept: 0, pruned: 0 };
  return {
    event: "report",
    time: "2026-01-02T03:04:05.000Z",
    session: "ses_1",
    mode: "prune",
    applied: true,
    first: false,
    thresholds: { servers: 0.35, tools_and_skills: 0.55 },
    stats: {
      servers: counts,
      tools: counts,
      skills: counts,
      tools_added: 0,
      jev_calls: 2,
      jev_questions: 9,
      from_cache: false,
      tokens_before: 1000,
      tokens_after: 400,
      ms_total: 100,
      ms_rust: 2,
      ms_jev: 98,
      ...stats,
    },
    servers: [],
    tools: [],
    skills: [],
    removed: { native_tools: [], servers: [], mcp_instructions: [] },
    ...fields,
  };
}

/** @param {string} name @param {number | null} score @param {string} decision @param {string} reason @param {number} [chars] */
export const candidate = (name, score, decision, reason, chars = 100) => ({ name, score, decision, reason, chars });

/** @typedef {Awaited<ReturnType<typeof stage>>} Staged */

/**
 * The log that the real plugin writes while `play` uses it.
 * @param {TestContext} t @param {Wishes} wishes @param {(staged: Staged) => Promise<void>} play
 */
export async function loggedBy(t, wishes, play) {
  const path = join(folder(t), "log");
  const staged = await stage(t, { ...wishes, options: { ...wishes.options, debug_log_file: path } });
  await play(staged);
  await staged.host.unload();
  // Nobody waits for the log; by then it is written.
  await new Promise((resolve) => setTimeout(resolve, 50));
  return path;
}
