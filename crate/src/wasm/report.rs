//! Reports and other values as JavaScript sees them.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

use js_sys::Object;
use serde::Serialize;
use serde_wasm_bindgen::Serializer;
use wasm_bindgen::prelude::*;

use crate::report::{Details, Report};

thread_local! {
    /// Details that crossed before: the steps of a turn have the same ones, and they are long.
    static KNOWN_DETAILS: RefCell<VecDeque<(Rc<Details>, Object)>> = RefCell::default();
}

/// So many candidates are kept in all: each is an object that the engine looks at whenever it collects garbage.
const MAX_KNOWN: usize = 40_000;

/// A value as JSON would have it.
pub fn to_js(value: &impl Serialize) -> Result<JsValue, JsValue> {
    Ok(value.serialize(&Serializer::json_compatible())?)
}

/// A report, its details in the same object. Reports with the same details share their lists.
pub fn report_to_js(report: &Report) -> Result<JsValue, JsValue> {
    let told: Object = to_js(report)?.unchecked_into();
    Ok(Object::assign(&told, &details_to_js(&report.details)?).into())
}

fn details_to_js(details: &Rc<Details>) -> Result<Object, JsValue> {
    let known = KNOWN_DETAILS.with_borrow(|known| {
        known.iter().find(|(known, _)| Rc::ptr_eq(known, details)).map(|(_, object)| object.clone())
    });
    if let Some(known) = known {
        return Ok(known);
    }
    let object: Object = to_js(&**details)?.unchecked_into();
    KNOWN_DETAILS.with_borrow_mut(|known| {
        known.push_back((details.clone(), object.clone()));
        while known.iter().map(|(details, _)| details.count()).sum::<usize>() > MAX_KNOWN {
            known.pop_front();
        }
    });
    Ok(object)
}
