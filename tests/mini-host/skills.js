/**
 * Renders the skills section of the instructions (opencode-host.md §8). What is told of skills during a session stands
 * in changes.js; loaded skills, which are `<skill_content>` blocks in messages, are none of its business.
 */

/** @import { Skill } from "./types.js" */

/**
 * Nothing is escaped, and further lines of a description start in column 0.
 * @param {Skill[]} skills
 * @returns {string | undefined} nothing when there is no skill to show
 */
export function renderSkills(skills) {
  const listed = listedSkills(skills);
  if (listed.length === 0) return undefined;
  return [
    "Skills provide specialized instructions and workflows for specific tasks.",
    "Use the skill tool to load a skill when a task matches its description.",
    "The user may also invoke a skill directly. Its text then stands in the conversation as <skill_content>, as if the tool had loaded it.",
    "<available_skills>",
    ...skillElements(listed),
    "</available_skills>",
  ].join("\n");
}

/** @param {Skill[]} skills */
export const listedSkills = (skills) => skills.filter(isListed).sort((a, b) => a.id.localeCompare(b.id));

/**
 * @param {Skill[]} skills
 * @returns {string[]} lines
 */
export const skillElements = (skills) => skills.flatMap(element);

/**
 * As OpenCode 1.18 does: it orders skills by name, and tells where each is instead of its id. Only the place is
 * escaped.
 * @param {Array<Skill & { location: string }>} skills
 * @returns {string | undefined}
 */
export function renderSkillsV1(skills) {
  const listed = skills.filter(isListed).sort((a, b) => a.name.localeCompare(b.name));
  if (listed.length === 0) return undefined;
  return [
    "Skills provide specialized instructions and workflows for specific tasks.",
    "Use the skill tool to load a skill when a task matches its description.",
    "<available_skills>",
    ...listed.flatMap(({ name, description, location }) => [
      "  <skill>",
      `    <name>${name}</name>`,
      `    <description>${description}</description>`,
      `    <location>${escaped(location)}</location>`,
      "  </skill>",
    ]),
    "</available_skills>",
  ].join("\n");
}

/** @param {Skill} skill */
const isListed = ({ description, autoinvoke }) => Boolean(description) && autoinvoke !== false;

/** @param {string} text */
const escaped = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** @param {Skill} skill */
function element({ id, name, description }) {
  return [
    "  <skill>",
    `    <id>${id}</id>`,
    `    <name>${name}</name>`,
    `    <description>${description}</description>`,
    "  </skill>",
  ];
}
