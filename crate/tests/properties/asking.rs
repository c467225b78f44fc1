//! What is asked, and how it ends.

use std::collections::BTreeSet;

use opencode_jev_pruner::pruning::{Pruner, Step};
use proptest::prelude::*;

use crate::cases;
use crate::jev::{answering, failing, Course, End, Jev, Sent};
use crate::scene::{scenes, Scene, Subject};

const MAX_REQUEST_CHARS: usize = 48_000;

fn run(jev: &Jev, scene: &Scene) -> Course {
    jev.run(&mut Pruner::default(), scene, 0.0)
}

fn bodies(course: &Course) -> Vec<Vec<String>> {
    let of_step = |step: &Vec<Sent>| step.iter().map(|sent| sent.ask.body.to_string()).collect();
    course.steps.iter().map(of_step).collect()
}

/// Servers that were asked about and scored below the threshold.
fn rejected(course: &Course, scene: &Scene) -> BTreeSet<Subject> {
    let threshold = scene.options().jev_phase1_threshold;
    let servers = course.answered.iter().filter(|(subject, _)| matches!(subject, Subject::Server(_)));
    let below = servers.filter(|(_, score)| score.is_some_and(|score| score < threshold));
    below.map(|(subject, _)| subject.clone()).collect()
}

/// Requests near the limits: long prompts and descriptions, many questions.
fn large_scenes() -> impl Strategy<Value = Scene> {
    let limits = (1..=1_000u64, 1..=4_000u64, 1..=40_000u64);
    let lengths = (0..50_000usize, 0..5_000usize, 1..60usize);
    (scenes(), limits, lengths).prop_map(|(mut scene, limits, (prompt, description, skills))| {
        scene.options["max_questions_per_request"] = limits.0.into();
        scene.options["max_description_chars"] = limits.1.into();
        scene.options["max_prompt_chars"] = limits.2.into();
        scene.conversation.prompt = "é😀x".chars().cycle().take(prompt + 1).collect();
        scene.description = "ß".repeat(description) + ".";
        scene.skills = (0..skills).map(|at| format!("skill{at}")).collect();
        scene
    })
}

