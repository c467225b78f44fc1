/**
 * Reads what a request shows, by line patterns alone and unlike the plugin does: enough to say which servers, tools and
 * skills are left. Whether every byte is right is for the tests that compare texts.
 */

/** @import { Transcript } from "../mini-host/types.js" */

/**
 * @param {Pick<Transcript, "system" | "messages" | "tools">} transcript
 */
export function shown({ system, messages, tools }) {
  const texts = [
    ...system.map(({ text }) => text),
    ...messages
      .filter(({ role }) => role === "system")
      .flatMap(({ content }) => content.map(({ text }) => String(text))),
    tools.execute?.description ?? "",
  ];
  return { ...shownIn(texts.join("\n\n")), native: Object.keys(tools) };
}

/** @param {string} text */
export function shownIn(text) {
  const all = (/** @type {RegExp} */ pattern) => [...text.matchAll(pattern)].map(([, found]) => String(found));
  return {
    /** Header lines by namespace, with what stands in their brackets. */
    namespaces: Object.fromEntries(
      [...text.matchAll(/^- ([A-Za-z0-9_-]+) \((\d+ tools?(?:, \S+ shown)?)\)/gm)].map(([, name, label]) => [
        name,
        label,
      ]),
    ),
    /** As `server.tool`. */
    tools: all(/^ {2}- tools([.[].*?)\(/gm).map(dotted),
    instructions: all(/^ {2}<server name="(.*)">$/gm),
    skills: all(/^ {4}<id>(.*)<\/id>$/gm),
  };
}

/** `["issue-desk"].list` as `issue-desk.list`. @param {string} path */
const dotted = (path) => path.replaceAll(/\["(.*?)"\]/g, ".$1").slice(1);
