//! The order of the stages: a state machine without I/O and without a clock.
//!
//! ```text
//! begin ──► Skip                                  leave the request alone
//!       ──► Decided(turn, answers)                known from before, or nothing to ask
//!       ──► Join(turn)                            the same question is under way: wait for its outcome
//!       ──► Ask(turn, requests) ──► answer ──► Ask | Done(answers) | Failed(errors)
//! finish(turn, answers) | fail(turn, errors) ──► plan and report
//! ```
//!
//! A driver sends the requests, all of one step at once, and hands their replies back in the same order.

pub mod asking;
pub mod request;
pub mod turn;

use std::borrow::Cow;
use std::rc::Rc;

use crate::candidates::{Candidates, Scope};
use crate::discovery::hints::{pointer_list, search_note, Shortened};
use crate::hash::fingerprint_of;
use crate::jev::wire::Reply;
use crate::opencode::messages::Prompts;
use crate::options::{DecisionScope, Mode, StateContext};
use crate::plan::additions::Refill;
use crate::plan::announcement::tell;
use crate::plan::{catalog_count, superseded, Extras, Plan, ToldAt};
use crate::policy::verdicts::{self, Needs};
use crate::policy::{Answers, Decision};
use crate::pruning::asking::{Ask, Next, Run};
use crate::pruning::request::{Request, Settings};
use crate::pruning::turn::{Key, MemoryKey, Turn};
use crate::report::{Report, RequestError, Skipped};
use crate::session::cache_cost::{Account, Price};
use crate::session::memory::{Added, Memory, Recall, Told};
use crate::session::recent::Cache;
use crate::session::reveal::{self, Manner, Settled, Situation};
use crate::session::store::Sessions;
use crate::text::{to_utf16, Edit};

const MAX_SESSIONS: usize = 200;
const MAX_PROMPTS: usize = 500;
const MAX_REMEMBERED_PROMPTS: usize = 1_000;
const MAX_CANDIDATE_SETS: usize = 8;
const MAX_FINISHED: usize = 64;

/// A plan and its report: the steps of a turn come to the same.
#[derive(Debug)]
pub struct Finished {
    pub plan: Plan,
    /// The plan's edits of each text, with ranges as JavaScript counts.
    pub edits: Vec<Vec<Edit>>,
    pub report: Report,
    /// How many characters the plan takes away.
    saved: i64,
}

impl Finished {
    fn new(turn: &Turn, plan: Plan, report: Report, saved: i64) -> Rc<Finished> {
        let texts = turn.texts.iter().zip(&plan.texts);
        let edits = texts.map(|(text, edits)| to_utf16(&text.text, edits)).collect();
        Rc::new(Finished { plan, edits, report, saved })
    }
}

pub enum Begin {
    Skip(Skipped),
    Known(Rc<Finished>),
    Decided(Box<Turn>, Rc<Answers>),
    Join(Box<Turn>),
    Ask(Box<Turn>, Box<Run>, Vec<Ask>),
}

pub enum Step {
    Ask(Box<Run>, Vec<Ask>),
    Done(Rc<Answers>),
    Failed(Rc<Vec<RequestError>>),
}

/// What is remembered from one request to the next.
#[derive(Debug)]
pub struct Pruner {
    sessions: Cache<MemoryKey, Rc<Memory>>,
    prompts: Cache<MemoryKey, Rc<Memory>>,
    accounts: Cache<MemoryKey, Account>,
    /// What else is known of each session.
    pub open: Sessions,
    finished: Cache<u64, Rc<Finished>>,
    remembered: Cache<String, String>,
    candidates: Cache<u64, Rc<Candidates>>,
    under_way: Vec<Key>,
    /// Endpoints that failed, and until when they are left alone.
    cooling: Vec<(String, f64)>,
}

impl Default for Pruner {
    fn default() -> Self {
        Pruner {
            sessions: Cache::new(MAX_SESSIONS),
            prompts: Cache::new(MAX_PROMPTS),
            accounts: Cache::new(MAX_SESSIONS),
            open: Sessions::default(),
            finished: Cache::new(MAX_FINISHED),
            remembered: Cache::new(MAX_REMEMBERED_PROMPTS),
            candidates: Cache::new(MAX_CANDIDATE_SETS),
            under_way: Vec::new(),
            cooling: Vec::new(),
        }
    }
}

