//! From answers to what becomes of a request: a function of what was read, of the session's state and of the answers, to
//! the plan, its report and the session's next state.

use std::borrow::Cow;
use std::rc::Rc;

use crate::discovery::hints::{pointer_list, search_note, Shortened};
use crate::plan::additions::Additions;
use crate::plan::announcement::announce;
use crate::plan::{superseded, Extras, PlacedAnnouncement, Plan};
use crate::policy::{decide, Answers, Decision, Needs};
use crate::report::Report;
use crate::request::facts::Facts;
use crate::session::cache_cost::{CacheCost, ChangePrice};
use crate::session::memory::{AddedTool, Announced, Memory, Missed};
use crate::session::reveal::{self, Reveal, Settled, Situation};
use crate::session::SessionState;

use super::Finished;

/// What a request comes to.
pub(super) struct Conclusion {
    pub finished: Rc<Finished>,
    pub missed: Vec<Missed>,
    /// The session's next state.
    pub session: SessionState,
    /// What the plan was made from; a request of OpenCode's own leaves nothing of it in the session.
    pub memory: Rc<Memory>,
}

/// Decides, reveals, plans, reports.
pub(super) fn conclude(facts: &Facts, session: SessionState, answers: &Answers, now_ms: f64) -> Conclusion {
    let SessionState { memory: before, mut cost } = session;
    let (is_first, missed) = (before.is_empty(), missed(facts, &before));
    let before = with_missed(before, &missed);
    let known = without_taken_back(facts, &before);

    let needs = Needs { used: &facts.used, pins: &*facts.pins };
    let mut decision = decide(&facts.candidates, answers, &facts.settings.rules, &needs);
    let mut additions = Additions::choose(facts, &known, answers, &mut decision);
    let settled = settle(facts, &known, &mut additions, &mut decision, &mut cost, now_ms);
    let memory = Rc::new(remember(facts, &known, answers, &decision, settled, additions));
    let plan = plan(facts, &memory, &decision);

    let (chars, saved) = (facts.chars_with_candidates(), plan.chars_saved(facts));
    let mut report = Report { first: is_first, ..report_on(facts) };
    report.add_decision(&facts.candidates, answers, &decision, &plan);
    report.stats.set_sizes(chars, chars - saved);
    if facts.question.session.prompt.is_none() {
        cost.note(saved, now_ms);
    }
    let stays = if facts.is_internal && !is_first { before } else { memory.clone() };
    Conclusion {
        finished: Finished::new(facts, plan, report, saved),
        missed,
        session: SessionState { memory: stays, cost },
        memory,
    }
}

/// The report of a request before anything is known of how it ends.
pub(super) fn report_on(facts: &Facts) -> Report {
    Report {
        session: facts.question.session.session.clone(),
        mode: facts.settings.options.mode,
        thresholds: facts.settings.rules.thresholds(),
        unrecognised: facts.unrecognised(),
        ..Report::default()
    }
}

/// Hidden things that the conversation has used, and that were not reported yet.
pub(super) fn missed(facts: &Facts, memory: &Memory) -> Vec<Missed> {
    memory.missed(&facts.candidates, &facts.used, facts.settings.rules.threshold)
}

fn with_missed(memory: Rc<Memory>, missed: &[Missed]) -> Rc<Memory> {
    if missed.is_empty() {
        return memory;
    }
    let mut memory = Memory::clone(&memory);
    memory.note_missed(missed);
    memory.version += 1;
    Rc::new(memory)
}

/// A memory without what the person took back together with prompts.
pub(super) fn without_taken_back(facts: &Facts, memory: &Rc<Memory>) -> Rc<Memory> {
    let is_there = |announced: &Announced| facts.place_of(&announced.before).is_some();
    memory.without_lost(is_there, facts.catalog_count()).map_or_else(|| memory.clone(), Rc::new)
}

