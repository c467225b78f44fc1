//! Why a candidate stays or goes: each reason with its name in the log, its sentence in the README and its few words on
//! the console, in one list.

use serde::{Deserialize, Serialize};

macro_rules! reasons {
    ($( $(#[doc = $sentence:literal])+ $reason:ident = $name:literal, $words:literal; )+) => {
        /// Why a candidate stays or goes. Each variant's comment is the sentence that users read in the README.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
        pub enum Reason {
            $( $(#[doc = $sentence])+ #[serde(rename = $name)] $reason, )+
        }

        impl Reason {
            /// Every reason, in the order in which the README lists them.
            pub const ALL: &[Reason] = &[ $( Reason::$reason, )+ ];

            /// How it is written in the log, in snake_case.
            pub fn name(self) -> &'static str {
                match self { $( Reason::$reason => $name, )+ }
            }

            /// What it means, as Markdown for the README.
            pub fn sentence(self) -> &'static str {
                // Each line of a doc comment begins with a space.
                match self { $( Reason::$reason => concat!($($sentence),+).trim_start(), )+ }
            }

            /// A few words for the console.
            pub(crate) fn words(self) -> &'static str {
                match self { $( Reason::$reason => $words, )+ }
            }
        }
    };
}

reasons! {
    /// An always-include list names it, or its whole server.
    AlwaysIncluded = "always_included", "always included";
    /// An always-include list names one of the server's tools, so the server stays without being asked about.
    HasAlwaysIncludedTool = "has_always_included_tool", "has an always included tool";
    /// Its score reached the phase 1 threshold.
    Phase1Passed = "phase1_passed", "phase 1 passed";
    /// Its score stayed below the phase 1 threshold.
    Phase1Rejected = "phase1_rejected", "phase 1 rejected";
    /// The server was not asked about: it is the only one, or servers are not asked about at all.
    ServerNotAsked = "server_not_asked", "not asked";
    /// The server was not asked about, and all its tools were rejected.
    AllToolsRejected = "all_tools_rejected", "all its tools rejected";
    /// Its score reached the threshold for tools and skills.
    Passed = "passed", "passed";
    /// Its score stayed below the threshold for tools and skills.
    Rejected = "rejected", "rejected";
    /// Its server was rejected in phase 1, so it was not asked about.
    ServerRejected = "server_rejected", "its server was rejected";
    /// All tools of a server that passed were rejected; the best-scored one stays.
    BestOfServer = "best_of_server", "best of its server";
    /// Jev gave no usable answer; what is not known to be useless stays.
    NoAnswer = "no_answer", "no answer";
    /// The conversation has used it already.
    UsedInConversation = "used_in_conversation", "used in this conversation";
    /// It was shown before in this session, and stays shown until the history is compacted.
    ShownBefore = "shown_before", "shown before";
    /// It was hidden before in this session, and was not asked about again.
    HiddenBefore = "hidden_before", "hidden before";
    /// The session needs it now. It is shown from the next prompt on, so that the request's beginning stays
    /// the same within a turn; the model can reach it as before.
    FromNextPrompt = "from_next_prompt", "from the next prompt on";
    /// Showing only what is needed would soon change the request's beginning once more and cost more than it
    /// saves. So more is shown at once: the rest of its server, or all that later prompts could not be told
    /// of.
    ShownForCache = "shown_for_cache", "shown to spare the cache";
    /// Its score was below the threshold, but more than `max_pruned_fraction` would have been hidden.
    PruningLimited = "pruning_limited", "too much would be hidden";
    /// It passed, but better-scored ones used up the budget.
    OverBudget = "over_budget", "over budget";
    /// The model asked for it by `tool_search`, `load_tool` or `skill_search`.
    AskedFor = "asked_for", "asked for";
    /// `discovery.hide` names it: it is hidden until it is asked for.
    OnDemand = "on_demand", "hidden until asked for";
    /// With `scorer: "lexical"`: it is among the `lexical_keep` that share most words with the prompt.
    SharesWords = "shares_words", "shares words with the prompt";
    /// With `scorer: "lexical"`: others share more words with the prompt.
    SharesFewWords = "shares_few_words", "shares few words with the prompt";
    /// With `scorer: "none"` nothing is scored, and `discovery.hide` does not name it.
    NotScored = "not_scored", "not scored";
    /// The host's sample left it out; it passed and was added.
    Added = "added", "added to the sample";
    /// The host's sample left it out, and it did not pass or was not asked about.
    NotListed = "not_listed", "not in the host's sample";
    /// The host's sample left it out; it passed, but there was no room for it, or its schema cannot be
    /// rendered.
    NoRoom = "no_room", "no room to add it";
}

impl Reason {
    /// Whether it is given only for tools that the request does not show.
    pub(crate) fn is_of_unlisted(self) -> bool {
        matches!(self, Reason::Added | Reason::NotListed | Reason::NoRoom)
    }
}
