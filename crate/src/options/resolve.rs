//! From what a person wrote to the configuration in force, with a warning for everything that was not used.
//!
//! An option beats the environment, the environment beats the default. A bad value never stops the plugin.

use serde_json::{json, Value};

use super::{specs, Kind, Options, Scorer, Spec};
use crate::options::patterns::{behind_mark, regex};
use crate::text::cut;
use strsim::levenshtein;

/// A value as it came from outside: JSON's kinds, and what JavaScript has besides.
#[derive(Clone, Debug, PartialEq)]
pub enum Given {
    Nothing,
    Flag(bool),
    Number(f64),
    Text(String),
    List(Vec<Given>),
    Map(Vec<(String, Given)>),
    /// Anything else, with a word for it.
    Other(&'static str),
}

impl From<Value> for Given {
    fn from(value: Value) -> Self {
        match value {
            Value::Null => Given::Nothing,
            Value::Bool(flag) => Given::Flag(flag),
            Value::Number(number) => Given::Number(number.as_f64().unwrap_or(f64::NAN)),
            Value::String(text) => Given::Text(text),
            Value::Array(items) => Given::List(items.into_iter().map(Given::from).collect()),
            Value::Object(map) => {
                Given::Map(map.into_iter().map(|(name, value)| (name, value.into())).collect())
            }
        }
    }
}

/// The configuration in force and what there is to say about it.
#[derive(Debug, Default)]
pub struct Resolved {
    pub options: Options,
    pub warnings: Vec<String>,
    /// The options that were given and taken, each with the place where its value stands.
    pub sources: Vec<(&'static str, String)>,
}

/// Resolves what was given in the plugin's options and in the environment.
pub fn resolve(given: &Given, env: impl Fn(&str) -> Option<String>) -> Resolved {
    let mut resolved = Resolved::default();
    let entries = match given {
        Given::Map(entries) => entries.as_slice(),
        Given::Nothing => &[],
        other => {
            let warning = format!(
                "the plugin's options must be an object, not {}; the defaults are used",
                describe(other)
            );
            resolved.warnings.push(warning);
            &[]
        }
    };
    let mut leaves = Vec::new();
    find_leaves("", entries, &mut leaves, &mut resolved.warnings);
    for spec in specs() {
        let by_option = given_for(spec, &leaves, &mut resolved.warnings);
        let by_env = || {
            let (variable, text) = spec.env.iter().find_map(|name| {
                let text = env(name).filter(|text| !text.trim().is_empty())?;
                Some((*name, text))
            })?;
            Some((format!("environment variable `{variable}`"), from_environment(spec.kind, text)))
        };
        if let Some((source, value)) = by_option.or_else(by_env) {
            take(spec, &source, &value, &mut resolved);
        }
    }
    warn_of_unknown_names(&leaves, &mut resolved.warnings);
    warn_of_plain_http(&mut resolved);
    warn_of_what_is_not_found(&mut resolved);
    resolved
}

/// A value that is no group, with its path as it was written.
type Leaf<'a> = (String, &'a Given);

/// Walks into the groups among these entries.
fn find_leaves<'a>(
    group: &str,
    entries: &'a [(String, Given)],
    leaves: &mut Vec<Leaf<'a>>,
    warnings: &mut Vec<String>,
) {
    for (name, value) in entries {
        let path = if group.is_empty() { name.clone() } else { format!("{group}.{name}") };
        match value {
            _ if !is_group(&path) => leaves.push((path, value)),
            Given::Map(inner) => find_leaves(&path, inner, leaves, warnings),
            Given::Nothing => {}
            other => warnings.push(format!(
                "option `{path}` must be an object, not {}; its defaults are used",
                describe(other)
            )),
        }
    }
}

fn is_group(path: &str) -> bool {
    let depth = path.split('.').count();
    specs().any(|spec| groups_of(spec).nth(depth - 1).is_some_and(|group| is_name(path, group)))
}

/// The groups that an option stands in, the outermost first.
fn groups_of(spec: &Spec) -> impl Iterator<Item = &'static str> {
    spec.name.match_indices('.').filter_map(|(at, _)| spec.name.get(..at))
}

