//! From what a person wrote to the configuration in force, with a warning for everything that was not used.
//!
//! An option beats the environment, the environment beats the default. A bad value never stops the plugin.

use serde_json::{json, Value};

use super::{Kind, Options, Spec, SPECS};

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
    for spec in SPECS {
        let by_option = given_for(spec, entries, &mut resolved.warnings);
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
    warn_of_unknown_names(entries, &mut resolved.warnings);
    warn_of_plain_http(&mut resolved);
    resolved
}

fn given_for(
    spec: &Spec,
    entries: &[(String, Given)],
    warnings: &mut Vec<String>,
) -> Option<(String, Given)> {
    let camel = camel_case(spec.name);
    let find = |name: &str| entries.iter().find(|(key, value)| key == name && *value != Given::Nothing);
    let (snake_entry, camel_entry) = (find(spec.name), find(&camel));
    if snake_entry.is_some() && camel_entry.is_some() && camel != spec.name {
        warnings.push(format!("option `{camel}` is given as `{}` too; `{}` is used", spec.name, spec.name));
    }
    let (name, value) = snake_entry.or(camel_entry)?;
    Some((format!("option `{name}`"), value.clone()))
}

fn take(spec: &Spec, source: &str, value: &Given, resolved: &mut Resolved) {
    let problem = match check(spec.kind, value) {
        Ok(value) => match (spec.set)(&mut resolved.options, value) {
            Ok(()) => return,
            Err(error) => error.to_string(),
        },
        Err(problem) => problem,
    };
    let instead = match (spec.kind, (spec.default)()) {
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
        (Kind::Number { min, max }, _) => wrong(&format!("a number from {min} to {max}")),
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
        (Kind::Texts, Given::List(items)) => items
            .iter()
            .map(|item| match item {
                Given::Text(text) => Ok(json!(text)),
                other => Err(format!("must be a list of texts, but holds {}", describe(other))),
            })
            .collect::<Result<Vec<_>, _>>()
            .map(Value::Array),
        (Kind::Texts, _) => wrong("a list of texts"),
    }
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
            Ok(number) => Given::Number(number),
            Err(_) => Given::Text(text),
        },
        Kind::Flag => match trimmed.to_ascii_lowercase().as_str() {
            "1" | "true" | "yes" | "on" => Given::Flag(true),
            "0" | "false" | "no" | "off" => Given::Flag(false),
            _ => Given::Text(text),
        },
        _ => Given::Text(text),
    }
}

/// Words for a value; a text is quoted only where it cannot be a misplaced key.
fn describe_for(kind: Kind, given: &Given) -> String {
    match (kind, given) {
        (Kind::Number { .. } | Kind::Count { .. } | Kind::Flag | Kind::Choice(_), Given::Text(text))
            if text.len() <= 12 =>
        {
            format!("{text:?}")
        }
        _ => describe(given),
    }
}

fn describe(given: &Given) -> String {
    match given {
        Given::Nothing => "nothing".to_string(),
        Given::Flag(flag) => flag.to_string(),
        Given::Number(number) if number.is_nan() => "NaN".to_string(),
        Given::Number(number) => number.to_string(),
        Given::Text(text) if text.trim().is_empty() => "an empty text".to_string(),
        Given::Text(_) => "a text".to_string(),
        Given::List(_) => "a list".to_string(),
        Given::Map(_) => "an object".to_string(),
        Given::Other(word) => (*word).to_string(),
    }
}

fn warn_of_unknown_names(entries: &[(String, Given)], warnings: &mut Vec<String>) {
    for (name, _) in entries {
        if SPECS.iter().any(|spec| spec.name == name || camel_case(spec.name) == *name) {
            continue;
        }
        let name = crate::host::text::cut(name, 60);
        let meant = match nearest(name) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => "schema.json lists all options".to_string(),
        };
        warnings.push(format!("option `{name}` is unknown and ignored; {meant}"));
    }
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
    let is_loopback = host == "localhost"
        || host.ends_with(".localhost")
        || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback());
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

