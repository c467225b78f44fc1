//! One request on its way through the core. The shim drives it (`js-shim/prune.js`):
//!
//! ```js
//! const pruning = core.prune(snapshot, call);
//! while (pruning.requests.length > 0) pruning.answer(await send(pruning.requests), now());
//! const applied = applyChange(pruning.change());
//! const { report } = pruning.tell(applied, durations);
//! ```

use std::cell::RefCell;
use std::rc::Rc;

use js_sys::{Array, Object, Reflect};
use wasm_bindgen::prelude::*;

use super::call::{to_reply, Call};
use super::event::{Change, Event, Snapshot};
use super::report::{report_to_js, to_js};
use super::{HISTORY, PRUNER};
use crate::history::session::{Outcome as HistoryOutcome, Request as HistoryRequest};
use crate::history::view::View;
use crate::jev::wire::Reply;
use crate::opencode::UnreadSection;
use crate::options::Mode;
use crate::plan::Plan;
use crate::pruning::asking::Ask;
use crate::pruning::{Asked, Finished, Outcome, Step};
use crate::report::{console, shown_message, Report, Skipped};
use crate::request::facts::unrecognised;
use crate::request::{Hook, Request};
use crate::session::memory::Missed;

thread_local! {
    /// Unknown renderings that were warned of.
    static WARNED_OF: RefCell<Vec<UnreadSection>> = RefCell::default();
}

const MAX_WARNINGS: usize = 20;

/// A request that is being pruned.
#[wasm_bindgen]
pub struct Pruning {
    call: Call,
    event: Event,
    stage: Stage,
    requests: Array,
    /// Requests and questions put to Jev.
    asked: (usize, usize),
}

enum Stage {
    Asking(Box<Asked>),
    Ended(Box<Ending>),
    /// Gone on with, or told of: nothing is left to do.
    Over,
}

/// How a request ends.
struct Ending {
    report: Report,
    /// None where the lists stay as they are.
    finished: Option<Rc<Finished>>,
    history: Option<HistoryOutcome>,
    missed: Vec<Missed>,
    is_changed: bool,
}

/// Begins with a request. `snapshot` is what the shim has read of the event.
#[wasm_bindgen]
pub fn prune(
    #[wasm_bindgen(unchecked_param_type = "Snapshot")] snapshot: JsValue,
    #[wasm_bindgen(unchecked_param_type = "PruneCall")] call: JsValue,
) -> Result<Pruning, JsValue> {
    let (call, event) = (Call::new(call), Event::read(snapshot.unchecked_into::<Snapshot>())?);
    let stage = Stage::Over;
    let mut pruning = Pruning { call, event, stage, requests: Array::new(), asked: (0, 0) };
    let skipped = match pruning.call.hook {
        _ if pruning.event.is_sealed => Some(Skipped::Sealed),
        Hook::Messages => Some(Skipped::OnlyHistory),
        Hook::Context | Hook::Internal => None,
    };
    let step = match skipped {
        Some(skipped) => Step::Skip(skipped),
        None => PRUNER.with_borrow_mut(|pruner| {
            let Call { settings, now_ms, .. } = &pruning.call;
            pruner.begin(pruning.request(), settings, *now_ms)
        }),
    };
    pruning.take(step);
    Ok(pruning)
}

#[wasm_bindgen]
impl Pruning {
    /// What is to be done before it goes on; nothing at its end.
    #[wasm_bindgen(getter, unchecked_return_type = "Wanted[]")]
    pub fn requests(&self) -> Array {
        self.requests.clone()
    }

    /// The number under which others may wait for this one.
    #[wasm_bindgen(getter)]
    pub fn exchange(&self) -> Option<u32> {
        match &self.stage {
            Stage::Asking(asked) => Some(asked.exchange()),
            _ => None,
        }
    }

