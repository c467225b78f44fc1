//! Patterns over names, as people write them in options: globs, where `*` is any characters and `?` is one, and
//! regular expressions behind `re:`.

use crate::regex::Pattern;

/// The longest regular expression, in characters.
pub const MAX_PATTERN_CHARS: usize = 200;

const REGEX_MARK: &str = "re:";

/// A regular expression, or what is wrong with it.
pub fn regex(pattern: &str) -> Result<Pattern, &'static str> {
    if pattern.chars().nth(MAX_PATTERN_CHARS).is_some() {
        return Err("it is longer than 200 characters");
    }
    Pattern::new(pattern)
}

/// The expression behind `re:`, if the text is one.
pub fn behind_mark(text: &str) -> Option<&str> {
    text.trim_start().strip_prefix(REGEX_MARK).map(str::trim)
}

/// Names that match one of several patterns.
#[derive(Debug)]
pub struct Patterns {
    /// Patterns that are mere names.
    names: Vec<String>,
    wild: Vec<String>,
    expressions: Vec<Pattern>,
}

impl Patterns {
    /// Globs only.
    pub fn globs(patterns: &[String]) -> Patterns {
        let (wild, names) = patterns.iter().cloned().partition(|pattern| pattern.contains(['*', '?']));
        Patterns { names, wild, expressions: Vec::new() }
    }

    /// Globs and regular expressions. What is malformed matches nothing; options are checked before.
    pub fn new(patterns: &[String]) -> Patterns {
        let (mut globs, mut expressions) = (Vec::new(), Vec::new());
        for pattern in patterns {
            match behind_mark(pattern) {
                Some(expression) => expressions.extend(regex(expression)),
                None => globs.push(pattern.clone()),
            }
        }
        Patterns { expressions, ..Patterns::globs(&globs) }
    }

    pub fn is_empty(&self) -> bool {
        self.names.is_empty() && self.wild.is_empty() && self.expressions.is_empty()
    }

    pub fn is_match(&self, name: &str) -> bool {
        self.names.iter().any(|known| known == name)
            || self.wild.iter().any(|pattern| is_match(pattern, name))
            || self.expressions.iter().any(|expression| expression.is_match(name))
    }
}

/// Walks pattern and name side by side; where they part, the last `*` takes one character more.
fn is_match(pattern: &str, name: &str) -> bool {
    let (mut pattern, mut name) = (pattern.chars(), name.chars());
    let mut last_star = None;
    loop {
        let (mut next, mut rest) = (pattern.clone(), name.clone());
        match (next.next(), rest.next()) {
            (Some('*'), _) => {
                last_star = Some((next.clone(), name.clone()));
                pattern = next;
                continue;
            }
            (None, None) => return true,
            (Some(wanted), Some(found)) if wanted == '?' || wanted == found => {
                (pattern, name) = (next, rest);
                continue;
            }
            _ => {}
        }
        let Some((behind, taken)) = &mut last_star else { return false };
        if taken.next().is_none() {
            return false;
        }
        (pattern, name) = (behind.clone(), taken.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(pattern: &str, text: &str) -> bool {
        let by_glob = Patterns::globs(&[pattern.to_string()]).is_match(text);
        assert_eq!(Patterns::new(&[pattern.to_string()]).is_match(text), by_glob);
        by_glob
    }

    #[test]
    fn star_and_question_mark_are_wild() {
        assert!(matches("git*", "github") && matches("git*", "git") && matches("*", "any/thing"));
        assert!(matches("db?", "db1") && !matches("db?", "db") && !matches("db?", "db12"));
    }

    #[test]
    fn a_star_takes_as_much_as_the_rest_needs() {
        for (pattern, text) in
            [("a*b*c", "abcbc"), ("*ab", "aab"), ("*a?c*", "xaacabcz"), ("é*🦀", "éx🦀"), ("", "")]
        {
            assert!(matches(pattern, text), "{pattern} {text}");
        }
        for (pattern, text) in
            [("a*b*c", "abcb"), ("*ab", "aba"), ("?", ""), ("é?", "é"), ("", "a"), ("a", "")]
        {
            assert!(!matches(pattern, text), "{pattern} {text}");
        }
        assert!(!matches(&"*a".repeat(40), &"b".repeat(4_000)));
    }

    #[test]
    fn everything_else_is_literal() {
        for text in ["a[b]c", "{x,y}", "a\\b", "!x", "[!a]", "a.b", "**"] {
            assert!(matches(text, text), "{text}");
        }
        assert!(!matches("**/x", "x") && matches("a**b", "a/b"));
        assert!(!matches("[ab]", "a") && !matches("{x,y}", "x") && !matches("a.b", "axb"));
        assert!(!matches("Git", "git"));
    }

    #[test]
    fn behind_re_stands_a_regular_expression_that_may_match_anywhere() {
        for (pattern, name, expected) in [
            ("re:^git", "github", true),
            ("re:hub", "github", true),
            ("re:(?i)HUB$", "github", true),
            ("re:^hub", "github", false),
            ("re: ^git(hub|lab)$ ", "gitlab", true),
            ("re:(", "(", false),
        ] {
            assert_eq!(Patterns::new(&[pattern.to_string()]).is_match(name), expected, "{pattern}");
        }
    }

    #[test]
    fn globs_only_take_the_mark_literally() {
        assert!(Patterns::globs(&["re:x".to_string()]).is_match("re:x"));
        assert!(!Patterns::globs(&["re:x".to_string()]).is_match("x"));
    }

    #[test]
    fn what_is_too_long_is_refused() {
        assert!(regex(&"a".repeat(MAX_PATTERN_CHARS)).is_ok());
        assert!(regex(&"a".repeat(MAX_PATTERN_CHARS + 1)).is_err());
    }
}
