//! What is decided from the answers: which candidates stay, whatever the scene and whatever Jev says.

use std::collections::{BTreeMap, BTreeSet};

use opencode_jev_pruner::pruning::Pruner;
use opencode_jev_pruner::report::{CandidateReport, Details, Outcome, Report};
use proptest::prelude::*;

use crate::cases;
use crate::jev::{answering, End, Jev, Said};
use crate::scene::{native_name, scenes, Scene, Server, Subject, HOST_TOOLS};

/// The end of a request that was answered.
struct Ended {
    /// What stays, and what goes.
    kept: BTreeMap<Subject, bool>,
    answered: BTreeMap<Subject, Option<f64>>,
    report: Report,
}

/// `None` where nothing had to be decided.
fn run(jev: &Jev, scene: &Scene) -> Option<Ended> {
    let course = jev.run(&mut Pruner::default(), scene, 0.0);
    let (End::Done(_, report) | End::Known(_, report)) = course.end else { return None };
    let mut kept = BTreeMap::new();
    let mut note = |subject: Subject, one: &CandidateReport| {
        kept.insert(subject, one.decision == Outcome::Keep);
    };
    report.details.servers.iter().for_each(|one| note(Subject::Server(one.name.to_string()), one));
    report.details.skills.iter().for_each(|one| note(Subject::Skill(one.name.to_string()), one));
    for one in &report.details.tools {
        let (server, tool) = one.name.split_once('.')?;
        note(Subject::tool(server, tool), one);
    }
    Some(Ended { kept, answered: course.answered, report })
}

/// The threshold for tools and skills, and the one for servers.
fn thresholds(scene: &Scene) -> (f64, f64) {
    let options = scene.options();
    (options.jev_confidence_threshold, options.jev_phase1_threshold)
}

impl Ended {
    fn keeps_server(&self, server: &Server) -> bool {
        self.kept[&Subject::Server(server.name.into())]
    }

    fn keeps_tool(&self, server: &Server, tool: &str) -> bool {
        self.kept[&Subject::tool(server.name, tool)]
    }

    /// The usable answer to a question.
    fn score(&self, subject: &Subject) -> Option<f64> {
        self.answered.get(subject).copied().flatten()
    }

    fn score_of(&self, server: &Server) -> Option<f64> {
        self.score(&Subject::Server(server.name.into()))
    }

    /// Whether there is a usable answer on each of a server's tools, of which there is one.
    fn has_all_answers(&self, server: &Server) -> bool {
        let answered = |tool: &&str| self.score(&Subject::tool(server.name, tool)).is_some();
        !server.tools.is_empty() && server.tools.iter().all(answered)
    }

    fn kept_tools(&self, server: &Server) -> usize {
        server.tools.iter().filter(|tool| self.keeps_tool(server, tool)).count()
    }
}

