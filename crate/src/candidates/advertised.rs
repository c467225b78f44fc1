//! What the request's texts advertise now: a frozen baseline, then the changes in order (`opencode-host.md` §1.3,
//! §1.4). In which text something stands does not matter afterwards.

use std::rc::Rc;

use arcstr::Substr;

use crate::hash::FxIndexMap;
use crate::opencode::catalog::changes::{CatalogChange, Statement};
use crate::opencode::catalog::{Catalog, Entry};
use crate::opencode::instructions::ServerElement;
use crate::opencode::names::{split_names, ToolPath};
use crate::opencode::skills::SkillElement;
use crate::opencode::{List, ReadText, Section};

/// The three lists as they are now, in the order in which things were first advertised; a removal may change it.
#[derive(Debug, Default)]
pub struct Advertised {
    /// By the name in the catalog.
    pub namespaces: FxIndexMap<Substr, ListedNamespace>,
    /// By the server's configured name.
    pub instructions: FxIndexMap<Substr, ServerInstructions>,
    /// By id.
    pub skills: FxIndexMap<Substr, ListedSkill>,
}

/// A namespace of the catalog.
#[derive(Debug, Default)]
pub struct ListedNamespace {
    /// What the catalog says of it.
    pub description: Option<Substr>,
    /// How many tools it has, listed or not.
    pub total: usize,
    /// The listed ones by their name inside the namespace.
    pub tools: FxIndexMap<Substr, ListedTool>,
}

/// A tool of the catalog.
#[derive(Debug)]
pub struct ListedTool {
    /// What stands behind its signature, truncated by OpenCode.
    pub description: Option<Substr>,
    /// The length of its entry in code points.
    pub chars: usize,
}

/// What a server says in the MCP instructions.
#[derive(Debug)]
pub struct ServerInstructions {
    /// The namespace of the server's tools.
    pub namespace: Substr,
    /// Without blanks at its ends, the lines behind the first still indented; `None` if nothing is left.
    pub text: Option<Substr>,
}

/// A skill of the list.
#[derive(Debug)]
pub struct ListedSkill {
    /// The name; its id where there is none.
    pub name: Substr,
    /// As the list has it.
    pub description: Option<Substr>,
    /// The length of its element in code points.
    pub chars: usize,
}

impl Advertised {
    /// Takes the sections of all texts in their order: each list and each change of one counts for what follows.
    pub fn read(texts: &[Rc<ReadText>]) -> Advertised {
        let mut advertised = Advertised::default();
        for text in texts {
            let sections = &text.reading.sections;
            for (at, section) in sections.iter().enumerate() {
                advertised.apply(text, section, sections.get(at + 1));
            }
        }
        advertised
    }

    fn apply(&mut self, text: &ReadText, section: &Section, next: Option<&Section>) {
        match section {
            // A list that is announced and cannot be read says nothing, so what was known stays known.
            Section::Superseded(list) if next.and_then(Section::states) == Some(*list) => self.clear(*list),
            Section::Superseded(_) => {}
            Section::Cleared(list) => self.clear(*list),
            Section::Catalog(catalog) => self.add_catalog(text, catalog),
            Section::CatalogChange(change) => self.change_catalog(text, change),
            Section::Instructions(_) | Section::AddedServers(_) => {
                self.add_instructions(text, section.servers())
            }
            Section::Skills(_) | Section::AddedSkills(_) => self.add_skills(text, section.skills()),
            Section::Removed(List::Instructions, names) => {
                let removed = split_names(names, |name| self.instructions.contains_key(name));
                removed.into_iter().for_each(|name| drop(self.instructions.swap_remove(name)))
            }
            Section::Removed(List::Skills, ids) => {
                let removed = split_names(ids, |id| self.skills.contains_key(id));
                removed.into_iter().for_each(|id| drop(self.skills.swap_remove(id)))
            }
            Section::Removed(List::Catalog, _) => {}
        }
    }

    fn clear(&mut self, list: List) {
        match list {
            List::Catalog => self.namespaces.clear(),
            List::Instructions => self.instructions.clear(),
            List::Skills => self.skills.clear(),
        }
    }

