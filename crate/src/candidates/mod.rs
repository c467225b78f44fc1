//! What could be hidden from this request: MCP servers, their tools, and skills.
//!
//! [`advertised`] says what the request's texts advertise now, [`NativeTools`] what stands in its own tool map,
//! and [`inventory`] what OpenCode itself knows. `collect` merges the three: the same tool can stand in several
//! texts and be registered natively too, and is one candidate. How a candidate is decided is not known here.

pub mod advertised;
mod collect;
pub mod inventory;
mod native_tools;
mod owners;

use std::cell::OnceCell;

use arcstr::Substr;

use crate::hash::fingerprint_of;

pub use native_tools::{NativeTool, NativeTools};
pub use owners::owner_of;

/// Which kinds of candidates the user wants pruned at all, and whether tools may be added.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Scope {
    /// Whether servers and their tools are candidates.
    pub mcp_tools: bool,
    /// Whether skills are candidates.
    pub skills: bool,
    /// Whether tools that a partial catalog leaves out are candidates too, to be added to it.
    pub unlisted_tools: bool,
}

/// Everything that could be hidden, sorted by namespace, name and id: equal sets are equal, in whatever order the
/// request names them.
#[derive(Debug, Default)]
pub struct Candidates {
    /// By namespace; the tools of each by name.
    pub servers: Vec<Server>,
    /// By id.
    pub skills: Vec<Skill>,
    /// Equal for equal names and texts.
    pub fingerprint: u64,
}

/// An MCP server with all of its tools that are candidates.
#[derive(Debug, Default)]
pub struct Server {
    /// The sanitised name. Configured names that sanitise to the same are one server, as they are in OpenCode.
    pub namespace: Substr,
    /// The names from the user's configuration, where they are known.
    pub names: Vec<Substr>,
    /// What the catalog says of the namespace.
    pub description: Option<Substr>,
    /// What each of its servers says in the MCP instructions.
    pub instructions: Vec<Substr>,
    /// By name.
    pub tools: Vec<Tool>,
    /// Whether it has tools in the request that cannot be seen there. Those that became known some other way stand
    /// in `tools`.
    pub has_unseen_tools: bool,
    pub(crate) cached_fingerprint: OnceCell<u64>,
}

/// A tool of an MCP server.
#[derive(Debug, Default)]
pub struct Tool {
    /// The name inside its namespace; nested segments are joined by dots.
    pub name: Substr,
    /// The native name, `server_tool`.
    pub id: Substr,
    /// The longest text that is known: the catalog cuts descriptions, the inventory does not.
    pub description: Option<Substr>,
    /// Whether it stands in the request's tool map.
    pub is_native: bool,
    /// Whether the request shows it at all; the others are known from OpenCode's inventory.
    pub is_listed: bool,
    /// The length of what the request shows of it: code points of its catalog entry, or what
    /// [`NativeTool::chars`] counts.
    pub chars: usize,
    pub(crate) cached_fingerprint: OnceCell<u64>,
}

/// A skill that the model may load.
#[derive(Debug, Default)]
pub struct Skill {
    /// By which OpenCode 2 loads it; the name for an OpenCode that knows no ids.
    pub id: Substr,
    /// By which OpenCode 1.18 loads it.
    pub name: Substr,
    /// The inventory's text if there is one, otherwise the list's.
    pub description: Option<Substr>,
    /// The length of its element in the list, in code points.
    pub chars: usize,
    pub(crate) cached_fingerprint: OnceCell<u64>,
}

impl Server {
    /// The name to show: as configured if that is known.
    pub fn name(&self) -> &Substr {
        self.names.first().unwrap_or(&self.namespace)
    }

    /// Equal for equal names and texts. The tools have their own: which of them a partial catalog lists may change
    /// while the server stays what it is.
    pub fn fingerprint(&self) -> u64 {
        let texts = (&self.namespace, &self.names, &self.description, &self.instructions);
        *self.cached_fingerprint.get_or_init(|| fingerprint_of(&texts))
    }
}

impl Tool {
    /// Equal for equal names and texts.
    pub fn fingerprint(&self, server: &Server) -> u64 {
        let texts = (&server.namespace, &self.name, &self.description, self.is_listed);
        *self.cached_fingerprint.get_or_init(|| fingerprint_of(&texts))
    }
}

impl Skill {
    /// Equal for equal names and texts.
    pub fn fingerprint(&self) -> u64 {
        *self.cached_fingerprint.get_or_init(|| fingerprint_of(&(&self.id, &self.name, &self.description)))
    }
}

impl Candidates {
    /// Whether there is nothing to hide.
    pub fn is_empty(&self) -> bool {
        self.servers.is_empty() && self.skills.is_empty()
    }

    /// How many servers, tools and skills there are.
    pub fn count(&self) -> usize {
        let tools = self.servers.iter().map(|server| 1 + server.tools.len());
        tools.sum::<usize>() + self.skills.len()
    }
}
