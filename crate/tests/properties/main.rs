//! What holds of every request, whatever stands in it. The tests carry the names of the invariants.
//!
//! `document` writes texts as OpenCode writes them and knows what a smaller one would look like; `words`
//! has the names and texts for it. `pipeline` sends texts through the core. The other modules are the
//! properties.

#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

mod asking;
mod conversation;
mod deciding;
mod document;
mod hostile;
mod jev;
mod linear_time;
mod pipeline;
mod reading;
mod rewriting;
mod scene;
mod search;
mod session;
mod words;

/// How often a property is tried; `PROPTEST_CASES` overrides it.
fn cases(count: u32) -> proptest::test_runner::Config {
    let mut config = proptest::test_runner::Config { failure_persistence: None, ..Default::default() };
    if std::env::var_os("PROPTEST_CASES").is_none() {
        config.cases = count;
    }
    config
}
