// Waiting for somebody who may never answer.

/**
 * What the call gave, or why it gave nothing: it threw, rejected or took too long.
 * @template T
 * @param {number} timeoutMs @param {() => T | Promise<T>} call
 * @returns {Promise<{ value: T, problem?: undefined } | { value?: undefined, problem: string }>} never rejects
 */
export async function within(timeoutMs, call) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  try {
    /** @type {Promise<{ problem: string }>} */
    const tooLate = new Promise((resolve) => {
      timer = setTimeout(() => resolve({ problem: `no answer within ${timeoutMs} ms` }), timeoutMs);
    });
    const answer = async () => ({ value: await call() });
    return await Promise.race([answer(), tooLate]);
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  } finally {
    clearTimeout(timer);
  }
}

/**
 * What the call gives, or `undefined` if it throws, rejects or takes too long.
 * @template T
 * @param {number} timeoutMs @param {() => T | Promise<T>} call
 * @returns {Promise<T | undefined>} never rejects
 */
export const withTimeLimit = async (timeoutMs, call) => (await within(timeoutMs, call)).value;
