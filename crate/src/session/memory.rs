//! What was decided before, so that the request's beginning stays the same and the provider's cache holds.
//!
//! A memory belongs to a session, or with `decision_scope: "prompt"` to one prompt of it. Within it, what was
//! shown once stays shown, and what was hidden is asked about again only for a new prompt. It ends when the
//! history is compacted: the baseline text is another one then, and the cache is lost anyway.
//!
//! What is shown later than first decided stands where OpenCode lists it, or, where that would cost too much
//! ([`super::reveal`]), in a message of ours; then it stays cut from all that stands before that message.

use arcstr::Substr;

use crate::candidates::{Candidates, Server, Skill, Tool};
use crate::hash::{FxHashMap, FxHashSet};
use crate::opencode::catalog::Addition;
use crate::opencode::messages::Used;
use crate::policy::{Answer, Answers, Decision, Reason, Verdict};

/// What was decided in a session, or for one prompt of it.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    baseline: u64,
    /// The prompt that was last decided on.
    pub prompt: String,
    /// What was decided on, by fingerprint.
    decided: FxHashMap<u64, Decided>,
    shown: FxHashSet<CandidateName>,
    /// What was hidden and is not shown since, whether it is available now or not: where its text was cut it
    /// stays cut, since the request's beginning must not change when a server goes.
    hidden: CandidateNames,
    /// Namespaces that were shown when none of their tools was known: all their tools were shown.
    shown_whole: FxHashSet<Substr>,
    /// Names of hidden candidates that were used all the same, and were reported.
    missed: FxHashSet<String>,
    /// Another number after every change.
    pub version: u64,
    /// How many restatements of each list at the beginning of the history are cut down to nothing.
    pub cut: RestatementCount,
    /// What was shown by messages of ours, in their order.
    pub announced: Vec<Announced>,
    /// Tools that OpenCode's sample left out and that were added to its lists.
    pub added: Vec<AddedTool>,
    /// Whether what was sent before was changed for the prompt that was last decided on.
    pub has_changed: bool,
    /// The request's own tools as they were last; where they changed the cache is lost anyway.
    pub native: u64,
    /// The list that OpenCode renders anew for every request, as it was last.
    pub rendered_anew: u64,
    /// Whether what cannot be announced is shown, whatever is decided.
    pub shows_all: bool,
    /// How many full catalogs the last request stated.
    pub catalogs: usize,
}

/// A message of ours.
#[derive(Clone, Debug, PartialEq)]
pub struct Announced {
    /// The id of the prompt's message in front of which it stands.
    pub before: String,
    /// What it shows; this is cut from all that stands in front of it.
    pub names: Vec<CandidateName>,
    /// Tools that OpenCode's sample left out; they are added to the lists that are stated later.
    pub added: Vec<AddedTool>,
    /// Its text, in OpenCode's own words for additions.
    pub text: String,
}

/// A tool added to OpenCode's lists.
#[derive(Clone, Debug, PartialEq)]
pub struct AddedTool {
    /// The first of the full catalogs, counted from 0, to which it is added.
    pub since: usize,
    /// Its entry.
    pub addition: Addition,
}

#[derive(Clone, Copy, Debug)]
struct Decided {
    verdict: Verdict,
    score: Option<f64>,
}

/// Restatements of the catalog, the instructions and the skills.
pub type RestatementCount = [usize; 3];

/// A candidate, by the names under which texts speak of it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum CandidateName {
    /// An MCP server, by its namespace.
    Server(Substr),
    /// A tool, by its namespace and its name in it.
    Tool(Substr, Substr),
    /// A skill, by its id.
    Skill(Substr),
}

impl CandidateName {
    /// That of a tool.
    pub fn tool(server: &Server, tool: &Tool) -> CandidateName {
        CandidateName::Tool(server.namespace.clone(), tool.name.clone())
    }
}

/// A set of candidates, by the names under which texts speak of them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CandidateNames {
    /// Namespaces.
    pub servers: FxHashSet<Substr>,
    /// Names of tools, by namespace.
    pub tools: FxHashMap<Substr, FxHashSet<Substr>>,
    /// Ids.
    pub skills: FxHashSet<Substr>,
}

impl CandidateNames {
    /// Puts one in.
    pub fn insert(&mut self, name: CandidateName) {
        match name {
            CandidateName::Server(namespace) => drop(self.servers.insert(namespace)),
            CandidateName::Tool(namespace, tool) => {
                self.tools.entry(namespace).or_default().insert(tool);
            }
            CandidateName::Skill(id) => drop(self.skills.insert(id)),
        }
    }

