//! What OpenCode's texts look like: one file per format, names, and the kinds of messages.
//!
//! A text is read into sections whose pieces are byte ranges, and a section tells which edits leave only
//! the pieces somebody wants. Nothing here knows how that is decided.

pub mod catalog;
pub mod instructions;
pub mod messages;
pub mod names;
pub mod signature;
pub mod skills;
pub mod telling;
pub mod text;

use std::ops::Range;

use catalog::changes::CatalogChange;
use catalog::Catalog;
use instructions::{AddedServers, Instructions};
use skills::{AddedSkills, Skills};
use text::{first_line, Cursor};

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
    /// These names of a list are gone.
    Gone(List, Vec<String>),
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
}

/// A text with many section beginnings that lead nowhere is not the host's; stop trying, so that reading
/// stays linear in the length of a hostile text.
const MAX_UNREAD: usize = 16;

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
    if let Some(section) = read_statement(line) {
        cursor.advance();
        return Some(Ok(section));
    }
    looks_unknown(line).map(Err)
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
        return Some(Section::Gone(List::Instructions, split_names(names)));
    }
    if line.starts_with(skills::GONE) {
        let (_, names) = line.split_once(": ")?;
        return Some(Section::Gone(List::Skills, split_names(names)));
    }
    None
}

/// The names of `a, b.`
fn split_names(names: &str) -> Vec<String> {
    names.strip_suffix('.').unwrap_or(names).split(", ").map(str::to_string).collect()
}

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
        assert!(
            matches!(&reading.sections[..], [Section::Gone(List::Skills, names)] if names == &["a", "b-c"])
        );
        let reading =
            read("Instructions for the following MCP servers are no longer available: my.srv, x y.");
        assert!(
            matches!(&reading.sections[..], [Section::Gone(List::Instructions, names)] if names == &["my.srv", "x y"])
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
