//! The input of a call: what is kept of it to recognise and to describe it, and how it loses its large strings.

use std::hash::{Hash, Hasher};

use serde_json::Value;

use super::{one_line, Shortening};

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
        match value {
            Value::String(text) => {
                Seen::Text { chars: text.encode_utf16().count(), text: Some(text.clone()) }
            }
            Value::Array(items) => Seen::List(items.iter().map(Seen::from).collect()),
            Value::Object(map) => {
                Seen::Map(map.iter().map(|(name, value)| (name.clone(), value.into())).collect())
            }
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

impl Input {
    pub fn of(seen: &Seen) -> Input {
        // Some hosts and providers leave an input as the JSON text that the model wrote.
        if let Seen::Text { text: Some(text), .. } = seen {
            if let Ok(value @ Value::Object(_)) = serde_json::from_str(text) {
                return Input { content_chars: 0, large_chars: 0, ..Input::of(&Seen::from(&value)) };
            }
        }
        let mut hasher = std::hash::DefaultHasher::new();
        hash(seen, &mut hasher);
        let mut input = Input { fingerprint: hasher.finish(), ..Input::default() };
        input.measure(seen);
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

    /// The characters that an input loses by being shortened.
    pub fn saved(&self, shortening: Shortening) -> usize {
        let (chars, strings) = match shortening {
            Shortening::Content => (self.content_chars, usize::from(self.content_chars > 0)),
            Shortening::LargeStrings => (self.large_chars, self.large_strings),
        };
        chars.saturating_sub(strings * LEFT_OUT_CHARS)
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

fn hash(seen: &Seen, hasher: &mut std::hash::DefaultHasher) {
    std::mem::discriminant(seen).hash(hasher);
    match seen {
        Seen::Text { chars, text } => (chars, text).hash(hasher),
        Seen::List(items) => {
            items.len().hash(hasher);
            items.iter().for_each(|item| hash(item, hasher));
        }
        Seen::Map(fields) => {
            fields.len().hash(hasher);
            // A sum has no order.
            let each = fields.iter().map(|(name, value)| {
                let mut own = std::hash::DefaultHasher::new();
                name.hash(&mut own);
                hash(value, &mut own);
                own.finish()
            });
            each.fold(0, u64::wrapping_add).hash(hasher);
        }
        Seen::Plain(json) => json.hash(hasher),
    }
}

const LEFT_OUT_CHARS: usize = 40;

fn left_out(chars: usize) -> Value {
    Value::String(format!("[{chars} characters, no longer shown]"))
}

/// The input without its large strings. Keys, types and everything short stay, so that it is still the same call.
pub fn shorten(input: &Value, shortening: Shortening) -> Value {
    match (shortening, input) {
        (Shortening::Content, Value::Object(fields)) => fields
            .iter()
            .map(|(name, value)| match name == CONTENT {
                true => (name.clone(), without_large_strings(value)),
                false => (name.clone(), value.clone()),
            })
            .collect(),
        (Shortening::Content, other) => other.clone(),
        (Shortening::LargeStrings, input) => without_large_strings(input),
    }
}

fn without_large_strings(value: &Value) -> Value {
    match value {
        Value::String(text) => match text.encode_utf16().count() {
            chars if chars > LARGE_CHARS => left_out(chars),
            _ => value.clone(),
        },
        Value::Array(items) => items.iter().map(without_large_strings).collect(),
        Value::Object(fields) => {
            fields.iter().map(|(name, value)| (name.clone(), without_large_strings(value))).collect()
        }
        plain => plain.clone(),
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
        let input = json!({ "path": "a", "n": 1, "deep": [{ "text": long }], "content": long });
        assert_eq!(
            shorten(&input, Shortening::LargeStrings),
            json!({
                "path": "a", "n": 1,
                "deep": [{ "text": "[201 characters, no longer shown]" }],
                "content": "[201 characters, no longer shown]",
            })
        );
        assert_eq!(
            shorten(&input, Shortening::Content),
            json!({
                "path": "a", "n": 1, "deep": [{ "text": long }],
                "content": "[201 characters, no longer shown]",
            })
        );
        let short = json!({ "content": "x".repeat(LARGE_CHARS) });
        assert_eq!(shorten(&short, Shortening::LargeStrings), short);
    }

    #[test]
    fn what_shortening_saves_is_never_told_too_large() {
        let long = "é".repeat(900);
        for input in [json!({ "content": long }), json!({ "a": long, "b": [long] }), json!({ "a": "short" })]
        {
            for shortening in [Shortening::Content, Shortening::LargeStrings] {
                let chars = |value: &Value| value.to_string().chars().count();
                let saved = chars(&input) - chars(&shorten(&input, shortening));
                assert!(read(input.clone()).saved(shortening) <= saved, "{input} {shortening:?}");
            }
        }
    }
}
