//! How OpenCode's versions have rendered the catalog. A new rendering is a new row here, with its fixtures in the
//! tests of the catalog.
//!
//! | rendering | opens with | says whether it is complete | source |
//! |---|---|---|---|
//! | V4 | `# Code Mode` | a line `The catalog is complete.` or `The catalog is partial.` | `opencode-host.md` §6.1 |
//! | V3 | `The Code Mode tool catalog below is complete.` or `... partial.` | that line | §6.2 |
//! | V2 | `Run JavaScript to orchestrate tool calls` | only by a section `## Search` when partial | §6.2 |
//! | V1c | `## Available tools (COMPLETE list` or `(PARTIAL - K of N shown` | that heading | §6.2 |
//!
//! In all of them the list follows its heading `## Available tools` behind a blank line.

/// The line before the list.
pub(super) const LIST_HEADING: &str = "## Available tools";

/// What a rendering looks like before its list.
pub(super) struct Rendering {
    /// How its first line begins.
    pub opens: &'static str,
    /// Whether `opens` is the whole first line.
    pub opens_exactly: bool,
    /// How the line begins that says it is complete; empty if there is no such line.
    pub complete: &'static str,
    /// How the line begins that says it is partial.
    pub partial: &'static str,
    /// How the place of the complete line begins once something was taken out; [`SEARCH_HINT`] may follow.
    pub made_partial: &'static str,
    /// Whether the same opening is used for texts without a list too; those are no catalogs.
    pub may_lack_list: bool,
    /// How it writes signatures.
    pub style: Style,
}

/// How a rendering writes its entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// OpenCode 2.0: no name before the argument, comments with all constraints and a line width.
    V4,
    /// The betas: `input: ` before the argument, comments with few constraints and of any width.
    Beta,
}

/// The renderings whose list follows an exact heading.
const WITH_HEAD: [Rendering; 3] = [
    Rendering {
        // V4
        opens: "# Code Mode",
        opens_exactly: true,
        complete: "The catalog is complete.",
        partial: "The catalog is partial.",
        made_partial: "The catalog is partial.",
        may_lack_list: false,
        style: Style::V4,
    },
    Rendering {
        // V3
        opens: "The Code Mode tool catalog below is ",
        opens_exactly: false,
        complete: "The Code Mode tool catalog below is complete.",
        partial: "The Code Mode tool catalog below is partial.",
        made_partial: "The Code Mode tool catalog below is partial.",
        may_lack_list: false,
        style: Style::Beta,
    },
    Rendering {
        // V2
        opens: "Run JavaScript to orchestrate tool calls",
        opens_exactly: false,
        complete: "",
        partial: "## Search",
        made_partial: "",
        may_lack_list: true,
        style: Style::Beta,
    },
];

/// The heading of a complete V1c list, to ` - ...)`.
pub(super) const V1C_COMPLETE: &str = "## Available tools (COMPLETE list";
/// The heading of a partial V1c list, to `K of N shown; ...)`.
pub(super) const V1C_PARTIAL: &str = "## Available tools (PARTIAL - ";
/// How the model reaches what is not listed; constant, so that it never changes the request by itself.
pub(super) const SEARCH_HINT: &str =
    " Inside `execute`, `search({ query })` finds the tools that are not listed here.";
/// The same in the heading of a V1c list.
pub(super) const V1C_SEARCH_HINT: &str = "; find the rest with search(...)";

/// The rendering that a line opens.
pub(super) fn opened_by(line: &str) -> Option<&'static Rendering> {
    WITH_HEAD.iter().find(|rendering| match rendering.opens_exactly {
        true => line == rendering.opens,
        false => line.starts_with(rendering.opens),
    })
}
