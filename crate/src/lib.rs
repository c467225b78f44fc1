//! The core of opencode-jev-pruner: it reads what OpenCode is about to send to a model, says which questions
//! Jev should answer, and plans which MCP servers, MCP tools and skills to take out of that one request.
//!
//! The core does no I/O and has no clock: [`pruning`] is a state machine that names the requests it wants
//! answered and ends in a plan or in "leave it alone". Only the `wasm` module knows JavaScript.

pub mod opencode;

pub mod candidates;

pub mod jev;

pub mod policy;

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
