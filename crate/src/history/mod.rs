//! Pruning of the conversation: outputs read long ago, inputs of calls that failed or are known from elsewhere,
//! thinking of finished turns. Nothing here changes a message: the boundary fills [`conversation::Message`]s, which
//! hold sizes and short texts but never a whole history, and carries out the [`edits::Edit`]s that come back.
//!
//! ```text
//! messages ─► view ─► strategies: proposed edits ─► session: made now, or waiting ─► edits
//! ```
//!
//! | question | file |
//! |---|---|
//! | What does a message, a call, an output look like? | [`conversation`] |
//! | What is known of a call's input, and how does it become shorter? | [`input`] |
//! | Where is thinking in a text? | `thinking_blocks` |
//! | Which output belongs to which call, and how many turns ago was it? | [`view`] |
//! | Which calls does the user protect? | [`rules`] |
//! | What can be pruned as one, and by which strategies? | [`pruned`] |
//! | When would a strategy prune something? | `strategies` |
//! | Whose thinking may go at all, so that its provider still takes the request? | `thinking` |
//! | When are proposed edits made, and when do they wait? What is remembered? | [`session`] |
//! | What can the model or the user prune with `discard`, `extract` and `/jev sweep`? | `prunable` |
//! | How does a part look once it is pruned? | [`edits`], and `placeholders` for its words |
//! | What does the report say? | [`savings`], in the units of [`sizes`] |
//! | What do `/jev context`, `/jev sweep` and `/jev stats` print? | [`commands`] |

mod label;

pub mod conversation;
pub mod input;
pub mod sizes;
mod thinking_blocks;

pub mod view;

pub mod pruned;
pub mod rules;

mod placeholders;
mod strategies;
mod thinking;

pub mod edits;
pub mod prunable;
pub mod savings;
pub mod session;

pub mod commands;

#[cfg(test)]
mod testing;
