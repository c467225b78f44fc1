// Whether the host can make a request that has our tools in it. It may take a tool and fail at every request that has it,
// before any hook of ours runs. So if the first one does, the tools are taken back.

/** @param {import("./voice.js").Voice} voice */
export function watchFirstRequest({ warn }) {
  /** @type {{ offered: import("./registering.js").Offer, names: string[], off?: () => void }[]} */
  let waiting = [];
  let isReached = false;
  return {
    /** @param {import("./registering.js").Offer} offered @param {{ name: string }[]} tools @param {() => void} [off] */
    offered(offered, tools, off) {
      if (!isReached && offered.isTaken && tools.length > 0) waiting.push({ offered, names: tools.map(({ name }) => name), off });
    },
    /** A request has come so far. */
    reached() {
      isReached = true;
      waiting = [];
    },
    /** @param {any} error of a request, as the host tells of it @returns {Promise<string | undefined>} what a person should know */
    async failed(error) {
      // That a provider cannot be reached is told by this kind, and is not about tools.
      if (waiting.length === 0 || String(error?.type).startsWith("provider.")) return undefined;
      const given = waiting;
      waiting = [];
      given.forEach(({ off }) => off?.());
      const names = given.flatMap((one) => one.names).join(", ");
      const text = `a request failed with the tools ${names} in it (${error?.message ?? "no reason told"}); they are taken back, and the plugin goes on without`;
      warn(text);
      await Promise.all(given.map(({ offered }) => offered.withdraw()));
      return text;
    },
  };
}
