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

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use crate::available::ReadText;
use crate::candidates::{fingerprint_of, Candidates, Inventory, NativeTool, Scope};
use crate::decide::cache::Cache;
use crate::decide::judge;
use crate::decide::memory::{Memory, Missed, Recall};
use crate::decide::rules::Rules;
use crate::decide::{Answer, Answers, Decision, Reason, Verdict};
use crate::host::catalog::Addition;
use crate::host::messages::{newest_prompt, Conversation, Used};
use crate::host::signature;
use crate::host::UnreadSection;
use crate::jev::wire::Reply;
use crate::options::{DecisionScope, Mode, OnFailure, Options};
use crate::plan::{catalog_at, newest_catalog, superseded, Extras, Plan};
use crate::report::{Report, RequestError, Skipped};
use crate::run::{Ask, Next, Run};

const MAX_SESSIONS: usize = 200;
const MAX_PROMPTS: usize = 500;
const MAX_REMEMBERED_PROMPTS: usize = 1_000;
const MAX_CANDIDATE_SETS: usize = 64;
const MAX_FINISHED: usize = 64;

/// A configuration with what is derived from it.
#[derive(Debug)]
pub struct Settings {
    pub options: Options,
    pub history: crate::history::rules::Rules,
    rules: Rules,
    fingerprint: u64,
}

impl Settings {
    pub fn new(options: Options) -> Rc<Settings> {
        let (rules, fingerprint) = (Rules::new(&options), options.fingerprint());
        let history = crate::history::rules::Rules::new(&options.history);
        Rc::new(Settings { options, history, rules, fingerprint })
    }

    fn scope(&self) -> Scope {
        Scope {
            mcp_tools: self.options.prune_mcp_tools,
            skills: self.options.prune_skills,
            unlisted_tools: self.options.refill_catalog,
        }
    }
}

/// Which of the host's hooks brings a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Hook {
    #[default]
    Context,
    /// A request of the host's own, `generate` or `compaction`: it takes the session's decision as it is.
    Internal,
    /// Only the messages of a request, which OpenCode 1.18 hands over apart: nothing is asked or hidden.
    Messages,
}

/// One request that OpenCode is about to send.
pub struct Request<'a> {
    pub hook: Hook,
    pub session: String,
    /// Every text that may hold one of the host's lists, the system parts first.
    pub texts: Vec<Rc<ReadText>>,
    /// How many of the texts are system parts.
    pub system_parts: usize,
    pub native: Vec<NativeTool>,
    pub inventory: Rc<Inventory>,
    pub conversation: &'a dyn Conversation,
}

/// What is decided on together: one prompt of a session, and what it could need.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Key {
    memory: MemoryKey,
    prompt: String,
    candidates: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct MemoryKey {
    session: String,
    /// Only where each prompt is decided alone.
    prompt: Option<String>,
    options: u64,
}

/// What was found out about a request, and is needed to finish it.
#[derive(Debug)]
pub struct Turn {
    settings: Rc<Settings>,
    texts: Vec<Rc<ReadText>>,
    /// The size of each native tool's definition, by name.
    native_chars: HashMap<String, i64>,
    inventory: Rc<Inventory>,
    candidates: Rc<Candidates>,
    used: Used,
    baseline: u64,
    key: Key,
    is_internal: bool,
    missed: Vec<Missed>,
}

/// A plan and its report: the steps of a turn come to the same.
#[derive(Debug)]
pub struct Finished {
    pub plan: Plan,
    pub report: Report,
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
    finished: Cache<u64, Rc<Finished>>,
    remembered: Cache<String, String>,
    candidates: Cache<u64, Rc<Candidates>>,
    under_way: HashSet<Key>,
    cooling_until: HashMap<String, f64>,
}

