//! The announcement of what a session newly shows, put together from OpenCode's own words.

use std::ops::Range;

use crate::candidates::advertised::Advertised;
use crate::opencode::announcement::{Announcement, NewNamespace};
use crate::opencode::catalog::{Addition, Entry};
use crate::opencode::instructions::ServerElement;
use crate::opencode::skills::SkillElement;
use crate::opencode::ReadText;
use crate::opencode::Section;
use crate::request::facts::Facts;
use crate::session::memory::CandidateName;

/// The message, or nothing if no text speaks of any of these names.
pub(crate) fn announce(facts: &Facts, names: &[CandidateName], added: &[Addition]) -> Option<String> {
    let (words, now) = (Words::read(facts), Advertised::read(&facts.texts));
    // A hidden tool that the newest list leaves out may be added; then an older list still has words for it.
    let entry = |namespace: &str, tool: &str| {
        let is_it = |addition: &Addition| addition.namespace == namespace && addition.tool == tool;
        words.tool(namespace, tool).filter(|_| !added.iter().any(is_it))
    };
    let mut additions = Announcement::default();
    for name in names {
        match name {
            CandidateName::Server(namespace) => additions.servers.extend(words.servers(namespace, &now)),
            CandidateName::Tool(namespace, tool) => additions.entries.extend(entry(namespace, tool)),
            CandidateName::Skill(id) => additions.skills.extend(words.skill(id)),
        }
    }
    additions.entries.extend(added.iter().map(|addition| addition.entry.as_str()));
    for name in names {
        let CandidateName::Server(namespace) = name else { continue };
        let is_announced = |name: &&CandidateName| matches!(name, CandidateName::Tool(of, tool) if of == namespace && entry(of, tool).is_some());
        let announced = names.iter().filter(is_announced).count()
            + added.iter().filter(|addition| addition.namespace == *namespace).count();
        let total = now.namespaces.get(namespace).map_or(0, |listed| listed.total);
        if total > announced {
            additions.namespaces.push(NewNamespace { name: namespace, total });
        }
    }
    additions.render()
}

/// OpenCode's words for each name; the newest come last and count. Few names are announced at once, so they are
/// looked for one by one.
#[derive(Default)]
struct Words<'a> {
    tools: Vec<(&'a Entry, &'a str)>,
    servers: Vec<(&'a ServerElement, &'a str)>,
    skills: Vec<(&'a SkillElement, &'a str)>,
}

impl<'a> Words<'a> {
    fn read(facts: &'a Facts) -> Words<'a> {
        let mut words = Words::default();
        for text in &facts.texts {
            text.reading.sections.iter().for_each(|section| words.take(text, section));
        }
        words
    }

    fn take(&mut self, text: &'a ReadText, section: &'a Section) {
        let slice = |range: &Range<usize>| text.text.get(range.clone()).unwrap_or_default();
        self.tools.extend(section.entries().into_iter().map(|entry| (entry, slice(&entry.range))));
        self.servers.extend(section.servers().iter().map(|server| (server, slice(&server.range))));
        self.skills.extend(section.skills().iter().map(|skill| (skill, slice(&skill.range))));
    }

    fn tool(&self, namespace: &str, tool: &str) -> Option<&'a str> {
        let is_it = |(entry, _): &&(&Entry, _)| entry.tool == tool && entry.namespace == namespace;
        self.tools.iter().rfind(is_it).map(|(_, words)| *words)
    }

    fn skill(&self, id: &str) -> Option<&'a str> {
        self.skills.iter().rfind(|(skill, _)| skill.id == id).map(|(_, words)| *words)
    }

    /// The elements of all servers of a namespace that have instructions now, in the order of their names: two may be
    /// one namespace.
    fn servers(&self, namespace: &str, now: &Advertised) -> Vec<&'a str> {
        let mut found: Vec<(&str, &str)> = Vec::new();
        for (server, words) in self.servers.iter().rev() {
            let has_instructions =
                server.namespace == namespace && now.instructions.contains_key(&server.name);
            if has_instructions && !found.iter().any(|(name, _)| *name == server.name) {
                found.push((&server.name, words));
            }
        }
        found.sort();
        found.into_iter().map(|(_, words)| words).collect()
    }
}
