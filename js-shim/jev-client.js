// Sends a request to Jev and tells what came back. What a reply means is decided in the core.
//
// The key leaves only in the header of a request to the configured endpoint, and redirects are not followed.

/**
 * @typedef {{ status: number, body: string, retryAfter?: string } | { failure: string, message: string }} Reply
 * @typedef {{ timeoutMs: number, delayMs?: number }} Limits
 */

const MAX_BODY_BYTES = 4 << 20;

/**
 * @param {{ endpoint: string, apiKey: string, fetch?: typeof globalThis.fetch }} settings
 * @returns {(body: string, limits: Limits) => Promise<Reply>} never rejects, and answers within the time limit; the key is
 *   in no reply, whoever quotes it
 */
export function createJevClient({ endpoint, apiKey, fetch = globalThis.fetch }) {
  const redact = redactor(apiKey);
  return async function ask(body, { timeoutMs, delayMs = 0 }) {
    if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs));
    const abort = new AbortController();
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let timer;
    /** @type {Promise<Reply>} */
    const timeout = new Promise((resolve) => {
      timer = setTimeout(() => {
        resolve({ failure: "timeout", message: `no answer within ${Math.round(timeoutMs)} ms` });
        abort.abort();
      }, timeoutMs);
    });
    try {
      // The race guards against a platform that does not end a body when it is aborted.
      return await Promise.race([exchange(body, abort.signal), timeout]);
    } finally {
      clearTimeout(timer);
      abort.abort();
    }
  };

  /** @param {string} body @param {AbortSignal} signal @returns {Promise<Reply>} */
  async function exchange(body, signal) {
    try {
      const response = await fetch(endpoint, {
        method: "POST",
        headers: { "content-type": "application/json", authorization: `Bearer ${apiKey}` },
        body,
        redirect: "manual",
        signal,
      });
      const text = await readLimited(response);
      if (text === undefined) {
        return { failure: "too_large", message: `the reply is larger than ${MAX_BODY_BYTES} bytes` };
      }
      return { status: response.status, body: redact(text), retryAfter: retryAfter(response.headers) };
    } catch (error) {
      return { failure: isReset(error) ? "reset" : "network", message: redact(explain(error)) };
    }
  }
}

/**
 * Takes the key out of a message that others worded and that may quote it.
 * @param {string | undefined} apiKey
 * @returns {(text: string) => string}
 */
export function redactor(apiKey) {
  if (!apiKey) return (text) => text;
  const escaped = JSON.stringify(apiKey).slice(1, -1);
  return (text) => text.replaceAll(apiKey, "[key]").replaceAll(escaped, "[key]");
}

/** @param {Response} response @returns {Promise<string | undefined>} `undefined` if there is too much of it */
async function readLimited(response) {
  if (!response.body) return "";
  const decoder = new TextDecoder();
  const reader = response.body.getReader();
  let bytes = 0;
  let text = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    bytes += value.byteLength;
    if (bytes > MAX_BODY_BYTES) {
      reader.cancel().catch(() => {});
      return undefined;
    }
    text += decoder.decode(value, { stream: true });
  }
}

/** How long the server wants to be left alone, in its own words. @param {Headers} headers */
function retryAfter(headers) {
  const ms = headers.get("retry-after-ms");
  return ms === null ? (headers.get("retry-after") ?? undefined) : `${ms}ms`;
}

/** Whether the connection was there and broke, in the words of Node and of Bun. @param {unknown} error */
function isReset(error) {
  return /ECONNRESET|EPIPE|UND_ERR_SOCKET|ConnectionClosed|socket connection was closed/.test(explain(error));
}

/** What happened, down to the cause: `fetch failed` alone helps nobody. @param {unknown} error */
function explain(error) {
  const words = [];
  for (let at = error, depth = 0; at instanceof Error && depth < 3; at = at.cause, depth += 1) {
    const code = "code" in at && typeof at.code === "string" ? at.code : undefined;
    words.push(code && !at.message.includes(code) ? `${at.message} (${code})` : at.message);
  }
  return words.filter(Boolean).join(": ") || String(error);
}
