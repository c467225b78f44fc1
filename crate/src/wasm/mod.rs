//! The border to JavaScript, and the only place that knows wasm-bindgen: it converts in, drives the state
//! machine, and converts out. Rules stand elsewhere.
//!
//! Waiting is done by chaining promises, not by an executor: a trap inside a promise's callback rejects
//! that promise, so the shim hears of it, where a trap inside an executor's task would be an uncaught
//! exception of the host's process.

#![allow(unsafe_code, reason = "wasm-bindgen's macros expand to unsafe code")]

mod discovery;
mod event;
mod history;
mod lent;
mod told;

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use js_sys::{Array, Promise};
use wasm_bindgen::prelude::*;

use crate::candidates;
use crate::history::commands::{self, Totals};
use crate::history::session::{Request as StaleRequest, Sessions};
use crate::history::view::View;
use crate::jev::wire::{self, Reply};
use crate::opencode::{self, names::sanitise, UnreadSection};
use crate::options::resolve::resolve;
use crate::options::{Mode, Options, Scorer};
use crate::plan::Plan;
use crate::policy::Answers;
use crate::pruning::asking::{Ask, Run};
use crate::pruning::request::{Hook, Request, Settings};
use crate::pruning::turn::{unrecognised, Key, Turn};
use crate::pruning::{Begin, Finished, Pruner, Step};
use crate::replay;
use crate::report::{console, shown_message, HistorySavings, Report, RequestError, Skipped};

use event::Event;
use history::Replaced;
use lent::Lent;
use told::to_js;

thread_local! {
    static PRUNER: RefCell<Pruner> = RefCell::default();
    static HISTORY: RefCell<Sessions> = RefCell::default();
    static WARNED_OF: RefCell<Vec<UnreadSection>> = RefCell::default();
    static UNDER_WAY: RefCell<Vec<(Key, Rc<Shared>)>> = RefCell::default();
}

const MAX_WARNINGS: usize = 20;

/// Resolves a person's options. `env` is an object like `process.env`.
///
/// Returns `{ config, apiKey, warnings, sources }`: `config` goes back into [`prune`], the key only into a header,
/// and `sources` has a pair of name and place for each option that was given and taken.
#[wasm_bindgen(js_name = resolveOptions)]
pub fn resolve_options(given: &JsValue, env: &JsValue) -> Result<JsValue, JsValue> {
    let from_env = |name: &str| js_sys::Reflect::get(env, &name.into()).ok()?.as_string();
    let resolved = resolve(&lent::to_given(given), from_env);
    let out = js_sys::Object::new();
    let set = |name: &str, value: &JsValue| js_sys::Reflect::set(&out, &name.into(), value);
    set("config", &to_js(&resolved.options)?)?;
    set("apiKey", &JsValue::from(resolved.options.jev_api_key.reveal()))?;
    set("warnings", &to_js(&resolved.warnings)?)?;
    set("sources", &to_js(&resolved.sources)?)?;
    Ok(out.into())
}

/// Remembers a prompt as it is admitted, so that it is recognised in the messages later.
#[wasm_bindgen(js_name = rememberPrompt)]
pub fn remember_prompt(message_id: String, text: String, now_ms: f64) {
    PRUNER.with_borrow_mut(|pruner| pruner.remember_prompt(message_id, text, now_ms));
}

/// The namespace, of those given, that a native tool belongs to.
#[wasm_bindgen(js_name = ownerOf)]
pub fn owner_of(name: &str, namespaces: Vec<String>) -> Option<String> {
    candidates::owner_of(name, |known| namespaces.iter().any(|namespace| namespace == known))
        .map(str::to_string)
}

/// The name under which a server's tools are called.
#[wasm_bindgen(js_name = namespaceOf)]
pub fn namespace_of(server: &str) -> String {
    sanitise(server)
}

/// Whether a system text of OpenCode 1.18 is that of the main conversation.
#[wasm_bindgen(js_name = isMainSystemText)]
pub fn is_main_system_text(text: &str) -> bool {
    opencode::is_main_system_text(text)
}

