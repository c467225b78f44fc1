//! What the scores of logged reports would have decided under other settings. It reads reports as `report.rs` writes
//! them, and decides by the same rules and the same memory as the requests themselves.
//!
//! A log holds no texts, so what follows from texts alone stays as it was: what is there to decide on, and what
//! the conversation has used.

use serde::Serialize;
use serde_json::Value;

use crate::candidates::{Candidates, Server, Skill, Tool};
use crate::decide::cache::Cache;
use crate::decide::judge;
use crate::decide::memory::{Memory, Missed, Recall};
use crate::decide::rules::Rules;
use crate::decide::{Answer, Answers, Decision, Reason, Verdict};
use crate::host::messages::Used;
use crate::options::{DecisionScope, Options};
use crate::report::Count;

const MAX_SESSIONS: usize = 200;

/// Replays the reports of a log, in their order.
#[derive(Debug)]
pub struct Replayer {
    rules: Rules,
    remembers: bool,
    sessions: Cache<String, Memory>,
}

/// What one report comes to under the settings of a [`Replayer`]. Sizes are characters.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Replayed {
    pub servers: Count,
    pub tools: Count,
    pub skills: Count,
    /// Tools outside the host's sample that would be added if there is room.
    pub tools_added: usize,
    /// Tools and skills that would have been asked about and were not, so that nobody knows; they count as kept.
    pub unknown: usize,
    /// The size of the tools and skills that would be hidden, and of those that were.
    pub chars_hidden: i64,
    pub chars_were_hidden: i64,
    /// What would be hidden where the conversation has used it.
    pub missed: Vec<Missed>,
    /// Tools and skills that were hidden and would be shown, and the other way round.
    pub now_shown: Vec<String>,
    pub now_hidden: Vec<String>,
}

impl Replayer {
    pub fn new(options: &Options) -> Replayer {
        Replayer {
            rules: Rules::new(options),
            remembers: options.decision_scope == DecisionScope::Session,
            sessions: Cache::new(MAX_SESSIONS),
        }
    }

    /// Nothing for a report without candidates: of a request that was skipped, or for which Jev failed.
    pub fn replay(&mut self, report: &Value) -> Option<Replayed> {
        let scene = Scene::read(report);
        if scene.candidates.is_empty() {
            return None;
        }
        let session = text(&report["session"]);
        let known = self.sessions.get(&session, 0.0, f64::INFINITY).cloned();
        // Where each prompt is decided alone, a decision that was made anew is one on a new prompt.
        let is_new_prompt = report["stats"]["from_cache"] != Value::Bool(true);
        let starts_anew = report["first"] == Value::Bool(true) || (!self.remembers && is_new_prompt);
        let mut memory = known.filter(|_| !starts_anew).unwrap_or_default();
        let missed = memory.missed(&scene.candidates, &scene.used, self.rules.threshold);
        memory.note_missed(&missed);
        let answers = scene.answers_beside(memory.answers(&scene.candidates, Recall::NewPrompt));
        let decision = judge::decide(&scene.candidates, &answers, &self.rules, &scene.used);
        memory.note(&scene.candidates, &answers, &decision);
        self.sessions.put(session, memory, 0.0);
        Some(scene.compare(&decision, missed))
    }
}

/// What a report tells of one request.
#[derive(Debug, Default)]
struct Scene {
    candidates: Candidates,
    answers: Answers,
    used: Used,
    /// Whether each tool, server by server, and each skill was kept.
    tools_kept: Vec<Vec<bool>>,
    skills_kept: Vec<bool>,
}

impl Scene {
    fn read(report: &Value) -> Scene {
        let mut scene = Scene::default();
        for item in items(&report["servers"]) {
            let server = Server { namespace: text(&item["name"]), ..Server::default() };
            scene.candidates.servers.push(server);
            scene.answers.servers.push(answer(item));
            scene.answers.tools.push(Vec::new());
            scene.tools_kept.push(Vec::new());
        }
        items(&report["tools"]).iter().for_each(|item| scene.read_tool(item));
        for item in items(&report["skills"]) {
            let id = text(&item["name"]);
            if item["reason"] == Reason::UsedInConversation.name() {
                scene.used.skills.insert(id.clone());
            }
            scene.candidates.skills.push(Skill {
                name: id.clone(),
                id,
                chars: chars(item),
                ..Skill::default()
            });
            scene.answers.skills.push(answer(item));
            scene.skills_kept.push(item["decision"] == "keep");
        }
        scene
    }

