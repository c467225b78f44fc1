//! Which tools and skills a conversation has used.

use arcstr::Substr;

use crate::hash::{fingerprint_of, FxHashMap, FxHashSet};
use crate::opencode::names::{read_path, ToolPath};
use crate::text::cut;

/// One trace of a tool or skill in the conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Use {
    /// A call of a native tool, or its answer.
    Tool(String),
    /// Text in which tools are called or listed by their catalog paths: code for `execute`, or what a
    /// `search` in it has found.
    Paths(String),
    /// The id or name of a skill that was loaded.
    Skill(String),
}

/// All that a conversation has used.
#[derive(Clone, Debug, Default)]
pub struct Used {
    /// Native names.
    pub native: FxHashSet<String>,
    /// Tools that were called or listed by their catalog paths: their names inside each namespace.
    pub paths: FxHashMap<Substr, FxHashSet<Substr>>,
    /// Ids, or names where OpenCode knows no ids.
    pub skills: FxHashSet<String>,
}

impl Used {
    /// Collects the traces of a conversation ([`super::Conversation::uses`]).
    pub fn of(uses: Vec<Use>) -> Used {
        let mut used = Used::default();
        for trace in uses {
            match trace {
                Use::Tool(name) => drop(used.native.insert(name)),
                Use::Paths(text) => paths_in(&text).into_iter().for_each(|path| used.add_path(path)),
                Use::Skill(id) => drop(used.skills.insert(id)),
            }
        }
        used
    }

    /// Adds a tool that was called by its path.
    pub(crate) fn add_path(&mut self, ToolPath { namespace, tool }: ToolPath) {
        self.paths.entry(namespace).or_default().insert(tool);
    }

    /// Equal for equal sets, in whatever order they are kept.
    pub fn fingerprint(&self) -> u64 {
        let native = self.native.iter().map(|name| fingerprint_of(&(0, name)));
        let paths =
            self.paths.iter().flat_map(|(namespace, tools)| tools.iter().map(move |tool| (namespace, tool)));
        let paths = paths.map(|path| fingerprint_of(&(1, path)));
        let skills = self.skills.iter().map(|id| fingerprint_of(&(2, id)));
        native.chain(paths).chain(skills).fold(0, u64::wrapping_add)
    }

    /// Whether a skill was loaded. OpenCode 2 loads it by its id, 1.18 by its name.
    pub fn has_skill(&self, id: &str, name: &str) -> bool {
        self.skills.contains(id) || self.skills.contains(name)
    }

    /// Whether a tool was called, natively or by its path.
    pub fn has_tool(&self, namespace: &str, tool: &str, native_name: &str) -> bool {
        self.native.contains(native_name)
            || self.paths.get(namespace).is_some_and(|tools| tools.contains(tool))
    }
}

/// Segments and characters of a path that are looked at; no tool lies deeper or has a longer name.
const MAX_SEGMENTS: usize = 8;
const MAX_PATH_CHARS: usize = 512;

/// The tools whose paths stand in a text. `tools.notes.add.call(x)` may be the tool `add` or a nested one, so
/// it is both.
fn paths_in(text: &str) -> Vec<ToolPath> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find("tools") {
        let path = rest.get(at..).unwrap_or_default();
        let near = cut(path, MAX_PATH_CHARS);
        let (segments, length) = match read_path(near) {
            Some((segments, behind)) => (segments, near.len() - behind.len()),
            None => (Vec::new(), "tools".len()),
        };
        let longest = segments.len().min(MAX_SEGMENTS);
        found.extend((1..=longest).filter_map(|length| ToolPath::from_segments(segments.get(..length)?)));
        // The path itself may hold the word again.
        rest = path.get(length..).unwrap_or_default();
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_code_and_skills_are_traces_of_use() {
        let used = Used::of(vec![
            Use::Tool("read".into()),
            Use::Paths("await tools.notes.add({}); tools[\"a-b\"][\"c.d\"](1)".into()),
            Use::Tool("db_query".into()),
            Use::Skill("pdf-forms".into()),
        ]);
        assert!(used.has_tool("db", "query", "db_query"));
        assert!(used.has_tool("notes", "add", "notes_add"));
        assert!(used.has_tool("a-b", "c.d", "x"));
        assert!(!used.has_tool("notes", "find", "notes_find"));
        assert!(used.skills.contains("pdf-forms"));
    }

    #[test]
    fn a_longer_path_is_a_use_of_each_tool_it_may_name() {
        let used = Used::of(vec![Use::Paths("tools.notes.add.call(x)".into())]);
        assert!(used.has_tool("notes", "add", "x") && used.has_tool("notes", "add.call", "x"));
    }
}
