//! What the model reads when it has searched or loaded: JSON, whose fields are the types of this file. What was
//! asked is read in [`super::calls`].

use std::collections::BTreeMap;

use serde::ser::Error;
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

use super::documents::{Document, Documents, Kind};
use super::name_lookup::{look_up, nearest, Lookup};
use super::query::{self, Query};
use crate::opencode::signature::call_path;
use crate::text::cut;

/// The answer to a call.
#[derive(Debug, Default, PartialEq)]
pub struct Answer {
    /// JSON for the model.
    pub text: String,
    /// The numbers of the documents that it shows, in their order.
    pub shown: Vec<u32>,
}

/// What is searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Searched {
    /// Tools of MCP servers.
    Tools,
    /// Skills.
    Skills,
}

/// A search to answer.
pub(super) struct Search<'a> {
    pub(super) searched: Searched,
    pub(super) query: Query<'a>,
    /// The most results.
    pub(super) limit: usize,
    /// Descriptions are cut at this many characters.
    pub(super) max_description: usize,
}

/// The most ids of which a model may choose where several tools have one name.
const MAX_SAME_NAME: usize = 20;
/// The most ids near to what was not found.
const MAX_NEAREST: usize = 5;
/// The most servers that are counted up where nothing was found.
const MAX_SERVERS: usize = 100;

/// The answer to a search, in `tools` or `skills`; the other fields where nothing was found.
#[derive(Default, Serialize)]
struct SearchAnswer<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    tools: Option<Vec<Entry<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    skills: Option<Vec<Entry<'a>>>,
    /// Ids.
    #[serde(skip_serializing_if = "Option::is_none")]
    nearest: Option<Vec<&'a str>>,
    /// Each with the number of its tools: `notes (2)`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    servers: Vec<String>,
}

#[derive(Default, Serialize)]
struct LoadAnswer<'a> {
    tool: Option<Entry<'a>>,
    /// Ids.
    #[serde(skip_serializing_if = "Option::is_none")]
    called_that: Option<Vec<&'a str>>,
    /// Ids.
    #[serde(skip_serializing_if = "Option::is_none")]
    nearest: Option<Vec<&'a str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<&'a str>,
}

#[derive(Serialize)]
struct ListAnswer<'a> {
    /// Names of tools by server, both in order.
    servers: BTreeMap<&'a str, Vec<&'a str>>,
}

#[derive(Serialize)]
struct ErrorAnswer<'a> {
    error: &'a str,
}

/// A tool or skill.
#[derive(Serialize)]
struct Entry<'a> {
    id: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    server: &'a str,
    /// Of a skill, where it is another than the id.
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    #[serde(skip_serializing_if = "str::is_empty")]
    description: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    input_schema: Option<&'a RawValue>,
    call: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<Hundredths>,
}

impl<'a> Entry<'a> {
    /// A schema that is no JSON is left out.
    fn new(document: Document<'a>, max_description: usize, score: Option<f32>) -> Entry<'a> {
        let is_named = document.kind == Kind::Skill && document.name != document.id;
        Entry {
            id: document.id,
            server: document.namespace,
            name: is_named.then_some(document.name),
            description: cut(document.description.trim(), max_description),
            input_schema: serde_json::from_str(document.schema).ok(),
            call: how_to_call(&document),
            score: score.map(Hundredths),
        }
    }
}

fn how_to_call(document: &Document) -> String {
    let id = document.id;
    match document.kind {
        Kind::Skill => format!("the `skill` tool with \"{id}\""),
        Kind::NativeTool => format!("`{id}`, from your next step on"),
        Kind::CodeTool => {
            let path = call_path(document.namespace, document.name).unwrap_or_else(|_| id.to_string());
            format!("{path}({{...}}) inside `execute`")
        }
    }
}

/// A number with two digits behind its point, also where they are zero.
struct Hundredths(f32);

impl Serialize for Hundredths {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let digits = RawValue::from_string(format!("{:.2}", self.0)).map_err(S::Error::custom)?;
        digits.serialize(serializer)
    }
}

