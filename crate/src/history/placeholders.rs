//! The lines that stand where an output was. They are constant for a call, so that the same request comes to the
//! same bytes, and say how to have the output again.

use std::borrow::Cow;

use super::conversation::Call;
use super::input::label;
use super::pruned::{Pruned, Strategy};

/// What stands in the place of the call's output.
pub(super) fn placeholder(pruned: &Pruned, call: &Call) -> Cow<'static, str> {
    match pruned.strategy {
        Strategy::Deduplication => "[Same call made again later; the newest output stands there]".into(),
        Strategy::Discard => "[Output discarded as no longer needed]".into(),
        Strategy::Sweep => "[Output swept away by the user. Call the tool again if needed]".into(),
        Strategy::Extract => {
            let summary = pruned.summary.as_deref().unwrap_or_default();
            format!("[Output replaced by its summary]\n{summary}").into()
        }
        // The other strategies prune no outputs.
        Strategy::PlaceholderCompression
        | Strategy::SupersedeWrites
        | Strategy::PurgeErrors
        | Strategy::PruneThinking => hint(call).into(),
    }
}

/// Says what the call was.
fn hint(call: &Call) -> String {
    let name = call.name.as_str();
    let label_of = |text: &Option<String>| text.as_deref().map(label);
    let known = match name {
        "read" => label_of(&call.input.path)
            .map(|path| format!("[File read previously. Read again if needed: {path}]")),
        "grep" | "search" | "codesearch" => label_of(&call.input.pattern)
            .map(|pattern| format!("[Content search completed for: {pattern}. Search again if needed]")),
        "shell" | "bash" => label_of(&call.input.command)
            .map(|command| format!("[Command executed: {command}. Re-run if needed]")),
        "webfetch" | "fetch" => {
            label_of(&call.input.url).map(|url| format!("[URL fetched: {url}. Fetch again if needed]"))
        }
        _ => None,
    };
    known.unwrap_or_else(|| match call.input.summary.as_str() {
        "" => format!("[Tool {name} called previously. Call it again if needed]"),
        input => format!("[Tool {name} called previously with: {input}. Call it again if needed]"),
    })
}

#[cfg(test)]
mod tests {
    use super::super::testing::bare_call;
    use super::*;
    use serde_json::{json, Value};

    fn hint_of(name: &str, input: Value) -> String {
        placeholder(&Pruned::by(Strategy::PlaceholderCompression), &bare_call("1", name, input)).to_string()
    }

    #[test]
    fn a_hint_keeps_the_trace() {
        for (name, input, expected) in [
            ("read", json!({ "path": "src/a.ts" }), "[File read previously. Read again if needed: src/a.ts]"),
            (
                "read",
                json!({ "filePath": "/x/a.ts", "limit": 9 }),
                "[File read previously. Read again if needed: /x/a.ts]",
            ),
            (
                "grep",
                json!({ "pattern": "fn \\w+" }),
                "[Content search completed for: fn \\w+. Search again if needed]",
            ),
            ("shell", json!({ "command": "npm test" }), "[Command executed: npm test. Re-run if needed]"),
            ("bash", json!({ "command": "ls\n  -l" }), "[Command executed: ls -l. Re-run if needed]"),
            ("webfetch", json!({ "url": "https://a.b/c" }), "[URL fetched: https://a.b/c. Fetch again if needed]"),
            (
                "desk_list",
                json!({ "box": "in", "n": 3 }),
                "[Tool desk_list called previously with: in, 3. Call it again if needed]",
            ),
            (
                "execute",
                json!({ "code": "return await tools.desk.list()" }),
                "[Tool execute called previously with: return await tools.desk.list(). Call it again if needed]",
            ),
            ("glob", json!({}), "[Tool glob called previously. Call it again if needed]"),
        ] {
            assert_eq!(hint_of(name, input), expected);
        }
    }

    #[test]
    fn a_known_tool_with_an_input_that_is_not_has_the_general_form() {
        assert_eq!(
            hint_of("read", json!({ "x": 1 })),
            "[Tool read called previously with: 1. Call it again if needed]"
        );
        assert_eq!(hint_of("read", json!("a")), "[Tool read called previously. Call it again if needed]");
    }

    #[test]
    fn a_long_label_is_cut() {
        let hint = hint_of("shell", json!({ "command": "x".repeat(5_000) }));
        assert!(hint.len() < 200 && hint.contains("xxx..."), "{hint}");
    }

    #[test]
    fn the_line_says_why_the_output_is_gone() {
        let summary = Some("Both export one function.".to_string());
        for (pruned, expected) in [
            (
                Pruned::by(Strategy::Deduplication),
                "[Same call made again later; the newest output stands there]",
            ),
            (Pruned::by(Strategy::Discard), "[Output discarded as no longer needed]"),
            (Pruned::by(Strategy::Sweep), "[Output swept away by the user. Call the tool again if needed]"),
            (
                Pruned { strategy: Strategy::Extract, summary },
                "[Output replaced by its summary]\nBoth export one function.",
            ),
        ] {
            assert_eq!(placeholder(&pruned, &bare_call("1", "read", json!({}))), expected);
        }
    }
}
