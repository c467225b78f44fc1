//! What is told of the catalog during a session (`opencode-host.md` §6.3).
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

use super::list::{begins_entry, number, read_entries, tool_of_path, Entry};
use crate::opencode::names::{is_name_character, read_path};
use crate::opencode::Unread;
use crate::text::{remove_items, with_one_joint, Cursor, Edit, Item, Line};

const OPEN: &str = "The Code Mode tool catalog has changed.";

#[derive(Debug)]
pub struct CatalogChange {
    first_line: Range<usize>,
    paragraphs: Vec<Paragraph>,
}

#[derive(Debug)]
pub struct Paragraph {
    pub told: Told,
    range: Range<usize>,
}

/// What one paragraph tells.
#[derive(Debug)]
pub enum Told {
    /// New tools, or listings that replace earlier ones.
    Listed { sentence: Range<usize>, entries: Vec<Entry> },
    /// Namespaces that are new or have another number of tools.
    Counted(Vec<NamedNamespace>),
    /// Tools that are gone, as namespace and name.
    ToolsGone(Vec<(Substr, Substr)>),
    /// Namespaces that are gone.
    NamespacesGone(Vec<Substr>),
}

#[derive(Debug)]
pub struct NamedNamespace {
    pub name: Substr,
    /// How many tools it has now; 0 where none are counted.
    pub total: usize,
    range: Range<usize>,
}

impl CatalogChange {
    pub fn opens(line: &str) -> bool {
        line == OPEN
    }

    /// Reads the change whose first line the cursor stands on, and moves the cursor behind it.
    pub fn read(cursor: &mut Cursor) -> Result<CatalogChange, Unread> {
        let nothing = Unread("a catalog change that tells nothing known");
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

    /// The tools that it lists, new or with other words.
    pub fn entries(&self) -> impl Iterator<Item = &Entry> {
        let lists = self.told().filter_map(|told| match told {
            Told::Listed { entries, .. } => Some(entries),
            _ => None,
        });
        lists.flatten()
    }

    pub fn told(&self) -> impl Iterator<Item = &Told> {
        self.paragraphs.iter().map(|paragraph| &paragraph.told)
    }

    /// The edits that leave only what is kept. A paragraph that lost everything goes with its sentence, and
    /// the change with its last paragraph; what is told to be gone stays told.
    pub fn without(
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
            return vec![Edit::remove(with_one_joint(text, &(self.first_line.start..end)))];
        }
        edits.extend(remove_items(&items, "\n\n"));
        edits
    }
}

impl Paragraph {
    fn read(cursor: &mut Cursor) -> Result<Option<Paragraph>, Unread> {
        let Some(line) = cursor.line() else { return Ok(None) };
        let lists = line.text.starts_with("New tools are available")
            || line.text.starts_with("Changed tool listings supersede")
            || line.text.starts_with("Changed tool signatures supersede");
        if lists {
            cursor.advance();
            if !cursor.line().is_some_and(|line| begins_entry(line.text)) {
                return Err(Unread("a change that announces tools and lists none"));
            }
            let entries = read_entries(cursor)?;
            let end = entries.last().map_or(line.end(), |entry| entry.range.end);
            let told = Told::Listed { sentence: line.start..line.end(), entries };
            return Ok(Some(Paragraph { told, range: line.start..end }));
        }
        let Some(told) = read_sentence(&line)? else { return Ok(None) };
        cursor.advance();
        Ok(Some(Paragraph { told, range: line.start..line.end() }))
    }

    /// Whether anything of the paragraph stays, and the edits inside it.
    fn without(
        &self,
        keeps_namespace: impl Fn(&str) -> bool,
        keeps_tool: impl Fn(&str, &str) -> bool,
    ) -> (bool, Vec<Edit>) {
        match &self.told {
            Told::ToolsGone(_) | Told::NamespacesGone(_) => (true, Vec::new()),
            Told::Listed { sentence, entries } => {
                let mut items = vec![Item { range: sentence.clone(), kept: true }];
                items.extend(entries.iter().map(|entry| Item {
                    range: entry.range.clone(),
                    kept: keeps_namespace(&entry.namespace) && keeps_tool(&entry.namespace, &entry.tool),
                }));
                (items.iter().skip(1).any(|item| item.kept), remove_items(&items, "\n"))
            }
            Told::Counted(namespaces) => {
                let items: Vec<Item> = namespaces
                    .iter()
                    .map(|named| Item { range: named.range.clone(), kept: keeps_namespace(&named.name) })
                    .collect();
                (items.iter().any(|item| item.kept), remove_items(&items, ", "))
            }
        }
    }
}

