// Adding to the host's registries and hooking into its events, without trusting either.
//
// A registry's callback runs when the host likes: at once, later in a batch with those of others, and again at each
// reload. A throw in it is the host's: in a batch it takes the registrations of all others away. So nothing leaves it, and
// whether the host took something is known only when the callback ran.
import { within } from "./with-time-limit.js";

/** A registry that hangs delays the first prompt by as much. */
export const REGISTRATION_MS = 2_000;

/**
 * @typedef {object} Offer
 * @property {boolean} isTaken not `false` until the host refused, so it may still become `false`
 * @property {() => Promise<void>} withdraw takes everything back, where the host lets go of it
 */

/**
 * Adds items to a registry, all or none.
 * @param {any} registry
 * @param {{ name: string }[]} items
 * @param {{ refused: (why: string) => void, look?: (editor: any) => void, timeoutMs?: number }} told `refused` is told once,
 *   at any time, and `look` is shown each time what is registered
 * @returns {Promise<Offer>} never rejects
 */
export async function offer(registry, items, { refused, look, timeoutMs = REGISTRATION_MS }) {
  /** @type {any} */
  let registration;
  let isWanted = true;
  let hasRun = false;
  /** @type {Offer} */
  const offered = { isTaken: true, withdraw };
  /** @param {string} why */
  function refuse(why) {
    isWanted = false;
    if (!offered.isTaken) return;
    offered.isTaken = false;
    refused(why);
  }
  async function withdraw() {
    isWanted = false;
    offered.isTaken = false;
    await within(timeoutMs, () => registration?.dispose?.());
  }
  if (items.length === 0) return offered;
  const { value, problem } = await within(timeoutMs, () => {
    if (typeof registry?.transform !== "function") throw new Error("it has no registry for them");
    return registry.transform((/** @type {any} */ editor) => {
      hasRun = true;
      if (!isWanted) return;
      const problem = addAll(editor, items);
      if (problem !== undefined) return refuse(problem);
      attempt(() => look?.(editor));
    });
  });
  registration = value;
  // One that answers late has the items nevertheless, if it ran the callback.
  if (problem !== undefined && !(hasRun && offered.isTaken)) refuse(problem);
  return offered;
}

/** @param {any} editor @param {{ name: string }[]} items @returns {string | undefined} why they were not added */
function addAll(editor, items) {
  if (typeof editor?.add !== "function") return "its registry has no `add`";
  for (const [at, item] of items.entries()) {
    const problem = attempt(() => editor.add(item));
    if (problem === undefined) continue;
    for (const { name } of items.slice(0, at)) attempt(() => editor.remove?.(name));
    return problem;
  }
  return undefined;
}

/** @param {() => unknown} act @returns {string | undefined} what was thrown */
function attempt(act) {
  try {
    act();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/**
 * Hooks into one of the host's events. A host may not know the event.
 * @param {any} owner
 * @param {string} name @param {(event: any) => unknown} callback
 * @param {number} [timeoutMs]
 * @returns {Promise<string | undefined>} why the host did not take it; never rejects
 */
export async function hookInto(owner, name, callback, timeoutMs = REGISTRATION_MS) {
  const { problem } = await within(timeoutMs, () => {
    if (typeof owner?.hook !== "function") throw new Error("it has no hooks");
    return owner.hook(name, callback);
  });
  return problem;
}
