//! Patterns over names, as people write them in options: globs, where `*` is any characters and `?` is one, and
//! regular expressions behind `re:`.

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use regex::{Regex, RegexBuilder};

/// The longest regular expression, in characters.
const MAX_PATTERN_CHARS: usize = 200;

/// The most that a regular expression may compile to, in bytes.
const MAX_COMPILED_BYTES: usize = 32 << 10;

const REGEX_MARK: &str = "re:";

/// Compiles a regular expression in the syntax of the crate `regex`, or says in one line what is wrong with it.
///
/// What is longer than 200 characters or compiles to more than 32 KiB is refused, so that matching a name takes
/// microseconds whatever the pattern.
pub fn regex(pattern: &str) -> Result<Regex, String> {
    if pattern.chars().nth(MAX_PATTERN_CHARS).is_some() {
        return Err(format!("it is longer than {MAX_PATTERN_CHARS} characters"));
    }
    RegexBuilder::new(pattern).size_limit(MAX_COMPILED_BYTES).build().map_err(explain)
}

/// What is wrong, in one line; a syntax error comes with a drawing of the pattern in front.
fn explain(error: regex::Error) -> String {
    match error {
        regex::Error::CompiledTooBig(_) => "it is too large".to_string(),
        error => {
            let text = error.to_string();
            let line = text.lines().last().unwrap_or_default();
            line.trim_start_matches("error: ").to_string()
        }
    }
}

/// The expression behind `re:`, if the text is one.
pub(crate) fn behind_mark(text: &str) -> Option<&str> {
    text.trim_start().strip_prefix(REGEX_MARK).map(str::trim)
}

/// Names that match one of several patterns.
#[derive(Debug, Default)]
pub(crate) struct Patterns {
    globs: GlobSet,
    expressions: Vec<Regex>,
}

impl Patterns {
    /// Globs only; `re:` has no meaning in them.
    pub fn globs<'a>(patterns: impl IntoIterator<Item = &'a String>) -> Patterns {
        let mut globs = GlobSetBuilder::new();
        for pattern in patterns {
            let glob = GlobBuilder::new(&only_stars_wild(pattern)).backslash_escape(false).build();
            if let Ok(glob) = glob {
                globs.add(glob);
            }
        }
        Patterns { globs: globs.build().unwrap_or_default(), expressions: Vec::new() }
    }

    /// Globs and regular expressions. What is malformed matches nothing; options are checked before.
    pub fn new(patterns: &[String]) -> Patterns {
        let (expressions, globs): (Vec<_>, Vec<_>) =
            patterns.iter().partition(|pattern| behind_mark(pattern).is_some());
        let expressions = expressions.into_iter().filter_map(|pattern| regex(behind_mark(pattern)?).ok());
        Patterns { expressions: expressions.collect(), ..Patterns::globs(globs) }
    }

    /// Whether nothing can match.
    pub fn is_empty(&self) -> bool {
        self.globs.is_empty() && self.expressions.is_empty()
    }

    /// Whether a whole name matches one of the globs, or any part of it one of the expressions. Case counts.
    pub fn is_match(&self, name: &str) -> bool {
        self.globs.is_match(name) || self.expressions.iter().any(|expression| expression.is_match(name))
    }
}

/// A glob in which only `*` and `?` are wild. Brackets and braces stand in names of files (`app/[id]/page.tsx`), and `**`
/// is no more than `*` where `*` crosses slashes.
fn only_stars_wild(pattern: &str) -> String {
    let mut glob = String::with_capacity(pattern.len());
    for character in pattern.chars() {
        match character {
            '*' if glob.ends_with('*') => {}
            '[' | ']' | '{' | '}' => glob.extend(['[', character, ']']),
            _ => glob.push(character),
        }
    }
    glob
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
