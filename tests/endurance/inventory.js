/**
 * Servers and skills for many requests, and the plugin in a host of its own. Everything follows from a seed.
 */

import { setup } from "../../js-shim/plugin.js";
import { MiniHost } from "../mini-host/index.js";
import { oneOf } from "../sessions/random.js";

/** @import { Glue } from "../../js-shim/core.js" */
/** @import { HostOptions } from "../mini-host/host.js" */
/** @import { Server, Skill } from "../mini-host/types.js" */

export const KEY = "sk-endurance-0123456789abcdefghij";

/** Whether the long form was asked for, as `npm run test:...` does. */
export const FULL = process.env.JEV_PRUNER_FULL === "1";

const NOUNS = ["invoice", "branch", "sensor", "ticket", "table", "page", "parcel", "shift", "recipe", "contract"];
const VERBS = ["list", "create", "update", "archive", "search", "compare", "export", "approve"];

/** @param {() => number} random @returns {string} */
export const prompt = (random) => `Please ${oneOf(VERBS, random)} the ${oneOf(NOUNS, random)} of ${Math.floor(1e6 * random())} for me, and say how it went.`;

/** @param {number} count @param {() => number} random @param {{ native?: number }} [share] of servers with native tools @returns {Server[]} */
export function servers(count, random, { native = 0.3 } = {}) {
  return NOUNS.slice(0, count).map((noun) => ({
    name: `${noun}-desk`,
    instructions: `Everything about one ${noun} at a time.`,
    tools: VERBS.filter(() => random() < 0.7).map((verb) => ({
      name: `${verb}_${noun}`,
      description: `Can ${verb} a ${noun} of the company.`,
      inputSchema: { type: "object", properties: { id: { type: "string", description: `Which ${noun}` } }, required: ["id"] },
    })),
    ...(random() < native && { codemode: false }),
  }));
}

/** @param {number} count @returns {Skill[]} */
export const skills = (count) =>
  Array.from({ length: count }, (_, at) => {
    const id = `${VERBS[at % VERBS.length]}-${NOUNS[at % NOUNS.length]}-${at}`;
    return { id, name: id, description: `How to ${VERBS[at % VERBS.length]} a ${NOUNS[at % NOUNS.length]}, way ${at}.` };
  });

/**
 * A host with the plugin in it, whose reports are noted.
 * @param {Glue} core shared by all of a process, as in OpenCode
 * @param {{ host: HostOptions, options: Record<string, unknown>, fetch?: typeof globalThis.fetch }} wishes
 */
export async function hostWith(core, { host: hostOptions, options, fetch }) {
  /** @type {any[]} */
  const reports = [];
  const host = new MiniHost({ ctx: { mcpList: true }, ...hostOptions });
  const plugin = { id: "opencode-jev-pruner", setup: (/** @type {any} */ ctx) => setup(ctx, { load: () => core, noteReport: (report) => reports.push(report), fetch }) };
  await host.load(plugin, { jev_api_key: KEY, ...options });
  return { host, reports };
}
