//! How a candidate is asked about.
//!
//! One yes/no question a candidate, worded so that high means yes, with the candidate's text in its own
//! question and its name in double quotes (`jev-api.md` §4; ids are not sent to the model):
//!
//! ```text
//! Does the user's request require the tool "query" from the MCP server "postgres"? Tool purpose: Run a read-only SQL query.
//! ```

use std::borrow::Cow;

use crate::candidates::{Server, Skill, Tool};
use crate::text::cut;

/// A question to Jev.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Question {
    /// The key by which its answer comes back: a letter for the kind of candidate and its number, as in `t7`.
    pub(crate) id: String,
    /// The question in words.
    pub(crate) instructions: String,
}

/// A name longer than this is no name; it is cut so that one candidate cannot fill a request.
const MAX_NAME_CHARS: usize = 200;

/// What a question takes besides its purpose, so that most are written without reallocating.
const TYPICAL_QUESTION_BYTES: usize = 160;

/// `at` is the server's number among all servers; its purpose is cut to `max_chars` code points, and so is what its
/// tools do.
pub(crate) fn about_server(at: usize, server: &Server, max_chars: usize) -> Question {
    let mut question = "Does the user's request require the MCP server ".to_string();
    quote(&mut question, server.name());
    question.push('?');
    let mut purpose = server_purpose(server, max_chars);
    let tools = tools_purpose(server, max_chars);
    if !tools.is_empty() {
        end_sentence(&mut purpose);
        purpose.push(' ');
        purpose.push_str(&tools);
    }
    Question { id: format!("s{at}"), instructions: with_purpose(question, "Server", &purpose) }
}

/// `at` is the tool's number among all tools, whatever its server; its purpose is cut to `max_chars` code points.
pub(crate) fn about_tool(at: usize, server: &Server, tool: &Tool, max_chars: usize) -> Question {
    let purpose = one_line(tool.description.as_deref().unwrap_or_default());
    let mut question = String::with_capacity(TYPICAL_QUESTION_BYTES + purpose.len());
    question.push_str("Does the user's request require the tool ");
    quote(&mut question, &tool.name);
    question.push_str(" from the MCP server ");
    quote(&mut question, server.name());
    question.push('?');
    Question { id: format!("t{at}"), instructions: with_purpose(question, "Tool", cut(&purpose, max_chars)) }
}

/// `at` is the skill's number among all skills; its purpose is cut to `max_chars` code points.
pub(crate) fn about_skill(at: usize, skill: &Skill, max_chars: usize) -> Question {
    let purpose = one_line(skill.description.as_deref().unwrap_or_default());
    let mut question = String::with_capacity(TYPICAL_QUESTION_BYTES + purpose.len());
    question.push_str("Does the user's request require the skill ");
    quote(&mut question, &skill.id);
    question.push('?');
    Question { id: format!("k{at}"), instructions: with_purpose(question, "Skill", cut(&purpose, max_chars)) }
}

fn with_purpose(mut question: String, kind: &str, purpose: &str) -> String {
    if !purpose.is_empty() {
        for piece in [" ", kind, " purpose: ", purpose] {
            question.push_str(piece);
        }
    }
    question
}

/// What is known of a server: its descriptions, then the names of its tools. The names say most, so a
/// long description leaves them half of the characters.
fn server_purpose(server: &Server, max_chars: usize) -> String {
    let mut tools = String::new();
    for tool in &server.tools {
        tools.push_str(if tools.is_empty() { "Tools: " } else { ", " });
        tools.push_str(&tool.name);
    }
    let tools = one_line(&tools);
    let mut described = String::new();
    let description = server.description.as_deref().map(one_line);
    let sentences = server.instructions.iter().map(|text| Cow::Borrowed(first_sentence(text)));
    for text in description.into_iter().chain(sentences).filter(|text| !text.is_empty()) {
        described.push_str(if described.is_empty() { "" } else { " " });
        described.push_str(&text);
        end_sentence(&mut described);
    }
    let left = max_chars.saturating_sub(tools.chars().count() + 1).max(max_chars / 2);
    let described = cut(&described, left);
    let between = if described.is_empty() || tools.is_empty() { "" } else { " " };
    cut(&[described, between, &tools].concat(), max_chars).to_string()
}

