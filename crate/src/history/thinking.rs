//! Which thinking of a message may go so that its provider still takes the request. When it goes is the strategy's
//! decision.
//!
//! The providers' rules, as their error messages and documents give them:
//!
//! - Anthropic: the assistant message that a tool result answers must begin with its thinking, unchanged. Thinking of
//!   earlier turns may be missing.
//! - OpenAI Responses: a call, and a message with an item id, want the reasoning item that led to them.
//! - Gemini: a call may carry the signature of a thought.
//! - DeepSeek and Moonshot: see [`WANT_REASONING_BACK`].

use crate::opencode::messages::Role;

use super::conversation::{Message, Part};

/// Model families whose providers refuse a request from which their plain reasoning was taken.
///
/// While thinking is on, DeepSeek asks for `reasoning_content` of every assistant message and Moonshot for that of every
/// message with calls; both answer 400 without it.
const WANT_REASONING_BACK: [&str; 4] = ["deepseek", "kimi", "moonshot", "reasoner"];

/// A part of a message that may go, wholly or in its `<thinking>` blocks.
#[derive(Debug)]
pub(super) struct PrunableThinking {
    /// Its index in the message.
    pub(super) part: usize,
    /// The size of what goes.
    pub(super) chars: usize,
}

/// The parts of a message that are thinking and may go. Reasoning goes only all at once.
pub(super) fn prunable_thinking(message: &Message, model: &str) -> Vec<PrunableThinking> {
    if message.role != Role::Assistant || message.is_unknown() {
        return Vec::new();
    }
    let is_reasoning_prunable = is_reasoning_prunable(message, model);
    let found: Vec<PrunableThinking> = message
        .parts
        .iter()
        .enumerate()
        .filter_map(|(at, part)| match part {
            Part::Reasoning { chars, .. } if is_reasoning_prunable => {
                Some(PrunableThinking { part: at, chars: *chars })
            }
            Part::Text(text) if !text.thinking.is_empty() && !text.has_provider_metadata => {
                Some(PrunableThinking { part: at, chars: text.thinking_chars() })
            }
            _ => None,
        })
        .collect();
    // A message must not be left without content.
    let is_left = |(at, part): (usize, &Part)| match part {
        Part::Text(text) if found.iter().any(|gone| gone.part == at) => !text.is_all_thinking,
        Part::Text(text) => text.chars > 0,
        Part::Reasoning { .. } => !is_reasoning_prunable,
        Part::Call(_) | Part::Output(_) | Part::Both(..) => true,
        Part::Other | Part::Silent => false,
    };
    match message.parts.iter().enumerate().any(is_left) {
        true => found,
        false => Vec::new(),
    }
}

/// Whether the reasoning of a message may go; it goes as a whole or not at all. A part with provider metadata is marked.
fn is_reasoning_prunable(message: &Message, model: &str) -> bool {
    let (mut is_reasoning_marked, mut is_other_marked, mut has_calls) = (false, false, false);
    for part in &message.parts {
        match part {
            Part::Reasoning { has_provider_metadata, .. } => is_reasoning_marked |= has_provider_metadata,
            Part::Text(text) => is_other_marked |= text.has_provider_metadata,
            Part::Call(call) | Part::Both(call, _) => {
                has_calls = true;
                is_other_marked |= call.has_provider_metadata;
            }
            Part::Output(_) => has_calls = true,
            Part::Other | Part::Silent => {}
        }
    }
    if is_other_marked {
        return false;
    }
    if is_reasoning_marked {
        return !has_calls;
    }
    let model = model.to_ascii_lowercase();
    !WANT_REASONING_BACK.iter().any(|family| model.contains(family))
}
