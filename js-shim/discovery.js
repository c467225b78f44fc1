// The tools by which the model finds what no list shows. What they are called, what they say and what they answer
// comes from the core; here they get the host's lists, and their calls are carried to the core.
import { encode } from "./encoded-list.js";
import { isText } from "./values.js";
import { list } from "./inventory.js";
import { asToolOf2 } from "./tool-forms.js";

/** @typedef {import("./core.js").Glue} Glue */
/** @typedef {{ name: string, description: string, input: { properties: Record<string, object>, required?: string[] } }} Definition */
/** @typedef {{ tools?: string, skills?: string }} Lists flat, as `crate/src/discovery/documents.rs` reads them */

/** Said to the model when the core cannot answer. */
const OUT_OF_ORDER = "This does not work now; go on without it.";

/** One module serves all instances of the plugin in a process. */
let instances = 0;

/**
 * @param {{ config: any, guard: any, now: () => number, status: import("./status.js").Status }} engine
 * @param {() => Promise<Lists>} readLists gives the same object as long as nothing changed
 */
export function createFinder({ config, guard, now, status }, readLists) {
  instances += 1;
  const instance = instances;
  /** @type {{ core: Glue, lists: Lists } | undefined} what was told to which core */
  let told;
  const call = guard(async (/** @type {Glue} */ core, /** @type {string} */ name, /** @type {any} */ input, /** @type {any} */ context) => {
    const session = isText(context?.sessionID) ? context.sessionID : "";
    if (name === "jev_status") return status.asJSON(session, input?.name);
    const lists = await readLists();
    const since = now();
    if (told?.core !== core || told.lists !== lists) {
      core.listFor(instance, lists.tools, lists.skills, config);
      told = { core, lists };
    }
    const answer = core.callTool(name, JSON.stringify(input ?? {}), session, instance, config);
    status.noteSearch(now() - since);
    return answer;
  });
  return {
    /** @param {Glue} core @returns {Definition[]} */
    definitions: (core) => core.discoveryTools(config),
    /** @param {string} name @param {any} input @param {any} context of the call, as the host gives it @returns {Promise<string>} */
    call: async (name, input, context) => (await call(name, input, context)) ?? OUT_OF_ORDER,
  };
}

/**
 * Reads the lists of OpenCode 2, where it has them.
 * @param {any} ctx @param {number} timeoutMs @param {() => any[] | undefined} registered the tools as they are registered, for
 *   a host that lists none
 */
export function hostLists(ctx, timeoutMs, registered) {
  /** @type {{ key: unknown[], lists: Lists }} */
  let known = { key: [], lists: {} };
  return async () => {
    const [listed, skills] = await Promise.all([
      list(() => ctx?.tool?.list?.(), timeoutMs),
      list(() => ctx?.skill?.list?.(), timeoutMs),
    ]);
    const tools = listed ?? registered();
    const key = [...keyOf(tools, ["id", "description", "input"]), ...keyOf(skills, ["id", "name", "description"])];
    if (key.length !== known.key.length || key.some((value, at) => value !== known.key[at])) {
      known = { key, lists: { tools: tools && flatTools(tools), skills: skills && flatSkills(skills) } };
    }
    return known.lists;
  };
}

/** What tells whether a list is another one. @param {any[] | undefined} items @param {string[]} fields */
const keyOf = (items, fields) => [items?.length, ...(items ?? []).flatMap((item) => fields.map((field) => item?.[field]))];

/** @param {any[]} tools */
export function flatTools(tools) {
  // A list of thousands is indexed while somebody waits, and an array for each of them would take a tenth of that time.
  const fields = [];
  for (const { id, name, description, input, options } of tools) {
    fields.push(id, name, options?.namespace, description, options?.codemode === false ? "native" : "", json(input));
  }
  return encode(fields);
}

/** @param {any[]} skills */
function flatSkills(skills) {
  return encode(skills.flatMap(({ id, name, description }) => [id, name, "", description, "skill", ""]));
}

/** @param {unknown} value */
export function json(value) {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

/**
 * As OpenCode 2 takes them.
 * @param {ReturnType<typeof createFinder>} finder @param {Definition[]} definitions
 */
export const finderTools = (finder, definitions) => definitions.map(({ name, description, input }) =>
  asToolOf2({ name, description, input, call: (given, context) => finder.call(name, given, context) }));
