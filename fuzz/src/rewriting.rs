//! What must hold when texts are rewritten, whatever they are and whatever is decided. The checks carry the
//! names of the invariants in HACKING.md.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::rc::Rc;

use opencode_jev_pruner::candidates::inventory::Inventory;
use opencode_jev_pruner::candidates::{Candidates, NativeTools, Scope};
use opencode_jev_pruner::opencode::ReadText;
use opencode_jev_pruner::plan::{Extras, Plan};
use opencode_jev_pruner::policy::{Decision, Reason, Verdict};
use opencode_jev_pruner::text::{apply, to_utf16, Edit};

use crate::listed::{listed, Name};

pub fn read_all(texts: &[String]) -> Vec<Rc<ReadText>> {
    texts.iter().cloned().map(ReadText::new).collect()
}

/// Everything that could be hidden.
pub fn collect(texts: &[Rc<ReadText>]) -> Candidates {
    let scope = Scope { mcp_tools: true, skills: true, unlisted_tools: true };
    Candidates::collect(texts, &NativeTools::default(), &Inventory::default(), scope)
}

/// Verdicts by name, so that a thing has the same one wherever and whenever it is met.
#[derive(Clone, Debug)]
pub struct Verdicts(pub Vec<bool>);

impl Verdicts {
    fn keeps(&self, kind: &str, names: &[&str]) -> bool {
        let mut hasher = DefaultHasher::new();
        (kind, names).hash(&mut hasher);
        match self.0.len() {
            0 => true,
            some => self.0[(hasher.finish() % some as u64) as usize],
        }
    }

    /// A server goes exactly when none of its tools stays.
    pub fn decide(&self, candidates: &Candidates) -> Decision {
        let mut decision = Decision::default();
        for server in &candidates.servers {
            let namespace = server.namespace.as_str();
            let of_server = self.keeps("server", &[namespace]);
            let keeps = |tool: &str| of_server && self.keeps("tool", &[namespace, tool]);
            let tools: Vec<bool> = server.tools.iter().map(|tool| keeps(&tool.name)).collect();
            let stays = of_server && (tools.is_empty() || tools.contains(&true));
            decision.servers.push(verdict(stays));
            decision.tools.push(tools.into_iter().map(verdict).collect());
        }
        decision.skills =
            candidates.skills.iter().map(|one| verdict(self.keeps("skill", &[&one.id]))).collect();
        decision
    }
}

fn verdict(kept: bool) -> Verdict {
    match kept {
        true => Verdict::keep(Reason::Passed),
        false => Verdict::prune(Reason::Rejected),
    }
}

/// Texts, and all that decides what becomes of them.
pub struct Rewriting<'a> {
    pub texts: &'a [Rc<ReadText>],
    pub places: &'a [Option<usize>],
    pub candidates: &'a Candidates,
    pub decision: &'a Decision,
    pub extras: Extras<'a>,
}

