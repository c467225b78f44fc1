/**
 * What becomes of the host's texts and objects once it is decided what goes. Expected texts are cut out of the stand-in
 * host's renderings by plain string work, so every byte counts. What is decided and why is in deciding.test.js.
 */

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import {
  SAMPLE_SERVERS,
  SAMPLE_SKILLS,
  renderCatalog,
  renderCatalogV1c,
  renderInstructions,
  renderSkills,
} from "../mini-host/index.js";
import { EXECUTE, eventOf, hostEvent, systemMessage, textPart, userMessage, watch } from "./events.js";
import { nativeServer, server, skillList } from "./inventory.js";
import { shown, shownIn } from "./reading.js";
import { stage } from "./stage.js";
import {
  PARTIAL_LINE,
  V1C_HEADING,
  blockOf,
  cut,
  cutLines,
  elementOf,
  entryOf,
  saysPartial,
  skillOf,
  swap,
} from "./surgery.js";

/** @import { TestContext } from "node:test" */
/** @import { Scores } from "./scores.js" */

const PROSE = "Answer in short sentences.";
const RULES = "Instructions from: /project/AGENTS.md\nPrefer small commits.";

/** Of the samples, what has a namespace. */
const CODE_SERVERS = SAMPLE_SERVERS.filter(({ codemode }) => codemode !== false);
const NAMESPACES = Object.keys(shownIn(renderCatalog(CODE_SERVERS)).namespaces);

const TEXTS = {
  "V4 complete": renderCatalog(CODE_SERVERS, { budget: Infinity }),
  "V4 partial": renderCatalog(CODE_SERVERS),
  "V1c complete": renderCatalogV1c(CODE_SERVERS, { budget: Infinity }),
  "V1c partial": renderCatalogV1c(CODE_SERVERS),
};
/** How many tools the host counts. */
const TOTAL = CODE_SERVERS.reduce((sum, { tools }) => sum + tools.length, 0);

/** @typedef {(text: string) => any} Place puts a text into an event */
/** @type {Record<string, Place>} */
const PLACES = {
  "the first system part": (text) => eventOf({ system: [text, PROSE] }),
  "the last of three system parts": (text) => eventOf({ system: [PROSE, RULES, text] }),
  "a role-system message": (text) => eventOf({ messages: [systemMessage(text), userMessage("Do it")] }),
  "the second part of a role-system message": (text) =>
    eventOf({ messages: [userMessage("Do it"), systemMessage(PROSE, text), userMessage("Do more", "msg_2")] }),
  "the description of execute": (text) => eventOf({ execute: text }),
};

/** The text that an event of `PLACES` holds. @param {any} event @param {string} place */
function textAt(event, place) {
  const { system, messages, tools } = event;
  if (place === "the first system part") return system[0].text;
  if (place === "the last of three system parts") return system[2].text;
  if (place === "the description of execute") return tools.execute.description;
  const [message] = messages.filter((/** @type {any} */ { role }) => role === "system");
  return message.content.at(-1).text;
}

/**
 * What one text becomes.
 * @param {TestContext} t @param {string} text @param {Scores} scores @param {string} [place]
 * @returns {Promise<string>}
 */
async function rewritten(t, text, scores, place = "the first system part") {
  // Skills get no line of ours here, so that every byte is the host's.
  const { context } = await stage(t, { scores, options: { recovery_hint: !text.includes("<available_skills>") } });
  const event = /** @type {Place} */ (PLACES[place])(text);
  await context(event);
  return textAt(event, place);
}

/** Follows the counts of a heading of the July beta. @param {string} text @param {string} result @param {number} left */
function withHeading(text, result, left) {
  const [heading = ""] = V1C_HEADING.exec(text) ?? [];
  if (heading.includes("(PARTIAL - ")) return swap(text, heading, heading.replace(/\d+/, String(left)));
  const [now = ""] = V1C_HEADING.exec(result) ?? [];
  assert.ok(
    now.startsWith(`## Available tools (PARTIAL - ${left} of ${TOTAL} shown; find the rest with search(...)`),
    now,
  );
  assert.ok(now.endsWith(")"), now);
  return swap(text, heading, now);
}

