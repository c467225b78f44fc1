//! What the shim lends the module: its functions, the configuration, the inventory. Conversions of values
//! that come from outside stand here too.

use std::cell::RefCell;
use std::rc::Rc;

use arcstr::ArcStr;
use js_sys::{Array, Object, Promise, JSON};
use serde_json::Value;
use wasm_bindgen::prelude::*;

use crate::candidates::inventory::{EncodedInventory, Inventory, SchemaSource, Schemas};
use crate::jev::wire::Reply;
use crate::options::resolve::Given;
use crate::options::Options;
use crate::pruning::asking::Ask;
use crate::pruning::request::{Hook, Settings};

use super::told::ReportPen;

#[wasm_bindgen]
extern "C" {
    /// The second argument of `prune`.
    #[wasm_bindgen(typescript_type = "unknown")]
    type Functions;
    #[wasm_bindgen(method, getter, structural)]
    fn config(this: &Functions) -> JsValue;
    #[wasm_bindgen(method, getter, structural)]
    fn inventory(this: &Functions) -> JsValue;
    #[wasm_bindgen(method, structural)]
    fn now(this: &Functions) -> f64;
    #[wasm_bindgen(method, structural, catch)]
    fn ask(this: &Functions, body: &str, limits: &JsValue) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, structural, catch)]
    fn warn(this: &Functions, text: &str) -> Result<(), JsValue>;
    #[wasm_bindgen(method, getter, structural)]
    fn hook(this: &Functions) -> JsValue;
    #[wasm_bindgen(method, getter, structural)]
    fn child(this: &Functions) -> JsValue;
    #[wasm_bindgen(method, getter, structural)]
    fn event(this: &Functions) -> JsValue;
    #[wasm_bindgen(method, getter, structural)]
    fn conversation(this: &Functions) -> JsValue;
    #[wasm_bindgen(method, getter, structural)]
    fn report(this: &Functions) -> ReportPen;
    #[wasm_bindgen(method, getter, structural, js_name = fixedMessages)]
    fn fixed_messages(this: &Functions) -> JsValue;
    #[wasm_bindgen(method, structural, catch)]
    fn print(this: &Functions, text: &str) -> Result<(), JsValue>;
    #[wasm_bindgen(method, structural, catch)]
    fn log(this: &Functions, event: &str, fields: &JsValue) -> Result<(), JsValue>;
    #[wasm_bindgen(method, structural, catch)]
    fn redact(this: &Functions, text: &str) -> Result<String, JsValue>;

    /// The host's lists, encoded: see `crate::candidates::inventory`.
    type Lists;
    #[wasm_bindgen(method, getter, structural)]
    fn tools(this: &Lists) -> Option<String>;
    #[wasm_bindgen(method, getter, structural)]
    fn servers(this: &Lists) -> Option<String>;
    #[wasm_bindgen(method, getter, structural)]
    fn skills(this: &Lists) -> Option<String>;
    #[wasm_bindgen(method, getter, structural, js_name = unseenServers)]
    fn unseen_servers(this: &Lists) -> Option<String>;
    /// `{ input?, output? }` of the tool at a place, as JSON.
    #[wasm_bindgen(method, structural, catch)]
    fn schemas(this: &Lists, tool: usize) -> Result<Option<String>, JsValue>;

    /// What `Promise.allSettled` says of one promise.
    type Settled;
    #[wasm_bindgen(method, getter, structural)]
    fn value(this: &Settled) -> JsValue;

    /// What `ask` promises.
    type Told;
    #[wasm_bindgen(method, getter, structural)]
    fn status(this: &Told) -> JsValue;
    #[wasm_bindgen(method, getter, structural)]
    fn body(this: &Told) -> JsValue;
    #[wasm_bindgen(method, getter, structural, js_name = retryAfter)]
    fn retry_after(this: &Told) -> JsValue;
    #[wasm_bindgen(method, getter, structural)]
    fn failure(this: &Told) -> JsValue;
    #[wasm_bindgen(method, getter, structural)]
    fn message(this: &Told) -> JsValue;

    #[wasm_bindgen(js_name = Promise)]
    type Chain;
    #[wasm_bindgen(method, js_name = then)]
    fn then_do(this: &Chain, next: &JsValue) -> Promise;
}

thread_local! {
    /// Settings and inventory of the last call: both stay the same objects from request to request.
    static LAST_SETTINGS: RefCell<Option<(JsValue, Rc<Settings>)>> = RefCell::default();
    static LAST_INVENTORY: RefCell<Option<(JsValue, Rc<Inventory>)>> = RefCell::default();
}

pub struct Lent(Functions);

impl Lent {
    pub fn new(options: JsValue) -> Result<Lent, JsValue> {
        let functions: Functions = options.unchecked_into();
        for name in ["ask", "now"] {
            let lent = js_sys::Reflect::get(&functions, &name.into())?;
            if !lent.is_function() {
                return Err(JsError::new(&format!("prune: options.{name} must be a function")).into());
            }
        }
        Ok(Lent(functions))
    }

