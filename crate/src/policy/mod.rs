//! What stays and what goes, from Jev's answers and a person's rules.
//!
//! [`rules`] says what is never asked about, [`ranking`] answers where Jev is not asked, [`verdicts`] turns answers
//! into a decision with a reason for each candidate, [`budget`] limits how much stays or goes. Text spans and the
//! wire format are not known here.

pub mod budget;
pub mod ranking;
pub mod rules;
pub mod verdicts;

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
    /// It was decided on before and is not asked about again; the score is the last one, if there was any.
    Stands { verdict: Verdict, score: Option<f64> },
}

impl Answer {
    pub fn score(self) -> Option<f64> {
        match self {
            Answer::Noul(score) => Some(score),
            Answer::Stands { score, .. } => score,
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

    pub fn tools_of(&self, server: usize) -> &[Answer] {
        self.tools.get(server).map(Vec::as_slice).unwrap_or_default()
    }

    pub fn skill(&self, skill: usize) -> Answer {
        self.skills.get(skill).copied().unwrap_or_default()
    }
}

macro_rules! reasons {
    ($( #[doc = $sentence:literal] $name:ident = $serialized:literal, $words:literal; )*) => {
        /// Why a candidate stays or goes. Each comment is the sentence that users read in the README.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
        pub enum Reason {
            $( #[doc = $sentence] #[serde(rename = $serialized)] $name, )*
        }

        impl Reason {
            pub const ALL: &[Reason] = &[ $( Reason::$name, )* ];

            /// How it is written in the log.
            pub fn name(self) -> &'static str {
                match self { $( Reason::$name => $serialized, )* }
            }

            /// What it means, for the README.
            pub fn sentence(self) -> &'static str {
                match self { $( Reason::$name => $sentence, )* }
            }

            /// A few words for the console.
            pub fn words(self) -> &'static str {
                match self { $( Reason::$name => $words, )* }
            }
        }
    };
}

reasons! {
    #[doc = "An always-include list names it, or its whole server."]
    AlwaysIncluded = "always_included", "always included";
    #[doc = "An always-include list names one of the server's tools, so the server stays without being asked about."]
    HasAlwaysIncludedTool = "has_always_included_tool", "has an always included tool";
    #[doc = "Its score reached the phase 1 threshold."]
    Phase1Passed = "phase1_passed", "phase 1 passed";
    #[doc = "Its score stayed below the phase 1 threshold."]
    Phase1Rejected = "phase1_rejected", "phase 1 rejected";
    #[doc = "The server was not asked about: it is the only one, or servers are not asked about at all."]
    ServerNotAsked = "server_not_asked", "not asked";
    #[doc = "The server was not asked about, and all its tools were rejected."]
    AllToolsRejected = "all_tools_rejected", "all its tools rejected";
    #[doc = "Its score reached the threshold for tools and skills."]
    Passed = "passed", "passed";
    #[doc = "Its score stayed below the threshold for tools and skills."]
    Rejected = "rejected", "rejected";
    #[doc = "Its server was rejected in phase 1, so it was not asked about."]
    ServerRejected = "server_rejected", "its server was rejected";
    #[doc = "All tools of a server that passed were rejected; the best-scored one stays."]
    BestOfServer = "best_of_server", "best of its server";
    #[doc = "Jev gave no usable answer; what is not known to be useless stays."]
    NoAnswer = "no_answer", "no answer";
    #[doc = "The conversation has used it already."]
    UsedInConversation = "used_in_conversation", "used in this conversation";
    #[doc = "It was shown before in this session, and stays shown until the history is compacted."]
    ShownBefore = "shown_before", "shown before";
    #[doc = "It was hidden before in this session, and was not asked about again."]
    HiddenBefore = "hidden_before", "hidden before";
    #[doc = "The session needs it now. It is shown from the next prompt on, so that the request's beginning stays the same within a turn; the model can reach it as before."]
    FromNextPrompt = "from_next_prompt", "from the next prompt on";
    #[doc = "Showing only what is needed would soon change the request's beginning once more and cost more than it saves. So more is shown at once: the rest of its server, or all that later prompts could not be told of."]
    ShownForCache = "shown_for_cache", "shown to spare the cache";
    #[doc = "Its score was below the threshold, but more than `max_pruned_fraction` would have been hidden."]
    PruningLimited = "pruning_limited", "too much would be hidden";
    #[doc = "It passed, but better-scored ones used up the budget."]
    OverBudget = "over_budget", "over budget";
    #[doc = "The model asked for it by `tool_search`, `load_tool` or `skill_search`."]
    AskedFor = "asked_for", "asked for";
    #[doc = "`discovery.hide` names it: it is hidden until it is asked for."]
    OnDemand = "on_demand", "hidden until asked for";
    #[doc = "With `scorer: \"lexical\"`: it is among the `lexical_keep` that share most words with the prompt."]
    SharesWords = "shares_words", "shares words with the prompt";
    #[doc = "With `scorer: \"lexical\"`: others share more words with the prompt."]
    SharesFewWords = "shares_few_words", "shares few words with the prompt";
    #[doc = "With `scorer: \"none\"` nothing is scored, and `discovery.hide` does not name it."]
    NotScored = "not_scored", "not scored";
    #[doc = "The host's sample left it out; it passed and was added."]
    Added = "added", "added to the sample";
    #[doc = "The host's sample left it out, and it did not pass or was not asked about."]
    NotListed = "not_listed", "not in the host's sample";
    #[doc = "The host's sample left it out; it passed, but there was no room for it, or its schema cannot be rendered."]
    NoRoom = "no_room", "no room to add it";
}

/// The scores that were enough in a decision, whatever options they come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Thresholds {
    pub servers: f64,
    pub tools_and_skills: f64,
}

/// Whether a candidate stays, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Verdict {
    pub kept: bool,
    pub reason: Reason,
}

impl Reason {
    /// Whether it is given only for tools that the request does not show.
    pub fn is_of_unlisted(self) -> bool {
        matches!(self, Reason::Added | Reason::NotListed | Reason::NoRoom)
    }
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
    /// Whether anything that the request shows goes.
    pub fn prunes(&self) -> bool {
        let all = self.servers.iter().chain(self.tools.iter().flatten()).chain(&self.skills);
        all.into_iter().any(|verdict| !verdict.kept && !verdict.reason.is_of_unlisted())
    }
}
