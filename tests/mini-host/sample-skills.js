/**
 * Twelve invented skills, one with a description over two lines that would be markup if anybody escaped it.
 */

/** @import { Skill } from "./types.js" */

/** @type {Skill[]} */
export const SAMPLE_SKILLS = [
  {
    id: "accessibility-audit",
    name: "Accessibility audit",
    description: "Check pages for contrast, focus order and labels. Use before a public launch.",
  },
  {
    id: "api-changelog",
    name: "API changelog",
    description: "Compare two versions of an OpenAPI file and write down what breaks clients.",
  },
  {
    id: "csv-cleanup",
    name: "CSV cleanup",
    description: "Repair messy CSV files: encodings, separators, dates and duplicate rows.",
  },
  {
    id: "dependency-upgrade",
    name: "Dependency upgrade",
    description: "Raise a library to its next major version and follow its migration guide.",
  },
  {
    id: "flaky-tests",
    name: "Flaky tests",
    description: "Find out why a test fails only sometimes and make it reliable.",
  },
  {
    id: "incident-report",
    name: "Incident report",
    description: "Write up an outage: timeline, causes & follow-ups, without blame.",
  },
  {
    id: "invoice-export",
    name: "Invoice export",
    description: "Turn booked hours into invoices as PDF and as structured e-invoice.",
  },
  {
    id: "query-tuning",
    name: "Query tuning",
    description: "Make a slow SQL query fast by reading its plan and choosing indexes.",
  },
  { id: "slide-deck", name: "Slide deck", description: "Draft a presentation from notes, one claim per slide." },
  {
    id: "terraform-review",
    name: "Terraform review",
    description: "Review infrastructure plans for cost, drift and open ports.",
  },
  {
    id: "translation-strings",
    name: "Translation strings",
    description:
      "Keep message catalogs complete and plural forms <one> & <other> consistent.\nA second line, as some authors write it.",
  },
  { id: "video-captions", name: "Video captions", description: "Write and time subtitles for a recorded talk." },
];
