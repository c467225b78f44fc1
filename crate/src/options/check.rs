//! Whether an option accepts a value: the rule of each [`Kind`], and the words of the warning where it is broken.

use serde_json::{json, Map, Value};

use super::given::{javascript_number, Given};
use super::patterns::{behind_mark, regex};
use super::spec::Kind;
use crate::text::cut;

/// The value as the configuration holds it, or what is wrong with it: `must be true or false, not 3`.
///
/// Whatever is returned fits the field of an option of that kind.
pub fn check(kind: Kind, given: &Given) -> Result<Value, String> {
    let wrong = |wanted: &str| Err(format!("must be {wanted}, not {}", given.describe_for(kind)));
    match (kind, given) {
        (Kind::Flag, Given::Flag(flag)) => Ok(json!(flag)),
        (Kind::Flag, _) => wrong("true or false"),
        (Kind::Number { min, max }, Given::Number(number)) if (min..=max).contains(number) => {
            Ok(json!(number))
        }
        (Kind::Number { min, max }, _) => {
            let [min, max] = [min, max].map(javascript_number);
            wrong(&format!("a number from {min} to {max}"))
        }
        (Kind::Count { min, max }, Given::Number(number)) if is_count(*number, min, max) => {
            Ok(json!(*number as u64))
        }
        (Kind::Count { min, max }, _) => wrong(&format!("a whole number from {min} to {max}")),
        (Kind::Text, Given::Text(text)) if !text.trim().is_empty() => Ok(json!(text.trim())),
        (Kind::Text, _) => wrong("a text that is not empty"),
        (Kind::Url, Given::Text(text)) => check_url(text.trim()).map(|()| json!(text.trim())),
        (Kind::Url, _) => wrong("an http or https address"),
        (Kind::Choice(words), Given::Text(text)) if words.contains(&text.trim()) => Ok(json!(text.trim())),
        (Kind::Choice(words), _) => wrong(&format!("one of {}", words.join(", "))),
        (Kind::Secret, Given::Text(text)) => check_secret(text.trim()).map(|()| json!(text.trim())),
        (Kind::Secret, _) => wrong("a text"),
        (Kind::Texts, Given::List(items)) => texts(items).map(|texts| json!(texts)),
        (Kind::Texts, _) => wrong("a list of texts"),
        (Kind::Patterns, Given::List(items)) => check_patterns(texts(items)?),
        (Kind::Patterns, _) => wrong("a list of patterns"),
        (Kind::ToolNotes, Given::Map(notes)) => check_tool_notes(notes),
        (Kind::ToolNotes, _) => wrong("an object by names of tools"),
    }
}

fn is_count(number: f64, min: u64, max: u64) -> bool {
    number.fract() == 0.0 && (min as f64..=max as f64).contains(&number)
}

fn texts(items: &[Given]) -> Result<Vec<&str>, String> {
    let texts = items.iter().map(|item| match item {
        Given::Text(text) => Ok(text.as_str()),
        other => Err(format!("must be a list of texts, but holds {}", other.describe())),
    });
    texts.collect()
}

fn check_patterns(texts: Vec<&str>) -> Result<Value, String> {
    for text in &texts {
        if let Some(Err(problem)) = behind_mark(text).map(regex) {
            let text = cut(text, 60);
            return Err(format!("holds the regular expression `{text}`, which cannot be used: {problem}"));
        }
    }
    Ok(json!(texts))
}

fn check_tool_notes(notes: &[(String, Given)]) -> Result<Value, String> {
    let mut checked = Map::new();
    for (tool, note) in notes {
        let wrong = || {
            let tool = cut(tool, 60);
            Err(format!("must hold `{{ tags?: [text], description?: text }}` for `{tool}`"))
        };
        let Given::Map(fields) = note else { return wrong() };
        let mut known = Map::new();
        for (field, given) in fields {
            let value = match (field.as_str(), given) {
                ("tags", Given::List(items)) => json!(texts(items)?),
                ("description", Given::Text(text)) if !text.trim().is_empty() => json!(text.trim()),
                _ => return wrong(),
            };
            known.insert(field.clone(), value);
        }
        checked.insert(tool.clone(), Value::Object(known));
    }
    Ok(Value::Object(checked))
}

