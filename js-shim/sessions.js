// Which sessions are children of others (subagents). The host's events tell of new ones, and the host can be asked
// about the rest.
import { withTimeLimit } from "./with-time-limit.js";

/** More than are ever open at once. */
const MAX_SESSIONS = 1_000;

/**
 * @param {(session: string) => any} ask the host about a session; gives nothing where it cannot be asked
 * @param {number} timeoutMs
 */
export function familyOf(ask, timeoutMs) {
  /** Whether it is a child, by session. @type {Map<string, boolean>} */
  const known = new Map();
  /** @param {string} session @param {boolean} isChild */
  function keep(session, isChild) {
    known.set(session, isChild);
    const [oldest] = known.keys();
    if (known.size > MAX_SESSIONS && oldest !== undefined) known.delete(oldest);
    return isChild;
  }
  return {
    /** A session as the host tells of it. @param {any} session */
    note(session) {
      const id = session?.id ?? session?.sessionID;
      if (typeof id === "string") keep(id, typeof session.parentID === "string");
    },
    /**
     * Where the host cannot be asked, a session it did not tell of is none; where it does not answer, it may be one.
     * @param {unknown} session @returns {Promise<boolean>}
     */
    async isChild(session) {
      if (typeof session !== "string") return false;
      const told = known.get(session);
      if (told !== undefined) return told;
      let canBeAsked = true;
      const answer = await withTimeLimit(timeoutMs, () => {
        const asked = ask(session);
        canBeAsked = asked !== undefined;
        return asked;
      });
      if (!canBeAsked) return false;
      const info = answer?.data ?? answer;
      if (typeof info !== "object" || info === null) return true;
      return keep(session, typeof info.parentID === "string");
    },
  };
}
