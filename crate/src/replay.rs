//! What the scores of logged reports would have decided under other settings. It reads reports as [`crate::report`]
//! serialises them, and decides by the same rules and the same memory as the requests themselves.
//!
//! A log holds no texts, so what follows from texts alone stays as it was: what is there to decide on, what the
//! conversation has used, and what was shown at once or put off to spare the prompt cache.

use arcstr::Substr;
use serde::{Deserialize, Serialize};

use crate::candidates::{Candidates, Server, Skill, Tool};
use crate::lenient::{or_default, Lenient};
use crate::opencode::messages::Used;
use crate::opencode::names::ToolPath;
use crate::options::{DecisionScope, Options};
use crate::policy::{decide, Answer, Answers, Decision, Needs, Reason, Rules, Verdict};
use crate::report::Outcome;
use crate::session::memory::{Memory, Missed, Recall};
use crate::session::recent::Recent;
use crate::session::search_pins::SearchPins;

const MAX_SESSIONS: usize = 200;

/// Replays the reports of a log, in their order.
#[derive(Debug)]
pub struct Replayer {
    rules: Rules,
    remembers: bool,
    sessions: Recent<String, Memory>,
}

/// What one report comes to under the settings of a [`Replayer`]: a letter for each candidate, in the order of the
/// report's lists.
///
/// `k` is kept and `p` pruned. `u` is kept since it would have been asked about and was not, so that nobody knows.
/// `a` is added to OpenCode's sample if there is room, `s` is not. `-` is for what is no candidate.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Replayed {
    /// A letter for each of the report's servers.
    pub servers: String,
    /// A letter for each of the report's tools.
    pub tools: String,
    /// A letter for each of the report's skills.
    pub skills: String,
    /// What would be hidden where the conversation has used it.
    pub missed: Vec<Missed>,
}

impl Replayer {
    /// For reports that are to be decided on under these settings.
    pub fn new(options: &Options) -> Replayer {
        Replayer {
            rules: Rules::new(options),
            remembers: options.decision_scope == DecisionScope::Session,
            sessions: Recent::new(MAX_SESSIONS),
        }
    }

    /// Decides anew on a report, given as its line of the log. Nothing for one without candidates: of a request that was
    /// skipped, or for which Jev failed; nor for what is no report.
    pub fn replay(&mut self, line: &str) -> Option<Replayed> {
        let report: LoggedReport = serde_json::from_str(line).ok()?;
        // Where each prompt is decided alone, a decision that was made anew is one on a new prompt.
        let starts_anew = report.first || (!self.remembers && !report.stats.from_cache);
        let session = report.session.clone();
        let request = LoggedRequest::from(report);
        if request.candidates.is_empty() {
            return None;
        }
        let known = self.sessions.get(&session).cloned();
        let mut memory = known.filter(|_| !starts_anew).unwrap_or_default();
        let missed = memory.missed(&request.candidates, &request.used, self.rules.threshold);
        memory.note_missed(&missed);
        let answers = request.answers_beside(memory.answers(&request.candidates, Recall::NewPrompt));
        let needs = Needs { used: &request.used, pins: &SearchPins::default() };
        let mut decision = decide(&request.candidates, &answers, &self.rules, &needs);
        request.restore_cache_decisions(&mut decision);
        memory.note(&request.candidates, &answers, &decision);
        self.sessions.put(session, memory, 0.0);
        Some(Replayed { missed, ..request.letters(&decision) })
    }
}

/// A [`Report`](crate::report::Report) as the log holds it, as far as it matters here. A log may be of another version:
/// what is missing or of another kind has its default.
#[derive(Deserialize)]
struct LoggedReport {
    #[serde(default, deserialize_with = "or_default")]
    session: String,
    #[serde(default, deserialize_with = "or_default")]
    first: bool,
    #[serde(default, deserialize_with = "or_default")]
    stats: LoggedStats,
    #[serde(default, deserialize_with = "or_default")]
    servers: Vec<Lenient<LoggedCandidate>>,
    #[serde(default, deserialize_with = "or_default")]
    tools: Vec<Lenient<LoggedCandidate>>,
    #[serde(default, deserialize_with = "or_default")]
    skills: Vec<Lenient<LoggedCandidate>>,
}

#[derive(Default, Deserialize)]
struct LoggedStats {
    #[serde(default, deserialize_with = "or_default")]
    from_cache: bool,
}

#[derive(Default, Deserialize)]
struct LoggedCandidate {
    #[serde(default, deserialize_with = "or_default")]
    name: String,
    #[serde(default, deserialize_with = "or_default")]
    score: Option<f64>,
    #[serde(default, deserialize_with = "or_default")]
    decision: Option<Outcome>,
    #[serde(default, deserialize_with = "or_default")]
    reason: Option<Reason>,
    #[serde(default, deserialize_with = "or_default")]
    chars: usize,
}

