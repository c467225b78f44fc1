//! Tools that OpenCode's sample left out and that passed: which of them find room, and where they go.

use std::borrow::Cow;

use crate::candidates::inventory::Inventory;
use crate::candidates::{Candidates, Server, Tool};
use crate::opencode::catalog::{Addition, Catalog};
use crate::opencode::signature;
use crate::plan::{catalog_at, newest_catalog, Extras, Plan};
use crate::policy::{Answers, Decision, Reason, Verdict};
use crate::request::facts::Facts;
use crate::session::memory::{CandidateName, Memory};

/// Tools to add that were not added before.
#[derive(Debug, Default)]
pub(crate) struct Additions {
    /// To the newest list, which counts them already.
    pub listed: Vec<Addition>,
    /// To a message of ours, since the newest list counts fewer tools than there are by now.
    pub announced: Vec<Addition>,
}

impl Additions {
    /// Chooses the best-scored while pruning has made room for them. What finds no room is taken out of the
    /// decision.
    pub fn choose(facts: &Facts, memory: &Memory, answers: &Answers, decision: &mut Decision) -> Additions {
        let wanted = wanted(&facts.candidates, memory, answers, decision);
        if wanted.is_empty() {
            return Additions::default();
        }
        let newest = newest_catalog(&facts.texts).and_then(|at| catalog_at(&facts.texts, at));
        let mut room = removals(facts, memory, decision).chars_saved(facts);
        let mut additions = Additions::default();
        for Wanted { server, tool, .. } in wanted {
            let source = &facts.candidates.servers[server];
            let namespace = source.namespace.as_str();
            let place = newest.and_then(|catalog| {
                let is_here = |addition: &&Addition| addition.namespace == namespace;
                let taken = additions.listed.iter().filter(is_here).count();
                let added = memory.all_added().map(|added| &added.addition).filter(is_here).count();
                catalog.unlisted_in(namespace).map(|unlisted| taken + added < unlisted)
            });
            let addition = place
                .filter(|in_list| *in_list || facts.anchor.is_some())
                .and_then(|_| render(newest?, source, &source.tools[tool], &facts.inventory))
                .filter(|addition| addition.chars() <= room);
            let Some(addition) = addition else {
                decision.tools[server][tool] = Verdict::prune(Reason::NoRoom);
                continue;
            };
            room -= addition.chars();
            if place == Some(true) {
                additions.listed.push(addition);
            } else {
                additions.announced.push(addition);
            }
        }
        for list in [&mut additions.listed, &mut additions.announced] {
            list.sort_by(|a, b| (&a.namespace, &a.tool).cmp(&(&b.namespace, &b.tool)));
        }
        additions
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
        self.announced.retain(is_added);
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
            if !memory.has_added(&CandidateName::tool(source, &source.tools[tool])) {
                let rank = answers.tool_rank(server, tool);
                wanted.push(Wanted { server, tool, rank });
            }
        }
    }
    wanted.sort_by(|a, b| b.rank.total_cmp(&a.rank));
    wanted
}

/// The plan without anything new.
fn removals(facts: &Facts, memory: &Memory, decision: &Decision) -> Plan {
    let extras = Extras {
        added: memory.all_added().collect(),
        hidden: Cow::Borrowed(memory.hidden()),
        hint: facts.settings.options.recovery_hint,
        ..Extras::default()
    };
    Plan::make(&facts.texts, &facts.places, &facts.candidates, decision, &extras)
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
