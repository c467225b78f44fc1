//! What the user learns of one request: counts, every score with its reason, what went.
//!
//! The report holds names and numbers, never the prompt, and never the key. It is serialised as one line of the log;
//! the list of candidates is left to `details`, the rendering for the console to `console`, and how JavaScript sees it to
//! the boundary.

mod console;
mod details;

use std::rc::Rc;

use serde::Serialize;

use crate::candidates::Candidates;
use crate::history::savings::HistorySavings;
use crate::opencode::UnreadSection;
use crate::options::Mode;
use crate::plan::Plan;
use crate::policy::{Answers, Decision, Reason, Thresholds, Verdict};
use crate::text::cut;

pub use console::console;
pub use details::{CandidateReport, Details, Outcome, Removed};

/// What happened to one request.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Report {
    /// OpenCode's id of the session.
    pub session: String,
    /// The mode in force.
    pub mode: Mode,
    /// Whether the request was changed.
    pub applied: bool,
    /// Whether it is the session's first decision, or the first since its history was compacted.
    pub first: bool,
    /// The scores that were enough.
    pub thresholds: Thresholds,
    /// Why the request was left as it was without asking Jev, if it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skipped: Option<Skipped>,
    /// The requests to Jev that brought no answers; with any, the request was left as it was.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<RequestError>,
    /// Counts, sizes and times.
    pub stats: Stats,
    /// What was left out of the conversation, if that is pruned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub history: Option<HistorySavings>,
    /// Every candidate, and what went. The boundary writes these lists into the same object, since requests that come
    /// to the same plan share them.
    #[serde(skip)]
    pub details: Rc<Details>,
    /// Sections that begin like OpenCode's and could not be read to their end; they are left as they are.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unrecognised: Vec<UnreadSection>,
}

impl Report {
    /// The report of a request that was not looked into further.
    pub fn skip(session: String, skipped: Skipped, unrecognised: Vec<UnreadSection>) -> Report {
        Report { session, skipped: Some(skipped), unrecognised, ..Report::default() }
    }

    /// Fills in the counts and the details from a decision.
    pub(crate) fn add_decision(
        &mut self,
        candidates: &Candidates,
        answers: &Answers,
        decision: &Decision,
        plan: &Plan,
    ) {
        self.stats.count(decision);
        self.details = Rc::new(Details::new(candidates, answers, decision, plan));
    }
}

/// Why a request was left as it was without asking Jev. Each comment is what users read in the README.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Skipped {
    /// No user prompt was found in the messages.
    NoPrompt,
    /// Nothing in the request could be pruned.
    NoCandidates,
    /// Jev failed less than `failure_cooldown_ms` ago.
    Cooldown,
    /// All that could be pruned is shorter than `min_saving_chars`.
    TooSmall,
    /// The option `mode` is `off`.
    Off,
    /// The event is frozen or sealed, so it cannot be changed.
    Sealed,
    /// OpenCode 1.18 hands the messages over apart from the rest; only these were looked at.
    OnlyHistory,
}

/// A request to Jev that brought no answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RequestError {
    /// Which request: `phase 1, request 2 of 3`.
    pub request: String,
    /// The kind of failure: one of those of [`crate::jev::wire::Failure`], or `history` where it was not a request that
    /// failed but the reading of the conversation.
    pub what: String,
    /// What the other side said of it, unedited: it may quote the key until it went through [`shown_message`].
    pub message: String,
}

/// The most characters of a message that others worded.
const MAX_MESSAGE_CHARS: usize = 300;

/// A message that others worded, as the user is shown it: on one line, and cut. The shim has taken the key out of it.
pub fn shown_message(message: &str) -> String {
    let line = message.split_whitespace().collect::<Vec<_>>().join(" ");
    cut(&line, MAX_MESSAGE_CHARS).to_string()
}

/// How many candidates of one kind there were, and what became of them.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Count {
    /// All that the request showed.
    pub total: usize,
    /// Those that stay.
    pub kept: usize,
    /// Those that go.
    pub pruned: usize,
}

impl Count {
    fn of<'a>(verdicts: impl Iterator<Item = &'a Verdict>) -> Count {
        let mut count = Count::default();
        for verdict in verdicts {
            count.total += 1;
            count.kept += usize::from(verdict.kept);
        }
        count.pruned = count.total - count.kept;
        count
    }
}

/// Sizes are characters of the texts and tools that hold candidates; a token is estimated as four of them. Times are
/// milliseconds.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Stats {
    /// MCP servers.
    pub servers: Count,
    /// MCP tools that the request showed.
    pub tools: Count,
    /// Skills.
    pub skills: Count,
    /// Tools that OpenCode's sample had left out and that were added.
    pub tools_added: usize,
    /// Requests to Jev.
    pub jev_calls: usize,
    /// Questions in these requests.
    pub jev_questions: usize,
    /// Arguments of tool calls that were repaired since the session's last report.
    pub arguments_repaired: usize,
    /// Whether the answers were known without asking Jev for this request.
    pub from_cache: bool,
    /// The size of the request as OpenCode made it.
    pub characters_before: i64,
    /// The size of the request as it goes out.
    pub characters_after: i64,
    /// The same in tokens.
    pub tokens_before: i64,
    /// The same in tokens.
    pub tokens_after: i64,
    /// From the event to the report.
    pub ms_total: f64,
    /// What of it was not waiting for Jev.
    pub ms_rust: f64,
    /// What of it was waiting for Jev.
    pub ms_jev: f64,
    /// Reading the event; part of `ms_rust`, as is the next.
    pub ms_parse: f64,
    /// Changing the event.
    pub ms_apply: f64,
}

impl Stats {
    /// Fills in the sizes, in characters.
    pub(crate) fn set_sizes(&mut self, before: i64, after: i64) {
        let tokens = |characters: i64| (characters as f64 / 4.0).round() as i64;
        self.characters_before = before;
        self.characters_after = after;
        self.tokens_before = tokens(before);
        self.tokens_after = tokens(after);
    }

    fn count(&mut self, decision: &Decision) {
        let tools = || decision.tools.iter().flatten();
        self.servers = Count::of(decision.servers.iter());
        self.tools = Count::of(tools().filter(|verdict| !verdict.reason.is_of_unlisted()));
        self.tools_added = tools().filter(|verdict| verdict.reason == Reason::Added).count();
        self.skills = Count::of(decision.skills.iter());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_one_line_and_cut() {
        let message = format!("{}\n  words and more", "x".repeat(296));
        assert_eq!(shown_message(&message), format!("{} wor", "x".repeat(296)));
    }

    #[test]
    fn a_token_is_four_characters() {
        let mut stats = Stats::default();
        stats.set_sizes(1002, 401);
        assert_eq!((stats.tokens_before, stats.tokens_after), (251, 100));
    }
}
