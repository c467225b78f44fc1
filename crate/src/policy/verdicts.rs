//! When is a server, a tool or a skill hidden? The answer stands here, and only here.
//!
//! What is asked about follows from the same rules: [`to_ask_first`] names the servers of phase 1,
//! [`to_ask_next`] the tools and skills of phase 2. What already stands is not asked about again.

use super::budget;
use super::ranking;
use super::rules::Rules;
use super::{Answer, Answers, Decision, Reason, Verdict};
use crate::candidates::{Candidates, Server, Skill, Tool};
use crate::opencode::messages::Used;
use crate::session::search_pins::SearchPins;

/// The servers to ask about in phase 1; none if phase 1 is skipped.
pub fn to_ask_first(candidates: &Candidates, answers: &Answers, rules: &Rules) -> Vec<usize> {
    if !rules.asks_servers(candidates) {
        return Vec::new();
    }
    let servers = candidates.servers.iter().enumerate();
    let open = servers.filter(|(at, server)| {
        answers.server(*at) == Answer::NotAsked
            && !rules.hides_server(server)
            && !rules.always_keeps_server(server)
            && !rules.has_always_kept_tool(server)
    });
    open.map(|(at, _)| at).collect()
}

/// The tools, by server and place in it, and the skills to ask about in phase 2.
///
/// Of tools that the request does not show only as many are asked about as `max_candidates` leaves room for,
/// those first that share most words with the prompt.
pub fn to_ask_next(
    candidates: &Candidates,
    answers: &Answers,
    rules: &Rules,
    prompt: &str,
) -> (Vec<(usize, usize)>, Vec<usize>) {
    let (mut listed, mut unlisted) = (Vec::new(), Vec::new());
    for (at, server) in candidates.servers.iter().enumerate() {
        if rules.always_keeps_server(server) || !judge_server(server, answers.server(at), rules).kept {
            continue;
        }
        for (place, tool) in server.tools.iter().enumerate() {
            let is_settled = rules.always_keeps_tool(server, tool) || rules.hides_tool(server, tool);
            if is_settled || answers.tool(at, place) != Answer::NotAsked {
                continue;
            }
            let list = if tool.is_listed { &mut listed } else { &mut unlisted };
            list.push((at, place));
        }
    }
    let room = rules.max_candidates.saturating_sub(listed.len());
    if unlisted.len() > room {
        unlisted = ranking::best_tools(candidates, &unlisted, prompt, room);
    }
    listed.extend(unlisted);
    let skills = candidates.skills.iter().enumerate();
    let is_settled = |skill: &Skill| rules.always_keeps_skill(skill) || rules.hides_skill(skill);
    let open = skills.filter(|(at, skill)| answers.skill(*at) == Answer::NotAsked && !is_settled(skill));
    (listed, open.map(|(at, _)| at).collect())
}

/// What a session needs whatever the answers say.
pub struct Needs<'a> {
    /// What the conversation has used.
    pub used: &'a Used,
    /// What the model asked for.
    pub asked: &'a SearchPins,
}

/// The decision that follows from the answers, and from what the session needs.
pub fn decide(candidates: &Candidates, answers: &Answers, rules: &Rules, needs: &Needs) -> Decision {
    let mut decision = Decision::default();
    for (at, server) in candidates.servers.iter().enumerate() {
        let judged = judge_server(server, answers.server(at), rules);
        let tools = server.tools.iter().enumerate();
        let mut tools: Vec<Verdict> = tools
            .map(|(place, tool)| judge_tool(server, tool, judged, answers.tool(at, place), rules, needs))
            .collect();
        let judged = match judged.kept || !needs.asked.has_server(server) {
            true => judged,
            false => Verdict::keep(Reason::AskedFor),
        };
        let stands = matches!(answers.server(at), Answer::Stands { .. });
        let verdict = settle(server, judged, &mut tools, answers.tools_of(at), stands);
        decision.servers.push(verdict);
        decision.tools.push(tools);
    }
    for (at, skill) in candidates.skills.iter().enumerate() {
        decision.skills.push(if rules.always_keeps_skill(skill) {
            Verdict::keep(Reason::AlwaysIncluded)
        } else if needs.used.has_skill(&skill.id, &skill.name) {
            Verdict::keep(Reason::UsedInConversation)
        } else if needs.asked.has_skill(skill) {
            Verdict::keep(Reason::AskedFor)
        } else if rules.hides_skill(skill) && !stands_shown(answers.skill(at)) {
            Verdict::prune(Reason::OnDemand)
        } else {
            judge_answer(answers.skill(at), rules)
        });
    }
    budget::limit_what_stays(candidates, answers, rules, &mut decision);
    budget::limit_what_goes(candidates, answers, rules, &mut decision);
    decision
}