proptest! {
    #![proptest_config(cases(192))]

    #[test]
    fn each_phase_asks_what_the_rules_say(scene in scenes(), jev in answering()) {
        let course = run(&jev, &scene);
        let asked: Vec<BTreeSet<Subject>> =
            course.phases().iter().map(|phase| phase.iter().map(|one| one.subject()).collect()).collect();
        let phases = [scene.to_ask_first(), scene.to_ask_next(&rejected(&course, &scene))];
        let expected: Vec<_> = phases.into_iter().filter(|phase| !phase.is_empty()).collect();
        prop_assert_eq!(asked, expected);
    }

    #[test]
    fn what_is_always_included_is_never_asked_about(scene in scenes(), jev in answering()) {
        let course = run(&jev, &scene);
        let is_asked_about = |subject: &Subject| course.answered.contains_key(subject);
        for server in scene.candidates() {
            let subject = Subject::Server(server.name.into());
            prop_assert!(!(scene.always_keeps_server(server) && is_asked_about(&subject)));
            for tool in server.tools.iter().filter(|tool| scene.always_keeps_tool(server, tool)) {
                prop_assert!(!is_asked_about(&Subject::tool(server.name, tool)));
            }
        }
        for id in scene.skills.iter().filter(|id| scene.always_keeps_skill(id)) {
            prop_assert!(!is_asked_about(&Subject::Skill(id.clone())));
        }
    }

    #[test]
    fn nothing_is_asked_about_twice(scene in scenes(), jev in answering()) {
        let course = run(&jev, &scene);
        prop_assert_eq!(course.phases().iter().flatten().count(), course.answered.len());
    }

    #[test]
    fn every_question_id_is_unique_within_a_phase(scene in scenes(), jev in answering()) {
        let course = run(&jev, &scene);
        for (step, phase) in course.steps.iter().zip(course.phases()) {
            let ids: BTreeSet<_> = phase.iter().map(|one| &one.id).collect();
            prop_assert_eq!(ids.len(), step.iter().map(|sent| sent.ask.questions).sum::<usize>());
        }
    }

    #[test]
    fn a_request_holds_no_more_questions_than_allowed(scene in scenes(), jev in answering()) {
        for sent in run(&jev, &scene).steps.iter().flatten() {
            prop_assert!(!sent.questions.is_empty());
            prop_assert!(sent.questions.len() <= scene.options().max_questions_per_request);
        }
    }

    #[test]
    fn without_failures_it_ends_within_two_steps(scene in scenes(), jev in answering()) {
        prop_assert!(run(&jev, &scene).steps.len() <= 2);
    }

    #[test]
    fn a_request_is_tried_once_more_at_most_and_with_the_same_bytes(scene in scenes(), jev in failing()) {
        let course = run(&jev, &scene);
        for (step, before) in course.steps.iter().skip(1).zip(&course.steps) {
            for sent in step.iter().filter(|sent| sent.is_retry()) {
                let tried = before.iter().find(|tried| tried.ask.body == sent.ask.body);
                prop_assert!(tried.is_some_and(|tried| !tried.is_retry()));
            }
        }
        prop_assert!(course.steps.len() <= 4);
    }

    #[test]
    fn nothing_lasts_longer_than_the_deadline(
        scene in scenes(),
        jev in failing(),
        timeout in 1..5_000u32,
        deadline in prop_oneof![Just(0u32), 1..9_000u32],
        now in 0..10_000u32,
    ) {
        let scene = scene.with_option("jev_timeout_ms", timeout).with_option("deadline_ms", deadline);
        let jev = Jev { takes_all_the_time: true, ..jev };
        let now = f64::from(now);
        let allowed = f64::from(if deadline > 0 { deadline } else { 2 * timeout });
        for sent in jev.run(&mut Pruner::default(), &scene, now).steps.iter().flatten() {
            prop_assert!(sent.ask.timeout_ms > 0.0 && sent.ask.timeout_ms <= f64::from(timeout));
            // A request that is due at the deadline still has a moment.
            let end = sent.at_ms + sent.ask.delay_ms + sent.ask.timeout_ms;
            prop_assert!(end <= now + allowed + 1.0, "{end} {now} {allowed}");
        }
    }

    #[test]
    fn a_failure_never_yields_a_plan(scene in scenes(), jev in failing()) {
        let course = run(&jev, &scene);
        prop_assert_eq!(matches!(course.end, End::Failed(..)), course.has_failed());
        if let End::Failed(plan, report) = course.end {
            prop_assert!(plan.is_empty() && plan.texts.iter().all(Vec::is_empty));
            prop_assert!(!report.errors.is_empty());
        }
    }

    #[test]
    fn a_failure_is_not_remembered_as_an_answer(scene in scenes(), jev in failing()) {
        let mut pruner = Pruner::default();
        let first = jev.run(&mut pruner, &scene, 0.0);
        if !matches!(first.end, End::Failed(..)) {
            return Ok(());
        }
        let later = scene.options().failure_cooldown_ms;
        let again = Jev::always(0.0).run(&mut pruner, &scene, later);
        prop_assert_eq!(bodies(&again), bodies(&run(&Jev::always(0.0), &scene)));
    }

    #[test]
    fn after_a_failure_jev_is_left_alone_while_it_cools_down(scene in scenes(), jev in failing()) {
        let scene = scene.with_option("failure_cooldown_ms", 5_000);
        let mut pruner = Pruner::default();
        if !matches!(jev.run(&mut pruner, &scene, 0.0).end, End::Failed(..)) {
            return Ok(());
        }
        let before = Jev::always(0.0).run(&mut pruner, &scene, 4_999.0);
        prop_assert!(matches!(before.end, End::Skipped));
        let after = Jev::always(0.0).run(&mut pruner, &scene, 5_000.0);
        prop_assert!(matches!(after.end, End::Done(..)));
    }

    #[test]
    fn the_same_inputs_give_the_same_requests(scene in scenes(), jev in failing()) {
        prop_assert_eq!(bodies(&run(&jev, &scene)), bodies(&run(&jev, &scene)));
    }

    #[test]
    fn the_order_in_which_things_are_told_does_not_matter(scene in scenes(), jev in answering()) {
        let mut turned = scene.clone();
        turned.servers.reverse();
        turned.servers.iter_mut().for_each(|server| server.tools.reverse());
        turned.skills.reverse();
        prop_assert_eq!(bodies(&run(&jev, &turned)), bodies(&run(&jev, &scene)));
    }

    #[test]
    fn what_is_under_way_is_not_asked_again(scene in scenes()) {
        let mut pruner = Pruner::default();
        let begun = pruner.begin(scene.request(), &scene.settings(), 0.0);
        if matches!(begun, Step::Ask(..)) {
            prop_assert!(matches!(Jev::always(0.0).run(&mut pruner, &scene, 1.0).end, End::Joined));
        }
    }

    #[test]
    fn without_candidates_nothing_is_asked(scene in scenes(), jev in answering()) {
        let course = run(&jev, &scene);
        prop_assert_eq!(matches!(course.end, End::Skipped), !scene.has_candidates());
    }
}

proptest! {
    #![proptest_config(cases(24))]

    #[test]
    fn a_request_holds_no_more_characters_than_allowed(scene in large_scenes()) {
        let course = run(&Jev::always(0.9), &scene);
        for sent in course.steps.iter().flatten() {
            prop_assert!(sent.chars() <= MAX_REQUEST_CHARS);
            let max_prompt = scene.options().max_prompt_chars;
            let prompt: String = scene.conversation.prompt.chars().take(max_prompt).collect();
            prop_assert_eq!(&sent.state, &prompt);
        }
        let asked = course.answered.keys().filter(|subject| matches!(subject, Subject::Skill(_)));
        let expected = scene.skills.iter().filter(|id| !scene.always_keeps_skill(id));
        prop_assert_eq!(asked.count(), expected.count());
    }

    #[test]
    fn requests_are_no_more_than_the_limits_call_for(scene in large_scenes()) {
        let most = scene.options().max_questions_per_request;
        for step in run(&Jev::always(0.9), &scene).steps {
            for (sent, next) in step.iter().zip(step.iter().skip(1)) {
                let is_full = sent.chars() + next.questions[0].chars() > MAX_REQUEST_CHARS;
                prop_assert!(is_full || sent.questions.len() == most);
            }
        }
    }
}
