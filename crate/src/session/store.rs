//! What is known of each session besides what was decided in it: what its last request named, what its model
//! asked for, and how many arguments were mended.

use std::rc::Rc;

use crate::candidates::Candidates;
use crate::session::search_pins::{Asked, Found};

const MAX_SESSIONS: usize = 200;

/// Candidates are large, and are asked for by tools that are called right after a request.
const MAX_NAMED: usize = 16;

#[derive(Clone, Debug, Default)]
struct Session {
    id: String,
    asked: Rc<Asked>,
    named: Rc<Candidates>,
    repairs: usize,
}

/// The sessions, the one that was spoken of last at the end.
#[derive(Debug, Default)]
pub struct Sessions(Vec<Session>);

impl Sessions {
    fn get(&self, id: &str) -> Option<&Session> {
        self.0.iter().rev().find(|known| known.id == id)
    }

    /// The session, moved to the end.
    fn get_mut(&mut self, id: &str) -> &mut Session {
        let session = match self.0.iter().rposition(|known| known.id == id) {
            Some(at) => self.0.remove(at),
            None => Session { id: id.to_string(), ..Session::default() },
        };
        if self.0.len() == MAX_SESSIONS {
            self.0.remove(0);
        }
        let at = self.0.len();
        self.0.push(session);
        &mut self.0[at]
    }

    /// Shows what the model found, from the session's next request on until its history is compacted.
    pub fn show(&mut self, id: &str, found: Vec<Found>) {
        if !found.is_empty() {
            Rc::make_mut(&mut self.get_mut(id).asked).add(found);
        }
    }

    pub fn asked(&self, id: &str) -> Rc<Asked> {
        self.get(id).map(|known| known.asked.clone()).unwrap_or_default()
    }

    /// Takes note of what a request named.
    pub fn name(&mut self, id: &str, named: &Rc<Candidates>) {
        self.get_mut(id).named = named.clone();
        let older = self.0.len().saturating_sub(MAX_NAMED);
        self.0.iter_mut().take(older).for_each(|known| known.named = Rc::default());
    }

    pub fn named(&self, id: &str) -> Rc<Candidates> {
        self.get(id).map(|known| known.named.clone()).unwrap_or_default()
    }

    /// Takes note of arguments that were mended, for the session's next report.
    pub fn count_repairs(&mut self, id: &str, repairs: usize) {
        self.get_mut(id).repairs += repairs;
    }

    /// How many were mended since this was asked last.
    pub fn take_repairs(&mut self, id: &str) -> usize {
        let known = self.0.iter_mut().find(|known| known.id == id);
        known.map_or(0, |known| std::mem::take(&mut known.repairs))
    }

    /// Forgets what was asked for.
    pub fn forget(&mut self, id: &str) {
        if let Some(known) = self.0.iter_mut().find(|known| known.id == id) {
            known.asked = Rc::default();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_asked_for_adds_up_until_it_is_forgotten() {
        let mut sessions = Sessions::default();
        sessions.show("a", vec![Found::Skill("x".into())]);
        sessions.show("a", vec![Found::Skill("y".into()), Found::Skill("x".into())]);
        assert_eq!((sessions.asked("a").len(), sessions.asked("b").len()), (2, 0));
        sessions.forget("a");
        assert!(sessions.asked("a").is_empty());
    }

    #[test]
    fn what_was_named_is_known_of_the_newest_sessions() {
        let mut sessions = Sessions::default();
        let named = Rc::new(Candidates { fingerprint: 7, ..Candidates::default() });
        (0..=MAX_NAMED).for_each(|at| sessions.name(&at.to_string(), &named));
        assert_eq!(sessions.named("0").fingerprint, 0);
        assert_eq!(sessions.named("1").fingerprint, 7);
    }

    #[test]
    fn repairs_are_told_once() {
        let mut sessions = Sessions::default();
        sessions.count_repairs("a", 1);
        sessions.count_repairs("a", 2);
        assert_eq!(sessions.take_repairs("a"), 3);
        assert_eq!(sessions.take_repairs("a"), 0);
    }
}