/// The shape that `fetch` accepts; what the address leads to shows itself at the first request.
fn check_url(url: &str) -> Result<(), String> {
    let unusable = || Err("must be an address like https://host/path".to_string());
    let Some((scheme, rest)) = url.split_once("://") else { return unusable() };
    if !scheme.eq_ignore_ascii_case("http") && !scheme.eq_ignore_ascii_case("https") {
        return unusable();
    }
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    if authority.contains('@') {
        return Err("must not hold credentials (the key belongs into `jev_api_key`)".to_string());
    }
    let (host, port) = match authority.rsplit_once(':') {
        Some((host, port)) if !port.contains(']') => (host, Some(port)),
        _ => (authority, None),
    };
    let host_is_good = !host.is_empty() && host.chars().all(|c| c.is_alphanumeric() || "-._[]:".contains(c));
    let port_is_good = port.is_none_or(|port| port.parse::<u16>().is_ok());
    if !host_is_good || !port_is_good || url.chars().any(|c| c.is_whitespace() || c.is_control()) {
        return unusable();
    }
    Ok(())
}

/// A key goes into a header, and an error about an unfit header would quote it.
fn check_secret(secret: &str) -> Result<(), String> {
    if secret.is_empty() {
        return Err("is empty".to_string());
    }
    if !secret.chars().all(|c| c.is_ascii_graphic()) {
        return Err(
            "holds characters that no key has (spaces, line breaks, or letters beyond ASCII)".to_string()
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::{insert, specs, Options};

    #[test]
    fn every_default_follows_the_rule_of_its_option() {
        for spec in specs().iter().filter(|spec| !spec.default().is_null()) {
            assert!(check(spec.kind, &Given::from(spec.default())).is_ok(), "{}", spec.path);
        }
    }

    /// Values at the edges of what a kind allows.
    fn allowed(kind: Kind) -> Vec<Value> {
        match kind {
            Kind::Secret | Kind::Text => vec![json!("x")],
            Kind::Url => vec![json!("https://host")],
            Kind::Number { min, max } => vec![json!(min), json!(max)],
            Kind::Count { min, max } => vec![json!(min), json!(max)],
            Kind::Flag => vec![json!(true), json!(false)],
            Kind::Choice(words) => words.iter().map(|word| json!(word)).collect(),
            Kind::Texts | Kind::Patterns => vec![json!([]), json!(["x"])],
            Kind::ToolNotes => {
                vec![json!({}), json!({ "x": {}, "y": { "tags": ["a"], "description": "b" } })]
            }
        }
    }

    #[test]
    fn what_passes_fits_the_field_of_its_option() {
        for spec in specs() {
            for value in allowed(spec.kind) {
                let checked = check(spec.kind, &Given::from(value)).unwrap();
                let mut values = Map::new();
                insert(&mut values, &spec.path, checked.clone());
                let options = Options::from_values(values);
                let written = serde_json::to_value(&options).unwrap();
                let place = format!("/{}", spec.path.replace('.', "/"));
                match spec.kind {
                    Kind::Secret => assert_eq!(options.jev_api_key.reveal(), checked.as_str()),
                    _ => assert_eq!(written.pointer(&place), Some(&checked), "{}", spec.path),
                }
            }
        }
    }

    #[test]
    fn addresses_that_fetch_would_refuse_are_refused() {
        for bad in
            ["ftp://host", "https://", "https:///path", "http://host:99999/", "host/path", "https://a b/"]
        {
            assert!(check_url(bad).is_err(), "{bad}");
        }
        for good in [
            "https://host",
            "http://127.0.0.1:8787/systemone",
            "http://[::1]:80/x",
            "HTTPS://Host.example/a?b=c",
        ] {
            assert!(check_url(good).is_ok(), "{good}");
        }
    }
}
