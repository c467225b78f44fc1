//! The event that OpenCode hands to the hook (`opencode-host.md` §4), as `js-shim/event.js` outlines it, and what
//! becomes of it, as that file carries it out. A text or a tool map that was told before comes as its number alone.

use std::cell::RefCell;
use std::rc::Rc;

use js_sys::{Array, Int32Array, Object, Uint32Array};
use wasm_bindgen::prelude::*;

use crate::candidates::NativeTools;
use crate::encoded_list::{fields, EncodedList};
use crate::opencode::messages::{Conversation, Role, TextPart, Use};
use crate::opencode::ReadText;
use crate::plan::Plan;
use crate::text::Edit;

use super::history::Replaced;

#[wasm_bindgen]
extern "C" {
    /// What the shim lends for an event.
    type EventPen;
    #[wasm_bindgen(method, structural, catch)]
    fn remember(this: &EventPen) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, structural, catch)]
    fn outline(this: &EventPen, event: &JsValue, memory: &JsValue) -> Result<Outline, JsValue>;
    #[wasm_bindgen(method, structural, catch, js_name = charsIn)]
    fn chars_in(this: &EventPen, messages: &Array) -> Result<f64, JsValue>;
    #[wasm_bindgen(method, structural, catch)]
    fn change(this: &EventPen, outline: &Outline, change: &Change) -> Result<bool, JsValue>;

    type Outline;
    #[wasm_bindgen(method, getter, structural)]
    fn session(this: &Outline) -> String;
    #[wasm_bindgen(method, getter, structural)]
    fn messages(this: &Outline) -> Array;
    #[wasm_bindgen(method, getter, structural, js_name = isSealed)]
    fn is_sealed(this: &Outline) -> bool;
    #[wasm_bindgen(method, getter, structural)]
    fn roles(this: &Outline) -> String;
    #[wasm_bindgen(method, getter, structural)]
    fn places(this: &Outline) -> Int32Array;
    #[wasm_bindgen(method, getter, structural)]
    fn uses(this: &Outline) -> Traces;
    #[wasm_bindgen(method, getter, structural, js_name = newTexts)]
    fn new_texts(this: &Outline) -> Array;
    #[wasm_bindgen(method, getter, structural, js_name = toolMap)]
    fn tool_map(this: &Outline) -> usize;
    #[wasm_bindgen(method, getter, structural, js_name = newTools)]
    fn new_tools(this: &Outline) -> Option<String>;
    #[wasm_bindgen(method, getter, structural, js_name = toolChars)]
    fn tool_chars(this: &Outline) -> Int32Array;

    /// Traces of use, in flat lists.
    type Traces;
    #[wasm_bindgen(method, getter, structural)]
    fn names(this: &Traces) -> String;
    #[wasm_bindgen(method, getter, structural)]
    fn skills(this: &Traces) -> String;
    #[wasm_bindgen(method, getter, structural)]
    fn paths(this: &Traces) -> String;

    type Change;
    #[wasm_bindgen(method, setter, structural)]
    fn set_edits(this: &Change, edits: Uint32Array);
    #[wasm_bindgen(method, setter, structural)]
    fn set_told(this: &Change, before: Uint32Array);
    #[wasm_bindgen(method, setter, structural)]
    fn set_words(this: &Change, words: &str);
    #[wasm_bindgen(method, setter, structural)]
    fn set_gone(this: &Change, names: &str);
    #[wasm_bindgen(method, setter, structural)]
    fn set_note(this: &Change, note: Option<&str>);
    #[wasm_bindgen(method, setter, structural)]
    fn set_pointers(this: &Change, pointers: Option<&str>);
    #[wasm_bindgen(method, setter, structural)]
    fn set_drawn(this: &Change, messages: &Array);
    #[wasm_bindgen(method, setter, structural)]
    fn set_behind(this: &Change, message: &JsValue);
    #[wasm_bindgen(method, setter, structural, js_name = behindAt)]
    fn set_behind_at(this: &Change, at: u32);

    type Message;
    #[wasm_bindgen(method, getter, structural, catch)]
    fn id(this: &Message) -> Result<JsValue, JsValue>;
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
    fn metadata(this: &Part) -> Result<JsValue, JsValue>;

    type Attachment;
    #[wasm_bindgen(method, getter, structural, catch)]
    fn attachment(this: &Attachment) -> Result<JsValue, JsValue>;
}