impl Rewriting<'_> {
    /// Checks everything that can be checked of it.
    pub fn check(mut self) {
        let plan = self.plan(self.texts);
        assert_eq!(plan.texts.len(), self.texts.len(), "each text has its edits");
        for (text, edits) in self.texts.iter().zip(&plan.texts) {
            check_edits(&text.text, edits);
        }
        assert_eq!(self.plan(self.texts), plan, "same decision, same bytes");
        self.check_pieces(&plan);
        // Which restatements are cut is a count from the first one, so what was cut counts no more.
        self.extras.cut = Default::default();
        self.check_twice(&plan);
    }

    /// What is rejected goes as a whole, and what is kept stays as a whole.
    fn check_pieces(&self, plan: &Plan) {
        let is_plain = self.extras.announced.is_empty() && self.extras.hidden.is_empty();
        if !is_plain || self.extras.cut.iter().any(|count| *count > 0) {
            return;
        }
        for (text, edits) in self.texts.iter().zip(&plan.texts) {
            for piece in listed(text) {
                let (is_kept, is_removed) = (piece.is_kept(edits), piece.is_removed(edits));
                match self.keeps(&piece.what) {
                    true => assert!(is_kept, "{:?} stays", &text.text[piece.range.clone()]),
                    false => assert!(is_removed, "{:?} goes", &text.text[piece.range.clone()]),
                }
            }
        }
    }

    /// What is no candidate stays.
    fn keeps(&self, name: &Name) -> bool {
        let server =
            |namespace: &str| self.candidates.servers.iter().position(|one| one.namespace == namespace);
        match name {
            Name::Server(namespace) => server(namespace).is_none_or(|at| self.decision.servers[at].kept),
            Name::Tool(namespace, tool) => server(namespace).is_none_or(|at| {
                let tools = &self.candidates.servers[at].tools;
                let place = tools.iter().position(|one| one.name == *tool);
                let kept = place.is_none_or(|place| self.decision.tools[at][place].kept);
                self.decision.servers[at].kept && kept
            }),
            Name::Skill(id) => {
                let place = self.candidates.skills.iter().position(|one| one.id == *id);
                place.is_none_or(|place| self.decision.skills[place].kept)
            }
        }
    }

    /// Rewriting twice equals rewriting once. A text may hold lines like the host's that become part of a list
    /// only when what stood between them is gone; where that happens nothing is promised.
    fn check_twice(&self, plan: &Plan) {
        let once = outputs(self.texts, plan);
        let read = read_all(&once);
        let is_clear = |texts: &[Rc<ReadText>]| texts.iter().all(|text| text.reading.unread.is_empty());
        let pairs = self.texts.iter().zip(&plan.texts).zip(&read);
        let reads_what_stays = pairs.into_iter().all(|((text, edits), after)| {
            let stay = listed(text).iter().filter(|piece| !piece.is_removed(edits)).count();
            listed(after).len() == stay && after.reading.sections.len() <= text.reading.sections.len()
        });
        if is_clear(self.texts) && is_clear(&read) && reads_what_stays {
            assert_eq!(outputs(&read, &self.plan(&read)), once, "rewriting twice equals rewriting once");
        }
    }

    fn plan(&self, texts: &[Rc<ReadText>]) -> Plan {
        Plan::make(texts, self.places, self.candidates, self.decision, &self.extras)
    }
}

fn outputs(texts: &[Rc<ReadText>], plan: &Plan) -> Vec<String> {
    texts.iter().zip(&plan.texts).map(|(text, edits)| apply(&text.text, edits)).collect()
}

/// Edits stand in order, lie inside the text and cut no character; kept + removed = input; JavaScript, which
/// counts in UTF-16, makes the same text of them.
fn check_edits(text: &str, edits: &[Edit]) {
    let (mut kept, mut at) = (Vec::new(), 0);
    for edit in edits {
        assert!(at <= edit.range.start && edit.range.start <= edit.range.end, "{edit:?} stands behind {at}");
        let before = text.get(at..edit.range.start);
        assert!(before.is_some() && text.get(edit.range.clone()).is_some(), "{edit:?} cuts a character");
        kept.push(before.unwrap_or_default());
        at = edit.range.end;
    }
    assert!(at <= text.len(), "an edit reaches beyond the text");
    kept.push(&text[at..]);

    let output = apply(text, edits);
    let removed: usize = edits.iter().map(|edit| edit.range.len()).sum();
    let kept_bytes: usize = kept.iter().map(|piece| piece.len()).sum();
    assert_eq!(kept_bytes + removed, text.len(), "kept + removed = input");
    let mut rest = output.as_str();
    for (piece, edit) in kept.iter().zip(edits) {
        rest = rest.strip_prefix(piece).expect("what is kept stands in the output");
        rest = rest.strip_prefix(edit.replacement.as_str()).expect("a replacement follows what is kept");
    }
    assert_eq!(Some(&rest), kept.last(), "nothing stands in the output but what is kept and replaced");
    assert_eq!(String::from_utf16(&applied_in_utf16(text, edits)).ok(), Some(output), "the same in UTF-16");
}

fn applied_in_utf16(text: &str, edits: &[Edit]) -> Vec<u16> {
    let units: Vec<u16> = text.encode_utf16().collect();
    let (mut out, mut at) = (Vec::new(), 0);
    for edit in to_utf16(text, edits) {
        out.extend_from_slice(&units[at..edit.range.start]);
        out.extend(edit.replacement.encode_utf16());
        at = edit.range.end;
    }
    out.extend_from_slice(&units[at..]);
    out
}
