//! A conversation with one prompt, for requests whose history does not matter but for what it has used.

use opencode_jev_pruner::opencode::messages::{Conversation, Role, TextPart, Use};

#[derive(Clone, Debug, Default)]
pub struct OnePrompt {
    pub prompt: String,
    pub uses: Vec<Use>,
}

impl Conversation for OnePrompt {
    fn len(&self) -> usize {
        2
    }

    fn role(&self, index: usize) -> Role {
        match index {
            0 => Role::User,
            _ => Role::Assistant,
        }
    }

    fn id(&self, index: usize) -> Option<String> {
        Some(format!("msg_{index}"))
    }

    fn has_metadata(&self, index: usize) -> bool {
        index == 0
    }

    fn text_parts(&self, index: usize) -> Vec<TextPart> {
        match index {
            0 => vec![TextPart { text: self.prompt.clone(), is_attachment: false }],
            _ => Vec::new(),
        }
    }

    fn uses(&self) -> Vec<Use> {
        self.uses.clone()
    }

    fn chars(&self) -> usize {
        self.prompt.len()
    }
}
