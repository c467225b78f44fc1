/**
 * An invented but lifelike inventory: six MCP servers and the skills of sample-skills.js, with the irregular names,
 * nested schemas and awkward descriptions that real ones have. Nothing here says which of them a prompt needs.
 */

/** @import { JsonSchema, Server, Tool } from "./types.js" */

export { SAMPLE_SKILLS } from "./sample-skills.js";

/** @param {string} [description] @param {JsonSchema} [more] @returns {JsonSchema} */
const text = (description, more) => ({ type: "string", ...(description && { description }), ...more });
/** @param {string} description @param {JsonSchema} [more] @returns {JsonSchema} */
const whole = (description, more) => ({ type: "integer", description, ...more });
/** @param {string} description @param {boolean} [standard] @returns {JsonSchema} */
const flag = (description, standard = false) => ({ type: "boolean", description, default: standard });
/** @param {JsonSchema} items @param {string} [description] @param {JsonSchema} [more] @returns {JsonSchema} */
const list = (items, description, more) => ({ type: "array", items, ...(description && { description }), ...more });

/**
 * An object whose properties are required unless their name ends in a question mark.
 * @param {Record<string, JsonSchema>} fields
 * @returns {JsonSchema}
 */
function object(fields) {
  const entries = Object.entries(fields);
  const required = entries.filter(([name]) => !name.endsWith("?")).map(([name]) => name);
  return {
    type: "object",
    properties: Object.fromEntries(entries.map(([name, schema]) => [name.replace(/\?$/, ""), schema])),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  };
}

/**
 * @param {string} name
 * @param {string} description
 * @param {Record<string, JsonSchema>} [input]
 * @param {JsonSchema} [outputSchema]
 * @returns {Tool}
 */
const tool = (name, description, input = {}, outputSchema) => ({
  name,
  description,
  inputSchema: object(input),
  ...(outputSchema && { outputSchema }),
});

const page = {
  "limit?": whole("Rows per page", { default: 50, minimum: 1, maximum: 500 }),
  "cursor?": text("Where the page before ended"),
};
const repo = { owner: text("Account that owns the repository"), repo: text("Repository name") };

/** @type {Server} */
const postgres = {
  name: "postgres",
  instructions: [
    "Every statement runs in a transaction of its own.",
    "",
    "- Look at the tables before you write to them.",
    "- Ask for a plan first when a query may touch more than a million rows.",
  ].join("\n"),
  tools: [
    tool("query", "Read rows with one SQL statement that changes nothing.", {
      sql: text("One SELECT statement"),
      "params?": list({ type: ["string", "number", "boolean", "null"] }, "Values for $1, $2 and so on"),
      ...page,
    }),
    tool("execute_statement", "Run a statement that changes data, such as INSERT, UPDATE or DELETE.", {
      sql: text("One statement"),
      "dry_run?": flag("Roll back at the end"),
    }),
    tool("list_tables", "List the tables of a schema with their estimated row counts.", {
      "schema?": text("Schema name", { default: "public" }),
    }),
    tool(
      "describe_table",
      "Show columns, types, keys and indexes of a table.",
      { table: text("Table name, with its schema if that is not public") },
      object({
        columns: list(object({ name: text(), type: text(), "nullable?": { type: "boolean" } })),
        "primary_key?": list(text()),
      }),
    ),
    tool("explain_query", "Show the execution plan of a query without running it.", {
      sql: text("The query"),
      "format?": text("How the plan is written", { enum: ["text", "json"], default: "text" }),
    }),
    tool("create_index", "Create an index concurrently.", {
      table: text("Table name"),
      columns: list(text("", { minLength: 1 }), "Columns in order", { minItems: 1 }),
      "unique?": flag("Refuse duplicates"),
    }),
    tool("list_slow_queries", "List the statements that took longest in total.\nNeeds the statistics extension.", {
      "since?": text("Only later ones", { format: "date-time" }),
    }),
    tool("cancel_backend", "Cancel what a database session is doing.", {
      pid: whole("Process id of the session", { minimum: 1 }),
    }),
  ],
};

