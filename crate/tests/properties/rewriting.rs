//! What a decision does to the texts of a request, and what it leaves alone.

use opencode_jev_pruner::text::{apply, to_utf16, Edit};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::cases;
use crate::document::{documents, label, restatements, Document, Form, SEARCH_HINT, SKILL_HINT};
use crate::pipeline::{check_well_formed, choices, named, read_all, rewrite, Choices};

fn written(documents: &[Document]) -> Vec<String> {
    documents.iter().map(Document::write).collect()
}

/// The text before the edits, from the text after them and the pieces that they took out.
pub fn put_back(output: &str, edits: &[Edit], removed: &[&str]) -> String {
    let (mut input, mut rest) = (String::new(), output);
    for (edit, removed) in edits.iter().zip(removed) {
        let (kept, behind) = rest.split_at(edit.range.start - input.len());
        input.push_str(kept);
        input.push_str(removed);
        rest = &behind[edit.replacement.len()..];
    }
    input + rest
}

/// A text as JavaScript would edit it.
pub fn apply_in_utf16(text: &str, edits: &[Edit]) -> Vec<u16> {
    let units: Vec<u16> = text.encode_utf16().collect();
    let (mut out, mut at) = (Vec::new(), 0);
    for edit in to_utf16(text, edits) {
        out.extend_from_slice(&units[at..edit.range.start]);
        out.extend(edit.replacement.encode_utf16());
        at = edit.range.end;
    }
    out.extend_from_slice(&units[at..]);
    out
}

/// A line with the words that may be replaced left out.
fn without_labels(line: &str) -> String {
    let tells_status = ["The catalog is ", "The Code Mode tool catalog below is "];
    if tells_status.iter().any(|beginning| line.starts_with(beginning)) {
        return "<status>".into();
    }
    if line.starts_with("## Available tools (") {
        return "<heading>".into();
    }
    match line.split_once(" (").and_then(|(name, rest)| Some((name, rest.split_once(')')?))) {
        Some((name, (_, rest))) if name.starts_with("- ") && !name[2..].contains(' ') => {
            format!("{name} (<label>){rest}")
        }
        _ => line.to_string(),
    }
}