    /// Takes one out, if it is there.
    pub fn remove(&mut self, name: &CandidateName) {
        match name {
            CandidateName::Server(namespace) => drop(self.servers.remove(namespace.as_str())),
            CandidateName::Skill(id) => drop(self.skills.remove(id.as_str())),
            CandidateName::Tool(namespace, tool) => {
                let Some(tools) = self.tools.get_mut(namespace.as_str()) else { return };
                tools.remove(tool.as_str());
                if tools.is_empty() {
                    self.tools.remove(namespace.as_str());
                }
            }
        }
    }

    /// Whether one is there; a tool is not there by its server alone.
    pub fn contains(&self, name: &CandidateName) -> bool {
        match name {
            CandidateName::Server(namespace) => self.servers.contains(namespace.as_str()),
            CandidateName::Tool(namespace, tool) => self.has_tool(namespace, tool),
            CandidateName::Skill(id) => self.skills.contains(id.as_str()),
        }
    }

    /// The same for a tool, without a name of its own.
    pub fn has_tool(&self, namespace: &str, tool: &str) -> bool {
        self.tools.get(namespace).is_some_and(|tools| tools.contains(tool))
    }

    /// Whether none is there.
    pub fn is_empty(&self) -> bool {
        self.servers.is_empty() && self.tools.is_empty() && self.skills.is_empty()
    }

    /// The sanitised names of servers with a tool of theirs, or without one for a server of which no tool is
    /// named; in no order.
    pub(crate) fn tool_names(&self) -> impl Iterator<Item = (&str, Option<&str>)> {
        let whole = self.servers.iter().filter(|server| !self.tools.contains_key(*server));
        let tools =
            self.tools.iter().flat_map(|(server, tools)| tools.iter().map(move |tool| (server, tool)));
        let whole = whole.map(|server| (server.as_str(), None));
        whole.chain(tools.map(|(server, tool)| (server.as_str(), Some(tool.as_str()))))
    }
}

/// A hidden tool or skill that the model used all the same.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Missed {
    /// `server.tool`, or the id of a skill.
    pub name: String,
    /// Its last score, if it was asked about.
    pub score: Option<f64>,
    /// The score that would have been enough.
    pub threshold: f64,
}

/// How far a memory answers for a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recall {
    /// The same prompt again: what was decided on stands.
    SamePrompt,
    /// A new prompt: what is shown stands, what is hidden is open.
    NewPrompt,
    /// Nothing may be asked: what was decided on stands, and what was not stays open.
    Everything,
}

impl Memory {
    /// An empty one. `baseline` stands for the lists with which the session begins.
    pub fn new(baseline: u64) -> Memory {
        Memory { baseline, ..Memory::default() }
    }

    /// Whether it is good for a session that begins with these lists.
    pub fn is_of(&self, baseline: u64) -> bool {
        self.baseline == baseline
    }

    /// Whether nothing was decided yet.
    pub fn is_empty(&self) -> bool {
        self.decided.is_empty()
    }

    /// Whether everything was decided on before; the tools of a hidden server are with it.
    pub fn covers(&self, candidates: &Candidates) -> bool {
        let knows = |fingerprint: u64| self.decided.contains_key(&fingerprint);
        let is_shown =
            |server: &Server| self.shown.contains(&CandidateName::Server(server.namespace.clone()));
        let covers_tools = |server: &Server| {
            server.tools.iter().all(|tool| !tool.is_listed || knows(tool.fingerprint(server)))
        };
        candidates
            .servers
            .iter()
            .all(|server| knows(server.fingerprint()) && (!is_shown(server) || covers_tools(server)))
            && candidates.skills.iter().all(|skill| knows(skill.fingerprint()))
    }

