//! The event that OpenCode hands to the hook (`opencode-host.md` §4): reading it, and changing it.
//!
//! Nothing of the event is changed in place but its own fields and the keys of its tool map; parts,
//! messages and tool definitions are replaced by new objects, since the host may store edits of the old
//! ones (§1.5).

use std::cell::RefCell;
use std::rc::Rc;

use js_sys::{Array, JsString, Object, Reflect, JSON};
use wasm_bindgen::prelude::*;

use crate::available::ReadText;
use crate::candidates::NativeTools;
use crate::hashing::{HashMap, HashSet};
use crate::host::messages::{Conversation, Role, TextPart, Use};
use crate::host::text::Edit;
use crate::plan::Plan;
use crate::search::tools::LOAD_TOOL;

use super::native::native_tools;

use super::history::Replaced;

#[wasm_bindgen]
extern "C" {
    pub(super) type HostEvent;
    #[wasm_bindgen(method, getter, structural, catch, js_name = sessionID)]
    fn session_id(this: &HostEvent) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, getter, structural, catch)]
    fn system(this: &HostEvent) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, getter, structural, catch)]
    fn messages(this: &HostEvent) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, getter, structural, catch)]
    fn tools(this: &HostEvent) -> Result<JsValue, JsValue>;

    type Message;
    #[wasm_bindgen(method, getter, structural, catch)]
    fn id(this: &Message) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, getter, structural, catch)]
    fn role(this: &Message) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, getter, structural, catch)]
    fn content(this: &Message) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, getter, structural, catch)]
    fn metadata(this: &Message) -> Result<JsValue, JsValue>;

    type Part;
    #[wasm_bindgen(method, getter, structural, catch, js_name = type)]
    fn kind(this: &Part) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, getter, structural, catch)]
    fn text(this: &Part) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, getter, structural, catch)]
    fn id(this: &Part) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, getter, structural, catch)]
    fn name(this: &Part) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, getter, structural, catch)]
    fn input(this: &Part) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, getter, structural, catch)]
    fn result(this: &Part) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, getter, structural, catch)]
    fn metadata(this: &Part) -> Result<JsValue, JsValue>;

    pub type Tool;
    #[wasm_bindgen(method, getter, structural, catch)]
    pub fn description(this: &Tool) -> Result<JsValue, JsValue>;

    type Attachment;
    #[wasm_bindgen(method, getter, structural, catch)]
    fn attachment(this: &Attachment) -> Result<JsValue, JsValue>;
}

/// A property that cannot be read is as good as not there.
pub trait OrUndefined {
    fn or_undefined(self) -> JsValue;
}

impl OrUndefined for Result<JsValue, JsValue> {
    fn or_undefined(self) -> JsValue {
        self.unwrap_or(JsValue::UNDEFINED)
    }
}

pub const EXECUTE: &str = "execute";

/// Where a text stands.
pub(super) enum Place {
    System(u32),
    Message { message: u32, part: u32 },
    ExecuteDescription,
}

pub(super) struct Found {
    pub(super) place: Place,
    source: JsString,
    pub(super) read: Rc<ReadText>,
}

pub struct Event {
    pub(super) event: HostEvent,
    system: Array,
    pub(super) messages: Array,
    roles: Vec<Role>,
    tools: Object,
    pub(super) found: Vec<Found>,
    pub session: String,
    pub native: Rc<NativeTools>,
}

impl Event {
    pub fn read(event: JsValue) -> Result<Event, JsValue> {
        if !event.is_object() {
            return Err(JsError::new("prune: the event must be an object").into());
        }
        let event: HostEvent = event.unchecked_into();
        let (system, messages) =
            (array(event.system().or_undefined()), array(event.messages().or_undefined()));
        let tools: Object = Some(event.tools().or_undefined())
            .filter(JsValue::is_object)
            .map_or_else(Object::new, JsCast::unchecked_into);
        let mut read = Event {
            session: event.session_id().or_undefined().as_string().unwrap_or_default(),
            roles: messages.iter().map(|message| role_of(&message)).collect(),
            native: native_tools(&tools),
            found: Vec::new(),
            event,
            system,
            messages,
            tools,
        };
        read.find_texts();
        Ok(read)
    }

