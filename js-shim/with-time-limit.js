// Waiting for somebody who may never answer.

/**
 * What the call gives, or `undefined` if it throws, rejects or takes too long.
 * @template T
 * @param {number} timeoutMs @param {() => T | Promise<T>} call
 * @returns {Promise<T | undefined>} never rejects
 */
export async function withTimeLimit(timeoutMs, call) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  try {
    /** @type {Promise<undefined>} */
    const tooLate = new Promise((resolve) => (timer = setTimeout(() => resolve(undefined), timeoutMs)));
    return await Promise.race([call(), tooLate]);
  } catch {
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}
