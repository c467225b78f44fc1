/**
 * The shapes that the stand-in host passes around, as JSDoc types only. What is done with them is told in the
 * modules that use them; nothing here runs.
 */

/**
 * As much of JSON Schema as tool definitions use.
 * @typedef {object} JsonSchema
 * @property {string | string[]} [type]
 * @property {Record<string, JsonSchema>} [properties]
 * @property {string[]} [required]
 * @property {boolean | JsonSchema} [additionalProperties]
 * @property {JsonSchema} [items]
 * @property {unknown[]} [enum]
 * @property {unknown} [const]
 * @property {JsonSchema[]} [anyOf]
 * @property {JsonSchema[]} [oneOf]
 * @property {JsonSchema[]} [allOf]
 * @property {string} [$ref]
 * @property {Record<string, JsonSchema>} [$defs]
 * @property {Record<string, JsonSchema>} [definitions]
 * @property {string} [$schema]
 * @property {string} [title]
 * @property {string} [description]
 * @property {boolean} [deprecated]
 * @property {unknown} [default]
 * @property {string} [format]
 * @property {string} [pattern]
 * @property {number} [minimum]
 * @property {number} [maximum]
 * @property {number} [exclusiveMinimum]
 * @property {number} [exclusiveMaximum]
 * @property {number} [multipleOf]
 * @property {number} [minLength]
 * @property {number} [maxLength]
 * @property {number} [minItems]
 * @property {number} [maxItems]
 * @property {boolean} [uniqueItems]
 */

/** @typedef {{ name: string, description?: string, inputSchema?: JsonSchema, outputSchema?: JsonSchema }} Tool */

/**
 * `description` is the namespace description that stands behind the header line of a catalog block; MCP servers
 * normally have none (opencode-host.md §6.1). `codemode: false` makes every tool of the server a native one.
 * @typedef {object} Server
 * @property {string} name raw, as in the user's configuration
 * @property {Tool[]} tools
 * @property {string} [description]
 * @property {string} [instructions]
 * @property {boolean} [codemode]
 */

/** @typedef {{ id: string, name: string, description?: string, autoinvoke?: boolean }} Skill */

/** @typedef {{ description: string, input: JsonSchema }} ToolDefinition */
/** @typedef {{ name: string, description: string, input: JsonSchema }} NativeTool */
/** @typedef {{ id: string, providerID: string }} Model */
/** @typedef {{ type: "text", text: string, metadata?: Record<string, unknown> }} TextPart */
/** @typedef {TextPart | { type: string, [field: string]: unknown }} ContentPart */
/** @typedef {"system" | "user" | "assistant" | "tool"} Role */
/** @typedef {{ id?: string, role: Role, content: ContentPart[], metadata?: Record<string, unknown> }} MessageShape */

/**
 * What a `context` hook gets (opencode-host.md §4).
 * @typedef {object} ContextEvent
 * @property {string} sessionID
 * @property {string} agent
 * @property {Model} model
 * @property {TextPart[]} system
 * @property {MessageShape[]} messages
 * @property {Record<string, ToolDefinition>} tools
 */

/**
 * What a `prompt` hook gets.
 * @typedef {object} PromptEvent
 * @property {string} sessionID
 * @property {string} messageID
 * @property {{ text: string }} prompt
 * @property {"queue" | "steer"} delivery
 */

/** @typedef {{ system: TextPart[], messages: MessageShape[], tools: Record<string, ToolDefinition> }} Transcript */

/**
 * What leaves for the model.
 * @typedef {object} ModelRequest
 * @property {string} sessionID
 * @property {string} agent
 * @property {Model} model
 * @property {TextPart[]} system
 * @property {MessageShape[]} messages
 * @property {NativeTool[]} tools
 */

/**
 * One model call: what the hooks were given, what they left, and what they did that a host forgives only silently.
 * @typedef {object} Step
 * @property {Transcript} before
 * @property {Transcript} after
 * @property {ModelRequest} request
 * @property {{ system: boolean, messages: boolean, tools: boolean }} touched by object identity
 * @property {string[]} violations
 */

/** @typedef {(event: any) => unknown} HookCallback */
/** @typedef {{ dispose(): Promise<void> }} Registration */

/**
 * @typedef {object} Plugin
 * @property {string} id
 * @property {(ctx: any) => unknown} [setup]
 * @property {unknown} [effect]
 */

export {};
