//! Every candidate of a request with its score, what became of it and why, and what went from the request.

use arcstr::{ArcStr, Substr};
use serde::{Deserialize, Serialize};

use crate::candidates::Candidates;
use crate::plan::Plan;
use crate::policy::{Answer, Answers, Decision, Reason, Verdict};

/// Every candidate, and what went: the same for all requests that come to the same plan.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Details {
    /// MCP servers, by their configured names.
    pub servers: Vec<CandidateReport>,
    /// MCP tools as `server.tool`; those that the request does not show only if they have a score or were added.
    pub tools: Vec<CandidateReport>,
    /// Skills, by their ids.
    pub skills: Vec<CandidateReport>,
    /// What went.
    pub removed: Removed,
}

impl Details {
    pub(super) fn new(
        candidates: &Candidates,
        answers: &Answers,
        decision: &Decision,
        plan: &Plan,
    ) -> Details {
        let mut details = Details { removed: Removed::of(plan), ..Details::default() };
        let names = tool_names(candidates);
        let mut names = names.as_slice();
        for (at, (server, verdict)) in candidates.servers.iter().zip(&decision.servers).enumerate() {
            let name = server.name().clone();
            details.servers.push(CandidateReport::new(name, answers.server(at), *verdict, 0));
            let (of_server, behind) = names.split_at(server.tools.len());
            names = behind;
            let verdicts = decision.tools.get(at).map(Vec::as_slice).unwrap_or_default();
            let tools = server.tools.iter().zip(of_server).zip(verdicts);
            for (place, ((tool, name), verdict)) in tools.enumerate() {
                let answer = answers.tool(at, place);
                if verdict.reason == Reason::NotListed && answer.score().is_none() {
                    continue;
                }
                details.tools.push(CandidateReport::new(name.clone(), answer, *verdict, tool.chars));
            }
        }
        for (at, (skill, verdict)) in candidates.skills.iter().zip(&decision.skills).enumerate() {
            let (name, answer) = (skill.id.clone(), answers.skill(at));
            details.skills.push(CandidateReport::new(name, answer, *verdict, skill.chars));
        }
        details
    }

    /// How many candidates there are in all.
    pub fn count(&self) -> usize {
        self.servers.len() + self.tools.len() + self.skills.len()
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

/// One candidate in a report.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CandidateReport {
    /// Its name, in the form that its list in [`Details`] has.
    pub name: Substr,
    /// Jev's answer from 0 to 1, if there is one.
    pub score: Option<f64>,
    /// What became of it.
    pub decision: Outcome,
    /// Why.
    pub reason: Reason,
    /// How long what the request shows of a tool or skill is, in characters; 0 for servers and for tools that are
    /// not shown.
    pub chars: usize,
}

impl CandidateReport {
    pub(super) fn new(name: Substr, answer: Answer, verdict: Verdict, chars: usize) -> CandidateReport {
        let decision = match (verdict.kept, verdict.reason.is_of_unlisted()) {
            (true, false) => Outcome::Keep,
            (false, false) => Outcome::Prune,
            (true, true) => Outcome::Add,
            (false, true) => Outcome::Skip,
        };
        CandidateReport { name, score: answer.score(), decision, reason: verdict.reason, chars }
    }
}

/// What became of a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// It stays.
    Keep,
    /// It goes.
    Prune,
    /// It is added to what OpenCode shows.
    Add,
    /// OpenCode does not show it, and it was not added.
    Skip,
}

/// What went from a request.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Removed {
    /// Native names of tools taken from the request's tool map.
    pub native_tools: Vec<Substr>,
    /// Namespaces of servers that go with all their tools.
    pub servers: Vec<Substr>,
    /// Configured names of servers whose instructions were taken out.
    pub mcp_instructions: Vec<Substr>,
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
