//! The Code Mode catalog: which tools the model may call inside `execute`.
//!
//! Two renderings are read. V4 stands in a system part (`opencode-host.md` §6.1):
//!
//! ```text
//! # Code Mode
//!
//! Use the `execute` tool ...
//!
//! The catalog is complete. ...            or   The catalog is partial. ...  and then
//!                                              a blank line and  - search({ ... }): { ... }
//! ## Available tools
//!
//! - notes (2 tools, 1 shown) // Short notes
//!   - tools.notes.find({
//!   query: string,
//! }): Promise<string> // Find a note
//! - weather (9 tools, none shown)
//! ```
//!
//! V1c has other prose and carries the counts in its heading; it stands in the description of `execute`
//! (§6.2, `host-observed.md`):
//!
//! ```text
//! ## Available tools (PARTIAL - 1 of 11 shown; ...)      or   (COMPLETE list - ...)
//! ```
//!
//! Rules, all from §6.1:
//! - a namespace line is exactly `- NAME (LABEL)` or `- NAME (LABEL) // TEXT`, an entry begins exactly with
//!   `  - tools.` or `  - tools[`; every other line of the list belongs to the entry or header before it;
//! - continuation lines begin with two spaces and no dash, or with `}` in column 0;
//! - the list ends at the first blank line, or before the first line of a known other section;
//! - the label says how many tools there are and how many are listed, so a list can be checked against it.
//!   One that does not agree with itself is not read at all.

use std::collections::HashSet;
use std::ops::Range;

use super::names::{is_name_character, read_path};
use super::text::{Cursor, Edit, Item, Line};
use super::Unread;

/// What stands in the place of "The catalog is complete." once something was taken out.
pub const PARTIAL_LINE: &str =
    "The catalog is partial. Inside `execute`, `search({ query })` finds the tools that are not listed here.";

const V4_ANCHOR: &str = "# Code Mode";
const V4_LIST_HEADING: &str = "## Available tools";
const V1C_COMPLETE: &str = "## Available tools (COMPLETE list";
const V1C_PARTIAL: &str = "## Available tools (PARTIAL - ";
const V1C_SEARCH_HINT: &str = "find the rest with search(...))";

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

/// A catalog as it stands in a text.
#[derive(Debug)]
pub struct Catalog {
    head: Head,
    /// From behind the heading to the first line of the list.
    gap: Range<usize>,
    pub namespaces: Vec<Namespace>,
    /// Behind the last line of the section.
    end: usize,
}

/// The place in front of the list that says whether it is complete.
#[derive(Debug)]
enum Head {
    /// V4, complete: the line that says so.
    CompleteLine(Range<usize>),
    /// V4, partial: stays true whatever is taken out.
    Partial,
    /// V1c, complete: the heading line.
    CompleteHeading(Range<usize>),
    /// V1c, partial: the number of listed tools in the heading line.
    ShownCount(Range<usize>),
}

#[derive(Debug)]
pub struct Namespace {
    pub name: String,
    /// The text behind ` // `.
    pub description: Option<Range<usize>>,
    /// How many tools the host counts, listed or not.
    pub total: usize,
    label: Range<usize>,
    header: Range<usize>,
    pub entries: Vec<Entry>,
}

#[derive(Debug)]
pub struct Entry {
    /// The tool's name inside its namespace; nested segments are joined by dots.
    pub tool: String,
    pub description: Option<Range<usize>>,
    range: Range<usize>,
}

impl Catalog {
    pub fn opens(line: &str) -> bool {
        line == V4_ANCHOR || line.starts_with(V1C_COMPLETE) || line.starts_with(V1C_PARTIAL)
    }

    /// Reads the catalog whose first line the cursor stands on, and moves the cursor behind it.
    pub fn read(cursor: &mut Cursor) -> Result<Catalog, Unread> {
        let Some(first) = cursor.take() else { return Err(Unread("no line")) };
        if first.text == V4_ANCHOR {
            return Self::read_v4(cursor);
        }
        Self::read_v1c(first, cursor)
    }

