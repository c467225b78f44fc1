//! Replies of Jev: an input is the status, what the headers say of a retry, and the body.
//!
//! ```text
//! HTTP 200 retry-after: 2
//! {"answers":{"s0":{"noul":0.9}}}
//! ```
//!
//! or `failed KIND` and the platform's message.

use opencode_jev_pruner::jev::wire::{answers, warm_up_result, Reply};
use serde_json::Value;

use crate::text_of;

/// The questions that were put.
const IDS: [&str; 5] = ["s0", "t0", "t1", "k0", "w0"];
/// All kinds of failures that the core names itself.
const KINDS: [&str; 4] = ["redirect", "http", "not_json", "wrong_shape"];

pub fn replies(input: &[u8]) {
    let input = text_of(input);
    let (head, body) = input.split_once('\n').unwrap_or((&input, ""));
    let reply = read(head, body);
    let read = answers(Some(&reply), &IDS);
    assert_eq!(read, answers(Some(&reply), &IDS), "the same reply gives the same answers");
    assert_eq!(warm_up_result(&reply, 1.0).ok, read.is_ok(), "a warm-up fails exactly when a question would");
    match (&reply, read) {
        (Reply::Http { status, .. }, Ok(answers)) => {
            assert!((200..300).contains(status), "an error gives no answers");
            assert_eq!(answers.len(), IDS.len(), "each question has an answer or lacks one");
            assert!(answers.iter().flatten().all(|noul| (0.0..=1.0).contains(noul)), "{answers:?}");
            // A body with a number that no number can hold is read all the same, but not so.
            if let Ok(value) = serde_json::from_str::<Value>(body) {
                let noul = |id: &&str| value["answers"][*id]["noul"].as_f64();
                let usable = IDS.iter().map(|id| noul(id).filter(|noul| (0.0..=1.0).contains(noul)));
                assert_eq!(answers, usable.collect::<Vec<_>>(), "each answer is read as JSON has it");
            }
        }
        (Reply::Http { status, .. }, Err(failure)) => {
            assert!(KINDS.contains(&failure.kind.as_str()), "{failure:?}");
            let is_read = ["not_json", "wrong_shape"].contains(&failure.kind.as_str());
            assert_eq!(is_read, (200..300).contains(status), "{failure:?}");
            assert!(failure.retry_after_ms.is_none_or(|ms| ms >= 0.0), "{failure:?}");
        }
        (Reply::Failed { failure: kind, .. }, Err(failure)) => assert_eq!(kind, failure.kind.as_str()),
        (Reply::Failed { .. }, Ok(_)) => panic!("no response gives no answers"),
    }
}

fn read(head: &str, body: &str) -> Reply {
    if let Some(kind) = head.strip_prefix("failed ") {
        return Reply::Failed { failure: kind.to_string(), message: body.to_string() };
    }
    let (head, retry_after) = match head.split_once(" retry-after: ") {
        Some((head, value)) => (head, Some(value.to_string())),
        None => (head, None),
    };
    let status = head.strip_prefix("HTTP ").and_then(|status| status.parse().ok()).unwrap_or(200);
    Reply::Http { status, body: body.to_string(), retry_after }
}
