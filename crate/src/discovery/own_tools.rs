//! The tools that the model is given for finding: what they are called, what they say of themselves and which
//! input they take. What a call does is read in [`super::calls`].

use serde::{Serialize, Serializer};

use crate::options::Options;

/// A tool of ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OwnTool {
    /// Finds tools of MCP servers.
    ToolSearch,
    /// Gives one tool of an MCP server whole.
    LoadTool,
    /// Finds skills.
    SkillSearch,
    /// Reports on the selection; the shim answers it.
    Status,
}

/// The name by which `load_tool` lists all tools.
pub(super) const LIST_ALL: &str = "__list__";

/// The most results of one search.
pub(super) const MAX_LIMIT: usize = 20;

impl OwnTool {
    /// In the order in which they are registered.
    pub const ALL: [OwnTool; 4] =
        [OwnTool::ToolSearch, OwnTool::LoadTool, OwnTool::SkillSearch, OwnTool::Status];

    /// The name under which the model calls it.
    pub fn name(self) -> &'static str {
        match self {
            OwnTool::ToolSearch => "tool_search",
            OwnTool::LoadTool => "load_tool",
            OwnTool::SkillSearch => "skill_search",
            OwnTool::Status => "jev_status",
        }
    }

    /// The tool of ours with a name.
    pub fn named(name: &str) -> Option<OwnTool> {
        OwnTool::ALL.into_iter().find(|tool| tool.name() == name)
    }

    fn is_enabled(self, options: &Options) -> bool {
        let discovery = &options.discovery;
        discovery.enabled && (self != OwnTool::Status || discovery.status_tool)
    }

    /// Constant, since it stands at the front of every request.
    pub(super) fn description(self) -> &'static str {
        match self {
            OwnTool::ToolSearch => {
                "Finds tools of MCP servers, also those that no list shows. Describe in a few words what you want \
                 to do. Answers with the best tools: id, server, description, input schema and how to call them. \
                 What it finds stays available. With mode \"regex\" the query is a regular expression over the \
                 names `server_tool`."
            }
            OwnTool::LoadTool => {
                "Gives one tool of an MCP server by its name, with its whole description and input schema, and \
                 makes it available. The name \"__list__\" lists the names of all tools by server."
            }
            OwnTool::SkillSearch => {
                "Finds skills, also those that no list shows. Describe in a few words what the task is. Answers \
                 with the best skills and how to load them."
            }
            OwnTool::Status => {
                "Tells how the selection of tools and skills goes: its settings and health, times, and with a \
                 name why that server, tool or skill is shown or not."
            }
        }
    }

    fn input(self) -> InputSchema {
        match self {
            OwnTool::ToolSearch => InputSchema::new(
                vec![
                    ("query", Property::text("What you want to do, or a pattern")),
                    ("limit", Property::limit("How many tools at most")),
                    (
                        "mode",
                        Property::one_of(&["words", "regex"], "How the query is meant; words if not given"),
                    ),
                ],
                &["query"],
            ),
            OwnTool::LoadTool => InputSchema::new(
                vec![("name", Property::text("The tool's id, its name, or __list__"))],
                &["name"],
            ),
            OwnTool::SkillSearch => InputSchema::new(
                vec![
                    ("query", Property::text("What the task is")),
                    ("limit", Property::limit("How many skills at most")),
                ],
                &["query"],
            ),
            OwnTool::Status => {
                InputSchema::new(vec![("name", Property::text("A server, tool or skill to tell of"))], &[])
            }
        }
    }
}

/// A tool to register in OpenCode: `{ name, description, input }`.
#[derive(Debug, Serialize)]
pub struct Definition {
    /// The name under which the model calls it.
    pub name: &'static str,
    /// What the model reads of it.
    pub description: &'static str,
    input: InputSchema,
}

/// A JSON schema of an object without other fields.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct InputSchema {
    r#type: &'static str,
    #[serde(serialize_with = "as_map")]
    properties: Vec<(&'static str, Property)>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    required: &'static [&'static str],
    additional_properties: bool,
}

impl InputSchema {
    fn new(properties: Vec<(&'static str, Property)>, required: &'static [&'static str]) -> InputSchema {
        InputSchema { r#type: "object", properties, required, additional_properties: false }
    }
}

fn as_map<S: Serializer>(properties: &[(&str, Property)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(properties.iter().map(|(name, property)| (name, property)))
}

#[derive(Debug, Serialize)]
struct Property {
    r#type: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    minimum: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    maximum: Option<usize>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    r#enum: &'static [&'static str],
    description: &'static str,
}

impl Property {
    fn text(description: &'static str) -> Property {
        Property { r#type: "string", minimum: None, maximum: None, r#enum: &[], description }
    }

    fn one_of(values: &'static [&'static str], description: &'static str) -> Property {
        Property { r#enum: values, ..Property::text(description) }
    }

    fn limit(description: &'static str) -> Property {
        let (minimum, maximum) = (Some(1), Some(MAX_LIMIT));
        Property { r#type: "integer", minimum, maximum, ..Property::text(description) }
    }
}

/// The tools to register, as the options want it; none while discovery is off.
pub fn definitions(options: &Options) -> Vec<Definition> {
    let enabled = OwnTool::ALL.into_iter().filter(|tool| tool.is_enabled(options));
    enabled
        .map(|tool| Definition { name: tool.name(), description: tool.description(), input: tool.input() })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn input(tool: OwnTool) -> String {
        serde_json::to_string(&tool.input()).unwrap()
    }

    #[test]
    fn the_inputs_are_the_same_bytes_in_every_request() {
        assert_eq!(
            input(OwnTool::ToolSearch),
            r#"{"type":"object","properties":{"query":{"type":"string","description":"What you want to do, or a pattern"},"limit":{"type":"integer","minimum":1,"maximum":20,"description":"How many tools at most"},"mode":{"type":"string","enum":["words","regex"],"description":"How the query is meant; words if not given"}},"required":["query"],"additionalProperties":false}"#
        );
        assert_eq!(
            input(OwnTool::LoadTool),
            r#"{"type":"object","properties":{"name":{"type":"string","description":"The tool's id, its name, or __list__"}},"required":["name"],"additionalProperties":false}"#
        );
        assert_eq!(
            input(OwnTool::SkillSearch),
            r#"{"type":"object","properties":{"query":{"type":"string","description":"What the task is"},"limit":{"type":"integer","minimum":1,"maximum":20,"description":"How many skills at most"}},"required":["query"],"additionalProperties":false}"#
        );
        assert_eq!(
            input(OwnTool::Status),
            r#"{"type":"object","properties":{"name":{"type":"string","description":"A server, tool or skill to tell of"}},"additionalProperties":false}"#
        );
    }

    #[test]
    fn a_definition_has_name_description_and_input() {
        let options = Options::from_json(&json!({ "discovery": { "enabled": true } }));
        let definition = serde_json::to_value(&definitions(&options)[1]).unwrap();
        assert_eq!(definition["name"], "load_tool");
        assert_eq!(definition["description"], OwnTool::LoadTool.description());
        assert_eq!(definition["input"]["required"], json!(["name"]));
    }

    #[test]
    fn a_tool_is_known_by_its_name() {
        assert!(OwnTool::ALL.into_iter().all(|tool| OwnTool::named(tool.name()) == Some(tool)));
        assert_eq!(OwnTool::named("read"), None);
    }
}
