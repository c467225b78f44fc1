//! What is remembered from one request of a session to the next.
//!
//! | file | question |
//! |---|---|
//! | [`memory`] | what was shown and hidden, and what announcements tell of |
//! | [`cache_cost`] | what a change of the request's beginning costs at the provider |
//! | [`reveal`] | how newly needed things come into the request |
//! | [`search_pins`] | what the model's searches found, which stays shown |
//! | [`store`] | all sessions, each read once at the start of a request and written once at its end |

pub mod cache_cost;
pub mod memory;
pub mod recent;
pub mod reveal;
pub mod search_pins;
pub mod store;

use std::rc::Rc;

use cache_cost::CacheCost;
use memory::Memory;

/// Whose state it is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct SessionKey {
    /// OpenCode's id of the session.
    pub session: String,
    /// Only where each prompt is decided alone.
    pub prompt: Option<String>,
    /// The fingerprint of the options: others decide otherwise.
    pub options: u64,
}

/// What decisions of a session depend on besides the request: a value that is read, and written anew.
#[derive(Clone, Debug, Default)]
pub(crate) struct SessionState {
    pub memory: Rc<Memory>,
    pub cost: CacheCost,
}
