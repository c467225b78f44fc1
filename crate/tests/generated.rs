//! Files that are rendered from the options: they must be what the options say now.
//!
//! To render them anew: `UPDATE_GENERATED=1 cargo test --test generated`.

#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

use opencode_jev_pruner::options::render;
use opencode_jev_pruner::policy::Reason;
use std::path::PathBuf;

fn hold(file: &str, expected: &str) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..").join(file);
    if std::env::var_os("UPDATE_GENERATED").is_some() {
        std::fs::write(&path, expected).unwrap();
        return;
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(found == expected, "{file} is stale: UPDATE_GENERATED=1 cargo test --test generated");
}

/// A file whose part between two marks is rendered.
fn hold_part(file: &str, mark: &str, part: &str) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..").join(file);
    let text = std::fs::read_to_string(&path).unwrap();
    let (open, close) = (format!("<!-- {mark}: generated -->\n"), format!("<!-- /{mark} -->"));
    let (before, rest) = text.split_once(&open).unwrap_or_else(|| panic!("{file} has no {open}"));
    let (_, behind) = rest.split_once(&close).unwrap_or_else(|| panic!("{file} has no {close}"));
    hold(file, &format!("{before}{open}{part}{close}{behind}"));
}

#[test]
fn the_json_schema_is_up_to_date() {
    hold("schema.json", &render::json_schema());
}

#[test]
fn the_typescript_types_are_up_to_date() {
    hold("js-shim/options.d.ts", &render::typescript());
}

// One test, so that two do not render the same file at once.
#[test]
fn the_readme_lists_every_option_and_every_reason() {
    hold_part("README.md", "options", &render::readme_table(""));
    hold_part("README.md", "history options", &render::readme_table("history"));
    hold_part("README.md", "discovery options", &render::readme_table("discovery"));
    let rows: String = Reason::ALL
        .iter()
        .map(|reason| format!("| `{}` | {} |\n", reason.name(), reason.sentence()))
        .collect();
    hold_part("README.md", "reasons", &format!("| reason | meaning |\n|---|---|\n{rows}"));
}