/// A property that cannot be read is as good as not there.
trait OrUndefined {
    fn or_undefined(self) -> JsValue;
}

impl OrUndefined for Result<JsValue, JsValue> {
    fn or_undefined(self) -> JsValue {
        self.unwrap_or(JsValue::UNDEFINED)
    }
}

/// Where a text stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    System,
    Message(usize),
    ExecuteDescription,
}

impl Place {
    fn from_number(number: i32) -> Option<Place> {
        match number {
            -1 => Some(Place::System),
            -2 => Some(Place::ExecuteDescription),
            message => usize::try_from(message).ok().map(Place::Message),
        }
    }
}

type Found = (Place, Rc<ReadText>);

pub struct Event {
    pub(super) source: JsValue,
    pub(super) messages: Array,
    pub session: String,
    pub native: Rc<NativeTools>,
    /// The texts, and where each stands.
    pub(super) found: Vec<Found>,
    roles: Vec<Role>,
    is_sealed: bool,
    outline: Outline,
    pen: EventPen,
}

impl Event {
    pub fn read(source: JsValue, pen: JsValue) -> Result<Event, JsValue> {
        if !source.is_object() {
            return Err(JsError::new("prune: the event must be an object").into());
        }
        let pen: EventPen = pen.unchecked_into();
        // While JavaScript reads, nothing is held: a getter of the event's may call the module.
        let mut memory = MEMORY.take();
        let read = memory.outline(&source, &pen);
        MEMORY.set(memory);
        let (outline, found, native) = read?;
        Ok(Event {
            messages: outline.messages(),
            session: outline.session(),
            roles: outline.roles().chars().map(Role::from_letter).collect(),
            is_sealed: outline.is_sealed(),
            source,
            native,
            found,
            outline,
            pen,
        })
    }

    /// How many of the texts are system parts; they come first.
    pub fn system_texts(&self) -> usize {
        self.found.iter().filter(|(place, _)| *place == Place::System).count()
    }

    /// Which message each text stands in.
    pub fn places(&self) -> Vec<Option<usize>> {
        let place = |(place, _): &Found| match place {
            Place::Message(message) => Some(*message),
            Place::System | Place::ExecuteDescription => None,
        };
        self.found.iter().map(place).collect()
    }

    pub fn texts(&self) -> Vec<Rc<ReadText>> {
        self.found.iter().map(|(_, text)| text.clone()).collect()
    }

    /// Whether the event cannot take changes; half a plan would be worse than none.
    pub fn is_sealed(&self) -> bool {
        self.is_sealed
    }

    /// Carries out a plan; `false` if the event is no longer the one that was read.
    pub fn apply(&self, plan: &Plan, edits: &[Vec<Edit>], replaced: &Replaced) -> Result<bool, JsValue> {
        let Plan { messages: told, tools: gone, note, pointers, .. } = plan;
        let edited = edits.iter().enumerate().filter(|(_, edits)| !edits.is_empty());
        let (mut edits, mut words) = (Vec::new(), EncodedList::default());
        for (text, changed) in edited {
            edits.extend([text as u32, changed.len() as u32]);
            for edit in changed {
                let has_words = !edit.replacement.is_empty();
                edits.extend([edit.range.start as u32, edit.range.end as u32, u32::from(has_words)]);
                if has_words {
                    words.push(&edit.replacement);
                }
            }
        }
        told.iter().for_each(|(_, text)| words.push(text));
        let mut names = EncodedList::default();
        names.extend(gone);
        let before: Vec<u32> = told.iter().map(|(before, _)| *before as u32).collect();
        let change: Change = Object::new().unchecked_into();
        change.set_edits(Uint32Array::from(edits.as_slice()));
        change.set_told(Uint32Array::from(before.as_slice()));
        change.set_words(words.as_str());
        change.set_gone(names.as_str());
        change.set_note(note.as_deref());
        change.set_pointers(pointers.as_deref());
        let (drawn, note_behind) = replaced.parts();
        change.set_drawn(drawn);
        if let Some((at, message)) = note_behind {
            change.set_behind(message);
            change.set_behind_at(*at);
        }
        self.pen.change(&self.outline, &change)
    }

