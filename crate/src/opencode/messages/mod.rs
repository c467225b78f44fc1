//! The conversation of a request: `prompt` finds the user's prompt in it, `uses` the tools and skills that it has
//! used.
//!
//! Who keeps the messages is not known here: a long history is looked at through [`Conversation`] and not copied.

mod prompt;
mod uses;

pub use prompt::{Prompt, Prompts};
pub use uses::{Use, Used};

/// The messages of a request, oldest first. An index out of range is a message without anything in it.
pub trait Conversation {
    /// How many messages there are.
    fn len(&self) -> usize;
    /// Who speaks in a message.
    fn role(&self, index: usize) -> Role;
    /// The message's id; requests of some versions of OpenCode carry none.
    fn id(&self, index: usize) -> Option<String>;
    /// Whether the message carries a `metadata` object.
    fn has_metadata(&self, index: usize) -> bool;
    /// The parts of a message that are text, in its order.
    fn text_parts(&self, index: usize) -> Vec<TextPart>;
    /// The calls in the assistant's messages and the answers in those of tools.
    fn uses(&self) -> Vec<Use>;
    /// The length of all messages, roughly.
    fn chars(&self) -> usize;

    /// Whether there is no message.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Who speaks in a message, by the request's word for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// `system`
    System,
    /// `user`, which is not only the person.
    User,
    /// `assistant`
    Assistant,
    /// `tool`: the results of calls.
    Tool,
    /// Any other word, or none.
    Unknown,
}

impl Role {
    /// From the first letter of the request's word; no two of them share it.
    pub fn from_letter(letter: char) -> Role {
        match letter {
            's' => Role::System,
            'u' => Role::User,
            'a' => Role::Assistant,
            't' => Role::Tool,
            _ => Role::Unknown,
        }
    }
}

/// A part of a message that is text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextPart {
    /// As the request has it.
    pub text: String,
    /// Whether the part's own metadata says that it is an attachment.
    pub is_attachment: bool,
}
