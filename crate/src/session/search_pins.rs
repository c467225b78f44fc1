//! What the model asked for by searching: it is shown from then on, whatever the scores say.

use crate::candidates::{Server, Skill, Tool};
pub use crate::discovery::discovery_index::Found;
use crate::hash::FxHashSet;

/// All that was found in a session. It only grows.
#[derive(Clone, Debug, Default)]
pub struct Asked {
    tools: FxHashSet<String>,
    namespaces: FxHashSet<String>,
    skills: FxHashSet<String>,
}

impl Asked {
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

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn has_server(&self, server: &Server) -> bool {
        self.namespaces.contains(server.namespace.as_str())
    }

    pub fn has_tool(&self, tool: &Tool) -> bool {
        self.tools.contains(tool.id.as_str())
    }

    pub fn has_skill(&self, skill: &Skill) -> bool {
        self.skills.contains(skill.id.as_str())
    }
}
