//! How OpenCode names servers and tools.
//!
//! | thing | rule | source |
//! |---|---|---|
//! | namespace | server name, every character outside `[A-Za-z0-9_-]` as `_` | `opencode-host.md` §4.5 |
//! | native name | `<namespace>_<tool>`, both sides made safe like that | §4.5 |
//! | catalog path | `tools` and per segment `.name` or `["any name"]` | §6.1 |

use std::borrow::Cow;

use arcstr::Substr;
use serde_json::Value;

/// A server's or tool's name as OpenCode uses it in names that it makes: `odd "srv".x` becomes `odd__srv__x`.
pub fn sanitise(name: &str) -> String {
    // OpenCode replaces UTF-16 code units, so a character beyond the basic plane becomes two underscores.
    let mut out = String::with_capacity(name.len());
    for character in name.chars() {
        if is_name_character(character) {
            out.push(character);
        } else {
            out.extend(std::iter::repeat_n('_', character.len_utf16()));
        }
    }
    out
}

/// Whether [`sanitise`] leaves a character as it is.
pub(crate) fn is_name_character(character: char) -> bool {
    character.is_ascii_alphanumeric() || character == '_' || character == '-'
}

/// The native name of a server's tool.
pub(crate) fn native_name(namespace: &str, tool: &str) -> String {
    format!("{namespace}_{}", sanitise(tool))
}

/// Splits a native name at the longest known namespace: `a_b_c` with `a` and `a_b` is `a_b`, `c`.
pub(crate) fn split_native_name(name: &str, is_namespace: impl Fn(&str) -> bool) -> Option<(&str, &str)> {
    name.rmatch_indices('_')
        .map(|(at, _)| (name.get(..at).unwrap_or_default(), name.get(at + 1..).unwrap_or_default()))
        .find(|(namespace, tool)| !tool.is_empty() && is_namespace(namespace))
}

/// A tool by its namespace and its name inside it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ToolPath {
    /// The first segment of the catalog path.
    pub namespace: Substr,
    /// The tool's name inside its namespace; nested segments are joined by dots.
    pub tool: Substr,
}

impl ToolPath {
    /// The tool that the segments of a catalog path lead to. A tool without namespace is a namespace of its own, and
    /// its only tool.
    pub(crate) fn from_segments(segments: &[Cow<str>]) -> Option<ToolPath> {
        let (first, inner) = segments.split_first()?;
        let namespace = Substr::from(&**first);
        let tool = match inner {
            [] => namespace.clone(),
            [tool] => Substr::from(&**tool),
            nested => nested.join(".").into(),
        };
        Some(ToolPath { namespace, tool })
    }
}

/// A longer path is no tool's; a text of megabytes may be one path.
const MAX_SEGMENTS: usize = 256;

/// Reads a catalog path from the start of a text and returns its segments and the rest.
///
/// `tools["issue-desk"].list_items(): ...` gives `["issue-desk", "list_items"]` and `(): ...`.
pub(crate) fn read_path(text: &str) -> Option<(Vec<Cow<'_, str>>, &str)> {
    let mut rest = text.strip_prefix("tools")?;
    let mut segments = Vec::new();
    while segments.len() <= MAX_SEGMENTS {
        if let Some(after) = rest.strip_prefix('.') {
            let end = after
                .find(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '$'))
                .unwrap_or(after.len());
            let (segment, after) = after.split_at(end);
            if segment.is_empty() || segment.starts_with(|c: char| c.is_ascii_digit()) {
                return None;
            }
            segments.push(Cow::Borrowed(segment));
            rest = after;
        } else if rest.starts_with('[') {
            let (segment, after) = read_bracket(rest)?;
            segments.push(Cow::Owned(segment));
            rest = after;
        } else {
            break;
        }
    }
    (1..=MAX_SEGMENTS).contains(&segments.len()).then_some((segments, rest))
}

