//! The group `discovery`: finding on demand what a request does not show (see [`crate::discovery`]).

use serde_json::Value;

use super::{options, Kind};

/// What a person says of single tools, by native name: `{ "notes_add": { tags?: [text], description?: text } }`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToolNotes(pub(super) Value);

impl ToolNotes {
    /// Takes the place of a tool's own description in search and in questions.
    pub fn description(&self, tool: &str) -> Option<&str> {
        self.0.get(tool)?.get("description")?.as_str()
    }

    /// Words by which a tool is found.
    pub fn tags(&self, tool: &str) -> &[Value] {
        self.0.get(tool).and_then(|note| note.get("tags")?.as_array()).map_or(&[], Vec::as_slice)
    }

    /// The tools of which something is said.
    pub fn tools(&self) -> impl Iterator<Item = &String> {
        self.0.as_object().into_iter().flat_map(|notes| notes.keys())
    }
}

options! {
    /// Finding on demand.
    Discovery [discovery]
    {
    #[doc = "Give the model `tool_search`, `load_tool` and `skill_search`, which reach what is not shown."]
    enabled: bool = Flag(false), Kind::Flag, ["JEV_PRUNER_DISCOVERY"];
    #[doc = "What is hidden until it is asked for: globs, or regular expressions behind `re:`, over servers, `tool`, `server.tool`, `server_tool` and skills. Only while `discovery.enabled` is on."]
    hide: Vec<String> = Texts(&[]), Kind::Patterns, [];
    #[doc = "What is never hidden, with the same patterns; it wins over `discovery.hide`."]
    keep: Vec<String> = Texts(&[]), Kind::Patterns, [];
    #[doc = "What you say of single tools, by `server_tool`: `tags` they are found by, and a `description` that replaces theirs in search and in questions."]
    tools: ToolNotes = Empty, Kind::ToolNotes, [];
    #[doc = "How many results a search gives when the model does not say."]
    top_k: usize = Count(5), Kind::Count { min: 1, max: 20 }, [];
    #[doc = "A description in search results is cut at this many characters; `load_tool` gives it whole."]
    description_limit: usize = Count(800), Kind::Count { min: 1, max: 20_000 }, [];
    #[doc = "Tell the model in one constant line that lists are shortened and how to search."]
    system_hint: bool = Flag(true), Kind::Flag, [];
    #[doc = "List what is hidden, by server, in the description of `load_tool`. It changes whenever something more is shown."]
    pointer_list: bool = Flag(false), Kind::Flag, [];
    #[doc = "That list is cut at this many characters."]
    pointer_chars: usize = Count(2_000), Kind::Count { min: 100, max: 20_000 }, [];
    #[doc = "Give the model `jev_status` too, which tells as JSON what `/jev status`, `perf` and `why` tell."]
    status_tool: bool = Flag(false), Kind::Flag, [];
    }
    {
    }
}
