//! The order of the stages: a state machine without I/O and without a clock.
//!
//! ```text
//! begin ──► Skip                                  leave the request alone
//!       ──► Decided(turn, answers)                known from the cache, or nothing to ask
//!       ──► Join(turn)                            the same question is under way: wait for its outcome
//!       ──► Ask(run, requests) ──► answer ──► Ask | Done(answers) | Failed(errors)
//! turn.finish(answers) ──► plan and report
//! ```
//!
//! A driver sends the requests, all of one step at once, and hands their replies back in the same order.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use crate::candidates::{fingerprint_of, Candidates, Inventory, NativeTool, ReadText, Scope};
use crate::decide::cache::{Cache, Key};
use crate::decide::judge;
use crate::decide::rules::Rules;
use crate::decide::{Answer, Answers};
use crate::host::messages::{called_tools, newest_prompt, Conversation};
use crate::host::text::cut;
use crate::host::UnreadSection;
use crate::jev::pack::pack;
use crate::jev::questions::{about_server, about_skill, about_tool, Question};
use crate::jev::wire::{self, Reply};
use crate::options::Options;
use crate::plan::Plan;
use crate::report::{Report, RequestError, Skipped};

const MAX_CACHED_ANSWERS: usize = 500;
const MAX_REMEMBERED_PROMPTS: usize = 1_000;
const MAX_CANDIDATE_SETS: usize = 64;

/// A configuration with what is derived from it.
#[derive(Debug)]
pub struct Settings {
    pub options: Options,
    rules: Rules,
    fingerprint: u64,
}

impl Settings {
    pub fn new(options: Options) -> Rc<Settings> {
        let (rules, fingerprint) = (Rules::new(&options), options.fingerprint());
        Rc::new(Settings { options, rules, fingerprint })
    }

    fn scope(&self) -> Scope {
        Scope { mcp_tools: self.options.prune_mcp_tools, skills: self.options.prune_skills }
    }
}

/// One request that OpenCode is about to send.
pub struct Request<'a> {
    pub session: String,
    /// Every text that may hold one of the host's lists.
    pub texts: Vec<Rc<ReadText>>,
    pub native: Vec<NativeTool>,
    pub inventory: Rc<Inventory>,
    pub conversation: &'a dyn Conversation,
}

/// What was found out about a request, and is needed to finish it.
#[derive(Debug)]
pub struct Turn {
    settings: Rc<Settings>,
    texts: Vec<Rc<ReadText>>,
    /// The size of each native tool's definition, by name.
    native_chars: HashMap<String, i64>,
    candidates: Rc<Candidates>,
    used: HashSet<String>,
    key: Key,
}

/// A request to send to Jev.
#[derive(Debug)]
pub struct Ask {
    pub body: String,
    /// Which one it is, for a person.
    pub label: String,
}

pub enum Begin {
    Skip(Skipped),
    Decided(Box<Turn>, Rc<Answers>),
    Join(Box<Turn>),
    Ask(Box<Run>, Vec<Ask>),
}

pub enum Step {
    Ask(Box<Run>, Vec<Ask>),
    Done(Box<Turn>, Rc<Answers>),
    Failed(Box<Turn>, Rc<Vec<RequestError>>),
}

/// What is remembered from one request to the next.
#[derive(Debug)]
pub struct Pruner {
    answers: Cache<Key, Rc<Answers>>,
    prompts: Cache<String, String>,
    candidates: Cache<u64, Rc<Candidates>>,
    under_way: HashSet<Key>,
    cooling_until: HashMap<String, f64>,
}

impl Default for Pruner {
    fn default() -> Self {
        Pruner {
            answers: Cache::new(MAX_CACHED_ANSWERS),
            prompts: Cache::new(MAX_REMEMBERED_PROMPTS),
            candidates: Cache::new(MAX_CANDIDATE_SETS),
            under_way: HashSet::new(),
            cooling_until: HashMap::new(),
        }
    }
}

impl Pruner {
    /// Remembers what the person typed, as it is admitted; skill texts and attachments come to it later.
    pub fn remember_prompt(&mut self, message_id: String, text: String, now_ms: f64) {
        self.prompts.put(message_id, text, now_ms);
    }

    pub fn begin(&mut self, request: Request, settings: &Rc<Settings>, now_ms: f64) -> Begin {
        let remembered = |id: &str| self.prompts.get(&id.to_string(), now_ms, f64::INFINITY).cloned();
        let Some(prompt) = newest_prompt(request.conversation, remembered) else {
            return Begin::Skip(Skipped::NoPrompt);
        };
        let candidates = self.collect(&request, settings.scope(), now_ms);
        if candidates.is_empty() {
            return Begin::Skip(Skipped::NoCandidates);
        }
        let key = Key {
            session: request.session,
            prompt,
            candidates: candidates.fingerprint,
            options: settings.fingerprint,
        };
        let turn = Turn {
            settings: settings.clone(),
            texts: request.texts,
            native_chars: request.native.into_iter().map(|tool| (tool.name, tool.chars)).collect(),
            candidates,
            used: called_tools(request.conversation).into_iter().collect(),
            key,
        };
        if let Some(answers) = self.answers.get(&turn.key, now_ms, settings.options.cache_ttl_ms).cloned() {
            return Begin::Decided(Box::new(turn), answers);
        }
        if self.under_way.contains(&turn.key) {
            return Begin::Join(Box::new(turn));
        }
        if self.cooling_until.get(&settings.options.jev_endpoint).is_some_and(|&until| now_ms < until) {
            return Begin::Skip(Skipped::Cooldown);
        }
        match Run::start(turn) {
            Ok((run, asks)) => {
                self.under_way.insert(run.turn.key.clone());
                Begin::Ask(run, asks)
            }
            Err(turn) => Begin::Decided(turn, Rc::default()),
        }
    }

