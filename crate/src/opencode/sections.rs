//! Finds and reads the sections of a text: the lists in which OpenCode advertises tools, servers and skills, and what
//! it says of them later (`opencode-host.md` §1.1, §1.2).
//!
//! A section begins with a line that its format knows; the formats have a file each. Here are the sentences that
//! only say that a list is gone, empty or replaced:
//!
//! ```text
//! Code Mode tools are no longer available. ...
//!
//! The available skills have changed. This list supersedes the previous available skills list.
//! <the list>
//!
//! The following skill IDs are no longer available and must not be used: pdf-forms, zip.
//! ```
//!
//! What lies inside a section that was read is not searched again: instructions or descriptions that imitate a
//! section are part of the text around them.

use std::ops::Range;

use super::catalog::changes::CatalogChange;
use super::catalog::{Catalog, Entry};
use super::instructions::{AddedServers, Instructions, ServerElement};
use super::skills::{announces_removal, AddedSkills, SkillElement, Skills};
use super::Unreadable;
use crate::text::{first_line, Cursor};

/// OpenCode's three lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum List {
    /// The tools of Code Mode.
    Catalog = 0,
    /// What MCP servers say of themselves.
    Instructions = 1,
    /// The skills that the model may load.
    Skills = 2,
}

/// A piece of a text that OpenCode wrote about one of its lists.
#[derive(Debug)]
pub enum Section {
    /// The whole catalog.
    Catalog(Catalog),
    /// What has changed in the catalog.
    CatalogChange(CatalogChange),
    /// The instructions of all servers.
    Instructions(Instructions),
    /// The instructions of further servers.
    AddedServers(AddedServers),
    /// All skills.
    Skills(Skills),
    /// Further skills.
    AddedSkills(AddedSkills),
    /// A list is gone, or empty.
    Cleared(List),
    /// The list behind this states everything anew.
    Superseded(List),
    /// These are no longer in a list: the names as they stand there, `a, b`. A name may hold a comma itself, so only
    /// somebody who knows the names can split them (`names::split_names`).
    Removed(List, String),
}

/// A section that was recognised by its first line and could not be read to its end.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct UnreadSection {
    /// Cut to 120 code points.
    pub first_line: String,
    /// As in "a skill list that does not end".
    pub why: &'static str,
}

/// All that one text holds of OpenCode's lists.
#[derive(Debug, Default)]
pub struct Reading {
    /// In the order of the text.
    pub sections: Vec<Section>,
    /// Where each section stands, without the newline behind it.
    pub spans: Vec<Range<usize>>,
    /// What looks like a section and was left as it is.
    pub unread: Vec<UnreadSection>,
}

/// A list stated anew during a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Restatement {
    /// Which list it is.
    pub list: List,
    /// From the sentence that says so to the end of the list.
    pub range: Range<usize>,
}

impl Reading {
    /// The lists that this text states anew, in its order.
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

/// A text with many section beginnings that lead nowhere is not OpenCode's; stop trying, so that reading
/// stays linear in the length of a hostile text.
const MAX_UNREAD: usize = 16;

/// No section begins with a line shorter than this, so that a heap of short lines costs little.
const SHORTEST_FIRST_LINE: usize = "# Code Mode".len();

/// Finds and reads all sections, in any order. The time is linear in the length of any text.
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
            Some(Err(Unreadable(why))) => {
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

fn read_section(line: &str, cursor: &mut Cursor) -> Option<Result<Section, Unreadable>> {
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
    if let Some(section) = read_sentence(line) {
        cursor.advance();
        return Some(Ok(section));
    }
    unknown_rendering(line).map(Err)
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
const SERVERS_REMOVED: &str = "Instructions for the following MCP servers are no longer available: ";

fn read_sentence(line: &str) -> Option<Section> {
    if let Some((_, list)) = CLEARING.iter().find(|(beginning, _)| line.starts_with(beginning)) {
        return Some(Section::Cleared(*list));
    }
    if let Some((_, list)) = SUPERSEDING.iter().find(|(beginning, _)| line.starts_with(beginning)) {
        return Some(Section::Superseded(*list));
    }
    if let Some(names) = line.strip_prefix(SERVERS_REMOVED) {
        return Some(Section::Removed(List::Instructions, without_full_stop(names)));
    }
    if announces_removal(line) {
        let (_, names) = line.split_once(": ")?;
        return Some(Section::Removed(List::Skills, without_full_stop(names)));
    }
    None
}

fn without_full_stop(names: &str) -> String {
    names.strip_suffix('.').unwrap_or(names).to_string()
}

/// A line that only OpenCode's lists begin with, where none of the known renderings does.
fn unknown_rendering(line: &str) -> Option<Unreadable> {
    if Catalog::is_stray_heading(line) {
        return Some(Unreadable("a list of tools in an unknown rendering"));
    }
    let opens_unknown = line.starts_with("<mcp_instructions") || line.starts_with("<available_skills");
    opens_unknown.then_some(Unreadable("a list in an unknown rendering"))
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
    fn one_message_may_be_about_several_lists_and_other_things() {
        let text = "Today's date: Mon\n\nThe Code Mode tool catalog has changed.\n\nNew tools are available in addition to those previously listed:\n  - tools.a.b(): Promise<unknown>\n\nNew skills are available in addition to those previously listed:\n  <skill>\n    <id>x</id>\n  </skill>\nThe following skill IDs are no longer available and must not be used: a, b.\n\nMCP server instructions are no longer available.\n\nInstructions from: x";
        assert_eq!(kinds(text), ["CatalogChange", "AddedSkills", "Removed", "Cleared"]);
    }

    #[test]
    fn removed_names_are_read() {
        let reading = read("The following skill IDs are no longer available and must not be used: a, b-c.");
        assert!(
            matches!(&reading.sections[..], [Section::Removed(List::Skills, names)] if names == "a, b-c")
        );
        let reading = read("The following skills are no longer available and must not be used: a.");
        assert!(matches!(&reading.sections[..], [Section::Removed(List::Skills, names)] if names == "a"));
        let reading =
            read("Instructions for the following MCP servers are no longer available: my.srv, x y.");
        assert!(
            matches!(&reading.sections[..], [Section::Removed(List::Instructions, names)] if names == "my.srv, x y")
        );
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
    fn an_unknown_rendering_is_reported_with_its_first_line() {
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
            SERVERS_REMOVED,
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
    fn a_catalog_that_cannot_be_read_is_reported_once() {
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
