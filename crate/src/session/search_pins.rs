//! What the model asked for by searching: it is shown from then on, whatever the scores say.

use crate::candidates::{Server, Skill, Tool};
pub use crate::discovery::discovery_index::Found;
use crate::hash::FxHashSet;
use crate::policy::Pins;

/// All that was found in a session. It only grows.
#[derive(Clone, Debug, Default)]
pub struct SearchPins {
    tools: FxHashSet<String>,
    namespaces: FxHashSet<String>,
    skills: FxHashSet<String>,
}

impl SearchPins {
    /// Adds what another search found.
    pub fn add(&mut self, found: Vec<Found>) {
        for found in found {
            match found {
                Found::Tool { id, namespace } => {
                    self.tools.insert(id);
                    self.namespaces.insert(namespace);
                }
                Found::Skill(id) => drop(self.skills.insert(id)),
            }
        }
    }

    /// How much it is; another number whenever something was added.
    pub fn len(&self) -> usize {
        self.tools.len() + self.skills.len()
    }

    /// Whether nothing was found yet.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Pins for SearchPins {
    fn has_server(&self, server: &Server) -> bool {
        self.namespaces.contains(server.namespace.as_str())
    }

    fn has_tool(&self, tool: &Tool) -> bool {
        self.tools.contains(tool.id.as_str())
    }

    fn has_skill(&self, skill: &Skill) -> bool {
        self.skills.contains(skill.id.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_found_is_known_by_its_id_and_a_tool_by_its_server_too() {
        let server = |namespace: &str| Server { namespace: namespace.into(), ..Server::default() };
        let tool = |id: &str| Tool { id: id.into(), ..Tool::default() };
        let skill = |id: &str| Skill { id: id.into(), ..Skill::default() };
        let mut asked = SearchPins::default();
        let add = Found::Tool { id: "notes_add".to_string(), namespace: "notes".to_string() };
        asked.add(vec![add, Found::Skill("forms".to_string())]);
        assert!(asked.has_server(&server("notes")) && !asked.has_server(&server("forms")));
        assert!(asked.has_tool(&tool("notes_add")) && !asked.has_tool(&tool("forms")));
        assert!(asked.has_skill(&skill("forms")) && !asked.has_skill(&skill("notes_add")));
    }
}
