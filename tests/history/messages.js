/**
 * Conversations for tests, written once and put into the shapes of both lines of OpenCode (opencode-host.md §4, §13).
 *
 *     const talk = [prompt(), step(call("read", { path: "a" }, text(900))), prompt()];
 *     inV2(talk)      // { id, role, content }[]
 *     stored(talk)    // { info, parts }[]
 */

/** @typedef {{ type: "text" | "json" | "error" | "content", value: unknown }} Result */
/** @typedef {{ name: string, input: unknown, result?: Result, marks?: object }} Call */
/** @typedef {{ prompt: string } | { parts: (object & { type?: string })[], calls: Call[] }} Turn */

/** @returns {Turn} */
export const prompt = (text = "Go on.") => ({ prompt: text });

/** What the model says and calls; parts as OpenCode 2 has them. @param {...(Call | { type: string })} items @returns {Turn} */
export const step = (...items) => ({
  parts: items.filter((item) => !("name" in item)),
  calls: /** @type {Call[]} */ (items.filter((item) => "name" in item)),
});

/** @param {string} name @param {unknown} input @param {Result} [result] none for a call that is not finished @param {object} [marks] @returns {Call} */
export const call = (name, input, result, marks) => ({ name, input, result, marks });

/** @param {number} chars @returns {Result} */
export const text = (chars) => ({ type: "text", value: "x".repeat(chars) });

/** @returns {Result} */
export const failure = (value = "It did not work.") => ({ type: "error", value });

/** @param {string} words @param {object} [marks] */
export const reasoning = (words, marks) => ({ type: "reasoning", text: words, ...marks });

/** @param {string} words @param {object} [marks] */
export const said = (words, marks) => ({ type: "text", text: words, ...marks });

/** @param {Turn[]} talk @returns {any[]} */
export function inV2(talk) {
  let calls = 0;
  return talk.flatMap((turn, at) => {
    const id = `msg_${at}`;
    if ("prompt" in turn) return [{ id, role: "user", content: [{ type: "text", text: turn.prompt }], metadata: {} }];
    const called = turn.calls.map((one) => ({ ...one, id: `call_${calls++}` }));
    const results = called.filter(({ result }) => result);
    return [
      {
        id,
        role: "assistant",
        content: [
          ...turn.parts,
          ...called.map(({ id, name, input, marks }) => ({ type: "tool-call", id, name, input, providerExecuted: false, ...marks })),
        ],
      },
      ...results.map(({ id, name, result }) => ({
        role: "tool",
        content: [{ type: "tool-result", id, name, result, providerExecuted: false }],
      })),
    ];
  });
}

/** @param {Turn[]} talk @returns {any[]} */
export function stored(talk) {
  let parts = 0;
  /** @param {string} messageID @param {any} part */
  const named = (messageID, { providerMetadata, ...part }) => ({
    id: `prt_${parts++}`,
    messageID,
    sessionID: "ses_1",
    ...part,
    ...(providerMetadata && { metadata: providerMetadata }),
  });
  return talk.map((turn, at) => {
    const id = `msg_${at}`;
    if ("prompt" in turn) {
      const info = { id, role: "user", sessionID: "ses_1", model: { providerID: "provider-1", modelID: "model-1" } };
      return { info, parts: [named(id, { type: "text", text: turn.prompt })] };
    }
    const calls = turn.calls.map(({ name, input, result, marks }) =>
      named(id, { type: "tool", callID: `call_${parts}`, tool: name, state: stateOf(input, result), ...marks }));
    const all = [named(id, { type: "step-start" }), ...turn.parts.map((part) => named(id, part)), ...calls];
    return { info: { id, role: "assistant", sessionID: "ses_1" }, parts: [...all, named(id, { type: "step-finish" })] };
  });
}

/** @param {unknown} input @param {Result} [result] */
function stateOf(input, result) {
  if (!result) return { status: "running", input, time: { start: 1 } };
  if (result.type === "error") return { status: "error", input, error: result.value, time: { start: 1, end: 2 } };
  const output = typeof result.value === "string" ? result.value : JSON.stringify(result.value);
  return { status: "completed", input, output, title: "", metadata: {}, time: { start: 1, end: 2 } };
}

/**
 * What is left of each call and each said part, the same for both shapes.
 * @param {any[]} messages
 */
export function left(messages) {
  /** @type {{ calls: { name: string, input: any, output: unknown }[], said: string[], thought: string[] }} */
  const found = { calls: [], said: [], thought: [] };
  const results = new Map(
    messages.flatMap(({ role, content }) => (role === "tool" ? content.map((/** @type {any} */ part) => [part.id, part.result.value]) : [])),
  );
  for (const message of messages) {
    const isAssistant = (message.info ?? message).role === "assistant";
    for (const part of isAssistant ? (message.parts ?? message.content) : []) {
      if (part.type === "text") found.said.push(part.text);
      if (part.type === "reasoning") found.thought.push(part.text);
      if (part.type === "tool-call") found.calls.push({ name: part.name, input: part.input, output: results.get(part.id) });
      if (part.type === "tool") {
        found.calls.push({ name: part.tool, input: part.state.input, output: part.state.output ?? part.state.error });
      }
    }
  }
  return found;
}
