//! When something is pruned of a conversation, and that it stays so.

use serde_json::{json, Value};

use super::super::conversation::Message;
use super::super::edits::Change;
use super::super::pruned::Strategy;
use super::super::testing::*;
use super::*;

struct Play {
    sessions: Sessions,
    rules: Rules,
    beginning: u64,
}

impl Play {
    fn new(history: Value) -> Play {
        Play { sessions: Sessions::default(), rules: rules(history), beginning: 0 }
    }

    fn request(&mut self, messages: &[Message]) -> Outcome {
        self.ask(messages, false)
    }

    fn rewritten(&mut self, messages: &[Message]) -> Outcome {
        self.beginning += 1;
        self.request(messages)
    }

    fn ask(&mut self, messages: &[Message], is_internal: bool) -> Outcome {
        self.sessions.plan(&Request {
            session: "s",
            view: View::new(messages, ""),
            rules: &self.rules,
            beginning: self.beginning,
            is_internal,
            system_chars: 400,
            catalog_chars: 800,
        })
    }

    fn session(&self) -> &Session {
        self.sessions.get("s").unwrap()
    }
}

fn read(id: &str, chars: usize) -> Vec<Message> {
    turn(id, "read", json!({ "path": format!("src/{id}.ts") }), output(id, chars))
}

fn changes(outcome: &Outcome) -> Vec<(usize, &Change)> {
    outcome.edits.iter().map(|edit| (edit.place.message, &edit.change)).collect()
}

/// The output of the message becomes the hint of its file.
fn hint(id: &str) -> Change {
    Change::Output(format!("[File read previously. Read again if needed: src/{id}.ts]"))
}

#[test]
fn edits_wait_until_they_save_more_than_a_batch() {
    let mut play = Play::new(json!({ "batch_tokens": 1_000 }));
    let first = [read("1", 4_000), later(2)].concat();
    let waiting = play.request(&first);
    assert_eq!(waiting.edits, []);
    assert_eq!(waiting.savings.tokens_waiting, tokens(4_000 - 55));
    let both = [read("1", 4_000), read("2", 4_000), later(2)].concat();
    let edited = play.request(&both);
    assert_eq!(changes(&edited), [(2, &hint("1")), (5, &hint("2"))]);
    assert_eq!((edited.savings.new_edits, edited.savings.tokens_waiting), (2, 0));
}

#[test]
fn a_long_conversation_waits_for_a_sixth_of_itself() {
    let said = |chars: usize| vec![prompt("long"), assistant("long", vec![text(&"x".repeat(chars))])];
    for (conversation, saved, waits) in [
        (8_000, 4_500, false),
        (36_000, 5_500, true),
        (36_000, 6_500, false),
        (360_000, 58_000, true),
        (360_000, 62_000, false),
    ] {
        let mut play = Play::new(json!({ "batch_tokens": 1_000 }));
        let messages = [said(conversation - saved), read("1", saved), later(2)].concat();
        assert_eq!(play.request(&messages).savings.tokens_waiting > 0, waits, "{saved} of {conversation}");
    }
}

#[test]
fn with_a_batch_of_nothing_each_edit_is_made_at_once() {
    let mut play = Play::new(json!({ "batch_tokens": 0 }));
    assert_eq!(play.request(&[read("1", 500), later(2)].concat()).edits.len(), 1);
    assert_eq!(play.request(&later(2)).savings, HistorySavings::default());
}

#[test]
fn what_was_pruned_stays_pruned_while_more_waits() {
    let mut play = Play::new(json!({ "batch_tokens": 1_000 }));
    let old = read("1", 9_000);
    let edits = play.request(&[old.clone(), later(2)].concat()).edits;
    let more = [old, read("2", 900), later(2)].concat();
    for _ in 0..3 {
        let outcome = play.request(&more);
        assert_eq!(outcome.edits, edits);
        assert!(outcome.savings.tokens_waiting > 0 && outcome.savings.new_edits == 0);
    }
}

#[test]
fn a_pruned_output_keeps_its_placeholder_when_another_strategy_would_prune_it_too() {
    let mut play = Play::new(json!({ "batch_tokens": 0 }));
    let same = |id| turn(id, "read", json!({ "path": "a" }), output(id, 900));
    let first = play.request(&[same("1"), same("2")].concat()).edits;
    let later = play.request(&[same("1"), same("2"), later(5)].concat()).edits;
    assert_eq!(later[0], first[0]);
    assert_eq!(later.len(), 2);
}