    /// Takes the replies to the requests, in their order. `now_ms` is the clock of the call.
    pub fn answer(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "(Reply | undefined)[]")] replies: Array,
        now_ms: f64,
    ) {
        let Stage::Asking(asked) = std::mem::replace(&mut self.stage, Stage::Over) else { return };
        let replies: Vec<Reply> = replies.iter().map(|reply| to_reply(&reply)).collect();
        let step = PRUNER.with_borrow_mut(|pruner| pruner.answer(asked, &replies, now_ms));
        self.take(step);
    }

    /// What becomes of the event; nothing if it stays as it is.
    #[wasm_bindgen(unchecked_return_type = "Change | undefined")]
    pub fn change(&self) -> JsValue {
        match &self.stage {
            Stage::Ended(ending) if ending.is_changed => {
                let finished = ending.finished.as_deref();
                Change::new(finished, ending.history.as_ref()).into()
            }
            _ => JsValue::UNDEFINED,
        }
    }

    /// What a person is told at the end. `applied` says whether the change was made.
    #[wasm_bindgen(unchecked_return_type = "Telling")]
    pub fn tell(
        &mut self,
        applied: bool,
        #[wasm_bindgen(unchecked_param_type = "Durations")] ms: JsValue,
    ) -> Result<JsValue, JsValue> {
        let Stage::Ended(ending) = std::mem::replace(&mut self.stage, Stage::Over) else {
            return Err(JsError::new("prune: told of before its end").into());
        };
        let Ending { mut report, missed, is_changed, .. } = *ending;
        report.applied = is_changed && applied;
        if is_changed && !applied {
            report.skipped = Some(Skipped::Sealed);
        }
        let duration = |name: &str| Reflect::get(&ms, &name.into()).ok().and_then(|ms| ms.as_f64());
        let stats = &mut report.stats;
        (stats.jev_calls, stats.jev_questions) = self.asked;
        stats.arguments_repaired =
            PRUNER.with_borrow_mut(|pruner| pruner.sessions.take_repairs(&report.session));
        stats.ms_total = duration("total").unwrap_or_default();
        stats.ms_jev = duration("jev").unwrap_or_default();
        stats.ms_rust = stats.ms_total - stats.ms_jev;
        stats.ms_parse = duration("read").unwrap_or_default();
        stats.ms_apply = duration("apply").unwrap_or_default();
        for error in &mut report.errors {
            error.message = shown_message(&error.message);
        }
        self.telling(&report, &missed)
    }
}

