//! Packing questions into as few requests as the limits allow. The requests of one phase go out in parallel.

use super::questions::Question;

/// The most characters of one request. It keeps the request far below Jev's limit of 64,000 tokens, and
/// small ones are refused less often (`jev-api.md` §1, §4).
pub(crate) const MAX_REQUEST_CHARS: usize = 48_000;

/// Splits questions, in order, so that no group holds more than `max_questions` of them or, with the state
/// that every request repeats, more than [`MAX_REQUEST_CHARS`]. A group holds at least one question.
pub(crate) fn pack(questions: Vec<Question>, state_chars: usize, max_questions: usize) -> Vec<Vec<Question>> {
    let mut groups: Vec<Vec<Question>> = Vec::new();
    let mut chars = 0;
    for question in questions {
        let size = question.instructions.chars().count();
        match groups.last_mut() {
            Some(group) if group.len() < max_questions && state_chars + chars + size <= MAX_REQUEST_CHARS => {
                chars += size;
                group.push(question);
            }
            _ => {
                chars = size;
                groups.push(vec![question]);
            }
        }
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sizes(count: usize, chars: usize, state_chars: usize, max_questions: usize) -> Vec<usize> {
        let question = |at| Question { id: format!("t{at}"), instructions: "é".repeat(chars) };
        pack((0..count).map(question).collect(), state_chars, max_questions).iter().map(Vec::len).collect()
    }

    #[test]
    fn a_request_holds_no_more_questions_than_allowed() {
        assert_eq!(sizes(250, 10, 0, 100), [100, 100, 50]);
        assert_eq!(sizes(100, 10, 0, 100), [100]);
        assert!(sizes(0, 10, 0, 100).is_empty());
    }

    #[test]
    fn a_request_holds_no_more_characters_than_allowed_with_its_state() {
        assert_eq!(sizes(5, 16_000, 0, 100), [3, 2]);
        assert_eq!(sizes(5, 16_000, 1, 100), [2, 2, 1]);
    }

    #[test]
    fn a_question_that_fits_nowhere_goes_alone() {
        assert_eq!(sizes(2, 50_000, 0, 100), [1, 1]);
    }
}
