//! `<thinking>` blocks in the texts of models that write their thinking into what they say. Whether a block may go is
//! not decided here.
//!
//! ```text
//! <thinking>            opens a line, outside of a code fence
//! ...
//! </thinking>           ends a line
//! ```
//!
//! A block that never ends, or one within another, makes the whole text unreadable, and it stays.

use crate::text::{normalise, Cursor, Edit};

const OPEN: &str = "<thinking>";
const CLOSE: &str = "</thinking>";

/// What to cut to have a text without its blocks: whole lines with their newline, in bytes.
pub(super) fn thinking_blocks(text: &str) -> Vec<Edit> {
    if !text.contains(OPEN) {
        return Vec::new();
    }
    let mut found = Vec::new();
    let mut open: Option<usize> = None;
    let mut in_fence = false;
    let mut cursor = Cursor::new(text);
    while let Some(line) = cursor.take() {
        let trimmed = line.text.trim();
        if open.is_none() && trimmed.starts_with("```") {
            in_fence = !in_fence;
        }
        if in_fence {
            continue;
        }
        if let Some(rest) = trimmed.strip_prefix(OPEN) {
            if open.is_some() || rest.contains(OPEN) {
                return Vec::new();
            }
            open = Some(line.start);
        }
        let (Some(start), Some(before)) = (open, trimmed.strip_suffix(CLOSE)) else { continue };
        if before.contains(CLOSE) {
            return Vec::new();
        }
        found.push(Edit::remove(start..(line.end() + 1).min(text.len())));
        open = None;
    }
    match open {
        Some(_) => Vec::new(),
        None => normalise(found),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::apply;

    fn without(text: &str) -> String {
        apply(text, &thinking_blocks(text))
    }

    #[test]
    fn whole_blocks_go_and_all_else_stays() {
        for (text, left) in [
            ("<thinking>\nLet me see.\n</thinking>\nIt is 4.", "It is 4."),
            ("A\n<thinking>x</thinking>\nB\n  <thinking>\ny\n\nz</thinking>\nC", "A\nB\nC"),
            ("It is 4.\n<thinking>done</thinking>", "It is 4.\n"),
            ("<thinking>x</thinking>", ""),
            ("<thinking>é🦀</thinking>\nü", "ü"),
        ] {
            assert_eq!(without(text), left);
        }
    }

    #[test]
    fn what_is_no_block_of_its_own_lines_stays() {
        for text in [
            "Say <thinking>x</thinking> inline.",
            "```\n<thinking>\nx\n</thinking>\n```",
            "<thinking>\nnever ends",
            "<thinking>\n<thinking>\nx\n</thinking>\n</thinking>",
            "<thinking>x</thinking> and more on the line",
            "</thinking>",
            "",
        ] {
            assert_eq!(without(text), text);
        }
    }
}
