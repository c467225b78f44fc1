//! What stays and what goes, from Jev's answers and a person's rules.
//!
//! [`rules`] says what is never asked about, [`judge`] turns answers into a decision with a reason for each
//! candidate, [`cache`] remembers answers. Text spans and the wire format are not known here.

pub mod cache;
pub mod judge;
pub mod rules;

use serde::Serialize;

/// What Jev said of one candidate.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Answer {
    /// No question was put.
    #[default]
    NotAsked,
    /// The question was put, and the reply held no usable answer to it.
    Missing,
    /// The probability of yes, from 0 to 1.
    Noul(f64),
}

impl Answer {
    pub fn score(self) -> Option<f64> {
        match self {
            Answer::Noul(score) => Some(score),
            _ => None,
        }
    }
}

/// All answers for one set of candidates, in the candidates' order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answers {
    pub servers: Vec<Answer>,
    pub tools: Vec<Vec<Answer>>,
    pub skills: Vec<Answer>,
}

impl Answers {
    pub fn server(&self, server: usize) -> Answer {
        self.servers.get(server).copied().unwrap_or_default()
    }

    pub fn tool(&self, server: usize, tool: usize) -> Answer {
        self.tools.get(server).and_then(|tools| tools.get(tool)).copied().unwrap_or_default()
    }

    pub fn skill(&self, skill: usize) -> Answer {
        self.skills.get(skill).copied().unwrap_or_default()
    }
}

/// Why a candidate stays or goes. Each comment is the sentence that users read in the README.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// An always-include list names it, or its whole server.
    AlwaysIncluded,
    /// An always-include list names one of the server's tools, so the server stays without being asked about.
    HasAlwaysIncludedTool,
    /// Its score reached the phase 1 threshold.
    Phase1Passed,
    /// Its score stayed below the phase 1 threshold.
    Phase1Rejected,
    /// The server was not asked about: it is the only one, or servers are not asked about at all.
    ServerNotAsked,
    /// The server was not asked about, and all its tools were rejected.
    AllToolsRejected,
    /// Its score reached the threshold for tools and skills.
    Passed,
    /// Its score stayed below the threshold for tools and skills.
    Rejected,
    /// Its server was rejected in phase 1, so it was not asked about.
    ServerRejected,
    /// All tools of a server that passed were rejected; the best-scored one stays.
    BestOfServer,
    /// Jev gave no usable answer; what is not known to be useless stays.
    NoAnswer,
    /// The conversation has called this tool already.
    UsedInConversation,
}

impl Reason {
    pub const ALL: [Reason; 12] = [
        Reason::AlwaysIncluded,
        Reason::HasAlwaysIncludedTool,
        Reason::Phase1Passed,
        Reason::Phase1Rejected,
        Reason::ServerNotAsked,
        Reason::AllToolsRejected,
        Reason::Passed,
        Reason::Rejected,
        Reason::ServerRejected,
        Reason::BestOfServer,
        Reason::NoAnswer,
        Reason::UsedInConversation,
    ];

    /// A few words for the console.
    pub fn words(self) -> &'static str {
        match self {
            Reason::AlwaysIncluded => "always included",
            Reason::HasAlwaysIncludedTool => "has an always included tool",
            Reason::Phase1Passed => "phase 1 passed",
            Reason::Phase1Rejected => "phase 1 rejected",
            Reason::ServerNotAsked => "not asked",
            Reason::AllToolsRejected => "all its tools rejected",
            Reason::Passed => "passed",
            Reason::Rejected => "rejected",
            Reason::ServerRejected => "its server was rejected",
            Reason::BestOfServer => "best of its server",
            Reason::NoAnswer => "no answer",
            Reason::UsedInConversation => "used in this conversation",
        }
    }
}

/// Whether a candidate stays, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Verdict {
    pub kept: bool,
    pub reason: Reason,
}

impl Verdict {
    pub fn keep(reason: Reason) -> Verdict {
        Verdict { kept: true, reason }
    }

    pub fn prune(reason: Reason) -> Verdict {
        Verdict { kept: false, reason }
    }
}

/// The verdicts on one set of candidates, in the candidates' order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Decision {
    pub servers: Vec<Verdict>,
    pub tools: Vec<Vec<Verdict>>,
    pub skills: Vec<Verdict>,
}

impl Decision {
    /// Whether anything goes.
    pub fn prunes(&self) -> bool {
        let all = self.servers.iter().chain(self.tools.iter().flatten()).chain(&self.skills);
        all.into_iter().any(|verdict| !verdict.kept)
    }
}
