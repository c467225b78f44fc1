//! The request's own tool map: which tools stand in it, and how long their definitions are.
//!
//! The same tools come with every request of a session, so nothing of them is copied twice: strings are
//! numbered in a JavaScript `Map`, and a set of tools is known again by its numbers.

use std::cell::RefCell;
use std::rc::Rc;

use js_sys::{Object, Reflect, JSON};
use wasm_bindgen::prelude::*;

use super::event::{OrUndefined, Tool, EXECUTE};
use crate::candidates::{NativeTool, NativeTools};
use crate::hashing::HashMap;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_name = Map)]
    type Numbers;
    #[wasm_bindgen(constructor, js_class = "Map")]
    fn new() -> Numbers;
    #[wasm_bindgen(method, js_name = get)]
    fn number_of(this: &Numbers, text: &JsValue) -> Option<f64>;
    #[wasm_bindgen(method, js_name = set)]
    fn set_number(this: &Numbers, text: &JsValue, number: f64);
}

thread_local! {
    static KNOWN: RefCell<KnownTools> = RefCell::default();
}

/// All tools that a request offers natively but `execute`, in its order.
pub fn native_tools(tools: &Object) -> Rc<NativeTools> {
    KNOWN.with_borrow_mut(|known| known.read(tools))
}

struct KnownTools {
    numbers: Numbers,
    next: f64,
    sets: HashMap<Vec<u64>, Rc<NativeTools>>,
    /// The length of a tool's schema, by its name and the length of its description: an estimate that costs
    /// nothing for a tool whose words change and whose schema does not.
    schema_chars: HashMap<(u64, usize), i64>,
}

const MAX_NUMBERS: f64 = 50_000.0;
const MAX_SETS: usize = 64;

impl Default for KnownTools {
    fn default() -> Self {
        KnownTools {
            numbers: Numbers::new(),
            next: 0.0,
            sets: HashMap::default(),
            schema_chars: HashMap::default(),
        }
    }
}

/// A tool of the map, with the numbers of its name and its description.
struct Numbered {
    name: (JsValue, u64),
    description: (JsValue, u64),
    tool: JsValue,
}

impl KnownTools {
    fn read(&mut self, tools: &Object) -> Rc<NativeTools> {
        if self.next > MAX_NUMBERS || self.sets.len() >= MAX_SETS {
            *self = KnownTools::default();
        }
        let execute = self.number(&EXECUTE.into());
        let keys = Object::keys(tools);
        let numbered: Vec<Numbered> = keys
            .iter()
            .filter_map(|name| {
                let tool = Reflect::get(tools, &name).ok().filter(JsValue::is_object)?;
                let number = self.number(&name);
                let description = tool.unchecked_ref::<Tool>().description().or_undefined();
                let description_number = self.number(&description);
                (number != execute).then_some(Numbered {
                    name: (name, number),
                    description: (description, description_number),
                    tool,
                })
            })
            .collect();
        let key: Vec<u64> = numbered.iter().flat_map(|tool| [tool.name.1, tool.description.1]).collect();
        if let Some(known) = self.sets.get(&key) {
            return known.clone();
        }
        let tools: Vec<NativeTool> = numbered.into_iter().filter_map(|tool| self.copy(&tool)).collect();
        let tools = Rc::new(NativeTools::from(tools));
        self.sets.insert(key, tools.clone());
        tools
    }

    fn copy(&mut self, numbered: &Numbered) -> Option<NativeTool> {
        let name = numbered.name.0.as_string()?;
        let description = numbered.description.0.as_string().unwrap_or_default();
        let schema_chars =
            self.schema_chars.entry((numbered.name.1, description.len())).or_insert_with(|| {
                let whole = JSON::stringify(&numbered.tool).map_or(0, |json| i64::from(json.length()));
                whole - description.chars().count() as i64
            });
        let chars = *schema_chars + description.chars().count() as i64;
        Some(NativeTool { name, description, chars })
    }

    /// The number of a text; everything else has the number of nothing, so that no object is held.
    fn number(&mut self, text: &JsValue) -> u64 {
        let nothing = JsValue::UNDEFINED;
        let text = if text.is_string() { text } else { &nothing };
        let number = self.numbers.number_of(text).unwrap_or_else(|| {
            self.next += 1.0;
            self.numbers.set_number(text, self.next);
            self.next
        });
        number as u64
    }
}
