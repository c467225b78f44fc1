//! The input of a call: what is kept of it to recognise and describe the call, and the input without its large
//! strings. Whether it is shortened is not decided here.

use serde_json::{Map, Value};

use super::label::one_line;
use crate::hash::fingerprint_of;
use crate::text::utf16_units;

/// Strings of more UTF-16 code units than this are large. Paths, patterns and most commands are shorter.
const LARGE_CHARS: usize = 200;

/// A label that stands in a placeholder is cut at this many characters.
const MAX_LABEL_CHARS: usize = 120;

/// What stands for a large string is at most this long: see [`left_out`].
const LEFT_OUT_CHARS: usize = 40;

/// What is known of an input. Sizes are UTF-16 code units.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Input {
    /// Equal for equal inputs, whatever the order of their keys. Meaningless where strings were only measured.
    pub(super) fingerprint: u64,
    /// The file that a tool of one file works on, as the model wrote it.
    pub path: Option<String>,
    /// Every path in it, by [`normal_path`].
    pub(super) paths: Vec<String>,
    /// What a search looks for.
    pub(super) pattern: Option<String>,
    /// What a shell runs.
    pub(super) command: Option<String>,
    /// What is fetched.
    pub(super) url: Option<String>,
    /// Whether only a piece of the file is asked for.
    pub(super) is_partial: bool,
    /// The size of `content`, if that is a large string.
    content_chars: usize,
    /// The size of all large strings together.
    large_chars: usize,
    /// How many large strings there are.
    large_strings: usize,
    /// The input without its large strings, as JSON; empty if there are none.
    pub(super) shortened: String,
    /// The short values of its first level, for a general placeholder.
    pub(super) summary: String,
    /// The size of all names and values.
    pub(super) chars: usize,
}

const PATH_NAMES: [&str; 4] = ["path", "filePath", "file_path", "file"];
const PATTERN_NAMES: [&str; 3] = ["pattern", "query", "regex"];
const COMMAND_NAMES: [&str; 2] = ["command", "cmd"];
const URL_NAMES: [&str; 1] = ["url"];
const PIECE_NAMES: [&str; 6] = ["offset", "limit", "start", "end", "start_line", "end_line"];
const CONTENT: &str = "content";

/// How an input begins that crosses the boundary with its large strings only measured.
const MEASURED: &str = "measured ";

impl From<&Value> for Input {
    fn from(value: &Value) -> Input {
        Input::of(value, Strings::Whole)
    }
}

impl Input {
    /// Reads an input as `inputOf` of `js-shim/conversation.js` encodes it: as JSON, or as `measured ` and JSON in which
    /// `{ "": 900 }` stands for a string of 900 code units.
    pub fn read(encoded: &str) -> Input {
        let (json, strings) = match encoded.strip_prefix(MEASURED) {
            Some(json) => (json, Strings::Measured),
            None => (encoded, Strings::Whole),
        };
        match serde_json::from_str(json) {
            Ok(value) => Input::of(&value, strings),
            // JSON that holds half a surrogate pair; nothing is known of it but that it is the same.
            Err(_) => Input { fingerprint: fingerprint_of(json), chars: json.len(), ..Input::default() },
        }
    }

    fn of(value: &Value, strings: Strings) -> Input {
        // Some lines of OpenCode and some providers leave an input as the JSON text that the model wrote.
        if let Value::String(text) = value {
            if let Ok(value @ Value::Object(_)) = serde_json::from_str(text) {
                // It is not to be shortened, for then it would have to be text again.
                let read = Input::from(&value);
                return Input { content_chars: 0, large_chars: 0, large_strings: 0, ..read };
            }
        }
        let mut input = Input { fingerprint: fingerprint_of(value), ..Input::default() };
        input.measure(value, strings);
        if input.large_chars > 0 {
            input.shortened = shortened(value, strings).to_string();
        }
        if let Node::Map(fields) = strings.node(value) {
            input.read_fields(fields, strings);
        }
        input
    }

    fn read_fields(&mut self, fields: &Map<String, Value>, strings: Strings) {
        let first = |names: &[&str]| {
            let mut texts = names.iter().filter_map(|name| fields.get(*name)?.as_str());
            texts.find(|text| !text.is_empty()).map(str::to_string)
        };
        self.path = first(&PATH_NAMES);
        self.pattern = first(&PATTERN_NAMES);
        self.command = first(&COMMAND_NAMES);
        self.url = first(&URL_NAMES);
        self.is_partial = PIECE_NAMES.iter().any(|name| fields.contains_key(*name));
        if let Some(Node::Text(content)) = fields.get(CONTENT).map(|value| strings.node(value)) {
            self.content_chars = content.large_chars().unwrap_or_default();
        }
        let short: Vec<String> =
            fields.values().filter_map(|value| short_form(strings.node(value))).collect();
        self.summary = label(&short.join(", "));
    }

