//! The conversation of an event, read for [`crate::history`], and what becomes of it.
//!
//! Both lines of OpenCode are read here; they differ in where things stand:
//!
//! ```text
//! 2     { id, role, content: [ { type: "tool-call", id, name, input }, ... ] }
//!       { role: "tool", content: [ { type: "tool-result", id, name, result: { type, value } } ] }
//! 1.18  { info: { id, role }, parts: [ { type: "tool", callID, tool, state: { status, input, output } }, ... ] }
//! ```
//!
//! Texts are measured, not copied. Inputs are read once for each call of a message that has an id.

use std::cell::RefCell;
use std::rc::Rc;

use js_sys::{Array, JsString, Object, Reflect, JSON};
use wasm_bindgen::prelude::*;

use super::event::{array, cut, with, OrUndefined};
use super::lent::to_json;
use crate::candidates::fingerprint_of;
use crate::history::input::{shorten, Input, Seen, LARGE_CHARS};
use crate::history::keyed::Keyed;
use crate::history::session::Outcome;
use crate::history::{Call, Change, Edit, Message, Output, OutputKind, Part, Shortening, Text};
use crate::host::messages::Role;

#[wasm_bindgen]
extern "C" {
    /// Anything of the conversation.
    type Raw;
    #[wasm_bindgen(method, getter, structural, catch)]
    fn id(this: &Raw) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, getter, structural, catch)]
    fn role(this: &Raw) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, getter, structural, catch)]
    fn info(this: &Raw) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, getter, structural, catch)]
    fn parts(this: &Raw) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, getter, structural, catch)]
    fn content(this: &Raw) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, getter, structural, catch)]
    fn metadata(this: &Raw) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, getter, structural, catch, js_name = type)]
    fn kind(this: &Raw) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, getter, structural, catch)]
    fn text(this: &Raw) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, getter, structural, catch)]
    fn name(this: &Raw) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, getter, structural, catch)]
    fn input(this: &Raw) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, getter, structural, catch)]
    fn result(this: &Raw) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, getter, structural, catch)]
    fn value(this: &Raw) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, getter, structural, catch, js_name = providerExecuted)]
    fn provider_executed(this: &Raw) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, getter, structural, catch, js_name = providerMetadata)]
    fn provider_metadata(this: &Raw) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, getter, structural, catch)]
    fn encrypted(this: &Raw) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, getter, structural, catch)]
    fn native(this: &Raw) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, getter, structural, catch, js_name = messageID)]
    fn message_id(this: &Raw) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, getter, structural, catch)]
    fn synthetic(this: &Raw) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, getter, structural, catch, js_name = callID)]
    fn call_id(this: &Raw) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, getter, structural, catch)]
    fn tool(this: &Raw) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, getter, structural, catch)]
    fn state(this: &Raw) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, getter, structural, catch)]
    fn status(this: &Raw) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, getter, structural, catch)]
    fn output(this: &Raw) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, getter, structural, catch)]
    fn error(this: &Raw) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, getter, structural, catch)]
    fn time(this: &Raw) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, getter, structural, catch)]
    fn compacted(this: &Raw) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, getter, structural, catch)]
    fn attachments(this: &Raw) -> Result<JsValue, JsValue>;
}

/// What an image or a file is counted as, in characters.
const MEDIA_CHARS: usize = 4_000;
const MAX_KNOWN: usize = 20_000;

#[derive(Default)]
struct Known {
    inputs: Keyed<Rc<Input>>,
    /// The characters of outputs that are no plain text.
    sizes: Keyed<usize>,
    /// By call and how it was shortened.
    shortened: Keyed<JsValue>,
}

thread_local! {
    static KNOWN: RefCell<Known> = RefCell::default();
}

/// A conversation as it was read, and the objects it was read from.
pub struct Conversation {
    pub messages: Vec<Message>,
    source: Array,
}

/// What becomes of the messages of an event: other objects at some places, and one more behind another.
#[derive(Default)]
pub struct Replaced {
    /// In order.
    pub messages: Vec<(usize, JsValue)>,
    pub note: Option<(usize, JsValue)>,
}

