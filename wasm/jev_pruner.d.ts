/* tslint:disable */
/* eslint-disable */

/**
 * Decides anew on the reports of a debug log, in their order, under other settings. See [`crate::replay`].
 */
export class Replayer {
    free(): void;
    [Symbol.dispose](): void;
    /**
     * `config` is a resolved configuration as JSON.
     */
    constructor(config: string);
    /**
     * `report` is a line of the log. Nothing for a line without a decision.
     */
    replay(report: string): any;
}

/**
 * Answers a call of one of our tools, whose input comes as JSON: text for the model. What it finds is shown in
 * the session from then on.
 */
export function callTool(name: string, input: string, session: string, instance: number, config: any): string;

/**
 * The tools to register: `[{ name, description, input }]`.
 */
export function discoveryTools(config: any): any;

/**
 * Forgets what was shown in a session: its history was compacted, or it is gone.
 */
export function forgetSession(session: string): void;

/**
 * What a person is shown for `/jev NAME ARGUMENT`; nothing for a name that is not known here. `totals` is
 * `{ requests, tokens_saved }` of all sessions, if they are kept.
 */
export function historyCommand(session: string, name: string, argument: string, requests?: number | null, tokens_saved?: number | null): string | undefined;

/**
 * Whether a system text of OpenCode 1.18 is that of the main conversation.
 */
export function isMainSystemText(text: string): boolean;

/**
 * Takes what the host lists, flat (see `crate::discovery::documents`), for one instance of the plugin. What is
 * not listed is taken from each session's own request.
 */
export function listFor(instance: number, tools: string | null | undefined, skills: string | null | undefined, config: any): void;

/**
 * The name under which a server's tools are called.
 */
export function namespaceOf(server: string): string;

/**
 * The namespace, of those given, that a native tool belongs to.
 */
export function ownerOf(name: string, namespaces: string[]): string | undefined;

/**
 * Decides on one request and prunes it, in one last synchronous step or not at all.
 *
 * `options` is `{ config, ask, now, event, report, conversation?, redact?, print?, warn?, log?, inventory?, hook?, fixedMessages? }`: the resolved
 * configuration, `ask(body, { label, timeoutMs, delayMs })` that promises `{ status, body }` or `{ failure, message }`, a clock in milliseconds, a function
 * that takes the key out of a message, and where to tell what happened. The promise resolves to the report.
 */
export function prune(event: any, options: any): Promise<any>;

/**
 * Remembers a prompt as it is admitted, so that it is recognised in the messages later.
 */
export function rememberPrompt(message_id: string, text: string, now_ms: number): void;

/**
 * Mends the arguments of a call, which come as JSON, like their schema: the mended ones as JSON and then the
 * paths of what was mended, or nothing if they are as they should be.
 */
export function repairArguments(session: string, input: string, schema: string): Array<any>;

/**
 * Resolves a person's options. `env` is an object like `process.env`.
 *
 * Returns `{ config, apiKey, warnings, sources }`: `config` goes back into [`prune`], the key only into a header,
 * and `sources` has a pair of name and place for each option that was given and taken.
 */
export function resolveOptions(given: any, env: any): any;

/**
 * The model takes outputs out of the conversation, with its own words for them if it has some. Returns what the
 * model is answered.
 */
export function takeOut(session: string, ids: string[], words: string[]): string;

/**
 * Sends one tiny question, so that the first prompt finds a warm connection, and logs how that went.
 */
export function warmUp(options: any): Promise<any>;

export type InitInput = RequestInfo | URL | Response | BufferSource | WebAssembly.Module;

export interface InitOutput {
    readonly memory: WebAssembly.Memory;
    readonly __wbg_replayer_free: (a: number, b: number) => void;
    readonly callTool: (a: number, b: number, c: number, d: number, e: number, f: number, g: number, h: any) => [number, number, number, number];
    readonly discoveryTools: (a: any) => [number, number, number];
    readonly forgetSession: (a: number, b: number) => void;
    readonly historyCommand: (a: number, b: number, c: number, d: number, e: number, f: number, g: number, h: number, i: number, j: number) => [number, number];
    readonly isMainSystemText: (a: number, b: number) => number;
    readonly listFor: (a: number, b: number, c: number, d: number, e: number, f: any) => void;
    readonly namespaceOf: (a: number, b: number) => [number, number];
    readonly ownerOf: (a: number, b: number, c: number, d: number) => [number, number];
    readonly prune: (a: any, b: any) => [number, number, number];
    readonly rememberPrompt: (a: number, b: number, c: number, d: number, e: number) => void;
    readonly repairArguments: (a: number, b: number, c: number, d: number, e: number, f: number) => any;
    readonly replayer_new: (a: number, b: number) => number;
    readonly replayer_replay: (a: number, b: number, c: number) => [number, number, number];
    readonly resolveOptions: (a: any, b: any) => [number, number, number];
    readonly takeOut: (a: number, b: number, c: number, d: number, e: number, f: number) => [number, number];
    readonly warmUp: (a: any) => [number, number, number];
    readonly wasm_bindgen__convert__closures_____invoke__hee46725b738ad9a0: (a: number, b: number, c: any) => [number, number, number];
    readonly __wbindgen_malloc: (a: number, b: number) => number;
    readonly __wbindgen_realloc: (a: number, b: number, c: number, d: number) => number;
    readonly __wbindgen_free: (a: number, b: number, c: number) => void;
    readonly __wbindgen_exn_store: (a: number) => void;
    readonly __externref_table_alloc: () => number;
    readonly __wbindgen_externrefs: WebAssembly.Table;
    readonly __wbindgen_destroy_closure: (a: number, b: number) => void;
    readonly __externref_table_dealloc: (a: number) => void;
    readonly __externref_drop_slice: (a: number, b: number) => void;
    readonly __wbindgen_start: () => void;
}

export type SyncInitInput = BufferSource | WebAssembly.Module;

/**
 * Instantiates the given `module`, which can either be bytes or
 * a precompiled `WebAssembly.Module`.
 *
 * @param {{ module: SyncInitInput }} module - Passing `SyncInitInput` directly is deprecated.
 *
 * @returns {InitOutput}
 */
export function initSync(module: { module: SyncInitInput } | SyncInitInput): InitOutput;

/**
 * If `module_or_path` is {RequestInfo} or {URL}, makes a request and
 * for everything else, calls `WebAssembly.instantiate` directly.
 *
 * @param {{ module_or_path: InitInput | Promise<InitInput> }} module_or_path - Passing `InitInput` directly is deprecated.
 *
 * @returns {Promise<InitOutput>}
 */
export default function __wbg_init (module_or_path?: { module_or_path: InitInput | Promise<InitInput> } | InitInput | Promise<InitInput>): Promise<InitOutput>;
