//! What a person wants kept of the conversation: the options under `history`, compiled.

use crate::options::history::{History, ALWAYS_PROTECTED};
use crate::options::patterns::Patterns;

use super::Call;

#[derive(Debug)]
pub struct Rules {
    pub options: History,
    always: Patterns,
    /// What a person added to those.
    chosen: Patterns,
    protected_files: Patterns,
    keeps_repeated: Patterns,
    keeps_failed: Patterns,
    keeps_output: Patterns,
}

/// Which strategy asks whether a call may be touched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asks {
    Deduplication,
    SupersedeWrites,
    PurgeErrors,
    Compression,
    /// The model's own tools and the person's sweep.
    OnDemand,
}

/// Tools whose inputs may be shortened although they are protected.
const SHORTENED: [&str; 2] = ["write", "edit"];

impl Rules {
    pub fn new(options: &History) -> Rules {
        let always = ALWAYS_PROTECTED.map(String::from);
        let chosen = options.protected_tools.iter().filter(|name| !always.contains(name));
        let files: Vec<String> = options
            .protected_file_patterns
            .iter()
            .flat_map(|pattern| [pattern.clone(), format!("*/{pattern}")])
            .collect();
        Rules {
            chosen: Patterns::globs(&chosen.cloned().collect::<Vec<_>>()),
            always: Patterns::globs(&always),
            protected_files: Patterns::globs(&files),
            keeps_repeated: Patterns::globs(&options.deduplication.protected_tools),
            keeps_failed: Patterns::globs(&options.purge_errors.protected_tools),
            keeps_output: Patterns::globs(&options.placeholder_compression.protected_tools),
            options: options.clone(),
        }
    }

    pub fn protects(&self, call: &Call, asks: Asks) -> bool {
        if call.by_provider || self.protects_file(call) {
            return true;
        }
        let is_shortened = SHORTENED.contains(&call.name.as_str())
            && matches!(asks, Asks::SupersedeWrites | Asks::PurgeErrors);
        if self.chosen.is_match(&call.name) || (!is_shortened && self.always.is_match(&call.name)) {
            return true;
        }
        match asks {
            Asks::Deduplication => self.keeps_repeated.is_match(&call.name),
            Asks::PurgeErrors => self.keeps_failed.is_match(&call.name),
            Asks::Compression => self.keeps_output.is_match(&call.name),
            Asks::SupersedeWrites | Asks::OnDemand => false,
        }
    }

    fn protects_file(&self, call: &Call) -> bool {
        let is_match = |path: &String| {
            self.protected_files.is_match(path) || self.protected_files.is_match(&format!("/{path}"))
        };
        !self.protected_files.is_empty() && call.input.paths.iter().any(is_match)
    }

    /// How many turns old something must be that no strategy may touch earlier.
    pub fn least_age(&self) -> usize {
        let protection = &self.options.turn_protection;
        if protection.enabled {
            return protection.turns.max(1);
        }
        1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::testing::{bare_call, rules};
    use serde_json::{json, Value};

    fn call(name: &str, input: Value) -> Call {
        bare_call("1", name, input)
    }

    #[test]
    fn some_tools_are_always_protected_whatever_the_list_says() {
        let rules = rules(json!({ "protected_tools": [] }));
        for name in [
            "task",
            "subagent",
            "todowrite",
            "todoread",
            "question",
            "skill",
            "batch",
            "discard",
            "extract",
            "write",
            "edit",
            "patch",
            "memory",
            "server_memory_read",
            "xmemory",
        ] {
            assert!(rules.protects(&call(name, json!({})), Asks::Compression), "{name}");
            assert!(rules.protects(&call(name, json!({})), Asks::Deduplication), "{name}");
        }
        for name in ["read", "grep", "execute", "writer", "Task"] {
            assert!(!rules.protects(&call(name, json!({})), Asks::Compression), "{name}");
        }
    }

    #[test]
    fn inputs_of_write_and_edit_may_be_shortened_but_not_those_of_patch() {
        let rules = rules(json!({}));
        for asks in [Asks::SupersedeWrites, Asks::PurgeErrors] {
            assert!(!rules.protects(&call("write", json!({})), asks));
            assert!(!rules.protects(&call("edit", json!({})), asks));
            assert!(rules.protects(&call("patch", json!({})), asks));
        }
    }

    #[test]
    fn whoever_protects_write_by_a_pattern_of_their_own_keeps_its_inputs() {
        let rules = rules(json!({ "protected_tools": ["wr*"] }));
        assert!(rules.protects(&call("write", json!({})), Asks::PurgeErrors));
        assert!(!rules.protects(&call("edit", json!({})), Asks::PurgeErrors));
    }

    #[test]
    fn protected_tools_are_globs_for_all_or_for_one_strategy() {
        let rules = rules(json!({
            "protected_tools": ["db_*"],
            "deduplication": { "protected_tools": ["re?d"] },
            "purge_errors": { "protected_tools": ["shell"] },
            "placeholder_compression": { "protected_tools": ["grep"] },
        }));
        let asked = [Asks::Deduplication, Asks::PurgeErrors, Asks::Compression];
        let protects = |name: &str| asked.map(|asks| rules.protects(&call(name, json!({})), asks));
        assert_eq!(protects("db_query"), [true, true, true]);
        assert_eq!(protects("read"), [true, false, false]);
        assert_eq!(protects("shell"), [false, true, false]);
        assert_eq!(protects("grep"), [false, false, true]);
        assert_eq!(protects("glob"), [false, false, false]);
    }

    #[test]
    fn a_protected_file_protects_every_call_that_names_it() {
        let rules = rules(json!({ "protected_file_patterns": ["src/*.key", "**/notes.md"] }));
        for (path, expected) in [
            ("src/a.key", true),
            ("./src/a.key", true),
            ("/home/me/src/a.key", true),
            ("src\\a.key", true),
            ("notes.md", true),
            ("docs/notes.md", true),
            ("src/a.keys", false),
            ("lib/a.key", false),
        ] {
            for name in ["path", "filePath"] {
                let call = call("read", json!({ name: path }));
                assert_eq!(rules.protects(&call, Asks::Deduplication), expected, "{path}");
            }
        }
        assert!(rules.protects(&call("mcp_x", json!({ "deep": { "files": ["src/a.key"] } })), Asks::OnDemand));
    }

    #[test]
    fn the_newest_turn_is_protected_and_more_of_them_if_that_is_wanted() {
        assert_eq!(rules(json!({})).least_age(), 1);
        assert_eq!(rules(json!({ "turn_protection": { "enabled": true } })).least_age(), 4);
        assert_eq!(rules(json!({ "turn_protection": { "enabled": true, "turns": 0 } })).least_age(), 1);
    }
}