impl Replaced {
    pub fn is_empty(&self) -> bool {
        self.messages.is_empty() && self.note.is_none()
    }

    pub fn at(&self, message: usize) -> Option<&JsValue> {
        let place = self.messages.partition_point(|(at, _)| *at < message);
        self.messages.get(place).filter(|(at, _)| *at == message).map(|(_, value)| value)
    }

    pub fn note_behind(&self, message: usize) -> Option<&JsValue> {
        self.note.as_ref().filter(|(behind, _)| *behind == message).map(|(_, note)| note)
    }
}

impl Conversation {
    pub fn read(source: &Array) -> Conversation {
        KNOWN.with_borrow_mut(|known| {
            if known.inputs.len() + known.sizes.len() > MAX_KNOWN {
                *known = Known::default();
            }
        });
        let mut reader = Reader::default();
        let mut messages: Vec<Message> =
            source.iter().enumerate().map(|(at, message)| reader.message(at, &message.into())).collect();
        // Hosts that mark what a person typed mark all of it.
        if !reader.marks_prompts {
            for message in &mut messages {
                message.is_prompt = message.role == Role::User;
            }
        }
        Conversation { messages, source: source.clone() }
    }

    /// Provider and name of the model, as the newest user message of 1.18 has them.
    pub fn model(&self) -> String {
        let user = newest_user(&self.source).unwrap_or_default();
        let model = Reflect::get(&user, &"model".into()).or_undefined();
        let word =
            |name: &str| Reflect::get(&model, &name.into()).or_undefined().as_string().unwrap_or_default();
        format!("{}/{}", word("providerID"), word("modelID"))
    }

    /// Carries out what was decided on; the objects that were read stay as they are.
    pub fn replace(&self, outcome: &Outcome) -> Result<Replaced, JsValue> {
        let mut replaced = Replaced::default();
        for at in 0..self.messages.len() {
            let edits: Vec<&Edit> = outcome.edits.iter().filter(|edit| edit.place.message == at).collect();
            if !edits.is_empty() {
                replaced.messages.push((at, self.replace_message(at, &edits)?));
            }
        }
        if let Some((behind, text)) = &outcome.note {
            replaced.note = Some((*behind, self.note(text)?));
        }
        Ok(replaced)
    }

    fn replace_message(&self, at: usize, edits: &[&Edit]) -> Result<JsValue, JsValue> {
        let message = self.source.get(at as u32);
        let field = if is_stored(&message) { "parts" } else { "content" };
        let content = Array::new();
        for (place, part) in array(Reflect::get(&message, &field.into())?).iter().enumerate() {
            let mut part = Some(part);
            for edit in edits.iter().filter(|edit| edit.place.part == place) {
                part = match part {
                    Some(part) => self.replace_part(&part, edit)?,
                    None => None,
                };
            }
            if let Some(part) = part {
                content.push(&part);
            }
        }
        with(&message, field, &content)
    }

    fn replace_part(&self, part: &JsValue, edit: &Edit) -> Result<Option<JsValue>, JsValue> {
        let raw: &Raw = part.unchecked_ref();
        match &edit.change {
            Change::Drop => Ok(None),
            Change::Text(edits) => {
                let text: JsString = raw.text()?.unchecked_into();
                with(part, "text", &cut(&text, edits)).map(Some)
            }
            Change::Output(text) => replace_output(part, text).map(Some),
            Change::Input(shortening) => {
                let state = raw.state().or_undefined();
                if state.is_object() {
                    let input = self.shortened(edit, state.unchecked_ref(), *shortening)?;
                    return with(part, "state", &with(&state, "input", &input)?).map(Some);
                }
                let input = self.shortened(edit, raw, *shortening)?;
                with(part, "input", &input).map(Some)
            }
        }
    }

