//! What the user wants kept of the conversation: the options under `history`, with their patterns compiled.

use crate::options::history::{History, ALWAYS_PROTECTED};
use crate::options::patterns::Patterns;

use super::conversation::Call;
use super::pruned::Strategy;

/// The options under `history`, ready to be applied to calls.
#[derive(Debug)]
pub struct Rules {
    /// The options as the user has them.
    pub options: History,
    always_protected: Patterns,
    /// What the user added to those.
    user_protected: Patterns,
    protected_files: Patterns,
    deduplication_protected: Patterns,
    purge_errors_protected: Patterns,
    compression_protected: Patterns,
}

/// Tools whose inputs may be shortened although they are always protected.
const SHORTENED: [&str; 2] = ["write", "edit"];

impl Rules {
    /// Compiles the patterns.
    pub fn new(options: &History) -> Rules {
        let always = ALWAYS_PROTECTED.map(String::from);
        let added = options.protected_tools.iter().filter(|name| !always.contains(name));
        let files: Vec<String> = options
            .protected_file_patterns
            .iter()
            .flat_map(|pattern| [pattern.clone(), format!("*/{pattern}")])
            .collect();
        Rules {
            user_protected: Patterns::globs(added),
            always_protected: Patterns::globs(&always),
            protected_files: Patterns::globs(&files),
            deduplication_protected: Patterns::globs(&options.deduplication.protected_tools),
            purge_errors_protected: Patterns::globs(&options.purge_errors.protected_tools),
            compression_protected: Patterns::globs(&options.placeholder_compression.protected_tools),
            options: options.clone(),
        }
    }

    /// Whether this strategy must not touch the call or its output.
    pub(super) fn protects(&self, call: &Call, strategy: Strategy) -> bool {
        if call.is_provider_executed || self.protects_file(call) || self.user_protected.is_match(&call.name) {
            return true;
        }
        let is_shortened = SHORTENED.contains(&call.name.as_str())
            && matches!(strategy, Strategy::SupersedeWrites | Strategy::PurgeErrors);
        if !is_shortened && self.always_protected.is_match(&call.name) {
            return true;
        }
        match strategy {
            Strategy::Deduplication => self.deduplication_protected.is_match(&call.name),
            Strategy::PurgeErrors => self.purge_errors_protected.is_match(&call.name),
            Strategy::PlaceholderCompression => self.compression_protected.is_match(&call.name),
            Strategy::SupersedeWrites
            | Strategy::PruneThinking
            | Strategy::Discard
            | Strategy::Extract
            | Strategy::Sweep => false,
        }
    }

    fn protects_file(&self, call: &Call) -> bool {
        let is_match = |path: &String| {
            self.protected_files.is_match(path) || self.protected_files.is_match(&format!("/{path}"))
        };
        !self.protected_files.is_empty() && call.input.paths.iter().any(is_match)
    }

    /// How many turns old something must be before any strategy may touch it; the newest turn never may.
    pub(super) fn min_age(&self) -> usize {
        let protection = &self.options.turn_protection;
        if protection.enabled {
            return protection.turns.max(1);
        }
        1
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{bare_call, rules};
    use super::*;
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
            assert!(rules.protects(&call(name, json!({})), Strategy::PlaceholderCompression), "{name}");
            assert!(rules.protects(&call(name, json!({})), Strategy::Deduplication), "{name}");
        }
        for name in ["read", "grep", "execute", "writer", "Task"] {
            assert!(!rules.protects(&call(name, json!({})), Strategy::PlaceholderCompression), "{name}");
        }
    }

    #[test]
    fn inputs_of_write_and_edit_may_be_shortened_but_not_those_of_patch() {
        let rules = rules(json!({}));
        for strategy in [Strategy::SupersedeWrites, Strategy::PurgeErrors] {
            assert!(!rules.protects(&call("write", json!({})), strategy));
            assert!(!rules.protects(&call("edit", json!({})), strategy));
            assert!(rules.protects(&call("patch", json!({})), strategy));
        }
    }

    #[test]
    fn a_pattern_of_the_users_own_protects_the_inputs_of_write_too() {
        let rules = rules(json!({ "protected_tools": ["wr*"] }));
        assert!(rules.protects(&call("write", json!({})), Strategy::PurgeErrors));
        assert!(!rules.protects(&call("edit", json!({})), Strategy::PurgeErrors));
    }

    #[test]
    fn protected_tools_are_globs_for_all_or_for_one_strategy() {
        let rules = rules(json!({
            "protected_tools": ["db_*"],
            "deduplication": { "protected_tools": ["re?d"] },
            "purge_errors": { "protected_tools": ["shell"] },
            "placeholder_compression": { "protected_tools": ["grep"] },
        }));
        let strategies = [Strategy::Deduplication, Strategy::PurgeErrors, Strategy::PlaceholderCompression];
        let protects =
            |name: &str| strategies.map(|strategy| rules.protects(&call(name, json!({})), strategy));
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
                assert_eq!(rules.protects(&call, Strategy::Deduplication), expected, "{path}");
            }
        }
        assert!(
            rules.protects(&call("mcp_x", json!({ "deep": { "files": ["src/a.key"] } })), Strategy::Discard)
        );
    }

    #[test]
    fn the_newest_turn_is_protected_and_more_of_them_if_the_user_says_so() {
        assert_eq!(rules(json!({})).min_age(), 1);
        assert_eq!(rules(json!({ "turn_protection": { "enabled": true } })).min_age(), 4);
        assert_eq!(rules(json!({ "turn_protection": { "enabled": true, "turns": 0 } })).min_age(), 1);
    }
}