fn read_sentence(line: &Line) -> Result<Option<Told>, Unread> {
    let is_new = line.text.starts_with("New tool namespaces are available: ");
    if is_new || line.text.starts_with("The following namespace inventories changed") {
        return read_named(line).map(|named| Some(Told::Counted(named)));
    }
    if line.text.starts_with("The following tool namespaces are no longer available") {
        let named = read_named(line)?;
        return Ok(Some(Told::NamespacesGone(named.into_iter().map(|named| named.name).collect())));
    }
    if line.text.starts_with("The following tools are no longer available") {
        return read_tools(line.text).map(|tools| Some(Told::ToolsGone(tools)));
    }
    Ok(None)
}

/// The items of ``...: `weather` (9 tools), `cal` (1 tools).``
fn read_named(line: &Line) -> Result<Vec<NamedNamespace>, Unread> {
    const UNREADABLE: Unread = Unread("a change of namespaces that cannot be read");
    let (before, _) =
        line.text.split_once('`').filter(|(before, _)| before.ends_with(": ")).ok_or(UNREADABLE)?;
    let items = line.text.get(before.len()..).and_then(|rest| rest.strip_suffix('.')).ok_or(UNREADABLE)?;
    let mut start = line.start + before.len();
    let mut named = Vec::new();
    for item in items.split(", ") {
        let (name, count) = item.strip_prefix('`').and_then(|rest| rest.split_once('`')).ok_or(UNREADABLE)?;
        if name.is_empty() || !name.chars().all(is_name_character) {
            return Err(UNREADABLE);
        }
        let digits: String = count.chars().filter(char::is_ascii_digit).collect();
        named.push(NamedNamespace {
            name: name.into(),
            total: number(&digits).unwrap_or_default(),
            range: start..start + item.len(),
        });
        start += item.len() + ", ".len();
    }
    Ok(named)
}

/// The tools of `...: tools.notes.add, tools["issue-desk"]["add-many"].`
fn read_tools(line: &str) -> Result<Vec<(Substr, Substr)>, Unread> {
    const UNREADABLE: Unread = Unread("a list of tools that are gone that cannot be read");
    let (_, mut rest) = line.split_once(": ").ok_or(UNREADABLE)?;
    let mut tools = Vec::new();
    loop {
        // The sentence's full stop is not a segment: an identifier would have to follow it.
        let (segments, behind) = read_path(rest.strip_suffix('.').unwrap_or(rest)).ok_or(UNREADABLE)?;
        tools.push(tool_of_path(&segments).ok_or(UNREADABLE)?);
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

    fn read(text: &str) -> Result<CatalogChange, Unread> {
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
    fn what_is_told_is_read() {
        let change = read(LISTS).unwrap();
        let told: Vec<String> = change
            .told()
            .map(|told| match told {
                Told::Listed { entries, .. } => entries
                    .iter()
                    .map(|entry| format!("+{}.{}", entry.namespace, entry.tool))
                    .collect::<Vec<_>>()
                    .join(" "),
                Told::ToolsGone(tools) => format!("{tools:?}"),
                other => format!("{other:?}"),
            })
            .collect();
        assert_eq!(told, ["+notes.drop +cal.add", "+notes.find", r#"[("notes", "add"), ("a-b", "c.d")]"#]);
        let change = read(COUNTS).unwrap();
        let names: Vec<Vec<&str>> = change
            .told()
            .map(|told| match told {
                Told::Counted(named) => named.iter().map(|named| named.name.as_str()).collect(),
                Told::NamespacesGone(names) => names.iter().map(Substr::as_str).collect(),
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
    fn what_is_told_to_be_gone_stays_told() {
        let gone = &LISTS[LISTS.find("The following").unwrap()..];
        let first = "The Code Mode tool catalog has changed.\n\n";
        assert_eq!(rewrite(LISTS, &["notes", "cal", "a-b"], &[]), format!("{first}{gone}"));
    }

    #[test]
    fn a_change_that_lost_everything_goes_with_one_joint() {
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