    /// The shortened input of a call, made once.
    fn shortened(&self, edit: &Edit, holder: &Raw, shortening: Shortening) -> Result<JsValue, JsValue> {
        let message = self.messages.get(edit.place.message);
        let key = message.and_then(|message| match message.parts.get(edit.place.part) {
            Some(Part::Call(call) | Part::Both(call, _)) => key_of(&message.id, &call.id, &call.name),
            _ => None,
        });
        let key = key.map(|key| fingerprint_of(&(key, shortening)));
        let known = key.and_then(|key| KNOWN.with_borrow(|known| known.shortened.get(key).cloned()));
        if let Some(known) = known {
            return Ok(known);
        }
        let json = shorten(&to_json(&holder.input()?), shortening);
        let input = JSON::parse(&json.to_string())?;
        if let Some(key) = key {
            KNOWN.with_borrow_mut(|known| known.shortened.put(key, input.clone()));
        }
        Ok(input)
    }

    /// A message of our own, in the shape of the others.
    fn note(&self, text: &str) -> Result<JsValue, JsValue> {
        let part = object(&[("type", "text".into()), ("text", text.into())])?;
        match newest_user(&self.source) {
            Some(user) => {
                let named = |value: &JsValue, field: &str| with(value, field, &NOTE_ID.into());
                let part = with(&named(&named(&part, "id")?, "messageID")?, "synthetic", &true.into())?;
                object(&[("info", named(&user, "id")?), ("parts", Array::of1(&part).into())])
            }
            None => object(&[("role", "user".into()), ("content", Array::of1(&part).into())]),
        }
    }
}

/// What our own message is called in OpenCode 1.18, where every message has an id.
const NOTE_ID: &str = "msg_jev_pruner_note";

/// What 1.18 knows of the newest user message: a message of ours goes to the same model.
fn newest_user(messages: &Array) -> Option<JsValue> {
    let infos = messages.iter().map(|message| message.unchecked_into::<Raw>().info().or_undefined());
    infos
        .filter(|info| info.is_object() && info.unchecked_ref::<Raw>().role().or_undefined() == "user")
        .last()
}

/// Whether a message is one as 1.18 stores it.
fn is_stored(message: &JsValue) -> bool {
    message.is_object() && message.unchecked_ref::<Raw>().info().or_undefined().is_object()
}

fn replace_output(part: &JsValue, text: &str) -> Result<JsValue, JsValue> {
    let raw: &Raw = part.unchecked_ref();
    let state = raw.state().or_undefined();
    if state.is_object() {
        let is_error = state.unchecked_ref::<Raw>().status().or_undefined() == "error";
        let field = if is_error { "error" } else { "output" };
        let state = with(&with(&state, field, &text.into())?, "attachments", &Array::new())?;
        return with(part, "state", &state);
    }
    let result = raw.result()?;
    let is_error = result.unchecked_ref::<Raw>().kind().or_undefined() == "error";
    let kind = if is_error { "error" } else { "text" };
    with(part, "result", &object(&[("type", kind.into()), ("value", text.into())])?)
}

fn object(fields: &[(&str, JsValue)]) -> Result<JsValue, JsValue> {
    let out = Object::new();
    for (name, value) in fields {
        Reflect::set(&out, &(*name).into(), value)?;
    }
    Ok(out.into())
}

/// A key for a call, if the host names its message. A name of our own may come to stand for another message.
fn key_of(message: &str, call: &str, name: &str) -> Option<u64> {
    (!message.starts_with('#')).then(|| fingerprint_of(&(message, call, name)))
}

#[derive(Default)]
struct Reader {
    marks_prompts: bool,
    /// Which call an id means now.
    calls: Keyed<Option<u64>>,
}

impl Reader {
    fn message(&mut self, at: usize, message: &JsValue) -> Message {
        let stored = is_stored(message);
        let raw: &Raw = message.unchecked_ref();
        let info = if stored { raw.info().or_undefined() } else { message.clone() };
        let info: &Raw = info.unchecked_ref();
        let role =
            info.role().or_undefined().as_string().map_or(Role::Unknown, |role| Role::from_host(&role));
        let id = info.id().or_undefined().as_string().unwrap_or_else(|| format!("#{at}"));
        let content = array(if stored { raw.parts() } else { raw.content() }.or_undefined());
        let is_prompt = role == Role::User
            && match stored {
                true => content.iter().any(|part| is_typed(&part)),
                false => raw.metadata().or_undefined().is_object(),
            };
        self.marks_prompts |= is_prompt;
        let parts = content.iter().map(|part| self.part(&id, &part)).collect();
        Message { id, role, is_prompt, parts }
    }

