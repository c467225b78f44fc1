//! The Code Mode catalog: which tools the model may call inside `execute`.
//!
//! The newest rendering stands in a system part (`opencode-host.md` §6.1); `renderings` knows the others:
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
//! Rules, all from §6.1:
//! - a namespace line is exactly `- NAME (LABEL)` or `- NAME (LABEL) // TEXT`, an entry begins exactly with
//!   `  - tools.` or `  - tools[`; every other line of the list belongs to the entry or header before it;
//! - continuation lines begin with two spaces and no dash, or with `}` in column 0;
//! - the list ends at the first blank line, or before the first line of a known other section;
//! - the label says how many tools there are and how many are listed, so a list can be checked against it.
//!   One that does not agree with itself is not read at all.
//!
//! What OpenCode says of it later stands in [`changes`].

pub mod changes;
mod list;
mod renderings;

use std::ops::Range;

use arcstr::Substr;

use super::Unreadable;
use crate::text::{remove_items, Cursor, Edit, Item, Line};
use list::{begins_other_section, number, read_namespaces, NamespaceLine};
pub use list::{Entry, Namespace};
pub use renderings::Style;
use renderings::{Rendering, LIST_HEADING, SEARCH_HINT, V1C_COMPLETE, V1C_PARTIAL, V1C_SEARCH_HINT};

/// A catalog as it stands in a text.
#[derive(Debug)]
pub struct Catalog {
    head: Head,
    style: Style,
    /// From behind the heading to the first line of the list.
    gap: Range<usize>,
    /// In the order of the list.
    pub namespaces: Vec<Namespace>,
}

/// The place in front of the list that says whether it is complete.
#[derive(Debug)]
enum Head {
    /// The line that says it is complete, and what it becomes.
    CompleteLine(Range<usize>, &'static str),
    /// Nothing that could become untrue.
    NoClaim,
    /// A rendering that says nothing when it is complete: where its heading begins.
    Unsaid(usize),
    /// V1c, complete: the heading line.
    CompleteHeading(Range<usize>),
    /// V1c, partial: the number of listed tools in the heading line.
    ShownCount(Range<usize>),
}

/// An entry to add to a catalog.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Addition {
    /// The namespace that it belongs to.
    pub namespace: Substr,
    /// The tool's name inside the namespace.
    pub tool: Substr,
    /// Its lines, as [`super::signature::entry`] gives them.
    pub entry: String,
}

impl Addition {
    /// The length of what is inserted, in code points.
    pub fn chars(&self) -> i64 {
        self.entry.chars().count() as i64 + 1
    }
}

impl Namespace {
    /// How many tools it counts and does not list.
    fn unlisted(&self) -> usize {
        self.total.saturating_sub(self.entries.len())
    }

    /// Insertions of the additions that belong here, each behind the kept entry that its name follows; entries
    /// are sorted by path (§6.1).
    fn add(&self, entries: &[Item], additions: &[&Addition]) -> Vec<Edit> {
        let is_listed = |tool: &str| self.entries.iter().any(|entry| entry.tool == tool);
        let mine =
            additions.iter().filter(|addition| addition.namespace == self.name && !is_listed(&addition.tool));
        mine.take(self.unlisted())
            .map(|addition| {
                let named = self.entries.iter().zip(entries);
                let before = named.rev().find(|(entry, item)| item.kept && entry.tool < addition.tool);
                let at = before.map_or(self.header.end, |(entry, _)| entry.range.end);
                Edit::replace(at..at, format!("\n{}", addition.entry))
            })
            .collect()
    }
}

impl Catalog {
    /// Whether a line may be the first one of a catalog.
    pub(crate) fn opens(line: &str) -> bool {
        renderings::opened_by(line).is_some()
            || line.starts_with(V1C_COMPLETE)
            || line.starts_with(V1C_PARTIAL)
    }

    /// Whether a line heads a list of tools, although no known rendering has opened.
    pub(crate) fn is_stray_heading(line: &str) -> bool {
        line == LIST_HEADING
    }

