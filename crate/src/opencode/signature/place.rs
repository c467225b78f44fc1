//! Where in a type a schema stands, and where the references in it lead.
//!
//! ```text
//! {"$defs": {"day": ...}, "properties": {"from": {"$ref": "#/$defs/day"}}}
//! ```
//!
//! A reference is `#/$defs/NAME` or `#/definitions/NAME` and no other, with `~1` and `~0` for `/` and `~` in the
//! name. It means the definition of that name in the innermost schema around it that has one; a schema that
//! was reached by reference stands, for this, where the reference stood.

use serde_json::Value;

use super::keywords::Keywords;
use super::Unsupported;

/// References that lead straight to references are at no depth, so their number is limited here.
const MOST_REFERENCES: usize = 32;

#[derive(Clone, Copy)]
pub(super) struct Place<'p> {
    pub(super) depth: usize,
    pub(super) definitions: Option<&'p Definitions<'p>>,
    /// The names of the references that led here.
    pub(super) open: &'p [&'p str],
}

/// The definitions of a schema, and those of the schemas around it.
pub(super) struct Definitions<'d> {
    pub(super) own: &'d Keywords,
    pub(super) outer: Option<&'d Definitions<'d>>,
}

impl<'p> Place<'p> {
    pub(super) const OUTERMOST: Place<'static> = Place { depth: 0, definitions: None, open: &[] };

    pub(super) fn inner(self) -> Self {
        Place { depth: self.depth + 1, ..self }
    }

    /// The definition that a reference leads to, and its name.
    pub(super) fn resolve(&self, reference: &str) -> Result<(&'p str, &'p Value), Unsupported> {
        const NOWHERE: Unsupported = Unsupported("a reference that leads nowhere");
        let name = reference.strip_prefix("#/$defs/").or_else(|| reference.strip_prefix("#/definitions/"));
        let name = name.filter(|name| !name.is_empty() && !name.contains('/')).ok_or(NOWHERE)?;
        if name.contains('%') || name.split('~').skip(1).any(|rest| !rest.starts_with(['0', '1'])) {
            return Err(Unsupported("a reference that OpenCode's versions read differently"));
        }
        let name = name.replace("~1", "/").replace("~0", "~");
        self.definitions.and_then(|definitions| definitions.find(&name)).ok_or(NOWHERE)
    }

    /// The open references with one more.
    pub(super) fn opened(&self, name: &'p str) -> Result<Vec<&'p str>, Unsupported> {
        if self.open.len() == MOST_REFERENCES {
            return Err(Unsupported("too many references inside references"));
        }
        Ok([self.open, &[name]].concat())
    }
}

impl<'d> Definitions<'d> {
    fn find(&self, name: &str) -> Option<(&'d str, &'d Value)> {
        let among = |list: &str| self.own.get(list)?.as_object()?.get_key_value(name);
        match among("$defs").or_else(|| among("definitions")) {
            Some((name, schema)) => Some((name, schema)),
            None => self.outer?.find(name),
        }
    }
}
