//! Tools or skills as they are searched: one text that holds all their fields, and an index over it.
//!
//! They come as that one text, since thousands of them cross the border at once: six fields a document, with
//! NUL between them, as in [`crate::candidates::inventory`] and with a schema behind.
//!
//! ```text
//! notes_add␀add␀notes␀Add a note␀␀{"type":"object"}␀maps_route␀route␀maps␀Plan a route␀native␀{}
//! ```
//!
//! The nature is `native` for a tool that the model calls itself, `skill` for a skill, and nothing for a tool
//! that is called inside `execute`. The schema is JSON text. Whoever joins the fields leaves NUL out of them.

use std::ops::Range;

use crate::discovery::index::schema::{self, Part};
use crate::discovery::index::{Builder, Hit, Index};

use crate::candidates::Candidates;
use crate::options::discovery::ToolNotes;

pub const SEPARATOR: char = '\0';

const FIELDS: usize = 6;

/// The place of the description.
const DESCRIPTION: usize = 3;

/// How often a word counts where it stands. A name says more of a tool than a description, and a description
/// of a parameter less.
mod weight {
    pub const SERVER: f32 = 1.0;
    pub const NAME: f32 = 1.5;
    pub const DESCRIPTION: f32 = 1.0;
    pub const PARAMETER: f32 = 1.0;
    pub const PARAMETER_DESCRIPTION: f32 = 0.5;
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Code,
    Direct,
    Skill,
}

#[derive(Clone, Copy, Debug)]
pub struct Document<'a> {
    pub id: &'a str,
    /// The sanitised name of the server; empty for a skill, and for a tool without one.
    pub namespace: &'a str,
    pub name: &'a str,
    pub kind: Kind,
    pub description: &'a str,
    /// JSON, or empty.
    pub schema: &'a str,
}

#[derive(Debug, Default)]
pub struct Documents {
    text: String,
    fields: Vec<[Range<u32>; FIELDS]>,
    index: Index,
}

impl Documents {
    /// Reads and indexes the joined fields; a document without an id, or cut off, is left out, and
    /// so is one that `takes` refuses by its id and namespace.
    pub fn new(text: String, notes: &ToolNotes, takes: &dyn Fn(&str, &str) -> bool) -> Documents {
        let mut fields = read_fields(&text);
        fields.retain(|[id, _, namespace, ..]| takes(slice(&text, id), slice(&text, namespace)));
        let mut documents = Documents { fields, text, index: Index::default() };
        documents.describe_anew(notes);
        let mut builder = Builder::default();
        for at in 0..documents.fields.len() {
            let Some(document) = documents.get(at as u32) else { continue };
            builder.begin_document();
            builder.add(document.namespace, weight::SERVER);
            builder.add(document.name, weight::NAME);
            builder.add(document.description, weight::DESCRIPTION);
            schema::for_each(document.schema, &mut |part, text| match part {
                Part::Name => builder.add(text, weight::PARAMETER),
                Part::Description => builder.add(text, weight::PARAMETER_DESCRIPTION),
            });
            for tag in notes.tags(document.id) {
                builder.add(tag, weight::NAME);
            }
        }
        documents.index = builder.finish();
        documents
    }

    /// What a person says of a tool takes the place of what its server says.
    fn describe_anew(&mut self, notes: &ToolNotes) {
        for id in notes.tools() {
            let Some(description) = notes.description(id) else { continue };
            let begin = self.text.len() as u32;
            self.text.push_str(description);
            let end = self.text.len() as u32;
            let Documents { text, fields, .. } = self;
            let is_meant = |fields: &&mut [Range<u32>; FIELDS]| slice(text, &fields[0]) == id;
            if let Some(fields) = fields.iter_mut().find(is_meant) {
                fields[DESCRIPTION] = begin..end;
            }
        }
    }

    pub fn len(&self) -> usize {
        self.fields.len()
    }

    pub fn is_empty(&self) -> bool {
        self.fields.is_empty()
    }

    pub fn get(&self, at: u32) -> Option<Document<'_>> {
        let [id, name, namespace, description, nature, schema] =
            self.fields.get(at as usize)?.each_ref().map(|field| slice(&self.text, field));
        let kind = match nature {
            "native" => Kind::Direct,
            "skill" => Kind::Skill,
            _ => Kind::Code,
        };
        Some(Document { id, namespace, name, kind, description, schema })
    }

    pub fn iter(&self) -> impl Iterator<Item = (u32, Document<'_>)> {
        (0..self.len() as u32).filter_map(|at| Some((at, self.get(at)?)))
    }

    /// The best documents for words of any language.
    pub fn search(&self, query: &str, limit: usize) -> Vec<Hit> {
        self.index.search(query, limit)
    }

    /// The best documents for the query with each of its words replaced by the nearest one that is known.
    pub fn search_nearby(&self, query: &str, limit: usize) -> Vec<Hit> {
        self.index.search_nearby(query, limit)
    }
}

fn slice<'a>(text: &'a str, range: &Range<u32>) -> &'a str {
    text.get(range.start as usize..range.end as usize).unwrap_or_default()
}

/// The fields of each document that has an id; without a name its id is one.
fn read_fields(text: &str) -> Vec<[Range<u32>; FIELDS]> {
    let mut all = Vec::new();
    let mut fields: [Range<u32>; FIELDS] = Default::default();
    let mut begin = 0;
    for (at, field) in text.split(SEPARATOR).enumerate() {
        fields[at % FIELDS] = begin as u32..(begin + field.len()) as u32;
        begin += field.len() + SEPARATOR.len_utf8();
        if at % FIELDS == FIELDS - 1 && !fields[0].is_empty() {
            if fields[1].is_empty() {
                fields[1] = fields[0].clone();
            }
            all.push(fields.clone());
        }
    }
    all
}

/// Puts one document behind others.
pub fn push(text: &mut String, fields: [&str; FIELDS]) {
    let is_first = text.is_empty();
    for (at, field) in fields.into_iter().enumerate() {
        if at > 0 || !is_first {
            text.push(SEPARATOR);
        }
        text.extend(field.chars().filter(|character| *character != SEPARATOR));
    }
}

/// The tools of a request, for a host that does not list them.
pub fn tools_of(candidates: &Candidates) -> String {
    let mut text = String::new();
    for server in &candidates.servers {
        for tool in &server.tools {
            let nature = if tool.is_native { "native" } else { "" };
            let description = tool.description.as_deref().unwrap_or_default();
            push(&mut text, [&tool.id, &tool.name, &server.namespace, description, nature, ""]);
        }
    }
    text
}

/// The skills of a request, for a host that does not list them.
pub fn skills_of(candidates: &Candidates) -> String {
    let mut text = String::new();
    for skill in &candidates.skills {
        let description = skill.description.as_deref().unwrap_or_default();
        push(&mut text, [&skill.id, &skill.name, "", description, "skill", ""]);
    }
    text
}