    /// Reads the catalog whose first line the cursor stands on, and moves the cursor behind it; `None` for
    /// a text that only opens like a catalog.
    pub(crate) fn read(cursor: &mut Cursor) -> Result<Option<Catalog>, Unreadable> {
        let Some(first) = cursor.take() else { return Ok(None) };
        match renderings::opened_by(first.text) {
            Some(rendering) => Self::read_with_head(rendering, first, cursor),
            None => Self::read_v1c(first, cursor).map(Some),
        }
    }

    fn read_with_head(
        rendering: &Rendering,
        first: Line,
        cursor: &mut Cursor,
    ) -> Result<Option<Catalog>, Unreadable> {
        let mut claim = None;
        let mut line = first;
        while line.text != LIST_HEADING {
            if claim.is_none() {
                claim = read_claim(rendering, &line);
            }
            line = match cursor.take() {
                Some(next) if !begins_other_section(next.text) && !Catalog::opens(next.text) => next,
                _ if rendering.may_lack_list => return Ok(None),
                _ => return Err(Unreadable("a catalog without its list of tools")),
            };
        }
        let no_claim = rendering.complete.is_empty().then_some(Head::Unsaid(line.start));
        let head =
            claim.or(no_claim).ok_or(Unreadable("a catalog that does not say whether it is complete"))?;
        Self::read_list(head, rendering.style, line, cursor).map(Some)
    }

    fn read_v1c(heading: Line, cursor: &mut Cursor) -> Result<Catalog, Unreadable> {
        let Some(counts) = heading.text.strip_prefix(V1C_PARTIAL) else {
            return Self::read_list(
                Head::CompleteHeading(heading.start..heading.end()),
                Style::Beta,
                heading,
                cursor,
            );
        };
        let unreadable = Unreadable("a heading whose counts cannot be read");
        let (shown, rest) = counts.split_once(" of ").ok_or(unreadable)?;
        let (total, _) = rest.split_once(" shown").ok_or(unreadable)?;
        let start = heading.start + V1C_PARTIAL.len();
        let head = Head::ShownCount(start..start + shown.len());
        let catalog = Self::read_list(head, Style::Beta, heading, cursor)?;
        // The total may be larger: namespaces that were taken out still count.
        let total_agrees = number(total).is_some_and(|total| total >= catalog.total());
        let agrees = number(shown) == Some(catalog.shown()) && total_agrees;
        agrees.then_some(catalog).ok_or(Unreadable("a heading whose counts do not agree with the list"))
    }

    fn read_list(
        head: Head,
        style: Style,
        heading: Line,
        cursor: &mut Cursor,
    ) -> Result<Catalog, Unreadable> {
        let mut list = *cursor;
        let blank = list.take().filter(Line::is_blank);
        let first = list.line().and_then(|line| NamespaceLine::read(&line));
        if first.is_none() && list.line().is_some_and(|line| line.text.starts_with("- ")) {
            return Err(Unreadable("a namespace line that cannot be read"));
        }
        if blank.is_none() || first.is_none() {
            let end = heading.end();
            return Ok(Catalog { head, style, gap: end..end, namespaces: Vec::new() });
        }
        let gap = heading.end()..list.line().map_or(heading.end(), |line| line.start);
        let namespaces = read_namespaces(&mut list)?;
        let style = style_of(&namespaces, cursor).unwrap_or(style);
        *cursor = list;
        Ok(Catalog { head, style, gap, namespaces })
    }

    /// How many tools are listed.
    fn shown(&self) -> usize {
        self.namespaces.iter().map(|namespace| namespace.entries.len()).sum()
    }

    /// How many tools there are.
    fn total(&self) -> usize {
        self.namespaces.iter().map(|namespace| namespace.total).sum()
    }