/** What the head of a catalog says once something was taken out. @param {string} kind @param {string} text @param {string} result */
function follow(kind, text, result) {
  if (kind === "V4 complete") return saysPartial(text, result);
  if (kind === "V4 partial") return text;
  return withHeading(text, result, shownIn(result).tools.length);
}

const path = (/** @type {string} */ tool) =>
  tool
    .split(".")
    .map((name) => (/^[A-Za-z_$][\w$]*$/.test(name) ? `.${name}` : `["${name}"]`))
    .join("");

for (const [kind, catalog] of Object.entries(TEXTS)) {
  const text = `${PROSE}\n\n${catalog}\n\n${RULES}`;
  const listed = shownIn(text);

  describe(`a ${kind} catalog`, () => {
    for (const place of Object.keys(PLACES)) {
      test(`loses a rejected namespace with its entries in ${place}`, async (t) => {
        const result = await rewritten(t, text, { servers: { calendar: 0 }, otherwise: 1 }, place);
        assert.equal(result, follow(kind, cutLines(text, blockOf(text, "calendar")), result));
      });

      test(`loses a rejected entry with all its lines in ${place}, and the label follows`, async (t) => {
        const shownOf = listed.tools.filter((tool) => tool.startsWith("code-forge."));
        const rejected = String(shownOf.at(-1));
        const result = await rewritten(t, text, { tools: { [rejected]: 0 }, otherwise: 1 }, place);
        const left = shownOf.length - 1;
        const header = `- code-forge (${listed.namespaces["code-forge"]})`;
        const relabelled = swap(text, header, `- code-forge (12 tools, ${left} shown)`);
        assert.equal(result, follow(kind, cutLines(relabelled, entryOf(text, path(rejected))), result));
      });
    }

    for (const name of NAMESPACES) {
      test(`loses just ${name} when that is rejected`, async (t) => {
        const result = await rewritten(t, text, { servers: { [name]: 0 }, otherwise: 1 });
        assert.equal(result, follow(kind, cutLines(text, blockOf(text, name)), result));
      });

      test(`keeps just ${name} when all others are rejected`, async (t) => {
        const result = await rewritten(t, text, { servers: { [name]: 1 }, tools: ones(listed.tools) });
        const others = NAMESPACES.filter((other) => other !== name);
        const left = others.reduce((rest, other) => cutLines(rest, blockOf(rest, other)), text);
        assert.equal(result, follow(kind, left, result));
      });
    }

    test("keeps its head and what stands around it when every namespace is rejected", async (t) => {
      const result = await rewritten(t, text, {});
      const list = catalog.slice(catalog.indexOf(`- ${NAMESPACES[0]} (`)).split("\n\n")[0];
      assert.equal(result, follow(kind, cut(text, `\n\n${list}`), result));
    });

    test("is not touched when nothing is rejected", async (t) => {
      assert.equal(await rewritten(t, text, { otherwise: 1 }), text);
    });

    test("rewritten once is not rewritten again", async (t) => {
      const scores = { servers: { calendar: 0 }, tools: { [String(listed.tools.at(-1))]: 0 }, otherwise: 1 };
      const { context } = await stage(t, { scores });
      const event = eventOf({ system: [text] });
      await context(event);
      const unchanged = watch(event);
      await context(event);
      unchanged();
    });
  });
}

/** @param {string[]} names @returns {Record<string, number>} */
const ones = (names) => Object.fromEntries(names.map((name) => [name, 1]));

