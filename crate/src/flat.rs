//! Lists of texts as they cross the border: in one text, with NUL between the fields. A field that held one has a
//! space there (`js-shim/flat.js`).

pub const SEPARATOR: char = '\0';

/// The fields of a list, those that say nothing left out.
pub fn fields(list: &str) -> impl Iterator<Item = &str> {
    list.split(SEPARATOR).filter(|field| !field.is_empty())
}
