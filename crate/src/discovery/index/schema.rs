//! The words of a JSON schema: names of parameters and what is said of them, at any depth.
//!
//! ```text
//! { "properties": { "city": { "type": "string", "description": "Where to look" } } }
//!                   name                                      description
//! ```
//!
//! The text is scanned once and no tree is built: an index of thousands of tools reads all their schemas.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    Name,
    Description,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Inside {
    Schema,
    /// An object whose keys are names of parameters.
    Properties,
    List,
}

/// What the newest key says of the value behind it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Key {
    Properties,
    Description,
    Other,
}

/// Calls `take` with every part. What is not JSON ends the reading where it is met.
pub fn for_each(json: &str, take: &mut dyn FnMut(Part, &str)) {
    let mut inside: Vec<Inside> = Vec::new();
    let (mut key, mut expects_key) = (Key::Other, false);
    let mut at = 0;
    while let Some(&byte) = json.as_bytes().get(at) {
        at += 1;
        match byte {
            b'{' => {
                let is_map = key == Key::Properties && inside.last() == Some(&Inside::Schema);
                inside.push(if is_map { Inside::Properties } else { Inside::Schema });
                (key, expects_key) = (Key::Other, true);
            }
            b'[' => {
                inside.push(Inside::List);
                (key, expects_key) = (Key::Other, false);
            }
            b'}' | b']' => {
                inside.pop();
                (key, expects_key) = (Key::Other, false);
            }
            b',' => expects_key = inside.last().is_some_and(|inside| *inside != Inside::List),
            b'"' => {
                let Some(end) = end_of_string(json, at) else { return };
                let text = &json[at..end];
                at = end + 1;
                match (std::mem::take(&mut expects_key), inside.last()) {
                    (true, Some(Inside::Properties)) => {
                        take_decoded(Part::Name, text, take);
                        key = Key::Other;
                    }
                    (true, _) => key = key_of(text),
                    (false, Some(Inside::Schema)) if key == Key::Description => {
                        take_decoded(Part::Description, text, take);
                    }
                    _ => {}
                }
            }
            _ => {}
        }
    }
}

fn key_of(text: &str) -> Key {
    match text {
        "properties" => Key::Properties,
        "description" => Key::Description,
        _ => Key::Other,
    }
}

/// Where the string that begins at `from` ends: the place of its closing quote.
fn end_of_string(json: &str, from: usize) -> Option<usize> {
    let mut escaped = false;
    let bytes = json.as_bytes().get(from..)?;
    let end = bytes.iter().position(|&byte| match byte {
        _ if escaped => {
            escaped = false;
            false
        }
        b'\\' => {
            escaped = true;
            false
        }
        byte => byte == b'"',
    })?;
    Some(from + end)
}

fn take_decoded(part: Part, text: &str, take: &mut dyn FnMut(Part, &str)) {
    match text.contains('\\') {
        true => take(part, &decoded(text)),
        false => take(part, text),
    }
}

/// A JSON string without its escapes. Half a surrogate pair says nothing and is left out, like an escape that is
/// none.
fn decoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text.chars();
    let mut high = None;
    while let Some(character) = rest.next() {
        let escaped = if character == '\\' { rest.next() } else { None };
        match escaped {
            None => out.push(character),
            Some('u') => {
                let unit = rest.as_str().get(..4).and_then(|digits| u32::from_str_radix(digits, 16).ok());
                if unit.is_some() {
                    rest = rest.as_str()[4..].chars();
                }
                let pair = high
                    .take()
                    .zip(unit)
                    .map(|(high, low): (u32, u32)| 0x1_0000 + ((high & 0x3ff) << 10) + (low & 0x3ff));
                high = unit.filter(|unit| (0xd800..0xdc00).contains(unit));
                out.extend(pair.or(unit).and_then(char::from_u32));
            }
            Some('n' | 'r' | 't' | 'b' | 'f') => out.push(' '),
            Some(other) => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(json: &str) -> Vec<(Part, String)> {
        let mut parts = Vec::new();
        for_each(json, &mut |part, text| parts.push((part, text.to_string())));
        parts
    }

    fn name(text: &str) -> (Part, String) {
        (Part::Name, text.to_string())
    }

    fn description(text: &str) -> (Part, String) {
        (Part::Description, text.to_string())
    }

    #[test]
    fn names_and_descriptions_are_read_at_any_depth() {
        let json = r#"{ "type": "object", "description": "All", "properties": {
            "city": { "type": "string", "description": "Where \"to\" look\n" },
            "days": { "type": "array", "items": { "properties": { "from": {} } } } } }"#;
        assert_eq!(
            parts(json),
            [description("All"), name("city"), description("Where \"to\" look "), name("days"), name("from")]
        );
    }

    #[test]
    fn parameters_may_be_called_like_keywords() {
        let json =
            r#"{"properties":{"description":{"description":"d"},"properties":{"properties":{"x":{}}}}}"#;
        assert_eq!(parts(json), [name("description"), description("d"), name("properties"), name("x")]);
    }

    #[test]
    fn other_texts_are_no_parts() {
        let json = r#"{"required":["a"],"enum":["description","b"],"title":"t","properties":["c"]}"#;
        assert!(parts(json).is_empty());
    }

    #[test]
    fn escapes_are_read() {
        for (text, expected) in [
            (r#"a\"b\\c\/d"#, "a\"b\\c/d"),
            (r"\u00e9t\u00E9", "été"),
            (r"\ud83e\udd80!", "🦀!"),
            (r"a\ud83eb", "ab"),
            (r"a\tb\nc", "a b c"),
            (r"\u12", "12"),
            (r"\u天天", "天天"),
            ("\\", "\\"),
        ] {
            assert_eq!(decoded(text), expected, "{text}");
        }
    }

    #[test]
    fn what_is_no_json_is_read_as_far_as_it_goes() {
        assert_eq!(parts(r#"{"properties":{"a":{},"b"#), [name("a")]);
        for text in ["", "}", "]]", "\"", "{\"", "nonsense", "{\"properties\":{\"\\"] {
            assert!(parts(text).is_empty(), "{text}");
        }
    }
}
