//! The model: a world of few servers, tools and skills, and how it changes. What the host tells of it stands
//! in `renderer`.

use std::collections::{BTreeMap, BTreeSet};

use opencode_jev_pruner::opencode::names::sanitise;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

pub const NAMESPACES: [&str; 3] = ["a-b", "cal", "notes"];
pub const TOOLS: [&str; 3] = ["add", "find", "x-y"];
pub const SERVERS: [&str; 3] = ["a b", "cal", "notes"];
pub const SKILLS: [&str; 3] = ["forms", "k-2", "zip"];

/// Everything there is, each thing with the number of its wording.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct World {
    /// By namespace and name; in a partial catalog those that are shown.
    pub tools: BTreeMap<(&'static str, &'static str), usize>,
    /// How many tools of a namespace a partial catalog does not show.
    pub unshown: BTreeMap<&'static str, usize>,
    pub instructions: BTreeMap<&'static str, usize>,
    pub skills: BTreeMap<&'static str, usize>,
}

#[derive(Clone, Copy, Debug)]
pub enum Change {
    /// Comes or goes.
    Tool(&'static str, &'static str),
    Instructions(&'static str),
    Skill(&'static str),
    /// Is worded anew, if it is there.
    ToolWords(&'static str, &'static str),
    InstructionsWords(&'static str),
    SkillWords(&'static str),
    /// Has so many tools that are not shown.
    Unshown(&'static str, usize),
    AllToolsGo,
    AllSkillsGo,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Form {
    V4,
    V3,
    V2,
    /// In a text of its own, rendered anew each time.
    V1c,
}

#[derive(Clone, Debug)]
pub struct Step {
    /// The changes that are told at once.
    pub changes: Vec<Change>,
    /// Which lists are stated anew.
    pub anew: [bool; 3],
    /// Whether other text stands beside.
    pub beside: bool,
    /// What is needed from here on, as `Session::pruned` has it.
    pub needed: u32,
}

#[derive(Clone, Debug)]
pub struct Session {
    pub form: Form,
    pub start: Vec<Change>,
    pub steps: Vec<Step>,
    /// What is pruned at first: one bit for each thing.
    pub pruned: u32,
    /// Whether what was hidden before stays hidden though it is gone.
    pub remembers: bool,
}

impl World {
    pub fn change(&mut self, change: Change, number: usize) {
        fn toggle<K: Ord>(map: &mut BTreeMap<K, usize>, key: K, number: usize) {
            if map.remove(&key).is_none() {
                map.insert(key, number);
            }
        }
        let reword = |known: Option<&mut usize>| known.into_iter().for_each(|known| *known = number);
        match change {
            Change::Tool(namespace, tool) => toggle(&mut self.tools, (namespace, tool), number),
            Change::Instructions(server) => toggle(&mut self.instructions, server, number),
            Change::Skill(id) => toggle(&mut self.skills, id, number),
            Change::ToolWords(namespace, tool) => reword(self.tools.get_mut(&(namespace, tool))),
            Change::InstructionsWords(server) => reword(self.instructions.get_mut(server)),
            Change::SkillWords(id) => reword(self.skills.get_mut(id)),
            Change::Unshown(namespace, count) => drop(self.unshown.insert(namespace, count)),
            Change::AllToolsGo => (self.tools, self.unshown) = Default::default(),
            Change::AllSkillsGo => self.skills.clear(),
        }
        self.unshown.retain(|_, count| *count > 0);
    }

    pub fn shown_of(&self, namespace: &str) -> Vec<(&'static str, usize)> {
        let mine = self.tools.iter().filter(|((of, _), _)| *of == namespace);
        mine.map(|((_, tool), number)| (*tool, *number)).collect()
    }

    /// How many tools each namespace has.
    pub fn totals(&self) -> BTreeMap<&'static str, usize> {
        let total = |name| self.shown_of(name).len() + self.unshown.get(name).copied().unwrap_or_default();
        NAMESPACES.into_iter().map(|name| (name, total(name))).filter(|(_, total)| *total > 0).collect()
    }

    /// Everything by its name, as it is decided on.
    pub fn names(&self) -> BTreeSet<String> {
        let namespaces = self.totals().into_keys().map(str::to_string);
        let servers = namespaces.chain(self.instructions.keys().map(|name| sanitise(name)));
        let tools = self.tools.keys().map(|(namespace, tool)| format!("tool {namespace} {tool}"));
        let skills = self.skills.keys().map(|id| format!("skill {id}"));
        servers.map(|name| format!("server {name}")).chain(tools).chain(skills).collect()
    }
}

impl Session {
    /// Whether a thing itself is kept; a tool can still go with its server.
    fn keeps_itself(&self, name: &str) -> bool {
        let tools = NAMESPACES.iter().flat_map(|of| TOOLS.map(|tool| format!("tool {of} {tool}")));
        let servers = ["a-b", "a_b", "cal", "notes"].map(|name| format!("server {name}"));
        let mut all = servers.into_iter().chain(tools).chain(SKILLS.map(|id| format!("skill {id}")));
        all.position(|known| known == name).is_none_or(|at| self.pruned >> at & 1 == 0)
    }

    pub fn keeps(&self, name: &str) -> bool {
        self.keeps_itself(name) && server_of(name).is_none_or(|server| self.keeps_itself(&server))
    }
}

/// `server cal` for `tool cal add`.
pub fn server_of(name: &str) -> Option<String> {
    let (server, _) = name.strip_prefix("tool ")?.split_once(' ')?;
    Some(format!("server {server}"))
}

pub fn sessions() -> impl Strategy<Value = Session> {
    let form = select(vec![Form::V4, Form::V3, Form::V2, Form::V1c]);
    let told = || {
        // Little is needed at a time.
        let needed = (any::<u32>(), any::<u32>()).prop_map(|(some, others)| some & others);
        (vec(changes(), 1..4), any::<[bool; 3]>(), any::<bool>(), needed)
            .prop_map(|(changes, anew, beside, needed)| Step { changes, anew, beside, needed })
    };
    let played = (form, any::<bool>(), vec(changes(), 2..8), vec(told(), 0..5));
    (played, any::<u32>(), any::<bool>()).prop_map(
        |((form, is_partial, mut start, mut steps), pruned, remembers)| {
            let all = std::iter::once(&mut start).chain(steps.iter_mut().map(|step| &mut step.changes));
            if !is_partial {
                all.for_each(|changes| changes.retain(|change| !matches!(change, Change::Unshown(..))));
            }
            Session { form, start, steps, pruned, remembers }
        },
    )
}

fn changes() -> impl Strategy<Value = Change> {
    let tool = || (select(&NAMESPACES[..]), select(&TOOLS[..]));
    let (server, id) = (|| select(&SERVERS[..]), || select(&SKILLS[..]));
    prop_oneof![
        6 => tool().prop_map(|(namespace, tool)| Change::Tool(namespace, tool)),
        3 => server().prop_map(Change::Instructions),
        3 => id().prop_map(Change::Skill),
        3 => tool().prop_map(|(namespace, tool)| Change::ToolWords(namespace, tool)),
        2 => server().prop_map(Change::InstructionsWords),
        2 => id().prop_map(Change::SkillWords),
        4 => (select(&NAMESPACES[..]), 0..3usize).prop_map(|(name, count)| Change::Unshown(name, count)),
        1 => Just(Change::AllToolsGo),
        1 => Just(Change::AllSkillsGo),
    ]
}
