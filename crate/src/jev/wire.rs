//! System One's wire format (`jev-api.md` §1).
//!
//! ```text
//! > {"model":"jev-1.13","state":"...","questions":{"t0":{"type":"noul","instructions":"..."}}}
//! < {"model":"jev-1.13.0","answers":{"t0":{"type":"noul","noul":0.95}},"usage":{...}}
//! ```

use serde::de::IgnoredAny;
use serde::{Serialize, Serializer};
use serde_json::Value;

use super::questions::Question;
use crate::hash::FxHashMap;
use crate::lenient::Lenient;

/// What came back for one request.
#[derive(Clone, Debug, PartialEq)]
pub enum Reply {
    /// Any HTTP response.
    Http {
        /// Whatever it is, redirects included: they are not followed.
        status: u16,
        /// As text.
        body: String,
        /// The header `Retry-After` as it is, or `retry-after-ms` with `ms` behind it.
        retry_after: Option<String>,
    },
    /// No response.
    Failed {
        /// `timeout`, `reset`, `network` or `too_large` (`js-shim/jev-client.js`).
        failure: String,
        /// What the platform says of it.
        message: String,
    },
}

/// Why a request brought no answers.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Failure {
    /// In a word.
    pub kind: FailureKind,
    /// Uncut, so that a secret in it can be found before it is cut for a reader.
    pub message: String,
    /// Whether the same request may well succeed a moment later (`jev-api.md` §1, errors).
    #[serde(skip)]
    pub may_pass: bool,
    /// How long the server wants to be left alone.
    #[serde(skip)]
    pub retry_after_ms: Option<f64>,
}

/// What kind of failure it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FailureKind {
    /// A redirect, which is not followed.
    Redirect,
    /// Another status than 2xx.
    Http,
    /// The reply is not JSON.
    NotJson,
    /// The reply is JSON without an object `answers`.
    WrongShape,
    /// There was no response; the word of [`Reply::Failed`].
    NoResponse(String),
}

impl FailureKind {
    /// The word by which users see it.
    pub fn as_str(&self) -> &str {
        match self {
            FailureKind::Redirect => "redirect",
            FailureKind::Http => "http",
            FailureKind::NotJson => "not_json",
            FailureKind::WrongShape => "wrong_shape",
            FailureKind::NoResponse(word) => word,
        }
    }
}

impl Serialize for FailureKind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl Failure {
    fn new(kind: FailureKind, message: impl Into<String>) -> Failure {
        let may_pass = kind.as_str() == "reset";
        Failure { kind, message: message.into(), may_pass, retry_after_ms: None }
    }
}

/// `Retry-After` counts seconds; a date, which it may be too, is not worth waiting for here.
fn retry_after_ms(header: &str) -> Option<f64> {
    let (number, unit) = match header.trim().strip_suffix("ms") {
        Some(number) => (number, 1.0),
        None => (header.trim(), 1_000.0),
    };
    let number: f64 = number.trim().parse().ok()?;
    (number.is_finite() && number >= 0.0).then_some(number * unit)
}

#[derive(Serialize)]
struct RequestBody<'a> {
    model: &'a str,
    state: &'a str,
    questions: Questions<'a>,
}

struct Questions<'a>(&'a [Question]);

/// Jev's word for a yes/no question, whose answer is the probability of a yes.
#[derive(Serialize)]
struct Noul<'a> {
    r#type: &'static str,
    instructions: &'a str,
}

