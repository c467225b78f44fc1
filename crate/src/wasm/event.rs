//! A request as the shim has read it from OpenCode's event (`js-shim/event.js` says what each field is), and the changes
//! of it, which that file carries out. A text or a tool map that crossed before comes as its number alone.

use std::cell::RefCell;
use std::rc::Rc;

use js_sys::{Array, Int32Array, Object, Reflect, Uint32Array};
use wasm_bindgen::prelude::*;

use super::conversation::{self, Conversation as History, Outline};
use crate::candidates::NativeTools;
use crate::encoded_list::{fields, EncodedList, SEPARATOR};
use crate::hash::fingerprint_of;
use crate::history::input::Input;
use crate::history::session::Outcome as HistoryOutcome;
use crate::opencode::messages::{Conversation, Role, TextPart, Use};
use crate::opencode::ReadText;
use crate::plan::Plan;
use crate::pruning::Finished;

#[wasm_bindgen]
extern "C" {
    /// `Snapshot` of `js-shim/event.js`.
    pub type Snapshot;
    #[wasm_bindgen(method, getter, structural)]
    fn generation(this: &Snapshot) -> u32;
    #[wasm_bindgen(method, getter, structural)]
    fn session(this: &Snapshot) -> String;
    #[wasm_bindgen(method, getter, structural, js_name = isSealed)]
    fn is_sealed(this: &Snapshot) -> bool;
    #[wasm_bindgen(method, getter, structural)]
    fn roles(this: &Snapshot) -> String;
    #[wasm_bindgen(method, getter, structural, js_name = userIds)]
    fn user_ids(this: &Snapshot) -> String;
    #[wasm_bindgen(method, getter, structural)]
    fn places(this: &Snapshot) -> Int32Array;
    #[wasm_bindgen(method, getter, structural)]
    fn uses(this: &Snapshot) -> Uses;
    #[wasm_bindgen(method, getter, structural, js_name = newTexts)]
    fn new_texts(this: &Snapshot) -> Array;
    #[wasm_bindgen(method, getter, structural, js_name = toolMap)]
    fn tool_map(this: &Snapshot) -> usize;
    #[wasm_bindgen(method, getter, structural, js_name = newTools)]
    fn new_tools(this: &Snapshot) -> Option<String>;
    #[wasm_bindgen(method, getter, structural, js_name = toolChars)]
    fn tool_chars(this: &Snapshot) -> Option<Int32Array>;
    #[wasm_bindgen(method, getter, structural)]
    fn conversation(this: &Snapshot) -> Option<Outline>;
    #[wasm_bindgen(method, structural, js_name = textsOf)]
    fn texts_of(this: &Snapshot, message: u32) -> Array;
    #[wasm_bindgen(method, structural)]
    fn chars(this: &Snapshot) -> f64;

    /// Traces of use, in encoded lists.
    type Uses;
    #[wasm_bindgen(method, getter, structural)]
    fn names(this: &Uses) -> String;
    #[wasm_bindgen(method, getter, structural)]
    fn skills(this: &Uses) -> String;
    #[wasm_bindgen(method, getter, structural)]
    fn paths(this: &Uses) -> String;

    /// One text of a message.
    type Text;
    #[wasm_bindgen(method, getter, structural)]
    fn text(this: &Text) -> String;
    #[wasm_bindgen(method, getter, structural, js_name = isAttachment)]
    fn is_attachment(this: &Text) -> bool;
}

/// Where a text stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
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

/// What is known of a message without reading it.
struct Message {
    role: Role,
    has_metadata: bool,
    /// Of user messages only.
    id: Option<String>,
}

/// A request, read.
pub struct Event {
    /// OpenCode's id of the session.
    pub session: String,
    pub native: Rc<NativeTools>,
    /// Its messages, where what is stale in them may go.
    pub conversation: Option<History>,
    /// Whether the event cannot take changes; half a plan would be worse than none.
    pub is_sealed: bool,
    /// The texts, and where each stands.
    found: Vec<Found>,
    messages: Vec<Message>,
    snapshot: Snapshot,
}

