//! What a person is told of one request: counts, every score with its reason, what went.
//!
//! The report holds names and numbers, never the prompt, and never the key.

use std::rc::Rc;

use arcstr::{ArcStr, Substr};
use serde::Serialize;

use crate::candidates::Candidates;
use crate::opencode::UnreadSection;
use crate::options::Mode;
use crate::plan::Plan;
use crate::policy::{Answer, Answers, Decision, Reason, Thresholds, Verdict};
use crate::text::cut;

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
    pub what: String,
    pub message: String,
}

/// The most characters of a message that others worded.
const MAX_MESSAGE_CHARS: usize = 300;

/// A message that others worded, as a person is shown it: on one line, and cut. The shim has taken the key out of it.
pub fn shown_message(message: &str) -> String {
    let line = message.split_whitespace().collect::<Vec<_>>().join(" ");
    cut(&line, MAX_MESSAGE_CHARS).to_string()
}

#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Count {
    pub total: usize,
    pub kept: usize,
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

/// Sizes are characters of the texts and tools that hold candidates; a token is estimated as four of them.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Stats {
    pub servers: Count,
    pub tools: Count,
    pub skills: Count,
    /// Tools that the host's sample had left out and that were added.
    pub tools_added: usize,
    pub jev_calls: usize,
    pub jev_questions: usize,
    /// Arguments of tool calls that were mended since the session's last report.
    pub arguments_repaired: usize,
    pub from_cache: bool,
    pub characters_before: i64,
    pub characters_after: i64,
    pub tokens_before: i64,
    pub tokens_after: i64,
    pub ms_total: f64,
    pub ms_rust: f64,
    pub ms_jev: f64,
    /// Reading the event; part of `ms_rust`, as is the next.
    pub ms_parse: f64,
    /// Changing the event.
    pub ms_apply: f64,
}

impl Stats {
    pub fn set_sizes(&mut self, before: i64, after: i64) {
        let tokens = |characters: i64| (characters as f64 / 4.0).round() as i64;
        self.characters_before = before;
        self.characters_after = after;
        self.tokens_before = tokens(before);
        self.tokens_after = tokens(after);
    }
}

/// One candidate in a report.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Judged {
    pub name: Substr,
    /// Jev's answer from 0 to 1, if there is one.
    pub score: Option<f64>,
    pub decision: Outcome,
    pub reason: Reason,
    /// How long what the request shows of a tool or skill is, in characters; 0 for servers and for tools that are
    /// not shown.
    pub chars: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    Keep,
    Prune,
    /// Added to what the host shows.
    Add,
    /// Not shown by the host, and not added.
    Skip,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Removed {
    /// Native names of tools taken from the request's tool map.
    pub native_tools: Vec<Substr>,
    /// Namespaces of servers that go with all their tools.
    pub servers: Vec<Substr>,
    /// Configured names of servers whose instructions were taken out.
    pub mcp_instructions: Vec<Substr>,
}

/// Every candidate, and what went: the same for all requests that come to the same plan.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Details {
    pub servers: Vec<Judged>,
    pub tools: Vec<Judged>,
    pub skills: Vec<Judged>,
    pub removed: Removed,
}

/// What happened to one request.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Report {
    pub session: String,
    pub mode: Mode,
    /// Whether the request was changed.
    pub applied: bool,
    /// Whether it is the session's first decision, or the first since its history was compacted.
    pub first: bool,
    pub thresholds: Thresholds,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skipped: Option<Skipped>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<RequestError>,
    pub stats: Stats,
    /// What was left out of the conversation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub history: Option<crate::history::savings::HistorySavings>,
    /// Stands in the same object, whoever renders the report.
    #[serde(skip)]
    pub details: Rc<Details>,
    /// Sections that begin like the host's and could not be read to their end; they are left as they are.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unrecognised: Vec<UnreadSection>,
}

impl Report {
    /// The report of a request that was not looked into further.
    pub fn skip(session: String, skipped: Skipped, unrecognised: Vec<UnreadSection>) -> Report {
        Report { session, skipped: Some(skipped), unrecognised, ..Report::default() }
    }

    /// Fills in the counts and the details from a decision.
    pub fn tell(&mut self, candidates: &Candidates, answers: &Answers, decision: &Decision, plan: &Plan) {
        self.count(decision);
        let mut details = Details { removed: Removed::of(plan), ..Details::default() };
        details.judge(candidates, answers, decision);
        self.details = Rc::new(details);
    }

    fn count(&mut self, decision: &Decision) {
        self.stats.servers = Count::of(decision.servers.iter());
        let shown = |verdict: &&Verdict| !verdict.reason.is_of_unlisted();
        self.stats.tools = Count::of(decision.tools.iter().flatten().filter(shown));
        self.stats.tools_added =
            decision.tools.iter().flatten().filter(|v| v.reason == Reason::Added).count();
        self.stats.skills = Count::of(decision.skills.iter());
    }
}

