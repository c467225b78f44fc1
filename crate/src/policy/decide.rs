//! When is a server, a tool or a skill hidden? This file decides, and no other.
//!
//! What Jev is asked about follows from the same rules: [`servers_to_ask`] names the servers of phase 1,
//! [`tools_and_skills_to_ask`] what is left for phase 2. What is remembered is not asked about again. How questions are
//! worded and sent is left to [`crate::jev`], limits on the whole decision to [`budget`].

use super::{budget, ranking, Answer, Answers, Decision, Reason, Rules, Verdict};
use crate::candidates::{Candidates, Server, Skill, Tool};
use crate::opencode::messages::Used;

/// The servers to ask about in phase 1, by their place; none if phase 1 is skipped.
pub(crate) fn servers_to_ask(candidates: &Candidates, answers: &Answers, rules: &Rules) -> Vec<usize> {
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
pub(crate) fn tools_and_skills_to_ask(
    candidates: &Candidates,
    answers: &Answers,
    rules: &Rules,
    prompt: &str,
) -> (Vec<(usize, usize)>, Vec<usize>) {
    let (mut listed, mut unlisted) = (Vec::new(), Vec::new());
    for (at, server) in candidates.servers.iter().enumerate() {
        if rules.always_keeps_server(server) || !decide_server(server, answers.server(at), rules).kept {
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

/// What a session needs, whatever the scores say.
pub(crate) struct Needs<'a> {
    /// What the conversation has used.
    pub used: &'a Used,
    /// What the model has searched for and found.
    pub pins: &'a dyn Pins,
}

/// Candidates that stay shown since the model asked for them.
pub(crate) trait Pins {
    /// Whether any of the server's tools is among them.
    fn has_server(&self, server: &Server) -> bool;
    /// Whether the tool is among them.
    fn has_tool(&self, tool: &Tool) -> bool;
    /// Whether the skill is among them.
    fn has_skill(&self, skill: &Skill) -> bool;
}

/// The decision that follows from the answers, and from what the session needs.
pub(crate) fn decide(candidates: &Candidates, answers: &Answers, rules: &Rules, needs: &Needs) -> Decision {
    let mut decision = Decision::default();
    for (at, server) in candidates.servers.iter().enumerate() {
        let (of_server, of_tools) = decide_server_and_tools(at, server, answers, rules, needs);
        decision.servers.push(of_server);
        decision.tools.push(of_tools);
    }
    for (at, skill) in candidates.skills.iter().enumerate() {
        decision.skills.push(decide_skill(skill, answers.skill(at), rules, needs));
    }
    budget::limit_kept(candidates, answers, rules, &mut decision);
    budget::limit_pruned(candidates, answers, rules, &mut decision);
    decision
}

fn decide_server_and_tools(
    at: usize,
    server: &Server,
    answers: &Answers,
    rules: &Rules,
    needs: &Needs,
) -> (Verdict, Vec<Verdict>) {
    let of_server = decide_server(server, answers.server(at), rules);
    let tools = server.tools.iter().enumerate();
    let mut of_tools: Vec<Verdict> = tools
        .map(|(place, tool)| decide_tool(server, tool, of_server, answers.tool(at, place), rules, needs))
        .collect();
    let of_server = match of_server.kept || !needs.pins.has_server(server) {
        true => of_server,
        false => Verdict::keep(Reason::AskedFor),
    };
    (reconcile(at, server, of_server, &mut of_tools, answers), of_tools)
}

/// A server's verdict before its tools are looked at.
fn decide_server(server: &Server, answer: Answer, rules: &Rules) -> Verdict {
    if rules.always_keeps_server(server) {
        return Verdict::keep(Reason::AlwaysIncluded);
    }
    if rules.has_always_kept_tool(server) {
        return Verdict::keep(Reason::HasAlwaysIncludedTool);
    }
    if rules.hides_server(server) && !overrides_hide(answer) {
        return Verdict::prune(Reason::OnDemand);
    }
    match answer {
        Answer::NotAsked => Verdict::keep(Reason::ServerNotAsked),
        Answer::Missing => Verdict::keep(Reason::NoAnswer),
        Answer::Remembered { verdict, .. } => verdict,
        Answer::Score(score) if score >= rules.phase1_threshold => Verdict::keep(Reason::Phase1Passed),
        Answer::Score(_) => Verdict::prune(Reason::Phase1Rejected),
    }
}

fn decide_tool(
    server: &Server,
    tool: &Tool,
    of_server: Verdict,
    answer: Answer,
    rules: &Rules,
    needs: &Needs,
) -> Verdict {
    if !tool.is_listed {
        return match needs.pins.has_tool(tool) {
            true => Verdict::keep(Reason::Added),
            false => decide_unlisted(of_server, answer, rules),
        };
    }
    if of_server.reason == Reason::AlwaysIncluded || rules.always_keeps_tool(server, tool) {
        return Verdict::keep(Reason::AlwaysIncluded);
    }
    // OpenCode ends the turn when the model calls a native tool that is gone (seen in a beta of OpenCode 2, July 2026),
    // and some providers refuse a history that names a tool no longer listed.
    if needs.used.has_tool(&server.namespace, &tool.name, &tool.id) {
        return Verdict::keep(Reason::UsedInConversation);
    }
    if needs.pins.has_tool(tool) {
        return Verdict::keep(Reason::AskedFor);
    }
    if rules.hides_tool(server, tool) && !overrides_hide(answer) {
        return Verdict::prune(Reason::OnDemand);
    }
    if !of_server.kept && !answer.is_remembered() {
        return Verdict::prune(Reason::ServerRejected);
    }
    by_score(answer, rules)
}

/// A tool that the request does not show is added only on a clear yes.
fn decide_unlisted(of_server: Verdict, answer: Answer, rules: &Rules) -> Verdict {
    let is_wanted = match answer {
        Answer::Score(score) => score >= rules.threshold,
        _ => answer.is_shown(),
    };
    match of_server.kept && is_wanted {
        true => Verdict::keep(Reason::Added),
        false => Verdict::prune(Reason::NotListed),
    }
}

fn decide_skill(skill: &Skill, answer: Answer, rules: &Rules, needs: &Needs) -> Verdict {
    if rules.always_keeps_skill(skill) {
        return Verdict::keep(Reason::AlwaysIncluded);
    }
    if needs.used.has_skill(&skill.id, &skill.name) {
        return Verdict::keep(Reason::UsedInConversation);
    }
    if needs.pins.has_skill(skill) {
        return Verdict::keep(Reason::AskedFor);
    }
    if rules.hides_skill(skill) && !overrides_hide(answer) {
        return Verdict::prune(Reason::OnDemand);
    }
    by_score(answer, rules)
}

/// A tool's or skill's verdict where nothing but its answer matters.
fn by_score(answer: Answer, rules: &Rules) -> Verdict {
    match answer {
        Answer::NotAsked | Answer::Missing => Verdict::keep(Reason::NoAnswer),
        Answer::Remembered { verdict, .. } => verdict,
        Answer::Score(score) if score >= rules.threshold => Verdict::keep(Reason::Passed),
        Answer::Score(_) => Verdict::prune(Reason::Rejected),
    }
}

/// Whether something was shown before for a reason that `discovery.hide` does not take back.
fn overrides_hide(answer: Answer) -> bool {
    matches!(answer, Answer::Remembered { verdict, .. } if verdict.kept && verdict.reason != Reason::NotScored)
}

/// Brings a server and its tools in line: a server that passed keeps its best tool, one that was not asked
/// about goes with its last tool, and one with a tool left stays. Only tools that the request shows count, and
/// those that are to be added.
fn reconcile(
    at: usize,
    server: &Server,
    of_server: Verdict,
    of_tools: &mut [Verdict],
    answers: &Answers,
) -> Verdict {
    let listed: Vec<usize> = (0..of_tools.len()).filter(|&tool| server.tools[tool].is_listed).collect();
    if let Some(kept) = listed.iter().map(|&tool| of_tools[tool]).find(|verdict| verdict.kept) {
        return if of_server.kept { of_server } else { kept };
    }
    if listed.is_empty() || !of_server.kept {
        return of_server;
    }
    if listed.iter().all(|&tool| of_tools[tool].reason == Reason::OnDemand) {
        return Verdict::prune(Reason::OnDemand);
    }
    if answers.server(at).is_remembered() {
        return of_server;
    }
    if of_server.reason == Reason::ServerNotAsked {
        return match of_tools.iter().any(|verdict| verdict.reason == Reason::Added) {
            true => of_server,
            false => Verdict::prune(Reason::AllToolsRejected),
        };
    }
    let score = |tool: usize| answers.tool(at, tool).score().unwrap_or(0.0);
    // Of equal scores the first stays, so that equal input gives equal output.
    let best =
        listed.iter().copied().reduce(|best, tool| if score(tool) > score(best) { tool } else { best });
    if let Some(verdict) = best.and_then(|tool| of_tools.get_mut(tool)) {
        *verdict = Verdict::keep(Reason::BestOfServer);
    }
    of_server
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::Options;
    use serde_json::json;
    use Answer::{Missing, NotAsked, Score};

    /// Ids of tools (`server_tool`) and skills that a search found.
    #[derive(Default)]
    struct Found(Vec<&'static str>);

    impl Pins for Found {
        fn has_server(&self, server: &Server) -> bool {
            let namespaces = self.0.iter().filter_map(|id| id.split_once('_'));
            namespaces.into_iter().any(|(namespace, _)| namespace == server.namespace.as_str())
        }

        fn has_tool(&self, tool: &Tool) -> bool {
            self.0.contains(&tool.id.as_str())
        }

        fn has_skill(&self, skill: &Skill) -> bool {
            self.0.contains(&skill.id.as_str())
        }
    }

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
        let needs = Needs { used: &used, pins: &Found::default() };
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
            &[Score(0.35), Score(0.34)],
            &[&[Score(0.55), Score(0.54)], &[NotAsked]],
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
            &[Score(0.9), Score(0.9)],
            &[&[Score(0.1), Score(0.3), Score(0.3)], &[Score(0.0)]],
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
        let (servers, tools) = decided(&one, &[NotAsked], &[&[Score(0.1), Score(0.2)]], json!({}), &[]);
        assert_eq!(servers, [PRUNE(Reason::AllToolsRejected)]);
        assert_eq!(tools, [PRUNE(Reason::Rejected); 2]);
        let (servers, _) = decided(&one, &[NotAsked], &[&[Score(0.1), Score(0.8)]], json!({}), &[]);
        assert_eq!(servers, [KEEP(Reason::ServerNotAsked)]);
    }

    #[test]
    fn an_always_included_server_stays_whole_and_unasked() {
        let both = candidates(&[("a", &["x"]), ("b", &["y"]), ("c", &["z"])], &[]);
        let options = json!({ "always_include_servers": ["a"] });
        let answers = Answers { servers: vec![NotAsked, Score(0.9), Score(0.9)], ..Answers::default() };
        assert_eq!(servers_to_ask(&both, &Answers::default(), &rules(options.clone())), [1, 2]);
        assert_eq!(tools_and_skills_to_ask(&both, &answers, &rules(options.clone()), "").0, [(1, 0), (2, 0)]);
        let (servers, tools) =
            decided(&both, &answers.servers, &[&[], &[Score(0.9)], &[Score(0.9)]], options, &[]);
        assert_eq!(servers[0], KEEP(Reason::AlwaysIncluded));
        assert_eq!(tools[0], KEEP(Reason::AlwaysIncluded));
    }

    #[test]
    fn a_server_with_an_always_included_tool_is_asked_only_about_its_others() {
        let both = candidates(&[("a", &["x", "y"]), ("b", &["z"])], &[]);
        let options = json!({ "always_include_tools": ["a.x"] });
        assert_eq!(servers_to_ask(&both, &Answers::default(), &rules(options.clone())), [1]);
        let answers = Answers { servers: vec![NotAsked, Score(0.0)], ..Answers::default() };
        assert_eq!(tools_and_skills_to_ask(&both, &answers, &rules(options.clone()), "").0, [(0, 1)]);
        let (servers, tools) =
            decided(&both, &answers.servers, &[&[NotAsked, Score(0.1)], &[NotAsked]], options, &[]);
        assert_eq!(servers, [KEEP(Reason::HasAlwaysIncludedTool), PRUNE(Reason::Phase1Rejected)]);
        assert_eq!(tools[..2], [KEEP(Reason::AlwaysIncluded), PRUNE(Reason::Rejected)]);
    }

    #[test]
    fn a_native_tool_that_was_called_stays_and_its_server_with_it() {
        let both = candidates(&[("a", &["x", "y"]), ("b", &["z"])], &[]);
        let (servers, tools) = decided(
            &both,
            &[Score(0.0), Score(0.0)],
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
        let answers = Answers { servers: vec![Score(0.9), Score(0.1)], ..Answers::default() };
        assert_eq!(tools_and_skills_to_ask(&set, &answers, &rules(json!({})), ""), (vec![(0, 0)], vec![0]));
    }

    #[test]
    fn in_one_phase_all_tools_are_asked_about_and_no_server() {
        let set = candidates(&[("a", &["x"]), ("b", &["y"])], &[]);
        let rules = rules(json!({ "enable_two_phase_gating": false }));
        assert!(servers_to_ask(&set, &Answers::default(), &rules).is_empty());
        assert_eq!(tools_and_skills_to_ask(&set, &Answers::default(), &rules, "").0, [(0, 0), (1, 0)]);
    }

    #[test]
    fn a_skill_is_decided_on_like_a_tool() {
        let set = candidates(&[], &["a", "b", "c", "core_system_skill"]);
        let answers =
            Answers { skills: vec![Score(0.55), Score(0.5), Missing, NotAsked], ..Answers::default() };
        let needs = Needs { used: &Used::default(), pins: &Found::default() };
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
    fn on_demand(set: &Candidates, discovery: serde_json::Value, found: Found) -> Decision {
        let mut discovery = discovery;
        discovery["enabled"] = json!(true);
        let rules = rules(json!({ "discovery": discovery }));
        let mut answers = Answers {
            servers: vec![NotAsked; set.servers.len()],
            tools: set.servers.iter().map(|server| vec![NotAsked; server.tools.len()]).collect(),
            skills: vec![NotAsked; set.skills.len()],
        };
        for at in servers_to_ask(set, &answers, &rules) {
            answers.servers[at] = Score(0.9);
        }
        let (tools, skills) = tools_and_skills_to_ask(set, &answers, &rules, "");
        tools.into_iter().for_each(|(server, tool)| answers.tools[server][tool] = Score(0.9));
        skills.into_iter().for_each(|skill| answers.skills[skill] = Score(0.9));
        decide(set, &answers, &rules, &Needs { used: &Used::default(), pins: &found })
    }

    fn set_of_three() -> Candidates {
        candidates(&[("a", &["x", "y"]), ("b", &["z"]), ("c", &["w"])], &["tea", "knots"])
    }

    #[test]
    fn what_is_to_be_hidden_is_neither_asked_about_nor_shown() {
        let decision =
            on_demand(&set_of_three(), json!({ "hide": ["a", "b.*", "re:^te"] }), Found::default());
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
            Found::default(),
        );
        let (hidden, always) = (PRUNE(Reason::OnDemand), KEEP(Reason::AlwaysIncluded));
        assert_eq!(decision.servers, [KEEP(Reason::HasAlwaysIncludedTool), always, hidden]);
        assert_eq!(decision.tools.concat(), [always, hidden, always, hidden]);
        assert_eq!(decision.skills, [always, hidden]);
    }

    #[test]
    fn what_was_asked_for_is_shown_and_the_rest_of_its_server_is_not() {
        let decision = on_demand(&set_of_three(), json!({ "hide": ["*"] }), Found(vec!["a_y", "knots"]));
        let (hidden, asked) = (PRUNE(Reason::OnDemand), KEEP(Reason::AskedFor));
        assert_eq!(decision.servers, [asked, hidden, hidden]);
        assert_eq!(decision.tools.concat(), [hidden, asked, hidden, hidden]);
        assert_eq!(decision.skills, [hidden, asked]);
    }

    #[test]
    fn what_was_asked_for_is_shown_though_its_server_was_rejected() {
        let set = candidates(&[("a", &["x", "y"])], &[]);
        let answers =
            Answers { servers: vec![Score(0.1)], tools: vec![vec![NotAsked; 2]], ..Answers::default() };
        let needs = Needs { used: &Used::default(), pins: &Found(vec!["a_y"]) };
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
