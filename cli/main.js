// The commands of `opencode-jev-pruner`, and how a command ends: with 0 when it did what it was asked, with 1 when what it
// looked at is not in order, with 2 when it was called in a way that makes no sense.
import { UsageError } from "./args.js";
import { complain } from "./print.js";

/**
 * @typedef {{ summary: string, help: string, run: (args: string[]) => Promise<number> }} Command
 */

/** Loaded when called, so that none waits for the others. @type {Record<string, () => Promise<{ command: Command }>>} */
const COMMANDS = {
  report: () => import("./report/command.js"),
  replay: () => import("./replay/command.js"),
  explain: () => import("./explain/command.js"),
  check: () => import("./check/command.js"),
};

const HELP = `Reads what the plugin logged (option debug_log_file), and checks its settings.

  opencode-jev-pruner report LOG...     what happened, by day and in all; --html FILE for charts, --json
  opencode-jev-pruner replay LOG...     what the same scores would have decided under other settings
  opencode-jev-pruner explain LOG...    one request: every candidate with its score and reason
  opencode-jev-pruner check             the settings in force, and a question to Jev
  opencode-jev-pruner COMMAND --help    more on a command
  opencode-jev-pruner --version

A LOG of "-" is standard input. Ends with 0; with 1 if something is not in order; with 2 if it was called wrongly.
`;

/** @param {string[]} args @returns {Promise<number>} the exit code */
export async function main([name = "--help", ...args]) {
  // Whoever reads only the first lines, as `head` does, wants no complaint about the others.
  process.stdout.on("error", () => process.exit());
  try {
    if (["--help", "-h", "help"].includes(name)) return say(HELP);
    if (name === "--version") return say(`${(await import("./version.js")).version()}\n`);
    const load = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
    if (!load) throw new UsageError(`there is no command "${name}"; there are ${Object.keys(COMMANDS).join(", ")}`);
    const { command } = await load();
    if (args.some((arg) => arg === "--help" || arg === "-h")) return say(command.help);
    return await command.run(args);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    complain(`opencode-jev-pruner: ${error.message}`);
    return 2;
  }
}

/** @param {string} text */
function say(text) {
  process.stdout.write(text);
  return 0;
}