describe("a label", () => {
  const DESK = server("desk", ["add", "drop", "list"]);
  const NOTES = server("notes", ["find"]);

  for (const [what, kept, label] of /** @type {[string, string[], string][]} */ ([
    ["two of three", ["desk.add", "desk.drop"], "3 tools, 2 shown"],
    ["one of three", ["desk.list"], "3 tools, 1 shown"],
    ["all", ["desk.add", "desk.drop", "desk.list"], "3 tools"],
  ])) {
    test(`says how many are shown: ${what}`, async (t) => {
      const text = renderCatalog([DESK, NOTES]);
      const result = await rewritten(t, text, { servers: { desk: 1, notes: 1 }, tools: ones([...kept, "notes.find"]) });
      assert.equal(shownIn(result).namespaces.desk, label);
    });
  }

  for (const [servers, label] of /** @type {const} */ ([
    [[DESK, NOTES], "3 tools, none shown"],
    [[server("desk", ["add"]), NOTES], "1 tool, none shown"],
  ])) {
    test(`says that none is shown when a tool stays that is not listed here: ${label}`, async (t) => {
      const { context } = await stage(t, { scores: { servers: { desk: 1, notes: 1 }, tools: { "desk.late": 1 } } });
      const later = renderCatalog([server("desk", ["late"]), NOTES]);
      const event = eventOf({
        system: [renderCatalog([...servers])],
        messages: [systemMessage(`The catalog has changed.\n\n${later}`), userMessage("Do it")],
      });
      await context(event);
      assert.equal(shownIn(event.system[0].text).namespaces.desk, label);
    });
  }

  test("keeps the number of tools of a partial catalog", async (t) => {
    const text = renderCatalog(CODE_SERVERS);
    const { tools, namespaces } = shownIn(text);
    const [rejected] = tools;
    const name = String(rejected?.split(".")[0]);
    const result = await rewritten(t, text, { tools: { [String(rejected)]: 0 }, otherwise: 1 });
    assert.equal(shownIn(result).namespaces[name]?.split(",")[0], namespaces[name]?.split(",")[0]);
  });

  test("keeps the description behind it", async (t) => {
    const text = renderCatalog([{ ...DESK, description: "Items (3 tools) // and more" }, NOTES]);
    const result = await rewritten(t, text, { tools: { "desk.add": 0 }, otherwise: 1 });
    assert.match(result, /^- desk \(3 tools, 2 shown\) \/\/ Items \(3 tools\) \/\/ and more$/m);
  });

  test("does not change for a native tool of the namespace that goes", async (t) => {
    const { host } = await stage(t, {
      servers: [server("my db", ["read"]), nativeServer("my.db", ["write"]), NOTES],
      host: { ctx: { toolList: true } },
      scores: { tools: { "my_db.write": 0 }, otherwise: 1 },
    });
    const { before, after } = await host.prompt("Go on");
    assert.deepEqual([after.system, "my_db_write" in after.tools], [before.system, false]);
  });
});

describe("a complete catalog that lost something", () => {
  const text = renderCatalog([server("desk", ["add", "drop"]), server("notes", ["find"])]);

  test("says that it is partial, and how the rest is found", async (t) => {
    const [line = ""] = PARTIAL_LINE.exec(await rewritten(t, text, { tools: { "desk.add": 0 }, otherwise: 1 })) ?? [];
    assert.match(line, /search\(\{ query \}\)/);
    assert.match(line, /`?execute`?/);
  });

  test("says so in one line, and does not call itself complete", async (t) => {
    const result = await rewritten(t, text, { tools: { "desk.add": 0 }, otherwise: 1 });
    assert.equal(result.split("\n").length, text.split("\n").length - 1);
    assert.doesNotMatch(result, /The catalog is complete/);
  });
});

