//! Which message is the user's prompt.
//!
//! `role: "user"` is not only the person: shell output, skill texts, synthetic notices and summaries come
//! with it too (`opencode-host.md` §4.4). In the requests that were observed only real prompts carried a
//! `metadata` object (`host-observed.md`). A prompt's message is made of
//!
//! ```text
//! [skill texts...] [typed text] ["\n\nAttached file: README.md\n..."...] [media...]
//! ```

use super::{Conversation, Role, TextPart};

/// How user messages begin that no person typed (§4.4, and the wording of the observed beta).
const NOT_TYPED: [&str; 5] = [
    "The following shell command was executed",
    "Shell command: ",
    "<conversation-checkpoint>",
    "The working directory has been changed",
    "<skill_content",
];

const ATTACHMENTS: [&str; 2] = ["\n\nAttached file:", "\n\nAttached directory:"];
const SKILL_TEXT: &str = "<skill_content";

/// Finds real prompts in a conversation.
pub struct Prompts<'a, F: Fn(&str) -> Option<String>> {
    /// Where to look.
    pub conversation: &'a dyn Conversation,
    /// The text of a prompt that was remembered when OpenCode admitted it, by the message's id.
    pub remembered: F,
}

/// A real prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prompt {
    /// What the user typed, without attachments; never blank.
    pub text: String,
    /// The index of its message.
    pub message: usize,
}

impl<F: Fn(&str) -> Option<String>> Prompts<'_, F> {
    /// The newest real prompt.
    pub fn newest(&self) -> Option<Prompt> {
        self.newest_before(self.conversation.len())
    }

    /// The newest real prompt; in front of one that says little by itself, the one before it and the last
    /// sentence of what the assistant answered to that. Nothing behind the prompt counts, so that all requests
    /// of a turn give the same text.
    pub fn newest_with_context(&self) -> Option<Prompt> {
        let prompt = self.newest()?;
        if prompt.text.trim().chars().count() >= SHORT_PROMPT_CHARS {
            return Some(prompt);
        }
        let Some(earlier) = self.newest_before(prompt.message) else { return Some(prompt) };
        // Said once more it is the same question, and need not be asked again.
        if earlier.text.trim() == prompt.text.trim() {
            return Some(prompt);
        }
        let answered = (earlier.message..prompt.message)
            .rev()
            .filter(|&index| self.conversation.role(index) == Role::Assistant);
        let said = answered.map(|index| last_sentence(&self.conversation.text_parts(index)));
        let said = said.into_iter().find(|sentence| !sentence.is_empty());
        let said = said.map(|sentence| format!("The assistant answered: {sentence}\n")).unwrap_or_default();
        let Prompt { text, message } = prompt;
        let text = format!("Earlier request: {}\n{said}The user's request now: {text}", earlier.text.trim());
        Some(Prompt { text, message })
    }

    /// In order of trust: one that was remembered when it was admitted, the last user message with metadata,
    /// the last one that looks typed.
    fn newest_before(&self, end: usize) -> Option<Prompt> {
        let conversation = self.conversation;
        let newest_first = || (0..end).rev().filter(|&index| conversation.role(index) == Role::User);
        let remembered =
            |message| Some(Prompt { text: (self.remembered)(&conversation.id(message)?)?, message });
        let typed = |message| Prompt { text: typed_text(&conversation.text_parts(message)), message };
        let by_memory = newest_first().find_map(remembered);
        let found =
            by_memory.or_else(|| match newest_first().find(|&index| conversation.has_metadata(index)) {
                Some(index) => Some(typed(index)),
                None => newest_first()
                    .find(|&index| conversation.text_parts(index).first().is_some_and(looks_typed))
                    .map(typed),
            });
        found.filter(|prompt| !prompt.text.trim().is_empty())
    }
}

/// A prompt shorter than this is likely to mean something only together with the one before it.
const SHORT_PROMPT_CHARS: usize = 40;

/// The last line's last sentence, with its end.
fn last_sentence(parts: &[TextPart]) -> String {
    let lines = parts.iter().rev().flat_map(|part| part.text.lines().rev());
    let line = lines.map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    let inside = line.trim_end_matches(['.', '!', '?', ' ']);
    let start = inside.rfind(['.', '!', '?']).filter(|&at| inside.get(at + 1..at + 2) == Some(" "));
    line.get(start.map_or(0, |at| at + 2)..).unwrap_or(line).to_string()
}

fn looks_typed(part: &TextPart) -> bool {
    !NOT_TYPED.iter().any(|beginning| part.text.starts_with(beginning))
}

