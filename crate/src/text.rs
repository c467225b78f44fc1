//! Walking a text line by line, and editing it by ranges.
//!
//! Ranges are bytes of the original text, so that what is not edited is never rendered again. What the lines mean is
//! said by the formats in [`crate::opencode`].

use std::ops::Range;

/// One line of a text, without its newline.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line<'a> {
    pub(crate) text: &'a str,
    /// The byte where it begins in the whole text.
    pub(crate) start: usize,
}

impl Line<'_> {
    /// The byte behind it, where its newline stands.
    pub(crate) fn end(&self) -> usize {
        self.start + self.text.len()
    }

    pub(crate) fn is_blank(&self) -> bool {
        self.text.is_empty()
    }
}

/// A place in a text that moves forward by whole lines.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cursor<'a> {
    source: &'a str,
    line: Option<Line<'a>>,
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(source: &'a str) -> Self {
        Cursor { source, line: line_at(source, 0) }
    }

    /// The whole text.
    pub(crate) fn source(&self) -> &'a str {
        self.source
    }

    /// The line the cursor stands on; `None` behind the last one.
    pub(crate) fn line(&self) -> Option<Line<'a>> {
        self.line
    }

    /// Steps to the next line.
    pub(crate) fn advance(&mut self) {
        self.line = self.line.and_then(|line| match self.source.as_bytes().get(line.end()) {
            Some(_) => line_at(self.source, line.end() + 1),
            None => None,
        });
    }

    /// The current line, having stepped past it.
    pub(crate) fn take(&mut self) -> Option<Line<'a>> {
        let line = self.line;
        self.advance();
        line
    }

    /// Steps past the current line if it is exactly `text`.
    pub(crate) fn take_exact(&mut self, text: &str) -> Option<Line<'a>> {
        let line = self.line.filter(|line| line.text == text)?;
        self.advance();
        Some(line)
    }
}

fn line_at(source: &str, start: usize) -> Option<Line<'_>> {
    let rest = source.get(start..)?;
    let end = rest.find('\n').unwrap_or(rest.len());
    Some(Line { text: rest.get(..end)?, start })
}

/// A change of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// What is replaced: bytes, or UTF-16 code units behind [`to_utf16`].
    pub range: Range<usize>,
    /// What stands there afterwards; empty when the range is only removed.
    pub replacement: String,
}

impl Edit {
    /// Leaves nothing in the range.
    pub(crate) fn remove(range: Range<usize>) -> Self {
        Edit { range, replacement: String::new() }
    }

    /// Puts a text in the place of the range.
    pub(crate) fn replace(range: Range<usize>, replacement: impl Into<String>) -> Self {
        Edit { range, replacement: replacement.into() }
    }
}

/// Brings edits into text order, joins removals that touch or overlap, and lets no two edits overlap.
pub(crate) fn normalise(mut edits: Vec<Edit>) -> Vec<Edit> {
    edits.sort_by_key(|edit| (edit.range.start, edit.range.end));
    let mut joined: Vec<Edit> = Vec::with_capacity(edits.len());
    for mut edit in edits {
        if let Some(last) = joined.last_mut().filter(|last| last.range.end >= edit.range.start) {
            if last.replacement.is_empty() && edit.replacement.is_empty() {
                last.range.end = last.range.end.max(edit.range.end);
                continue;
            }
            // Sections that stand side by side may both take the newlines between them.
            edit.range.start = last.range.end;
            edit.range.end = edit.range.end.max(edit.range.start);
        }
        joined.push(edit);
    }
    joined
}

/// The text with all edits made; they must be normalised and lie inside the text.
pub fn apply(text: &str, edits: &[Edit]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for edit in edits {
        out.push_str(text.get(at..edit.range.start).unwrap_or_default());
        out.push_str(&edit.replacement);
        at = edit.range.end;
    }
    out.push_str(text.get(at..).unwrap_or_default());
    out
}

/// The same edits with ranges in UTF-16 code units, as JavaScript counts.
pub fn to_utf16(text: &str, edits: &[Edit]) -> Vec<Edit> {
    let (mut bytes, mut units) = (0, 0);
    let mut units_at = |offset: usize| {
        units += text.get(bytes..offset).map_or(0, utf16_units);
        bytes = offset;
        units
    };
    edits
        .iter()
        .map(|edit| Edit {
            range: units_at(edit.range.start)..units_at(edit.range.end),
            replacement: edit.replacement.clone(),
        })
        .collect()
}

/// The length in UTF-16 code units: a character is one unit, one of four bytes is two.
pub(crate) fn utf16_units(text: &str) -> usize {
    text.chars().count() + four_byte_characters(text)
}

/// Looks at eight bytes at once: the first byte of four has its upper four bits set.
fn four_byte_characters(text: &str) -> usize {
    let (words, rest) = text.as_bytes().as_chunks::<8>();
    let in_words = words.iter().map(|bytes| {
        let word = u64::from_le_bytes(*bytes);
        (word & (word << 1) & (word << 2) & (word << 3) & 0x8080_8080_8080_8080).count_ones() as usize
    });
    in_words.sum::<usize>() + rest.iter().filter(|byte| **byte >= 0xf0).count()
}