    fn read_v4(cursor: &mut Cursor) -> Result<Catalog, Unread> {
        let mut status = None;
        let heading = loop {
            let line = cursor.take().ok_or(Unread("a catalog without its list of tools"))?;
            if line.text == V4_LIST_HEADING {
                break line;
            }
            if line.text == V4_ANCHOR || begins_other_section(line.text) {
                return Err(Unread("a catalog without its list of tools"));
            }
            if status.is_none() && line.text.starts_with("The catalog is complete.") {
                status = Some(Head::CompleteLine(line.start..line.end()));
            } else if status.is_none() && line.text.starts_with("The catalog is partial.") {
                status = Some(Head::Partial);
            }
        };
        let head = status.ok_or(Unread("a catalog that does not say whether it is complete"))?;
        Self::read_list(head, heading, cursor)
    }

    fn read_v1c(heading: Line, cursor: &mut Cursor) -> Result<Catalog, Unread> {
        let Some(counts) = heading.text.strip_prefix(V1C_PARTIAL) else {
            return Self::read_list(Head::CompleteHeading(heading.start..heading.end()), heading, cursor);
        };
        let unreadable = Unread("a heading whose counts cannot be read");
        let (shown, rest) = counts.split_once(" of ").ok_or(unreadable)?;
        let (total, _) = rest.split_once(" shown").ok_or(unreadable)?;
        let start = heading.start + V1C_PARTIAL.len();
        let head = Head::ShownCount(start..start + shown.len());
        let catalog = Self::read_list(head, heading, cursor)?;
        // The total may be larger: namespaces that were taken out still count.
        let total_agrees = number(total).is_some_and(|total| total >= catalog.total());
        let agrees = number(shown) == Some(catalog.shown()) && total_agrees;
        agrees.then_some(catalog).ok_or(Unread("a heading whose counts do not agree with the list"))
    }

    fn read_list(head: Head, heading: Line, cursor: &mut Cursor) -> Result<Catalog, Unread> {
        let mut list = *cursor;
        let blank = list.take().filter(Line::is_blank);
        let first = list.line().and_then(|line| NamespaceLine::read(&line));
        if first.is_none() && list.line().is_some_and(|line| line.text.starts_with("- ")) {
            return Err(Unread("a namespace line that cannot be read"));
        }
        if blank.is_none() || first.is_none() {
            let end = heading.end();
            return Ok(Catalog { head, gap: end..end, namespaces: Vec::new(), end });
        }
        let gap = heading.end()..list.line().map_or(heading.end(), |line| line.start);
        let (namespaces, end) = read_namespaces(&mut list)?;
        *cursor = list;
        Ok(Catalog { head, gap, namespaces, end })
    }

    /// How many tools are listed.
    fn shown(&self) -> usize {
        self.namespaces.iter().map(|namespace| namespace.entries.len()).sum()
    }

    /// How many tools there are.
    fn total(&self) -> usize {
        self.namespaces.iter().map(|namespace| namespace.total).sum()
    }

    /// The edits that leave only what is kept, with the counts and the complete/partial line following.
    ///
    /// A namespace that is not kept loses its header and all its entries.
    pub fn without(
        &self,
        keeps_namespace: impl Fn(&str) -> bool,
        keeps_tool: impl Fn(&str, &str) -> bool,
    ) -> Vec<Edit> {
        let mut items = Vec::new();
        let mut edits = Vec::new();
        let mut shown = 0;
        for namespace in &self.namespaces {
            let kept = keeps_namespace(&namespace.name);
            items.push(Item { range: namespace.header.clone(), kept });
            let before = items.len();
            items.extend(namespace.entries.iter().map(|entry| Item {
                range: entry.range.clone(),
                kept: kept && keeps_tool(&namespace.name, &entry.tool),
            }));
            let left = items.iter().skip(before).filter(|item| item.kept).count();
            shown += left;
            if kept && left < namespace.entries.len() {
                edits.push(Edit::replace(namespace.label.clone(), label(namespace.total, left)));
            }
        }
        if items.iter().all(|item| item.kept) {
            return Vec::new();
        }
        if items.iter().all(|item| !item.kept) {
            edits.push(Edit::remove(self.gap.clone()));
        }
        edits.extend(super::text::remove_items(&items));
        edits.extend(self.follow_head(shown));
        edits
    }

