//! How a session comes to show more than before.
//!
//! What stood in a request stands at the beginning of the next, and a provider reads anew whatever stands behind
//! a change ([`super::cache_cost`]). So what a new prompt needs is shown where OpenCode lists it only if that pays,
//! and otherwise announced in a message of ours in front of the prompt, as OpenCode announces additions. Native
//! tools stand in front of everything and cannot be announced. They are shown by whole servers, so that it is seldom,
//! and all of them for good once that has cost as much as hiding them can save. Within a turn nothing is announced, and
//! at most one change is made for one prompt.

use arcstr::Substr;

use super::cache_cost::{CacheCost, ChangePrice};
use super::memory::{CandidateName, Memory};
use crate::candidates::{Candidates, Tool};
use crate::hash::FxHashSet;
use crate::policy::{Decision, Reason, Verdict};

/// How what is shown anew comes into the request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reveal {
    /// Nothing is shown that was hidden.
    Same,
    /// It stands where OpenCode lists it.
    InPlace,
    /// It is announced in front of the prompt.
    Announced,
}

/// What there is to know of a request besides what it shows.
#[derive(Clone, Copy, Debug)]
pub struct Situation {
    /// The session's first decision.
    pub is_first: bool,
    /// Whether another prompt was decided on last.
    pub is_new_prompt: bool,
    /// Whether the request can take a message of ours.
    pub may_announce: bool,
    /// Whether what was sent before was changed for this prompt already.
    pub has_changed: bool,
    /// Whether tools are added to a list that was sent before.
    pub adds: bool,
    /// Whether OpenCode has changed a list in front of messages of ours, so that they may not be true any more.
    pub is_overtaken: bool,
    /// The session's account with the prompt cache.
    pub cost: CacheCost,
    /// The characters of the request.
    pub chars: i64,
    /// What changing its beginning would cost.
    pub price: ChangePrice,
}

/// What is hidden and by a decision would be shown.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Fresh {
    /// In the order of the candidates.
    pub names: Vec<CandidateName>,
    has_native: bool,
}

impl Situation {
    fn is_time_to_show_all(&self, hidden_chars: i64) -> bool {
        self.price != ChangePrice::Nothing && self.cost.is_time_to_show_all(self.chars, hidden_chars)
    }
}

impl Fresh {
    /// What a decision shows that the memory hides.
    pub fn of(candidates: &Candidates, memory: &Memory, decision: &Decision) -> Fresh {
        let mut fresh = Fresh::default();
        let mut is_server_fresh = false;
        each(candidates, decision, |name, is_native, verdict| {
            let is_hidden = memory.hides(&name);
            // An announced server brings what is new of it along, since all in front of that is cut.
            let is_new_of_fresh = match name {
                CandidateName::Server(_) => {
                    is_server_fresh = verdict.kept && is_hidden;
                    false
                }
                CandidateName::Tool(..) => is_server_fresh && !is_native && !verdict.reason.is_of_unlisted(),
                CandidateName::Skill(_) => false,
            };
            if verdict.kept && (is_hidden || is_new_of_fresh) {
                fresh.has_native |= is_native;
                fresh.names.push(name);
            }
        });
        fresh
    }

    /// Whether that is nothing.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }
}

/// What became of a decision.
#[derive(Clone, Debug, PartialEq)]
pub struct Settled {
    /// How what is newly shown comes into the request.
    pub reveal: Reveal,
    /// What that is.
    pub fresh: Fresh,
    /// Whether what cannot be announced is shown from now on, whatever is decided.
    pub shows_all: bool,
}

/// Settles how what is hidden is shown, and brings the decision in line with that.
pub fn settle(
    candidates: &Candidates,
    memory: &Memory,
    situation: &Situation,
    decision: &mut Decision,
) -> Settled {
    let mut shows_all = memory.shows_all;
    if shows_all {
        show_all(candidates, !situation.may_announce, decision);
    }
    let fresh = Fresh::of(candidates, memory, decision);
    let reveal = match situation.price {
        _ if situation.is_first => Reveal::InPlace,
        _ if situation.is_overtaken && !fresh.has_native => {
            if situation.price != ChangePrice::Nothing {
                postpone(candidates, memory, decision);
            }
            Reveal::InPlace
        }
        _ if fresh.is_empty() && !situation.adds => Reveal::Same,
        _ if fresh.has_native || fresh_cannot_be_announced(&fresh, situation) => {
            shows_all |= situation.is_time_to_show_all(hidden_chars(candidates, memory, situation));
            match shows_all {
                true => show_all(candidates, !situation.may_announce, decision),
                false => widen(candidates, memory, decision),
            }
            Reveal::InPlace
        }
        ChangePrice::Nothing | ChangePrice::Covered if situation.is_new_prompt || !situation.has_changed => {
            Reveal::InPlace
        }
        ChangePrice::TooMuch if situation.is_new_prompt => Reveal::Announced,
        _ => {
            postpone(candidates, memory, decision);
            Reveal::Same
        }
    };
    Settled { reveal, fresh, shows_all }
}

