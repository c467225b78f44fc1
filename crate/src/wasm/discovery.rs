//! The boundary for finding on demand and for argument repair. What is found and repaired is decided in
//! [`crate::discovery`] and [`crate::repair`].

use std::cell::RefCell;
use std::rc::Rc;

use js_sys::Array;
use wasm_bindgen::prelude::*;

use super::call::settings_of;
use super::report::to_js;
use super::PRUNER;
use crate::discovery::discovery_index::{index_skills, index_tools, CallResult, DiscoveryIndex};
use crate::discovery::documents::Documents;
use crate::discovery::own_tools::{definitions, OwnTool};
use crate::options::Options;
use crate::repair;

thread_local! {
    static LISTED: RefCell<Vec<Listed>> = RefCell::default();
    /// What a request named, with the fingerprint of its candidates.
    static NAMED: RefCell<Option<(u64, DiscoveryIndex)>> = RefCell::default();
}

/// What OpenCode lists for one instance of the plugin.
#[derive(Clone)]
struct Listed {
    instance: u32,
    tools: Option<Rc<Documents>>,
    skills: Option<Rc<Documents>>,
}

/// Instances whose lists are kept; a process runs one for each project that is open.
const MAX_LISTED: usize = 16;

/// The tools to register: `[{ name, description, input }]`.
#[wasm_bindgen(js_name = discoveryTools)]
pub fn discovery_tools(config: JsValue) -> Result<JsValue, JsValue> {
    to_js(&definitions(&settings_of(config).options))
}

/// Takes what OpenCode lists for one instance of the plugin, as encoded lists (see `crate::discovery::documents`).
/// What is not listed is taken from each session's own request.
#[wasm_bindgen(js_name = listFor)]
pub fn list_for(instance: u32, tools: Option<String>, skills: Option<String>, config: JsValue) {
    let options = &settings_of(config).options;
    let tools = tools.map(|listed| Rc::new(index_tools(listed, options)));
    let skills = skills.map(|listed| Rc::new(index_skills(listed, options)));
    LISTED.with_borrow_mut(|all| {
        all.retain(|known| known.instance != instance);
        if all.len() == MAX_LISTED {
            all.remove(0);
        }
        all.push(Listed { instance, tools, skills });
    });
}

/// Answers a call of one of our tools, whose input comes as JSON: text for the model. What it finds is shown in
/// the session from then on.
#[wasm_bindgen(js_name = callTool)]
pub fn call_tool(
    name: &str,
    input: &str,
    session: &str,
    instance: u32,
    config: JsValue,
) -> Result<String, JsValue> {
    let options = &settings_of(config).options;
    let Some(tool) = OwnTool::named(name) else {
        return Err(JsError::new("this plugin has no such tool").into());
    };
    let CallResult { text, found } = index_for(instance, session, options).call(tool, input, options);
    PRUNER.with_borrow_mut(|pruner| pruner.sessions.pin(session, found));
    Ok(text)
}

/// What OpenCode lists; what it does not list comes from the session's last request.
fn index_for(instance: u32, session: &str, options: &Options) -> DiscoveryIndex {
    let listed = LISTED.with_borrow(|all| all.iter().find(|known| known.instance == instance).cloned());
    let (tools, skills) = listed.map_or((None, None), |listed| (listed.tools, listed.skills));
    if let (Some(tools), Some(skills)) = (&tools, &skills) {
        return DiscoveryIndex { tools: tools.clone(), skills: skills.clone() };
    }
    let named = index_of_last_request(session, options);
    DiscoveryIndex { tools: tools.unwrap_or(named.tools), skills: skills.unwrap_or(named.skills) }
}

fn index_of_last_request(session: &str, options: &Options) -> DiscoveryIndex {
    let candidates = PRUNER.with_borrow(|pruner| pruner.sessions.offered(session));
    NAMED.with_borrow_mut(|known| match known {
        Some((fingerprint, index)) if *fingerprint == candidates.fingerprint => index.clone(),
        _ => {
            let index = DiscoveryIndex::of_candidates(&candidates, options);
            known.insert((candidates.fingerprint, index)).1.clone()
        }
    })
}

/// Mends the arguments of a call, which come as JSON, like their schema: the mended ones as JSON and then the
/// paths of what was mended, or nothing if they are as they should be.
#[wasm_bindgen(js_name = repairArguments)]
pub fn repair_arguments(session: &str, input: &str, schema: &str) -> Array {
    let out = Array::new();
    let (Ok(mut input), Ok(schema)) = (serde_json::from_str(input), serde_json::from_str(schema)) else {
        return out;
    };
    let repairs = repair::repair(&mut input, &schema);
    if repairs.is_empty() {
        return out;
    }
    PRUNER.with_borrow_mut(|pruner| pruner.sessions.count_repairs(session, repairs.len()));
    out.push(&input.to_string().into());
    for path in repairs {
        out.push(&path.into());
    }
    out
}
