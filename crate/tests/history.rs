//! What must hold of pruning a conversation, whatever the conversation: random ones are played prompt by prompt, and
//! after each request the rules are checked on what would go out.

#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

use std::collections::HashMap;
use std::rc::Rc;

use opencode_jev_pruner::history::conversation::{Call, Message, Output, OutputKind, Part, Place, Text};
use opencode_jev_pruner::history::edits::{Change, Edit};
use opencode_jev_pruner::history::input::Input;
use opencode_jev_pruner::history::rules::Rules;
use opencode_jev_pruner::history::session::{Outcome, Request, Sessions};
use opencode_jev_pruner::history::view::View;
use opencode_jev_pruner::opencode::messages::Role;
use opencode_jev_pruner::options::Options;
use proptest::prelude::*;
use serde_json::{json, Value};

/// What a model does in one step of a turn.
#[derive(Clone, Debug)]
struct Step {
    /// Whether it has provider metadata, if there is some.
    reasoning: Option<bool>,
    text: Option<String>,
    calls: Vec<Called>,
    has_unknown_part: bool,
    /// OpenCode 1.18 keeps call and output in one part.
    in_one_part: bool,
}

#[derive(Clone, Debug)]
struct Called {
    name: &'static str,
    path: &'static str,
    large: usize,
    output: usize,
    kind: OutputKind,
    has_provider_metadata: bool,
    is_provider_executed: bool,
    is_answered: bool,
}

fn has_provider_metadata() -> impl Strategy<Value = bool> {
    prop::bool::weighted(0.2)
}

fn called() -> impl Strategy<Value = Called> {
    let names = [
        "read",
        "read",
        "write",
        "edit",
        "grep",
        "shell",
        "todowrite",
        "x_memory_y",
        "patch",
        "desk_list",
        "execute",
    ];
    let kinds = prop_oneof![
        6 => Just(OutputKind::Success),
        2 => Just(OutputKind::Error),
        1 => Just(OutputKind::Untouchable),
    ];
    (
        prop::sample::select(names.to_vec()),
        prop::sample::select(vec!["a", "b", "keep.me"]),
        prop_oneof![Just(3), Just(900)],
        prop_oneof![Just(20), Just(300), Just(5_000)],
        kinds,
        has_provider_metadata(),
        prop::bool::weighted(0.1),
        prop::bool::weighted(0.95),
    )
        .prop_map(
            |(name, path, large, output, kind, has_provider_metadata, is_provider_executed, is_answered)| {
                Called {
                    name,
                    path,
                    large,
                    output,
                    kind,
                    has_provider_metadata,
                    is_provider_executed,
                    is_answered,
                }
            },
        )
}

fn step() -> impl Strategy<Value = Step> {
    let text = prop_oneof![
        Just(None),
        Just(Some("It is 4.".to_string())),
        Just(Some("<thinking>\nHm.\n</thinking>\nIt is 4.".to_string())),
        Just(Some("<thinking>Hm.</thinking>".to_string())),
    ];
    (
        prop::option::of(has_provider_metadata()),
        text,
        prop::collection::vec(called(), 0..4),
        prop::bool::weighted(0.1),
        any::<bool>(),
    )
        .prop_map(|(reasoning, text, calls, has_unknown_part, in_one_part)| Step {
            reasoning,
            text,
            calls,
            has_unknown_part,
            in_one_part,
        })
}

fn turns() -> impl Strategy<Value = Vec<Vec<Step>>> {
    prop::collection::vec(prop::collection::vec(step(), 0..4), 1..8)
}

fn history() -> impl Strategy<Value = Value> {
    (prop_oneof![Just(0), Just(500), Just(4_000)], any::<bool>(), 0..4usize, any::<bool>()).prop_map(
        |(batch, protects_turns, delay, protects_file)| {
            json!({
                "batch_tokens": batch,
                "turn_protection": { "enabled": protects_turns, "turns": 3 },
                "placeholder_compression": { "delay_turns": delay, "min_output_tokens": 10 },
                "purge_errors": { "turns": delay },
                "protected_file_patterns": if protects_file { vec!["keep.*"] } else { vec![] },
            })
        },
    )
}

