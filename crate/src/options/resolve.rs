//! From what the user wrote to the configuration in force, with a warning for everything that was not used.
//!
//! An option beats the environment, the environment beats the default. A bad value never stops the plugin. Which values
//! are allowed is left to [`check`], which names are meant to `names`.

use std::net::IpAddr;

use serde_json::{Map, Value};

use super::check::check;
use super::given::Given;
use super::names::{is_group, is_option, is_spelling_of, nearest};
use super::{insert, specs, Kind, Options, Scorer, Spec};
use crate::text::cut;

/// The configuration in force and what there is to say about it.
#[derive(Debug, Default)]
pub struct Resolved {
    /// The configuration in force.
    pub options: Options,
    /// What could not be used or will not work, each a sentence for the user.
    pub warnings: Vec<String>,
    /// The paths of the options that were given and accepted, each with where its value came from: an option as it was
    /// spelled, or an environment variable.
    pub sources: Vec<(&'static str, String)>,
}

/// Resolves what was given in the plugin's options and in the environment, of which `env` gives a variable's value.
pub fn resolve(given: &Given, env: impl Fn(&str) -> Option<String>) -> Resolved {
    let (mut warnings, mut sources, mut checked) = (Vec::new(), Vec::new(), Map::new());
    let leaves = find_leaves(given, &mut warnings);
    for spec in specs() {
        let from_options = find_given(spec, &leaves, &mut warnings);
        let Some((source, value)) = from_options.or_else(|| find_in_environment(spec, &env)) else {
            continue;
        };
        match check(spec.kind, &value) {
            Ok(value) => {
                insert(&mut checked, &spec.path, value);
                sources.push((spec.path.as_str(), source));
            }
            Err(problem) => warnings.push(format!("{source} {problem}; {}", instead(spec))),
        }
    }
    let options = Options::from_values(checked);
    warnings.extend(unknown_names(&leaves));
    warnings.extend(plain_http(&options));
    warnings.extend(hidden_out_of_reach(&options));
    Resolved { options, warnings, sources }
}

/// A value that is no group, with its path as it was written.
type Leaf<'a> = (String, &'a Given);

fn find_leaves<'a>(given: &'a Given, warnings: &mut Vec<String>) -> Vec<Leaf<'a>> {
    let mut leaves = Vec::new();
    match given {
        Given::Map(entries) => walk_group("", entries, &mut leaves, warnings),
        Given::Nothing => {}
        other => warnings.push(format!(
            "the plugin's options must be an object, not {}; the defaults are used",
            other.describe()
        )),
    }
    leaves
}

fn walk_group<'a>(
    group: &str,
    entries: &'a [(String, Given)],
    leaves: &mut Vec<Leaf<'a>>,
    warnings: &mut Vec<String>,
) {
    for (name, value) in entries {
        let path = if group.is_empty() { name.clone() } else { format!("{group}.{name}") };
        match value {
            _ if !is_group(&path) => leaves.push((path, value)),
            Given::Map(inner) => walk_group(&path, inner, leaves, warnings),
            Given::Nothing => {}
            other => warnings.push(format!(
                "option `{path}` must be an object, not {}; its defaults are used",
                other.describe()
            )),
        }
    }
}

/// A value that was given in the options, with where it came from. The name in snake_case wins.
fn find_given(spec: &Spec, leaves: &[Leaf], warnings: &mut Vec<String>) -> Option<(String, Given)> {
    let is_given = |(path, value): &&Leaf| **value != Given::Nothing && is_spelling_of(path, &spec.path);
    let given = || leaves.iter().filter(is_given);
    let used = given().find(|(path, _)| *path == spec.path).or_else(|| given().next())?;
    for (other, _) in given().filter(|other| !std::ptr::eq(*other, used)) {
        warnings.push(format!("option `{other}` is given as `{}` too; `{}` is used", used.0, used.0));
    }
    Some((format!("option `{}`", used.0), used.1.clone()))
}

/// The first variable that is set and not empty, with where it came from.
fn find_in_environment(spec: &Spec, env: &impl Fn(&str) -> Option<String>) -> Option<(String, Given)> {
    spec.env.iter().find_map(|name| {
        let text = env(name).filter(|text| !text.trim().is_empty())?;
        Some((format!("environment variable `{name}`"), Given::from_environment(spec.kind, text)))
    })
}

/// What becomes of an option whose value is refused.
fn instead(spec: &Spec) -> String {
    match (spec.kind, spec.default()) {
        (Kind::Secret, _) => "the plugin is disabled".to_string(),
        (_, Value::Null) => "it stays unset".to_string(),
        (_, default) => format!("{default} is used instead"),
    }
}

fn unknown_names<'a>(leaves: &'a [Leaf]) -> impl Iterator<Item = String> + 'a {
    leaves.iter().filter(|(path, _)| !is_option(path)).map(|(path, _)| {
        let name = cut(path, 60);
        let meant = match nearest(name) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => "schema.json lists all options".to_string(),
        };
        format!("option `{name}` is unknown and ignored; {meant}")
    })
}

/// Over plain http the key travels in the open, unless it stays on this machine.
fn plain_http(options: &Options) -> Option<String> {
    let endpoint = options.jev_endpoint.to_ascii_lowercase();
    let authority = endpoint.strip_prefix("http://")?.split(['/', '?', '#']).next()?;
    let host = match authority.strip_prefix('[') {
        Some(v6) => v6.split(']').next()?,
        None => authority.split(':').next()?,
    };
    let is_loopback = host == "localhost"
        || host.ends_with(".localhost")
        || host.parse().is_ok_and(|address: IpAddr| address.is_loopback());
    (!is_loopback).then(|| {
        "option `jev_endpoint` is plain http: the key and the prompts travel unencrypted; it is used as it is, \
         but prefer https"
            .to_string()
    })
}

/// Without discovery the model has no tool that reaches what these options hide.
fn hidden_out_of_reach(options: &Options) -> Option<String> {
    if options.discovery.enabled {
        return None;
    }
    let warning = match options.scorer {
        _ if !options.discovery.hide.is_empty() => {
            "option `discovery.hide` hides nothing while `discovery.enabled` is off"
        }
        Scorer::Lexical => {
            "option `scorer` is `lexical` and `discovery.enabled` is off: what is hidden can be reached by the \
             host's own means only; turn `discovery.enabled` on"
        }
        Scorer::None => "option `scorer` is `none`, which hides nothing while `discovery.enabled` is off",
        Scorer::Jev => return None,
    };
    Some(warning.to_string())
}

#[cfg(test)]
mod tests;
