//! Requests with plainly named servers, tools and skills, a person's options, and what the rules say of
//! them.

use std::collections::BTreeSet;
use std::rc::Rc;

use arcstr::Substr;
use opencode_jev_pruner::candidates::inventory::{Inventory, InventoryLists};
use opencode_jev_pruner::candidates::NativeTool;
use opencode_jev_pruner::opencode::messages::Use;
use opencode_jev_pruner::opencode::ReadText;
use opencode_jev_pruner::options::Options;
use opencode_jev_pruner::request::{Hook, Request, Settings};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use serde_json::json;

use crate::conversation::OnePrompt;

const SERVERS: [&str; 6] = ["alpha", "beta", "gamma", "delta_4", "opencode", "zeta"];
const TOOLS: [&str; 5] = ["find", "add", "list", "run_all", "zap"];
const SKILLS: [&str; 5] = ["forms", "notes", "s1", "s2", "error_recovery"];
const PATTERNS: [&str; 16] = [
    "alpha",
    "?eta",
    "*a",
    "*",
    "beta.find",
    "beta_find",
    "find",
    "delta_4.*",
    "gamma_?dd",
    "a*d",
    "s?",
    "forms",
    "error_recovery",
    "al",
    "find.beta",
    "Alpha",
];

/// The host's own tools in every request.
pub const HOST_TOOLS: [&str; 3] = ["bash", "execute", "read"];

#[derive(Clone, Debug)]
pub struct Scene {
    pub hook: Hook,
    pub servers: Vec<Server>,
    pub skills: Vec<String>,
    pub options: serde_json::Value,
    pub conversation: OnePrompt,
    /// What each description says.
    pub description: String,
}

#[derive(Clone, Debug)]
pub struct Server {
    pub name: &'static str,
    pub tools: Vec<&'static str>,
    /// Whether its tools stand in the request's tool map, not in the catalog.
    pub is_native: bool,
}

/// What is asked about.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Subject {
    Server(String),
    Tool { server: String, tool: String },
    Skill(String),
}

impl Subject {
    pub fn tool(server: &str, tool: &str) -> Subject {
        Subject::Tool { server: server.into(), tool: tool.into() }
    }
}

pub fn native_name(server: &str, tool: &str) -> String {
    format!("{server}_{tool}")
}

fn path(server: &str, tool: &str) -> String {
    format!("tools.{server}.{tool}")
}

impl Scene {
    fn text(&self) -> String {
        let mut out = "# Code Mode\n\nThe catalog is partial.\n\n## Available tools\n".to_string();
        for Server { name, tools, .. } in self.servers.iter().filter(|server| !server.is_native) {
            // One tool more than is listed, so that a server without listed tools has a header.
            out.push_str(&format!("\n- {name} ({} tools, {} shown)", tools.len() + 2, tools.len()));
            for tool in tools {
                let (path, description) = (path(name, tool), &self.description);
                out.push_str(&format!("\n  - {path}(): Promise<unknown> // {description}"));
            }
        }
        out.push_str("\n\nSkills provide specialized instructions.\n<available_skills>");
        for id in &self.skills {
            let description = &self.description;
            out.push_str(&format!(
                "\n  <skill>\n    <id>{id}</id>\n    <name>The {id}</name>\n    \
                 <description>{description}</description>\n  </skill>"
            ));
        }
        out + "\n</available_skills>"
    }

    fn native(&self) -> Vec<NativeTool> {
        let native = self.servers.iter().filter(|server| server.is_native);
        let names = native.flat_map(|server| server.tools.iter().map(|tool| native_name(server.name, tool)));
        let host = HOST_TOOLS.iter().map(|name| name.to_string());
        let description = Substr::from(self.description.as_str());
        let tool =
            |name: String| NativeTool { name: name.into(), description: description.clone(), chars: 9 };
        host.chain(names).map(tool).collect()
    }

