//! What a search asks for: words, or a regular expression over names. Words are ranked by [`super::bm25`].

use super::documents::Documents;
use crate::options::patterns::{self, behind_mark};

/// What a search asks for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Query<'a> {
    /// Words of any language.
    Words(&'a str),
    /// A regular expression over names.
    Pattern(&'a str),
}

impl<'a> Query<'a> {
    /// A text behind `re:` is a pattern, whatever the mode.
    pub(super) fn new(text: &'a str, is_pattern: bool) -> Query<'a> {
        match behind_mark(text) {
            Some(pattern) => Query::Pattern(pattern),
            None if is_pattern => Query::Pattern(text.trim()),
            None => Query::Words(text),
        }
    }
}

/// The first documents, in their order, whose id matches, or what is wrong with the pattern.
pub(super) fn matching(documents: &Documents, pattern: &str, limit: usize) -> Result<Vec<u32>, String> {
    let regex = patterns::regex(pattern)?;
    let matching = documents.iter().filter(|(_, document)| regex.is_match(document.id));
    Ok(matching.map(|(at, _)| at).take(limit).collect())
}
