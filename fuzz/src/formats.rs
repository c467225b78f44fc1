//! OpenCode's text formats: an input is one text.

use std::collections::HashSet;
use std::ops::Range;
use std::rc::Rc;

use opencode_jev_pruner::opencode::catalog::changes::Statement;
use opencode_jev_pruner::opencode::catalog::Entry;
use opencode_jev_pruner::opencode::ReadText;
use opencode_jev_pruner::opencode::Section;
use opencode_jev_pruner::plan::{superseded, Extras};

use crate::rewriting::{collect, Rewriting, Verdicts};
use crate::text_of;

/// The catalog: entries lie in their list, and a list agrees with its label.
pub fn catalog(input: &[u8]) {
    let text = checked(input);
    for (section, span) in sections(&text) {
        let Section::Catalog(catalog) = section else { continue };
        let mut at = span.start;
        let mut names = HashSet::new();
        for namespace in &catalog.namespaces {
            assert!(names.insert(&namespace.name), "a namespace stands in its list once");
            assert!(namespace.entries.len() <= namespace.total, "no more tools are listed than there are");
            assert!(inside(&namespace.label, &namespace.header), "a label stands in its header");
            at = next(at, &namespace.header, span);
            at = check_entries(&text, &namespace.entries, at, span);
            assert!(namespace.entries.iter().all(|entry| entry.namespace == namespace.name));
        }
    }
}

/// What a message says of the catalog: entries lie in their paragraph.
pub fn catalog_changes(input: &[u8]) {
    let text = checked(input);
    for (section, span) in sections(&text) {
        let Section::CatalogChange(change) = section else { continue };
        let mut at = span.start;
        for statement in change.statements() {
            let Statement::ToolsListed { sentence, entries } = statement else { continue };
            at = next(at, sentence, span);
            at = check_entries(&text, entries, at, span);
        }
    }
}

/// Instructions of servers: each stands in one element, which is told from its neighbours.
pub fn instructions(input: &[u8]) {
    let text = checked(input);
    for (section, span) in sections(&text) {
        let mut at = span.start;
        for server in section.servers() {
            at = next(at, &server.range, span);
            assert!(inside(&server.text, &server.range), "what a server says stands in its element");
            let opening = slice(&text, &server.range).trim_start();
            assert!(opening.starts_with("<server name=\""), "{opening:?} opens no element");
            assert!(
                opening["<server name=\"".len()..].starts_with(server.name.as_str()),
                "a name is the raw one"
            );
        }
    }
}

/// Skills: each stands in one element, which is told from its neighbours.
pub fn skills(input: &[u8]) {
    let text = checked(input);
    for (section, span) in sections(&text) {
        let mut at = span.start;
        for skill in section.skills() {
            at = next(at, &skill.range, span);
            let element = slice(&text, &skill.range);
            assert!(element.starts_with("  <skill>"), "{element:?} opens no element");
            assert!(element.trim_end().ends_with("</skill>"), "{element:?} is not closed");
            assert!(
                element.contains(skill.id.as_str()) && element.contains(skill.name.as_str()),
                "names are the raw ones"
            );
            let description = skill.description.as_ref();
            assert!(
                description.is_none_or(|one| inside(one, &skill.range)),
                "a description stands in its element"
            );
        }
    }
}

/// Reads a text and checks what holds of all of them: where its sections stand, and all that may become of it.
fn checked(input: &[u8]) -> Rc<ReadText> {
    let text = ReadText::new(text_of(input));
    let reading = &text.reading;
    assert_eq!(reading.sections.len(), reading.spans.len(), "each section stands somewhere");
    let mut at = 0;
    for span in &reading.spans {
        at = next(at, span, &(0..text.text.len()));
        assert!(span.start == 0 || text.text.as_bytes()[span.start - 1] == b'\n', "a section begins a line");
    }
    for verdicts in [vec![true], vec![false], vec![true, false], vec![true, true, true, false]] {
        for hint in [true, false] {
            rewrite(&text, &Verdicts(verdicts.clone()), hint);
        }
    }
    text
}

fn rewrite(text: &Rc<ReadText>, verdicts: &Verdicts, hint: bool) {
    let texts = [text.clone()];
    let candidates = collect(&texts);
    let decision = verdicts.decide(&candidates);
    let cut = if hint { superseded(&texts) } else { Default::default() };
    let extras = Extras { hint, cut, ..Extras::default() };
    Rewriting { texts: &texts, places: &[], candidates: &candidates, decision: &decision, extras }.check();
}

fn sections(text: &ReadText) -> impl Iterator<Item = (&Section, &Range<usize>)> {
    text.reading.sections.iter().zip(&text.reading.spans)
}

fn check_entries(text: &ReadText, entries: &[Entry], from: usize, span: &Range<usize>) -> usize {
    let mut at = from;
    for entry in entries {
        at = next(at, &entry.range, span);
        let line = slice(text, &entry.range);
        assert!(line.starts_with("  - tools.") || line.starts_with("  - tools["), "{line:?} begins no entry");
        let description = entry.description.as_ref();
        assert!(description.is_none_or(|one| inside(one, &entry.range)), "a description stands in its entry");
    }
    at
}

/// The end of a range that must stand behind `at` and inside of `outer`.
fn next(at: usize, range: &Range<usize>, outer: &Range<usize>) -> usize {
    assert!(at <= range.start && inside(range, outer), "{range:?} is not behind {at} in {outer:?}");
    range.end
}

fn inside(inner: &Range<usize>, outer: &Range<usize>) -> bool {
    // The newline that ends an element may be counted to it.
    outer.start <= inner.start && inner.start <= inner.end && inner.end <= outer.end + 1
}

fn slice<'a>(text: &'a ReadText, range: &Range<usize>) -> &'a str {
    text.text.get(range.clone()).expect("a range cuts no character")
}
