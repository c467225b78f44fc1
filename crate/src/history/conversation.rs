//! The conversation of a request as [`crate::history`] sees it: messages and their parts, with sizes and short texts
//! instead of contents. How OpenCode 2 and 1.18 store them is read by `js-shim/conversation.js`.

use std::rc::Rc;

use crate::hash::fingerprint_of;
use crate::opencode::messages::Role;
use crate::text::{self, Edit};

use super::input::Input;
use super::thinking_blocks::thinking_blocks;

/// One message.
#[derive(Clone, Debug)]
pub struct Message {
    /// OpenCode's id of it, or one made of its place in the history; the same in every request of the session.
    pub id: String,
    /// Who speaks.
    pub role: Role,
    /// Whether a turn begins here: a user typed it.
    pub is_prompt: bool,
    /// Its parts, in OpenCode's order, so that a [`Place`] finds them again.
    pub parts: Vec<Part>,
}

impl Message {
    /// Stands for the message in every request of the session.
    pub(super) fn key(&self) -> u64 {
        fingerprint_of(&self.id)
    }

    /// Whether something in it is of a kind that is not known; then it is left alone.
    pub fn is_unknown(&self) -> bool {
        self.parts.iter().any(|part| matches!(part, Part::Other))
    }
}

/// One part of a message.
///
/// Sizes are UTF-16 code units, as JavaScript counts. `has_provider_metadata` says that the part carries something of
/// its provider (`providerMetadata`, `encrypted` or `native`; in 1.18 `metadata`), by which the provider may tie it to
/// other parts.
#[derive(Clone, Debug)]
pub enum Part {
    /// What is said.
    Text(Text),
    /// Reasoning that the provider keeps apart from the text.
    Reasoning {
        /// Its size.
        chars: usize,
        /// See [`Part`].
        has_provider_metadata: bool,
    },
    /// A call of a tool.
    Call(Call),
    /// What came of a call in an earlier message.
    Output(Output),
    /// A call and what came of it: OpenCode 1.18 keeps them in one part.
    Both(Call, Output),
    /// OpenCode's own records, such as `step-start`, which no model sees.
    Silent,
    /// A kind of part that is not known. It stays as it is, and so does its message.
    Other,
}

/// A text that the model or a user wrote.
#[derive(Clone, Debug, Default)]
pub struct Text {
    /// Its size, as in [`Part`].
    pub chars: usize,
    /// See [`Part`].
    pub has_provider_metadata: bool,
    /// What to cut to have the text without its `<thinking>` blocks, in UTF-16 code units.
    pub thinking: Vec<Edit>,
    /// Whether nothing but white space is left then.
    pub is_all_thinking: bool,
}

impl Text {
    /// Reads a text for its `<thinking>` blocks.
    pub fn read(text: &str, has_provider_metadata: bool) -> Text {
        let thinking = thinking_blocks(text);
        let rest = text::apply(text, &thinking);
        Text {
            chars: text::utf16_units(text),
            has_provider_metadata,
            is_all_thinking: rest.trim().is_empty(),
            thinking: text::to_utf16(text, &thinking),
        }
    }

    /// The size of its `<thinking>` blocks.
    pub(super) fn thinking_chars(&self) -> usize {
        self.thinking.iter().map(|edit| edit.range.len()).sum()
    }
}

/// A call of a tool.
#[derive(Clone, Debug)]
pub struct Call {
    /// The provider's id of it. Some providers count anew in every message.
    pub id: String,
    /// The tool's name as the model calls it.
    pub name: String,
    /// What it is called with.
    pub input: Rc<Input>,
    /// See [`Part`].
    pub has_provider_metadata: bool,
    /// Whether the provider carried it out itself; it may insist on input and output as they were.
    pub is_provider_executed: bool,
}

/// What came of a call.
#[derive(Clone, Debug)]
pub struct Output {
    /// The id of the call.
    pub id: String,
    /// Its size as in [`Part`], with an estimate for media.
    pub chars: usize,
    /// Whether the call succeeded.
    pub kind: OutputKind,
}

/// What can be said of an output as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputKind {
    /// The call succeeded.
    Success,
    /// The call failed, and the output says why.
    Error,
    /// Not finished, cleared by OpenCode, carried out by the provider, or of a shape that is not known.
    Untouchable,
}

/// Where a part stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    /// The index of its message in the request.
    pub message: usize,
    /// Its index in [`Message::parts`].
    pub part: usize,
}
