//! The core of opencode-jev-pruner: it reads what OpenCode is about to send to a model, says which questions
//! Jev should answer, and plans which MCP servers, MCP tools and skills to take out of that one request.
//!
//! The core does no I/O and has no clock: [`pruner`] is a state machine that names the requests it wants
//! answered and ends in a plan or in "leave it alone". Only the `wasm` module knows JavaScript.

pub mod available;
pub mod candidates;
pub mod decide;
pub mod finding;
pub mod hashing;
pub mod history;
pub mod host;
pub mod inventory;
pub mod jev;
pub mod map;
mod numbers;
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
mod sorting;
mod spelling;
mod telling;
pub mod turn;

#[cfg(target_arch = "wasm32")]
pub mod wasm;
