//! What the user can set: the one source of names, defaults, ranges and descriptions.
//!
//! A new option is one entry in a list below or in that of its group ([`discovery`], [`history`]): description, name,
//! type, default, allowed values and environment variables. A new group is a list of its own and one entry in the list
//! of the group around it. `schema.json`, the TypeScript types and the README's tables are rendered from these lists by
//! [`render`]; `UPDATE_GENERATED=1 cargo test --test generated` writes them. Reading what the user gave, and warning of
//! what cannot be used, is left to [`resolve`].

pub mod check;
pub mod discovery;
pub mod given;
pub mod history;
mod names;
pub mod patterns;
pub mod render;
pub mod resolve;
mod secret;
mod spec;

use serde_json::{Map, Value};

pub use secret::Secret;
pub use spec::{specs, Kind, Spec};

use given::Given;
use spec::{choice, options};

const DAY_MS: f64 = 86_400_000.0;
const SHARE: Kind = Kind::Number { min: 0.0, max: 1.0 };

options! {
    /// The resolved configuration.
    Options {
        /// The key for Jev. Without one the plugin is disabled and requests are left as they are.
        jev_api_key: Secret = Secret::default(), Kind::Secret, env ["JEV_API_KEY", "TYPESAFE_API_KEY"];
        /// The full address of a System One endpoint.
        jev_endpoint: String = "https://opencode.ai/inference/systemone/v1/systemone".to_string(),
            Kind::Url, env ["JEV_URL", "JEV_ENDPOINT"];
        /// The model to ask. OpenCode's gateway does not know the alias `jev-latest`.
        jev_model: String = "jev-1.13".to_string(), Kind::Text, env ["JEV_MODEL"];
        /// A tool or skill stays when Jev's answer is at least this.
        jev_confidence_threshold: f64 = 0.55, SHARE, env ["JEV_CONFIDENCE_THRESHOLD"];
        /// An MCP server passes phase 1 when Jev's answer is at least this.
        jev_phase1_threshold: f64 = 0.35, SHARE, env ["JEV_PHASE1_THRESHOLD"];
        /// How long one request to Jev may take, in milliseconds.
        jev_timeout_ms: f64 = 900.0, Kind::Number { min: 1.0, max: 60_000.0 }, env ["JEV_TIMEOUT_MS"];
        /// Ask about servers first, then only about the tools of those that pass. Off: ask about all tools at
        /// once and about no server.
        enable_two_phase_gating: bool = true, Kind::Flag;
        /// Skills that are never asked about and always stay: globs over id and name.
        always_include_skills: Vec<String> = Vec::from(["core_system_skill", "error_recovery"].map(String::from)),
            Kind::Texts;
        /// Tools that are never asked about and always stay: globs over `tool`, `server.tool` and
        /// `server_tool`.
        always_include_tools: Vec<String> = vec![], Kind::Texts;
        /// Servers that are never asked about and always stay whole: globs over the name.
        always_include_servers: Vec<String> = Vec::from(["opencode"].map(String::from)), Kind::Texts;
        /// Prune MCP servers and their tools.
        prune_mcp_tools: bool = true, Kind::Flag;
        /// Prune skills.
        prune_skills: bool = true, Kind::Flag;
        /// Print a report of every request to the console.
        debug_mode: bool = false, Kind::Flag, env ["JEV_PRUNER_DEBUG"];
        /// Append one JSON object a line to this file. A relative path is taken from the project directory.
        debug_log_file: Option<String> = None, Kind::Text, env ["JEV_PRUNER_DEBUG_LOG"];
        /// Send one tiny question when the plugin loads, so that the first prompt finds a warm connection.
        warmup_on_load: bool = false, Kind::Flag, env ["JEV_WARMUP"];
        /// After a failure leave Jev alone for this long, in milliseconds.
        failure_cooldown_ms: f64 = 0.0,
            Kind::Number { min: 0.0, max: DAY_MS }, env ["JEV_FAILURE_COOLDOWN_MS"];
        /// The most questions in one request; more are split into parallel requests.
        max_questions_per_request: usize = 100, Kind::Count { min: 1, max: 1_000 };
        /// What a question tells of its server, tool or skill is cut at this many characters; what a server's
        /// tools do is told in as many more.
        max_description_chars: usize = 400, Kind::Count { min: 1, max: 4_000 };
        /// What Jev reads of the prompt is cut at this many characters.
        max_prompt_chars: usize = 6_000, Kind::Count { min: 1, max: 40_000 };
        /// What Jev reads beside the newest prompt. `auto`: with a prompt shorter than 40 characters ("yes,
        /// go on") also the one before it and the last sentence of the assistant's answer to that. `prompt`:
        /// nothing.
        state_context: StateContext = StateContext::Auto, Kind::Choice(StateContext::WORDS);
        /// How long an answer is good for the same session, prompt and candidates, in milliseconds; 0 asks
        /// anew each time.
        cache_ttl_ms: f64 = 600_000.0, Kind::Number { min: 0.0, max: DAY_MS };
        /// Add tools that the host's sample left out and that the prompt needs, as far as pruning made room.
        refill_catalog: bool = true, Kind::Flag;
        /// The most tools to ask about at once, listed ones first, then those that share most words with the
        /// prompt.
        max_candidates: usize = 400, Kind::Count { min: 1, max: 10_000 };
        /// `session`: what was shown stays shown until the history is compacted, so that the provider's
        /// prompt cache holds. `prompt`: each prompt is decided alone.
        decision_scope: DecisionScope = DecisionScope::Session, Kind::Choice(DecisionScope::WORDS);
        /// When Jev fails: `open` sends the request whole, `last` keeps the last decision if it covers every
        /// candidate.
        on_failure: OnFailure = OnFailure::Open, Kind::Choice(OnFailure::WORDS);
        /// `prune`: change requests. `shadow`: ask, decide and report, and change nothing. `off`: do nothing.
        mode: Mode = Mode::Prune, Kind::Choice(Mode::WORDS), env ["JEV_PRUNER_MODE"];
        /// Tell the model in one constant line per pruned list how to reach what is not listed.
        recovery_hint: bool = true, Kind::Flag;
        /// The largest share of the candidates that may be hidden, tools and skills counted apart.
        max_pruned_fraction: f64 = 1.0, SHARE;
        /// How long a whole decision may take, both phases and retries, in milliseconds; 0 means twice
        /// `jev_timeout_ms`.
        deadline_ms: f64 = 0.0, Kind::Number { min: 0.0, max: 120_000.0 };
        /// When everything that could be pruned is shorter than this, Jev is not asked.
        min_saving_chars: usize = 400, Kind::Count { min: 0, max: 1_000_000 };
        /// `threshold`: keep what reaches its threshold. `budget`: keep the best within `budget_fraction` of
        /// the candidates' tokens, from lower thresholds (0.15 for servers, 0.25 for tools and skills).
        selection: Selection = Selection::Threshold, Kind::Choice(Selection::WORDS);
        /// With `selection: "budget"`, the share of the candidates' tokens that may stay, tools and skills
        /// counted apart.
        budget_fraction: f64 = 0.25, SHARE;
        /// Who decides: `jev` asks Jev. `lexical` keeps the `lexical_keep` servers and skills that share most
        /// words with the prompt. `none` hides only what `discovery.hide` names. The last two need no key and
        /// no network.
        scorer: Scorer = Scorer::Jev, Kind::Choice(Scorer::WORDS), env ["JEV_PRUNER_SCORER"];
        /// With `scorer: "lexical"`, how many servers stay, and how many skills.
        lexical_keep: usize = 12, Kind::Count { min: 0, max: 10_000 };
        /// Mend arguments of tool calls before they run: texts that the schema wants as boolean, number, list
        /// or object, and names of properties in the wrong case. Only where one meaning is possible.
        repair_arguments: bool = false, Kind::Flag;
    }
    groups {
        /// Finding on demand what a request does not show.
        discovery: discovery::Discovery;
        /// Pruning of the conversation itself.
        history: history::History;
    }
}

