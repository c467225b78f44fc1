//! The strategies: each looks at a conversation and says what could go. Whether and when it goes is
//! [`super::session`]'s part.
//!
//! All of them leave the newest turn alone, what the rules protect, and what would not become smaller.

use crate::hash::{fingerprint_of, FxHashMap};
use crate::opencode::messages::Role;

use super::input::normal_path;
use super::placeholders::hint;
use super::rules::{Asks, Rules};
use super::session::Made;
use super::view::{Pair, View};
use super::{tokens, Message, Part, Strategy};

/// What a strategy would do to one slot: the output of a call, the input of a call, the thinking of a message.
#[derive(Clone, Debug, PartialEq)]
pub struct Wish {
    pub key: u64,
    pub strategy: Strategy,
    /// Characters.
    pub saves: usize,
}

/// The key of a slot; made once, an edit is found again by it.
pub fn output_key(pair: &Pair) -> u64 {
    pair.key
}

pub fn input_key(pair: &Pair) -> u64 {
    !pair.key
}

pub fn thinking_key(message: &Message) -> u64 {
    fingerprint_of(&message.id)
}

/// What all strategies together would do that is not made yet. Where two want the same output, the first one has it.
pub fn wishes(view: &View, rules: &Rules, made: &FxHashMap<u64, Made>) -> Vec<Wish> {
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
        all.extend(placeholder_compression(view, rules, made));
    }
    let mut taken = FxHashMap::<u64, usize>::default();
    all.retain(|wish: &Wish| {
        wish.saves > 0 && !made.contains_key(&wish.key) && taken.insert(wish.key, 0).is_none()
    });
    all
}

fn wish_for_output(pair: &Pair, strategy: Strategy, text: &str) -> Wish {
    Wish { key: output_key(pair), strategy, saves: pair.output.chars.saturating_sub(text.len()) }
}

/// Of successful calls of the same tool with the same input only the newest keeps its output.
fn deduplication<'a>(view: &'a View, rules: &'a Rules) -> impl Iterator<Item = Wish> + 'a {
    let same = |pair: &Pair| fingerprint_of(&(&pair.call.name, pair.call.input.fingerprint));
    let may_go = |pair: &&Pair| pair.succeeded() && !rules.protects(pair.call, Asks::Deduplication);
    let candidates: Vec<&Pair> = view.pairs.iter().filter(may_go).collect();
    let mut newest = FxHashMap::<u64, usize>::default();
    for (at, pair) in candidates.iter().enumerate() {
        newest.insert(same(pair), at);
    }
    candidates.into_iter().enumerate().filter_map(move |(at, pair)| {
        let is_older = newest.get(&same(pair)) != Some(&at);
        (is_older && pair.age >= rules.least_age())
            .then(|| wish_for_output(pair, Strategy::Deduplication, super::placeholders::REPEATED))
    })
}

/// The content of a successful `write` goes when the whole file was read, or wholly written again, later.
fn supersede_writes<'a>(view: &'a View, rules: &'a Rules) -> impl Iterator<Item = Wish> + 'a {
    let file = |path: &str| fingerprint_of(&normal_path(path));
    let mut last_known = FxHashMap::<u64, usize>::default();
    for (at, pair) in view.pairs.iter().enumerate() {
        let shows_all = match pair.call.name.as_str() {
            "read" => !pair.call.input.is_partial,
            "write" => true,
            _ => false,
        };
        if let Some(path) = pair.call.input.path.as_deref().filter(|_| shows_all && pair.succeeded()) {
            last_known.insert(file(path), at);
        }
    }
    view.pairs.iter().enumerate().filter_map(move |(at, pair)| {
        let is_write = pair.call.name == "write" && pair.succeeded();
        let path = pair.call.input.path.as_deref().filter(|_| is_write)?;
        let is_known = last_known.get(&file(path)).is_some_and(|&later| later > at);
        let may_go = may_shorten(pair) && !rules.protects(pair.call, Asks::SupersedeWrites);
        (is_known && may_go && pair.age >= rules.least_age()).then(|| Wish {
            key: input_key(pair),
            strategy: Strategy::SupersedeWrites,
            saves: pair.call.input.saved_by_content(),
        })
    })
}

