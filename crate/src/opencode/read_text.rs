//! A text of the request, read once and kept as long as requests have it.

use std::ops::Range;
use std::rc::Rc;

use arcstr::{ArcStr, Substr};

use super::sections::{read, Reading};
use crate::hash::fingerprint_of;

/// A text of the request together with what was read in it.
#[derive(Debug)]
pub struct ReadText {
    /// As the request has it.
    pub text: ArcStr,
    /// Its sections, as byte ranges of the text.
    pub reading: Reading,
    /// Equal for equal texts.
    pub fingerprint: u64,
    /// Equal for texts whose sections are equal, whatever stands around them.
    pub sections_fingerprint: u64,
    /// The length in Unicode code points.
    pub chars: i64,
}

impl ReadText {
    /// Reads all sections of a text.
    pub fn new(text: impl Into<ArcStr>) -> Rc<ReadText> {
        let text = text.into();
        let reading = read(&text);
        let pieces: Vec<&str> = reading.spans.iter().filter_map(|span| text.get(span.clone())).collect();
        let sections_fingerprint = fingerprint_of(&pieces);
        let around = around(&text, &reading.spans);
        let fingerprint = fingerprint_of(&(&reading.spans, sections_fingerprint, around));
        let chars = text.chars().count() as i64;
        Rc::new(ReadText { text, reading, fingerprint, sections_fingerprint, chars })
    }

    /// The text in a range without blanks at its ends; `None` if nothing is left.
    pub(crate) fn slice(&self, range: &Option<Range<usize>>) -> Option<Substr> {
        let slice = self.text.get(range.clone()?)?.trim();
        (!slice.is_empty()).then(|| self.text.substr_from(slice))
    }

    /// The length of a range in code points.
    pub(crate) fn chars_of(&self, range: &Range<usize>) -> usize {
        self.text.get(range.clone()).map_or(0, |slice| slice.chars().count())
    }
}

/// What stands around the spans of a text.
fn around<'a>(text: &'a str, spans: &[Range<usize>]) -> Vec<&'a str> {
    let starts = [0].into_iter().chain(spans.iter().map(|span| span.end));
    let ends = spans.iter().map(|span| span.start).chain([text.len()]);
    starts.zip(ends).filter_map(|(start, end)| text.get(start..end)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: &str = "<available_skills>
  <skill>
    <id>forms</id>
    <description>Fill forms.</description>
  </skill>
</available_skills>";

    #[test]
    fn a_text_is_known_by_all_of_it_and_its_lists_by_themselves() {
        let of = |text: String| ReadText::new(text);
        let (one, other) = (of(format!("Be brief.\n\n{LIST}")), of(format!("Be long.\n\n{LIST}")));
        assert_eq!(one.sections_fingerprint, other.sections_fingerprint);
        assert_ne!(one.fingerprint, other.fingerprint);
        let changed = of(format!("Be brief.\n\n{}", LIST.replace("Fill forms.", "Fill them.")));
        assert_ne!(one.sections_fingerprint, changed.sections_fingerprint);
        assert_ne!(one.fingerprint, changed.fingerprint);
        assert_eq!(one.fingerprint, of(one.text.to_string()).fingerprint);
    }
}
