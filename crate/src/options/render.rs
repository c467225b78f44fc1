//! The options for readers other than Rust: a JSON schema, TypeScript types, and the README's table.

use serde_json::{json, Map, Value};

use super::names::camel_case;
use super::spec::plain;
use super::{specs, Kind, Spec};

/// `schema.json`: what the plugin's `options` may hold in `opencode.json`.
pub fn json_schema() -> String {
    let schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "opencode-jev-pruner options",
        "type": "object",
        "additionalProperties": false,
        "properties": properties(""),
    });
    format!("{schema:#}\n")
}

/// An option or a group of options, as a member of the group around it.
enum Member {
    Option(&'static Spec),
    Group { name: &'static str, path: String },
}

impl Member {
    fn name(&self) -> &'static str {
        match self {
            Member::Option(spec) => spec.path.rsplit('.').next().unwrap_or_default(),
            Member::Group { name, .. } => name,
        }
    }
}

/// The members of a group; `""` is the whole, other paths end with a dot.
fn members(group: &str) -> Vec<Member> {
    let mut found: Vec<Member> = Vec::new();
    for spec in specs() {
        let Some(rest) = spec.path.strip_prefix(group) else { continue };
        match rest.split_once('.') {
            None => found.push(Member::Option(spec)),
            Some((name, _)) if found.iter().any(|member| member.name() == name) => {}
            Some((name, _)) => found.push(Member::Group { name, path: format!("{group}{name}.") }),
        }
    }
    found
}

fn properties(group: &str) -> Map<String, Value> {
    let members = members(group);
    let own = members.iter().map(|member| {
        let schema = match member {
            Member::Option(spec) => schema_of(spec),
            Member::Group { path, .. } => {
                json!({ "type": "object", "additionalProperties": false, "properties": properties(path) })
            }
        };
        (member.name().to_string(), schema)
    });
    let place = format!("#/properties/{}", group.replace('.', "/properties/"));
    let spelled_otherwise = members.iter().filter_map(|member| {
        let camel = camel_case(member.name());
        (camel != member.name()).then(|| (camel, json!({ "$ref": format!("{place}{}", member.name()) })))
    });
    own.chain(spelled_otherwise).collect()
}

fn schema_of(spec: &Spec) -> Value {
    let mut schema = match spec.kind {
        Kind::Secret | Kind::Text => json!({ "type": "string", "minLength": 1 }),
        Kind::Url => json!({ "type": "string", "pattern": "^https?://" }),
        Kind::Number { min, max } => {
            json!({ "type": "number", "minimum": plain(&json!(min)), "maximum": plain(&json!(max)) })
        }
        Kind::Count { min, max } => json!({ "type": "integer", "minimum": min, "maximum": max }),
        Kind::Flag => json!({ "type": "boolean" }),
        Kind::Choice(words) => json!({ "enum": words }),
        Kind::Texts | Kind::Patterns => json!({ "type": "array", "items": { "type": "string" } }),
        Kind::ToolNotes => json!({ "type": "object", "additionalProperties": {
            "type": "object",
            "additionalProperties": false,
            "properties": {
                "tags": { "type": "array", "items": { "type": "string" } },
                "description": { "type": "string", "minLength": 1 },
            },
        } }),
    };
    if let Some(fields) = schema.as_object_mut() {
        fields.insert("description".to_string(), json!(spec.description));
        let default = spec.default();
        if !default.is_null() {
            fields.insert("default".to_string(), default);
        }
    }
    schema
}

/// `js-shim/options.d.ts`: the options as they may be given.
pub fn typescript() -> String {
    let mut out = String::from(
        "// Rendered from crate/src/options/mod.rs; `cargo test` says how to render it anew.\n\n\
         /** What `opencode.json` may hold for this plugin; every name is accepted in camelCase too. */\n\
         export interface PrunerOptions {\n",
    );
    out.push_str(&fields("", "  "));
    out.push_str("}\n");
    out
}

fn fields(group: &str, indent: &str) -> String {
    let mut out = String::new();
    for member in members(group) {
        match &member {
            Member::Option(spec) => {
                let default = match spec.default() {
                    Value::Null => String::new(),
                    default => format!(" Default: `{default}`."),
                };
                out.push_str(&format!("{indent}/** {}{default} */\n", spec.description));
                out.push_str(&format!("{indent}{}?: {};\n", member.name(), type_of(spec.kind)));
            }
            Member::Group { name, path } => {
                let inner = fields(path, &format!("{indent}  "));
                out.push_str(&format!("{indent}{name}?: {{\n{inner}{indent}}};\n"));
            }
        }
    }
    out
}

fn type_of(kind: Kind) -> String {
    match kind {
        Kind::Secret | Kind::Text | Kind::Url => "string".to_string(),
        Kind::Number { .. } | Kind::Count { .. } => "number".to_string(),
        Kind::Flag => "boolean".to_string(),
        Kind::Choice(words) => words.iter().map(|word| format!("{word:?}")).collect::<Vec<_>>().join(" | "),
        Kind::Texts | Kind::Patterns => "string[]".to_string(),
        Kind::ToolNotes => "Record<string, { tags?: string[], description?: string }>".to_string(),
    }
}

/// A table of options for the README: those of one group with all within it, or with `""` those that are in
/// no group.
pub fn readme_table(group: &str) -> String {
    let is_shown = |spec: &&Spec| match group {
        "" => !spec.path.contains('.'),
        _ => spec.path.strip_prefix(group).is_some_and(|rest| rest.starts_with('.')),
    };
    let mut out = String::from("| option | environment | default | what it does |\n|---|---|---|---|\n");
    for spec in specs().iter().filter(is_shown) {
        let env: Vec<String> = spec.env.iter().map(|name| format!("`{name}`")).collect();
        let default = match spec.default() {
            Value::Null => "none".to_string(),
            default => format!("`{default}`"),
        };
        out.push_str(&format!(
            "| `{}` | {} | {default} | {} |\n",
            spec.path,
            env.join(", "),
            spec.description
        ));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schema() -> Value {
        serde_json::from_str(&json_schema()).unwrap()
    }

    #[test]
    fn the_schema_has_every_option_at_its_path_and_its_other_spelling_refers_to_it() {
        let schema = schema();
        for spec in specs() {
            let place = format!("/properties/{}", spec.path.replace('.', "/properties/"));
            assert_eq!(schema.pointer(&place).unwrap()["description"], spec.description, "{place}");
        }
        let other = "/properties/history/properties/purgeErrors/$ref";
        assert_eq!(schema.pointer(other).unwrap(), "#/properties/history/properties/purge_errors");
    }

    #[test]
    fn no_reference_in_the_schema_leads_to_itself() {
        fn walk(at: &Value, place: &str) {
            assert_ne!(at.get("$ref"), Some(&json!(format!("#{place}"))));
            for (name, inner) in at.as_object().into_iter().flatten() {
                walk(inner, &format!("{place}/{name}"));
            }
        }
        walk(&schema(), "");
    }

    #[test]
    fn a_group_has_a_table_of_its_own() {
        assert!(!readme_table("").contains("`history."));
        assert!(readme_table("").contains("| `mode` |"));
        assert!(readme_table("history").contains("| `history.deduplication.enabled` |"));
        assert!(!readme_table("history").contains("| `mode` |"));
    }
}
