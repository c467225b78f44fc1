//! All that can be found in a session, and the answers to calls of our tools. What is read from a call and what an
//! answer looks like stands in [`super::calls`] and [`super::answer`]; who remembers what was found, in
//! [`crate::session`].

use std::rc::Rc;

use super::answer::{Answer, Searched};
use super::calls;
use super::documents::{encode_skills, encode_tools, Documents, Kind};
use super::own_tools::OwnTool;
use crate::candidates::Candidates;
use crate::opencode::builtin_tools::is_builtin_tool;
use crate::options::Options;

/// One thing that a call found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// A tool of a server.
    Tool {
        /// The native name, `server_tool`.
        id: String,
        /// The sanitised name of its server.
        namespace: String,
    },
    /// A skill, by its id.
    Skill(String),
}

/// The outcome of a call of one of our tools.
#[derive(Debug, PartialEq)]
pub struct CallResult {
    /// JSON for the model.
    pub text: String,
    /// What the text shows, and so is to be shown by requests from then on.
    pub found: Vec<Found>,
}

/// What can be found.
#[derive(Clone, Debug, Default)]
pub struct DiscoveryIndex {
    /// Tools of MCP servers.
    pub tools: Rc<Documents>,
    /// Skills.
    pub skills: Rc<Documents>,
}

impl DiscoveryIndex {
    /// What a request named, where OpenCode itself lists nothing.
    pub fn of_candidates(candidates: &Candidates, options: &Options) -> DiscoveryIndex {
        DiscoveryIndex {
            tools: Rc::new(index_tools(encode_tools(candidates), options)),
            skills: Rc::new(index_skills(encode_skills(candidates), options)),
        }
    }

    /// Answers a call of one of our tools, whose input is JSON text. `jev_status` is answered by the shim; here it
    /// has an empty answer.
    pub fn call(&self, tool: OwnTool, input: &str, options: &Options) -> CallResult {
        let (documents, answer) = match tool {
            OwnTool::ToolSearch => (&self.tools, calls::search(&self.tools, Searched::Tools, input, options)),
            OwnTool::SkillSearch => {
                (&self.skills, calls::search(&self.skills, Searched::Skills, input, options))
            }
            OwnTool::LoadTool => (&self.tools, calls::load(&self.tools, input)),
            OwnTool::Status => (&self.tools, Answer::default()),
        };
        let found = answer.shown.iter().filter_map(|&at| found(documents, at)).collect();
        CallResult { text: answer.text, found }
    }
}

fn found(documents: &Documents, at: u32) -> Option<Found> {
    let document = documents.get(at)?;
    let id = document.id.to_string();
    Some(match document.kind {
        Kind::Skill => Found::Skill(id),
        Kind::CodeTool | Kind::NativeTool => Found::Tool { id, namespace: document.namespace.to_string() },
    })
}

/// Indexes an encoded list of tools (see [`super::documents`]). OpenCode's own tools and ours are left out: they
/// are in every request.
pub fn index_tools(list: String, options: &Options) -> Documents {
    let is_of_server = |id: &str, namespace: &str| !namespace.is_empty() || !is_builtin_tool(id);
    Documents::new(list, &options.discovery.tools, &is_of_server)
}

/// Indexes an encoded list of skills (see [`super::documents`]).
pub fn index_skills(list: String, options: &Options) -> Documents {
    Documents::new(list, &options.discovery.tools, &|_, _| true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{json, Value};

    fn call(index: &DiscoveryIndex, tool: OwnTool, input: Value) -> CallResult {
        index.call(tool, &input.to_string(), &Options::default())
    }

    #[test]
    fn opencodes_own_tools_and_ours_are_not_found() {
        let listed =
            "read␀read␀␀Reads␀native␀␀tool_search␀tool_search␀␀Reads␀native␀␀a_b␀b␀a␀Reads␀␀␀c␀c␀␀Reads␀␀";
        let tools = index_tools(listed.replace('␀', "\0"), &Options::default());
        let index = DiscoveryIndex { tools: Rc::new(tools), ..DiscoveryIndex::default() };
        let CallResult { text, found } = call(&index, OwnTool::ToolSearch, json!({ "query": "reads" }));
        let ids: Vec<String> = ["a_b", "c"].map(String::from).into();
        assert_eq!(found.len(), 2, "{text}");
        assert!(found.iter().all(|found| matches!(found, Found::Tool { id, .. } if ids.contains(id))));
    }

    #[test]
    fn what_opencode_does_not_list_comes_from_the_request() {
        use crate::candidates::{Server, Skill, Tool};
        let candidates = Candidates {
            servers: vec![Server {
                namespace: "a".into(),
                tools: vec![Tool { name: "b".into(), id: "a_b".into(), ..Tool::default() }],
                ..Server::default()
            }],
            skills: vec![Skill { id: "tea".into(), name: "tea".into(), ..Skill::default() }],
            ..Candidates::default()
        };
        let index = DiscoveryIndex::of_candidates(&candidates, &Options::default());
        let tool = Found::Tool { id: "a_b".into(), namespace: "a".into() };
        assert_eq!(call(&index, OwnTool::LoadTool, json!({ "name": "b" })).found, [tool]);
        let skills = call(&index, OwnTool::SkillSearch, json!({ "query": "tea" })).found;
        assert_eq!(skills, [Found::Skill("tea".into())]);
    }
}