impl Pruner {
    /// Remembers what the person typed, as it is admitted; skill texts and attachments come to it later.
    pub fn remember_prompt(&mut self, message_id: String, text: String, now_ms: f64) {
        self.remembered.put(message_id, text, now_ms);
    }

    /// Forgets what was shown in a session: its history was compacted, or it is gone.
    pub fn forget_session(&mut self, session: &str) {
        self.sessions.retain(|key| key.session != session);
        self.prompts.retain(|key| key.session != session);
        self.accounts.retain(|key| key.session != session);
        self.open.forget(session);
    }

    pub fn begin(&mut self, request: Request, settings: &Rc<Settings>, now_ms: f64) -> Begin {
        let options = &settings.options;
        if options.mode == Mode::Off {
            return Begin::Skip(Skipped::Off);
        }
        let remembered = |id: &str| self.remembered.get(&id.to_string(), now_ms, f64::INFINITY).cloned();
        let prompts = Prompts { conversation: request.conversation, remembered };
        let found = match options.state_context {
            StateContext::Auto => prompts.newest_with_context(),
            StateContext::Prompt => prompts.newest(),
        };
        let last_prompt = || self.last_prompt(&request.session, settings).map(Err);
        let Some(prompt) = found.map(Ok).or_else(last_prompt) else {
            return Begin::Skip(Skipped::NoPrompt);
        };
        let candidates = self.collect(&request, settings.scope(), now_ms);
        let conversation = request.conversation;
        if options.discovery.enabled {
            self.open.name(&request.session, &candidates);
        }
        let asked = self.open.asked(&request.session);
        let mut turn = Turn::new(request, settings.clone(), candidates, prompt);
        turn.asked = asked;
        let memory = self.recall(&turn, now_ms);
        // With nothing left to decide on, what was hidden stays cut out of the texts all the same.
        if memory.is_empty() && turn.candidates.is_empty() {
            return Begin::Skip(Skipped::NoCandidates);
        }
        if memory.is_empty() && turn.is_too_small() {
            return Begin::Skip(Skipped::TooSmall);
        }
        let memory = self.note_missed(&mut turn, memory, now_ms);
        turn.find_told(&memory, conversation);
        let memory = turn.without_lost(memory);
        let recall = turn.recall(&memory);
        if let Some(known) = self.finished(&turn, &memory, recall, now_ms) {
            self.account(&turn, now_ms, |account| account.note(known.saved, now_ms));
            return Begin::Known(known);
        }
        if !memory.is_empty() {
            turn.history_chars = conversation.chars();
        }
        let known = memory.answers(&turn.candidates, recall);
        if recall == Recall::Everything {
            return Begin::Decided(Box::new(turn), Rc::new(known));
        }
        if let Some(answers) = turn.decide_alone(&known) {
            return Begin::Decided(Box::new(turn), Rc::new(answers));
        }
        if self.under_way.contains(&turn.key) {
            return Begin::Join(Box::new(turn));
        }
        let mut run = Run::new(turn.candidates.clone(), known, &turn.key.prompt, options, now_ms);
        let asks = run.start(&settings.rules, options, now_ms);
        if asks.is_empty() {
            return Begin::Decided(Box::new(turn), Rc::new(run.into_answers()));
        }
        if self.is_cooling(&options.jev_endpoint, now_ms) {
            return match turn.last_decision(&memory) {
                Some(answers) => Begin::Decided(Box::new(turn), Rc::new(answers)),
                None => {
                    self.note_whole(&turn, &memory, now_ms);
                    Begin::Skip(Skipped::Cooldown)
                }
            };
        }
        self.under_way.push(turn.key.clone());
        Begin::Ask(Box::new(turn), Box::new(run), asks)
    }

