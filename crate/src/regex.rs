//! Regular expressions over names, in time linear in the name whatever the pattern: all ways through the pattern
//! are walked at once, and none is ever taken back.
//!
//! ```text
//! abc  .  [a-z_]  [^0-9]  \d \w \s  \D \W \S  \b \B  ^ $  (ab|c)  (?:ab)  x* x+ x? x{2} x{2,} x{2,5}  (?i)
//! ```
//!
//! `(?i)` stands at the beginning and makes case not count. A repetition that is marked lazy is the same here, since
//! only whether something matches is asked. Whatever else begins with `(?` or `\` is refused.

use jev_search_index::lower::lower;

/// What a pattern may compile to; a counted repetition is written out.
const MAX_STEPS: usize = 1_000;
const TOO_LARGE: &str = "it is too large";
const MAX_NESTING: usize = 50;
/// More are too many for any pattern.
const MAX_REPEATS: u32 = 2_000;

#[derive(Debug)]
enum Node {
    One(Class),
    Assert(Place),
    Both(Vec<Node>),
    Either(Vec<Node>),
    Repeat { node: Box<Node>, least: u32, most: Option<u32> },
}

#[derive(Clone, Debug, Default)]
struct Class {
    is_negated: bool,
    ranges: Vec<(char, char)>,
}

#[derive(Clone, Copy, Debug)]
enum Place {
    Start,
    End,
    /// Where a word begins or ends, or with `false` where none does.
    Boundary(bool),
}

#[derive(Clone, Debug)]
enum Step {
    One(Class),
    Assert(Place),
    /// Goes on at both.
    Split(u32, u32),
    Jump(u32),
    Match,
}

/// A compiled pattern.
#[derive(Debug)]
pub struct Pattern {
    steps: Vec<Step>,
    ignores_case: bool,
}

impl Pattern {
    /// Compiles a pattern, or says what is wrong with it.
    pub fn new(pattern: &str) -> Result<Pattern, &'static str> {
        let (ignores_case, pattern) = match pattern.strip_prefix("(?i)") {
            Some(rest) => (true, rest),
            None => (false, pattern),
        };
        let mut parser = Parser { rest: pattern.chars(), depth: 0, ignores_case };
        let node = parser.either()?;
        if parser.rest.next().is_some() {
            return Err("a `)` closes nothing");
        }
        let mut steps = Vec::new();
        compile(&node, &mut steps)?;
        steps.push(Step::Match);
        if steps.len() > MAX_STEPS {
            return Err(TOO_LARGE);
        }
        Ok(Pattern { steps, ignores_case })
    }

    /// Whether it matches anywhere in the text.
    pub fn is_match(&self, text: &str) -> bool {
        let mut walk =
            Walk { pattern: self, now: Vec::new(), next: Vec::new(), seen: vec![0; self.steps.len()], at: 0 };
        walk.find(text)
    }
}

struct Parser<'a> {
    rest: std::str::Chars<'a>,
    depth: usize,
    ignores_case: bool,
}

