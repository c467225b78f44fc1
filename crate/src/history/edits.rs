//! What was pruned of a session, as edits of the messages of one request. Nothing is decided here: the same request
//! with the same slots pruned comes to the same edits.

use crate::opencode::messages::Role;
use crate::text::Edit as TextEdit;

use super::conversation::{Message, OutputKind, Part, Place};
use super::placeholders::placeholder;
use super::pruned::{PrunedSlots, Slot, Strategy};
use super::thinking::prunable_thinking;
use super::view::{Pair, View};

/// What becomes of one part.
#[derive(Clone, Debug, PartialEq)]
pub struct Edit {
    /// The part.
    pub place: Place,
    /// What becomes of it.
    pub change: Change,
}

/// What becomes of a part.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// The output becomes this text; its media go with it.
    Output(String),
    /// The field `content` of the input becomes this text.
    Content(String),
    /// The input becomes this JSON.
    Input(String),
    /// The text loses these ranges, in UTF-16 code units.
    Text(Vec<TextEdit>),
    /// The part goes.
    Drop,
}

/// An edit, why it is made, and what it saves.
#[derive(Debug)]
pub(super) struct PrunedPart {
    pub(super) edit: Edit,
    pub(super) strategy: Strategy,
    pub(super) saved_chars: usize,
}

/// Everything that was pruned so far: outputs and inputs in the order of their calls, then thinking.
pub(super) fn pruned_parts(view: &View, pruned: &PrunedSlots) -> Vec<PrunedPart> {
    if pruned.is_empty() {
        return Vec::new();
    }
    let mut parts = Vec::new();
    for pair in &view.pairs {
        parts.extend(pruned_output(pair, pruned));
        parts.extend(pruned_input(pair, pruned));
    }
    for (at, (message, age)) in view.messages.iter().zip(&view.ages).enumerate() {
        if *age > 0 {
            parts.extend(pruned_thinking(at, message, view.model, pruned));
        }
    }
    parts
}

fn pruned_output(pair: &Pair, pruned: &PrunedSlots) -> Option<PrunedPart> {
    let pruned = pruned.get(&Slot::output(pair))?;
    let may_go = match pruned.strategy {
        // The newest turn is touched only where the model or the user asked for it.
        Strategy::Discard | Strategy::Extract | Strategy::Sweep => {
            pair.output.kind != OutputKind::Untouchable
        }
        _ => pair.age > 0 && pair.has_succeeded(),
    };
    may_go.then(|| {
        let text = placeholder(pruned, pair.call).into_owned();
        PrunedPart {
            strategy: pruned.strategy,
            saved_chars: pair.output.chars.saturating_sub(text.len()),
            edit: Edit { place: pair.output_at, change: Change::Output(text) },
        }
    })
}

fn pruned_input(pair: &Pair, pruned: &PrunedSlots) -> Option<PrunedPart> {
    let pruned = pruned.get(&Slot::input(pair)).filter(|_| pair.age > 0)?;
    let input = &pair.call.input;
    let (saved_chars, change) = match pruned.strategy {
        Strategy::SupersedeWrites => (input.saved_by_content(), Change::Content(input.content_left_out())),
        _ => (input.saved_by_all(), Change::Input(input.shortened.clone())),
    };
    let edit = Edit { place: pair.call_at, change };
    (saved_chars > 0).then_some(PrunedPart { edit, strategy: pruned.strategy, saved_chars })
}

fn pruned_thinking(at: usize, message: &Message, model: &str, pruned: &PrunedSlots) -> Vec<PrunedPart> {
    if message.role != Role::Assistant || !pruned.contains_key(&Slot::thinking(message)) {
        return Vec::new();
    }
    prunable_thinking(message, model)
        .into_iter()
        .map(|thinking| {
            let change = match message.parts.get(thinking.part) {
                Some(Part::Text(text)) if !text.is_all_thinking => Change::Text(text.thinking.clone()),
                _ => Change::Drop,
            };
            PrunedPart {
                edit: Edit { place: Place { message: at, part: thinking.part }, change },
                strategy: Strategy::PruneThinking,
                saved_chars: thinking.chars,
            }
        })
        .collect()
}
