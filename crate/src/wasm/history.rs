//! The conversation of an event, as `js-shim/conversation.js` outlines it for [`crate::history`], and what becomes
//! of it, as that file draws it anew. All of it crosses the border at once, in numbers and texts.

use std::cell::RefCell;
use std::rc::Rc;

use js_sys::{Array, Int32Array, Map, Uint32Array};
use wasm_bindgen::prelude::*;

use super::event::{Event, Place};
use crate::encoded_list::{EncodedList, SEPARATOR};
use crate::hash::fingerprint_of;
use crate::history::input::Input;
use crate::history::session::Outcome;
use crate::history::{Call, Change, Message, Output, OutputKind, Part, Text};
use crate::opencode::messages::Role;
use crate::plan::Plan;

#[wasm_bindgen]
extern "C" {
    /// What the shim lends for a conversation.
    type Pen;
    #[wasm_bindgen(method, structural, catch)]
    fn outline(this: &Pen, messages: &Array, known: &Map) -> Result<Outline, JsValue>;
    #[wasm_bindgen(method, structural, catch)]
    fn redraw(this: &Pen, messages: &Array, numbers: &Uint32Array, texts: &str) -> Result<Array, JsValue>;
    #[wasm_bindgen(method, structural, catch)]
    fn note(this: &Pen, messages: &Array, text: &str) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, structural, catch, js_name = modelOf)]
    fn model_of(this: &Pen, event: &JsValue) -> Result<String, JsValue>;

    type Outline;
    #[wasm_bindgen(method, getter, structural)]
    fn numbers(this: &Outline) -> Int32Array;
    #[wasm_bindgen(method, getter, structural)]
    fn texts(this: &Outline) -> String;
}

/// Inputs that were read before. The map is JavaScript's, so a known input is found without copying it here.
#[derive(Default)]
struct Known {
    numbers: Map,
    inputs: Vec<Rc<Input>>,
    bytes: usize,
}

const MAX_KNOWN: usize = 20_000;
const MAX_KNOWN_BYTES: usize = 16 << 20;

thread_local! {
    static KNOWN: RefCell<Known> = RefCell::default();
}

/// A conversation as it was read, and the objects it was read from.
pub struct Outlined {
    pub messages: Vec<Message>,
    pub model: String,
    source: Array,
    pen: Pen,
}

impl Event {
    /// The conversation, to be looked at for what is stale.
    pub fn conversation(&self, pen: JsValue) -> Result<Option<Outlined>, JsValue> {
        Outlined::read(&self.source, &self.messages, pen)
    }

    /// Characters of the system texts without the lists, and of the lists and native tools.
    pub fn sizes(&self) -> (usize, usize) {
        let system = self.found.iter().filter(|(place, _)| *place == Place::System);
        let all: i64 = system.map(|(_, text)| text.chars).sum();
        let spans = self.found.iter().flat_map(|(_, text)| &text.reading.spans);
        let lists: usize = spans.map(|span| span.len()).sum();
        let native = self.native.all_chars();
        ((all as usize).saturating_sub(lists), lists + native as usize)
    }

    /// Stands for the texts and tools with which the request begins, once a plan is carried out.
    pub fn beginning(&self, plan: &Plan) -> u64 {
        let texts = self.found.iter().enumerate();
        let in_front = texts.filter(|(_, (place, _))| !matches!(place, Place::Message(_)));
        let texts: Vec<_> = in_front
            .map(|(at, (_, text))| {
                let edits = plan.texts.get(at).map(Vec::as_slice).unwrap_or_default();
                let edits: Vec<_> = edits
                    .iter()
                    .map(|edit| (edit.range.start, edit.range.end, edit.replacement.as_str()))
                    .collect();
                (text.fingerprint, edits)
            })
            .collect();
        fingerprint_of(&(texts, self.native.fingerprint(), &plan.tools))
    }
}

/// What becomes of the messages of an event: other objects at some places, and one more behind another.
#[derive(Default)]
pub struct Replaced {
    messages: Array,
    note: Option<(u32, JsValue)>,
}

impl Replaced {
    pub fn is_empty(&self) -> bool {
        self.messages.length() == 0 && self.note.is_none()
    }

    /// The messages that become others, at their places, and the one that is put behind one of them.
    pub fn parts(&self) -> (&Array, Option<&(u32, JsValue)>) {
        (&self.messages, self.note.as_ref())
    }
}

impl Outlined {
    /// Nothing where nobody lends what is needed.
    pub fn read(event: &JsValue, source: &Array, pen: JsValue) -> Result<Option<Outlined>, JsValue> {
        if !pen.is_object() {
            return Ok(None);
        }
        let pen: Pen = pen.unchecked_into();
        let messages = KNOWN.with_borrow_mut(|known| {
            if known.inputs.len() > MAX_KNOWN || known.bytes > MAX_KNOWN_BYTES {
                *known = Known::default();
            }
            let read = outlined(source, &pen, known);
            if read.is_err() {
                // What one side knows the other may not.
                *known = Known::default();
            }
            read
        });
        Ok(Some(Outlined {
            messages: messages?,
            model: pen.model_of(event).unwrap_or_default(),
            source: source.clone(),
            pen,
        }))
    }

