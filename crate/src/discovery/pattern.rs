//! Search by a regular expression over names.

use super::documents::Documents;
use crate::options::patterns::{self, behind_mark};

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

/// The first documents, in their order, whose name `server_tool` matches, or what is wrong with the pattern.
pub fn search(documents: &Documents, pattern: &str, limit: usize) -> Result<Vec<u32>, String> {
    let regex = patterns::regex(pattern)?;
    let matching = documents.iter().filter(|(_, document)| regex.is_match(document.id));
    Ok(matching.map(|(at, _)| at).take(limit).collect())
}
