//! Forgetting what is stale in the conversation: outputs read long ago, inputs of calls that failed or are known
//! from elsewhere, thinking of finished turns.
//!
//! ```text
//! messages ─► view: calls paired with outputs, ages in turns ─► strategies: wishes
//!                                                                   │
//!                       session: what was made before, batches  ◄───┘
//!                          └─► edits: part N of message M becomes ...
//! ```
//!
//! The border fills [`Message`]s, which hold sizes and short texts, never a whole history, and carries out the
//! [`Edit`]s. Nothing here changes a message. A part that is not known is [`Part::Other`] and stays.

pub mod commands;
pub mod input;
pub mod own_tools;
pub mod placeholders;
pub mod rules;
pub mod session;
pub mod strategies;
#[cfg(test)]
pub mod testing;
pub mod thinking;
pub mod view;

use std::rc::Rc;

use crate::opencode::messages::Role;
use crate::text::Edit as TextEdit;
use input::Input;

/// One message of a conversation.
#[derive(Clone, Debug)]
pub struct Message {
    /// The host's id, or what stands for it; the same in every request of the session.
    pub id: String,
    pub role: Role,
    /// Whether a turn begins here: a person typed it.
    pub is_prompt: bool,
    pub parts: Vec<Part>,
}

impl Message {
    /// Whether something in it is of a kind that is not known; then it is left alone.
    pub fn is_unknown(&self) -> bool {
        self.parts.iter().any(|part| matches!(part, Part::Other))
    }
}

/// One part of a message. Sizes are characters as JavaScript counts them.
#[derive(Clone, Debug)]
pub enum Part {
    Text(Text),
    Reasoning {
        chars: usize,
        is_marked: bool,
    },
    Call(Call),
    Output(Output),
    /// OpenCode 1.18 keeps a call and its output in one part.
    Both(Call, Output),
    /// The host's bookkeeping, which no model sees.
    Silent,
    Other,
}

#[derive(Clone, Debug, Default)]
pub struct Text {
    pub chars: usize,
    pub is_marked: bool,
    /// What to cut to have the text without its `<thinking>` blocks.
    pub thinking: Vec<TextEdit>,
    /// Whether nothing but white space is left then.
    pub is_all_thinking: bool,
}

impl Text {
    /// A text, read for its `<thinking>` blocks.
    pub fn read(text: &str, is_marked: bool) -> Text {
        let thinking = thinking::blocks(text);
        let rest = crate::text::apply(text, &thinking);
        Text {
            chars: text.encode_utf16().count(),
            is_marked,
            is_all_thinking: rest.trim().is_empty(),
            thinking: crate::text::to_utf16(text, &thinking),
        }
    }

    fn thinking_chars(&self) -> usize {
        self.thinking.iter().map(|edit| edit.range.len()).sum()
    }
}

/// A call of a tool.
///
/// `is_marked` says that the part carries something of its provider (`providerMetadata`, `encrypted`, `native`;
/// in 1.18 `metadata`), by which the provider may tie it to other parts.
#[derive(Clone, Debug)]
pub struct Call {
    pub id: String,
    pub name: String,
    pub input: Rc<Input>,
    pub is_marked: bool,
    /// Carried out by the provider, who may insist on input and output as they were.
    pub by_provider: bool,
}

/// What came of a call. An output that is not known to be whole text is measured all the same.
#[derive(Clone, Debug)]
pub struct Output {
    /// Of the call.
    pub id: String,
    pub chars: usize,
    pub kind: OutputKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputKind {
    Success,
    Error,
    /// Not finished, cleared by the host, carried out by the provider, or of a shape that is not known.
    Untouchable,
}

/// Where a part stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    pub message: usize,
    pub part: usize,
}

/// What becomes of one part.
#[derive(Clone, Debug, PartialEq)]
pub struct Edit {
    pub place: Place,
    pub change: Change,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// The output becomes this text; its media go with it.
    Output(String),
    /// The field `content` of the input becomes this text.
    Content(String),
    /// The input becomes this JSON.
    Input(String),
    /// The text without these ranges, counted in UTF-16.
    Text(Vec<TextEdit>),
    /// The part goes.
    Drop,
}

/// What saves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Strategy {
    Deduplication,
    SupersedeWrites,
    PurgeErrors,
    PruneThinking,
    PlaceholderCompression,
    Discard,
    Extract,
    Sweep,
}

impl Strategy {
    pub const ALL: [Strategy; 8] = [
        Strategy::Deduplication,
        Strategy::SupersedeWrites,
        Strategy::PurgeErrors,
        Strategy::PruneThinking,
        Strategy::PlaceholderCompression,
        Strategy::Discard,
        Strategy::Extract,
        Strategy::Sweep,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Strategy::Deduplication => "deduplication",
            Strategy::SupersedeWrites => "supersede_writes",
            Strategy::PurgeErrors => "purge_errors",
            Strategy::PruneThinking => "prune_thinking",
            Strategy::PlaceholderCompression => "placeholder_compression",
            Strategy::Discard => "discard",
            Strategy::Extract => "extract",
            Strategy::Sweep => "sweep",
        }
    }
}

/// Characters as tokens, the same estimate as everywhere.
pub fn tokens(chars: usize) -> usize {
    chars.div_ceil(4)
}

/// A text within one line, cut to a length.
fn one_line(text: &str, limit: usize) -> String {
    let is_plain = text.len() <= limit && text.bytes().all(|byte| byte.is_ascii_graphic());
    if is_plain {
        return text.to_string();
    }
    let near = crate::text::cut(text, limit * 2);
    let line = near.split_whitespace().collect::<Vec<_>>().join(" ");
    let short = crate::text::cut(&line, limit);
    match short.len() < line.len() || near.len() < text.len() {
        true => format!("{short}..."),
        false => short.to_string(),
    }
}
