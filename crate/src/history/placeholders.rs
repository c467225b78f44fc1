//! The lines that stand where an output was. They are constant for a call, so that the same request comes to the
//! same bytes, and say how to have the output again.

use super::input::Input;
use super::Call;

/// Which tool a name is, by what its placeholder says.
const SEARCHES: [&str; 3] = ["grep", "search", "codesearch"];
const COMMANDS: [&str; 2] = ["shell", "bash"];
const FETCHES: [&str; 2] = ["webfetch", "fetch"];

/// For an older large output.
pub fn hint(call: &Call) -> String {
    let name = call.name.as_str();
    let label = |text: &Option<String>| text.as_deref().map(Input::label);
    let known = match name {
        "read" => label(&call.input.path)
            .map(|path| format!("[File read previously. Read again if needed: {path}]")),
        _ if SEARCHES.contains(&name) => label(&call.input.pattern)
            .map(|pattern| format!("[Content search completed for: {pattern}. Search again if needed]")),
        _ if COMMANDS.contains(&name) => label(&call.input.command)
            .map(|command| format!("[Command executed: {command}. Re-run if needed]")),
        _ if FETCHES.contains(&name) => {
            label(&call.input.url).map(|url| format!("[URL fetched: {url}. Fetch again if needed]"))
        }
        _ => None,
    };
    known.unwrap_or_else(|| match call.input.summary.as_str() {
        "" => format!("[Tool {name} called previously. Call it again if needed]"),
        input => format!("[Tool {name} called previously with: {input}. Call it again if needed]"),
    })
}

/// For an output that a later call of the same gave anew.
pub const REPEATED: &str = "[Same call made again later; the newest output stands there]";

/// For an output that the model took out itself.
pub const DISCARDED: &str = "[Output discarded as no longer needed]";

/// For an output that the person took out.
pub const SWEPT: &str = "[Output swept away by the user. Call the tool again if needed]";

/// For an output that the model summed up.
pub fn extracted(distillation: &str) -> String {
    format!("[Output replaced by its summary]\n{distillation}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::testing::bare_call;
    use serde_json::{json, Value};

    fn hint_of(name: &str, input: Value) -> String {
        hint(&bare_call("1", name, input))
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
}