/// What the tools of a server do, each in its first sentence. A server stands for all of them, so this is
/// limited by itself; `npm run bench:quality` found servers to be scored better with it.
fn tools_purpose(server: &Server, max_chars: usize) -> String {
    let mut purpose = String::new();
    for tool in &server.tools {
        // A character has at most four bytes, so there is enough to cut from.
        if purpose.len() >= 4 * max_chars {
            break;
        }
        let sentence = one_line(first_sentence(tool.description.as_deref().unwrap_or_default()));
        if !sentence.is_empty() {
            purpose.push_str(if purpose.is_empty() { "" } else { " " });
            purpose.push_str(&sentence);
            end_sentence(&mut purpose);
        }
    }
    cut(&purpose, max_chars).to_string()
}

/// The first sentence that is not only a heading's mark: to the first full stop before a space, or the line's end.
fn first_sentence(text: &str) -> &str {
    let line =
        text.lines().map(|line| line.trim().trim_start_matches('#').trim()).find(|line| !line.is_empty());
    let line = line.unwrap_or_default();
    line.find(". ").and_then(|end| line.get(..=end)).unwrap_or(line)
}

/// Ends a text as a sentence.
fn end_sentence(text: &mut String) {
    if text.chars().next_back().is_some_and(char::is_alphanumeric) {
        text.push('.');
    }
}

/// Adds a name in double quotes; quotes in it become single ones, so that it stays one name.
fn quote(text: &mut String, name: &str) {
    text.push('"');
    for (at, piece) in cut(&one_line(name), MAX_NAME_CHARS).split('"').enumerate() {
        text.push_str(if at == 0 { "" } else { "'" });
        text.push_str(piece);
    }
    text.push('"');
}

/// A text with single spaces for all its blanks; most texts have no others.
fn one_line(text: &str) -> Cow<'_, str> {
    if is_one_line(text) {
        return Cow::Borrowed(text);
    }
    let mut line = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        line.push_str(if line.is_empty() { "" } else { " " });
        line.push_str(word);
    }
    Cow::Owned(line)
}

/// Walks bytes, which is several times as quick as walking characters.
fn is_one_line(text: &str) -> bool {
    let mut after_space = true;
    for (at, byte) in text.bytes().enumerate() {
        if byte > b' ' && !MAY_BEGIN_BLANK[byte as usize] {
            after_space = false;
            continue;
        }
        let is_space = byte == b' ';
        let is_blank = is_space || text.get(at..).is_some_and(|rest| rest.starts_with(char::is_whitespace));
        if is_blank && (!is_space || after_space) {
            return false;
        }
        after_space = is_space;
    }
    text.is_empty() || !after_space
}