    fn follow_head(&self, shown: usize) -> Option<Edit> {
        match &self.head {
            Head::CompleteLine(range) => Some(Edit::replace(range.clone(), PARTIAL_LINE)),
            Head::Partial => None,
            Head::CompleteHeading(range) => Some(Edit::replace(
                range.clone(),
                format!("{V1C_PARTIAL}{shown} of {} shown; {V1C_SEARCH_HINT}", self.total()),
            )),
            Head::ShownCount(range) if shown == self.shown() => {
                debug_assert!(!range.is_empty());
                None
            }
            Head::ShownCount(range) => Some(Edit::replace(range.clone(), shown.to_string())),
        }
    }

    pub fn end(&self) -> usize {
        self.end
    }
}

/// `N tools, K shown` with the host's words for one and for none.
fn label(total: usize, shown: usize) -> String {
    let tools = if total == 1 { "tool" } else { "tools" };
    match shown {
        0 => format!("{total} {tools}, none shown"),
        _ => format!("{total} {tools}, {shown} shown"),
    }
}

fn read_namespaces(cursor: &mut Cursor) -> Result<(Vec<Namespace>, usize), Unread> {
    let mut namespaces: Vec<Namespace> = Vec::new();
    let mut names = HashSet::new();
    let mut end = 0;
    while let Some(line) = cursor.line() {
        let Some(header) = NamespaceLine::read(&line) else {
            if line.is_blank() || begins_other_section(line.text) {
                break;
            }
            return Err(Unread("a line in a catalog's list that is neither namespace nor tool"));
        };
        let namespace = header.read_namespace(&line, cursor)?;
        if !names.insert(namespace.name.clone()) {
            return Err(Unread("a catalog that lists a namespace twice"));
        }
        end = namespace.entries.last().map_or(namespace.header.end, |entry| entry.range.end);
        namespaces.push(namespace);
    }
    Ok((namespaces, end))
}

/// `- NAME (LABEL)[ // DESCRIPTION]`, taken apart.
struct NamespaceLine {
    name: String,
    total: usize,
    shown: usize,
    label: Range<usize>,
    description: Option<usize>,
}

