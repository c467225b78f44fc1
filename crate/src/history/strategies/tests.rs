//! What each strategy proposes, by what it is for.

use serde_json::{json, Value};

use super::super::conversation::{Call, Message, Output, OutputKind, Part};
use super::super::testing::*;
use super::Strategy::*;
use super::*;

/// Strategy and message whose part would go, in the order of the conversation.
fn proposed(messages: &[Message], history: Value) -> Vec<(Strategy, usize)> {
    proposed_for("some-model", messages, history)
}

fn proposed_for(model: &str, messages: &[Message], history: Value) -> Vec<(Strategy, usize)> {
    let view = View::new(messages, model);
    let outputs = view.pairs.iter().map(|pair| (Slot::output(pair), pair.output_at.message));
    let inputs = view.pairs.iter().map(|pair| (Slot::input(pair), pair.call_at.message));
    let thinking = messages.iter().enumerate().map(|(at, message)| (Slot::thinking(message), at));
    let places: FxHashMap<Slot, usize> = outputs.chain(inputs).chain(thinking).collect();
    let edits = proposed_edits(&view, &rules(history), &PrunedSlots::default());
    let mut found: Vec<(Strategy, usize)> =
        edits.iter().map(|edit| (edit.strategy, places[&edit.slot])).collect();
    found.sort_by_key(|(_, at)| *at);
    found
}

/// Only one strategy, so that others do not get in its way.
fn only(name: &str, own: Value) -> Value {
    let names =
        ["deduplication", "supersede_writes", "purge_errors", "prune_thinking", "placeholder_compression"];
    let mut all = json!({});
    for other in names {
        all[other] = json!({ "enabled": other == name });
    }
    for (field, value) in own.as_object().into_iter().flatten() {
        all[name][field] = value.clone();
    }
    all
}

fn read(id: &str, path: &str) -> Vec<Message> {
    turn(id, "read", json!({ "path": path }), output(id, 900))
}

fn write(id: &str, path: &str) -> Vec<Message> {
    turn(id, "write", json!({ "path": path, "content": "x".repeat(900) }), output(id, 20))
}

mod deduplication {
    use super::*;

    fn found(messages: Vec<Message>) -> Vec<(Strategy, usize)> {
        proposed(&messages, only("deduplication", json!({})))
    }

    #[test]
    fn only_the_newest_of_the_same_calls_keeps_its_output() {
        let messages = [read("1", "a"), read("2", "b"), read("3", "a"), read("4", "a")].concat();
        assert_eq!(found(messages), [(Deduplication, 2), (Deduplication, 8)]);
    }

    #[test]
    fn another_tool_or_another_input_is_not_the_same_call() {
        let other_tool = turn("2", "stat", json!({ "path": "a" }), output("2", 900));
        assert_eq!(found([read("1", "a"), other_tool, read("3", "A"), later(1)].concat()), []);
    }

    #[test]
    fn a_failure_neither_replaces_an_output_nor_is_replaced() {
        let failed = |id| turn(id, "read", json!({ "path": "a" }), failure(id));
        assert_eq!(found([failed("1"), read("2", "a"), failed("3"), later(1)].concat()), []);
    }

    #[test]
    fn within_the_newest_turn_both_stay() {
        let mut messages = vec![prompt("p")];
        for id in ["1", "2"] {
            messages.push(assistant(id, vec![call_with(id, "read", json!({ "path": "a" }))]));
            messages.push(tool(vec![output(id, 900)]));
        }
        assert_eq!(found(messages.clone()), []);
        assert_eq!(found([messages, later(1)].concat()), [(Deduplication, 2)]);
    }

    #[test]
    fn an_output_shorter_than_its_placeholder_stays() {
        let short = turn("1", "read", json!({ "path": "a" }), output("1", 30));
        assert_eq!(found([short, read("2", "a")].concat()), []);
    }
}

mod supersede_writes {
    use super::*;

    fn found(messages: Vec<Message>) -> Vec<(Strategy, usize)> {
        proposed(&messages, only("supersede_writes", json!({})))
    }

    #[test]
    fn a_write_that_was_read_or_written_again_later_loses_its_content() {
        for after in [read("2", "a"), read("2", "./a"), write("2", "a")] {
            assert_eq!(found([write("1", "a"), after].concat()), [(SupersedeWrites, 1)]);
        }
    }