/// Decides on one request and prunes it, in one last synchronous step or not at all.
///
/// `options` is `{ config, ask, now, event, report, conversation?, redact?, print?, warn?, log?, inventory?, hook?, fixedMessages? }`: the resolved
/// configuration, `ask(body, { label, timeoutMs, delayMs })` that promises `{ status, body }` or `{ failure, message }`, a clock in milliseconds, a function
/// that takes the key out of a message, and where to tell what happened. The promise resolves to the report.
#[wasm_bindgen]
pub fn prune(event: JsValue, options: JsValue) -> Result<Promise, JsValue> {
    let lent = Lent::new(options)?;
    lent.check_for_events()?;
    let started = lent.now();
    let event = Event::read(event, lent.event_pen())?;
    let job = Rc::new(Job {
        settings: lent.settings()?,
        lent,
        event,
        started,
        in_jev: Cell::default(),
        in_parse: Cell::default(),
        asked: Cell::default(),
    });
    if job.event.is_sealed() {
        return job.skip(Skipped::Sealed);
    }
    job.in_parse.set(job.lent.now() - started);
    if job.lent.hook() == Hook::Messages {
        return job.skip(Skipped::OnlyHistory);
    }
    let begin = PRUNER.with_borrow_mut(|pruner| pruner.begin(job.request(), &job.settings, started));
    match begin {
        Begin::Skip(skipped) => job.skip(skipped),
        Begin::Known(finished) => job.carry_out(&finished, true),
        Begin::Decided(turn, answers) => job.settle(&turn, &Ok(answers), true),
        Begin::Join(turn) => job.join(turn),
        Begin::Ask(turn, run, asks) => {
            let shared = Rc::new(Shared::default());
            UNDER_WAY.with_borrow_mut(|runs| {
                runs.retain(|(key, _)| key != turn.key());
                runs.push((turn.key().clone(), shared.clone()));
            });
            let call = job.ask(turn, run, asks)?;
            *shared.call.borrow_mut() = Some(call.clone());
            Ok(call)
        }
    }
}

/// Forgets what was shown in a session: its history was compacted, or it is gone.
#[wasm_bindgen(js_name = forgetSession)]
pub fn forget_session(session: &str) {
    PRUNER.with_borrow_mut(|pruner| pruner.forget_session(session));
    HISTORY.with_borrow_mut(|history| history.forget(session));
}

/// The model takes outputs out of the conversation, with its own words for them if it has some. Returns what the
/// model is answered.
#[wasm_bindgen(js_name = takeOut)]
pub fn take_out(session: &str, ids: Vec<String>, words: Vec<String>) -> String {
    match HISTORY.with_borrow(|sessions| sessions.get(session)) {
        Some(session) => session.borrow_mut().take_out(&ids, &words),
        None => "Nothing can be taken out of this conversation now.".to_string(),
    }
}

/// What a person is shown for `/jev NAME ARGUMENT`; nothing for a name that is not known here. `totals` is
/// `{ requests, tokens_saved }` of all sessions, if they are kept.
#[wasm_bindgen(js_name = historyCommand)]
pub fn history_command(
    session: &str,
    name: &str,
    argument: &str,
    requests: Option<f64>,
    tokens_saved: Option<f64>,
) -> Option<String> {
    let all = requests.zip(tokens_saved).map(|(requests, tokens_saved)| Totals {
        requests: requests as u64,
        tokens_saved: tokens_saved as u64,
    });
    let known = HISTORY.with_borrow(|sessions| sessions.get(session));
    let mut known = known.as_ref().map(|session| session.borrow_mut());
    match name {
        "context" => Some(commands::context(known.as_deref())),
        "sweep" => Some(commands::sweep(known.as_deref_mut(), argument)),
        "stats" => Some(commands::stats(known.as_deref(), all)),
        _ => None,
    }
}

/// Sends one tiny question, so that the first prompt finds a warm connection, and logs how that went.
#[wasm_bindgen(js_name = warmUp)]
pub fn warm_up(options: JsValue) -> Result<Promise, JsValue> {
    let lent = Lent::new(options)?;
    let settings = lent.settings()?;
    if settings.options.scorer != Scorer::Jev {
        return Ok(Promise::resolve(&JsValue::UNDEFINED));
    }
    let started = lent.now();
    let replies = Array::of1(&lent.ask(&Ask {
        body: Rc::new(wire::warm_up_body(&settings.options.jev_model)),
        label: "warmup".to_string(),
        delay_ms: 0.0,
        timeout_ms: settings.options.jev_timeout_ms,
        questions: 1,
    }));
    Ok(lent::then(&Promise::all_settled(&replies), move |settled| {
        let ms = lent.now() - started;
        let mut warm = wire::warm_up_result(&lent::to_reply(&Array::from(&settled).get(0)), ms);
        if let Some(error) = &mut warm.error {
            error.message = shown_message(&error.message, |text| lent.redact(text));
        }
        let told = to_js(&warm)?;
        lent.log("warmup", &told);
        Ok(Promise::resolve(&told))
    }))
}

/// Decides anew on the reports of a debug log, in their order, under other settings. See [`crate::replay`].
#[wasm_bindgen]
pub struct Replayer(replay::Replayer);

#[wasm_bindgen]
impl Replayer {
    /// `config` is a resolved configuration as JSON.
    #[wasm_bindgen(constructor)]
    pub fn new(config: &str) -> Replayer {
        let config = serde_json::from_str(config).unwrap_or_default();
        Replayer(replay::Replayer::new(&Options::from_json(&config)))
    }