proptest! {
    #![proptest_config(cases(256))]

    #[test]
    fn everything_is_decided_once(scene in scenes(), jev in answering()) {
        let Some(ended) = run(&jev, &scene) else { return Ok(()) };
        let mut expected = BTreeSet::new();
        for server in scene.candidates() {
            expected.insert(Subject::Server(server.name.into()));
            expected.extend(server.tools.iter().map(|tool| Subject::tool(server.name, tool)));
        }
        expected.extend(scene.skills.iter().cloned().map(Subject::Skill));
        prop_assert_eq!(ended.kept.keys().cloned().collect::<BTreeSet<_>>(), expected);
        let Details { servers, tools, skills, .. } = &*ended.report.details;
        prop_assert_eq!(servers.len() + tools.len() + skills.len(), ended.kept.len());
    }

    #[test]
    fn what_is_always_included_stays(scene in scenes(), jev in answering()) {
        let Some(ended) = run(&jev, &scene) else { return Ok(()) };
        for server in scene.candidates() {
            prop_assert!(ended.keeps_server(server) || !scene.always_keeps_server(server));
            for tool in &server.tools {
                prop_assert!(ended.keeps_tool(server, tool) || !scene.always_keeps_tool(server, tool));
            }
        }
        for id in &scene.skills {
            prop_assert!(ended.kept[&Subject::Skill(id.clone())] || !scene.always_keeps_skill(id));
        }
    }

    #[test]
    fn a_skill_goes_exactly_when_it_scored_below_its_threshold_and_is_not_used(scene in scenes(), jev in answering()) {
        let Some(ended) = run(&jev, &scene) else { return Ok(()) };
        for id in &scene.skills {
            let subject = Subject::Skill(id.clone());
            let is_low = ended.score(&subject).is_some_and(|score| score < thresholds(&scene).0);
            prop_assert_eq!(ended.kept[&subject], !is_low || scene.is_used_skill(id));
        }
    }

    #[test]
    fn a_server_that_was_asked_about_goes_exactly_when_it_scored_below_its_threshold(
        scene in scenes(),
        jev in answering(),
    ) {
        let Some(ended) = run(&jev, &scene) else { return Ok(()) };
        for server in scene.candidates() {
            let subject = Subject::Server(server.name.into());
            let is_asked = ended.answered.contains_key(&subject);
            let is_used = server.tools.iter().any(|tool| scene.is_used(server, tool));
            let is_low = ended.score(&subject).is_some_and(|score| score < thresholds(&scene).1);
            prop_assert!(!is_asked || ended.keeps_server(server) == (!is_low || is_used));
        }
    }

    #[test]
    fn without_an_answer_a_candidate_stays_unless_its_server_was_rejected(
        scene in scenes(),
        jev in answering(),
    ) {
        let Some(ended) = run(&jev, &scene) else { return Ok(()) };
        let threshold = scene.options().jev_phase1_threshold;
        for (subject, _) in ended.kept.iter().filter(|(_, kept)| !**kept) {
            let has_answer = ended.score(subject).is_some();
            match subject {
                Subject::Skill(_) => prop_assert!(has_answer),
                Subject::Tool { server, .. } => {
                    let of_server = ended.score(&Subject::Server(server.clone()));
                    prop_assert!(has_answer || of_server.is_some_and(|score| score < threshold));
                }
                Subject::Server(name) => {
                    let server = scene.candidates().find(|server| server.name == name);
                    prop_assert!(has_answer || server.is_some_and(|one| ended.has_all_answers(one)));
                }
            }
        }
    }

    #[test]
    fn of_a_server_that_stays_a_tool_goes_only_below_its_threshold(scene in scenes(), jev in answering()) {
        let Some(ended) = run(&jev, &scene) else { return Ok(()) };
        let (tools_at, servers_at) = thresholds(&scene);
        for server in scene.candidates().filter(|one| ended.score_of(one).is_none_or(|s| s >= servers_at)) {
            let is_low = |tool: &str| {
                ended.score(&Subject::tool(server.name, tool)).is_some_and(|score| score < tools_at)
            };
            for tool in server.tools.iter().filter(|tool| !is_low(tool)) {
                prop_assert!(ended.keeps_tool(server, tool));
            }
            // One that is low stays only as the last one, or because it was called.
            let low = server.tools.iter().filter(|tool| is_low(tool) && !scene.is_used(server, tool));
            let kept_low = low.filter(|tool| ended.keeps_tool(server, tool)).count();
            prop_assert!(kept_low == 0 || (kept_low == 1 && ended.kept_tools(server) == 1));
        }
    }

    #[test]
    fn a_server_that_passed_keeps_its_best_tool(scene in scenes(), jev in answering()) {
        let Some(ended) = run(&jev, &scene) else { return Ok(()) };
        let (tools_at, servers_at) = thresholds(&scene);
        for server in scene.candidates().filter(|one| ended.score_of(one).is_some_and(|s| s >= servers_at)) {
            prop_assert!(server.tools.is_empty() || ended.kept_tools(server) > 0);
            let score = |tool: &str| ended.score(&Subject::tool(server.name, tool));
            let is_all_low = server.tools.iter().all(|tool| score(tool).is_some_and(|score| score < tools_at));
            for tool in server.tools.iter().filter(|tool| is_all_low && ended.keeps_tool(server, tool)) {
                let is_best = server.tools.iter().all(|other| score(other) <= score(tool));
                prop_assert!(is_best || scene.is_used(server, tool));
            }
        }
    }

    #[test]
    fn a_server_stays_with_any_of_its_tools_and_goes_with_the_last(
        scene in scenes(),
        jev in answering(),
        share in prop_oneof![Just(1.0f64), 0.0..=1.0f64],
    ) {
        let scene = scene.with_option("max_pruned_fraction", share);
        let Some(ended) = run(&jev, &scene) else { return Ok(()) };
        for server in scene.candidates().filter(|server| !server.tools.is_empty()) {
            prop_assert_eq!(ended.keeps_server(server), ended.kept_tools(server) > 0);
        }
    }

    #[test]
    fn only_rejected_tools_of_servers_are_deleted(scene in scenes(), jev in answering()) {
        let Some(ended) = run(&jev, &scene) else { return Ok(()) };
        let mut expected = BTreeSet::new();
        for server in scene.candidates().filter(|server| server.is_native) {
            let gone = server.tools.iter().filter(|tool| !ended.keeps_tool(server, tool));
            expected.extend(gone.map(|tool| native_name(server.name, tool)));
        }
        let deleted: BTreeSet<String> = ended.report.details.removed.native_tools.iter().map(ToString::to_string).collect();
        prop_assert_eq!(&deleted, &expected);
        prop_assert!(HOST_TOOLS.iter().all(|name| !deleted.contains(*name)));
    }

    #[test]
    fn what_the_conversation_has_used_stays(scene in scenes()) {
        let Some(ended) = run(&Jev::always(0.0), &scene) else { return Ok(()) };
        for server in scene.candidates() {
            let used = server.tools.iter().filter(|tool| scene.is_used(server, tool));
            prop_assert!(used.into_iter().all(|tool| ended.keeps_tool(server, tool)));
        }
        let used = scene.skills.iter().filter(|id| scene.is_used_skill(id));
        prop_assert!(used.into_iter().all(|id| ended.kept[&Subject::Skill(id.clone())]));
    }

    #[test]
    fn no_more_than_the_allowed_share_goes(scene in scenes(), jev in answering(), share in 0.0..=1.0f64) {
        let scene = scene.with_option("max_pruned_fraction", share);
        let Some(ended) = run(&jev, &scene) else { return Ok(()) };
        for count in [&ended.report.stats.tools, &ended.report.stats.skills] {
            prop_assert!(count.pruned as f64 <= share * count.total as f64);
        }
    }

    #[test]
    fn no_answer_hides_nothing_whatever_the_selection(scene in scenes(), by_budget in any::<bool>()) {
        let scene = scene.with_option("selection", if by_budget { "budget" } else { "threshold" });
        let silent = Jev { said: vec![Said::Nothing], ..Jev::always(0.0) };
        let Some(ended) = run(&silent, &scene) else { return Ok(()) };
        prop_assert!(ended.kept.values().all(|kept| *kept));
    }

    #[test]
    fn the_counts_add_up(scene in scenes(), jev in answering()) {
        let Some(ended) = run(&jev, &scene) else { return Ok(()) };
        let stats = &ended.report.stats;
        for (count, listed) in [
            (&stats.servers, &ended.report.details.servers),
            (&stats.tools, &ended.report.details.tools),
            (&stats.skills, &ended.report.details.skills),
        ] {
            let kept = listed.iter().filter(|one| one.decision == Outcome::Keep).count();
            prop_assert_eq!((count.total, count.kept), (listed.len(), kept));
            prop_assert_eq!(count.pruned, listed.len() - kept);
        }
    }
}