    fn part(&mut self, message: &str, part: &JsValue) -> Part {
        if !part.is_object() {
            return Part::Other;
        }
        let raw: &Raw = part.unchecked_ref();
        match raw.kind().or_undefined().as_string().as_deref() {
            Some("text") => text(raw).map_or(Part::Other, Part::Text),
            Some("reasoning") => match length(&raw.text().or_undefined()) {
                Some(chars) => Part::Reasoning { chars, is_marked: is_marked(raw) },
                None => Part::Other,
            },
            Some("tool-call") => self.call(message, raw).map_or(Part::Other, Part::Call),
            Some("tool-result") => self.output(raw).map_or(Part::Other, Part::Output),
            Some("tool") => self.both(message, raw).unwrap_or(Part::Other),
            Some("step-start" | "step-finish" | "snapshot" | "patch") => Part::Silent,
            _ => Part::Other,
        }
    }

    fn call(&mut self, message: &str, raw: &Raw) -> Option<Call> {
        let (id, name) = (raw.id().or_undefined().as_string()?, raw.name().or_undefined().as_string()?);
        let key = key_of(message, &id, &name);
        self.calls.put(fingerprint_of(&id), key);
        Some(Call {
            input: input(key, &name, &raw.input().or_undefined()),
            is_marked: is_marked(raw),
            by_provider: raw.provider_executed().or_undefined().is_truthy(),
            id,
            name,
        })
    }

    fn output(&mut self, raw: &Raw) -> Option<Output> {
        let id = raw.id().or_undefined().as_string()?;
        let result = raw.result().or_undefined();
        if !result.is_object() || raw.provider_executed().or_undefined().is_truthy() {
            return Some(Output { id, chars: 0, kind: OutputKind::Untouchable });
        }
        let result: &Raw = result.unchecked_ref();
        let value = result.value().or_undefined();
        let key = self.calls.get(fingerprint_of(&id)).copied().flatten();
        let chars = match length(&value) {
            Some(chars) => chars,
            None => size(key, &value),
        };
        let kind = match result.kind().or_undefined().as_string().as_deref() {
            Some("text" | "json" | "content") => OutputKind::Success,
            Some("error") => OutputKind::Error,
            _ => OutputKind::Untouchable,
        };
        Some(Output { id, chars, kind })
    }

    fn both(&mut self, message: &str, raw: &Raw) -> Option<Part> {
        let (id, name) = (raw.call_id().or_undefined().as_string()?, raw.tool().or_undefined().as_string()?);
        let state = raw.state().or_undefined();
        let state: &Raw = if state.is_object() { state.unchecked_ref() } else { return None };
        let status = state.status().or_undefined().as_string();
        let time = state.time().or_undefined();
        let was_cleared =
            time.is_object() && time.unchecked_ref::<Raw>().compacted().or_undefined().is_truthy();
        let (text, kind) = match status.as_deref() {
            Some("completed") if !was_cleared => (state.output().or_undefined(), OutputKind::Success),
            Some("error") => (state.error().or_undefined(), OutputKind::Error),
            _ => (JsValue::UNDEFINED, OutputKind::Untouchable),
        };
        let media = array(state.attachments().or_undefined()).length() as usize * MEDIA_CHARS;
        let metadata = raw.metadata().or_undefined();
        let by_provider = metadata.is_object()
            && metadata.unchecked_ref::<Raw>().provider_executed().or_undefined().is_truthy();
        let (chars, kind) = match length(&text) {
            Some(chars) => (chars + media, kind),
            None => (0, OutputKind::Untouchable),
        };
        // The input of a call that is still being written changes.
        let key = if kind == OutputKind::Untouchable { None } else { key_of(message, &id, &name) };
        let call = Call {
            input: input(key, &name, &state.input().or_undefined()),
            is_marked: is_filled(&metadata),
            by_provider,
            id: id.clone(),
            name,
        };
        Some(Part::Both(call, Output { id, chars, kind }))
    }
}

