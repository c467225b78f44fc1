//! The user's rules, compiled from the options: thresholds, limits, and the patterns of what always stays and of what is
//! hidden until it is asked for.
//!
//! The syntax of patterns is defined in [`crate::options::patterns`]; [`mod@super::decide`] applies the rules.

use serde::Serialize;

use crate::candidates::{Candidates, Server, Skill, Tool};
use crate::options::patterns::Patterns;
use crate::options::{Options, Selection};

/// Where a budget limits what stays, the thresholds only keep out what is surely not needed.
const BUDGET_THRESHOLD: f64 = 0.25;
const BUDGET_PHASE1_THRESHOLD: f64 = 0.15;

/// The scores that were enough in a decision, whichever options they come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Thresholds {
    /// The least score, from 0 to 1, at which a server passes phase 1.
    pub servers: f64,
    /// The least score, from 0 to 1, at which a tool or skill stays.
    pub tools_and_skills: f64,
}

/// What the user wants kept and hidden, whatever a prompt needs.
#[derive(Debug)]
pub(crate) struct Rules {
    /// The least score at which a tool or skill stays.
    pub threshold: f64,
    /// The least score at which a server passes phase 1.
    pub phase1_threshold: f64,
    /// The most tools to ask about at once.
    pub max_candidates: usize,
    /// The largest share of the candidates that may be hidden, tools and skills counted apart.
    pub max_pruned_fraction: f64,
    /// The share of the candidates' characters that may stay, if only the best may.
    pub budget_fraction: Option<f64>,
    two_phases: bool,
    always_servers: Patterns,
    always_tools: Patterns,
    always_skills: Patterns,
    hide: Patterns,
    keep: Patterns,
}

impl Rules {
    /// Compiles the patterns; what is malformed matches nothing.
    pub fn new(options: &Options) -> Rules {
        let by_budget = options.selection == Selection::Budget;
        Rules {
            threshold: if by_budget { BUDGET_THRESHOLD } else { options.jev_confidence_threshold },
            phase1_threshold: if by_budget { BUDGET_PHASE1_THRESHOLD } else { options.jev_phase1_threshold },
            max_candidates: options.max_candidates,
            max_pruned_fraction: options.max_pruned_fraction,
            budget_fraction: by_budget.then_some(options.budget_fraction),
            two_phases: options.enable_two_phase_gating,
            always_servers: Patterns::globs(&options.always_include_servers),
            always_tools: Patterns::globs(&options.always_include_tools),
            always_skills: Patterns::globs(&options.always_include_skills),
            hide: on_demand(options, &options.discovery.hide),
            keep: on_demand(options, &options.discovery.keep),
        }
    }

    /// The thresholds, for a report.
    pub fn thresholds(&self) -> Thresholds {
        Thresholds { servers: self.phase1_threshold, tools_and_skills: self.threshold }
    }

    /// Whether a server stays whole and is not asked about.
    pub fn always_keeps_server(&self, server: &Server) -> bool {
        matches_server(&self.always_servers, server) || matches_server(&self.keep, server)
    }

    /// Whether a tool stays for its own name, whatever becomes of its server.
    pub fn always_keeps_tool(&self, server: &Server, tool: &Tool) -> bool {
        matches_tool(&self.always_tools, server, tool) || matches_tool(&self.keep, server, tool)
    }

    /// Whether a skill stays and is not asked about.
    pub fn always_keeps_skill(&self, skill: &Skill) -> bool {
        matches_skill(&self.always_skills, skill) || matches_skill(&self.keep, skill)
    }

    /// Whether a server is hidden until it is asked for.
    pub fn hides_server(&self, server: &Server) -> bool {
        matches_server(&self.hide, server) && !self.always_keeps_server(server)
    }

    /// Whether a tool is hidden until it is asked for, by its own name or by its server's.
    pub fn hides_tool(&self, server: &Server, tool: &Tool) -> bool {
        !self.hide.is_empty()
            && (matches_server(&self.hide, server) || matches_tool(&self.hide, server, tool))
            && !self.always_keeps_server(server)
            && !self.always_keeps_tool(server, tool)
    }

    /// Whether a skill is hidden until it is asked for.
    pub fn hides_skill(&self, skill: &Skill) -> bool {
        matches_skill(&self.hide, skill) && !self.always_keeps_skill(skill)
    }

    /// Whether any of the server's tools always stays.
    pub fn has_always_kept_tool(&self, server: &Server) -> bool {
        server.tools.iter().any(|tool| self.always_keeps_tool(server, tool))
    }

    /// Whether servers are asked about at all: not in one phase, and not when there is only one.
    pub fn asks_servers(&self, candidates: &Candidates) -> bool {
        let free = candidates.servers.iter().filter(|server| !self.always_keeps_server(server));
        self.two_phases && free.take(2).count() == 2
    }
}

/// Patterns of the group `discovery`, which say nothing while it is off: what they hide could not be found.
fn on_demand(options: &Options, patterns: &[String]) -> Patterns {
    Patterns::new(if options.discovery.enabled { patterns } else { &[] })
}

fn matches_server(patterns: &Patterns, server: &Server) -> bool {
    patterns.is_match(&server.namespace) || server.names.iter().any(|name| patterns.is_match(name))
}

fn matches_tool(patterns: &Patterns, server: &Server, tool: &Tool) -> bool {
    let is_match = |server: &str, joint: char| patterns.is_match(&format!("{server}{joint}{}", tool.name));
    !patterns.is_empty()
        && (patterns.is_match(&tool.name)
            || patterns.is_match(&tool.id)
            || is_match(&server.namespace, '.')
            || is_match(&server.namespace, '_')
            || server.names.iter().any(|name| is_match(name, '.')))
}

fn matches_skill(patterns: &Patterns, skill: &Skill) -> bool {
    patterns.is_match(&skill.id) || patterns.is_match(&skill.name)
}

#[cfg(test)]
mod tests {
    use super::*;

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
                .map(|name| Server { namespace: (*name).into(), ..Server::default() })
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