    /// Adds up sizes and collects paths, however deep they lie.
    fn measure(&mut self, value: &Value, strings: Strings) {
        match strings.node(value) {
            Node::Text(text) => {
                let chars = text.chars();
                self.chars += chars;
                if chars > LARGE_CHARS {
                    self.large_chars += chars;
                    self.large_strings += 1;
                }
            }
            Node::List(items) => items.iter().for_each(|item| self.measure(item, strings)),
            Node::Map(fields) => {
                for (name, value) in fields {
                    self.chars += name.len();
                    self.measure(value, strings);
                    if names_a_file(name) {
                        self.collect_paths(value);
                    }
                }
            }
            Node::Plain(plain) => self.chars += plain.to_string().len(),
        }
    }

    fn collect_paths(&mut self, value: &Value) {
        match value {
            Value::String(path) => self.paths.push(normal_path(path)),
            Value::Array(items) => items.iter().for_each(|item| self.collect_paths(item)),
            _ => {}
        }
    }

    /// By how much an input becomes shorter without its `content`.
    pub(super) fn saved_by_content(&self) -> usize {
        self.content_chars.saturating_sub(LEFT_OUT_CHARS)
    }

    /// By how much an input becomes shorter without all of its large strings.
    pub(super) fn saved_by_all(&self) -> usize {
        self.large_chars.saturating_sub(self.large_strings * LEFT_OUT_CHARS)
    }

    /// What stands for the `content`.
    pub(super) fn content_left_out(&self) -> String {
        left_out(self.content_chars)
    }
}

/// How the strings of an input crossed the boundary.
#[derive(Clone, Copy, Debug)]
enum Strings {
    Whole,
    /// `{ "": 900 }` stands for a large one.
    Measured,
}

impl Strings {
    fn node(self, value: &Value) -> Node<'_> {
        match value {
            Value::String(text) => Node::Text(StringNode::Whole(text)),
            Value::Array(items) => Node::List(items),
            Value::Object(fields) => match (self, fields.get("")) {
                (Strings::Measured, Some(chars)) if fields.len() == 1 => {
                    Node::Text(StringNode::Measured(chars.as_u64().unwrap_or_default() as usize))
                }
                _ => Node::Map(fields),
            },
            plain => Node::Plain(plain),
        }
    }
}

