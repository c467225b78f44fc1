//! What the shim says of a call besides the event: settings, hook, inventory. Conversions of values that come from
//! outside stand here too.

use std::cell::RefCell;
use std::rc::Rc;

use arcstr::ArcStr;
use js_sys::{Array, Object};
use serde_json::Value;
use wasm_bindgen::prelude::*;

use crate::candidates::inventory::{EncodedInventory, Inventory, SchemaSource, Schemas};
use crate::jev::wire::Reply;
use crate::options::given::Given;
use crate::options::Options;
use crate::request::{Hook, Settings};

#[wasm_bindgen]
extern "C" {
    /// `PruneCall` of `js-shim/prune.js`.
    type PruneCall;
    #[wasm_bindgen(method, getter, structural)]
    fn config(this: &PruneCall) -> JsValue;
    #[wasm_bindgen(method, getter, structural)]
    fn inventory(this: &PruneCall) -> JsValue;
    #[wasm_bindgen(method, getter, structural)]
    fn hook(this: &PruneCall) -> Option<String>;
    #[wasm_bindgen(method, getter, structural, js_name = fixedMessages)]
    fn fixed_messages(this: &PruneCall) -> Option<bool>;
    #[wasm_bindgen(method, getter, structural)]
    fn now(this: &PruneCall) -> f64;

    /// `Inventory` of `js-shim/inventory.js`: encoded lists.
    type Lists;
    #[wasm_bindgen(method, getter, structural)]
    fn tools(this: &Lists) -> Option<String>;
    #[wasm_bindgen(method, getter, structural)]
    fn servers(this: &Lists) -> Option<String>;
    #[wasm_bindgen(method, getter, structural)]
    fn skills(this: &Lists) -> Option<String>;
    #[wasm_bindgen(method, getter, structural, js_name = unseenServers)]
    fn unseen_servers(this: &Lists) -> Option<String>;
    /// `{ input?, output? }` of the tool at a place, as JSON; it may be missing, and then fails.
    #[wasm_bindgen(method, structural, catch)]
    fn schemas(this: &Lists, tool: usize) -> Result<Option<String>, JsValue>;

    /// `Reply` of `js-shim/jev-client.js`.
    type JsReply;
    #[wasm_bindgen(method, getter, structural)]
    fn status(this: &JsReply) -> JsValue;
    #[wasm_bindgen(method, getter, structural)]
    fn body(this: &JsReply) -> JsValue;
    #[wasm_bindgen(method, getter, structural, js_name = retryAfter)]
    fn retry_after(this: &JsReply) -> JsValue;
    #[wasm_bindgen(method, getter, structural)]
    fn failure(this: &JsReply) -> JsValue;
    #[wasm_bindgen(method, getter, structural)]
    fn message(this: &JsReply) -> JsValue;
}

thread_local! {
    /// Settings and inventories of the last calls: both stay the same objects from request to request.
    static SETTINGS: RefCell<LastUsed<Settings>> = RefCell::default();
    static INVENTORIES: RefCell<LastUsed<Inventory>> = RefCell::default();
}

/// What the shim says of a call.
pub struct Call {
    pub settings: Rc<Settings>,
    pub inventory: Rc<Inventory>,
    pub hook: Hook,
    /// Whether messages may be put among those of the event.
    pub takes_messages: bool,
    /// When it began.
    pub now_ms: f64,
}

impl Call {
    pub fn new(call: JsValue) -> Call {
        let call: PruneCall = call.unchecked_into();
        Call {
            settings: settings_of(call.config()),
            inventory: inventory_of(call.inventory()),
            hook: match call.hook().as_deref() {
                Some("generate" | "compaction") => Hook::Internal,
                Some("messages") => Hook::Messages,
                _ => Hook::Context,
            },
            takes_messages: !call.fixed_messages().unwrap_or_default(),
            now_ms: call.now(),
        }
    }
}