impl Parser<'_> {
    fn peek(&self) -> Option<char> {
        self.rest.clone().next()
    }

    fn take(&mut self, wanted: char) -> bool {
        let found = self.peek() == Some(wanted);
        if found {
            self.rest.next();
        }
        found
    }

    fn either(&mut self) -> Result<Node, &'static str> {
        self.depth += 1;
        if self.depth > MAX_NESTING {
            return Err("it is nested too deeply");
        }
        let mut branches = vec![self.both()?];
        while self.take('|') {
            branches.push(self.both()?);
        }
        self.depth -= 1;
        Ok(Node::Either(branches))
    }

    fn both(&mut self) -> Result<Node, &'static str> {
        let mut nodes = Vec::new();
        while let Some(next) = self.peek().filter(|next| !matches!(next, '|' | ')')) {
            self.rest.next();
            let node = self.one(next)?;
            nodes.push(self.repeated(node)?);
        }
        Ok(Node::Both(nodes))
    }

    fn one(&mut self, first: char) -> Result<Node, &'static str> {
        Ok(match first {
            '(' => {
                if self.take('?') && !self.take(':') {
                    return Err("of groups with `(?` only `(?:` is known, and `(?i)` at the beginning");
                }
                let node = self.either()?;
                if !self.take(')') {
                    return Err("a `(` is not closed");
                }
                node
            }
            '[' => Node::One(self.class()?),
            '.' => Node::One(Class { is_negated: true, ranges: vec![('\n', '\n')] }),
            '^' => Node::Assert(Place::Start),
            '$' => Node::Assert(Place::End),
            '*' | '+' | '?' | '{' => return Err("there is nothing to repeat"),
            '\\' => match self.rest.next().ok_or("it ends in a `\\`")? {
                'b' => Node::Assert(Place::Boundary(true)),
                'B' => Node::Assert(Place::Boundary(false)),
                escaped => Node::One(escape(escaped)?),
            },
            literal => {
                let mut ranges = vec![(literal, literal)];
                if self.ignores_case {
                    ranges.push((lower(literal), lower(literal)));
                }
                Node::One(Class { is_negated: false, ranges })
            }
        })
    }

    fn repeated(&mut self, mut node: Node) -> Result<Node, &'static str> {
        loop {
            let (least, most) = match self.peek() {
                Some('*') => (0, None),
                Some('+') => (1, None),
                Some('?') => (0, Some(1)),
                Some('{') => {
                    self.rest.next();
                    let least = self.number().ok_or("a `{` needs a number")?;
                    let most = if self.take(',') { self.number() } else { Some(least) };
                    if self.peek() != Some('}') || most.is_some_and(|most| most < least) {
                        return Err("a repetition is written `{2}`, `{2,}` or `{2,5}`");
                    }
                    (least, most)
                }
                _ => return Ok(node),
            };
            self.rest.next();
            self.take('?');
            node = Node::Repeat { node: Box::new(node), least, most };
        }
    }

    fn number(&mut self) -> Option<u32> {
        let mut number = None;
        while let Some(digit) = self.peek().and_then(|next| next.to_digit(10)) {
            self.rest.next();
            number = Some((number.unwrap_or(0) * 10 + digit).min(MAX_REPEATS));
        }
        number
    }

    fn class(&mut self) -> Result<Class, &'static str> {
        let mut class = Class { is_negated: self.take('^'), ranges: Vec::new() };
        let mut is_first = true;
        loop {
            let open = "a `[` is not closed";
            let from = match self.rest.next().ok_or(open)? {
                ']' if !is_first => return Ok(class),
                '\\' => {
                    let known = escape(self.rest.next().ok_or(open)?)?;
                    if known.is_negated {
                        return Err("`\\D`, `\\W` and `\\S` do not stand in `[]`");
                    }
                    match known.ranges.as_slice() {
                        [(from, to)] if from == to => *from,
                        several => {
                            class.ranges.extend_from_slice(several);
                            is_first = false;
                            continue;
                        }
                    }
                }
                literal => literal,
            };
            is_first = false;
            let mut ahead = self.rest.clone();
            let to = match (ahead.next(), ahead.next()) {
                (Some('-'), Some(to)) if to != ']' => {
                    self.rest = ahead;
                    if to == '\\' {
                        self.rest.next().ok_or(open)?
                    } else {
                        to
                    }
                }
                _ => from,
            };
            if to < from {
                return Err("a range in `[]` runs backwards");
            }
            class.ranges.push((from, to));
        }
    }
}

fn escape(escaped: char) -> Result<Class, &'static str> {
    let ranges = match escaped.to_ascii_lowercase() {
        'd' => vec![('0', '9')],
        'w' => vec![('0', '9'), ('A', 'Z'), ('_', '_'), ('a', 'z')],
        's' => vec![('\t', '\r'), (' ', ' ')],
        _ if !escaped.is_ascii_alphanumeric() => vec![(escaped, escaped)],
        _ => return Err("of letters behind `\\` only b, d, s and w are known"),
    };
    Ok(Class { is_negated: escaped.is_ascii_uppercase(), ranges })
}

