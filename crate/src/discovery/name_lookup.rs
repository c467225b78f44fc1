//! Looks documents up by a name as a model writes it: the one that is meant, or those whose names come nearest.
//! Search by words and by patterns is elsewhere (`bm25.rs`, `query.rs`).

use std::collections::BinaryHeap;

use strsim::levenshtein;

use super::documents::Documents;

/// What a name stands for; documents by their number.
#[derive(Debug, PartialEq)]
pub enum Lookup {
    /// One document.
    One(u32),
    /// Several that are called that, in their order.
    Several(Vec<u32>),
    /// No document.
    Nothing,
}

/// The document with a name: `notes_add`, `notes.add`, `tools.notes.add`, or `add` alone. Case and all characters
/// but letters and digits do not count, and the server may be missing; an id that is exactly the name wins.
pub fn look_up(documents: &Documents, name: &str) -> Lookup {
    let name = name.trim();
    let wanted = plain(name.strip_prefix("tools.").or(name.strip_prefix("tools[")).unwrap_or(name));
    let (mut whole, mut short) = (Vec::new(), Vec::new());
    for (at, document) in documents.iter() {
        if document.id == name {
            return Lookup::One(at);
        }
        if plain(document.id) == wanted {
            whole.push(at);
        } else if plain(document.name) == wanted {
            short.push(at);
        }
    }
    let found = if whole.is_empty() { short } else { whole };
    match found.as_slice() {
        [] => Lookup::Nothing,
        [one] => Lookup::One(*one),
        _ => Lookup::Several(found),
    }
}

/// The documents whose names come nearest to a name, nearest first: a few letters away, or beginning alike.
pub(crate) fn nearest(documents: &Documents, name: &str, limit: usize) -> Vec<u32> {
    let wanted = plain(name);
    let distance_to = |name: &str| distance(&wanted, &plain(name));
    let mut farthest_first = BinaryHeap::with_capacity(limit + 1);
    for (at, document) in documents.iter() {
        let distances = distance_to(document.name).into_iter().chain(distance_to(document.id));
        farthest_first.extend(distances.min().map(|distance| (distance, at)));
        if farthest_first.len() > limit {
            farthest_first.pop();
        }
    }
    farthest_first.into_sorted_vec().into_iter().map(|(_, at)| at).collect()
}

/// A name that begins alike counts as this far away, and as much farther as it is longer.
const BEGINS_ALIKE: usize = 2;
/// As far away as a name that begins alike can be.
const MAX_DISTANCE: usize = 12;

/// How far two plain names are apart; none if they have nothing in common.
fn distance(wanted: &str, name: &str) -> Option<usize> {
    if wanted.is_empty() {
        return None;
    }
    let (short, long) = if wanted.len() < name.len() { (wanted, name) } else { (name, wanted) };
    if short.len() >= 3 && long.starts_with(short) {
        return Some((BEGINS_ALIKE + long.len() - short.len()).min(MAX_DISTANCE));
    }
    let allowed = 1 + long.len() / 4;
    if long.len() - short.len() > allowed {
        return None;
    }
    Some(levenshtein(wanted, name)).filter(|distance| *distance <= allowed.min(MAX_DISTANCE))
}

/// Letters and digits only, in lower case.
fn plain(name: &str) -> String {
    name.chars().filter(|character| character.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}
