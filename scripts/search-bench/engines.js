/**
 * The engines that are compared. Each builds an index and gives a function that searches it; what a library recommends for
 * plain full text search is what it gets.
 */

import { createRequire } from "node:module";

import { textsOf } from "./data.js";

/** @import { Skill, Texts, Tool } from "./data.js" */

/** @typedef {(query: string, limit: number) => string[]} Search gives ids, the best first */
/**
 * `bytes` tells of memory that JavaScript does not count.
 * @typedef {{ prepare: (tools: Tool[]) => any, build: (prepared: any) => (query: string, limit: number) => unknown, ids: (found: any) => string[], skills: (skills: Skill[]) => Search,
 *   bytes?: () => number }} Engine
 */

const load = /** @type {(name: string) => any} */ (createRequire(import.meta.url));

export const OURS = "this plugin";

/** @param {Skill[]} skills @returns {Texts[]} */
const skillTexts = (skills) => skills.map(({ id, name, description }) =>
  textsOf({ id, name, description, input: {}, options: { namespace: "" } }));

/** @param {Texts} texts */
const joined = ({ server, name, description, parameters }) => [server, name, description, parameters].join(" ");

/** Punctuation means something in the query languages of some. @param {string} query */
const plain = (query) => query.replaceAll(/[^\p{L}\p{N} ]/gu, " ");

/** @param {(texts: Texts[]) => (query: string, limit: number) => any} build @param {(found: any) => string[]} ids @returns {Engine} */
const library = (build, ids = (found) => found) => ({
  prepare: (tools) => tools.map(textsOf),
  build,
  ids,
  skills: (skills) => {
    const search = build(skillTexts(skills));
    return (query, limit) => ids(search(query, limit));
  },
});

/** @type {Record<string, () => Promise<Engine>>} */
export const ENGINES = {
  [OURS]: async () => {
    const { loadCore } = await import("../../js-shim/core.js");
    const { flatTools } = await import("../../js-shim/discovery.js");
    const { encode } = await import("../../js-shim/encoded-list.js");
    const core = loadCore();
    const { config } = core.resolveOptions({ discovery: { enabled: true } }, {});
    /** @param {string} tool @param {string} query @param {number} limit */
    const call = (tool, query, limit) => core.callTool(tool, JSON.stringify({ query, limit }), "s", 1, config);
    const { memory } = core.initSync(/** @type {any} */ ({}));
    return {
      bytes: () => memory.buffer.byteLength,
      prepare: (tools) => tools,
      build: (tools) => {
        core.listFor(1, flatTools(tools), "", config);
        return (query, limit) => call("tool_search", query, limit);
      },
      ids: (answer) => JSON.parse(answer).tools.map((/** @type {any} */ { id }) => id),
      skills: (skills) => {
        core.listFor(1, "", encode(skills.flatMap(({ id, name, description }) => [id, name, "", description, "skill", ""])), config);
        return (query, limit) => JSON.parse(call("skill_search", query, limit)).skills.map((/** @type {any} */ { id }) => id);
      },
    };
  },

  "wink-bm25": async () => {
    const bm25 = load("wink-bm25-text-search");
    const nlp = load("wink-nlp-utils");
    const { string, tokens } = nlp;
    return library((all) => {
      const engine = bm25();
      engine.defineConfig({ fldWeights: { name: 1.5, server: 1, description: 1, parameters: 0.5 } });
      engine.definePrepTasks([string.lowerCase, string.tokenize0, tokens.removeWords, tokens.stem]);
      for (const { id, ...fields } of all) engine.addDoc(fields, id);
      engine.consolidate();
      return (query, limit) => engine.search(query, limit);
    }, (found) => found.map((/** @type {any} */ [id]) => id));
  },

  lunr: async () => {
    const lunr = load("lunr");
    // One field finds more here than four: 40% against 33% of the needed tools among the first five.
    return library((all) => {
      const index = lunr(/** @this {any} */ function () {
        this.ref("id");
        this.field("text");
        for (const texts of all) this.add({ id: texts.id, text: joined(texts) });
      });
      return (query, limit) => index.search(plain(query)).slice(0, limit);
    }, (found) => found.map((/** @type {any} */ { ref }) => ref));
  },

  minisearch: async () => {
    const MiniSearch = load("minisearch");
    return library((all) => {
      const index = new MiniSearch({ fields: ["server", "name", "description", "parameters"] });
      index.addAll(all);
      return (query, limit) => index.search(query).slice(0, limit);
    }, (found) => found.map((/** @type {any} */ { id }) => id));
  },

  flexsearch: async () => {
    const { Index } = load("flexsearch");
    return library((all) => {
      const index = new Index({ tokenize: "strict" });
      all.forEach((texts, at) => index.add(at, joined(texts)));
      return (query, limit) => index.search(query, { limit, suggest: true }).map((/** @type {number} */ at) => all[at]?.id);
    });
  },
};
