//! Limits on a whole decision: how much may stay (`selection: "budget"`) and how much may go
//! (`max_pruned_fraction`). Tools and skills are counted apart. Both change verdicts of a decision that is otherwise made.

use super::{Answers, Decision, Reason, Rules, Verdict};
use crate::candidates::Candidates;

/// A tool or skill by its index: a tool by its server's and its own within that server.
#[derive(Clone, Copy, Debug)]
enum Place {
    Tool { server: usize, tool: usize },
    Skill(usize),
}

struct Ranked {
    place: Place,
    /// From 0 to 1; the best is kept first.
    rank: f64,
    /// In characters.
    size: f64,
    verdict: Verdict,
}

/// With a budget, only the best of what passed stays: ranked by the mean of the tool's and its server's
/// score. What stays for another reason than its score comes first and counts.
pub(super) fn limit_kept(candidates: &Candidates, answers: &Answers, rules: &Rules, decision: &mut Decision) {
    let Some(fraction) = rules.budget_fraction else { return };
    for all in [tools(candidates, answers, decision), skills(candidates, answers, decision)] {
        let budget = fraction * all.iter().map(|ranked| ranked.size).sum::<f64>();
        let (free, fixed): (Vec<_>, Vec<_>) =
            all.into_iter().filter(|ranked| ranked.verdict.kept).partition(|ranked| passed(ranked.verdict));
        // What was shown before is not this prompt's to pay for.
        let counts = |ranked: &&Ranked| ranked.verdict.reason != Reason::ShownBefore;
        let mut used = fixed.iter().filter(counts).map(|ranked| ranked.size).sum::<f64>();
        for ranked in best_first(free) {
            used += ranked.size;
            if used > budget {
                set(decision, ranked.place, Verdict::prune(Reason::OverBudget));
            }
        }
    }
}

/// At most a share of the candidates goes; the best-scored of the rejected stay.
pub(super) fn limit_pruned(
    candidates: &Candidates,
    answers: &Answers,
    rules: &Rules,
    decision: &mut Decision,
) {
    if rules.max_pruned_fraction >= 1.0 {
        return;
    }
    for all in [tools(candidates, answers, decision), skills(candidates, answers, decision)] {
        let allowed = (rules.max_pruned_fraction * all.len() as f64).floor() as usize;
        let gone: Vec<Ranked> = all.into_iter().filter(|ranked| !ranked.verdict.kept).collect();
        let too_many = gone.len().saturating_sub(allowed);
        for ranked in best_first(gone).into_iter().take(too_many) {
            set(decision, ranked.place, Verdict::keep(Reason::PruningLimited));
            if let Place::Tool { server, .. } = ranked.place {
                keep_server(decision, server);
            }
        }
    }
}

/// Whether it stays for its score alone; without an answer nothing is ever hidden.
fn passed(verdict: Verdict) -> bool {
    verdict.reason == Reason::Passed
}

/// Best first; of equal ranks the earlier one, so that equal input gives equal output.
fn best_first(mut ranked: Vec<Ranked>) -> Vec<Ranked> {
    ranked.sort_by(|a, b| b.rank.total_cmp(&a.rank));
    ranked
}

fn tools(candidates: &Candidates, answers: &Answers, decision: &Decision) -> Vec<Ranked> {
    let mut all = Vec::new();
    for (at, server) in candidates.servers.iter().enumerate() {
        for (place, tool) in server.tools.iter().enumerate().filter(|(_, tool)| tool.is_listed) {
            let Some(&verdict) = decision.tools.get(at).and_then(|tools| tools.get(place)) else { continue };
            all.push(Ranked {
                place: Place::Tool { server: at, tool: place },
                rank: answers.tool_rank(at, place),
                size: tool.chars as f64,
                verdict,
            });
        }
    }
    all
}

fn skills(candidates: &Candidates, answers: &Answers, decision: &Decision) -> Vec<Ranked> {
    let with_verdict = candidates.skills.iter().zip(&decision.skills).enumerate();
    with_verdict
        .map(|(at, (skill, &verdict))| Ranked {
            place: Place::Skill(at),
            rank: answers.skill_rank(at),
            size: skill.chars as f64,
            verdict,
        })
        .collect()
}

