//! Outputs that can be pruned on demand: the model is shown a list of them, each with a short id, and calls `discard`
//! or `extract` with such ids; the user runs `/jev sweep`. Where the list stands in a request is found here too.

use std::rc::Rc;

use crate::hash::FxHashMap;
use crate::opencode::messages::Role;

use super::conversation::{Message, OutputKind, Part};
use super::input::Input;
use super::label::one_line;
use super::pruned::{Pruned, PrunedSlots, Slot, Strategy};
use super::rules::Rules;
use super::sizes::tokens;
use super::view::View;

/// Smaller outputs are not worth a line in the list.
const MIN_LISTED_TOKENS: usize = 50;
/// The largest number of ids in a list.
const MAX_LISTED: usize = 40;
const MAX_LABEL_CHARS: usize = 60;

/// An output that could be pruned.
#[derive(Clone, Debug, PartialEq)]
struct PrunableOutput {
    id: usize,
    slot: Slot,
    tool: String,
    input: Rc<Input>,
    tokens: usize,
    /// Whether it came since the newest prompt.
    is_of_newest_turn: bool,
}

/// What could be pruned of a session, as its newest request showed it, and when the model was last shown the list.
#[derive(Debug, Default)]
pub(super) struct PrunableOutputs {
    /// Ids once given stay.
    ids: FxHashMap<Slot, usize>,
    outputs: Vec<PrunableOutput>,
    /// All finished calls of the newest request, and how many there were when the list was shown.
    calls: usize,
    calls_when_listed: usize,
    /// Something was pruned since the list was shown.
    is_list_stale: bool,
}

/// A list that was shown to the model. It stands behind the same message in every request until there is another one.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct OutputList {
    behind: u64,
    text: String,
}

/// A list of prunable outputs in one request.
#[derive(Clone, Debug, PartialEq)]
pub struct PlacedList {
    /// The index of the message behind which it stands, as a message of its own.
    pub behind: usize,
    /// What the model reads.
    pub text: String,
}

/// What became of the ids that the model gave.
pub(super) struct PrunedByModel {
    /// What the model is answered.
    pub(super) answer: String,
    pub(super) unknown_ids: usize,
}

/// What a sweep pruned.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Swept {
    pub(super) outputs: usize,
    pub(super) tokens: usize,
}

impl PrunableOutputs {
    /// Looks at what a request holds.
    pub(super) fn update(&mut self, view: &View, rules: &Rules, pruned: &PrunedSlots) {
        self.outputs.clear();
        self.calls = view.pairs.len();
        for pair in &view.pairs {
            let slot = Slot::output(pair);
            let is_finished = pair.output.kind != OutputKind::Untouchable;
            // The three strategies on demand protect the same calls.
            let is_protected = || rules.protects(pair.call, Strategy::Discard);
            if !is_finished || pruned.contains_key(&slot) || is_protected() {
                continue;
            }
            let next = self.ids.len() + 1;
            self.outputs.push(PrunableOutput {
                id: *self.ids.entry(slot).or_insert(next),
                slot,
                tool: pair.call.name.clone(),
                input: pair.call.input.clone(),
                tokens: tokens(pair.output.chars),
                is_of_newest_turn: pair.age == 0,
            });
        }
    }

    fn lines(&self) -> Vec<String> {
        let large = self.outputs.iter().filter(|output| output.tokens >= MIN_LISTED_TOKENS);
        last_of(large, MAX_LISTED).into_iter().map(PrunableOutput::line).collect()
    }

    /// Whether the model should be shown the list again: `frequency` calls have finished since, or something was
    /// pruned that the shown list still names.
    pub(super) fn is_list_due(&self, view: &View, frequency: usize, shown: Option<&OutputList>) -> bool {
        let is_shown = || shown.is_some_and(|list| list.place(view).is_some());
        let new_calls = self.calls.saturating_sub(self.calls_when_listed);
        new_calls >= frequency || (self.is_list_stale && is_shown())
    }

    /// A new list, to stand at the end of this request.
    pub(super) fn list(&mut self, view: &View) -> Option<OutputList> {
        self.calls_when_listed = self.calls;
        self.is_list_stale = false;
        let lines = self.lines();
        // Nothing may follow a message behind which the model does not speak next.
        let last = view.messages.last().filter(|last| is_answered_next(last))?;
        (!lines.is_empty()).then(|| OutputList {
            behind: last.key(),
            text: format!(
                "<prunable-outputs>\nTool outputs that can be taken out of this conversation, by id:\n{}\n\
                 </prunable-outputs>",
                lines.join("\n")
            ),
        })
    }

