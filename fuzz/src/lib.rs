//! What must hold of any input whatever: one function for each fuzz target, which panics when it does not.
//!
//! An input is bytes; where the core takes text, bytes that are no UTF-8 become `U+FFFD`, as they would on their
//! way through JavaScript.

mod formats;
mod listed;
pub mod mutate;
mod options;
mod replies;
pub mod rewriting;
mod sessions;

pub use formats::{catalog, catalog_changes, instructions, skills};
pub use options::options;
pub use replies::replies;
pub use sessions::sessions;

/// What stands between the parts of an input that has several.
pub const BETWEEN_PARTS: &str = "\n=====\n";

/// A fuzz target.
#[derive(Clone, Copy)]
pub struct Target {
    /// Also the name of the folder with its seeds, and of its libFuzzer program.
    pub name: &'static str,
    pub check: fn(&[u8]),
}

pub const TARGETS: [Target; 7] = [
    Target { name: "catalog", check: catalog },
    Target { name: "catalog_changes", check: catalog_changes },
    Target { name: "instructions", check: instructions },
    Target { name: "skills", check: skills },
    Target { name: "sessions", check: sessions },
    Target { name: "replies", check: replies },
    Target { name: "options", check: options },
];

/// The text that JavaScript would hand over.
fn text_of(input: &[u8]) -> String {
    String::from_utf8_lossy(input).into_owned()
}

/// The seeds of a target that ship, by the names of their files.
pub fn seeds(target: &str) -> std::io::Result<Vec<(String, Vec<u8>)>> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("seeds").join(target);
    let mut seeds = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        seeds.push((name, std::fs::read(path)?));
    }
    seeds.sort();
    Ok(seeds)
}
