//! What could be hidden now: servers, their tools, and skills, merged from everything that names them.
//!
//! The same tool can stand in several texts and be registered natively too; it is one candidate. How it is
//! decided is not known here.

pub mod advertised;
pub mod inventory;

use std::cell::OnceCell;
use std::rc::Rc;

use arcstr::{ArcStr, Substr};

use crate::candidates::advertised::{Available, ListedNamespace, ListedSkill, ReadText};
use crate::candidates::inventory::{Inventory, Known};
use crate::encoded_list::SEPARATOR;
use crate::hash::{fingerprint_of, FxIndexMap, FxIndexSet};
use crate::opencode::names::{native_name, sanitise, split_native_name};

/// A tool that stands in the request's own tool map.
#[derive(Clone, Debug, Hash)]
pub struct NativeTool {
    pub name: Substr,
    pub description: Substr,
    /// The length of its definition in the request.
    pub chars: i64,
}

/// All tools of the request's own tool map, in its order.
#[derive(Debug, Default)]
pub struct NativeTools {
    tools: Vec<NativeTool>,
    places: FxIndexMap<Substr, usize>,
    fingerprint: u64,
}

impl From<Vec<NativeTool>> for NativeTools {
    fn from(tools: Vec<NativeTool>) -> Self {
        let fingerprint = fingerprint_of(&tools);
        NativeTools::new(tools, fingerprint)
    }
}

impl NativeTools {
    fn new(tools: Vec<NativeTool>, fingerprint: u64) -> NativeTools {
        let places = tools.iter().enumerate().map(|(at, tool)| (tool.name.clone(), at)).collect();
        NativeTools { tools, places, fingerprint }
    }

    /// Reads the fields `name, description` of each tool from a flat list, and the length of each definition.
    pub fn read(list: &ArcStr, chars: &[i32]) -> NativeTools {
        let mut fields = list.split(SEPARATOR);
        let mut field = || list.substr_from(fields.next().unwrap_or_default());
        let tool = |chars: &i32| NativeTool { name: field(), description: field(), chars: i64::from(*chars) };
        let tools = chars.iter().map(tool).collect();
        NativeTools::new(tools, fingerprint_of(&(list, chars)))
    }

    /// Equal for equal tools in the same order.
    pub fn fingerprint(&self) -> u64 {
        self.fingerprint
    }

    /// The length of all definitions.
    pub fn all_chars(&self) -> i64 {
        self.tools.iter().map(|tool| tool.chars).sum()
    }

    /// The length of a tool's definition; none if it is not here.
    pub fn chars(&self, name: &str) -> i64 {
        self.places.get(name).and_then(|&at| self.tools.get(at)).map_or(0, |tool| tool.chars)
    }
}

/// Which of the candidates a person wants pruned at all, and whether tools may be added.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Scope {
    pub mcp_tools: bool,
    pub skills: bool,
    /// Whether tools that the host's sample left out are candidates too.
    pub unlisted_tools: bool,
}

/// Sorted by namespace, name and id, so that equal sets are equal whatever order they were told in.
#[derive(Debug, Default)]
pub struct Candidates {
    pub servers: Vec<Server>,
    pub skills: Vec<Skill>,
    /// Equal for equal names and texts.
    pub fingerprint: u64,
}

#[derive(Debug, Default)]
pub struct Server {
    /// The sanitised name, which decides what is one server.
    pub namespace: Substr,
    /// The names from the user's configuration, where they are told.
    pub names: Vec<Substr>,
    pub description: Option<Substr>,
    pub instructions: Vec<Substr>,
    pub tools: Vec<Tool>,
    /// Whether it has tools in the request that cannot be seen there; those that were learned of stand in
    /// `tools`.
    pub has_unseen_tools: bool,
    /// Its fingerprint, once it was needed.
    pub print: OnceCell<u64>,
}

#[derive(Debug, Default)]
pub struct Tool {
    pub name: Substr,
    /// The native name, `server_tool`.
    pub id: Substr,
    pub description: Option<Substr>,
    /// Whether it stands in the request's tool map.
    pub is_native: bool,
    /// Whether the request shows it at all; the others are known from the host's inventory.
    pub is_listed: bool,
    /// The length of what the request shows of it.
    pub chars: usize,
    /// Its fingerprint, once it was needed.
    pub print: OnceCell<u64>,
}

