//! What the model is shown that it can prune, and what becomes of what it prunes.

use serde_json::json;

use super::super::edits::Change;
use super::super::session::{Outcome, Request, Session, Sessions};
use super::super::testing::*;
use super::*;

struct Play {
    sessions: Sessions,
    rules: Rules,
}

impl Play {
    fn new() -> Play {
        let own = json!({ "discard": true, "extract": true, "nudge_frequency": 2 });
        Play { sessions: Sessions::default(), rules: rules(json!({ "tools": own })) }
    }

    fn request(&mut self, messages: &[Message]) -> Outcome {
        self.sessions.plan(&Request {
            session: "s",
            view: View::new(messages, ""),
            rules: &self.rules,
            beginning: 0,
            is_internal: false,
            system_chars: 0,
            catalog_chars: 0,
        })
    }

    /// The list that this request shows, and the message behind which it stands.
    fn list(&mut self, messages: &[Message]) -> Option<(usize, String)> {
        self.request(messages).list.map(|list| (list.behind, list.text))
    }

    fn prune(&mut self, ids: &[&str], summaries: &[&str]) -> String {
        let owned = |texts: &[&str]| texts.iter().map(|text| text.to_string()).collect::<Vec<_>>();
        self.session().prune_by_ids(&owned(ids), &owned(summaries))
    }

    fn session(&mut self) -> &mut Session {
        self.sessions.get_mut("s").unwrap()
    }
}

/// One turn with this many reads.
fn reads(count: usize) -> Vec<Message> {
    let mut messages = vec![prompt("p")];
    for at in 1..=count {
        let id = at.to_string();
        messages.push(assistant(&id, vec![call_with(&id, "read", json!({ "path": format!("{id}.ts") }))]));
        messages.push(message(&format!("t{id}"), Role::Tool, vec![output(&id, 400)]));
    }
    messages
}

fn outputs(outcome: &Outcome) -> Vec<(usize, String)> {
    let text = |change: &Change| match change {
        Change::Output(text) => text.clone(),
        other => format!("{other:?}"),
    };
    outcome.edits.iter().map(|edit| (edit.place.message, text(&edit.change))).collect()
}

#[test]
fn the_list_is_shown_when_enough_outputs_have_come_and_then_stays_where_it_was() {
    let mut play = Play::new();
    assert_eq!(play.list(&reads(1)), None);
    let shown = play.list(&reads(2));
    let list = "<prunable-outputs>\nTool outputs that can be taken out of this conversation, by id:\n\
                1: read 1.ts (100 tokens)\n2: read 2.ts (100 tokens)\n</prunable-outputs>";
    assert_eq!(shown, Some((4, list.to_string())));
    assert_eq!(play.list(&reads(3)), shown);
    let (at, text) = play.list(&reads(4)).unwrap();
    assert!(at == 8 && text.contains("4: read 4.ts"));
}

#[test]
fn the_list_is_shown_anew_when_something_was_pruned() {
    let mut play = Play::new();
    play.request(&reads(2));
    play.prune(&["1"], &[]);
    let (at, text) = play.list(&reads(3)).unwrap();
    assert_eq!(at, 6);
    assert!(!text.contains("1: read") && text.contains("2: read 2.ts") && text.contains("3: read 3.ts"));
}

#[test]
fn without_the_tools_no_list_is_shown() {
    let mut play = Play::new();
    play.rules = rules(json!({}));
    assert_eq!(play.list(&reads(9)), None);
}

#[test]
fn a_discarded_output_is_gone_from_the_next_request_on() {
    let mut play = Play::new();
    play.request(&reads(3));
    assert_eq!(play.prune(&["1", "3", "1"], &[]), "Taken out: 2 output(s), about 200 tokens.");
    let gone = "[Output discarded as no longer needed]".to_string();
    for _ in 0..2 {
        assert_eq!(outputs(&play.request(&reads(3))), [(2, gone.clone()), (6, gone.clone())]);
    }
}

#[test]
fn an_extracted_output_becomes_the_summary_of_the_model() {
    let mut play = Play::new();
    play.request(&reads(3));
    play.prune(&["1", "2"], &["Both export one function."]);
    let head = "[Output replaced by its summary]\n";
    assert_eq!(
        outputs(&play.request(&reads(3))),
        [(2, format!("{head}Both export one function.")), (4, format!("{head}It stands with output 1."))]
    );
}

#[test]
fn each_output_may_have_a_summary_of_its_own() {
    let mut play = Play::new();
    play.request(&reads(2));
    play.prune(&["1", "2"], &["one", "two"]);
    let found = outputs(&play.request(&reads(2)));
    assert!(found[0].1.ends_with("\none") && found[1].1.ends_with("\ntwo"));
}

#[test]
fn an_unknown_id_is_answered_with_the_valid_ones_and_counted() {
    let mut play = Play::new();
    play.request(&reads(2));
    let answer = play.prune(&["7", "2", "x"], &[]);
    assert!(answer.starts_with("Taken out: 1 output(s)"), "{answer}");
    assert!(answer.contains("Unknown ids, nothing done for them: 7, x."), "{answer}");
    assert!(answer.contains("Valid ids: 1: read 1.ts (100 tokens)."), "{answer}");
    assert_eq!(play.session().unknown_ids, 2);
}

#[test]
fn protected_and_unfinished_outputs_are_not_listed() {
    let mut play = Play::new();
    let mut messages = reads(1);
    messages.push(assistant("b", vec![call("8", "todowrite"), call("9", "read")]));
    messages.push(message("tb", Role::Tool, vec![output("8", 400)]));
    play.request(&messages);
    let prunable: Vec<String> = play.session().outputs.outputs.iter().map(|output| output.label()).collect();
    assert_eq!(prunable, ["read 1.ts"]);
}

#[test]
fn a_sweep_prunes_the_outputs_since_the_last_prompt_or_the_last_few_of_them() {
    let older = turn("0", "read", json!({ "path": "old" }), output("0", 400));
    for (count, expected) in [(None, vec![5, 7, 9]), (Some(2), vec![7, 9]), (Some(9), vec![5, 7, 9])] {
        let mut play = Play::new();
        let messages = [older.clone(), reads(3)].concat();
        play.request(&messages);
        play.session().sweep(count);
        let places: Vec<usize> = outputs(&play.request(&messages)).into_iter().map(|(at, _)| at).collect();
        assert_eq!(places, expected, "{count:?}");
    }
}
