/**
 * The Code Mode catalogs that the stand-in host writes, and the types in them. Every expected text follows from
 * opencode-host.md §6, not from a run of the code.
 */

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { SAMPLE_SERVERS, renderCatalog, renderCatalogV1c, typeText } from "./mini-host/index.js";

/** @import { JsonSchema, Server } from "./mini-host/types.js" */

/** @param {JsonSchema} schema */
const field = (schema) => typeText({ type: "object", properties: { field: schema } });
/** @param {string[]} lines */
const lines = (...lines) => lines.join("\n");
/** @param {string} name @param {string[]} tools @returns {Server} */
const server = (name, ...tools) => ({ name, tools: tools.map((name) => ({ name })) });
/** @param {string} catalog */
const listing = (catalog) => catalog.slice(catalog.indexOf("\n\n", catalog.indexOf("\n## Available tools")) + 2);

describe("a type", () => {
  /** @type {Array<[string, JsonSchema, string]>} */
  const plain = [
    ["a string", { type: "string" }, "string"],
    ["a whole number", { type: "integer" }, "number"],
    ["an array", { type: "array", items: { type: "boolean" } }, "Array<boolean>"],
    [
      "an array of arrays",
      { type: "array", items: { type: "array", items: { type: "number" } } },
      "Array<Array<number>>",
    ],
    ["an array of anything", { type: "array" }, "Array<unknown>"],
    ["several types", { type: ["string", "null"] }, "string | null"],
    ["a union", { anyOf: [{ type: "boolean" }, { type: "string" }] }, "boolean | string"],
    ["an enum", { type: "string", enum: ["a", "b c"] }, '"a" | "b c"'],
    ["a constant", { const: 3 }, "3"],
    ["an intersection of unions", { allOf: [{ enum: [1, 2] }, { type: "number" }] }, "(1 | 2) & number"],
    ["an object without properties", { type: "object" }, "{}"],
    ["nothing at all", {}, "unknown"],
    ["a union with something unknown", { anyOf: [{ type: "string" }, {}] }, "unknown"],
  ];
  for (const [name, schema, expected] of plain) {
    test(`of ${name} is ${expected}`, () => assert.equal(typeText(schema), expected));
  }

  test("of an object has a line for each property, optional ones with a question mark", () => {
    const schema = { type: "object", properties: { a: { type: "string" }, b: { type: "number" } }, required: ["a"] };
    assert.equal(typeText(schema), lines("{", "  a: string,", "  b?: number,", "}"));
  });

  test("quotes property names that are no identifiers", () => {
    assert.equal(
      typeText({ type: "object", properties: { "x y": { type: "number" } } }),
      lines("{", '  "x y"?: number,', "}"),
    );
  });

  test("has an index line for further properties of a known type", () => {
    const schema = { type: "object", additionalProperties: { type: "string" } };
    assert.equal(typeText(schema), lines("{", "  [key: string]: string,", "}"));
  });

  test("indents an object in an object by one level and one in an array by two", () => {
    const leaf = { type: "object", properties: { id: { type: "string" } } };
    assert.equal(
      typeText({ type: "object", properties: { one: leaf, many: { type: "array", items: leaf } } }),
      lines("{", "  one?: {", "    id?: string,", "  },", "  many?: Array<{", "      id?: string,", "    }>,", "}"),
    );
  });

  test("follows references to definitions", () => {
    assert.equal(typeText({ $ref: "#/$defs/id", $defs: { id: { type: "string" } } }), "string");
  });

  test("of a schema that contains itself ends in unknown", () => {
    const node = { type: "object", properties: { next: { $ref: "#/$defs/node" } } };
    assert.equal(typeText({ $ref: "#/$defs/node", $defs: { node } }), lines("{", "  next?: unknown,", "}"));
  });
});

