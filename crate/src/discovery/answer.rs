//! What the model reads when it has searched: JSON, written straight from the documents.

use super::documents::{Document, Documents, Kind};
use super::names::{self, Named};
use super::pattern::{self, Query};
use crate::opencode::signature::call_path;
use crate::text::cut;

/// An answer, and which documents it shows.
#[derive(Debug, Default, PartialEq)]
pub struct Answer {
    pub text: String,
    pub shown: Vec<u32>,
}

/// A search to answer.
pub struct Search<'a> {
    /// The word for what is searched: `tools` or `skills`.
    pub list: &'a str,
    pub query: Query<'a>,
    pub limit: usize,
    pub max_description: usize,
}

/// How many names are given to choose from.
const MAX_NAMES: usize = 20;
const MAX_NEAREST: usize = 5;

/// The most servers that are counted up where nothing was found.
const MAX_SERVERS: usize = 100;

/// The best documents for a query.
pub fn search(documents: &Documents, search: &Search) -> Answer {
    let mut answer = Answer::default();
    let out = &mut answer.text;
    for piece in ["{\"", search.list, "\":["] {
        out.push_str(piece);
    }
    let mut write = |document: u32, score: f32| {
        let Some(found) = documents.get(document) else { return };
        if !answer.shown.is_empty() {
            out.push(',');
        }
        answer.shown.push(document);
        write(out, &found, search.max_description);
        out.push_str(",\"score\":");
        push_hundredths(out, score);
        out.push('}');
    };
    match search.query {
        Query::Words(words) => {
            documents.search(words, search.limit).iter().for_each(|hit| write(hit.document, hit.score));
        }
        Query::Pattern(pattern) => match pattern::search(documents, pattern, search.limit) {
            Ok(matching) => matching.into_iter().for_each(|document| write(document, 1.0)),
            Err(problem) => return error(&format!("The pattern cannot be used: {problem}.")),
        },
    }
    out.push(']');
    if answer.shown.is_empty() {
        tell_nearest(out, documents, search.query);
    }
    out.push('}');
    answer
}

/// The tool with a name, whole.
pub fn load(documents: &Documents, name: &str) -> Answer {
    let mut answer = Answer::default();
    let out = &mut answer.text;
    out.push_str("{\"tool\":");
    match names::find(documents, name) {
        Named::One(at) => {
            if let Some(document) = documents.get(at) {
                write(out, &document, usize::MAX);
                out.push('}');
            }
            answer.shown.push(at);
        }
        Named::Several(mut found) => {
            found.truncate(MAX_NAMES);
            out.push_str("null");
            tell_ids(out, "called_that", documents, &found);
            field(out, "note", "Several tools are called that; load one by its id.");
        }
        Named::Nothing => {
            out.push_str("null");
            tell_ids(out, "nearest", documents, &names::nearest(documents, name, MAX_NEAREST));
            field(out, "note", "No tool is called that; `tool_search` looks for words.");
        }
    }
    out.push('}');
    answer
}

/// The names of all tools by server.
pub fn list(documents: &Documents) -> Answer {
    let mut text = "{\"servers\":{".to_string();
    let mut before = None;
    for (server, name) in by_server(documents) {
        match before.replace(server) {
            Some(same) if same == server => text.push(','),
            before => {
                text.push_str(if before.is_some() { "]," } else { "" });
                push_quoted(&mut text, server);
                text.push_str(":[");
            }
        }
        push_quoted(&mut text, name);
    }
    text.push_str(if before.is_some() { "]}}" } else { "}}" });
    Answer { text, shown: Vec::new() }
}

pub fn error(message: &str) -> Answer {
    let mut text = "{\"error\":".to_string();
    push_quoted(&mut text, message);
    text.push('}');
    Answer { text, shown: Vec::new() }
}

/// Servers and tools, in the order of their names.
fn by_server(documents: &Documents) -> Vec<(&str, &str)> {
    let mut names = Vec::new();
    for (_, document) in documents.iter() {
        names.push((document.namespace, document.name));
    }
    names.sort();
    names
}

fn tell_nearest(out: &mut String, documents: &Documents, query: Query) {
    let mut nearest = Vec::new();
    if let Query::Words(words) = query {
        nearest = names::nearest(documents, words, MAX_NEAREST);
        for hit in documents.search_nearby(words, MAX_NEAREST) {
            if nearest.len() < MAX_NEAREST && !nearest.contains(&hit.document) {
                nearest.push(hit.document);
            }
        }
    }
    tell_ids(out, "nearest", documents, &nearest);
    let mut servers: Vec<(&str, usize)> = Vec::new();
    for (server, _) in by_server(documents) {
        match servers.last_mut() {
            Some((last, tools)) if *last == server => *tools += 1,
            _ => servers.push((server, 1)),
        }
    }
    servers.retain(|(server, _)| !server.is_empty());
    servers.truncate(MAX_SERVERS);
    if servers.is_empty() {
        return;
    }
    out.push_str(",\"servers\":[");
    for (at, (server, tools)) in servers.iter().enumerate() {
        out.push_str(if at > 0 { "," } else { "" });
        push_quoted(out, &[server, " (", &tools.to_string(), ")"].concat());
    }
    out.push(']');
}

/// A document without its closing brace.
fn write(out: &mut String, document: &Document, max_description: usize) {
    out.push_str("{\"id\":");
    push_quoted(out, document.id);
    if !document.namespace.is_empty() {
        field(out, "server", document.namespace);
    }
    if document.kind == Kind::Skill && document.name != document.id {
        field(out, "name", document.name);
    }
    let description = cut(document.description.trim(), max_description);
    if !description.is_empty() {
        field(out, "description", description);
    }
    if !document.schema.is_empty() {
        out.push_str(",\"input_schema\":");
        out.push_str(document.schema);
    }
    field(out, "call", &how_to_call(document));
}

fn how_to_call(document: &Document) -> String {
    match document.kind {
        Kind::Skill => ["the `skill` tool with \"", document.id, "\""].concat(),
        Kind::Direct => ["`", document.id, "`, from your next step on"].concat(),
        Kind::Code => {
            let path = call_path(document.namespace, document.name);
            let path = path.unwrap_or_else(|_| document.id.to_string());
            [path.as_str(), "({...}) inside `execute`"].concat()
        }
    }
}

fn tell_ids(out: &mut String, name: &str, documents: &Documents, found: &[u32]) {
    for piece in [",\"", name, "\":["] {
        out.push_str(piece);
    }
    for (at, document) in found.iter().enumerate() {
        out.push_str(if at > 0 { "," } else { "" });
        push_quoted(out, documents.get(*document).map_or("", |document| document.id));
    }
    out.push(']');
}

fn field(out: &mut String, name: &str, value: &str) {
    for piece in [",\"", name, "\":"] {
        out.push_str(piece);
    }
    push_quoted(out, value);
}

/// Behind others, as a JSON string.
fn push_quoted(out: &mut String, text: &str) {
    out.push_str(&quote(text));
}

pub fn quote(text: &str) -> String {
    serde_json::to_string(text).unwrap_or_default()
}

fn push_hundredths(out: &mut String, number: f32) {
    out.push_str(&format!("{number:.2}"));
}