/// The input of a call that failed loses its large strings some turns later.
fn purge_errors<'a>(view: &'a View, rules: &'a Rules) -> impl Iterator<Item = Wish> + 'a {
    let age = rules.options.purge_errors.turns.max(rules.least_age());
    view.pairs
        .iter()
        .filter(move |pair| pair.failed() && pair.age >= age && may_shorten(pair))
        .filter(|pair| !rules.protects(pair.call, Asks::PurgeErrors))
        .map(|pair| Wish {
            key: input_key(pair),
            strategy: Strategy::PurgeErrors,
            saves: pair.call.input.saved_by_all(),
        })
}

/// A provider that marked a call may have signed its input.
fn may_shorten(pair: &Pair) -> bool {
    !pair.call.is_marked
}

/// An older large output becomes one line.
fn placeholder_compression<'a>(
    view: &'a View,
    rules: &'a Rules,
    made: &'a FxHashMap<u64, Made>,
) -> impl Iterator<Item = Wish> + 'a {
    let options = &rules.options.placeholder_compression;
    let age = options.delay_turns.max(rules.least_age());
    view.pairs
        .iter()
        .filter(move |pair| pair.succeeded() && pair.age >= age)
        .filter(|pair| {
            tokens(pair.output.chars) >= options.min_output_tokens && !made.contains_key(&output_key(pair))
        })
        .filter(|pair| !rules.protects(pair.call, Asks::Compression))
        .map(|pair| wish_for_output(pair, Strategy::PlaceholderCompression, &hint(pair.call)))
}

/// The thinking of older assistant messages goes, all that a message has of it.
fn prune_thinking<'a>(view: &'a View, rules: &'a Rules) -> impl Iterator<Item = Wish> + 'a {
    let age = rules.options.prune_thinking.delay_turns.max(rules.least_age());
    let old = view.messages.iter().zip(&view.ages).filter(move |(_, own)| **own >= age);
    old.map(|(message, _)| Wish {
        key: thinking_key(message),
        strategy: Strategy::PruneThinking,
        saves: thinking_that_may_go(message, view.model).iter().map(|(_, chars)| chars).sum(),
    })
}

/// Model families whose providers refuse a request from which their plain reasoning was taken.
///
/// DeepSeek asks for `reasoning_content` of every assistant message while thinking is on, Moonshot for that of
/// every message with calls; both answer 400 without it.
const WANT_REASONING_BACK: [&str; 4] = ["deepseek", "kimi", "moonshot", "reasoner"];

/// The parts of a message that are thinking and may go, with their characters. Reasoning goes only all at once.
pub fn thinking_that_may_go(message: &Message, model: &str) -> Vec<(usize, usize)> {
    if message.role != Role::Assistant || message.is_unknown() {
        return Vec::new();
    }
    let reasoning_goes = reasoning_may_go(message, model);
    let found: Vec<(usize, usize)> = message
        .parts
        .iter()
        .enumerate()
        .filter_map(|(at, part)| match part {
            Part::Reasoning { chars, .. } if reasoning_goes => Some((at, *chars)),
            Part::Text(text) if !text.thinking.is_empty() && !text.is_marked => {
                Some((at, text.thinking_chars()))
            }
            _ => None,
        })
        .collect();
    // A message must not be left without content.
    let is_left = |(at, part): (usize, &Part)| match part {
        Part::Text(text) if found.iter().any(|(gone, _)| *gone == at) => !text.is_all_thinking,
        Part::Text(text) => text.chars > 0,
        Part::Reasoning { .. } => !reasoning_goes,
        Part::Call(_) | Part::Output(_) | Part::Both(..) => true,
        Part::Other | Part::Silent => false,
    };
    match message.parts.iter().enumerate().any(is_left) {
        true => found,
        false => Vec::new(),
    }
}

fn reasoning_may_go(message: &Message, model: &str) -> bool {
    let (mut reasoning_is_marked, mut others_are_marked, mut has_calls) = (false, false, false);
    for part in &message.parts {
        match part {
            Part::Reasoning { is_marked, .. } => reasoning_is_marked |= is_marked,
            Part::Text(text) => others_are_marked |= text.is_marked,
            Part::Call(call) | Part::Both(call, _) => {
                has_calls = true;
                others_are_marked |= call.is_marked;
            }
            Part::Output(_) => has_calls = true,
            Part::Other | Part::Silent => {}
        }
    }
    if others_are_marked {
        return false;
    }
    if reasoning_is_marked {
        return !has_calls;
    }
    let model = model.to_ascii_lowercase();
    !WANT_REASONING_BACK.iter().any(|family| model.contains(family))
}

#[cfg(test)]
mod tests;