    /// The answers that are known without asking.
    pub fn answers(&self, candidates: &Candidates, recall: Recall) -> Answers {
        if self.is_empty() {
            let not_asked = |count: usize| vec![Answer::NotAsked; count];
            return Answers {
                servers: not_asked(candidates.servers.len()),
                tools: candidates.servers.iter().map(|server| not_asked(server.tools.len())).collect(),
                skills: not_asked(candidates.skills.len()),
            };
        }
        let stands = |what: CandidateName, fingerprint: u64| {
            let decided = self.decided.get(&fingerprint);
            let score = decided.and_then(|decided| decided.score);
            match (recall, self.shown.contains(&what), decided) {
                (Recall::SamePrompt, shown, Some(decided)) if decided.verdict.kept == shown => {
                    Answer::Remembered { verdict: decided.verdict, score }
                }
                (_, true, _) => Answer::Remembered { verdict: Verdict::keep(Reason::ShownBefore), score },
                (Recall::Everything, ..) if self.hidden.contains(&what) => {
                    Answer::Remembered { verdict: Verdict::prune(Reason::HiddenBefore), score }
                }
                (Recall::NewPrompt, ..) | (_, _, None) => Answer::NotAsked,
                _ => Answer::Remembered { verdict: Verdict::prune(Reason::HiddenBefore), score },
            }
        };
        let servers = candidates.servers.iter();
        let is_only = servers.len() == 1;
        Answers {
            servers: servers
                .clone()
                .map(|server| {
                    match stands(CandidateName::Server(server.namespace.clone()), server.fingerprint()) {
                        // The only server is not asked about, and here no tool could answer for it.
                        Answer::NotAsked if is_only && self.hides_without_tools(server) => {
                            Answer::Remembered { verdict: Verdict::prune(Reason::HiddenBefore), score: None }
                        }
                        answer => answer,
                    }
                })
                .collect(),
            tools: servers
                .map(|server| {
                    let tools = server.tools.iter();
                    tools
                        .map(|tool| {
                            match stands(CandidateName::tool(server, tool), tool.fingerprint(server)) {
                                Answer::NotAsked if self.shown_whole.contains(&server.namespace) => {
                                    Answer::Remembered {
                                        verdict: Verdict::keep(Reason::ShownBefore),
                                        score: None,
                                    }
                                }
                                answer => answer,
                            }
                        })
                        .collect()
                })
                .collect(),
            skills: candidates
                .skills
                .iter()
                .map(|skill| stands(CandidateName::Skill(skill.id.clone()), skill.fingerprint()))
                .collect(),
        }
    }

    fn hides_without_tools(&self, server: &Server) -> bool {
        let is_hidden = self.hides(&CandidateName::Server(server.namespace.clone()));
        is_hidden && !server.tools.iter().any(|tool| tool.is_listed)
    }

    /// Whether something is hidden wherever it stands.
    pub fn hides(&self, name: &CandidateName) -> bool {
        self.hidden.contains(name)
    }

    /// Whether a tool that OpenCode's sample left out was added.
    pub fn has_added(&self, name: &CandidateName) -> bool {
        let is_it = |added: &AddedTool| {
            matches!(name, CandidateName::Tool(namespace, tool)
                if *namespace == added.addition.namespace && *tool == added.addition.tool)
        };
        self.all_added().any(is_it)
    }

    /// Everything that was added to lists.
    pub fn all_added(&self) -> impl Iterator<Item = &AddedTool> {
        self.added.iter().chain(self.announced.iter().flat_map(|announced| &announced.added))
    }

    /// From now on everything stands where OpenCode lists it; `newest` is the newest of the full catalogs.
    pub fn put_in_place(&mut self, newest: usize) {
        for announced in std::mem::take(&mut self.announced) {
            let added = announced.added.into_iter();
            self.added.extend(added.map(|added| AddedTool { since: added.since.min(newest), ..added }));
        }
    }

    /// The same, but for what a person took back with prompts: messages of ours that are gone, and additions to
    /// lists that are. What they showed is hidden again, and open for whatever prompt comes, were it the same
    /// one once more. Nothing if nothing was taken back.
    pub fn without_lost(&self, is_there: impl Fn(&Announced) -> bool, catalogs: usize) -> Option<Memory> {
        // The first list is no prompt's, so it is never taken back.
        let is_listed = |added: &AddedTool| added.since < catalogs.max(1);
        if self.announced.iter().all(&is_there) && self.added.iter().all(is_listed) {
            return None;
        }
        let mut memory = Memory { prompt: String::new(), ..self.clone() };
        let (announced, lost): (Vec<_>, Vec<_>) =
            std::mem::take(&mut memory.announced).into_iter().partition(is_there);
        memory.announced = announced;
        let (added, mut taken_back): (Vec<_>, Vec<_>) =
            std::mem::take(&mut memory.added).into_iter().partition(is_listed);
        memory.added = added;
        taken_back.extend(lost.iter().flat_map(|announced| announced.added.iter().cloned()));
        for AddedTool { addition, .. } in taken_back {
            memory.shown.remove(&CandidateName::Tool(addition.namespace, addition.tool));
        }
        for name in lost.into_iter().flat_map(|announced| announced.names) {
            memory.shown.remove(&name);
            memory.hidden.insert(name);
        }
        Some(memory)
    }

