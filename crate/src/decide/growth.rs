//! How a session comes to show more than before.
//!
//! What stood in a request stands at the beginning of the next, and a provider reads anew whatever stands behind
//! a change ([`super::account`]). So what a new prompt needs is shown where the host has it only if that pays,
//! and otherwise told of in a message of ours in front of the prompt, as the host tells of additions. Native
//! tools stand in front of everything and cannot be told of; where showing one of them does not pay, all are
//! shown, so that it is for the last time. Within a turn nothing is told, and at most one change is made for one
//! prompt.

use super::account::Price;
use super::memory::{Memory, Thing};
use super::{Decision, Reason, Verdict};
use crate::candidates::{Candidates, Server, Tool};
use crate::hashing::HashSet;

/// How what is shown anew comes into the request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Manner {
    /// Nothing is shown that was hidden.
    Same,
    /// It stands where the host has it.
    InPlace,
    /// It is told of in front of the prompt.
    Told,
}

/// What there is to know of a request besides what it shows.
#[derive(Clone, Copy, Debug)]
pub struct Situation {
    /// The session's first decision.
    pub is_first: bool,
    pub is_new_prompt: bool,
    /// Whether the request can take a message of ours.
    pub may_tell: bool,
    /// Whether what was sent before was changed for this prompt already.
    pub has_changed: bool,
    /// Whether tools are added to a list that was sent before.
    pub adds: bool,
    pub price: Price,
}

/// What is hidden and by a decision would be shown.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Fresh {
    /// In the order of the candidates.
    pub things: Vec<Thing>,
    has_native: bool,
}

impl Fresh {
    pub fn of(candidates: &Candidates, memory: &Memory, decision: &Decision) -> Fresh {
        let mut fresh = Fresh::default();
        each(candidates, decision, |thing, is_native, verdict| {
            if verdict.kept && memory.hides(&thing) {
                fresh.has_native |= is_native;
                fresh.things.push(thing);
            }
        });
        fresh
    }

    pub fn is_empty(&self) -> bool {
        self.things.is_empty()
    }
}

/// Settles how it is shown, and brings the decision in line with that.
pub fn settle(
    candidates: &Candidates,
    memory: &Memory,
    fresh: &Fresh,
    situation: Situation,
    decision: &mut Decision,
) -> Manner {
    if situation.is_first {
        return Manner::InPlace;
    }
    if fresh.is_empty() && !situation.adds {
        return Manner::Same;
    }
    match situation.price {
        Price::Nothing => Manner::InPlace,
        Price::Covered if situation.is_new_prompt || !situation.has_changed => Manner::InPlace,
        // The model is about to call it.
        _ if !situation.is_new_prompt && fresh.has_native => Manner::InPlace,
        _ if !situation.is_new_prompt => {
            postpone(candidates, memory, decision);
            Manner::Same
        }
        _ if fresh.has_native || !situation.may_tell => {
            show_all(candidates, memory, !situation.may_tell, decision);
            Manner::InPlace
        }
        _ => Manner::Told,
    }
}

/// Leaves hidden what is hidden, and adds nothing.
fn postpone(candidates: &Candidates, memory: &Memory, decision: &mut Decision) {
    change(candidates, decision, |thing, _, verdict| match verdict.kept {
        true if memory.hides(thing) => Some(Verdict::prune(Reason::FromNextPrompt)),
        true if verdict.reason == Reason::Added && !memory.has_added(thing) => {
            Some(Verdict::prune(Reason::NotListed))
        }
        _ => None,
    });
}

/// Shows every hidden native tool with its server, or everything.
fn show_all(candidates: &Candidates, memory: &Memory, everything: bool, decision: &mut Decision) {
    let is_hidden = |server: &Server, tool: &Tool| tool.is_native && memory.hides(&Thing::tool(server, tool));
    let servers = candidates.servers.iter();
    let with_native: HashSet<&str> = servers
        .filter(|server| server.tools.iter().any(|tool| is_hidden(server, tool)))
        .map(|server| server.namespace.as_str())
        .collect();
    change(candidates, decision, |thing, is_native, verdict| {
        let has_native = matches!(thing, Thing::Server(name) if with_native.contains(name.as_str()));
        let is_meant = everything || is_native || has_native;
        (is_meant && !verdict.kept && memory.hides(thing)).then_some(Verdict::keep(Reason::ShownForCache))
    });
}

/// Calls with each candidate, whether it is a native tool, and its verdict.
fn each(candidates: &Candidates, decision: &Decision, mut take: impl FnMut(Thing, bool, Verdict)) {
    let servers = candidates.servers.iter().zip(&decision.servers).zip(&decision.tools);
    for ((server, verdict), tools) in servers {
        take(Thing::Server(server.namespace.clone()), false, *verdict);
        for (tool, verdict) in server.tools.iter().zip(tools) {
            take(Thing::tool(server, tool), tool.is_native, *verdict);
        }
    }
    for (skill, verdict) in candidates.skills.iter().zip(&decision.skills) {
        take(Thing::Skill(skill.id.clone()), false, *verdict);
    }
}

/// Gives other verdicts to some.
fn change(
    candidates: &Candidates,
    decision: &mut Decision,
    other: impl Fn(&Thing, bool, Verdict) -> Option<Verdict>,
) {
    let settle = |thing: Thing, is_native: bool, verdict: &mut Verdict| {
        *verdict = other(&thing, is_native, *verdict).unwrap_or(*verdict);
    };
    let Decision { servers, tools, skills } = decision;
    for ((server, verdict), tools) in candidates.servers.iter().zip(servers).zip(tools) {
        settle(Thing::Server(server.namespace.clone()), false, verdict);
        for (tool, verdict) in server.tools.iter().zip(tools) {
            settle(Thing::tool(server, tool), tool.is_native, verdict);
        }
    }
    for (skill, verdict) in candidates.skills.iter().zip(skills) {
        settle(Thing::Skill(skill.id.clone()), false, verdict);
    }
}
