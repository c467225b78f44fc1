/**
 * A model for OpenCode to talk to: an OpenAI-compatible server that records what it is sent and streams what the test
 * told it to say, or a fixed answer. It knows nothing of plugins.
 *
 *     const model = await startModelServer();
 *     model.replies.push({ calls: [{ name: "memory_read_graph", arguments: {} }] });      for the next request only
 *     model.requests.at(-1).tools;
 *     await model.close();
 */

import { createServer } from "node:http";

/** @import { IncomingHttpHeaders, ServerResponse } from "node:http" */
/** @import { AddressInfo } from "node:net" */

/** @typedef {{ type: "function", function: { name: string, description?: string, parameters: unknown } }} ToolDefinition */
/** @typedef {{ role: string, content: unknown, tool_call_id?: string, tool_calls?: unknown[] }} Message */
/** @typedef {{ name: string, arguments: object }} Call */
/** @typedef {{ text?: string, calls?: Call[] }} Reply */

/**
 * A request as the model got it.
 * @typedef {object} ModelRequest
 * @property {string} system all of it
 * @property {Message[]} messages the others
 * @property {ToolDefinition[]} tools in their order
 * @property {Record<string, unknown>} body the whole of it
 * @property {boolean} isTitle whether it asks for the title of a session
 * @property {string | undefined} session whose it is
 * @property {string | undefined} parent of that session
 */

export const ANSWER = "A fixed answer.";
const TITLE = "A fixed title";

/** How the host's request for a title begins. */
const TITLE_PROMPT = "You are a title generator.";

export async function startModelServer() {
  /** @type {ModelRequest[]} */
  const requests = [];
  /** What to say next, one for each request; requests for a title take none. @type {Reply[]} */
  const replies = [];
  const server = createServer(async (incoming, response) => {
    const chunks = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const { headers } = incoming;
    const request = read(JSON.parse(Buffer.concat(chunks).toString("utf8")), headers);
    requests.push(request);
    stream(response, request.isTitle ? { text: TITLE } : (replies.shift() ?? { text: ANSWER }));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  const { port } = /** @type {AddressInfo} */ (server.address());
  return {
    baseURL: `http://127.0.0.1:${port}/v1`,
    requests,
    replies,
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

/** @typedef {Awaited<ReturnType<typeof startModelServer>>} ModelServer */

/**
 * @param {{ messages: Message[], tools?: ToolDefinition[] }} body
 * @param {IncomingHttpHeaders} headers
 * @returns {ModelRequest}
 */
function read(body, headers) {
  const system = body.messages
    .filter(({ role }) => role === "system")
    .map(({ content }) => content)
    .join("\n");
  return {
    system,
    messages: body.messages.filter(({ role }) => role !== "system"),
    tools: body.tools ?? [],
    body,
    isTitle: system.startsWith(TITLE_PROMPT),
    session: headers["x-session-id"]?.toString(),
    parent: headers["x-parent-session-id"]?.toString(),
  };
}

/** @param {ServerResponse} response @param {Reply} reply */
function stream(response, { text, calls = [] }) {
  response.writeHead(200, { "Content-Type": "text/event-stream" });
  /** @param {object} fields */
  const send = (fields) =>
    response.write(
      `data: ${JSON.stringify({ id: "reply", object: "chat.completion.chunk", created: 1, model: "fake-1", ...fields })}\n\n`,
    );
  /** @param {object} delta @param {string | null} [finish_reason] */
  const choice = (delta, finish_reason = null) => send({ choices: [{ index: 0, delta, finish_reason }] });
  if (text !== undefined) choice({ role: "assistant", content: text });
  calls.forEach(({ name, arguments: input }, index) => {
    const called = { name, arguments: JSON.stringify(input) };
    choice({
      role: "assistant",
      tool_calls: [{ index, id: `call_${index}_${name}`, type: "function", function: called }],
    });
  });
  choice({}, calls.length > 0 ? "tool_calls" : "stop");
  send({ choices: [], usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 } });
  response.end("data: [DONE]\n\n");
}
