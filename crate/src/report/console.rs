//! The console's rendering of a report, for `debug_mode`.

use super::{CandidateReport, Details, Outcome, Report, Skipped, Stats};
use crate::history::savings::HistorySavings;
use crate::policy::Reason;

/// The console's rendering of a report.
///
/// ```text
/// [opencode-jev-pruner] 212ms, 2 Jev call(s): servers 1/2 kept, tools 1/2 kept (1 pruned), skills 5/27 kept (22 pruned)
///   server 0.050 PRUNE postgres (phase 1 rejected)
///   tool   0.910 keep  notes.find
/// ```
pub fn console(report: &Report) -> String {
    let mut out = first_line(report);
    for error in &report.errors {
        out.push_str(&format!("\n  error  {}: {}: {}", error.request, error.what, error.message));
    }
    let Details { servers, tools, skills, removed } = &*report.details;
    for (kind, candidates) in [("server", servers), ("tool  ", tools), ("skill ", skills)] {
        candidates.iter().for_each(|candidate| out.push_str(&candidate_line(kind, candidate)));
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

fn first_line(report: &Report) -> String {
    let Stats { servers, tools, skills, .. } = &report.stats;
    let (ms, calls) = (report.stats.ms_total.round() as i64, report.stats.jev_calls);
    let begin = format!("[opencode-jev-pruner] {ms}ms, {calls} Jev call(s)");
    if let Some(skipped) = report.skipped {
        return format!("{begin}: left as it was ({})", skipped.words());
    }
    if !report.errors.is_empty() {
        return format!("{begin}: left as it was (Jev failed)");
    }
    let added = match report.stats.tools_added {
        0 => String::new(),
        added => format!(", {added} added"),
    };
    format!(
        "{begin}: servers {}/{} kept, tools {}/{} kept ({} pruned{added}), skills {}/{} kept ({} pruned)",
        servers.kept,
        servers.total,
        tools.kept,
        tools.total,
        tools.pruned,
        skills.kept,
        skills.total,
        skills.pruned,
    )
}

/// `history: 5200 tokens left out (deduplication 3100, purge_errors 2100), 900 wait`
fn history_line(savings: &HistorySavings) -> String {
    let each: Vec<String> =
        savings.strategies.iter().map(|of| format!("{} {}", of.strategy, of.tokens)).collect();
    let mut out = format!("\n  history: {} tokens left out", savings.tokens_saved);
    if !each.is_empty() {
        out.push_str(&format!(" ({})", each.join(", ")));
    }
    if savings.tokens_waiting > 0 {
        out.push_str(&format!(", {} wait", savings.tokens_waiting));
    }
    out
}

fn candidate_line(kind: &str, candidate: &CandidateReport) -> String {
    // A tool goes with its server; the server's own line says so.
    if candidate.reason == Reason::ServerRejected {
        return String::new();
    }
    let score = candidate.score.map_or("  -  ".to_string(), |score| format!("{score:.3}"));
    let decision = match candidate.decision {
        Outcome::Keep => "keep ",
        Outcome::Prune => "PRUNE",
        Outcome::Add => "ADD  ",
        Outcome::Skip => "skip ",
    };
    // That a tool or skill passed or failed its threshold can be seen from the score.
    let reason = match candidate.reason {
        Reason::Passed | Reason::Rejected => String::new(),
        reason => format!(" ({})", reason.words()),
    };
    format!("\n  {kind} {score} {decision} {}{reason}", candidate.name)
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
    use std::rc::Rc;

    use super::*;
    use crate::history::pruned::Strategy;
    use crate::history::savings::StrategySavings;
    use crate::policy::{Answer, Verdict};
    use crate::report::{Count, Removed, RequestError};

    fn scored(name: &str, score: f64, verdict: Verdict) -> CandidateReport {
        CandidateReport::new(name.into(), Answer::Score(score), verdict, 0)
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
                    scored("postgres", 0.05, Verdict::prune(Reason::Phase1Rejected)),
                    scored("wrait-mcp", 0.95, Verdict::keep(Reason::Phase1Passed)),
                ],
                tools: vec![
                    CandidateReport::new(
                        "postgres.query".into(),
                        Answer::NotAsked,
                        Verdict::prune(Reason::ServerRejected),
                        0,
                    ),
                    scored("wrait-mcp.wrait_list_plugins", 0.91, Verdict::keep(Reason::Passed)),
                ],
                skills: vec![scored("ui-polish", 0.02, Verdict::prune(Reason::Rejected))],
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
        let savings =
            HistorySavings { tokens_saved: 5200, tokens_waiting: 900, strategies, ..Default::default() };
        let shown = console(&Report { history: Some(savings), ..Report::default() });
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
}