impl Details {
    /// How many candidates it tells of.
    pub fn count(&self) -> usize {
        self.servers.len() + self.tools.len() + self.skills.len()
    }

    fn judge(&mut self, candidates: &Candidates, answers: &Answers, decision: &Decision) {
        let names = tool_names(candidates);
        let mut names = names.as_slice();
        for (at, (server, verdict)) in candidates.servers.iter().zip(&decision.servers).enumerate() {
            self.servers.push(judged(server.name().clone(), answers.server(at), *verdict, 0));
            let (of_server, behind) = names.split_at(server.tools.len());
            names = behind;
            let verdicts = decision.tools.get(at).map(Vec::as_slice).unwrap_or_default();
            let tools = server.tools.iter().zip(of_server).zip(verdicts);
            for (place, ((tool, name), verdict)) in tools.enumerate() {
                let answer = answers.tool(at, place);
                if verdict.reason == Reason::NotListed && answer.score().is_none() {
                    continue;
                }
                self.tools.push(judged(name.clone(), answer, *verdict, tool.chars));
            }
        }
        for (at, (skill, verdict)) in candidates.skills.iter().zip(&decision.skills).enumerate() {
            self.skills.push(judged(skill.id.clone(), answers.skill(at), *verdict, skill.chars));
        }
    }
}

/// `server.tool` for each tool, all in one text.
fn tool_names(candidates: &Candidates) -> Vec<Substr> {
    let (mut all, mut ends) = (String::new(), vec![0]);
    for server in &candidates.servers {
        for tool in &server.tools {
            all.extend([server.name(), ".", &tool.name]);
            ends.push(all.len());
        }
    }
    let all = ArcStr::from(all);
    ends.windows(2).map(|ends| all.substr(ends[0]..ends[1])).collect()
}

impl Removed {
    fn of(plan: &Plan) -> Removed {
        Removed {
            native_tools: plan.tools.clone(),
            servers: plan.servers.clone(),
            mcp_instructions: plan.instructions.clone(),
        }
    }
}

fn judged(name: Substr, answer: Answer, verdict: Verdict, chars: usize) -> Judged {
    let decision = match (verdict.kept, verdict.reason.is_of_unlisted()) {
        (true, false) => Outcome::Keep,
        (false, false) => Outcome::Prune,
        (true, true) => Outcome::Add,
        (false, true) => Outcome::Skip,
    };
    Judged { name, score: answer.score(), decision, reason: verdict.reason, chars }
}

/// The console's rendering of a report.
///
/// ```text
/// [opencode-jev-pruner] 212ms, 2 Jev call(s): servers 1/2 kept, tools 1/2 kept (1 pruned), skills 5/27 kept (22 pruned)
///   server 0.050 PRUNE postgres (phase 1 rejected)
///   tool   0.910 keep  notes.find
/// ```
pub fn console(report: &Report) -> String {
    let stats = &report.stats;
    let mut out =
        format!("[opencode-jev-pruner] {}ms, {} Jev call(s)", stats.ms_total.round() as i64, stats.jev_calls);
    if let Some(skipped) = report.skipped {
        out.push_str(&format!(": left as it was ({})", skipped.words()));
    } else if !report.errors.is_empty() {
        out.push_str(": left as it was (Jev failed)");
    } else {
        let added = match stats.tools_added {
            0 => String::new(),
            added => format!(", {added} added"),
        };
        out.push_str(&format!(
            ": servers {}/{} kept, tools {}/{} kept ({} pruned{added}), skills {}/{} kept ({} pruned)",
            stats.servers.kept,
            stats.servers.total,
            stats.tools.kept,
            stats.tools.total,
            stats.tools.pruned,
            stats.skills.kept,
            stats.skills.total,
            stats.skills.pruned,
        ));
    }
    for error in &report.errors {
        out.push_str(&format!("\n  error  {}: {}: {}", error.request, error.what, error.message));
    }
    let Details { servers, tools, skills, removed } = &*report.details;
    for (kind, judged) in [("server", servers), ("tool  ", tools), ("skill ", skills)] {
        judged.iter().for_each(|judged| out.push_str(&line(kind, judged)));
    }
    for name in &removed.mcp_instructions {
        out.push_str(&format!("\n  mcp instructions removed: {name}"));
    }
    if let Some(history) = &report.history {
        out.push_str(&history_line(history));
    }
    for section in &report.unrecognised {
        out.push_str(&format!("\n  left as it is: {} ({})", section.first_line, section.why));
    }
    out
}

/// `history: 5200 tokens left out (deduplication 3100, purge_errors 2100), 900 wait`
fn history_line(told: &crate::history::savings::HistorySavings) -> String {
    let each: Vec<String> =
        told.strategies.iter().map(|saved| format!("{} {}", saved.strategy, saved.tokens)).collect();
    let mut out = format!("\n  history: {} tokens left out", told.tokens_saved);
    if !each.is_empty() {
        out.push_str(&format!(" ({})", each.join(", ")));
    }
    if told.tokens_waiting > 0 {
        out.push_str(&format!(", {} wait", told.tokens_waiting));
    }
    out
}

