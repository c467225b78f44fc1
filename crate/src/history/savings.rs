//! What the report of a request says of its conversation: how much shorter it became, and by which strategies.

use std::collections::BTreeMap;

use serde::Serialize;

use super::edits::PrunedPart;
use super::pruned::Strategy;
use super::sizes::tokens;

/// What was left out of the conversation of one request. Tokens are estimated as a quarter of the characters.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct HistorySavings {
    /// The tokens by which all edits shorten this request.
    pub tokens_saved: usize,
    /// All edits of this request's messages.
    pub edits: usize,
    /// Slots that are pruned for the first time.
    pub new_edits: usize,
    /// The tokens that further edits would save, which wait until they save more together.
    pub tokens_waiting: usize,
    /// The same by strategy, in the order of [`Strategy`], for those with edits.
    pub strategies: Vec<StrategySavings>,
}

/// What one strategy left out.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StrategySavings {
    /// The strategy, in JSON by its name.
    pub strategy: Strategy,
    /// The number of its edits.
    pub edits: usize,
    /// The tokens that they save.
    pub tokens: usize,
}

impl HistorySavings {
    /// Adds up what the edits of a request save.
    pub(super) fn of(parts: &[PrunedPart]) -> HistorySavings {
        let mut sums = BTreeMap::<Strategy, (usize, usize)>::new();
        for part in parts {
            let (edits, chars) = sums.entry(part.strategy).or_default();
            *edits += 1;
            *chars += part.saved_chars;
        }
        let strategies: Vec<StrategySavings> = sums
            .into_iter()
            .map(|(strategy, (edits, chars))| StrategySavings { strategy, edits, tokens: tokens(chars) })
            .collect();
        HistorySavings {
            tokens_saved: strategies.iter().map(|of| of.tokens).sum(),
            edits: parts.len(),
            strategies,
            ..HistorySavings::default()
        }
    }
}