    /// Takes over a decision.
    pub fn note(&mut self, candidates: &Candidates, answers: &Answers, decision: &Decision) {
        self.decided.reserve(candidates.count());
        for (at, server) in candidates.servers.iter().enumerate() {
            let verdict = decision.servers.get(at).copied();
            self.decide(
                CandidateName::Server(server.namespace.clone()),
                server.fingerprint(),
                answers.server(at),
                verdict,
            );
            let is_kept = verdict.is_some_and(|verdict| verdict.kept);
            if is_kept && server.has_unseen_tools && server.tools.is_empty() {
                self.shown_whole.insert(server.namespace.clone());
            }
            for (place, tool) in server.tools.iter().enumerate() {
                let verdict = decision.tools.get(at).and_then(|tools| tools.get(place)).copied();
                let answer = answers.tool(at, place);
                self.decide(CandidateName::tool(server, tool), tool.fingerprint(server), answer, verdict);
            }
        }
        for (at, skill) in candidates.skills.iter().enumerate() {
            let verdict = decision.skills.get(at).copied();
            self.decide(
                CandidateName::Skill(skill.id.clone()),
                skill.fingerprint(),
                answers.skill(at),
                verdict,
            );
        }
    }

    fn decide(&mut self, what: CandidateName, fingerprint: u64, answer: Answer, verdict: Option<Verdict>) {
        let Some(verdict) = verdict else { return };
        self.decided.insert(fingerprint, Decided { verdict, score: answer.score() });
        if verdict.kept {
            self.hidden.remove(&what);
            self.shown.insert(what);
        } else if !verdict.reason.is_of_unlisted() {
            self.hidden.insert(what);
        }
    }

    /// The names of everything that is hidden.
    pub fn hidden(&self) -> &CandidateNames {
        &self.hidden
    }

    /// What is missing from OpenCode's lists: what is hidden, and what announcements tell of.
    pub fn missing(&self) -> CandidateNames {
        let mut missing = self.hidden.clone();
        let announced = self.announced.iter().flat_map(|announced| &announced.names);
        announced.for_each(|name| missing.insert(name.clone()));
        missing
    }

    /// What was hidden and is used now, and was not reported yet.
    pub fn missed(&self, candidates: &Candidates, used: &Used, threshold: f64) -> Vec<Missed> {
        if self.is_empty() {
            return Vec::new();
        }
        let look = |what: CandidateName, name: String, fingerprint: u64| {
            let Decided { score, .. } = self.decided.get(&fingerprint)?;
            let is_new = !self.shown.contains(&what) && !self.missed.contains(&name);
            is_new.then_some(Missed { name, score: *score, threshold })
        };
        let mut missed = Vec::new();
        for server in &candidates.servers {
            for tool in &server.tools {
                if used.has_tool(&server.namespace, &tool.name, &tool.id) {
                    let name = format!("{}.{}", server.name(), tool.name);
                    missed.extend(look(CandidateName::tool(server, tool), name, tool.fingerprint(server)));
                }
            }
        }
        let is_used = |skill: &&Skill| used.has_skill(&skill.id, &skill.name);
        for skill in candidates.skills.iter().filter(is_used) {
            missed.extend(look(
                CandidateName::Skill(skill.id.clone()),
                skill.id.to_string(),
                skill.fingerprint(),
            ));
        }
        missed
    }

