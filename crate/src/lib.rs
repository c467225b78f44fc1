//! The core of opencode-jev-pruner: it reads what OpenCode is about to send to a model, says which questions Jev should
//! answer, and plans which MCP servers, MCP tools and skills to take out of that one request.
//!
//! The way of a request, module by module:
//!
//! 1. [`opencode`] reads its texts into sections: lists of tools, instructions of servers, skills.
//! 2. [`candidates`] merges what the texts, the tool map and OpenCode's own lists name into what could be hidden.
//! 3. [`request`] keeps what else is known of it: the prompt, what the conversation has used, sizes.
//! 4. [`pruning`], a state machine without I/O and without a clock, reads the session's state and asks for what is open.
//! 5. [`jev`] words the questions and reads the answers.
//! 6. [`policy`] turns answers into a verdict, with a reason, on each candidate.
//! 7. [`session`] remembers what was shown, and settles how more is revealed without losing the prompt cache.
//! 8. [`plan`] says which ranges of which texts go, and where announcements stand.
//! 9. [`report`] tells a person of it.
//!
//! Beside this way stand [`history`] (what is stale in the conversation), [`discovery`] (finding what is hidden),
//! [`repair`] (arguments of tool calls), [`options`] and [`replay`]. Only `wasm` knows JavaScript.

#![warn(missing_docs)]

pub mod opencode;

pub mod candidates;

pub mod jev;

pub mod policy;

pub mod request;

pub mod session;

pub mod plan;

pub mod pruning;

pub mod history;

pub mod discovery;

pub mod repair;

pub mod options;

pub mod report;

pub mod replay;

#[cfg(target_arch = "wasm32")]
pub mod wasm;

pub mod encoded_list;
pub mod hash;
mod lenient;
pub mod text;