    /// A tool's name is `server.tool`; of servers that both fit, the longer name is meant, since the host's tool
    /// names have no full stop.
    fn read_tool(&mut self, item: &Value) {
        let name = text(&item["name"]);
        let of =
            |server: &Server| name.strip_prefix(&server.namespace)?.strip_prefix('.').map(str::to_string);
        let servers = self.candidates.servers.iter_mut().enumerate();
        let found = servers.filter_map(|(at, server)| Some((of(server)?, at, server)));
        let Some((tool, at, server)) = found.min_by_key(|(tool, ..)| tool.len()) else { return };
        if item["reason"] == Reason::UsedInConversation.name() {
            self.used.paths.insert((server.namespace.clone(), tool.clone()));
        }
        server.tools.push(Tool {
            id: format!("{}_{tool}", server.namespace),
            name: tool,
            is_listed: item["decision"] == "keep" || item["decision"] == "prune",
            chars: chars(item),
            ..Tool::default()
        });
        self.answers.tools[at].push(answer(item));
        self.tools_kept[at].push(item["decision"] == "keep");
    }

    /// What was shown before stands; everything else is decided on by its score.
    fn answers_beside(&self, known: Answers) -> Answers {
        let pick = |known: Vec<Answer>, logged: &[Answer]| -> Vec<Answer> {
            let both = known.into_iter().zip(logged);
            both.map(|(known, logged)| if known == Answer::NotAsked { *logged } else { known }).collect()
        };
        let tools = known.tools.into_iter().zip(&self.answers.tools);
        Answers {
            tools: tools.map(|(known, logged)| pick(known, logged)).collect(),
            servers: pick(known.servers, &self.answers.servers),
            skills: pick(known.skills, &self.answers.skills),
        }
    }

    fn compare(&self, decision: &Decision, missed: Vec<Missed>) -> Replayed {
        let is_shown = |verdict: &&Verdict| !verdict.reason.is_of_unlisted();
        let mut replayed = Replayed {
            servers: Count::of(decision.servers.iter()),
            tools: Count::of(decision.tools.iter().flatten().filter(is_shown)),
            skills: Count::of(decision.skills.iter()),
            tools_added: decision.tools.iter().flatten().filter(|v| v.reason == Reason::Added).count(),
            missed,
            ..Replayed::default()
        };
        for (at, server) in self.candidates.servers.iter().enumerate() {
            for (place, tool) in server.tools.iter().enumerate().filter(|(_, tool)| tool.is_listed) {
                let name = || format!("{}.{}", server.namespace, tool.name);
                let verdict = decision.tools[at][place];
                let was = (self.tools_kept[at][place], self.answers.tool(at, place));
                replayed.add(name, tool.chars, verdict, was);
            }
        }
        for (at, skill) in self.candidates.skills.iter().enumerate() {
            let was = (self.skills_kept[at], self.answers.skill(at));
            replayed.add(|| skill.id.clone(), skill.chars, decision.skills[at], was);
        }
        replayed
    }
}

impl Replayed {
    fn add(&mut self, name: impl Fn() -> String, chars: usize, verdict: Verdict, was: (bool, Answer)) {
        let (was_kept, answer) = was;
        if !verdict.kept {
            self.chars_hidden += chars as i64;
        }
        if !was_kept {
            self.chars_were_hidden += chars as i64;
        }
        if verdict.reason == Reason::NoAnswer && answer == Answer::NotAsked {
            self.unknown += 1;
        }
        match (was_kept, verdict.kept) {
            (false, true) => self.now_shown.push(name()),
            (true, false) => self.now_hidden.push(name()),
            _ => {}
        }
    }
}

fn items(list: &Value) -> &[Value] {
    list.as_array().map(Vec::as_slice).unwrap_or_default()
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_string()
}

fn chars(item: &Value) -> usize {
    item["chars"].as_u64().and_then(|chars| usize::try_from(chars).ok()).unwrap_or_default()
}

