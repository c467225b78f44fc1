//! What is read of a text, and that reading survives any text.

use std::collections::HashMap;

use arcstr::Substr;
use proptest::collection::vec;
use proptest::prelude::*;

use crate::cases;
use crate::document::{documents, prose, Document, Piece};
use crate::pipeline::{check_well_formed, choices, collect, named, read_all, rewrite};

proptest! {
    #![proptest_config(cases(96))]

    #[test]
    fn what_opencode_wrote_is_read_whole(document in documents()) {
        let read = read_all(&[document.write()]);
        prop_assert_eq!(named(&read[0]), document.named());
    }

    #[test]
    fn a_candidate_has_the_text_that_was_written_for_it(document in documents()) {
        let candidates = collect(&read_all(&[document.write()]));
        let text_of = |text: &Option<Substr>| text.as_ref().map(ToString::to_string);
        let skills = candidates.skills.iter();
        let found: HashMap<_, _> =
            skills.map(|skill| (skill.id.to_string(), text_of(&skill.description))).collect();
        prop_assert_eq!(found, skill_descriptions(&document));
        let mut found = HashMap::new();
        for server in &candidates.servers {
            let tools = server.tools.iter().map(|tool| (tool.name.to_string(), text_of(&tool.description)));
            found.extend(tools.map(|(tool, text)| ((server.namespace.to_string(), tool), text)));
        }
        prop_assert_eq!(found, tool_descriptions(&document));
    }

    #[test]
    fn a_text_without_sections_gives_no_edit(texts in vec(prose(), 1..3), choices in choices()) {
        let rewritten = rewrite(&texts, &choices);
        prop_assert!(rewritten.plan.is_empty());
        prop_assert_eq!(rewritten.outputs(), texts);
    }

    #[test]
    fn parsing_never_panics_on_arbitrary_text(text in any::<String>(), choices in choices()) {
        let rewritten = rewrite(&[text], &choices);
        for (text, edits, _) in rewritten.each() {
            check_well_formed(text, edits)?;
        }
    }
}

fn skill_descriptions(document: &Document) -> HashMap<String, Option<String>> {
    let lists = document.pieces.iter().filter_map(|piece| match piece {
        Piece::Skills(list) => Some(list),
        _ => None,
    });
    let joined = |lines: &Vec<String>| {
        let text = lines.join("\n").trim().to_string();
        (!text.is_empty()).then_some(text)
    };
    lists
        .flat_map(|list| &list.skills)
        .map(|skill| (skill.id.clone(), skill.description.as_ref().and_then(joined)))
        .collect()
}

/// The description of each tool; where two catalogs list it, the last one counts.
fn tool_descriptions(document: &Document) -> HashMap<(String, String), Option<String>> {
    let mut descriptions: HashMap<(String, String), Option<String>> = HashMap::new();
    for namespace in document.catalogs().flat_map(|catalog| &catalog.namespaces) {
        for tool in &namespace.tools {
            let place = descriptions.entry((namespace.name.clone(), tool.name(&namespace.name))).or_default();
            *place = tool.description.clone();
        }
    }
    descriptions
}
