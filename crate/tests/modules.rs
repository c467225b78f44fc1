//! The modules of the core depend on each other in one direction: a stage knows the ones before it, never one behind.

#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use regex::Regex;

type Imports = BTreeMap<String, BTreeSet<String>>;

#[test]
fn no_module_depends_on_itself_by_way_of_others() {
    let imports = imports();
    assert!(imports.contains_key("policy"), "{:?}", imports.keys());
    let circular: Vec<&String> =
        imports.keys().filter(|module| reach(module, &imports).contains(*module)).collect();
    assert!(circular.is_empty(), "{circular:?}");
}

/// Of each module at the top which others its files name, outside of comments and tests.
fn imports() -> Imports {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let (named, comment) = (Regex::new(r"crate::(\w+)").unwrap(), Regex::new("(?m)//.*$").unwrap());
    let mut imports = Imports::new();
    for file in rust_files(&source) {
        let first = file.strip_prefix(&source).unwrap().components().next().unwrap();
        let module = first.as_os_str().to_string_lossy().trim_end_matches(".rs").to_string();
        let text = fs::read_to_string(&file).unwrap();
        let code = comment.replace_all(text.split("#[cfg(test)]").next().unwrap(), "").into_owned();
        let others =
            named.captures_iter(&code).map(|found| found[1].to_string()).filter(|other| *other != module);
        imports.entry(module.clone()).or_default().extend(others);
    }
    imports
}

/// All but files of tests.
fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let files = entries.flat_map(|path| if path.is_dir() { rust_files(&path) } else { vec![path] });
    files.filter(|file| !file.file_name().unwrap().to_string_lossy().contains("test")).collect()
}

fn reach(module: &str, imports: &Imports) -> BTreeSet<String> {
    let mut reached = BTreeSet::new();
    let mut open = vec![module.to_string()];
    while let Some(next) = open.pop() {
        let others = imports.get(&next).into_iter().flatten();
        open.extend(others.filter(|other| reached.insert((*other).clone())).cloned());
    }
    reached
}
