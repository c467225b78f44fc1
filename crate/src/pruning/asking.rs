//! The questions under way for one request: which are put in which phase, what became of them, and whether a
//! request that failed is tried once more. It has a deadline, and no clock: whoever drives it tells the time.

use std::rc::Rc;

use crate::candidates::{Candidates, Tool};
use crate::hash::fingerprint_of;
use crate::jev::pack::pack;
use crate::jev::questions::{about_server, about_skill, about_tool, Question};
use crate::jev::wire::{self, Failure, Reply};
use crate::options::discovery::ToolNotes;
use crate::options::Options;
use crate::policy::{servers_to_ask, tools_and_skills_to_ask, Answer, Answers};
use crate::report::RequestError;
use crate::request::facts::Facts;
use crate::request::Settings;
use crate::text::cut;

/// A request to send to Jev.
#[derive(Clone, Debug)]
pub struct Ask {
    /// Shared, since it is long and kept for a retry.
    pub body: Rc<String>,
    /// Which one it is, for a person.
    pub label: String,
    /// How long to wait before it is sent.
    pub delay_ms: f64,
    /// How long it may take.
    pub timeout_ms: f64,
    /// How many questions it holds.
    pub questions: usize,
}

/// What comes after the replies of one step.
pub(crate) enum Next {
    Ask(Vec<Ask>),
    Done,
    Failed(Vec<RequestError>),
}

/// A retry waits at least this long, and up to 200 ms longer (`jev-api.md` §1: back off).
const RETRY_MS: f64 = 100.0;
const RETRY_SPREAD_MS: u64 = 200;

#[derive(Debug)]
pub(crate) struct Asking {
    candidates: Rc<Candidates>,
    answers: Answers,
    state: String,
    phase: Phase,
    under_way: Vec<Sent>,
    deadline_at_ms: f64,
    timeout_ms: f64,
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

#[derive(Debug)]
struct Sent {
    ask: Ask,
    /// The question's id and what it is about.
    about: Vec<(String, Subject)>,
    is_retry: bool,
}

impl Asking {
    /// `known` holds what need not be asked; the first requests come from [`Asking::start`].
    pub fn new(facts: &Facts, known: Answers, now_ms: f64) -> Asking {
        let options = &facts.settings.options;
        Asking {
            candidates: facts.candidates.clone(),
            answers: known,
            state: cut(&facts.question.prompt, options.max_prompt_chars).to_string(),
            phase: Phase::Servers,
            under_way: Vec::new(),
            deadline_at_ms: now_ms + options.deadline_ms(),
            timeout_ms: options.jev_timeout_ms,
        }
    }

    /// The first requests; none if there is nothing to ask.
    pub fn start(&mut self, settings: &Settings, now_ms: f64) -> Vec<Ask> {
        let servers = servers_to_ask(&self.candidates, &self.answers, &settings.rules);
        let asks = self.put(servers.into_iter().map(Subject::Server).collect(), settings, now_ms);
        if asks.is_empty() {
            return self.put_next(settings, now_ms);
        }
        asks
    }

    /// Takes the replies to the requests of the last step, in their order.
    pub fn answer(&mut self, replies: &[Reply], settings: &Settings, now_ms: f64) -> Next {
        let (mut again, mut errors) = (Vec::new(), Vec::new());
        for (at, sent) in std::mem::take(&mut self.under_way).into_iter().enumerate() {
            let ids: Vec<&str> = sent.about.iter().map(|(id, _)| id.as_str()).collect();
            match wire::answers(replies.get(at), &ids) {
                Ok(answers) => sent.about.iter().zip(answers).for_each(|((_, subject), noul)| {
                    self.note(*subject, noul.map_or(Answer::Missing, Answer::Score))
                }),
                Err(failure) => match self.retry(&sent, &failure, now_ms) {
                    Some(ask) => again.push(Sent { ask, is_retry: true, ..sent }),
                    None => errors.push(RequestError {
                        request: sent.ask.label,
                        what: failure.kind.as_str().to_string(),
                        message: failure.message,
                    }),
                },
            }
        }
        if !errors.is_empty() {
            return Next::Failed(errors);
        }
        self.under_way = again;
        if !self.under_way.is_empty() {
            return Next::Ask(self.under_way.iter().map(|sent| sent.ask.clone()).collect());
        }
        let asks = match self.phase {
            Phase::Servers => self.put_next(settings, now_ms),
            Phase::ToolsAndSkills => Vec::new(),
        };
        if asks.is_empty() {
            return Next::Done;
        }
        Next::Ask(asks)
    }

