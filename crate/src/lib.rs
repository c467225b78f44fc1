//! The core of opencode-jev-pruner: it reads what OpenCode is about to send to a model, says which questions
//! Jev should answer, and plans which MCP servers, MCP tools and skills to take out of that one request.
//!
//! The core does no I/O and has no clock: [`pruner`] is a state machine that names the requests it wants
//! answered and ends in a plan or in "leave it alone". Only the `wasm` module knows JavaScript.

pub mod decide;
pub mod finding;
pub mod history;
pub mod options;
pub mod patterns;
pub mod plan;
pub mod pruner;
mod refill;
pub mod regex;
pub mod repair;
pub mod replay;
pub mod report;
pub mod request;
pub mod run;
pub mod search;
pub mod sessions;
pub mod signature;
mod spelling;
mod telling;
pub mod turn;

pub use jev_reading::{available, candidates, flat, hashing, host, inventory, jev, map, numbers, sorting};

#[cfg(target_arch = "wasm32")]
pub mod wasm;
