//! What OpenCode's texts and lists say, and how Jev is asked about it: from a request's characters to candidates, and
//! from candidates to questions.
//!
//! It is a crate of its own since it is compiled for speed: all of a first request's text passes through here. What is
//! decided, and what becomes of the texts, is not known here.

pub mod available;
pub mod candidates;
pub mod flat;
pub mod hashing;
pub mod host;
pub mod inventory;
pub mod jev;
pub mod map;
pub mod numbers;
pub mod sorting;
