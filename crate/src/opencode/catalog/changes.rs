//! What OpenCode says of the catalog during a session (`opencode-host.md` §6.3).
//!
//! ```text
//! The Code Mode tool catalog has changed.
//!
//! New tools are available in addition to those previously listed:
//!   - tools.notes.drop({
//!   id: string,
//! }): Promise<unknown> // Remove a note
//!
//! Changed tool listings supersede the previously listed ones:
//!   - tools.notes.find(): Promise<string>
//!
//! The following tools are no longer available and must not be called: tools.notes.add, tools["a-b"].c.
//! ```
//!
//! or, where only a sample is listed, of namespaces:
//!
//! ```text
//! New tool namespaces are available: `weather` (9 tools), `cal` (1 tools).
//!
//! The following namespace inventories changed; ...: `notes` now has 4 tools.
//!
//! The following tool namespaces are no longer available ...: `cal`.
//! ```
//!
//! Rules: the first line is exactly that; a blank line stands before each paragraph; each paragraph is
//! optional, and the section ends before the first one that is none of these.

use std::ops::Range;

use arcstr::Substr;

use super::list::{begins_entry, number, read_entries, Entry};
use crate::opencode::names::{is_name_character, read_path, ToolPath};
use crate::opencode::Unreadable;
use crate::text::{remove_items, with_one_separator, Cursor, Edit, Item, Line};

const OPEN: &str = "The Code Mode tool catalog has changed.";

/// What one message says of the catalog.
#[derive(Debug)]
pub struct CatalogChange {
    first_line: Range<usize>,
    paragraphs: Vec<Paragraph>,
}

#[derive(Debug)]
struct Paragraph {
    statement: Statement,
    range: Range<usize>,
}

/// What one paragraph of a change says.
#[derive(Debug)]
pub enum Statement {
    /// Tools are new, or their listings replace earlier ones.
    ToolsListed {
        /// The line before the list.
        sentence: Range<usize>,
        /// In the order of the text.
        entries: Vec<Entry>,
    },
    /// Namespaces are new or have another number of tools.
    NamespacesCounted {
        /// In the order of the text.
        namespaces: Vec<NamespaceCount>,
    },
    /// Tools are gone.
    ToolsRemoved {
        /// In the order of the text.
        tools: Vec<ToolPath>,
    },
    /// Namespaces are gone.
    NamespacesRemoved {
        /// In the order of the text.
        names: Vec<Substr>,
    },
}

/// A namespace with the number of its tools, as in `` `weather` (9 tools) ``.
#[derive(Debug)]
pub struct NamespaceCount {
    /// The name in the catalog.
    pub name: Substr,
    /// How many tools it has now; 0 where none are counted.
    pub total: usize,
    range: Range<usize>,
}

impl CatalogChange {
    /// Whether a line is the first one of a change.
    pub(crate) fn opens(line: &str) -> bool {
        line == OPEN
    }

    /// Reads the change whose first line the cursor stands on, and moves the cursor behind it.
    pub(crate) fn read(cursor: &mut Cursor) -> Result<CatalogChange, Unreadable> {
        let nothing = Unreadable("a catalog change that tells nothing known");
        let first = cursor.take().ok_or(nothing)?;
        let mut paragraphs = Vec::new();
        loop {
            let mut ahead = *cursor;
            if ahead.take().is_none_or(|line| !line.is_blank()) {
                break;
            }
            let Some(paragraph) = Paragraph::read(&mut ahead)? else { break };
            paragraphs.push(paragraph);
            *cursor = ahead;
        }
        if paragraphs.is_empty() {
            return Err(nothing);
        }
        Ok(CatalogChange { first_line: first.start..first.end(), paragraphs })
    }

    /// The tools that it lists, new or changed.
    pub fn entries(&self) -> impl Iterator<Item = &Entry> {
        let lists = self.statements().filter_map(|statement| match statement {
            Statement::ToolsListed { entries, .. } => Some(entries),
            _ => None,
        });
        lists.flatten()
    }