choice! {
    /// How long a decision to show something lasts.
    DecisionScope {
        /// Until the session's history is compacted.
        Session = "session",
        /// Until the next prompt.
        Prompt = "prompt",
    }
}

choice! {
    /// What Jev reads beside the newest prompt.
    StateContext {
        /// With a short prompt also the one before it, and how the assistant's answer to that ended.
        Auto = "auto",
        /// Nothing.
        Prompt = "prompt",
    }
}

choice! {
    /// What goes out when Jev fails.
    OnFailure {
        /// The whole request.
        Open = "open",
        /// What the last decision left, if it covers every candidate.
        Last = "last",
    }
}

choice! {
    /// What the plugin does at all.
    #[derive(Default)]
    Mode {
        /// It changes requests.
        #[default]
        Prune = "prune",
        /// It asks, decides and reports, and changes nothing.
        Shadow = "shadow",
        /// Nothing.
        Off = "off",
    }
}

choice! {
    /// How the candidates that stay are chosen by their scores.
    Selection {
        /// Everything stays that reaches its threshold.
        Threshold = "threshold",
        /// The best stay, as far as a budget goes.
        Budget = "budget",
    }
}

choice! {
    /// Who says what a prompt needs.
    Scorer {
        /// Jev, asked over the network.
        Jev = "jev",
        /// The words that a candidate shares with the prompt.
        Lexical = "lexical",
        /// Nobody: only what `discovery.hide` names is hidden.
        None = "none",
    }
}

impl Options {
    /// A configuration that was resolved before, from its JSON. What is missing has its default, and so has what would
    /// be refused if the user gave it.
    pub fn from_json(json: &Value) -> Options {
        let mut checked = Map::new();
        for spec in specs() {
            let written = spec.path.split('.').try_fold(json, |value, name| value.get(name));
            let value = written.map(|value| check::check(spec.kind, &Given::from(value.clone())));
            if let Some(Ok(value)) = value {
                insert(&mut checked, &spec.path, value);
            }
        }
        Options::from_values(checked)
    }

    /// The deadline in force for a whole decision, in milliseconds.
    pub fn deadline_ms(&self) -> f64 {
        if self.deadline_ms > 0.0 {
            return self.deadline_ms;
        }
        2.0 * self.jev_timeout_ms
    }

    /// Equal for equal settings, whatever the key; part of every cache key, since one module may serve several
    /// projects.
    pub fn fingerprint(&self) -> u64 {
        crate::hash::fingerprint_of(&serde_json::to_string(self).unwrap_or_default())
    }
}

/// Inserts a value at its path, `history.batch_tokens` into the object `history`.
fn insert(group: &mut Map<String, Value>, path: &str, value: Value) {
    match path.split_once('.') {
        None => drop(group.insert(path.to_string(), value)),
        Some((name, path)) => {
            let inner = group.entry(name).or_insert_with(|| Value::Object(Map::new()));
            if let Some(inner) = inner.as_object_mut() {
                insert(inner, path, value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_bad_value_in_a_resolved_configuration_has_its_default_and_spoils_no_other() {
        let options = Options::from_json(&json!({
            "mode": "loud",
            "jev_timeout_ms": 300,
            "debug_log_file": null,
            "history": { "batch_tokens": "many", "subagents": true },
            "discovery": 3,
        }));
        let mut expected = Options { jev_timeout_ms: 300.0, ..Options::default() };
        expected.history.subagents = true;
        assert_eq!(options, expected);
    }
}
