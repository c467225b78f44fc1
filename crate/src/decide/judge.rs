//! When is a server, a tool or a skill hidden? The answer stands here, and only here.
//!
//! What is asked about follows from the same rules: [`to_ask_first`] names the servers of phase 1,
//! [`to_ask_next`] the tools and skills of phase 2.

use std::collections::HashSet;

use super::rules::Rules;
use super::{Answer, Answers, Decision, Reason, Verdict};
use crate::candidates::{Candidates, Server};

/// The servers to ask about in phase 1; none if phase 1 is skipped.
pub fn to_ask_first(candidates: &Candidates, rules: &Rules) -> Vec<usize> {
    if !rules.asks_servers(candidates) {
        return Vec::new();
    }
    let open = |server: &Server| !rules.always_keeps_server(server) && !rules.has_always_kept_tool(server);
    indices(&candidates.servers, open)
}

/// The tools, by server and place in it, and the skills to ask about in phase 2.
pub fn to_ask_next(
    candidates: &Candidates,
    answers: &Answers,
    rules: &Rules,
) -> (Vec<(usize, usize)>, Vec<usize>) {
    let mut tools = Vec::new();
    for (at, server) in candidates.servers.iter().enumerate() {
        if rules.always_keeps_server(server) || !judge_server(server, answers.server(at), rules).kept {
            continue;
        }
        let open = indices(&server.tools, |tool| !rules.always_keeps_tool(server, tool));
        tools.extend(open.into_iter().map(|tool| (at, tool)));
    }
    (tools, indices(&candidates.skills, |skill| !rules.always_keeps_skill(skill)))
}

/// The decision that follows from the answers. `used` holds the native names of tools that the
/// conversation has called.
pub fn decide(candidates: &Candidates, answers: &Answers, rules: &Rules, used: &HashSet<String>) -> Decision {
    let mut decision = Decision::default();
    for (at, server) in candidates.servers.iter().enumerate() {
        let judged = judge_server(server, answers.server(at), rules);
        let mut tools: Vec<Verdict> = (0..server.tools.len())
            .map(|tool| judge_tool(server, tool, judged, answers.tool(at, tool), rules, used))
            .collect();
        let verdict = settle(judged, &mut tools, &answers.tools.get(at).cloned().unwrap_or_default());
        decision.servers.push(verdict);
        decision.tools.push(tools);
    }
    for (at, skill) in candidates.skills.iter().enumerate() {
        decision.skills.push(match rules.always_keeps_skill(skill) {
            true => Verdict::keep(Reason::AlwaysIncluded),
            false => judge_answer(answers.skill(at), rules),
        });
    }
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
        Answer::NotAsked => Verdict::keep(Reason::ServerNotAsked),
        Answer::Missing => Verdict::keep(Reason::NoAnswer),
        Answer::Noul(score) if score >= rules.phase1_threshold => Verdict::keep(Reason::Phase1Passed),
        Answer::Noul(_) => Verdict::prune(Reason::Phase1Rejected),
    }
}

fn judge_tool(
    server: &Server,
    tool: usize,
    judged: Verdict,
    answer: Answer,
    rules: &Rules,
    used: &HashSet<String>,
) -> Verdict {
    let Some(tool) = server.tools.get(tool) else { return Verdict::keep(Reason::NoAnswer) };
    if judged.reason == Reason::AlwaysIncluded || rules.always_keeps_tool(server, tool) {
        return Verdict::keep(Reason::AlwaysIncluded);
    }
    // A call to a native tool that is gone ends the turn (host-observed.md), so one that the conversation
    // knows of never goes.
    if tool.is_native && used.contains(&tool.id) {
        return Verdict::keep(Reason::UsedInConversation);
    }
    if !judged.kept {
        return Verdict::prune(Reason::ServerRejected);
    }
    judge_answer(answer, rules)
}

fn judge_answer(answer: Answer, rules: &Rules) -> Verdict {
    match answer {
        Answer::NotAsked | Answer::Missing => Verdict::keep(Reason::NoAnswer),
        Answer::Noul(score) if score >= rules.threshold => Verdict::keep(Reason::Passed),
        Answer::Noul(_) => Verdict::prune(Reason::Rejected),
    }
}

