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
