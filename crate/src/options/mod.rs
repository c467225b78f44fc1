//! What a person can set: the one source of names, defaults, ranges and descriptions.
//!
//! `schema.json`, the TypeScript types and the README's tables are rendered from [`specs`] (see
//! [`crate::options::render`]). Reading what somebody actually gave is [`resolve`]'s part.

pub mod discovery;
pub mod history;
pub mod patterns;
#[cfg(not(target_arch = "wasm32"))]
pub mod render;
pub mod resolve;

use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

/// What values an option takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// A text that must never be shown again.
    Secret,
    /// An http or https address.
    Url,
    /// A non-empty text.
    Text,
    /// A number between two bounds, both allowed.
    Number {
        min: f64,
        max: f64,
    },
    /// A whole number between two bounds, both allowed.
    Count {
        min: u64,
        max: u64,
    },
    Flag,
    /// One of a few words.
    Choice(&'static [&'static str]),
    /// A list of texts.
    Texts,
    /// A list of globs and of regular expressions behind `re:`.
    Patterns,
    /// Tags and descriptions of tools, by their native name.
    ToolNotes,
}

/// One option.
pub struct Spec {
    /// Its path: `history.batch_tokens` is `batch_tokens` within `history`.
    pub name: &'static str,
    /// Environment variables that set it, the first one that is set wins.
    pub env: &'static [&'static str],
    pub kind: Kind,
    /// For readers of files that are rendered; the module does without.
    #[cfg(not(target_arch = "wasm32"))]
    pub description: &'static str,
    pub default: Preset,
}

/// What an option is as long as nobody sets it. These are values and not functions: an engine compiles each function
/// when it is first called, and all defaults are wanted when the plugin loads.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Preset {
    Unset,
    Flag(bool),
    Count(u64),
    Number(f64),
    Text(&'static str),
    Texts(&'static [&'static str]),
    /// An object without members.
    Empty,
}

impl Preset {
    pub fn value(self) -> Value {
        match self {
            Preset::Unset => Value::Null,
            Preset::Flag(flag) => flag.into(),
            Preset::Count(count) => count.into(),
            // A whole number is shown as one.
            Preset::Number(number) if number.fract() == 0.0 => (number as i64).into(),
            Preset::Number(number) => number.into(),
            Preset::Text(text) => text.into(),
            Preset::Texts(texts) => texts.into(),
            Preset::Empty => Value::Object(Map::new()),
        }
    }
}