fn typed_text(parts: &[TextPart]) -> String {
    let typed: Vec<&str> = parts
        .iter()
        .filter(|part| !part.is_attachment && !part.text.starts_with(SKILL_TEXT))
        .map(|part| part.text.as_str())
        .filter(|text| !ATTACHMENTS.iter().any(|beginning| text.starts_with(beginning)))
        .collect();
    typed.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::opencode::messages::Use;

    struct Message(Role, &'static str, bool, &'static [&'static str]);

    impl Conversation for Vec<Message> {
        fn len(&self) -> usize {
            Vec::len(self)
        }
        fn role(&self, index: usize) -> Role {
            self[index].0
        }
        fn id(&self, index: usize) -> Option<String> {
            Some(self[index].1.to_string())
        }
        fn has_metadata(&self, index: usize) -> bool {
            self[index].2
        }
        fn text_parts(&self, index: usize) -> Vec<TextPart> {
            self[index]
                .3
                .iter()
                .map(|text| TextPart { text: text.to_string(), is_attachment: false })
                .collect()
        }
        fn uses(&self) -> Vec<Use> {
            Vec::new()
        }
        fn chars(&self) -> usize {
            self.iter().flat_map(|message| message.3).map(|text| text.len()).sum()
        }
    }

    fn prompt(messages: Vec<Message>) -> Option<String> {
        prompts(&messages).newest().map(|prompt| prompt.text)
    }

    fn prompts(messages: &Vec<Message>) -> Prompts<'_, impl Fn(&str) -> Option<String>> {
        let remembered = |id: &str| (id == "known").then(|| "remembered text".to_string());
        Prompts { conversation: messages, remembered }
    }

    fn with_context(messages: &Vec<Message>) -> Option<String> {
        prompts(messages).newest_with_context().map(|prompt| prompt.text)
    }

    const LONG: &str = "Which of the queries of last night were slow, and why?";

    #[test]
    fn a_prompt_of_a_few_words_brings_the_one_before_it_along() {
        let messages = vec![
            Message(Role::User, "a", true, &["an older one"]),
            Message(Role::User, "b", true, &[LONG]),
            Message(Role::Assistant, "c", false, &["I found two. They lack an index. Shall I create it?"]),
            Message(Role::Tool, "d", false, &["db_query"]),
            Message(Role::User, "e", true, &["yes"]),
            Message(Role::Assistant, "f", false, &["Of a later step."]),
        ];
        assert_eq!(
            with_context(&messages).as_deref(),
            Some(
                "Earlier request: Which of the queries of last night were slow, and why?\n\
                 The assistant answered: Shall I create it?\n\
                 The user's request now: yes"
            )
        );
    }

    #[test]
    fn a_prompt_that_is_typed_again_stands_for_itself() {
        let messages = vec![
            Message(Role::User, "a", true, &["go on"]),
            Message(Role::Assistant, "b", false, &["Done."]),
            Message(Role::User, "c", true, &["go on"]),
        ];
        assert_eq!(with_context(&messages).as_deref(), Some("go on"));
    }

    #[test]
    fn forty_characters_stand_for_themselves() {
        const FORTY: &str = "1234567890123456789012345678901234567890";
        let messages =
            vec![Message(Role::User, "a", true, &[LONG]), Message(Role::User, "b", true, &[FORTY])];
        assert_eq!(with_context(&messages).as_deref(), Some(FORTY));
    }

    #[test]
    fn a_short_first_prompt_has_nothing_to_bring_along() {
        let messages =
            vec![Message(Role::Assistant, "a", false, &["Hello."]), Message(Role::User, "b", true, &["hi"])];
        assert_eq!(with_context(&messages).as_deref(), Some("hi"));
    }

    #[test]
    fn the_last_sentence_is_that_of_the_last_line_with_words() {
        for (text, sentence) in [
            ("One. Two? Three!", "Three!"),
            ("One", "One"),
            ("Version 1.2 is out.", "Version 1.2 is out."),
            ("One.\n\n  Two. Three  \n \n", "Three"),
            ("Ends... ", "Ends..."),
            ("é. ü", "ü"),
            ("", ""),
        ] {
            let part = TextPart { text: text.to_string(), is_attachment: false };
            assert_eq!(last_sentence(&[part]), sentence, "{text:?}");
        }
    }

    #[test]
    fn a_remembered_prompt_is_trusted_most() {
        let messages = vec![
            Message(Role::User, "known", true, &["shown"]),
            Message(Role::User, "x", true, &["a later notice"]),
        ];
        assert_eq!(prompt(messages).as_deref(), Some("remembered text"));
    }

    #[test]
    fn then_the_last_user_message_with_metadata() {
        let messages = vec![
            Message(Role::User, "a", true, &["first"]),
            Message(Role::User, "b", true, &["second"]),
            Message(Role::Assistant, "c", true, &["answer"]),
            Message(Role::User, "d", false, &["a synthetic notice"]),
        ];
        assert_eq!(prompt(messages).as_deref(), Some("second"));
    }

    #[test]
    fn then_the_last_user_message_that_looks_typed() {
        let messages = vec![
            Message(Role::User, "a", false, &["typed"]),
            Message(Role::User, "b", false, &["Shell command: ls\n\nout"]),
            Message(Role::User, "c", false, &["The following shell command was executed by the user:"]),
            Message(Role::User, "d", false, &["<conversation-checkpoint>x"]),
            Message(Role::User, "e", false, &["The working directory has been changed to /x"]),
            Message(Role::User, "f", false, &["<skill_content name=\"x\">"]),
        ];
        assert_eq!(prompt(messages).as_deref(), Some("typed"));
    }

    #[test]
    fn attachments_and_skill_texts_are_left_out() {
        let messages = vec![Message(
            Role::User,
            "a",
            true,
            &[
                "<skill_content>s</skill_content>",
                "typed",
                "\n\nAttached file: x\ny",
                "\n\nAttached directory: d",
            ],
        )];
        assert_eq!(prompt(messages).as_deref(), Some("typed"));
    }

    #[test]
    fn without_text_there_is_no_prompt() {
        assert_eq!(prompt(vec![]), None);
        assert_eq!(prompt(vec![Message(Role::User, "a", true, &["\n\nAttached file: x"])]), None);
        assert_eq!(prompt(vec![Message(Role::Assistant, "a", true, &["answer"])]), None);
    }
}
