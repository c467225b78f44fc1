//! A person's rules, compiled: thresholds, and the lists of what always stays.
//!
//! Patterns know `*` (any characters) and `?` (one character); everything else is literal.

use super::Thresholds;
use crate::candidates::{Candidates, Server, Skill, Tool};
use crate::options::{Options, Selection};

/// Where a budget limits what stays, the thresholds only keep out what is surely not needed.
const BUDGET_THRESHOLD: f64 = 0.25;
const BUDGET_PHASE1_THRESHOLD: f64 = 0.15;

#[derive(Debug)]
pub struct Rules {
    pub threshold: f64,
    pub phase1_threshold: f64,
    pub max_candidates: usize,
    pub max_pruned_fraction: f64,
    /// The share of the candidates' tokens that may stay, if only the best may.
    pub budget_fraction: Option<f64>,
    two_phases: bool,
    always_servers: Patterns,
    always_tools: Patterns,
    always_skills: Patterns,
}

impl Rules {
    pub fn new(options: &Options) -> Rules {
        let by_budget = options.selection == Selection::Budget;
        Rules {
            threshold: if by_budget { BUDGET_THRESHOLD } else { options.jev_confidence_threshold },
            phase1_threshold: if by_budget { BUDGET_PHASE1_THRESHOLD } else { options.jev_phase1_threshold },
            max_candidates: options.max_candidates,
            max_pruned_fraction: options.max_pruned_fraction,
            budget_fraction: by_budget.then_some(options.budget_fraction),
            two_phases: options.enable_two_phase_gating,
            always_servers: Patterns::new(&options.always_include_servers),
            always_tools: Patterns::new(&options.always_include_tools),
            always_skills: Patterns::new(&options.always_include_skills),
        }
    }

    pub fn thresholds(&self) -> Thresholds {
        Thresholds { servers: self.phase1_threshold, tools_and_skills: self.threshold }
    }

    pub fn always_keeps_server(&self, server: &Server) -> bool {
        self.always_servers.is_match(&server.namespace)
            || server.names.iter().any(|name| self.always_servers.is_match(name))
    }

    pub fn always_keeps_tool(&self, server: &Server, tool: &Tool) -> bool {
        !self.always_tools.is_empty()
            && (self.always_tools.is_match(&tool.name)
                || self.always_tools.is_match(&tool.id)
                || self.always_tools.is_match(&format!("{}.{}", server.namespace, tool.name))
                || self.always_tools.is_match(&format!("{}_{}", server.namespace, tool.name))
                || server
                    .names
                    .iter()
                    .any(|name| self.always_tools.is_match(&format!("{name}.{}", tool.name))))
    }

    pub fn always_keeps_skill(&self, skill: &Skill) -> bool {
        self.always_skills.is_match(&skill.id) || self.always_skills.is_match(&skill.name)
    }

    pub fn has_always_kept_tool(&self, server: &Server) -> bool {
        server.tools.iter().any(|tool| self.always_keeps_tool(server, tool))
    }

    /// Whether servers are asked about at all: not in one phase, and not when there is only one.
    pub fn asks_servers(&self, candidates: &Candidates) -> bool {
        let free = candidates.servers.iter().filter(|server| !self.always_keeps_server(server));
        self.two_phases && free.take(2).count() == 2
    }
}

/// Names that match one of several patterns.
#[derive(Debug)]
pub struct Patterns {
    /// Patterns that are mere names.
    names: Vec<String>,
    wild: Vec<String>,
}

impl Patterns {
    pub fn new(patterns: &[String]) -> Patterns {
        let (wild, names) = patterns.iter().cloned().partition(|pattern| pattern.contains(['*', '?']));
        Patterns { names, wild }
    }

    pub fn is_empty(&self) -> bool {
        self.names.is_empty() && self.wild.is_empty()
    }

    pub fn is_match(&self, name: &str) -> bool {
        self.names.iter().any(|known| known == name)
            || self.wild.iter().any(|pattern| is_match(pattern, name))
    }
}

