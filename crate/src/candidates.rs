//! What could be hidden now: servers, their tools, and skills, merged from everything that names them.
//!
//! The same tool can stand in several texts and be registered natively too; it is one candidate. How it is
//! decided is not known here.

use std::collections::HashMap;
use std::hash::{Hash, Hasher};
use std::ops::Range;
use std::rc::Rc;

use crate::host::catalog::Catalog;
use crate::host::instructions::Instructions;
use crate::host::names::{native_name, sanitise, split_native_name};
use crate::host::skills::Skills;
use crate::host::{Reading, Section};

/// A text of the request together with what was read in it.
#[derive(Debug)]
pub struct ReadText {
    pub text: String,
    pub reading: Reading,
    /// Equal for equal texts.
    pub fingerprint: u64,
    /// The length in Unicode code points.
    pub chars: i64,
}

impl ReadText {
    pub fn new(text: String) -> Rc<ReadText> {
        let reading = crate::host::read(&text);
        let (fingerprint, chars) = (fingerprint_of(&text), text.chars().count() as i64);
        Rc::new(ReadText { text, reading, fingerprint, chars })
    }

    fn slice(&self, range: &Option<Range<usize>>) -> Option<String> {
        let slice = self.text.get(range.clone()?)?.trim();
        (!slice.is_empty()).then(|| slice.to_string())
    }
}

/// A tool that stands in the request's own tool map.
#[derive(Clone, Debug, Hash)]
pub struct NativeTool {
    pub name: String,
    pub description: String,
    /// The length of its definition in the request.
    pub chars: i64,
}

/// What the host itself says of its servers and tools, where it says it (`opencode-host.md` §3.2).
#[derive(Clone, Debug, Default)]
pub struct Inventory {
    known: KnownTools,
    fingerprint: u64,
}

/// The parts of an [`Inventory`]; what the host does not list is `None`.
#[derive(Clone, Debug, Default, Hash, PartialEq, Eq, serde::Deserialize)]
#[serde(default)]
pub struct KnownTools {
    /// All registered tools.
    pub tools: Option<Vec<InventoryTool>>,
    /// The configured names of all MCP servers.
    pub servers: Option<Vec<String>>,
    /// The configured names of servers whose tools are in the request and cannot be seen there.
    pub unseen_servers: Vec<String>,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, serde::Deserialize)]
pub struct InventoryTool {
    /// The native name.
    pub id: String,
    /// The sanitised name of the server that it belongs to.
    #[serde(default)]
    pub namespace: Option<String>,
}

impl From<KnownTools> for Inventory {
    fn from(known: KnownTools) -> Self {
        let fingerprint = fingerprint_of(&known);
        Inventory { known, fingerprint }
    }
}

impl Inventory {
    pub fn fingerprint(&self) -> u64 {
        self.fingerprint
    }
}

/// Equal for equal values, and for nothing else that could be met in practice.
pub fn fingerprint_of(value: &(impl Hash + ?Sized)) -> u64 {
    let mut hasher = std::hash::DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// Which of the candidates a person wants pruned at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Scope {
    pub mcp_tools: bool,
    pub skills: bool,
}

#[derive(Debug, Default)]
pub struct Candidates {
    pub servers: Vec<Server>,
    pub skills: Vec<Skill>,
    /// Equal for equal names and texts.
    pub fingerprint: u64,
}

#[derive(Debug, Default, Hash)]
pub struct Server {
    /// The sanitised name, which decides what is one server.
    pub namespace: String,
    /// The names from the user's configuration, where instructions tell them.
    pub names: Vec<String>,
    pub description: Option<String>,
    pub instructions: Vec<String>,
    pub tools: Vec<Tool>,
}

#[derive(Debug, Hash)]
pub struct Tool {
    pub name: String,
    /// The native name, `server_tool`.
    pub id: String,
    pub description: Option<String>,
    /// Whether it stands in the request's tool map.
    pub is_native: bool,
}

#[derive(Debug, Hash)]
pub struct Skill {
    pub id: String,
    pub name: String,
    pub description: Option<String>,
}

impl Server {
    /// The name to show: as configured if that is known.
    pub fn name(&self) -> &str {
        self.names.first().unwrap_or(&self.namespace)
    }
}