/// Whether a path names this option or group: every step in snake_case or in camelCase.
fn is_name(path: &str, name: &str) -> bool {
    let (mut written, mut known) = (path.split('.'), name.split('.'));
    loop {
        match (written.next(), known.next()) {
            (None, None) => return true,
            (Some(written), Some(known)) if written == known || written == camel_case(known) => {}
            _ => return false,
        }
    }
}

fn given_for(spec: &Spec, leaves: &[Leaf], warnings: &mut Vec<String>) -> Option<(String, Given)> {
    let given =
        || leaves.iter().filter(|(path, value)| **value != Given::Nothing && is_name(path, spec.name));
    let used = given().find(|(path, _)| path == spec.name).or_else(|| given().next())?;
    for (other, _) in given().filter(|other| !std::ptr::eq(*other, used)) {
        warnings.push(format!("option `{other}` is given as `{}` too; `{}` is used", used.0, used.0));
    }
    Some((format!("option `{}`", used.0), used.1.clone()))
}

fn take(spec: &Spec, source: &str, value: &Given, resolved: &mut Resolved) {
    let problem = match check(spec.kind, value) {
        Ok(value) => match resolved.options.set(spec, value) {
            true => return resolved.sources.push((spec.name, source.to_string())),
            false => "is of another kind".to_string(),
        },
        Err(problem) => problem,
    };
    let instead = match (spec.kind, spec.default.value()) {
        (Kind::Secret, _) => "the plugin is disabled".to_string(),
        (_, Value::Null) => "it stays unset".to_string(),
        (_, default) => format!("{default} is used instead"),
    };
    resolved.warnings.push(format!("{source} {problem}; {instead}"));
}