    /// What it says, in the order of the text.
    pub fn statements(&self) -> impl Iterator<Item = &Statement> {
        self.paragraphs.iter().map(|paragraph| &paragraph.statement)
    }

    /// The edits that leave only what is kept. A paragraph that lost everything goes with its sentence, and
    /// the change with its last paragraph; a paragraph about what is gone stays.
    pub(crate) fn without(
        &self,
        text: &str,
        keeps_namespace: impl Fn(&str) -> bool,
        keeps_tool: impl Fn(&str, &str) -> bool,
    ) -> Vec<Edit> {
        let mut edits = Vec::new();
        let mut items = vec![Item { range: self.first_line.clone(), kept: true }];
        for paragraph in &self.paragraphs {
            let (kept, inner) = paragraph.without(&keeps_namespace, &keeps_tool);
            items.push(Item { range: paragraph.range.clone(), kept });
            if kept {
                edits.extend(inner);
            }
        }
        if items.iter().skip(1).all(|item| !item.kept) {
            let end = self.paragraphs.last().map_or(self.first_line.end, |paragraph| paragraph.range.end);
            return vec![Edit::remove(with_one_separator(text, &(self.first_line.start..end)))];
        }
        edits.extend(remove_items(&items, "\n\n"));
        edits
    }
}

impl Paragraph {
    fn read(cursor: &mut Cursor) -> Result<Option<Paragraph>, Unreadable> {
        let Some(line) = cursor.line() else { return Ok(None) };
        let lists = line.text.starts_with("New tools are available")
            || line.text.starts_with("Changed tool listings supersede")
            || line.text.starts_with("Changed tool signatures supersede");
        if lists {
            cursor.advance();
            if !cursor.line().is_some_and(|line| begins_entry(line.text)) {
                return Err(Unreadable("a change that announces tools and lists none"));
            }
            let entries = read_entries(cursor)?;
            let end = entries.last().map_or(line.end(), |entry| entry.range.end);
            let statement = Statement::ToolsListed { sentence: line.start..line.end(), entries };
            return Ok(Some(Paragraph { statement, range: line.start..end }));
        }
        let Some(statement) = read_sentence(&line)? else { return Ok(None) };
        cursor.advance();
        Ok(Some(Paragraph { statement, range: line.start..line.end() }))
    }

    /// Whether anything of the paragraph stays, and the edits inside it.
    fn without(
        &self,
        keeps_namespace: impl Fn(&str) -> bool,
        keeps_tool: impl Fn(&str, &str) -> bool,
    ) -> (bool, Vec<Edit>) {
        match &self.statement {
            Statement::ToolsRemoved { .. } | Statement::NamespacesRemoved { .. } => (true, Vec::new()),
            Statement::ToolsListed { sentence, entries } => {
                let mut items = vec![Item { range: sentence.clone(), kept: true }];
                items.extend(entries.iter().map(|entry| Item {
                    range: entry.range.clone(),
                    kept: keeps_namespace(&entry.namespace) && keeps_tool(&entry.namespace, &entry.tool),
                }));
                (items.iter().skip(1).any(|item| item.kept), remove_items(&items, "\n"))
            }
            Statement::NamespacesCounted { namespaces } => {
                let items: Vec<Item> = namespaces
                    .iter()
                    .map(|counted| Item {
                        range: counted.range.clone(),
                        kept: keeps_namespace(&counted.name),
                    })
                    .collect();
                (items.iter().any(|item| item.kept), remove_items(&items, ", "))
            }
        }
    }
}

fn read_sentence(line: &Line) -> Result<Option<Statement>, Unreadable> {
    let is_new = line.text.starts_with("New tool namespaces are available: ");
    if is_new || line.text.starts_with("The following namespace inventories changed") {
        let namespaces = read_counts(line)?;
        return Ok(Some(Statement::NamespacesCounted { namespaces }));
    }
    if line.text.starts_with("The following tool namespaces are no longer available") {
        let names = read_counts(line)?.into_iter().map(|counted| counted.name).collect();
        return Ok(Some(Statement::NamespacesRemoved { names }));
    }
    if line.text.starts_with("The following tools are no longer available") {
        let tools = read_tools(line.text)?;
        return Ok(Some(Statement::ToolsRemoved { tools }));
    }
    Ok(None)
}