/// What OpenCode lists; nothing if it lists nothing, or nothing that can be read.
fn inventory_of(given: JsValue) -> Rc<Inventory> {
    if !given.is_object() {
        return Rc::default();
    }
    INVENTORIES.with_borrow_mut(|known| {
        known.get_or_make(given, |given| Rc::new(read_inventory(given.clone().unchecked_into())))
    })
}

fn read_inventory(lists: Lists) -> Inventory {
    let list = |list: Option<String>| list.map(ArcStr::from);
    let inventory = Inventory::decode(&EncodedInventory {
        tools: list(lists.tools()),
        servers: list(lists.servers()),
        skills: list(lists.skills()),
        unseen_servers: list(lists.unseen_servers()),
    });
    inventory.with_schemas(Rc::new(lists))
}

impl SchemaSource for Lists {
    fn schemas(&self, tool: usize) -> Option<Schemas> {
        let json: Value = serde_json::from_str(&Lists::schemas(self, tool).ok()??).ok()?;
        Some(Schemas { input: json.get("input").cloned(), output: json.get("output").cloned() })
    }
}

/// The settings for a resolved configuration.
pub fn settings_of(config: JsValue) -> Rc<Settings> {
    SETTINGS.with_borrow_mut(|known| {
        known.get_or_make(config, |config| {
            let given: Value = serde_wasm_bindgen::from_value(config.clone()).unwrap_or_default();
            Settings::new(Options::from_json(&given))
        })
    })
}

/// What was made of the last few JavaScript objects, the newest at the end.
struct LastUsed<T>(Vec<(JsValue, Rc<T>)>);

/// Projects and agents that are open at the same time have configurations of their own.
const MAX_LAST_USED: usize = 8;

impl<T> Default for LastUsed<T> {
    fn default() -> Self {
        LastUsed(Vec::new())
    }
}

impl<T> LastUsed<T> {
    fn get_or_make(&mut self, object: JsValue, make: impl FnOnce(&JsValue) -> Rc<T>) -> Rc<T> {
        if let Some((_, known)) = self.0.iter().find(|(known, _)| *known == object) {
            return known.clone();
        }
        if self.0.len() == MAX_LAST_USED {
            self.0.remove(0);
        }
        let made = make(&object);
        self.0.push((object, made.clone()));
        made
    }
}

/// A reply as the shim hands it on.
pub fn to_reply(reply: &JsValue) -> Reply {
    let failed =
        |failure: &str, message: &str| Reply::Failed { failure: failure.into(), message: message.into() };
    if !reply.is_object() {
        return failed("network", "the request could not be made");
    }
    let reply: &JsReply = reply.unchecked_ref();
    match (reply.status().as_f64(), reply.body().as_string()) {
        (Some(status), Some(body)) => {
            Reply::Http { status: status as u16, body, retry_after: reply.retry_after().as_string() }
        }
        _ => failed(
            &reply.failure().as_string().unwrap_or("network".to_string()),
            &reply.message().as_string().unwrap_or_default(),
        ),
    }
}

/// A value from a person's configuration, whatever it is.
pub fn to_given(value: &JsValue) -> Given {
    if value.is_null() || value.is_undefined() {
        return Given::Nothing;
    }
    if let Some(flag) = value.as_bool() {
        return Given::Flag(flag);
    }
    if let Some(number) = value.as_f64() {
        return Given::Number(number);
    }
    if let Some(text) = value.as_string() {
        return Given::Text(text);
    }
    if value.is_function() {
        return Given::Other("a function");
    }
    if Array::is_array(value) {
        return Given::List(Array::from(value).iter().map(|item| to_given(&item)).collect());
    }
    match value.dyn_ref::<Object>() {
        Some(object) => Given::Map(
            Object::entries(object)
                .iter()
                .map(|entry| {
                    let entry = Array::from(&entry);
                    (entry.get(0).as_string().unwrap_or_default(), to_given(&entry.get(1)))
                })
                .collect(),
        ),
        None => Given::Other("a value of another kind"),
    }
}
