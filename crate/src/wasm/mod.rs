//! The boundary to JavaScript, and the only place that knows wasm-bindgen: it converts in, calls the core, and converts
//! out. Rules stand elsewhere.
//!
//! | file | what crosses there |
//! |---|---|
//! | [`pruning`] | one request: the shim loops until there is a plan (`js-shim/prune.js`) |
//! | `event` | a request as the shim has read it, and the changes of it (`js-shim/event.js`) |
//! | `conversation` | its messages, for what is stale in them (`js-shim/conversation.js`) |
//! | `call` | what the shim says of a call: settings, hook, inventory |
//! | `report` | reports and other values for people |
//! | [`discovery`] | calls of the tools that find what is hidden, and arguments to repair |
//!
//! Nothing here awaits. A panic in a future that `wasm-bindgen-futures` polls would be an uncaught exception of OpenCode's
//! process, and its promise would never settle; from a plain call it is an exception that the shim catches.

#![allow(unsafe_code, reason = "wasm-bindgen's macros expand to unsafe code")]

mod call;
mod conversation;
pub mod discovery;
mod event;
pub mod pruning;
mod report;

use std::cell::RefCell;

use wasm_bindgen::prelude::*;

use crate::candidates;
use crate::history::commands::{self, Totals};
use crate::history::session::Sessions as HistorySessions;
use crate::jev::wire;
use crate::opencode;
use crate::opencode::names::sanitise;
use crate::options::resolve::resolve;
use crate::options::{Options, Scorer};
use crate::pruning::Pruner;
use crate::replay;
use crate::report::shown_message;

use call::{settings_of, to_given, to_reply};
use report::to_js;

thread_local! {
    static PRUNER: RefCell<Pruner> = RefCell::default();
    static HISTORY: RefCell<HistorySessions> = RefCell::default();
}

/// Types of the shim's that signatures here name.
#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = r#"
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
"#;

/// Resolves a person's options. `env` is an object like `process.env`. `config` goes back into each call, the key only
/// into a header.
#[wasm_bindgen(js_name = resolveOptions, unchecked_return_type = "Resolved")]
pub fn resolve_options(given: &JsValue, env: &JsValue) -> Result<JsValue, JsValue> {
    let from_env = |name: &str| js_sys::Reflect::get(env, &name.into()).ok()?.as_string();
    let resolved = resolve(&to_given(given), from_env);
    let out = js_sys::Object::new();
    let set = |name: &str, value: &JsValue| js_sys::Reflect::set(&out, &name.into(), value);
    set("config", &to_js(&resolved.options)?)?;
    set("apiKey", &JsValue::from(resolved.options.jev_api_key.reveal()))?;
    set("warnings", &to_js(&resolved.warnings)?)?;
    set("sources", &to_js(&resolved.sources)?)?;
    Ok(out.into())
}

/// Remembers a prompt as it is admitted, so that it is recognised in the messages later. `now_ms` is the clock of
/// [`pruning::prune`].
#[wasm_bindgen(js_name = rememberPrompt)]
pub fn remember_prompt(message_id: String, text: String, now_ms: f64) {
    PRUNER.with_borrow_mut(|pruner| pruner.remember_prompt(message_id, text, now_ms));
}

/// The namespace, of those given, that a native tool belongs to.
#[wasm_bindgen(js_name = ownerOf)]
pub fn owner_of(name: &str, namespaces: Vec<String>) -> Option<String> {
    candidates::owner_of(name, |known| namespaces.iter().any(|namespace| namespace == known))
        .map(str::to_string)
}

/// The name under which a server's tools are called.
#[wasm_bindgen(js_name = namespaceOf)]
pub fn namespace_of(server: &str) -> String {
    sanitise(server)
}

/// Whether a system text of OpenCode 1.18 is that of the main conversation.
#[wasm_bindgen(js_name = isMainSystemText)]
pub fn is_main_system_text(text: &str) -> bool {
    opencode::is_main_system_text(text)
}

/// Forgets what was shown in a session: its history was compacted, or it is gone.
#[wasm_bindgen(js_name = forgetSession)]
pub fn forget_session(session: &str) {
    PRUNER.with_borrow_mut(|pruner| pruner.sessions.forget(session));
    HISTORY.with_borrow_mut(|history| history.forget(session));
}

/// The model takes outputs out of the conversation, with its own words for them if it has some. Returns what the
/// model is answered.
#[wasm_bindgen(js_name = takeOut)]
pub fn take_out(session: &str, ids: Vec<String>, words: Vec<String>) -> String {
    HISTORY.with_borrow_mut(|sessions| match sessions.get_mut(session) {
        Some(session) => session.prune_by_ids(&ids, &words),
        None => "Nothing can be taken out of this conversation now.".to_string(),
    })
}

/// What a person is shown for `/jev NAME ARGUMENT`; nothing for a name that is not known here. `requests` and
/// `tokens_saved` are those of all sessions, if they are kept.
#[wasm_bindgen(js_name = historyCommand)]
pub fn history_command(
    session: &str,
    name: &str,
    argument: &str,
    requests: Option<f64>,
    tokens_saved: Option<f64>,
) -> Option<String> {
    let all = requests.zip(tokens_saved).map(|(requests, tokens_saved)| Totals {
        requests: requests as u64,
        tokens_saved: tokens_saved as u64,
    });
    HISTORY.with_borrow_mut(|sessions| match name {
        "context" => Some(commands::context(sessions.get(session))),
        "sweep" => Some(commands::sweep(sessions.get_mut(session), argument)),
        "stats" => Some(commands::stats(sessions.get(session), all)),
        _ => None,
    })
}

/// One tiny question, so that the first prompt finds a warm connection; none where Jev is not asked.
#[wasm_bindgen(js_name = warmUpRequest, unchecked_return_type = "JevRequest | undefined")]
pub fn warm_up_request(#[wasm_bindgen(unchecked_param_type = "Config")] config: JsValue) -> JsValue {
    let options = &settings_of(config).options;
    match options.scorer {
        Scorer::Jev => pruning::request_to_js(
            &wire::warm_up_body(&options.jev_model),
            "warmup",
            options.jev_timeout_ms,
            0.0,
        ),
        Scorer::Lexical | Scorer::None => JsValue::UNDEFINED,
    }
}

/// How that went, for the debug log: `{ ok, ms, error? }`.
#[wasm_bindgen(js_name = warmUpResult)]
pub fn warm_up_result(
    #[wasm_bindgen(unchecked_param_type = "Reply")] reply: &JsValue,
    ms: f64,
) -> Result<JsValue, JsValue> {
    let mut result = wire::warm_up_result(&to_reply(reply), ms);
    if let Some(error) = &mut result.error {
        error.message = shown_message(&error.message);
    }
    to_js(&result)
}

/// Decides anew on the reports of a debug log, in their order, under other settings. See [`crate::replay`].
#[wasm_bindgen]
pub struct Replayer(replay::Replayer);

#[wasm_bindgen]
impl Replayer {
    /// `config` is a resolved configuration as JSON.
    #[wasm_bindgen(constructor)]
    pub fn new(config: &str) -> Replayer {
        let config = serde_json::from_str(config).unwrap_or_default();
        Replayer(replay::Replayer::new(&Options::from_json(&config)))
    }

    /// `report` is a line of the log. Nothing for a line without a decision.
    pub fn replay(&mut self, report: &str) -> Result<JsValue, JsValue> {
        self.0.replay(report).map_or(Ok(JsValue::UNDEFINED), |replayed| to_js(&replayed))
    }
}