    fn find_texts(&mut self) {
        let mut found = Vec::new();
        for (at, part) in self.system.iter().enumerate() {
            found.extend(Found::in_part(Place::System(at as u32), &part));
        }
        for (message, _) in self.roles.iter().enumerate().filter(|(_, role)| **role == Role::System) {
            for (part, value) in self.content(message).iter().enumerate() {
                found.extend(Found::in_part(
                    Place::Message { message: message as u32, part: part as u32 },
                    &value,
                ));
            }
        }
        if let Some(execute) = self.execute() {
            found.extend(Found::new(
                Place::ExecuteDescription,
                execute.unchecked_ref::<Tool>().description().or_undefined(),
            ));
        }
        self.found = found;
    }

    fn execute(&self) -> Option<JsValue> {
        self.tool(EXECUTE)
    }

    fn tool(&self, name: &str) -> Option<JsValue> {
        Reflect::get(&self.tools, &name.into()).ok().filter(JsValue::is_object)
    }

    fn content(&self, message: usize) -> Array {
        array(self.messages.get(message as u32).unchecked_into::<Message>().content().or_undefined())
    }

    /// How many of the texts are system parts; they come first.
    pub fn system_texts(&self) -> usize {
        self.found.iter().filter(|found| matches!(found.place, Place::System(_))).count()
    }

    /// Which message each text stands in.
    pub fn places(&self) -> Vec<Option<usize>> {
        let place = |found: &Found| match found.place {
            Place::Message { message, .. } => Some(message as usize),
            Place::System(_) | Place::ExecuteDescription => None,
        };
        self.found.iter().map(place).collect()
    }

    pub fn texts(&self) -> Vec<Rc<ReadText>> {
        self.found.iter().map(|found| found.read.clone()).collect()
    }

    /// Whether the event cannot take changes; half a plan would be worse than none.
    pub fn is_sealed(&self) -> bool {
        Object::is_frozen(self.event.unchecked_ref::<Object>()) || Object::is_sealed(&self.tools)
    }

    /// Carries out a plan; `false` if the event is no longer the one that was read.
    pub fn apply(&self, plan: &Plan, edits: &[Vec<Edit>], replaced: &Replaced) -> Result<bool, JsValue> {
        let untouched = Object::is(&self.event.system().or_undefined(), &self.system)
            && Object::is(&self.event.messages().or_undefined(), &self.messages)
            && Object::is(&self.event.tools().or_undefined(), &self.tools);
        if !untouched {
            return Ok(false);
        }
        let mut system: HashMap<u32, JsString> = HashMap::default();
        let mut messages: HashMap<u32, HashMap<u32, JsString>> = HashMap::default();
        let mut execute = None;
        let edited = self.found.iter().zip(edits).filter(|(_, edits)| !edits.is_empty());
        for (found, edits) in edited {
            let text = cut(&found.source, edits);
            match found.place {
                Place::System(at) => drop(system.insert(at, text)),
                Place::Message { message, part } => {
                    drop(messages.entry(message).or_default().insert(part, text))
                }
                Place::ExecuteDescription => execute = Some(text),
            }
        }
        let changes_system = !system.is_empty() || plan.note.is_some();
        let new_system = changes_system.then(|| replace_texts(&self.system, &system)).transpose()?;
        if let (Some(parts), Some(note)) = (&new_system, &plan.note) {
            parts.push(&text_part(note)?);
        }
        let ours = &plan.messages;
        let new_messages = (!messages.is_empty() || !ours.is_empty() || !replaced.is_empty())
            .then(|| self.replace_messages(&messages, ours, replaced))
            .transpose()?;
        let new_execute = match (execute, self.execute()) {
            (Some(text), Some(tool)) => Some(with(&tool, "description", &text)?),
            _ => None,
        };
        let mut new_tools: Vec<(&str, JsValue)> =
            new_execute.map(|tool| (EXECUTE, tool)).into_iter().collect();
        if let (Some(pointers), Some(tool)) = (&plan.pointers, self.tool(LOAD_TOOL)) {
            new_tools.push((LOAD_TOOL, with(&tool, "description", &JsString::from(pointers.as_str()))?));
        }
        self.swap_in(new_system, new_messages, new_tools, &plan.tools)
    }