#[test]
fn nothing_waits_when_the_request_begins_differently_anyway() {
    let mut play = Play::new(json!({}));
    let messages = [read("1", 900), later(2)].concat();
    assert_eq!(play.request(&messages).edits, []);
    assert_eq!(play.rewritten(&messages).edits.len(), 1);
    assert_eq!(play.request(&messages).edits.len(), 1);
}

#[test]
fn nothing_waits_right_after_a_compaction_and_what_was_pruned_before_is_forgotten() {
    let mut play = Play::new(json!({}));
    let messages = [read("1", 900), later(2)].concat();
    play.request(&messages);
    play.rewritten(&messages);
    play.sessions.forget("s");
    assert!(play.session().pruned.is_empty());
    assert_eq!(play.request(&[read("2", 900), later(2)].concat()).edits.len(), 1);
    assert_eq!(play.request(&[read("3", 900), later(2)].concat()).edits, []);
}

#[test]
fn a_request_of_opencodes_own_keeps_what_was_pruned_and_prunes_nothing_more() {
    let mut play = Play::new(json!({ "batch_tokens": 0 }));
    let first = [read("1", 900), later(2)].concat();
    assert_eq!(play.ask(&first, true).edits, []);
    play.request(&first);
    let both = [read("1", 900), read("2", 900), later(2)].concat();
    assert_eq!(play.ask(&both, true).edits.len(), 1);
}

#[test]
fn sessions_know_nothing_of_each_other() {
    let mut play = Play::new(json!({}));
    let messages = [read("1", 900), later(2)].concat();
    play.request(&messages);
    play.rewritten(&messages);
    let rules = rules(json!({}));
    let view = View::new(&messages, "");
    let other = Request {
        session: "other",
        view,
        rules: &rules,
        beginning: 0,
        is_internal: false,
        system_chars: 0,
        catalog_chars: 0,
    };
    assert_eq!(play.sessions.plan(&other).edits, []);
}

#[test]
fn inputs_and_thinking_are_pruned_in_their_own_ways() {
    let mut play = Play::new(json!({ "batch_tokens": 0 }));
    let failed = turn("1", "edit", json!({ "path": "a", "new": "x".repeat(900) }), failure("1"));
    let written = turn("2", "write", json!({ "path": "b", "content": "x".repeat(900) }), output("2", 9));
    let thought = vec![
        prompt("p"),
        assistant(
            "think",
            vec![
                reasoning(400),
                text("<thinking>\nx\n</thinking>\nIt is 4."),
                text("<thinking>y</thinking>"),
            ],
        ),
    ];
    let messages =
        [failed, written, turn("3", "read", json!({ "path": "b" }), output("3", 9)), thought, later(2)]
            .concat();
    let outcome = play.request(&messages);
    let found = changes(&outcome);
    let left = "[900 characters, no longer shown]";
    assert_eq!(found[0], (1, &Change::Input(format!(r#"{{"path":"a","new":"{left}"}}"#))));
    assert_eq!(found[1], (4, &Change::Content(left.to_string())));
    assert_eq!(found[2], (10, &Change::Drop));
    assert!(matches!(found[3], (10, Change::Text(_))));
    assert_eq!(found[4], (10, &Change::Drop));
    let edits: Vec<(Strategy, usize)> =
        outcome.savings.strategies.iter().map(|of| (of.strategy, of.edits)).collect();
    assert_eq!(
        edits,
        [(Strategy::SupersedeWrites, 1), (Strategy::PurgeErrors, 1), (Strategy::PruneThinking, 3)]
    );
    assert_eq!(
        outcome.savings.tokens_saved,
        outcome.savings.strategies.iter().map(|of| of.tokens).sum::<usize>()
    );
}

#[test]
fn sums_are_of_all_requests_of_a_session_and_outlive_a_compaction() {
    let mut play = Play::new(json!({ "batch_tokens": 0 }));
    let messages = [read("1", 900), later(2)].concat();
    let saved = play.request(&messages).savings.tokens_saved;
    play.request(&messages);
    play.sessions.forget("s");
    assert_eq!((play.session().requests, play.session().tokens_saved), (2, 2 * saved));
}

#[test]
fn a_request_is_measured_by_what_it_holds() {
    let mut play = Play::new(json!({}));
    let messages = vec![
        prompt("p"),
        assistant(
            "a",
            vec![
                reasoning(100),
                text("<thinking>12345</thinking>\nfour"),
                call_with("1", "read", json!({ "p": "x" })),
            ],
        ),
        tool(vec![output("1", 50)]),
    ];
    play.request(&messages);
    let block = "<thinking>12345</thinking>\n".len();
    assert_eq!(
        play.session().chars,
        CharsByKind { system: 400, catalogs: 800, user: 6, assistant: 4, tools: 52, thinking: 100 + block }
    );
}
