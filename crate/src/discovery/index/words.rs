//! Words of a text, as they are indexed and looked for: lower case, and split where a writer would see a joint.
//! Any script works; scripts that put no spaces between words give pairs of characters. [`stem`] takes their
//! endings off.
//!
//! | text | words |
//! |---|---|
//! | `list_open-issues` | list, open, issues |
//! | `getUserID` | get, user, id, getuserid |
//! | `HTTPServer2` | http, server2, httpserver2 |
//! | `天气预报` | 天, 天气, 气, 气预, 预, 预报, 报 |

/// Words that stand in any request and say nothing of what is wanted; they are neither indexed nor looked for.
pub const NOISE: &str = "a about all also am an and any are as at be because been being but by can could did do \
    does each few for from had has have he help her here his how i if in into is it its just let like me more \
    most my need no not now of on only or other our out over please she should so some such than that the their \
    them then there these they this those to too up us using very want was we were what when where which while \
    who why will with would you your";

/// Longer words are data, not language, and are cut.
const MAX_WORD_BYTES: usize = 40;

/// Calls `take` with every word of a text, in order.
pub fn for_each(text: &str, take: &mut dyn FnMut(&str)) {
    let mut splitter = Splitter { word: String::new(), part_at: 0, before: Kind::Break, take };
    let mut rest = text.chars();
    loop {
        if splitter.before == Kind::Break {
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
enum Kind {
    Lower,
    Upper,
    Digit,
    /// A character of a script without spaces between words.
    Dense(char),
    /// Belongs to the letter before it and says nothing of its own: an accent, an apostrophe.
    Mark,
    Break,
}

fn kind_of(character: char) -> Kind {
    match character {
        'a'..='z' => Kind::Lower,
        'A'..='Z' => Kind::Upper,
        '0'..='9' => Kind::Digit,
        '\0'..='\x7f' => Kind::Break,
        '\u{300}'..='\u{36f}' | '\u{ad}' | '\u{2019}' => Kind::Mark,
        _ if is_dense(character) => Kind::Dense(character),
        _ if character.is_uppercase() => Kind::Upper,
        _ if character.is_alphanumeric() => Kind::Lower,
        _ => Kind::Break,
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
    part_at: usize,
    before: Kind,
    take: &'a mut dyn FnMut(&str),
}

impl Splitter<'_> {
    fn push(&mut self, character: char, rest: &std::str::Chars) {
        let kind = kind_of(character);
        match kind {
            Kind::Mark => return,
            Kind::Break => self.end_word(),
            Kind::Dense(_) => self.push_dense(character),
            Kind::Upper => {
                let next_is_lower = || rest.clone().next().is_some_and(|next| kind_of(next) == Kind::Lower);
                match self.before {
                    Kind::Lower | Kind::Digit => self.end_part(),
                    Kind::Upper if next_is_lower() => self.end_part(),
                    Kind::Dense(_) => self.end_word(),
                    _ => {}
                }
                self.append(character);
            }
            Kind::Lower | Kind::Digit => {
                if let Kind::Dense(_) = self.before {
                    self.end_word();
                }
                self.append(character);
            }
        }
        self.before = kind;
    }

    fn append(&mut self, character: char) {
        if self.word.len() >= MAX_WORD_BYTES {
            return;
        }
        self.word.extend(character.to_lowercase());
    }

    fn push_dense(&mut self, character: char) {
        let Kind::Dense(before) = self.before else {
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
        if self.part_at < self.word.len() {
            (self.take)(&self.word[self.part_at..]);
        }
        self.part_at = self.word.len();
    }

    /// A word of several parts counts as a whole too: `GitHub` is found by `github`.
    fn end_word(&mut self) {
        let had_parts = self.part_at > 0;
        self.end_part();
        if had_parts {
            (self.take)(&self.word);
        }
        self.word.clear();
        self.part_at = 0;
        self.before = Kind::Break;
    }
}

/// A word without its English endings. It only cuts, so that what is left is part of the word, and words that
/// differ in their ending come to the same: `query` and `queries` to `quer`, `creating` and `creation` to `creat`.
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

    #[test]
    fn a_word_is_cut_at_a_length() {
        assert_eq!(words(&"x1".repeat(500))[0].len(), MAX_WORD_BYTES);
    }
}
