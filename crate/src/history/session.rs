//! What was made of a session's conversation, so that it is made the same way in every later request, and when
//! more is made of it.
//!
//! An edit of an old message changes the beginning of the request, and the provider reads everything behind it
//! anew. So wishes wait until they save enough together, or until the beginning changes anyway.

use std::cell::RefCell;
use std::rc::Rc;

use crate::hash::{fingerprint_of, FxHashMap};
use crate::opencode::messages::Role;
use crate::report::{HistorySavings, StrategySavings};
use crate::session::recent::Recent;

use super::own_tools::{Note, Offers};
use super::placeholders::{extracted, hint, DISCARDED, REPEATED, SWEPT};
use super::rules::Rules;
use super::strategies::{self, input_key, output_key, thinking_key, thinking_that_may_go, Wish};
use super::view::{Pair, View};
use super::{tokens, Change, Edit, Message, Part, Strategy};

const MAX_SESSIONS: usize = 200;

/// All sessions.
#[derive(Debug)]
pub struct Sessions(Recent<u64, Rc<RefCell<Session>>>);

impl Default for Sessions {
    fn default() -> Self {
        Sessions(Recent::new(MAX_SESSIONS))
    }
}

/// One request.
#[derive(Debug)]
pub struct Request<'a> {
    pub session: &'a str,
    pub view: View<'a>,
    pub rules: &'a Rules,
    /// Stands for what the request begins with: system texts, lists and tools as they go out. Where that is another
    /// one than before, the provider reads everything anew anyway.
    pub beginning: u64,
    /// A request of the host's own: it takes what was made and makes nothing.
    pub is_internal: bool,
    /// Characters of system texts without the lists, and of the lists and tools.
    pub system_chars: usize,
    pub catalog_chars: usize,
}

/// What becomes of a request.
#[derive(Debug, Default)]
pub struct Outcome {
    pub edits: Vec<Edit>,
    /// A message of our own, and behind which message it stands.
    pub note: Option<(usize, String)>,
    pub told: HistorySavings,
}

impl Outcome {
    /// Whether the conversation stays as it is.
    pub fn is_empty(&self) -> bool {
        self.edits.is_empty() && self.note.is_none()
    }
}

/// What was made of one slot.
#[derive(Clone, Debug, PartialEq)]
pub struct Made {
    pub strategy: Strategy,
    /// The model's own words.
    pub text: Option<String>,
}

/// Characters of the newest request by what they are, before anything was taken out of the conversation.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Kinds {
    pub system: usize,
    pub catalogs: usize,
    pub user: usize,
    pub assistant: usize,
    pub tools: usize,
    pub thinking: usize,
}

/// What is remembered of one session.
#[derive(Debug, Default)]
pub struct Session {
    pub made: FxHashMap<u64, Made>,
    /// The history was compacted since the last request.
    pub was_compacted: bool,
    beginning: Option<u64>,
    pub offers: Offers,
    pub note: Option<Note>,
    pub kinds: Kinds,
    pub told: HistorySavings,
    pub requests: usize,
    pub tokens_saved: usize,
    pub unknown_ids: usize,
}

impl Sessions {
    pub fn plan(&mut self, request: &Request) -> Outcome {
        let session = self.get(request.session).unwrap_or_default();
        self.0.put(fingerprint_of(request.session), session.clone(), 0.0);
        let outcome = session.borrow_mut().plan(request);
        outcome
    }

    pub fn get(&self, session: &str) -> Option<Rc<RefCell<Session>>> {
        self.0.get(&fingerprint_of(session)).cloned()
    }

    /// The history was compacted: what was made of it is gone with it.
    pub fn forget(&mut self, session: &str) {
        let Some(session) = self.get(session) else { return };
        let mut known = session.borrow_mut();
        let (requests, tokens_saved) = (known.requests, known.tokens_saved);
        *known = Session { was_compacted: true, requests, tokens_saved, ..Session::default() };
    }
}

impl Session {
    fn plan(&mut self, request: &Request) -> Outcome {
        let Request { view, rules, is_internal, .. } = request;
        let mut told = HistorySavings::default();
        let kinds = Kinds::of(request);
        if !is_internal {
            let before = self.beginning.replace(request.beginning);
            let is_another = before.is_some_and(|before| before != request.beginning);
            let is_rewritten = std::mem::take(&mut self.was_compacted) || is_another;
            let wishes = strategies::wishes(view, rules, &self.made);
            let batch = if is_rewritten { None } else { Some(batch(rules, &kinds)) };
            self.decide(wishes, batch, &mut told);
        }
        let mut edits = Vec::new();
        let mut sums = [(0, 0); Strategy::ALL.len()];
        for (strategy, saved, edit) in self.edits(view) {
            if let Some(sum) = sums.get_mut(strategy as usize) {
                *sum = (sum.0 + 1, sum.1 + saved);
            }
            edits.push(edit);
        }
        told.edits = edits.len();
        for (strategy, (edits, chars)) in Strategy::ALL.iter().zip(sums).filter(|(_, (edits, _))| *edits > 0)
        {
            let tokens = tokens(chars);
            told.tokens_saved += tokens;
            told.strategies.push(StrategySavings { strategy: strategy.name(), edits, tokens });
        }
        self.offers.read(view, rules, &self.made);
        let note = self.place_note(view, rules, *is_internal);
        if !is_internal {
            self.kinds = kinds;
            self.told = told.clone();
            self.requests += 1;
            self.tokens_saved += told.tokens_saved;
        }
        Outcome { edits, note, told }
    }

