/**
 * Says what Jev answers, by the names of servers, tools and skills rather than by the ids of questions.
 *
 *     scriptOf({ servers: { postgres: 0.9 }, tools: { "postgres.query": 0.1 }, otherwise: 0.5 })
 */

/** @import { Script } from "../fake-jev/answers.js" */

/**
 * Servers by the name that is asked about, tools by `server.tool`, skills by id. All others get `otherwise`, which is 0
 * if it is not given.
 * @typedef {object} Scores
 * @property {Record<string, number>} [servers]
 * @property {Record<string, number>} [tools]
 * @property {Record<string, number>} [skills]
 * @property {number} [otherwise]
 */

/** @typedef {{ kind: "server" | "tool" | "skill", name: string }} Subject */

/** @param {Scores} scores @returns {Script} */
export const scriptOf = (scores) => (question, _state, id) => scoreOf(scores, id, String(question.instructions));

/** @param {Scores} scores @param {string} id @param {string} instructions */
export function scoreOf(scores, id, instructions) {
  const { kind, name } = subjectOf(id, instructions);
  return scores[`${kind}s`]?.[name] ?? scores.otherwise ?? 0;
}

/**
 * Whom a question is about: its id tells the kind, the quoted names in front of the question mark tell the rest.
 * @param {string} id
 * @param {string} instructions
 * @returns {Subject}
 */
export function subjectOf(id, instructions) {
  const asked = instructions.split('"?', 1)[0] + '"';
  const names = [...asked.matchAll(/"([^"]*)"/g)].map(([, name]) => name);
  const kind = KINDS[id.charAt(0)];
  if (!kind) throw new Error(`a question with the id ${id}`);
  return { kind, name: kind === "tool" ? `${names[1]}.${names[0]}` : String(names[0]) };
}

/** @type {Record<string, Subject["kind"]>} */
const KINDS = { s: "server", t: "tool", k: "skill" };

/**
 * All subjects of a request, as `server postgres`, `tool postgres.query`, `skill pdf-forms`.
 * @param {{ questions: Record<string, { instructions: string }> } | undefined} body
 */
export const subjects = (body) =>
  Object.entries(body?.questions ?? {}).map(([id, { instructions }]) => {
    const { kind, name } = subjectOf(id, instructions);
    return `${kind} ${name}`;
  });
