//! The message of ours that tells of what a session newly shows, put together from the host's own words.

use std::ops::Range;

use crate::candidates::advertised::Advertised;
use crate::opencode::announcement::{Announcement, NewNamespace};
use crate::opencode::catalog::{Addition, Entry};
use crate::opencode::instructions::ServerElement;
use crate::opencode::skills::SkillElement;
use crate::opencode::ReadText;
use crate::opencode::Section;
use crate::pruning::turn::Turn;
use crate::session::memory::Thing;

/// The message, or nothing if no text speaks of any of these things.
pub(crate) fn tell(turn: &Turn, things: &[Thing], added: &[Addition]) -> Option<String> {
    let (words, now) = (Words::read(turn), Advertised::read(&turn.texts));
    // A hidden tool that the newest list leaves out may be added; then an older list still has words for it.
    let entry = |namespace: &str, tool: &str| {
        let is_it = |addition: &Addition| addition.namespace == namespace && addition.tool == tool;
        words.tool(namespace, tool).filter(|_| !added.iter().any(is_it))
    };
    let mut additions = Announcement::default();
    for thing in things {
        match thing {
            Thing::Server(namespace) => additions.servers.extend(words.servers(namespace, &now)),
            Thing::Tool(namespace, tool) => additions.entries.extend(entry(namespace, tool)),
            Thing::Skill(id) => additions.skills.extend(words.skill(id)),
        }
    }
    additions.entries.extend(added.iter().map(|addition| addition.entry.as_str()));
    for thing in things {
        let Thing::Server(namespace) = thing else { continue };
        let is_told = |thing: &&Thing| matches!(thing, Thing::Tool(of, tool) if of == namespace && entry(of, tool).is_some());
        let told = things.iter().filter(is_told).count()
            + added.iter().filter(|addition| addition.namespace == *namespace).count();
        let total = now.namespaces.get(namespace).map_or(0, |listed| listed.total);
        if total > told {
            additions.namespaces.push(NewNamespace { name: namespace, total });
        }
    }
    additions.render()
}

/// The words of the host for each thing; the newest come last and count. Few things are told of at once, so they are
/// looked for one by one.
#[derive(Default)]
struct Words<'a> {
    tools: Vec<(&'a Entry, &'a str)>,
    servers: Vec<(&'a ServerElement, &'a str)>,
    skills: Vec<(&'a SkillElement, &'a str)>,
}

impl<'a> Words<'a> {
    fn read(turn: &'a Turn) -> Words<'a> {
        let mut words = Words::default();
        for text in &turn.texts {
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