impl Candidates {
    pub fn collect(
        texts: &[Rc<ReadText>],
        native: &[NativeTool],
        inventory: &Inventory,
        scope: Scope,
    ) -> Candidates {
        let mut collector = Collector::default();
        for text in texts {
            for section in &text.reading.sections {
                match section {
                    Section::Catalog(catalog) if scope.mcp_tools => collector.add_catalog(text, catalog),
                    Section::Instructions(instructions) if scope.mcp_tools => {
                        collector.add_instructions(text, instructions)
                    }
                    Section::Skills(skills) if scope.skills => collector.add_skills(text, skills),
                    _ => {}
                }
            }
        }
        if scope.mcp_tools {
            collector.add_native(native, &inventory.known);
        }
        let Candidates { servers, skills, .. } = collector.candidates;
        let fingerprint = fingerprint_of(&(&servers, &skills));
        Candidates { servers, skills, fingerprint }
    }

    pub fn is_empty(&self) -> bool {
        self.servers.is_empty() && self.skills.is_empty()
    }
}

#[derive(Default)]
struct Collector {
    candidates: Candidates,
    servers: HashMap<String, usize>,
    tools: HashMap<(usize, String), usize>,
    skills: HashMap<String, usize>,
}

impl Collector {
    fn add_catalog(&mut self, text: &ReadText, catalog: &Catalog) {
        for namespace in &catalog.namespaces {
            let server = self.server(&namespace.name);
            if let Some(description) = text.slice(&namespace.description) {
                self.at(server).description = Some(description);
            }
            for entry in &namespace.entries {
                let id = match entry.tool == namespace.name {
                    true => entry.tool.clone(),
                    false => native_name(&namespace.name, &entry.tool),
                };
                self.add_tool(server, &entry.tool, id, text.slice(&entry.description), false);
            }
        }
    }

    fn add_instructions(&mut self, text: &ReadText, instructions: &Instructions) {
        for element in &instructions.servers {
            let said = text.slice(&Some(element.text.clone()));
            let server = self.name_server(&element.namespace, &element.name);
            let server = self.at(server);
            match said {
                Some(said) if !server.instructions.contains(&said) => server.instructions.push(said),
                _ => {}
            }
        }
    }

    fn add_skills(&mut self, text: &ReadText, skills: &Skills) {
        for element in &skills.skills {
            let skill = Skill {
                id: element.id.clone(),
                name: element.name.clone(),
                description: text.slice(&element.description),
            };
            match self.skills.get(&element.id).and_then(|&at| self.candidates.skills.get_mut(at)) {
                Some(known) => *known = skill,
                None => {
                    self.skills.insert(element.id.clone(), self.candidates.skills.len());
                    self.candidates.skills.push(skill);
                }
            }
        }
    }

    fn add_native(&mut self, native: &[NativeTool], inventory: &KnownTools) {
        for name in &inventory.unseen_servers {
            self.name_server(&sanitise(name), name);
        }
        let owners = Owners::new(inventory, &self.candidates);
        for tool in native {
            let Some((namespace, name)) = owners.of(&tool.name) else { continue };
            let server = self.server(&namespace);
            let description = Some(tool.description.trim().to_string()).filter(|text| !text.is_empty());
            self.add_tool(server, &name, tool.name.clone(), description, true);
        }
    }

    fn add_tool(
        &mut self,
        server: usize,
        name: &str,
        id: String,
        description: Option<String>,
        is_native: bool,
    ) {
        let key = (server, name.to_string());
        let known = self.tools.get(&key).copied();
        let tools = &mut self.at(server).tools;
        if let Some(tool) = known.and_then(|at| tools.get_mut(at)) {
            tool.description = description.or(tool.description.take());
            tool.is_native |= is_native;
            return;
        }
        let at = tools.len();
        tools.push(Tool { name: name.to_string(), id, description, is_native });
        self.tools.insert(key, at);
    }

    fn server(&mut self, namespace: &str) -> usize {
        if let Some(&at) = self.servers.get(namespace) {
            return at;
        }
        let at = self.candidates.servers.len();
        self.candidates.servers.push(Server { namespace: namespace.to_string(), ..Server::default() });
        self.servers.insert(namespace.to_string(), at);
        at
    }

    fn name_server(&mut self, namespace: &str, name: &str) -> usize {
        let at = self.server(namespace);
        let names = &mut self.at(at).names;
        if !names.iter().any(|known| known == name) {
            names.push(name.to_string());
        }
        at
    }

