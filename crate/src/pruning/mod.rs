//! The order of the stages: a state machine without I/O and without a clock.
//!
//! ```text
//! begin ──► Skip       leave the request alone
//!       ──► Done       known from before, or nothing to ask
//!       ──► Ask        requests to send to Jev; answer ──► Ask | Done
//!       ──► Wait       another request asks the same: go on when that one is done; answer ──► Done
//! ```
//!
//! A driver sends the requests, all of one step at once, and hands their replies back in the same order. A session's
//! state is read once where a request begins, or is gone on with, and written once where it ends; what lies between are
//! functions of values (`conclusion.rs`).

pub mod asking;
mod conclusion;

use std::cell::OnceCell;
use std::rc::{Rc, Weak};

use crate::candidates::Candidates;
use crate::hash::fingerprint_of;
use crate::jev::wire::Reply;
use crate::opencode::messages::{Prompt, Prompts};
use crate::options::{Mode, OnFailure, Options, Scorer, StateContext};
use crate::plan::Plan;
use crate::policy::{ranking, Answers};
use crate::report::{Report, RequestError, Skipped};
use crate::request::facts::{Facts, Question};
use crate::request::{Request, Settings};
use crate::session::memory::{Memory, Missed, Recall};
use crate::session::recent::Recent;
use crate::session::store::Sessions;
use crate::session::{SessionKey, SessionState};
use crate::text::{to_utf16, Edit};

use asking::{Ask, Asking, Next};

const MAX_REMEMBERED_PROMPTS: usize = 1_000;
const MAX_CANDIDATE_SETS: usize = 8;
const MAX_FINISHED: usize = 64;

/// A plan and its report: the steps of a turn come to the same.
#[derive(Debug)]
pub struct Finished {
    /// What changes in the request.
    pub plan: Plan,
    /// The plan's edits of each text, with ranges in UTF-16 code units, as JavaScript counts.
    pub edits: Vec<Vec<Edit>>,
    /// What a person is told; what is only known once the plan is carried out is filled in then.
    pub report: Report,
    /// How many characters the plan takes away.
    saved_chars: i64,
}

impl Finished {
    fn new(facts: &Facts, plan: Plan, report: Report, saved_chars: i64) -> Rc<Finished> {
        let texts = facts.texts.iter().zip(&plan.texts);
        let edits = texts.map(|(text, edits)| to_utf16(&text.text, edits)).collect();
        Rc::new(Finished { plan, edits, report, saved_chars })
    }
}

/// How a request ends.
#[derive(Debug)]
pub struct Outcome {
    /// What becomes of it.
    pub finished: Rc<Finished>,
    /// Hidden things that the conversation has used, and that were not reported yet.
    pub missed: Vec<Missed>,
    /// Whether Jev was not asked for this very request.
    pub from_cache: bool,
}

/// What is to be done next for a request.
#[derive(Debug)]
pub enum Step {
    /// Leave it alone.
    Skip(Skipped),
    /// Carry this out.
    Done(Outcome),
    /// Send these requests, all at once, and answer with their replies.
    Ask(Box<Asked>, Vec<Ask>),
    /// Another request asks the same: answer, without replies, when it is done.
    Wait(Box<Asked>),
}

/// A request whose questions are under way.
#[derive(Debug)]
pub struct Asked {
    facts: Facts,
    exchange: Rc<Exchange>,
    /// None where another request asks.
    asking: Option<Asking>,
}

impl Asked {
    /// The number of the exchange with Jev: the same for the request that asks and for those that wait for it.
    pub fn exchange(&self) -> u32 {
        self.exchange.number
    }
}

/// Questions under way, for all requests that have the same. Whoever asks keeps it alive.
#[derive(Debug, Default)]
struct Exchange {
    number: u32,
    replied: OnceCell<Replied>,
}

/// What Jev's replies came to.
type Replied = Result<Rc<Answers>, Rc<Vec<RequestError>>>;

/// What is remembered from one request to the next.
#[derive(Debug)]
pub struct Pruner {
    /// What is known of each session.
    pub sessions: Sessions,
    finished: Recent<u64, Rc<Finished>>,
    prompts: Recent<String, String>,
    candidates: Recent<u64, Rc<Candidates>>,
    under_way: Vec<(Question, Weak<Exchange>)>,
    exchanges: u32,
    /// Endpoints that failed, and until when they are left alone.
    cooling: Vec<(String, f64)>,
}