    fn is_cooling(&self, endpoint: &str, now_ms: f64) -> bool {
        self.cooling.iter().any(|(cooling, until)| cooling == endpoint && now_ms < *until)
    }

    /// Takes the replies to the requests of the last step, in their order.
    pub fn answer(&mut self, turn: &Turn, mut run: Box<Run>, replies: &[Reply], now_ms: f64) -> Step {
        let options = &turn.settings.options;
        match run.answer(replies, &turn.settings.rules, options, now_ms) {
            Next::Ask(asks) => Step::Ask(run, asks),
            Next::Done => {
                self.under_way.retain(|key| *key != turn.key);
                Step::Done(Rc::new(run.into_answers()))
            }
            Next::Failed(errors) => {
                self.under_way.retain(|key| *key != turn.key);
                if options.failure_cooldown_ms > 0.0 {
                    self.cooling.retain(|(endpoint, _)| *endpoint != options.jev_endpoint);
                    self.cooling.push((options.jev_endpoint.clone(), now_ms + options.failure_cooldown_ms));
                }
                Step::Failed(Rc::new(errors))
            }
        }
    }

    /// The plan for a request whose answers are there, and the report of it.
    pub fn finish(&mut self, turn: &Turn, answers: &Answers, now_ms: f64) -> Rc<Finished> {
        let known = self.recall(turn, now_ms);
        let first = known.is_empty();
        let known = turn.without_lost(known);
        let needs = Needs { used: &turn.used, asked: &turn.asked };
        let mut decision = verdicts::decide(&turn.candidates, answers, &turn.settings.rules, &needs);
        let mut refill = Refill::choose(turn, &known, answers, &mut decision);
        let change = self.grow(turn, &known, &mut refill, &mut decision, now_ms);
        let memory = self.remember(turn, &known, answers, &decision, change, now_ms);
        let plan = plan(turn, &memory, &decision);
        let mut report = Report { first, ..turn.report() };
        report.tell(&turn.candidates, answers, &decision, &plan);
        let (before, saved) = (turn.chars_before(), turn.chars_saved(&plan));
        report.stats.set_sizes(before, before - saved);
        let finished = Finished::new(turn, plan, report, saved);
        self.account(turn, now_ms, |account| account.note(finished.saved, now_ms));
        self.finished.put(turn.outcome_key(&memory), finished.clone(), now_ms);
        finished
    }

    /// Settles how what is newly shown comes into the request, and pays for it.
    fn grow(
        &mut self,
        turn: &Turn,
        known: &Memory,
        refill: &mut Refill,
        decision: &mut Decision,
        now_ms: f64,
    ) -> Change {
        let account = self.accounts.get(&turn.key.memory, now_ms, f64::INFINITY).copied().unwrap_or_default();
        let chars = turn.chars();
        let is_rendered_anew = known.rendered_anew != turn.rendered_anew();
        let price = match known.native == turn.native.fingerprint() && !is_rendered_anew {
            true => account.price_of_change(chars, now_ms),
            // They stand in front of everything: the host's own change has cost the cache already.
            false => Price::Nothing,
        };
        // A list that comes with this request was not sent before.
        let adds = !refill.told.is_empty()
            || !refill.listed.is_empty() && catalog_count(&turn.texts) <= known.catalogs;
        let situation = Situation {
            is_first: known.is_empty(),
            is_new_prompt: turn.is_new_prompt(known) && !turn.is_internal,
            may_tell: turn.anchor.is_some(),
            has_changed: known.has_changed || turn.is_internal,
            adds,
            is_overtaken: is_rendered_anew && !known.told.is_empty(),
            account,
            chars,
            price: if turn.is_internal { Price::TooMuch } else { price },
        };
        let settled = reveal::settle(&turn.candidates, known, &situation, decision);
        refill.keep_added(&turn.candidates, decision);
        if settled.manner == Manner::InPlace && price != Price::Nothing {
            self.account(turn, now_ms, |account| account.charge(chars));
        }
        Change { settled, refill: std::mem::take(refill) }
    }

