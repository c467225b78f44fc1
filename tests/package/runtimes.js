/**
 * The JavaScript runtimes that hosts of this plugin run on, as far as they are here: Node, Bun, and the older Bun that is
 * inside OpenCode 1.18.
 */

import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

import { binary, whyNoHost } from "../opencode-1.18/binary.js";
import { ROOT } from "./pack.js";

/** @typedef {{ name: string, program: string, env: Record<string, string>, skip: string | false }} Runtime */

/** @returns {Runtime[]} each with why it is skipped, if it is missing; in CI that is an error */
export function runtimes() {
  const bun = findBun();
  if (!bun && process.env.CI === "true") throw new Error("Bun is not in node_modules: in CI it must be");
  return [
    { name: "Node", program: process.execPath, env: {}, skip: false },
    { name: "Bun", program: bun ?? "", env: {}, skip: bun ? false : "Bun is not in node_modules" },
    // A program that Bun has compiled is Bun itself when it is told so.
    { name: "OpenCode 1.18's Bun", program: binary() ?? "", env: { BUN_BE_BUN: "1" }, skip: whyNoHost() },
  ];
}

/** Its binary is in a package for the platform until the install script, which need not run, has moved it. */
function findBun() {
  const platforms = join(ROOT, "node_modules", "@oven");
  const unmoved = existsSync(platforms)
    ? readdirSync(platforms).map((name) => join(platforms, name, "bin", "bun"))
    : [];
  return [...unmoved, join(ROOT, "node_modules", ".bin", "bun")].find(
    (program) => spawnSync(program, ["--version"], { stdio: "ignore", timeout: 20_000 }).status === 0,
  );
}
