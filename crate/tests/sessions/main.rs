//! Random sessions against a simple model of what is visible now.
//!
//! A world of few servers, tools and skills changes at random (`world`), is told of as the host would
//! (`renderer`), and some of everything is pruned. After each change the core must see exactly what the world
//! holds, and leave exactly what is kept of it. Some of what is pruned is needed later; then a message of ours
//! tells of it, and all in front of that stays as it was.
//!
//! 10,000 sessions are played; `PROPTEST_CASES` sets another number.

#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

mod renderer;
mod world;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use opencode_jev_pruner::candidates::advertised::Advertised;
use opencode_jev_pruner::candidates::inventory::Inventory;
use opencode_jev_pruner::candidates::{Candidates, NativeTools, Scope};
use opencode_jev_pruner::opencode::ReadText;
use opencode_jev_pruner::plan::{Extras, PlacedAnnouncement, Plan};
use opencode_jev_pruner::policy::{Answers, Decision, Reason, Verdict};
use opencode_jev_pruner::session::memory::{CandidateName, Memory};
use opencode_jev_pruner::session::reveal::Fresh;
use opencode_jev_pruner::text::apply;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestCaseResult};

use renderer::{additions, mark, INSTRUCTIONS, MARK_CLOSE, MARK_OPEN, SKILL_LIST};
use world::{server_of, sessions, Form, Session, World};

const SESSIONS: u32 = 10_000;

fn config() -> Config {
    let mut config = Config { failure_persistence: None, ..Config::default() };
    if std::env::var_os("PROPTEST_CASES").is_none() {
        config.cases = SESSIONS;
    }
    config
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn what_the_core_sees_and_leaves_is_what_is_there_and_kept(session in sessions()) {
        Played::new(&session).all()?;
    }
}

/// A session under way.
struct Played {
    /// With what is pruned by now.
    session: Session,
    world: World,
    baseline: String,
    /// What the host told since, each with its place in the conversation.
    messages: Vec<(usize, String)>,
    memory: Memory,
    /// By name, what was pruned when it was there and was not told of since.
    hidden: BTreeSet<String>,
    /// The messages of ours.
    ours: Vec<Ours>,
    /// The list that is rendered anew, as it was last.
    execute: Option<String>,
    /// What the model read of the baseline and the messages at the last request.
    earlier: Vec<String>,
}

/// A message of ours, in front of which message it stands, and what it tells by name and for the core.
struct Ours {
    place: usize,
    names: BTreeSet<String>,
    what: Vec<CandidateName>,
    text: String,
}

impl Played {
    fn new(session: &Session) -> Self {
        let mut world = World::default();
        session.start.iter().enumerate().for_each(|(at, change)| world.change(*change, at));
        Played {
            baseline: session.baseline(&world),
            session: session.clone(),
            world,
            messages: Vec::new(),
            memory: Memory::new(0),
            hidden: BTreeSet::new(),
            ours: Vec::new(),
            execute: None,
            earlier: Vec::new(),
        }
    }

    fn all(mut self) -> TestCaseResult {
        self.request(1)?;
        for (at, step) in self.session.steps.clone().into_iter().enumerate() {
            let before = self.world.clone();
            let numbered = step.changes.iter().zip(100 * (at + 1)..);
            numbered.for_each(|(change, number)| self.world.change(*change, number));
            let told = self.session.told(&before, &self.world, step.anew, step.beside);
            // A change stands in front of its step's prompt.
            self.messages.extend(told.map(|text| (2 * at + 2, text)));
            if self.session.remembers {
                self.session.pruned &= !step.needed;
            }
            self.request(2 * at + 3)?;
        }
        Ok(())
    }

