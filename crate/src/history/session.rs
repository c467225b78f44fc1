//! What is remembered of a session's conversation, so that what was pruned once is pruned the same way in every later
//! request, and the decision when more is pruned.
//!
//! An edit of an old message changes the beginning of the request, and the provider reads everything behind it anew.
//! So proposed edits wait until they save enough together, or until the beginning changes anyway.

use std::num::NonZeroUsize;

use lru::LruCache;
use rustc_hash::FxBuildHasher;

use crate::hash::fingerprint_of;

use super::edits::{pruned_parts, Edit};
use super::prunable::{OutputList, PlacedList, PrunableOutputs, Swept};
use super::pruned::{Pruned, PrunedSlots};
use super::rules::Rules;
use super::savings::HistorySavings;
use super::sizes::{tokens, CharsByKind};
use super::strategies::{proposed_edits, ProposedEdit};
use super::view::View;

const MAX_SESSIONS: NonZeroUsize = NonZeroUsize::new(200).unwrap();

/// All sessions, by the fingerprints of their ids. The one whose newest request is oldest is forgotten first.
#[derive(Debug)]
pub struct Sessions(LruCache<u64, Session, FxBuildHasher>);

impl Default for Sessions {
    fn default() -> Self {
        Sessions(LruCache::with_hasher(MAX_SESSIONS, FxBuildHasher))
    }
}

/// One request.
#[derive(Debug)]
pub struct Request<'a> {
    /// OpenCode's id of the session.
    pub session: &'a str,
    /// Its messages.
    pub view: View<'a>,
    /// What the user wants kept.
    pub rules: &'a Rules,
    /// Stands for what the request begins with: system texts, lists and tools as they go out. Where that is another
    /// one than before, the provider reads everything anew anyway.
    pub beginning: u64,
    /// A request of OpenCode's own, for a title or a summary: what was pruned stays pruned, and nothing more is.
    pub is_internal: bool,
    /// Characters of the system texts without the lists.
    pub system_chars: usize,
    /// Characters of the lists and of the native tools.
    pub catalog_chars: usize,
}

/// What becomes of a request.
#[derive(Debug, Default)]
pub struct Outcome {
    /// What becomes of its messages.
    pub edits: Vec<Edit>,
    /// What the model is shown that it can prune.
    pub list: Option<PlacedList>,
    /// What the report says.
    pub savings: HistorySavings,
}

impl Outcome {
    /// Whether the conversation stays as it is.
    pub fn is_empty(&self) -> bool {
        self.edits.is_empty() && self.list.is_none()
    }
}

/// What is remembered of one session.
#[derive(Debug, Default)]
pub struct Session {
    pruned: PrunedSlots,
    /// The history was compacted since the newest request.
    was_compacted: bool,
    /// [`Request::beginning`] of the newest request.
    beginning: Option<u64>,
    /// What of the newest request could be pruned on demand.
    pub(super) outputs: PrunableOutputs,
    /// The list that the model was shown last.
    list: Option<OutputList>,
    /// Sizes of the newest request.
    pub chars: CharsByKind,
    /// What was left out of the newest request.
    pub(super) savings: HistorySavings,
    /// The number of requests, those of OpenCode's own left out.
    pub(super) requests: usize,
    /// The tokens that were left out of all of them.
    pub(super) tokens_saved: usize,
    /// How many ids the model gave that stand for nothing.
    pub(super) unknown_ids: usize,
}

impl Sessions {
    /// Decides what is pruned of a request, and remembers it.
    pub fn plan(&mut self, request: &Request) -> Outcome {
        let key = fingerprint_of(request.session);
        self.0.get_or_insert_mut(key, Session::default).plan(request)
    }

    /// The session of this id, if one of its requests was planned.
    pub fn get(&self, session: &str) -> Option<&Session> {
        self.0.peek(&fingerprint_of(session))
    }

    /// The same, to be changed by the model or the user.
    pub fn get_mut(&mut self, session: &str) -> Option<&mut Session> {
        self.0.peek_mut(&fingerprint_of(session))
    }

