//! What OpenCode's texts look like: one file per format, with its grammar at the top.
//!
//! `sections` finds the formats in a text: [`catalog`] (the tools of Code Mode), [`instructions`] (what MCP servers
//! say) and [`skills`]. A text is read into byte ranges, and each format gives the edits that leave only what
//! somebody wants; what is not edited is never written anew. A [`ReadText`] is a text with its sections.
//! [`announcement`] and [`signature`] go the other way and write as OpenCode would. [`messages`] reads the
//! conversation, [`names`] and [`builtin_tools`] know names.
//!
//! How it is decided what stays is not known here.

pub mod announcement;
pub mod builtin_tools;
pub mod catalog;
pub mod instructions;
pub mod messages;
pub mod names;
mod read_text;
mod sections;
pub mod signature;
pub mod skills;

pub use read_text::ReadText;
pub use sections::{read, List, Reading, Restatement, Section, UnreadSection};

/// Why a section that begins like one of OpenCode's is left as it is, as in "a skill list that does not end".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unreadable(pub &'static str);

/// Whether a system text of OpenCode 1.18 is that of a conversation, and not that of a title, a summary or
/// another small call: only the former has a block about the environment (`host-observed.md`).
pub fn is_main_system_text(text: &str) -> bool {
    text.contains("\n<env>\n")
}