/// The messages of these turns, the last of which is under way.
fn messages(turns: &[Vec<Step>]) -> Vec<Message> {
    let mut all = Vec::new();
    for (turn, steps) in turns.iter().enumerate() {
        let text = Part::Text(Text::read("Go on.", false));
        all.push(Message { id: format!("u{turn}"), role: Role::User, is_prompt: true, parts: vec![text] });
        for (at, step) in steps.iter().enumerate() {
            all.extend(messages_of_step(&format!("{turn}-{at}"), step));
        }
    }
    all
}

fn messages_of_step(name: &str, step: &Step) -> Vec<Message> {
    let mut parts = Vec::new();
    if let Some(has_provider_metadata) = step.reasoning {
        parts.push(Part::Reasoning { chars: 400, has_provider_metadata });
    }
    parts.extend(step.text.as_ref().map(|text| Part::Text(Text::read(text, false))));
    let mut answers = Vec::new();
    for (at, called) in step.calls.iter().enumerate() {
        // Some providers count ids anew in every message.
        let id = format!("call_{at}");
        let output = Output { id: id.clone(), chars: called.output, kind: called.kind };
        let input = json!({ "path": called.path, "content": "x".repeat(called.large) });
        let call = Call {
            id,
            name: called.name.to_string(),
            input: Rc::new(Input::from(&input)),
            has_provider_metadata: called.has_provider_metadata,
            is_provider_executed: called.is_provider_executed,
        };
        if step.in_one_part {
            parts.push(Part::Both(call, output));
            continue;
        }
        parts.push(Part::Call(call));
        if called.is_answered {
            answers.push(Part::Output(output));
        }
    }
    if step.has_unknown_part {
        parts.push(Part::Other);
    }
    let id = format!("a{name}");
    let mut messages = vec![Message { id, role: Role::Assistant, is_prompt: false, parts }];
    if !answers.is_empty() {
        messages.push(Message { id: format!("t{name}"), role: Role::Tool, is_prompt: false, parts: answers });
    }
    messages
}

fn plan(sessions: &mut Sessions, rules: &Rules, messages: &[Message]) -> Outcome {
    sessions.plan(&Request {
        session: "s",
        view: View::new(messages, "some-model"),
        rules,
        beginning: 0,
        is_internal: false,
        system_chars: 0,
        catalog_chars: 0,
    })
}

fn part_at(messages: &[Message], place: Place) -> &Part {
    &messages[place.message].parts[place.part]
}

/// The rules under which an edit may be made at all.
fn check(messages: &[Message], rules: &Rules, edit: &Edit) {
    let message = &messages[edit.place.message];
    let prompts_behind =
        messages[edit.place.message + 1..].iter().filter(|message| message.is_prompt).count();
    assert!(prompts_behind >= 1, "the newest turn was touched");
    if rules.options.turn_protection.enabled {
        assert!(prompts_behind >= 3, "a protected turn was touched");
    }
    assert!(
        matches!(message.role, Role::Assistant | Role::Tool),
        "a message of {:?} was touched",
        message.role
    );
    assert!(!message.is_unknown(), "a message that is not known was touched");
    match (part_at(messages, edit.place), &edit.change) {
        (Part::Output(output) | Part::Both(_, output), Change::Output(text)) => {
            assert_eq!(
                output.kind,
                OutputKind::Success,
                "only whole outputs of successes become placeholders"
            );
            assert!(text.len() < output.chars, "a placeholder is longer than what it stands for");
        }
        (Part::Call(call) | Part::Both(call, _), Change::Content(_) | Change::Input(_)) => {
            assert!(
                !call.has_provider_metadata && !call.is_provider_executed,
                "an input that its provider may have signed was touched"
            );
            assert!(["write", "edit", "read", "grep", "shell", "desk_list", "execute"]
                .contains(&call.name.as_str()));
        }
        (Part::Reasoning { .. }, Change::Drop) => {}
        (Part::Text(text), Change::Text(_) | Change::Drop) => assert!(!text.thinking.is_empty()),
        (part, change) => panic!("{part:?} cannot become {change:?}"),
    }
    if let Part::Call(call) | Part::Both(call, _) = part_at(messages, edit.place) {
        let is_shortened = matches!(edit.change, Change::Content(_) | Change::Input(_));
        let is_protected = ["todowrite", "x_memory_y", "patch"].contains(&call.name.as_str())
            || (!is_shortened && ["write", "edit"].contains(&call.name.as_str()));
        assert!(!is_protected, "{} is protected", call.name);
        let protects_file = !rules.options.protected_file_patterns.is_empty();
        assert!(!(protects_file && call.input.path.as_deref() == Some("keep.me")), "the file is protected");
    }
}