/// The best documents for a query; where there are none, the nearest names and the servers there are.
pub(super) fn search(documents: &Documents, search: &Search) -> Answer {
    let hits: Vec<(u32, f32)> = match search.query {
        Query::Words(words) => {
            let hits = documents.search(words, search.limit);
            hits.into_iter().map(|hit| (hit.document, hit.score)).collect()
        }
        Query::Pattern(pattern) => match query::matching(documents, pattern, search.limit) {
            Ok(matching) => matching.into_iter().map(|at| (at, 1.0)).collect(),
            Err(problem) => return error(&format!("The pattern cannot be used: {problem}.")),
        },
    };
    let entry = |&(at, score)| Some(Entry::new(documents.get(at)?, search.max_description, Some(score)));
    let entries = Some(hits.iter().filter_map(entry).collect());
    let mut answer = match search.searched {
        Searched::Tools => SearchAnswer { tools: entries, ..SearchAnswer::default() },
        Searched::Skills => SearchAnswer { skills: entries, ..SearchAnswer::default() },
    };
    if hits.is_empty() {
        answer.nearest = Some(ids(documents, &nearest_to(documents, search.query)));
        answer.servers = tools_per_server(documents);
    }
    Answer { text: to_json(&answer), shown: hits.into_iter().map(|(at, _)| at).collect() }
}

/// Documents of which a query may have meant one: by their names first, then by words nearly as asked.
fn nearest_to(documents: &Documents, query: Query) -> Vec<u32> {
    let Query::Words(words) = query else { return Vec::new() };
    let mut near = nearest(documents, words, MAX_NEAREST);
    for hit in documents.search_nearby(words, MAX_NEAREST) {
        if near.len() < MAX_NEAREST && !near.contains(&hit.document) {
            near.push(hit.document);
        }
    }
    near
}

fn tools_per_server(documents: &Documents) -> Vec<String> {
    let servers = names_by_server(documents).into_iter().filter(|(server, _)| !server.is_empty());
    servers.take(MAX_SERVERS).map(|(server, tools)| format!("{server} ({})", tools.len())).collect()
}

/// The tool with a name, its description and schema whole; else the ids of those that may be meant.
pub fn load(documents: &Documents, name: &str) -> Answer {
    let (answer, shown) = match look_up(documents, name) {
        Lookup::One(at) => {
            let tool = documents.get(at).map(|document| Entry::new(document, usize::MAX, None));
            (LoadAnswer { tool, ..LoadAnswer::default() }, vec![at])
        }
        Lookup::Several(mut found) => {
            found.truncate(MAX_SAME_NAME);
            let answer = LoadAnswer {
                called_that: Some(ids(documents, &found)),
                note: Some("Several tools are called that; load one by its id."),
                ..LoadAnswer::default()
            };
            (answer, Vec::new())
        }
        Lookup::Nothing => {
            let answer = LoadAnswer {
                nearest: Some(ids(documents, &nearest(documents, name, MAX_NEAREST))),
                note: Some("No tool is called that; `tool_search` looks for words."),
                ..LoadAnswer::default()
            };
            (answer, Vec::new())
        }
    };
    Answer { text: to_json(&answer), shown }
}

/// The names of all tools by server.
pub(super) fn list(documents: &Documents) -> Answer {
    Answer { text: to_json(&ListAnswer { servers: names_by_server(documents) }), shown: Vec::new() }
}

/// What is wrong with a call.
pub(super) fn error(message: &str) -> Answer {
    Answer { text: to_json(&ErrorAnswer { error: message }), shown: Vec::new() }
}

fn names_by_server(documents: &Documents) -> BTreeMap<&str, Vec<&str>> {
    let mut servers: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (_, document) in documents.iter() {
        servers.entry(document.namespace).or_default().push(document.name);
    }
    servers.values_mut().for_each(|names| names.sort_unstable());
    servers
}

fn ids<'a>(documents: &'a Documents, found: &[u32]) -> Vec<&'a str> {
    found.iter().filter_map(|&at| Some(documents.get(at)?.id)).collect()
}

fn to_json(answer: &impl Serialize) -> String {
    serde_json::to_string(answer).unwrap_or_default()
}