/// One item of a list whose items are joined by a separator.
#[derive(Clone, Debug)]
pub(crate) struct Item {
    /// The item without separators.
    pub(crate) range: Range<usize>,
    pub(crate) kept: bool,
}

/// Removes the items that are not kept.
///
/// A removed item takes the separator before it along; one with no kept item before it takes the separator
/// behind it. So none is left over and none goes missing.
pub(crate) fn remove_items(items: &[Item], separator: &str) -> Vec<Edit> {
    let mut kept_before = false;
    let mut edits = Vec::new();
    for (index, item) in items.iter().enumerate() {
        if item.kept {
            kept_before = true;
            continue;
        }
        let is_last = index + 1 == items.len();
        let range = match (kept_before, is_last) {
            (true, _) => item.range.start - separator.len()..item.range.end,
            (false, false) => item.range.start..item.range.end + separator.len(),
            (false, true) => item.range.clone(),
        };
        edits.push(Edit::remove(range));
    }
    edits
}

/// A section's range with the newlines on one of its two sides, for a section that goes as a whole.
///
/// Sections are joined by two newlines in OpenCode 2 and by one in 1.18, a list to the sentence before it by
/// one, and a section before may end with newlines of its own (`host-observed.md`). So the shorter side is the
/// separator.
pub(crate) fn with_one_separator(text: &str, section: &Range<usize>) -> Range<usize> {
    let before = text.get(..section.start).unwrap_or_default();
    let behind = text.get(section.end..).unwrap_or_default();
    let newlines_before = (before.len() - before.trim_end_matches('\n').len()).min(2);
    let newlines_behind = (behind.len() - behind.trim_start_matches('\n').len()).min(2);
    match (before.is_empty(), behind.is_empty()) {
        (true, _) => section.start..section.end + newlines_behind,
        (false, true) => section.start - newlines_before..section.end,
        (false, false) => section.start - newlines_before.min(newlines_behind)..section.end,
    }
}

/// The first line of a text, cut to 120 code points for a report.
pub(crate) fn first_line(text: &str) -> String {
    cut(text.lines().next().unwrap_or_default(), 120).to_string()
}

/// At most `limit` code points from the start of a text.
pub(crate) fn cut(text: &str, limit: usize) -> &str {
    // No text has more code points than bytes.
    if text.len() <= limit {
        return text;
    }
    match text.char_indices().nth(limit) {
        Some((end, _)) => text.get(..end).unwrap_or(text),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_walked_with_their_offsets() {
        let mut cursor = Cursor::new("a\n\nbc");
        let mut seen = Vec::new();
        while let Some(line) = cursor.take() {
            seen.push((line.start, line.text));
        }
        assert_eq!(seen, [(0, "a"), (2, ""), (3, "bc")]);
    }

    #[test]
    fn a_final_newline_opens_one_empty_line() {
        let mut cursor = Cursor::new("a\n");
        cursor.advance();
        assert_eq!(cursor.line().map(|line| (line.start, line.text)), Some((2, "")));
        cursor.advance();
        assert!(cursor.line().is_none());
    }

    #[test]
    fn touching_removals_become_one() {
        let edits = normalise(vec![Edit::remove(3..5), Edit::remove(0..3), Edit::replace(5..6, "x")]);
        assert_eq!(edits, [Edit::remove(0..5), Edit::replace(5..6, "x")]);
    }

    #[test]
    fn edits_that_overlap_are_set_side_by_side() {
        let edits = normalise(vec![Edit::remove(0..5), Edit::replace(4..9, "x"), Edit::replace(9..9, "y")]);
        assert_eq!(edits, [Edit::remove(0..5), Edit::replace(5..9, "x"), Edit::replace(9..9, "y")]);
    }

    #[test]
    fn removed_items_leave_no_blank_line() {
        let text = "one\ntwo\nthree";
        let ranges = [0..3, 4..7, 8..13];
        for (kept, expected) in [
            ([true, false, true], "one\nthree"),
            ([false, true, true], "two\nthree"),
            ([true, true, false], "one\ntwo"),
            ([false, false, true], "three"),
            ([false, true, false], "two"),
            ([true, false, false], "one"),
            ([false, false, false], ""),
            ([true, true, true], text),
        ] {
            let items: Vec<Item> =
                ranges.iter().zip(kept).map(|(range, kept)| Item { range: range.clone(), kept }).collect();
            assert_eq!(apply(text, &normalise(remove_items(&items, "\n"))), expected, "{kept:?}");
        }
    }

    #[test]
    fn utf16_ranges_count_a_surrogate_pair_as_two() {
        // "é" is 2 bytes and 1 unit, "😀" is 4 bytes and 2 units.
        let edits = to_utf16("é😀x", &[Edit::remove(2..6), Edit::remove(6..7)]);
        assert_eq!(edits, [Edit::remove(1..3), Edit::remove(3..4)]);
    }

    #[test]
    fn characters_of_four_bytes_are_counted_wherever_they_stand() {
        for before in 0..20 {
            let text = format!("{}😀é中😀{}", "x".repeat(before), "ÿ".repeat(9));
            assert_eq!(utf16_units(&text), text.encode_utf16().count(), "{text}");
        }
    }

    #[test]
    fn a_cut_counts_code_points() {
        assert_eq!(cut("é😀x", 2), "é😀");
        assert_eq!(cut("é😀x", 9), "é😀x");
    }
}