    /// Assigns everything, or nothing if one thing could not be assigned.
    fn swap_in(
        &self,
        system: Option<Array>,
        messages: Option<Array>,
        new_tools: Vec<(&str, JsValue)>,
        tools: &[String],
    ) -> Result<bool, JsValue> {
        let mut changes: Vec<(&JsValue, JsValue, JsValue)> = Vec::new();
        changes.extend(system.map(|value| (self.event.as_ref(), "system".into(), value.into())));
        changes.extend(messages.map(|value| (self.event.as_ref(), "messages".into(), value.into())));
        changes.extend(new_tools.into_iter().map(|(name, value)| (self.tools.as_ref(), name.into(), value)));
        let names: Vec<JsValue> = tools.iter().map(JsValue::from).collect();
        let possible = changes.iter().all(|(object, key, _)| allows(object, key, "writable"))
            && names.iter().all(|name| allows(&self.tools, name, "configurable"));
        if !possible {
            return Ok(false);
        }
        for (object, key, value) in &changes {
            Reflect::set(object, key, value)?;
        }
        for name in &names {
            Reflect::delete_property(&self.tools, name)?;
        }
        Ok(true)
    }

    /// The messages with other texts, with others in their places, and with messages of ours between them.
    fn replace_messages(
        &self,
        changed: &HashMap<u32, HashMap<u32, JsString>>,
        ours: &[(usize, String)],
        replaced: &Replaced,
    ) -> Result<Array, JsValue> {
        let out = Array::new();
        for (message, at) in self.messages.iter().zip(0..) {
            for (_, text) in ours.iter().filter(|(before, _)| *before == at as usize) {
                out.push(&system_message(text)?);
            }
            match changed.get(&at) {
                None => {
                    out.push(&replaced.at(at).unwrap_or(message));
                }
                Some(parts) => {
                    let content = replace_texts(&self.content(at as usize), parts)?;
                    if content.length() > 0 {
                        out.push(&with(&message, "content", &content)?);
                    }
                }
            }
            if let Some(note) = replaced.note_behind(at) {
                out.push(note);
            }
        }
        Ok(out)
    }
}

impl Found {
    fn in_part(place: Place, part: &JsValue) -> Option<Found> {
        if !part.is_object() {
            return None;
        }
        Found::new(place, part.unchecked_ref::<Part>().text().or_undefined())
    }

    fn new(place: Place, text: JsValue) -> Option<Found> {
        let source: JsString = text.dyn_into().ok()?;
        let read = TEXTS.with_borrow_mut(|texts| texts.read(&source));
        Some(Found { place, source, read })
    }
}

impl Conversation for Event {
    fn len(&self) -> usize {
        self.roles.len()
    }

    fn role(&self, index: usize) -> Role {
        self.roles.get(index).copied().unwrap_or(Role::Unknown)
    }

    fn id(&self, index: usize) -> Option<String> {
        self.messages.get(index as u32).unchecked_into::<Message>().id().or_undefined().as_string()
    }

    fn has_metadata(&self, index: usize) -> bool {
        self.messages.get(index as u32).unchecked_into::<Message>().metadata().or_undefined().is_object()
    }

