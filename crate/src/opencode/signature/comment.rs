//! What stands above a property: its description and the constraints that a type cannot express.
//!
//! ```text
//!   /** Days to look back. @default 7 @integer @minimum 1 */        V4: one line if it fits
//!   /**
//!    * Where to, in as many words as you like ...
//!    * @maxLength 500                                               else constraints on a line of their own,
//!    * Each item: @pattern ^[a-z]+$                                 then those of items or of a map's values
//!    */
//! ```
//!
//! Rules of V4: description and constraints share a line, with a full stop between them, if the description
//! has one line and the whole comment ends within 120 columns; a comment of one line that does not end there
//! is a block all the same. Rules of the beta: each constraint has its line, and a comment of one line is
//! never a block. In both a description has no blank lines at its ends, and cannot end the comment
//! (`host-observed.md`, "Newer signatures carry", and OpenCode's source as named in [`super`]).

use serde_json::Value;

use super::keywords::Keywords;
use super::{js, Style, Unsupported};

const LINE_WIDTH: usize = 120;
/// What `/** ` and ` */` add to a comment of one line.
const MARKS: usize = 7;

/// The constraints that are written, in their order.
const WRITTEN_IN_V4: [&str; 15] = [
    "deprecated",
    "default",
    "format",
    "type",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "pattern",
    "minItems",
    "maxItems",
    "uniqueItems",
];
const WRITTEN_IN_BETA: [&str; 5] = ["deprecated", "default", "format", "minItems", "maxItems"];

/// The comment above a property at an indent, with its line end; empty if there is nothing to say.
pub(super) fn comment(property: &Value, indent: usize, style: Style) -> Result<String, Unsupported> {
    let Value::Object(keywords) = property else { return Ok(String::new()) };
    let lines = match style {
        Style::V4 => {
            let mut lines = own_lines(keywords, indent)?;
            lines.extend(lines_of_children(keywords, indent)?);
            lines
        }
        Style::Beta => beta_lines(keywords)?,
    };
    // A server's text must not be able to end the comment.
    let lines: Vec<String> = lines.iter().map(|line| line.replace("*/", "* /")).collect();
    let pad = " ".repeat(indent);
    Ok(match lines.as_slice() {
        [] => String::new(),
        [line] if style == Style::Beta || fits(line, indent) => format!("{pad}/** {line} */\n"),
        _ => block(&lines, &pad),
    })
}

fn block(lines: &[String], pad: &str) -> String {
    let mut text = format!("{pad}/**\n");
    for line in lines {
        let space = if line.is_empty() { "" } else { " " };
        text.extend([pad, " *", space, line, "\n"]);
    }
    text + pad + " */\n"
}

fn fits(line: &str, indent: usize) -> bool {
    indent + js::length(line) + MARKS <= LINE_WIDTH
}

/// V4: a schema's own description and constraints.
fn own_lines(keywords: &Keywords, indent: usize) -> Result<Vec<String>, Unsupported> {
    let mut lines = without_blank_ends(description_lines(keywords)?);
    let constraints = constraints(keywords, &WRITTEN_IN_V4)?.join(" ");
    if constraints.is_empty() {
        return Ok(lines);
    }
    if let [only] = lines.as_slice() {
        let stop = if only.ends_with('.') { "" } else { "." };
        let shared = format!("{only}{stop} {constraints}");
        if !constraints.contains('\n') && fits(&shared, indent) {
            return Ok(vec![shared]);
        }
    }
    lines.extend(constraints.split('\n').map(str::to_string));
    Ok(lines)
}

/// V4: an array's items and a map's values have no line of their own that a comment could stand above.
fn lines_of_children(keywords: &Keywords, indent: usize) -> Result<Vec<String>, Unsupported> {
    let names_type = |name: &str| match keywords.get("type") {
        Some(Value::Array(types)) => types.iter().any(|entry| entry == name),
        only => only.is_some_and(|entry| entry == name),
    };
    let properties = keywords.get("properties").and_then(Value::as_object);
    let mut lines = Vec::new();
    if names_type("array") {
        lines.extend(labelled("Each item", keywords.get("items"), indent)?);
    }
    if names_type("object") || properties.is_some() {
        let named = properties.is_some_and(|properties| !properties.is_empty());
        let label = if named { "Each additional value" } else { "Each value" };
        lines.extend(labelled(label, keywords.get("additionalProperties"), indent)?);
    }
    Ok(lines)
}

fn labelled(label: &str, child: Option<&Value>, indent: usize) -> Result<Vec<String>, Unsupported> {
    let Some(Value::Object(keywords)) = child else { return Ok(Vec::new()) };
    let lines = own_lines(keywords, indent + label.len() + 2)?;
    let written = lines.iter().enumerate().map(|(at, line)| match at {
        0 => format!("{label}: {line}"),
        _ if line.is_empty() => String::new(),
        _ => format!("  {line}"),
    });
    Ok(written.collect())
}

fn beta_lines(keywords: &Keywords) -> Result<Vec<String>, Unsupported> {
    let mut lines = description_lines(keywords)?;
    for constraint in constraints(keywords, &WRITTEN_IN_BETA)? {
        if constraint.contains('\n') {
            return Err(Unsupported(
                "a constraint that the beta would write into the code below its comment",
            ));
        }
        lines.push(js::trim_end(&constraint).to_string());
    }
    Ok(without_blank_ends(lines))
}

fn description_lines(keywords: &Keywords) -> Result<Vec<String>, Unsupported> {
    match keywords.get("description") {
        None => Ok(Vec::new()),
        Some(Value::String(text)) => {
            Ok(text.split('\n').map(|line| js::trim_end(line).to_string()).collect())
        }
        Some(_) => Err(Unsupported("a description that is no text")),
    }
}

fn without_blank_ends(mut lines: Vec<String>) -> Vec<String> {
    let blank = |line: &&String| line.is_empty();
    lines.truncate(lines.len() - lines.iter().rev().take_while(blank).count());
    lines.split_off(lines.iter().take_while(blank).count())
}

fn constraints(keywords: &Keywords, names: &[&str]) -> Result<Vec<String>, Unsupported> {
    let mut constraints = Vec::new();
    for name in names {
        if let Some(value) = keywords.get(*name) {
            constraints.extend(constraint(name, value)?);
        }
    }
    Ok(constraints)
}

/// One constraint, if it is of the kind that OpenCode writes.
fn constraint(name: &str, value: &Value) -> Result<Option<String>, Unsupported> {
    Ok(match (name, value) {
        ("type", kind) => (kind == "integer").then(|| "@integer".to_string()),
        ("deprecated", flag) => (flag == true).then(|| "@deprecated".to_string()),
        ("uniqueItems", flag) => (flag == true).then(|| "@uniqueItems true".to_string()),
        ("default", value) => Some(format!("@default {}", js::stringify(value)?)),
        ("format" | "pattern", Value::String(text)) => Some(format!("@{name} {text}")),
        ("format" | "pattern", _) => None,
        (_, Value::Number(bound)) => Some(format!("@{name} {}", js::number(bound))),
        _ => None,
    })
}
