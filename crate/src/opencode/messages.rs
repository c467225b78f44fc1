//! The conversation: which message is the user's prompt, and which tools it has called.
//!
//! `role: "user"` is not only the person: shell output, skill texts, synthetic notices and summaries come
//! with it too (`opencode-host.md` §4.4). In the requests that were observed only real prompts carried a
//! `metadata` object (`host-observed.md`). A prompt's message is made of
//!
//! ```text
//! [skill texts...] [typed text] ["\n\nAttached file: README.md\n..."...] [media...]
//! ```

use arcstr::Substr;

use super::catalog::tool_of_path;
use super::names::read_path;
use crate::hash::fingerprint_of;
use crate::hash::{FxHashMap, FxHashSet};
use crate::text::cut;

/// What is asked of a conversation, so that a long history need not be copied to be looked at.
pub trait Conversation {
    fn len(&self) -> usize;
    fn role(&self, index: usize) -> Role;
    fn id(&self, index: usize) -> Option<String>;
    /// Whether the message carries a `metadata` object.
    fn has_metadata(&self, index: usize) -> bool;
    fn text_parts(&self, index: usize) -> Vec<TextPart>;
    /// What the assistant's and the tools' messages call or answer for.
    fn uses(&self) -> Vec<Use>;
    /// The length of all messages, about.
    fn chars(&self) -> usize;

    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    System,
    User,
    Assistant,
    Tool,
    Unknown,
}

impl Role {
    /// From the first letter of its name.
    pub fn from_letter(letter: char) -> Role {
        match letter {
            's' => Role::System,
            'u' => Role::User,
            'a' => Role::Assistant,
            't' => Role::Tool,
            _ => Role::Unknown,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextPart {
    pub text: String,
    /// Whether the part's own metadata says that it is an attachment.
    pub is_attachment: bool,
}

/// One trace of a tool or skill in the conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Use {
    /// A call of a native tool, or its answer.
    Tool(String),
    /// Text in which tools are called or listed by their catalog paths: code for `execute`, or what a
    /// `search` in it has found.
    Paths(String),
    /// The id of a skill that was loaded.
    Skill(String),
}

/// All that a conversation has used.
#[derive(Clone, Debug, Default)]
pub struct Used {
    /// Native names.
    pub native: FxHashSet<String>,
    /// Tools by namespace.
    pub paths: FxHashMap<Substr, FxHashSet<Substr>>,
    /// Ids.
    pub skills: FxHashSet<String>,
}

impl Used {
    pub fn of(uses: Vec<Use>) -> Used {
        let mut used = Used::default();
        for trace in uses {
            match trace {
                Use::Tool(name) => drop(used.native.insert(name)),
                Use::Paths(text) => {
                    paths_in(&text).into_iter().for_each(|(namespace, tool)| used.note_path(namespace, tool))
                }
                Use::Skill(id) => drop(used.skills.insert(id)),
            }
        }
        used
    }

    /// Takes note of a tool that was called by its path.
    pub fn note_path(&mut self, namespace: Substr, tool: Substr) {
        self.paths.entry(namespace).or_default().insert(tool);
    }

    /// Equal for equal sets, in whatever order they are kept.
    pub fn fingerprint(&self) -> u64 {
        let native = self.native.iter().map(|name| fingerprint_of(&(0, name)));
        let paths =
            self.paths.iter().flat_map(|(namespace, tools)| tools.iter().map(move |tool| (namespace, tool)));
        let paths = paths.map(|path| fingerprint_of(&(1, path)));
        let skills = self.skills.iter().map(|id| fingerprint_of(&(2, id)));
        native.chain(paths).chain(skills).fold(0, u64::wrapping_add)
    }

    /// OpenCode 2 loads a skill by its id, 1.18 by its name.
    pub fn has_skill(&self, id: &str, name: &str) -> bool {
        self.skills.contains(id) || self.skills.contains(name)
    }

    pub fn has_tool(&self, namespace: &str, tool: &str, native_name: &str) -> bool {
        self.native.contains(native_name)
            || self.paths.get(namespace).is_some_and(|tools| tools.contains(tool))
    }
}

/// Segments and characters of a path that are looked at; no tool lies deeper or has a longer name.
const MAX_SEGMENTS: usize = 8;
const MAX_PATH_CHARS: usize = 512;

/// The tools whose paths stand in a text. `tools.notes.add.call(x)` may be the tool `add` or a nested one, so
/// it is both.
fn paths_in(text: &str) -> Vec<(Substr, Substr)> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find("tools") {
        let path = rest.get(at..).unwrap_or_default();
        let near = cut(path, MAX_PATH_CHARS);
        let (segments, length) = match read_path(near) {
            Some((segments, behind)) => (segments, near.len() - behind.len()),
            None => (Vec::new(), "tools".len()),
        };
        let longest = segments.len().min(MAX_SEGMENTS);
        found.extend((1..=longest).filter_map(|length| tool_of_path(segments.get(..length)?)));
        // The path itself may hold the word again.
        rest = path.get(length..).unwrap_or_default();
    }
    found
}

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

/// What is looked at of a conversation to find prompts in it.
pub struct Prompts<'a, F: Fn(&str) -> Option<String>> {
    pub conversation: &'a dyn Conversation,
    /// The text of a message that was remembered when it was admitted, by the message's id.
    pub remembered: F,
}

/// A real prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prompt {
    pub text: String,
    /// Which message it is.
    pub message: usize,
}

impl<F: Fn(&str) -> Option<String>> Prompts<'_, F> {
    /// The newest real prompt.
    pub fn newest(&self) -> Option<Prompt> {
        self.newest_before(self.conversation.len())
    }

    /// The newest real prompt; in front of one that says little by itself, the one before it and the last
    /// sentence of what the assistant answered to that. Nothing behind the prompt counts, so that all steps of
    /// a turn read the same.
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

    #[test]
    fn calls_code_and_skills_are_traces_of_use() {
        let used = Used::of(vec![
            Use::Tool("read".into()),
            Use::Paths("await tools.notes.add({}); tools[\"a-b\"][\"c.d\"](1)".into()),
            Use::Tool("db_query".into()),
            Use::Skill("pdf-forms".into()),
        ]);
        assert!(used.has_tool("db", "query", "db_query"));
        assert!(used.has_tool("notes", "add", "notes_add"));
        assert!(used.has_tool("a-b", "c.d", "x"));
        assert!(!used.has_tool("notes", "find", "notes_find"));
        assert!(used.skills.contains("pdf-forms"));
    }

    #[test]
    fn a_longer_path_is_a_use_of_each_tool_it_may_name() {
        let used = Used::of(vec![Use::Paths("tools.notes.add.call(x)".into())]);
        assert!(used.has_tool("notes", "add", "x") && used.has_tool("notes", "add.call", "x"));
    }
}
