/**
 * Renders the skills section of the instructions (opencode-host.md §8). Loaded skills, which are `<skill_content>`
 * blocks in messages, are none of its business.
 */

/** @import { Skill } from "./types.js" */

/**
 * Nothing is escaped, and further lines of a description start in column 0.
 * @param {Skill[]} skills
 * @returns {string | undefined} nothing when there is no skill to show
 */
export function renderSkills(skills) {
  const listed = skills
    .filter((skill) => skill.description && skill.autoinvoke !== false)
    .sort((a, b) => a.id.localeCompare(b.id));
  if (listed.length === 0) return undefined;
  return [
    "Skills provide specialized instructions and workflows for specific tasks.",
    "Use the skill tool to load a skill when a task matches its description.",
    "The user may also invoke a skill directly. Its text then stands in the conversation as <skill_content>, as if the tool had loaded it.",
    "<available_skills>",
    ...listed.flatMap(element),
    "</available_skills>",
  ].join("\n");
}

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
