//! The message of ours that tells of what a session newly shows, put together from the host's own words.

use std::ops::Range;

use crate::available::{Available, ReadText};
use crate::decide::memory::Thing;
use crate::hashing::HashMap;
use crate::host::catalog::Addition;
use crate::host::telling::Additions;
use crate::host::Section;
use crate::sorting::sort_by;
use crate::turn::Turn;

/// The message, or nothing if no text speaks of any of these things.
pub(crate) fn tell(turn: &Turn, things: &[Thing], added: &[Addition]) -> Option<String> {
    let (words, now) = (Words::read(turn), Available::read(&turn.texts));
    // A hidden tool that the newest list leaves out may be added; then an older list still has words for it.
    let entry = |namespace: &str, tool: &str| {
        let is_it = |addition: &Addition| addition.namespace == namespace && addition.tool == tool;
        words.tool(namespace, tool).filter(|_| !added.iter().any(is_it))
    };
    let mut additions = Additions::default();
    for thing in things {
        match thing {
            Thing::Server(namespace) => additions.servers.extend(words.servers(namespace, &now)),
            Thing::Tool(namespace, tool) => additions.entries.extend(entry(namespace, tool)),
            Thing::Skill(id) => additions.skills.extend(words.skills.get(id.as_str())),
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
            additions.namespaces.push((namespace, total));
        }
    }
    additions.write()
}

/// The newest words of the host for each thing.
#[derive(Default)]
struct Words<'a> {
    tools: HashMap<(&'a str, &'a str), &'a str>,
    /// By configured name: two may be one namespace.
    servers: HashMap<&'a str, (&'a str, &'a str)>,
    skills: HashMap<&'a str, &'a str>,
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
        for entry in section.entries() {
            self.tools.insert((&entry.namespace, &entry.tool), slice(&entry.range));
        }
        for server in section.servers() {
            self.servers.insert(&server.name, (&server.namespace, slice(&server.range)));
        }
        self.skills.extend(section.skills().iter().map(|skill| (skill.id.as_str(), slice(&skill.range))));
    }

    fn tool(&self, namespace: &str, tool: &str) -> Option<&'a str> {
        self.tools.get(&(namespace, tool)).copied()
    }

    /// The elements of all servers of a namespace that have instructions now, in the order of their names.
    fn servers(&self, namespace: &str, now: &Available) -> Vec<&'a str> {
        let mut found: Vec<(&str, &str)> = self
            .servers
            .iter()
            .filter(|(name, (of, _))| *of == namespace && now.instructions.contains_key(**name))
            .map(|(name, (_, element))| (*name, *element))
            .collect();
        sort_by(&mut found, Ord::cmp);
        found.into_iter().map(|(_, element)| element).collect()
    }
}