proptest! {
    #![proptest_config(cases(96))]

    #[test]
    fn kept_plus_removed_is_the_input(documents in vec(documents(), 1..3), choices in choices()) {
        let rewritten = rewrite(&written(&documents), &choices);
        for (text, edits, output) in rewritten.each() {
            check_well_formed(text, edits)?;
            let removed: Vec<&str> = edits.iter().map(|edit| &text[edit.range.clone()]).collect();
            prop_assert_eq!(put_back(&output, edits, &removed), text);
        }
    }

    #[test]
    fn no_decision_no_change(documents in vec(documents(), 1..3)) {
        let texts = written(&documents);
        let rewritten = rewrite(&texts, &Choices::all(true));
        prop_assert!(rewritten.plan.is_empty());
        prop_assert_eq!(rewritten.outputs(), texts);
    }

    #[test]
    fn a_text_that_names_nothing_rejected_gets_no_edit(
        documents in vec(documents(), 2..4),
        choices in choices(),
    ) {
        let rewritten = rewrite(&written(&documents), &choices);
        for (document, edits) in documents.iter().zip(&rewritten.plan.texts) {
            let loses_nothing = document.named().only(&rewritten.kept) == document.named();
            prop_assert_eq!(edits.is_empty(), loses_nothing);
        }
    }

    #[test]
    fn same_decision_same_bytes(documents in vec(documents(), 1..4), choices in choices()) {
        let texts = written(&documents);
        let first = rewrite(&texts, &choices);
        prop_assert_eq!(rewrite(&texts, &choices).outputs(), first.outputs());
        // Nor does it matter which other texts a text stands among.
        for (text, output) in texts.iter().zip(first.outputs()) {
            prop_assert_eq!(first.same_decision_on(std::slice::from_ref(text)), [output]);
        }
    }

    #[test]
    fn rewriting_twice_equals_rewriting_once(documents in vec(documents(), 1..3), choices in choices()) {
        let once = rewrite(&written(&documents), &choices);
        prop_assert_eq!(once.same_decision_on(&once.outputs()), once.outputs());
    }

    #[test]
    fn what_stays_is_byte_identical_and_in_order(document in documents(), choices in choices()) {
        let rewritten = rewrite(&[document.write()], &choices);
        for (text, _, output) in rewritten.each() {
            let mut left = text.split('\n');
            // A hint that stands alone brings a blank line along.
            let output = output.replace(&format!("{}\n\n", SEARCH_HINT.trim_start()), "");
            for line in output.split('\n').filter(|line| !output.is_empty() && !line.starts_with(SKILL_HINT)) {
                let stood_there = left.any(|before| {
                    before == line || without_labels(before) == without_labels(line)
                });
                prop_assert!(stood_there, "{line:?} is new or has moved");
            }
        }
    }

    #[test]
    fn what_is_left_is_what_opencode_would_have_written_without_the_rest(
        document in documents(),
        choices in choices(),
    ) {
        let rewritten = rewrite(&[document.write()], &choices);
        prop_assert_eq!(&rewritten.outputs()[0], &document.only(&rewritten.kept).write());
    }

    #[test]
    fn a_rejected_thing_is_gone_and_a_kept_one_stands(
        documents in vec(documents(), 1..3),
        choices in choices(),
    ) {
        let rewritten = rewrite(&written(&documents), &choices);
        for (document, after) in documents.iter().zip(read_all(&rewritten.outputs())) {
            prop_assert_eq!(named(&after), document.named().only(&rewritten.kept));
        }
    }

    #[test]
    fn counts_stay_true(document in documents(), choices in choices()) {
        let rewritten = rewrite(&[document.write()], &choices);
        let output = &rewritten.outputs()[0];
        let lines: Vec<&str> = output.lines().collect();
        for catalog in document.catalogs() {
            let left = catalog.only(&rewritten.kept);
            for namespace in &left.namespaces {
                let label = label(namespace.total, namespace.tools.len());
                let counted = format!("- {} ({label})", namespace.name);
                prop_assert!(lines.iter().any(|line| line.starts_with(&counted)), "{counted}");
            }
            let lost_something = left.named() != catalog.named();
            if catalog.form == Form::V1c && (lost_something || !catalog.is_complete) {
                let counted = format!(
                    "## Available tools (PARTIAL - {} of {} shown",
                    left.shown(),
                    catalog.total
                );
                prop_assert!(lines.iter().any(|line| line.starts_with(&counted)), "{counted}");
            }
        }
    }

    #[test]
    fn of_several_restatements_of_a_list_only_the_last_stays(
        baseline in documents(),
        restated in vec(restatements(), 0..6),
    ) {
        let texts = [vec![baseline.write()], restated].concat();
        let outputs = rewrite(&texts, &Choices::only_cuts()).outputs();
        prop_assert_eq!(&outputs[0], &texts[0]);
        for (at, text) in texts.iter().enumerate().skip(1) {
            let sentence = text.lines().next();
            let is_superseded = texts.iter().skip(at + 1).any(|later| later.lines().next() == sentence);
            let expected = if is_superseded { "" } else { text.as_str() };
            prop_assert_eq!(outputs[at].as_str(), expected);
        }
    }

    #[test]
    fn utf16_edits_give_the_same_text(documents in vec(documents(), 1..3), choices in choices()) {
        let rewritten = rewrite(&written(&documents), &choices);
        for (text, edits, output) in rewritten.each() {
            prop_assert_eq!(String::from_utf16(&apply_in_utf16(text, edits)).ok(), Some(output));
        }
    }

    #[test]
    fn the_characters_saved_are_the_difference(documents in vec(documents(), 1..3), choices in choices()) {
        let rewritten = rewrite(&written(&documents), &choices);
        for (at, (text, edits, _)) in rewritten.each().enumerate() {
            let after = apply(text, edits).chars().count() as i64;
            prop_assert_eq!(rewritten.plan.chars_saved_in(at, text), text.chars().count() as i64 - after);
        }
    }
}