    pub fn into_answers(self) -> Answers {
        self.answers
    }

    /// The same request once more, if the failure may pass and the deadline leaves time for it.
    fn retry(&self, sent: &Sent, failure: &Failure, now_ms: f64) -> Option<Ask> {
        if sent.is_retry || !failure.may_pass {
            return None;
        }
        // Spread by what is asked, so that many clients do not come back at once and a test sees the same.
        let spread = fingerprint_of(&(&sent.ask.body, now_ms.to_bits())) % RETRY_SPREAD_MS;
        let delay_ms = (RETRY_MS + spread as f64).max(failure.retry_after_ms.unwrap_or_default());
        let timeout_ms = self.timeout_at(now_ms + delay_ms);
        (timeout_ms > 0.0).then(|| Ask { delay_ms, timeout_ms, ..sent.ask.clone() })
    }

    fn timeout_at(&self, now_ms: f64) -> f64 {
        self.timeout_ms.min(self.deadline_at_ms - now_ms)
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

    fn put_next(&mut self, settings: &Settings, now_ms: f64) -> Vec<Ask> {
        self.phase = Phase::ToolsAndSkills;
        let (tools, skills) =
            tools_and_skills_to_ask(&self.candidates, &self.answers, &settings.rules, &self.state);
        let tools = tools.into_iter().map(|(server, tool)| Subject::Tool(server, tool));
        self.put(tools.chain(skills.into_iter().map(Subject::Skill)).collect(), settings, now_ms)
    }

    /// Packs questions about these subjects into requests.
    fn put(&mut self, subjects: Vec<Subject>, settings: &Settings, now_ms: f64) -> Vec<Ask> {
        let options = &settings.options;
        let mut tools_before = 0;
        let questions = subjects
            .iter()
            .map(|&subject| {
                let question = self.word(subject, tools_before, options);
                tools_before += usize::from(matches!(subject, Subject::Tool(..)));
                question
            })
            .collect();
        let groups = pack(questions, self.state.chars().count(), options.max_questions_per_request);
        let (requests, timeout_ms) = (groups.len(), self.timeout_at(now_ms).max(1.0));
        let mut subjects = subjects.into_iter();
        for (at, group) in groups.iter().enumerate() {
            let ask = Ask {
                body: Rc::new(wire::body(&options.jev_model, &self.state, group)),
                label: self.phase.label(at, requests),
                delay_ms: 0.0,
                timeout_ms,
                questions: group.len(),
            };
            let ids = group.iter().map(|question| question.id.clone());
            self.under_way.push(Sent { ask, about: ids.zip(subjects.by_ref()).collect(), is_retry: false });
        }
        self.under_way.iter().map(|sent| sent.ask.clone()).collect()
    }

    fn word(&self, subject: Subject, tools_before: usize, options: &Options) -> Question {
        let Candidates { servers, skills, .. } = &*self.candidates;
        let max_chars = options.max_description_chars;
        match subject {
            Subject::Server(at) => about_server(at, &servers[at], max_chars),
            Subject::Tool(server, at) => {
                let tool = &servers[server].tools[at];
                let noted = as_noted(tool, &options.discovery.tools);
                about_tool(tools_before, &servers[server], noted.as_ref().unwrap_or(tool), max_chars)
            }
            Subject::Skill(at) => about_skill(at, &skills[at], max_chars),
        }
    }
}

/// A tool as a person describes it.
fn as_noted(tool: &Tool, notes: &ToolNotes) -> Option<Tool> {
    let description = Some(notes.description(&tool.id)?.into());
    Some(Tool { name: tool.name.clone(), description, ..Tool::default() })
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
