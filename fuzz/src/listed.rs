//! What a text lists: each namespace, tool, server and skill with the place where it stands.

use std::ops::Range;

use opencode_jev_pruner::opencode::catalog::Entry;
use opencode_jev_pruner::opencode::ReadText;
use opencode_jev_pruner::opencode::Section;
use opencode_jev_pruner::text::Edit;

/// One piece of a text that can be taken out of it.
pub struct Listed<'a> {
    pub what: Name<'a>,
    pub range: &'a Range<usize>,
}

pub enum Name<'a> {
    Server(&'a str),
    Tool(&'a str, &'a str),
    Skill(&'a str),
}

impl Listed<'_> {
    /// Whether it is taken out as a whole.
    pub fn is_removed(&self, edits: &[Edit]) -> bool {
        edits.iter().any(|edit| edit.range.start <= self.range.start && self.range.end <= edit.range.end)
    }

    /// Whether nothing of it is taken out. A replacement changes a label and no more.
    pub fn is_kept(&self, edits: &[Edit]) -> bool {
        let removals = edits.iter().filter(|edit| edit.replacement.is_empty());
        removals
            .into_iter()
            .all(|edit| edit.range.end <= self.range.start || self.range.end <= edit.range.start)
    }
}

pub fn listed(text: &ReadText) -> Vec<Listed<'_>> {
    let mut out = Vec::new();
    for section in &text.reading.sections {
        match section {
            Section::Catalog(catalog) => {
                for one in &catalog.namespaces {
                    out.push(Listed { what: Name::Server(&one.name), range: &one.header });
                    out.extend(one.entries.iter().map(tool));
                }
            }
            _ => out.extend(section.entries().into_iter().map(tool)),
        }
        let servers = section.servers().iter();
        out.extend(servers.map(|one| Listed { what: Name::Server(&one.namespace), range: &one.range }));
        let skills = section.skills().iter();
        out.extend(skills.map(|one| Listed { what: Name::Skill(&one.id), range: &one.range }));
    }
    out
}

fn tool(entry: &Entry) -> Listed<'_> {
    Listed { what: Name::Tool(&entry.namespace, &entry.tool), range: &entry.range }
}