describe("server instructions", () => {
  const SERVERS = [
    server("issue desk", ["get"], { instructions: "Issues have keys.\n\n- One a line" }),
    server('odd "srv".x', ["list"], { instructions: "Odd." }),
    server("zoo", ["feed"], { instructions: "Animals." }),
  ];
  const section = String(renderInstructions(SERVERS));
  const catalog = renderCatalog(SERVERS);
  const text = `${section}\n\n${RULES}`;

  for (const [name, namespace] of /** @type {const} */ ([
    ["issue desk", "issue desk"],
    ['odd "srv".x', "odd 'srv'.x"],
    ["zoo", "zoo"],
  ])) {
    test(`of ${name} go when it is rejected`, async (t) => {
      const result = await rewritten(t, text, { servers: { [namespace]: 0 }, otherwise: 1 });
      assert.equal(result, cutLines(text, elementOf(text, name)));
    });
  }

  test("go with the namespace of the sanitised name", async (t) => {
    const { context } = await stage(t, { scores: { servers: { "odd 'srv'.x": 0 }, otherwise: 1 } });
    const event = eventOf({ system: [catalog, section] });
    await context(event);
    assert.deepEqual(Object.keys(shown(event).namespaces), ["issue_desk", "zoo"]);
    assert.equal(event.system[1].text, cutLines(section, elementOf(section, 'odd "srv".x')));
  });

  for (const [where, before, behind, left] of /** @type {const} */ ([
    ["between two others", "A\n\n", "\n\nB", "A\n\nB"],
    ["at the start", "", "\n\nB", "B"],
    ["at the end", "A\n\n", "", "A"],
    ["behind a section that ends with a newline of its own", "A\n\n\n", "\n\nB", "A\n\n\nB"],
    ["where sections are joined by one newline", "A\n", "\nB", "A\nB"],
  ])) {
    test(`leave no wrapper behind ${where}, and one joint less`, async (t) => {
      assert.equal(await rewritten(t, `${before}${section}${behind}`, {}), left);
    });
  }

  for (const line of [
    "</server>",
    "  </server>",
    "</mcp_instructions>",
    "<mcp_instructions>",
    '<server name="zoo">',
    "# Code Mode",
    "## Available tools",
    "- fake (3 tools)",
    "  - tools.fake.call(): Promise<unknown>",
    "<available_skills>",
    'Use tools from this server through `execute` under `tools["zoo"]`.',
  ]) {
    const hostile = server("hostile", ["x"], { instructions: `First.\n${line}\nLast.` });
    const list = `${PROSE}\n\n${renderInstructions([...SERVERS, hostile])}\n\n${RULES}`;

    test(`that say ${line} go whole`, async (t) => {
      const result = await rewritten(t, list, { servers: { hostile: 0 }, otherwise: 1 });
      assert.equal(result, cutLines(list, elementOf(list, "hostile")));
    });

    test(`that say ${line} stay whole when their neighbours go`, async (t) => {
      const result = await rewritten(t, list, { servers: { hostile: 1 } });
      const names = ["issue desk", 'odd "srv".x', "zoo"];
      assert.equal(
        result,
        names.reduce((rest, name) => cutLines(rest, elementOf(rest, name)), list),
      );
    });
  }

  test("that do not end are left as they are, and the report says so", async (t) => {
    const { context, reports } = await stage(t, { skills: [], scores: {} });
    const broken = cut(section, "\n</mcp_instructions>");
    const event = eventOf({ system: [broken, String(renderSkills(SAMPLE_SKILLS))] });
    await context(event);
    assert.equal(event.system[0].text, broken);
    assert.equal(reports[0].unrecognised?.length, 1);
  });
});