fn judge_server(server: &Server, answer: Answer, rules: &Rules) -> Verdict {
    if rules.always_keeps_server(server) {
        return Verdict::keep(Reason::AlwaysIncluded);
    }
    if rules.has_always_kept_tool(server) {
        return Verdict::keep(Reason::HasAlwaysIncludedTool);
    }
    match answer {
        _ if rules.hides_server(server) && !stands_shown(answer) => Verdict::prune(Reason::OnDemand),
        Answer::NotAsked => Verdict::keep(Reason::ServerNotAsked),
        Answer::Missing => Verdict::keep(Reason::NoAnswer),
        Answer::Stands { verdict, .. } => verdict,
        Answer::Noul(score) if score >= rules.phase1_threshold => Verdict::keep(Reason::Phase1Passed),
        Answer::Noul(_) => Verdict::prune(Reason::Phase1Rejected),
    }
}

fn judge_tool(
    server: &Server,
    tool: &Tool,
    judged: Verdict,
    answer: Answer,
    rules: &Rules,
    needs: &Needs,
) -> Verdict {
    if !tool.is_listed {
        return match needs.asked.has_tool(tool) {
            true => Verdict::keep(Reason::Added),
            false => judge_unlisted(judged, answer, rules),
        };
    }
    if judged.reason == Reason::AlwaysIncluded || rules.always_keeps_tool(server, tool) {
        return Verdict::keep(Reason::AlwaysIncluded);
    }
    // A call to a native tool that is gone ends the turn (host-observed.md), and some providers refuse a
    // history that names a tool no longer listed.
    if needs.used.has_tool(&server.namespace, &tool.name, &tool.id) {
        return Verdict::keep(Reason::UsedInConversation);
    }
    if needs.asked.has_tool(tool) {
        return Verdict::keep(Reason::AskedFor);
    }
    if rules.hides_tool(server, tool) && !stands_shown(answer) {
        return Verdict::prune(Reason::OnDemand);
    }
    if let Answer::Stands { verdict, .. } = answer {
        return verdict;
    }
    if !judged.kept {
        return Verdict::prune(Reason::ServerRejected);
    }
    judge_answer(answer, rules)
}

/// Whether something was shown before, and so stays shown.
fn stands_shown(answer: Answer) -> bool {
    matches!(answer, Answer::Stands { verdict, .. } if verdict.kept && verdict.reason != Reason::NotScored)
}

/// A tool that the request does not show is added only on a clear yes.
fn judge_unlisted(judged: Verdict, answer: Answer, rules: &Rules) -> Verdict {
    match answer {
        Answer::Noul(score) if judged.kept && score >= rules.threshold => Verdict::keep(Reason::Added),
        Answer::Stands { verdict, .. } if verdict.kept && judged.kept => Verdict::keep(Reason::Added),
        _ => Verdict::prune(Reason::NotListed),
    }
}

fn judge_answer(answer: Answer, rules: &Rules) -> Verdict {
    match answer {
        Answer::NotAsked | Answer::Missing => Verdict::keep(Reason::NoAnswer),
        Answer::Stands { verdict, .. } => verdict,
        Answer::Noul(score) if score >= rules.threshold => Verdict::keep(Reason::Passed),
        Answer::Noul(_) => Verdict::prune(Reason::Rejected),
    }
}

