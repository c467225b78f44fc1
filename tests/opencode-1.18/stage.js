/**
 * One running host with two projects that differ in nothing but this plugin, a model and a Jev: what all tests in the
 * real host share. It says what a request looked like with and without the plugin; what must be the same is told in the tests.
 *
 *     const stage = await openStage();
 *     stage.jev.settings.score = scriptOf({ skills: { tea: 0.9 } });
 *     const [request] = await stage.pruned.ask("How hot must the water be?");
 *     const [reference] = await stage.plain.ask("How hot must the water be?");
 */

import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { startFakeJev } from "../fake-jev/server.js";
import { pack } from "../package/pack.js";
import { bootHost } from "./host.js";
import { startModelServer } from "./model-server.js";
import { writeProject } from "./project.js";

/** @import { Host, Session } from "./host.js" */
/** @import { ModelRequest, ModelServer, Reply } from "./model-server.js" */
/** @import { Script } from "../fake-jev/answers.js" */

export const KEY = "sk-real-host-0123456789";

/** Long enough for a busy machine to answer in, short enough for a test to wait for. */
const JEV_TIMEOUT_MS = 2500;

export async function openStage() {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "opencode-1.18-")));
  const model = await startModelServer();
  let jev = await startFakeJev({ port: 0 });
  const { tarball } = await pack(folder);
  const folderOf = (/** @type {string} */ name) => join(folder, "projects", name);
  const projects = { plain: folderOf("plain"), pruned: folderOf("pruned"), forgetful: folderOf("forgetful"), finding: folderOf("finding") };
  writeProject({ directory: projects.plain, baseURL: model.baseURL });
  writeProject({
    directory: projects.pruned,
    baseURL: model.baseURL,
    plugin: {
      tarball,
      options: {
        jev_api_key: KEY,
        jev_endpoint: jev.url,
        jev_timeout_ms: JEV_TIMEOUT_MS,
        debug_log_file: "pruner.jsonl",
      },
    },
  });
  writeProject({
    directory: projects.forgetful,
    baseURL: model.baseURL,
    servers: [],
    plugin: { tarball, options: { history: { enabled: true, batch_tokens: 0, tools: { discard: true, nudge_frequency: 1 } } } },
  });
  writeProject({
    directory: projects.finding,
    baseURL: model.baseURL,
    servers: ["memory", "everything"],
    plugin: { tarball, options: { scorer: "none", debug_mode: true, discovery: { enabled: true, hide: ["memory"] } } },
  });
  const host = await bootHost(folder);
  // Both at once: each starts all its MCP servers.
  await Promise.all(Object.values(projects).map((directory) => host.call("GET", "/mcp", { directory })));
  return {
    host,
    model,
    get jev() {
      return jev;
    },
    /** Nobody listens at Jev's address while this runs. @param {() => Promise<void>} run */
    async withoutJev(run) {
      const { port, settings } = jev;
      await jev.close();
      try {
        await run();
      } finally {
        jev = await startFakeJev({ port, ...settings });
      }
    },
    /** Jev answers in time, completely, and as scripted. @param {Script} score */
    script(score) {
      const { settings } = jev;
      for (const name of /** @type {(keyof typeof settings)[]} */ (Object.keys(settings))) delete settings[name];
      settings.score = score;
    },
    /** Without the plugin. */
    plain: project(host, model, projects.plain),
    /** With it. */
    pruned: project(host, model, projects.pruned),
    /** With it, but without a key for Jev: only the history is pruned. */
    forgetful: project(host, model, projects.forgetful),
    /** With nothing of one server shown, and no key. */
    finding: project(host, model, projects.finding),
    /** What the plugin wrote to its debug log. @returns {any[]} */
    debugLog() {
      const file = join(projects.pruned, "pruner.jsonl");
      if (!existsSync(file)) return [];
      return readFileSync(file, "utf8")
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line));
    },
    async close() {
      await host.close();
      await Promise.all([jev.close(), model.close()]);
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** @typedef {Awaited<ReturnType<typeof openStage>>} Stage */

/** @param {Host} host @param {ModelServer} model @param {string} directory */
function project(host, model, directory) {
  /**
   * What the model was asked in a session and its children while something ran, titles left out and as it would be in any
   * folder.
   * @param {Session} session @param {() => Promise<unknown>} run
   */
  async function during({ id }, run) {
    const before = model.requests.length;
    await run();
    return model.requests
      .slice(before)
      .filter(({ isTitle, session, parent }) => !isTitle && (session === id || parent === id))
      .map((request) => inAnyFolder(request, directory));
  }
  /** A titled session, for which the host asks for no title. @param {object} [fields] */
  const titled = (fields) => host.session(directory, { title: "Test", ...fields });
  return {
    directory,
    session: titled,
    /**
     * Prompts a session and gives the requests of the turn.
     * @param {string} text
     * @param {{ session?: Session, replies?: Reply[], more?: object }} [given] `replies` is what the model says
     */
    async ask(text, { session, replies = [], more } = {}) {
      const used = session ?? (await titled());
      model.replies.push(...replies);
      return during(used, () => used.prompt(text, more));
    },
    /**
     * Asks the plugin by its command and gives the requests of the turn.
     * @param {string} words @param {{ session: Session }} given
     */
    command(words, { session }) {
      const body = { command: "jev", arguments: words };
      return during(session, () => host.call("POST", `/session/${session.id}/command`, { directory, body }));
    },
    /**
     * Prompts a session whose turn makes one request.
     * @param {string} text
     * @param {{ session?: Session, more?: object }} [given]
     */
    async askOnce(text, given) {
      const [request, ...others] = await this.ask(text, given);
      if (!request || others.length > 0) throw new Error(`${others.length + (request ? 1 : 0)} requests`);
      return request;
    },
    /** Compacts a session and gives the requests for that. @param {Session} session */
    compact(session) {
      const body = { providerID: "fake", modelID: "fake-1" };
      return during(session, () => host.call("POST", `/session/${session.id}/summarize`, { directory, body }));
    },
    /** What the host has stored of a session. @param {Session} session @returns {Promise<any[]>} */
    messages: ({ id }) => host.call("GET", `/session/${id}/message`, { directory }),
    /** The request for the title of a new session. @param {string} text its first prompt */
    async titleOf(text) {
      const before = model.requests.length;
      const { prompt } = await host.session(directory);
      await prompt(text);
      // The host asks for it beside the turn.
      for (let waited = 0; waited < 10_000; waited += 50) {
        const title = model.requests.slice(before).find(({ isTitle }) => isTitle);
        if (title) return inAnyFolder(title, directory);
        await sleep(50);
      }
      throw new Error("the host asked for no title");
    },
  };
}

/** @typedef {ReturnType<typeof project>} Project */

/** @param {ModelRequest} request @param {string} directory @returns {ModelRequest} */
const inAnyFolder = (request, directory) => JSON.parse(JSON.stringify(request).replaceAll(directory, "/project"));
