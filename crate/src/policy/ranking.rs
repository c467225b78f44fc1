//! Answers without Jev: by the words that a candidate shares with the prompt (`scorer: "lexical"`), or the same for all
//! (`scorer: "none"`).
//!
//! They fill in every open answer, so that nothing is left to ask, and [`super::decide`] treats them like remembered
//! ones. The same ranking chooses which tools Jev is asked about when there are too many. How words are matched is left
//! to [`crate::discovery::bm25`]; a match in a name counts more here than one in a description.

use super::{Answer, Answers, Reason, Rules, Verdict};
use crate::candidates::{Candidates, Server};
use crate::discovery::bm25::{Builder, Index};

/// `scorer: "lexical"`: the `keep` servers and as many skills stay that share most words with the prompt.
pub(crate) fn by_words(
    candidates: &Candidates,
    known: Answers,
    rules: &Rules,
    prompt: &str,
    keep: usize,
) -> Answers {
    let mut answers = known;
    let servers = rank(&index_of_servers(candidates), prompt, &answers.servers);
    answer(&mut answers.servers, servers.iter().copied(), keep);
    let skills = rank(&index_of_skills(candidates), prompt, &answers.skills);
    answer(&mut answers.skills, skills.iter().copied(), keep);
    for (at, server) in candidates.servers.iter().enumerate() {
        let Answer::Remembered { verdict, score } = answers.server(at) else { continue };
        answer_tools(&mut answers, at, server, rules, verdict, score);
    }
    answers
}

/// `scorer: "none"`: everything stays that `discovery.hide` does not name.
pub(crate) fn keep_all(candidates: &Candidates, known: Answers, rules: &Rules) -> Answers {
    let mut answers = known;
    let kept = Verdict::keep(Reason::NotScored);
    let open = |answers: &mut Vec<Answer>| {
        for answer in answers.iter_mut().filter(|answer| **answer == Answer::NotAsked) {
            *answer = Answer::Remembered { verdict: kept, score: None };
        }
    };
    open(&mut answers.servers);
    open(&mut answers.skills);
    for (at, server) in candidates.servers.iter().enumerate() {
        answer_tools(&mut answers, at, server, rules, kept, None);
    }
    answers
}

/// The tools among these, by server and place in it, that share most words with the prompt, and as many others as
/// the limit leaves room for. They stay in their order.
pub(super) fn best_tools(
    candidates: &Candidates,
    places: &[(usize, usize)],
    prompt: &str,
    limit: usize,
) -> Vec<(usize, usize)> {
    let mut index = Builder::default();
    for &(server, tool) in places {
        let tool = &candidates.servers[server].tools[tool];
        index.begin_document();
        index.add(&tool.name, 2.0);
        index.add(tool.description.as_deref().unwrap_or_default(), 1.0);
    }
    let mut is_taken = vec![false; places.len()];
    let mut left = limit;
    for hit in index.finish().search(prompt, limit) {
        is_taken[hit.document as usize] = true;
        left -= 1;
    }
    let mut best = Vec::new();
    for (place, is_taken) in places.iter().zip(is_taken) {
        if is_taken {
            best.push(*place);
        } else if left > 0 {
            best.push(*place);
            left -= 1;
        }
    }
    best
}

/// The listed tools of a server stay or go with it. What OpenCode's sample left out stays out.
fn answer_tools(
    answers: &mut Answers,
    at: usize,
    server: &Server,
    rules: &Rules,
    verdict: Verdict,
    score: Option<f64>,
) {
    let Some(tools) = answers.tools.get_mut(at) else { return };
    for (tool, answer) in server.tools.iter().zip(tools) {
        if tool.is_listed && *answer == Answer::NotAsked && !rules.hides_tool(server, tool) {
            *answer = Answer::Remembered { verdict, score };
        }
    }
}

/// Indices with scores relative to the best, best first. Of equal ones those come first that are shown already, so that
/// what matches nothing brings nothing new.
fn rank(index: &Index, prompt: &str, answers: &[Answer]) -> Vec<(usize, f64)> {
    let hits = index.search(prompt, index.len());
    let best = hits.first().map_or(1.0, |hit| f64::from(hit.score));
    let mut scores = vec![0.0; answers.len()];
    for hit in hits {
        if let Some(score) = scores.get_mut(hit.document as usize) {
            *score = f64::from(hit.score) / best;
        }
    }
    let is_shown = |at: usize| answers[at].is_shown();
    let mut order: Vec<(usize, f64)> = scores.into_iter().enumerate().collect();
    order.sort_by(|a, b| b.1.total_cmp(&a.1).then(is_shown(b.0).cmp(&is_shown(a.0))));
    order
}

fn answer(answers: &mut [Answer], ranked: impl Iterator<Item = (usize, f64)>, keep: usize) {
    for (place, (at, score)) in ranked.enumerate() {
        let Some(answer) = answers.get_mut(at).filter(|answer| **answer == Answer::NotAsked) else {
            continue;
        };
        let verdict = match place < keep {
            true => Verdict::keep(Reason::SharesWords),
            false => Verdict::prune(Reason::SharesFewWords),
        };
        *answer = Answer::Remembered { verdict, score: Some(score) };
    }
}