describe("skills", () => {
  const section = String(renderSkills(SAMPLE_SKILLS));
  const text = `${PROSE}\n\n${section}\n\n${RULES}`;
  const ids = shownIn(section).skills;

  for (const id of ids) {
    test(`lose just ${id} when that is rejected`, async (t) => {
      const result = await rewritten(t, text, { skills: { [id]: 0 }, otherwise: 1 });
      assert.equal(result, cutLines(text, skillOf(text, id)));
    });
  }

  test("keep just one when all others are rejected", async (t) => {
    const kept = "translation-strings";
    const result = await rewritten(t, text, { skills: { [kept]: 1 } });
    const others = ids.filter((id) => id !== kept);
    assert.equal(
      result,
      others.reduce((rest, id) => cutLines(rest, skillOf(rest, id)), text),
    );
  });

  test("leave their prose when none is left, and no wrapper", async (t) => {
    const wrapper = section.slice(section.indexOf("\n<available_skills>"));
    assert.equal(await rewritten(t, text, {}), cut(text, wrapper));
  });

  test("without a description are skills too", async (t) => {
    const bare = cut(section, "\n    <description>Write and time subtitles for a recorded talk.</description>");
    const result = await rewritten(t, bare, { skills: { "video-captions": 0 }, otherwise: 1 });
    assert.equal(result, cutLines(bare, skillOf(bare, "video-captions")));
  });

  for (const [what, description] of /** @type {[string, string][]} */ ([
    ["a closing tag in a sentence", "Knows </description> and </skill>."],
    ["markup and entities", "One <b>bold</b> & two <skill>s.\n<id>x</id>"],
    ["a line that opens a skill, indented otherwise", "Look:\n<skill>\n    <skill>\nDone."],
    ["a line that ends the list, indented", "Look:\n  </available_skills>\nDone."],
    ["headings of other sections", "Look:\n# Code Mode\n\n## Available tools\n\n- fake (1 tool)\n<mcp_instructions>"],
    ["blank lines", "One.\n\n\nTwo.\n"],
  ])) {
    const skills = [...SAMPLE_SKILLS, { id: "m-hostile", name: "Hostile", description }];
    const list = `${PROSE}\n\n${renderSkills(skills)}\n\n${RULES}`;
    const element = `  <skill>\n    <id>m-hostile</id>\n    <name>Hostile</name>\n    <description>${description}</description>\n  </skill>`;

    test(`one of which describes itself with ${what} go exactly`, async (t) => {
      const result = await rewritten(t, list, { skills: { "m-hostile": 0 }, otherwise: 1 });
      assert.equal(result, cutLines(list, element));
    });
  }

  for (const line of [
    "  </skill>",
    "</available_skills>",
    "  <skill>",
    "    <description>x</description>",
    "    <id>x</id>",
  ]) {
    test(`one of which has the line ${line} are cut exactly or not at all`, async (t) => {
      const description = `One.\n${line}\nTwo.`;
      const skills = [...SAMPLE_SKILLS, { id: "m-hostile", name: "Hostile", description }];
      const list = `${PROSE}\n\n${renderSkills(skills)}\n\n${RULES}`;
      const element = `  <skill>\n    <id>m-hostile</id>\n    <name>Hostile</name>\n    <description>${description}</description>\n  </skill>`;
      const { context, reports } = await stage(t, { scores: { skills: { "m-hostile": 0 }, otherwise: 1 } });
      const event = eventOf({ system: [list] });
      await context(event);
      const expected = reports[0].unrecognised ? list : cutLines(list, element);
      assert.equal(event.system[0].text, expected);
    });
  }
});

describe("all sections of one part", () => {
  const all = { servers: SAMPLE_SERVERS, skills: SAMPLE_SKILLS };

  for (const sourceOrder of /** @type {const} */ (["new", "old"])) {
    for (const budget of [undefined, Infinity]) {
      const size = budget ? "complete" : "partial";

      test(`go in the ${sourceOrder} order, ${size}`, async (t) => {
        const { host } = await stage(t, { ...all, host: { sourceOrder, budget, agentsMd: "Prefer small commits.\n" } });
        const { before, after } = await host.prompt("Go on");
        const [, { text }] = /** @type {any} */ (before.system);
        const [, { text: result }] = /** @type {any} */ (after.system);
        assert.equal(result, allGone(text, budget, result));
      });
    }

    for (const line of [
      "# Code Mode",
      "## Available tools",
      "## Available tools (PARTIAL - 3 of 4 shown; more)",
      "## Available tools (COMPLETE list - all)",
      "The catalog is complete.",
      "<mcp_instructions>",
      "</mcp_instructions>",
      "<available_skills>",
      "</available_skills>",
      "  <skill>",
      "- search({",
    ]) {
      test(`go in the ${sourceOrder} order when the project's rules say ${line}`, async (t) => {
        const agentsMd = `# Rules\n\n${line}\n\nis what a catalog looks like.`;
        const { host } = await stage(t, { ...all, host: { sourceOrder, agentsMd } });
        const { before, after } = await host.prompt("Go on");
        const [, { text }] = /** @type {any} */ (before.system);
        assert.equal(after.system[1]?.text, allGone(text));
      });
    }
  }

  /** @param {string} text @param {number} [budget] @param {string} [result] */
  function allGone(text, budget, result = "") {
    const catalog = renderCatalog(SAMPLE_SERVERS, { budget });
    const skills = String(renderSkills(SAMPLE_SKILLS));
    const head = catalog.slice(0, catalog.indexOf("\n\n- calendar"));
    const wrapper = skills.slice(skills.indexOf("\n<available_skills>"));
    const left = cut(cut(swap(text, catalog, head), `\n\n${renderInstructions(SAMPLE_SERVERS)}`), wrapper);
    return budget ? saysPartial(left, result) : left;
  }

  test("are decided alike in all texts", async (t) => {
    const { host } = await stage(t, {
      ...all,
      scores: { servers: { calendar: 0 }, skills: { "csv-cleanup": 0 }, otherwise: 1 },
    });
    host.systemMessage(`The catalog has changed.\n\n${renderCatalog(SAMPLE_SERVERS)}`);
    host.systemMessage(`The skills have changed.\n${renderSkills(SAMPLE_SKILLS)}`);
    const { after } = await host.prompt("Go on");
    const left = shown(after);
    assert.ok(!left.tools.some((tool) => tool.startsWith("calendar.")) && !("calendar" in left.namespaces));
    assert.equal(left.skills.length, 2 * (SAMPLE_SKILLS.length - 1));
    assert.ok(!left.skills.includes("csv-cleanup"));
  });
});

