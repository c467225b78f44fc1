//! Takes English endings off words, so that words that differ in their ending come to the same: `query` and
//! `queries` to `quer`, `creating` and `creation` to `creat`. It only cuts, so a stem is a slice of its word and
//! costs no allocation. Splitting text is left to [`super::words`].
//!
//! Snowball's English stemmer (`rust-stemmers` 1.2, `snowball_stemmers_rs` 1.0) finds less of what tasks need:
//! recall@5 and @20 on LiveMCPBench fall from 0.398 and 0.539 to 0.383 and 0.523, though MetaTool's hit@5 rises
//! from 0.612 to 0.624. Porter's is as good at 5 and worse at 20 (0.516), Lovins' worse at 5 (0.367).

/// A word, in lower case, without its English endings.
pub fn stem(word: &str) -> &str {
    if word.len() < 4 || !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return word;
    }
    let word = without_plural(word);
    for (ending, least) in ENDINGS {
        let Some(rest) = word.strip_suffix(ending) else { continue };
        if rest.len() >= least && has_vowel(rest) {
            return without_last_letters(rest);
        }
    }
    without_last_letters(word)
}

/// Endings and how many letters must be left of a word without them, longer ones before those they end in.
const ENDINGS: [(&str, usize); 13] = [
    ("ating", 4),
    ("ation", 4),
    ("ated", 4),
    ("ment", 4),
    ("ness", 4),
    ("ator", 3),
    ("able", 4),
    ("ate", 4),
    ("ing", 3),
    ("ion", 4),
    ("ed", 3),
    ("er", 4),
    ("ly", 4),
];

fn without_plural(word: &str) -> &str {
    match word.as_bytes() {
        [.., b's' | b'u' | b'i', b's'] => word,
        [.., b'i', b'e', b's'] | [.., b's' | b'x' | b'h', b'e', b's'] => &word[..word.len() - 2],
        [.., b's'] => &word[..word.len() - 1],
        _ => word,
    }
}

/// Without a final `e`, `y` or `i`, and without the second of two equal consonants: `running`, `runn`, `run`.
fn without_last_letters(word: &str) -> &str {
    match word.as_bytes() {
        [_, _, .., b'e' | b'y' | b'i'] => &word[..word.len() - 1],
        [_, .., a, b] if a == b && !matches!(a, b'l' | b's' | b'z' | b'e' | b'o') => &word[..word.len() - 1],
        _ => word,
    }
}

fn has_vowel(word: &str) -> bool {
    word.bytes().any(|byte| matches!(byte, b'a' | b'e' | b'i' | b'o' | b'u' | b'y'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_differ_in_their_ending_come_to_the_same() {
        for family in [
            &["create", "creates", "created", "creating", "creation"][..],
            &["query", "queries"],
            &["search", "searches", "searching", "searched"],
            &["run", "runs", "running"],
            &["issue", "issues"],
            &["calculate", "calculator", "calculation", "calculating"],
            &["class", "classes"],
            &["box", "boxes"],
            &["file", "files"],
        ] {
            for word in family {
                assert_eq!(stem(word), stem(family[0]), "{word}");
            }
        }
    }

    #[test]
    fn what_only_looks_like_an_ending_stays() {
        for word in ["sing", "red", "bus", "class", "status", "analysis", "wifi4", "größes"] {
            assert_eq!(stem(word), word, "{word}");
        }
    }
}
