//! What the scores of logged reports would have decided under other settings. It reads reports as `report.rs` writes
//! them, and decides by the same rules and the same memory as the requests themselves.
//!
//! A log holds no texts, so what follows from texts alone stays as it was: what is there to decide on, what the
//! conversation has used, and what was shown at once or put off to spare the prompt cache.

use arcstr::Substr;
use serde::Serialize;
use serde_json::Value;

use crate::candidates::{Candidates, Server, Skill, Tool};
use crate::opencode::messages::Used;
use crate::opencode::names::ToolPath;
use crate::options::{DecisionScope, Options};
use crate::policy::rules::Rules;
use crate::policy::verdicts::{self, Needs};
use crate::policy::{Answer, Answers, Decision, Reason, Verdict};
use crate::session::memory::{Memory, Missed, Recall};
use crate::session::recent::Cache;
use crate::session::search_pins::Asked;

const MAX_SESSIONS: usize = 200;

/// Replays the reports of a log, in their order.
#[derive(Debug)]
pub struct Replayer {
    rules: Rules,
    remembers: bool,
    sessions: Cache<String, Memory>,
}

/// What one report comes to under the settings of a [`Replayer`]: a letter for each candidate, in the order of the
/// report's lists.
///
/// `k` is kept and `p` pruned. `u` is kept since it would have been asked about and was not, so that nobody knows.
/// `a` is added to the host's sample if there is room, `s` is not. `-` stands for what is no candidate.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Replayed {
    pub servers: String,
    pub tools: String,
    pub skills: String,
    /// What would be hidden where the conversation has used it.
    pub missed: Vec<Missed>,
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
        let needs = Needs { used: &scene.used, asked: &Asked::default() };
        let mut decision = verdicts::decide(&scene.candidates, &answers, &self.rules, &needs);
        scene.spare_the_cache(&mut decision);
        memory.note(&scene.candidates, &answers, &decision);
        self.sessions.put(session, memory, 0.0);
        Some(Replayed { missed, ..scene.letters(&decision) })
    }
}

/// Where a candidate of a report stands.
#[derive(Clone, Copy, Debug)]
enum Place {
    Server(usize),
    Tool(usize, usize),
    Skill(usize),
}

/// What a report tells of one request.
#[derive(Debug, Default)]
struct Scene {
    candidates: Candidates,
    answers: Answers,
    used: Used,
    /// Each tool of the report, in its order.
    tools: Vec<Option<Place>>,
    /// What was shown or put off for the sake of the prompt cache.
    for_cache: Vec<(Place, Verdict)>,
}

impl Scene {
    fn read(report: &Value) -> Scene {
        let mut scene = Scene::default();
        for (at, item) in items(&report["servers"]).iter().enumerate() {
            let server = Server { namespace: text(&item["name"]).into(), ..Server::default() };
            scene.candidates.servers.push(server);
            scene.answers.servers.push(answer(item));
            scene.answers.tools.push(Vec::new());
            scene.note(item, Place::Server(at));
        }
        for item in items(&report["tools"]) {
            let place = scene.read_tool(item);
            scene.tools.push(place);
        }
        for (at, item) in items(&report["skills"]).iter().enumerate() {
            let name = text(&item["name"]);
            let id = Substr::from(name.as_str());
            if is(item, Reason::UsedInConversation) {
                scene.used.skills.insert(name);
            }
            let skill = Skill { name: id.clone(), id, chars: chars(item), ..Skill::default() };
            scene.candidates.skills.push(skill);
            scene.answers.skills.push(answer(item));
            scene.note(item, Place::Skill(at));
        }
        scene
    }

    /// A tool's name is `server.tool`; of servers that both fit, the longer name is meant, since the host's tool
    /// names have no full stop.
    fn read_tool(&mut self, item: &Value) -> Option<Place> {
        let name = text(&item["name"]);
        let of = |server: &Server| {
            name.strip_prefix(server.namespace.as_str())?.strip_prefix('.').map(Substr::from)
        };
        let servers = self.candidates.servers.iter_mut().enumerate();
        let found = servers.filter_map(|(at, server)| Some((of(server)?, at, server)));
        let (tool, at, server) = found.min_by_key(|(tool, ..)| tool.len())?;
        if is(item, Reason::UsedInConversation) {
            self.used.add_path(ToolPath { namespace: server.namespace.clone(), tool: tool.clone() });
        }
        let place = Place::Tool(at, server.tools.len());
        server.tools.push(Tool {
            id: format!("{}_{tool}", server.namespace).into(),
            name: tool,
            is_listed: item["decision"] == "keep" || item["decision"] == "prune",
            chars: chars(item),
            ..Tool::default()
        });
        self.answers.tools[at].push(answer(item));
        self.note(item, place);
        Some(place)
    }

