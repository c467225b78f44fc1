//! Options: an input is what a person wrote as JSON, and then the environment, one variable a line.
//!
//! ```text
//! {"jevTimeoutMs": 500}
//! =====
//! JEV_API_KEY=some-key
//! ```

use opencode_jev_pruner::options::check::check;
use opencode_jev_pruner::options::given::Given;
use opencode_jev_pruner::options::resolve::{resolve, Resolved};
use opencode_jev_pruner::options::{specs, Kind};
use serde_json::Value;

use crate::{text_of, BETWEEN_PARTS};

/// A key this long does not stand in a warning by accident.
const SHORTEST_KEY: usize = 16;

pub fn options(input: &[u8]) {
    let input = text_of(input);
    let (json, variables) = input.split_once(BETWEEN_PARTS).unwrap_or((&input, ""));
    let given = match serde_json::from_str::<Value>(json) {
        Ok(value) => Given::from(value),
        Err(_) => Given::Text(json.to_string()),
    };
    let resolved = resolve_with(&given, variables);
    check_values(&resolved);
    check_secret(&resolved, &input);
    assert!(resolved.warnings.iter().all(|warning| !warning.trim().is_empty()), "a warning says something");

    let again = resolve_with(&given, variables);
    assert_eq!(again.warnings, resolved.warnings, "the same words give the same warnings");
    assert_eq!(serialised(&again), serialised(&resolved), "the same words give the same options");
    let given_back = resolve(&Given::from(serialised(&resolved)), |_| None);
    assert_eq!(
        serialised(&given_back),
        serialised(&resolved),
        "options that are given back are the same options"
    );
}

fn resolve_with(given: &Given, variables: &str) -> Resolved {
    let env = |name: &str| {
        let pairs = variables.lines().filter_map(|line| line.split_once('='));
        pairs.filter(|(variable, _)| *variable == name).map(|(_, value)| value.to_string()).next_back()
    };
    resolve(given, env)
}

fn serialised(resolved: &Resolved) -> Value {
    serde_json::to_value(&resolved.options).expect("options can be serialised")
}

/// Whatever was given, what is in force follows the rule of its option.
fn check_values(resolved: &Resolved) {
    let all = serialised(resolved);
    for spec in specs().iter().filter(|spec| spec.kind != Kind::Secret) {
        let value = spec.path.split('.').try_fold(&all, |group, name| group.get(name));
        let value = value.unwrap_or_else(|| panic!("`{}` is missing", spec.path));
        let is_unset = value.is_null() && spec.default().is_null();
        let checked = check(spec.kind, &Given::from(value.clone()));
        assert!(is_unset || checked.is_ok(), "`{}` is {value}: {checked:?}", spec.path);
    }
}

/// The key never leaves.
fn check_secret(resolved: &Resolved, input: &str) {
    let Some(key) = resolved.options.jev_api_key.reveal() else { return };
    if key.len() < SHORTEST_KEY || input.matches(key).count() > 1 {
        return;
    }
    let shown = [serialised(resolved).to_string(), format!("{resolved:?}")];
    assert!(shown.iter().all(|text| !text.contains(key)), "the key is shown");
}