/// The value as the configuration holds it, or what is wrong with it.
pub fn check(kind: Kind, given: &Given) -> Result<Value, String> {
    let wrong = |wanted: &str| Err(format!("must be {wanted}, not {}", describe_for(kind, given)));
    match (kind, given) {
        (Kind::Flag, Given::Flag(flag)) => Ok(json!(flag)),
        (Kind::Flag, _) => wrong("true or false"),
        (Kind::Number { min, max }, Given::Number(number)) if (min..=max).contains(number) => {
            Ok(json!(number))
        }
        (Kind::Number { min, max }, _) => wrong(&format!("a number from {} to {}", shown(min), shown(max))),
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

fn texts(items: &[Given]) -> Result<Vec<&str>, String> {
    let mut texts = Vec::new();
    for item in items {
        match item {
            Given::Text(text) => texts.push(text.as_str()),
            other => return Err(format!("must be a list of texts, but holds {}", describe(other))),
        }
    }
    Ok(texts)
}

fn check_patterns(texts: Vec<&str>) -> Result<Value, String> {
    for text in &texts {
        if let Some(Err(problem)) = behind_mark(text).map(regex) {
            let pieces =
                ["holds the regular expression `", cut(text, 60), "`, which cannot be used: ", &problem];
            return Err(pieces.concat());
        }
    }
    Ok(json!(texts))
}

fn check_tool_notes(notes: &[(String, Given)]) -> Result<Value, String> {
    let mut checked = serde_json::Map::new();
    for (tool, note) in notes {
        let wrong =
            || Err(["must hold `{ tags?: [text], description?: text }` for `", cut(tool, 60), "`"].concat());
        let Given::Map(fields) = note else { return wrong() };
        let mut known = serde_json::Map::new();
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

fn is_count(number: f64, min: u64, max: u64) -> bool {
    number.fract() == 0.0 && (min as f64..=max as f64).contains(&number)
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

/// The environment knows only texts; what does not look like the wanted kind stays a text and is refused.
fn from_environment(kind: Kind, text: String) -> Given {
    let trimmed = text.trim();
    match kind {
        Kind::Number { .. } | Kind::Count { .. } => match trimmed.parse::<f64>() {
            Ok(number) if number.is_finite() => Given::Number(number),
            _ => Given::Text(text),
        },
        Kind::Flag => match trimmed.to_ascii_lowercase().as_str() {
            "1" | "true" | "yes" | "on" => Given::Flag(true),
            "0" | "false" | "no" | "off" => Given::Flag(false),
            _ => Given::Text(text),
        },
        _ => Given::Text(text),
    }
}

/// A number as JavaScript prints it.
fn shown(number: f64) -> String {
    ryu_js::Buffer::new().format(number).to_string()
}

/// Words for a value; a text is quoted only where it cannot be a misplaced key.
fn describe_for(kind: Kind, given: &Given) -> String {
    match (kind, given) {
        (Kind::Number { .. } | Kind::Count { .. } | Kind::Flag | Kind::Choice(_), Given::Text(text))
            if text.len() <= 12 =>
        {
            Value::from(text.as_str()).to_string()
        }
        _ => describe(given),
    }
}

fn describe(given: &Given) -> String {
    match given {
        Given::Nothing => "nothing".to_string(),
        Given::Flag(flag) => flag.to_string(),
        Given::Number(number) => shown(*number),
        Given::Text(text) if text.trim().is_empty() => "an empty text".to_string(),
        Given::Text(_) => "a text".to_string(),
        Given::List(_) => "a list".to_string(),
        Given::Map(_) => "an object".to_string(),
        Given::Other(word) => (*word).to_string(),
    }
}

fn warn_of_unknown_names(leaves: &[Leaf], warnings: &mut Vec<String>) {
    for (name, _) in leaves {
        if specs().any(|spec| is_name(name, spec.name)) {
            continue;
        }
        let name = cut(name, 60);
        let meant = match nearest(name) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => "schema.json lists all options".to_string(),
        };
        warnings.push(format!("option `{name}` is unknown and ignored; {meant}"));
    }
}

/// An address of 127.0.0.0/8. The standard library's reading of addresses is larger than all else here.
fn is_loopback_v4(host: &str) -> bool {
    let parts: Vec<&str> = host.split('.').collect();
    parts.len() == 4 && parts[0] == "127" && parts.iter().all(|part| part.parse::<u8>().is_ok())
}

/// Without discovery the model has no tool that reaches what these options hide.
fn warn_of_what_is_not_found(resolved: &mut Resolved) {
    let Options { scorer, discovery, .. } = &resolved.options;
    if discovery.enabled {
        return;
    }
    let warning = match scorer {
        _ if !discovery.hide.is_empty() => "option `discovery.hide` hides nothing while `discovery.enabled` is off",
        Scorer::Lexical => {
            "option `scorer` is `lexical` and `discovery.enabled` is off: what is hidden can be reached by the host's own \
             means only; turn `discovery.enabled` on"
        }
        Scorer::None => "option `scorer` is `none`, which hides nothing while `discovery.enabled` is off",
        Scorer::Jev => return,
    };
    resolved.warnings.push(warning.to_string());
}

fn warn_of_plain_http(resolved: &mut Resolved) {
    let endpoint = &resolved.options.jev_endpoint;
    let Some(rest) = endpoint.to_ascii_lowercase().strip_prefix("http://").map(str::to_string) else {
        return;
    };
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = match authority.strip_prefix('[') {
        Some(v6) => v6.split(']').next().unwrap_or_default(),
        None => authority.split(':').next().unwrap_or_default(),
    };
    let is_loopback =
        host == "localhost" || host.ends_with(".localhost") || host == "::1" || is_loopback_v4(host);
    if !is_loopback {
        resolved.warnings.push(
            "option `jev_endpoint` is plain http: the key and the prompts travel unencrypted; it is used as it is, \
             but prefer https"
                .to_string(),
        );
    }
}

pub fn camel_case(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    let mut upper = false;
    for character in name.chars() {
        if character == '_' {
            upper = true;
        } else if std::mem::take(&mut upper) {
            out.push(character.to_ascii_uppercase());
        } else {
            out.push(character);
        }
    }
    out
}

/// The option or group whose name is a few letters away.
fn nearest(name: &str) -> Option<&'static str> {
    let plain = |name: &str| name.to_ascii_lowercase().replace(['_', '-'], "");
    let wanted = plain(name);
    specs()
        .flat_map(|spec| groups_of(spec).chain([spec.name]))
        .map(|name| (levenshtein(&wanted, &plain(name)), name))
        .filter(|(distance, name)| *distance <= 2 + name.len() / 8)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

#[cfg(test)]
mod tests;
