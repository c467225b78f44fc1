// One tiny question to Jev, so that the first prompt finds a warm connection, or to see whether Jev answers.

/**
 * @param {import("./core.js").Glue} core
 * @param {{ config: any, ask: import("./prune.js").Host["ask"], now: () => number }} host
 * @returns {Promise<{ ok: boolean, ms: number, error?: { kind: string, message: string } } | undefined>} how that went;
 *   nothing where Jev is not asked
 */
export async function warmUp(core, { config, ask, now }) {
  const request = core.warmUpRequest(config);
  if (!request) return undefined;
  const since = now();
  const { body, ...limits } = request;
  const reply = await ask(body, limits);
  return core.warmUpResult(reply, now() - since);
}
