//! Strings and values as JavaScript writes them (numbers by ryu-js). OpenCode is a JavaScript program, and what it
//! writes of a schema must come out here to the letter.
//!
//! ```text
//! 1.0 -> 1      0.1 -> 0.1      1e21 -> 1e+21      1e-7 -> 1e-7      -0.0 -> 0
//! 9007199254740993 -> 9007199254740992      ["a", null, {"b": 1.50}] -> ["a",null,{"b":1.5}]
//! ```
//!
//! The rules are ECMAScript's: `Number::toString`, `JSON.stringify`, `String.prototype.trim`; lengths count
//! UTF-16 code units.

use serde_json::{Number, Value};

use super::Unsupported;

/// Deeper values are not written; each level is one more call.
const DEEPEST_VALUE: usize = 64;

/// A value as `JSON.stringify` writes it.
pub(super) fn stringify(value: &Value) -> Result<String, Unsupported> {
    let mut out = String::new();
    write_value(value, DEEPEST_VALUE, &mut out)?;
    Ok(out)
}

fn write_value(value: &Value, levels: usize, out: &mut String) -> Result<(), Unsupported> {
    let levels = levels.checked_sub(1).ok_or(Unsupported("a value that is nested too deep"))?;
    match value {
        Value::Array(items) => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                out.push_str(if at == 0 { "" } else { "," });
                write_value(item, levels, out)?;
            }
            out.push(']');
        }
        Value::Object(members) => {
            out.push('{');
            for (at, (name, member)) in members.iter().enumerate() {
                out.extend([if at == 0 { "" } else { "," }, &quote(name), ":"]);
                write_value(member, levels, out)?;
            }
            out.push('}');
        }
        Value::String(text) => out.push_str(&quote(text)),
        Value::Number(value) => out.push_str(&number(value)),
        Value::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
        Value::Null => out.push_str("null"),
    }
    Ok(())
}

/// A string with its quotes. JSON strings have one form in Rust and in JavaScript.
pub(super) fn quote(text: &str) -> String {
    Value::from(text).to_string()
}

/// A number as JavaScript prints it: all of them are doubles there.
pub(super) fn number(value: &Number) -> String {
    ryu_js::Buffer::new().format(value.as_f64().unwrap_or_default()).to_string()
}

/// Whether a name stands in a path or before a colon without quotes (`opencode-host.md` §6.1, PATH).
pub(super) fn is_identifier(name: &str) -> bool {
    let may_begin = |c: char| c.is_ascii_alphabetic() || c == '_' || c == '$';
    name.starts_with(may_begin) && name.chars().all(|c| may_begin(c) || c.is_ascii_digit())
}

pub(super) fn trim(text: &str) -> &str {
    text.trim_matches(is_blank)
}

pub(super) fn trim_end(text: &str) -> &str {
    text.trim_end_matches(is_blank)
}

/// JavaScript's white space is Unicode's with the byte order mark and without the next-line control.
fn is_blank(character: char) -> bool {
    character == '\u{feff}' || (character.is_whitespace() && character != '\u{85}')
}

/// The length of a text in UTF-16 code units.
pub(super) fn length(text: &str) -> usize {
    text.encode_utf16().count()
}

/// The first `units` UTF-16 code units of a text; `None` if that cuts a character in two.
pub(super) fn start(text: &str, units: usize) -> Option<&str> {
    let mut left = units;
    for (at, character) in text.char_indices() {
        if left == 0 {
            return text.get(..at);
        }
        left = left.checked_sub(character.len_utf16())?;
    }
    (left == 0).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values_are_written_without_spaces_in_their_own_order() {
        let value =
            json!({ "b": [1.0, "a\"\u{1}\n\u{2028}é", null], "a b": { "x": true }, "e": [], "o": {} });
        let expected = "{\"b\":[1,\"a\\\"\\u0001\\n\u{2028}é\",null],\"a b\":{\"x\":true},\"e\":[],\"o\":{}}";
        assert_eq!(stringify(&value).unwrap(), expected);
    }

    #[test]
    fn a_value_without_end_is_not_written() {
        let nested = |levels: usize| (1..levels).fold(json!([]), |inner, _| json!([inner]));
        assert!(stringify(&nested(DEEPEST_VALUE)).is_ok());
        assert!(stringify(&nested(DEEPEST_VALUE + 1)).is_err());
    }

    #[test]
    fn a_cut_counts_utf16_code_units_and_cuts_no_character() {
        for (units, expected) in
            [(0, Some("")), (1, Some("é")), (2, None), (3, Some("é😀")), (4, Some("é😀x")), (5, None)]
        {
            assert_eq!(start("é😀x", units), expected, "{units}");
        }
        assert_eq!(length("é😀x"), 4);
    }

    #[test]
    fn white_space_is_what_javascript_takes_for_it() {
        assert_eq!(trim("\u{feff}\u{a0}\t x \r\u{2029}"), "x");
        assert_eq!(trim_end("x\u{85}"), "x\u{85}");
    }
}
