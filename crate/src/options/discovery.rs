//! The group `discovery`: finding on demand what a request does not show. [`crate::discovery`] implements it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::spec::{options, Kind};

options! {
    /// Finding on demand.
    Discovery {
        /// Give the model `tool_search`, `load_tool` and `skill_search`, which reach what is not shown.
        enabled: bool = false, Kind::Flag, env ["JEV_PRUNER_DISCOVERY"];
        /// What is hidden until it is asked for: globs, or regular expressions behind `re:`, over servers,
        /// `tool`, `server.tool`, `server_tool` and skills. Only while `discovery.enabled` is on.
        hide: Vec<String> = vec![], Kind::Patterns;
        /// What is never hidden, with the same patterns; it wins over `discovery.hide`.
        keep: Vec<String> = vec![], Kind::Patterns;
        /// What you say of single tools, by `server_tool`: `tags` they are found by, and a `description` that
        /// replaces theirs in search and in questions.
        tools: ToolNotes = ToolNotes::default(), Kind::ToolNotes;
        /// How many results a search gives when the model does not say.
        top_k: usize = 5, Kind::Count { min: 1, max: 20 };
        /// A description in search results is cut at this many characters; `load_tool` gives it whole.
        description_limit: usize = 800, Kind::Count { min: 1, max: 20_000 };
        /// Tell the model in one constant line that lists are shortened and how to search.
        system_hint: bool = true, Kind::Flag;
        /// List what is hidden, by server, in the description of `load_tool`. It changes whenever something
        /// more is shown.
        pointer_list: bool = false, Kind::Flag;
        /// That list is cut at this many characters.
        pointer_chars: usize = 2_000, Kind::Count { min: 100, max: 20_000 };
        /// Give the model `jev_status` too, which tells as JSON what `/jev status`, `perf` and `why` tell.
        status_tool: bool = false, Kind::Flag;
    }
}

/// What the user says of single tools, by native name: `{ "notes_add": { tags?: [text], description?: text } }`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ToolNotes(BTreeMap<String, ToolNote>);

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct ToolNote {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tags: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
}

impl ToolNotes {
    /// What takes the place of a tool's own description in search and in questions.
    pub fn description(&self, tool: &str) -> Option<&str> {
        self.0.get(tool)?.description.as_deref()
    }

    /// Words by which a tool is found.
    pub fn tags(&self, tool: &str) -> &[String] {
        self.0.get(tool).map_or(&[], |note| &note.tags)
    }

    /// The native names of the tools of which something is said.
    pub fn tools(&self) -> impl Iterator<Item = &String> {
        self.0.keys()
    }
}
