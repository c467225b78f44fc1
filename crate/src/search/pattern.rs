//! Search by a regular expression over names.

use super::documents::Documents;
use crate::patterns::{self, behind_mark};

/// What a search asks for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Query<'a> {
    Words(&'a str),
    Pattern(&'a str),
}

impl<'a> Query<'a> {
    pub fn new(text: &'a str, is_pattern: bool) -> Query<'a> {
        match behind_mark(text) {
            Some(pattern) => Query::Pattern(pattern),
            None if is_pattern => Query::Pattern(text.trim()),
            None => Query::Words(text),
        }
    }
}

/// What a pattern matches.
#[derive(Debug, PartialEq)]
pub struct Matching {
    /// The first documents that match, in their order.
    pub found: Vec<u32>,
    /// How many were looked at, if time was over before all were.
    pub looked_at: Option<usize>,
}

/// How many names are looked at between two looks at the clock.
const NAMES_AT_ONCE: usize = 16;

/// The documents whose name `server_tool` matches, or what is wrong with the pattern. `time_is_over` ends a
/// search that takes too long: a name takes time linear in its length, but some patterns much of it.
pub fn search(
    documents: &Documents,
    pattern: &str,
    limit: usize,
    time_is_over: &dyn Fn() -> bool,
) -> Result<Matching, &'static str> {
    let regex = patterns::regex(pattern)?;
    let mut found = Vec::new();
    for (at, document) in documents.iter() {
        if found.len() == limit {
            break;
        }
        if (at as usize).is_multiple_of(NAMES_AT_ONCE) && time_is_over() {
            return Ok(Matching { found, looked_at: Some(at as usize) });
        }
        if regex.is_match(document.id) {
            found.push(at);
        }
    }
    Ok(Matching { found, looked_at: None })
}
