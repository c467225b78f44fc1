//! A Jev that answers at random, or not at all, and the course of one request with it.

use std::collections::BTreeMap;

use opencode_jev_pruner::jev::wire::Reply;
use opencode_jev_pruner::plan::Plan;
use opencode_jev_pruner::pruning::asking::Ask;
use opencode_jev_pruner::pruning::{Outcome, Pruner, Step};
use opencode_jev_pruner::report::Report;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{json, Value};

use crate::scene::{Scene, Subject};

/// How one question is answered.
#[derive(Clone, Debug)]
pub enum Said {
    Noul(f64),
    Nothing,
    /// Something that is no number from 0 to 1.
    Garbage(Value),
}

/// How one request is answered.
#[derive(Clone, Debug)]
pub enum Manner {
    Answers,
    NoReply,
    NoResponse(&'static str),
    Status(u16),
    Body(&'static str),
}

impl Manner {
    /// Whether the same request may succeed a moment later.
    fn may_pass(&self) -> bool {
        matches!(self, Manner::NoResponse("reset") | Manner::Status(429 | 500..))
    }
}

/// Answers and manners are taken in turn, again and again.
#[derive(Clone, Debug)]
pub struct Jev {
    pub said: Vec<Said>,
    pub manners: Vec<Manner>,
    /// Whether every exchange takes as long as it may.
    pub takes_all_the_time: bool,
}

/// A request as it was sent.
#[derive(Clone, Debug)]
pub struct Sent {
    pub ask: Ask,
    pub at_ms: f64,
    pub state: String,
    pub questions: Vec<Question>,
    pub manner: Manner,
}

#[derive(Clone, Debug)]
pub struct Question {
    pub id: String,
    pub instructions: String,
}

/// The course of one request.
pub struct Course {
    /// The requests of each step.
    pub steps: Vec<Vec<Sent>>,
    /// What was answered; `None` where the answer was of no use.
    pub answered: BTreeMap<Subject, Option<f64>>,
    pub end: End,
}

pub enum End {
    Skipped,
    Joined,
    /// Nothing had to be asked.
    Known(Plan, Report),
    Done(Plan, Report),
    Failed(Plan, Report),
}

impl Sent {
    fn new(ask: &Ask, at_ms: f64, manner: Manner) -> Sent {
        let value: Value = serde_json::from_str(&ask.body).unwrap();
        let questions = value["questions"].as_object().unwrap().iter().map(|(id, question)| {
            assert_eq!(question["type"], "noul");
            Question { id: id.clone(), instructions: question["instructions"].as_str().unwrap().into() }
        });
        let (questions, state) = (questions.collect(), value["state"].as_str().unwrap().into());
        Sent { ask: ask.clone(), at_ms, state, questions, manner }
    }

    pub fn is_retry(&self) -> bool {
        self.ask.delay_ms > 0.0
    }

    pub fn chars(&self) -> usize {
        self.state.chars().count() + self.questions.iter().map(Question::chars).sum::<usize>()
    }
}

impl Question {
    pub fn chars(&self) -> usize {
        self.instructions.chars().count()
    }

    /// What is asked about, told from the words.
    pub fn subject(&self) -> Subject {
        let named: Vec<&str> = self.instructions.split('"').skip(1).step_by(2).collect();
        let asked = self.instructions.strip_prefix("Does the user's request require the ").unwrap();
        match asked.split(' ').next() {
            Some("MCP") => Subject::Server(named[0].into()),
            Some("tool") => Subject::tool(named[1], named[0]),
            Some("skill") => Subject::Skill(named[0].into()),
            _ => panic!("a question about nothing known: {asked}"),
        }
    }
}

impl Jev {
    /// One that gives every question the same answer.
    pub fn always(noul: f64) -> Jev {
        Jev { said: vec![Said::Noul(noul)], manners: vec![Manner::Answers], takes_all_the_time: false }
    }

    /// Sends one request through the core.
    pub fn run(&self, pruner: &mut Pruner, scene: &Scene, now_ms: f64) -> Course {
        let mut course = Course { steps: Vec::new(), answered: BTreeMap::new(), end: End::Skipped };
        let step = pruner.begin(scene.request(), &scene.settings(), now_ms);
        course.end = self.converse(pruner, step, now_ms, &mut course);
        course
    }

    fn converse(&self, pruner: &mut Pruner, mut step: Step, mut now_ms: f64, course: &mut Course) -> End {
        let mut said = self.said.iter().cycle();
        let mut manners = self.manners.iter().cycle();
        loop {
            assert!(course.steps.len() < 10, "it does not end");
            let (asked, asks) = match step {
                Step::Skip(_) => return End::Skipped,
                Step::Wait(_) => return End::Joined,
                Step::Done(outcome) => return End::of(&outcome),
                Step::Ask(asked, asks) => (asked, asks),
            };
            let replies = course.reply(&asks, now_ms, &mut said, &mut manners);
            if self.takes_all_the_time {
                now_ms += asks.iter().map(|ask| ask.delay_ms + ask.timeout_ms).fold(0.0, f64::max);
            }
            step = pruner.answer(asked, &replies, now_ms);
        }
    }
}

impl End {
    fn of(outcome: &Outcome) -> End {
        let (plan, report) = (outcome.finished.plan.clone(), outcome.finished.report.clone());
        match () {
            () if outcome.from_cache => End::Known(plan, report),
            () if report.errors.is_empty() => End::Done(plan, report),
            () => End::Failed(plan, report),
        }
    }
}

impl Course {
    fn reply<'a>(
        &mut self,
        asks: &[Ask],
        now_ms: f64,
        said: &mut impl Iterator<Item = &'a Said>,
        manners: &mut impl Iterator<Item = &'a Manner>,
    ) -> Vec<Reply> {
        let mut replies = Vec::new();
        let mut sent = Vec::new();
        for ask in asks {
            let manner = manners.next().unwrap_or(&Manner::Answers);
            sent.push(Sent::new(ask, now_ms, manner.clone()));
        }
        for request in &sent {
            let http = |status, body: String| Reply::Http { status, body, retry_after: None };
            match request.manner {
                Manner::Answers => replies.push(http(200, self.answer(request, said))),
                Manner::NoReply => break,
                Manner::NoResponse(failure) => {
                    replies.push(Reply::Failed { failure: failure.into(), message: "refused".into() })
                }
                Manner::Status(status) => replies.push(http(status, r#"{"answers":{}}"#.into())),
                Manner::Body(body) => replies.push(http(200, body.to_string())),
            }
        }
        self.steps.push(sent);
        replies
    }

    fn answer<'a>(&mut self, request: &Sent, said: &mut impl Iterator<Item = &'a Said>) -> String {
        // Answers to what was not asked are no harm.
        let mut answers = json!({ "s999": { "type": "noul", "noul": 0.0 }, "x": 1 });
        for question in &request.questions {
            let said = said.next().unwrap_or(&Said::Nothing);
            let (answer, score) = match said {
                Said::Noul(noul) => (json!({ "type": "noul", "noul": noul }), Some(*noul)),
                Said::Garbage(value) => (value.clone(), None),
                Said::Nothing => (Value::Null, None),
            };
            if !matches!(said, Said::Nothing) {
                answers[&question.id] = answer;
            }
            self.answered.insert(question.subject(), score);
        }
        json!({ "model": "jev", "answers": answers }).to_string()
    }

    /// The questions of each phase, without those that are put once more.
    pub fn phases(&self) -> Vec<Vec<&Question>> {
        let first_tries = self.steps.iter().map(|step| step.iter().filter(|sent| !sent.is_retry()));
        let phases = first_tries.map(|sent| sent.flat_map(|sent| &sent.questions).collect::<Vec<_>>());
        phases.filter(|questions| !questions.is_empty()).collect()
    }

    /// Whether a request failed for good: in a way that does not pass, or at its second try.
    pub fn has_failed(&self) -> bool {
        let mut sent = self.steps.iter().flatten();
        sent.any(|sent| match sent.manner {
            Manner::Answers => false,
            _ => sent.is_retry() || !sent.manner.may_pass(),
        })
    }

    /// What goes out, and what is told of it.
    pub fn outcome(&self) -> Option<(&Plan, &Report)> {
        match &self.end {
            End::Known(plan, report) | End::Done(plan, report) | End::Failed(plan, report) => {
                Some((plan, report))
            }
            End::Skipped | End::Joined => None,
        }
    }
}

fn said() -> impl Strategy<Value = Said> {
    let garbage = vec![
        json!({ "noul": "0.1" }),
        json!({ "noul": -0.1 }),
        json!({ "noul": 1.1 }),
        json!({ "noul": null }),
        json!({ "noul": [0.1] }),
        json!({ "yes": 0.1 }),
        json!(0.1),
        json!(null),
    ];
    prop_oneof![
        4 => select(vec![0.0, 0.1, 0.349, 0.35, 0.5, 0.9, 1.0]).prop_map(Said::Noul),
        4 => (0.0..=1.0f64).prop_map(Said::Noul),
        1 => Just(Said::Nothing),
        1 => select(garbage).prop_map(Said::Garbage),
    ]
}

/// One that answers every request, though not always every question.
pub fn answering() -> impl Strategy<Value = Jev> {
    vec(said(), 1..30).prop_map(|said| Jev { said, ..Jev::always(0.0) })
}

/// One that fails now and then.
pub fn failing() -> impl Strategy<Value = Jev> {
    let bodies = vec!["", "<html>", "[]", "{\"answers\":[]}", "{\"answers\":{\"s0\":{\"noul\":0.", "null"];
    let manner = prop_oneof![
        3 => Just(Manner::Answers),
        1 => Just(Manner::NoReply),
        2 => select(vec!["network", "timeout", "reset"]).prop_map(Manner::NoResponse),
        2 => select(vec![199, 301, 401, 422, 429, 500, 529]).prop_map(Manner::Status),
        1 => select(bodies).prop_map(Manner::Body),
    ];
    (answering(), vec(manner, 1..6)).prop_map(|(jev, manners)| Jev { manners, ..jev })
}
