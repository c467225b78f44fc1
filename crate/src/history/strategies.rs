//! What each strategy would prune of a conversation. Whether and when that happens is the session's decision.
//!
//! All strategies leave alone the newest turn, what the rules protect, and what would not become smaller.

use crate::hash::{fingerprint_of, FxHashMap, FxHashSet};

use super::input::normal_path;
use super::placeholders::placeholder;
use super::pruned::{Pruned, PrunedSlots, Slot, Strategy};
use super::rules::Rules;
use super::sizes::tokens;
use super::thinking::prunable_thinking;
use super::view::{Pair, View};

/// What a strategy would do to one slot.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ProposedEdit {
    pub(super) slot: Slot,
    pub(super) strategy: Strategy,
    /// By how many characters the slot becomes shorter.
    pub(super) saved_chars: usize,
}

/// What all strategies together would do that is not done yet. Where two want the same slot, the first one has it.
pub(super) fn proposed_edits(view: &View, rules: &Rules, pruned: &PrunedSlots) -> Vec<ProposedEdit> {
    let options = &rules.options;
    let mut all = Vec::new();
    if options.deduplication.enabled {
        all.extend(deduplication(view, rules));
    }
    if options.supersede_writes.enabled {
        all.extend(supersede_writes(view, rules));
    }
    if options.purge_errors.enabled {
        all.extend(purge_errors(view, rules));
    }
    if options.prune_thinking.enabled {
        all.extend(prune_thinking(view, rules));
    }
    if options.placeholder_compression.enabled {
        all.extend(placeholder_compression(view, rules, pruned));
    }
    let mut seen = FxHashSet::default();
    all.retain(|edit: &ProposedEdit| {
        edit.saved_chars > 0 && !pruned.contains_key(&edit.slot) && seen.insert(edit.slot)
    });
    all
}

fn output_edit(pair: &Pair, strategy: Strategy) -> ProposedEdit {
    let text = placeholder(&Pruned::by(strategy), pair.call);
    ProposedEdit {
        slot: Slot::output(pair),
        strategy,
        saved_chars: pair.output.chars.saturating_sub(text.len()),
    }
}

/// Of successful calls of the same tool with the same input only the newest keeps its output.
fn deduplication<'a>(view: &'a View, rules: &'a Rules) -> impl Iterator<Item = ProposedEdit> + 'a {
    let call_of = |pair: &Pair| fingerprint_of(&(&pair.call.name, pair.call.input.fingerprint));
    let may_go = |pair: &&Pair| pair.has_succeeded() && !rules.protects(pair.call, Strategy::Deduplication);
    let candidates: Vec<(u64, &Pair)> =
        view.pairs.iter().filter(may_go).map(|pair| (call_of(pair), pair)).collect();
    let newest: FxHashMap<u64, usize> =
        candidates.iter().enumerate().map(|(at, (call, _))| (*call, at)).collect();
    candidates.into_iter().enumerate().filter_map(move |(at, (call, pair))| {
        let is_older = newest.get(&call) != Some(&at);
        (is_older && pair.age >= rules.min_age()).then(|| output_edit(pair, Strategy::Deduplication))
    })
}

/// The content of a successful `write` goes when the whole file was read, or wholly written again, later.
fn supersede_writes<'a>(view: &'a View, rules: &'a Rules) -> impl Iterator<Item = ProposedEdit> + 'a {
    let file = |path: &str| fingerprint_of(&normal_path(path));
    let mut last_shown = FxHashMap::<u64, usize>::default();
    for (at, pair) in view.pairs.iter().enumerate() {
        let shows_all = match pair.call.name.as_str() {
            "read" => !pair.call.input.is_partial,
            "write" => true,
            _ => false,
        };
        if let Some(path) = pair.call.input.path.as_deref().filter(|_| shows_all && pair.has_succeeded()) {
            last_shown.insert(file(path), at);
        }
    }
    view.pairs.iter().enumerate().filter_map(move |(at, pair)| {
        let is_write = pair.call.name == "write" && pair.has_succeeded();
        let path = pair.call.input.path.as_deref().filter(|_| is_write)?;
        let is_shown_later = last_shown.get(&file(path)).is_some_and(|&later| later > at);
        let may_go = may_shorten(pair) && !rules.protects(pair.call, Strategy::SupersedeWrites);
        (is_shown_later && may_go && pair.age >= rules.min_age()).then(|| ProposedEdit {
            slot: Slot::input(pair),
            strategy: Strategy::SupersedeWrites,
            saved_chars: pair.call.input.saved_by_content(),
        })
    })
}

/// The input of a call that failed loses its large strings some turns later.
fn purge_errors<'a>(view: &'a View, rules: &'a Rules) -> impl Iterator<Item = ProposedEdit> + 'a {
    let age = rules.options.purge_errors.turns.max(rules.min_age());
    view.pairs
        .iter()
        .filter(move |pair| pair.has_failed() && pair.age >= age && may_shorten(pair))
        .filter(|pair| !rules.protects(pair.call, Strategy::PurgeErrors))
        .map(|pair| ProposedEdit {
            slot: Slot::input(pair),
            strategy: Strategy::PurgeErrors,
            saved_chars: pair.call.input.saved_by_all(),
        })
}

/// Provider metadata may be a signature of the input.
fn may_shorten(pair: &Pair) -> bool {
    !pair.call.has_provider_metadata
}

/// The thinking of older assistant messages goes, all that a message has of it.
fn prune_thinking<'a>(view: &'a View, rules: &'a Rules) -> impl Iterator<Item = ProposedEdit> + 'a {
    let min_age = rules.options.prune_thinking.delay_turns.max(rules.min_age());
    let old = view.messages.iter().zip(&view.ages).filter(move |(_, age)| **age >= min_age);
    old.map(|(message, _)| ProposedEdit {
        slot: Slot::thinking(message),
        strategy: Strategy::PruneThinking,
        saved_chars: prunable_thinking(message, view.model).iter().map(|thinking| thinking.chars).sum(),
    })
}

/// An older large output becomes one line.
fn placeholder_compression<'a>(
    view: &'a View,
    rules: &'a Rules,
    pruned: &'a PrunedSlots,
) -> impl Iterator<Item = ProposedEdit> + 'a {
    let options = &rules.options.placeholder_compression;
    let age = options.delay_turns.max(rules.min_age());
    view.pairs
        .iter()
        .filter(move |pair| pair.has_succeeded() && pair.age >= age)
        .filter(|pair| {
            tokens(pair.output.chars) >= options.min_output_tokens
                && !pruned.contains_key(&Slot::output(pair))
        })
        .filter(|pair| !rules.protects(pair.call, Strategy::PlaceholderCompression))
        .map(|pair| output_edit(pair, Strategy::PlaceholderCompression))
}

#[cfg(test)]
mod tests;
