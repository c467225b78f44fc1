//! Reports and other values as JavaScript sees them.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

use js_sys::{Float64Array, Object, Uint32Array, JSON};
use serde::Serialize;
use wasm_bindgen::prelude::*;

use crate::encoded_list::EncodedList;
use crate::report::{Details, Judged, Removed, Report};

#[wasm_bindgen]
extern "C" {
    /// What the shim lends for a report (`js-shim/report.js`).
    pub type ReportPen;
    #[wasm_bindgen(method, structural, catch)]
    fn details(
        this: &ReportPen,
        names: &str,
        counts: Uint32Array,
        numbers: Float64Array,
        words: &str,
    ) -> Result<Object, JsValue>;
}

thread_local! {
    /// Details that were told before: the steps of a turn have the same ones, and they are long.
    static TOLD: RefCell<VecDeque<(Rc<Details>, Object)>> = RefCell::default();
}

/// So many candidates are kept in all: each is an object that the engine looks at whenever it collects garbage.
const MAX_TOLD: usize = 40_000;

/// A value as an object of its own.
pub fn to_js(value: &impl Serialize) -> Result<JsValue, JsValue> {
    let json = serde_json::to_string(value).map_err(|error| JsValue::from_str(&error.to_string()))?;
    JSON::parse(&json)
}

/// A report, its details in the same object. Reports with the same details share their lists.
pub fn report_to_js(report: &Report, pen: &ReportPen) -> Result<JsValue, JsValue> {
    let told: Object = to_js(report)?.unchecked_into();
    Ok(Object::assign(&told, &details_to_js(&report.details, pen)?).into())
}

fn details_to_js(details: &Rc<Details>, pen: &ReportPen) -> Result<Object, JsValue> {
    let known = TOLD.with_borrow(|told| {
        told.iter().find(|(known, _)| Rc::ptr_eq(known, details)).map(|(_, object)| object.clone())
    });
    if let Some(known) = known {
        return Ok(known);
    }
    let object = drawn(details, pen)?;
    TOLD.with_borrow_mut(|told| {
        told.push_back((details.clone(), object.clone()));
        while told.iter().map(|(details, _)| details.count()).sum::<usize>() > MAX_TOLD {
            told.pop_front();
        }
    });
    Ok(object)
}

fn drawn(details: &Details, pen: &ReportPen) -> Result<Object, JsValue> {
    let Details { servers, tools, skills, removed } = details;
    let Removed { native_tools, servers: gone, mcp_instructions } = removed;
    let (mut names, mut words, mut numbers) = (EncodedList::default(), Words::default(), Vec::new());
    let judged = || servers.iter().chain(tools).chain(skills);
    names.extend(judged().map(|judged| &judged.name));
    names.extend(native_tools.iter().chain(gone).chain(mcp_instructions));
    for Judged { score, chars, decision, reason, .. } in judged() {
        let (decision, reason) = (words.number(decision.name()), words.number(reason.name()));
        numbers.extend([score.unwrap_or(f64::NAN), *chars as f64, decision, reason]);
    }
    let counts =
        [servers.len(), tools.len(), skills.len(), native_tools.len(), gone.len(), mcp_instructions.len()];
    let counts = counts.map(|count| count as u32);
    pen.details(
        names.as_str(),
        Uint32Array::from(counts.as_slice()),
        Float64Array::from(numbers.as_slice()),
        words.list().as_str(),
    )
}

/// A few words that come again and again, each told once.
#[derive(Default)]
struct Words(Vec<&'static str>);

impl Words {
    fn list(&self) -> EncodedList {
        let mut list = EncodedList::default();
        list.extend(&self.0);
        list
    }

    fn number(&mut self, word: &'static str) -> f64 {
        let known = self.0.iter().position(|known| *known == word);
        let number = known.unwrap_or_else(|| {
            self.0.push(word);
            self.0.len() - 1
        });
        number as f64
    }
}
