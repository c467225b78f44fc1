//! The options under `history`: what may go from the conversation itself, and when.

use super::{options, Kind};

/// Tools whose calls and outputs no strategy touches. The inputs of `write` and `edit` may be shortened all the
/// same, by the two strategies that are about them.
pub const ALWAYS_PROTECTED: [&str; 13] = [
    "task",
    "subagent",
    "todowrite",
    "todoread",
    "question",
    "skill",
    "batch",
    "discard",
    "extract",
    "write",
    "edit",
    "patch",
    "*memory*",
];

const TURNS: Kind = Kind::Count { min: 0, max: 1_000 };

options! {
    /// What may go from the conversation.
    History [history]
    {
        #[doc = "Prune the conversation: old outputs, inputs of failed calls, thinking of finished turns."]
        enabled: bool = Flag(false), Kind::Flag, ["JEV_PRUNER_HISTORY"];
        #[doc = "Edits of old messages wait until they save more than this many tokens together, since the first of them costs the provider's prompt cache. A long conversation waits for a sixth of itself; 0 makes each edit at once."]
        batch_tokens: usize = Count(4_000), Kind::Count { min: 0, max: 1_000_000 }, [];
        #[doc = "Prune the conversations of child sessions (subagents) too."]
        subagents: bool = Flag(false), Kind::Flag, [];
        #[doc = "Tools whose calls are never touched: globs over the name. Those of the default are protected whether they are listed or not; inputs of `write` and `edit` may still be shortened by `supersede_writes` and `purge_errors`."]
        protected_tools: Vec<String> = Texts(&ALWAYS_PROTECTED), Kind::Texts, [];
        #[doc = "Calls whose input names a file that matches are never touched: globs over the path, or over its end behind a `/`."]
        protected_file_patterns: Vec<String> = Texts(&[]), Kind::Texts, [];
    }
    {
        deduplication: Deduplication,
        supersede_writes: SupersedeWrites,
        purge_errors: PurgeErrors,
        prune_thinking: PruneThinking,
        placeholder_compression: PlaceholderCompression,
        turn_protection: TurnProtection,
        tools: Tools,
    }
}

options! {
    /// The same call twice.
    Deduplication [history.deduplication]
    {
        #[doc = "Of calls of the same tool with the same input only the newest keeps its output."]
        enabled: bool = Flag(true), Kind::Flag, [];
        #[doc = "Tools whose outputs all stay: globs over the name."]
        protected_tools: Vec<String> = Texts(&[]), Kind::Texts, [];
    }
    {}
}

options! {
    /// Contents that were written and are known from elsewhere.
    SupersedeWrites [history.supersede_writes]
    {
        #[doc = "The input of a `write` loses its content once the file was read or wholly written again."]
        enabled: bool = Flag(true), Kind::Flag, [];
    }
    {}
}

options! {
    /// Calls that failed.
    PurgeErrors [history.purge_errors]
    {
        #[doc = "The input of a call that failed loses its large strings; the error stays."]
        enabled: bool = Flag(true), Kind::Flag, [];
        #[doc = "How many user turns later."]
        turns: usize = Count(2), TURNS, [];
        #[doc = "Tools whose failed calls stay whole: globs over the name."]
        protected_tools: Vec<String> = Texts(&[]), Kind::Texts, [];
    }
    {}
}

options! {
    /// Thinking of finished turns.
    PruneThinking [history.prune_thinking]
    {
        #[doc = "Reasoning of older messages goes, and `<thinking>` blocks in their texts."]
        enabled: bool = Flag(true), Kind::Flag, [];
        #[doc = "How many user turns later."]
        delay_turns: usize = Count(1), TURNS, [];
    }
    {}
}

options! {
    /// Old outputs.
    PlaceholderCompression [history.placeholder_compression]
    {
        #[doc = "An older large output becomes one line that says what it was and how to have it again."]
        enabled: bool = Flag(true), Kind::Flag, [];
        #[doc = "How many user turns later."]
        delay_turns: usize = Count(2), TURNS, [];
        #[doc = "Outputs of fewer tokens stay."]
        min_output_tokens: usize = Count(100), Kind::Count { min: 0, max: 1_000_000 }, [];
        #[doc = "Tools whose outputs stay: globs over the name."]
        protected_tools: Vec<String> = Texts(&[]), Kind::Texts, [];
    }
    {}
}

options! {
    /// The newest turns.
    TurnProtection [history.turn_protection]
    {
        #[doc = "Touch nothing in the newest turns, whatever the strategies say."]
        enabled: bool = Flag(false), Kind::Flag, [];
        #[doc = "How many turns, the running one included."]
        turns: usize = Count(4), TURNS, [];
    }
    {}
}

options! {
    /// What the model can do itself.
    Tools [history.tools]
    {
        #[doc = "Give the model a tool `discard` that drops outputs it no longer needs."]
        discard: bool = Flag(false), Kind::Flag, [];
        #[doc = "Give the model a tool `extract` that replaces outputs by its own summary."]
        extract: bool = Flag(false), Kind::Flag, [];
        #[doc = "List the ids for these tools again after this many further outputs."]
        nudge_frequency: usize = Count(5), Kind::Count { min: 1, max: 1_000 }, [];
    }
    {}
}
