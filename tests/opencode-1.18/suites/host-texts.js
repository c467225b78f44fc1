/**
 * Holds the stand-in host's renderers against the real OpenCode 1.18, so that what other tests run on is no fantasy: from
 * what the skills' files and the MCP servers themselves say, they must give the very texts and names of a real request.
 */

import assert from "node:assert/strict";
import { join } from "node:path";
import { before, describe, test } from "node:test";

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { ListRootsRequestSchema } from "@modelcontextprotocol/sdk/types.js";

import { nativeName, renderInstructions, renderSkillsV1 } from "../../mini-host/index.js";
import { SERVER_NAMES, SKILLS, commandOf } from "../project.js";
import { instructionsSection, section, skillsSection, toolNames } from "../reading.js";

/** @import { Server } from "../../mini-host/types.js" */
/** @import { ModelRequest } from "../model-server.js" */
/** @import { Stage } from "../stage.js" */

/** The host brings one skill along; only its wording is taken from the request. */
const BUILT_IN = "customize-opencode";

/** @param {() => Stage} staged */
export function hostTexts(staged) {
  describe("the stand-in host renders as the real one does", () => {
    /** @type {ModelRequest} */
    let real;
    /** @type {Server[]} */
    let servers;

    before(async () => {
      real = await staged().plain.askOnce("Hello");
      // One by one: they are many for a small machine.
      servers = [];
      for (const name of SERVER_NAMES) servers.push(await asked(name, staged().plain.directory));
    });

    test("the skills", () => {
      const [, builtIn] =
        new RegExp(`<name>${BUILT_IN}</name>\\n {4}<description>(.*)</description>`).exec(real.system) ?? [];
      const skills = [
        { id: BUILT_IN, name: BUILT_IN, description: builtIn, location: "<built-in>" },
        ...SKILLS.map(({ folder, ...skill }) => ({
          id: skill.name,
          ...skill,
          location: join("/project/.agents/skills", folder, "SKILL.md"),
        })),
      ];
      assert.equal(skillsSection(real.system), renderSkillsV1(skills));
    });

    test("the instructions of MCP servers", () => {
      // Without Code Mode there is nothing to say about how tools are reached.
      const rendered = renderInstructions(servers.map((server) => ({ ...server, codemode: false })));
      assert.equal(instructionsSection(real.system), rendered);
    });

    test("the instructions right before the skills, at the end of the text and without a blank line", () => {
      const sections = `${instructionsSection(real.system)}\n${skillsSection(real.system)}`;
      assert.equal(section(real.system, "<mcp_instructions>", "</available_skills>"), sections);
      assert.ok(real.system.endsWith(`\n</env>\n${sections}`));
    });

    test("the names of MCP tools", () => {
      const names = servers.flatMap(({ name, tools }) => tools.map((tool) => nativeName(name, tool.name)));
      const hostsOwn = toolNames(real).filter((name) => !names.includes(name));
      assert.deepEqual(
        hostsOwn.filter((name) => SERVER_NAMES.some((server) => name.startsWith(`${server}_`))),
        [],
      );
      assert.deepEqual(
        names.filter((name) => !toolNames(real).includes(name)),
        [],
      );
    });

    test("the descriptions of MCP tools", () => {
      const offered = new Map(real.tools.map(({ function: { name, description } }) => [name, description]));
      for (const { name, tools } of servers) {
        for (const tool of tools) assert.equal(offered.get(nativeName(name, tool.name)), tool.description);
      }
    });

    test("all tools in the order of their names", () => {
      assert.deepEqual(
        toolNames(real),
        toolNames(real).sort((a, b) => a.localeCompare(b)),
      );
    });
  });
}

/**
 * What a server says of itself to a client that can do what the host can.
 * @param {string} name
 * @param {string} directory
 * @returns {Promise<Server>}
 */
async function asked(name, directory) {
  const { command, environment } = commandOf(name, directory);
  const [program = "", ...args] = command;
  const transport = new StdioClientTransport({
    command: program,
    args,
    env: { PATH: process.env.PATH ?? "", ...environment },
    stderr: "ignore",
  });
  const client = new Client({ name: "test", version: "1" }, { capabilities: { roots: {} } });
  client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [] }));
  await client.connect(transport);
  try {
    const { tools } = await client.listTools();
    return {
      name,
      instructions: client.getInstructions(),
      tools: tools.map((tool) => ({ name: tool.name, description: tool.description })),
    };
  } finally {
    await client.close();
  }
}
