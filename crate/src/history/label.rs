//! Short labels of texts that may be long, for placeholders and lists.

use crate::text::cut;

/// A text within one line: white space becomes single spaces, and what is longer than `limit` characters is cut and
/// ends in `...`.
pub(super) fn one_line(text: &str, limit: usize) -> String {
    let is_plain = text.len() <= limit && text.bytes().all(|byte| byte.is_ascii_graphic());
    if is_plain {
        return text.to_string();
    }
    let beginning = cut(text, limit * 2);
    let line = beginning.split_whitespace().collect::<Vec<_>>().join(" ");
    let short = cut(&line, limit);
    match short.len() < line.len() || beginning.len() < text.len() {
        true => format!("{short}..."),
        false => short.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_space_becomes_single_spaces() {
        assert_eq!(one_line("ls\n  -l\t.", 9), "ls -l .");
    }

    #[test]
    fn what_is_too_long_is_cut_and_marked() {
        assert_eq!(one_line("12345", 5), "12345");
        assert_eq!(one_line("123456", 5), "12345...");
        assert_eq!(one_line("éééééé", 5), "ééééé...");
    }

    #[test]
    fn what_is_cut_in_white_space_is_marked_too() {
        assert_eq!(one_line(&format!("a{}", " ".repeat(20)), 5), "a...");
    }
}