    /// Takes the replies to the requests of the last step, in their order.
    pub fn answer(&mut self, run: Run, replies: &[Reply], now_ms: f64) -> Step {
        match run.answer(replies) {
            Ok(Next::Ask(run, asks)) => Step::Ask(run, asks),
            Ok(Next::Done(turn, answers)) => {
                let answers = Rc::new(answers);
                self.under_way.remove(&turn.key);
                if turn.settings.options.cache_ttl_ms > 0.0 {
                    self.answers.put(turn.key.clone(), answers.clone(), now_ms);
                }
                Step::Done(turn, answers)
            }
            Err((turn, errors)) => {
                self.under_way.remove(&turn.key);
                let options = &turn.settings.options;
                if options.failure_cooldown_ms > 0.0 {
                    self.cooling_until
                        .insert(options.jev_endpoint.clone(), now_ms + options.failure_cooldown_ms);
                }
                Step::Failed(turn, Rc::new(errors))
            }
        }
    }

    fn collect(&mut self, request: &Request, scope: Scope, now_ms: f64) -> Rc<Candidates> {
        let texts: Vec<u64> = request.texts.iter().map(|text| text.fingerprint).collect();
        let key = fingerprint_of(&(texts, &request.native, request.inventory.fingerprint(), scope));
        if let Some(known) = self.candidates.get(&key, now_ms, f64::INFINITY) {
            return known.clone();
        }
        let candidates =
            Rc::new(Candidates::collect(&request.texts, &request.native, &request.inventory, scope));
        self.candidates.put(key, candidates.clone(), now_ms);
        candidates
    }
}

/// Questions under way for one turn.
pub struct Run {
    turn: Turn,
    answers: Answers,
    phase: Phase,
    asked: Vec<Vec<Asked>>,
    state: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Servers,
    ToolsAndSkills,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Subject {
    Server(usize),
    Tool(usize, usize),
    Skill(usize),
}

struct Asked {
    id: String,
    subject: Subject,
}

enum Next {
    Ask(Box<Run>, Vec<Ask>),
    Done(Box<Turn>, Answers),
}

impl Run {
    pub fn key(&self) -> &Key {
        &self.turn.key
    }

    /// How many questions the requests of this step hold.
    pub fn questions(&self) -> usize {
        self.asked.iter().map(Vec::len).sum()
    }

    /// The first requests of a turn; the turn itself if there is nothing to ask.
    fn start(turn: Turn) -> Result<(Box<Run>, Vec<Ask>), Box<Turn>> {
        let candidates = &turn.candidates;
        let answers = Answers {
            servers: vec![Answer::NotAsked; candidates.servers.len()],
            tools: candidates
                .servers
                .iter()
                .map(|server| vec![Answer::NotAsked; server.tools.len()])
                .collect(),
            skills: vec![Answer::NotAsked; candidates.skills.len()],
        };
        let state = cut(&turn.key.prompt, turn.settings.options.max_prompt_chars).to_string();
        let mut run = Box::new(Run { turn, answers, phase: Phase::Servers, asked: Vec::new(), state });
        let servers = judge::to_ask_first(&run.turn.candidates, &run.turn.settings.rules);
        let mut asks = run.put(servers.into_iter().map(Subject::Server).collect());
        if asks.is_empty() {
            asks = run.put_next();
        }
        if asks.is_empty() {
            return Err(Box::new(run.turn));
        }
        Ok((run, asks))
    }

    fn answer(mut self, replies: &[Reply]) -> Result<Next, (Box<Turn>, Vec<RequestError>)> {
        let mut errors = Vec::new();
        let asked = std::mem::take(&mut self.asked);
        let requests = asked.len();
        for (at, asked) in asked.iter().enumerate() {
            let ids: Vec<&str> = asked.iter().map(|asked| asked.id.as_str()).collect();
            match wire::answers(replies.get(at), &ids) {
                Ok(answers) => {
                    asked.iter().zip(answers).for_each(|(asked, answer)| self.note(asked.subject, answer))
                }
                Err(failure) => errors.push(RequestError {
                    request: self.phase.label(at, requests),
                    what: failure.kind,
                    message: failure.message,
                }),
            }
        }
        if !errors.is_empty() {
            return Err((Box::new(self.turn), errors));
        }
        let asks = match self.phase {
            Phase::Servers => self.put_next(),
            Phase::ToolsAndSkills => Vec::new(),
        };
        if asks.is_empty() {
            return Ok(Next::Done(Box::new(self.turn), self.answers));
        }
        Ok(Next::Ask(Box::new(self), asks))
    }

