//! Splits text into words as they are indexed and searched: in lower case, and apart where a writer would see a
//! joint. Any script works; scripts that put no spaces between words give single characters and pairs. Endings
//! are left to [`super::stem`], and what a word counts to `bm25.rs`.
//!
//! | text | words |
//! |---|---|
//! | `list_open-issues` | list, open, issues |
//! | `getUserID` | get, user, id, getuserid |
//! | `HTTPServer2` | http, server2, httpserver2 |
//! | `天气预报` | 天, 天气, 气, 气预, 预, 预报, 报 |
//!
//! `unicode-segmentation` does not do this: it leaves `getUserID` and `list_open` whole, and with it and a split
//! at `_` MetaTool's hit@5 falls from 0.61 to 0.59 and recall@20 on LiveMCPBench from 0.54 to 0.52.

use std::sync::LazyLock;

use crate::hash::FxHashSet;

/// Words that stand in any request and say nothing of what is wanted.
static STOP_WORDS: LazyLock<FxHashSet<&str>> = LazyLock::new(|| {
    "a about all also am an and any are as at be because been being but by can could did do does each few for \
     from had has have he help her here his how i if in into is it its just let like me more most my need no not \
     now of on only or other our out over please she should so some such than that the their them then there \
     these they this those to too up us using very want was we were what when where which while who why will \
     with would you your"
        .split(' ')
        .collect()
});

/// Whether a word, in lower case, is neither indexed nor searched.
pub(crate) fn is_stop_word(word: &str) -> bool {
    STOP_WORDS.contains(word)
}

/// Longer words are data, not language, and are cut.
const MAX_WORD_BYTES: usize = 40;

/// Calls `take` with every word of a text, in order, stop words too. No word is empty, and none grows once it has
/// 40 bytes.
pub fn for_each(text: &str, take: &mut dyn FnMut(&str)) {
    let mut splitter = Splitter { word: String::new(), part_start: 0, before: Class::Break, take };
    let mut rest = text.chars();
    loop {
        if splitter.before == Class::Break {
            if let Some(word) = plain_word(rest.as_str()) {
                (splitter.take)(word);
                rest = rest.as_str()[word.len()..].chars();
            }
        }
        let Some(character) = rest.next() else { break };
        splitter.push(character, &rest);
    }
    splitter.end_word();
}

/// A word at the start of the text that needs no splitting: ASCII in lower case, with nothing behind it that could
/// belong to it. Most words are such.
fn plain_word(text: &str) -> Option<&str> {
    let bytes = text.as_bytes();
    let end = bytes.iter().position(|byte| !(byte.is_ascii_lowercase() || byte.is_ascii_digit()));
    let end = end.unwrap_or(bytes.len());
    let goes_on = bytes.get(end).is_some_and(|byte| byte.is_ascii_uppercase() || !byte.is_ascii());
    (0 < end && end <= MAX_WORD_BYTES && !goes_on).then(|| &text[..end])
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Lower,
    Upper,
    Digit,
    /// A character of a script that puts no spaces between words.
    Dense(char),
    /// Belongs to the letter before it and says nothing of its own: an accent, an apostrophe.
    Mark,
    Break,
}

fn class_of(character: char) -> Class {
    match character {
        'a'..='z' => Class::Lower,
        'A'..='Z' => Class::Upper,
        '0'..='9' => Class::Digit,
        '\0'..='\x7f' => Class::Break,
        '\u{300}'..='\u{36f}' | '\u{ad}' | '\u{2019}' => Class::Mark,
        _ if is_dense(character) => Class::Dense(character),
        _ if character.is_uppercase() => Class::Upper,
        _ if character.is_alphanumeric() => Class::Lower,
        _ => Class::Break,
    }
}