/** @type {Server} */
const codeForge = {
  name: "code-forge",
  tools: [
    tool("search_code", "Search code across repositories.", {
      query: text("Words, or an expression between slashes"),
      "language?": text("Programming language"),
      ...page,
    }),
    tool("get_file_contents", "Read a file or list a folder of a repository.", {
      ...repo,
      path: text("Path from the root"),
      "ref?": text("Branch, tag or commit", { default: "main" }),
    }),
    tool("create_branch", "Create a branch from another one.", {
      ...repo,
      branch: text("Name of the new branch", { pattern: "^[a-z0-9/_-]+$" }),
      "from?": text("Where it starts", { default: "main" }),
    }),
    tool("push_files", "Commit several files to a branch at once.", {
      ...repo,
      branch: text("Branch to commit to"),
      files: list(
        object({ path: text("Path from the root"), content: text("The whole new content") }),
        "What to write",
        { minItems: 1 },
      ),
      message: text("Commit message"),
    }),
    tool("create_pull_request", "Open a pull request.", {
      ...repo,
      title: text("Title"),
      head: text("Branch with the changes"),
      "base?": text("Branch that takes them", { default: "main" }),
      "body?": text("Description in Markdown"),
      "draft?": flag("Open as a draft"),
    }),
    tool("get_pull_request", "Show a pull request with its state, reviewers and checks.", {
      ...repo,
      number: whole("Number of the pull request"),
    }),
    tool("list_pull_requests", "List pull requests of a repository.", {
      ...repo,
      "state?": text("Which ones", { enum: ["open", "closed", "all"], default: "open" }),
      ...page,
    }),
    tool("merge_pull_request", "Merge a pull request once its checks have passed.", {
      ...repo,
      number: whole("Number of the pull request"),
      "method?": text("How", { enum: ["merge", "squash", "rebase"] }),
    }),
    tool("add_review_comment", "Comment on lines of a pull request's diff.", {
      ...repo,
      number: whole("Number of the pull request"),
      path: text("File"),
      line: {
        anyOf: [{ type: "integer" }, object({ start: whole("First line"), end: whole("Last line") })],
        description: "One line or a range",
      },
      body: text("The comment; a block comment like /* this */ is fine"),
    }),
    tool("list_workflow_runs", "List runs of the continuous integration, newest first.", {
      ...repo,
      "branch?": text("Only of this branch"),
      "status?": text("Only these", { enum: ["queued", "running", "failed", "passed"] }),
    }),
    tool(
      "get_job_log",
      "Read the log of a failed or finished job. Long logs are cut in the middle, so that the command line at the start and the error at the end are both kept.",
      {
        ...repo,
        job_id: whole("Job id"),
        "tail?": whole(
          "Only so many last lines. Leave it out to get the log as it is, which can be several megabytes for jobs that print every test they run",
          { minimum: 1 },
        ),
      },
    ),
    tool("create_release", "Publish a release for a tag.", {
      ...repo,
      tag: text("Tag name"),
      "notes?": text("Release notes"),
      "labels?": { type: "object", additionalProperties: { type: "string" }, description: "Free labels" },
    }),
  ],
};

/** @type {Server} */
const calendar = {
  name: "calendar",
  tools: [
    tool("events.list", "List events between two dates.", {
      from: text("First day", { format: "date" }),
      to: text("Last day", { format: "date" }),
      "calendar?": text("Calendar id", { default: "primary" }),
    }),
    tool("events.create", "Create an event and invite people.", {
      title: text("Title"),
      start: text("Start", { format: "date-time" }),
      end: text("End", { format: "date-time" }),
      "attendees?": list(text("", { format: "email" }), "Who is invited"),
      "remind?": {
        oneOf: [{ type: "integer" }, { type: "null" }],
        description: "Minutes before the start, null for never",
      },
    }),
    tool("events.update", "Move or change an event.", {
      id: text("Event id"),
      "start?": text("New start", { format: "date-time" }),
      "end?": text("New end", { format: "date-time" }),
      "notify?": flag("Tell the guests", true),
    }),
    tool("events.delete", "Cancel an event.", { id: text("Event id") }),
    tool("find_free_slot", "Find a time at which everybody is free for a meeting.", {
      people: list(text("", { format: "email" }), "Who has to be there", { minItems: 1, uniqueItems: true }),
      minutes: whole("How long", { minimum: 5, maximum: 480 }),
      "within?": object({ from: text("Earliest"), to: text("Latest") }),
    }),
    tool("list_calendars", "List the calendars of the account."),
  ],
};

