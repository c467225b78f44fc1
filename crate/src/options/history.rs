//! The group `history`: what may go from the conversation itself, and when. [`crate::history`] implements it.

use super::spec::{options, Kind};

/// Tools whose calls and outputs no strategy touches. The inputs of `write` and `edit` may be shortened all the
/// same, by the two strategies that are about them.
pub(crate) const ALWAYS_PROTECTED: [&str; 13] = [
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
    /// What may go from the conversation, and when.
    History {
        /// Prune the conversation: old outputs, inputs of failed calls, thinking of finished turns.
        enabled: bool = false, Kind::Flag, env ["JEV_PRUNER_HISTORY"];
        /// Edits of old messages wait until they save more than this many tokens together, since the first of
        /// them costs the provider's prompt cache. A long conversation waits for a sixth of itself; 0 makes
        /// each edit at once.
        batch_tokens: usize = 4_000, Kind::Count { min: 0, max: 1_000_000 };
        /// Prune the conversations of child sessions (subagents) too.
        subagents: bool = false, Kind::Flag;
        /// Tools whose calls are never touched: globs over the name. Those of the default are protected
        /// whether they are listed or not; inputs of `write` and `edit` may still be shortened by
        /// `supersede_writes` and `purge_errors`.
        protected_tools: Vec<String> = Vec::from(ALWAYS_PROTECTED.map(String::from)), Kind::Texts;
        /// Calls whose input names a file that matches are never touched: globs over the path, or over its
        /// end behind a `/`.
        protected_file_patterns: Vec<String> = vec![], Kind::Texts;
    }
    groups {
        /// Repeated calls.
        deduplication: Deduplication;
        /// Contents that were written and are known from elsewhere.
        supersede_writes: SupersedeWrites;
        /// Inputs of calls that failed.
        purge_errors: PurgeErrors;
        /// Thinking of finished turns.
        prune_thinking: PruneThinking;
        /// Old large outputs.
        placeholder_compression: PlaceholderCompression;
        /// The newest turns, of which nothing goes.
        turn_protection: TurnProtection;
        /// What the model can drop itself.
        tools: Tools;
    }
}

options! {
    /// Repeated calls of the same tool with the same input.
    Deduplication {
        /// Of calls of the same tool with the same input only the newest keeps its output.
        enabled: bool = true, Kind::Flag;
        /// Tools whose outputs all stay: globs over the name.
        protected_tools: Vec<String> = vec![], Kind::Texts;
    }
}

options! {
    /// Contents that were written and are known from elsewhere.
    SupersedeWrites {
        /// The input of a `write` loses its content once the file was read or wholly written again.
        enabled: bool = true, Kind::Flag;
    }
}

options! {
    /// Inputs of calls that failed.
    PurgeErrors {
        /// The input of a call that failed loses its large strings; the error stays.
        enabled: bool = true, Kind::Flag;
        /// How many user turns later.
        turns: usize = 2, TURNS;
        /// Tools whose failed calls stay whole: globs over the name.
        protected_tools: Vec<String> = vec![], Kind::Texts;
    }
}

options! {
    /// Thinking of finished turns.
    PruneThinking {
        /// Reasoning of older messages goes, and `<thinking>` blocks in their texts.
        enabled: bool = true, Kind::Flag;
        /// How many user turns later.
        delay_turns: usize = 1, TURNS;
    }
}

options! {
    /// Old large outputs.
    PlaceholderCompression {
        /// An older large output becomes one line that says what it was and how to have it again.
        enabled: bool = true, Kind::Flag;
        /// How many user turns later.
        delay_turns: usize = 2, TURNS;
        /// Outputs of fewer tokens stay.
        min_output_tokens: usize = 100, Kind::Count { min: 0, max: 1_000_000 };
        /// Tools whose outputs stay: globs over the name.
        protected_tools: Vec<String> = vec![], Kind::Texts;
    }
}

options! {
    /// The newest turns, of which nothing goes.
    TurnProtection {
        /// Touch nothing in the newest turns, whatever the strategies say.
        enabled: bool = false, Kind::Flag;
        /// How many turns, the running one included.
        turns: usize = 4, TURNS;
    }
}

options! {
    /// Tools by which the model drops outputs itself.
    Tools {
        /// Give the model a tool `discard` that drops outputs it no longer needs.
        discard: bool = false, Kind::Flag;
        /// Give the model a tool `extract` that replaces outputs by its own summary.
        extract: bool = false, Kind::Flag;
        /// List the ids for these tools again after this many further outputs.
        nudge_frequency: usize = 5, Kind::Count { min: 1, max: 1_000 };
    }
}
