//! Between what a session hides and the search: which documents there are to search, what the model is told of
//! what is hidden, and what its finds are called where decisions are made.

use std::rc::Rc;

use serde_json::Value;

use crate::candidates::Candidates;
use crate::discovery::answer::Answer;
use crate::discovery::documents::{skills_of, tools_of, Documents, Kind};
use crate::discovery::tools::{self, Tool};
use crate::opencode::builtin_tools::is_builtin_tool;
use crate::options::Options;
use crate::session::memory::CandidateNames;
use crate::session::search_pins::Found;

/// Tools from a flat list (see [`crate::discovery::documents`]). Those of the host and our own are left out; they
/// are in every request as they are.
pub fn documents_of_tools(listed: String, options: &Options) -> Documents {
    let is_found = |id: &str, namespace: &str| !namespace.is_empty() || !is_builtin_tool(id);
    Documents::new(listed, &options.discovery.tools, &is_found)
}

/// Skills from a flat list.
pub fn documents_of_skills(listed: String, options: &Options) -> Documents {
    Documents::new(listed, &options.discovery.tools, &|_, _| true)
}

/// What can be found.
#[derive(Clone, Debug, Default)]
pub struct Shelf {
    pub tools: Rc<Documents>,
    pub skills: Rc<Documents>,
}

impl Shelf {
    /// What a request named, for a host that lists nothing.
    pub fn named(candidates: &Candidates, options: &Options) -> Shelf {
        Shelf {
            tools: Rc::new(documents_of_tools(tools_of(candidates), options)),
            skills: Rc::new(documents_of_skills(skills_of(candidates), options)),
        }
    }

    /// Answers a call of one of our tools, and says what is to be shown from then on.
    pub fn call(&self, tool: Tool, input: &Value, options: &Options) -> (String, Vec<Found>) {
        let (documents, answer) = match tool {
            Tool::ToolSearch => (&self.tools, tools::search(&self.tools, "tools", input, options)),
            Tool::SkillSearch => (&self.skills, tools::search(&self.skills, "skills", input, options)),
            Tool::LoadTool => (&self.tools, tools::load(&self.tools, input)),
            Tool::Status => (&self.tools, Answer::default()),
        };
        let mut found = Vec::new();
        for at in answer.shown {
            let Some(document) = documents.get(at) else { continue };
            let id = document.id.to_string();
            found.push(match document.kind {
                Kind::Skill => Found::Skill(id),
                _ => Found::Tool { id, namespace: document.namespace.to_string() },
            });
        }
        (answer.text, found)
    }
}

/// The line that tells the model how to find what is hidden; none if nothing is.
pub fn note(hidden: &CandidateNames) -> Option<String> {
    let has_tools = !hidden.servers.is_empty() || hidden.tools.values().any(|tools| !tools.is_empty());
    let line = match (has_tools, !hidden.skills.is_empty()) {
        (true, true) => {
            "2 lists are shortened here, of tools and of skills: `tool_search` and `skill_search` find the rest."
        }
        (true, false) => "1 list is shortened here, of tools: `tool_search` finds the rest.",
        (false, true) => "1 list is shortened here, of skills: `skill_search` finds the rest.",
        (false, false) => return None,
    };
    Some(line.to_string())
}

/// The description of `load_tool` that points at what is hidden; none if nothing is.
pub fn pointers(hidden: &CandidateNames, max_chars: usize) -> Option<String> {
    let mut pairs = Vec::new();
    for (server, tools) in &hidden.tools {
        for tool in tools {
            pairs.push((server.as_str(), tool.as_str()));
        }
    }
    for server in &hidden.servers {
        if !hidden.tools.contains_key(server) {
            pairs.push((server.as_str(), ""));
        }
    }
    if pairs.is_empty() {
        return None;
    }
    pairs.sort();
    Some(tools::pointing_at(&pairs, max_chars))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn hidden(servers: &[&str], tools: &[(&str, &[&str])], skills: &[&str]) -> CandidateNames {
        let texts = |all: &[&str]| all.iter().map(|text| (*text).into()).collect();
        CandidateNames {
            servers: texts(servers),
            tools: tools.iter().map(|(server, tools)| ((*server).into(), texts(tools))).collect(),
            skills: texts(skills),
        }
    }

    #[test]
    fn the_note_says_how_many_lists_are_shortened_and_how_to_search() {
        for (hidden, parts) in [
            (hidden(&["a"], &[], &["x"]), vec!["2 lists", "`tool_search`", "`skill_search`"]),
            (hidden(&[], &[("a", &["b"])], &[]), vec!["1 list", "`tool_search`"]),
            (hidden(&[], &[], &["x"]), vec!["1 list", "`skill_search`"]),
        ] {
            let note = note(&hidden).unwrap();
            assert!(!note.contains('\n'));
            assert!(parts.iter().all(|part| note.contains(part)), "{note}");
        }
        assert_eq!(note(&hidden(&[], &[], &[])), None);
    }

    #[test]
    fn the_pointers_name_hidden_tools_by_server_in_a_fixed_order() {
        let hidden = hidden(&["b", "a"], &[("c", &["y", "x"]), ("b", &["z"])], &["tea"]);
        let pointers = pointers(&hidden, 1000).unwrap();
        assert!(pointers.ends_with("\na\nb: z\nc: x, y"), "{pointers}");
    }

    #[test]
    fn tools_of_the_host_and_our_own_are_not_found() {
        let listed =
            "read␀read␀␀Reads␀native␀␀tool_search␀tool_search␀␀Reads␀native␀␀a_b␀b␀a␀Reads␀␀␀c␀c␀␀Reads␀␀";
        let tools = documents_of_tools(listed.replace('␀', "\0"), &Options::default());
        let shelf = Shelf { tools: Rc::new(tools), ..Shelf::default() };
        let (text, found) = shelf.call(Tool::ToolSearch, &json!({ "query": "reads" }), &Options::default());
        let ids: Vec<String> = ["a_b", "c"].map(String::from).into();
        assert_eq!(found.len(), 2, "{text}");
        assert!(found.iter().all(|found| matches!(found, Found::Tool { id, .. } if ids.contains(id))));
    }

    #[test]
    fn what_the_host_does_not_list_comes_from_the_request() {
        use crate::candidates::{Server, Skill, Tool as Listed};
        let named = Candidates {
            servers: vec![Server {
                namespace: "a".into(),
                tools: vec![Listed { name: "b".into(), id: "a_b".into(), ..Listed::default() }],
                ..Server::default()
            }],
            skills: vec![Skill { id: "tea".into(), name: "tea".into(), ..Skill::default() }],
            ..Candidates::default()
        };
        let shelf = Shelf::named(&named, &Options::default());
        let call = |tool, input| shelf.call(tool, &input, &Options::default()).1;
        let tool = Found::Tool { id: "a_b".into(), namespace: "a".into() };
        assert_eq!(call(Tool::LoadTool, json!({ "name": "b" })), [tool]);
        assert_eq!(call(Tool::SkillSearch, json!({ "query": "tea" })), [Found::Skill("tea".into())]);
    }
}