    fn at(&mut self, server: usize) -> &mut Server {
        &mut self.candidates.servers[server]
    }
}

/// The namespace that a native tool belongs to, of those given; `None` for the host's own tools.
pub fn owner_of<'k>(name: &str, namespaces: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    if HOST_TOOLS.contains(&name) {
        return None;
    }
    split_native_name(name, namespaces).map(|(namespace, _)| namespace)
}

/// Which server a native tool belongs to.
struct Owners {
    by_id: Option<HashMap<String, String>>,
    namespaces: Vec<String>,
}

/// The host's own tools (`opencode-host.md` §9, `host-observed.md`); never candidates, whatever a server
/// is called.
const HOST_TOOLS: [&str; 29] = [
    "apply_patch",
    "bash",
    "batch",
    "codesearch",
    "edit",
    "execute",
    "glob",
    "grep",
    "list",
    "list_mcp_resource_templates",
    "list_mcp_resources",
    "lsp",
    "multiedit",
    "patch",
    "plan_enter",
    "plan_exit",
    "invalid",
    "question",
    "read",
    "read_mcp_resource",
    "shell",
    "skill",
    "subagent",
    "task",
    "todoread",
    "todowrite",
    "webfetch",
    "websearch",
    "write",
];

impl Owners {
    fn new(inventory: &KnownTools, seen: &Candidates) -> Owners {
        let configured: Option<Vec<String>> =
            inventory.servers.as_ref().map(|names| names.iter().map(|name| sanitise(name)).collect());
        let by_id = inventory.tools.as_ref().map(|tools| {
            tools
                .iter()
                .filter_map(|tool| Some((tool.id.clone(), tool.namespace.clone()?)))
                .filter(|(_, namespace)| configured.as_ref().is_none_or(|known| known.contains(namespace)))
                .collect()
        });
        let namespaces = configured
            .unwrap_or_else(|| seen.servers.iter().map(|server| server.namespace.clone()).collect());
        Owners { by_id, namespaces }
    }