/// Walks pattern and name side by side; where they part, the last `*` takes one character more.
fn is_match(pattern: &str, name: &str) -> bool {
    let (mut pattern, mut name) = (pattern.chars(), name.chars());
    let mut last_star = None;
    loop {
        let (mut next, mut rest) = (pattern.clone(), name.clone());
        match (next.next(), rest.next()) {
            (Some('*'), _) => {
                last_star = Some((next.clone(), name.clone()));
                pattern = next;
                continue;
            }
            (None, None) => return true,
            (Some(wanted), Some(found)) if wanted == '?' || wanted == found => {
                (pattern, name) = (next, rest);
                continue;
            }
            _ => {}
        }
        let Some((behind, taken)) = &mut last_star else { return false };
        if taken.next().is_none() {
            return false;
        }
        (pattern, name) = (behind.clone(), taken.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(pattern: &str, text: &str) -> bool {
        Patterns::new(&[pattern.to_string()]).is_match(text)
    }

    #[test]
    fn star_and_question_mark_are_wild() {
        assert!(matches("git*", "github") && matches("git*", "git") && matches("*", "any/thing"));
        assert!(matches("db?", "db1") && !matches("db?", "db") && !matches("db?", "db12"));
    }

    #[test]
    fn a_star_takes_as_much_as_the_rest_needs() {
        for (pattern, text) in
            [("a*b*c", "abcbc"), ("*ab", "aab"), ("*a?c*", "xaacabcz"), ("é*🦀", "éx🦀"), ("", "")]
        {
            assert!(matches(pattern, text), "{pattern} {text}");
        }
        for (pattern, text) in
            [("a*b*c", "abcb"), ("*ab", "aba"), ("?", ""), ("é?", "é"), ("", "a"), ("a", "")]
        {
            assert!(!matches(pattern, text), "{pattern} {text}");
        }
        assert!(!matches(&"*a".repeat(40), &"b".repeat(4_000)));
    }

    #[test]
    fn everything_else_is_literal() {
        for text in ["a[b]c", "{x,y}", "a\\b", "!x", "[!a]", "a.b", "**"] {
            assert!(matches(text, text), "{text}");
        }
        assert!(!matches("**/x", "x") && matches("a**b", "a/b"));
        assert!(!matches("[ab]", "a") && !matches("{x,y}", "x") && !matches("a.b", "axb"));
        assert!(!matches("Git", "git"));
    }

    fn server() -> Server {
        let tool = Tool {
            name: "run.query".into(),
            id: "my_db_run_query".into(),
            description: None,
            is_native: false,
            ..Tool::default()
        };
        Server {
            namespace: "my_db".into(),
            names: vec!["my db".into()],
            tools: vec![tool],
            ..Server::default()
        }
    }

    fn rules(options: serde_json::Value) -> Rules {
        Rules::new(&Options::from_json(&options))
    }

    #[test]
    fn a_tool_pattern_matches_name_id_and_both_joined_forms() {
        for (pattern, expected) in [
            ("run.query", true),
            ("my_db_run_query", true),
            ("my_db.run.query", true),
            ("my_db_run.query", true),
            ("my db.run.query", true),
            ("*query", true),
            ("query", false),
            ("my_db", false),
        ] {
            let rules = rules(serde_json::json!({ "always_include_tools": [pattern] }));
            assert_eq!(rules.has_always_kept_tool(&server()), expected, "{pattern}");
        }
    }

    #[test]
    fn a_server_pattern_matches_the_namespace_and_the_configured_name() {
        for pattern in ["my_db", "my db", "my*"] {
            assert!(rules(serde_json::json!({ "always_include_servers": [pattern] }))
                .always_keeps_server(&server()));
        }
    }

    #[test]
    fn a_skill_pattern_matches_id_and_name() {
        let skill = Skill { id: "pdf-forms".into(), name: "PDF forms".into(), ..Skill::default() };
        for (pattern, expected) in [("pdf-*", true), ("PDF forms", true), ("forms", false)] {
            let rules = rules(serde_json::json!({ "always_include_skills": [pattern] }));
            assert_eq!(rules.always_keeps_skill(&skill), expected, "{pattern}");
        }
    }

    #[test]
    fn servers_are_asked_about_when_two_are_left_to_decide() {
        let named = |names: &[&str]| Candidates {
            servers: names
                .iter()
                .map(|name| Server { namespace: name.to_string(), ..Server::default() })
                .collect(),
            ..Candidates::default()
        };
        let default = rules(serde_json::json!({}));
        assert!(default.asks_servers(&named(&["a", "b"])));
        assert!(!default.asks_servers(&named(&["a", "opencode"])));
        assert!(!default.asks_servers(&named(&["a"])));
        let one_phase = rules(serde_json::json!({ "enable_two_phase_gating": false }));
        assert!(!one_phase.asks_servers(&named(&["a", "b"])));
    }
}
