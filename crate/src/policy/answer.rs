//! What is known of each candidate before the rules are applied: a score, a decision that is remembered, or nothing.

use super::Verdict;

/// What is known of one candidate.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Answer {
    /// No question was put.
    #[default]
    NotAsked,
    /// The question was put, and the reply held no usable answer to it.
    Missing,
    /// The probability that the candidate is needed, from 0 to 1.
    Score(f64),
    /// It was decided on already, before or without Jev, and is not asked about.
    Remembered {
        /// That decision. It holds unless one of the user's rules overrides it.
        verdict: Verdict,
        /// The score that it rests on, from 0 to 1, if there was any.
        score: Option<f64>,
    },
}

impl Answer {
    /// The score, from 0 to 1, if there is one.
    pub fn score(self) -> Option<f64> {
        match self {
            Answer::Score(score) => Some(score),
            Answer::Remembered { score, .. } => score,
            Answer::NotAsked | Answer::Missing => None,
        }
    }

    pub(crate) fn is_remembered(self) -> bool {
        matches!(self, Answer::Remembered { .. })
    }

    /// Whether it was shown before, and so stays shown.
    pub(crate) fn is_shown(self) -> bool {
        matches!(self, Answer::Remembered { verdict, .. } if verdict.kept)
    }
}

/// The answers for one set of candidates, in the candidates' order. Where a list is too short nothing was asked.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answers {
    /// One for each server.
    pub servers: Vec<Answer>,
    /// One for each tool, by server.
    pub tools: Vec<Vec<Answer>>,
    /// One for each skill.
    pub skills: Vec<Answer>,
}

impl Answers {
    /// The answer for the server at this place.
    pub fn server(&self, server: usize) -> Answer {
        self.servers.get(server).copied().unwrap_or_default()
    }

    /// The answer for the tool at this place in the server at that place.
    pub fn tool(&self, server: usize, tool: usize) -> Answer {
        self.tools.get(server).and_then(|tools| tools.get(tool)).copied().unwrap_or_default()
    }

    /// The answer for the skill at this place.
    pub fn skill(&self, skill: usize) -> Answer {
        self.skills.get(skill).copied().unwrap_or_default()
    }

    /// By what a tool is compared with others where not all may stay: the mean of its own and its server's score.
    ///
    /// `npm run bench:quality` found more of what is needed among the best by that than by the tool's score alone.
    pub(crate) fn tool_rank(&self, server: usize, tool: usize) -> f64 {
        match (self.tool(server, tool).score(), self.server(server).score()) {
            (Some(own), Some(of_server)) => (own + of_server) / 2.0,
            (own, of_server) => own.or(of_server).unwrap_or(UNSCORED_RANK),
        }
    }

    /// The same for a skill.
    pub(crate) fn skill_rank(&self, skill: usize) -> f64 {
        self.skill(skill).score().unwrap_or(UNSCORED_RANK)
    }
}

/// The best there is, since what has no answer is never hidden.
const UNSCORED_RANK: f64 = 1.0;