    #[test]
    fn the_last_that_is_known_of_a_file_stays() {
        let edited = turn("2", "edit", json!({ "path": "a", "new": "y".repeat(900) }), output("2", 20));
        let piece = turn("2", "read", json!({ "path": "a", "offset": 10 }), output("2", 900));
        let failed = turn("2", "read", json!({ "path": "a" }), failure("2"));
        for after in [later(3), read("2", "b"), edited, piece, failed] {
            assert_eq!(found([write("1", "a"), after, later(1)].concat()), []);
        }
        assert_eq!(found([read("1", "a"), write("2", "a"), later(1)].concat()), []);
    }

    #[test]
    fn a_write_that_failed_stays() {
        let failed = turn("1", "write", json!({ "path": "a", "content": "x".repeat(900) }), failure("1"));
        assert_eq!(found([failed, read("2", "a")].concat()), []);
    }

    #[test]
    fn a_call_with_provider_metadata_keeps_its_input() {
        let mut messages = [write("1", "a"), read("2", "a")].concat();
        messages[1].parts = messages[1].parts.drain(..).map(with_provider_metadata).collect();
        assert_eq!(found(messages), []);
    }
}

mod purge_errors {
    use super::*;

    fn failed(input: Value) -> Vec<Message> {
        turn("1", "edit", input, failure("1"))
    }

    fn large() -> Value {
        json!({ "path": "a", "new": "x".repeat(900) })
    }

    #[test]
    fn a_failed_call_loses_its_large_strings_after_two_turns() {
        for (turns, expected) in [(0, vec![]), (1, vec![]), (2, vec![(PurgeErrors, 1)])] {
            let messages = [failed(large()), later(turns)].concat();
            assert_eq!(proposed(&messages, only("purge_errors", json!({}))), expected, "{turns}");
        }
    }

    #[test]
    fn how_many_turns_can_be_set_but_the_newest_is_never_touched() {
        for (turns, expected) in [(0, vec![]), (1, vec![(PurgeErrors, 1)])] {
            let messages = [failed(large()), later(turns)].concat();
            assert_eq!(proposed(&messages, only("purge_errors", json!({ "turns": 0 }))), expected, "{turns}");
        }
    }

    #[test]
    fn short_inputs_and_successes_stay() {
        let short = failed(json!({ "path": "a", "new": "y" }));
        let succeeded = turn("1", "edit", large(), output("1", 20));
        for messages in [short, succeeded] {
            assert_eq!(proposed(&[messages, later(5)].concat(), only("purge_errors", json!({}))), []);
        }
    }
}

mod placeholder_compression {
    use super::*;

    fn found(messages: Vec<Message>, own: Value) -> Vec<(Strategy, usize)> {
        proposed(&messages, only("placeholder_compression", own))
    }

    #[test]
    fn an_output_of_a_hundred_tokens_becomes_a_hint_after_two_turns() {
        for (turns, expected) in [(1, vec![]), (2, vec![(PlaceholderCompression, 2)])] {
            assert_eq!(found([read("1", "a"), later(turns)].concat(), json!({})), expected, "{turns}");
        }
        let small = turn("1", "read", json!({ "path": "a" }), output("1", 396));
        assert_eq!(found([small, later(9)].concat(), json!({})), []);
    }

    #[test]
    fn errors_and_what_the_provider_carried_out_stay() {
        let failed = turn(
            "1",
            "read",
            json!({}),
            Part::Output(Output { id: "1".into(), chars: 9_000, kind: OutputKind::Error }),
        );
        let open = turn(
            "1",
            "read",
            json!({}),
            Part::Output(Output { id: "1".into(), chars: 9_000, kind: OutputKind::Untouchable }),
        );
        let mut provided = read("1", "a");
        if let Some(Part::Call(call)) = provided[1].parts.pop() {
            provided[1].parts.push(Part::Call(Call { is_provider_executed: true, ..call }));
        }
        for messages in [failed, open, provided] {
            assert_eq!(found([messages, later(9)].concat(), json!({})), []);
        }
    }

    #[test]
    fn a_message_with_a_part_of_an_unknown_kind_stays() {
        let mut of_call = read("1", "a");
        of_call[1].parts.push(Part::Other);
        let mut of_output = read("1", "a");
        of_output[2].parts.push(Part::Other);
        for messages in [of_call, of_output] {
            assert_eq!(found([messages, later(9)].concat(), json!({})), []);
        }
    }

