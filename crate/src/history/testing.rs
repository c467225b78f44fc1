//! Conversations and rules for the tests of this folder.

use std::rc::Rc;

use serde_json::{json, Value};

use super::conversation::{Call, Message, Output, OutputKind, Part, Text};
use super::input::Input;
use super::rules::Rules;
use crate::opencode::messages::Role;
use crate::options::Options;

pub(super) fn message(id: &str, role: Role, parts: Vec<Part>) -> Message {
    Message { id: id.to_string(), role, is_prompt: false, parts }
}

pub(super) fn prompt(id: &str) -> Message {
    Message { is_prompt: true, ..message(id, Role::User, vec![text("Go on.")]) }
}

pub(super) fn assistant(id: &str, parts: Vec<Part>) -> Message {
    message(id, Role::Assistant, parts)
}

pub(super) fn tool(parts: Vec<Part>) -> Message {
    message("tool", Role::Tool, parts)
}

pub(super) fn text(text: &str) -> Part {
    Part::Text(Text::read(text, false))
}

pub(super) fn reasoning(chars: usize) -> Part {
    Part::Reasoning { chars, has_provider_metadata: false }
}

pub(super) fn call(id: &str, name: &str) -> Part {
    call_with(id, name, json!({ "id": id }))
}

pub(super) fn call_with(id: &str, name: &str, input: Value) -> Part {
    Part::Call(bare_call(id, name, input))
}

pub(super) fn bare_call(id: &str, name: &str, input: Value) -> Call {
    Call {
        id: id.to_string(),
        name: name.to_string(),
        input: Rc::new(Input::from(&input)),
        has_provider_metadata: false,
        is_provider_executed: false,
    }
}

/// The part with something of its provider.
pub(super) fn with_provider_metadata(part: Part) -> Part {
    match part {
        Part::Call(call) => Part::Call(Call { has_provider_metadata: true, ..call }),
        Part::Text(text) => Part::Text(Text { has_provider_metadata: true, ..text }),
        Part::Reasoning { chars, .. } => Part::Reasoning { chars, has_provider_metadata: true },
        other => other,
    }
}

pub(super) fn output(id: &str, chars: usize) -> Part {
    Part::Output(Output { id: id.to_string(), chars, kind: OutputKind::Success })
}

pub(super) fn failure(id: &str) -> Part {
    Part::Output(Output { id: id.to_string(), chars: 40, kind: OutputKind::Error })
}

/// A call and its output as a turn of their own.
pub(super) fn turn(id: &str, name: &str, input: Value, output: Part) -> Vec<Message> {
    let tool = message(&format!("t{id}"), Role::Tool, vec![output]);
    vec![prompt(&format!("p{id}")), assistant(&format!("a{id}"), vec![call_with(id, name, input)]), tool]
}

/// Prompts that make everything before them older.
pub(super) fn later(turns: usize) -> Vec<Message> {
    (0..turns).map(|at| prompt(&format!("later{at}"))).collect()
}

pub(super) fn rules(history: Value) -> Rules {
    Rules::new(&Options::from_json(&json!({ "history": history })).history)
}
