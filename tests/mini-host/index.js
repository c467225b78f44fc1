/**
 * The stand-in host as tests import it. What each part does is told in its own file.
 */

export { catalogEntry, renderCatalog, renderCatalogV1c } from "./catalog.js";
export { renderChanges } from "./changes.js";
export { MiniHost } from "./host.js";
export { HOST_TOOLS } from "./host-tools.js";
export { renderInstructions } from "./instructions.js";
export { nativeName, sanitise, toolPath } from "./names.js";
export { SAMPLE_SERVERS, SAMPLE_SKILLS } from "./samples.js";
export { typeText } from "./schema-types.js";
export { renderSkills, renderSkillsV1 } from "./skills.js";
export { readServers, readSkills, serversFrom, skillsFrom } from "./tool-lists.js";
