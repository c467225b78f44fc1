//! Whole sessions: an input is what is decided, and then the texts of a session as they come, the system text
//! first.
//!
//! ```text
//! verdicts +-+- hint cut remember told
//! =====
//! (the system text)
//! =====
//! (the first message that tells of a change)
//! ```
//!
//! The verdicts are dealt out by name; the words behind them switch on what a session may do besides.

use std::borrow::Cow;
use std::rc::Rc;

use opencode_jev_pruner::candidates::Candidates;
use opencode_jev_pruner::opencode::ReadText;
use opencode_jev_pruner::plan::{superseded, Extras, PlacedAnnouncement};
use opencode_jev_pruner::policy::{Answers, Decision};
use opencode_jev_pruner::session::memory::{CandidateName, Memory};

use crate::rewriting::{collect, read_all, Rewriting, Verdicts};
use crate::{text_of, BETWEEN_PARTS};

/// A session has at most this many texts; what is behind belongs to the last one.
const MOST_TEXTS: usize = 12;

pub fn sessions(input: &[u8]) {
    let input = text_of(input);
    let mut parts = input.splitn(MOST_TEXTS + 1, BETWEEN_PARTS);
    let session = Session::read(parts.next().unwrap_or_default());
    let texts: Vec<String> = parts.map(String::from).collect();
    session.play(&read_all(&texts));
}

struct Session {
    verdicts: Verdicts,
    hint: bool,
    cuts: bool,
    remembers: bool,
    tells: bool,
}

impl Session {
    fn read(line: &str) -> Session {
        let verdict = |sign: char| match sign {
            '+' => Some(true),
            '-' => Some(false),
            _ => None,
        };
        Session {
            verdicts: Verdicts(line.chars().filter_map(verdict).collect()),
            hint: line.contains("hint"),
            cuts: line.contains("cut"),
            remembers: line.contains("remember"),
            tells: line.contains("told"),
        }
    }

    /// One request for each text that has come.
    fn play(&self, texts: &[Rc<ReadText>]) {
        let mut memory = Memory::new(0);
        for count in 1..=texts.len() {
            self.request(&texts[..count], &mut memory);
        }
    }

    fn request(&self, texts: &[Rc<ReadText>], memory: &mut Memory) {
        let candidates = collect(texts);
        let decision = self.verdicts.decide(&candidates);
        memory.note(&candidates, &Answers::default(), &decision);
        let kept = kept(&candidates, &decision);
        let told = match self.tells {
            true => vec![PlacedAnnouncement { message: Some(texts.len() / 2), names: &kept, text: "Told." }],
            false => Vec::new(),
        };
        let extras = Extras {
            announced: told,
            cut: if self.cuts { superseded(texts) } else { Default::default() },
            hidden: if self.remembers { Cow::Borrowed(memory.hidden()) } else { Default::default() },
            hint: self.hint,
            ..Extras::default()
        };
        // The system text stands in front of all messages.
        let places: Vec<Option<usize>> = (0..texts.len()).map(|at| at.checked_sub(1)).collect();
        let (candidates, decision) = (&candidates, &decision);
        Rewriting { texts, places: &places, candidates, decision, extras }.check();
    }
}

/// Some of what is shown, as if it had been hidden at first.
fn kept(candidates: &Candidates, decision: &Decision) -> Vec<CandidateName> {
    let mut things = Vec::new();
    for ((server, verdict), tools) in candidates.servers.iter().zip(&decision.servers).zip(&decision.tools) {
        if verdict.kept {
            things.push(CandidateName::Server(server.namespace.clone()));
        }
        let stay = server.tools.iter().zip(tools).filter(|(_, verdict)| verdict.kept);
        things.extend(stay.map(|(tool, _)| CandidateName::Tool(server.namespace.clone(), tool.name.clone())));
    }
    let stay = candidates.skills.iter().zip(&decision.skills).filter(|(_, verdict)| verdict.kept);
    things.extend(stay.map(|(skill, _)| CandidateName::Skill(skill.id.clone())));
    things.into_iter().step_by(2).collect()
}