    /// The request for the prompt that is this message.
    fn request(&mut self, prompt: usize) -> TestCaseResult {
        let execute = (self.session.form == Form::V1c).then(|| self.session.catalog(&self.world)).flatten();
        let is_overtaken = !self.ours.is_empty() && execute != self.execute;
        if is_overtaken {
            self.ours.clear();
        }
        let texts: Vec<String> = [&self.baseline]
            .into_iter()
            .chain(self.messages.iter().map(|(_, text)| text))
            .chain(&execute)
            .cloned()
            .collect();
        let places: Vec<Option<usize>> = std::iter::once(None)
            .chain(self.messages.iter().map(|(place, _)| Some(*place)))
            .chain(execute.as_ref().map(|_| None))
            .collect();
        let read = read_all(&texts)?;
        let candidates = collect(&read);
        prop_assert_eq!(names(&candidates), self.world.names());
        self.check_words(&read, &candidates)?;

        let decision = self.decide(&candidates);
        self.tell(prompt, &candidates, &decision)?;
        self.memory.note(&candidates, &Answers::default(), &decision);
        let hidden =
            if self.session.remembers { Cow::Borrowed(self.memory.hidden()) } else { Default::default() };
        let told = self
            .ours
            .iter()
            .map(|ours| PlacedAnnouncement { message: Some(ours.place), names: &ours.what, text: &ours.text })
            .collect();
        let plan = Plan::make(
            &read,
            &places,
            &candidates,
            &decision,
            &Extras { hidden, announced: told, hint: true, ..Extras::default() },
        );
        let expected: Vec<(usize, String)> =
            self.ours.iter().map(|ours| (ours.place, ours.text.clone())).collect();
        prop_assert_eq!(&plan.messages, &expected);

        let left: Vec<String> =
            texts.iter().zip(&plan.texts).map(|(text, edits)| apply(text, edits)).collect();
        self.check_left(&self.with_ours(&left, &places))?;
        for ((text, left), place) in texts.iter().zip(&left).zip(&places) {
            self.check_text(text, left, *place)?;
        }
        if self.session.remembers && !is_overtaken {
            prop_assert_eq!(&left[..self.earlier.len()], &self.earlier[..]);
        }
        self.earlier = left[..1 + self.messages.len()].to_vec();
        self.execute = execute;
        Ok(())
    }

    /// Takes note of what is hidden, and tells of what was and is needed now; the core must find the same.
    fn tell(&mut self, prompt: usize, candidates: &Candidates, decision: &Decision) -> TestCaseResult {
        let fresh = Fresh::of(candidates, &self.memory, decision);
        let (kept, pruned): (BTreeSet<_>, BTreeSet<_>) =
            self.world.names().into_iter().partition(|name| self.session.keeps(name));
        let was_hidden = |name: &String| self.hidden.contains(name);
        let is_fresh = |name: &&String| was_hidden(name) || server_of(name).as_ref().is_some_and(was_hidden);
        let names: BTreeSet<String> = kept.iter().filter(is_fresh).cloned().collect();
        prop_assert_eq!(fresh.names.iter().map(name_of).collect::<BTreeSet<_>>(), names.clone());
        self.hidden.extend(pruned);
        self.hidden.retain(|name| !names.contains(name));
        if !names.is_empty() {
            let text = additions(&self.world, &names);
            self.ours.push(Ours { place: prompt, names, what: fresh.names, text });
        }
        Ok(())
    }

    /// All that the model reads, in its order.
    fn with_ours(&self, left: &[String], places: &[Option<usize>]) -> Vec<String> {
        let in_front =
            left.iter().zip(places).filter(|(_, place)| place.is_none()).map(|(text, _)| (0, text));
        let messages = left.iter().zip(places).filter_map(|(text, place)| Some((place.as_ref()?, text)));
        let ours = self.ours.iter().map(|ours| (ours.place, &ours.text));
        let mut all: Vec<(usize, &String)> =
            in_front.chain(messages.map(|(place, text)| (*place, text))).chain(ours).collect();
        all.sort_by_key(|(place, _)| *place);
        all.into_iter().map(|(_, text)| text.clone()).collect()
    }

