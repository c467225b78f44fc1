//! All sessions: the state that decisions depend on, and what tools of ours ask of a session between its requests.

use std::rc::Rc;

use super::memory::Memory;
use super::recent::Recent;
use super::search_pins::{Found, SearchPins};
use super::{SessionKey, SessionState};
use crate::candidates::Candidates;

const MAX_SESSIONS: usize = 200;
const MAX_PROMPTS: usize = 500;

/// Candidates are large, and are asked for by tools that are called right after a request.
const MAX_OFFERED: usize = 16;

/// The newest sessions.
#[derive(Debug)]
pub struct Sessions {
    states: Recent<SessionKey, SessionState>,
    /// The same where each prompt is decided alone.
    states_of_prompts: Recent<SessionKey, SessionState>,
    pins: Recent<String, Rc<SearchPins>>,
    offered: Recent<String, Rc<Candidates>>,
    repairs: Recent<String, usize>,
}

impl Default for Sessions {
    fn default() -> Self {
        Sessions {
            states: Recent::new(MAX_SESSIONS),
            states_of_prompts: Recent::new(MAX_PROMPTS),
            pins: Recent::new(MAX_SESSIONS),
            offered: Recent::new(MAX_OFFERED),
            repairs: Recent::new(MAX_SESSIONS),
        }
    }
}

impl Sessions {
    /// The state of a session; where the baseline is another one its memory is empty. What was decided for one prompt
    /// alone holds for `max_age_ms`.
    pub(crate) fn read(&self, key: &SessionKey, baseline: u64, now_ms: f64, max_age_ms: f64) -> SessionState {
        let known = match key.prompt {
            Some(_) => self.states_of_prompts.get_within(key, now_ms, max_age_ms),
            None => self.states.get(key),
        };
        let SessionState { memory, cost } = known.cloned().unwrap_or_default();
        let memory = if memory.is_of(baseline) { memory } else { Rc::new(Memory::new(baseline)) };
        SessionState { memory, cost }
    }

    pub(crate) fn write(&mut self, key: &SessionKey, state: SessionState, now_ms: f64) {
        let states = match key.prompt {
            Some(_) => &mut self.states_of_prompts,
            None => &mut self.states,
        };
        states.put(key.clone(), state, now_ms);
    }

    /// The prompt that a session was last decided on.
    pub(crate) fn last_prompt(&self, key: &SessionKey) -> Option<String> {
        self.states.get(key).map(|state| state.memory.prompt.clone())
    }

    /// Forgets what was shown in a session: its history was compacted, or it is gone.
    pub fn forget(&mut self, session: &str) {
        self.states.retain(|key| key.session != session);
        self.states_of_prompts.retain(|key| key.session != session);
        self.pins.remove(&session.to_string());
    }

    /// Shows what the model found, from the session's next request on until its history is compacted.
    pub fn pin(&mut self, session: &str, found: Vec<Found>) {
        if found.is_empty() {
            return;
        }
        let mut pins = self.pins(session);
        Rc::make_mut(&mut pins).add(found);
        self.pins.put(session.to_string(), pins, 0.0);
    }

    /// What the model's searches found.
    pub fn pins(&self, session: &str) -> Rc<SearchPins> {
        self.pins.get(&session.to_string()).cloned().unwrap_or_default()
    }

    /// Takes note of the candidates of a request, for tools that are called before the next one.
    pub fn offer(&mut self, session: &str, candidates: &Rc<Candidates>) {
        self.offered.put(session.to_string(), candidates.clone(), 0.0);
    }

    /// The candidates of the session's last request; none if that was long ago.
    pub fn offered(&self, session: &str) -> Rc<Candidates> {
        self.offered.get(&session.to_string()).cloned().unwrap_or_default()
    }

    /// Counts repaired arguments, for the session's next report.
    pub fn count_repairs(&mut self, session: &str, repairs: usize) {
        let before = self.repairs.get(&session.to_string()).copied().unwrap_or_default();
        self.repairs.put(session.to_string(), before + repairs, 0.0);
    }

    /// How many arguments were repaired since this was asked last.
    pub fn take_repairs(&mut self, session: &str) -> usize {
        self.repairs.remove(&session.to_string()).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pins_add_up_until_the_session_is_forgotten() {
        let mut sessions = Sessions::default();
        sessions.pin("a", vec![Found::Skill("x".into())]);
        sessions.pin("a", vec![Found::Skill("y".into()), Found::Skill("x".into())]);
        assert_eq!((sessions.pins("a").len(), sessions.pins("b").len()), (2, 0));
        sessions.forget("a");
        assert!(sessions.pins("a").is_empty());
    }

    #[test]
    fn what_was_offered_is_known_of_the_newest_sessions() {
        let mut sessions = Sessions::default();
        let candidates = Rc::new(Candidates { fingerprint: 7, ..Candidates::default() });
        (0..=MAX_OFFERED).for_each(|at| sessions.offer(&at.to_string(), &candidates));
        assert_eq!(sessions.offered("0").fingerprint, 0);
        assert_eq!(sessions.offered("1").fingerprint, 7);
    }

    #[test]
    fn repairs_are_reported_once() {
        let mut sessions = Sessions::default();
        sessions.count_repairs("a", 1);
        sessions.count_repairs("a", 2);
        assert_eq!(sessions.take_repairs("a"), 3);
        assert_eq!(sessions.take_repairs("a"), 0);
    }

    #[test]
    fn with_another_baseline_a_session_begins_anew() {
        let mut sessions = Sessions::default();
        let key = SessionKey { session: "a".into(), prompt: None, options: 0 };
        let mut memory = Memory::new(1);
        memory.prompt = "Hello".to_string();
        sessions.write(&key, SessionState { memory: Rc::new(memory), ..SessionState::default() }, 0.0);
        assert_eq!(sessions.read(&key, 1, 9.0, f64::INFINITY).memory.prompt, "Hello");
        assert_eq!(sessions.read(&key, 2, 9.0, f64::INFINITY).memory.prompt, "");
    }
}
