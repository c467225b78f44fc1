//! Sends texts through the core: reading, candidates, a decision, the plan, the edited texts.

use std::rc::Rc;

use opencode_jev_pruner::candidates::inventory::Inventory;
use opencode_jev_pruner::candidates::{Candidates, NativeTools, Scope};
use opencode_jev_pruner::opencode::ReadText;
use opencode_jev_pruner::opencode::Section;
use opencode_jev_pruner::plan::{superseded, Extras, Plan};
use opencode_jev_pruner::policy::{Decision, Reason, Verdict};
use opencode_jev_pruner::text::{apply, Edit};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::TestCaseResult;

use crate::document::{Kept, Named};

/// What somebody wants of a rewriting.
#[derive(Clone, Debug)]
pub struct Choices {
    /// Verdicts, taken in turn, again and again, for one candidate after the other.
    kept: Vec<bool>,
    /// Whether a list that lost something tells how to reach the rest.
    hint: bool,
    /// Whether what a later restatement supersedes is cut.
    cuts: bool,
}

impl Choices {
    /// The same verdict on everything.
    pub fn all(kept: bool) -> Choices {
        Choices { kept: vec![kept], hint: true, cuts: !kept }
    }

    /// No verdict against anything, and no more than one restatement of each list.
    pub fn only_cuts() -> Choices {
        Choices { cuts: true, ..Choices::all(true) }
    }
}

pub fn choices() -> impl Strategy<Value = Choices> {
    let kept = vec(any::<bool>(), 1..24);
    (kept, any::<bool>(), any::<bool>()).prop_map(|(kept, hint, cuts)| Choices { kept, hint, cuts })
}

/// Texts with all that is made of them under one decision.
pub struct Rewritten {
    pub texts: Vec<Rc<ReadText>>,
    pub plan: Plan,
    pub kept: Kept,
    candidates: Candidates,
    decision: Decision,
    extras: Extras<'static>,
}

pub fn rewrite(texts: &[String], choices: &Choices) -> Rewritten {
    let texts = read_all(texts);
    let candidates = collect(&texts);
    let decision = decide(&candidates, &choices.kept);
    let cut = if choices.cuts { superseded(&texts) } else { Default::default() };
    let extras = Extras { hint: choices.hint, cut, ..Extras::default() };
    let plan = Plan::make(&texts, &[], &candidates, &decision, &extras);
    let kept = kept(&candidates, &decision, choices.hint);
    Rewritten { texts, plan, kept, candidates, decision, extras }
}

pub fn read_all(texts: &[String]) -> Vec<Rc<ReadText>> {
    texts.iter().cloned().map(ReadText::new).collect()
}

pub fn collect(texts: &[Rc<ReadText>]) -> Candidates {
    let scope = Scope { mcp_tools: true, skills: true, unlisted_tools: true };
    Candidates::collect(texts, &NativeTools::default(), &Inventory::default(), scope)
}

impl Rewritten {
    /// Each text with its edits and what comes of it.
    pub fn each(&self) -> impl Iterator<Item = (&str, &[Edit], String)> {
        self.texts
            .iter()
            .zip(&self.plan.texts)
            .map(|(text, edits)| (text.text.as_str(), edits.as_slice(), apply(&text.text, edits)))
    }

    pub fn outputs(&self) -> Vec<String> {
        self.each().map(|(_, _, output)| output).collect()
    }

    /// The same decision on other texts: what it does not name stays.
    pub fn same_decision_on(&self, texts: &[String]) -> Vec<String> {
        let texts = read_all(texts);
        let plan = Plan::make(&texts, &[], &self.candidates, &self.decision, &self.extras);
        texts.iter().zip(&plan.texts).map(|(text, edits)| apply(&text.text, edits)).collect()
    }
}

fn decide(candidates: &Candidates, choices: &[bool]) -> Decision {
    let mut choices = choices.iter().copied().cycle();
    let mut next = || verdict(choices.next().unwrap_or(true));
    let mut decision = Decision::default();
    for server in &candidates.servers {
        let mut of_server = next();
        let mut tools: Vec<Verdict> = server.tools.iter().map(|_| next()).collect();
        match of_server.kept {
            true if tools.is_empty() || tools.iter().any(|tool| tool.kept) => {}
            // A server goes with its last tool.
            true => of_server = verdict(false),
            false => tools.fill(verdict(false)),
        }
        decision.servers.push(of_server);
        decision.tools.push(tools);
    }
    decision.skills = candidates.skills.iter().map(|_| next()).collect();
    decision
}

fn verdict(kept: bool) -> Verdict {
    match kept {
        true => Verdict::keep(Reason::Passed),
        false => Verdict::prune(Reason::Rejected),
    }
}

fn kept(candidates: &Candidates, decision: &Decision, hint: bool) -> Kept {
    let mut kept = Kept { hint, ..Kept::default() };
    for ((server, verdict), tools) in candidates.servers.iter().zip(&decision.servers).zip(&decision.tools) {
        if verdict.kept {
            kept.namespaces.insert(server.namespace.to_string());
        }
        let stay = server.tools.iter().zip(tools).filter(|(_, verdict)| verdict.kept);
        kept.tools.extend(stay.map(|(tool, _)| (server.namespace.to_string(), tool.name.to_string())));
    }
    let stay = candidates.skills.iter().zip(&decision.skills).filter(|(_, verdict)| verdict.kept);
    kept.skills = stay.map(|(skill, _)| skill.id.to_string()).collect();
    kept
}

/// What a text lists, as the core reads it.
pub fn named(text: &ReadText) -> Named {
    let mut named = Named::default();
    for section in &text.reading.sections {
        if let Section::Catalog(catalog) = section {
            named.namespaces.extend(catalog.namespaces.iter().map(|namespace| {
                let tools = namespace.entries.iter().map(|entry| entry.tool.to_string());
                (namespace.name.to_string(), tools.collect())
            }));
        }
        if let Section::Instructions(instructions) = section {
            let both =
                instructions.servers.iter().map(|one| (one.name.to_string(), one.namespace.to_string()));
            named.servers.extend(both);
        }
        if let Section::Skills(skills) = section {
            named.skills.extend(skills.skills.iter().map(|skill| skill.id.to_string()));
        }
    }
    named
}

/// Edits are in order, lie inside the text, never overlap and never cut a character.
pub fn check_well_formed(text: &str, edits: &[Edit]) -> TestCaseResult {
    let mut at = 0;
    for edit in edits {
        prop_assert!(edit.range.start >= at && edit.range.end >= edit.range.start, "{edit:?} behind {at}");
        prop_assert!(text.get(edit.range.clone()).is_some(), "{edit:?} is no piece of the text");
        at = edit.range.end;
    }
    Ok(())
}