#[derive(Debug, Default)]
pub struct Skill {
    pub id: Substr,
    pub name: Substr,
    pub description: Option<Substr>,
    /// The length of what the request shows of it.
    pub chars: usize,
    /// Its fingerprint, once it was needed.
    pub print: OnceCell<u64>,
}

impl Server {
    /// The name to show: as configured if that is known.
    pub fn name(&self) -> &Substr {
        self.names.first().unwrap_or(&self.namespace)
    }

    /// Equal for equal names and texts. The tools have their own: which of them a sample shows may change
    /// while the server stays what it is.
    pub fn fingerprint(&self) -> u64 {
        let texts = (&self.namespace, &self.names, &self.description, &self.instructions);
        *self.print.get_or_init(|| fingerprint_of(&texts))
    }
}

impl Tool {
    /// Equal for equal names and texts.
    pub fn fingerprint(&self, server: &Server) -> u64 {
        let texts = (&server.namespace, &self.name, &self.description, self.is_listed);
        *self.print.get_or_init(|| fingerprint_of(&texts))
    }
}

impl Skill {
    /// Equal for equal names and texts.
    pub fn fingerprint(&self) -> u64 {
        *self.print.get_or_init(|| fingerprint_of(&(&self.id, &self.name, &self.description)))
    }
}

impl Candidates {
    pub fn collect(
        texts: &[Rc<ReadText>],
        native: &NativeTools,
        inventory: &Inventory,
        scope: Scope,
    ) -> Candidates {
        let now = Available::read(texts);
        let mut collector = Collector::default();
        if scope.mcp_tools {
            collector.add_namespaces(&now);
            collector.add_instructions(&now);
            collector.add_native(native, inventory.known());
            collector.add_inventory(&now, inventory.known(), scope);
        }
        if scope.skills {
            collector.add_skills(&now, inventory.known());
        }
        collector.finish()
    }

    pub fn is_empty(&self) -> bool {
        self.servers.is_empty() && self.skills.is_empty()
    }

    /// How many servers, tools and skills there are.
    pub fn count(&self) -> usize {
        let tools = self.servers.iter().map(|server| 1 + server.tools.len());
        tools.sum::<usize>() + self.skills.len()
    }
}

/// Names of one server that are told apart; a configuration has one or two that sanitise to the same.
const MAX_NAMES: usize = 16;

#[derive(Default)]
struct Collector {
    servers: Vec<Server>,
    skills: Vec<Skill>,
    server_places: FxIndexMap<Substr, usize>,
    tool_places: FxIndexMap<(usize, Substr), usize>,
}

impl Collector {
    fn add_namespaces(&mut self, now: &Available) {
        for (name, ListedNamespace { description, tools, .. }) in &now.namespaces {
            let server = self.server(name);
            self.at(server).description = description.clone();
            for (tool, listed) in tools {
                // A tool without namespace is a namespace of its own; its native name is its own too.
                let id = if tool == name { tool.clone() } else { native_name(name, tool).into() };
                let (description, chars) = (listed.description.clone(), listed.chars);
                let name = tool.clone();
                let tool = Tool { name, id, description, is_listed: true, chars, ..Tool::default() };
                self.add_tool(server, tool);
            }
        }
    }

    fn add_instructions(&mut self, now: &Available) {
        for (name, said) in &now.instructions {
            let server = self.name_server(&said.namespace, name);
            self.at(server).instructions.extend(said.text.clone());
        }
    }

    fn add_native(&mut self, native: &NativeTools, known: &Known) {
        for name in &known.unseen_servers {
            let server = self.name_server(&sanitise(name), name);
            self.at(server).has_unseen_tools = true;
        }
        let owners = Owners::new(known, &self.servers);
        for tool in &native.tools {
            let Some((namespace, name)) = owners.of(&tool.name) else { continue };
            let server = self.server(namespace);
            let description = Some(tool.description.substr_using(str::trim)).filter(|text| !text.is_empty());
            let chars = usize::try_from(tool.chars).unwrap_or_default();
            let (name, id) = (name.into(), tool.name.clone());
            let tool =
                Tool { name, id, description, is_native: true, is_listed: true, chars, ..Tool::default() };
            self.add_tool(server, tool);
        }
    }