/// What a provider would refuse.
fn check_whole(messages: &[Message], edits: &[Edit]) {
    for (at, message) in messages.iter().enumerate().filter(|(_, message)| message.role == Role::Assistant) {
        let dropped = |place: usize| {
            edits
                .iter()
                .any(|edit| edit.place == Place { message: at, part: place } && edit.change == Change::Drop)
        };
        let (mut reasoning, mut gone, mut marked, mut calls) = (0, 0, false, false);
        for (place, part) in message.parts.iter().enumerate() {
            match part {
                Part::Reasoning { has_provider_metadata, .. } => {
                    reasoning += 1;
                    gone += usize::from(dropped(place));
                    marked |= has_provider_metadata;
                }
                Part::Call(_) | Part::Both(..) => {
                    calls = true;
                    assert!(!dropped(place), "a call or its output went");
                }
                _ => {}
            }
        }
        assert!(gone == 0 || gone == reasoning, "reasoning went in part");
        assert!(gone == 0 || !(marked && calls), "reasoning went that a call is tied to");
        let is_left = (0..message.parts.len()).any(|place| !dropped(place));
        assert!(message.parts.is_empty() || is_left, "a message was left without content");
    }
}

/// An edit by what it is made of, for comparing requests of different length.
fn by_part(messages: &[Message], edits: &[Edit]) -> HashMap<(String, usize), Vec<Change>> {
    let mut all: HashMap<_, Vec<Change>> = HashMap::new();
    for edit in edits {
        let id = messages[edit.place.message].id.clone();
        all.entry((id, edit.place.part)).or_default().push(edit.change.clone());
    }
    all
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_rule_holds_in_every_request_of_a_session(turns in turns(), history in history()) {
        let rules = Rules::new(&Options::from_json(&json!({ "history": history })).history);
        let mut sessions = Sessions::default();
        let mut before: HashMap<(String, usize), Vec<Change>> = HashMap::new();
        for until in 1..=turns.len() {
            let messages = messages(&turns[..until]);
            let outcome = plan(&mut sessions, &rules, &messages);
            outcome.edits.iter().for_each(|edit| check(&messages, &rules, edit));
            check_whole(&messages, &outcome.edits);
            let now = by_part(&messages, &outcome.edits);
            // What was pruned is pruned the same way in every later request.
            for (part, changes) in &before {
                for change in changes {
                    prop_assert!(now.get(part).is_some_and(|now| now.contains(change)), "{:?} became {:?}", change, now.get(part));
                }
            }
            // The same request again comes to the same.
            let again = plan(&mut sessions, &rules, &messages);
            prop_assert_eq!(&again.edits, &outcome.edits);
            // A batch is made whole or not at all.
            if outcome.savings.new_edits > 0 {
                prop_assert_eq!(outcome.savings.tokens_waiting, 0);
            } else {
                let session = sessions.get("s").expect("it was planned for");
                let most = rules.options.batch_tokens.max(session.chars.conversation_tokens() / 6);
                prop_assert!(outcome.savings.tokens_waiting <= most);
            }
            before = now;
        }
    }

    #[test]
    fn a_part_has_at_most_one_change_of_each_kind(turns in turns()) {
        let rules = Rules::new(&Options::from_json(&json!({ "history": { "batch_tokens": 0 } })).history);
        let messages = messages(&turns);
        let outcome = plan(&mut Sessions::default(), &rules, &messages);
        for changes in by_part(&messages, &outcome.edits).values() {
            let outputs = changes.iter().filter(|change| matches!(change, Change::Output(_))).count();
            prop_assert!(outputs <= 1 && changes.len() - outputs <= 1, "{:?}", changes);
        }
    }
}