/// Thai to Khmer, kana, Han, Hangul.
fn is_dense(character: char) -> bool {
    matches!(character,
        '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' | '\u{3005}'..='\u{3007}'
        | '\u{3040}'..='\u{30ff}' | '\u{31f0}'..='\u{31ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}'
        | '\u{ac00}'..='\u{d7a3}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{323af}')
        && character.is_alphanumeric()
}

struct Splitter<'a> {
    /// The word so far, in lower case.
    word: String,
    /// Where its last part begins.
    part_start: usize,
    before: Class,
    take: &'a mut dyn FnMut(&str),
}

impl Splitter<'_> {
    fn push(&mut self, character: char, rest: &std::str::Chars) {
        let class = class_of(character);
        match class {
            Class::Mark => return,
            Class::Break => self.end_word(),
            Class::Dense(_) => self.push_dense(character),
            Class::Upper => {
                let next_is_lower = || rest.clone().next().is_some_and(|next| class_of(next) == Class::Lower);
                match self.before {
                    Class::Lower | Class::Digit => self.end_part(),
                    Class::Upper if next_is_lower() => self.end_part(),
                    Class::Dense(_) => self.end_word(),
                    _ => {}
                }
                self.append(character);
            }
            Class::Lower | Class::Digit => {
                if let Class::Dense(_) = self.before {
                    self.end_word();
                }
                self.append(character);
            }
        }
        self.before = class;
    }

    fn append(&mut self, character: char) {
        if self.word.len() >= MAX_WORD_BYTES {
            return;
        }
        self.word.extend(character.to_lowercase());
    }

    fn push_dense(&mut self, character: char) {
        let Class::Dense(before) = self.before else {
            self.end_word();
            return self.take_characters(&[character]);
        };
        self.take_characters(&[before, character]);
        self.take_characters(&[character]);
    }

    fn take_characters(&mut self, characters: &[char]) {
        // No word is under way where such characters stand.
        self.word.clear();
        self.word.extend(characters);
        (self.take)(&self.word);
        self.word.clear();
    }

    fn end_part(&mut self) {
        if self.part_start < self.word.len() {
            (self.take)(&self.word[self.part_start..]);
        }
        self.part_start = self.word.len();
    }

    /// A word of several parts counts as a whole too: `GitHub` is found by `github`.
    fn end_word(&mut self) {
        let had_parts = self.part_start > 0;
        self.end_part();
        if had_parts {
            (self.take)(&self.word);
        }
        self.word.clear();
        self.part_start = 0;
        self.before = Class::Break;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        let mut words = Vec::new();
        for_each(text, &mut |word| words.push(word.to_string()));
        words
    }

    #[test]
    fn words_end_at_signs_and_at_changes_of_case() {
        for (text, expected) in [
            ("list_open-lots.now", vec!["list", "open", "lots", "now"]),
            ("getUserID", vec!["get", "user", "id", "getuserid"]),
            ("HTTPServer2", vec!["http", "server2", "httpserver2"]),
            ("GitHub", vec!["git", "hub", "github"]),
            ("base64 v2", vec!["base64", "v2"]),
            ("don’t cafe\u{301}", vec!["dont", "cafe"]),
            ("Größe ÉCOLE", vec!["größe", "école"]),
            ("поиск Файлов", vec!["поиск", "файлов"]),
            ("", vec![]),
            ("  -- !!", vec![]),
        ] {
            assert_eq!(words(text), expected, "{text}");
        }
    }

    #[test]
    fn scripts_without_spaces_give_single_characters_and_pairs() {
        assert_eq!(words("天气"), ["天", "天气", "气"]);
        assert_eq!(words("API天气now"), ["api", "天", "天气", "气", "now"]);
        assert_eq!(words("駅、東"), ["駅", "東"]);
        assert_eq!(words("ไทย"), ["ไ", "ไท", "ท", "ทย", "ย"]);
    }

    #[test]
    fn a_word_is_cut_at_a_length() {
        assert_eq!(words(&"x1".repeat(500))[0].len(), MAX_WORD_BYTES);
    }
}
