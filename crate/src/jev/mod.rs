//! Talking to Jev (TypeSafe System One): the wording of questions, their packing into requests, and the
//! wire format. Sessions, thresholds and the host's texts are not known here.

pub mod pack;
pub mod questions;
pub mod wire;
