//! Sizes of conversations, in characters by what they are, and the estimate of tokens.

use crate::opencode::messages::Role;

use super::conversation::{Message, Part};

/// The tokens of so many characters: a quarter, which is the estimate everywhere in the reports.
pub(crate) fn tokens(chars: usize) -> usize {
    chars.div_ceil(4)
}

/// The characters of one request by what they are, before anything was pruned from the conversation.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CharsByKind {
    /// System texts, without the lists of tools and skills.
    pub system: usize,
    /// Lists of tools and skills, and the native tools.
    pub catalogs: usize,
    /// What the user said.
    pub user: usize,
    /// What the model said.
    pub assistant: usize,
    /// Inputs and outputs of calls.
    pub tools: usize,
    /// Reasoning and `<thinking>` blocks.
    pub thinking: usize,
}

impl CharsByKind {
    /// Adds up a conversation. System texts outside of it and catalogs are measured by the caller.
    pub(super) fn of(messages: &[Message], system: usize, catalogs: usize) -> CharsByKind {
        let mut chars = CharsByKind { system, catalogs, ..CharsByKind::default() };
        for message in messages {
            for part in &message.parts {
                chars.add(part, message.role);
            }
        }
        chars
    }

    fn add(&mut self, part: &Part, role: Role) {
        match part {
            Part::Text(text) => {
                let thinking = text.thinking_chars();
                let said = match role {
                    Role::User => &mut self.user,
                    Role::Assistant => &mut self.assistant,
                    _ => &mut self.system,
                };
                *said += text.chars.saturating_sub(thinking);
                self.thinking += thinking;
            }
            Part::Reasoning { chars, .. } => self.thinking += chars,
            Part::Call(call) => self.tools += call.input.chars,
            Part::Output(output) => self.tools += output.chars,
            Part::Both(call, output) => self.tools += call.input.chars + output.chars,
            Part::Silent | Part::Other => {}
        }
    }

    /// The tokens of all messages.
    pub fn conversation_tokens(&self) -> usize {
        tokens(self.user + self.assistant + self.tools + self.thinking)
    }
}
