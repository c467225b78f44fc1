// Which version of the package this is.
import { readFileSync } from "node:fs";

/** @returns {string} */
export const version = () => JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")).version;