fn text(raw: &Raw) -> Option<Text> {
    let text = raw.text().or_undefined();
    let chars = length(&text)?;
    let is_marked = is_marked(raw);
    let text: &JsString = text.unchecked_ref();
    if !text.includes("<thinking>", 0) {
        return Some(Text { chars, is_marked, ..Text::default() });
    }
    Some(Text { chars, ..Text::read(&String::from(text), is_marked) })
}

/// Whether a part carries something of its provider.
fn is_marked(raw: &Raw) -> bool {
    let is_there = |value: JsValue| !value.is_undefined() && !value.is_null();
    is_filled(&raw.provider_metadata().or_undefined())
        || is_there(raw.encrypted().or_undefined())
        || is_there(raw.native().or_undefined())
        // 1.18 has all parts named after their message, and keeps there what 2 calls providerMetadata.
        || (raw.message_id().or_undefined().is_string() && is_filled(&raw.metadata().or_undefined()))
}

fn is_filled(value: &JsValue) -> bool {
    value.is_object() && Object::keys(value.unchecked_ref::<Object>()).length() > 0
}

/// A user message of 1.18 that a person typed: one with a text that is not synthetic.
fn is_typed(part: &JsValue) -> bool {
    if !part.is_object() {
        return false;
    }
    let raw: &Raw = part.unchecked_ref();
    raw.kind().or_undefined() == "text" && !raw.synthetic().or_undefined().is_truthy()
}

fn length(text: &JsValue) -> Option<usize> {
    text.dyn_ref::<JsString>().map(|text| text.length() as usize)
}

/// The characters of an output that is no text: a list of texts and media, or JSON.
fn size(key: Option<u64>, value: &JsValue) -> usize {
    let known = key.and_then(|key| KNOWN.with_borrow(|known| known.sizes.get(key).copied()));
    if let Some(known) = known {
        return known;
    }
    let chars = match value.dyn_ref::<Array>() {
        Some(items) => items.iter().map(|item| size_of_item(&item)).sum(),
        None => json_chars(value),
    };
    if let Some(key) = key {
        KNOWN.with_borrow_mut(|known| known.sizes.put(key, chars));
    }
    chars
}

fn size_of_item(item: &JsValue) -> usize {
    if !item.is_object() {
        return json_chars(item);
    }
    let raw: &Raw = item.unchecked_ref();
    match raw.kind().or_undefined().as_string().as_deref() {
        Some("text") => length(&raw.text().or_undefined()).unwrap_or_default(),
        Some("media" | "file" | "image") => MEDIA_CHARS,
        _ => json_chars(item),
    }
}

fn json_chars(value: &JsValue) -> usize {
    JSON::stringify(value).map_or(0, |json| json.length() as usize)
}

fn input(key: Option<u64>, name: &str, value: &JsValue) -> Rc<Input> {
    let known = key.and_then(|key| KNOWN.with_borrow(|known| known.inputs.get(key).cloned()));
    if let Some(known) = known {
        return known;
    }
    // Of what is written to files only the size is asked for.
    let is_measured = matches!(name, "write" | "edit" | "patch");
    let input = Rc::new(Input::of(&see(value, is_measured)));
    if let Some(key) = key {
        KNOWN.with_borrow_mut(|known| known.inputs.put(key, input.clone()));
    }
    input
}

fn see(value: &JsValue, is_measured: bool) -> Seen {
    if let Some(text) = value.dyn_ref::<JsString>() {
        let chars = text.length() as usize;
        let text = (!is_measured || chars <= LARGE_CHARS).then(|| String::from(text));
        return Seen::Text { chars, text };
    }
    if let Some(items) = value.dyn_ref::<Array>() {
        return Seen::List(items.iter().map(|item| see(&item, is_measured)).collect());
    }
    match value.is_object() {
        true => Seen::Map(
            Object::entries(value.unchecked_ref())
                .iter()
                .map(|entry| {
                    let entry: Array = entry.unchecked_into();
                    (entry.get(0).as_string().unwrap_or_default(), see(&entry.get(1), is_measured))
                })
                .collect(),
        ),
        false => Seen::Plain(JSON::stringify(value).map(String::from).unwrap_or_default()),
    }
}
