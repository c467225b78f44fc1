//! What stays and what goes, from scores and the user's rules.
//!
//! When is a tool hidden? `decide` says so, with a [`Reason`] for each candidate. `rules` are the user's thresholds and
//! lists, `ranking` answers where Jev is not asked, and `budget` limits how much stays or goes. Text ranges, the wire
//! format and sessions are not known here: what a session needs comes in as a value.

mod answer;
mod budget;
mod decide;
pub(crate) mod ranking;
mod reason;
mod rules;
mod verdict;

pub use answer::{Answer, Answers};
pub use reason::Reason;
pub use rules::Thresholds;
pub use verdict::{Decision, Verdict};

pub(crate) use decide::{decide, servers_to_ask, tools_and_skills_to_ask, Needs, Pins};
pub(crate) use rules::Rules;