/// Brings a server and its tools in line: a server that passed keeps its best tool, one that was not asked
/// about goes with its last tool, and one with a tool left stays. Only tools that the request shows count, and
/// those that are to be added.
fn settle(
    server: &Server,
    judged: Verdict,
    tools: &mut [Verdict],
    answers: &[Answer],
    stands: bool,
) -> Verdict {
    let listed: Vec<usize> = (0..tools.len()).filter(|&at| server.tools[at].is_listed).collect();
    if let Some(kept) = listed.iter().map(|&at| tools[at]).find(|tool| tool.kept) {
        return if judged.kept { judged } else { kept };
    }
    if listed.is_empty() || !judged.kept {
        return judged;
    }
    if listed.iter().all(|&at| tools[at].reason == Reason::OnDemand) {
        return Verdict::prune(Reason::OnDemand);
    }
    if stands {
        return judged;
    }
    if judged.reason == Reason::ServerNotAsked {
        return match tools.iter().any(|tool| tool.reason == Reason::Added) {
            true => judged,
            false => Verdict::prune(Reason::AllToolsRejected),
        };
    }
    let score = |at: usize| answers.get(at).and_then(|answer| answer.score()).unwrap_or(0.0);
    // Of equal scores the first stays, so that equal input gives equal output.
    let best = listed.iter().copied().reduce(|best, at| if score(at) > score(best) { at } else { best });
    if let Some(tool) = best.and_then(|at| tools.get_mut(at)) {
        *tool = Verdict::keep(Reason::BestOfServer);
    }
    judged
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::Options;
    use crate::session::search_pins::Found;
    use serde_json::json;
    use Answer::{Missing, NotAsked, Noul};

    fn candidates(servers: &[(&str, &[&str])], skills: &[&str]) -> Candidates {
        let tool = |server: &str, name: &&str| Tool {
            name: (*name).into(),
            id: format!("{server}_{name}").into(),
            description: None,
            is_native: true,
            is_listed: true,
            ..Tool::default()
        };
        Candidates {
            servers: servers
                .iter()
                .map(|(name, tools)| Server {
                    namespace: (*name).into(),
                    tools: tools.iter().map(|tool_name| tool(name, tool_name)).collect(),
                    ..Server::default()
                })
                .collect(),
            skills: skills
                .iter()
                .map(|id| Skill { id: (*id).into(), name: (*id).into(), ..Skill::default() })
                .collect(),
            ..Candidates::default()
        }
    }

    fn rules(options: serde_json::Value) -> Rules {
        Rules::new(&Options::from_json(&options))
    }

    /// The verdicts on servers and on all tools in a row, for the thresholds 0.35 and 0.55.
    fn decided(
        candidates: &Candidates,
        servers: &[Answer],
        tools: &[&[Answer]],
        options: serde_json::Value,
        used: &[&str],
    ) -> (Vec<Verdict>, Vec<Verdict>) {
        let answers = Answers {
            servers: servers.to_vec(),
            tools: tools.iter().map(|tools| tools.to_vec()).collect(),
            skills: vec![],
        };
        let used = Used { native: used.iter().map(|name| name.to_string()).collect(), ..Used::default() };
        let needs = Needs { used: &used, asked: &SearchPins::default() };
        let decision = decide(candidates, &answers, &rules(options), &needs);
        (decision.servers, decision.tools.concat())
    }

    const KEEP: fn(Reason) -> Verdict = Verdict::keep;
    const PRUNE: fn(Reason) -> Verdict = Verdict::prune;

    #[test]
    fn a_server_passes_at_its_threshold_and_a_tool_at_its_own() {
        let both = candidates(&[("a", &["x", "y"]), ("b", &["z"])], &[]);
        let (servers, tools) = decided(
            &both,
            &[Noul(0.35), Noul(0.34)],
            &[&[Noul(0.55), Noul(0.54)], &[NotAsked]],
            json!({}),
            &[],
        );
        assert_eq!(servers, [KEEP(Reason::Phase1Passed), PRUNE(Reason::Phase1Rejected)]);
        assert_eq!(tools, [KEEP(Reason::Passed), PRUNE(Reason::Rejected), PRUNE(Reason::ServerRejected)]);
    }

    #[test]
    fn without_an_answer_a_candidate_stays() {
        let both = candidates(&[("a", &["x"]), ("b", &[])], &[]);
        let (servers, tools) = decided(&both, &[Missing, Missing], &[&[Missing], &[]], json!({}), &[]);
        assert_eq!(servers, [KEEP(Reason::NoAnswer), KEEP(Reason::NoAnswer)]);
        assert_eq!(tools, [KEEP(Reason::NoAnswer)]);
    }

    #[test]
    fn a_server_that_passed_keeps_its_best_tool() {
        let both = candidates(&[("a", &["x", "y", "z"]), ("b", &["w"])], &[]);
        let (servers, tools) = decided(
            &both,
            &[Noul(0.9), Noul(0.9)],
            &[&[Noul(0.1), Noul(0.3), Noul(0.3)], &[Noul(0.0)]],
            json!({}),
            &[],
        );
        assert_eq!(servers, [KEEP(Reason::Phase1Passed); 2]);
        assert_eq!(
            tools,
            [
                PRUNE(Reason::Rejected),
                KEEP(Reason::BestOfServer),
                PRUNE(Reason::Rejected),
                KEEP(Reason::BestOfServer)
            ]
        );
    }

    #[test]
    fn a_server_that_was_not_asked_goes_with_its_last_tool() {
        let one = candidates(&[("a", &["x", "y"])], &[]);
        let (servers, tools) = decided(&one, &[NotAsked], &[&[Noul(0.1), Noul(0.2)]], json!({}), &[]);
        assert_eq!(servers, [PRUNE(Reason::AllToolsRejected)]);
        assert_eq!(tools, [PRUNE(Reason::Rejected); 2]);
        let (servers, _) = decided(&one, &[NotAsked], &[&[Noul(0.1), Noul(0.8)]], json!({}), &[]);
        assert_eq!(servers, [KEEP(Reason::ServerNotAsked)]);
    }

    #[test]
    fn an_always_included_server_stays_whole_and_unasked() {
        let both = candidates(&[("a", &["x"]), ("b", &["y"]), ("c", &["z"])], &[]);
        let options = json!({ "always_include_servers": ["a"] });
        let answers = Answers { servers: vec![NotAsked, Noul(0.9), Noul(0.9)], ..Answers::default() };
        assert_eq!(to_ask_first(&both, &Answers::default(), &rules(options.clone())), [1, 2]);
        assert_eq!(to_ask_next(&both, &answers, &rules(options.clone()), "").0, [(1, 0), (2, 0)]);
        let (servers, tools) =
            decided(&both, &answers.servers, &[&[], &[Noul(0.9)], &[Noul(0.9)]], options, &[]);
        assert_eq!(servers[0], KEEP(Reason::AlwaysIncluded));
        assert_eq!(tools[0], KEEP(Reason::AlwaysIncluded));
    }

    #[test]
    fn a_server_with_an_always_included_tool_is_asked_only_about_its_others() {
        let both = candidates(&[("a", &["x", "y"]), ("b", &["z"])], &[]);
        let options = json!({ "always_include_tools": ["a.x"] });
        assert_eq!(to_ask_first(&both, &Answers::default(), &rules(options.clone())), [1]);
        let answers = Answers { servers: vec![NotAsked, Noul(0.0)], ..Answers::default() };
        assert_eq!(to_ask_next(&both, &answers, &rules(options.clone()), "").0, [(0, 1)]);
        let (servers, tools) =
            decided(&both, &answers.servers, &[&[NotAsked, Noul(0.1)], &[NotAsked]], options, &[]);
        assert_eq!(servers, [KEEP(Reason::HasAlwaysIncludedTool), PRUNE(Reason::Phase1Rejected)]);
        assert_eq!(tools[..2], [KEEP(Reason::AlwaysIncluded), PRUNE(Reason::Rejected)]);
    }

    #[test]
    fn a_native_tool_that_was_called_stays_and_its_server_with_it() {
        let both = candidates(&[("a", &["x", "y"]), ("b", &["z"])], &[]);
        let (servers, tools) = decided(
            &both,
            &[Noul(0.0), Noul(0.0)],
            &[&[NotAsked, NotAsked], &[NotAsked]],
            json!({}),
            &["a_x"],
        );
        assert_eq!(servers, [KEEP(Reason::UsedInConversation), PRUNE(Reason::Phase1Rejected)]);
        assert_eq!(
            tools,
            [KEEP(Reason::UsedInConversation), PRUNE(Reason::ServerRejected), PRUNE(Reason::ServerRejected)]
        );
    }

    #[test]
    fn phase_2_asks_about_tools_of_survivors_and_all_skills() {
        let set = candidates(&[("a", &["x"]), ("b", &["y"])], &["s", "error_recovery"]);
        let answers = Answers { servers: vec![Noul(0.9), Noul(0.1)], ..Answers::default() };
        assert_eq!(to_ask_next(&set, &answers, &rules(json!({})), ""), (vec![(0, 0)], vec![0]));
    }

    #[test]
    fn in_one_phase_all_tools_are_asked_about_and_no_server() {
        let set = candidates(&[("a", &["x"]), ("b", &["y"])], &[]);
        let rules = rules(json!({ "enable_two_phase_gating": false }));
        assert!(to_ask_first(&set, &Answers::default(), &rules).is_empty());
        assert_eq!(to_ask_next(&set, &Answers::default(), &rules, "").0, [(0, 0), (1, 0)]);
    }

    #[test]
    fn a_skill_is_judged_like_a_tool() {
        let set = candidates(&[], &["a", "b", "c", "core_system_skill"]);
        let answers =
            Answers { skills: vec![Noul(0.55), Noul(0.5), Missing, NotAsked], ..Answers::default() };
        let needs = Needs { used: &Used::default(), asked: &SearchPins::default() };
        let decision = decide(&set, &answers, &rules(json!({})), &needs);
        assert_eq!(
            decision.skills,
            [
                KEEP(Reason::Passed),
                PRUNE(Reason::Rejected),
                KEEP(Reason::NoAnswer),
                KEEP(Reason::AlwaysIncluded)
            ]
        );
    }

    /// The verdicts on servers, on all tools in a row and on skills, where Jev says yes to everything.
    fn on_demand(set: &Candidates, discovery: serde_json::Value, asked: SearchPins) -> Decision {
        let mut discovery = discovery;
        discovery["enabled"] = json!(true);
        let rules = rules(json!({ "discovery": discovery }));
        let mut answers = Answers {
            servers: vec![NotAsked; set.servers.len()],
            tools: set.servers.iter().map(|server| vec![NotAsked; server.tools.len()]).collect(),
            skills: vec![NotAsked; set.skills.len()],
        };
        for at in to_ask_first(set, &answers, &rules) {
            answers.servers[at] = Noul(0.9);
        }
        let (tools, skills) = to_ask_next(set, &answers, &rules, "");
        tools.into_iter().for_each(|(server, tool)| answers.tools[server][tool] = Noul(0.9));
        skills.into_iter().for_each(|skill| answers.skills[skill] = Noul(0.9));
        decide(set, &answers, &rules, &Needs { used: &Used::default(), asked: &asked })
    }

    fn found(ids: &[&str]) -> SearchPins {
        let mut asked = SearchPins::default();
        let found = |id: &&str| match id.split_once('_') {
            Some((namespace, _)) => Found::Tool { id: id.to_string(), namespace: namespace.to_string() },
            None => Found::Skill(id.to_string()),
        };
        asked.add(ids.iter().map(found).collect());
        asked
    }

    fn set_of_three() -> Candidates {
        candidates(&[("a", &["x", "y"]), ("b", &["z"]), ("c", &["w"])], &["tea", "knots"])
    }

    #[test]
    fn what_is_to_be_hidden_is_neither_asked_about_nor_shown() {
        let decision =
            on_demand(&set_of_three(), json!({ "hide": ["a", "b.*", "re:^te"] }), SearchPins::default());
        let hidden = PRUNE(Reason::OnDemand);
        assert_eq!(decision.servers, [hidden, hidden, KEEP(Reason::Phase1Passed)]);
        assert_eq!(decision.tools.concat(), [hidden, hidden, hidden, KEEP(Reason::Passed)]);
        assert_eq!(decision.skills, [hidden, KEEP(Reason::Passed)]);
    }

    #[test]
    fn keep_wins_over_hide() {
        let decision = on_demand(
            &set_of_three(),
            json!({ "hide": ["*"], "keep": ["a_x", "b", "tea"] }),
            SearchPins::default(),
        );
        let (hidden, always) = (PRUNE(Reason::OnDemand), KEEP(Reason::AlwaysIncluded));
        assert_eq!(decision.servers, [KEEP(Reason::HasAlwaysIncludedTool), always, hidden]);
        assert_eq!(decision.tools.concat(), [always, hidden, always, hidden]);
        assert_eq!(decision.skills, [always, hidden]);
    }

    #[test]
    fn what_was_asked_for_is_shown_and_the_rest_of_its_server_is_not() {
        let decision = on_demand(&set_of_three(), json!({ "hide": ["*"] }), found(&["a_y", "knots"]));
        let (hidden, asked) = (PRUNE(Reason::OnDemand), KEEP(Reason::AskedFor));
        assert_eq!(decision.servers, [asked, hidden, hidden]);
        assert_eq!(decision.tools.concat(), [hidden, asked, hidden, hidden]);
        assert_eq!(decision.skills, [hidden, asked]);
    }

    #[test]
    fn what_was_asked_for_is_shown_though_its_server_was_rejected() {
        let set = candidates(&[("a", &["x", "y"])], &[]);
        let answers =
            Answers { servers: vec![Noul(0.1)], tools: vec![vec![NotAsked; 2]], ..Answers::default() };
        let needs = Needs { used: &Used::default(), asked: &found(&["a_y"]) };
        let decision = decide(&set, &answers, &rules(json!({})), &needs);
        assert_eq!(decision.servers, [KEEP(Reason::AskedFor)]);
        assert_eq!(decision.tools, [[PRUNE(Reason::ServerRejected), KEEP(Reason::AskedFor)]]);
    }

    #[test]
    fn while_discovery_is_off_nothing_is_hidden_by_its_patterns() {
        let rules = rules(json!({ "discovery": { "hide": ["*"] } }));
        assert!(!rules.hides_server(&set_of_three().servers[0]));
    }
}