    /// The namespace and the tool's name in it; `None` for a tool that no MCP server is known to have.
    fn of(&self, name: &str) -> Option<(String, String)> {
        if HOST_TOOLS.contains(&name) {
            return None;
        }
        if let Some(by_id) = &self.by_id {
            let namespace = by_id.get(name)?;
            let (_, tool) = split_native_name(name, [namespace.as_str()])?;
            return Some((namespace.clone(), tool.to_string()));
        }
        let (namespace, tool) = split_native_name(name, self.namespaces.iter().map(String::as_str))?;
        Some((namespace.to_string(), tool.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# Code Mode

The catalog is complete.

## Available tools

- desk (1 tool) // Items
  - tools.desk.list(): Promise<unknown> // List items
- ping (1 tool)
  - tools.ping(): Promise<unknown>

<mcp_instructions>
  <server name=\"de sk\">
    First.
  </server>
  <server name=\"de.sk\">
    Second.
  </server>
</mcp_instructions>

<available_skills>
  <skill>
    <id>forms</id>
    <name>Forms</name>
    <description>Fill forms.</description>
  </skill>
</available_skills>";

    const ALL: Scope = Scope { mcp_tools: true, skills: true };

    fn native(names: &[&str]) -> Vec<NativeTool> {
        names
            .iter()
            .map(|name| NativeTool { name: name.to_string(), description: "Does it".into(), chars: 9 })
            .collect()
    }

    fn collect(native: &[NativeTool], known: &KnownTools) -> Candidates {
        Candidates::collect(&[ReadText::new(TEXT.into())], native, &known.clone().into(), ALL)
    }

    fn tools_of(candidates: &Candidates) -> Vec<(String, Vec<String>)> {
        candidates
            .servers
            .iter()
            .map(|server| {
                (server.namespace.clone(), server.tools.iter().map(|tool| tool.id.clone()).collect())
            })
            .collect()
    }

    #[test]
    fn one_server_has_what_all_texts_say_of_it() {
        let candidates = collect(&native(&["desk_add"]), &KnownTools::default());
        let desk = &candidates.servers[0];
        assert_eq!(desk.description.as_deref(), Some("Items"));
        assert_eq!(desk.tools.iter().map(|tool| tool.name.as_str()).collect::<Vec<_>>(), ["list", "add"]);
    }

    #[test]
    fn names_that_sanitise_to_one_namespace_are_one_server() {
        let candidates = collect(&[], &KnownTools::default());
        let merged = candidates.servers.iter().find(|server| server.namespace == "de_sk").unwrap();
        assert_eq!(merged.names, ["de sk", "de.sk"]);
        assert_eq!(merged.instructions, ["First.", "Second."]);
    }

    #[test]
    fn a_tool_without_namespace_is_a_server_of_its_own() {
        let candidates = collect(&[], &KnownTools::default());
        assert!(tools_of(&candidates).contains(&("ping".into(), vec!["ping".into()])));
    }

    #[test]
    fn a_tool_that_is_listed_and_native_is_one_candidate() {
        let candidates = collect(&native(&["desk_list"]), &KnownTools::default());
        assert_eq!(tools_of(&candidates)[0], ("desk".into(), vec!["desk_list".into()]));
        assert!(candidates.servers[0].tools[0].is_native);
    }

    #[test]
    fn a_native_tool_of_no_known_server_is_no_candidate() {
        let before = tools_of(&collect(&[], &KnownTools::default()));
        assert_eq!(
            tools_of(&collect(&native(&["read", "other_tool", "execute"]), &KnownTools::default())),
            before
        );
    }

    #[test]
    fn the_hosts_tools_are_never_candidates() {
        let inventory =
            KnownTools { servers: Some(vec!["apply".into(), "plan".into()]), ..KnownTools::default() };
        assert!(collect(&native(&["apply_patch", "plan_exit"]), &inventory)
            .servers
            .iter()
            .all(|s| s.namespace != "apply"));
    }

    #[test]
    fn the_inventory_says_whose_a_native_tool_is() {
        let tool = |id: &str, namespace: Option<&str>| InventoryTool {
            id: id.into(),
            namespace: namespace.map(str::to_string),
        };
        let inventory = KnownTools {
            tools: Some(vec![
                tool("a_b_c", Some("a")),
                tool("desk_custom", None),
                tool("own_x", Some("own")),
            ]),
            servers: Some(vec!["a".into(), "a_b".into(), "desk".into()]),
            ..KnownTools::default()
        };
        let candidates = collect(&native(&["a_b_c", "desk_custom", "own_x"]), &inventory);
        let servers = tools_of(&candidates);
        assert!(servers.contains(&("a".into(), vec!["a_b_c".into()])));
        assert!(!servers
            .iter()
            .any(|(_, tools)| tools.contains(&"desk_custom".into()) || tools.contains(&"own_x".into())));
    }

    #[test]
    fn configured_server_names_say_whose_a_native_tool_is_longest_first() {
        let inventory = KnownTools { servers: Some(vec!["a".into(), "a b".into()]), ..KnownTools::default() };
        let servers = tools_of(&collect(&native(&["a_b_c"]), &inventory));
        assert!(servers.contains(&("a_b".into(), vec!["a_b_c".into()])));
    }

    #[test]
    fn a_server_whose_tools_cannot_be_seen_is_a_candidate() {
        let inventory = KnownTools { unseen_servers: vec!["far away".into()], ..KnownTools::default() };
        let candidates = collect(&[], &inventory);
        let server = candidates.servers.iter().find(|server| server.namespace == "far_away").unwrap();
        assert_eq!((server.name(), server.tools.len()), ("far away", 0));
    }

    #[test]
    fn what_is_not_to_be_pruned_is_no_candidate() {
        let texts = [ReadText::new(TEXT.into())];
        let collect = |mcp_tools, skills| {
            Candidates::collect(&texts, &[], &Inventory::default(), Scope { mcp_tools, skills })
        };
        assert!(collect(false, true).servers.is_empty());
        assert!(collect(true, false).skills.is_empty());
    }

    #[test]
    fn the_fingerprint_follows_names_and_texts() {
        let first = collect(&[], &KnownTools::default()).fingerprint;
        assert_eq!(collect(&[], &KnownTools::default()).fingerprint, first);
        let changed = ReadText::new(TEXT.replace("List items", "List all items"));
        assert_ne!(Candidates::collect(&[changed], &[], &Inventory::default(), ALL).fingerprint, first);
    }
}
