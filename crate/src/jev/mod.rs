//! Jev (TypeSafe System One), the classifier that scores candidates: `questions` words what is asked, `pack` puts
//! questions into requests, and [`wire`] is the format of requests and replies.
//!
//! Sessions, thresholds and OpenCode's texts are not known here.

pub(crate) mod pack;
pub(crate) mod questions;
pub mod wire;
