//! Which MCP server a native tool belongs to. Its name alone does not say: `a_b_c` may be `b_c` of `a` or `c` of
//! `a_b`.

use arcstr::Substr;

use super::inventory::InventoryLists;
use super::Server;
use crate::hash::{FxHashMap, FxHashSet};
use crate::opencode::builtin_tools::is_builtin_tool;
use crate::opencode::names::{sanitise, split_native_name};

/// The namespace that a native tool belongs to, of those given; `None` for the tools of no server.
pub fn owner_of(native_name: &str, is_namespace: impl Fn(&str) -> bool) -> Option<&str> {
    if is_builtin_tool(native_name) {
        return None;
    }
    split_native_name(native_name, is_namespace).map(|(namespace, _)| namespace)
}

/// Everything that says whose a native tool is. OpenCode's inventory is believed most, then the configured
/// servers, then the servers that the request's texts name.
pub(super) struct Owners<'a> {
    /// Namespaces by native name; `None` without an inventory.
    by_id: Option<FxHashMap<&'a str, &'a str>>,
    namespaces: FxHashSet<Substr>,
}

impl<'a> Owners<'a> {
    pub(super) fn new(lists: &'a InventoryLists, seen: &[Server]) -> Owners<'a> {
        let configured: Option<FxHashSet<Substr>> =
            lists.servers.as_ref().map(|names| names.iter().map(|name| sanitise(name).into()).collect());
        let by_id = lists.tools.as_ref().map(|tools| {
            tools
                .iter()
                .filter_map(|tool| Some((tool.id.as_str(), tool.namespace.as_deref()?)))
                .filter(|(_, namespace)| configured.as_ref().is_none_or(|names| names.contains(*namespace)))
                .collect()
        });
        let namespaces =
            configured.unwrap_or_else(|| seen.iter().map(|server| server.namespace.clone()).collect());
        Owners { by_id, namespaces }
    }

    /// The namespace and the tool's name in it; `None` for a tool that no MCP server is known to have.
    pub(super) fn of<'b>(&self, name: &'b str) -> Option<(&'b str, &'b str)> {
        if is_builtin_tool(name) {
            return None;
        }
        if let Some(by_id) = &self.by_id {
            let namespace = by_id.get(name)?;
            return split_native_name(name, |known| known == *namespace);
        }
        split_native_name(name, |known| self.namespaces.contains(known))
    }
}