    #[test]
    fn turn_protection_keeps_the_newest_turns() {
        let mut options = only("placeholder_compression", json!({}));
        options["turn_protection"] = json!({ "enabled": true });
        for (turns, expected) in [(3, vec![]), (4, vec![(PlaceholderCompression, 2)])] {
            assert_eq!(
                proposed(&[read("1", "a"), later(turns)].concat(), options.clone()),
                expected,
                "{turns}"
            );
        }
    }
}

mod prune_thinking {
    use super::*;

    fn found(parts: Vec<Part>) -> usize {
        found_with("some-model", parts)
    }

    /// How many parts go.
    fn found_with(model: &str, parts: Vec<Part>) -> usize {
        let message = assistant("a", parts);
        let messages = [vec![prompt("p"), message.clone()], later(1)].concat();
        let proposed = proposed_for(model, &messages, only("prune_thinking", json!({})));
        let parts = prunable_thinking(&message, model).len();
        assert_eq!(proposed.len(), usize::from(parts > 0));
        parts
    }

    #[test]
    fn plain_reasoning_of_older_messages_goes() {
        assert_eq!(found(vec![reasoning(400), text("It is 4.")]), 1);
        assert_eq!(found(vec![reasoning(400), call("1", "read"), reasoning(10), text("x")]), 2);
    }

    #[test]
    fn reasoning_of_the_newest_turn_stays() {
        let messages = [prompt("p"), assistant("a", vec![reasoning(400), text("x")])];
        assert_eq!(proposed(&messages, only("prune_thinking", json!({}))), []);
    }

    #[test]
    fn reasoning_with_provider_metadata_goes_with_a_mere_text_and_stays_beside_a_call() {
        assert_eq!(found(vec![with_provider_metadata(reasoning(400)), text("It is 4.")]), 1);
        assert_eq!(found(vec![with_provider_metadata(reasoning(400)), call("1", "read")]), 0);
        assert_eq!(
            found(vec![reasoning(9), with_provider_metadata(reasoning(400)), text("x"), call("1", "read")]),
            0
        );
    }

    #[test]
    fn reasoning_to_which_something_else_is_tied_stays() {
        assert_eq!(
            found(vec![with_provider_metadata(reasoning(400)), with_provider_metadata(text("It is 4."))]),
            0
        );
        assert_eq!(found(vec![reasoning(400), with_provider_metadata(call("1", "read"))]), 0);
    }

    #[test]
    fn some_model_families_want_their_reasoning_back() {
        for model in ["deepseek-v4-pro", "DeepSeek-R1", "moonshotai/kimi-k2.5", "my-reasoner"] {
            assert_eq!(found_with(model, vec![reasoning(400), text("x")]), 0, "{model}");
        }
    }

    #[test]
    fn a_message_is_not_left_without_content() {
        assert_eq!(found(vec![reasoning(400)]), 0);
        assert_eq!(found(vec![reasoning(400), text("")]), 0);
        assert_eq!(found(vec![text("<thinking>x</thinking>")]), 0);
        assert_eq!(found(vec![text("<thinking>x</thinking>"), call("1", "read")]), 1);
    }

    #[test]
    fn blocks_in_texts_go_but_not_from_a_text_with_provider_metadata() {
        let block = || text("<thinking>\nLet me see.\n</thinking>\nIt is 4.");
        assert_eq!(found(vec![block()]), 1);
        assert_eq!(found(vec![with_provider_metadata(block())]), 0);
    }

    #[test]
    fn a_part_of_an_unknown_kind_keeps_the_message_as_it_is() {
        assert_eq!(found(vec![reasoning(400), text("x"), Part::Other]), 0);
        assert_eq!(found(vec![reasoning(400), text("x"), Part::Silent]), 1);
    }
}

#[test]
fn an_output_that_two_strategies_want_is_proposed_once() {
    let messages = [read("1", "a"), read("2", "a"), later(2)].concat();
    assert_eq!(proposed(&messages, json!({})), [(Deduplication, 2), (PlaceholderCompression, 5)]);
}

#[test]
fn every_strategy_can_be_switched_off() {
    let messages = [read("1", "a"), read("2", "a"), write("3", "b"), write("4", "b"), later(5)].concat();
    assert_eq!(proposed(&messages, only("none", json!({}))), []);
}