    /// Carries out what was decided on; the objects that were read stay as they are.
    pub fn replace(&self, outcome: &Outcome) -> Result<Replaced, JsValue> {
        let mut replaced = Replaced::default();
        if !outcome.edits.is_empty() {
            let (numbers, texts) = written(outcome);
            replaced.messages =
                self.pen.redraw(&self.source, &Uint32Array::from(numbers.as_slice()), texts.as_str())?;
        }
        if let Some((behind, text)) = &outcome.note {
            replaced.note = Some((*behind as u32, self.pen.note(&self.source, text)?));
        }
        Ok(replaced)
    }
}

fn outlined(source: &Array, pen: &Pen, known: &mut Known) -> Result<Vec<Message>, JsValue> {
    let outline = pen.outline(source, &known.numbers)?;
    let (numbers, texts) = (outline.numbers().to_vec(), outline.texts());
    let reader = Reader { numbers: numbers.into_iter(), texts: texts.split(SEPARATOR), known };
    reader.messages(source.length()).ok_or_else(|| JsError::new("the outline ends too early").into())
}

/// The edits as numbers and texts. See `redraw` in `js-shim/conversation.js`.
fn written(outcome: &Outcome) -> (Vec<u32>, EncodedList) {
    let (mut numbers, mut texts) = (Vec::new(), EncodedList::default());
    for edit in &outcome.edits {
        let (kind, text) = match &edit.change {
            Change::Drop => (0, None),
            Change::Output(text) => (1, Some(text)),
            Change::Content(text) => (2, Some(text)),
            Change::Input(json) => (3, Some(json)),
            Change::Text(_) => (4, None),
        };
        numbers.extend([edit.place.message as u32, edit.place.part as u32, kind]);
        if let Change::Text(edits) = &edit.change {
            numbers.push(edits.len() as u32);
            numbers.extend(edits.iter().flat_map(|edit| [edit.range.start as u32, edit.range.end as u32]));
        }
        if let Some(text) = text {
            texts.push(text);
        }
    }
    (numbers, texts)
}

/// Takes an outline apart, in the order in which it was written.
struct Reader<'a> {
    numbers: std::vec::IntoIter<i32>,
    texts: std::str::Split<'a, char>,
    known: &'a mut Known,
}

impl Reader<'_> {
    fn messages(mut self, count: u32) -> Option<Vec<Message>> {
        let mut messages = Vec::with_capacity(count as usize);
        for _ in 0..count {
            messages.push(self.message()?);
        }
        // Hosts that mark what a person typed mark all of it.
        if !messages.iter().any(|message| message.is_prompt) {
            for message in &mut messages {
                message.is_prompt = message.role == Role::User;
            }
        }
        Some(messages)
    }

    fn message(&mut self) -> Option<Message> {
        let role = match self.numbers.next()? {
            1 => Role::System,
            2 => Role::User,
            3 => Role::Assistant,
            4 => Role::Tool,
            _ => Role::Unknown,
        };
        let (is_prompt, count) = (self.numbers.next()? == 1, self.numbers.next()?);
        let id = self.text()?;
        let mut parts = Vec::new();
        for _ in 0..count {
            parts.push(self.part()?);
        }
        Some(Message { id, role, is_prompt, parts })
    }

    fn part(&mut self) -> Option<Part> {
        Some(match self.numbers.next()? {
            1 => Part::Silent,
            2 => {
                let is_marked = self.flag()?;
                Part::Text(Text { chars: self.size()?, is_marked, ..Text::default() })
            }
            3 => {
                let is_marked = self.flag()?;
                Part::Text(Text::read(self.texts.next()?, is_marked))
            }
            4 => {
                let is_marked = self.flag()?;
                Part::Reasoning { chars: self.size()?, is_marked }
            }
            5 => {
                let (call, _) = self.call(false)?;
                Part::Call(call)
            }
            6 => {
                let (kind, chars) = self.output()?;
                Part::Output(Output { id: self.text()?, chars, kind })
            }
            7 => {
                let (call, (kind, chars)) = self.call(true)?;
                let id = call.id.clone();
                Part::Both(call, Output { id, chars, kind })
            }
            _ => Part::Other,
        })
    }

    /// A call, and what came of it if that stands in the same part.
    fn call(&mut self, has_output: bool) -> Option<(Call, (OutputKind, usize))> {
        let (is_marked, by_provider, number) = (self.flag()?, self.flag()?, self.size()?);
        let output = if has_output { self.output()? } else { (OutputKind::Untouchable, 0) };
        let (id, name) = (self.text()?, self.text()?);
        if number == self.known.inputs.len() {
            let told = self.texts.next()?;
            self.known.bytes += told.len();
            self.known.inputs.push(Rc::new(Input::read(told)));
        }
        let input = self.known.inputs.get(number)?.clone();
        Some((Call { id, name, input, is_marked, by_provider }, output))
    }

    fn output(&mut self) -> Option<(OutputKind, usize)> {
        let kind = match self.numbers.next()? {
            0 => OutputKind::Success,
            1 => OutputKind::Error,
            _ => OutputKind::Untouchable,
        };
        Some((kind, self.size()?))
    }

    fn text(&mut self) -> Option<String> {
        self.texts.next().map(str::to_string)
    }

    fn flag(&mut self) -> Option<bool> {
        self.numbers.next().map(|number| number == 1)
    }

    fn size(&mut self) -> Option<usize> {
        self.numbers.next().map(|number| number.max(0) as usize)
    }
}
