//! A conversation as the strategies look at it: calls with their outputs, and how many turns ago each was.
//!
//! A turn begins with what a user typed. The newest turn has the age 0; what stands before the first prompt is as old
//! as there are prompts.

use crate::hash::{fingerprint_of, FxHashMap};
use crate::opencode::messages::Role;

use super::conversation::{Call, Message, Output, OutputKind, Part, Place};

/// A call with its output.
#[derive(Debug)]
pub(super) struct Pair<'a> {
    pub(super) call: &'a Call,
    pub(super) call_at: Place,
    pub(super) output: &'a Output,
    pub(super) output_at: Place,
    /// How many turns ago the output came.
    pub(super) age: usize,
    /// Stands for the call in every request of the session.
    pub(super) key: u64,
}

impl Pair<'_> {
    pub(super) fn has_succeeded(&self) -> bool {
        self.output.kind == OutputKind::Success
    }

    pub(super) fn has_failed(&self) -> bool {
        self.output.kind == OutputKind::Error
    }
}

/// The conversation of one request.
#[derive(Debug)]
pub struct View<'a> {
    pub(super) messages: &'a [Message],
    /// How many turns ago each message was.
    pub(super) ages: Vec<usize>,
    /// Finished calls, in the order of the calls. One without an output, and an output without a call, is not
    /// among them.
    pub(super) pairs: Vec<Pair<'a>>,
    /// The name of the model, as far as it is known.
    pub(super) model: &'a str,
}

impl<'a> View<'a> {
    /// Looks at the messages of a request to this model, `PROVIDER/NAME`; empty if it is not known.
    pub fn new(messages: &'a [Message], model: &'a str) -> View<'a> {
        let ages = ages(messages);
        let pairs = pairs(messages, &ages);
        View { messages, ages, pairs, model }
    }
}

fn ages(messages: &[Message]) -> Vec<usize> {
    let mut age = 0;
    let mut ages: Vec<usize> = messages
        .iter()
        .rev()
        .map(|message| {
            let own = age;
            age += usize::from(message.is_prompt);
            own
        })
        .collect();
    ages.reverse();
    ages
}

fn pairs<'a>(messages: &'a [Message], ages: &[usize]) -> Vec<Pair<'a>> {
    open_calls(messages)
        .into_iter()
        .filter_map(|OpenCall { call, at, output }| {
            let (output, output_at) = output?;
            let key = fingerprint_of(&(&messages.get(at.message)?.id, &call.id, &call.name));
            let age = ages.get(output_at.message).copied().unwrap_or_default();
            Some(Pair { call, call_at: at, output, output_at, age, key })
        })
        .collect()
}

/// A call whose output may come yet.
struct OpenCall<'a> {
    call: &'a Call,
    at: Place,
    output: Option<(&'a Output, Place)>,
}

fn open_calls(messages: &[Message]) -> Vec<OpenCall<'_>> {
    let mut calls: Vec<OpenCall> = Vec::new();
    // Some providers count ids anew in every turn, so an output belongs to the last call before it.
    let mut last = FxHashMap::<&str, usize>::default();
    for (message, at) in messages.iter().zip(0..).filter(|(message, _)| !message.is_unknown()) {
        for (part, place) in message.parts.iter().zip(0..) {
            let place = Place { message: at, part: place };
            match part {
                Part::Call(call) if message.role == Role::Assistant => {
                    last.insert(&call.id, calls.len());
                    calls.push(OpenCall { call, at: place, output: None });
                }
                Part::Both(call, output) if message.role == Role::Assistant => {
                    calls.push(OpenCall { call, at: place, output: Some((output, place)) });
                }
                Part::Output(output) if message.role == Role::Tool => {
                    let open = last.remove(output.id.as_str()).and_then(|at| calls.get_mut(at));
                    if let Some(open) = open {
                        open.output = Some((output, place));
                    }
                }
                _ => {}
            }
        }
    }
    calls
}

#[cfg(test)]
mod tests {
    use super::super::testing::{assistant, call, output, prompt, tool};
    use super::*;

    #[test]
    fn the_newest_turn_has_the_age_nought_and_each_prompt_makes_older() {
        let messages = [
            assistant("z", vec![]),
            prompt("a"),
            assistant("b", vec![]),
            prompt("c"),
            assistant("d", vec![]),
        ];
        assert_eq!(View::new(&messages, "").ages, [2, 1, 1, 0, 0]);
    }

    #[test]
    fn a_conversation_without_prompts_is_one_newest_turn() {
        let messages = [assistant("a", vec![]), assistant("b", vec![])];
        assert_eq!(View::new(&messages, "").ages, [0, 0]);
    }

    #[test]
    fn an_output_belongs_to_the_last_call_of_its_id() {
        let messages = [
            prompt("a"),
            assistant("b", vec![call("1", "read"), call("2", "grep")]),
            tool(vec![output("2", 10), output("1", 20)]),
            prompt("c"),
            assistant("d", vec![call("1", "glob")]),
            tool(vec![output("1", 30)]),
        ];
        let view = View::new(&messages, "");
        let pairs: Vec<(&str, usize, usize)> =
            view.pairs.iter().map(|pair| (pair.call.name.as_str(), pair.output.chars, pair.age)).collect();
        assert_eq!(pairs, [("read", 20, 1), ("grep", 10, 1), ("glob", 30, 0)]);
    }

    #[test]
    fn what_has_no_counterpart_is_no_pair() {
        let messages = [
            prompt("a"),
            tool(vec![output("0", 5)]),
            assistant("b", vec![call("1", "read")]),
            prompt("c"),
            tool(vec![output("9", 10)]),
        ];
        assert!(View::new(&messages, "").pairs.is_empty());
    }
}
