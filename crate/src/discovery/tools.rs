//! The tools that the model is given for finding: what they are called, what they say of themselves, and what
//! each does with its input.

use serde_json::Value;

use super::answer::{self, quote, Answer};
use super::documents::Documents;
use super::pattern::Query;
use crate::options::Options;
use crate::text::cut;

/// A tool of ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tool {
    ToolSearch,
    LoadTool,
    SkillSearch,
    Status,
}

pub const LOAD_TOOL: &str = "load_tool";

/// The name that lists everything.
const LIST: &str = "__list__";

/// The most results of one search.
const MAX_LIMIT: usize = 20;

impl Tool {
    pub const ALL: [Tool; 4] = [Tool::ToolSearch, Tool::LoadTool, Tool::SkillSearch, Tool::Status];

    pub fn name(self) -> &'static str {
        match self {
            Tool::ToolSearch => "tool_search",
            Tool::LoadTool => LOAD_TOOL,
            Tool::SkillSearch => "skill_search",
            Tool::Status => "jev_status",
        }
    }

    pub fn named(name: &str) -> Option<Tool> {
        Tool::ALL.into_iter().find(|tool| tool.name() == name)
    }

    fn is_wanted(self, options: &Options) -> bool {
        let discovery = &options.discovery;
        discovery.enabled && (self != Tool::Status || discovery.status_tool)
    }

    /// Constant, since it stands at the front of every request.
    pub fn description(self) -> &'static str {
        match self {
            Tool::ToolSearch => {
                "Finds tools of MCP servers, also those that no list shows. Describe in a few words what you want \
                 to do. Answers with the best tools: id, server, description, input schema and how to call them. \
                 What it finds stays available. With mode \"regex\" the query is a regular expression over the \
                 names `server_tool`."
            }
            Tool::LoadTool => {
                "Gives one tool of an MCP server by its name, with its whole description and input schema, and \
                 makes it available. The name \"__list__\" lists the names of all tools by server."
            }
            Tool::SkillSearch => {
                "Finds skills, also those that no list shows. Describe in a few words what the task is. Answers \
                 with the best skills and how to load them."
            }
            Tool::Status => {
                "Tells how the selection of tools and skills goes: its settings and health, times, and with a \
                 name why that server, tool or skill is shown or not."
            }
        }
    }

    /// The schema of its input.
    fn parameters(self) -> &'static str {
        match self {
            Tool::ToolSearch => {
                r#"{"type":"object","properties":{"query":{"type":"string","description":"What you want to do, or a pattern"},"limit":{"type":"integer","minimum":1,"maximum":20,"description":"How many tools at most"},"mode":{"type":"string","enum":["words","regex"],"description":"How the query is meant; words if not given"}},"required":["query"],"additionalProperties":false}"#
            }
            Tool::LoadTool => {
                r#"{"type":"object","properties":{"name":{"type":"string","description":"The tool's id, its name, or __list__"}},"required":["name"],"additionalProperties":false}"#
            }
            Tool::SkillSearch => {
                r#"{"type":"object","properties":{"query":{"type":"string","description":"What the task is"},"limit":{"type":"integer","minimum":1,"maximum":20,"description":"How many skills at most"}},"required":["query"],"additionalProperties":false}"#
            }
            Tool::Status => {
                r#"{"type":"object","properties":{"name":{"type":"string","description":"A server, tool or skill to tell of"}},"additionalProperties":false}"#
            }
        }
    }
}

/// The tools to register, as JSON: `[{ name, description, input }]`.
pub fn definitions(options: &Options) -> String {
    let mut out = "[".to_string();
    for tool in Tool::ALL {
        if !tool.is_wanted(options) {
            continue;
        }
        if out.len() > 1 {
            out.push(',');
        }
        let (name, description) = (quote(tool.name()), quote(tool.description()));
        let pieces =
            ["{\"name\":", &name, ",\"description\":", &description, ",\"input\":", tool.parameters(), "}"];
        out.push_str(&pieces.concat());
    }
    out.push(']');
    out
}

/// Searches tools or skills, as the input of `tool_search` or `skill_search` says.
pub fn search(documents: &Documents, list: &str, input: &Value, options: &Options) -> Answer {
    let query = text_of(input, "query");
    if query.trim().is_empty() {
        return answer::error("Say in `query` what you are looking for.");
    }
    let discovery = &options.discovery;
    let limit = match input.get("limit").and_then(Value::as_f64) {
        Some(limit) if limit >= 1.0 => (limit as usize).min(MAX_LIMIT),
        _ => discovery.top_k,
    };
    let query = Query::new(query, text_of(input, "mode") == "regex");
    let max_description = discovery.description_limit;
    answer::search(documents, &answer::Search { list, query, limit, max_description })
}

/// Loads one tool, as the input of `load_tool` says.
pub fn load(documents: &Documents, input: &Value) -> Answer {
    match text_of(input, "name").trim() {
        "" => answer::error("Say in `name` which tool; \"__list__\" lists all."),
        LIST => answer::list(documents),
        name => answer::load(documents, name),
    }
}

pub fn text_of<'a>(input: &'a Value, field: &str) -> &'a str {
    input.get(field).and_then(Value::as_str).unwrap_or_default()
}

/// The description of `load_tool` with what is hidden behind it, by server and cut at `max_chars`. The pairs of
/// server and tool come in order; a server alone has no tool.
///
/// ```text
/// ... Not shown now:
/// notes: add, drop
/// desk: list_items
/// ```
pub fn pointing_at(hidden: &[(&str, &str)], max_chars: usize) -> String {
    let mut list = String::new();
    let mut before = "";
    for (server, tool) in hidden {
        if *server == before {
            list.push_str(", ");
        } else {
            list.push('\n');
            list.push_str(server);
            list.push_str(if tool.is_empty() { "" } else { ": " });
        }
        list.push_str(tool);
        before = server;
    }
    let shown = cut(&list, max_chars);
    let end = if shown.len() < list.len() { "..." } else { "" };
    [Tool::LoadTool.description(), " Not shown now:", shown, end].concat()
}
