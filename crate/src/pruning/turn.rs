//! What was found out about one request, and is needed to finish it.

use std::rc::Rc;

use crate::candidates::inventory::Inventory;
use crate::candidates::{Candidates, NativeTools};
use crate::hash::fingerprint_of;
use crate::opencode::messages::{Conversation, Prompt, Role, Used};
use crate::opencode::ReadText;
use crate::opencode::UnreadSection;
use crate::options::{DecisionScope, OnFailure, Scorer};
use crate::plan::{catalog_count, Plan};
use crate::policy::{ranking, Answers};
use crate::pruning::request::{Hook, Request, Settings};
use crate::report::Report;
use crate::session::memory::{Memory, Missed, Recall, Told};
use crate::session::search_pins::Asked;

/// What is decided on together: one prompt of a session, and what it could need.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Key {
    pub(crate) memory: MemoryKey,
    pub(crate) prompt: String,
    candidates: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct MemoryKey {
    pub session: String,
    /// Only where each prompt is decided alone.
    pub prompt: Option<String>,
    pub options: u64,
}

/// A message of the conversation, where it stands and its id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Anchor {
    pub message: usize,
    pub id: String,
}

impl Anchor {
    /// A message without an id is known by its place: a history only grows at its end until it is compacted.
    fn at(message: usize, conversation: &dyn Conversation) -> Anchor {
        let id = conversation.id(message).filter(|id| !id.is_empty());
        Anchor { message, id: id.unwrap_or_else(|| format!("#{message}")) }
    }
}

#[derive(Debug)]
pub struct Turn {
    pub(crate) settings: Rc<Settings>,
    pub(crate) texts: Vec<Rc<ReadText>>,
    pub(crate) places: Vec<Option<usize>>,
    system_parts: usize,
    pub(crate) native: Rc<NativeTools>,
    pub(crate) inventory: Rc<Inventory>,
    pub(crate) candidates: Rc<Candidates>,
    pub(crate) used: Used,
    pub(crate) asked: Rc<Asked>,
    pub(crate) baseline: u64,
    pub(crate) key: Key,
    pub(crate) is_internal: bool,
    pub(crate) missed: Vec<Missed>,
    /// The prompt's message, where a message of ours can be put in front of it.
    pub(crate) anchor: Option<Anchor>,
    /// The messages in front of which our earlier ones stand; one that was taken back is missing.
    told_at: Vec<Anchor>,
    /// The length of the conversation, where it matters.
    pub(crate) history_chars: usize,
}

impl Turn {
    /// `prompt` is the newest one, or, where none is found, the text of the session's last.
    pub(crate) fn new(
        request: Request,
        settings: Rc<Settings>,
        candidates: Rc<Candidates>,
        prompt: Result<Prompt, String>,
    ) -> Turn {
        let prompted = prompt.as_ref().ok().filter(|_| request.takes_messages);
        let anchor = prompted.map(|prompt| Anchor::at(prompt.message, request.conversation));
        let prompt = prompt.map_or_else(|text| text, |prompt| prompt.text);
        let alone = settings.options.decision_scope == DecisionScope::Prompt;
        let memory = MemoryKey {
            session: request.session,
            prompt: alone.then(|| prompt.clone()),
            options: settings.fingerprint,
        };
        let system = request.texts.iter().take(request.system_parts);
        let with_lists = system.filter(|text| !text.reading.spans.is_empty());
        let lists: Vec<u64> = with_lists.map(|text| text.sections_fingerprint).collect();
        Turn {
            baseline: fingerprint_of(&lists),
            used: Used::of(request.conversation.uses()),
            asked: Rc::default(),
            is_internal: request.hook == Hook::Internal,
            native: request.native,
            inventory: request.inventory,
            texts: request.texts,
            places: request.places,
            system_parts: request.system_parts,
            key: Key { memory, candidates: candidates.fingerprint, prompt },
            candidates,
            settings,
            missed: Vec::new(),
            anchor,
            told_at: Vec::new(),
            history_chars: 0,
        }
    }

    pub fn key(&self) -> &Key {
        &self.key
    }

    /// Hidden things that the conversation used since the last request.
    pub fn missed(&self) -> &[Missed] {
        &self.missed
    }

    /// Finds the places of our earlier messages.
    pub(crate) fn find_told(&mut self, memory: &Memory, conversation: &dyn Conversation) {
        if memory.told.is_empty() {
            return;
        }
        let prompts = (0..conversation.len()).filter(|&at| conversation.role(at) == Role::User);
        let is_one = |anchor: &Anchor| memory.told.iter().any(|told| told.before == anchor.id);
        self.told_at = prompts.map(|message| Anchor::at(message, conversation)).filter(is_one).collect();
    }

    /// In front of which message one of ours stands, or none if that one is gone.
    pub(crate) fn place_of(&self, told: &Told) -> Option<usize> {
        let anchors = self.told_at.iter().chain(&self.anchor);
        anchors.filter(|anchor| anchor.id == told.before).map(|anchor| anchor.message).next()
    }

