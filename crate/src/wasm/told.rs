//! Reports and other values as JavaScript sees them.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

use js_sys::{Object, JSON};
use serde::Serialize;
use wasm_bindgen::prelude::*;

use crate::report::{Details, Report};

thread_local! {
    /// Details that were told before: the steps of a turn have the same ones, and they are long.
    static TOLD: RefCell<VecDeque<(Rc<Details>, Object)>> = RefCell::default();
}

const MAX_TOLD: usize = 64;

/// A value as an object of its own.
pub fn to_js(value: &impl Serialize) -> Result<JsValue, JsValue> {
    let json = serde_json::to_string(value).map_err(|error| JsValue::from_str(&error.to_string()))?;
    JSON::parse(&json)
}

/// A report, its details in the same object. Reports with the same details share their lists.
pub fn report_to_js(report: &Report) -> Result<JsValue, JsValue> {
    let told: Object = to_js(report)?.unchecked_into();
    Ok(Object::assign(&told, &details_to_js(&report.details)?).into())
}

fn details_to_js(details: &Rc<Details>) -> Result<Object, JsValue> {
    let known = TOLD.with_borrow(|told| {
        told.iter().find(|(known, _)| Rc::ptr_eq(known, details)).map(|(_, object)| object.clone())
    });
    if let Some(known) = known {
        return Ok(known);
    }
    let object: Object = to_js(&**details)?.unchecked_into();
    TOLD.with_borrow_mut(|told| {
        told.push_back((details.clone(), object.clone()));
        if told.len() > MAX_TOLD {
            told.pop_front();
        }
    });
    Ok(object)
}