impl Default for Pruner {
    fn default() -> Self {
        Pruner {
            sessions: Sessions::default(),
            finished: Recent::new(MAX_FINISHED),
            prompts: Recent::new(MAX_REMEMBERED_PROMPTS),
            candidates: Recent::new(MAX_CANDIDATE_SETS),
            under_way: Vec::new(),
            exchanges: 0,
            cooling: Vec::new(),
        }
    }
}

impl Pruner {
    /// Remembers what the person typed, as it is admitted; skill texts and attachments come to it later.
    pub fn remember_prompt(&mut self, message_id: String, text: String, now_ms: f64) {
        self.prompts.put(message_id, text, now_ms);
    }

    /// Reads a request, and decides at once where nobody need be asked. `now_ms` is any clock that only goes forward.
    pub fn begin(&mut self, request: Request, settings: &Rc<Settings>, now_ms: f64) -> Step {
        if settings.options.mode == Mode::Off {
            return Step::Skip(Skipped::Off);
        }
        let Some(prompt) = self.prompt_of(&request, settings) else {
            return Step::Skip(Skipped::NoPrompt);
        };
        let conversation = request.conversation;
        let mut facts = self.read(request, settings, prompt, now_ms);
        let session = self.session_of(&facts, now_ms);
        if let Some(skipped) = nothing_to_do(&facts, &session.memory) {
            return Step::Skip(skipped);
        }
        let memory = conclusion::without_taken_back(&facts, &session.memory);
        let recall = recall(&facts, &memory);
        if let Some(finished) = self.same_as_before(&facts, &memory, recall) {
            return self.repeat(&facts, session, finished, now_ms);
        }
        if !memory.is_empty() {
            facts.conversation_chars = conversation.chars();
        }
        let known = memory.answers(&facts.candidates, recall);
        if recall == Recall::Everything {
            return self.finish(&facts, session, &known, true, now_ms);
        }
        if let Some(answers) = answers_without_jev(&facts, &known) {
            return self.finish(&facts, session, &answers, true, now_ms);
        }
        if let Some(exchange) = self.exchange_about(&facts.question) {
            return Step::Wait(Box::new(Asked { facts, exchange, asking: None }));
        }
        let mut asking = Asking::new(&facts, known, now_ms);
        let requests = asking.start(settings, now_ms);
        if requests.is_empty() {
            return self.finish(&facts, session, &asking.into_answers(), true, now_ms);
        }
        if self.is_cooling(&settings.options, now_ms) {
            return match last_decision(&facts, &memory) {
                Some(answers) => self.finish(&facts, session, &answers, true, now_ms),
                None => {
                    self.note_unpruned(&facts, session, now_ms);
                    Step::Skip(Skipped::Cooldown)
                }
            };
        }
        let exchange = self.open_exchange(&facts.question);
        Step::Ask(Box::new(Asked { facts, exchange, asking: Some(asking) }), requests)
    }

    /// Takes the replies to the requests of the last step, in their order.
    pub fn answer(&mut self, asked: Box<Asked>, replies: &[Reply], now_ms: f64) -> Step {
        let Asked { facts, exchange, asking } = *asked;
        let Some(mut asking) = asking else {
            return self.end(&facts, exchange.replied.get().unwrap_or(&Err(lost())), true, now_ms);
        };
        let replied = match asking.answer(replies, &facts.settings, now_ms) {
            Next::Ask(requests) => {
                return Step::Ask(Box::new(Asked { facts, exchange, asking: Some(asking) }), requests)
            }
            Next::Done => Ok(Rc::new(asking.into_answers())),
            Next::Failed(errors) => {
                self.cool_down(&facts.settings.options, now_ms);
                Err(Rc::new(errors))
            }
        };
        self.under_way.retain(|(question, _)| *question != facts.question);
        let replied = exchange.replied.get_or_init(|| replied);
        self.end(&facts, replied, false, now_ms)
    }

    /// The end of a request that was asked about: other requests of its session may have ended meanwhile, so that the
    /// state is read anew.
    fn end(&mut self, facts: &Facts, replied: &Replied, from_cache: bool, now_ms: f64) -> Step {
        let session = self.session_of(facts, now_ms);
        match replied {
            Ok(answers) => self.finish(facts, session, answers, from_cache, now_ms),
            Err(errors) => self.fail(facts, session, errors, from_cache, now_ms),
        }
    }