    pub fn request(&self) -> Request<'_> {
        let servers = self.servers.iter().map(|server| server.name.to_string().into()).collect();
        Request {
            hook: self.hook,
            session: "ses_1".into(),
            texts: vec![ReadText::new(self.text())],
            places: vec![None],
            system_parts: 1,
            native: Rc::new(self.native().into()),
            inventory: Rc::new(Inventory::from(InventoryLists {
                servers: Some(servers),
                ..InventoryLists::default()
            })),
            conversation: &self.conversation,
            takes_messages: true,
        }
    }

    pub fn with_prompt(&self, prompt: &str) -> Scene {
        let mut scene = self.clone();
        scene.conversation.prompt = prompt.into();
        scene
    }

    pub fn with_option(&self, name: &str, value: impl Into<serde_json::Value>) -> Scene {
        let mut scene = self.clone();
        scene.options[name] = value.into();
        scene
    }

    pub fn options(&self) -> Options {
        Options::from_json(&self.options)
    }

    pub fn settings(&self) -> Rc<Settings> {
        Settings::new(self.options())
    }

    /// The servers that the request speaks of: a native one without tools leaves no trace in it.
    pub fn candidates(&self) -> impl Iterator<Item = &Server> {
        self.servers.iter().filter(|server| !server.is_native || !server.tools.is_empty())
    }

    pub fn has_candidates(&self) -> bool {
        self.candidates().next().is_some() || !self.skills.is_empty()
    }

    /// Whether the conversation has used this tool: called it, or named its path in code.
    pub fn is_used(&self, server: &Server, tool: &str) -> bool {
        let called = Use::Tool(native_name(server.name, tool));
        let named = Use::Paths(path(server.name, tool));
        self.conversation.uses.contains(&called) || self.conversation.uses.contains(&named)
    }

    pub fn is_used_skill(&self, id: &str) -> bool {
        self.conversation.uses.contains(&Use::Skill(id.into()))
    }

    pub fn always_keeps_server(&self, server: &Server) -> bool {
        matches_any(&self.options().always_include_servers, &[server.name])
    }

    pub fn always_keeps_tool(&self, server: &Server, tool: &str) -> bool {
        let forms = [tool, &format!("{}.{tool}", server.name), &native_name(server.name, tool)];
        self.always_keeps_server(server) || matches_any(&self.options().always_include_tools, &forms)
    }

    pub fn always_keeps_skill(&self, id: &str) -> bool {
        matches_any(&self.options().always_include_skills, &[id, &format!("The {id}")])
    }

    /// Whether the server stays without being asked about.
    fn is_settled(&self, server: &Server) -> bool {
        self.always_keeps_server(server)
            || server.tools.iter().any(|tool| self.always_keeps_tool(server, tool))
    }

    /// What phase 1 asks about.
    pub fn to_ask_first(&self) -> BTreeSet<Subject> {
        let free = self.candidates().filter(|server| !self.always_keeps_server(server)).count();
        if !self.options().enable_two_phase_gating || free < 2 {
            return BTreeSet::new();
        }
        let open = self.candidates().filter(|server| !self.is_settled(server));
        open.map(|server| Subject::Server(server.name.into())).collect()
    }

    /// What phase 2 asks about, where these servers failed phase 1.
    pub fn to_ask_next(&self, rejected: &BTreeSet<Subject>) -> BTreeSet<Subject> {
        let mut subjects = BTreeSet::new();
        for server in self.candidates().filter(|one| !rejected.contains(&Subject::Server(one.name.into()))) {
            let open = server.tools.iter().filter(|tool| !self.always_keeps_tool(server, tool));
            subjects.extend(open.map(|tool| Subject::tool(server.name, tool)));
        }
        let open = self.skills.iter().filter(|id| !self.always_keeps_skill(id));
        subjects.extend(open.map(|id| Subject::Skill(id.clone())));
        subjects
    }
}

fn matches_any(patterns: &[String], names: &[&str]) -> bool {
    patterns.iter().any(|pattern| names.iter().any(|name| is_match(pattern.as_bytes(), name.as_bytes())))
}

/// `*` is any characters, `?` is one; for ASCII.
fn is_match(pattern: &[u8], name: &[u8]) -> bool {
    match (pattern.split_first(), name.split_first()) {
        (None, None) => true,
        (Some((b'*', rest)), _) if is_match(rest, name) => true,
        (Some((b'*', _)), Some((_, name))) => is_match(pattern, name),
        (Some((wanted, rest)), Some((found, name))) => {
            (*wanted == b'?' || wanted == found) && is_match(rest, name)
        }
        _ => false,
    }
}

pub fn scenes() -> impl Strategy<Value = Scene> {
    let servers = subsequence(&SERVERS[..], 0..=6)
        .prop_flat_map(|names| names.into_iter().map(server).collect::<Vec<_>>());
    let skills =
        subsequence(&SKILLS[..], 0..=5).prop_map(|ids| ids.into_iter().map(String::from).collect::<Vec<_>>());
    (servers, skills, options(), vec(uses(), 0..4)).prop_map(|(servers, skills, options, uses)| Scene {
        hook: Hook::Context,
        servers,
        skills,
        options,
        conversation: OnePrompt { prompt: "Füge die Notiz hinzu 😀".into(), uses },
        description: "Does something — 😀".into(),
    })
}

fn uses() -> impl Strategy<Value = Use> {
    let tool = || (select(&SERVERS[..]), select(&TOOLS[..]));
    prop_oneof![
        tool().prop_map(|(server, tool)| Use::Tool(native_name(server, tool))),
        tool().prop_map(|(server, tool)| Use::Paths(path(server, tool))),
        select(&SKILLS[..]).prop_map(|id| Use::Skill(id.into())),
    ]
}

fn server(name: &'static str) -> impl Strategy<Value = Server> {
    (subsequence(&TOOLS[..], 0..=5), any::<bool>()).prop_map(move |(tools, is_native)| Server {
        name,
        tools,
        is_native,
    })
}

fn options() -> impl Strategy<Value = serde_json::Value> {
    let patterns = || vec(select(&PATTERNS[..]), 0..3);
    let threshold = || select(vec![0.0, 0.35, 0.5, 1.0]);
    let scope = select(vec!["session", "prompt"]);
    let limits = (1..7u64, select(vec![0, 600_000]), select(vec![0, 5_000]), scope);
    let always = (patterns(), patterns(), patterns());
    (threshold(), threshold(), any::<bool>(), always, limits).prop_map(
        |(tools_at, servers_at, two_phases, (servers, tools, skills), (questions, ttl, cooldown, scope))| {
            json!({
                "jev_confidence_threshold": tools_at,
                "jev_phase1_threshold": servers_at,
                "enable_two_phase_gating": two_phases,
                "always_include_servers": servers,
                "always_include_tools": tools,
                "always_include_skills": skills,
                "max_questions_per_request": questions,
                "cache_ttl_ms": ttl,
                "failure_cooldown_ms": cooldown,
                "decision_scope": scope,
                "min_saving_chars": 0,
            })
        },
    )
}
