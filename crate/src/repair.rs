//! Argument repair: corrects the arguments of a tool call where the model got their form wrong and only one meaning is
//! possible. That is a text where the schema wants a boolean, number, list or object, and a property's name in the wrong
//! case. Everything else passes untouched; whether arguments are valid is left to the tool.

use serde_json::{Map, Value};

/// Deeper arguments are left alone.
const MAX_DEPTH: usize = 20;

/// Repairs arguments by the tool's JSON schema, in place.
///
/// Returns the path of each repair, as in `files.0.isOpen`; none if the arguments fit or cannot be repaired.
pub fn repair(arguments: &mut Value, schema: &Value) -> Vec<String> {
    let mut repairs = Vec::new();
    repair_value(arguments, schema, "", &mut repairs, MAX_DEPTH);
    repairs
}

fn repair_value(value: &mut Value, schema: &Value, path: &str, repairs: &mut Vec<String>, depth: usize) {
    if depth == 0 {
        return;
    }
    if let Some(converted) = value.as_str().and_then(|text| convert(text, schema)) {
        *value = converted;
        repairs.push(path.to_string());
    }
    match value {
        Value::Object(fields) => {
            let Some(properties) = schema.get("properties").and_then(Value::as_object) else { return };
            rename(fields, properties, schema, path, repairs);
            for (name, field) in fields.iter_mut() {
                if let Some(schema) = properties.get(name) {
                    repair_value(field, schema, &join(path, name), repairs, depth - 1);
                }
            }
        }
        Value::Array(items) => {
            let Some(schema) = schema.get("items") else { return };
            for (at, item) in items.iter_mut().enumerate() {
                repair_value(item, schema, &join(path, &at.to_string()), repairs, depth - 1);
            }
        }
        _ => {}
    }
}

fn join(path: &str, name: &str) -> String {
    if path.is_empty() {
        return name.to_string();
    }
    format!("{path}.{name}")
}

/// Keywords that allow more than `type` says; a value under one of them is left alone.
const ALTERNATIVES: [&str; 7] = ["anyOf", "oneOf", "allOf", "$ref", "not", "if", "const"];

/// The value that a text writes out, if the schema takes no text and that value is of a type it takes.
fn convert(text: &str, schema: &Value) -> Option<Value> {
    let wanted = match schema.get("type")? {
        Value::Array(several) => several.as_slice(),
        one => std::slice::from_ref(one),
    };
    if wanted.iter().any(|wanted| wanted == "string")
        || ALTERNATIVES.iter().any(|keyword| schema.get(keyword).is_some())
    {
        return None;
    }
    let lower = text.trim().to_ascii_lowercase();
    let value = match lower.as_str() {
        "true" => Value::Bool(true),
        "false" => Value::Bool(false),
        _ => serde_json::from_str(text).ok()?,
    };
    let is_wanted = wanted.iter().any(|wanted| match (wanted.as_str().unwrap_or_default(), &value) {
        ("boolean", Value::Bool(_)) | ("array", Value::Array(_)) | ("object", Value::Object(_)) => true,
        ("number", Value::Number(_)) | ("null", Value::Null) => true,
        ("integer", Value::Number(number)) => number.is_i64() || number.is_u64(),
        _ => false,
    });
    let is_allowed = schema.get("enum").and_then(Value::as_array).is_none_or(|all| all.contains(&value));
    (is_wanted && is_allowed).then_some(value)
}

/// Gives properties that the schema does not know the one name that differs only in its case, or in how its
/// words are joined.
fn rename(
    fields: &mut Map<String, Value>,
    properties: &Map<String, Value>,
    schema: &Value,
    path: &str,
    repairs: &mut Vec<String>,
) {
    if takes_other_names(schema) {
        return;
    }
    let renames: Vec<(String, String)> = fields
        .keys()
        .filter_map(|name| Some((name, meant(name, properties)?)))
        .filter(|(_, known)| !fields.contains_key(*known))
        .map(|(name, known)| (name.clone(), known.clone()))
        .collect();
    if renames.is_empty() {
        return;
    }
    for (name, value) in std::mem::take(fields) {
        let mut meant = renames.iter().filter(|(known, _)| *known == name).map(|(_, meant)| meant);
        let is_contested = |meant: &&String| renames.iter().filter(|(_, other)| other == *meant).count() > 1;
        match meant.next().filter(|meant| !is_contested(meant)) {
            Some(meant) => {
                repairs.push(join(path, meant));
                fields.insert(meant.clone(), value);
            }
            None => drop(fields.insert(name, value)),
        }
    }
}

/// Whether an object may have properties that its schema does not name, so that an unknown name may be meant as it is.
fn takes_other_names(schema: &Value) -> bool {
    schema.get("patternProperties").is_some()
        || schema.get("additionalProperties").is_some_and(|more| *more != Value::Bool(false))
}

/// The one property that an unknown name can mean.
fn meant<'a>(name: &str, properties: &'a Map<String, Value>) -> Option<&'a String> {
    if properties.contains_key(name) {
        return None;
    }
    let wanted = plain(name);
    let mut alike = properties.keys().filter(|known| plain(known) == wanted);
    alike.next().filter(|_| alike.next().is_none())
}