/** @type {Server} */
const browser = {
  name: "page-pilot",
  codemode: false,
  tools: [
    tool("navigate", "Open an address in the browser.", { url: text("Address", { format: "uri" }) }),
    tool("click", "Click an element of the page.", {
      element: text("Reference from a snapshot"),
      "button?": text("Mouse button", { enum: ["left", "middle", "right"], default: "left" }),
    }),
    tool("fill_form", "Fill several fields of a web form.", {
      fields: list(object({ element: text("Reference from a snapshot"), value: text("What to enter") })),
    }),
    tool("snapshot", "Capture the accessibility tree of the page."),
    tool("take_screenshot", "Take a picture of the page or of one element.", {
      "element?": text("Reference from a snapshot"),
      "full_page?": flag("Beyond the visible part"),
    }),
    tool("evaluate", "Run JavaScript in the page.", { code: text("A function body") }),
    tool("console_messages", "Show what the page wrote to its console."),
    tool("network_requests", "List the requests of the page since it was opened."),
    tool("close", "Close the browser."),
  ],
};

/** @type {Server} */
const issueDesk = {
  name: "issue desk",
  instructions:
    "Issues are numbered per project, as in WEB-12.\nA closed issue is reopened by moving it, not by editing it.",
  tools: [
    tool("search issues", "Find issues by text, assignee, label or state.", {
      query: text("Words in title or body"),
      "assignee?": text("User name"),
      "labels?": list(text(), "All of these", { maxItems: 10 }),
      ...page,
    }),
    tool("get-issue", "Show an issue with its comments and history.", {
      key: text("Issue key", { pattern: "^[A-Z]+-\\d+$" }),
    }),
    tool("create-issue", "File a bug, a task or a story.", {
      project: text("Project key"),
      kind: text("What it is", { enum: ["bug", "task", "story"] }),
      title: text("One line"),
      "body?": text("Markdown"),
      "story points?": whole("Effort"),
    }),
    tool("move-issue", "Change the state of an issue.", {
      key: text("Issue key"),
      to: text("State to reach", { enum: ["open", "in progress", "in review", "done"] }),
    }),
    tool("add-comment", "Comment on an issue.", { key: text("Issue key"), body: text("Markdown") }),
    tool("list-sprints", "List the sprints of a board.", { board: whole("Board id") }),
    tool("log-work", "Book time on an issue.", {
      key: text("Issue key"),
      minutes: whole("How long", { exclusiveMinimum: 0, multipleOf: 5 }),
      "day?": text("Which day", { format: "date" }),
    }),
  ],
};

const reading = object({
  time: text("", { format: "date-time" }),
  celsius: { type: "number" },
  "rain_mm?": { type: "number", minimum: 0 },
});

/** @type {Server} */
const weather = {
  name: "weather",
  tools: [
    tool(
      "current_conditions",
      "Current temperature, wind and rain at a place.",
      { place: text("Town, or latitude and longitude") },
      object({ now: reading }),
    ),
    tool(
      "forecast",
      "Weather forecast for up to ten days.",
      {
        place: text("Town, or latitude and longitude"),
        "days?": whole("How many", { default: 3, minimum: 1, maximum: 10 }),
      },
      object({ place: text(), days: list(reading) }),
    ),
    tool("severe_warnings", "Storm, flood and heat warnings for a region.", {
      region: text("Region code", { minLength: 2, maxLength: 8 }),
    }),
  ],
};

/** @type {Server[]} */
export const SAMPLE_SERVERS = [postgres, codeForge, calendar, browser, issueDesk, weather];