    /// Whether all that a text at this place tells of a thing goes.
    fn hides(&self, name: &str, place: Option<usize>) -> bool {
        let is_told = |name: &str| {
            let behind = self.ours.iter().filter(|ours| place.is_none_or(|place| place < ours.place));
            behind.into_iter().any(|ours| ours.names.contains(name))
        };
        let is_pruned = |name: &str| match self.session.remembers {
            true => self.hidden.contains(name),
            false => !self.session.keeps(name) && self.world.names().contains(name),
        };
        let hides = |name: &str| is_pruned(name) || is_told(name);
        hides(name) || server_of(name).is_some_and(|server| hides(&server))
    }

    /// Each thing is known by its latest words, and each namespace by its number of tools.
    fn check_words(&self, read: &[Rc<ReadText>], candidates: &Candidates) -> TestCaseResult {
        let now = Advertised::read(read);
        let totals: BTreeMap<&str, usize> =
            now.namespaces.iter().map(|(name, listed)| (name.as_str(), listed.total)).collect();
        prop_assert_eq!(totals, self.world.totals());
        for server in &candidates.servers {
            for tool in &server.tools {
                let key = self
                    .world
                    .tools
                    .iter()
                    .find(|((of, name), _)| *of == server.namespace && *name == tool.name);
                let mark = mark(&tool_name(&server.namespace, &tool.name), *key.unwrap().1);
                prop_assert!(tool.description.as_ref().is_some_and(|text| text.contains(&mark)), "{mark}");
            }
        }
        for skill in &candidates.skills {
            let mark = mark(&format!("skill {}", skill.id), self.world.skills[skill.id.as_str()]);
            prop_assert!(skill.description.as_ref().is_some_and(|text| text.contains(&mark)), "{mark}");
        }
        Ok(())
    }

    /// What the model can still see is what is kept of what is there.
    fn check_left(&self, left: &[String]) -> TestCaseResult {
        let left: Vec<String> = left.iter().map(|text| plainly(text)).collect();
        let seen = names(&collect(&read_all(&left)?));
        let now = self.world.names();
        let (kept, pruned): (BTreeSet<_>, BTreeSet<_>) =
            now.into_iter().partition(|name| self.session.keeps(name));
        prop_assert!(seen.is_disjoint(&pruned), "{seen:?}");
        // A server none of whose tools is listed need not be told of.
        let is_server = |name: &&String| name.starts_with("server ");
        let others = |names: &BTreeSet<String>| {
            names.iter().filter(|name| !is_server(name)).cloned().collect::<Vec<_>>()
        };
        prop_assert_eq!(others(&seen), others(&kept));
        Ok(())
    }

    /// Whatever a text says of a thing goes as a whole or stays as a whole, and the rest stays.
    fn check_text(&self, text: &str, left: &str, place: Option<usize>) -> TestCaseResult {
        let mut expected = occurrences(text);
        expected.retain(|name, _| !self.hides(name, place));
        let is_untouched = expected == occurrences(text);
        prop_assert_eq!(occurrences(left), expected, "{}\n=====\n{}", text, left);
        if is_untouched {
            prop_assert_eq!(left, text);
        }
        let gone = |text: &str| text.matches("no longer available").count();
        prop_assert_eq!(gone(left), gone(text));
        prop_assert!(left.is_empty() || left.trim() == left, "{left:?}");
        prop_assert!(!left.contains("\n\n\n"), "{left:?}");
        for (before, after) in lists(text).iter().zip(&lists(left)) {
            prop_assert!(!after.is_complete || before.lines == after.lines, "{left}");
        }
        Ok(())
    }

    fn decide(&self, candidates: &Candidates) -> Decision {
        let verdict = |name: String| match self.session.keeps(&name) {
            true => Verdict::keep(Reason::Passed),
            false => Verdict::prune(Reason::Rejected),
        };
        let servers = candidates.servers.iter();
        Decision {
            servers: servers.clone().map(|server| verdict(format!("server {}", server.namespace))).collect(),
            tools: servers
                .map(|server| {
                    let tools = server.tools.iter();
                    tools.map(|tool| verdict(tool_name(&server.namespace, &tool.name))).collect()
                })
                .collect(),
            skills: candidates.skills.iter().map(|skill| verdict(format!("skill {}", skill.id))).collect(),
        }
    }
}

