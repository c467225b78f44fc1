//! What a report says of the conversation, of which old parts were left out of the request. [`crate::history`] decides
//! which.

use serde::Serialize;

/// What was left out of the conversation. Tokens are estimated as a quarter of the characters.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct HistorySavings {
    /// The tokens by which all edits shorten this request.
    pub tokens_saved: usize,
    /// All edits of this request's messages.
    pub edits: usize,
    /// Edits made for the first time.
    pub new_edits: usize,
    /// What further edits would save, which wait for more of them.
    pub tokens_waiting: usize,
    /// The same by strategy, for those with edits.
    pub strategies: Vec<StrategySavings>,
}

/// What one strategy left out.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct StrategySavings {
    /// Its name as in the options under `history`, or `discard`, `extract` or `sweep` for what the model or the user
    /// dropped.
    pub strategy: &'static str,
    /// Its edits.
    pub edits: usize,
    /// The tokens that they save.
    pub tokens: usize,
}
