//! What comes in: one request of the host, and the settings that it is treated by.

use std::rc::Rc;

use crate::candidates::inventory::Inventory;
use crate::candidates::{NativeTools, Scope};
use crate::opencode::messages::Conversation;
use crate::opencode::ReadText;
use crate::options::Options;
use crate::policy::rules::Rules;

/// A configuration with what is derived from it.
#[derive(Debug)]
pub struct Settings {
    pub options: Options,
    pub history: crate::history::rules::Rules,
    pub(crate) rules: Rules,
    pub(crate) fingerprint: u64,
}

impl Settings {
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

/// Which of the host's hooks brings a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Hook {
    #[default]
    Context,
    /// A request of the host's own, `generate` or `compaction`: it takes the session's decision as it is.
    Internal,
    /// Only the messages of a request, which OpenCode 1.18 hands over apart: nothing is asked or hidden.
    Messages,
}

/// One request that OpenCode is about to send.
pub struct Request<'a> {
    pub hook: Hook,
    pub session: String,
    /// Every text that may hold one of the host's lists, the system parts first.
    pub texts: Vec<Rc<ReadText>>,
    /// Which message each text stands in; none for those in front of all messages.
    pub places: Vec<Option<usize>>,
    /// How many of the texts are system parts.
    pub system_parts: usize,
    pub native: Rc<NativeTools>,
    pub inventory: Rc<Inventory>,
    pub conversation: &'a dyn Conversation,
    /// Whether a message can be put among the others.
    pub takes_messages: bool,
}
