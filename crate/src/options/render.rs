//! The options for readers other than Rust: a JSON schema, TypeScript types, and the README's table.

use serde_json::{json, Map, Value};

use super::resolve::camel_case;
use super::{Kind, Spec, SPECS};

/// `schema.json`: what the plugin's `options` may hold in `opencode.json`.
pub fn json_schema() -> String {
    let mut properties = Map::new();
    for spec in SPECS {
        properties.insert(spec.name.to_string(), schema_of(spec));
    }
    for spec in SPECS {
        let camel = camel_case(spec.name);
        let reference = json!({ "$ref": format!("#/properties/{}", spec.name) });
        properties.insert(camel, reference);
    }
    let schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "opencode-jev-pruner options",
        "type": "object",
        "additionalProperties": false,
        "properties": properties,
    });
    format!("{schema:#}\n")
}

fn schema_of(spec: &Spec) -> Value {
    let mut schema = match spec.kind {
        Kind::Secret | Kind::Text => json!({ "type": "string", "minLength": 1 }),
        Kind::Url => json!({ "type": "string", "pattern": "^https?://" }),
        Kind::Number { min, max } => {
            json!({ "type": "number", "minimum": plain(min), "maximum": plain(max) })
        }
        Kind::Count { min, max } => json!({ "type": "integer", "minimum": min, "maximum": max }),
        Kind::Flag => json!({ "type": "boolean" }),
        Kind::Choice(words) => json!({ "enum": words }),
        Kind::Texts => json!({ "type": "array", "items": { "type": "string" } }),
    };
    if let Some(fields) = schema.as_object_mut() {
        fields.insert("description".to_string(), json!(spec.description));
        let default = (spec.default)();
        if !default.is_null() {
            fields.insert("default".to_string(), default);
        }
    }
    schema
}

/// A whole number without a decimal point, as people write it.
fn plain(number: f64) -> Value {
    if number.fract() == 0.0 {
        return json!(number as i64);
    }
    json!(number)
}

/// `js-shim/options.d.ts`: the options as they may be given.
pub fn typescript() -> String {
    let mut out = String::from(
        "// Rendered from crate/src/options/mod.rs; `cargo test` says how to render it anew.\n\n\
         /** What `opencode.json` may hold for this plugin; every name is accepted in camelCase too. */\n\
         export interface PrunerOptions {\n",
    );
    for spec in SPECS {
        let default = (spec.default)();
        let default = if default.is_null() { String::new() } else { format!(" Default: `{default}`.") };
        out.push_str(&format!(
            "  /** {}{default} */\n  {}?: {};\n",
            spec.description,
            spec.name,
            type_of(spec.kind)
        ));
    }
    out.push_str("}\n");
    out
}

fn type_of(kind: Kind) -> String {
    match kind {
        Kind::Secret | Kind::Text | Kind::Url => "string".to_string(),
        Kind::Number { .. } | Kind::Count { .. } => "number".to_string(),
        Kind::Flag => "boolean".to_string(),
        Kind::Choice(words) => words.iter().map(|word| format!("{word:?}")).collect::<Vec<_>>().join(" | "),
        Kind::Texts => "string[]".to_string(),
    }
}

/// The README's table of options.
pub fn readme_table() -> String {
    let mut out = String::from("| option | environment | default | what it does |\n|---|---|---|---|\n");
    for spec in SPECS {
        let env: Vec<String> = spec.env.iter().map(|name| format!("`{name}`")).collect();
        let default = match (spec.default)() {
            Value::Null => "none".to_string(),
            default => format!("`{default}`"),
        };
        out.push_str(&format!(
            "| `{}` | {} | {default} | {} |\n",
            spec.name,
            env.join(", "),
            spec.description
        ));
    }
    out
}