fn line(kind: &str, judged: &Judged) -> String {
    // A tool goes with its server; the server's own line says so.
    if judged.reason == Reason::ServerRejected {
        return String::new();
    }
    let score = judged.score.map_or("  -  ".to_string(), |score| format!("{score:.3}"));
    let decision = match judged.decision {
        Outcome::Keep => "keep ",
        Outcome::Prune => "PRUNE",
        Outcome::Add => "ADD  ",
        Outcome::Skip => "skip ",
    };
    // That a tool or skill passed or failed its threshold can be seen from the score.
    let reason = match judged.reason {
        Reason::Passed | Reason::Rejected => String::new(),
        reason => format!(" ({})", reason.words()),
    };
    format!("\n  {kind} {score} {decision} {}{reason}", judged.name)
}

impl Skipped {
    fn words(self) -> &'static str {
        match self {
            Skipped::NoPrompt => "no user prompt found",
            Skipped::NoCandidates => "nothing to prune",
            Skipped::Cooldown => "cooling down after a failure",
            Skipped::TooSmall => "too little to prune",
            Skipped::Off => "switched off",
            Skipped::Sealed => "the event cannot be changed",
            Skipped::OnlyHistory => "only the history was looked at",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::pruned::Strategy;
    use crate::history::savings::StrategySavings;

    fn judged(name: &str, score: f64, verdict: Verdict) -> Judged {
        super::judged(name.into(), Answer::Noul(score), verdict, 0)
    }

    #[test]
    fn the_console_shows_counts_scores_and_reasons() {
        let report = Report {
            stats: Stats {
                servers: Count { total: 2, kept: 1, pruned: 1 },
                tools: Count { total: 2, kept: 1, pruned: 1 },
                skills: Count { total: 27, kept: 5, pruned: 22 },
                jev_calls: 2,
                ms_total: 211.6,
                ..Stats::default()
            },
            details: Rc::new(Details {
                servers: vec![
                    judged("postgres", 0.05, Verdict::prune(Reason::Phase1Rejected)),
                    judged("wrait-mcp", 0.95, Verdict::keep(Reason::Phase1Passed)),
                ],
                tools: vec![
                    super::judged(
                        "postgres.query".into(),
                        Answer::NotAsked,
                        Verdict::prune(Reason::ServerRejected),
                        0,
                    ),
                    judged("wrait-mcp.wrait_list_plugins", 0.91, Verdict::keep(Reason::Passed)),
                ],
                skills: vec![judged("ui-polish", 0.02, Verdict::prune(Reason::Rejected))],
                removed: Removed { mcp_instructions: vec!["postgres".into()], ..Removed::default() },
            }),
            ..Report::default()
        };
        assert_eq!(
            console(&report),
            "[opencode-jev-pruner] 212ms, 2 Jev call(s): servers 1/2 kept, tools 1/2 kept (1 pruned), skills 5/27 kept (22 pruned)\n  \
               server 0.050 PRUNE postgres (phase 1 rejected)\n  \
               server 0.950 keep  wrait-mcp (phase 1 passed)\n  \
               tool   0.910 keep  wrait-mcp.wrait_list_plugins\n  \
               skill  0.020 PRUNE ui-polish\n  \
               mcp instructions removed: postgres"
        );
    }

    #[test]
    fn the_console_shows_what_the_history_lost() {
        let strategies = vec![
            StrategySavings { strategy: Strategy::Deduplication, edits: 3, tokens: 3100 },
            StrategySavings { strategy: Strategy::PurgeErrors, edits: 1, tokens: 2100 },
        ];
        let told = crate::history::savings::HistorySavings {
            tokens_saved: 5200,
            tokens_waiting: 900,
            strategies,
            ..Default::default()
        };
        let shown = console(&Report { history: Some(told), ..Report::default() });
        let line = "\n  history: 5200 tokens left out (deduplication 3100, purge_errors 2100), 900 wait";
        assert!(shown.ends_with(line), "{shown}");
    }

    #[test]
    fn the_console_says_why_a_request_was_left_alone() {
        let skipped = Report { skipped: Some(Skipped::NoPrompt), ..Report::default() };
        assert_eq!(
            console(&skipped),
            "[opencode-jev-pruner] 0ms, 0 Jev call(s): left as it was (no user prompt found)"
        );
        let error = RequestError {
            request: "phase 1, request 1 of 1".into(),
            what: "timeout".into(),
            message: "no answer within 900 ms".into(),
        };
        let failed = Report { errors: vec![error], ..Report::default() };
        assert!(console(&failed).ends_with(
            "left as it was (Jev failed)\n  error  phase 1, request 1 of 1: timeout: no answer within 900 ms"
        ));
    }

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
