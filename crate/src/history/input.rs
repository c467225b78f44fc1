//! The input of a call: what is kept of it to recognise and to describe it, and how it loses its large strings.

use serde_json::Value;

use super::one_line;
use crate::hash::fingerprint_of;

/// Strings of more characters than this are large. Paths, patterns and most commands are shorter.
pub const LARGE_CHARS: usize = 200;

/// A label that stands in a placeholder is cut at this many characters.
const MAX_LABEL_CHARS: usize = 120;

/// A value as the border met it. A text that nobody needs to read is only measured.
#[derive(Clone, Debug)]
pub enum Seen {
    Text {
        chars: usize,
        text: Option<String>,
    },
    List(Vec<Seen>),
    Map(Vec<(String, Seen)>),
    /// Numbers, flags and null, as JSON writes them.
    Plain(String),
}

impl From<&Value> for Seen {
    fn from(value: &Value) -> Seen {
        Seen::of(value, false)
    }
}

impl Seen {
    fn of(value: &Value, is_measured: bool) -> Seen {
        match value {
            Value::Object(map) if is_measured && map.len() == 1 && map.contains_key("") => {
                let chars = map.get("").and_then(Value::as_u64).unwrap_or_default();
                Seen::Text { chars: chars as usize, text: None }
            }
            Value::String(text) => {
                Seen::Text { chars: text.encode_utf16().count(), text: Some(text.clone()) }
            }
            Value::Array(items) => Seen::List(items.iter().map(|item| Seen::of(item, is_measured)).collect()),
            Value::Object(map) => Seen::Map(
                map.iter().map(|(name, value)| (name.clone(), Seen::of(value, is_measured))).collect(),
            ),
            plain => Seen::Plain(plain.to_string()),
        }
    }
}

/// What is known of an input.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Input {
    /// Equal for equal inputs, whatever the order of their keys. Meaningless where texts were only measured.
    pub fingerprint: u64,
    /// The file that a tool of one file works on.
    pub path: Option<String>,
    /// Every path in it.
    pub paths: Vec<String>,
    pub pattern: Option<String>,
    pub command: Option<String>,
    pub url: Option<String>,
    /// Whether only a piece of the file is asked for.
    pub is_partial: bool,
    /// The characters of `content`, if that is a large string.
    pub content_chars: usize,
    /// The characters of all large strings, and how many there are.
    pub large_chars: usize,
    pub large_strings: usize,
    /// The input without its large strings, as JSON; empty if there are none.
    pub shortened: String,
    /// The short values, for a general placeholder.
    pub summary: String,
    /// All characters.
    pub chars: usize,
}

const PATH_NAMES: [&str; 4] = ["path", "filePath", "file_path", "file"];
const PATTERN_NAMES: [&str; 3] = ["pattern", "query", "regex"];
const COMMAND_NAMES: [&str; 2] = ["command", "cmd"];
const PIECE_NAMES: [&str; 6] = ["offset", "limit", "start", "end", "start_line", "end_line"];
const CONTENT: &str = "content";

/// How an input begins that is told with its large strings only measured.
const MEASURED: &str = "measured ";

impl Input {
    /// An input as its JSON. Where it is measured, `{ "": 900 }` stands for a string of 900 characters.
    pub fn read(told: &str) -> Input {
        let (json, is_measured) = match told.strip_prefix(MEASURED) {
            Some(json) => (json, true),
            None => (told, false),
        };
        match serde_json::from_str::<Value>(json) {
            Ok(value) => Input::of(&Seen::of(&value, is_measured)),
            // JSON that holds half a character pair; nothing is known of it but that it is the same.
            Err(_) => Input::of(&Seen::Plain(json.to_string())),
        }
    }

    pub fn of(seen: &Seen) -> Input {
        // Some hosts and providers leave an input as the JSON text that the model wrote.
        if let Seen::Text { text: Some(text), .. } = seen {
            if let Ok(value @ Value::Object(_)) = serde_json::from_str(text) {
                // It is not to be shortened, for then it would have to be text again.
                let read = Input::of(&Seen::from(&value));
                return Input { content_chars: 0, large_chars: 0, large_strings: 0, ..read };
            }
        }
        let mut input = Input { fingerprint: print_of(seen), ..Input::default() };
        input.measure(seen);
        if input.large_chars > 0 {
            input.shortened = shortened(seen).to_string();
        }
        if let Seen::Map(fields) = seen {
            input.read_fields(fields);
        }
        input
    }

    fn read_fields(&mut self, fields: &[(String, Seen)]) {
        let first = |names: &[&str]| names.iter().find_map(|name| text_of(fields, name));
        self.path = first(&PATH_NAMES);
        self.pattern = first(&PATTERN_NAMES);
        self.command = first(&COMMAND_NAMES);
        self.url = first(&["url"]);
        self.is_partial = fields.iter().any(|(name, _)| PIECE_NAMES.contains(&name.as_str()));
        self.content_chars = fields
            .iter()
            .find_map(|(name, value)| match value {
                Seen::Text { chars, .. } if name == CONTENT && *chars > LARGE_CHARS => Some(*chars),
                _ => None,
            })
            .unwrap_or_default();
        let shown: Vec<String> = fields.iter().filter_map(|(_, value)| shown(value)).collect();
        self.summary = one_line(&shown.join(", "), MAX_LABEL_CHARS);
    }

