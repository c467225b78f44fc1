//! A list of tools or skills as they are searched: one text that holds all their fields, and an index over it. How
//! an index ranks is left to `bm25.rs`, and who asks to [`super::discovery_index`].
//!
//! The text crosses the boundary as it is, since there may be thousands of documents: six fields each, with NUL
//! between them, as in [`crate::candidates::inventory`] and with a schema behind (`flatTools` and `flatSkills` in
//! `js-shim/discovery.js`).
//!
//! ```text
//! notes_add␀add␀notes␀Add a note␀␀{"type":"object"}␀maps_route␀route␀maps␀Plan a route␀native␀{}
//! ```
//!
//! The fields are id, name, namespace, description, nature and schema. The nature is `native` for a tool that the
//! model calls itself, `skill` for a skill, and nothing for a tool that is called inside `execute`. The schema is
//! JSON text. Whoever joins the fields leaves NUL out of them.

use std::ops::Range;

use super::bm25::{Builder, Hit, Index};
use super::schema::{for_each_text, SchemaText};
use crate::candidates::Candidates;
use crate::encoded_list::SEPARATOR;
use crate::options::discovery::ToolNotes;

/// The fields of a document.
const FIELDS: usize = 6;
const DESCRIPTION: usize = 3;

/// How often a word counts by the field it stands in. A name says more of a tool than a description, and a
/// description of a parameter less.
mod weight {
    pub const SERVER: f32 = 1.0;
    pub const NAME: f32 = 1.5;
    pub const DESCRIPTION: f32 = 1.0;
    pub const PARAMETER: f32 = 1.0;
    pub const PARAMETER_DESCRIPTION: f32 = 0.5;
}

/// What a document is, and so how the model comes to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A tool that code calls inside OpenCode's `execute`.
    CodeTool,
    /// A tool that the model calls itself.
    NativeTool,
    /// A skill, which the model loads with OpenCode's tool `skill`.
    Skill,
}

/// One tool or skill.
#[derive(Clone, Copy, Debug)]
pub struct Document<'a> {
    /// The native name of a tool, `server_tool`; the id of a skill. Never empty.
    pub id: &'a str,
    /// The sanitised name of the server; empty for a skill, and for a tool without one.
    pub namespace: &'a str,
    /// The name of a tool inside its server, of a skill for people; the id where there is none.
    pub name: &'a str,
    /// How the model comes to it.
    pub kind: Kind,
    /// Whole, or empty; the user's own (`discovery.tools`) if there is one.
    pub description: &'a str,
    /// The JSON schema of a tool's input as text, or empty.
    pub schema: &'a str,
}

/// Tools or skills that can be searched and looked up. A document is known by its number in the list, from zero.
#[derive(Debug, Default)]
pub struct Documents {
    text: String,
    /// Where the fields of each document stand in the text.
    fields: Vec<[Range<u32>; FIELDS]>,
    index: Index,
}

impl Documents {
    /// Decodes and indexes a list. A document without an id, or cut off, is left out, and so is one that
    /// `includes` refuses by its id and namespace.
    pub fn new(list: String, notes: &ToolNotes, includes: &dyn Fn(&str, &str) -> bool) -> Documents {
        let mut fields = decode(&list);
        fields.retain(|[id, _, namespace, ..]| includes(slice(&list, id), slice(&list, namespace)));
        let mut documents = Documents { fields, text: list, index: Index::default() };
        documents.replace_descriptions(notes);
        documents.index = documents.build_index(notes);
        documents
    }

    fn build_index(&self, notes: &ToolNotes) -> Index {
        let mut builder = Builder::default();
        for (_, document) in self.iter() {
            builder.begin_document();
            builder.add(document.namespace, weight::SERVER);
            builder.add(document.name, weight::NAME);
            builder.add(document.description, weight::DESCRIPTION);
            for_each_text(document.schema, &mut |kind, text| match kind {
                SchemaText::ParameterName => builder.add(text, weight::PARAMETER),
                SchemaText::Description => builder.add(text, weight::PARAMETER_DESCRIPTION),
            });
            for tag in notes.tags(document.id) {
                builder.add(tag, weight::NAME);
            }
        }
        builder.finish()
    }

