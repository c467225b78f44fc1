//! Tools that the host's sample left out and that passed: which of them find room, and where they go.

use std::borrow::Cow;

use crate::candidates::inventory::Inventory;
use crate::candidates::{Candidates, Server, Tool};
use crate::opencode::catalog::{Addition, Catalog};
use crate::opencode::signature;
use crate::plan::{catalog_at, newest_catalog, Extras, Plan};
use crate::policy::budget::mean;
use crate::policy::{Answers, Decision, Reason, Verdict};
use crate::pruning::turn::Turn;
use crate::session::memory::{Memory, Thing};

/// Tools to add that were not added before.
#[derive(Debug, Default)]
pub(crate) struct Refill {
    /// To the newest list, which counts them already.
    pub listed: Vec<Addition>,
    /// To a message of ours, since the newest list counts fewer tools than there are by now.
    pub told: Vec<Addition>,
}

impl Refill {
    /// Chooses the best-scored while pruning has made room for them. What finds no room is taken out of the
    /// decision.
    pub fn choose(turn: &Turn, memory: &Memory, answers: &Answers, decision: &mut Decision) -> Refill {
        let wanted = wanted(&turn.candidates, memory, answers, decision);
        if wanted.is_empty() {
            return Refill::default();
        }
        let newest = newest_catalog(&turn.texts).and_then(|at| catalog_at(&turn.texts, at));
        let mut room = turn.chars_saved(&removals(turn, memory, decision));
        let mut refill = Refill::default();
        for Wanted { server, tool, .. } in wanted {
            let source = &turn.candidates.servers[server];
            let namespace = source.namespace.as_str();
            let place = newest.and_then(|catalog| {
                let is_here = |addition: &&Addition| addition.namespace == namespace;
                let taken = refill.listed.iter().filter(is_here).count();
                let added = memory.all_added().map(|added| &added.addition).filter(is_here).count();
                catalog.unlisted_in(namespace).map(|unlisted| taken + added < unlisted)
            });
            let addition = place
                .filter(|in_list| *in_list || turn.anchor.is_some())
                .and_then(|_| render(newest?, source, &source.tools[tool], &turn.inventory))
                .filter(|addition| addition.chars() <= room);
            let Some(addition) = addition else {
                decision.tools[server][tool] = Verdict::prune(Reason::NoRoom);
                continue;
            };
            room -= addition.chars();
            if place == Some(true) {
                refill.listed.push(addition);
            } else {
                refill.told.push(addition);
            }
        }
        for list in [&mut refill.listed, &mut refill.told] {
            list.sort_by(|a, b| (&a.namespace, &a.tool).cmp(&(&b.namespace, &b.tool)));
        }
        refill
    }

    /// Drops what is not to be added after all.
    pub fn keep_added(&mut self, candidates: &Candidates, decision: &Decision) {
        let is_added = |addition: &Addition| {
            let at = candidates.servers.iter().position(|server| server.namespace == addition.namespace);
            let verdict = at.and_then(|at| {
                let tool = candidates.servers[at].tools.iter().position(|tool| tool.name == addition.tool)?;
                decision.tools.get(at)?.get(tool)
            });
            verdict.is_some_and(|verdict| verdict.kept)
        };
        self.listed.retain(is_added);
        self.told.retain(is_added);
    }
}

/// A tool by its place among the candidates.
struct Wanted {
    server: usize,
    tool: usize,
    rank: f64,
}

/// Best first.
fn wanted(candidates: &Candidates, memory: &Memory, answers: &Answers, decision: &Decision) -> Vec<Wanted> {
    let mut wanted = Vec::new();
    for (server, tools) in decision.tools.iter().enumerate() {
        let passed = tools.iter().enumerate().filter(|(_, verdict)| verdict.reason == Reason::Added);
        for (tool, _) in passed {
            let source = &candidates.servers[server];
            if !memory.has_added(&Thing::tool(source, &source.tools[tool])) {
                let rank = mean([answers.tool(server, tool).score(), answers.server(server).score()]);
                wanted.push(Wanted { server, tool, rank });
            }
        }
    }
    wanted.sort_by(|a, b| b.rank.total_cmp(&a.rank));
    wanted
}

/// The plan without anything new.
fn removals(turn: &Turn, memory: &Memory, decision: &Decision) -> Plan {
    let extras = Extras {
        added: memory.all_added().collect(),
        hidden: Cow::Borrowed(memory.hidden()),
        hint: turn.settings.options.recovery_hint,
        ..Extras::default()
    };
    Plan::make(&turn.texts, &turn.places, &turn.candidates, decision, &extras)
}

fn render(catalog: &Catalog, server: &Server, tool: &Tool, inventory: &Inventory) -> Option<Addition> {
    let (known, schemas) = inventory.tool(&tool.id)?;
    let source = signature::EntrySource {
        namespace: &server.namespace,
        tool: &tool.name,
        description: known.description.as_deref(),
        input: schemas.input.as_ref(),
        output: schemas.output.as_ref(),
    };
    let entry = signature::entry(&source, catalog.style())?;
    Some(Addition { namespace: server.namespace.clone(), tool: tool.name.clone(), entry })
}