impl Pruning {
    fn request(&self) -> Request<'_> {
        Request {
            hook: self.call.hook,
            session: self.event.session.clone(),
            texts: self.event.texts(),
            places: self.event.places(),
            system_parts: self.event.system_texts(),
            native: self.event.native.clone(),
            inventory: self.call.inventory.clone(),
            conversation: &self.event,
            takes_messages: self.call.takes_messages,
        }
    }

    fn take(&mut self, step: Step) {
        self.requests = Array::new();
        self.stage = match step {
            Step::Skip(skipped) => Stage::Ended(Box::new(self.skip(skipped))),
            Step::Done(outcome) => Stage::Ended(Box::new(self.end(outcome))),
            Step::Ask(asked, asks) => {
                let questions: usize = asks.iter().map(|ask| ask.questions).sum();
                self.asked = (self.asked.0 + asks.len(), self.asked.1 + questions);
                let wanted = |Ask { body, label, delay_ms, timeout_ms, .. }: &Ask| {
                    request_to_js(body, label, *timeout_ms, *delay_ms)
                };
                self.requests = asks.iter().map(wanted).collect();
                Stage::Asking(asked)
            }
            Step::Wait(asked) => {
                let wanted = Object::new();
                let _ = Reflect::set(&wanted, &"exchange".into(), &asked.exchange().into());
                self.requests.push(&wanted);
                Stage::Asking(asked)
            }
        };
    }

    fn end(&self, outcome: Outcome) -> Ending {
        let Outcome { finished, missed, from_cache } = outcome;
        let mut report = finished.report.clone();
        report.stats.from_cache = from_cache;
        let history = self.prune_history(&finished.plan);
        self.ending(report, Some(finished), history, missed)
    }

    /// Leaves the lists as they are; what is stale in the conversation goes all the same.
    fn skip(&self, skipped: Skipped) -> Ending {
        let report = Report::skip(self.event.session.clone(), skipped, unrecognised(&self.event.texts()));
        let may_prune = skipped != Skipped::Sealed && self.call.settings.options.mode != Mode::Off;
        let history = may_prune.then(|| self.prune_history(&Plan::default())).flatten();
        self.ending(report, None, history, Vec::new())
    }

    fn ending(
        &self,
        mut report: Report,
        finished: Option<Rc<Finished>>,
        history: Option<HistoryOutcome>,
        missed: Vec<Missed>,
    ) -> Ending {
        let changes_lists = finished.as_ref().is_some_and(|finished| !finished.plan.is_empty());
        let changes_history = history.as_ref().is_some_and(|history| !history.is_empty());
        let is_changed = self.call.settings.options.mode == Mode::Prune && (changes_lists || changes_history);
        report.history = history.as_ref().map(|history| history.savings.clone());
        Ending { report, finished, history, missed, is_changed }
    }

    /// What the conversation loses in this request, whose lists and tools change by this plan.
    fn prune_history(&self, plan: &Plan) -> Option<HistoryOutcome> {
        let conversation = self.event.conversation.as_ref()?;
        let (system_chars, catalog_chars) = self.event.sizes();
        Some(HISTORY.with_borrow_mut(|sessions| {
            sessions.plan(&HistoryRequest {
                session: &self.event.session,
                view: View::new(&conversation.messages, &conversation.model),
                rules: &self.call.settings.history,
                beginning: self.event.beginning(plan),
                is_internal: self.call.hook == Hook::Internal,
                system_chars,
                catalog_chars,
            })
        }))
    }

    fn telling(&self, report: &Report, missed: &[Missed]) -> Result<JsValue, JsValue> {
        let options = &self.call.settings.options;
        let (told, log) = (report_to_js(report)?, Array::new());
        let line = |kind: &str, fields: &JsValue| log.push(&Array::of2(&kind.into(), fields));
        if options.debug_log_file.is_some() {
            let kind = if options.mode == Mode::Shadow { "would_have_missed" } else { "missed" };
            for missed in missed {
                line(kind, &to_js(missed)?);
            }
            if let Some(skipped) = report.skipped {
                line("skipped", &to_js(&serde_json::json!({ "session": report.session, "why": skipped }))?);
            }
            for error in &report.errors {
                line("error", &to_js(error)?);
            }
            line("report", &told);
        }
        let out = Object::new();
        let set = |name: &str, value: &JsValue| Reflect::set(&out, &name.into(), value);
        set("report", &told)?;
        set("log", &log)?;
        set("console", &options.debug_mode.then(|| console(report)).into())?;
        set("warnings", &new_warnings(&report.unrecognised))?;
        Ok(out.into())
    }
}

/// See `JevRequest` in the TypeScript types.
pub(super) fn request_to_js(body: &str, label: &str, timeout_ms: f64, delay_ms: f64) -> JsValue {
    let request = Object::new();
    let set = |name: &str, value: JsValue| Reflect::set(&request, &name.into(), &value);
    let _ = set("body", body.into());
    let _ = set("label", label.into());
    let _ = set("timeoutMs", timeout_ms.into());
    let _ = set("delayMs", delay_ms.into());
    request.into()
}

/// A warning of each unknown rendering, once in a process.
fn new_warnings(sections: &[UnreadSection]) -> Array {
    let is_new = |section: &&UnreadSection| {
        WARNED_OF.with_borrow_mut(|known| {
            known.len() < MAX_WARNINGS && !known.contains(section) && {
                known.push((*section).clone());
                true
            }
        })
    };
    let warning = |UnreadSection { first_line, why }: &UnreadSection| {
        format!("the text beginning \"{first_line}\" is left as it is: {why}. A newer plugin may know it.")
    };
    sections.iter().filter(is_new).map(|section| JsValue::from(warning(section))).collect()
}