    fn text_parts(&self, index: usize) -> Vec<TextPart> {
        let content = self.content(index);
        let parts = content.iter().filter(JsValue::is_object).map(JsCast::unchecked_into::<Part>);
        parts
            .filter(|part| part.kind().or_undefined() == "text")
            .filter_map(|part| {
                Some(TextPart {
                    text: part.text().or_undefined().as_string()?,
                    is_attachment: is_attachment(&part),
                })
            })
            .collect()
    }

    fn uses(&self, index: usize) -> Vec<Use> {
        let content = self.content(index);
        let parts = content.iter().filter(JsValue::is_object).map(JsCast::unchecked_into::<Part>);
        parts.flat_map(|part| USES.with_borrow_mut(|uses| uses.of(&part))).collect()
    }

    fn chars(&self) -> usize {
        (0..self.len()).flat_map(|index| self.content(index).iter().collect::<Vec<_>>()).map(chars_of).sum()
    }
}

/// The length of a part: of its text, or of what it calls or brings as JSON. Images and files count little.
fn chars_of(part: JsValue) -> usize {
    if !part.is_object() {
        return 0;
    }
    let part: Part = part.unchecked_into();
    let values = [part.text(), part.input(), part.result()].map(OrUndefined::or_undefined);
    let length = |value: JsValue| match value.dyn_into::<JsString>() {
        Ok(text) => text.length(),
        Err(value) if value.is_object() => JSON::stringify(&value).map_or(0, |json| json.length()),
        Err(_) => 0,
    };
    values.into_iter().map(length).sum::<u32>() as usize
}

fn is_attachment(part: &Part) -> bool {
    let metadata = part.metadata().or_undefined();
    metadata.is_object() && metadata.unchecked_into::<Attachment>().attachment().or_undefined().is_object()
}

fn role_of(message: &JsValue) -> Role {
    if !message.is_object() {
        return Role::Unknown;
    }
    message
        .unchecked_ref::<Message>()
        .role()
        .or_undefined()
        .as_string()
        .map_or(Role::Unknown, |role| Role::from_host(&role))
}

/// Whether an own property may be changed (`writable`) or deleted (`configurable`).
fn allows(object: &JsValue, key: &JsValue, what: &str) -> bool {
    let descriptor = Reflect::get_own_property_descriptor(object.unchecked_ref::<Object>(), key);
    let allowed = descriptor.and_then(|descriptor| Reflect::get(&descriptor, &what.into()));
    allowed.is_ok_and(|allowed| allowed.is_truthy())
}

/// The array, or an empty one for anything else.
fn array(value: JsValue) -> Array {
    value.dyn_into().unwrap_or_default()
}

/// A copy of the parts with other texts; a part whose text became empty is left out.
fn replace_texts(parts: &Array, texts: &HashMap<u32, JsString>) -> Result<Array, JsValue> {
    let out = Array::new();
    for (at, part) in parts.iter().enumerate() {
        match texts.get(&(at as u32)) {
            None => drop(out.push(&part)),
            Some(text) if text.trim().length() > 0 => drop(out.push(&with(&part, "text", text)?)),
            Some(_) => {}
        }
    }
    Ok(out)
}

/// A message as the host writes one for changes (`opencode-host.md` §1.4).
fn system_message(text: &str) -> Result<JsValue, JsValue> {
    let message = Object::new();
    Reflect::set(&message, &"role".into(), &"system".into())?;
    Reflect::set(&message, &"content".into(), &Array::of1(&text_part(text)?))?;
    Ok(message.into())
}

fn text_part(text: &str) -> Result<JsValue, JsValue> {
    let part = Object::new();
    Reflect::set(&part, &"type".into(), &"text".into())?;
    Reflect::set(&part, &"text".into(), &text.into())?;
    Ok(part.into())
}

/// `{ ...object, [field]: value }`
fn with(object: &JsValue, field: &str, value: &JsValue) -> Result<JsValue, JsValue> {
    let copy = Object::assign(&Object::new(), object.unchecked_ref());
    Reflect::set(&copy, &field.into(), value)?;
    Ok(copy.into())
}