fn compile(node: &Node, steps: &mut Vec<Step>) -> Result<(), &'static str> {
    if steps.len() > MAX_STEPS {
        return Err(TOO_LARGE);
    }
    match node {
        Node::One(class) => steps.push(Step::One(class.clone())),
        Node::Assert(place) => steps.push(Step::Assert(*place)),
        Node::Both(nodes) => {
            for node in nodes {
                compile(node, steps)?;
            }
        }
        Node::Either(branches) => compile_either(branches, steps)?,
        Node::Repeat { node, least, most } => {
            for _ in 0..*least {
                compile(node, steps)?;
            }
            match most {
                None => {
                    let begin = steps.len() as u32;
                    steps.push(Step::Match);
                    compile(node, steps)?;
                    steps.push(Step::Jump(begin));
                    steps[begin as usize] = Step::Split(begin + 1, steps.len() as u32);
                }
                Some(most) => {
                    for _ in *least..*most {
                        let begin = steps.len() as u32;
                        steps.push(Step::Match);
                        compile(node, steps)?;
                        steps[begin as usize] = Step::Split(begin + 1, steps.len() as u32);
                    }
                }
            }
        }
    }
    Ok(())
}

fn compile_either(branches: &[Node], steps: &mut Vec<Step>) -> Result<(), &'static str> {
    let Some((last, others)) = branches.split_last() else { return Ok(()) };
    let mut ends = Vec::new();
    for branch in others {
        let begin = steps.len() as u32;
        steps.push(Step::Match);
        compile(branch, steps)?;
        ends.push(steps.len());
        steps.push(Step::Match);
        steps[begin as usize] = Step::Split(begin + 1, steps.len() as u32);
    }
    compile(last, steps)?;
    for end in ends {
        steps[end] = Step::Jump(steps.len() as u32);
    }
    Ok(())
}

/// All ways through a pattern at once.
struct Walk<'a> {
    pattern: &'a Pattern,
    /// The steps that wait for a character.
    now: Vec<u32>,
    next: Vec<u32>,
    /// At which place each step was come to last.
    seen: Vec<u32>,
    at: u32,
}

impl Walk<'_> {
    fn find(&mut self, text: &str) -> bool {
        let mut before = None;
        let mut rest = text.chars();
        loop {
            let character = rest.next();
            self.at += 1;
            self.now.clear();
            // What took the last character goes on here, and a new way begins.
            let came = std::mem::take(&mut self.next);
            for &step in came.iter().chain([&0]) {
                if self.enter(step, before, character) {
                    return true;
                }
            }
            self.next = came;
            self.next.clear();
            let Some(character) = character else { return false };
            for at in 0..self.now.len() {
                let step = self.now[at];
                if matches!(&self.pattern.steps[step as usize], Step::One(class) if self.takes(class, character))
                {
                    self.next.push(step + 1);
                }
            }
            before = Some(character);
        }
    }

    fn takes(&self, class: &Class, character: char) -> bool {
        let holds =
            |character: char| class.ranges.iter().any(|&(from, to)| from <= character && character <= to);
        let found = holds(character)
            || self.pattern.ignores_case
                && (holds(lower(character)) || holds(character.to_ascii_uppercase()));
        found != class.is_negated
    }

    /// Comes to a step and to all that follow without a character; `true` at the end of the pattern.
    fn enter(&mut self, step: u32, before: Option<char>, behind: Option<char>) -> bool {
        let mut open = vec![step];
        while let Some(step) = open.pop() {
            if std::mem::replace(&mut self.seen[step as usize], self.at) == self.at {
                continue;
            }
            match &self.pattern.steps[step as usize] {
                Step::Match => return true,
                Step::One(_) => self.now.push(step),
                Step::Jump(to) => open.push(*to),
                Step::Split(one, other) => open.extend([*other, *one]),
                Step::Assert(place) if place.is_here(before, behind) => open.push(step + 1),
                Step::Assert(_) => {}
            }
        }
        false
    }
}

