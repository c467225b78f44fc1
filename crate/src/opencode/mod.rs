//! What OpenCode's texts look like: one file per format, names, and the kinds of messages.
//!
//! A text is read into sections whose pieces are byte ranges, and a section tells which edits leave only
//! the pieces somebody wants. Nothing here knows how that is decided.

pub mod announcement;
pub mod catalog;
pub mod instructions;
pub mod messages;
pub mod names;
pub mod signature;
pub mod skills;

use std::ops::Range;

use crate::text::{first_line, Cursor};
use catalog::changes::CatalogChange;
use catalog::{Catalog, Entry};
use instructions::{AddedServers, Instructions, ServerElement};
use skills::{AddedSkills, SkillElement, Skills};

/// Why a section that begins like one of the host's is left as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unread(pub &'static str);

/// A section that was recognised by its first line and could not be read to its end.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct UnreadSection {
    pub first_line: String,
    pub why: &'static str,
}

/// The host's three lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum List {
    Catalog = 0,
    Instructions = 1,
    Skills = 2,
}

#[derive(Debug)]
pub enum Section {
    Catalog(Catalog),
    CatalogChange(CatalogChange),
    Instructions(Instructions),
    AddedServers(AddedServers),
    Skills(Skills),
    AddedSkills(AddedSkills),
    /// A list is gone, or empty.
    Cleared(List),
    /// The list behind this states everything anew.
    Superseded(List),
    /// Names of a list that are gone, as they stand there: `a, b`. A name may hold a comma itself, so that only
    /// who knows the names can tell them apart.
    Gone(List, String),
}

/// All that one text holds of the host's lists.
#[derive(Debug, Default)]
pub struct Reading {
    pub sections: Vec<Section>,
    /// Where each section stands, without the newline behind it.
    pub spans: Vec<Range<usize>>,
    pub unread: Vec<UnreadSection>,
}

/// A list stated anew during a session: the sentence that says so, and the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Restatement {
    pub list: List,
    pub range: Range<usize>,
}

impl Reading {
    pub fn restatements(&self) -> Vec<Restatement> {
        let pairs = self.sections.windows(2).zip(self.spans.windows(2));
        pairs
            .filter_map(|(sections, spans)| match (sections, spans) {
                ([Section::Superseded(list), stated], [sentence, stated_span])
                    if stated.states() == Some(*list) =>
                {
                    Some(Restatement { list: *list, range: sentence.start..stated_span.end })
                }
                _ => None,
            })
            .collect()
    }
}

impl Section {
    /// The list that this section states as a whole.
    pub fn states(&self) -> Option<List> {
        match self {
            Section::Catalog(_) => Some(List::Catalog),
            Section::Instructions(_) => Some(List::Instructions),
            Section::Skills(_) => Some(List::Skills),
            _ => None,
        }
    }

    /// The tools that stand in it, in a list or added to one.
    pub fn entries(&self) -> Vec<&Entry> {
        match self {
            Section::Catalog(catalog) => {
                catalog.namespaces.iter().flat_map(|namespace| &namespace.entries).collect()
            }
            Section::CatalogChange(change) => change.entries().collect(),
            _ => Vec::new(),
        }
    }

    /// The servers that stand in it with their instructions, in a list or added to one.
    pub fn servers(&self) -> &[ServerElement] {
        match self {
            Section::Instructions(list) => &list.servers,
            Section::AddedServers(added) => &added.servers,
            _ => &[],
        }
    }

    /// The skills that stand in it, in a list or added to one.
    pub fn skills(&self) -> &[SkillElement] {
        match self {
            Section::Skills(list) => &list.skills,
            Section::AddedSkills(added) => &added.skills,
            _ => &[],
        }
    }
}

/// A text with many section beginnings that lead nowhere is not the host's; stop trying, so that reading
/// stays linear in the length of a hostile text.
const MAX_UNREAD: usize = 16;

/// No section begins with a line shorter than this, so that a heap of short lines costs little.
const SHORTEST_FIRST_LINE: usize = "# Code Mode".len();

/// Finds and reads all sections, in any order (`opencode-host.md` §1.1, §1.2).
///
/// What lies inside a section that was read is not searched again: instructions or descriptions that
/// imitate a section are part of the text around them.
pub fn read(text: &str) -> Reading {
    let mut reading = Reading::default();
    // The heading of a catalog that could not be read is part of that catalog.
    let mut in_unread_catalog = false;
    let mut cursor = Cursor::new(text);
    while let Some(line) = cursor.line() {
        if line.text.len() < SHORTEST_FIRST_LINE {
            cursor.advance();
            continue;
        }
        let mut behind = cursor;
        match read_section(line.text, &mut behind) {
            None => cursor.advance(),
            Some(Ok(section)) => {
                // Behind a section stands its newline, then the next line.
                let end = behind.line().map_or(text.len(), |next| next.start - 1);
                reading.spans.push(line.start..end);
                reading.sections.push(section);
                cursor = behind;
            }
            Some(Err(_)) if in_unread_catalog && Catalog::is_stray_heading(line.text) => {
                in_unread_catalog = false;
                cursor.advance();
            }
            Some(Err(Unread(why))) => {
                in_unread_catalog = Catalog::opens(line.text);
                reading.unread.push(UnreadSection { first_line: first_line(line.text), why });
                if reading.unread.len() == MAX_UNREAD {
                    break;
                }
                cursor.advance();
            }
        }
    }
    reading
}

