//! Merges what the request's texts advertise, its tool map and OpenCode's inventory into one list of candidates.
//!
//! The texts and the tool map say what is there. The inventory only adds to that: untruncated descriptions, whose
//! a native tool is, and the tools that a partial catalog leaves out.

use std::rc::Rc;

use arcstr::Substr;

use super::advertised::{Advertised, ListedNamespace, ListedSkill};
use super::inventory::{Inventory, InventoryLists, InventoryTool};
use super::owners::Owners;
use super::{Candidates, NativeTools, Scope, Server, Skill, Tool};
use crate::hash::{fingerprint_of, FxHashMap};
use crate::opencode::names::{native_name, sanitise, split_native_name};
use crate::opencode::ReadText;

impl Candidates {
    /// Collects what `scope` lets be hidden. The texts are those of the request in its order.
    pub fn collect(
        texts: &[Rc<ReadText>],
        native: &NativeTools,
        inventory: &Inventory,
        scope: Scope,
    ) -> Candidates {
        let advertised = Advertised::read(texts);
        let mut collector = Collector::default();
        if scope.mcp_tools {
            collector.add_namespaces(&advertised);
            collector.add_instructions(&advertised);
            collector.add_native(native, inventory.lists());
            collector.add_inventory(&advertised, inventory.lists(), scope);
        }
        if scope.skills {
            collector.add_skills(&advertised, inventory.lists());
        }
        collector.finish()
    }
}

/// Configured names of one server that are kept; a configuration has one or two that sanitise to the same.
const MAX_NAMES: usize = 16;

#[derive(Default)]
struct Collector {
    servers: Vec<Server>,
    skills: Vec<Skill>,
    server_places: FxHashMap<Substr, usize>,
    tool_places: FxHashMap<(usize, Substr), usize>,
}