/// The first bytes of all blanks beyond ASCII.
const MAY_BEGIN_BLANK: [bool; 256] = {
    let mut begins = [false; 256];
    begins[0xc2] = true;
    begins[0xe1] = true;
    begins[0xe2] = true;
    begins[0xe3] = true;
    begins
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_blank_becomes_one_space() {
        for (text, line) in [
            ("as it is", "as it is"),
            ("größer – als  ", "größer – als"),
            (" a\tb\u{b}\n\n c\r", "a b c"),
            ("a\u{85}b\u{a0}c\u{1680}d\u{2003}e\u{2028}f\u{202f}g\u{205f}h\u{3000}i", "a b c d e f g h i"),
            ("\u{1f}no blank\u{200b}", "\u{1f}no blank\u{200b}"),
            ("  ", ""),
            ("", ""),
        ] {
            assert_eq!(one_line(text), line);
        }
    }

    #[test]
    fn all_blanks_of_unicode_are_known() {
        let blanks = ('\0'..=char::MAX).filter(|character| character.is_whitespace() && *character != ' ');
        for blank in blanks {
            assert!(!is_one_line(&format!("a{blank}b")), "{blank:?}");
        }
    }

    fn tool(name: &str, description: &str) -> Tool {
        Tool {
            name: name.into(),
            id: name.into(),
            description: Some(description.into()),
            is_native: false,
            is_listed: true,
            ..Tool::default()
        }
    }

    fn server() -> Server {
        Server {
            namespace: "my_db".into(),
            names: vec!["my \"db\"".into()],
            description: Some("Two databases".into()),
            instructions: vec!["# Use read queries. Never write.\nMore.".into()],
            tools: vec![tool("query", "Run a\n  read-only query."), tool("tables", "")],
            ..Server::default()
        }
    }

    #[test]
    fn a_tool_is_asked_about_with_its_server_and_purpose() {
        let server = server();
        assert_eq!(
            about_tool(7, &server, &server.tools[0], 400),
            Question {
                id: "t7".into(),
                instructions:
                    "Does the user's request require the tool \"query\" from the MCP server \"my 'db'\"? \
                               Tool purpose: Run a read-only query."
                        .into()
            }
        );
    }

    #[test]
    fn without_a_description_only_the_name_is_asked_about() {
        let server = server();
        assert!(about_tool(0, &server, &server.tools[1], 400)
            .instructions
            .ends_with("the MCP server \"my 'db'\"?"));
    }

    #[test]
    fn a_server_is_asked_about_with_all_that_is_known_of_it() {
        assert_eq!(
            about_server(0, &server(), 400).instructions,
            "Does the user's request require the MCP server \"my 'db'\"? Server purpose: Two databases. \
             Use read queries. Tools: query, tables. Run a."
        );
    }

    #[test]
    fn each_tool_says_what_it_does_in_its_first_sentence() {
        let tools =
            vec![tool("a", "Reads rows. Slowly."), tool("b", ""), tool("c", "Writes rows\nof a table")];
        let server = Server { namespace: "db".into(), tools, ..Server::default() };
        assert!(about_server(0, &server, 400)
            .instructions
            .ends_with("Server purpose: Tools: a, b, c. Reads rows. Writes rows."));
    }

    #[test]
    fn what_the_tools_do_may_be_as_long_as_the_rest() {
        let tools = (0..9).map(|_| tool("x", &"y".repeat(30))).collect();
        let server = Server { namespace: "db".into(), tools, ..Server::default() };
        let instructions = about_server(0, &server, 40).instructions;
        // Nine names in "Tools: x, x, ..." take 32 characters, and each tool's sentence 31 and a space.
        assert!(instructions.ends_with(&format!(" {}. {}", "y".repeat(30), "y".repeat(8))), "{instructions}");
    }

    #[test]
    fn a_long_description_leaves_half_of_the_characters_to_the_tools() {
        let server = Server { description: Some("x".repeat(500).into()), ..server() };
        let instructions = about_server(0, &server, 40).instructions;
        let purpose = instructions.split_once("purpose: ").unwrap().1;
        // 40 characters: "Tools: query, tables" takes 20, which leaves 19 and a space, and never less than 20.
        assert_eq!(purpose, format!("{} Tools: query, table. Run a.", "x".repeat(20)));
    }

    #[test]
    fn a_skill_is_asked_about_by_its_id() {
        let skill = Skill {
            id: "pdf-forms".into(),
            name: "PDF forms".into(),
            description: Some("Fill forms.".into()),
            ..Skill::default()
        };
        assert_eq!(
            about_skill(3, &skill, 400),
            Question {
                id: "k3".into(),
                instructions:
                    "Does the user's request require the skill \"pdf-forms\"? Skill purpose: Fill forms."
                        .into()
            }
        );
    }

    #[test]
    fn a_cut_falls_between_code_points() {
        let skill =
            Skill {
                id: "a".into(), name: "a".into(), description: Some("é😀x".into()), ..Skill::default()
            };
        assert!(about_skill(0, &skill, 2).instructions.ends_with("purpose: é😀"));
    }
}