/// The place of an option in [`Options`], by what it holds. Setting and telling are written once for all of them.
pub enum Slot<'a> {
    Flag(&'a mut bool),
    Count(&'a mut usize),
    Number(&'a mut f64),
    Text(&'a mut String),
    Optional(&'a mut Option<String>),
    Texts(&'a mut Vec<String>),
    Choice(&'a mut dyn Choice),
    Secret(&'a mut Secret),
    Notes(&'a mut discovery::ToolNotes),
}

/// One of a few words.
pub trait Choice {
    fn word(&self) -> &'static str;
    /// Whether there is such a word.
    fn choose(&mut self, word: &str) -> bool;
}

pub trait Field {
    fn slot(&mut self) -> Slot<'_>;
}

macro_rules! fields {
    ($( $type:ty => $slot:ident )*) => { $( impl Field for $type {
        fn slot(&mut self) -> Slot<'_> {
            Slot::$slot(self)
        }
    } )* };
}

fields! {
    bool => Flag
    usize => Count
    f64 => Number
    String => Text
    Option<String> => Optional
    Vec<String> => Texts
    Secret => Secret
    discovery::ToolNotes => Notes
}

impl Slot<'_> {
    /// Takes a value; `false` if it is of another kind than the option.
    fn set(self, value: Value) -> bool {
        match (self, value) {
            (Slot::Flag(slot), Value::Bool(flag)) => *slot = flag,
            (Slot::Count(slot), Value::Number(number)) => match number.as_u64() {
                Some(count) => *slot = count as usize,
                None => return false,
            },
            (Slot::Number(slot), Value::Number(number)) => match number.as_f64() {
                Some(number) => *slot = number,
                None => return false,
            },
            (Slot::Text(slot), Value::String(text)) => *slot = text,
            (Slot::Optional(slot), Value::String(text)) => *slot = Some(text),
            (Slot::Optional(slot), Value::Null) => *slot = None,
            (Slot::Secret(slot), Value::String(text)) => *slot = Secret(Some(text)),
            (Slot::Secret(slot), Value::Null) => *slot = Secret(None),
            (Slot::Notes(slot), notes @ Value::Object(_)) => *slot = discovery::ToolNotes(notes),
            (Slot::Choice(slot), Value::String(word)) => return slot.choose(&word),
            (Slot::Texts(slot), Value::Array(items)) => {
                let texts: Option<Vec<String>> =
                    items.iter().map(|item| item.as_str().map(str::to_string)).collect();
                match texts {
                    Some(texts) => *slot = texts,
                    None => return false,
                }
            }
            _ => return false,
        }
        true
    }

    fn get(self) -> Value {
        match self {
            Slot::Flag(flag) => Value::Bool(*flag),
            Slot::Count(count) => (*count).into(),
            Slot::Number(number) => (*number).into(),
            Slot::Text(text) => Value::String(text.clone()),
            Slot::Optional(text) => text.clone().map_or(Value::Null, Value::String),
            Slot::Texts(texts) => texts.iter().cloned().map(Value::String).collect(),
            Slot::Choice(choice) => Value::String(choice.word().to_string()),
            Slot::Notes(notes) => notes.0.clone(),
            Slot::Secret(_) => Value::Null,
        }
    }
}

impl Serialize for Options {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.to_json().serialize(serializer)
    }
}

/// A key: it can be handed on, but is neither printed nor serialised.
#[derive(Clone, Default, PartialEq)]
pub struct Secret(Option<String>);

impl Secret {
    pub fn reveal(&self) -> Option<&str> {
        self.0.as_deref()
    }
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(if self.0.is_some() { "Secret(set)" } else { "Secret(unset)" })
    }
}

/// One group of options: its struct, its field in [`Options`] (`[]` for [`Options`] itself), its own options,
/// and the groups within it. The name of an option is its whole path, `history.deduplication.enabled`.
macro_rules! options {
    (
        $(#[doc = $about:literal])* $group:ident $at:tt
        { $( #[doc = $doc:literal] $name:ident: $type:ty = $preset:ident $( ($default:expr) )?, $kind:expr, [$($env:literal),*]; )* }
        { $( $inner:ident: $inner_type:ty, )* }
    ) => {
        $(#[doc = $about])*
        #[derive(Clone, Debug, PartialEq)]
        pub struct $group { $( #[doc = $doc] pub $name: $type, )* $( pub $inner: $inner_type, )* }

        impl $group {
            pub(super) const SPECS: &'static [$crate::options::Spec] = &[ $( $crate::options::Spec {
                name: $crate::options::at!(path $at $name),
                env: &[$($env),*],
                kind: $kind,
                #[cfg(not(target_arch = "wasm32"))]
                description: $doc,
                default: $crate::options::Preset::$preset $( ($default) )?,
            }, )* ];

            /// The place of an option of this group, by its path from here.
            pub(super) fn slot(&mut self, path: &str) -> Option<$crate::options::Slot<'_>> {
                match path {
                    $( stringify!($name) => Some($crate::options::Field::slot(&mut self.$name)), )*
                    _ => match path.split_once('.')? {
                        $( (stringify!($inner), path) => self.$inner.slot(path), )*
                        _ => None,
                    },
                }
            }

            /// With every field as its type has it, before the defaults are set.
            pub(super) fn unset() -> Self {
                $group { $( $name: <$type>::default(), )* $( $inner: <$inner_type>::unset(), )* }
            }
        }

        impl Default for $group {
            fn default() -> Self {
                let options = $crate::options::Options::with_defaults();
                $crate::options::at!(options $at)
            }
        }
    };
}
use options;

/// The place of a group (`[history.deduplication]`) or of an option in it, as a path or as a field.
macro_rules! at {
    (path [$($at:ident).*] $name:ident) => { concat!($( stringify!($at), ".", )* stringify!($name)) };
    ($options:ident [$($at:ident).*] $($name:ident)?) => { $options$(.$at)*$(.$name)? };
}
use at;

/// The options of every group, in the order in which people read them.
const TABLES: [&[Spec]; 10] = [
    Options::SPECS,
    discovery::Discovery::SPECS,
    history::History::SPECS,
    history::Deduplication::SPECS,
    history::SupersedeWrites::SPECS,
    history::PurgeErrors::SPECS,
    history::PruneThinking::SPECS,
    history::PlaceholderCompression::SPECS,
    history::TurnProtection::SPECS,
    history::Tools::SPECS,
];

/// Every option.
pub fn specs() -> impl Iterator<Item = &'static Spec> {
    TABLES.into_iter().flatten()
}

const DAY_MS: f64 = 86_400_000.0;
const SHARE: Kind = Kind::Number { min: 0.0, max: 1.0 };

options! {
    /// The resolved configuration.
    Options []
    {
    #[doc = "The key for Jev. Without one the plugin is disabled and requests are left as they are."]
    jev_api_key: Secret = Unset, Kind::Secret, ["JEV_API_KEY", "TYPESAFE_API_KEY"];
    #[doc = "The full address of a System One endpoint."]
    jev_endpoint: String = Text("https://opencode.ai/inference/systemone/v1/systemone"), Kind::Url, ["JEV_URL", "JEV_ENDPOINT"];
    #[doc = "The model to ask. OpenCode's gateway does not know the alias `jev-latest`."]
    jev_model: String = Text("jev-1.13"), Kind::Text, ["JEV_MODEL"];
    #[doc = "A tool or skill stays when Jev's answer is at least this."]
    jev_confidence_threshold: f64 = Number(0.55), SHARE, ["JEV_CONFIDENCE_THRESHOLD"];
    #[doc = "An MCP server passes phase 1 when Jev's answer is at least this."]
    jev_phase1_threshold: f64 = Number(0.35), SHARE, ["JEV_PHASE1_THRESHOLD"];
    #[doc = "How long one request to Jev may take, in milliseconds."]
    jev_timeout_ms: f64 = Number(900.0), Kind::Number { min: 1.0, max: 60_000.0 }, ["JEV_TIMEOUT_MS"];
    #[doc = "Ask about servers first, then only about the tools of those that pass. Off: ask about all tools at once and about no server."]
    enable_two_phase_gating: bool = Flag(true), Kind::Flag, [];
    #[doc = "Skills that are never asked about and always stay: globs over id and name."]
    always_include_skills: Vec<String> = Texts(&["core_system_skill", "error_recovery"]), Kind::Texts, [];
    #[doc = "Tools that are never asked about and always stay: globs over `tool`, `server.tool` and `server_tool`."]
    always_include_tools: Vec<String> = Texts(&[]), Kind::Texts, [];
    #[doc = "Servers that are never asked about and always stay whole: globs over the name."]
    always_include_servers: Vec<String> = Texts(&["opencode"]), Kind::Texts, [];
    #[doc = "Prune MCP servers and their tools."]
    prune_mcp_tools: bool = Flag(true), Kind::Flag, [];
    #[doc = "Prune skills."]
    prune_skills: bool = Flag(true), Kind::Flag, [];
    #[doc = "Print a report of every request to the console."]
    debug_mode: bool = Flag(false), Kind::Flag, ["JEV_PRUNER_DEBUG"];
    #[doc = "Append one JSON object a line to this file. A relative path is taken from the project directory."]
    debug_log_file: Option<String> = Unset, Kind::Text, ["JEV_PRUNER_DEBUG_LOG"];
    #[doc = "Send one tiny question when the plugin loads, so that the first prompt finds a warm connection."]
    warmup_on_load: bool = Flag(false), Kind::Flag, ["JEV_WARMUP"];
    #[doc = "After a failure leave Jev alone for this long, in milliseconds."]
    failure_cooldown_ms: f64 = Number(0.0), Kind::Number { min: 0.0, max: DAY_MS }, ["JEV_FAILURE_COOLDOWN_MS"];
    #[doc = "The most questions in one request; more are split into parallel requests."]
    max_questions_per_request: usize = Count(100), Kind::Count { min: 1, max: 1_000 }, [];
    #[doc = "What a question tells of its server, tool or skill is cut at this many characters; what a server's tools do is told in as many more."]
    max_description_chars: usize = Count(400), Kind::Count { min: 1, max: 4_000 }, [];
    #[doc = "What Jev reads of the prompt is cut at this many characters."]
    max_prompt_chars: usize = Count(6_000), Kind::Count { min: 1, max: 40_000 }, [];
    #[doc = "What Jev reads beside the newest prompt. `auto`: with a prompt shorter than 40 characters (\"yes, go on\") also the one before it and the last sentence of the assistant's answer to that. `prompt`: nothing."]
    state_context: StateContext = Text("auto"), Kind::Choice(&["auto", "prompt"]), [];
    #[doc = "How long an answer is good for the same session, prompt and candidates, in milliseconds; 0 asks anew each time."]
    cache_ttl_ms: f64 = Number(600_000.0), Kind::Number { min: 0.0, max: DAY_MS }, [];
    #[doc = "Add tools that the host's sample left out and that the prompt needs, as far as pruning made room."]
    refill_catalog: bool = Flag(true), Kind::Flag, [];
    #[doc = "The most tools to ask about at once, listed ones first, then those that share most words with the prompt."]
    max_candidates: usize = Count(400), Kind::Count { min: 1, max: 10_000 }, [];
    #[doc = "`session`: what was shown stays shown until the history is compacted, so that the provider's prompt cache holds. `prompt`: each prompt is decided alone."]
    decision_scope: DecisionScope = Text("session"), Kind::Choice(&["session", "prompt"]), [];
    #[doc = "When Jev fails: `open` sends the request whole, `last` keeps the last decision if it covers every candidate."]
    on_failure: OnFailure = Text("open"), Kind::Choice(&["open", "last"]), [];
    #[doc = "`prune`: change requests. `shadow`: ask, decide and report, and change nothing. `off`: do nothing."]
    mode: Mode = Text("prune"), Kind::Choice(&["prune", "shadow", "off"]), ["JEV_PRUNER_MODE"];
    #[doc = "Tell the model in one constant line per pruned list how to reach what is not listed."]
    recovery_hint: bool = Flag(true), Kind::Flag, [];
    #[doc = "The largest share of the candidates that may be hidden, tools and skills counted apart."]
    max_pruned_fraction: f64 = Number(1.0), SHARE, [];
    #[doc = "How long a whole decision may take, both phases and retries, in milliseconds; 0 means twice `jev_timeout_ms`."]
    deadline_ms: f64 = Number(0.0), Kind::Number { min: 0.0, max: 120_000.0 }, [];
    #[doc = "When everything that could be pruned is shorter than this, Jev is not asked."]
    min_saving_chars: usize = Count(400), Kind::Count { min: 0, max: 1_000_000 }, [];
    #[doc = "`threshold`: keep what reaches its threshold. `budget`: keep the best within `budget_fraction` of the candidates' tokens, from lower thresholds (0.15 for servers, 0.25 for tools and skills)."]
    selection: Selection = Text("threshold"), Kind::Choice(&["threshold", "budget"]), [];
    #[doc = "With `selection: \"budget\"`, the share of the candidates' tokens that may stay, tools and skills counted apart."]
    budget_fraction: f64 = Number(0.25), SHARE, [];
    #[doc = "Who decides: `jev` asks Jev. `lexical` keeps the `lexical_keep` servers and skills that share most words with the prompt. `none` hides only what `discovery.hide` names. The last two need no key and no network."]
    scorer: Scorer = Text("jev"), Kind::Choice(&["jev", "lexical", "none"]), ["JEV_PRUNER_SCORER"];
    #[doc = "With `scorer: \"lexical\"`, how many servers stay, and how many skills."]
    lexical_keep: usize = Count(12), Kind::Count { min: 0, max: 10_000 }, [];
    #[doc = "Mend arguments of tool calls before they run: texts that the schema wants as boolean, number, list or object, and names of properties in the wrong case. Only where one meaning is possible."]
    repair_arguments: bool = Flag(false), Kind::Flag, [];
    }
    {
        discovery: discovery::Discovery,
        history: history::History,
    }
}

macro_rules! choices {
    ($( #[doc = $doc:literal] $name:ident { $($word:ident = $text:literal),* } )*) => { $(
        #[doc = $doc]
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub enum $name { #[default] $($word),* }

        impl Choice for $name {
            fn word(&self) -> &'static str {
                match self { $( $name::$word => $text ),* }
            }

            fn choose(&mut self, word: &str) -> bool {
                match word {
                    $( $text => *self = $name::$word, )*
                    _ => return false,
                }
                true
            }
        }

        impl Field for $name {
            fn slot(&mut self) -> Slot<'_> {
                Slot::Choice(self)
            }
        }
    )* };
}

impl Serialize for Mode {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.word())
    }
}

choices! {
    #[doc = "How long a decision to show something lasts."]
    DecisionScope { Session = "session", Prompt = "prompt" }
    #[doc = "What Jev reads beside the newest prompt."]
    StateContext { Auto = "auto", Prompt = "prompt" }
    #[doc = "What goes out when Jev fails."]
    OnFailure { Open = "open", Last = "last" }
    #[doc = "What the plugin does at all."]
    Mode { Prune = "prune", Shadow = "shadow", Off = "off" }
    #[doc = "How is chosen from what was scored."]
    Selection { Threshold = "threshold", Budget = "budget" }
    #[doc = "Who says what a prompt needs."]
    Scorer { Jev = "jev", Lexical = "lexical", None = "none" }
}

impl Options {
    fn with_defaults() -> Options {
        let mut options = Options::unset();
        for spec in specs() {
            // A default that does not fit its own field would leave the type's default; a test
            // holds every default against its field.
            options.set(spec, spec.default.value());
        }
        options
    }

    /// Sets one option; `false` if the value is of another kind.
    fn set(&mut self, spec: &Spec, value: Value) -> bool {
        self.slot(spec.name).is_some_and(|slot| slot.set(value))
    }

    /// A configuration that was resolved before, from its JSON; what is missing or does not fit has its default.
    pub fn from_json(json: &Value) -> Options {
        let mut options = Options::default();
        for spec in specs() {
            let value = spec.name.split('.').try_fold(json, |value, name| value.get(name));
            if let Some(value) = value.filter(|value| !value.is_null()) {
                options.set(spec, value.clone());
            }
        }
        options
    }

    /// Every option but the key, in its group.
    fn to_json(&self) -> Value {
        let mut all = Map::new();
        let mut copy = self.clone();
        for spec in specs() {
            put(&mut all, spec.name, copy.slot(spec.name).map_or(Value::Null, Slot::get));
        }
        Value::Object(all)
    }

    /// The deadline in force, in milliseconds.
    pub fn deadline_ms(&self) -> f64 {
        if self.deadline_ms > 0.0 {
            return self.deadline_ms;
        }
        2.0 * self.jev_timeout_ms
    }

    /// Equal for equal settings; part of every cache key, since one module may serve several projects.
    pub fn fingerprint(&self) -> u64 {
        crate::hash::fingerprint_of(&serde_json::to_string(self).unwrap_or_default())
    }
}

/// Puts an option at its path, `history.batch_tokens` into the object `history`.
fn put(group: &mut Map<String, Value>, path: &str, value: Value) {
    match path.split_once('.') {
        None => drop(group.insert(path.to_string(), value)),
        Some((name, path)) => {
            let inner = group.entry(name).or_insert_with(|| Value::Object(Map::new()));
            if let Some(inner) = inner.as_object_mut() {
                put(inner, path, value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_default_fits_its_field_and_its_own_rule() {
        let mut options = Options::default();
        for spec in specs() {
            let default = spec.default.value();
            assert!(options.set(spec, default.clone()), "{}", spec.name);
            if !default.is_null() {
                assert!(resolve::check(spec.kind, &resolve::Given::from(default)).is_ok(), "{}", spec.name);
            }
        }
    }

    #[test]
    fn a_secret_shows_itself_nowhere() {
        let options = Options { jev_api_key: Secret(Some("sk-hidden".into())), ..Options::default() };
        assert!(!format!("{options:?}").contains("sk-hidden"));
        assert!(!serde_json::to_string(&options).unwrap().contains("sk-hidden"));
    }
}
