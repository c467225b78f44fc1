// Which folder the project is in. OpenCode 2 says so at once; the beta before it has no `ctx.location`, and says so beside
// each of its lists and of each session.
import { isText } from "./values.js";
import { withTimeLimit } from "./with-time-limit.js";

/** What has a list, those first that are never large. */
const LISTED = ["agent", "command", "reference", "plugin", "skill"];

/**
 * @param {any} ctx the plugin's context; every part of it may be missing
 * @param {number} timeoutMs
 */
export function projectFolder(ctx, timeoutMs) {
  /** @type {(folder: string | undefined) => void} */
  let settle = () => {};
  /** Known at the latest when the first event has told. @type {Promise<string | undefined>} */
  const folder = new Promise((resolve) => (settle = resolve));
  const inLists = told(ctx?.location) ? Promise.resolve(told(ctx.location)) : ofLists(ctx, timeoutMs);
  void inLists.then((found) => found && settle(found));
  let isFirst = true;
  return {
    folder,
    /** @param {any} event of the session hooks, which run for this project alone */
    async note(event) {
      if (!isFirst) return;
      isFirst = false;
      const sessionID = event?.sessionID;
      const session = await withTimeLimit(timeoutMs, () => ctx?.session?.get?.({ sessionID }));
      settle((await inLists) ?? told(event?.location) ?? told((session?.data ?? session)?.location));
    },
  };
}

/** @param {any} ctx @param {number} timeoutMs */
async function ofLists(ctx, timeoutMs) {
  for (const name of LISTED) {
    const answer = await withTimeLimit(timeoutMs, () => ctx?.[name]?.list?.());
    const folder = told(answer?.location);
    if (folder) return folder;
  }
  return undefined;
}

/** @param {any} location @returns {string | undefined} */
const told = (location) => (isText(location?.directory) && location.directory !== "" ? location.directory : undefined);
