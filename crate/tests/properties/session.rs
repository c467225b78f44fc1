//! What a session remembers from one request to the next.

use std::collections::BTreeSet;

use opencode_jev_pruner::plan::Plan;
use opencode_jev_pruner::pruning::Pruner;
use opencode_jev_pruner::report::{CandidateReport, Outcome};
use opencode_jev_pruner::request::Hook;
use proptest::collection::vec;
use proptest::prelude::*;

use crate::cases;
use crate::jev::{answering, Course, End, Jev, Manner};
use crate::scene::{scenes, Scene, Subject};

const HOUR: f64 = 3_600_000.0;

/// Scenes whose answers are good for a while.
fn remembering() -> impl Strategy<Value = Scene> {
    scenes().prop_map(|scene| scene.with_option("cache_ttl_ms", 600_000))
}

fn in_session(scene: &Scene) -> Scene {
    scene.with_option("decision_scope", "session")
}

/// One that fails whatever it is asked.
fn failing() -> Jev {
    Jev { manners: vec![Manner::NoResponse("network")], ..Jev::always(0.0) }
}

/// Requests with a prompt each, a second apart.
fn play(pruner: &mut Pruner, scene: &Scene, jevs: &[Jev]) -> Vec<Course> {
    let prompts = jevs.iter().enumerate();
    let run = |(at, jev): (usize, &Jev)| {
        jev.run(pruner, &scene.with_prompt(&format!("Prompt {at}")), 1_000.0 * at as f64)
    };
    prompts.map(run).collect()
}

fn plan(course: &Course) -> Option<&Plan> {
    course.outcome().map(|(plan, _)| plan)
}

/// Everything that the model sees after a request.
fn shown(course: &Course) -> BTreeSet<Subject> {
    let Some((_, report)) = course.outcome() else { return BTreeSet::new() };
    let is_kept = |one: &&CandidateReport| one.decision == Outcome::Keep;
    let servers =
        report.details.servers.iter().filter(is_kept).map(|one| Subject::Server(one.name.to_string()));
    let tools = report.details.tools.iter().filter(is_kept).filter_map(|one| one.name.split_once('.'));
    let skills = report.details.skills.iter().filter(is_kept).map(|one| Subject::Skill(one.name.to_string()));
    servers.chain(tools.map(|(server, tool)| Subject::tool(server, tool))).chain(skills).collect()
}

proptest! {
    #![proptest_config(cases(128))]

    #[test]
    fn the_same_prompt_again_gives_the_same_plan_without_a_question(
        scene in remembering(),
        jev in answering(),
        other in answering(),
    ) {
        let mut pruner = Pruner::default();
        let first = jev.run(&mut pruner, &scene, 0.0);
        let again = other.run(&mut pruner, &scene, 1_000.0);
        prop_assert!(again.steps.is_empty());
        prop_assert_eq!(plan(&again), plan(&first));
    }

    #[test]
    fn with_prompts_decided_alone_each_is_decided_as_if_it_were_the_first(
        scene in scenes(),
        jevs in vec(answering(), 1..4),
    ) {
        let scene = scene.with_option("decision_scope", "prompt");
        let together = play(&mut Pruner::default(), &scene, &jevs);
        for (at, (course, jev)) in together.iter().zip(&jevs).enumerate() {
            let alone = jev.run(&mut Pruner::default(), &scene.with_prompt(&format!("Prompt {at}")), 0.0);
            prop_assert_eq!(plan(course), plan(&alone));
        }
    }

    #[test]
    fn what_was_shown_in_a_session_stays_shown(scene in scenes(), jevs in vec(answering(), 2..6)) {
        let courses = play(&mut Pruner::default(), &in_session(&scene), &jevs);
        for (before, after) in courses.iter().zip(courses.iter().skip(1)) {
            prop_assert!(shown(before).is_subset(&shown(after)));
        }
    }

    #[test]
    fn a_new_prompt_asks_only_about_what_is_hidden(scene in scenes(), jevs in vec(answering(), 2..6)) {
        let courses = play(&mut Pruner::default(), &in_session(&scene), &jevs);
        for (before, after) in courses.iter().zip(courses.iter().skip(1)) {
            prop_assert!(after.answered.keys().all(|subject| !shown(before).contains(subject)));
        }
    }

    #[test]
    fn while_the_same_is_shown_the_bytes_are_the_same(scene in scenes(), jevs in vec(answering(), 2..6)) {
        let courses = play(&mut Pruner::default(), &in_session(&scene), &jevs);
        for (before, after) in courses.iter().zip(courses.iter().skip(1)) {
            prop_assert!(shown(before) != shown(after) || plan(before) == plan(after));
        }
    }

    #[test]
    fn a_forgotten_session_begins_anew(scene in scenes(), jev in answering(), next in answering()) {
        let scene = in_session(&scene);
        let mut pruner = Pruner::default();
        jev.run(&mut pruner, &scene, 0.0);
        pruner.sessions.forget("ses_1");
        let anew = next.run(&mut pruner, &scene, 1.0);
        let first = next.run(&mut Pruner::default(), &scene, 1.0);
        prop_assert_eq!(plan(&anew), plan(&first));
    }

    #[test]
    fn a_request_of_the_hosts_own_takes_the_decision_as_it_is(
        scene in scenes(),
        jev in answering(),
        other in answering(),
    ) {
        let scene = in_session(&scene);
        let mut pruner = Pruner::default();
        let first = jev.run(&mut pruner, &scene, 0.0);
        let internal = Scene { hook: Hook::Internal, ..scene.with_prompt("Update your summary.") };
        let course = other.run(&mut pruner, &internal, HOUR);
        prop_assert!(course.steps.is_empty());
        prop_assert_eq!(plan(&course), plan(&first));
    }

    #[test]
    fn after_a_failure_the_request_goes_out_whole_or_by_the_last_decision(
        scene in scenes(),
        jev in answering(),
        keeps_last in any::<bool>(),
    ) {
        let scene = in_session(&scene).with_option("on_failure", if keeps_last { "last" } else { "open" });
        let mut pruner = Pruner::default();
        let first = jev.run(&mut pruner, &scene, 0.0);
        let failed = failing().run(&mut pruner, &scene.with_prompt("Another one"), HOUR);
        if matches!(failed.end, End::Failed(..)) {
            let expected = if keeps_last { shown(&first) } else { BTreeSet::new() };
            prop_assert_eq!(shown(&failed), expected);
            prop_assert!(keeps_last || plan(&failed).is_some_and(Plan::is_empty));
        }
    }

    #[test]
    fn a_failure_forgets_nothing(scene in scenes(), jev in answering(), next in answering()) {
        let scene = in_session(&scene);
        let (mut failed, mut spared) = (Pruner::default(), Pruner::default());
        for pruner in [&mut failed, &mut spared] {
            jev.run(pruner, &scene, 0.0);
        }
        failing().run(&mut failed, &scene.with_prompt("Between"), HOUR);
        let last = scene.with_prompt("Last");
        let courses = [&mut failed, &mut spared].map(|pruner| next.run(pruner, &last, 2.0 * HOUR));
        prop_assert_eq!(plan(&courses[0]), plan(&courses[1]));
    }
}
