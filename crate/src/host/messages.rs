//! The conversation: which message is the user's prompt, and which tools it has called.
//!
//! `role: "user"` is not only the person: shell output, skill texts, synthetic notices and summaries come
//! with it too (`opencode-host.md` §4.4). In the requests that were observed only real prompts carried a
//! `metadata` object (`host-observed.md`). A prompt's message is made of
//!
//! ```text
//! [skill texts...] [typed text] ["\n\nAttached file: README.md\n..."...] [media...]
//! ```

use super::catalog::tool_of_path;
use super::names::read_path;
use super::text::cut;
use crate::hashing::fingerprint_of;
use crate::hashing::HashSet;

/// What is asked of a conversation, so that a long history need not be copied to be looked at.
pub trait Conversation {
    fn len(&self) -> usize;
    fn role(&self, index: usize) -> Role;
    fn id(&self, index: usize) -> Option<String>;
    /// Whether the message carries a `metadata` object.
    fn has_metadata(&self, index: usize) -> bool;
    fn text_parts(&self, index: usize) -> Vec<TextPart>;
    /// What the message calls or answers for.
    fn uses(&self, index: usize) -> Vec<Use>;

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
    pub fn from_host(role: &str) -> Role {
        match role {
            "system" => Role::System,
            "user" => Role::User,
            "assistant" => Role::Assistant,
            "tool" => Role::Tool,
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
    pub native: HashSet<String>,
    /// Namespace and tool.
    pub paths: HashSet<(String, String)>,
    /// Ids.
    pub skills: HashSet<String>,
}

impl Used {
    pub fn of(conversation: &dyn Conversation) -> Used {
        let mut used = Used::default();
        for index in 0..conversation.len() {
            if !matches!(conversation.role(index), Role::Assistant | Role::Tool) {
                continue;
            }
            for trace in conversation.uses(index) {
                match trace {
                    Use::Tool(name) => drop(used.native.insert(name)),
                    Use::Paths(text) => used.paths.extend(paths_in(&text)),
                    Use::Skill(id) => drop(used.skills.insert(id)),
                }
            }
        }
        used
    }

    /// Equal for equal sets, in whatever order they are kept.
    pub fn fingerprint(&self) -> u64 {
        let native = self.native.iter().map(|name| fingerprint_of(&(0, name)));
        let paths = self.paths.iter().map(|path| fingerprint_of(&(1, path)));
        let skills = self.skills.iter().map(|id| fingerprint_of(&(2, id)));
        native.chain(paths).chain(skills).fold(0, u64::wrapping_add)
    }

    pub fn has_tool(&self, namespace: &str, tool: &str, native_name: &str) -> bool {
        self.native.contains(native_name)
            || (!self.paths.is_empty() && self.paths.contains(&(namespace.to_string(), tool.to_string())))
    }
}

/// Segments and characters of a path that are looked at; no tool lies deeper or has a longer name.
const MAX_SEGMENTS: usize = 8;
const MAX_PATH_CHARS: usize = 512;

/// The tools whose paths stand in a text. `tools.notes.add.call(x)` may be the tool `add` or a nested one, so
/// it is both.
fn paths_in(text: &str) -> Vec<(String, String)> {
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

/// The newest real prompt. In order of trust: one that was remembered when it was admitted, the last user
/// message with metadata, the last one that looks typed.
pub fn newest_prompt(
    conversation: &dyn Conversation,
    remembered: impl Fn(&str) -> Option<String>,
) -> Option<String> {
    let newest_first =
        || (0..conversation.len()).rev().filter(|&index| conversation.role(index) == Role::User);
    let by_memory = newest_first().find_map(|index| remembered(&conversation.id(index)?));
    let found = by_memory.or_else(|| match newest_first().find(|&index| conversation.has_metadata(index)) {
        Some(index) => Some(typed_text(&conversation.text_parts(index))),
        None => newest_first().find_map(|index| {
            let parts = conversation.text_parts(index);
            parts.first().is_some_and(looks_typed).then(|| typed_text(&parts))
        }),
    });
    found.filter(|text| !text.trim().is_empty())
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
        fn uses(&self, index: usize) -> Vec<Use> {
            let name = |text: &&str| match text.split_once(": ") {
                Some(("code", code)) => Use::Paths(code.to_string()),
                Some(("skill", id)) => Use::Skill(id.to_string()),
                _ => Use::Tool(text.to_string()),
            };
            self[index].3.iter().map(name).collect()
        }
    }

    fn prompt(messages: Vec<Message>) -> Option<String> {
        newest_prompt(&messages, |id| (id == "known").then(|| "remembered text".to_string()))
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
        let used = Used::of(&vec![
            Message(
                Role::Assistant,
                "a",
                false,
                &["read", "code: await tools.notes.add({}); tools[\"a-b\"][\"c.d\"](1)"],
            ),
            Message(Role::Tool, "b", false, &["db_query", "skill: pdf-forms"]),
            Message(Role::User, "c", false, &["not a tool"]),
        ]);
        assert!(used.has_tool("db", "query", "db_query"));
        assert!(used.has_tool("notes", "add", "notes_add"));
        assert!(used.has_tool("a-b", "c.d", "x"));
        assert!(!used.has_tool("notes", "find", "notes_find"));
        assert!(used.skills.contains("pdf-forms"));
        assert!(!used.native.contains("not a tool"));
    }

    #[test]
    fn a_longer_path_is_a_use_of_each_tool_it_may_name() {
        let used = Used::of(&vec![Message(Role::Assistant, "a", false, &["code: tools.notes.add.call(x)"])]);
        assert!(used.has_tool("notes", "add", "x") && used.has_tool("notes", "add.call", "x"));
    }
}