/// Settles how what is newly shown comes into the request, and pays for it.
fn settle(
    facts: &Facts,
    known: &Memory,
    additions: &mut Additions,
    decision: &mut Decision,
    cost: &mut CacheCost,
    now_ms: f64,
) -> Settled {
    let chars = facts.chars();
    let is_rendered_anew = known.rendered_anew != facts.rendered_anew();
    let price = match known.native == facts.native.fingerprint() && !is_rendered_anew {
        true => cost.price_of_change(chars, now_ms),
        // They stand in front of everything: OpenCode's own change has cost the cache already.
        false => ChangePrice::Nothing,
    };
    // A list that comes with this request was not sent before.
    let adds = !additions.announced.is_empty()
        || !additions.listed.is_empty() && facts.catalog_count() <= known.catalogs;
    let situation = Situation {
        is_first: known.is_empty(),
        is_new_prompt: is_new_prompt(facts, known) && !facts.is_internal,
        may_announce: facts.anchor.is_some(),
        has_changed: known.has_changed || facts.is_internal,
        adds,
        is_overtaken: is_rendered_anew && !known.announced.is_empty(),
        cost: *cost,
        chars,
        price: if facts.is_internal { ChangePrice::TooMuch } else { price },
    };
    let settled = reveal::settle(&facts.candidates, known, &situation, decision);
    additions.keep_added(&facts.candidates, decision);
    let is_paid = settled.reveal == Reveal::InPlace && price != ChangePrice::Nothing;
    if is_paid && facts.question.session.prompt.is_none() {
        cost.charge(chars);
    }
    settled
}

fn is_new_prompt(facts: &Facts, memory: &Memory) -> bool {
    memory.prompt != facts.question.prompt
}

/// The memory once this decision is carried out.
fn remember(
    facts: &Facts,
    known: &Memory,
    answers: &Answers,
    decision: &Decision,
    settled: Settled,
    additions: Additions,
) -> Memory {
    let is_first = known.is_empty();
    let mut memory = known.clone();
    let goes_in_place = settled.reveal == Reveal::InPlace;
    if goes_in_place && (!facts.is_internal || facts.rendered_anew() != known.rendered_anew) {
        memory.put_in_place(facts.catalog_count().saturating_sub(1));
        // What a restatement superseded costs nothing more to cut when the beginning changes anyway.
        memory.cut = superseded(&facts.texts);
    }
    // OpenCode's own requests take a decision and make none.
    if facts.is_internal && !is_first {
        keep_revealed(&mut memory, facts, settled, additions);
        return memory;
    }
    memory.note(&facts.candidates, answers, decision);
    memory.has_changed = goes_in_place && !is_first || known.has_changed && !is_new_prompt(facts, known);
    keep_revealed(&mut memory, facts, settled, additions);
    memory.prompt = facts.question.prompt.clone();
    memory.native = facts.native.fingerprint();
    memory.rendered_anew = facts.rendered_anew();
    memory.catalogs = facts.catalog_count();
    memory.version += 1;
    memory
}

/// Takes note of what a decision newly shows, and how.
fn keep_revealed(memory: &mut Memory, facts: &Facts, settled: Settled, additions: Additions) {
    let Settled { reveal, fresh, shows_all } = settled;
    memory.shows_all = shows_all;
    let lists = facts.catalog_count();
    let Additions { listed, mut announced } = additions;
    if reveal == Reveal::Announced {
        announced.extend(listed);
    } else {
        let since = lists.saturating_sub(1);
        memory.added.extend(listed.into_iter().map(|addition| AddedTool { since, addition }));
    }
    let names = if reveal == Reveal::Announced { fresh.names } else { Vec::new() };
    let Some(anchor) = facts.anchor.as_ref().filter(|_| !names.is_empty() || !announced.is_empty()) else {
        return;
    };
    let text = announce(facts, &names, &announced).unwrap_or_default();
    let added = announced.into_iter().map(|addition| AddedTool { since: lists, addition }).collect();
    memory.announced.push(Announced { before: anchor.id.clone(), names, added, text });
}

fn plan(facts: &Facts, memory: &Memory, decision: &Decision) -> Plan {
    // An undone message may have superseded what is the newest again.
    let superseded = superseded(&facts.texts);
    let announced = memory.announced.iter().map(|announced| PlacedAnnouncement {
        message: facts.place_of(&announced.before),
        names: &announced.names,
        text: &announced.text,
    });
    let extras = Extras {
        added: memory.all_added().collect(),
        announced: announced.collect(),
        cut: std::array::from_fn(|list| memory.cut[list].min(superseded[list])),
        hidden: Cow::Borrowed(memory.hidden()),
        hint: facts.settings.options.recovery_hint,
    };
    let mut plan = Plan::make(&facts.texts, &facts.places, &facts.candidates, decision, &extras);
    let discovery = &facts.settings.options.discovery;
    if !discovery.enabled {
        return plan;
    }
    if discovery.system_hint {
        // What was announced in a message is missing from its list all the same.
        let missing = memory.missing();
        let tools = missing.tool_names().next().is_some();
        plan.note = search_note(Shortened { tools, skills: !missing.skills.is_empty() });
    }
    if discovery.pointer_list {
        plan.pointers = pointer_list(extras.hidden.tool_names(), discovery.pointer_chars);
    }
    plan
}
