//! One model call: what comes in of it, the settings that it is treated by, and ([`facts`]) what is found out about it
//! before anything is decided. How it is decided, and what the session remembers, is not known here.

pub mod facts;

use std::rc::Rc;

use crate::candidates::inventory::Inventory;
use crate::candidates::{NativeTools, Scope};
use crate::opencode::messages::Conversation;
use crate::opencode::ReadText;
use crate::options::Options;
use crate::policy::Rules;

/// A configuration with what is derived from it.
#[derive(Debug)]
pub struct Settings {
    /// What the person has set.
    pub options: Options,
    /// What is protected when the conversation is pruned.
    pub history: crate::history::rules::Rules,
    pub(crate) rules: Rules,
    /// Equal for options that decide alike.
    pub(crate) fingerprint: u64,
}

impl Settings {
    /// Compiles patterns and thresholds once, for all requests under these options.
    pub fn new(options: Options) -> Rc<Settings> {
        let (rules, fingerprint) = (Rules::new(&options), options.fingerprint());
        let history = crate::history::rules::Rules::new(&options.history);
        Rc::new(Settings { options, history, rules, fingerprint })
    }

    pub(crate) fn scope(&self) -> Scope {
        Scope {
            mcp_tools: self.options.prune_mcp_tools,
            skills: self.options.prune_skills,
            unlisted_tools: self.options.refill_catalog,
        }
    }
}

/// Which of OpenCode's hooks brings a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Hook {
    /// The model call of a conversation.
    #[default]
    Context,
    /// A request of OpenCode's own, `generate` or `compaction`: it takes the session's decision as it is.
    Internal,
    /// Only the messages of a request, which OpenCode 1.18 hands over separately: nothing is asked or hidden.
    Messages,
}

/// One request that OpenCode is about to send.
pub struct Request<'a> {
    /// The hook that brings it.
    pub hook: Hook,
    /// OpenCode's id of the session.
    pub session: String,
    /// Every text that may hold one of OpenCode's lists, the system parts first.
    pub texts: Vec<Rc<ReadText>>,
    /// Which message each text stands in; none for those in front of all messages.
    pub places: Vec<Option<usize>>,
    /// How many of the texts are system parts.
    pub system_parts: usize,
    /// The request's own tool map.
    pub native: Rc<NativeTools>,
    /// What OpenCode lists besides, where it can be asked.
    pub inventory: Rc<Inventory>,
    /// The messages.
    pub conversation: &'a dyn Conversation,
    /// Whether a message can be put among the others.
    pub takes_messages: bool,
}
