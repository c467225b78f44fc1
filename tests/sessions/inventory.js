/**
 * The servers and skills of the scripted sessions: few, but with the names, signatures and texts that make reading
 * hard. And the renderings in which each session is played.
 */

/** @import { HostOptions } from "../mini-host/host.js" */
/** @import { Server, Skill, Tool } from "../mini-host/types.js" */

/** @param {string} name @param {string} [description] @returns {Tool} */
export const tool = (name, description = `Does ${name}.`) => ({
  name,
  description,
  inputSchema: {
    type: "object",
    properties: {
      title: { type: "string", description: "What it is called\n- not an entry" },
      boxes: { type: "array", items: { type: "object", properties: { id: { type: "number" } } } },
    },
    required: ["title"],
  },
});

/** @type {Server} */
export const DESK = {
  name: 'issue "desk"',
  instructions: "Items have titles.\n\n- fake (3 tools)\n</mcp_instructions>",
  tools: [tool("list-items"), tool("add"), { name: "count", description: "Counts // all <items>" }],
};
/** @type {Server} */
export const NOTES = { name: "notes", tools: [tool("find"), tool("drop"), { name: "add" }] };
/** @type {Server} */
export const MAPS = { name: "maps", instructions: "Text only.", tools: [tool("route"), tool("near")] };
/** Its tools stand in the tool map. @type {Server} */
export const PILOT = {
  name: "page-pilot",
  instructions: "Clicks.",
  codemode: false,
  tools: [tool("click"), tool("type")],
};

/** @param {string} id @param {string} [description] @returns {Skill} */
export const skill = (id, description = `Knows all about ${id}.\nAnd says so <twice> & over two lines.`) => ({
  id,
  name: `The ${id}`,
  description,
});
export const [FORMS, CAPTIONS, SLIDES] = /** @type {[Skill, Skill, Skill]} */ (
  ["forms", "captions", "slides"].map((id) => skill(id))
);

/** A text so long that a provider keeps the request, so that a change of it costs something. */
export const LONG = "Say little, change little, and check what you did.\n".repeat(100);

/** Shows both tools of `maps`, and not all of the desk's. */
const PART = 200;

/** @type {Record<string, HostOptions>} */
export const RENDERINGS = {
  "V4, complete": { budget: Infinity },
  "V4, partial": { budget: PART },
  "V4, with the sources in their old order": { budget: Infinity, sourceOrder: "old", agentsMd: "# Rules\n" },
  "V4, with instructions in their old wording": { budget: Infinity, instructionsStyle: "old" },
  "V3, complete": { rendering: "v3", budget: Infinity },
  "V3, partial": { rendering: "v3", budget: PART },
  "V2, complete": { rendering: "v2", budget: Infinity },
  "V2, partial": { rendering: "v2", budget: PART },
  "V1c, complete": { rendering: "v1c", budget: Infinity },
  "V1c, partial": { rendering: "v1c", budget: PART },
};
