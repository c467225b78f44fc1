/**
 * Boots the real OpenCode 1.18, headless, with folders of its own and nothing but the loopback to talk to, and drives it
 * by its HTTP API. What projects it opens and what they are tested for is told elsewhere.
 *
 *     const host = await bootHost(folder);
 *     const session = await host.session(project, { title: "Test" });
 *     await session.prompt("What is in the note?");
 *     await host.close();
 */

import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { VERSION, binary } from "./binary.js";

/** @import { ChildProcess } from "node:child_process" */

const MOST_TO_BOOT = 60_000;
const MOST_TO_ANSWER = 60_000;
const SIGNALS = /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"]);

/**
 * @param {string} folder for all that it writes
 */
export async function bootHost(folder) {
  const program = binary();
  if (!program) throw new Error(`there is no OpenCode ${VERSION}`);
  const env = environment(folder);
  const child = spawn(program, ["serve", "--port", "0", "--hostname", "127.0.0.1"], {
    cwd: folder,
    env,
    // A process group of its own, so that the MCP servers can be ended with it.
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const end = () => void endGroup(child);
  const stop = () => process.exit(1);
  process.once("exit", end);
  // Without these, whoever interrupts the tests leaves the host behind.
  for (const signal of SIGNALS) process.once(signal, stop);
  const printed = collect(child);
  const url = await listening(child, printed).catch((error) => {
    end();
    throw error;
  });

  /**
   * @param {string} method @param {string} path
   * @param {{ directory: string, body?: object }} given
   * @returns {Promise<any>}
   */
  async function call(method, path, { directory, body }) {
    const response = await fetch(`${url}${path}?directory=${encodeURIComponent(directory)}`, {
      method,
      headers: { "Content-Type": "application/json" },
      body: body && JSON.stringify(body),
      signal: AbortSignal.timeout(MOST_TO_ANSWER),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text === "" ? undefined : JSON.parse(text);
  }

  return {
    call,
    /** @param {string} directory @param {{ title?: string, parentID?: string }} [fields] */
    async session(directory, fields = {}) {
      const { id } = await call("POST", "/session", { directory, body: fields });
      return {
        id: /** @type {string} */ (id),
        /** Resolves when the turn is over. @param {string} text @param {object} [more] fields of the message */
        prompt: (text, more = {}) =>
          call("POST", `/session/${id}/message`, { directory, body: { parts: [{ type: "text", text }], ...more } }),
      };
    },
    /** What it and its plugins printed. */
    printed: () => printed.join(""),
    /** Its own log. */
    log: () => readFileSync(join(env.XDG_DATA_HOME, "opencode", "log", "opencode.log"), "utf8"),
    async close() {
      process.removeListener("exit", end);
      for (const signal of SIGNALS) process.removeListener(signal, stop);
      await endGroup(child);
    },
  };
}

/** @typedef {Awaited<ReturnType<typeof bootHost>>} Host */
/** @typedef {Awaited<ReturnType<Host["session"]>>} Session */

/** @param {string} folder */
function environment(folder) {
  const make = (/** @type {string} */ name) => {
    const path = join(folder, name);
    mkdirSync(path, { recursive: true });
    return path;
  };
  const XDG_CONFIG_HOME = make("config");
  const models = join(folder, "models.json");
  writeFileSync(models, "{}");
  pretendInstalled(join(XDG_CONFIG_HOME, "opencode"));
  return {
    PATH: `${standInForRipgrep(make("bin"))}${delimiter}${process.env.PATH}`,
    HOME: make("home"),
    TMPDIR: make("tmp"),
    XDG_DATA_HOME: make("data"),
    XDG_CONFIG_HOME,
    XDG_CACHE_HOME: make("cache"),
    XDG_STATE_HOME: make("state"),
    OPENCODE_DISABLE_AUTOUPDATE: "1",
    OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
    OPENCODE_DISABLE_MODELS_FETCH: "1",
    OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
    OPENCODE_MODELS_PATH: models,
    // Whoever tries the network nevertheless learns at once that there is none.
    HTTP_PROXY: "http://127.0.0.1:1",
    HTTPS_PROXY: "http://127.0.0.1:1",
    NO_PROXY: "127.0.0.1,localhost",
  };
}

/**
 * With any plugin configured, a start waits until a package of the host's own is installed into its configuration folder,
 * for half a minute where there is no network. It takes a lock file that names the package for the proof that it is.
 * @param {string} folder
 */
function pretendInstalled(folder) {
  mkdirSync(join(folder, "node_modules"), { recursive: true });
  const packages = { "": { dependencies: { "@opencode-ai/plugin": VERSION } } };
  writeFileSync(join(folder, "package-lock.json"), JSON.stringify({ packages }));
}

/**
 * The host downloads ripgrep where there is none. Here nothing is searched for, so nothing needs to be found.
 * @param {string} folder
 */
function standInForRipgrep(folder) {
  writeFileSync(join(folder, "rg"), "#!/bin/sh\nexit 1\n", { mode: 0o755 });
  return folder;
}

/** @param {ChildProcess} child @returns {string[]} */
function collect(child) {
  /** @type {string[]} */
  const printed = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (text) => printed.push(text));
  }
  return printed;
}

/** @param {ChildProcess} child @param {string[]} printed @returns {Promise<string>} the address */
async function listening(child, printed) {
  for (const start = Date.now(); Date.now() - start < MOST_TO_BOOT; await sleep(50)) {
    const [, url] = /listening on (http:\S+)/.exec(printed.join("")) ?? [];
    if (url) return url;
    if (child.exitCode !== null) break;
  }
  throw new Error(`OpenCode did not start: ${printed.join("")}`);
}

/** @param {ChildProcess} child */
async function endGroup(child) {
  const { pid } = child;
  if (pid === undefined) return;
  const gone =
    child.exitCode !== null || child.signalCode !== null
      ? undefined
      : new Promise((resolve) => child.once("exit", resolve));
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // None of the group is left.
  }
  await gone;
}