    /// Adds up sizes and collects paths, however deep they lie.
    fn measure(&mut self, seen: &Seen) {
        match seen {
            Seen::Text { chars, .. } => {
                self.chars += chars;
                if *chars > LARGE_CHARS {
                    self.large_chars += chars;
                    self.large_strings += 1;
                }
            }
            Seen::List(items) => items.iter().for_each(|item| self.measure(item)),
            Seen::Map(fields) => {
                for (name, value) in fields {
                    self.chars += name.len();
                    self.measure(value);
                    if names_a_file(name) {
                        self.paths.extend(texts_of(value));
                    }
                }
            }
            Seen::Plain(json) => self.chars += json.len(),
        }
    }

    /// The characters that an input loses with its `content`.
    pub fn saved_by_content(&self) -> usize {
        self.content_chars.saturating_sub(LEFT_OUT_CHARS)
    }

    /// The characters that an input loses with all of its large strings.
    pub fn saved_by_all(&self) -> usize {
        self.large_chars.saturating_sub(self.large_strings * LEFT_OUT_CHARS)
    }

    /// What stands for the `content`.
    pub fn content_left_out(&self) -> String {
        left_out(self.content_chars)
    }

    pub fn label(text: &str) -> String {
        one_line(text, MAX_LABEL_CHARS)
    }
}

/// Keys that name files in the tools that were seen: `path`, `filePath`, `source_file`, `paths`, `filename`.
fn names_a_file(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    ["path", "paths", "file", "files", "filename"].iter().any(|end| name.ends_with(end))
}

fn texts_of(value: &Seen) -> Vec<String> {
    match value {
        Seen::Text { text: Some(text), .. } => vec![normal_path(text)],
        Seen::List(items) => items.iter().flat_map(texts_of).collect(),
        _ => Vec::new(),
    }
}

fn text_of(fields: &[(String, Seen)], name: &str) -> Option<String> {
    fields.iter().find_map(|(known, value)| match value {
        Seen::Text { text: Some(text), .. } if known == name && !text.is_empty() => Some(text.clone()),
        _ => None,
    })
}

fn shown(value: &Seen) -> Option<String> {
    match value {
        Seen::Text { text: Some(text), .. } => Some(one_line(text, MAX_LABEL_CHARS)),
        Seen::Plain(json) => Some(json.clone()),
        _ => None,
    }
}

/// A path by which a file is recognised again: `./a` is `a`, and `\` is `/`.
pub fn normal_path(path: &str) -> String {
    let path = path.replace('\\', "/");
    path.strip_prefix("./").unwrap_or(&path).to_string()
}

/// Equal for equal values, whatever the order of keys.
fn print_of(seen: &Seen) -> u64 {
    match seen {
        Seen::Text { chars, text } => fingerprint_of(&(0, chars, text)),
        Seen::List(items) => fingerprint_of(&(1, items.iter().map(print_of).collect::<Vec<_>>())),
        Seen::Map(fields) => {
            // A sum has no order.
            let each = fields.iter().map(|(name, value)| fingerprint_of(&(name, print_of(value))));
            fingerprint_of(&(2, fields.len(), each.fold(0, u64::wrapping_add)))
        }
        Seen::Plain(json) => fingerprint_of(&(3, json)),
    }
}

const LEFT_OUT_CHARS: usize = 40;

/// What stands where a large string was.
fn left_out(chars: usize) -> String {
    format!("[{chars} characters, no longer shown]")
}

/// An input without its large strings. Keys, kinds and everything short stay, so that it is still the same call.
fn shortened(seen: &Seen) -> Value {
    match seen {
        Seen::Text { chars, text } => match text {
            Some(text) if *chars <= LARGE_CHARS => Value::String(text.clone()),
            _ => Value::String(left_out(*chars)),
        },
        Seen::List(items) => items.iter().map(shortened).collect(),
        Seen::Map(fields) => fields.iter().map(|(name, value)| (name.clone(), shortened(value))).collect(),
        Seen::Plain(json) => serde_json::from_str(json).unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(value: Value) -> Input {
        Input::of(&Seen::from(&value))
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
    fn everything_else_does() {
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
    fn an_input_that_was_only_measured_is_shortened_alike() {
        let measured = Input::read(r#"measured {"path":"a","content":{"":900},"edits":[{"":300}]}"#);
        let whole = read(json!({ "path": "a", "content": "x".repeat(900), "edits": ["y".repeat(300)] }));
        // It cannot be told by them.
        let plain = |input| Input { fingerprint: 0, summary: String::new(), ..input };
        assert_eq!(plain(measured), plain(whole));
    }

    #[test]
    fn what_shortening_saves_is_never_told_too_large() {
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