    /// The model prunes outputs by their ids, with its own summary of them if it has some: one for all ids, or one for
    /// each.
    pub(super) fn prune_by_ids(
        &mut self,
        ids: &[String],
        summaries: &[String],
        pruned: &mut PrunedSlots,
    ) -> PrunedByModel {
        let mut found: Vec<PrunableOutput> = Vec::new();
        let mut unknown: Vec<&str> = Vec::new();
        for id in ids {
            let output = self.outputs.iter().find(|output| output.id.to_string() == id.trim());
            match output {
                Some(output) if found.iter().all(|known| known.slot != output.slot) => {
                    found.push(output.clone());
                }
                Some(_) => {}
                None => unknown.push(id),
            }
        }
        for (at, output) in found.iter().enumerate() {
            let summary = match (summaries.get(at), summaries.first(), found.first()) {
                (Some(own), ..) => Some(own.clone()),
                (None, Some(_), Some(first)) => Some(format!("It stands with output {}.", first.id)),
                _ => None,
            };
            let strategy = if summary.is_some() { Strategy::Extract } else { Strategy::Discard };
            self.prune(output.slot, Pruned { strategy, summary }, pruned);
        }
        let tokens: usize = found.iter().map(|output| output.tokens).sum();
        let mut answer = format!("Taken out: {} output(s), about {tokens} tokens.", found.len());
        if !unknown.is_empty() || ids.is_empty() {
            let valid = self.lines();
            let valid = if valid.is_empty() { "none".to_string() } else { valid.join("; ") };
            answer.push_str(&format!(" Unknown ids, nothing done for them: {}. ", unknown.join(", ")));
            answer.push_str(&format!("Valid ids: {valid}. Do not try unknown ids again."));
        }
        PrunedByModel { answer, unknown_ids: unknown.len() }
    }

    /// The user prunes the last `count` outputs since the newest prompt, or all of them.
    pub(super) fn sweep(&mut self, count: Option<usize>, pruned: &mut PrunedSlots) -> Swept {
        let newest = self.outputs.iter().filter(|output| output.is_of_newest_turn);
        let swept: Vec<(Slot, usize)> = last_of(newest, count.unwrap_or(usize::MAX))
            .into_iter()
            .map(|output| (output.slot, output.tokens))
            .collect();
        for (slot, _) in &swept {
            self.prune(*slot, Pruned::by(Strategy::Sweep), pruned);
        }
        Swept { outputs: swept.len(), tokens: swept.iter().map(|(_, tokens)| tokens).sum() }
    }

    fn prune(&mut self, slot: Slot, how: Pruned, pruned: &mut PrunedSlots) {
        pruned.insert(slot, how);
        self.outputs.retain(|output| output.slot != slot);
        self.is_list_stale = true;
        self.calls_when_listed = self.calls;
    }
}

/// Whether the model speaks next: a user or a tool has spoken, or in 1.18 the outputs stand with the calls.
fn is_answered_next(message: &Message) -> bool {
    matches!(message.role, Role::User | Role::Tool)
        || message.parts.iter().any(|part| matches!(part, Part::Both(..)))
}

/// The last few, in their order.
fn last_of<'a>(outputs: impl Iterator<Item = &'a PrunableOutput>, count: usize) -> Vec<&'a PrunableOutput> {
    let mut all: Vec<&PrunableOutput> = outputs.collect();
    all.drain(..all.len().saturating_sub(count));
    all
}

impl PrunableOutput {
    fn label(&self) -> String {
        one_line(&format!("{} {}", self.tool, self.input.summary), MAX_LABEL_CHARS)
    }

    fn line(&self) -> String {
        format!("{}: {} ({} tokens)", self.id, self.label(), self.tokens)
    }
}

impl OutputList {
    /// Where it stands in this request; nowhere if its message is gone, or if it would part a call from its output.
    pub(super) fn place(&self, view: &View) -> Option<PlacedList> {
        let behind = view.messages.iter().position(|message| message.key() == self.behind)?;
        let parts_a_call = view.messages.get(behind + 1).is_some_and(|next| next.role == Role::Tool);
        (!parts_a_call).then(|| PlacedList { behind, text: self.text.clone() })
    }
}

#[cfg(test)]
mod tests;