describe("a section that does not parse completely", () => {
  const good = renderCatalog([server("desk", ["add", "drop"]), server("notes", ["find"])]);

  for (const [what, broken] of /** @type {[string, string][]} */ ([
    ["a label that disagrees with its tools", swap(good, "desk (2 tools)", "desk (3 tools)")],
    ["a tool of another namespace", swap(good, "tools.desk.add", "tools.disk.add")],
    ["a path that cannot be read", swap(good, "tools.desk.add(", "tools.desk[add](")],
    ["a namespace line without brackets", swap(good, "- notes (1 tool)", "- notes, one tool")],
    ["a line that is neither", swap(good, "\n- notes", "\n* and\n- notes")],
    ["no heading", cut(good, "\n\n## Available tools")],
  ])) {
    test(`is left as it is and named in the report: ${what}`, async (t) => {
      const { context, reports } = await stage(t, { scores: {} });
      const event = eventOf({ system: [`${broken}\n\n${renderSkills(SAMPLE_SKILLS)}`] });
      await context(event);
      assert.ok(event.system[0].text.startsWith(`${broken}\n\nSkills provide`));
      assert.ok(reports[0].unrecognised?.some((/** @type {any} */ { first_line }) => first_line === "# Code Mode"));
    });

    test(`does not keep another section of the part from being cut: ${what}`, async (t) => {
      const { context } = await stage(t, { scores: {} });
      const event = eventOf({ system: [`${broken}\n\n${renderSkills(SAMPLE_SKILLS)}`] });
      await context(event);
      assert.deepEqual(shown(event).skills, []);
    });
  }

  test("of the beta, whose counts disagree, is left as it is", async (t) => {
    const text = renderCatalogV1c(CODE_SERVERS).replace(/PARTIAL - \d+/, "PARTIAL - 1");
    assert.equal(await rewritten(t, text, {}, "the description of execute"), text);
  });
});

describe("letters beyond ASCII", () => {
  const SERVERS = [
    server(
      "büro",
      { öffnen: "Öffnet die Tür 🚪 – überall.", schließen: "Schließt 👨‍👩‍👧 sie." },
      { instructions: "Für alle 🏢.\n\u2028Zeile\u0085\rEnde" },
    ),
    server("notes", { find: "Findet é è 𝒳 𝒴." }, { instructions: "日本語 😀" }),
  ];
  const SKILLS = skillList({ "ä-skill": "Macht 🎂.\nZweite 🍰 Zeile", "z-skill": "𝕬lles andere" });

  test("do not shift what is cut", async (t) => {
    const agentsMd = "Grüße 👋🏽 an alle\u{10ffff}";
    const scores = { tools: { "b_ro._ffnen": 0, "büro._ffnen": 0 }, skills: { "ä-skill": 0 }, otherwise: 1 };
    const { host } = await stage(t, {
      servers: SERVERS,
      skills: SKILLS,
      host: { agentsMd, basePrompt: "Größe 🐘" },
      scores,
    });
    const { before, after } = await host.prompt("Öffne 🚪");
    const text = String(before.system[1]?.text);
    const result = String(after.system[1]?.text);
    const entryGone = cutLines(
      swap(text, "- b_ro (2 tools)", "- b_ro (2 tools, 1 shown)"),
      entryOf(text, ".b_ro._ffnen"),
    );
    assert.equal(result, saysPartial(cutLines(entryGone, skillOf(text, "ä-skill")), result));
  });

  for (const name of ["büro", "notes"]) {
    test(`do not shift the instructions of ${name}`, async (t) => {
      const text = `Größe 🐘\n\n${renderInstructions(SERVERS)}\n\n𝒳`;
      const result = await rewritten(t, text, { servers: { [name]: 0 }, otherwise: 1 });
      assert.equal(result, cutLines(text, elementOf(text, name)));
    });
  }
});

