//! Searching, whatever the documents, the query and the pattern are: it ends, it breaks nothing, and its answer is
//! JSON.

use opencode_jev_pruner::discovery::answer::Searched;
use opencode_jev_pruner::discovery::documents::{push_document, Documents};
use opencode_jev_pruner::discovery::name_lookup::{look_up, Lookup};
use opencode_jev_pruner::discovery::schema::for_each_text;
use opencode_jev_pruner::discovery::stem::stem;
use opencode_jev_pruner::discovery::{calls, words};
use opencode_jev_pruner::options::patterns::regex;
use opencode_jev_pruner::options::Options;
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{json, Value};

/// Any text, and some that mean something here.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>(),
        "[a-zA-Z_\\-. ]{0,30}",
        "[\\p{Han}\\p{Hiragana}\\p{Thai}a-c ]{0,20}",
        "[\\[\\](){}*+?|^$\\\\.a-c0-9,-]{0,30}",
        Just("re:".to_string()),
        Just("__list__".to_string()),
    ]
}

fn documents() -> impl Strategy<Value = Documents> {
    vec((text(), text(), text(), text()), 0..20).prop_map(|all| {
        let mut joined = String::new();
        for (id, name, namespace, description) in &all {
            let schema = json!({ "properties": { name: { "description": description } } }).to_string();
            push_document(&mut joined, [id, name, namespace, description, "", &schema]);
        }
        Documents::new(joined, &Options::default().discovery.tools, &|_, _| true)
    })
}

proptest! {
    #![proptest_config(crate::cases(128))]

    #[test]
    fn every_answer_is_json(documents in documents(), query in text(), is_pattern in any::<bool>(), limit in any::<i32>()) {
        let mode = if is_pattern { "regex" } else { "words" };
        let input = json!({ "query": query, "limit": limit, "mode": mode });
        let found = calls::search(&documents, Searched::Tools, &input.to_string(), &Options::default());
        prop_assert!(serde_json::from_str::<Value>(&found.text).is_ok(), "{}", found.text);
        prop_assert!(found.shown.len() <= 20);
        let loaded = calls::load(&documents, &json!({ "name": query }).to_string());
        prop_assert!(serde_json::from_str::<Value>(&loaded.text).is_ok(), "{}", loaded.text);
    }

    #[test]
    fn a_thing_is_found_by_its_own_id(documents in documents()) {
        for (_, document) in documents.iter().filter(|(_, document)| document.id.trim() == document.id) {
            let first = documents.iter().find(|(_, other)| other.id == document.id).map(|(at, _)| at);
            prop_assert_eq!(Some(look_up(&documents, document.id)), first.map(Lookup::One));
        }
    }

    #[test]
    fn any_text_is_split_into_words_and_any_schema_read(text in text()) {
        words::for_each(&text, &mut |word| assert!(!word.is_empty() && !stem(word).is_empty()));
        for_each_text(&text, &mut |_, _| {});
    }

    #[test]
    fn any_pattern_is_compiled_or_refused_and_walks_any_text(pattern in text(), text in text()) {
        if let Ok(pattern) = regex(&pattern) {
            pattern.is_match(&text);
        }
    }
}