    /// The end of a request whose answers are there.
    fn finish(
        &mut self,
        facts: &Facts,
        session: SessionState,
        answers: &Answers,
        from_cache: bool,
        now_ms: f64,
    ) -> Step {
        let concluded = conclusion::conclude(facts, session, answers, now_ms);
        self.finished.put(outcome_key(facts, &concluded.memory), concluded.finished.clone(), now_ms);
        self.sessions.write(&facts.question.session, concluded.session, now_ms);
        Step::Done(Outcome { finished: concluded.finished, missed: concluded.missed, from_cache })
    }

    /// The end of a request for which Jev failed: whole, or by the last decision if that is wanted.
    fn fail(
        &mut self,
        facts: &Facts,
        session: SessionState,
        errors: &[RequestError],
        from_cache: bool,
        now_ms: f64,
    ) -> Step {
        let with_errors = |finished: &Finished| {
            let mut report = finished.report.clone();
            if report.stats.characters_before == 0 {
                let chars = facts.chars_with_candidates();
                report.stats.set_sizes(chars, chars);
            }
            report.errors = errors.to_vec();
            Finished::new(facts, finished.plan.clone(), report, finished.saved_chars)
        };
        if let Some(answers) = last_decision(facts, &session.memory) {
            return match self.finish(facts, session, &answers, from_cache, now_ms) {
                Step::Done(outcome) => {
                    Step::Done(Outcome { finished: with_errors(&outcome.finished), ..outcome })
                }
                other => other,
            };
        }
        self.note_unpruned(facts, session, now_ms);
        let unchanged = Finished::new(facts, Plan::default(), conclusion::report_on(facts), 0);
        Step::Done(Outcome { finished: with_errors(&unchanged), missed: Vec::new(), from_cache })
    }

    /// The end of a request that came before, in the same words.
    fn repeat(&mut self, facts: &Facts, session: SessionState, finished: Rc<Finished>, now_ms: f64) -> Step {
        if facts.question.session.prompt.is_none() {
            let mut session = session;
            session.cost.note(finished.saved_chars, now_ms);
            self.sessions.write(&facts.question.session, session, now_ms);
        }
        Step::Done(Outcome { finished, missed: Vec::new(), from_cache: true })
    }

    /// A request goes out whole: what the cache has of the session does not serve it.
    fn note_unpruned(&mut self, facts: &Facts, mut session: SessionState, now_ms: f64) {
        if !session.memory.is_empty() && facts.question.session.prompt.is_none() {
            session.cost.charge(facts.chars());
            self.sessions.write(&facts.question.session, session, now_ms);
        }
    }

    /// The newest prompt, or, where none is found, the text of the session's last.
    fn prompt_of(&self, request: &Request, settings: &Settings) -> Option<Result<Prompt, String>> {
        let remembered = |id: &str| self.prompts.get(&id.to_string()).cloned();
        let prompts = Prompts { conversation: request.conversation, remembered };
        let found = match settings.options.state_context {
            StateContext::Auto => prompts.newest_with_context(),
            StateContext::Prompt => prompts.newest(),
        };
        found.map(Ok).or_else(|| {
            let session = request.session.clone();
            let key = SessionKey { session, prompt: None, options: settings.fingerprint };
            self.sessions.last_prompt(&key).map(Err)
        })
    }

    fn read(
        &mut self,
        request: Request,
        settings: &Rc<Settings>,
        prompt: Result<Prompt, String>,
        now_ms: f64,
    ) -> Facts {
        let candidates = self.collect(&request, settings, now_ms);
        if settings.options.discovery.enabled {
            self.sessions.offer(&request.session, &candidates);
        }
        let pins = self.sessions.pins(&request.session);
        Facts::new(request, settings.clone(), candidates, pins, prompt)
    }

    fn collect(&mut self, request: &Request, settings: &Settings, now_ms: f64) -> Rc<Candidates> {
        let scope = settings.scope();
        let Request { texts, native, inventory, .. } = request;
        let fingerprints: Vec<u64> = texts.iter().map(|text| text.fingerprint).collect();
        let key = fingerprint_of(&(fingerprints, native.fingerprint(), inventory.fingerprint(), scope));
        if let Some(known) = self.candidates.get(&key) {
            return known.clone();
        }
        let candidates = Rc::new(Candidates::collect(texts, native, inventory, scope));
        self.candidates.put(key, candidates.clone(), now_ms);
        candidates
    }