describe("text that is not well-formed UTF-16", () => {
  const section = String(renderSkills(SAMPLE_SKILLS));

  for (const [what, half] of [
    ["the first", "\ud83d"],
    ["the second", "\ude00"],
  ]) {
    test(`is pruned like any other, and stays as it is around that: ${what} half of a pair`, async (t) => {
      const { context } = await stage(t);
      const around = (/** @type {string} */ text) => `${half}\n\n${text}\n\n${half}`;
      const event = eventOf({ system: [around(section), section] });
      await context(event);
      const [broken, whole] = event.system.map((/** @type {{ text: string }} */ { text }) => text);
      assert.equal(broken, around(whole));
      assert.deepEqual(shownIn(whole).skills, []);
    });
  }
});

describe("the objects of an event", () => {
  const SERVERS = [server("desk", ["add", "drop"], { instructions: "A." }), server("notes", ["find"])];
  const SKILLS = skillList(["forms"]);
  const scores = { servers: { desk: 0, notes: 1 }, tools: { "notes.find": 1 }, skills: { forms: 0 } };

  /** @param {TestContext} t @param {any} event */
  async function edited(t, event) {
    const { context } = await stage(t, { scores });
    const before = { ...event, tools: { ...event.tools } };
    const frozen = [...event.system, ...event.messages, ...Object.values(event.tools)];
    // Changing one of these would throw.
    frozen.forEach(Object.freeze);
    event.messages.forEach((/** @type {any} */ message) => message.content.forEach(Object.freeze));
    [event.system, event.messages].forEach(Object.freeze);
    await context(event);
    return { before, after: event };
  }

  test("a changed system part is a new object with the part's other fields", async (t) => {
    const part = { ...textPart(String(renderSkills(SKILLS))), cache: { type: "ephemeral" }, metadata: { own: 1 } };
    const event = eventOf({});
    event.system = [part];
    const { after } = await edited(t, event);
    assert.notEqual(after.system[0], part);
    assert.deepEqual({ ...after.system[0], text: part.text }, part);
  });

  test("all other system parts stay the same objects", async (t) => {
    const { before, after } = await edited(t, eventOf({ system: [PROSE, String(renderSkills(SKILLS)), RULES, ""] }));
    for (const at of [0, 2, 3]) assert.equal(after.system[at], before.system[at]);
    assert.equal(after.system.length, 4);
  });

  test("a changed message is a new object with the message's other fields", async (t) => {
    const message = { ...systemMessage(String(renderSkills(SKILLS))), native: { own: 1 }, metadata: { a: 1 } };
    const { after } = await edited(t, eventOf({ messages: [userMessage("Do it"), message] }));
    assert.notEqual(after.messages[1], message);
    assert.deepEqual({ ...after.messages[1], content: message.content }, message);
  });

  test("all other messages, and parts of a changed one, stay the same objects", async (t) => {
    const effort = { type: "effort", level: "high" };
    const messages = [
      userMessage("Before", "msg_1"),
      systemMessage(PROSE, effort, String(renderSkills(SKILLS)), RULES),
      { role: "assistant", content: [{ type: "reasoning", text: "Hm." }] },
      userMessage("Do it", "msg_2"),
    ];
    const { after } = await edited(t, eventOf({ messages }));
    for (const at of [0, 2, 3]) assert.equal(after.messages[at], messages[at]);
    for (const at of [0, 1, 3]) assert.equal(after.messages[1].content[at], messages[1]?.content[at]);
  });

  test("a system text in a message of another role is left alone", async (t) => {
    const section = String(renderSkills(SKILLS));
    const messages = ["user", "assistant", "tool"].map((role) => ({ ...userMessage(section, role), role }));
    const { after } = await edited(t, eventOf({ system: [section], messages: [...messages, userMessage("Do it")] }));
    messages.forEach((message, at) => assert.equal(after.messages[at], message));
  });

  test("a changed `execute` is a new object at its old place, with its own input", async (t) => {
    const tools = { aaa: EXECUTE, read: { description: "Read.", input: {} } };
    const event = eventOf({ tools, execute: renderCatalogV1c(SERVERS), system: [String(renderSkills(SKILLS))] });
    event.tools = { aaa: event.tools.aaa, execute: event.tools.execute, read: event.tools.read };
    const { before, after } = await edited(t, event);
    assert.notEqual(after.tools.execute, before.tools.execute);
    assert.equal(after.tools.execute.input, before.tools.execute.input);
    assert.deepEqual(Object.keys(after.tools), ["aaa", "execute", "read"]);
    for (const name of ["aaa", "read"]) assert.equal(after.tools[name], before.tools[name]);
  });

  test("are not written to in place", async (t) => {
    const { host } = await stage(t, { servers: SERVERS, skills: SKILLS, scores, host: { rendering: "v1c" } });
    host.systemMessage(String(renderSkills(SKILLS)));
    // The host looks through everything it handed out, now and at the next step.
    await host.prompt("Go on");
    await host.step();
    assert.deepEqual(host.violations, []);
  });

  test("a class instance is taken back by the host as the plain object it became", async (t) => {
    const event = await hostEvent({ servers: SERVERS, skills: SKILLS });
    event.messages.unshift(
      Object.assign(
        Object.create(Object.getPrototypeOf(event.messages[0])),
        systemMessage(String(renderSkills(SKILLS))),
      ),
    );
    const { context } = await stage(t, { scores });
    await context(event);
    assert.deepEqual(Object.keys(event.messages[0]).sort(), ["content", "role"]);
    assert.ok(event.messages[1] instanceof Object.getPrototypeOf(event.messages[1]).constructor);
  });
});

