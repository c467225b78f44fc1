/**
 * A headless Chromium, spoken to over two pipes (its DevTools protocol), so that no further package is needed. It opens
 * pages, changes between light and dark, and tells what a page asked the network for.
 */

import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** @import { Readable, Writable } from "node:stream" */

const NAMES = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"];

/** The browser of this machine, if it has one. @returns {string | undefined} */
export function findBrowser() {
  const wanted = process.env.CHROMIUM ? [process.env.CHROMIUM] : NAMES;
  return wanted.find((name) => spawnSync(name, ["--version"], { stdio: "ignore" }).status === 0);
}

/** @typedef {{ id?: number, method?: string, params?: any, result?: any, error?: { message: string }, sessionId?: string }} Message */

/** @param {string} name of the program */
export async function openBrowser(name) {
  const profile = mkdtempSync(join(tmpdir(), "pruner-browser-"));
  const flags = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--remote-debugging-pipe", `--user-data-dir=${profile}`];
  const child = spawn(name, [...flags, "about:blank"], { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
  const [, , , to, from] = /** @type {[null, null, null, Writable, Readable]} */ (/** @type {unknown} */ (child.stdio));
  const ended = new Promise((resolve) => child.once("exit", resolve));
  /** @type {Map<number, (message: Message) => void>} */
  const waiting = new Map();
  /** @type {((message: Message) => void)[]} */
  const listeners = [];
  let count = 0;
  let open = "";
  from.setEncoding("utf8").on("data", (/** @type {string} */ text) => {
    // Each message ends with a NUL.
    const messages = (open + text).split("\0");
    open = messages.pop() ?? "";
    for (const message of messages.map((json) => JSON.parse(json))) {
      waiting.get(message.id)?.(message);
      waiting.delete(message.id);
      listeners.forEach((listen) => listen(message));
    }
  });

  /** @param {string} method @param {object} [params] @param {string} [sessionId] @returns {Promise<any>} */
  const send = (method, params = {}, sessionId) =>
    new Promise((resolve, reject) => {
      const id = ++count;
      waiting.set(id, ({ result, error }) => (error ? reject(new Error(`${method}: ${error.message}`)) : resolve(result)));
      to.write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    });

  return {
    /** @param {string} url @param {"light" | "dark"} scheme @param {number} width of the window */
    async page(url, scheme, width) {
      const { targetId } = await send("Target.createTarget", { url: "about:blank" });
      const { sessionId } = await send("Target.attachToTarget", { targetId, flatten: true });
      const own = (/** @type {string} */ method, /** @type {object} */ params = {}) => send(method, params, sessionId);
      /** @type {string[]} */
      const requested = [];
      /** @type {string[]} */
      const complaints = [];
      const loaded = new Promise((resolve) =>
        listeners.push(({ method, params, sessionId: from }) => {
          if (from !== sessionId) return;
          if (method === "Network.requestWillBeSent") requested.push(params.request.url);
          if (method === "Log.entryAdded") complaints.push(params.entry.text);
          if (method === "Page.loadEventFired") resolve(undefined);
        }),
      );
      await Promise.all(["Page.enable", "Network.enable", "Log.enable"].map((method) => own(method)));
      await own("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: scheme }] });
      await own("Emulation.setDeviceMetricsOverride", { width, height: 900, deviceScaleFactor: 1, mobile: false });
      await own("Page.navigate", { url });
      await loaded;
      return {
        requested,
        complaints,
        /** The value of an expression in the page. @param {string} expression @returns {Promise<any>} */
        evaluate: async (expression) => (await own("Runtime.evaluate", { expression, returnByValue: true })).result.value,
      };
    },
    async close() {
      await send("Browser.close").catch(() => {});
      await ended;
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
