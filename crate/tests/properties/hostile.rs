//! Texts that are almost the host's: documents with lines lost, doubled, swapped or spliced in from
//! elsewhere, cut off anywhere, and heaps of the host's own lines. Whatever is read of them, an edit only
//! ever cuts out what was read.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{select, Index};
use proptest::test_runner::TestCaseResult;

use crate::cases;
use crate::document::{catalogs, documents, instructions, skill_lists, Document, Form, Piece, SkillList};
use crate::pipeline::{check_well_formed, choices, rewrite, Choices, Rewritten};
use crate::rewriting::{apply_in_utf16, put_back};
use crate::words::{text, LOOK_ALIKES};

#[derive(Clone, Debug)]
enum Harm {
    Delete(Index),
    Double(Index),
    Swap(Index, Index),
    /// Puts some lines of another document in.
    Splice {
        from: Index,
        lines: usize,
        to: Index,
    },
    /// Ends the text at a character.
    Truncate(Index),
    /// Joins a line to the next one.
    Join(Index),
}

fn harms() -> impl Strategy<Value = Harm> {
    let at = any::<Index>;
    prop_oneof![
        4 => at().prop_map(Harm::Delete),
        4 => at().prop_map(Harm::Double),
        4 => (at(), at()).prop_map(|(one, other)| Harm::Swap(one, other)),
        4 => (at(), 1..9usize, at()).prop_map(|(from, lines, to)| Harm::Splice { from, lines, to }),
        1 => at().prop_map(Harm::Truncate),
        2 => at().prop_map(Harm::Join),
    ]
}

fn harm(text: &str, other: &str, harms: &[Harm]) -> String {
    let mut lines: Vec<String> = text.split('\n').map(String::from).collect();
    let spliced: Vec<String> = other.split('\n').map(String::from).collect();
    for harm in harms {
        let count = lines.len();
        match harm {
            Harm::Delete(at) if count > 1 => drop(lines.remove(at.index(count))),
            Harm::Double(at) => lines.insert(at.index(count), lines[at.index(count)].clone()),
            Harm::Swap(one, other) => lines.swap(one.index(count), other.index(count)),
            Harm::Splice { from, lines: some, to } => {
                let from = from.index(spliced.len());
                let piece = spliced[from..spliced.len().min(from + some)].to_vec();
                let to = to.index(count + 1);
                lines.splice(to..to, piece);
            }
            Harm::Join(at) if count > 1 => {
                let at = at.index(count - 1);
                let next = lines.remove(at + 1);
                lines[at].push_str(&next);
            }
            Harm::Truncate(at) => {
                let text = lines.join("\n");
                let keep = at.index(text.chars().count() + 1);
                lines = text.chars().take(keep).collect::<String>().split('\n').map(String::from).collect();
            }
            Harm::Delete(_) | Harm::Join(_) => {}
        }
    }
    lines.join("\n")
}

fn harmed() -> impl Strategy<Value = String> {
    (documents(), documents(), vec(harms(), 1..6))
        .prop_map(|(document, other, harms)| harm(&document.write(), &other.write(), &harms))
}

/// Heaps of lines that mean something to the host, in any order.
fn heaps() -> impl Strategy<Value = String> {
    const MORE: [&str; 16] = [
        "",
        "- one (1 tool)",
        "  - tools.one.find(): Promise<unknown> // ü",
        "  - tools.one[\"9 \\\"lives\\\"\"]({",
        "    <name>x</name>",
        "    <description>😀",
        "  <server name=\"ü\">",
        "    text",
        "The Code Mode tool catalog has changed.",
        "New tools are available in addition to those previously listed:",
        "New tool namespaces are available: `one` (9 tools), `two` (1 tools).",
        "The following tools are no longer available and must not be called: tools.one.find.",
        "New MCP server instructions are available in addition to those previously listed:",
        "Instructions for the following MCP servers are no longer available: ü, fake.",
        "New skills are available in addition to those previously listed:",
        "The following skill IDs are no longer available and must not be used: x, fake.",
    ];
    let line = prop_oneof![
        4 => select(&LOOK_ALIKES[..]).prop_map(String::from),
        4 => select(&MORE[..]).prop_map(String::from),
        1 => text(),
    ];
    vec(line, 0..40).prop_map(|lines| lines.join("\n"))
}

