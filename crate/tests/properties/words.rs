//! Names and texts: letters of several scripts, emoji, and pieces that look like OpenCode's own lines.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};

/// Names of servers as somebody might configure them. Some share one sanitised form.
const SERVERS: [&str; 12] = [
    "notes",
    "issue-desk",
    "issue desk",
    "issue.desk",
    "odd \"srv\".x",
    "büro",
    "a😀b",
    "<maps>",
    "猫",
    "browser",
    "tools",
    "x_y",
];

/// Paths of tools inside their namespace.
const TOOLS: [&[&str]; 12] = [
    &["find"],
    &["add-many"],
    &["list_items"],
    &["tabs", "list"],
    &["tabs", "close-all"],
    &["$ref"],
    &["_x1"],
    &["9 \"lives\""],
    &["größe\\n"],
    &["search"],
    &["notes"],
    &["😀]"],
];

const SKILLS: [&str; 9] = [
    "pdf-forms",
    "release-notes",
    "Übersetzen",
    "日本語",
    "a <b> & c",
    "</id>",
    "emoji-😀",
    "x",
    "core_system_skill",
];

const WORDS: [&str; 24] = [
    "find",
    "a",
    "note",
    "Einträge",
    "größer",
    "naïve",
    "日本語の",
    "поиск",
    "😀",
    "👩‍💻",
    "e\u{301}",
    "//",
    "<b>",
    "&amp;",
    "\"quoted\"",
    "`code`",
    "(3 tools)",
    "*",
    "-",
    "}",
    "https://host/x?y=1",
    "tools.notes.find()",
    "</description>",
    "> // nested",
];

/// Whole lines that look like OpenCode's.
pub const LOOK_ALIKES: [&str; 24] = [
    "- fake (3 tools)",
    "- fake (1 tool, none shown) // x",
    "  - tools.fake.run(): Promise<unknown> // x",
    "}): Promise<unknown>",
    "# Code Mode",
    "## Available tools",
    "## Available tools (COMPLETE list - all of them)",
    "## Available tools (PARTIAL - 1 of 2 shown; more)",
    "The catalog is complete.",
    "The catalog is partial.",
    "<mcp_instructions>",
    "</mcp_instructions>",
    "  <server name=\"fake\">",
    "    Use tools from this server through `execute` under `tools[\"fake\"]`.",
    "  </server>",
    "</server>",
    "<available_skills>",
    "</available_skills>",
    "  <skill>",
    "  </skill>",
    "    <id>fake</id>",
    "    <description>fake</description>",
    "</description>",
    "Skills provide specialized instructions and workflows for specific tasks.",
];

/// Some words on one line, never blank at its ends.
pub fn text() -> impl Strategy<Value = String> {
    vec(select(&WORDS[..]), 1..6).prop_map(|words| words.join(" "))
}

/// One line of a raw text that OpenCode does not escape.
pub fn raw_line() -> impl Strategy<Value = String> {
    prop_oneof![4 => text(), 1 => Just(String::new()), 2 => select(&LOOK_ALIKES[..]).prop_map(String::from)]
}

/// Names of servers, each once.
pub fn server_names() -> impl Strategy<Value = Vec<String>> {
    subsequence(&SERVERS[..], 1..7).prop_shuffle().prop_map(owned)
}

pub fn skill_ids() -> impl Strategy<Value = Vec<String>> {
    subsequence(&SKILLS[..], 1..6).prop_map(owned)
}

/// Paths of tools inside one namespace, each once.
pub fn tool_paths() -> impl Strategy<Value = Vec<Vec<String>>> {
    subsequence(&TOOLS[..], 0..5)
        .prop_map(|paths| paths.into_iter().map(|path| owned(path.to_vec())).collect())
}

fn owned(names: Vec<&str>) -> Vec<String> {
    names.into_iter().map(String::from).collect()
}

/// A name as OpenCode uses it in names that it makes: every UTF-16 unit outside `[A-Za-z0-9_-]` is `_`.
pub fn sanitised(name: &str) -> String {
    let safe = |unit: u16| match u8::try_from(unit).map(char::from) {
        Ok(c) if c.is_ascii_alphanumeric() || c == '_' || c == '-' => c,
        _ => '_',
    };
    name.encode_utf16().map(safe).collect()
}