impl LoggedCandidate {
    fn was_used(&self) -> bool {
        self.reason == Some(Reason::UsedInConversation)
    }

    fn is_listed(&self) -> bool {
        matches!(self.decision, Some(Outcome::Keep | Outcome::Prune))
    }

    fn answer(&self) -> Answer {
        match self.score {
            Some(score) => Answer::Score(score),
            None if self.reason == Some(Reason::NoAnswer) => Answer::Missing,
            None => Answer::NotAsked,
        }
    }

    /// The verdict, if it was made for the sake of the prompt cache.
    fn cache_verdict(&self) -> Option<Verdict> {
        match self.reason? {
            reason @ Reason::ShownForCache => Some(Verdict::keep(reason)),
            reason @ Reason::FromNextPrompt => Some(Verdict::prune(reason)),
            _ => None,
        }
    }
}

fn readable(candidates: Vec<Lenient<LoggedCandidate>>) -> impl Iterator<Item = LoggedCandidate> {
    candidates.into_iter().map(|candidate| candidate.0.unwrap_or_default())
}

/// A candidate of a report by its index; a tool by its server's and its own within that server.
#[derive(Clone, Copy, Debug)]
enum Place {
    Server(usize),
    Tool { server: usize, tool: usize },
    Skill(usize),
}

/// A request as its report lets it be known.
#[derive(Debug, Default)]
struct LoggedRequest {
    candidates: Candidates,
    answers: Answers,
    used: Used,
    /// Which candidate each tool of the report is, in the report's order; none if its server is not in the report.
    tools: Vec<Option<Place>>,
    /// What was shown or put off for the sake of the prompt cache.
    cache_verdicts: Vec<(Place, Verdict)>,
}

impl From<LoggedReport> for LoggedRequest {
    fn from(report: LoggedReport) -> LoggedRequest {
        let mut request = LoggedRequest::default();
        readable(report.servers).for_each(|server| request.add_server(server));
        for tool in readable(report.tools) {
            let place = request.add_tool(tool);
            request.tools.push(place);
        }
        readable(report.skills).for_each(|skill| request.add_skill(skill));
        request
    }
}

impl LoggedRequest {
    fn add_server(&mut self, logged: LoggedCandidate) {
        self.note_cache_verdict(&logged, Place::Server(self.candidates.servers.len()));
        self.answers.servers.push(logged.answer());
        self.answers.tools.push(Vec::new());
        self.candidates.servers.push(Server { namespace: logged.name.into(), ..Server::default() });
    }

    /// A tool's name is `server.tool`; of servers that both fit, the longer name is meant, since OpenCode's tool
    /// names have no full stop.
    fn add_tool(&mut self, logged: LoggedCandidate) -> Option<Place> {
        let tool_of = |server: &Server| {
            logged.name.strip_prefix(server.namespace.as_str())?.strip_prefix('.').map(Substr::from)
        };
        let servers = self.candidates.servers.iter_mut().enumerate();
        let found = servers.filter_map(|(at, server)| Some((tool_of(server)?, at, server)));
        let (tool, at, server) = found.min_by_key(|(tool, ..)| tool.len())?;
        if logged.was_used() {
            self.used.add_path(ToolPath { namespace: server.namespace.clone(), tool: tool.clone() });
        }
        let place = Place::Tool { server: at, tool: server.tools.len() };
        server.tools.push(Tool {
            id: format!("{}_{tool}", server.namespace).into(),
            name: tool,
            is_listed: logged.is_listed(),
            chars: logged.chars,
            ..Tool::default()
        });
        self.answers.tools[at].push(logged.answer());
        self.note_cache_verdict(&logged, place);
        Some(place)
    }

    fn add_skill(&mut self, logged: LoggedCandidate) {
        self.note_cache_verdict(&logged, Place::Skill(self.candidates.skills.len()));
        self.answers.skills.push(logged.answer());
        let (id, chars) = (Substr::from(logged.name.as_str()), logged.chars);
        if logged.was_used() {
            self.used.skills.insert(logged.name);
        }
        self.candidates.skills.push(Skill { name: id.clone(), id, chars, ..Skill::default() });
    }

    fn note_cache_verdict(&mut self, logged: &LoggedCandidate, place: Place) {
        self.cache_verdicts.extend(logged.cache_verdict().map(|verdict| (place, verdict)));
    }

    /// What was shown before is remembered; everything else is decided on by its score.
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
    fn restore_cache_decisions(&self, decision: &mut Decision) {
        for &(place, verdict) in &self.cache_verdicts {
            let slot = match place {
                Place::Server(at) => &mut decision.servers[at],
                Place::Tool { server, tool } => &mut decision.tools[server][tool],
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
                Place::Tool { server, tool } => {
                    (decision.tools[server][tool], self.answers.tool(server, tool))
                }
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

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{json, Value};

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
        reports.iter().filter_map(|report| replayer.replay(&report.to_string())).collect()
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