    fn note(&mut self, item: &Value, place: Place) {
        if is(item, Reason::ShownForCache) {
            self.for_cache.push((place, Verdict::keep(Reason::ShownForCache)));
        } else if is(item, Reason::FromNextPrompt) {
            self.for_cache.push((place, Verdict::prune(Reason::FromNextPrompt)));
        }
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

    /// What was shown or put off to spare the cache stays so: what that costs depends on texts.
    fn spare_the_cache(&self, decision: &mut Decision) {
        for &(place, verdict) in &self.for_cache {
            let slot = match place {
                Place::Server(at) => &mut decision.servers[at],
                Place::Tool(at, tool) => &mut decision.tools[at][tool],
                Place::Skill(at) => &mut decision.skills[at],
            };
            if slot.kept != verdict.kept {
                *slot = verdict;
            }
        }
    }

    fn letters(&self, decision: &Decision) -> Replayed {
        let letter = |place: Place| {
            let (verdict, answer) = match place {
                Place::Server(at) => (decision.servers[at], Answer::Missing),
                Place::Tool(at, tool) => (decision.tools[at][tool], self.answers.tool(at, tool)),
                Place::Skill(at) => (decision.skills[at], self.answers.skill(at)),
            };
            match (verdict.reason, verdict.kept) {
                (Reason::NoAnswer, _) if answer == Answer::NotAsked => 'u',
                (Reason::Added, _) => 'a',
                (Reason::NotListed, _) => 's',
                (_, true) => 'k',
                (_, false) => 'p',
            }
        };
        Replayed {
            servers: (0..decision.servers.len()).map(|at| letter(Place::Server(at))).collect(),
            tools: self.tools.iter().map(|place| place.map_or('-', letter)).collect(),
            skills: (0..decision.skills.len()).map(|at| letter(Place::Skill(at))).collect(),
            missed: Vec::new(),
        }
    }
}

fn is(item: &Value, reason: Reason) -> bool {
    item["reason"] == reason.name()
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
        None if is(item, Reason::NoAnswer) => Answer::Missing,
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

    /// The letters of servers, tools and skills.
    fn letters(options: Value, reports: &[Value]) -> Vec<[String; 3]> {
        let all = replayed(options, reports).into_iter();
        all.map(|replayed| [replayed.servers, replayed.tools, replayed.skills]).collect()
    }

    #[test]
    fn the_same_settings_decide_the_same() {
        assert_eq!(letters(json!({}), &[logged()]), [["kp", "kpp", "kp"]]);
    }

    #[test]
    fn a_lower_threshold_shows_more() {
        let options = json!({ "jev_confidence_threshold": 0.5 });
        assert_eq!(letters(options, &[logged()]), [["kp", "kkp", "kp"]]);
    }

    #[test]
    fn a_higher_threshold_hides_more_but_the_best_of_a_server() {
        let options = json!({ "jev_confidence_threshold": 0.95 });
        assert_eq!(letters(options, &[logged()]), [["kp", "kpp", "pp"]]);
    }

    #[test]
    fn what_was_never_asked_is_unknown_and_kept() {
        let options = json!({ "jev_phase1_threshold": 0.2 });
        assert_eq!(letters(options, &[logged()]), [["kk", "kpu", "kp"]]);
    }

    #[test]
    fn what_is_used_and_would_be_hidden_is_missed_once() {
        let later = |reason: &str| {
            let skills = vec![item("forms", 0.9, "keep", reason), item("captions", 0.2, "prune", "rejected")];
            report(false, vec![], vec![], skills)
        };
        let used = "used_in_conversation";
        let reports = [logged(), later("passed"), later(used), later(used)];
        let missed = |options: Value| {
            replayed(options, &reports).iter().map(|replayed| replayed.missed.len()).collect::<Vec<_>>()
        };
        assert_eq!(missed(json!({ "jev_confidence_threshold": 0.95 })), [0, 0, 1, 0]);
        assert_eq!(missed(json!({})), [0, 0, 0, 0]);
    }

    #[test]
    fn what_was_shown_stays_shown_until_the_session_begins_anew() {
        let scored = |first: bool, score: f64| {
            report(first, vec![], vec![], vec![item("forms", score, "keep", "passed")])
        };
        let skills = |scope: &str| {
            let reports = [scored(true, 0.9), scored(false, 0.1), scored(true, 0.1)];
            let all = letters(json!({ "decision_scope": scope }), &reports);
            all.into_iter().map(|[_, _, skills]| skills).collect::<String>()
        };
        assert_eq!(skills("session"), "kkp");
        assert_eq!(skills("prompt"), "kpp");
    }

    #[test]
    fn what_was_shown_or_put_off_for_the_cache_stays_so() {
        let servers = vec![item("db", 0.9, "keep", "phase1_passed")];
        let tools = vec![
            item("db.best", 0.3, "keep", "best_of_server"),
            item("db.more", 0.1, "keep", "shown_for_cache"),
        ];
        let skills = vec![item("captions", 0.9, "prune", "from_next_prompt")];
        let logged = report(true, servers, tools, skills);
        assert_eq!(letters(json!({}), &[logged]), [["k", "kk", "p"]]);
    }

    #[test]
    fn tools_outside_the_sample_are_told_apart() {
        let servers = vec![item("db", 0.9, "keep", "phase1_passed")];
        let tools = vec![
            item("db.read", 0.9, "keep", "passed"),
            item("db.more", 0.5, "skip", "not_listed"),
            item("db.less", 0.1, "skip", "not_listed"),
        ];
        let logged = report(true, servers, tools, vec![]);
        assert_eq!(letters(json!({ "jev_confidence_threshold": 0.4 }), &[logged]), [["k", "kas", ""]]);
    }

    #[test]
    fn anything_that_is_no_report_is_left_out() {
        for other in [json!(null), json!({}), json!({ "servers": 1, "tools": [1], "skills": "x" })] {
            assert!(replayed(json!({}), &[other]).is_empty());
        }
        let odd = json!({ "servers": [{ "name": "db" }], "tools": [{ "name": "other.tool" }, 7] });
        assert_eq!(letters(json!({}), &[odd]), [["k", "--", ""]]);
    }
}