    fn add_catalog(&mut self, text: &ReadText, catalog: &Catalog) {
        for listed in &catalog.namespaces {
            let namespace = self.namespaces.entry(listed.name.clone()).or_default();
            namespace.total = listed.total;
            if let Some(description) = text.slice(&listed.description) {
                namespace.description = Some(description);
            }
            listed.entries.iter().for_each(|entry| namespace.add(text, entry));
        }
    }

    fn change_catalog(&mut self, text: &ReadText, change: &CatalogChange) {
        for statement in change.statements() {
            match statement {
                Statement::ToolsListed { entries, .. } => {
                    for entry in entries {
                        self.namespaces.entry(entry.namespace.clone()).or_default().add(text, entry);
                    }
                }
                Statement::NamespacesCounted { namespaces } => {
                    for counted in namespaces {
                        self.namespaces.entry(counted.name.clone()).or_default().total = counted.total;
                    }
                }
                Statement::ToolsRemoved { tools } => tools.iter().for_each(|tool| self.remove_tool(tool)),
                Statement::NamespacesRemoved { names } => {
                    names.iter().for_each(|name| drop(self.namespaces.swap_remove(name)))
                }
            }
        }
    }

    fn remove_tool(&mut self, ToolPath { namespace, tool }: &ToolPath) {
        let Some(known) = self.namespaces.get_mut(namespace) else { return };
        if known.tools.swap_remove(tool).is_some() {
            known.total = known.total.saturating_sub(1);
        }
        // Only the changes of a complete catalog name single tools, and that has no namespace without any.
        if known.total == 0 {
            self.namespaces.swap_remove(namespace);
        }
    }

    fn add_instructions(&mut self, text: &ReadText, servers: &[ServerElement]) {
        for server in servers {
            let instructions = ServerInstructions {
                namespace: server.namespace.clone(),
                text: text.slice(&Some(server.text.clone())),
            };
            self.instructions.insert(server.name.clone(), instructions);
        }
    }

    fn add_skills(&mut self, text: &ReadText, skills: &[SkillElement]) {
        for skill in skills {
            let listed = ListedSkill {
                name: skill.name.clone(),
                description: text.slice(&skill.description),
                chars: text.chars_of(&skill.range),
            };
            self.skills.insert(skill.id.clone(), listed);
        }
    }
}

impl ListedNamespace {
    /// Whether it has tools that are not listed.
    pub(super) fn is_partial(&self) -> bool {
        self.total > self.tools.len()
    }