    /// A memory without what was taken back.
    pub(crate) fn without_lost(&self, memory: Rc<Memory>) -> Rc<Memory> {
        let is_there = |told: &Told| self.place_of(told).is_some();
        memory.without_lost(is_there, catalog_count(&self.texts)).map_or(memory, Rc::new)
    }

    /// Equal for requests that come to the same as long as a memory is the same.
    pub(crate) fn outcome_key(&self, memory: &Memory) -> u64 {
        let texts: Vec<u64> = self.texts.iter().map(|text| text.fingerprint).collect();
        let told: Vec<Option<usize>> = memory.told.iter().map(|told| self.place_of(told)).collect();
        let needs = (self.used.fingerprint(), self.asked.len());
        fingerprint_of(&(&self.key, texts, &self.places, told, needs, memory.version, self.is_internal))
    }

    /// The list that the host renders anew for every request, in the tool map: what changes there is told nowhere
    /// else.
    pub(crate) fn rendered_anew(&self) -> u64 {
        let behind = self.texts.iter().zip(&self.places).skip(self.system_parts);
        let mut lists = behind.filter(|(text, place)| place.is_none() && !text.reading.sections.is_empty());
        lists.next().map_or(0, |(text, _)| text.fingerprint)
    }

    pub(crate) fn is_new_prompt(&self, memory: &Memory) -> bool {
        memory.prompt != self.key.prompt
    }

    pub(crate) fn recall(&self, memory: &Memory) -> Recall {
        if memory.is_empty() {
            return Recall::NewPrompt;
        }
        if self.is_internal {
            return Recall::Everything;
        }
        match !self.is_new_prompt(memory) && self.settings.options.cache_ttl_ms > 0.0 {
            true => Recall::SamePrompt,
            false => Recall::NewPrompt,
        }
    }

    /// All answers, if Jev is not to be asked.
    pub(crate) fn decide_alone(&self, known: &Answers) -> Option<Answers> {
        let Settings { options, rules, .. } = &*self.settings;
        match options.scorer {
            Scorer::Jev => None,
            Scorer::None => Some(ranking::none(&self.candidates, known.clone(), rules)),
            Scorer::Lexical => {
                let (prompt, keep) = (&self.key.prompt, options.lexical_keep);
                Some(ranking::by_words(&self.candidates, known.clone(), rules, prompt, keep))
            }
        }
    }

    /// The answers of the last decision, if that may be used and covers everything.
    pub(crate) fn last_decision(&self, memory: &Memory) -> Option<Answers> {
        let wanted = self.settings.options.on_failure == OnFailure::Last;
        (wanted && memory.covers(&self.candidates))
            .then(|| memory.answers(&self.candidates, Recall::Everything))
    }

    /// Whether all that could be pruned is shorter than it would cost to ask. Where tools cannot be seen
    /// their size is unknown.
    pub(crate) fn is_too_small(&self) -> bool {
        let spans = self.texts.iter().flat_map(|text| &text.reading.spans).map(|span| span.len());
        let all = spans.sum::<usize>() as i64 + self.native_chars_of_candidates();
        all < self.settings.options.min_saving_chars as i64 && !self.inventory.has_unseen_servers()
    }

    /// The size of the whole request.
    pub(crate) fn chars(&self) -> i64 {
        let in_front = self.texts.iter().zip(&self.places).filter(|(_, place)| place.is_none());
        let in_front: i64 = in_front.map(|(text, _)| text.chars).sum();
        in_front + self.native.all_chars() + self.history_chars as i64
    }

    /// The size of everything that holds candidates.
    pub(crate) fn chars_before(&self) -> i64 {
        let texts = self.texts.iter().filter(|text| !text.reading.sections.is_empty()).map(|text| text.chars);
        texts.sum::<i64>() + self.native_chars_of_candidates()
    }

    pub(crate) fn chars_saved(&self, plan: &Plan) -> i64 {
        let texts = self.texts.iter().enumerate().map(|(at, text)| plan.chars_saved(at, &text.text));
        let told = plan.messages.iter().map(|(_, text)| text.chars().count() as i64);
        let native = plan.tools.iter().map(|name| self.native.chars(name));
        texts.sum::<i64>() + native.sum::<i64>() - told.sum::<i64>()
    }

    fn native_chars_of_candidates(&self) -> i64 {
        let tools = self.candidates.servers.iter().flat_map(|server| &server.tools);
        tools.filter(|tool| tool.is_native).map(|tool| self.native.chars(&tool.id)).sum()
    }

    pub(crate) fn report(&self) -> Report {
        Report {
            session: self.key.memory.session.clone(),
            mode: self.settings.options.mode,
            thresholds: self.settings.rules.thresholds(),
            unrecognised: unrecognised(&self.texts),
            ..Report::default()
        }
    }
}

/// The sections of these texts that could not be read.
pub fn unrecognised(texts: &[Rc<ReadText>]) -> Vec<UnreadSection> {
    texts.iter().flat_map(|text| text.reading.unread.clone()).collect()
}
