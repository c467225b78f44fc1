//! The members of a JSON object, each as the text it was written in, so that one that cannot be read spoils none but
//! itself.

use std::borrow::Cow;

use serde_json::Value;

use crate::map::Map;

/// The members of one object. Of two of one name the last one counts.
#[derive(Debug, PartialEq)]
pub struct Members<'a>(Map<Cow<'a, str>, &'a str>);

impl<'a> Members<'a> {
    /// Nothing for what is no object. The text must be JSON.
    pub fn of(json: &'a str) -> Option<Members<'a>> {
        let inside = json.trim().strip_prefix('{')?.strip_suffix('}')?;
        let members = pieces(inside, b',').into_iter().filter_map(|member| {
            let [name, value] = pieces(member, b':').try_into().ok()?;
            Some((read_name(name.trim())?, value.trim()))
        });
        Some(Members(members.collect()))
    }

    pub fn get(&self, name: &str) -> Option<&'a str> {
        self.0.get(name).copied()
    }
}

/// A name without its quotes; only one with escapes in it is copied.
fn read_name(quoted: &str) -> Option<Cow<'_, str>> {
    if !quoted.contains('\\') {
        return Some(Cow::Borrowed(quoted.strip_prefix('"')?.strip_suffix('"')?));
    }
    match serde_json::from_str(quoted).ok()? {
        Value::String(name) => Some(Cow::Owned(name)),
        _ => None,
    }
}

/// What stands between marks, other than those in texts, lists and objects.
fn pieces(json: &str, mark: u8) -> Vec<&str> {
    let mut pieces = Vec::new();
    let (mut from, mut depth, mut in_text) = (0, 0, false);
    let mut bytes = json.bytes().enumerate();
    while let Some((at, byte)) = bytes.next() {
        match byte {
            b'\\' => drop(bytes.next()),
            b'"' => in_text = !in_text,
            _ if in_text => {}
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth -= 1,
            _ if byte == mark && depth == 0 => {
                pieces.extend(json.get(from..at));
                from = at + 1;
            }
            _ => {}
        }
    }
    pieces.extend(json.get(from..));
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_member_is_found_as_it_was_written() {
        for (json, name, expected) in [
            ("{}", "", None),
            (" { } \n", "", None),
            (r#"{"a":1}"#, "a", Some("1")),
            (r#"{"a":1}"#, "b", None),
            (r#"{"a":1e999,"b":0.5}"#, "a", Some("1e999")),
            (r#"{"a":1e999,"b":0.5}"#, "b", Some("0.5")),
            (r#"{ "a" : {"x":[1,{"y":2}],"z":""} ,"b":[ ] }"#, "a", Some(r#"{"x":[1,{"y":2}],"z":""}"#)),
            (r#"{"a,:\"}{":"],}\\","b":null}"#, "a,:\"}{", Some(r#""],}\\""#)),
            (r#"{"a,:\"}{":"],}\\","b":null}"#, "b", Some("null")),
            (r#"{"\u00e9":true}"#, "é", Some("true")),
            (r#"{"a":1,"a":2}"#, "a", Some("2")),
            (r#"{"":1}"#, "", Some("1")),
        ] {
            assert_eq!(Members::of(json).unwrap().get(name), expected, "{json}");
        }
    }

    #[test]
    fn what_is_no_object_has_none() {
        for json in ["null", "1", "[{}]", "\"{}\""] {
            assert_eq!(Members::of(json), None, "{json}");
        }
    }
}