fn index_of_servers(candidates: &Candidates) -> Index {
    let mut index = Builder::default();
    for server in &candidates.servers {
        index.begin_document();
        index.add(server.name(), 2.0);
        let texts = server.description.iter().chain(&server.instructions);
        texts.for_each(|text| index.add(text, 1.0));
        for tool in &server.tools {
            index.add(&tool.name, 1.0);
            index.add(tool.description.as_deref().unwrap_or_default(), 1.0);
        }
    }
    index.finish()
}

fn index_of_skills(candidates: &Candidates) -> Index {
    let mut index = Builder::default();
    for skill in &candidates.skills {
        index.begin_document();
        index.add(&skill.name, 1.5);
        index.add(skill.description.as_deref().unwrap_or_default(), 1.0);
    }
    index.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::candidates::{Skill, Tool};
    use crate::options::Options;

    fn candidates(servers: &[(&str, &str)], skills: &[&str]) -> Candidates {
        let tool = |description: &str| Tool {
            name: "do".into(),
            description: Some(description.into()),
            is_listed: true,
            ..Tool::default()
        };
        let server = |(name, description): &(&str, &str)| Server {
            namespace: (*name).into(),
            tools: vec![tool(description)],
            ..Server::default()
        };
        Candidates {
            servers: servers.iter().map(server).collect(),
            skills: skills
                .iter()
                .map(|id| Skill { id: (*id).into(), name: (*id).into(), ..Skill::default() })
                .collect(),
            ..Candidates::default()
        }
    }

    fn open(candidates: &Candidates) -> Answers {
        Answers {
            servers: vec![Answer::NotAsked; candidates.servers.len()],
            tools: vec![vec![Answer::NotAsked]; candidates.servers.len()],
            skills: vec![Answer::NotAsked; candidates.skills.len()],
        }
    }

    fn kept(answers: &[Answer]) -> Vec<bool> {
        answers.iter().map(|answer| answer.is_shown()).collect()
    }

    const SERVERS: [(&str, &str); 3] =
        [("desk", "lists open issues"), ("maps", "plans a route"), ("notes", "writes issues down")];

    fn rules() -> Rules {
        Rules::new(&Options::default())
    }

    #[test]
    fn the_servers_that_share_most_words_stay_with_their_tools() {
        let set = candidates(&SERVERS, &[]);
        let answers = by_words(&set, open(&set), &rules(), "which issues are open?", 2);
        assert_eq!(kept(&answers.servers), [true, false, true]);
        assert_eq!(answers.tools.iter().map(|tools| kept(tools)[0]).collect::<Vec<_>>(), [true, false, true]);
        assert_eq!(answers.server(0).score(), Some(1.0));
        assert_eq!(answers.server(1).score(), Some(0.0));
    }

    #[test]
    fn as_many_skills_stay() {
        let set = candidates(&[], &["pdf forms", "tea", "knots"]);
        let answers = by_words(&set, open(&set), &rules(), "tie knots", 1);
        assert_eq!(kept(&answers.skills), [false, false, true]);
    }

    #[test]
    fn what_is_shown_fills_up_before_what_would_be_new() {
        let set = candidates(&SERVERS, &[]);
        let mut known = open(&set);
        known.servers[2] = Answer::Remembered { verdict: Verdict::keep(Reason::ShownBefore), score: None };
        let answers = by_words(&set, known, &rules(), "plan a route", 2);
        assert_eq!(kept(&answers.servers), [false, true, true]);
    }

    fn best_of(tools: &[(&str, &str)], prompt: &str, limit: usize) -> Vec<usize> {
        let tool = |(name, description): &(&str, &str)| Tool {
            name: (*name).into(),
            description: Some((*description).into()),
            ..Tool::default()
        };
        let server = Server { tools: tools.iter().map(tool).collect(), ..Server::default() };
        let set = Candidates { servers: vec![server], ..Candidates::default() };
        let places: Vec<(usize, usize)> = (0..tools.len()).map(|at| (0, at)).collect();
        best_tools(&set, &places, prompt, limit).into_iter().map(|(_, tool)| tool).collect()
    }

    #[test]
    fn of_tools_those_are_best_whose_names_and_descriptions_match_and_then_the_first() {
        let tools = [("other", ""), ("b", "lists a table"), ("x", ""), ("table_list", "")];
        assert_eq!(best_of(&tools, "List the table", 1), [3]);
        assert_eq!(best_of(&tools, "List the table", 2), [1, 3]);
        assert_eq!(best_of(&tools, "List the table", 3), [0, 1, 3]);
        assert_eq!(best_of(&tools, "List the table", 0), [0; 0]);
        assert_eq!(best_of(&tools, "", 2), [0, 1]);
    }

    #[test]
    fn a_word_that_all_tools_share_counts_little() {
        let tools = [("get_a", ""), ("get_b", ""), ("get_invoice", ""), ("get_c", "")];
        assert_eq!(best_of(&tools, "get the invoice", 1), [2]);
    }

    #[test]
    fn without_a_scorer_everything_stays_but_what_is_to_be_hidden() {
        let set = candidates(&SERVERS, &["tea"]);
        let options = serde_json::json!({ "discovery": { "enabled": true, "hide": ["maps"] } });
        let answers = keep_all(&set, open(&set), &Rules::new(&Options::from_json(&options)));
        assert_eq!(kept(&answers.servers), [true, true, true]);
        assert_eq!(answers.tool(1, 0), Answer::NotAsked);
        assert_eq!(kept(&answers.skills), [true]);
    }
}