/// One value of an input, in which a string may be only measured.
enum Node<'a> {
    Text(StringNode<'a>),
    List(&'a [Value]),
    Map(&'a Map<String, Value>),
    /// A number, a flag or null.
    Plain(&'a Value),
}

enum StringNode<'a> {
    Whole(&'a str),
    Measured(usize),
}

impl StringNode<'_> {
    fn chars(&self) -> usize {
        match self {
            StringNode::Whole(text) => utf16_units(text),
            StringNode::Measured(chars) => *chars,
        }
    }

    /// Its size if it is large.
    fn large_chars(&self) -> Option<usize> {
        match self {
            // No text has more code units than bytes.
            StringNode::Whole(text) if text.len() <= LARGE_CHARS => None,
            text => Some(text.chars()).filter(|chars| *chars > LARGE_CHARS),
        }
    }
}

/// A text as it stands in a placeholder.
pub(super) fn label(text: &str) -> String {
    one_line(text, MAX_LABEL_CHARS)
}

fn short_form(node: Node) -> Option<String> {
    match node {
        Node::Text(StringNode::Whole(text)) => Some(label(text)),
        Node::Plain(plain) => Some(plain.to_string()),
        _ => None,
    }
}

/// Keys that name files in the tools that were seen: `path`, `filePath`, `source_file`, `paths`, `filename`.
fn names_a_file(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    ["path", "paths", "file", "files", "filename"].iter().any(|end| name.ends_with(end))
}

/// A path by which a file is recognised again: `./a` is `a`, and `\` is `/`.
pub(super) fn normal_path(path: &str) -> String {
    let path = path.replace('\\', "/");
    path.strip_prefix("./").unwrap_or(&path).to_string()
}

/// What stands where a large string was. It has [`LEFT_OUT_CHARS`] where the size has ten digits.
fn left_out(chars: usize) -> String {
    format!("[{chars} characters, no longer shown]")
}

/// An input without its large strings. Keys, kinds and everything short stay, so that it is still the same call.
fn shortened(value: &Value, strings: Strings) -> Value {
    match strings.node(value) {
        Node::Text(text) => match (text.large_chars(), text) {
            (None, StringNode::Whole(text)) => Value::from(text),
            (Some(chars), _) | (None, StringNode::Measured(chars)) => Value::from(left_out(chars)),
        },
        Node::List(items) => items.iter().map(|item| shortened(item, strings)).collect(),
        Node::Map(fields) => {
            fields.iter().map(|(name, value)| (name.clone(), shortened(value, strings))).collect()
        }
        Node::Plain(plain) => plain.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(value: Value) -> Input {
        Input::from(&value)
    }

    #[test]
    fn neither_the_order_of_keys_nor_the_white_space_of_json_matters() {
        let one = read(json!({ "a": 1, "b": { "c": [true, "x"], "d": null } }));
        let other = read(json!({ "b": { "d": null, "c": [true, "x"] }, "a": 1 }));
        let written = read(json!("{ \"b\": {\"c\": [true,\n \"x\"], \"d\": null}, \"a\": 1 }"));
        assert_eq!(one.fingerprint, other.fingerprint);
        assert_eq!(one.fingerprint, written.fingerprint);
    }

    #[test]
    fn every_other_difference_matters() {
        let inputs = [
            json!({}),
            json!([]),
            json!("x"),
            json!({ "a": 1 }),
            json!({ "a": "1" }),
            json!({ "a": 2 }),
            json!({ "b": 1 }),
            json!({ "a": [1] }),
            json!({ "a": null }),
            json!({ "a": ["x", "y"] }),
            json!({ "a": ["y", "x"] }),
        ];
        let prints: std::collections::HashSet<u64> =
            inputs.iter().map(|input| read(input.clone()).fingerprint).collect();
        assert_eq!(prints.len(), inputs.len());
    }

    #[test]
    fn paths_patterns_commands_and_addresses_are_found_by_their_names() {
        for name in ["path", "filePath", "file_path", "file"] {
            assert_eq!(read(json!({ name: "./src/a.ts" })).path.as_deref(), Some("./src/a.ts"), "{name}");
            assert_eq!(read(json!({ name: "./src/a.ts" })).paths, ["src/a.ts"], "{name}");
        }
        assert_eq!(read(json!({ "pattern": "fn main" })).pattern.as_deref(), Some("fn main"));
        assert_eq!(read(json!({ "command": "ls" })).command.as_deref(), Some("ls"));
        assert_eq!(read(json!({ "url": "https://a.b" })).url.as_deref(), Some("https://a.b"));
        assert_eq!(read(json!({ "edits": [{ "target_file": "a" }], "paths": ["b"] })).paths, ["a", "b"]);
    }

    #[test]
    fn only_large_strings_go_and_keys_and_kinds_stay() {
        let long = "x".repeat(LARGE_CHARS + 1);
        let input = json!({ "path": "a", "n": 1.5, "deep": [{ "text": long }, null], "content": long });
        let shortened: Value = serde_json::from_str(&read(input).shortened).unwrap();
        let left = "[201 characters, no longer shown]";
        assert_eq!(
            shortened,
            json!({ "path": "a", "n": 1.5, "deep": [{ "text": left }, null], "content": left })
        );
        let short = read(json!({ "content": "x".repeat(LARGE_CHARS) }));
        assert_eq!((short.shortened.as_str(), short.saved_by_all(), short.saved_by_content()), ("", 0, 0));
    }

    #[test]
    fn an_input_whose_strings_were_only_measured_is_shortened_alike() {
        let measured = Input::read(r#"measured {"path":"a","content":{"":900},"edits":[{"":300}]}"#);
        let whole = read(json!({ "path": "a", "content": "x".repeat(900), "edits": ["y".repeat(300)] }));
        // These two cannot be known of it.
        let plain = |input| Input { fingerprint: 0, summary: String::new(), ..input };
        assert_eq!(plain(measured), plain(whole));
    }

    #[test]
    fn what_shortening_saves_is_never_overstated() {
        let long = "é".repeat(900);
        for input in [json!({ "content": long }), json!({ "a": long, "b": [long] }), json!({ "a": "short" })]
        {
            let known = read(input.clone());
            let chars = |json: &str| json.chars().count();
            let saved = match known.shortened.as_str() {
                "" => 0,
                shortened => chars(&input.to_string()) - chars(shortened),
            };
            assert!(known.saved_by_all() <= saved && known.saved_by_content() <= saved, "{input}");
        }
    }

    #[test]
    fn an_input_that_is_no_json_is_known_only_by_itself() {
        let broken = Input::read(r#"{"a":"\ud800"}"#);
        assert_eq!(broken.fingerprint, Input::read(r#"{"a":"\ud800"}"#).fingerprint);
        assert_ne!(broken.fingerprint, Input::read(r#"{"a":"\ud801"}"#).fingerprint);
        assert_eq!(broken.shortened, "");
    }
}
