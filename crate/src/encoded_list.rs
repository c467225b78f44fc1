//! Lists of texts as they cross the border: in one text, with NUL between the fields. A field that held one has a
//! space there (`js-shim/flat.js`).

pub const SEPARATOR: char = '\0';

/// The fields of a list, those that say nothing left out.
pub fn fields(list: &str) -> impl Iterator<Item = &str> {
    list.split(SEPARATOR).filter(|field| !field.is_empty())
}

/// A list to be handed over: each field with its separator behind it.
#[derive(Debug, Default)]
pub struct List(String);

impl List {
    pub fn push(&mut self, field: &str) {
        match field.contains(SEPARATOR) {
            true => self.0.push_str(&field.replace(SEPARATOR, " ")),
            false => self.0.push_str(field),
        }
        self.0.push(SEPARATOR);
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl<T: AsRef<str>> Extend<T> for List {
    fn extend<I: IntoIterator<Item = T>>(&mut self, fields: I) {
        fields.into_iter().for_each(|field| self.push(field.as_ref()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_put_into_a_list_is_read_from_it() {
        let mut list = List::default();
        list.extend(["notes", "a b"]);
        assert_eq!(list.as_str(), "notes\0a b\0");
        assert_eq!(fields(list.as_str()).collect::<Vec<_>>(), ["notes", "a b"]);
    }

    #[test]
    fn a_field_stays_one_field() {
        let mut list = List::default();
        list.push("a\0b");
        assert_eq!(list.as_str(), "a b\0");
    }
}