describe("the comment above a property", () => {
  /** @type {Array<[string, JsonSchema, string[]]>} */
  const cases = [
    ["holds its description", { description: "How many" }, ["  /** How many */"]],
    [
      "puts a full stop before a constraint",
      { description: "How many", default: 3 },
      ["  /** How many. @default 3 */"],
    ],
    ["does not double a full stop", { description: "Done.", default: false }, ["  /** Done. @default false */"]],
    ["can be a constraint alone", { default: "Text" }, ['  /** @default "Text" */']],
    [
      "tells constraints in one order",
      { type: "integer", maximum: 9, minimum: 1, format: "int32", default: 3 },
      ["  /** @default 3 @format int32 @integer @minimum 1 @maximum 9 */"],
    ],
    ["tells a pattern", { pattern: "^[a-z]+$" }, ["  /** @pattern ^[a-z]+$ */"]],
    [
      "tells the constraints of an array's items",
      { type: "array", items: { minLength: 1 } },
      ["  /** Each item: @minLength 1 */"],
    ],
    [
      "tells an array's own description first",
      { type: "array", description: "Who comes.", items: { minLength: 1 } },
      ["  /**", "   * Who comes.", "   * Each item: @minLength 1", "   */"],
    ],
    [
      "tells the constraints of a map's values",
      { type: "object", additionalProperties: { format: "uri" } },
      ["  /** Each value: @format uri */"],
    ],
    [
      "keeps the lines of a description, blank ones as a bare star",
      { description: "One\n\nTwo" },
      ["  /**", "   * One", "   *", "   * Two", "   */"],
    ],
    ["cannot be ended by its text", { description: "a */ b" }, ["  /** a * / b */"]],
    ["fits a line of 120 characters", { description: "x".repeat(111) }, [`  /** ${"x".repeat(111)} */`]],
    ["becomes a block beyond that", { description: "x".repeat(112) }, ["  /**", `   * ${"x".repeat(112)}`, "   */"]],
    [
      "puts constraints on a line of their own when they do not fit",
      { description: "x".repeat(110), default: 1 },
      ["  /**", `   * ${"x".repeat(110)}`, "   * @default 1", "   */"],
    ],
  ];
  for (const [name, schema, comment] of cases) {
    test(name, () =>
      assert.deepEqual(
        field(schema)
          .split("\n")
          .slice(1, 1 + comment.length),
        comment,
      ),
    );
  }
});

describe("a complete catalog", () => {
  /** @type {Server[]} */
  const servers = [
    {
      name: "recipes",
      tools: [
        {
          name: "find",
          description: "Cook with what is there",
          inputSchema: { type: "object", properties: { pantry: { type: "string" } }, required: ["pantry"] },
          outputSchema: { type: "string" },
        },
        { name: "scale-up" },
      ],
    },
    { name: "help desk!", tools: [{ name: "show.queue", description: "  Who is waiting  \nand more" }] },
  ];

  test("lists namespaces and tools by code unit, with exact paths and signatures", () => {
    assert.equal(
      listing(renderCatalog(servers)),
      lines(
        "- help_desk_ (1 tool)",
        "  - tools.help_desk_.show_queue(): Promise<unknown> // Who is waiting",
        "- recipes (2 tools)",
        "  - tools.recipes.find({",
        "  pantry: string,",
        "}): Promise<string> // Cook with what is there",
        '  - tools.recipes["scale-up"](): Promise<unknown>',
      ),
    );
  });

  test("begins with its heading and says that it is complete", () => {
    const paragraphs = renderCatalog(servers).split("\n\n");
    assert.equal(paragraphs[0], "# Code Mode");
    assert.match(paragraphs[1] ?? "", /^Use the `execute` tool .*$/);
    assert.match(paragraphs[2] ?? "", /^The catalog is complete\. .*$/);
    assert.equal(paragraphs[3], "## Available tools");
    assert.equal(paragraphs.length, 5);
  });

  test("cuts a description of more than 120 characters to 117 and dots", () => {
    /** @param {string} description */
    const shown = (description) =>
      listing(renderCatalog([{ name: "a", tools: [{ name: "t", description }] }])).split(" // ")[1];
    assert.equal(shown("x".repeat(120)), "x".repeat(120));
    assert.equal(shown("x".repeat(121)), `${"x".repeat(117)}...`);
  });

  test("sorts capitals before small letters and a dash before an underscore", () => {
    const catalog = listing(renderCatalog([server("a_b", "t"), server("a-b", "t"), server("B", "t")]));
    assert.deepEqual(catalog.match(/^- \S+/gm), ["- B", "- a-b", "- a_b"]);
  });

  test("shows a namespace description unescaped", () => {
    const described = { ...server("a", "t"), description: "Things // of <all> kinds" };
    assert.match(listing(renderCatalog([described])), /^- a \(1 tool\) \/\/ Things \/\/ of <all> kinds\n/);
  });

  test("leaves out servers without Code Mode, servers without tools and names over 64 characters", () => {
    const servers = [{ ...server("native", "t"), codemode: false }, server("empty"), server("a", "t", "x".repeat(65))];
    assert.equal(listing(renderCatalog(servers)), lines("- a (1 tool)", "  - tools.a.t(): Promise<unknown>"));
  });

  test("without any tool is one sentence", () => {
    assert.match(renderCatalog([]), /^No Code Mode tools are currently available\.[^\n]*$/);
  });
});

