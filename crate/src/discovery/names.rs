//! Things by their name: exactly, nearly, or those that come nearest.

use super::documents::Documents;
use strsim::levenshtein;

/// What a name stands for.
#[derive(Debug, PartialEq)]
pub enum Named {
    One(u32),
    /// Several are called that.
    Several(Vec<u32>),
    Nothing,
}

/// The thing with this name. Case, `-`, `_` and other signs do not count, and the server may be missing.
pub fn find(documents: &Documents, name: &str) -> Named {
    let name = name.trim();
    let wanted = plain(name.strip_prefix("tools.").or(name.strip_prefix("tools[")).unwrap_or(name));
    let (mut whole, mut short) = (Vec::new(), Vec::new());
    for (at, document) in documents.iter() {
        if document.id == name {
            return Named::One(at);
        }
        if plain(document.id) == wanted {
            whole.push(at);
        } else if plain(document.name) == wanted {
            short.push(at);
        }
    }
    let found = if whole.is_empty() { short } else { whole };
    match found.as_slice() {
        [] => Named::Nothing,
        [one] => Named::One(*one),
        _ => Named::Several(found),
    }
}

/// The things whose names come nearest to a name, nearest first: a few letters away, or beginning alike.
pub fn nearest(documents: &Documents, name: &str, limit: usize) -> Vec<u32> {
    let wanted = plain(name);
    let mut near = Vec::new();
    for (at, document) in documents.iter() {
        let far = far(&wanted, &plain(document.name)).min(far(&wanted, &plain(document.id)));
        if far <= MAX_FAR {
            near.push((far, at));
        }
    }
    near.sort();
    let mut nearest = Vec::new();
    for (_, at) in near.into_iter().take(limit) {
        nearest.push(at);
    }
    nearest
}

/// A name that begins alike counts as this far away, plus what it is longer.
const BEGINS_ALIKE: usize = 2;
const MAX_FAR: usize = 12;

/// How far two plain names are apart; more than [`MAX_FAR`] is too far.
fn far(wanted: &str, name: &str) -> usize {
    if wanted.is_empty() {
        return MAX_FAR + 1;
    }
    let (short, long) = if wanted.len() < name.len() { (wanted, name) } else { (name, wanted) };
    if short.len() >= 3 && long.starts_with(short) {
        return (BEGINS_ALIKE + long.len() - short.len()).min(MAX_FAR);
    }
    let allowed = 1 + long.len() / 4;
    if long.len() - short.len() > allowed {
        return MAX_FAR + 1;
    }
    let apart = levenshtein(wanted, name);
    if apart <= allowed {
        apart
    } else {
        MAX_FAR + 1
    }
}

/// Letters and digits only, in lower case.
fn plain(name: &str) -> String {
    let mut plain = String::with_capacity(name.len());
    for character in name.chars() {
        if character.is_alphanumeric() {
            plain.extend(character.to_lowercase());
        }
    }
    plain
}
