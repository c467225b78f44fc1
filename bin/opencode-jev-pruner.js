#!/usr/bin/env node
// The command line tool. What it can do is told in cli/main.js.
import { main } from "../cli/main.js";

process.exitCode = await main(process.argv.slice(2));