fn plain(name: &str) -> String {
    name.replace(['_', '-'], "").to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn schema() -> Value {
        json!({ "type": "object", "additionalProperties": false, "properties": {
            "isOpen": { "type": "boolean" },
            "count": { "type": "integer" },
            "ratio": { "type": "number" },
            "tags": { "type": "array", "items": { "type": "string" } },
            "sizes": { "type": "array", "items": { "type": "integer" } },
            "place": { "type": "object", "properties": { "postCode": { "type": "string" } } },
            "title": { "type": "string" },
            "either": { "type": ["string", "boolean"] },
            "maybe": { "type": ["boolean", "null"] },
            "level": { "type": "integer", "enum": [1, 2] },
            "any": { "anyOf": [{ "type": "boolean" }], "type": "boolean" },
            "free": {}
        } })
    }

    fn repaired(arguments: Value) -> (Value, usize) {
        let mut arguments = arguments;
        let repairs = repair(&mut arguments, &schema());
        (arguments, repairs.len())
    }

    #[test]
    fn a_text_becomes_the_value_that_it_writes_out() {
        for (given, expected) in [
            (json!({ "isOpen": "true" }), json!({ "isOpen": true })),
            (json!({ "isOpen": "False" }), json!({ "isOpen": false })),
            (json!({ "count": "12" }), json!({ "count": 12 })),
            (json!({ "ratio": "-0.5" }), json!({ "ratio": -0.5 })),
            (json!({ "tags": "[\"a\"]" }), json!({ "tags": ["a"] })),
            (json!({ "place": "{\"postCode\":\"1\"}" }), json!({ "place": { "postCode": "1" } })),
            (json!({ "maybe": "null" }), json!({ "maybe": null })),
            (json!({ "level": "2" }), json!({ "level": 2 })),
            (json!({ "sizes": [1, "2"] }), json!({ "sizes": [1, 2] })),
        ] {
            assert_eq!(repaired(given), (expected, 1));
        }
    }

    #[test]
    fn what_is_not_clear_passes_untouched() {
        for given in [
            json!({ "isOpen": "yes" }),
            json!({ "isOpen": "1" }),
            json!({ "isOpen": "" }),
            json!({ "count": "1.5" }),
            json!({ "count": "twelve" }),
            json!({ "ratio": "1e999" }),
            json!({ "tags": "a, b" }),
            json!({ "tags": "{}" }),
            json!({ "title": "true" }),
            json!({ "either": "true" }),
            json!({ "level": "3" }),
            json!({ "any": "true" }),
            json!({ "free": "true" }),
            json!({ "isOpen": true, "count": 1, "title": "x" }),
            json!(["isOpen"]),
            json!(null),
        ] {
            assert_eq!(repaired(given.clone()), (given, 0));
        }
    }

    #[test]
    fn a_name_in_the_wrong_case_is_corrected() {
        for (given, expected) in [
            (json!({ "isopen": true }), json!({ "isOpen": true })),
            (json!({ "is_open": true }), json!({ "isOpen": true })),
            (json!({ "Title": "x" }), json!({ "title": "x" })),
            (json!({ "place": { "post-code": "1" } }), json!({ "place": { "postCode": "1" } })),
        ] {
            assert_eq!(repaired(given), (expected, 1));
        }
    }

    #[test]
    fn a_name_that_could_mean_two_or_is_given_already_is_left() {
        let two = json!({ "type": "object", "properties": { "fileName": {}, "file_name": {} } });
        for (mut given, schema) in [
            (json!({ "filename": 1 }), two),
            (json!({ "title": "a", "Title": "b" }), schema()),
            (json!({ "TITLE": "a", "Title": "b" }), schema()),
            (json!({ "unknown": 1 }), schema()),
        ] {
            let before = given.clone();
            assert!(repair(&mut given, &schema).is_empty());
            assert_eq!(given, before);
        }
    }

    #[test]
    fn a_schema_that_takes_other_names_leaves_names_alone() {
        for more in [json!({ "additionalProperties": true }), json!({ "patternProperties": {} })] {
            let mut schema = json!({ "type": "object", "properties": { "title": {} } });
            schema.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            assert!(repair(&mut json!({ "Title": 1 }), &schema).is_empty());
        }
    }

    #[test]
    fn what_was_repaired_is_reported_by_its_path() {
        let mut given = json!({ "is_open": "true", "sizes": ["1"] });
        let repairs = repair(&mut given, &schema());
        assert_eq!(repairs, ["isOpen", "isOpen", "sizes.0"]);
    }

    #[test]
    fn arguments_given_as_one_text_are_read() {
        assert_eq!(repaired(json!("{\"count\":1}")), (json!({ "count": 1 }), 1));
    }

    #[test]
    fn schemas_that_are_none_change_nothing() {
        for schema in
            [json!(null), json!(true), json!("x"), json!({ "type": 3 }), json!({ "properties": [] })]
        {
            assert!(repair(&mut json!({ "a": "true" }), &schema).is_empty());
        }
    }
}
