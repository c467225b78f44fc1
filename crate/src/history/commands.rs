//! What a person is shown of a session: `/jev context`, `/jev sweep` and `/jev stats`.

use super::session::Session;
use super::tokens;

/// Sums over all sessions that were kept.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Totals {
    pub requests: u64,
    pub tokens_saved: u64,
}

/// The session's tokens by kind, and what was saved.
pub fn context(session: Option<&Session>) -> String {
    let Some(session) = session.filter(|session| session.requests > 0) else {
        return NOTHING_YET.to_string();
    };
    let kinds = session.kinds;
    let rows = [
        ("system", kinds.system),
        ("catalogs", kinds.catalogs),
        ("user", kinds.user),
        ("assistant", kinds.assistant),
        ("tools", kinds.tools),
        ("thinking", kinds.thinking),
    ];
    let all: usize = rows.iter().map(|(_, chars)| tokens(*chars)).sum();
    let mut out = format!("Newest request, in estimated tokens ({all} before pruning of the history):\n");
    for (name, chars) in rows {
        out.push_str(&format!("  {name:<10} {:>9}\n", tokens(chars)));
    }
    out.push_str(&format!(
        "Saved in the history: {} tokens by {} edits",
        session.told.tokens_saved, session.told.edits
    ));
    for saved in &session.told.strategies {
        out.push_str(&format!(
            "\n  {:<24} {:>9} tokens, {} edits",
            saved.strategy, saved.tokens, saved.edits
        ));
    }
    if session.told.tokens_waiting > 0 {
        out.push_str(&format!("\nWaiting for a batch: {} tokens", session.told.tokens_waiting));
    }
    out
}

const NOTHING_YET: &str = "No request of this session was seen yet, or pruning of the history is off \
    (option `history.enabled`, or `history.subagents` in a child session).";

/// Takes out all outputs since the last prompt, or the last few.
pub fn sweep(session: Option<&mut Session>, count: &str) -> String {
    let count = match count.trim() {
        "" => None,
        given => match given.parse::<usize>() {
            Ok(count) if count > 0 => Some(count),
            _ => {
                return format!(
                "`{given}` is no number of outputs; use `/jev sweep` or `/jev sweep 3`. Nothing was done."
            )
            }
        },
    };
    let Some(session) = session else { return NOTHING_YET.to_string() };
    match session.sweep(count) {
        (0, _) => "There is no tool output since the last prompt that could be taken out.".to_string(),
        (outputs, tokens) => {
            format!("Taken out of later requests: {outputs} output(s), about {tokens} tokens. The stored history stays.")
        }
    }
}

/// Sums of this session and of all.
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