/// Sentences before a list that is stated anew.
const STATEMENTS: [&str; 3] = [
    "The Code Mode tool catalog has changed. This catalog supersedes the previous one.",
    "The available MCP server instructions have changed. These supersede the previous ones.",
    "The available skills have changed. This list supersedes the previous one.",
];

/// Sections, several of a kind, with nothing but some newlines between them.
fn crowds() -> impl Strategy<Value = String> {
    let section = prop_oneof![
        4 => instructions().prop_map(|servers| vec![Piece::Instructions(servers)]),
        4 => skill_lists().prop_map(|list| vec![Piece::Skills(SkillList { prose: String::new(), ..list })]),
        1 => catalogs(Form::V4).prop_map(|catalog| vec![Piece::Catalog(catalog)]),
        1 => catalogs(Form::V1c).prop_map(|catalog| vec![Piece::Catalog(catalog)]),
        1 => text().prop_map(|text| vec![Piece::Prose(text)]),
        2 => select(&STATEMENTS[..]).prop_map(|text| vec![Piece::Prose(text.into())]),
    ];
    let section = section.prop_map(|pieces| Document { pieces }.write().trim_start().to_string());
    let joint = select(vec!["\n", "\n\n", "\n\n\n"]);
    vec((section, joint), 1..6).prop_map(|sections| {
        sections.into_iter().flat_map(|(section, joint)| [section, joint.into()]).collect()
    })
}

/// All the invariants that do not depend on what the text was meant to be.
fn assert_holds(rewritten: &Rewritten) -> TestCaseResult {
    for (text, edits, output) in rewritten.each() {
        check_well_formed(text, edits)?;
        let removed: Vec<&str> = edits.iter().map(|edit| &text[edit.range.clone()]).collect();
        prop_assert_eq!(put_back(&output, edits, &removed), text);
        prop_assert_eq!(String::from_utf16(&apply_in_utf16(text, edits)).ok(), Some(output));
    }
    Ok(())
}

#[test]
fn neighbours_that_go_together_are_cut_apart() -> TestCaseResult {
    let servers = "<mcp_instructions>\n  <server name=\"ü\">\n    x\n  </server>\n</mcp_instructions>";
    let skills = "<available_skills>\n  <skill>\n    <id>ü</id>\n  </skill>\n</available_skills>";
    for joint in ["\n", "\n\n", "\n\n\n"] {
        for sections in [[servers, skills], [skills, servers], [servers, servers], [skills, skills]] {
            for (before, behind) in [("", ""), ("ä", ""), ("", "ö"), ("ä", "ö")] {
                let text = [&[before][..], &sections, &[behind]].concat().join(joint);
                assert_holds(&rewrite(&[text], &Choices::all(false)))?;
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(cases(192))]

    #[test]
    fn kept_plus_removed_is_the_input_of_a_harmed_text(texts in vec(harmed(), 1..3), choices in choices()) {
        assert_holds(&rewrite(&texts, &choices))?;
    }

    #[test]
    fn kept_plus_removed_is_the_input_of_a_heap_of_lines(text in heaps(), choices in choices()) {
        assert_holds(&rewrite(&[text], &choices))?;
    }

    #[test]
    fn no_decision_no_change_in_a_harmed_text(texts in vec(harmed(), 1..3)) {
        prop_assert!(rewrite(&texts, &Choices::all(true)).plan.is_empty());
    }

    #[test]
    fn kept_plus_removed_is_the_input_of_a_crowd_of_sections(text in crowds(), choices in choices()) {
        assert_holds(&rewrite(&[text], &choices))?;
    }

    #[test]
    fn no_decision_no_change_in_a_crowd_of_sections(text in crowds()) {
        prop_assert!(rewrite(&[text], &Choices::all(true)).plan.is_empty());
    }
}