fn answer(item: &Value) -> Answer {
    match item["score"].as_f64() {
        Some(score) => Answer::Noul(score),
        None if item["reason"] == Reason::NoAnswer.name() => Answer::Missing,
        None => Answer::NotAsked,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn item(name: &str, score: impl Into<Value>, decision: &str, reason: &str) -> Value {
        json!({ "name": name, "score": score.into(), "decision": decision, "reason": reason, "chars": 100 })
    }

    fn report(first: bool, servers: Vec<Value>, tools: Vec<Value>, skills: Vec<Value>) -> Value {
        json!({ "session": "s", "first": first, "servers": servers, "tools": tools, "skills": skills })
    }

    /// Two servers of which one passed, three tools, two skills.
    fn logged() -> Value {
        report(
            true,
            vec![item("db", 0.5, "keep", "phase1_passed"), item("db.eu", 0.3, "prune", "phase1_rejected")],
            vec![
                item("db.read", 0.6, "keep", "passed"),
                item("db.write", 0.5, "prune", "rejected"),
                item("db.eu.read", Value::Null, "prune", "server_rejected"),
            ],
            vec![item("forms", 0.9, "keep", "passed"), item("captions", 0.2, "prune", "rejected")],
        )
    }

    fn replayed(options: Value, reports: &[Value]) -> Vec<Replayed> {
        let mut replayer = Replayer::new(&Options::from_json(&options));
        reports.iter().filter_map(|report| replayer.replay(report)).collect()
    }

    #[test]
    fn the_same_settings_decide_the_same() {
        let [same] = &replayed(json!({}), &[logged()])[..] else { panic!() };
        assert_eq!((same.servers.kept, same.tools.kept, same.skills.kept), (1, 1, 1));
        assert_eq!((same.chars_hidden, same.chars_were_hidden, same.unknown), (300, 300, 0));
        assert!(same.now_shown.is_empty() && same.now_hidden.is_empty());
    }

    #[test]
    fn a_lower_threshold_shows_more() {
        let [lower] = &replayed(json!({ "jev_confidence_threshold": 0.5 }), &[logged()])[..] else {
            panic!()
        };
        assert_eq!(lower.now_shown, ["db.write"]);
        assert_eq!(lower.chars_hidden, 200);
    }

    #[test]
    fn a_higher_threshold_hides_more_but_the_best_of_a_server() {
        let [higher] = &replayed(json!({ "jev_confidence_threshold": 0.95 }), &[logged()])[..] else {
            panic!()
        };
        assert_eq!(higher.now_hidden, ["forms"]);
        assert_eq!(higher.tools.kept, 1);
    }

    #[test]
    fn what_was_never_asked_is_unknown_and_kept() {
        let [lower] = &replayed(json!({ "jev_phase1_threshold": 0.2 }), &[logged()])[..] else { panic!() };
        assert_eq!((lower.unknown, lower.servers.kept), (1, 2));
        assert_eq!(lower.now_shown, ["db.eu.read"]);
    }

    #[test]
    fn what_is_used_and_would_be_hidden_is_missed_once() {
        let later = |reason: &str| {
            report(
                false,
                vec![],
                vec![],
                vec![item("forms", 0.9, "keep", reason), item("captions", 0.2, "prune", "rejected")],
            )
        };
        let reports =
            [logged(), later("passed"), later("used_in_conversation"), later("used_in_conversation")];
        let missed: Vec<usize> = replayed(json!({ "jev_confidence_threshold": 0.95 }), &reports)
            .iter()
            .map(|replayed| replayed.missed.len())
            .collect();
        assert_eq!(missed, [0, 0, 1, 0]);
        assert!(replayed(json!({}), &reports).iter().all(|replayed| replayed.missed.is_empty()));
    }

    #[test]
    fn what_was_shown_stays_shown_until_the_session_begins_anew() {
        let scored = |first: bool, score: f64| {
            report(first, vec![], vec![], vec![item("forms", score, "keep", "passed")])
        };
        let kept = |scope: &str, reports: &[Value]| {
            let options = json!({ "decision_scope": scope });
            replayed(options, reports).iter().map(|replayed| replayed.skills.kept).collect::<Vec<_>>()
        };
        let reports = [scored(true, 0.9), scored(false, 0.1), scored(true, 0.1)];
        assert_eq!(kept("session", &reports), [1, 1, 0]);
        assert_eq!(kept("prompt", &reports), [1, 0, 0]);
    }

    #[test]
    fn tools_outside_the_sample_are_counted_apart() {
        let servers = vec![item("db", 0.9, "keep", "phase1_passed")];
        let tools = vec![item("db.read", 0.9, "keep", "passed"), item("db.more", 0.5, "skip", "not_listed")];
        let [lower] = &replayed(
            json!({ "jev_confidence_threshold": 0.4 }),
            &[report(true, servers, tools, vec![])],
        )[..] else {
            panic!()
        };
        assert_eq!((lower.tools.total, lower.tools_added), (1, 1));
    }

    #[test]
    fn anything_that_is_no_report_is_left_out() {
        for other in [json!(null), json!({}), json!({ "servers": 1, "tools": [1], "skills": "x" })] {
            assert!(replayed(json!({}), &[other]).is_empty());
        }
    }
}