/// A request that takes no messages can wait for the next prompt, and then must change.
fn fresh_cannot_be_announced(fresh: &Fresh, situation: &Situation) -> bool {
    !fresh.is_empty() && !situation.may_announce && situation.is_new_prompt
}

/// How much is hidden of what cannot be announced.
fn hidden_chars(candidates: &Candidates, memory: &Memory, situation: &Situation) -> i64 {
    if !situation.may_announce {
        return situation.cost.saved_chars();
    }
    let tools =
        candidates.servers.iter().flat_map(|server| server.tools.iter().map(move |tool| (server, tool)));
    let hidden =
        tools.filter(|(server, tool)| tool.is_native && memory.hides(&CandidateName::tool(server, tool)));
    hidden.map(|(_, tool)| tool.chars as i64).sum()
}

/// Leaves hidden what is hidden, and adds nothing.
fn postpone(candidates: &Candidates, memory: &Memory, decision: &mut Decision) {
    change(candidates, decision, |name, _, verdict| match verdict.kept {
        true if verdict.reason == Reason::Added => {
            (!memory.has_added(name)).then_some(Verdict::prune(Reason::NotListed))
        }
        true if memory.hides(name) => Some(Verdict::prune(Reason::FromNextPrompt)),
        _ => None,
    });
}

/// Shows the hidden native tools of every server of which one is needed now; of one whose best tool merely has
/// to stay, no more is.
fn widen(candidates: &Candidates, memory: &Memory, decision: &mut Decision) {
    let servers = candidates.servers.iter().zip(&decision.tools);
    let is_needed = |verdict: &Verdict| {
        verdict.kept && !matches!(verdict.reason, Reason::BestOfServer | Reason::ShownBefore)
    };
    let is_shown = |(tool, verdict): (&Tool, &Verdict)| tool.is_native && is_needed(verdict);
    let open: FxHashSet<Substr> = servers
        .filter(|(server, verdicts)| server.tools.iter().zip(*verdicts).any(is_shown))
        .map(|(server, _)| server.namespace.clone())
        .collect();
    change(candidates, decision, |name, is_native, verdict| {
        let is_meant =
            is_native && matches!(name, CandidateName::Tool(namespace, _) if open.contains(namespace));
        (is_meant && !verdict.kept && memory.hides(name)).then_some(Verdict::keep(Reason::ShownForCache))
    });
}

/// Shows every native tool with its server, or everything.
fn show_all(candidates: &Candidates, everything: bool, decision: &mut Decision) {
    let servers = candidates.servers.iter();
    let with_native: FxHashSet<&str> = servers
        .filter(|server| server.tools.iter().any(|tool| tool.is_native))
        .map(|server| server.namespace.as_str())
        .collect();
    change(candidates, decision, |name, is_native, verdict| {
        let has_native = matches!(name, CandidateName::Server(name) if with_native.contains(name.as_str()));
        let may_show = !verdict.kept && verdict.reason != Reason::OnDemand;
        let is_meant = everything && !verdict.reason.is_of_unlisted() || is_native || has_native;
        (is_meant && may_show).then_some(Verdict::keep(Reason::ShownForCache))
    });
}

/// Calls with each candidate, whether it is a native tool, and its verdict.
fn each(candidates: &Candidates, decision: &Decision, mut take: impl FnMut(CandidateName, bool, Verdict)) {
    let servers = candidates.servers.iter().zip(&decision.servers).zip(&decision.tools);
    for ((server, verdict), tools) in servers {
        take(CandidateName::Server(server.namespace.clone()), false, *verdict);
        for (tool, verdict) in server.tools.iter().zip(tools) {
            take(CandidateName::tool(server, tool), tool.is_native, *verdict);
        }
    }
    for (skill, verdict) in candidates.skills.iter().zip(&decision.skills) {
        take(CandidateName::Skill(skill.id.clone()), false, *verdict);
    }
}

/// Gives other verdicts to some.
fn change(
    candidates: &Candidates,
    decision: &mut Decision,
    other: impl Fn(&CandidateName, bool, Verdict) -> Option<Verdict>,
) {
    let settle = |name: CandidateName, is_native: bool, verdict: &mut Verdict| {
        *verdict = other(&name, is_native, *verdict).unwrap_or(*verdict);
    };
    let Decision { servers, tools, skills } = decision;
    for ((server, verdict), tools) in candidates.servers.iter().zip(servers).zip(tools) {
        settle(CandidateName::Server(server.namespace.clone()), false, verdict);
        for (tool, verdict) in server.tools.iter().zip(tools) {
            settle(CandidateName::tool(server, tool), tool.is_native, verdict);
        }
    }
    for (skill, verdict) in candidates.skills.iter().zip(skills) {
        settle(CandidateName::Skill(skill.id.clone()), false, verdict);
    }
}