/// The items of ``...: `weather` (9 tools), `cal` (1 tools).``
fn read_counts(line: &Line) -> Result<Vec<NamespaceCount>, Unreadable> {
    const UNREADABLE: Unreadable = Unreadable("a change of namespaces that cannot be read");
    let (before, _) =
        line.text.split_once('`').filter(|(before, _)| before.ends_with(": ")).ok_or(UNREADABLE)?;
    let items = line.text.get(before.len()..).and_then(|rest| rest.strip_suffix('.')).ok_or(UNREADABLE)?;
    let mut start = line.start + before.len();
    let mut counts = Vec::new();
    for item in items.split(", ") {
        let (name, count) = item.strip_prefix('`').and_then(|rest| rest.split_once('`')).ok_or(UNREADABLE)?;
        if name.is_empty() || !name.chars().all(is_name_character) {
            return Err(UNREADABLE);
        }
        let digits: String = count.chars().filter(char::is_ascii_digit).collect();
        counts.push(NamespaceCount {
            name: name.into(),
            total: number(&digits).unwrap_or_default(),
            range: start..start + item.len(),
        });
        start += item.len() + ", ".len();
    }
    Ok(counts)
}

/// The tools of `...: tools.notes.add, tools["issue-desk"]["add-many"].`
fn read_tools(line: &str) -> Result<Vec<ToolPath>, Unreadable> {
    const UNREADABLE: Unreadable = Unreadable("a list of tools that are gone that cannot be read");
    let (_, mut rest) = line.split_once(": ").ok_or(UNREADABLE)?;
    let mut tools = Vec::new();
    loop {
        // The sentence's full stop is not a segment: an identifier would have to follow it.
        let (segments, behind) = read_path(rest.strip_suffix('.').unwrap_or(rest)).ok_or(UNREADABLE)?;
        tools.push(ToolPath::from_segments(&segments).ok_or(UNREADABLE)?);
        match behind.strip_prefix(", ") {
            Some(next) => rest = next,
            None if behind.is_empty() => return Ok(tools),
            None => return Err(UNREADABLE),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{apply, normalise};

    const LISTS: &str = "\
The Code Mode tool catalog has changed.

New tools are available in addition to those previously listed:
  - tools.notes.drop({
  id: string,
}): Promise<unknown> // Remove a note
  - tools.cal.add(): Promise<unknown>

Changed tool listings supersede the previously listed ones:
  - tools.notes.find(): Promise<string>

The following tools are no longer available and must not be called: tools.notes.add, tools[\"a-b\"][\"c.d\"].";

    const COUNTS: &str = "\
The Code Mode tool catalog has changed.

New tool namespaces are available: `weather` (9 tools), `cal` (1 tools), `maps` (2 tools).

The following namespace inventories changed; search them again before relying on previous results: `notes` now has 4 tools.

The following tool namespaces are no longer available and must not be used: `old`, `older`.";

    fn read(text: &str) -> Result<CatalogChange, Unreadable> {
        let mut cursor = Cursor::new(text);
        while !cursor.line().is_some_and(|line| CatalogChange::opens(line.text)) {
            cursor.advance();
        }
        CatalogChange::read(&mut cursor)
    }

    fn rewrite(text: &str, gone_namespaces: &[&str], gone_tools: &[&str]) -> String {
        let edits = read(text).unwrap().without(
            text,
            |namespace| !gone_namespaces.contains(&namespace),
            |_, tool| !gone_tools.contains(&tool),
        );
        apply(text, &normalise(edits))
    }

    #[test]
    fn each_paragraph_is_read() {
        let change = read(LISTS).unwrap();
        let said: Vec<String> = change
            .statements()
            .map(|statement| match statement {
                Statement::ToolsListed { entries, .. } => entries
                    .iter()
                    .map(|entry| format!("+{}.{}", entry.namespace, entry.tool))
                    .collect::<Vec<_>>()
                    .join(" "),
                Statement::ToolsRemoved { tools } => tools
                    .iter()
                    .map(|tool| format!("-{:?}.{:?}", tool.namespace, tool.tool))
                    .collect::<Vec<_>>()
                    .join(" "),
                other => format!("{other:?}"),
            })
            .collect();
        assert_eq!(said, ["+notes.drop +cal.add", "+notes.find", r#"-"notes"."add" -"a-b"."c.d""#]);
        let change = read(COUNTS).unwrap();
        let names: Vec<Vec<&str>> = change
            .statements()
            .map(|statement| match statement {
                Statement::NamespacesCounted { namespaces } => {
                    namespaces.iter().map(|counted| counted.name.as_str()).collect()
                }
                Statement::NamespacesRemoved { names } => names.iter().map(Substr::as_str).collect(),
                _ => vec![],
            })
            .collect();
        assert_eq!(names, [vec!["weather", "cal", "maps"], vec!["notes"], vec!["old", "older"]]);
    }

    #[test]
    fn without_a_decision_nothing_changes() {
        for text in [LISTS, COUNTS] {
            assert_eq!(rewrite(text, &[], &[]), text);
        }
    }

    #[test]
    fn a_rejected_entry_goes_and_the_others_stay() {
        assert_eq!(
            rewrite(LISTS, &["cal"], &[]),
            LISTS.replace("\n  - tools.cal.add(): Promise<unknown>", "")
        );
    }

    #[test]
    fn a_paragraph_that_lost_everything_goes_with_its_sentence() {
        let changed = "\n\nChanged tool listings supersede the previously listed ones:\n  - tools.notes.find(): Promise<string>";
        assert_eq!(rewrite(LISTS, &[], &["find"]), LISTS.replace(changed, ""));
    }

    #[test]
    fn a_paragraph_about_removed_tools_stays() {
        let gone = &LISTS[LISTS.find("The following").unwrap()..];
        let first = "The Code Mode tool catalog has changed.\n\n";
        assert_eq!(rewrite(LISTS, &["notes", "cal", "a-b"], &[]), format!("{first}{gone}"));
    }

    #[test]
    fn a_change_that_lost_everything_goes_with_one_separator() {
        let change = &LISTS[..LISTS.find("\n\nThe following").unwrap()];
        for (before, behind, expected) in
            [("", "", ""), ("", "\n\nB", "B"), ("A\n\n", "\n\nB", "A\n\nB"), ("A\n\n", "", "A")]
        {
            assert_eq!(rewrite(&format!("{before}{change}{behind}"), &["notes", "cal"], &[]), expected);
        }
    }

    #[test]
    fn a_rejected_namespace_goes_from_the_counts() {
        for (gone, expected) in [
            ("weather", COUNTS.replace("`weather` (9 tools), ", "")),
            ("cal", COUNTS.replace("`cal` (1 tools), ", "")),
            ("maps", COUNTS.replace(", `maps` (2 tools)", "")),
        ] {
            assert_eq!(rewrite(COUNTS, &[gone], &[]), expected);
        }
        let new = &COUNTS[COUNTS.find("New tool").unwrap()..COUNTS.find("The following namespace").unwrap()];
        assert_eq!(rewrite(COUNTS, &["weather", "cal", "maps"], &[]), COUNTS.replace(new, ""));
    }

    #[test]
    fn the_change_ends_before_text_that_is_not_its_own() {
        let text = format!("{LISTS}\n\nNew skills are available in addition to those previously listed:\n");
        let mut cursor = Cursor::new(&text);
        CatalogChange::read(&mut cursor).unwrap();
        assert_eq!(cursor.line().map(|line| line.start), Some(LISTS.len() + 1));
    }

    #[test]
    fn what_cannot_be_read_is_left() {
        for broken in [
            LISTS.replace("tools.notes.add,", "notes.add,"),
            COUNTS.replace("`weather` (9", "weather (9"),
            "The Code Mode tool catalog has changed.\n\nOtherwise.".to_string(),
            "The Code Mode tool catalog has changed.\n\nNew tools are available:\nnone".to_string(),
        ] {
            assert!(read(&broken).is_err(), "{broken}");
        }
    }
}
