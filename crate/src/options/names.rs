//! Names of options and groups: their two spellings, and which one a misspelled name may mean.
//!
//! Every step of a path may be written in snake_case or in camelCase: `history.purge_errors` and
//! `history.purgeErrors` are the same group.

use strsim::levenshtein;

use super::spec::specs;

/// The other spelling of a name in snake_case.
pub(super) fn camel_case(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    let mut upper = false;
    for character in name.chars() {
        if character == '_' {
            upper = true;
        } else if std::mem::take(&mut upper) {
            out.push(character.to_ascii_uppercase());
        } else {
            out.push(character);
        }
    }
    out
}

/// Whether a path as somebody wrote it means this option or group.
pub(super) fn is_spelling_of(written: &str, path: &str) -> bool {
    let (mut written, mut known) = (written.split('.'), path.split('.'));
    loop {
        match (written.next(), known.next()) {
            (None, None) => return true,
            (Some(written), Some(known)) if written == known || written == camel_case(known) => {}
            _ => return false,
        }
    }
}

/// Whether a path as somebody wrote it means an option.
pub(super) fn is_option(written: &str) -> bool {
    specs().iter().any(|spec| is_spelling_of(written, &spec.path))
}

/// Whether a path as somebody wrote it means a group.
pub(super) fn is_group(written: &str) -> bool {
    specs().iter().flat_map(|spec| spec.groups()).any(|group| is_spelling_of(written, group))
}

/// The option or group whose name is a few letters away.
pub(super) fn nearest(written: &str) -> Option<&'static str> {
    let plain = |name: &str| name.to_ascii_lowercase().replace(['_', '-'], "");
    let wanted = plain(written);
    specs()
        .iter()
        .flat_map(|spec| spec.groups().chain([spec.path.as_str()]))
        .map(|name| (levenshtein(&wanted, &plain(name)), name))
        .filter(|(distance, name)| *distance <= 2 + name.len() / 8)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_step_of_a_path_may_be_in_either_spelling() {
        for written in ["history.purge_errors.turns", "history.purgeErrors.turns"] {
            assert!(is_spelling_of(written, "history.purge_errors.turns"), "{written}");
            assert!(is_option(written) && !is_group(written), "{written}");
        }
        assert!(is_group("history.purgeErrors") && !is_option("history.purgeErrors"));
        assert!(!is_spelling_of("history.purgeerrors", "history.purge_errors"));
        assert!(!is_spelling_of("history", "history.purge_errors"));
    }
}