/// Reads `["any JSON string"]` and returns the string and the rest.
pub(crate) fn read_bracket(text: &str) -> Option<(String, &str)> {
    let inner = text.strip_prefix('[')?;
    let mut escaped = false;
    let closing = inner.char_indices().skip(1).find_map(|(at, character)| {
        if escaped {
            escaped = false;
        } else if character == '\\' {
            escaped = true;
        } else if character == '"' {
            return Some(at);
        }
        None
    })?;
    let Value::String(segment) = serde_json::from_str(inner.get(..=closing)?).ok()? else { return None };
    Some((segment, inner.get(closing + 1..)?.strip_prefix(']')?))
}

/// How many commas a name is thought to hold at most.
const MAX_COMMAS: usize = 8;

/// Splits the names of `a, b`, where one of them may be `x, y`: takes the longest of the known names that stands
/// there, otherwise what stands to the next comma.
pub(crate) fn split_names(names: &str, is_known: impl Fn(&str) -> bool) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = Some(names);
    while let Some(text) = rest {
        let ends = text.match_indices(", ").map(|(at, _)| at).chain([text.len()]);
        let known = ends.take(MAX_COMMAS).filter(|&end| text.get(..end).is_some_and(&is_known)).last();
        let end = known.or(text.find(", ")).unwrap_or(text.len());
        found.push(text.get(..end).unwrap_or_default());
        rest = text.get(end + ", ".len()..);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_unsafe_character_becomes_an_underscore() {
        for (name, expected) in [
            ("postgres", "postgres"),
            ("odd \"srv\".x", "odd__srv__x"),
            ("issue-desk", "issue-desk"),
            ("büro", "b_ro"),
            ("a😀b", "a__b"),
        ] {
            assert_eq!(sanitise(name), expected);
        }
    }

    #[test]
    fn a_native_name_is_split_at_the_longest_known_namespace() {
        let known = |name: &str| ["a", "a_b", "other"].contains(&name);
        assert_eq!(split_native_name("a_b_c", known), Some(("a_b", "c")));
        assert_eq!(split_native_name("a_c", known), Some(("a", "c")));
        assert_eq!(split_native_name("read", known), None);
        assert_eq!(split_native_name("other_", known), None);
    }

    #[test]
    fn paths_are_read_in_dot_and_bracket_form() {
        for (text, segments, rest) in [
            ("tools.notes.add()", vec!["notes", "add"], "()"),
            (r#"tools["issue-desk"]["add-many"]({"#, vec!["issue-desk", "add-many"], "({"),
            (r#"tools.odd["9 \"lives\""](x)"#, vec!["odd", "9 \"lives\""], "(x)"),
            ("tools.browser.tabs.list(): T", vec!["browser", "tabs", "list"], "(): T"),
        ] {
            let (read, left) = read_path(text).unwrap();
            assert_eq!(read, segments);
            assert_eq!(left, rest);
        }
    }

    #[test]
    fn a_path_of_hundreds_of_segments_is_not_read() {
        let path = |segments| format!("tools{}", ".a".repeat(segments));
        assert_eq!(read_path(&path(MAX_SEGMENTS)).map(|(segments, _)| segments.len()), Some(MAX_SEGMENTS));
        assert_eq!(read_path(&path(MAX_SEGMENTS + 1)), None);
        assert_eq!(read_path(&path(MAX_SEGMENTS + 2)), None);
    }

    #[test]
    fn what_is_no_path_is_not_read() {
        for text in ["tools", "tool.x()", "tools.9x()", "tools[x]()", "tools[\"x()", "tools."] {
            assert!(read_path(text).is_none(), "{text}");
        }
    }

    #[test]
    fn a_known_name_may_hold_a_comma() {
        let known = ["a, b", "a", "c"];
        for (text, names) in [
            ("a, b, c", vec!["a, b", "c"]),
            ("c, a, x", vec!["c", "a", "x"]),
            ("x, a, b", vec!["x", "a, b"]),
            ("x", vec!["x"]),
        ] {
            assert_eq!(split_names(text, |name| known.contains(&name)), names, "{text}");
        }
    }
}
