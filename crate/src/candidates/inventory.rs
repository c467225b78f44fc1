//! What the host itself says of its servers, tools and skills (`opencode-host.md` §3.2), where it says it.
//!
//! Schemas are not part of it: they are long, and needed only for the few tools that are about to be added. They
//! are lent, one at a time.

use std::rc::Rc;

use arcstr::{ArcStr, Substr};
use serde_json::Value;

use crate::encoded_list::{fields, SEPARATOR};
use crate::hash::fingerprint_of;

/// The host's own lists; what it does not list is `None`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Known {
    /// All registered tools.
    pub tools: Option<Vec<InventoryTool>>,
    /// The configured names of all MCP servers.
    pub servers: Option<Vec<Substr>>,
    /// All skills.
    pub skills: Option<Vec<InventorySkill>>,
    /// The configured names of servers whose tools are in the request and cannot be seen there.
    pub unseen_servers: Vec<Substr>,
}

#[derive(Clone, Debug, Default, Hash, PartialEq)]
pub struct InventoryTool {
    /// The native name.
    pub id: Substr,
    /// The tool's name inside its namespace.
    pub name: Option<Substr>,
    /// The sanitised name of the server that it belongs to.
    pub namespace: Option<Substr>,
    pub description: Option<Substr>,
    /// Whether the model calls it directly and not through `execute`.
    pub is_native: bool,
}

#[derive(Clone, Debug, Default, Hash, PartialEq, Eq)]
pub struct InventorySkill {
    pub id: Substr,
    pub description: Option<Substr>,
}

/// What a tool takes and gives, as JSON schemas.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Schemas {
    pub input: Option<Value>,
    pub output: Option<Value>,
}

/// Lends the schemas of the tool at a place in [`Known::tools`].
pub trait LendSchemas {
    fn schemas(&self, tool: usize) -> Option<Schemas>;
}

/// [`Known`] with what is derived from it, and the schemas.
#[derive(Clone, Default)]
pub struct Inventory {
    known: Known,
    schemas: Option<Rc<dyn LendSchemas>>,
    fingerprint: u64,
}

impl From<Known> for Inventory {
    fn from(known: Known) -> Self {
        let fingerprint =
            fingerprint_of(&(&known.tools, &known.servers, &known.skills, &known.unseen_servers));
        Inventory { known, schemas: None, fingerprint }
    }
}

/// The host's lists as they cross the border.
#[derive(Clone, Debug, Default, Hash)]
pub struct FlatLists {
    pub tools: Option<ArcStr>,
    pub servers: Option<ArcStr>,
    pub skills: Option<ArcStr>,
    pub unseen_servers: Option<ArcStr>,
}

impl Inventory {
    pub fn read(lists: &FlatLists) -> Inventory {
        let known = Known {
            tools: lists.tools.as_ref().map(flat_tools),
            servers: lists.servers.as_ref().map(flat_names),
            skills: lists.skills.as_ref().map(flat_skills),
            unseen_servers: lists.unseen_servers.as_ref().map(flat_names).unwrap_or_default(),
        };
        Inventory { known, schemas: None, fingerprint: fingerprint_of(lists) }
    }

    pub fn lending(mut self, schemas: Rc<dyn LendSchemas>) -> Inventory {
        self.schemas = Some(schemas);
        self
    }

    pub fn known(&self) -> &Known {
        &self.known
    }

    /// Equal for equal lists.
    pub fn fingerprint(&self) -> u64 {
        self.fingerprint
    }

    /// Whether some servers' tools are in the request and cannot be seen there.
    pub fn has_unseen_servers(&self) -> bool {
        !self.known.unseen_servers.is_empty()
    }

    /// The registered tool with this native name, and its schemas.
    pub fn tool(&self, id: &str) -> Option<(&InventoryTool, Schemas)> {
        let mut tools = self.known.tools.iter().flatten().enumerate();
        let (at, tool) = tools.find(|(_, tool)| tool.id == id)?;
        Some((tool, self.schemas.as_ref()?.schemas(at)?))
    }
}

impl std::fmt::Debug for Inventory {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.known.fmt(f)
    }
}

/// Reads the fields `id, name, namespace, description, nature` of each tool, where the nature is `native` or
/// nothing and an empty field says nothing:
///
/// ```text
/// notes_add␀add␀notes␀Add a note␀␀maps_route␀route␀maps␀Plan a route␀native
/// ```
pub fn flat_tools(text: &ArcStr) -> Vec<InventoryTool> {
    let mut fields = text.split(SEPARATOR);
    let mut tools = Vec::new();
    while let Some(id) = fields.next().filter(|id| !id.is_empty()) {
        let mut field = || fields.next().unwrap_or_default();
        tools.push(InventoryTool {
            id: text.substr_from(id),
            name: given(text, field()),
            namespace: given(text, field()),
            description: given(text, field()),
            is_native: field() == "native",
        });
    }
    tools
}

/// Reads the fields `id, description` of each skill, separated like those of [`flat_tools`].
pub fn flat_skills(text: &ArcStr) -> Vec<InventorySkill> {
    let mut fields = text.split(SEPARATOR);
    let mut skills = Vec::new();
    while let Some(id) = fields.next().filter(|id| !id.is_empty()) {
        skills.push(InventorySkill {
            id: text.substr_from(id),
            description: given(text, fields.next().unwrap_or_default()),
        });
    }
    skills
}

/// Reads names, separated like the fields of [`flat_tools`].
pub fn flat_names(text: &ArcStr) -> Vec<Substr> {
    fields(text).map(|name| text.substr_from(name)).collect()
}

fn given(list: &ArcStr, field: &str) -> Option<Substr> {
    (!field.is_empty()).then(|| list.substr_from(field))
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
            flat_tools(&"notes_add\0add\0notes\0Add a note\0\0read\0\0\0\0native".into()),
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
            flat_tools(&list).is_empty() && flat_skills(&list).is_empty() && flat_names(&list).is_empty()
        );
    }

    #[test]
    fn skills_are_read_field_by_field() {
        let skill = |id: &str, description: Option<&str>| InventorySkill {
            id: id.into(),
            description: description.map(Substr::from),
        };
        assert_eq!(
            flat_skills(&"forms\0Fill forms\0zip\0".into()),
            [skill("forms", Some("Fill forms")), skill("zip", None)]
        );
    }

    #[test]
    fn a_tool_whose_schemas_are_not_lent_is_not_known_well_enough() {
        let known = Known { tools: Some(flat_tools(&"a_x\0x\0a\0\0".into())), ..Known::default() };
        assert!(Inventory::from(known).tool("a_x").is_none());
    }
}