    fn note(&mut self, subject: Subject, answer: Answer) {
        let place = match subject {
            Subject::Server(at) => self.answers.servers.get_mut(at),
            Subject::Tool(server, at) => {
                self.answers.tools.get_mut(server).and_then(|tools| tools.get_mut(at))
            }
            Subject::Skill(at) => self.answers.skills.get_mut(at),
        };
        if let Some(place) = place {
            *place = answer;
        }
    }

    fn put_next(&mut self) -> Vec<Ask> {
        self.phase = Phase::ToolsAndSkills;
        let (tools, skills) =
            judge::to_ask_next(&self.turn.candidates, &self.answers, &self.turn.settings.rules);
        let tools = tools.into_iter().map(|(server, tool)| Subject::Tool(server, tool));
        self.put(tools.chain(skills.into_iter().map(Subject::Skill)).collect())
    }

    /// Packs questions about these subjects into requests.
    fn put(&mut self, subjects: Vec<Subject>) -> Vec<Ask> {
        let options = &self.turn.settings.options;
        let mut tools_before = 0;
        let questions = subjects
            .iter()
            .map(|&subject| {
                tools_before += usize::from(matches!(subject, Subject::Tool(..)));
                self.word(subject, tools_before)
            })
            .collect();
        let groups = pack(questions, self.state.chars().count(), options.max_questions_per_request);
        let mut subjects = subjects.into_iter();
        let requests = groups.len();
        let mut asks = Vec::with_capacity(requests);
        for (at, group) in groups.iter().enumerate() {
            asks.push(Ask {
                body: wire::body(&options.jev_model, &self.state, group),
                label: self.phase.label(at, requests),
            });
            let ids = group.iter().map(|question| question.id.clone());
            self.asked.push(ids.zip(subjects.by_ref()).map(|(id, subject)| Asked { id, subject }).collect());
        }
        asks
    }

    fn word(&self, subject: Subject, tools_before: usize) -> Question {
        let Candidates { servers, skills, .. } = &*self.turn.candidates;
        let max_chars = self.turn.settings.options.max_description_chars;
        match subject {
            Subject::Server(at) => about_server(at, &servers[at], max_chars),
            Subject::Tool(server, at) => {
                about_tool(tools_before - 1, &servers[server], &servers[server].tools[at], max_chars)
            }
            Subject::Skill(at) => about_skill(at, &skills[at], max_chars),
        }
    }
}

impl Phase {
    fn label(self, at: usize, requests: usize) -> String {
        let phase = match self {
            Phase::Servers => 1,
            Phase::ToolsAndSkills => 2,
        };
        format!("phase {phase}, request {} of {requests}", at + 1)
    }
}

impl Turn {
    pub fn key(&self) -> &Key {
        &self.key
    }

    /// The plan for this request, and the report of it.
    pub fn finish(&self, answers: &Answers) -> (Plan, Report) {
        let decision = judge::decide(&self.candidates, answers, &self.settings.rules, &self.used);
        let plan = Plan::make(&self.texts, &self.candidates, &decision);
        let mut report = self.report();
        report.tell(&self.candidates, answers, &decision);
        report.tell_removed(&plan);
        let before = self.chars_before();
        report.stats.set_sizes(before, before - self.chars_saved(&plan));
        (plan, report)
    }

    /// The report of a request that was left alone because Jev failed.
    pub fn fail(&self, errors: &[RequestError]) -> Report {
        let mut report = self.report();
        report.errors = errors.to_vec();
        report.stats.set_sizes(self.chars_before(), self.chars_before());
        report
    }

    /// The size of everything that holds candidates.
    fn chars_before(&self) -> i64 {
        let texts = self.texts.iter().filter(|text| !text.reading.sections.is_empty()).map(|text| text.chars);
        let tools = self.candidates.servers.iter().flat_map(|server| &server.tools);
        texts.sum::<i64>() + tools.map(|tool| self.native_chars(&tool.id)).sum::<i64>()
    }

    fn chars_saved(&self, plan: &Plan) -> i64 {
        let texts = self.texts.iter().enumerate().map(|(at, text)| plan.chars_saved(at, &text.text));
        texts.sum::<i64>() + plan.tools.iter().map(|name| self.native_chars(name)).sum::<i64>()
    }

    fn native_chars(&self, name: &str) -> i64 {
        self.native_chars.get(name).copied().unwrap_or_default()
    }

    fn report(&self) -> Report {
        Report { session: self.key.session.clone(), unread: unread(&self.texts), ..Report::default() }
    }
}

/// The sections of these texts that could not be read.
pub fn unread(texts: &[Rc<ReadText>]) -> Vec<UnreadSection> {
    texts.iter().flat_map(|text| text.reading.unread.clone()).collect()
}