/// What stays of a JavaScript string; only replacements cross the border.
fn cut(source: &JsString, edits: &[Edit]) -> JsString {
    let pieces = Array::new();
    let mut at = 0;
    for edit in edits {
        if edit.range.start > at {
            pieces.push(&source.slice(at as u32, edit.range.start as u32));
        }
        if !edit.replacement.is_empty() {
            pieces.push(&edit.replacement.as_str().into());
        }
        at = edit.range.end;
    }
    pieces.push(&source.slice(at as u32, source.length()));
    pieces.join("")
}

thread_local! {
    static TEXTS: RefCell<Texts> = RefCell::default();
    static USES: RefCell<Uses> = RefCell::default();
}

/// Reads traces of use. Nothing is remembered of a call by its id alone: some providers count ids anew in
/// every turn, and a forgotten use could cost the session a tool that it needs.
#[derive(Default)]
struct Uses {
    /// Calls of `execute` whose code searches; their results name tools that were found. One call too many
    /// in here only keeps more.
    searches: HashSet<String>,
}

const MAX_SEARCHES: usize = 20_000;

impl Uses {
    fn of(&mut self, part: &Part) -> Vec<Use> {
        let (kind, id) =
            (part.kind().or_undefined(), part.id().or_undefined().as_string().unwrap_or_default());
        let is_call = kind == "tool-call";
        if !is_call && kind != "tool-result" {
            return Vec::new();
        }
        if self.searches.len() >= MAX_SEARCHES {
            self.searches.clear();
        }
        self.read(part, &id, is_call)
    }

    fn read(&mut self, part: &Part, id: &str, is_call: bool) -> Vec<Use> {
        let Some(name) = part.name().or_undefined().as_string() else { return Vec::new() };
        let mut uses = Vec::new();
        if name == EXECUTE && is_call {
            let code = field(&part.input().or_undefined(), "code");
            if code.contains("search(") {
                self.searches.insert(id.to_string());
            }
            uses.push(Use::Paths(code));
        }
        if name == EXECUTE && !is_call && self.searches.contains(id) {
            let result = JSON::stringify(&part.result().or_undefined()).map(String::from).unwrap_or_default();
            uses.push(Use::Paths(result.replace("\\\"", "\"")));
        }
        if name == "skill" && is_call {
            // OpenCode 2 names a skill by its id, 1.18 by its name.
            let input = part.input().or_undefined();
            uses.extend(
                ["id", "name"]
                    .map(|key| field(&input, key))
                    .into_iter()
                    .filter(|id| !id.is_empty())
                    .map(Use::Skill),
            );
        }
        uses.push(Use::Tool(name));
        uses
    }
}

fn field(object: &JsValue, key: &str) -> String {
    if !object.is_object() {
        return String::new();
    }
    Reflect::get(object, &key.into()).ok().and_then(|value| value.as_string()).unwrap_or_default()
}

/// Texts that were read before. The map is JavaScript's, so a known text is found without copying it here.
#[derive(Default)]
struct Texts {
    known: js_sys::Map,
    read: Vec<Rc<ReadText>>,
    bytes: usize,
}

const MAX_TEXTS: usize = 512;
const MAX_TEXT_BYTES: usize = 16 << 20;

impl Texts {
    /// A lone surrogate is read as a replacement character, which is one UTF-16 unit too: what is cut is told
    /// in such units, and is cut out of the source, so the surrogate stays what it is.
    fn read(&mut self, source: &JsString) -> Rc<ReadText> {
        let known = self.known.get(source).as_f64();
        if let Some(read) = known.and_then(|at| self.read.get(at as usize)) {
            return read.clone();
        }
        if self.read.len() >= MAX_TEXTS || self.bytes > MAX_TEXT_BYTES {
            *self = Texts::default();
        }
        let read = ReadText::new(String::from(source));
        self.bytes += source.length() as usize;
        self.known.set(source, &(self.read.len() as f64).into());
        self.read.push(read.clone());
        read
    }
}