impl Place {
    fn is_here(self, before: Option<char>, behind: Option<char>) -> bool {
        let is_word = |character: Option<char>| {
            character.is_some_and(|character| character.is_alphanumeric() || character == '_')
        };
        match self {
            Place::Start => before.is_none(),
            Place::End => behind.is_none(),
            Place::Boundary(wanted) => (is_word(before) != is_word(behind)) == wanted,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(pattern: &str, text: &str) -> bool {
        Pattern::new(pattern).unwrap().is_match(text)
    }

    #[test]
    fn every_form_matches_what_it_says_and_nothing_else() {
        for (pattern, yes, no) in [
            ("", &["", "a"][..], &[][..]),
            ("ab", &["ab", "xaby"], &["a", "ba", ""]),
            ("a.c", &["abc", "a-c"], &["ac", "a\nc"]),
            ("^ab", &["abc"], &["xab"]),
            ("ab$", &["xab"], &["abc"]),
            ("^$", &[""], &["a"]),
            ("a|bc", &["a", "bc"], &["b", "c"]),
            ("x(a|b|)y", &["xay", "xby", "xy"], &["xcy"]),
            ("^(?:ab)+$", &["ab", "abab"], &["aba", ""]),
            ("^a*$", &["", "aaa"], &["ab"]),
            ("^a?b$", &["b", "ab"], &["aab"]),
            ("^a+?b$", &["ab", "aab"], &["b"]),
            ("^a{2}$", &["aa"], &["a", "aaa"]),
            ("^a{2,}$", &["aa", "aaaa"], &["a"]),
            ("^a{1,3}$", &["a", "aaa"], &["", "aaaa"]),
            ("^(a{0,2}){2}$", &["", "aaaa"], &["aaaaa"]),
            ("^[a-c_]+$", &["ab_c"], &["d", "a-"]),
            ("^[^a-c]$", &["d", "é"], &["a"]),
            ("^[]a]$", &["]", "a"], &["b"]),
            ("^[a\\-z]$", &["-", "z"], &["b"]),
            ("^[\\d_]+$", &["1_2"], &["a"]),
            ("^[a-]$", &["a", "-"], &["b"]),
            ("^\\d\\w\\s$", &["1_ ", "2b\t"], &["a_ ", "1  "]),
            ("^\\D\\W\\S$", &["a-b"], &["1-b", "aab", "a- "]),
            ("\\bnote\\b", &["a note", "note"], &["notes", "a_note"]),
            ("a\\Bb", &["ab"], &["a b"]),
            ("\\.\\$\\(", &[".$("], &["a$("]),
            ("(?i)Straße", &["STRAßE", "straße"], &["strasse"]),
            ("(?i)^[a-c]$", &["B", "b"], &["d"]),
            ("(?i)^[A-C]É$", &["bé", "BÉ"], &["dé"]),
            ("^天.$", &["天气"], &["天"]),
            ("(a*)*b", &["b", "aab"], &["aac", ""]),
        ] {
            yes.iter().for_each(|text| assert!(matches(pattern, text), "{pattern} matches {text:?}"));
            no.iter().for_each(|text| assert!(!matches(pattern, text), "{pattern} does not match {text:?}"));
        }
    }

    #[test]
    fn what_cannot_be_read_is_refused() {
        for pattern in [
            "(", ")", "(a", "a)", "[", "[a", "[b-a]", "*", "+a", "?", "{2}", "a{", "a{x}", "a{2", "a{3,2}",
            "\\", "\\1", "\\p{L}", "(?=a)", "(?<n>a)", "a(?i)b", "[\\D]", "[\\",
        ] {
            assert!(Pattern::new(pattern).is_err(), "{pattern}");
        }
    }

    #[test]
    fn what_is_too_large_or_too_deep_is_refused() {
        assert!(Pattern::new("(((a{50}){50}){50}){50}").is_err());
        assert!(Pattern::new("(a{0,999}){0,999}").is_err());
        assert!(Pattern::new("a{99999999999999}").is_err());
        assert!(Pattern::new(&"(".repeat(10_000)).is_err());
        assert!(Pattern::new(&"a?".repeat(100)).is_ok());
    }

    #[test]
    fn patterns_that_break_others_take_linear_time() {
        let text = "a".repeat(20_000);
        for pattern in ["(a+)+b", "(a*)*b", "(a|aa)+b", "(a|a|a)*b", "(.*)*b", "(a?){30}a{30}b"] {
            assert!(!matches(pattern, &text), "{pattern}");
        }
    }
}