fn name_of(thing: &CandidateName) -> String {
    match thing {
        CandidateName::Server(namespace) => format!("server {namespace}"),
        CandidateName::Tool(namespace, tool) => tool_name(namespace, tool),
        CandidateName::Skill(id) => format!("skill {id}"),
    }
}

fn tool_name(namespace: &str, tool: &str) -> String {
    format!("tool {namespace} {tool}")
}

fn read_all(texts: &[String]) -> Result<Vec<Rc<ReadText>>, TestCaseError> {
    let read: Vec<_> = texts.iter().cloned().map(ReadText::new).collect();
    for text in &read {
        // A sentence with nothing behind it and a label that counts wrong could not be read.
        prop_assert!(text.reading.unread.is_empty(), "{:?} in\n{}", text.reading.unread, text.text);
    }
    Ok(read)
}

fn collect(texts: &[Rc<ReadText>]) -> Candidates {
    let scope = Scope { mcp_tools: true, skills: true, unlisted_tools: true };
    Candidates::collect(texts, &NativeTools::default(), &Inventory::default(), scope)
}

fn names(candidates: &Candidates) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for server in &candidates.servers {
        names.insert(format!("server {}", server.namespace));
        names.extend(server.tools.iter().map(|tool| tool_name(&server.namespace, &tool.name)));
    }
    names.extend(candidates.skills.iter().map(|skill| format!("skill {}", skill.id)));
    names
}

/// A text in which a restatement that lost its whole list says so, as whoever reads it understands it.
fn plainly(text: &str) -> String {
    let sections = text.split("\n\n").map(|section| {
        let (sentence, list) = section.split_once('\n').unwrap_or((section, ""));
        match sentence {
            _ if list.contains("<mcp_instructions>") || list.contains("<available_skills>") => section,
            _ if sentence.starts_with("The available MCP server instructions have changed.") => {
                INSTRUCTIONS.gone
            }
            _ if sentence.starts_with("The available skills have changed.") => SKILL_LIST.gone,
            _ => section,
        }
    });
    sections.collect::<Vec<_>>().join("\n\n")
}

/// How often a text speaks of each thing, but to say that it is gone.
fn occurrences(text: &str) -> BTreeMap<String, usize> {
    let mut found = BTreeMap::new();
    let mut count = |name: String| *found.entry(name).or_default() += 1;
    for line in text.lines().filter(|line| !line.contains("no longer available")) {
        for marked in line.split(MARK_OPEN).skip(1) {
            let (name, _) = marked.split_once(MARK_CLOSE).unwrap().0.split_once(" #").unwrap();
            count(name.to_string());
        }
        if line.starts_with("New tool namespaces") || line.starts_with("The following namespace inventories")
        {
            line.split('`').skip(1).step_by(2).for_each(|name| count(format!("server {name}")));
        }
        if let Some((name, _)) = line.strip_prefix("- ").and_then(|rest| rest.split_once(" (")) {
            count(format!("server {name}"));
        }
    }
    found
}

/// A list of tools, and what is said of it.
struct Listed {
    is_complete: bool,
    lines: usize,
}

fn lists(text: &str) -> Vec<Listed> {
    let parts: Vec<&str> = text.split("\n\n").collect();
    let headings = parts.iter().enumerate().filter(|(_, part)| part.starts_with("## Available tools"));
    headings
        .map(|(at, heading)| {
            let before = at.checked_sub(1).map_or("", |at| parts[at]);
            let is_list = |part: &&&str| part.starts_with("- ");
            Listed {
                is_complete: heading.contains("COMPLETE") || before.contains(" is complete."),
                lines: parts.get(at + 1).filter(is_list).map_or(0, |list| list.lines().count()),
            }
        })
        .collect()
}