    /// Takes untruncated descriptions from the inventory, and the tools that a sample left out.
    fn add_inventory(&mut self, now: &Available, known: &Known, scope: Scope) {
        for tool in known.tools.iter().flatten() {
            let Some(namespace) = tool.namespace.as_ref() else { continue };
            let Some(&server) = self.server_places.get(namespace) else { continue };
            let short =
                || split_native_name(&tool.id, |known| known == namespace.as_str()).map(|(_, name)| name);
            let Some(name) = tool.name.as_deref().or_else(short) else { continue };
            let full = tool.description.clone().filter(|text| !text.trim().is_empty());
            let name = Substr::from(name);
            let place = self.tool_places.get(&(server, name.clone())).copied();
            if let Some(listed) = place.and_then(|at| self.at(server).tools.get_mut(at)) {
                listed.description = full.or(listed.description.take());
                continue;
            }
            let in_sample =
                now.namespaces.get(namespace).is_some_and(|listed| listed.total > listed.tools.len());
            if scope.unlisted_tools && in_sample && !tool.is_native {
                let unlisted = Tool { name, id: tool.id.clone(), description: full, ..Tool::default() };
                self.add_tool(server, unlisted);
            }
        }
    }

    fn add_skills(&mut self, now: &Available, known: &Known) {
        let described = known.skills.iter().flatten();
        let full: FxIndexMap<&str, &Substr> =
            described.filter_map(|skill| Some((skill.id.as_str(), skill.description.as_ref()?))).collect();
        for (id, ListedSkill { name, description, chars }) in &now.skills {
            let description = full.get(id.as_str()).copied().or(description.as_ref()).cloned();
            let (id, name) = (id.clone(), name.clone());
            self.skills.push(Skill { id, name, description, chars: *chars, ..Skill::default() });
        }
    }

    fn add_tool(&mut self, server: usize, tool: Tool) {
        let key = (server, tool.name.clone());
        let known = self.tool_places.get(&key).copied();
        let tools = &mut self.at(server).tools;
        if let Some(known) = known.and_then(|at| tools.get_mut(at)) {
            known.description = tool.description.or(known.description.take());
            known.is_native |= tool.is_native;
            return;
        }
        let at = tools.len();
        tools.push(tool);
        self.tool_places.insert(key, at);
    }

    fn server(&mut self, namespace: &str) -> usize {
        if let Some(&at) = self.server_places.get(namespace) {
            return at;
        }
        let at = self.servers.len();
        let namespace = Substr::from(namespace);
        self.servers.push(Server { namespace: namespace.clone(), ..Server::default() });
        self.server_places.insert(namespace, at);
        at
    }

    fn name_server(&mut self, namespace: &str, name: &str) -> usize {
        let at = self.server(namespace);
        let names = &mut self.at(at).names;
        if names.len() < MAX_NAMES && !names.iter().any(|known| known == name) {
            names.push(name.into());
        }
        at
    }

    fn at(&mut self, server: usize) -> &mut Server {
        &mut self.servers[server]
    }

    fn finish(mut self) -> Candidates {
        self.servers.sort_by(|a, b| a.namespace.cmp(&b.namespace));
        self.servers.iter_mut().for_each(|server| server.tools.sort_by(|a, b| a.name.cmp(&b.name)));
        self.skills.sort_by(|a, b| a.id.cmp(&b.id));
        let tools =
            |server: &Server| server.tools.iter().map(|tool| tool.fingerprint(server)).collect::<Vec<_>>();
        let servers: Vec<_> =
            self.servers.iter().map(|server| (server.fingerprint(), tools(server))).collect();
        let skills: Vec<_> = self.skills.iter().map(Skill::fingerprint).collect();
        let fingerprint = fingerprint_of(&(servers, skills));
        Candidates { servers: self.servers, skills: self.skills, fingerprint }
    }
}

/// The namespace that a native tool belongs to, of those given; `None` for the host's own tools.
pub fn owner_of(name: &str, is_namespace: impl Fn(&str) -> bool) -> Option<&str> {
    if is_host_tool(name) {
        return None;
    }
    split_native_name(name, is_namespace).map(|(namespace, _)| namespace)
}

/// Whether a tool is the host's own or ours, and so in every request as it is.
pub fn is_host_tool(name: &str) -> bool {
    HOST_TOOLS.contains(&name) || OWN_TOOLS.contains(&name)
}

