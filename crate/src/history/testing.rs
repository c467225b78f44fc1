//! Conversations for the tests of this folder.

use std::rc::Rc;

use serde_json::{json, Value};

use super::input::{Input, Seen};
use super::rules::Rules;
use super::{Call, Message, Output, OutputKind, Part, Text};
use crate::opencode::messages::Role;
use crate::options::Options;

pub fn message(id: &str, role: Role, parts: Vec<Part>) -> Message {
    Message { id: id.to_string(), role, is_prompt: false, parts }
}

pub fn prompt(id: &str) -> Message {
    Message { is_prompt: true, ..message(id, Role::User, vec![text("Go on.")]) }
}

pub fn assistant(id: &str, parts: Vec<Part>) -> Message {
    message(id, Role::Assistant, parts)
}

pub fn tool(parts: Vec<Part>) -> Message {
    message("tool", Role::Tool, parts)
}

pub fn text(text: &str) -> Part {
    Part::Text(Text::read(text, false))
}

pub fn reasoning(chars: usize) -> Part {
    Part::Reasoning { chars, is_marked: false }
}

pub fn call(id: &str, name: &str) -> Part {
    call_with(id, name, json!({ "id": id }))
}

pub fn call_with(id: &str, name: &str, input: Value) -> Part {
    Part::Call(bare_call(id, name, input))
}

pub fn bare_call(id: &str, name: &str, input: Value) -> Call {
    Call {
        id: id.to_string(),
        name: name.to_string(),
        input: Rc::new(Input::of(&Seen::from(&input))),
        is_marked: false,
        by_provider: false,
    }
}

pub fn marked(part: Part) -> Part {
    match part {
        Part::Call(call) => Part::Call(Call { is_marked: true, ..call }),
        Part::Text(text) => Part::Text(Text { is_marked: true, ..text }),
        Part::Reasoning { chars, .. } => Part::Reasoning { chars, is_marked: true },
        other => other,
    }
}

pub fn output(id: &str, chars: usize) -> Part {
    Part::Output(Output { id: id.to_string(), chars, kind: OutputKind::Success })
}

pub fn failure(id: &str) -> Part {
    Part::Output(Output { id: id.to_string(), chars: 40, kind: OutputKind::Error })
}

/// A call and its output as a turn of their own.
pub fn turn(id: &str, name: &str, input: Value, output: Part) -> Vec<Message> {
    let tool = message(&format!("t{id}"), Role::Tool, vec![output]);
    vec![prompt(&format!("p{id}")), assistant(&format!("a{id}"), vec![call_with(id, name, input)]), tool]
}

/// Prompts that make everything before them older.
pub fn later(turns: usize) -> Vec<Message> {
    (0..turns).map(|at| prompt(&format!("later{at}"))).collect()
}

pub fn rules(history: Value) -> Rules {
    Rules::new(&Options::from_json(&json!({ "history": history })).history)
}