impl Event {
    pub fn read(snapshot: Snapshot) -> Result<Event, JsValue> {
        let (found, native) = KNOWN.with_borrow_mut(|known| known.read(&snapshot))?;
        let roles = snapshot.roles();
        let conversation = match snapshot.conversation() {
            Some(outline) => Some(
                KNOWN
                    .with_borrow_mut(|known| conversation::read(&outline, roles.len(), &mut known.inputs))?,
            ),
            None => None,
        };
        Ok(Event {
            session: snapshot.session(),
            is_sealed: snapshot.is_sealed(),
            messages: messages(&roles, &snapshot.user_ids()),
            conversation,
            native,
            found,
            snapshot,
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

/// From a letter for each message, and the ids of the user messages.
fn messages(roles: &str, user_ids: &str) -> Vec<Message> {
    let mut ids = user_ids.split(SEPARATOR);
    let message = |letter: char| {
        let role = Role::from_letter(letter.to_ascii_lowercase());
        let id = if role == Role::User { ids.next().map(str::to_string) } else { None };
        Message { role, has_metadata: letter.is_ascii_uppercase(), id }
    };
    roles.chars().map(message).collect()
}

impl Conversation for Event {
    fn len(&self) -> usize {
        self.messages.len()
    }

    fn role(&self, index: usize) -> Role {
        self.messages.get(index).map_or(Role::Unknown, |message| message.role)
    }

    fn id(&self, index: usize) -> Option<String> {
        self.messages.get(index)?.id.clone()
    }

    fn has_metadata(&self, index: usize) -> bool {
        self.messages.get(index).is_some_and(|message| message.has_metadata)
    }

    fn text_parts(&self, index: usize) -> Vec<TextPart> {
        let texts = self.snapshot.texts_of(index as u32);
        let part = |text: Text| TextPart { text: text.text(), is_attachment: text.is_attachment() };
        texts.iter().map(|text| part(text.unchecked_into())).collect()
    }

    fn uses(&self) -> Vec<Use> {
        let uses = self.snapshot.uses();
        let each = |list: String, use_of: fn(String) -> Use| {
            fields(&list).map(|field| use_of(field.to_string())).collect::<Vec<_>>()
        };
        [each(uses.names(), Use::Tool), each(uses.paths(), Use::Paths), each(uses.skills(), Use::Skill)]
            .concat()
    }

    fn chars(&self) -> usize {
        self.snapshot.chars() as usize
    }
}

/// `Change` of `js-shim/event.js`, as a JavaScript object.
pub struct Change(Object);

impl Change {
    /// The lists stay as they are without `finished`, the conversation without `history`.
    pub fn new(finished: Option<&Finished>, history: Option<&HistoryOutcome>) -> Change {
        let change = Change(Object::new());
        let (mut edits, mut before, mut words, mut gone) = Default::default();
        if let Some(Finished { plan, edits: edited, .. }) = finished {
            encode_edits(edited, &mut edits, &mut words);
            before = plan.messages.iter().map(|(before, _)| *before as u32).collect::<Vec<_>>();
            words.extend(plan.messages.iter().map(|(_, text)| text));
            gone = EncodedList::default();
            gone.extend(&plan.tools);
            change.set("note", plan.note.as_deref().into());
            change.set("pointers", plan.pointers.as_deref().into());
        }
        change.set("edits", Uint32Array::from(edits.as_slice()).into());
        change.set("announced", Uint32Array::from(before.as_slice()).into());
        change.set("words", words.as_str().into());
        change.set("gone", gone.as_str().into());
        if let Some(history) = history {
            change.set("history", conversation::change(history).into());
        }
        change
    }

    fn set(&self, name: &str, value: JsValue) {
        let _ = Reflect::set(&self.0, &name.into(), &value);
    }
}

impl From<Change> for JsValue {
    fn from(change: Change) -> JsValue {
        change.0.into()
    }
}

fn encode_edits(edited: &[Vec<crate::text::Edit>], numbers: &mut Vec<u32>, words: &mut EncodedList) {
    for (text, changed) in edited.iter().enumerate().filter(|(_, edits)| !edits.is_empty()) {
        numbers.extend([text as u32, changed.len() as u32]);
        for edit in changed {
            let has_words = !edit.replacement.is_empty();
            numbers.extend([edit.range.start as u32, edit.range.end as u32, u32::from(has_words)]);
            if has_words {
                words.push(&edit.replacement);
            }
        }
    }
}

thread_local! {
    static KNOWN: RefCell<Known> = RefCell::default();
}

/// What crossed before, by the numbers that the shim gave it.
#[derive(Default)]
struct Known {
    /// Of the shim's half: of another generation everything is new.
    generation: u32,
    texts: Vec<Rc<ReadText>>,
    /// The shim says in which place a new one stands; the oldest gives way.
    tool_maps: Vec<Rc<NativeTools>>,
    /// Inputs of calls in conversations.
    inputs: Vec<Rc<Input>>,
}

impl Known {
    fn read(&mut self, snapshot: &Snapshot) -> Result<(Vec<Found>, Rc<NativeTools>), JsValue> {
        if self.generation != snapshot.generation() {
            *self = Known { generation: snapshot.generation(), ..Known::default() };
        }
        for text in snapshot.new_texts().iter() {
            // A lone surrogate is read as a replacement character, which is one UTF-16 unit too: what is cut is told
            // in such units, and is cut out of the source, so the surrogate stays what it is.
            self.texts.push(ReadText::new(text.as_string().unwrap_or_default()));
        }
        let place = snapshot.tool_map();
        if let Some((tools, chars)) = snapshot.new_tools().zip(snapshot.tool_chars()) {
            let tools = Rc::new(NativeTools::decode(&tools.into(), &chars.to_vec()));
            match self.tool_maps.get_mut(place) {
                Some(oldest) => *oldest = tools,
                None => self.tool_maps.push(tools),
            }
        }
        let disagree = || JsValue::from(JsError::new("prune: the snapshot has unknown numbers"));
        let native = self.tool_maps.get(place).cloned().ok_or_else(disagree)?;
        let places = snapshot.places().to_vec();
        let found = places.chunks_exact(2).map(|place| {
            let text = self.texts.get(usize::try_from(place[1]).ok()?)?;
            Some((Place::from_number(place[0])?, text.clone()))
        });
        let found: Option<Vec<Found>> = found.collect();
        Ok((found.ok_or_else(disagree)?, native))
    }
}