describe("what becomes empty", () => {
  // Two, since a single server is only asked about by its tools.
  const SERVERS = ["desk", "notes"].map((name) => server(name, ["go"], { instructions: "A." }));
  const section = String(renderInstructions(SERVERS));

  test("a system part is dropped", async (t) => {
    const { context } = await stage(t);
    const event = eventOf({ system: [PROSE, section, RULES] });
    const { system } = event;
    await context(event);
    assert.deepEqual(event.system, [system[0], system[2]]);
  });

  test("a part of a message is dropped", async (t) => {
    const { context } = await stage(t);
    const event = eventOf({ messages: [systemMessage(section, PROSE), userMessage("Do it")] });
    await context(event);
    assert.deepEqual(event.messages, [systemMessage(PROSE), userMessage("Do it")]);
  });

  test("a system message is dropped", async (t) => {
    const { context } = await stage(t);
    const event = eventOf({ messages: [systemMessage(section), userMessage("Do it")] });
    await context(event);
    assert.deepEqual(event.messages, [userMessage("Do it")]);
  });

  test("a message with a part that is no text stays", async (t) => {
    const { context } = await stage(t);
    const effort = { type: "effort", level: "high" };
    const event = eventOf({ messages: [systemMessage(section, effort), userMessage("Do it")] });
    await context(event);
    assert.deepEqual(event.messages, [systemMessage(effort), userMessage("Do it")]);
  });

  test("what was empty before stays", async (t) => {
    const { context } = await stage(t);
    const event = eventOf({ system: ["", section], messages: [systemMessage(), userMessage("Do it")] });
    await context(event);
    assert.deepEqual([event.system.length, event.messages.length], [1, 2]);
  });
});

test("the host takes the rewritten request without a word", async (t) => {
  const { host } = await stage(t, {
    servers: SAMPLE_SERVERS,
    skills: SAMPLE_SKILLS,
    scores: { servers: { postgres: 1 } },
  });
  const { violations } = await host.prompt("Go on");
  assert.deepEqual(violations, []);
});