/// Whether a system text of OpenCode 1.18 is that of a conversation, and not that of a title, a summary or
/// another small call: only the former tells of the environment (`host-observed.md`).
pub fn is_main_system_text(text: &str) -> bool {
    text.contains("\n<env>\n")
}

fn read_section(line: &str, cursor: &mut Cursor) -> Option<Result<Section, Unread>> {
    if Catalog::opens(line) {
        return Catalog::read(cursor).map(|catalog| catalog.map(Section::Catalog)).transpose();
    }
    if CatalogChange::opens(line) {
        return Some(CatalogChange::read(cursor).map(Section::CatalogChange));
    }
    if Instructions::opens(line) {
        return Some(Instructions::read(cursor).map(Section::Instructions));
    }
    if AddedServers::opens(line) {
        return Some(AddedServers::read(cursor).map(Section::AddedServers));
    }
    if Skills::opens(line) {
        return Some(Skills::read(cursor).map(Section::Skills));
    }
    if AddedSkills::opens(line) {
        return Some(AddedSkills::read(cursor).map(Section::AddedSkills));
    }
    if Catalog::is_stray_heading(line) && is_empty_list(cursor) {
        cursor.advance();
        return Some(Ok(Section::Cleared(List::Catalog)));
    }
    if let Some(section) = read_statement(line) {
        cursor.advance();
        return Some(Ok(section));
    }
    looks_unknown(line).map(Err)
}

/// A list of no tools under a heading that no rendering opens (`opencode-host.md` §6.2).
const NO_TOOLS: &str = "No tools are currently available.";

/// Whether the heading that the cursor stands on has that sentence behind a blank line.
fn is_empty_list(cursor: &Cursor) -> bool {
    let mut ahead = *cursor;
    ahead.advance();
    let blank = ahead.take();
    let line = ahead.line();
    blank.is_some_and(|line| line.is_blank()) && line.is_some_and(|line| line.text.starts_with(NO_TOOLS))
}

/// Sentences that say a list is gone or empty (`opencode-host.md` §6.1, §6.3, §7, §8).
const CLEARING: [(&str, List); 5] = [
    ("Code Mode tools are no longer available.", List::Catalog),
    ("No Code Mode tools are currently available.", List::Catalog),
    ("MCP server instructions are no longer available.", List::Instructions),
    ("Skill guidance is no longer available.", List::Skills),
    ("No skills are currently available.", List::Skills),
];
/// Sentences that announce a list stated anew.
const SUPERSEDING: [(&str, List); 3] = [
    ("The Code Mode tool catalog has changed. This catalog supersedes", List::Catalog),
    ("The available MCP server instructions have changed.", List::Instructions),
    ("The available skills have changed. This list supersedes", List::Skills),
];
const SERVERS_GONE: &str = "Instructions for the following MCP servers are no longer available: ";

fn read_statement(line: &str) -> Option<Section> {
    if let Some((_, list)) = CLEARING.iter().find(|(beginning, _)| line.starts_with(beginning)) {
        return Some(Section::Cleared(*list));
    }
    if let Some((_, list)) = SUPERSEDING.iter().find(|(beginning, _)| line.starts_with(beginning)) {
        return Some(Section::Superseded(*list));
    }
    if let Some(names) = line.strip_prefix(SERVERS_GONE) {
        return Some(Section::Gone(List::Instructions, without_stop(names)));
    }
    if skills::tells_gone(line) {
        let (_, names) = line.split_once(": ")?;
        return Some(Section::Gone(List::Skills, without_stop(names)));
    }
    None
}

fn without_stop(names: &str) -> String {
    names.strip_suffix('.').unwrap_or(names).to_string()
}

/// The names of `a, b` where one of them may be `x, y`: of the names that are known the longest, otherwise what
/// stands to the next comma.
pub fn names_in(names: &str, is_known: impl Fn(&str) -> bool) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = Some(names);
    while let Some(text) = rest {
        let ends = text.match_indices(", ").map(|(at, _)| at).chain([text.len()]);
        let known = ends.take(MAX_COMMAS).filter(|&end| text.get(..end).is_some_and(&is_known)).last();
        let end = known.or(text.find(", ")).unwrap_or(text.len());
        found.push(text.get(..end).unwrap_or_default());
        rest = text.get(end + ", ".len()..);
    }
    found
}

/// How many commas a name is thought to hold at most.
const MAX_COMMAS: usize = 8;