    /// Takes up what the strategies wish, if it saves more than a batch or nothing is to be waited for.
    fn decide(&mut self, new: Vec<Wish>, batch: Option<usize>, told: &mut HistorySavings) {
        let saves = tokens(new.iter().map(|wish| wish.saves).sum());
        if batch.is_some_and(|batch| saves <= batch) {
            told.tokens_waiting = saves;
            return;
        }
        told.new_edits = new.len();
        for Wish { key, strategy, .. } in new {
            self.made.insert(key, Made { strategy, text: None });
        }
    }

    /// Everything that was made so far, as edits of this request.
    fn edits(&self, view: &View) -> Vec<(Strategy, usize, Edit)> {
        if self.made.is_empty() {
            return Vec::new();
        }
        let mut edits = Vec::new();
        for pair in &view.pairs {
            edits.extend(self.edit_of_output(pair));
            edits.extend(self.edit_of_input(pair));
        }
        for (at, (message, age)) in view.messages.iter().zip(&view.ages).enumerate() {
            if *age > 0 {
                edits.extend(self.edits_of_thinking(at, message, view.model));
            }
        }
        edits
    }

    fn edit_of_output(&self, pair: &Pair) -> Option<(Strategy, usize, Edit)> {
        let made = self.made.get(&output_key(pair))?;
        let text = match made.strategy {
            // The newest turn is touched only where the model or the person asked for it.
            Strategy::Discard => DISCARDED.to_string(),
            Strategy::Sweep => SWEPT.to_string(),
            Strategy::Extract => extracted(made.text.as_deref().unwrap_or_default()),
            _ if pair.age == 0 || !pair.succeeded() => return None,
            Strategy::Deduplication => REPEATED.to_string(),
            _ => hint(pair.call),
        };
        if pair.output.kind == super::OutputKind::Untouchable {
            return None;
        }
        let saved = pair.output.chars.saturating_sub(text.len());
        Some((made.strategy, saved, Edit { place: pair.output_at, change: Change::Output(text) }))
    }

    fn edit_of_input(&self, pair: &Pair) -> Option<(Strategy, usize, Edit)> {
        let made = self.made.get(&input_key(pair))?;
        if pair.age == 0 {
            return None;
        }
        let input = &pair.call.input;
        let (saved, change) = match made.strategy {
            Strategy::SupersedeWrites => {
                (input.saved_by_content(), Change::Content(input.content_left_out()))
            }
            _ => (input.saved_by_all(), Change::Input(input.shortened.clone())),
        };
        (saved > 0).then_some((made.strategy, saved, Edit { place: pair.call_at, change }))
    }

    fn edits_of_thinking(&self, at: usize, message: &Message, model: &str) -> Vec<(Strategy, usize, Edit)> {
        if message.role != Role::Assistant || !self.made.contains_key(&thinking_key(message)) {
            return Vec::new();
        }
        let gone = thinking_that_may_go(message, model).into_iter();
        gone.map(|(part, saved)| {
            let change = match message.parts.get(part) {
                Some(Part::Text(text)) if !text.is_all_thinking => Change::Text(text.thinking.clone()),
                _ => Change::Drop,
            };
            let place = super::Place { message: at, part };
            (Strategy::PruneThinking, saved, Edit { place, change })
        })
        .collect()
    }

    /// Where the list of what the model may take out stands in this request.
    fn place_note(&mut self, view: &View, rules: &Rules, is_internal: bool) -> Option<(usize, String)> {
        let own = &rules.options.tools;
        if !own.discard && !own.extract {
            return None;
        }
        if !is_internal && self.offers.are_due(view, own.nudge_frequency, self.note.as_ref()) {
            self.note = self.offers.note(view);
        }
        self.note.as_ref()?.place(view)
    }
}

/// How many tokens must be saved before old messages are edited. An edit makes the provider read anew what stands
/// behind it, so a long conversation waits for more: for a sixth of itself.
fn batch(rules: &Rules, kinds: &Kinds) -> usize {
    let least = rules.options.batch_tokens;
    if least == 0 {
        return 0;
    }
    least.max(kinds.conversation() / 6)
}

impl Kinds {
    /// The tokens of all messages.
    pub fn conversation(&self) -> usize {
        tokens(self.user + self.assistant + self.tools + self.thinking)
    }

    fn of(request: &Request) -> Kinds {
        let mut kinds =
            Kinds { system: request.system_chars, catalogs: request.catalog_chars, ..Kinds::default() };
        for message in request.view.messages {
            for part in &message.parts {
                match part {
                    Part::Text(text) => {
                        let thinking = text.thinking_chars();
                        let own = match message.role {
                            Role::User => &mut kinds.user,
                            Role::Assistant => &mut kinds.assistant,
                            _ => &mut kinds.system,
                        };
                        *own += text.chars.saturating_sub(thinking);
                        kinds.thinking += thinking;
                    }
                    Part::Reasoning { chars, .. } => kinds.thinking += chars,
                    Part::Call(call) => kinds.tools += call.input.chars,
                    Part::Output(output) => kinds.tools += output.chars,
                    Part::Both(call, output) => kinds.tools += call.input.chars + output.chars,
                    Part::Silent | Part::Other => {}
                }
            }
        }
        kinds
    }
}

/// A key for a message by its place in the host's history.
pub fn message_key(message: &Message) -> u64 {
    fingerprint_of(&message.id)
}

#[cfg(test)]
mod tests;
