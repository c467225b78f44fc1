//! What is found out about one request before anything is decided, and is needed to finish it: the conversation itself is
//! gone by then.

use std::rc::Rc;

use crate::candidates::inventory::Inventory;
use crate::candidates::{Candidates, NativeTools};
use crate::hash::fingerprint_of;
use crate::opencode::messages::{Conversation, Prompt, Role, Used};
use crate::opencode::{ReadText, Section, UnreadSection};
use crate::options::DecisionScope;
use crate::session::search_pins::SearchPins;
use crate::session::SessionKey;

use super::{Hook, Request, Settings};

/// What is decided on together: one prompt of a session, and what it could need.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Question {
    pub session: SessionKey,
    pub prompt: String,
    pub candidates: u64,
}

/// A message of the conversation that ours can be put in front of: where it stands, and its id.
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

/// One request, read.
#[derive(Debug)]
pub(crate) struct Facts {
    pub settings: Rc<Settings>,
    pub texts: Vec<Rc<ReadText>>,
    pub places: Vec<Option<usize>>,
    system_parts: usize,
    pub native: Rc<NativeTools>,
    pub inventory: Rc<Inventory>,
    pub candidates: Rc<Candidates>,
    pub used: Used,
    pub pins: Rc<SearchPins>,
    /// Stands for the lists in the system parts: another one after a compaction.
    pub baseline: u64,
    pub question: Question,
    pub is_internal: bool,
    /// The prompt's message, where one of ours can be put in front of it.
    pub anchor: Option<Anchor>,
    user_messages: Vec<Anchor>,
    /// Characters of the conversation; 0 where nobody needs to know.
    pub conversation_chars: usize,
}

impl Facts {
    /// `prompt` is the newest one, or, where none is found, the text of the session's last.
    pub fn new(
        request: Request,
        settings: Rc<Settings>,
        candidates: Rc<Candidates>,
        pins: Rc<SearchPins>,
        prompt: Result<Prompt, String>,
    ) -> Facts {
        let conversation = request.conversation;
        let user_messages: Vec<Anchor> = (0..conversation.len())
            .filter(|&at| conversation.role(at) == Role::User)
            .map(|at| Anchor::at(at, conversation))
            .collect();
        let prompted = prompt.as_ref().ok().filter(|_| request.takes_messages);
        let anchor = prompted.map(|prompt| Anchor::at(prompt.message, conversation));
        let prompt = prompt.map_or_else(|text| text, |prompt| prompt.text);
        let alone = settings.options.decision_scope == DecisionScope::Prompt;
        let session = SessionKey {
            session: request.session,
            prompt: alone.then(|| prompt.clone()),
            options: settings.fingerprint,
        };
        let system = request.texts.iter().take(request.system_parts);
        let with_lists = system.filter(|text| !text.reading.spans.is_empty());
        let lists: Vec<u64> = with_lists.map(|text| text.sections_fingerprint).collect();
        Facts {
            baseline: fingerprint_of(&lists),
            used: Used::of(conversation.uses()),
            pins,
            is_internal: request.hook == Hook::Internal,
            native: request.native,
            inventory: request.inventory,
            texts: request.texts,
            places: request.places,
            system_parts: request.system_parts,
            question: Question { session, candidates: candidates.fingerprint, prompt },
            candidates,
            settings,
            anchor,
            user_messages,
            conversation_chars: 0,
        }
    }

    /// Where the user message with an id stands; none if it was taken back.
    pub fn place_of(&self, id: &str) -> Option<usize> {
        let anchors = self.user_messages.iter().chain(&self.anchor);
        anchors.filter(|anchor| anchor.id == id).map(|anchor| anchor.message).next()
    }

    /// How many full catalogs are stated.
    pub fn catalog_count(&self) -> usize {
        let sections = self.texts.iter().flat_map(|text| &text.reading.sections);
        sections.filter(|section| matches!(section, Section::Catalog(_))).count()
    }

    /// Stands for the list that OpenCode renders anew for every request, in the tool map: what changes there is
    /// announced nowhere else.
    pub fn rendered_anew(&self) -> u64 {
        let behind = self.texts.iter().zip(&self.places).skip(self.system_parts);
        let mut lists = behind.filter(|(text, place)| place.is_none() && !text.reading.sections.is_empty());
        lists.next().map_or(0, |(text, _)| text.fingerprint)
    }

    /// Whether all that could be pruned is shorter than it would cost to ask. Where tools cannot be seen
    /// their size is unknown.
    pub fn is_too_small(&self) -> bool {
        let spans = self.texts.iter().flat_map(|text| &text.reading.spans).map(|span| span.len());
        let all = spans.sum::<usize>() as i64 + self.native_chars_of_candidates();
        all < self.settings.options.min_saving_chars as i64 && !self.inventory.has_unseen_servers()
    }

    /// The characters of the whole request.
    pub fn chars(&self) -> i64 {
        let in_front = self.texts.iter().zip(&self.places).filter(|(_, place)| place.is_none());
        let in_front: i64 = in_front.map(|(text, _)| text.chars).sum();
        in_front + self.native.all_chars() + self.conversation_chars as i64
    }

    /// The characters of everything that holds candidates.
    pub fn chars_with_candidates(&self) -> i64 {
        let texts = self.texts.iter().filter(|text| !text.reading.sections.is_empty()).map(|text| text.chars);
        texts.sum::<i64>() + self.native_chars_of_candidates()
    }

    fn native_chars_of_candidates(&self) -> i64 {
        let tools = self.candidates.servers.iter().flat_map(|server| &server.tools);
        tools.filter(|tool| tool.is_native).map(|tool| self.native.chars(&tool.id)).sum()
    }

    /// The sections that begin like OpenCode's lists and could not be read.
    pub fn unrecognised(&self) -> Vec<UnreadSection> {
        unrecognised(&self.texts)
    }
}

/// The sections of these texts that begin like OpenCode's lists and could not be read.
pub fn unrecognised(texts: &[Rc<ReadText>]) -> Vec<UnreadSection> {
    texts.iter().flat_map(|text| text.reading.unread.clone()).collect()
}
