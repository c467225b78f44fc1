//! What the model asked for by searching: it is shown from then on, whatever the scores say.

use crate::candidates::{Server, Skill, Tool};
use crate::hash::FxHashSet;

/// One thing that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// By its native name, with the sanitised name of its server.
    Tool { id: String, namespace: String },
    /// By its id.
    Skill(String),
}

/// All that was found in a session. It only grows.
#[derive(Clone, Debug, Default)]
pub struct SearchPins {
    tools: FxHashSet<String>,
    namespaces: FxHashSet<String>,
    skills: FxHashSet<String>,
}

impl SearchPins {
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