impl NamespaceLine {
    fn read(line: &Line) -> Option<NamespaceLine> {
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
            name: name.to_string(),
            total,
            shown,
            label: label_start..label_start + label.len(),
            description: described,
        })
    }

    /// Reads the block that this line opens; the cursor stands on the line and ends behind the block.
    fn read_namespace(self, line: &Line, cursor: &mut Cursor) -> Result<Namespace, Unread> {
        cursor.advance();
        let mut header = line.start..line.end();
        if self.description.is_some() {
            // A namespace description is raw and may go on over several lines (§6.1, NSDESC).
            while let Some(next) = cursor.line().filter(|next| is_text_of_header(next)) {
                header.end = next.end();
                cursor.advance();
            }
        }
        let entries = read_entries(&self.name, cursor)?;
        if entries.len() != self.shown {
            return Err(Unread("a namespace whose count does not agree with its tools"));
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

fn read_entries(namespace: &str, cursor: &mut Cursor) -> Result<Vec<Entry>, Unread> {
    let mut entries = Vec::new();
    let mut names = HashSet::new();
    while let Some(line) = cursor.line().filter(|line| begins_entry(line.text)) {
        let path = line.text.strip_prefix("  - ").and_then(read_path);
        let (segments, rest) = path.ok_or(Unread("a tool whose path cannot be read"))?;
        if !rest.starts_with('(') {
            return Err(Unread("a tool whose path cannot be read"));
        }
        let (first, inner) = segments.split_first().ok_or(Unread("a tool whose path cannot be read"))?;
        if first != namespace {
            return Err(Unread("a tool that stands under another namespace"));
        }
        cursor.advance();
        let mut last = line;
        while let Some(next) = cursor.line().filter(is_continuation) {
            last = next;
            cursor.advance();
        }
        // A tool without namespace is a namespace of its own, and its only tool.
        let tool = if inner.is_empty() { first.clone() } else { inner.join(".") };
        if !names.insert(tool.clone()) {
            return Err(Unread("a catalog that lists a tool twice"));
        }
        entries.push(Entry { tool, description: description_of(&last), range: line.start..last.end() });
    }
    Ok(entries)
}

/// The text behind the signature; the signature ends with `>` (§6.1).
fn description_of(last: &Line) -> Option<Range<usize>> {
    const MARK: &str = "> // ";
    let start = last.text.find(MARK)? + MARK.len();
    Some(last.start + start..last.end())
}

fn begins_entry(line: &str) -> bool {
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

fn begins_other_section(line: &str) -> bool {
    OTHER_SECTIONS.iter().any(|anchor| line.starts_with(anchor))
}

fn number(text: &str) -> Option<usize> {
    let digits = !text.is_empty() && text.len() <= 9 && text.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| text.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::text::{apply, normalise};

    const HEAD: &str = "# Code Mode\n\nUse the `execute` tool.\n\n";
    const LIST: &str = "\
- issue-desk (3 tools, 2 shown)
  - tools[\"issue-desk\"].list_items(): Promise<unknown> // List open items
  - tools[\"issue-desk\"][\"add-many\"]({
  /**
   * Item titles.
   * - not an entry
   */
  titles: Array<{
      name: string,
    }>,
}): Promise<{
  ids: Array<string>,
}> // Add several // at once
- notes (1 tool) // Short notes
  - tools.notes.find({
  query: string,
}): Promise<string>
- ping (1 tool)
  - tools.ping(): Promise<unknown>
- weather (9 tools, none shown)";

    fn partial() -> String {
        format!("{HEAD}The catalog is partial. Use search.\n\n- search({{\n  query?: string,\n}}): {{}}\n\n## Available tools\n\n{LIST}\n\nInstructions from: x\n")
    }

    fn complete() -> String {
        let list =
            LIST.replace("3 tools, 2 shown", "2 tools").replace("\n- weather (9 tools, none shown)", "");
        format!("{HEAD}The catalog is complete. Do not guess.\n\n## Available tools\n\n{list}")
    }

    fn v1c(heading: &str) -> String {
        format!("Prose about `## Available tools`.\n\n{heading}\n\n{LIST}\n\nSearch returns complete callable signatures:\n- search(input: {{}})")
    }

    fn read(text: &str) -> Result<Catalog, Unread> {
        let mut cursor = Cursor::new(text);
        while !cursor.line().is_some_and(|line| Catalog::opens(line.text)) {
            cursor.advance();
        }
        Catalog::read(&mut cursor)
    }

    fn rewrite(text: &str, keeps_namespace: &[&str], rejected_tools: &[&str]) -> String {
        let catalog = read(text).unwrap();
        let edits = catalog.without(
            |namespace| keeps_namespace.contains(&namespace),
            |_, tool| !rejected_tools.contains(&tool),
        );
        apply(text, &normalise(edits))
    }

    const ALL: [&str; 4] = ["issue-desk", "notes", "ping", "weather"];

    #[test]
    fn namespaces_and_tools_are_read_with_their_descriptions() {
        let text = partial();
        let catalog = read(&text).unwrap();
        let read: Vec<_> = catalog
            .namespaces
            .iter()
            .map(|namespace| {
                let tools: Vec<_> = namespace
                    .entries
                    .iter()
                    .map(|entry| (entry.tool.as_str(), entry.description.clone().map(|range| &text[range])))
                    .collect();
                (
                    namespace.name.as_str(),
                    namespace.total,
                    namespace.description.clone().map(|r| &text[r]),
                    tools,
                )
            })
            .collect();
        assert_eq!(
            read,
            [
                (
                    "issue-desk",
                    3,
                    None,
                    vec![
                        ("list_items", Some("List open items")),
                        ("add-many", Some("Add several // at once"))
                    ]
                ),
                ("notes", 1, Some("Short notes"), vec![("find", None)]),
                ("ping", 1, None, vec![("ping", None)]),
                ("weather", 9, None, vec![]),
            ]
        );
    }

    #[test]
    fn nested_paths_belong_to_their_first_segment() {
        let text = format!(
            "{HEAD}The catalog is complete.\n\n## Available tools\n\n- browser (1 tool)\n  - tools.browser.tabs.list(): Promise<unknown>"
        );
        let catalog = read(&text).unwrap();
        assert_eq!(catalog.namespaces[0].name, "browser");
        assert_eq!(catalog.namespaces[0].entries[0].tool, "tabs.list");
    }

    #[test]
    fn without_a_decision_nothing_changes() {
        for text in [partial(), complete(), v1c("## Available tools (PARTIAL - 4 of 14 shown; more)")] {
            assert_eq!(rewrite(&text, &ALL, &[]), text);
        }
    }

    #[test]
    fn a_rejected_namespace_loses_header_and_entries() {
        let text = partial();
        let out = rewrite(&text, &["issue-desk", "weather"], &[]);
        let notes_and_ping = &LIST[LIST.find("- notes").unwrap()..LIST.find("- weather").unwrap()];
        assert_eq!(out, text.replace(notes_and_ping, ""));
    }

    #[test]
    fn a_rejected_tool_loses_all_its_lines_and_the_label_follows() {
        let text = partial();
        let out = rewrite(&text, &ALL, &["add-many"]);
        let entry =
            &LIST[LIST.find("\n  - tools[\"issue-desk\"][\"add").unwrap()..LIST.find("\n- notes").unwrap()];
        assert_eq!(out, text.replace(entry, "").replace("3 tools, 2 shown", "3 tools, 1 shown"));
    }

    #[test]
    fn a_label_without_listed_tools_says_none() {
        let out = rewrite(&partial(), &ALL, &["list_items", "add-many", "find"]);
        assert!(out.contains(
            "- issue-desk (3 tools, none shown)\n- notes (1 tool, none shown) // Short notes\n- ping"
        ));
    }

    #[test]
    fn a_complete_catalog_that_lost_something_says_it_is_partial() {
        let out = rewrite(&complete(), &["issue-desk", "ping"], &["list_items"]);
        assert!(out.contains(&format!(
            "\n\n{PARTIAL_LINE}\n\n## Available tools\n\n- issue-desk (2 tools, 1 shown)\n"
        )));
    }

    #[test]
    fn a_catalog_that_lost_everything_keeps_its_head() {
        assert_eq!(rewrite(&complete(), &[], &[]), format!("{HEAD}{PARTIAL_LINE}\n\n## Available tools"));
        let text = partial();
        let head = &text[..text.find("\n\n- issue-desk").unwrap()];
        assert_eq!(rewrite(&text, &[], &[]), format!("{head}\n\nInstructions from: x\n"));
    }

    #[test]
    fn the_v1c_heading_follows() {
        for (heading, expected) in [
            (
                "## Available tools (PARTIAL - 4 of 14 shown; more)",
                "## Available tools (PARTIAL - 2 of 14 shown; more)",
            ),
            (
                "## Available tools (COMPLETE list - all)",
                "## Available tools (PARTIAL - 2 of 14 shown; find the rest with search(...))",
            ),
        ] {
            let text = v1c(heading);
            let out = rewrite(&text, &["issue-desk", "weather"], &[]);
            assert!(out.contains(expected), "{out}");
            assert!(out.ends_with(
                "none shown)\n\nSearch returns complete callable signatures:\n- search(input: {})"
            ));
        }
    }

    #[test]
    fn rewriting_twice_equals_rewriting_once() {
        for text in [partial(), complete(), v1c("## Available tools (PARTIAL - 4 of 14 shown; more)")] {
            for kept in [vec![], vec!["notes"], vec!["issue-desk", "weather"]] {
                let once = rewrite(&text, &kept, &["list_items"]);
                assert_eq!(rewrite(&once, &kept, &["list_items"]), once);
            }
        }
    }

    #[test]
    fn a_list_that_disagrees_with_itself_is_not_read() {
        for (from, to) in [
            ("3 tools, 2 shown", "3 tools, 1 shown"),
            ("3 tools, 2 shown", "1 tool, 2 shown"),
            ("- ping (1 tool)", "- notes (1 tool)"),
            ("tools.notes.find(", "tools.note.find("),
            ("tools.notes.find(", "tools.notes[find]("),
            ("- ping (1 tool)", "- ping, one tool"),
            ("The catalog is partial.", "The catalog is whole."),
        ] {
            assert!(read(&partial().replacen(from, to, 1)).is_err(), "{from} -> {to}");
        }
        for heading in
            ["(PARTIAL - 3 of 14 shown)", "(PARTIAL - 4 of 13 shown)", "(PARTIAL - some of 14 shown)"]
        {
            assert!(read(&v1c(&format!("## Available tools {heading}"))).is_err(), "{heading}");
        }
    }

    #[test]
    fn a_namespace_description_may_go_on_over_lines() {
        let text = partial().replace("// Short notes", "// Short notes\nand long ones");
        let out = rewrite(&text, &["issue-desk", "ping", "weather"], &[]);
        assert!(!out.contains("long ones"));
        assert_eq!(out.matches("\n- ").count(), 4);
    }
}