impl Collector {
    fn add_namespaces(&mut self, advertised: &Advertised) {
        for (name, ListedNamespace { description, tools, .. }) in &advertised.namespaces {
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

    fn add_instructions(&mut self, advertised: &Advertised) {
        for (name, said) in &advertised.instructions {
            let server = self.name_server(&said.namespace, name);
            self.at(server).instructions.extend(said.text.clone());
        }
    }

    fn add_native(&mut self, native: &NativeTools, lists: &InventoryLists) {
        for name in &lists.unseen_servers {
            let server = self.name_server(&sanitise(name), name);
            self.at(server).has_unseen_tools = true;
        }
        let owners = Owners::new(lists, &self.servers);
        for tool in native.iter() {
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

    /// Takes untruncated descriptions from the inventory, and the tools that a partial catalog leaves out.
    fn add_inventory(&mut self, advertised: &Advertised, lists: &InventoryLists, scope: Scope) {
        for tool in lists.tools.iter().flatten() {
            let Some(namespace) = tool.namespace.as_ref() else { continue };
            let Some(&server) = self.server_places.get(namespace) else { continue };
            let Some(name) = name_in_namespace(tool, namespace) else { continue };
            let full = tool.description.clone().filter(|text| !text.trim().is_empty());
            let place = self.tool_places.get(&(server, name.clone())).copied();
            if let Some(listed) = place.and_then(|at| self.at(server).tools.get_mut(at)) {
                listed.description = full.or(listed.description.take());
                continue;
            }
            let is_partial = advertised.namespaces.get(namespace).is_some_and(ListedNamespace::is_partial);
            if scope.unlisted_tools && is_partial && !tool.is_native {
                let unlisted = Tool { name, id: tool.id.clone(), description: full, ..Tool::default() };
                self.add_tool(server, unlisted);
            }
        }
    }

    fn add_skills(&mut self, advertised: &Advertised, lists: &InventoryLists) {
        let described = lists.skills.iter().flatten();
        let full: FxHashMap<&str, &Substr> =
            described.filter_map(|skill| Some((skill.id.as_str(), skill.description.as_ref()?))).collect();
        for (id, ListedSkill { name, description, chars }) in &advertised.skills {
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

/// The name of the inventory's tool inside its namespace; of an OpenCode that does not give it, what follows the
/// namespace in the native name.
fn name_in_namespace(tool: &InventoryTool, namespace: &str) -> Option<Substr> {
    tool.name
        .clone()
        .or_else(|| split_native_name(&tool.id, |known| known == namespace).map(|(_, name)| name.into()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::candidates::NativeTool;

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

    fn collect(native: &NativeTools, lists: &InventoryLists) -> Candidates {
        Candidates::collect(&[ReadText::new(TEXT)], native, &lists.clone().into(), ALL)
    }

    fn tools_of(candidates: &Candidates) -> Vec<(String, Vec<String>)> {
        let ids = |server: &Server| server.tools.iter().map(|tool| tool.id.to_string()).collect();
        candidates.servers.iter().map(|server| (server.namespace.to_string(), ids(server))).collect()
    }

    #[test]
    fn one_server_has_what_all_texts_say_of_it() {
        let candidates = collect(&native(&["desk_add"]), &InventoryLists::default());
        let desk = candidates.servers.iter().find(|server| server.namespace == "desk").unwrap();
        assert_eq!(desk.description.as_deref(), Some("Items"));
        assert_eq!(desk.tools.iter().map(|tool| tool.name.as_str()).collect::<Vec<_>>(), ["add", "list"]);
    }

    #[test]
    fn names_that_sanitise_to_one_namespace_are_one_server() {
        let candidates = collect(&native(&[]), &InventoryLists::default());
        let merged = candidates.servers.iter().find(|server| server.namespace == "de_sk").unwrap();
        assert_eq!(merged.names, ["de sk", "de.sk"]);
        assert_eq!(merged.instructions, ["First.", "Second."]);
    }

    #[test]
    fn a_tool_without_namespace_is_a_server_of_its_own() {
        let candidates = collect(&native(&[]), &InventoryLists::default());
        assert!(tools_of(&candidates).contains(&("ping".into(), vec!["ping".into()])));
    }

    #[test]
    fn a_tool_that_is_listed_and_native_is_one_candidate() {
        let candidates = collect(&native(&["desk_list"]), &InventoryLists::default());
        let desk = candidates.servers.iter().find(|server| server.namespace == "desk").unwrap();
        assert_eq!(
            desk.tools.iter().map(|tool| (tool.id.as_str(), tool.is_native)).collect::<Vec<_>>(),
            [("desk_list", true)]
        );
    }

    #[test]
    fn a_native_tool_of_no_known_server_is_no_candidate() {
        let before = tools_of(&collect(&native(&[]), &InventoryLists::default()));
        assert_eq!(
            tools_of(&collect(&native(&["read", "other_tool", "execute"]), &InventoryLists::default())),
            before
        );
    }

    #[test]
    fn tools_of_opencode_are_never_candidates() {
        let inventory = InventoryLists {
            servers: Some(vec!["apply".into(), "plan".into()]),
            ..InventoryLists::default()
        };
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
        let inventory = InventoryLists {
            tools: Some(vec![
                tool("a_b_c", Some("a")),
                tool("desk_custom", None),
                tool("own_x", Some("own")),
            ]),
            servers: Some(vec!["a".into(), "a_b".into(), "desk".into()]),
            ..InventoryLists::default()
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
        let inventory =
            InventoryLists { servers: Some(vec!["a".into(), "a b".into()]), ..InventoryLists::default() };
        let servers = tools_of(&collect(&native(&["a_b_c"]), &inventory));
        assert!(servers.contains(&("a_b".into(), vec!["a_b_c".into()])));
    }

    #[test]
    fn a_server_whose_tools_cannot_be_seen_is_a_candidate() {
        let inventory =
            InventoryLists { unseen_servers: vec!["far away".into()], ..InventoryLists::default() };
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
        let inventory: Inventory = InventoryLists { tools: Some(tools), ..InventoryLists::default() }.into();
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
        let first = collect(&native(&[]), &InventoryLists::default()).fingerprint;
        assert_eq!(collect(&native(&[]), &InventoryLists::default()).fingerprint, first);
        let changed = ReadText::new(TEXT.replace("List items", "List all items"));
        assert_ne!(
            Candidates::collect(&[changed], &native(&[]), &Inventory::default(), ALL).fingerprint,
            first
        );
    }
}
