//! Writes a catalog entry as OpenCode would write it, for a tool that OpenCode has and a partial catalog leaves out.
//!
//! This is the other direction of [`crate::opencode::catalog`]: there entries are read, here one is made from what
//! OpenCode's inventory says of a tool. `types` writes JSON schemas as TypeScript, `comment` what stands above
//! a property, `js` numbers and strings as JavaScript writes them; `keywords` and `place` know what a schema
//! holds. What to add is decided elsewhere.
//!
//! ```text
//!   - tools.parcels["track-all"]({
//!   /** Which ones. Each has ten digits. */
//!   numbers: Array<string>,
//!   /** Days to look back. @default 7 @integer @minimum 1 */
//!   days?: number,
//! }): Promise<{
//!   found: boolean,
//! }> // Where several parcels are
//! ```
//!
//! | part | V4 | beta | source |
//! |---|---|---|---|
//! | path | `tools` and per segment `.name` or `["any name"]` | the same | `opencode-host.md` §6.1 |
//! | argument | `({ ... })`, `()` when empty | `(input: { ... })`, `(input: {})` when empty | §6.2 |
//! | result | `: Promise<T>`, `unknown` without an output schema | the same | §6.1 |
//! | description | its first line without outer blanks; over 120 characters the first 117 and `...` | the first 119 and `...` | §6.1, §6.2 |
//!
//! Rules that §6.1 does not spell out were read in OpenCode's `packages/codemode/src/tool-schema.ts`: V4 in
//! `#63434226179` and `#70307426917`, the beta in `#54542735319`. What is [`Unsupported`] is what they disagree
//! about, what is no valid schema, and what has a meaning that OpenCode leaves out: an entry that we add must
//! be OpenCode's to the letter, and must not send the model astray.

mod comment;
mod js;
mod keywords;
mod place;
#[cfg(test)]
mod tests;
mod types;

use serde_json::Value;

use crate::opencode::catalog::Style;

use types::{type_text, UNKNOWN};

/// What OpenCode knows of a tool.
#[derive(Clone, Copy, Debug)]
pub struct EntrySource<'a> {
    /// The first segment of the path, as the catalog names it; empty for a tool that has no namespace.
    pub namespace: &'a str,
    /// The tool inside its namespace, as the catalog names it; dots are between segments.
    pub tool: &'a str,
    /// As the server gives it, untruncated.
    pub description: Option<&'a str>,
    /// The input schema. Without one the tool cannot be written: it would look as if it took nothing.
    pub input: Option<&'a Value>,
    /// The output schema; most servers give none.
    pub output: Option<&'a Value>,
}

/// Why an entry cannot be written: a sentence, or the keyword that says more of a type than OpenCode writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unsupported(pub &'static str);

const LONGEST_DESCRIPTION: usize = 120;

/// The lines of an entry, without a newline behind the last; `None` for a tool that must not be added.
pub fn entry(source: &EntrySource, style: Style) -> Option<String> {
    try_entry(source, style).ok()
}

/// [`entry`], with the reason for its `None`.
pub fn try_entry(source: &EntrySource, style: Style) -> Result<String, Unsupported> {
    let input = source.input.ok_or(Unsupported("a tool without an input schema"))?;
    let path = call_path(source.namespace, source.tool)?;
    let argument = argument(&type_text(input, style)?, style)?;
    let result = source.output.map_or(Ok(UNKNOWN.to_string()), |output| type_text(output, style))?;
    let description = trailing(source.description.unwrap_or_default(), style)?;
    Ok(format!("  - {path}({argument}): Promise<{result}>{description}"))
}

/// The path under which a tool is called inside `execute`: `tools.notes.add`.
pub(crate) fn call_path(namespace: &str, tool: &str) -> Result<String, Unsupported> {
    let namespace = Some(namespace).filter(|namespace| !namespace.is_empty());
    let mut path = "tools".to_string();
    for segment in namespace.into_iter().chain(tool.split('.')) {
        match segment {
            "" => return Err(Unsupported("a path with an empty segment")),
            _ if js::is_identifier(segment) => path.extend([".", segment]),
            _ => path.extend(["[", &js::quote(segment), "]"]),
        }
    }
    Ok(path)
}

fn argument(input: &str, style: Style) -> Result<String, Unsupported> {
    match (input, style) {
        // OpenCode would write it, but a model learns nothing from it of how to call the tool.
        (UNKNOWN, _) => Err(Unsupported("an input of which nothing is known")),
        ("{}", Style::V4) => Ok(String::new()),
        (_, Style::V4) => Ok(input.to_string()),
        (_, Style::Beta) => Ok(format!("input: {input}")),
    }
}

/// The description behind an entry, with the mark before it.
fn trailing(description: &str, style: Style) -> Result<String, Unsupported> {
    let line = js::trim(description.split('\n').next().unwrap_or_default());
    if line.is_empty() {
        return Ok(String::new());
    }
    if js::length(line) <= LONGEST_DESCRIPTION {
        return Ok(format!(" // {line}"));
    }
    let kept = match style {
        Style::V4 => LONGEST_DESCRIPTION - 3,
        Style::Beta => LONGEST_DESCRIPTION - 1,
    };
    // Half a character cannot be written here, as OpenCode would.
    let start = js::start(line, kept).ok_or(Unsupported("a description that is cut inside a character"))?;
    Ok(format!(" // {start}..."))
}
