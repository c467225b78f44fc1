/**
 * A small labelled set over the stand-in host's sample servers and skills, so that the bench runs without any file. It
 * is too small to choose a default by.
 */

import { SAMPLE_SERVERS, SAMPLE_SKILLS } from "../../tests/mini-host/index.js";

/** @import { LabelledSet, Need } from "./labelled.js" */

/** @param {string} server @param {...string} tools @returns {Need[]} */
const of = (server, ...tools) => tools.map((tool) => ({ kind: "tool", tool, servers: [server] }));
/** @param {...string} ids @returns {Need[]} */
const skills = (...ids) => ids.map((id) => ({ kind: "skill", id }));

/** @type {LabelledSet} */
export const SAMPLE_TOOLS_SET = {
  name: "sample tools",
  servers: SAMPLE_SERVERS,
  skills: [],
  tasks: [
    { prompt: "Which SQL queries are slow, and what is their plan?", needs: of("postgres", "list_slow_queries", "explain_query") },
    { prompt: "List the tables of the public schema.", needs: of("postgres", "list_tables") },
    { prompt: "Open a pull request for my branch.", needs: of("code-forge", "create_pull_request") },
    { prompt: "Why did the last workflow run of the CI fail?", needs: of("code-forge", "list_workflow_runs") },
    { prompt: "Find a free slot for a meeting with Ana and create the event.", needs: of("calendar", "find_free_slot", "events.create") },
    { prompt: "Take a screenshot of the login page.", needs: of("page-pilot", "navigate", "take_screenshot") },
    { prompt: "File a bug about the broken export.", needs: of("issue desk", "create-issue") },
    { prompt: "Is there a storm warning for the coast?", needs: of("weather", "severe_warnings") },
  ],
};

/** @type {LabelledSet} */
export const SAMPLE_SKILLS_SET = {
  name: "sample skills",
  servers: [],
  skills: SAMPLE_SKILLS,
  tasks: [
    { prompt: "This CSV has broken encodings and duplicate rows.", needs: skills("csv-cleanup") },
    { prompt: "A test fails only sometimes, make it reliable.", needs: skills("flaky-tests") },
    { prompt: "Write up yesterday's outage.", needs: skills("incident-report") },
    { prompt: "Raise the library to its next major version.", needs: skills("dependency-upgrade") },
  ],
};
