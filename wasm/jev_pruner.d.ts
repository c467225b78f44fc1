/* tslint:disable */
/* eslint-disable */

import type { Change, Snapshot } from "../js-shim/event.js";
import type { PruneCall, Reply } from "../js-shim/prune.js";
import type { PrunerOptions } from "../js-shim/options.js";

type Filled<T> = T extends readonly unknown[] ? T : T extends object ? { [K in keyof T]-?: Filled<T[K]> } : T;

/** Resolved options: all have a value but the one that may stay unset, and the key is not among them. */
export type Config = Filled<Omit<PrunerOptions, "jev_api_key" | "debug_log_file">> & { debug_log_file?: string | null };

/** A request to Jev. `timeoutMs` counts from when it is sent, which is `delayMs` from now. */
export interface JevRequest { body: string; label: string; timeoutMs: number; delayMs: number }

/** What is to be done before a pruning goes on: send this, or wait for another pruning that asks the same. */
export type Wanted = JevRequest | { exchange: number };

/** What came of a person's options. `sources` has a pair of name and place for each option that was given and taken. */
export interface Resolved { config: Config; apiKey: string | undefined; warnings: string[]; sources: [string, string][] }

/** Milliseconds: in all, waiting for Jev, reading the event, changing it. */
export interface Durations { total: number; jev: number; read: number; apply: number }

/** What a person is told. `log` has the kind and the fields of each line of the debug log; `console` is debug output. */
export interface Telling { report: any; log: [string, any][]; console: string | undefined; warnings: string[] }

/** A tool of ours, as OpenCode registers it. `input` is a JSON schema. */
export interface ToolDefinition { name: string; description: string; input: { properties: Record<string, object>; required?: string[] } }



/**
 * A request that is being pruned.
 */
export class Pruning {
    private constructor();
    free(): void;
    [Symbol.dispose](): void;
    /**
     * Takes the replies to the requests, in their order. `now_ms` is the clock of the call.
     */
    answer(replies: (Reply | undefined)[], now_ms: number): void;
    /**
     * What becomes of the event; nothing if it stays as it is.
     */
    change(): Change | undefined;
    /**
     * What a person is told at the end. `applied` says whether the change was made.
     */
    tell(applied: boolean, ms: Durations): Telling;
    /**
     * The number under which others may wait for this one.
     */
    readonly exchange: number | undefined;
    /**
     * What is to be done before it goes on; nothing at its end.
     */
    readonly requests: Wanted[];
}

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
 * What a person is shown for `/jev NAME ARGUMENT`; nothing for a name that is not known here. `requests` and
 * `tokens_saved` are those of all sessions, if they are kept.
 */
export function historyCommand(session: string, name: string, argument: string, requests?: number | null, tokens_saved?: number | null): string | undefined;

/**
 * Whether a system text of OpenCode 1.18 is that of the main conversation.
 */
export function isMainSystemText(text: string): boolean;

/**
 * Takes what OpenCode lists for one instance of the plugin, as encoded lists (see `crate::discovery::documents`).
 * What is not listed is taken from each session's own request.
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
 * Begins with a request. `snapshot` is what the shim has read of the event.
 */
export function prune(snapshot: Snapshot, call: PruneCall): Pruning;

/**
 * Remembers a prompt as it is admitted, so that it is recognised in the messages later. `now_ms` is the clock of
 * [`pruning::prune`].
 */
export function rememberPrompt(message_id: string, text: string, now_ms: number): void;

/**
 * Mends the arguments of a call, which come as JSON, like their schema: the mended ones as JSON and then the
 * paths of what was mended, or nothing if they are as they should be.
 */
export function repairArguments(session: string, input: string, schema: string): Array<any>;

/**
 * Resolves a person's options. `env` is an object like `process.env`. `config` goes back into each call, the key only
 * into a header.
 */
export function resolveOptions(given: any, env: any): Resolved;

/**
 * The model takes outputs out of the conversation, with its own words for them if it has some. Returns what the
 * model is answered.
 */
export function takeOut(session: string, ids: string[], words: string[]): string;

/**
 * One tiny question, so that the first prompt finds a warm connection; none where Jev is not asked.
 */
export function warmUpRequest(config: Config): JevRequest | undefined;

/**
 * How that went, for the debug log: `{ ok, ms, error? }`.
 */
export function warmUpResult(reply: Reply, ms: number): any;

export type InitInput = RequestInfo | URL | Response | BufferSource | WebAssembly.Module;

export interface InitOutput {
    readonly memory: WebAssembly.Memory;
    readonly __wbg_pruning_free: (a: number, b: number) => void;
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
    readonly pruning_answer: (a: number, b: any, c: number) => void;
    readonly pruning_change: (a: number) => any;
    readonly pruning_exchange: (a: number) => number;
    readonly pruning_requests: (a: number) => any;
    readonly pruning_tell: (a: number, b: number, c: any) => [number, number, number];
    readonly rememberPrompt: (a: number, b: number, c: number, d: number, e: number) => void;
    readonly repairArguments: (a: number, b: number, c: number, d: number, e: number, f: number) => any;
    readonly replayer_new: (a: number, b: number) => number;
    readonly replayer_replay: (a: number, b: number, c: number) => [number, number, number];
    readonly resolveOptions: (a: any, b: any) => [number, number, number];
    readonly takeOut: (a: number, b: number, c: number, d: number, e: number, f: number) => [number, number];
    readonly warmUpRequest: (a: any) => any;
    readonly warmUpResult: (a: any, b: number) => [number, number, number];
    readonly __wbindgen_malloc: (a: number, b: number) => number;
    readonly __wbindgen_realloc: (a: number, b: number, c: number, d: number) => number;
    readonly __wbindgen_free: (a: number, b: number, c: number) => void;
    readonly __wbindgen_exn_store: (a: number) => void;
    readonly __externref_table_alloc: () => number;
    readonly __wbindgen_externrefs: WebAssembly.Table;
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