/// Brings a server and its tools in line: a server that passed keeps its best tool, one that was not asked
/// about goes with its last tool, and one with a tool left stays.
fn settle(judged: Verdict, tools: &mut [Verdict], answers: &[Answer]) -> Verdict {
    if tools.is_empty() {
        return judged;
    }
    if tools.iter().any(|tool| tool.kept) {
        return match judged.kept {
            true => judged,
            false => Verdict::keep(Reason::UsedInConversation),
        };
    }
    match judged.reason {
        Reason::Phase1Rejected => judged,
        Reason::ServerNotAsked => Verdict::prune(Reason::AllToolsRejected),
        _ => {
            let score = |at: usize| answers.get(at).and_then(|answer| answer.score()).unwrap_or(0.0);
            // Of equal scores the first stays, so that equal input gives equal output.
            let best = (1..tools.len()).fold(0, |best, at| if score(at) > score(best) { at } else { best });
            if let Some(tool) = tools.get_mut(best) {
                *tool = Verdict::keep(Reason::BestOfServer);
            }
            judged
        }
    }
}

fn indices<T>(items: &[T], wanted: impl Fn(&T) -> bool) -> Vec<usize> {
    items.iter().enumerate().filter(|(_, item)| wanted(item)).map(|(at, _)| at).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::candidates::{Skill, Tool};
    use serde_json::json;
    use Answer::{Missing, NotAsked, Noul};

    fn candidates(servers: &[(&str, &[&str])], skills: &[&str]) -> Candidates {
        let tool = |server: &str, name: &&str| Tool {
            name: name.to_string(),
            id: format!("{server}_{name}"),
            description: None,
            is_native: true,
        };
        Candidates {
            servers: servers
                .iter()
                .map(|(name, tools)| Server {
                    namespace: name.to_string(),
                    tools: tools.iter().map(|tool_name| tool(name, tool_name)).collect(),
                    ..Server::default()
                })
                .collect(),
            skills: skills
                .iter()
                .map(|id| Skill { id: id.to_string(), name: id.to_string(), description: None })
                .collect(),
            ..Candidates::default()
        }
    }

    fn rules(options: serde_json::Value) -> Rules {
        Rules::new(&serde_json::from_value(options).unwrap())
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
        let used = used.iter().map(|name| name.to_string()).collect();
        let decision = decide(candidates, &answers, &rules(options), &used);
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
        assert_eq!(to_ask_first(&both, &rules(options.clone())), [1, 2]);
        assert_eq!(to_ask_next(&both, &answers, &rules(options.clone())).0, [(1, 0), (2, 0)]);
        let (servers, tools) =
            decided(&both, &answers.servers, &[&[], &[Noul(0.9)], &[Noul(0.9)]], options, &[]);
        assert_eq!(servers[0], KEEP(Reason::AlwaysIncluded));
        assert_eq!(tools[0], KEEP(Reason::AlwaysIncluded));
    }

    #[test]
    fn a_server_with_an_always_included_tool_is_asked_only_about_its_others() {
        let both = candidates(&[("a", &["x", "y"]), ("b", &["z"])], &[]);
        let options = json!({ "always_include_tools": ["a.x"] });
        assert_eq!(to_ask_first(&both, &rules(options.clone())), [1]);
        let answers = Answers { servers: vec![NotAsked, Noul(0.0)], ..Answers::default() };
        assert_eq!(to_ask_next(&both, &answers, &rules(options.clone())).0, [(0, 1)]);
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
        assert_eq!(to_ask_next(&set, &answers, &rules(json!({}))), (vec![(0, 0)], vec![0]));
    }

    #[test]
    fn in_one_phase_all_tools_are_asked_about_and_no_server() {
        let set = candidates(&[("a", &["x"]), ("b", &["y"])], &[]);
        let rules = rules(json!({ "enable_two_phase_gating": false }));
        assert!(to_ask_first(&set, &rules).is_empty());
        assert_eq!(to_ask_next(&set, &Answers::default(), &rules).0, [(0, 0), (1, 0)]);
    }

    #[test]
    fn a_skill_is_judged_like_a_tool() {
        let set = candidates(&[], &["a", "b", "c", "core_system_skill"]);
        let answers =
            Answers { skills: vec![Noul(0.55), Noul(0.5), Missing, NotAsked], ..Answers::default() };
        let decision = decide(&set, &answers, &rules(json!({})), &HashSet::new());
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
}