/// A line that only the host's lists begin with, where none of the known renderings does.
fn looks_unknown(line: &str) -> Option<Unread> {
    if Catalog::is_stray_heading(line) {
        return Some(Unread("a list of tools in an unknown rendering"));
    }
    let opens_unknown = line.starts_with("<mcp_instructions") || line.starts_with("<available_skills");
    opens_unknown.then_some(Unread("a list in an unknown rendering"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<String> {
        let name = |section: &Section| {
            format!("{section:?}").split(['(', ' ']).next().unwrap_or_default().to_string()
        };
        read(text).sections.iter().map(name).collect()
    }

    #[test]
    fn one_message_may_tell_of_several_lists_and_of_other_things() {
        let text = "Today's date: Mon\n\nThe Code Mode tool catalog has changed.\n\nNew tools are available in addition to those previously listed:\n  - tools.a.b(): Promise<unknown>\n\nNew skills are available in addition to those previously listed:\n  <skill>\n    <id>x</id>\n  </skill>\nThe following skill IDs are no longer available and must not be used: a, b.\n\nMCP server instructions are no longer available.\n\nInstructions from: x";
        assert_eq!(kinds(text), ["CatalogChange", "AddedSkills", "Gone", "Cleared"]);
    }

    #[test]
    fn names_that_are_gone_are_read() {
        let reading = read("The following skill IDs are no longer available and must not be used: a, b-c.");
        assert!(matches!(&reading.sections[..], [Section::Gone(List::Skills, names)] if names == "a, b-c"));
        let reading = read("The following skills are no longer available and must not be used: a.");
        assert!(matches!(&reading.sections[..], [Section::Gone(List::Skills, names)] if names == "a"));
        let reading =
            read("Instructions for the following MCP servers are no longer available: my.srv, x y.");
        assert!(
            matches!(&reading.sections[..], [Section::Gone(List::Instructions, names)] if names == "my.srv, x y")
        );
    }

    #[test]
    fn a_name_with_a_comma_is_told_apart_by_who_knows_it() {
        let known = ["a, b", "a", "c"];
        for (text, names) in [
            ("a, b, c", vec!["a, b", "c"]),
            ("c, a, x", vec!["c", "a", "x"]),
            ("x, a, b", vec!["x", "a, b"]),
            ("x", vec!["x"]),
        ] {
            assert_eq!(names_in(text, |name| known.contains(&name)), names, "{text}");
        }
    }

    #[test]
    fn a_restatement_reaches_from_its_sentence_to_the_end_of_the_list() {
        let list = "The available skills have changed. This list supersedes the previous available skills list.\nSkills provide specialized instructions.\n<available_skills>\n  <skill>\n    <id>a</id>\n  </skill>\n</available_skills>";
        let text = format!("Skill guidance is no longer available.\n\n{list}\n\nOther");
        let start = text.find("The available").unwrap();
        let expected = Restatement { list: List::Skills, range: start..start + list.len() };
        assert_eq!(read(&text).restatements(), [expected]);
    }

    #[test]
    fn an_unknown_rendering_is_told_with_its_first_line() {
        for text in [
            "# Tools\n\n## Available tools\n\n- a (1 tool)",
            "<available_skills version=\"2\">",
            "<mcp_instructions v>",
        ] {
            let reading = read(text);
            assert_eq!(reading.unread.len(), 1, "{text}");
        }
    }

    #[test]
    fn no_section_begins_with_a_line_that_is_too_short_to_be_looked_at() {
        for line in [
            "# Code Mode",
            "## Available tools",
            "<mcp_instructions",
            "<available_skills",
            "Run JavaScript to orchestrate tool calls",
            "New skills are available",
            "New MCP server instructions are available",
            "The following skills are no longer available",
            SERVERS_GONE,
        ] {
            assert!(line.len() >= SHORTEST_FIRST_LINE, "{line}");
        }
        let sentences = CLEARING.iter().chain(&SUPERSEDING);
        sentences.for_each(|(sentence, _)| assert!(sentence.len() >= SHORTEST_FIRST_LINE, "{sentence}"));
    }

    #[test]
    fn a_list_of_no_tools_is_known() {
        let reading = read("Prose.\n\n## Available tools\n\nNo tools are currently available.\n\nMore");
        assert!(matches!(&reading.sections[..], [Section::Cleared(List::Catalog)]));
        assert!(reading.unread.is_empty());
    }

    #[test]
    fn a_catalog_that_cannot_be_read_is_told_once() {
        let text = "# Code Mode\n\nThe catalog is complete.\n\n## Available tools\n\n- a (2 tools)\n  - tools.a.x(): Promise<unknown>";
        assert_eq!(read(text).unread.len(), 1);
    }

    #[test]
    fn what_lies_inside_a_section_is_not_searched_again() {
        let text = "<mcp_instructions>\n  <server name=\"a\">\n    x\n    <available_skills>\n  </server>\n</mcp_instructions>";
        let reading = read(text);
        assert_eq!((reading.sections.len(), reading.unread.len()), (1, 0));
    }
}
