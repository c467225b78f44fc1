//! Reads the input of a call of one of our tools and answers it. Any input gets an answer, since a model writes it:
//! a field of another kind than the schema wants counts as missing. What the tools say of themselves stands in
//! [`super::own_tools`].

use serde::Deserialize;

use super::answer::{self, Answer, Search, Searched};
use super::documents::Documents;
use super::own_tools::{LIST_ALL, MAX_LIMIT};
use super::query::Query;
use crate::lenient::{self, Lenient};
use crate::options::Options;

/// The input of `tool_search` and `skill_search`.
#[derive(Default, Deserialize)]
#[serde(default)]
struct SearchInput {
    #[serde(deserialize_with = "lenient::or_default")]
    query: String,
    limit: Lenient<f64>,
    #[serde(deserialize_with = "lenient::or_default")]
    mode: SearchMode,
}

#[derive(Clone, Copy, Default, PartialEq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum SearchMode {
    #[default]
    Words,
    Regex,
}

/// The input of `load_tool`.
#[derive(Default, Deserialize)]
#[serde(default)]
struct LoadInput {
    #[serde(deserialize_with = "lenient::or_default")]
    name: String,
}

/// Answers `tool_search` or `skill_search`, whose input is JSON text.
pub fn search(documents: &Documents, searched: Searched, input: &str, options: &Options) -> Answer {
    let input: SearchInput = serde_json::from_str(input).unwrap_or_default();
    if input.query.trim().is_empty() {
        return answer::error("Say in `query` what you are looking for.");
    }
    let limit = match input.limit {
        Lenient(Some(limit)) if limit >= 1.0 => (limit as usize).min(MAX_LIMIT),
        _ => options.discovery.top_k,
    };
    let query = Query::new(&input.query, input.mode == SearchMode::Regex);
    let max_description = options.discovery.description_limit;
    answer::search(documents, &Search { searched, query, limit, max_description })
}

/// Answers `load_tool`, whose input is JSON text.
pub fn load(documents: &Documents, input: &str) -> Answer {
    let input: LoadInput = serde_json::from_str(input).unwrap_or_default();
    match input.name.trim() {
        "" => answer::error("Say in `name` which tool; \"__list__\" lists all."),
        LIST_ALL => answer::list(documents),
        name => answer::load(documents, name),
    }
}
