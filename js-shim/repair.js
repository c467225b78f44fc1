// Lets the core mend the arguments of a tool call before it runs. The host says what the call is and how its tool wants
// to be called; what is mended, and whether, is decided in the core.
import { list } from "./inventory.js";
import { json } from "./discovery.js";

/**
 * The hook `execute.before` of OpenCode 2.
 * @param {any} ctx
 * @param {{ config: any, guard: any, lent: { log: import("./debug-log.js").Log } }} engine
 */
export function repairHook(ctx, { config, guard, lent }) {
  /** Schemas as JSON, by the tool's id. @type {Map<string, string | undefined>} */
  let schemas = new Map();

  /** @param {string} id */
  async function schemaOf(id) {
    if (!schemas.has(id)) {
      const tools = await list(() => ctx?.tool?.list?.(), config.jev_timeout_ms);
      schemas = new Map((tools ?? []).map((tool) => [tool?.id, json(tool?.input)]));
    }
    return schemas.get(id);
  }

  return guard(async (/** @type {import("./core.js").Glue} */ core, /** @type {any} */ event) => {
    if (typeof event?.tool !== "string") return;
    const schema = await schemaOf(event.tool);
    const input = json(event.input);
    if (schema === undefined || input === undefined) return;
    const [mended, ...paths] = core.repairArguments(String(event.sessionID ?? ""), input, schema);
    if (mended === undefined) return;
    event.input = JSON.parse(mended);
    lent.log("repaired", { session: event.sessionID, tool: event.tool, arguments: paths });
  });
}
