//! The conversation of an event, as `js-shim/conversation.js` outlines it for [`crate::history`], and what becomes
//! of it, as that file draws it anew. All of it crosses the boundary at once, in numbers and texts.

use std::rc::Rc;

use js_sys::{Int32Array, Object, Reflect, Uint32Array};
use wasm_bindgen::prelude::*;

use crate::encoded_list::{EncodedList, SEPARATOR};
use crate::history::conversation::{Call, Message, Output, OutputKind, Part, Text};
use crate::history::edits::Change;
use crate::history::input::Input;
use crate::history::session::Outcome;
use crate::opencode::messages::Role;

#[wasm_bindgen]
extern "C" {
    /// `Outline` of `js-shim/conversation.js`.
    pub type Outline;
    #[wasm_bindgen(method, getter, structural)]
    fn numbers(this: &Outline) -> Int32Array;
    #[wasm_bindgen(method, getter, structural)]
    fn texts(this: &Outline) -> String;
    #[wasm_bindgen(method, getter, structural)]
    fn model(this: &Outline) -> String;
}

/// A conversation, read.
pub struct Conversation {
    pub messages: Vec<Message>,
    /// Provider and name of the model.
    pub model: String,
}

/// Reads an outline of so many messages. `inputs` are those that crossed before; new ones are added.
pub fn read(outline: &Outline, count: usize, inputs: &mut Vec<Rc<Input>>) -> Result<Conversation, JsValue> {
    let (numbers, texts) = (outline.numbers().to_vec(), outline.texts());
    let reader = Reader { numbers: numbers.into_iter(), texts: texts.split(SEPARATOR), inputs };
    let ends_early = || JsValue::from(JsError::new("prune: the outline of the conversation ends too early"));
    Ok(Conversation { messages: reader.messages(count).ok_or_else(ends_early)?, model: outline.model() })
}

/// `HistoryChange` of `js-shim/conversation.js`.
pub fn change(outcome: &Outcome) -> Object {
    let (numbers, texts) = encoded(outcome);
    let out = Object::new();
    let set = |name: &str, value: JsValue| Reflect::set(&out, &name.into(), &value);
    let _ = set("edits", Uint32Array::from(numbers.as_slice()).into());
    let _ = set("texts", texts.as_str().into());
    if let Some(list) = &outcome.list {
        let _ = set("noteBehind", JsValue::from(list.behind as u32));
        let _ = set("note", list.text.as_str().into());
    }
    out
}

/// The edits as numbers and texts.
fn encoded(outcome: &Outcome) -> (Vec<u32>, EncodedList) {
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
    inputs: &'a mut Vec<Rc<Input>>,
}

impl Reader<'_> {
    fn messages(mut self, count: usize) -> Option<Vec<Message>> {
        let mut messages = Vec::with_capacity(count);
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
                let has_provider_metadata = self.flag()?;
                Part::Text(Text { chars: self.size()?, has_provider_metadata, ..Text::default() })
            }
            3 => {
                let has_provider_metadata = self.flag()?;
                Part::Text(Text::read(self.texts.next()?, has_provider_metadata))
            }
            4 => {
                let has_provider_metadata = self.flag()?;
                Part::Reasoning { chars: self.size()?, has_provider_metadata }
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
        let (has_provider_metadata, is_provider_executed, number) =
            (self.flag()?, self.flag()?, self.size()?);
        let output = if has_output { self.output()? } else { (OutputKind::Untouchable, 0) };
        let (id, name) = (self.text()?, self.text()?);
        if number == self.inputs.len() {
            self.inputs.push(Rc::new(Input::read(self.texts.next()?)));
        }
        let input = self.inputs.get(number)?.clone();
        Some((Call { id, name, input, has_provider_metadata, is_provider_executed }, output))
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
