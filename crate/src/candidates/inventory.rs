//! What OpenCode itself knows of its servers, tools and skills (`opencode-host.md` §3.2), where it tells a plugin.
//!
//! Schemas are not part of the lists: they are long, and needed only for the few tools that are about to be added.
//! A [`SchemaSource`] gives them one at a time.

use std::rc::Rc;

use arcstr::{ArcStr, Substr};
use serde_json::Value;

use crate::encoded_list::{fields, FieldReader};
use crate::hash::fingerprint_of;

/// OpenCode's own lists; what it does not list is `None`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct InventoryLists {
    /// All registered tools.
    pub tools: Option<Vec<InventoryTool>>,
    /// The configured names of all MCP servers.
    pub servers: Option<Vec<Substr>>,
    /// All skills.
    pub skills: Option<Vec<InventorySkill>>,
    /// The configured names of servers whose tools are in the request and cannot be seen there.
    pub unseen_servers: Vec<Substr>,
}

/// A tool that is registered in OpenCode.
#[derive(Clone, Debug, Default, Hash, PartialEq)]
pub struct InventoryTool {
    /// The native name, `server_tool`.
    pub id: Substr,
    /// The name inside its namespace.
    pub name: Option<Substr>,
    /// The sanitised name of the server that it belongs to; `None` for OpenCode's own tools.
    pub namespace: Option<Substr>,
    /// Untruncated.
    pub description: Option<Substr>,
    /// Whether the model calls it directly and not through `execute`.
    pub is_native: bool,
}

/// A skill that is installed in OpenCode.
#[derive(Clone, Debug, Default, Hash, PartialEq, Eq)]
pub struct InventorySkill {
    /// As in the list of skills.
    pub id: Substr,
    /// Untruncated.
    pub description: Option<Substr>,
}

/// What a tool takes and gives, as JSON schemas.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Schemas {
    /// Of its arguments.
    pub input: Option<Value>,
    /// Of its result.
    pub output: Option<Value>,
}

/// Gives schemas on demand.
pub trait SchemaSource {
    /// The schemas of the tool at an index of [`InventoryLists::tools`]; `None` if they cannot be had.
    fn schemas(&self, tool: usize) -> Option<Schemas>;
}

/// [`InventoryLists`] with their fingerprint and the schemas.
#[derive(Clone, Default)]
pub struct Inventory {
    lists: InventoryLists,
    schemas: Option<Rc<dyn SchemaSource>>,
    fingerprint: u64,
}

impl From<InventoryLists> for Inventory {
    fn from(lists: InventoryLists) -> Self {
        let fingerprint =
            fingerprint_of(&(&lists.tools, &lists.servers, &lists.skills, &lists.unseen_servers));
        Inventory { lists, schemas: None, fingerprint }
    }
}

/// [`InventoryLists`] as they cross the boundary (`js-shim/inventory.js`): an encoded list each.
#[derive(Clone, Debug, Default, Hash)]
pub struct EncodedInventory {
    /// As `InventoryTool::decode_list` reads them.
    pub tools: Option<ArcStr>,
    /// Names.
    pub servers: Option<ArcStr>,
    /// As `InventorySkill::decode_list` reads them.
    pub skills: Option<ArcStr>,
    /// Names.
    pub unseen_servers: Option<ArcStr>,
}

impl Inventory {
    /// Decodes all lists; the inventory has no schemas yet.
    pub fn decode(encoded: &EncodedInventory) -> Inventory {
        let names = |list: &ArcStr| fields(list).map(|name| list.substr_from(name)).collect::<Vec<_>>();
        let lists = InventoryLists {
            tools: encoded.tools.as_ref().map(InventoryTool::decode_list),
            servers: encoded.servers.as_ref().map(names),
            skills: encoded.skills.as_ref().map(InventorySkill::decode_list),
            unseen_servers: encoded.unseen_servers.as_ref().map(names).unwrap_or_default(),
        };
        Inventory { lists, schemas: None, fingerprint: fingerprint_of(encoded) }
    }