fn set(decision: &mut Decision, place: Place, verdict: Verdict) {
    let slot = match place {
        Place::Tool { server, tool } => decision.tools.get_mut(server).and_then(|tools| tools.get_mut(tool)),
        Place::Skill(skill) => decision.skills.get_mut(skill),
    };
    if let Some(slot) = slot {
        *slot = verdict;
    }
}

fn keep_server(decision: &mut Decision, server: usize) {
    if let Some(verdict) = decision.servers.get_mut(server).filter(|verdict| !verdict.kept) {
        *verdict = Verdict::keep(Reason::PruningLimited);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::candidates::{Server, Skill, Tool};
    use crate::opencode::messages::Used;
    use crate::options::Options;
    use crate::policy::Answer::{self, Score};
    use crate::policy::{decide, Needs, Pins};
    use serde_json::json;

    struct NoPins;

    impl Pins for NoPins {
        fn has_server(&self, _: &Server) -> bool {
            false
        }

        fn has_tool(&self, _: &Tool) -> bool {
            false
        }

        fn has_skill(&self, _: &Skill) -> bool {
            false
        }
    }

    fn candidates(tools: usize, skills: usize) -> Candidates {
        let tool = |at: usize| Tool {
            name: format!("t{at}").into(),
            is_listed: true,
            chars: 100,
            ..Tool::default()
        };
        let skill = |at: usize| Skill { id: format!("k{at}").into(), chars: 100, ..Skill::default() };
        Candidates {
            servers: vec![
                Server { namespace: "a".into(), tools: (0..tools).map(tool).collect(), ..Server::default() },
                Server { namespace: "b".into(), ..Server::default() },
            ],
            skills: (0..skills).map(skill).collect(),
            ..Candidates::default()
        }
    }

    fn decided(server: f64, tools: &[f64], skills: &[Answer], options: serde_json::Value) -> Decision {
        let rules = Rules::new(&Options::from_json(&options));
        let answers = Answers {
            servers: vec![Score(server), Score(0.9)],
            tools: vec![tools.iter().map(|&score| Score(score)).collect(), vec![]],
            skills: skills.to_vec(),
        };
        let needs = Needs { used: &Used::default(), pins: &NoPins };
        decide(&candidates(tools.len(), skills.len()), &answers, &rules, &needs)
    }

    fn kept(verdicts: &[Verdict]) -> Vec<bool> {
        verdicts.iter().map(|verdict| verdict.kept).collect()
    }

    #[test]
    fn a_budget_keeps_the_best_of_what_passes_its_low_thresholds() {
        // Four tools of equal size: half of the tokens are two of them.
        let options = json!({ "selection": "budget", "budget_fraction": 0.5 });
        let decision = decided(0.2, &[0.3, 0.9, 0.2, 0.8], &[], options);
        assert_eq!(kept(&decision.tools[0]), [false, true, false, true]);
        assert_eq!(decision.tools[0][0].reason, Reason::OverBudget);
        assert_eq!(decision.tools[0][2].reason, Reason::Rejected);
    }

    #[test]
    fn skills_have_a_budget_of_their_own() {
        let options = json!({ "selection": "budget", "budget_fraction": 0.5 });
        let decision = decided(0.9, &[0.9], &[Score(0.5), Score(0.6)], options);
        assert_eq!(kept(&decision.skills), [false, true]);
    }

    #[test]
    fn what_was_shown_before_costs_a_prompt_nothing() {
        let options = json!({ "selection": "budget", "budget_fraction": 0.5 });
        let shown = Answer::Remembered { verdict: Verdict::keep(Reason::ShownBefore), score: None };
        let decision = decided(0.9, &[], &[shown, Score(0.9), Score(0.8), Score(0.7)], options);
        assert_eq!(kept(&decision.skills), [true, true, true, false]);
    }

    #[test]
    fn no_more_than_the_allowed_share_goes() {
        let options = json!({ "max_pruned_fraction": 0.5 });
        let decision = decided(0.9, &[0.1, 0.4, 0.3, 0.2], &[], options);
        assert_eq!(kept(&decision.tools[0]), [false, true, true, false]);
        assert_eq!(decision.tools[0][2].reason, Reason::PruningLimited);
    }

    #[test]
    fn a_tool_that_stays_by_that_limit_brings_its_server_back() {
        let decision = decided(0.1, &[0.0], &[], json!({ "max_pruned_fraction": 0 }));
        assert_eq!(decision.servers[0], Verdict::keep(Reason::PruningLimited));
        assert_eq!(kept(&decision.tools[0]), [true]);
    }
}