    /// Whether everything is lent that an event needs; half of it would fail halfway.
    pub fn check_for_events(&self) -> Result<(), JsValue> {
        for name in ["event", "report"] {
            if !js_sys::Reflect::get(&self.0, &name.into())?.is_object() {
                return Err(JsError::new(&format!("prune: options.{name} must hold functions")).into());
            }
        }
        Ok(())
    }

    pub fn settings(&self) -> Result<Rc<Settings>, JsValue> {
        Ok(settings_of(self.0.config()))
    }

    /// What the host lists; nothing if it lists nothing, or nothing that can be read.
    pub fn inventory(&self) -> Rc<Inventory> {
        let given = self.0.inventory();
        if !given.is_object() {
            return Rc::default();
        }
        let known = LAST_INVENTORY.with_borrow(|last| same(last, &given));
        known.unwrap_or_else(|| {
            let inventory = Rc::new(read_inventory(given.clone().unchecked_into()));
            LAST_INVENTORY.set(Some((given, inventory.clone())));
            inventory
        })
    }

    pub fn now(&self) -> f64 {
        self.0.now()
    }

    /// Which hook brings the request; without a word it is the model call itself.
    pub fn hook(&self) -> Hook {
        match self.0.hook().as_string().as_deref() {
            Some("generate" | "compaction") => Hook::Internal,
            Some("messages") => Hook::Messages,
            _ => Hook::Context,
        }
    }

    /// Whether the session is a child of another one.
    pub fn is_child(&self) -> bool {
        self.0.child().is_truthy()
    }

    /// What reads an event and changes it.
    pub fn event_pen(&self) -> JsValue {
        self.0.event()
    }

    /// What draws the lists of a report.
    pub fn report_pen(&self) -> ReportPen {
        self.0.report()
    }

    /// What reads a conversation and draws it anew.
    pub fn conversation_pen(&self) -> JsValue {
        self.0.conversation()
    }

    /// Whether messages may be put among those of the event.
    pub fn takes_messages(&self) -> bool {
        !self.0.fixed_messages().is_truthy()
    }

    /// The promise of a reply; a function that throws has failed like one that rejects.
    pub fn ask(&self, ask: &Ask) -> JsValue {
        let limits = Object::new();
        let set = |name: &str, value: JsValue| js_sys::Reflect::set(&limits, &name.into(), &value);
        let _ = set("label", JsValue::from(&ask.label));
        let _ = set("timeoutMs", JsValue::from(ask.timeout_ms));
        let _ = set("delayMs", JsValue::from(ask.delay_ms));
        self.0.ask(&ask.body, &limits).unwrap_or(JsValue::UNDEFINED)
    }

    pub fn warn(&self, text: &str) {
        let _ = self.0.warn(text);
    }

    /// A message that others worded, without the key; without a function for that, without the message.
    pub fn redact(&self, message: &str) -> String {
        self.0.redact(message).unwrap_or_default()
    }

    pub fn print(&self, text: &str) {
        // Telling must not stand in the way of the request.
        let _ = self.0.print(text);
    }

    pub fn log(&self, event: &str, fields: &JsValue) {
        let _ = self.0.log(event, fields);
    }
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
    let known = LAST_SETTINGS.with_borrow(|last| same(last, &config));
    if let Some(settings) = known {
        return settings;
    }
    let options: Options = match config.is_undefined() {
        true => Options::default(),
        false => Options::from_json(&to_json(&config)),
    };
    let settings = Settings::new(options);
    LAST_SETTINGS.set(Some((config, settings.clone())));
    settings
}

fn same<T>(last: &Option<(JsValue, Rc<T>)>, object: &JsValue) -> Option<Rc<T>> {
    last.as_ref().filter(|(known, _)| known == object).map(|(_, value)| value.clone())
}

/// Goes on with `next` when the promise has resolved.
pub fn then(promise: &Promise, next: impl FnOnce(JsValue) -> Result<Promise, JsValue> + 'static) -> Promise {
    chain(promise, Box::new(next))
}

/// One kind of callback for all that goes on; each further kind is more glue.
fn chain(promise: &Promise, next: Box<dyn FnOnce(JsValue) -> Result<Promise, JsValue>>) -> Promise {
    let callback = Closure::once_into_js(move |value: JsValue| -> Result<JsValue, JsValue> {
        next(value).map(JsValue::from)
    });
    promise.unchecked_ref::<Chain>().then_do(&callback)
}

pub fn to_reply(settled: &JsValue) -> Reply {
    let value = settled.unchecked_ref::<Settled>().value();
    let failed =
        |failure: &str, message: &str| Reply::Failed { failure: failure.into(), message: message.into() };
    if !value.is_object() {
        return failed("network", "the request could not be made");
    }
    let told: Told = value.unchecked_into();
    match (told.status().as_f64(), told.body().as_string()) {
        (Some(status), Some(body)) => {
            Reply::Http { status: status as u16, body, retry_after: told.retry_after().as_string() }
        }
        _ => failed(
            &told.failure().as_string().unwrap_or("network".to_string()),
            &told.message().as_string().unwrap_or_default(),
        ),
    }
}

/// A value as JSON has it; nothing for what JSON cannot hold.
pub fn to_json(value: &JsValue) -> Value {
    let text = JSON::stringify(value).map(String::from).unwrap_or_default();
    serde_json::from_str(&text).unwrap_or_default()
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