    /// `report` is a line of the log. Nothing for a line without a decision.
    pub fn replay(&mut self, report: &str) -> Result<JsValue, JsValue> {
        self.0.replay(report).map_or(Ok(JsValue::UNDEFINED), |replayed| to_js(&replayed))
    }
}

/// How a run ended.
type Outcome = Result<Rc<Answers>, Rc<Vec<RequestError>>>;

/// A run that others wait for.
#[derive(Default)]
struct Shared {
    /// The promise of the call that asks. Where that traps it rejects, and so do those who wait for it.
    call: RefCell<Option<Promise>>,
    outcome: RefCell<Option<Outcome>>,
}

/// One call of [`prune`].
struct Job {
    settings: Rc<Settings>,
    lent: Lent,
    event: Event,
    started: f64,
    in_jev: Cell<f64>,
    in_parse: Cell<f64>,
    /// Requests and questions put to Jev.
    asked: Cell<(usize, usize)>,
}

impl Job {
    fn request(&self) -> Request<'_> {
        Request {
            hook: self.lent.hook(),
            session: self.event.session.clone(),
            texts: self.event.texts(),
            places: self.event.places(),
            system_parts: self.event.system_texts(),
            native: self.event.native.clone(),
            inventory: self.lent.inventory(),
            conversation: &self.event,
            takes_messages: self.lent.takes_messages(),
        }
    }

    /// Sends the requests, all at once, and goes on when all have been replied to.
    fn ask(self: Rc<Self>, turn: Box<Turn>, run: Box<Run>, asks: Vec<Ask>) -> Result<Promise, JsValue> {
        let since = self.lent.now();
        let (calls, questions) = self.asked.get();
        self.asked.set((calls + asks.len(), questions + asks.iter().map(|ask| ask.questions).sum::<usize>()));
        let replies = Array::new();
        for ask in &asks {
            replies.push(&self.lent.ask(ask));
        }
        let settled = Promise::all_settled(&replies);
        Ok(lent::then(&settled, move |settled| {
            let now = self.lent.now();
            self.in_jev.set(self.in_jev.get() + now - since);
            let replies: Vec<Reply> =
                Array::from(&settled).iter().map(|reply| lent::to_reply(&reply)).collect();
            match PRUNER.with_borrow_mut(|pruner| pruner.answer(&turn, run, &replies, now)) {
                Step::Ask(run, asks) => self.ask(turn, run, asks),
                Step::Done(answers) => self.share(turn, Ok(answers)),
                Step::Failed(errors) => self.share(turn, Err(errors)),
            }
        }))
    }

    /// Waits for the run of another call that asks the same.
    fn join(self: Rc<Self>, turn: Box<Turn>) -> Result<Promise, JsValue> {
        let shared = UNDER_WAY.with_borrow(|runs| {
            let run = runs.iter().find(|(key, _)| key == turn.key());
            run.map(|(_, shared)| shared.clone())
        });
        let lost = || JsValue::from(JsError::new("a run under way was lost"));
        let shared = shared.ok_or_else(lost)?;
        let since = self.lent.now();
        let call = shared.call.borrow().clone().ok_or_else(lost)?;
        Ok(lent::then(&call, move |_| {
            self.in_jev.set(self.lent.now() - since);
            match shared.outcome.borrow().as_ref() {
                Some(outcome) => self.settle(&turn, outcome, true),
                None => Err(lost()),
            }
        }))
    }

    fn share(self: Rc<Self>, turn: Box<Turn>, outcome: Outcome) -> Result<Promise, JsValue> {
        let shared = UNDER_WAY.with_borrow_mut(|runs| {
            let place = runs.iter().position(|(key, _)| key == turn.key());
            place.map(|place| runs.swap_remove(place).1)
        });
        if let Some(shared) = shared {
            *shared.outcome.borrow_mut() = Some(outcome.clone());
        }
        self.settle(&turn, &outcome, false)
    }

    fn settle(&self, turn: &Turn, outcome: &Outcome, from_cache: bool) -> Result<Promise, JsValue> {
        let now = self.lent.now();
        let finished = PRUNER.with_borrow_mut(|pruner| match outcome {
            Ok(answers) => pruner.finish(turn, answers, now),
            Err(errors) => pruner.fail(turn, errors, now),
        });
        self.tell_missed(turn)?;
        self.carry_out(&finished, from_cache)
    }

    fn carry_out(&self, finished: &Finished, from_cache: bool) -> Result<Promise, JsValue> {
        let mut report = finished.report.clone();
        let (replaced, told) = self.forget_stale(&finished.plan);
        report.history = told;
        let changes = !finished.plan.is_empty() || !replaced.is_empty();
        let wanted = self.settings.options.mode == Mode::Prune && changes;
        let since = self.lent.now();
        report.applied = wanted && self.event.apply(&finished.plan, &finished.edits, &replaced)?;
        report.stats.ms_apply = self.lent.now() - since;
        if wanted && !report.applied {
            report.skipped = Some(Skipped::Sealed);
        }
        report.stats.from_cache = from_cache;
        self.tell(report)
    }

    fn tell_missed(&self, turn: &Turn) -> Result<(), JsValue> {
        let kind = match self.settings.options.mode {
            Mode::Shadow => "would_have_missed",
            _ => "missed",
        };
        for missed in turn.missed() {
            self.lent.log(kind, &to_js(missed)?);
        }
        Ok(())
    }

    /// Leaves the lists as they are; what is stale in the conversation goes all the same.
    fn skip(&self, skipped: Skipped) -> Result<Promise, JsValue> {
        let mut report = Report::skip(self.event.session.clone(), skipped, unrecognised(&self.event.texts()));
        if skipped != Skipped::Sealed && self.settings.options.mode != Mode::Off {
            let plan = Plan::default();
            let (replaced, told) = self.forget_stale(&plan);
            report.history = told;
            let wanted = self.settings.options.mode == Mode::Prune && !replaced.is_empty();
            report.applied = wanted && self.event.apply(&plan, &[], &replaced)?;
        }
        self.tell(report)
    }

    /// What the conversation loses in this request, whose lists and tools change by this plan. A conversation that
    /// cannot be read is left as it is, and the plan stands.
    fn forget_stale(&self, plan: &Plan) -> (Replaced, Option<HistorySavings>) {
        self.stale(plan).unwrap_or_else(|error| {
            let message = error.dyn_ref::<js_sys::Error>().map(|error| String::from(error.message()));
            let error = RequestError {
                request: "none".to_string(),
                what: "history".to_string(),
                message: shown_message(&message.unwrap_or_default(), |text| self.lent.redact(text)),
            };
            if let Ok(told) = to_js(&error) {
                self.lent.log("error", &told);
            }
            (Replaced::default(), None)
        })
    }

    fn stale(&self, plan: &Plan) -> Result<(Replaced, Option<HistorySavings>), JsValue> {
        let options = &self.settings.options.history;
        if !options.enabled || (self.lent.is_child() && !options.subagents) {
            return Ok((Replaced::default(), None));
        }
        let Some(conversation) = self.event.conversation(self.lent.conversation_pen())? else {
            return Ok((Replaced::default(), None));
        };
        let (system_chars, catalog_chars) = self.event.sizes();
        let outcome = HISTORY.with_borrow_mut(|sessions| {
            sessions.plan(&StaleRequest {
                session: &self.event.session,
                view: View::new(&conversation.messages, &conversation.model),
                rules: &self.settings.history,
                beginning: self.event.beginning(plan),
                is_internal: self.lent.hook() == Hook::Internal,
                system_chars,
                catalog_chars,
            })
        });
        Ok((conversation.replace(&outcome)?, Some(outcome.told)))
    }

    fn tell(&self, mut report: Report) -> Result<Promise, JsValue> {
        (report.stats.jev_calls, report.stats.jev_questions) = self.asked.get();
        report.stats.arguments_repaired =
            PRUNER.with_borrow_mut(|pruner| pruner.open.take_repairs(&report.session));
        report.stats.ms_total = self.lent.now() - self.started;
        report.stats.ms_jev = self.in_jev.get();
        report.stats.ms_rust = report.stats.ms_total - report.stats.ms_jev;
        report.stats.ms_parse = self.in_parse.get();
        for error in &mut report.errors {
            error.message = shown_message(&error.message, |text| self.lent.redact(text));
        }
        warn_of_unrecognised(&self.lent, &report.unrecognised);
        let told = told::report_to_js(&report, &self.lent.report_pen())?;
        let options = &self.settings.options;
        if options.debug_mode {
            self.lent.print(&console(&report));
        }
        if options.debug_log_file.is_some() {
            if let Some(skipped) = report.skipped {
                self.lent.log(
                    "skipped",
                    &to_js(&serde_json::json!({ "session": report.session, "why": skipped }))?,
                );
            }
            for error in &report.errors {
                self.lent.log("error", &to_js(error)?);
            }
            self.lent.log("report", &told);
        }
        Ok(Promise::resolve(&told))
    }
}

/// Warns of each unknown rendering once in a process.
fn warn_of_unrecognised(lent: &Lent, sections: &[UnreadSection]) {
    for section in sections {
        let is_new = WARNED_OF.with_borrow_mut(|known| {
            known.len() < MAX_WARNINGS && !known.contains(section) && {
                known.push(section.clone());
                true
            }
        });
        if is_new {
            lent.warn(&format!(
                "the text beginning \"{}\" is left as it is: {}. A newer plugin may know it.",
                section.first_line, section.why
            ));
        }
    }
}
