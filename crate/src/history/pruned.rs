//! What can be pruned as one, by which strategies, and what was pruned of a session so far. The key of a slot is the
//! same in every request of a session, so that what was pruned once is pruned the same way again.

use std::fmt;

use serde::Serialize;

use crate::hash::FxHashMap;

use super::conversation::Message;
use super::view::Pair;

/// What is pruned as one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Slot {
    /// The output of a call, by the call's key.
    Output(u64),
    /// The input of a call, by the call's key.
    Input(u64),
    /// All thinking of a message, by the message's key.
    Thinking(u64),
}

impl Slot {
    pub(super) fn output(pair: &Pair) -> Slot {
        Slot::Output(pair.key)
    }

    pub(super) fn input(pair: &Pair) -> Slot {
        Slot::Input(pair.key)
    }

    pub(super) fn thinking(message: &Message) -> Slot {
        Slot::Thinking(message.key())
    }
}

/// Why something is pruned. Serialised and printed by its name in the options, or the name of the tool or command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Strategy {
    /// The same call was made again later; the older output goes.
    Deduplication,
    /// A written file was read or wholly written again later; the `content` of the older `write` goes.
    SupersedeWrites,
    /// The call failed some turns ago; the large strings of its input go.
    PurgeErrors,
    /// Reasoning and `<thinking>` blocks of older messages go.
    PruneThinking,
    /// A large output some turns ago becomes one line.
    PlaceholderCompression,
    /// The model called `discard`.
    Discard,
    /// The model called `extract`, with its own summary of the output.
    Extract,
    /// The user ran `/jev sweep`.
    Sweep,
}

impl fmt::Display for Strategy {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        self.serialize(formatter)
    }
}

/// How one slot is pruned.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Pruned {
    pub(super) strategy: Strategy,
    /// The model's own summary, for [`Strategy::Extract`].
    pub(super) summary: Option<String>,
}

impl Pruned {
    pub(super) fn by(strategy: Strategy) -> Pruned {
        Pruned { strategy, summary: None }
    }
}

/// All that was pruned of a session.
pub(super) type PrunedSlots = FxHashMap<Slot, Pruned>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_strategy_is_named_as_in_the_options_wherever_it_is_written() {
        for (strategy, name) in [
            (Strategy::Deduplication, "deduplication"),
            (Strategy::SupersedeWrites, "supersede_writes"),
            (Strategy::PurgeErrors, "purge_errors"),
            (Strategy::PruneThinking, "prune_thinking"),
            (Strategy::PlaceholderCompression, "placeholder_compression"),
            (Strategy::Discard, "discard"),
            (Strategy::Extract, "extract"),
            (Strategy::Sweep, "sweep"),
        ] {
            assert_eq!(strategy.to_string(), name);
            assert_eq!(serde_json::to_value(strategy).unwrap(), name);
        }
    }

    #[test]
    fn a_name_is_padded_as_any_text() {
        assert_eq!(format!("{:<8}|", Strategy::Sweep), "sweep   |");
    }
}