/// The option whose name is a few letters away.
fn nearest(name: &str) -> Option<&'static str> {
    let plain = |name: &str| name.to_ascii_lowercase().replace(['_', '-'], "");
    let wanted = plain(name);
    SPECS
        .iter()
        .map(|spec| (distance(&wanted, &plain(spec.name)), spec.name))
        .filter(|(distance, name)| *distance <= 2 + name.len() / 8)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

/// How many letters must be put in, taken out or changed to get from one text to the other.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, to) in b.iter().enumerate() {
            let changed = diagonal + usize::from(from != *to);
            diagonal = row[j + 1];
            row[j + 1] = changed.min(row[j] + 1).min(row[j + 1] + 1);
        }
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(value: Value) -> Given {
        value.into()
    }

    fn resolve_only(value: Value) -> Resolved {
        resolve(&given(value), |_| None)
    }

    #[test]
    fn nothing_given_is_the_defaults_without_a_word() {
        let resolved = resolve(&Given::Nothing, |_| None);
        assert_eq!(resolved.options, Options::default());
        assert!(resolved.warnings.is_empty());
    }

    #[test]
    fn an_option_beats_the_environment_and_the_environment_the_default() {
        let env = |name: &str| (name == "JEV_TIMEOUT_MS").then(|| "300".to_string());
        assert_eq!(resolve(&Given::Nothing, env).options.jev_timeout_ms, 300.0);
        assert_eq!(resolve(&given(json!({ "jev_timeout_ms": 200 })), env).options.jev_timeout_ms, 200.0);
        assert_eq!(resolve(&Given::Nothing, |_| None).options.jev_timeout_ms, 900.0);
    }

    #[test]
    fn the_first_variable_that_is_set_wins_and_an_empty_one_is_not_set() {
        let env = |name: &str| match name {
            "JEV_API_KEY" => Some(" ".to_string()),
            "TYPESAFE_API_KEY" => Some("second".to_string()),
            _ => None,
        };
        assert_eq!(resolve(&Given::Nothing, env).options.jev_api_key.reveal(), Some("second"));
    }

    #[test]
    fn names_are_taken_in_camel_case_too() {
        let resolved = resolve_only(json!({ "jevConfidenceThreshold": 0.7, "pruneMcpTools": false }));
        assert_eq!(resolved.options.jev_confidence_threshold, 0.7);
        assert!(!resolved.options.prune_mcp_tools);
        assert!(resolved.warnings.is_empty());
    }

    #[test]
    fn both_spellings_at_once_are_told() {
        let resolved = resolve_only(json!({ "jevModel": "a", "jev_model": "b" }));
        assert_eq!(resolved.options.jev_model, "b");
        assert_eq!(resolved.warnings.len(), 1);
    }

    #[test]
    fn a_bad_value_is_one_warning_with_name_problem_and_value_used() {
        for (value, parts) in [
            (
                json!({ "jev_timeout_ms": "soon" }),
                ["jev_timeout_ms", "a number from 1 to 60000", "\"soon\"", "900"],
            ),
            (json!({ "jev_timeout_ms": -5 }), ["jev_timeout_ms", "a number from 1", "-5", "900"]),
            (json!({ "jevPhase1Threshold": 1.5 }), ["jevPhase1Threshold", "from 0 to 1", "1.5", "0.35"]),
            (json!({ "prune_skills": "yes" }), ["prune_skills", "true or false", "\"yes\"", "true"]),
            (
                json!({ "max_questions_per_request": 2.5 }),
                ["max_questions_per_request", "whole", "2.5", "100"],
            ),
            (
                json!({ "always_include_tools": "x" }),
                ["always_include_tools", "a list of texts", "a text", "[]"],
            ),
            (json!({ "always_include_tools": [1] }), ["always_include_tools", "a list of texts", "1", "[]"]),
            (
                json!({ "jev_endpoint": "not a url" }),
                ["jev_endpoint", "address", "https://host", "opencode.ai"],
            ),
            (json!({ "jev_model": "" }), ["jev_model", "not empty", "an empty text", "jev-1.13"]),
            (json!({ "mode": "loud" }), ["mode", "one of prune, shadow, off", "\"loud\"", "\"prune\""]),
            (json!({ "debug_log_file": 3 }), ["debug_log_file", "a text", "3", "stays unset"]),
        ] {
            let resolved = resolve_only(value);
            assert_eq!(resolved.options, Options::default());
            assert_eq!(resolved.warnings.len(), 1, "{:?}", resolved.warnings);
            for part in parts {
                assert!(resolved.warnings[0].contains(part), "{part} in {}", resolved.warnings[0]);
            }
        }
    }

    #[test]
    fn nan_and_functions_are_bad_values() {
        for value in [Given::Number(f64::NAN), Given::Number(f64::INFINITY), Given::Other("a function")] {
            let resolved = resolve(&Given::Map(vec![("jev_timeout_ms".into(), value)]), |_| None);
            assert_eq!(resolved.options.jev_timeout_ms, 900.0);
            assert_eq!(resolved.warnings.len(), 1);
        }
    }

    #[test]
    fn an_unknown_name_is_told_with_the_name_probably_meant() {
        for (name, meant) in [
            ("jev_timout_ms", "`jev_timeout_ms`"),
            ("alwaysIncludeSkill", "`always_include_skills`"),
            ("JEV_MODEL", "`jev_model`"),
            ("colour", "schema.json"),
        ] {
            let warnings = resolve_only(json!({ name: 1 })).warnings;
            assert_eq!(warnings.len(), 1);
            assert!(warnings[0].contains(name) && warnings[0].contains(meant), "{}", warnings[0]);
        }
    }

    #[test]
    fn a_key_is_in_no_warning() {
        for value in [
            json!({ "jev_api_key": "sk-secret\nline" }),
            json!({ "jev_endpoint": "sk-secret" }),
            json!({ "jev_endpoint": "https://user:sk-secret@host/" }),
            json!({ "debug_mode": "sk-secret-of-some-length" }),
        ] {
            let warnings = resolve_only(value).warnings;
            assert_eq!(warnings.len(), 1);
            assert!(!warnings[0].contains("secret"), "{}", warnings[0]);
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

    #[test]
    fn plain_http_is_told_except_on_loopback() {
        for (endpoint, warned) in [
            ("http://example.com/x", true),
            ("http://10.0.0.1/x", true),
            ("http://localhost.example.com/x", true),
            ("http://localhost:1/x", false),
            ("http://127.0.0.1:1/x", false),
            ("http://[::1]:1/x", false),
            ("https://example.com/x", false),
        ] {
            let resolved = resolve_only(json!({ "jev_endpoint": endpoint }));
            assert_eq!(resolved.options.jev_endpoint, endpoint);
            assert_eq!(resolved.warnings.len(), usize::from(warned), "{endpoint}");
        }
    }

    #[test]
    fn options_that_are_no_object_are_told() {
        assert_eq!(resolve_only(json!(["x"])).warnings.len(), 1);
    }

    #[test]
    fn flags_from_the_environment_are_words() {
        for (text, expected) in [("1", true), ("TRUE", true), ("on", true), ("0", false), ("no", false)] {
            let resolved = resolve(&Given::Nothing, |name| (name == "JEV_WARMUP").then(|| text.to_string()));
            assert_eq!(resolved.options.warmup_on_load, expected, "{text}");
            assert!(resolved.warnings.is_empty());
        }
        let resolved = resolve(&Given::Nothing, |name| (name == "JEV_WARMUP").then(|| "maybe".to_string()));
        assert_eq!(resolved.warnings.len(), 1);
    }
}
