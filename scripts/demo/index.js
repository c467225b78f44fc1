#!/usr/bin/env node
/**
 * `npm run demo`: sends one realistic request through the plugin, as OpenCode would, and shows what the model is
 * spared. It needs Node and this checkout; unless told to ask elsewhere, it asks a stand-in that it starts itself.
 */

import { startFakeJev } from "../../tests/fake-jev/server.js";
import { SAMPLE_SERVERS, SAMPLE_SKILLS, readServers, readSkills } from "../../tests/mini-host/index.js";
import { HELP, UsageError, readFlags } from "./flags.js";
import { SAVINGS_HEAD, painter, savingsLine, unifiedDiff } from "./print.js";
import { sendThroughPlugin, textOf, toolSizes } from "./request.js";

/** @import { Server, Skill, Step } from "../../tests/mini-host/types.js" */
/** @import { Report } from "./request.js" */

const PROMPT =
  "The order list is slow. Find the slow SQL query behind it, look at its plan, and tell me which index would help.";

const paint = painter(process.stdout, process.env);

/** @param {string} [text] */
const say = (text = "") => void process.stdout.write(`${text}\n`);
// Whoever reads only the first lines, as `head` does, wants no complaint about the others.
process.stdout.on("error", () => process.exit());

async function main() {
  const flags = readFlags(process.argv.slice(2));
  if (flags.help) return say(HELP.trimEnd());
  const { tools, skills: skillFile, prompt = PROMPT } = flags;
  const servers = tools.length > 0 ? tools.flatMap((file) => loaded(file, readServers)) : SAMPLE_SERVERS;
  const skills = skillFile === undefined ? SAMPLE_SKILLS : loaded(skillFile, readSkills);
  const key = process.env.JEV_API_KEY || process.env.TYPESAFE_API_KEY;
  if (flags.endpoint !== undefined && !key) {
    throw new UsageError("--endpoint needs a key: set JEV_API_KEY or TYPESAFE_API_KEY.");
  }
  announce(servers, skills, prompt, flags.endpoint);

  const fake = flags.endpoint === undefined ? await startFakeJev({ port: 0 }) : undefined;
  const { error } = console;
  // In a host the plugin's own report must not stand among answers; here it is part of what is shown.
  console.error = say;
  try {
    const { step, report } = await sendThroughPlugin({
      servers,
      skills,
      prompt,
      budget: flags.budget,
      options: {
        debug_mode: true,
        ...(fake
          ? // The stand-in answers from this very process, which may be busy.
            { jev_endpoint: fake.url, jev_api_key: "demo", jev_timeout_ms: 10_000 }
          : { jev_endpoint: flags.endpoint, jev_api_key: key }),
      },
    });
    show(step);
    process.exitCode = verdict(step, report);
  } finally {
    console.error = error;
    await fake?.close();
  }
}

/**
 * @template T
 * @param {string} file
 * @param {(file: string) => T} read
 * @returns {T}
 */
function loaded(file, read) {
  try {
    return read(file);
  } catch (error) {
    const { code, message } = /** @type {NodeJS.ErrnoException} */ (error);
    if (code === "ENOENT") throw new UsageError(`There is no file "${file}".`);
    if (code === "EISDIR") throw new UsageError(`"${file}" is a folder; name the files in it.`);
    throw new UsageError(`${message}.`);
  }
}

/** @param {Server[]} servers @param {Skill[]} skills @param {string} prompt @param {string} [endpoint] */
function announce(servers, skills, prompt, endpoint) {
  const tools = servers.reduce((sum, server) => sum + server.tools.length, 0);
  say(
    `One OpenCode request with ${counted(servers.length, "MCP server")}, ${counted(tools, "tool")} and ` +
      `${counted(skills.length, "skill")} goes through the plugin. It asks\n` +
      `${endpoint ?? "a stand-in for Jev, which only compares words,"} what the prompt needs, and takes out the rest ` +
      "of what OpenCode\nlists (of the tools as many as fit its budget).",
  );
  say(`\n${paint("bold", "Prompt:")} ${prompt}\n`);
}

/** @param {number} count @param {string} thing */
const counted = (count, thing) => `${count.toLocaleString("en-US")} ${thing}${count === 1 ? "" : "s"}`;

/** @param {Step} step */
function show({ before, after }) {
  const [was, is] = [textOf(before), textOf(after)];
  const diff = unifiedDiff(was, is, paint);
  say(`\n${paint("bold", "What the model reads, before and after")}\n`);
  say(diff.length > 0 ? diff.join("\n") : "no difference");

  const [sizesBefore, sizesAfter] = [toolSizes(before), toolSizes(after)];
  const gone = [...sizesBefore.keys()].filter((name) => !sizesAfter.has(name));
  say(`\n${paint("bold", "Native tools taken out")}\n`);
  say(gone.length > 0 ? gone.map((name) => paint("red", `- ${name}`)).join("\n") : "none");

  const sum = (/** @type {Map<string, number>} */ sizes) => [...sizes.values()].reduce((a, b) => a + b, 0);
  const [toolsBefore, toolsAfter] = [sum(sizesBefore), sum(sizesAfter)];
  say(`\n${paint("bold", "Tokens, estimated as a quarter of the characters")}\n`);
  say(paint("dim", SAVINGS_HEAD));
  say(savingsLine("system text", was.length, is.length));
  say(savingsLine("native tools", toolsBefore, toolsAfter));
  say(paint("bold", savingsLine("together", was.length + toolsBefore, is.length + toolsAfter)));
}

/**
 * @param {Step} step
 * @param {Report | undefined} report
 * @returns {number} the exit code
 */
function verdict({ touched, violations }, report) {
  for (const violation of violations) say(`\nThe host would have objected: ${violation}`);
  if (touched.system || touched.messages || touched.tools) return violations.length > 0 ? 1 : 0;
  say(`\nNothing was taken out: ${whyNothing(report)}.`);
  // Where nothing or next to nothing could be saved, not asking is right.
  return ["no_candidates", "too_small"].includes(report?.skipped ?? "") ? 0 : 1;
}

/** @param {Report | undefined} report */
function whyNothing(report) {
  if (!report) return "the plugin gave no report";
  if (report.skipped === "no_candidates") return "there was nothing to ask about";
  if (report.skipped) return `the plugin left this request alone (${report.skipped})`;
  if (report.errors) return "asking failed, and then the plugin leaves a request as it is";
  return "every tool and skill was kept";
}

main().catch((error) => {
  console.error(error instanceof UsageError ? `[demo] ${error.message} See --help.` : error);
  process.exitCode = error instanceof UsageError ? 2 : 1;
});