impl Serialize for Questions<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let questions = self.0.iter();
        serializer.collect_map(
            questions.map(|Question { id, instructions }| (id, Noul { r#type: "noul", instructions })),
        )
    }
}

/// The body of a request, JSON.
pub(crate) fn body(model: &str, state: &str, questions: &[Question]) -> String {
    serde_json::to_string(&RequestBody { model, state, questions: Questions(questions) }).unwrap_or_default()
}

const WARM_UP_ID: &str = "w0";

/// The body of the tiny request that only warms the connection.
pub fn warm_up_body(model: &str) -> String {
    let instructions = "Is this a greeting?".to_string();
    body(model, "Hello", &[Question { id: WARM_UP_ID.to_string(), instructions }])
}

/// How the warm-up went, for the log.
#[derive(Debug, PartialEq, Serialize)]
pub struct WarmUp {
    /// Whether a question would have been answered.
    pub ok: bool,
    /// How long it took, in milliseconds.
    pub ms: f64,
    /// What went wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<Failure>,
}

/// Reads the reply to the warm-up, which took so long.
pub fn warm_up_result(reply: &Reply, ms: f64) -> WarmUp {
    let error = answers(Some(reply), &[WARM_UP_ID]).err();
    WarmUp { ok: error.is_none(), ms, error }
}

/// Reads the answers to the questions with these ids: numbers from 0 to 1, where there is one.
///
/// A reply that answers some questions badly is good for the others; a reply of another shape is a failure, and so is
/// none at all.
pub fn answers(reply: Option<&Reply>, ids: &[&str]) -> Result<Vec<Option<f64>>, Failure> {
    let (status, body, retry_after) = match reply {
        None => {
            return Err(Failure::new(FailureKind::NoResponse("network".into()), "no reply was handed on"))
        }
        Some(Reply::Failed { failure, message }) => {
            return Err(Failure::new(FailureKind::NoResponse(failure.clone()), message.as_str()))
        }
        Some(Reply::Http { status, body, retry_after }) => (*status, body, retry_after),
    };
    match status {
        200..=299 => {}
        300..=399 => {
            return Err(Failure::new(
                FailureKind::Redirect,
                format!("HTTP {status}: a redirect, which is not followed"),
            ))
        }
        _ => {
            return Err(Failure {
                may_pass: status == 429 || status >= 500,
                retry_after_ms: retry_after.as_deref().and_then(retry_after_ms),
                ..Failure::new(FailureKind::Http, explain(status, body))
            })
        }
    }
    serde_json::from_str::<IgnoredAny>(body).map_err(|error| {
        Failure::new(FailureKind::NotJson, format!("the reply is not JSON ({error}): {body}"))
    })?;
    let reply: Object<Object<Object<f64>>> = serde_json::from_str(body).unwrap_or_default();
    let Some(answers) = reply.get("answers").and_then(|answers| answers.0.as_ref()) else {
        return Err(Failure::new(FailureKind::WrongShape, "the reply holds no object `answers`"));
    };
    Ok(ids.iter().map(|id| probability(answers.get(*id)?.0.as_ref()?)).collect())
}

/// A JSON object by its members. A derived `struct` would take a list of values for one, too.
type Object<T> = FxHashMap<String, Lenient<T>>;

/// Only a number from 0 to 1 under `noul` is an answer.
fn probability(answer: &Object<f64>) -> Option<f64> {
    answer.get("noul")?.0.filter(|noul| (0.0..=1.0).contains(noul))
}

/// What an error response says to a person. Gateways put the message in different places (`jev-api.md` §1), so it is
/// looked for and not read by one type.
fn explain(status: u16, body: &str) -> String {
    let value: Value = serde_json::from_str(body).unwrap_or(Value::Null);
    let at = |pointer: &str| value.pointer(pointer).and_then(Value::as_str).map(str::to_string);
    let message = [
        "/error",
        "/error/message",
        "/message",
        "/detail",
        "/detail/message",
        "/detail/error_type",
        "/detail/0/msg",
    ]
    .iter()
    .find_map(|pointer| at(pointer))
    .unwrap_or_else(|| body.to_string());
    let advice = match status {
        401 | 403 => " (is the key right, and does the account have credit?)",
        404 | 410 => " (is `jev_endpoint` the full address?)",
        429 => " (too many requests; `failure_cooldown_ms` leaves Jev alone for a while)",
        _ => "",
    };
    match message.as_str() {
        "" => format!("HTTP {status}{advice}"),
        message => format!("HTTP {status}{advice}: {message}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn http(status: u16, body: &str) -> Reply {
        Reply::Http { status, body: body.to_string(), retry_after: None }
    }

    #[test]
    fn a_body_has_model_state_and_questions_by_id() {
        let question = Question { id: "t0".into(), instructions: "Does \"x\" matter?".into() };
        assert_eq!(
            body("jev-1.13", "Fix it", &[question]),
            r#"{"model":"jev-1.13","state":"Fix it","questions":{"t0":{"type":"noul","instructions":"Does \"x\" matter?"}}}"#
        );
    }

    #[test]
    fn answers_come_back_in_the_order_asked() {
        let reply = http(
            200,
            r#"{"model":"m","answers":{"b":{"type":"noul","noul":0.2},"a":{"type":"noul","noul":1}}}"#,
        );
        assert_eq!(answers(Some(&reply), &["a", "b"]), Ok(vec![Some(1.0), Some(0.2)]));
    }

    #[test]
    fn an_id_may_be_escaped() {
        let reply = http(200, r#"{"answers":{"\u0074\u0030":{"noul":0.5}}}"#);
        assert_eq!(answers(Some(&reply), &["t0"]), Ok(vec![Some(0.5)]));
    }

    #[test]
    fn an_answer_that_is_no_number_from_0_to_1_is_missing() {
        let reply = http(
            200,
            r#"{"answers":{"a":{"noul":"0.9"},"b":{"noul":1.01},"c":{"noul":-0.1},"d":{"noul":null},"e":{},"f":0.5,"g":[0.5],"h":{"noul":1e999}}}"#,
        );
        assert_eq!(answers(Some(&reply), &["a", "b", "c", "d", "e", "f", "g", "h"]), Ok(vec![None; 8]));
    }

    #[test]
    fn only_a_failure_that_may_pass_is_worth_a_retry() {
        let failed = |failure: &str| Reply::Failed { failure: failure.into(), message: String::new() };
        for (reply, may_pass) in [
            (http(429, ""), true),
            (http(500, ""), true),
            (http(529, ""), true),
            (failed("reset"), true),
            (failed("timeout"), false),
            (failed("network"), false),
            (http(401, ""), false),
            (http(302, ""), false),
            (http(200, "x"), false),
        ] {
            assert_eq!(answers(Some(&reply), &["a"]).unwrap_err().may_pass, may_pass, "{reply:?}");
        }
    }

    #[test]
    fn a_server_says_how_long_to_wait() {
        for (header, expected) in
            [("2", Some(2000.0)), ("0.5", Some(500.0)), ("150ms", Some(150.0)), ("Mon, 1 Jan", None)]
        {
            assert_eq!(retry_after_ms(header), expected);
        }
    }

    #[test]
    fn everything_else_is_a_failure_that_says_what_happened() {
        for (reply, kind, part) in [
            (http(200, "<html>"), "not_json", "<html>"),
            (http(200, r#"{"answers":{"a":{"noul":0."#), "not_json", "not JSON"),
            (http(200, ""), "not_json", "not JSON"),
            (http(200, r#"[{"a":{"noul":0.9}}]"#), "wrong_shape", "answers"),
            (http(200, "[]"), "wrong_shape", "answers"),
            (http(200, r#"{"answers":[]}"#), "wrong_shape", "answers"),
            (http(302, ""), "redirect", "302"),
            (
                http(401, r#"{"type":"error","error":{"type":"CreditsError","message":"no credit"}}"#),
                "http",
                "no credit",
            ),
            (http(422, r#"{"detail":[{"loc":["body"],"msg":"field required"}]}"#), "http", "field required"),
            (http(400, r#"{"detail":{"error_type":"max_tokens_exceeded"}}"#), "http", "max_tokens_exceeded"),
            (http(529, "overloaded"), "http", "HTTP 529: overloaded"),
            (
                Reply::Failed { failure: "timeout".into(), message: "no answer within 900 ms".into() },
                "timeout",
                "900",
            ),
        ] {
            let failure = answers(Some(&reply), &["a"]).unwrap_err();
            assert_eq!(failure.kind.as_str(), kind);
            assert!(failure.message.contains(part), "{part} in {}", failure.message);
        }
    }
}