    /// Forgets what was pruned in a session: its history was compacted, and the pruned messages are gone. Its sums stay.
    pub fn forget(&mut self, session: &str) {
        let Some(session) = self.get_mut(session) else { return };
        *session = Session {
            was_compacted: true,
            requests: session.requests,
            tokens_saved: session.tokens_saved,
            ..Session::default()
        };
    }
}

impl Session {
    /// The model prunes outputs by the ids of the list, with its own summary of them if it has some: one for all ids,
    /// or one for each. Returns what the model is answered: what was done, and which ids there are if one is unknown.
    pub fn prune_by_ids(&mut self, ids: &[String], summaries: &[String]) -> String {
        let by_model = self.outputs.prune_by_ids(ids, summaries, &mut self.pruned);
        self.unknown_ids += by_model.unknown_ids;
        by_model.answer
    }

    /// The user prunes the last `count` outputs since the newest prompt, or all of them.
    pub(super) fn sweep(&mut self, count: Option<usize>) -> Swept {
        self.outputs.sweep(count, &mut self.pruned)
    }

    fn plan(&mut self, request: &Request) -> Outcome {
        let Request { view, rules, is_internal, .. } = request;
        let chars = CharsByKind::of(view.messages, request.system_chars, request.catalog_chars);
        let decision = match is_internal {
            true => Decision::default(),
            false => self.decide(request, &chars),
        };
        let parts = pruned_parts(view, &self.pruned);
        let savings = HistorySavings {
            new_edits: decision.new_edits,
            tokens_waiting: decision.tokens_waiting,
            ..HistorySavings::of(&parts)
        };
        self.outputs.update(view, rules, &self.pruned);
        let list = self.place_list(view, rules, *is_internal);
        if !is_internal {
            self.chars = chars;
            self.requests += 1;
            self.tokens_saved += savings.tokens_saved;
            self.savings = savings.clone();
        }
        Outcome { edits: parts.into_iter().map(|part| part.edit).collect(), list, savings }
    }

    /// Makes the proposed edits if they save more than a batch, or if the provider reads everything anew anyway.
    fn decide(&mut self, request: &Request, chars: &CharsByKind) -> Decision {
        let before = self.beginning.replace(request.beginning);
        let has_other_beginning = before.is_some_and(|before| before != request.beginning);
        let is_read_anew = std::mem::take(&mut self.was_compacted) || has_other_beginning;
        let proposed = proposed_edits(&request.view, request.rules, &self.pruned);
        let saved = tokens(proposed.iter().map(|edit| edit.saved_chars).sum());
        if !is_read_anew && saved <= batch_tokens(request.rules, chars) {
            return Decision { new_edits: 0, tokens_waiting: saved };
        }
        let new_edits = proposed.len();
        let pruned =
            proposed.into_iter().map(|ProposedEdit { slot, strategy, .. }| (slot, Pruned::by(strategy)));
        self.pruned.extend(pruned);
        Decision { new_edits, tokens_waiting: 0 }
    }

    /// Where the list of what the model can prune stands in this request.
    fn place_list(&mut self, view: &View, rules: &Rules, is_internal: bool) -> Option<PlacedList> {
        let tools = &rules.options.tools;
        if !tools.discard && !tools.extract {
            return None;
        }
        if !is_internal && self.outputs.is_list_due(view, tools.nudge_frequency, self.list.as_ref()) {
            self.list = self.outputs.list(view);
        }
        self.list.as_ref()?.place(view)
    }
}

/// What became of the proposed edits of a request.
#[derive(Default)]
struct Decision {
    new_edits: usize,
    tokens_waiting: usize,
}

/// How many tokens must be saved before old messages are edited. An edit makes the provider read anew what stands
/// behind it, so a long conversation waits for more: for a sixth of itself.
fn batch_tokens(rules: &Rules, chars: &CharsByKind) -> usize {
    match rules.options.batch_tokens {
        0 => 0,
        least => least.max(chars.conversation_tokens() / 6),
    }
}

#[cfg(test)]
mod tests;