    /// Takes note that these were reported.
    pub fn note_missed(&mut self, missed: &[Missed]) {
        self.missed.extend(missed.iter().map(|missed| missed.name.clone()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidates(skills: &[(&str, &str)]) -> Candidates {
        let skill = |(id, text): &(&str, &str)| Skill {
            id: (*id).into(),
            description: Some((*text).into()),
            ..Skill::default()
        };
        Candidates { skills: skills.iter().map(skill).collect(), ..Candidates::default() }
    }

    fn decision(kept: &[bool]) -> Decision {
        let verdict = |&kept: &bool| Verdict { kept, reason: Reason::Passed };
        Decision { skills: kept.iter().map(verdict).collect(), ..Decision::default() }
    }

    fn answers(scores: &[f64]) -> Answers {
        Answers { skills: scores.iter().map(|&score| Answer::Score(score)).collect(), ..Answers::default() }
    }

    fn decided_on(set: &Candidates) -> Memory {
        let mut memory = Memory::new(1);
        memory.note(set, &answers(&[0.9, 0.1]), &decision(&[true, false]));
        memory
    }

    #[test]
    fn for_the_same_prompt_everything_stands() {
        let set = candidates(&[("a", ""), ("b", "")]);
        assert_eq!(
            decided_on(&set).answers(&set, Recall::SamePrompt).skills,
            [
                Answer::Remembered { verdict: Verdict::keep(Reason::Passed), score: Some(0.9) },
                Answer::Remembered { verdict: Verdict::prune(Reason::Passed), score: Some(0.1) }
            ]
        );
    }

    #[test]
    fn for_a_new_prompt_only_what_is_shown_stands() {
        let set = candidates(&[("a", ""), ("b", "")]);
        assert_eq!(
            decided_on(&set).answers(&set, Recall::NewPrompt).skills,
            [
                Answer::Remembered { verdict: Verdict::keep(Reason::ShownBefore), score: Some(0.9) },
                Answer::NotAsked
            ]
        );
    }

    #[test]
    fn the_only_server_stays_hidden_where_no_tool_can_answer_for_it() {
        let set = |tools: Vec<Tool>| Candidates {
            servers: vec![Server { namespace: "a".into(), tools, ..Server::default() }],
            ..Candidates::default()
        };
        let rejected =
            Decision { servers: vec![Verdict::prune(Reason::Phase1Rejected)], ..Decision::default() };
        let mut memory = Memory::new(1);
        memory.note(&set(vec![]), &Answers::default(), &rejected);
        let stands = Answer::Remembered { verdict: Verdict::prune(Reason::HiddenBefore), score: None };
        assert_eq!(memory.answers(&set(vec![]), Recall::NewPrompt).servers, [stands]);
        let listed = set(vec![Tool { name: "x".into(), is_listed: true, ..Tool::default() }]);
        assert_eq!(memory.answers(&listed, Recall::NewPrompt).servers, [Answer::NotAsked]);
    }

    #[test]
    fn what_is_new_or_has_another_text_is_open() {
        let memory = decided_on(&candidates(&[("a", ""), ("b", "")]));
        let now = candidates(&[("a", "other words"), ("b", "other words"), ("c", "")]);
        assert_eq!(
            memory.answers(&now, Recall::SamePrompt).skills,
            [
                Answer::Remembered { verdict: Verdict::keep(Reason::ShownBefore), score: None },
                Answer::NotAsked,
                Answer::NotAsked,
            ]
        );
        assert!(!memory.covers(&now));
    }

    #[test]
    fn what_is_hidden_is_known_by_name_until_it_is_shown() {
        let set = candidates(&[("a", ""), ("b", "")]);
        let mut memory = decided_on(&set);
        assert_eq!(memory.hidden().skills, FxHashSet::from_iter(["b".into()]));
        memory.note(&set, &answers(&[0.9, 0.9]), &decision(&[true, true]));
        assert!(memory.hidden().is_empty());
    }

    #[test]
    fn tools_that_were_shown_unseen_stay_shown_when_they_are_learned_of() {
        let server = |tools: Vec<Tool>| Candidates {
            servers: vec![Server {
                namespace: "a".into(),
                has_unseen_tools: true,
                tools,
                ..Server::default()
            }],
            ..Candidates::default()
        };
        let kept = Decision {
            servers: vec![Verdict::keep(Reason::Phase1Passed)],
            tools: vec![vec![]],
            ..Decision::default()
        };
        let mut memory = Memory::new(1);
        memory.note(&server(vec![]), &Answers::default(), &kept);
        let learned = server(vec![Tool { name: "x".into(), is_listed: true, ..Tool::default() }]);
        let stands = Answer::Remembered { verdict: Verdict::keep(Reason::ShownBefore), score: None };
        assert_eq!(memory.answers(&learned, Recall::NewPrompt).tools, [[stands]]);
    }

    #[test]
    fn a_hidden_thing_that_is_used_is_told_once() {
        let set = candidates(&[("a", ""), ("b", "")]);
        let mut memory = decided_on(&set);
        let used =
            Used { skills: FxHashSet::from_iter(["a".to_string(), "b".to_string()]), ..Used::default() };
        let missed = [Missed { name: "b".into(), score: Some(0.1), threshold: 0.55 }];
        assert_eq!(memory.missed(&set, &used, 0.55), missed);
        memory.note_missed(&missed);
        assert!(memory.missed(&set, &used, 0.55).is_empty());
    }
}
