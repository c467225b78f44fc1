//! What the model can do itself: it is told which outputs it could take out, each with a short id, and calls
//! `discard` or `extract` with such ids.

use std::rc::Rc;

use crate::hash::FxHashMap;
use crate::opencode::messages::Role;

use super::input::Input;
use super::rules::{Asks, Rules};
use super::session::{message_key, Made, Session};
use super::strategies::output_key;
use super::view::View;
use super::{one_line, tokens, Message, OutputKind, Part, Strategy};

/// Smaller outputs are not worth a line in the list.
const LEAST_TOKENS: usize = 50;
/// The largest number of ids in a list.
const MAX_LISTED: usize = 40;
const MAX_LABEL_CHARS: usize = 60;

/// An output that could be taken out.
#[derive(Clone, Debug, PartialEq)]
pub struct Offer {
    pub id: usize,
    pub key: u64,
    name: String,
    input: Rc<Input>,
    pub tokens: usize,
    /// Whether it came since the last prompt.
    pub is_of_newest_turn: bool,
}

/// What could be taken out of a session now.
#[derive(Debug, Default)]
pub struct Offers {
    /// Ids once given stay.
    ids: FxHashMap<u64, usize>,
    pub now: Vec<Offer>,
    outputs: usize,
    outputs_when_told: usize,
    /// Something was taken out since the list was told.
    is_stale: bool,
}

/// A list that was told, and behind which message it stands in every request until there is another one.
#[derive(Clone, Debug, PartialEq)]
pub struct Note {
    behind: u64,
    text: String,
}

impl Offers {
    /// Looks at what a request holds.
    pub fn read(&mut self, view: &View, rules: &Rules, made: &FxHashMap<u64, Made>) {
        self.now.clear();
        self.outputs = view.pairs.len();
        for pair in &view.pairs {
            let key = output_key(pair);
            let is_finished = pair.output.kind != OutputKind::Untouchable;
            if !is_finished || made.contains_key(&key) || rules.protects(pair.call, Asks::OnDemand) {
                continue;
            }
            let next = self.ids.len() + 1;
            self.now.push(Offer {
                id: *self.ids.entry(key).or_insert(next),
                key,
                name: pair.call.name.clone(),
                input: pair.call.input.clone(),
                tokens: tokens(pair.output.chars),
                is_of_newest_turn: pair.age == 0,
            });
        }
    }

    fn lines(&self) -> Vec<String> {
        let large = self.now.iter().filter(|offer| offer.tokens >= LEAST_TOKENS);
        last_of(large, MAX_LISTED).into_iter().map(Offer::line).collect()
    }

    /// Whether the list should be told (again).
    pub fn are_due(&self, view: &View, frequency: usize, note: Option<&Note>) -> bool {
        let is_told = note.is_some_and(|note| note.place(view).is_some());
        let come = self.outputs.saturating_sub(self.outputs_when_told);
        come >= frequency || (is_told && self.is_stale)
    }

    /// The list, to stand at the end of this request.
    pub fn note(&mut self, view: &View) -> Option<Note> {
        self.outputs_when_told = self.outputs;
        self.is_stale = false;
        let lines = self.lines();
        // Behind an answer of the model no request is made.
        let last = view.messages.last().filter(|last| is_answered_for(last))?;
        (!lines.is_empty()).then(|| Note {
            behind: message_key(last),
            text: format!(
                "<prunable-outputs>\nTool outputs that can be taken out of this conversation, by id:\n{}\n\
                 </prunable-outputs>",
                lines.join("\n")
            ),
        })
    }
}

/// Whether the model comes next: a person or a tool has spoken, or in 1.18 the outputs stand with the calls.
fn is_answered_for(message: &Message) -> bool {
    matches!(message.role, Role::User | Role::Tool)
        || message.parts.iter().any(|part| matches!(part, Part::Both(..)))
}

/// The last few, in their order.
fn last_of<'a>(offers: impl Iterator<Item = &'a Offer>, count: usize) -> Vec<&'a Offer> {
    let mut all: Vec<&Offer> = offers.collect();
    all.drain(..all.len().saturating_sub(count));
    all
}

impl Offer {
    fn label(&self) -> String {
        one_line(&format!("{} {}", self.name, self.input.summary), MAX_LABEL_CHARS)
    }

    fn line(&self) -> String {
        format!("{}: {} ({} tokens)", self.id, self.label(), self.tokens)
    }
}

impl Note {
    /// The message behind which it stands in this request; nothing where it would part a call from its output.
    pub fn place(&self, view: &View) -> Option<(usize, String)> {
        let at = view.messages.iter().position(|message| message_key(message) == self.behind)?;
        let parts_a_call = view.messages.get(at + 1).is_some_and(|next| next.role == Role::Tool);
        (!parts_a_call).then(|| (at, self.text.clone()))
    }
}

impl Session {
    /// The model takes outputs out, with its own words for them if it has some: one text for all ids, or one for
    /// each. Answers what was done, and which ids there are if one is unknown.
    pub fn take_out(&mut self, ids: &[String], words: &[String]) -> String {
        let mut taken: Vec<Offer> = Vec::new();
        let mut unknown: Vec<&str> = Vec::new();
        for id in ids {
            let offer = self.offers.now.iter().find(|offer| offer.id.to_string() == id.trim());
            match offer {
                Some(offer) if taken.iter().all(|known| known.key != offer.key) => taken.push(offer.clone()),
                Some(_) => {}
                None => unknown.push(id),
            }
        }
        for (at, offer) in taken.iter().enumerate() {
            let text = match (words.get(at), words.first(), taken.first()) {
                (Some(own), ..) => Some(own.clone()),
                (None, Some(_), Some(first)) => Some(format!("It stands with output {}.", first.id)),
                _ => None,
            };
            let strategy = if text.is_some() { Strategy::Extract } else { Strategy::Discard };
            self.take(offer.key, Made { strategy, text });
        }
        self.unknown_ids += unknown.len();
        let tokens: usize = taken.iter().map(|offer| offer.tokens).sum();
        let mut answer = format!("Taken out: {} output(s), about {tokens} tokens.", taken.len());
        if !unknown.is_empty() || ids.is_empty() {
            let valid = self.offers.lines();
            let valid = if valid.is_empty() { "none".to_string() } else { valid.join("; ") };
            answer.push_str(&format!(" Unknown ids, nothing done for them: {}. ", unknown.join(", ")));
            answer.push_str(&format!("Valid ids: {valid}. Do not try unknown ids again."));
        }
        answer
    }

    /// The person takes out the last few outputs since the newest prompt, or all of them.
    pub fn sweep(&mut self, count: Option<usize>) -> (usize, usize) {
        let newest = self.offers.now.iter().filter(|offer| offer.is_of_newest_turn);
        let swept: Vec<Offer> = last_of(newest, count.unwrap_or(usize::MAX)).into_iter().cloned().collect();
        for offer in &swept {
            self.take(offer.key, Made { strategy: Strategy::Sweep, text: None });
        }
        (swept.len(), swept.iter().map(|offer| offer.tokens).sum())
    }

    fn take(&mut self, key: u64, made: Made) {
        self.made.insert(key, made);
        self.offers.now.retain(|offer| offer.key != key);
        self.offers.is_stale = true;
        self.offers.outputs_when_told = self.offers.outputs;
    }
}

#[cfg(test)]
mod tests;
