//! What `/jev context`, `/jev sweep` and `/jev stats` print. A session that is not known is one without a pruned
//! request.

use super::prunable::Swept;
use super::savings::StrategySavings;
use super::session::Session;
use super::sizes::tokens;

/// Sums over all sessions, as the shim keeps them between processes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Totals {
    /// The number of requests whose history was looked at.
    pub requests: u64,
    /// The tokens that were left out of them.
    pub tokens_saved: u64,
}

/// `/jev context`: the tokens of the newest request by kind, and what was saved.
pub fn context(session: Option<&Session>) -> String {
    let Some(session) = session.filter(|session| session.requests > 0) else {
        return NOTHING_YET.to_string();
    };
    let (chars, savings) = (session.chars, &session.savings);
    let rows = [
        ("system", chars.system),
        ("catalogs", chars.catalogs),
        ("user", chars.user),
        ("assistant", chars.assistant),
        ("tools", chars.tools),
        ("thinking", chars.thinking),
    ];
    let all: usize = rows.iter().map(|(_, chars)| tokens(*chars)).sum();
    let mut out = format!("Newest request, in estimated tokens ({all} before pruning of the history):\n");
    for (name, chars) in rows {
        out.push_str(&format!("  {name:<10} {:>9}\n", tokens(chars)));
    }
    out.push_str(&format!(
        "Saved in the history: {} tokens by {} edits",
        savings.tokens_saved, savings.edits
    ));
    for StrategySavings { strategy, tokens, edits } in &savings.strategies {
        out.push_str(&format!("\n  {strategy:<24} {tokens:>9} tokens, {edits} edits"));
    }
    if savings.tokens_waiting > 0 {
        out.push_str(&format!("\nWaiting for a batch: {} tokens", savings.tokens_waiting));
    }
    out
}

const NOTHING_YET: &str = "No request of this session was seen yet, or pruning of the history is off \
    (option `history.enabled`, or `history.subagents` in a child session).";

/// `/jev sweep [COUNT]`: prunes the last `count` outputs since the newest prompt, or all of them where it is blank.
pub fn sweep(session: Option<&mut Session>, count: &str) -> String {
    let count = count.trim();
    let limit = count.parse::<usize>().ok().filter(|limit| *limit > 0);
    if limit.is_none() && !count.is_empty() {
        return format!(
            "`{count}` is no number of outputs; use `/jev sweep` or `/jev sweep 3`. Nothing was done."
        );
    }
    let Some(session) = session else { return NOTHING_YET.to_string() };
    match session.sweep(limit) {
        Swept { outputs: 0, .. } => "There is no tool output since the last prompt that could be taken out.".to_string(),
        Swept { outputs, tokens } => format!(
            "Taken out of later requests: {outputs} output(s), about {tokens} tokens. The stored history stays."
        ),
    }
}

/// `/jev stats`: sums of this session, and of all sessions where they are kept.
pub fn stats(session: Option<&Session>, all: Option<Totals>) -> String {
    let (requests, saved) = session.map_or((0, 0), |session| (session.requests, session.tokens_saved));
    let mut out = format!("This session: {saved} tokens left out of {requests} request(s)");
    if let Some(unknown) = session.map(|session| session.unknown_ids).filter(|count| *count > 0) {
        out.push_str(&format!(", {unknown} unknown id(s) given by the model"));
    }
    match all {
        Some(all) => out.push_str(&format!(
            "\nAll sessions: {} tokens left out of {} request(s)",
            all.tokens_saved, all.requests
        )),
        None => out.push_str("\nThis host keeps nothing for plugins, so there are no sums of all sessions."),
    }
    out
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::conversation::Message;
    use super::super::session::{Request, Sessions};
    use super::super::testing::*;
    use super::super::view::View;
    use super::*;

    /// Sessions that have planned one request of the session `s` under these rules.
    fn after(messages: &[Message], history: serde_json::Value) -> Sessions {
        let mut sessions = Sessions::default();
        sessions.plan(&Request {
            session: "s",
            view: View::new(messages, ""),
            rules: &rules(history),
            beginning: 0,
            is_internal: false,
            system_chars: 4_000,
            catalog_chars: 8_000,
        });
        sessions
    }

    fn read(id: &str) -> Vec<Message> {
        turn(id, "read", json!({ "path": "a" }), output(id, 4_000))
    }

    fn messages() -> Vec<Message> {
        [read("1"), read("2"), later(2)].concat()
    }

    #[test]
    fn context_shows_what_the_newest_request_held_and_what_was_saved() {
        let sessions = after(&messages(), json!({ "batch_tokens": 0 }));
        assert_eq!(
            context(sessions.get("s")),
            "Newest request, in estimated tokens (5009 before pruning of the history):\n\
             \x20 system          1000\n\
             \x20 catalogs        2000\n\
             \x20 user               6\n\
             \x20 assistant          0\n\
             \x20 tools           2003\n\
             \x20 thinking           0\n\
             Saved in the history: 1974 tokens by 2 edits\n\
             \x20 deduplication                  985 tokens, 1 edits\n\
             \x20 placeholder_compression        989 tokens, 1 edits"
        );
    }

    #[test]
    fn context_shows_what_waits() {
        let sessions = after(&messages(), json!({}));
        let shown = context(sessions.get("s"));
        let end = "Saved in the history: 0 tokens by 0 edits\nWaiting for a batch: 1974 tokens";
        assert!(shown.ends_with(end), "{shown}");
    }

    #[test]
    fn without_a_request_there_is_nothing_to_show_or_to_sweep() {
        let mut sessions = after(&messages(), json!({}));
        let text = "No request of this session was seen yet, or pruning of the history is off (option \
                    `history.enabled`, or `history.subagents` in a child session).";
        assert_eq!(context(sessions.get("other")), text);
        assert_eq!(sweep(sessions.get_mut("other"), "2"), text);
    }

    #[test]
    fn a_sweep_says_how_much_was_taken_out() {
        let mut sessions = after(&read("1"), json!({}));
        let nothing = "There is no tool output since the last prompt that could be taken out.";
        assert_eq!(
            sweep(sessions.get_mut("s"), " 3 "),
            "Taken out of later requests: 1 output(s), about 1000 tokens. The stored history stays."
        );
        assert_eq!(sweep(sessions.get_mut("s"), ""), nothing);
    }

    #[test]
    fn a_sweep_wants_a_number_of_outputs() {
        let mut sessions = after(&read("1"), json!({}));
        for given in ["0", "-1", "all"] {
            assert_eq!(
                sweep(sessions.get_mut("s"), given),
                format!(
                    "`{given}` is no number of outputs; use `/jev sweep` or `/jev sweep 3`. Nothing was done."
                )
            );
        }
    }

    #[test]
    fn stats_are_of_the_session_and_of_all_sessions_where_they_are_kept() {
        let mut sessions = after(&messages(), json!({ "batch_tokens": 0 }));
        let kept = stats(sessions.get("s"), Some(Totals { requests: 7, tokens_saved: 9_000 }));
        assert_eq!(
            kept,
            "This session: 1974 tokens left out of 1 request(s)\n\
             All sessions: 9000 tokens left out of 7 request(s)"
        );
        let session = sessions.get_mut("s").unwrap();
        session.prune_by_ids(&["x".to_string()], &[]);
        assert_eq!(
            stats(Some(session), None),
            "This session: 1974 tokens left out of 1 request(s), 1 unknown id(s) given by the model\n\
             This host keeps nothing for plugins, so there are no sums of all sessions."
        );
    }
}