    fn content(&self, message: usize) -> Array {
        array(self.messages.get(message as u32).unchecked_into::<Message>().content().or_undefined())
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

    fn uses(&self) -> Vec<Use> {
        let traces = self.outline.uses();
        let each = |list: String, use_of: fn(String) -> Use| {
            fields(&list).map(|field| use_of(field.to_string())).collect::<Vec<_>>()
        };
        [each(traces.names(), Use::Tool), each(traces.paths(), Use::Paths), each(traces.skills(), Use::Skill)]
            .concat()
    }

    fn chars(&self) -> usize {
        self.pen.chars_in(&self.messages).map_or(0, |chars| chars as usize)
    }
}

fn is_attachment(part: &Part) -> bool {
    let metadata = part.metadata().or_undefined();
    metadata.is_object() && metadata.unchecked_into::<Attachment>().attachment().or_undefined().is_object()
}

/// The array, or an empty one for anything else.
fn array(value: JsValue) -> Array {
    value.dyn_into().unwrap_or_default()
}

thread_local! {
    static MEMORY: RefCell<Memory> = RefCell::default();
}

/// What was read before, by the numbers that the shim gave it.
#[derive(Default)]
struct Memory {
    /// The shim's half, which belongs to this one.
    known: Option<JsValue>,
    texts: Vec<Rc<ReadText>>,
    bytes: usize,
    /// The shim says in which place a new one stands; the oldest gives way.
    tool_maps: Vec<Rc<NativeTools>>,
}

const MAX_TEXTS: usize = 512;
const MAX_TEXT_BYTES: usize = 8 << 20;

/// An outline, the texts in it, and its tools.
type Read = (Outline, Vec<Found>, Rc<NativeTools>);

impl Memory {
    fn outline(&mut self, event: &JsValue, pen: &EventPen) -> Result<Read, JsValue> {
        if self.texts.len() >= MAX_TEXTS || self.bytes > MAX_TEXT_BYTES {
            *self = Memory::default();
        }
        let read = self.read(event, pen);
        if read.is_err() {
            // What one side knows the other may not.
            *self = Memory::default();
        }
        read
    }

    fn read(&mut self, event: &JsValue, pen: &EventPen) -> Result<Read, JsValue> {
        let known = match self.known.take() {
            Some(known) => known,
            None => pen.remember()?,
        };
        let outline = pen.outline(event, &known)?;
        self.known = Some(known);
        for text in outline.new_texts().iter() {
            // A lone surrogate is read as a replacement character, which is one UTF-16 unit too: what is cut is told
            // in such units, and is cut out of the source, so the surrogate stays what it is.
            let text = text.as_string().unwrap_or_default();
            self.bytes += text.len();
            self.texts.push(ReadText::new(text));
        }
        let place = outline.tool_map();
        if let Some(tools) = outline.new_tools() {
            let tools = Rc::new(NativeTools::decode(&tools.into(), &outline.tool_chars().to_vec()));
            match self.tool_maps.get_mut(place) {
                Some(oldest) => *oldest = tools,
                None => self.tool_maps.push(tools),
            }
        }
        let disagree = || JsValue::from(JsError::new("the outline of an event has unknown numbers"));
        let native = self.tool_maps.get(place).cloned().ok_or_else(disagree)?;
        let places = outline.places().to_vec();
        let found = places.chunks_exact(2).map(|place| {
            let text = self.texts.get(usize::try_from(place[1]).ok()?)?;
            Some((Place::from_number(place[0])?, text.clone()))
        });
        let found: Option<Vec<Found>> = found.collect();
        Ok((outline, found.ok_or_else(disagree)?, native))
    }
}