    /// What the same request came to before, if nothing was decided since.
    fn finished(&self, turn: &Turn, memory: &Memory, recall: Recall, now_ms: f64) -> Option<Rc<Finished>> {
        let may_stand = recall == Recall::SamePrompt && turn.missed.is_empty();
        may_stand
            .then(|| self.finished.get(&turn.outcome_key(memory), now_ms, f64::INFINITY).cloned())
            .flatten()
    }

    fn remember(
        &mut self,
        turn: &Turn,
        known: &Rc<Memory>,
        answers: &Answers,
        decision: &Decision,
        change: Change,
        now_ms: f64,
    ) -> Rc<Memory> {
        let is_first = known.is_empty();
        let mut memory = Memory::clone(known);
        let goes_in_place = change.settled.manner == Manner::InPlace;
        if goes_in_place && (!turn.is_internal || turn.rendered_anew() != known.rendered_anew) {
            memory.put_in_place(catalog_count(&turn.texts).saturating_sub(1));
            // What a restatement superseded costs nothing more to cut when the beginning changes anyway.
            memory.cut = superseded(&turn.texts);
        }
        // The host's own requests take a decision and make none.
        if turn.is_internal && !is_first {
            change.keep_in(&mut memory, turn);
            return Rc::new(memory);
        }
        memory.note(&turn.candidates, answers, decision);
        memory.has_changed = goes_in_place && !is_first || known.has_changed && !turn.is_new_prompt(known);
        change.keep_in(&mut memory, turn);
        memory.prompt = turn.key.prompt.clone();
        memory.native = turn.native.fingerprint();
        memory.rendered_anew = turn.rendered_anew();
        memory.catalogs = catalog_count(&turn.texts);
        self.keep(turn, memory, now_ms)
    }

    /// The same for a request for which Jev failed: whole, or by the last decision if that is wanted.
    pub fn fail(&mut self, turn: &Turn, errors: &[RequestError], now_ms: f64) -> Rc<Finished> {
        let memory = self.recall(turn, now_ms);
        let last = turn.last_decision(&memory).map(|answers| self.finish(turn, &answers, now_ms));
        let (plan, mut report, saved) = match last {
            Some(last) => (last.plan.clone(), last.report.clone(), last.saved),
            None => {
                self.note_whole(turn, &memory, now_ms);
                (Plan::default(), turn.report(), 0)
            }
        };
        if report.stats.characters_before == 0 {
            report.stats.set_sizes(turn.chars_before(), turn.chars_before());
        }
        report.errors = errors.to_vec();
        Finished::new(turn, plan, report, saved)
    }

    /// Takes note of a request that goes out whole: what the cache has of the session does not serve it.
    fn note_whole(&mut self, turn: &Turn, memory: &Memory, now_ms: f64) {
        if !memory.is_empty() {
            let chars = turn.chars();
            self.account(turn, now_ms, |account| account.charge(chars));
        }
    }

    fn account(&mut self, turn: &Turn, now_ms: f64, change: impl FnOnce(&mut Account)) {
        if turn.key.memory.prompt.is_some() {
            return;
        }
        let key = &turn.key.memory;
        let mut account = self.accounts.get(key, now_ms, f64::INFINITY).copied().unwrap_or_default();
        change(&mut account);
        self.accounts.put(key.clone(), account, now_ms);
    }

    fn collect(&mut self, request: &Request, scope: Scope, now_ms: f64) -> Rc<Candidates> {
        let texts: Vec<u64> = request.texts.iter().map(|text| text.fingerprint).collect();
        let key =
            fingerprint_of(&(texts, request.native.fingerprint(), request.inventory.fingerprint(), scope));
        if let Some(known) = self.candidates.get(&key, now_ms, f64::INFINITY) {
            return known.clone();
        }
        let candidates =
            Rc::new(Candidates::collect(&request.texts, &request.native, &request.inventory, scope));
        self.candidates.put(key, candidates.clone(), now_ms);
        candidates
    }

    fn last_prompt(&self, session: &str, settings: &Settings) -> Option<String> {
        let key = MemoryKey { session: session.to_string(), prompt: None, options: settings.fingerprint };
        self.sessions.get(&key, 0.0, f64::INFINITY).map(|memory| memory.prompt.clone())
    }