describe("a partial catalog", () => {
  // "- a (2 tools, none shown)" has 25 characters and costs 6; "  - tools.a.x(): Promise<unknown>" has 33 and costs 8.
  const header = 6;
  const entry = 8;
  /** @param {Server[]} servers @param {number} budget */
  const shown = (servers, budget) =>
    listing(renderCatalog(servers, { budget }))
      .split("\n")
      .map((line) => line.replace(/\(\): .*/, ""));

  test("pays for the headers of all namespaces before any entry", () => {
    const servers = [server("a", "x", "y"), server("b", "x", "y")];
    assert.deepEqual(shown(servers, 2 * header + entry - 1), [
      "- a (2 tools, none shown)",
      "- b (2 tools, none shown)",
    ]);
    assert.deepEqual(shown(servers, 2 * header + entry), [
      "- a (2 tools, 1 shown)",
      "  - tools.a.x",
      "- b (2 tools, none shown)",
    ]);
  });

  test("gives every namespace one entry before any gets a second", () => {
    const servers = [server("a", "x", "y"), server("b", "x", "y")];
    assert.deepEqual(shown(servers, 2 * header + 3 * entry), [
      "- a (2 tools)",
      "  - tools.a.x",
      "  - tools.a.y",
      "- b (2 tools, 1 shown)",
      "  - tools.b.x",
    ]);
  });

  test("takes the cheapest entries and shows them in the order of their paths", () => {
    const longName = { name: "a", tools: [{ name: "long_name_here" }, { name: "z" }, { name: "y" }] };
    assert.deepEqual(shown([longName], header + 2 * entry), [
      "- a (3 tools, 2 shown)",
      "  - tools.a.y",
      "  - tools.a.z",
    ]);
  });

  test("lets the others go on when a namespace's next entry does not fit", () => {
    const costly = { name: "a", tools: [{ name: "x", description: "d".repeat(100) }] };
    assert.deepEqual(shown([costly, server("b", "x", "y")], 2 * header + 2 * entry), [
      "- a (1 tool, none shown)",
      "- b (2 tools)",
      "  - tools.b.x",
      "  - tools.b.y",
    ]);
  });

  test("says so and prints how to search, in column 0 and over several lines", () => {
    const paragraphs = renderCatalog([server("a", "x", "y")], { budget: 0 }).split("\n\n");
    assert.match(paragraphs[2] ?? "", /^The catalog is partial\. .*$/);
    assert.match(paragraphs[3] ?? "", /^- search\(\{\n {2}query\?: string,\n[^]*\n\}\): \{\n[^]*\n\}$/);
    assert.match(paragraphs[3] ?? "", /\n {2}items: Array<\{\n {6}path: string,\n/);
  });

  test("shows at most about 8,000 characters of listings unless told otherwise", () => {
    const many = Array.from({ length: 20 }, (_, at) => ({
      ...server(`s${at}`),
      tools: SAMPLE_SERVERS.flatMap(({ tools }) => tools),
    }));
    const length = listing(renderCatalog(many)).length;
    assert.ok(length > 7500 && length < 8500, String(length));
    assert.doesNotMatch(listing(renderCatalog(many, { budget: Infinity })), / shown\)/);
  });
});

describe("the beta's catalog", () => {
  const servers = [server("notes", "zip", "add"), server("Maps", "find")];

  test("names the argument, keeps empty brackets and the order of registration, and sorts namespaces as people do", () => {
    assert.equal(
      listing(renderCatalogV1c(servers)),
      lines(
        "- Maps (1 tool)",
        "  - tools.Maps.find(input: {}): Promise<unknown>",
        "- notes (2 tools)",
        "  - tools.notes.zip(input: {}): Promise<unknown>",
        "  - tools.notes.add(input: {}): Promise<unknown>",
      ),
    );
  });

  test("tells in its heading whether it is complete", () => {
    assert.match(renderCatalogV1c(servers), /^## Available tools \(COMPLETE list - /m);
    // Headers are free, and each of the entries costs 12.
    assert.match(renderCatalogV1c(servers, { budget: 24 }), /^## Available tools \(PARTIAL - 2 of 3 shown; /m);
  });

  test("ends with the search signature when it is partial", () => {
    const tail = listing(renderCatalogV1c(servers, { budget: 24 })).split("\n\n")[1] ?? "";
    assert.match(tail, /^Search returns complete callable signatures:\n- search\(input: \{\n/);
  });

  test("speaks of the available tools within a sentence too", () => {
    assert.match(renderCatalogV1c(servers), /[^\n]## Available tools/);
  });

  test("cuts a description to 119 characters and dots", () => {
    const tools = [{ name: "t", description: "x".repeat(121) }];
    assert.ok(renderCatalogV1c([{ name: "a", tools }]).endsWith(` // ${"x".repeat(119)}...`));
  });

  test("breaks no long comment, gives each constraint its line and leaves most of them out", () => {
    const inputSchema = {
      type: "object",
      properties: {
        n: { type: "integer", description: "x".repeat(200), minimum: 1 },
        m: { description: "M", default: 2 },
      },
    };
    assert.equal(
      listing(renderCatalogV1c([{ name: "a", tools: [{ name: "t", inputSchema }] }])),
      lines(
        "- a (1 tool)",
        "  - tools.a.t(input: {",
        `  /** ${"x".repeat(200)} */`,
        "  n?: number,",
        "  /**",
        "   * M",
        "   * @default 2",
        "   */",
        "  m?: unknown,",
        "}): Promise<unknown>",
      ),
    );
  });
});