/// Which server a native tool belongs to.
struct Owners<'a> {
    by_id: Option<FxIndexMap<&'a str, &'a str>>,
    namespaces: FxIndexSet<Substr>,
}

/// Tools of ours that a request offers while `discovery.enabled` is on.
const OWN_TOOLS: [&str; 4] = ["tool_search", "load_tool", "skill_search", "jev_status"];

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

impl<'a> Owners<'a> {
    fn new(known: &'a Known, seen: &[Server]) -> Owners<'a> {
        let configured: Option<FxIndexSet<Substr>> =
            known.servers.as_ref().map(|names| names.iter().map(|name| sanitise(name).into()).collect());
        let by_id = known.tools.as_ref().map(|tools| {
            tools
                .iter()
                .filter_map(|tool| Some((tool.id.as_str(), tool.namespace.as_deref()?)))
                .filter(|(_, namespace)| configured.as_ref().is_none_or(|names| names.contains(*namespace)))
                .collect()
        });
        let namespaces =
            configured.unwrap_or_else(|| seen.iter().map(|server| server.namespace.clone()).collect());
        Owners { by_id, namespaces }
    }

    /// The namespace and the tool's name in it; `None` for a tool that no MCP server is known to have.
    fn of<'b>(&self, name: &'b str) -> Option<(&'b str, &'b str)> {
        if is_host_tool(name) {
            return None;
        }
        if let Some(by_id) = &self.by_id {
            let namespace = by_id.get(name)?;
            return split_native_name(name, |known| known == *namespace);
        }
        split_native_name(name, |known| self.namespaces.contains(known))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::candidates::inventory::InventoryTool;

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

    const ALL: Scope = Scope { mcp_tools: true, skills: true, unlisted_tools: true };

    fn native(names: &[&str]) -> NativeTools {
        let tool = |name: &&str| NativeTool { name: (*name).into(), description: "Does it".into(), chars: 9 };
        names.iter().map(tool).collect::<Vec<_>>().into()
    }

    fn collect(native: &NativeTools, known: &Known) -> Candidates {
        Candidates::collect(&[ReadText::new(TEXT)], native, &known.clone().into(), ALL)
    }

    fn tools_of(candidates: &Candidates) -> Vec<(String, Vec<String>)> {
        let ids = |server: &Server| server.tools.iter().map(|tool| tool.id.to_string()).collect();
        candidates.servers.iter().map(|server| (server.namespace.to_string(), ids(server))).collect()
    }

    #[test]
    fn one_server_has_what_all_texts_say_of_it() {
        let candidates = collect(&native(&["desk_add"]), &Known::default());
        let desk = candidates.servers.iter().find(|server| server.namespace == "desk").unwrap();
        assert_eq!(desk.description.as_deref(), Some("Items"));
        assert_eq!(desk.tools.iter().map(|tool| tool.name.as_str()).collect::<Vec<_>>(), ["add", "list"]);
    }

    #[test]
    fn names_that_sanitise_to_one_namespace_are_one_server() {
        let candidates = collect(&native(&[]), &Known::default());
        let merged = candidates.servers.iter().find(|server| server.namespace == "de_sk").unwrap();
        assert_eq!(merged.names, ["de sk", "de.sk"]);
        assert_eq!(merged.instructions, ["First.", "Second."]);
    }

    #[test]
    fn a_tool_without_namespace_is_a_server_of_its_own() {
        let candidates = collect(&native(&[]), &Known::default());
        assert!(tools_of(&candidates).contains(&("ping".into(), vec!["ping".into()])));
    }

    #[test]
    fn a_tool_that_is_listed_and_native_is_one_candidate() {
        let candidates = collect(&native(&["desk_list"]), &Known::default());
        let desk = candidates.servers.iter().find(|server| server.namespace == "desk").unwrap();
        assert_eq!(
            desk.tools.iter().map(|tool| (tool.id.as_str(), tool.is_native)).collect::<Vec<_>>(),
            [("desk_list", true)]
        );
    }

    #[test]
    fn a_native_tool_of_no_known_server_is_no_candidate() {
        let before = tools_of(&collect(&native(&[]), &Known::default()));
        assert_eq!(
            tools_of(&collect(&native(&["read", "other_tool", "execute"]), &Known::default())),
            before
        );
    }

    #[test]
    fn the_hosts_tools_are_never_candidates() {
        let inventory = Known { servers: Some(vec!["apply".into(), "plan".into()]), ..Known::default() };
        assert!(collect(&native(&["apply_patch", "plan_exit"]), &inventory)
            .servers
            .iter()
            .all(|s| s.namespace != "apply"));
    }

    #[test]
    fn the_inventory_says_whose_a_native_tool_is() {
        let tool = |id: &str, namespace: Option<&str>| InventoryTool {
            id: id.into(),
            namespace: namespace.map(Substr::from),
            ..InventoryTool::default()
        };
        let inventory = Known {
            tools: Some(vec![
                tool("a_b_c", Some("a")),
                tool("desk_custom", None),
                tool("own_x", Some("own")),
            ]),
            servers: Some(vec!["a".into(), "a_b".into(), "desk".into()]),
            ..Known::default()
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
        let inventory = Known { servers: Some(vec!["a".into(), "a b".into()]), ..Known::default() };
        let servers = tools_of(&collect(&native(&["a_b_c"]), &inventory));
        assert!(servers.contains(&("a_b".into(), vec!["a_b_c".into()])));
    }

    #[test]
    fn a_server_whose_tools_cannot_be_seen_is_a_candidate() {
        let inventory = Known { unseen_servers: vec!["far away".into()], ..Known::default() };
        let candidates = collect(&native(&[]), &inventory);
        let server = candidates.servers.iter().find(|server| server.namespace == "far_away").unwrap();
        assert_eq!((server.name().as_str(), server.tools.len()), ("far away", 0));
    }

    #[test]
    fn the_inventory_gives_full_descriptions_and_the_tools_that_a_sample_left_out() {
        let text = "# Code Mode\n\nThe catalog is partial.\n\n## Available tools\n\n- a (3 tools, 1 shown)\n  - tools.a.x(): Promise<unknown> // Cut...\n- full (1 tool)\n  - tools.full.y(): Promise<unknown>";
        let tool = |id: &str, namespace: &str, is_native| InventoryTool {
            id: id.into(),
            namespace: Some(namespace.into()),
            description: Some(format!("All of {id}").into()),
            is_native,
            ..InventoryTool::default()
        };
        let tools = vec![
            tool("a_x", "a", false),
            tool("a_z", "a", false),
            tool("a_n", "a", true),
            tool("full_w", "full", false),
            tool("unknown_q", "unknown", false),
        ];
        let inventory: Inventory = Known { tools: Some(tools), ..Known::default() }.into();
        let collect = |scope| Candidates::collect(&[ReadText::new(text)], &native(&[]), &inventory, scope);
        let seen = |candidates: Candidates| -> Vec<(Substr, Option<Substr>, bool)> {
            let tools = candidates.servers.into_iter().flat_map(|server| server.tools);
            tools.map(|tool| (tool.id, tool.description, tool.is_listed)).collect()
        };
        let listed = ("a_x".into(), Some("All of a_x".into()), true);
        let full = ("full_y".into(), None, true);
        assert_eq!(
            seen(collect(ALL)),
            [listed.clone(), ("a_z".into(), Some("All of a_z".into()), false), full.clone()]
        );
        assert_eq!(seen(collect(Scope { unlisted_tools: false, ..ALL })), [listed, full]);
    }

    #[test]
    fn what_is_not_to_be_pruned_is_no_candidate() {
        let texts = [ReadText::new(TEXT)];
        let collect = |mcp_tools, skills| {
            Candidates::collect(
                &texts,
                &native(&[]),
                &Inventory::default(),
                Scope { mcp_tools, skills, unlisted_tools: true },
            )
        };
        assert!(collect(false, true).servers.is_empty());
        assert!(collect(true, false).skills.is_empty());
    }

    #[test]
    fn the_fingerprint_follows_names_and_texts() {
        let first = collect(&native(&[]), &Known::default()).fingerprint;
        assert_eq!(collect(&native(&[]), &Known::default()).fingerprint, first);
        let changed = ReadText::new(TEXT.replace("List items", "List all items"));
        assert_ne!(
            Candidates::collect(&[changed], &native(&[]), &Inventory::default(), ALL).fingerprint,
            first
        );
    }
}