    /// The edits that leave only what is kept and add what is wanted, and that bring the counts and the line about
    /// completeness up to date. With `hint` a catalog that has become partial says how to reach the rest.
    ///
    /// A namespace that is not kept loses its header and all its entries.
    pub(crate) fn edits(
        &self,
        keeps_namespace: impl Fn(&str) -> bool,
        keeps_tool: impl Fn(&str, &str) -> bool,
        additions: &[&Addition],
        hint: bool,
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
            let entries = items.get(before..).unwrap_or_default();
            let left = entries.iter().filter(|item| item.kept).count();
            let added = if kept { namespace.add(entries, additions) } else { Vec::new() };
            if kept && (left < entries.len() || !added.is_empty()) {
                edits
                    .push(Edit::replace(namespace.label.clone(), label(namespace.total, left + added.len())));
            }
            shown += left + added.len();
            edits.extend(added);
        }
        if items.iter().all(|item| item.kept) && edits.is_empty() {
            return Vec::new();
        }
        if items.iter().all(|item| !item.kept) {
            edits.push(Edit::remove(self.gap.clone()));
        }
        edits.extend(remove_items(&items, "\n"));
        edits.extend(self.follow_head(shown, hint));
        edits
    }

    fn follow_head(&self, shown: usize, hint: bool) -> Option<Edit> {
        match &self.head {
            Head::CompleteLine(range, made_partial) => {
                let hint = if hint { SEARCH_HINT } else { "" };
                Some(Edit::replace(range.clone(), format!("{made_partial}{hint}")))
            }
            Head::NoClaim => None,
            Head::Unsaid(at) => {
                hint.then(|| Edit::replace(*at..*at, format!("{}\n\n", SEARCH_HINT.trim_start())))
            }
            Head::CompleteHeading(range) => {
                let hint = if hint { V1C_SEARCH_HINT } else { "" };
                let heading = format!("{V1C_PARTIAL}{shown} of {} shown{hint})", self.total());
                Some(Edit::replace(range.clone(), heading))
            }
            Head::ShownCount(_) if shown == self.shown() => None,
            Head::ShownCount(range) => Some(Edit::replace(range.clone(), shown.to_string())),
        }
    }

    /// How many tools of a namespace it counts and does not list; `None` for a namespace that it does not know.
    pub(crate) fn unlisted_in(&self, namespace: &str) -> Option<usize> {
        self.namespaces.iter().find(|known| known.name == namespace).map(Namespace::unlisted)
    }

    /// In which form this catalog writes signatures.
    pub(crate) fn style(&self) -> Style {
        self.style
    }
}

/// The form in which the list itself writes signatures, where an entry with arguments shows it: not every beta
/// in between names its argument as its rendering would.
fn style_of(namespaces: &[Namespace], cursor: &Cursor) -> Option<Style> {
    let entries = namespaces.iter().flat_map(|namespace| &namespace.entries);
    entries.filter_map(|entry| cursor.source().get(entry.range.clone())).find_map(|entry| {
        let named = entry.find("(input: ").map(|at| (at, Style::Beta));
        let bare = entry.find("({").map(|at| (at, Style::V4));
        named.into_iter().chain(bare).min_by_key(|(at, _)| *at).map(|(_, style)| style)
    })
}

/// `N tools, K shown` with OpenCode's words for one, for none and for all.
fn label(total: usize, shown: usize) -> String {
    let tools = if total == 1 { "tool" } else { "tools" };
    match shown {
        all if all >= total => format!("{total} {tools}"),
        0 => format!("{total} {tools}, none shown"),
        _ => format!("{total} {tools}, {shown} shown"),
    }
}

/// What a line of the head says of completeness, if it says anything.
fn read_claim(rendering: &Rendering, line: &Line) -> Option<Head> {
    if !rendering.complete.is_empty() && line.text.starts_with(rendering.complete) {
        return Some(Head::CompleteLine(line.start..line.end(), rendering.made_partial));
    }
    line.text.starts_with(rendering.partial).then_some(Head::NoClaim)
}

#[cfg(test)]
mod tests;