    fn add(&mut self, text: &ReadText, entry: &Entry) {
        let tool =
            ListedTool { description: text.slice(&entry.description), chars: text.chars_of(&entry.range) };
        self.tools.insert(entry.tool.clone(), tool);
        self.total = self.total.max(self.tools.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::opencode::announcement::{Announcement, NewNamespace};

    const BASELINE: &str = "# Code Mode

The catalog is complete.

## Available tools

- notes (2 tools)
  - tools.notes.add(): Promise<unknown> // Add
  - tools.notes.find(): Promise<unknown> // Find
- cal (1 tool)
  - tools.cal.list(): Promise<unknown>

<mcp_instructions>
  <server name=\"notes\">
    Old words.
  </server>
</mcp_instructions>

<available_skills>
  <skill>
    <id>forms</id>
    <description>Fill forms.</description>
  </skill>
</available_skills>";

    fn after(changes: &[&str]) -> Advertised {
        let texts: Vec<_> = [BASELINE].iter().chain(changes).map(|text| ReadText::new(*text)).collect();
        Advertised::read(&texts)
    }

    fn tools(now: &Advertised) -> Vec<String> {
        let of = |(namespace, listed): (&Substr, &ListedNamespace)| -> Vec<String> {
            listed.tools.keys().map(|name| format!("{namespace}.{name}")).collect()
        };
        now.namespaces.iter().flat_map(of).collect()
    }

    #[test]
    fn the_baseline_alone_is_the_state() {
        let now = after(&[]);
        assert_eq!(tools(&now), ["notes.add", "notes.find", "cal.list"]);
        assert_eq!((now.instructions.len(), now.skills.len()), (1, 1));
    }

    #[test]
    fn tools_come_change_and_go() {
        let now = after(&["The Code Mode tool catalog has changed.

New tools are available in addition to those previously listed:
  - tools.maps.route(): Promise<unknown> // Route

Changed tool listings supersede the previously listed ones:
  - tools.notes.find(): Promise<unknown> // Find better

The following tools are no longer available and must not be called: tools.cal.list, tools.notes.add."]);
        let mut left = tools(&now);
        left.sort();
        assert_eq!(left, ["maps.route", "notes.find"]);
        assert_eq!(now.namespaces["notes"].tools["find"].description.as_deref(), Some("Find better"));
        assert_eq!(now.namespaces["notes"].total, 1);
    }

    #[test]
    fn a_restatement_supersedes_all_that_was_said_before() {
        let restated = format!(
            "The Code Mode tool catalog has changed. This catalog supersedes the previous Code Mode tool catalog.\n\n{}",
            "# Code Mode\n\nThe catalog is partial.\n\n## Available tools\n\n- maps (3 tools, none shown)"
        );
        let now = after(&[&restated]);
        let counts: Vec<_> =
            now.namespaces.iter().map(|(name, known)| (name.as_str(), known.total)).collect();
        assert_eq!(counts, [("maps", 3)]);
    }

    #[test]
    fn a_restatement_that_cannot_be_read_changes_nothing() {
        let now = after(&["The Code Mode tool catalog has changed. This catalog supersedes the previous one.\n\n# Tools, anew\n\n- maps (1 tool)"]);
        assert_eq!(tools(&now), ["notes.add", "notes.find", "cal.list"]);
    }

    #[test]
    fn namespaces_come_change_and_go() {
        let now = after(&["The Code Mode tool catalog has changed.

New tool namespaces are available: `weather` (9 tools).

The following namespace inventories changed; search them again: `notes` now has 4 tools.

The following tool namespaces are no longer available: `cal`."]);
        let counts: Vec<_> =
            now.namespaces.iter().map(|(name, known)| (name.as_str(), known.total)).collect();
        assert_eq!(counts, [("notes", 4), ("weather", 9)]);
    }

    #[test]
    fn instructions_and_skills_come_change_and_go() {
        let now = after(&[
            "New MCP server instructions are available in addition to those previously listed:\n  <server name=\"maps\">\n    Words.\n  </server>\nInstructions for the following MCP servers are no longer available: notes.",
            "New skills are available in addition to those previously listed:\n  <skill>\n    <id>zip</id>\n  </skill>\nThe following skill IDs are no longer available and must not be used: forms.",
        ]);
        assert_eq!(now.instructions.keys().collect::<Vec<_>>(), ["maps"]);
        assert_eq!(now.skills.keys().collect::<Vec<_>>(), ["zip"]);
        let now = after(&["MCP server instructions are no longer available.\n\nSkill guidance is no longer available.\n\nCode Mode tools are no longer available. x"]);
        assert!(now.namespaces.is_empty() && now.instructions.is_empty() && now.skills.is_empty());
    }

    #[test]
    fn an_announcement_is_read_as_what_it_announces() {
        let namespace = |name, total| NewNamespace { name, total };
        let announcement = Announcement {
            namespaces: vec![namespace("weather", 9), namespace("cal", 1)],
            entries: vec![
                "  - tools.weather.now({\n  place: string,\n}): Promise<unknown> // Look outside",
                "  - tools.maps.route(): Promise<unknown>",
            ],
            servers: vec!["  <server name=\"weather\">\n    Ask for a place.\n  </server>"],
            skills: vec![
                "  <skill>\n    <id>zip</id>\n    <name>Zip</name>\n    <description>Pack.</description>\n  </skill>",
            ],
        };
        let text = announcement.render().unwrap();
        let now = Advertised::read(&[ReadText::new(text)]);
        let totals: Vec<_> = now.namespaces.iter().map(|(name, of)| (name.as_str(), of.total)).collect();
        assert_eq!(totals, [("weather", 9), ("cal", 1), ("maps", 1)]);
        assert_eq!(now.namespaces["weather"].tools["now"].description.as_deref(), Some("Look outside"));
        assert_eq!(now.instructions["weather"].text.as_deref(), Some("Ask for a place."));
        assert_eq!(now.skills["zip"].description.as_deref(), Some("Pack."));
    }
}