    /// What is remembered for a turn; nothing once the baseline is another one.
    fn recall(&self, turn: &Turn, now_ms: f64) -> Rc<Memory> {
        let max_age_ms = match turn.settings.options.decision_scope {
            DecisionScope::Session => f64::INFINITY,
            DecisionScope::Prompt => turn.settings.options.cache_ttl_ms,
        };
        let known = self.memories(turn).get(&turn.key.memory, now_ms, max_age_ms);
        known
            .filter(|memory| memory.is_of(turn.baseline))
            .cloned()
            .unwrap_or_else(|| Rc::new(Memory::new(turn.baseline)))
    }

    fn keep(&mut self, turn: &Turn, mut memory: Memory, now_ms: f64) -> Rc<Memory> {
        memory.version += 1;
        let memory = Rc::new(memory);
        let memories = match turn.key.memory.prompt {
            Some(_) => &mut self.prompts,
            None => &mut self.sessions,
        };
        memories.put(turn.key.memory.clone(), memory.clone(), now_ms);
        memory
    }

    fn memories(&self, turn: &Turn) -> &Cache<MemoryKey, Rc<Memory>> {
        match turn.key.memory.prompt {
            Some(_) => &self.prompts,
            None => &self.sessions,
        }
    }

    fn note_missed(&mut self, turn: &mut Turn, memory: Rc<Memory>, now_ms: f64) -> Rc<Memory> {
        turn.missed = memory.missed(&turn.candidates, &turn.used, turn.settings.rules.threshold);
        if turn.missed.is_empty() {
            return memory;
        }
        let mut told = Memory::clone(&memory);
        told.note_missed(&turn.missed);
        self.keep(turn, told, now_ms)
    }
}

/// What a decision newly shows, and how.
struct Change {
    settled: Settled,
    refill: Refill,
}

impl Change {
    fn keep_in(self, memory: &mut Memory, turn: &Turn) {
        let Change { settled: Settled { manner, fresh, shows_all }, refill } = self;
        memory.shows_all = shows_all;
        let lists = catalog_count(&turn.texts);
        let Refill { listed, mut told } = refill;
        if manner == Manner::Told {
            told.extend(listed);
        } else {
            let since = lists.saturating_sub(1);
            memory.added.extend(listed.into_iter().map(|addition| Added { since, addition }));
        }
        let things = if manner == Manner::Told { fresh.things } else { Vec::new() };
        let Some(anchor) = turn.anchor.as_ref().filter(|_| !things.is_empty() || !told.is_empty()) else {
            return;
        };
        let text = tell(turn, &things, &told).unwrap_or_default();
        let added = told.into_iter().map(|addition| Added { since: lists, addition }).collect();
        memory.told.push(Told { before: anchor.id.clone(), what: things, added, text });
    }
}

fn plan(turn: &Turn, memory: &Memory, decision: &Decision) -> Plan {
    // An undone message may have superseded what is the newest again.
    let superseded = superseded(&turn.texts);
    let told = memory.told.iter();
    let extras = Extras {
        added: memory.all_added().collect(),
        told: told
            .map(|told| ToldAt { message: turn.place_of(told), what: &told.what, text: &told.text })
            .collect(),
        cut: std::array::from_fn(|list| memory.cut[list].min(superseded[list])),
        hidden: Cow::Borrowed(memory.hidden()),
        hint: turn.settings.options.recovery_hint,
    };
    let mut plan = Plan::make(&turn.texts, &turn.places, &turn.candidates, decision, &extras);
    let discovery = &turn.settings.options.discovery;
    if discovery.enabled {
        // What was told of in a message is missing from its list all the same.
        if discovery.system_hint {
            let missing = memory.missing();
            let tools = missing.tool_names().next().is_some();
            plan.note = search_note(Shortened { tools, skills: !missing.skills.is_empty() });
        }
        if discovery.pointer_list {
            plan.pointers = pointer_list(extras.hidden.tool_names(), discovery.pointer_chars);
        }
    }
    plan
}