    /// The same inventory with a source of schemas.
    pub fn with_schemas(mut self, schemas: Rc<dyn SchemaSource>) -> Inventory {
        self.schemas = Some(schemas);
        self
    }

    pub(super) fn lists(&self) -> &InventoryLists {
        &self.lists
    }

    /// Equal for equal lists.
    pub fn fingerprint(&self) -> u64 {
        self.fingerprint
    }

    /// Whether some servers' tools are in the request and cannot be seen there.
    pub fn has_unseen_servers(&self) -> bool {
        !self.lists.unseen_servers.is_empty()
    }

    /// The registered tool with this native name, and its schemas; `None` if either is not known.
    pub fn tool(&self, id: &str) -> Option<(&InventoryTool, Schemas)> {
        let mut tools = self.lists.tools.iter().flatten().enumerate();
        let (at, tool) = tools.find(|(_, tool)| tool.id == id)?;
        Some((tool, self.schemas.as_ref()?.schemas(at)?))
    }
}

impl std::fmt::Debug for Inventory {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.lists.fmt(f)
    }
}

impl InventoryTool {
    /// Decodes the fields `id, name, namespace, description, nature` of each tool, where the nature is `native` or
    /// nothing and an empty field means that it is not known:
    ///
    /// ```text
    /// notes_add␀add␀notes␀Add a note␀␀maps_route␀route␀maps␀Plan a route␀native
    /// ```
    fn decode_list(list: &ArcStr) -> Vec<InventoryTool> {
        let mut fields = FieldReader::new(list);
        let mut tools = Vec::new();
        while let Some(id) = fields.non_empty() {
            tools.push(InventoryTool {
                id,
                name: fields.non_empty(),
                namespace: fields.non_empty(),
                description: fields.non_empty(),
                is_native: fields.text() == "native",
            });
        }
        tools
    }
}

impl InventorySkill {
    /// Decodes the fields `id, description` of each skill.
    fn decode_list(list: &ArcStr) -> Vec<InventorySkill> {
        let mut fields = FieldReader::new(list);
        let mut skills = Vec::new();
        while let Some(id) = fields.non_empty() {
            skills.push(InventorySkill { id, description: fields.non_empty() });
        }
        skills
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tools_are_read_field_by_field() {
        let tool = |id: &str, rest: [Option<&str>; 3], is_native| {
            let [name, namespace, description] = rest.map(|field| field.map(Substr::from));
            InventoryTool { id: id.into(), name, namespace, description, is_native }
        };
        assert_eq!(
            InventoryTool::decode_list(&"notes_add\0add\0notes\0Add a note\0\0read\0\0\0\0native".into()),
            [
                tool("notes_add", [Some("add"), Some("notes"), Some("Add a note")], false),
                tool("read", [None, None, None], true)
            ]
        );
    }

    #[test]
    fn a_list_of_none_is_empty() {
        let list = ArcStr::new();
        assert!(
            InventoryTool::decode_list(&list).is_empty() && InventorySkill::decode_list(&list).is_empty()
        );
        let encoded = EncodedInventory { servers: Some(list), ..EncodedInventory::default() };
        assert_eq!(Inventory::decode(&encoded).lists.servers, Some(Vec::new()));
    }

    #[test]
    fn skills_are_read_field_by_field() {
        let skill = |id: &str, description: Option<&str>| InventorySkill {
            id: id.into(),
            description: description.map(Substr::from),
        };
        assert_eq!(
            InventorySkill::decode_list(&"forms\0Fill forms\0zip\0".into()),
            [skill("forms", Some("Fill forms")), skill("zip", None)]
        );
    }

    #[test]
    fn a_tool_without_its_schemas_is_not_known_well_enough() {
        let known = InventoryLists {
            tools: Some(InventoryTool::decode_list(&"a_x\0x\0a\0\0".into())),
            ..InventoryLists::default()
        };
        assert!(Inventory::from(known).tool("a_x").is_none());
    }
}
