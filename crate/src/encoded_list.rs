//! Lists of texts as they cross the boundary to JavaScript: one string with NUL behind or between the fields,
//! since one long string crosses much faster than thousands of short ones.
//!
//! ```text
//! notes␀calendar␀
//! ```
//!
//! Whoever encodes a list replaces NUL inside a field by a space (`js-shim/flat.js`, [`EncodedList`]), so a field
//! is never split. What the fields mean is said by the type that is decoded from them.

use std::str::Split;

use arcstr::{ArcStr, Substr};

/// Stands between the fields of a list.
pub const SEPARATOR: char = '\0';

/// The fields of a list of plain texts; empty ones are left out.
pub fn fields(list: &str) -> impl Iterator<Item = &str> {
    list.split(SEPARATOR).filter(|field| !field.is_empty())
}

/// Reads a list of records field by field. The fields are slices of the one shared text, so nothing is copied.
#[derive(Debug)]
pub(crate) struct FieldReader<'a> {
    list: &'a ArcStr,
    fields: Split<'a, char>,
}

impl<'a> FieldReader<'a> {
    pub(crate) fn new(list: &'a ArcStr) -> Self {
        FieldReader { list, fields: list.split(SEPARATOR) }
    }

    /// The next field; empty behind the last one.
    pub(crate) fn text(&mut self) -> &'a str {
        self.fields.next().unwrap_or_default()
    }

    /// The next field as a slice of the list.
    pub(crate) fn slice(&mut self) -> Substr {
        let field = self.text();
        self.list.substr_from(field)
    }

    /// The next field, `None` if it is empty.
    pub(crate) fn non_empty(&mut self) -> Option<Substr> {
        let field = self.text();
        (!field.is_empty()).then(|| self.list.substr_from(field))
    }
}

/// A list to be handed to JavaScript: each field with [`SEPARATOR`] behind it.
#[derive(Debug, Default)]
pub struct EncodedList(String);

impl EncodedList {
    /// Adds a field at the end.
    pub fn push(&mut self, field: &str) {
        match field.contains(SEPARATOR) {
            true => self.0.push_str(&field.replace(SEPARATOR, " ")),
            false => self.0.push_str(field),
        }
        self.0.push(SEPARATOR);
    }

    /// The encoded text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl<T: AsRef<str>> Extend<T> for EncodedList {
    fn extend<I: IntoIterator<Item = T>>(&mut self, fields: I) {
        fields.into_iter().for_each(|field| self.push(field.as_ref()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_put_into_a_list_is_read_from_it() {
        let mut list = EncodedList::default();
        list.extend(["notes", "a b"]);
        assert_eq!(list.as_str(), "notes\0a b\0");
        assert_eq!(fields(list.as_str()).collect::<Vec<_>>(), ["notes", "a b"]);
    }

    #[test]
    fn a_field_stays_one_field() {
        let mut list = EncodedList::default();
        list.push("a\0b");
        assert_eq!(list.as_str(), "a b\0");
    }

    #[test]
    fn records_are_read_field_by_field() {
        let list = ArcStr::from("id\0\0text");
        let mut fields = FieldReader::new(&list);
        assert_eq!((fields.text(), fields.non_empty(), fields.slice().as_str()), ("id", None, "text"));
        assert_eq!((fields.text(), fields.non_empty()), ("", None));
    }
}
