//! What the keywords of a JSON schema hold, and which of them no signature can hold.
//!
//! A keyword whose value is of the wrong kind makes a schema [`Unsupported`]: OpenCode then writes `unknown` for
//! the whole type, or something that is no type.

use serde_json::{json, Map, Value};

use super::Unsupported;

pub(super) type Keywords = Map<String, Value>;

/// Keywords that say more of a type than OpenCode writes.
const UNSUPPORTED: [&str; 17] = [
    "$dynamicRef",
    "$recursiveRef",
    "additionalItems",
    "contains",
    "dependencies",
    "dependentRequired",
    "dependentSchemas",
    "else",
    "if",
    "not",
    "nullable",
    "patternProperties",
    "prefixItems",
    "propertyNames",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
];

pub(super) fn refuse_unsupported(keywords: &Keywords) -> Result<(), Unsupported> {
    let mut found =
        UNSUPPORTED.iter().filter(|name| keywords.get(**name).is_some_and(|value| says_more(name, value)));
    found.next().map_or(Ok(()), |name| Err(Unsupported(name)))
}

/// Whether the keyword means something with this value.
fn says_more(name: &str, value: &Value) -> bool {
    match name {
        // Whether there may be more cannot be seen in a signature, so these lose no more than others do.
        "additionalItems" | "unevaluatedItems" | "unevaluatedProperties" => !value.is_boolean(),
        "nullable" => value != false,
        // Names are strings anyway; generators of maps say so.
        "propertyNames" => *value != json!({ "type": "string" }),
        _ => true,
    }
}

/// A keyword's value; `null` stands for nothing in most of them.
pub(super) fn present<'k>(keywords: &'k Keywords, name: &str) -> Option<&'k Value> {
    keywords.get(name).filter(|value| !value.is_null())
}

/// The keywords of a schema; `None` for `true`, which says nothing.
pub(super) fn keywords_of(schema: &Value) -> Result<Option<&Keywords>, Unsupported> {
    match schema {
        Value::Object(keywords) => Ok(Some(keywords)),
        Value::Bool(true) => Ok(None),
        _ => Err(Unsupported("a schema that is neither an object nor true")),
    }
}

pub(super) fn properties_of(keywords: &Keywords) -> Result<Option<&Keywords>, Unsupported> {
    let properties = present(keywords, "properties");
    properties.map(|list| list.as_object().ok_or(Unsupported("properties without names"))).transpose()
}

pub(super) fn non_empty(list: &Value) -> Result<&[Value], Unsupported> {
    let members = list.as_array().map(Vec::as_slice).filter(|members| !members.is_empty());
    members.ok_or(Unsupported("alternatives that are no list, or an empty one"))
}

pub(super) fn has_definitions(keywords: &Keywords) -> bool {
    keywords.contains_key("$defs") || keywords.contains_key("definitions")
}

/// The schemas inside a schema, of those keywords that OpenCode looks at.
pub(super) fn children(keywords: &Keywords) -> impl Iterator<Item = &Value> {
    let lists = ["anyOf", "oneOf", "allOf"].into_iter();
    let members = lists.filter_map(|name| keywords.get(name)?.as_array()).flatten();
    let properties = keywords.get("properties").and_then(Value::as_object);
    let others = ["items", "additionalProperties"].into_iter();
    members
        .chain(properties.into_iter().flat_map(Map::values))
        .chain(others.filter_map(|name| keywords.get(name)))
}