    /// What the user says of a tool takes the place of what its server says.
    fn replace_descriptions(&mut self, notes: &ToolNotes) {
        for id in notes.tools() {
            let Some(description) = notes.description(id) else { continue };
            let begin = self.text.len() as u32;
            self.text.push_str(description);
            let end = self.text.len() as u32;
            let text = &self.text;
            if let Some(fields) = self.fields.iter_mut().find(|fields| slice(text, &fields[0]) == id) {
                fields[DESCRIPTION] = begin..end;
            }
        }
    }

    /// The number of documents.
    pub fn len(&self) -> usize {
        self.fields.len()
    }

    /// Whether there are no documents.
    pub fn is_empty(&self) -> bool {
        self.fields.is_empty()
    }

    /// The document with a number.
    pub fn get(&self, at: u32) -> Option<Document<'_>> {
        let [id, name, namespace, description, nature, schema] =
            self.fields.get(at as usize)?.each_ref().map(|field| slice(&self.text, field));
        let kind = match nature {
            "native" => Kind::NativeTool,
            "skill" => Kind::Skill,
            _ => Kind::CodeTool,
        };
        Some(Document { id, namespace, name, kind, description, schema })
    }

    /// All documents with their numbers, in order.
    pub fn iter(&self) -> impl Iterator<Item = (u32, Document<'_>)> {
        (0..self.len() as u32).filter_map(|at| Some((at, self.get(at)?)))
    }

    /// The best documents for a query, in words of any language, best first.
    pub(crate) fn search(&self, query: &str, limit: usize) -> Vec<Hit> {
        self.index.search(query, limit)
    }

    /// The same with each word of the query replaced by the nearest one that is known.
    pub(crate) fn search_nearby(&self, query: &str, limit: usize) -> Vec<Hit> {
        self.index.search_nearby(query, limit)
    }
}

fn slice<'a>(text: &'a str, range: &Range<u32>) -> &'a str {
    text.get(range.start as usize..range.end as usize).unwrap_or_default()
}

/// Where the fields of each document with an id stand; the id is the name of one without a name.
fn decode(list: &str) -> Vec<[Range<u32>; FIELDS]> {
    let mut all = Vec::new();
    let mut fields: [Range<u32>; FIELDS] = Default::default();
    let mut start = 0;
    for (at, field) in list.split(SEPARATOR).enumerate() {
        fields[at % FIELDS] = start as u32..(start + field.len()) as u32;
        start += field.len() + SEPARATOR.len_utf8();
        if at % FIELDS == FIELDS - 1 && !fields[0].is_empty() {
            if fields[1].is_empty() {
                fields[1] = fields[0].clone();
            }
            all.push(fields.clone());
        }
    }
    all
}

/// Adds a document to an encoded list: id, name, namespace, description, nature and schema. NUL is left out.
pub fn push_document(list: &mut String, fields: [&str; FIELDS]) {
    let is_first = list.is_empty();
    for (at, field) in fields.into_iter().enumerate() {
        if at > 0 || !is_first {
            list.push(SEPARATOR);
        }
        list.extend(field.split(SEPARATOR));
    }
}

/// The tools of a request as an encoded list, where OpenCode itself lists none. They have no schemas.
pub(super) fn encode_tools(candidates: &Candidates) -> String {
    let mut list = String::new();
    for server in &candidates.servers {
        for tool in &server.tools {
            let nature = if tool.is_native { "native" } else { "" };
            let description = tool.description.as_deref().unwrap_or_default();
            push_document(&mut list, [&tool.id, &tool.name, &server.namespace, description, nature, ""]);
        }
    }
    list
}

/// The skills of a request as an encoded list, where OpenCode itself lists none.
pub(super) fn encode_skills(candidates: &Candidates) -> String {
    let mut list = String::new();
    for skill in &candidates.skills {
        let description = skill.description.as_deref().unwrap_or_default();
        push_document(&mut list, [&skill.id, &skill.name, "", description, "skill", ""]);
    }
    list
}