    fn session_of(&self, facts: &Facts, now_ms: f64) -> SessionState {
        let max_age_ms = facts.settings.options.cache_ttl_ms;
        self.sessions.read(&facts.question.session, facts.baseline, now_ms, max_age_ms)
    }

    /// What the same request came to before, if nothing was decided since.
    fn same_as_before(&self, facts: &Facts, memory: &Memory, recall: Recall) -> Option<Rc<Finished>> {
        if recall != Recall::SamePrompt || !conclusion::missed(facts, memory).is_empty() {
            return None;
        }
        self.finished.get(&outcome_key(facts, memory)).cloned()
    }

    fn exchange_about(&self, question: &Question) -> Option<Rc<Exchange>> {
        let same = self.under_way.iter().find(|(known, _)| known == question);
        same.and_then(|(_, exchange)| exchange.upgrade())
    }

    fn open_exchange(&mut self, question: &Question) -> Rc<Exchange> {
        self.exchanges = self.exchanges.wrapping_add(1);
        let exchange = Rc::new(Exchange { number: self.exchanges, ..Exchange::default() });
        self.under_way.retain(|(_, exchange)| exchange.strong_count() > 0);
        self.under_way.push((question.clone(), Rc::downgrade(&exchange)));
        exchange
    }

    fn is_cooling(&self, options: &Options, now_ms: f64) -> bool {
        self.cooling.iter().any(|(endpoint, until)| *endpoint == options.jev_endpoint && now_ms < *until)
    }

    fn cool_down(&mut self, options: &Options, now_ms: f64) {
        if options.failure_cooldown_ms > 0.0 {
            self.cooling.retain(|(endpoint, _)| *endpoint != options.jev_endpoint);
            self.cooling.push((options.jev_endpoint.clone(), now_ms + options.failure_cooldown_ms));
        }
    }
}

/// Whoever asked is gone, without a word.
fn lost() -> Rc<Vec<RequestError>> {
    Rc::new(vec![RequestError {
        request: "none".to_string(),
        what: "lost".to_string(),
        message: "another request that asked the same did not end".to_string(),
    }])
}

/// Why a request is left alone before anybody is asked. With nothing left to decide on, what was hidden stays cut out of
/// the texts all the same.
fn nothing_to_do(facts: &Facts, memory: &Memory) -> Option<Skipped> {
    match () {
        () if !memory.is_empty() => None,
        () if facts.candidates.is_empty() => Some(Skipped::NoCandidates),
        () if facts.is_too_small() => Some(Skipped::TooSmall),
        () => None,
    }
}

fn recall(facts: &Facts, memory: &Memory) -> Recall {
    match () {
        () if memory.is_empty() => Recall::NewPrompt,
        () if facts.is_internal => Recall::Everything,
        () if memory.prompt == facts.question.prompt && facts.settings.options.cache_ttl_ms > 0.0 => {
            Recall::SamePrompt
        }
        () => Recall::NewPrompt,
    }
}

/// All answers, if Jev is not to be asked.
fn answers_without_jev(facts: &Facts, known: &Answers) -> Option<Answers> {
    let Settings { options, rules, .. } = &*facts.settings;
    match options.scorer {
        Scorer::Jev => None,
        Scorer::None => Some(ranking::keep_all(&facts.candidates, known.clone(), rules)),
        Scorer::Lexical => {
            let (prompt, keep) = (&facts.question.prompt, options.lexical_keep);
            Some(ranking::by_words(&facts.candidates, known.clone(), rules, prompt, keep))
        }
    }
}

/// The answers of the last decision, if that may be used and covers everything.
fn last_decision(facts: &Facts, memory: &Memory) -> Option<Answers> {
    let wanted = facts.settings.options.on_failure == OnFailure::Last;
    (wanted && memory.covers(&facts.candidates))
        .then(|| memory.answers(&facts.candidates, Recall::Everything))
}

/// Equal for requests that come to the same as long as a memory is the same.
fn outcome_key(facts: &Facts, memory: &Memory) -> u64 {
    let texts: Vec<u64> = facts.texts.iter().map(|text| text.fingerprint).collect();
    let announced: Vec<Option<usize>> =
        memory.announced.iter().map(|announced| facts.place_of(&announced.before)).collect();
    let needs = (facts.used.fingerprint(), facts.pins.len());
    let remembered = (announced, memory.version);
    fingerprint_of(&(&facts.question, texts, &facts.places, needs, remembered, facts.is_internal))
}
