//! The outcome of a decision: for each candidate whether it stays, and why.

use super::Reason;

/// Whether a candidate stays, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Verdict {
    /// Whether the request shows it. A tool that the request did not show before is then added.
    pub kept: bool,
    /// Why.
    pub reason: Reason,
}

impl Verdict {
    /// It stays.
    pub fn keep(reason: Reason) -> Verdict {
        Verdict { kept: true, reason }
    }

    /// It goes.
    pub fn prune(reason: Reason) -> Verdict {
        Verdict { kept: false, reason }
    }
}

/// The verdicts on one set of candidates, in the candidates' order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Decision {
    /// One for each server.
    pub servers: Vec<Verdict>,
    /// One for each tool, by server.
    pub tools: Vec<Vec<Verdict>>,
    /// One for each skill.
    pub skills: Vec<Verdict>,
}

impl Decision {
    /// Whether anything that the request shows goes.
    pub(crate) fn prunes(&self) -> bool {
        let mut all = self.servers.iter().chain(self.tools.iter().flatten()).chain(&self.skills);
        all.any(|verdict| !verdict.kept && !verdict.reason.is_of_unlisted())
    }
}