impl Default for Pruner {
    fn default() -> Self {
        Pruner {
            sessions: Cache::new(MAX_SESSIONS),
            prompts: Cache::new(MAX_PROMPTS),
            finished: Cache::new(MAX_FINISHED),
            remembered: Cache::new(MAX_REMEMBERED_PROMPTS),
            candidates: Cache::new(MAX_CANDIDATE_SETS),
            under_way: HashSet::new(),
            cooling_until: HashMap::new(),
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
    }

    pub fn begin(&mut self, request: Request, settings: &Rc<Settings>, now_ms: f64) -> Begin {
        let options = &settings.options;
        if options.mode == Mode::Off {
            return Begin::Skip(Skipped::Off);
        }
        let remembered = |id: &str| self.remembered.get(&id.to_string(), now_ms, f64::INFINITY).cloned();
        let found = newest_prompt(request.conversation, remembered);
        let last_prompt = || self.last_prompt(&request.session, settings);
        let Some(prompt) = found.or_else(last_prompt) else { return Begin::Skip(Skipped::NoPrompt) };
        let candidates = self.collect(&request, settings.scope(), now_ms);
        let mut turn = Turn::new(request, settings.clone(), candidates, prompt);
        let memory = self.recall(&turn, now_ms);
        // With nothing left to decide on, what was hidden stays cut out of the texts all the same.
        if memory.is_empty() && turn.candidates.is_empty() {
            return Begin::Skip(Skipped::NoCandidates);
        }
        if memory.is_empty() && turn.is_too_small() {
            return Begin::Skip(Skipped::TooSmall);
        }
        let memory = self.note_missed(&mut turn, memory, now_ms);
        let recall = turn.recall(&memory);
        if let Some(known) = self.finished(&turn, &memory, recall, now_ms) {
            return Begin::Known(known);
        }
        let known = memory.answers(&turn.candidates, recall);
        if recall == Recall::Everything {
            return Begin::Decided(Box::new(turn), Rc::new(known));
        }
        if self.under_way.contains(&turn.key) {
            return Begin::Join(Box::new(turn));
        }
        let mut run = Run::new(turn.candidates.clone(), known, &turn.key.prompt, options, now_ms);
        let asks = run.start(&settings.rules, options, now_ms);
        if asks.is_empty() {
            return Begin::Decided(Box::new(turn), Rc::new(run.into_answers()));
        }
        if self.cooling_until.get(&options.jev_endpoint).is_some_and(|&until| now_ms < until) {
            return match turn.last_decision(&memory) {
                Some(answers) => Begin::Decided(Box::new(turn), Rc::new(answers)),
                None => Begin::Skip(Skipped::Cooldown),
            };
        }
        self.under_way.insert(turn.key.clone());
        Begin::Ask(Box::new(turn), Box::new(run), asks)
    }

    /// Takes the replies to the requests of the last step, in their order.
    pub fn answer(&mut self, turn: &Turn, mut run: Box<Run>, replies: &[Reply], now_ms: f64) -> Step {
        let options = &turn.settings.options;
        match run.answer(replies, &turn.settings.rules, options, now_ms) {
            Next::Ask(asks) => Step::Ask(run, asks),
            Next::Done => {
                self.under_way.remove(&turn.key);
                Step::Done(Rc::new(run.into_answers()))
            }
            Next::Failed(errors) => {
                self.under_way.remove(&turn.key);
                if options.failure_cooldown_ms > 0.0 {
                    self.cooling_until
                        .insert(options.jev_endpoint.clone(), now_ms + options.failure_cooldown_ms);
                }
                Step::Failed(Rc::new(errors))
            }
        }
    }

    /// The plan for a request whose answers are there, and the report of it.
    pub fn finish(&mut self, turn: &Turn, answers: &Answers, now_ms: f64) -> Rc<Finished> {
        let rules = &turn.settings.rules;
        let mut decision = judge::decide(&turn.candidates, answers, rules, &turn.used);
        let additions = turn.choose_additions(answers, &mut decision);
        let memory = self.remember(turn, answers, &decision, now_ms);
        // An undone message may have superseded what is the newest again.
        let superseded = superseded(&turn.texts);
        let cut = std::array::from_fn(|list| memory.cut[list].min(superseded[list]));
        let hint = turn.settings.options.recovery_hint;
        let extras = Extras { additions, cut, hidden: memory.hidden(), hint };
        let plan = Plan::make(&turn.texts, &turn.candidates, &decision, &extras);
        let mut report = turn.report();
        report.tell(&turn.candidates, answers, &decision);
        report.tell_removed(&plan);
        let before = turn.chars_before();
        report.stats.set_sizes(before, before - turn.chars_saved(&plan));
        let finished = Rc::new(Finished { plan, report });
        self.finished.put(turn.outcome_key(&memory), finished.clone(), now_ms);
        finished
    }

    /// What the same request came to before, if nothing was decided since.
    fn finished(&self, turn: &Turn, memory: &Memory, recall: Recall, now_ms: f64) -> Option<Rc<Finished>> {
        let may_stand = recall == Recall::SamePrompt && turn.missed.is_empty();
        may_stand
            .then(|| self.finished.get(&turn.outcome_key(memory), now_ms, f64::INFINITY).cloned())
            .flatten()
    }

    fn remember(&mut self, turn: &Turn, answers: &Answers, decision: &Decision, now_ms: f64) -> Rc<Memory> {
        let known = self.recall(turn, now_ms);
        let is_first = known.is_empty();
        // The host's own requests take a decision and make none.
        if turn.is_internal && !is_first {
            return known;
        }
        let mut memory = Memory::clone(&known);
        // What a restatement superseded costs nothing more to cut when the request's beginning changes anyway.
        if memory.note(&turn.candidates, answers, decision) || is_first {
            memory.cut = superseded(&turn.texts);
        }
        memory.prompt = turn.key.prompt.clone();
        self.keep(turn, memory, now_ms)
    }

    /// The same for a request for which Jev failed: whole, or by the last decision if that is wanted.
    pub fn fail(&mut self, turn: &Turn, errors: &[RequestError], now_ms: f64) -> Rc<Finished> {
        let memory = self.recall(turn, now_ms);
        let last = turn.last_decision(&memory).map(|answers| self.finish(turn, &answers, now_ms));
        let (plan, mut report) = match last {
            Some(last) => (last.plan.clone(), last.report.clone()),
            None => (Plan::default(), turn.report()),
        };
        if report.stats.characters_before == 0 {
            report.stats.set_sizes(turn.chars_before(), turn.chars_before());
        }
        report.errors = errors.to_vec();
        Rc::new(Finished { plan, report })
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

impl Turn {
    fn new(request: Request, settings: Rc<Settings>, candidates: Rc<Candidates>, prompt: String) -> Turn {
        let alone = settings.options.decision_scope == DecisionScope::Prompt;
        let memory = MemoryKey {
            session: request.session,
            prompt: alone.then(|| prompt.clone()),
            options: settings.fingerprint,
        };
        let is_internal = request.hook == Hook::Internal;
        let system = request.texts.iter().take(request.system_parts);
        let sections: Vec<&str> = system
            .flat_map(|text| text.reading.spans.iter().filter_map(|span| text.text.get(span.clone())))
            .collect();
        Turn {
            baseline: fingerprint_of(&sections),
            used: Used::of(request.conversation),
            native_chars: request.native.into_iter().map(|tool| (tool.name, tool.chars)).collect(),
            inventory: request.inventory,
            texts: request.texts,
            key: Key { memory, candidates: candidates.fingerprint, prompt },
            candidates,
            settings,
            missed: Vec::new(),
            is_internal,
        }
    }

    pub fn key(&self) -> &Key {
        &self.key
    }

    /// Equal for requests that come to the same as long as a memory is the same.
    fn outcome_key(&self, memory: &Memory) -> u64 {
        let texts: Vec<u64> = self.texts.iter().map(|text| text.fingerprint).collect();
        fingerprint_of(&(&self.key, texts, self.used.fingerprint(), memory.version, self.is_internal))
    }

    /// Hidden things that the conversation used since the last request.
    pub fn missed(&self) -> &[Missed] {
        &self.missed
    }

    fn recall(&self, memory: &Memory) -> Recall {
        if memory.is_empty() {
            return Recall::NewPrompt;
        }
        if self.is_internal {
            return Recall::Everything;
        }
        match memory.prompt == self.key.prompt && self.settings.options.cache_ttl_ms > 0.0 {
            true => Recall::SamePrompt,
            false => Recall::NewPrompt,
        }
    }

    /// The answers of the last decision, if that may be used and covers everything.
    fn last_decision(&self, memory: &Memory) -> Option<Answers> {
        let wanted = self.settings.options.on_failure == OnFailure::Last;
        (wanted && memory.covers(&self.candidates))
            .then(|| memory.answers(&self.candidates, Recall::Everything))
    }

    /// Whether all that could be pruned is shorter than it would cost to ask. Where tools cannot be seen
    /// their size is unknown.
    fn is_too_small(&self) -> bool {
        let spans = self.texts.iter().flat_map(|text| &text.reading.spans).map(|span| span.len());
        let all = spans.sum::<usize>() as i64 + self.native_chars_of_candidates();
        all < self.settings.options.min_saving_chars as i64 && !self.inventory.has_unseen_servers()
    }

    /// Renders the tools that a sample left out and that passed, best score first, while pruning has made
    /// room for them; those shown before come first. What finds no room is taken out of the decision.
    fn choose_additions(&self, answers: &Answers, decision: &mut Decision) -> Vec<Addition> {
        let mut wanted = wanted_additions(decision, answers);
        if wanted.is_empty() {
            return Vec::new();
        }
        let newest = newest_catalog(&self.texts).and_then(|at| catalog_at(&self.texts, at));
        let alone = Extras { hint: self.settings.options.recovery_hint, ..Extras::default() };
        let removals = Plan::make(&self.texts, &self.candidates, decision, &alone);
        let mut room = self.chars_saved(&removals);
        wanted.sort_by(|a, b| b.rank.total_cmp(&a.rank));
        let mut additions = Vec::new();
        for Wanted { server, tool, is_shown, .. } in wanted {
            let addition = newest.and_then(|catalog| self.render(catalog.style(), server, tool));
            let listed = |addition: &Addition| {
                newest.is_some_and(|catalog| {
                    catalog.namespaces.iter().any(|known| known.name == addition.namespace)
                })
            };
            let fits = |addition: &Addition| is_shown || addition.chars() <= room;
            match addition.filter(|addition| listed(addition) && fits(addition)) {
                Some(addition) => {
                    room -= addition.chars();
                    additions.push(addition);
                }
                None => decision.tools[server][tool] = Verdict::prune(Reason::NoRoom),
            }
        }
        additions.sort_by(|a, b| (&a.namespace, &a.tool).cmp(&(&b.namespace, &b.tool)));
        additions
    }

    fn render(&self, style: signature::Style, server: usize, tool: usize) -> Option<Addition> {
        let (server, tool) = (&self.candidates.servers[server], &self.candidates.servers[server].tools[tool]);
        let known = self.inventory.tool(&tool.id)?;
        let source = signature::EntrySource {
            namespace: &server.namespace,
            tool: &tool.name,
            description: known.description.as_deref(),
            input: known.input.as_ref(),
            output: known.output.as_ref(),
        };
        let entry = signature::entry(&source, style)?;
        Some(Addition { namespace: server.namespace.clone(), tool: tool.name.clone(), entry })
    }

    /// The size of everything that holds candidates.
    fn chars_before(&self) -> i64 {
        let texts = self.texts.iter().filter(|text| !text.reading.sections.is_empty()).map(|text| text.chars);
        texts.sum::<i64>() + self.native_chars_of_candidates()
    }

    fn chars_saved(&self, plan: &Plan) -> i64 {
        let texts = self.texts.iter().enumerate().map(|(at, text)| plan.chars_saved(at, &text.text));
        texts.sum::<i64>() + plan.tools.iter().map(|name| self.native_chars(name)).sum::<i64>()
    }

    fn native_chars_of_candidates(&self) -> i64 {
        let tools = self.candidates.servers.iter().flat_map(|server| &server.tools);
        tools.filter(|tool| tool.is_native).map(|tool| self.native_chars(&tool.id)).sum()
    }

    fn native_chars(&self, name: &str) -> i64 {
        self.native_chars.get(name).copied().unwrap_or_default()
    }

    fn report(&self) -> Report {
        Report {
            session: self.key.memory.session.clone(),
            mode: self.settings.options.mode,
            unrecognised: unrecognised(&self.texts),
            ..Report::default()
        }
    }
}

/// A tool that the host's sample left out and that passed.
struct Wanted {
    server: usize,
    tool: usize,
    rank: f64,
    is_shown: bool,
}

fn wanted_additions(decision: &Decision, answers: &Answers) -> Vec<Wanted> {
    let mut wanted = Vec::new();
    for (server, tools) in decision.tools.iter().enumerate() {
        for (tool, _) in
            tools.iter().enumerate().filter(|(_, verdict)| **verdict == Verdict::keep(Reason::Added))
        {
            let answer = answers.tool(server, tool);
            let is_shown = matches!(answer, Answer::Stands { .. });
            let rank = if is_shown { f64::INFINITY } else { answer.score().unwrap_or_default() };
            wanted.push(Wanted { server, tool, rank, is_shown });
        }
    }
    wanted
}

/// The sections of these texts that could not be read.
pub fn unrecognised(texts: &[Rc<ReadText>]) -> Vec<UnreadSection> {
    texts.iter().flat_map(|text| text.reading.unread.clone()).collect()
}
