//! The list itself: namespace lines and entries, in every rendering the same (`opencode-host.md` §6.1).

use std::ops::Range;

use arcstr::Substr;

use crate::hash::FxHashSet;
use crate::opencode::names::{is_name_character, read_path, ToolPath};
use crate::opencode::Unreadable;
use crate::text::{Cursor, Line};

/// Lines that begin another section of the same part (§6.1, "belt and braces").
const OTHER_SECTIONS: [&str; 7] = [
    "<mcp_instructions>",
    "<available_skills>",
    "Skills provide specialized",
    "Instructions from:",
    "Project references provide",
    "Today's date:",
    "Here is some useful information",
];

/// A namespace of the list with its tools.
#[derive(Debug)]
pub struct Namespace {
    /// The sanitised name of the server, or the name of a tool that belongs to none.
    pub name: Substr,
    /// The text behind ` // `.
    pub description: Option<Range<usize>>,
    /// How many tools OpenCode counts, listed or not.
    pub total: usize,
    /// What stands in parentheses behind the name.
    pub label: Range<usize>,
    /// The namespace line and the further lines of its description.
    pub header: Range<usize>,
    /// In the order of the list.
    pub entries: Vec<Entry>,
}

/// A tool of the list.
#[derive(Debug)]
pub struct Entry {
    /// The first segment of the path.
    pub namespace: Substr,
    /// The tool's name inside its namespace; nested segments are joined by dots.
    pub tool: Substr,
    /// The text behind the signature and ` // `.
    pub description: Option<Range<usize>>,
    /// All of its lines, without the newline behind the last one.
    pub range: Range<usize>,
}

/// Reads all namespace blocks from the cursor on, and moves the cursor behind them.
pub(super) fn read_namespaces(cursor: &mut Cursor) -> Result<Vec<Namespace>, Unreadable> {
    let mut namespaces: Vec<Namespace> = Vec::new();
    let mut names = FxHashSet::default();
    while let Some(line) = cursor.line() {
        let Some(header) = NamespaceLine::read(&line) else {
            if line.is_blank() || begins_other_section(line.text) {
                break;
            }
            return Err(Unreadable("a line in a catalog's list that is neither namespace nor tool"));
        };
        let namespace = header.read_namespace(&line, cursor)?;
        if !names.insert(namespace.name.clone()) {
            return Err(Unreadable("a catalog that lists a namespace twice"));
        }
        namespaces.push(namespace);
    }
    Ok(namespaces)
}

/// `- NAME (LABEL)[ // DESCRIPTION]`, taken apart.
pub(super) struct NamespaceLine {
    name: Substr,
    total: usize,
    shown: usize,
    label: Range<usize>,
    description: Option<usize>,
}

impl NamespaceLine {
    pub(super) fn read(line: &Line) -> Option<NamespaceLine> {
        let (name, rest) = line.text.strip_prefix("- ")?.split_once(" (")?;
        if name.is_empty() || !name.chars().all(is_name_character) {
            return None;
        }
        let (label, rest) = rest.split_once(')')?;
        let label_start = line.start + 2 + name.len() + 2;
        let (total, shown) = read_label(label)?;
        let described = match rest {
            "" => None,
            _ => Some(line.end() - rest.strip_prefix(" // ")?.len()),
        };
        Some(NamespaceLine {
            name: name.into(),
            total,
            shown,
            label: label_start..label_start + label.len(),
            description: described,
        })
    }

    /// Reads the block that this line opens; the cursor stands on the line and ends behind the block.
    fn read_namespace(self, line: &Line, cursor: &mut Cursor) -> Result<Namespace, Unreadable> {
        cursor.advance();
        let mut header = line.start..line.end();
        if self.description.is_some() {
            // A namespace description is raw and may go on over several lines (§6.1, NSDESC).
            while let Some(next) = cursor.line().filter(|next| is_text_of_header(next)) {
                header.end = next.end();
                cursor.advance();
            }
        }
        let entries = read_entries(cursor)?;
        if entries.iter().any(|entry| entry.namespace != self.name) {
            return Err(Unreadable("a tool that stands under another namespace"));
        }
        if entries.len() != self.shown {
            return Err(Unreadable("a namespace whose count does not agree with its tools"));
        }
        Ok(Namespace {
            name: self.name,
            description: self.description.map(|start| start..header.end),
            total: self.total,
            label: self.label,
            header,
            entries,
        })
    }
}

/// `N tools`, `N tools, K shown` or `N tools, none shown`: how many there are and how many are listed.
fn read_label(label: &str) -> Option<(usize, usize)> {
    let (count, shown) = match label.split_once(", ") {
        Some((count, shown)) => (count, Some(shown.strip_suffix(" shown")?)),
        None => (label, None),
    };
    let total = number(count.strip_suffix(" tools").or_else(|| count.strip_suffix(" tool"))?)?;
    let shown = match shown {
        None => total,
        Some("none") => 0,
        Some(shown) => number(shown)?,
    };
    (shown <= total).then_some((total, shown))
}

/// Reads entries as long as there are any.
pub(super) fn read_entries(cursor: &mut Cursor) -> Result<Vec<Entry>, Unreadable> {
    const UNREADABLE_PATH: Unreadable = Unreadable("a tool whose path cannot be read");
    let mut entries = Vec::new();
    let mut paths = FxHashSet::default();
    while let Some(line) = cursor.line().filter(|line| begins_entry(line.text)) {
        let path = line.text.strip_prefix("  - ").and_then(read_path);
        let (segments, rest) = path.ok_or(UNREADABLE_PATH)?;
        if !rest.starts_with('(') {
            return Err(UNREADABLE_PATH);
        }
        let path = ToolPath::from_segments(&segments).ok_or(UNREADABLE_PATH)?;
        cursor.advance();
        let mut last = line;
        while let Some(next) = cursor.line().filter(is_continuation) {
            last = next;
            cursor.advance();
        }
        if !paths.insert(path.clone()) {
            return Err(Unreadable("a catalog that lists a tool twice"));
        }
        let ToolPath { namespace, tool } = path;
        entries.push(Entry {
            namespace,
            tool,
            description: description_of(&last),
            range: line.start..last.end(),
        });
    }
    Ok(entries)
}

/// The text behind the signature; the signature ends with `>` (§6.1).
fn description_of(last: &Line) -> Option<Range<usize>> {
    const MARK: &str = "> // ";
    let start = last.text.find(MARK)? + MARK.len();
    Some(last.start + start..last.end())
}

pub(super) fn begins_entry(line: &str) -> bool {
    line.starts_with("  - tools.") || line.starts_with("  - tools[")
}

fn is_continuation(line: &Line) -> bool {
    let indented =
        line.text.strip_prefix("  ").is_some_and(|rest| !rest.is_empty() && !rest.starts_with('-'));
    indented || line.text.starts_with('}')
}

fn is_text_of_header(line: &Line) -> bool {
    !line.is_blank()
        && !begins_entry(line.text)
        && !begins_other_section(line.text)
        && NamespaceLine::read(line).is_none()
}

pub(super) fn begins_other_section(line: &str) -> bool {
    OTHER_SECTIONS.iter().any(|anchor| line.starts_with(anchor))
}

pub(super) fn number(text: &str) -> Option<usize> {
    let digits = !text.is_empty() && text.len() <= 9 && text.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| text.parse().ok()).flatten()
}
