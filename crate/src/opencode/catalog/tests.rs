use super::*;
use crate::text::{apply, normalise};

const MADE_PARTIAL: &str =
    "The catalog is partial. Inside `execute`, `search({ query })` finds the tools that are not listed here.";
const HEAD: &str = "# Code Mode\n\nUse the `execute` tool.\n\n";
const LIST: &str = "\
- issue-desk (3 tools, 2 shown)
  - tools[\"issue-desk\"].list_items(): Promise<unknown> // List open items
  - tools[\"issue-desk\"][\"add-many\"]({
  /**
   * Item titles.
   * - not an entry
   */
  titles: Array<{
      name: string,
    }>,
}): Promise<{
  ids: Array<string>,
}> // Add several // at once
- notes (1 tool) // Short notes
  - tools.notes.find({
  query: string,
}): Promise<string>
- ping (1 tool)
  - tools.ping(): Promise<unknown>
- weather (9 tools, none shown)";

fn partial() -> String {
    format!("{HEAD}The catalog is partial. Use search.\n\n- search({{\n  query?: string,\n}}): {{}}\n\n## Available tools\n\n{LIST}\n\nInstructions from: x\n")
}

fn complete() -> String {
    let list = LIST.replace("3 tools, 2 shown", "2 tools").replace("\n- weather (9 tools, none shown)", "");
    format!("{HEAD}The catalog is complete. Do not guess.\n\n## Available tools\n\n{list}")
}

fn v1c(heading: &str) -> String {
    format!("Prose about `## Available tools`.\n\n{heading}\n\n{LIST}\n\nSearch returns complete callable signatures:\n- search(input: {{}})")
}

fn read(text: &str) -> Result<Catalog, Unreadable> {
    let mut cursor = Cursor::new(text);
    while !cursor.line().is_some_and(|line| Catalog::opens(line.text)) {
        cursor.advance();
    }
    Catalog::read(&mut cursor).map(|catalog| catalog.unwrap())
}

fn rewrite(text: &str, keeps_namespace: &[&str], rejected_tools: &[&str]) -> String {
    let catalog = read(text).unwrap();
    let edits = catalog.edits(
        |namespace| keeps_namespace.contains(&namespace),
        |_, tool| !rejected_tools.contains(&tool),
        &[],
        true,
    );
    apply(text, &normalise(edits))
}

const ALL: [&str; 4] = ["issue-desk", "notes", "ping", "weather"];

#[test]
fn namespaces_and_tools_are_read_with_their_descriptions() {
    let text = partial();
    let catalog = read(&text).unwrap();
    let read: Vec<_> = catalog
        .namespaces
        .iter()
        .map(|namespace| {
            let tools: Vec<_> = namespace
                .entries
                .iter()
                .map(|entry| (entry.tool.as_str(), entry.description.clone().map(|range| &text[range])))
                .collect();
            (namespace.name.as_str(), namespace.total, namespace.description.clone().map(|r| &text[r]), tools)
        })
        .collect();
    assert_eq!(
        read,
        [
            (
                "issue-desk",
                3,
                None,
                vec![("list_items", Some("List open items")), ("add-many", Some("Add several // at once"))]
            ),
            ("notes", 1, Some("Short notes"), vec![("find", None)]),
            ("ping", 1, None, vec![("ping", None)]),
            ("weather", 9, None, vec![]),
        ]
    );
}

#[test]
fn nested_paths_belong_to_their_first_segment() {
    let text = format!(
        "{HEAD}The catalog is complete.\n\n## Available tools\n\n- browser (1 tool)\n  - tools.browser.tabs.list(): Promise<unknown>"
    );
    let catalog = read(&text).unwrap();
    assert_eq!(catalog.namespaces[0].name, "browser");
    assert_eq!(catalog.namespaces[0].entries[0].tool, "tabs.list");
}

#[test]
fn without_a_decision_nothing_changes() {
    for text in [partial(), complete(), v1c("## Available tools (PARTIAL - 4 of 14 shown; more)")] {
        assert_eq!(rewrite(&text, &ALL, &[]), text);
    }
}

#[test]
fn a_rejected_namespace_loses_header_and_entries() {
    let text = partial();
    let out = rewrite(&text, &["issue-desk", "weather"], &[]);
    let notes_and_ping = &LIST[LIST.find("- notes").unwrap()..LIST.find("- weather").unwrap()];
    assert_eq!(out, text.replace(notes_and_ping, ""));
}

#[test]
fn a_rejected_tool_loses_all_its_lines_and_the_label_follows() {
    let text = partial();
    let out = rewrite(&text, &ALL, &["add-many"]);
    let entry =
        &LIST[LIST.find("\n  - tools[\"issue-desk\"][\"add").unwrap()..LIST.find("\n- notes").unwrap()];
    assert_eq!(out, text.replace(entry, "").replace("3 tools, 2 shown", "3 tools, 1 shown"));
}

#[test]
fn a_label_without_listed_tools_says_none() {
    let out = rewrite(&partial(), &ALL, &["list_items", "add-many", "find"]);
    assert!(out
        .contains("- issue-desk (3 tools, none shown)\n- notes (1 tool, none shown) // Short notes\n- ping"));
}

#[test]
fn a_complete_catalog_that_lost_something_says_it_is_partial() {
    let out = rewrite(&complete(), &["issue-desk", "ping"], &["list_items"]);
    assert!(out
        .contains(&format!("\n\n{MADE_PARTIAL}\n\n## Available tools\n\n- issue-desk (2 tools, 1 shown)\n")));
}

#[test]
fn a_catalog_that_lost_everything_keeps_its_head() {
    assert_eq!(rewrite(&complete(), &[], &[]), format!("{HEAD}{MADE_PARTIAL}\n\n## Available tools"));
    let text = partial();
    let head = &text[..text.find("\n\n- issue-desk").unwrap()];
    assert_eq!(rewrite(&text, &[], &[]), format!("{head}\n\nInstructions from: x\n"));
}

#[test]
fn the_v1c_heading_follows() {
    for (heading, expected) in [
        (
            "## Available tools (PARTIAL - 4 of 14 shown; more)",
            "## Available tools (PARTIAL - 2 of 14 shown; more)",
        ),
        (
            "## Available tools (COMPLETE list - all)",
            "## Available tools (PARTIAL - 2 of 14 shown; find the rest with search(...))",
        ),
    ] {
        let text = v1c(heading);
        let out = rewrite(&text, &["issue-desk", "weather"], &[]);
        assert!(out.contains(expected), "{out}");
        assert!(
            out.ends_with("none shown)\n\nSearch returns complete callable signatures:\n- search(input: {})")
        );
    }
}

#[test]
fn the_older_renderings_are_read_and_say_that_they_became_partial() {
    let v3 =
        |claim: &str| format!("The Code Mode tool catalog below is {claim}.\n\n## Available tools\n\n{LIST}");
    let kept = "## Available tools\n\n- notes (1 tool) // Short notes\n";
    let out = rewrite(&v3("complete"), &["notes"], &[]);
    assert!(
        out.starts_with("The Code Mode tool catalog below is partial. Inside `execute`, `search({ query })`")
    );
    assert!(out.contains(kept));
    let out = rewrite(&v3("partial"), &["notes"], &[]);
    assert!(out.starts_with("The Code Mode tool catalog below is partial.\n\n## Available tools\n\n- notes"));
    let hint = format!("{}\n\n", SEARCH_HINT.trim_start());
    let search = "## Search\n\nOnly some are shown:\n\n- search(input: {})\n\n";
    for (search, hint) in [("", hint.as_str()), (search, "")] {
        let head = format!("Run JavaScript to orchestrate tool calls and more.\n\nProse.\n\n{search}");
        let out = rewrite(&format!("{head}## Available tools\n\n{LIST}"), &["notes"], &[]);
        assert!(out.starts_with(&format!("{head}{hint}{kept}")), "{out}");
    }
}

fn add(text: &str, rejected_tools: &[&str], tools: &[&str]) -> String {
    let additions: Vec<Addition> = tools
        .iter()
        .map(|tool| Addition {
            namespace: "issue-desk".into(),
            tool: (*tool).into(),
            entry: format!("  - tools[\"issue-desk\"].{tool}(): Promise<unknown>"),
        })
        .collect();
    let edits = read(text).unwrap().edits(
        |_| true,
        |_, tool| !rejected_tools.contains(&tool),
        &additions.iter().collect::<Vec<_>>(),
        true,
    );
    apply(text, &normalise(edits))
}

#[test]
fn an_added_entry_stands_in_path_order_and_the_label_follows() {
    let text = partial();
    let out = add(&text, &[], &["close"]);
    let list_items = "  - tools[\"issue-desk\"].list_items(): Promise<unknown> // List open items";
    let sorted = text.replace("- issue-desk (3 tools, 2 shown)", "- issue-desk (3 tools)");
    // `list_items` stands before `add-many` here, so `close` follows the last name that is smaller.
    assert_eq!(out.replace("\n  - tools[\"issue-desk\"].close(): Promise<unknown>", ""), sorted);
    let out = add(&text, &["add-many"], &["zoom"]);
    assert!(out.contains(&format!(
        "(3 tools, 2 shown)\n{list_items}\n  - tools[\"issue-desk\"].zoom(): Promise<unknown>\n- notes"
    )));
}

#[test]
fn an_entry_can_take_the_place_of_all_that_went() {
    let out = add(&partial(), &["list_items", "add-many"], &["b"]);
    let b = "  - tools[\"issue-desk\"].b(): Promise<unknown>";
    assert!(out.contains(&format!("- issue-desk (3 tools, 1 shown)\n{b}\n- notes")), "{out}");
}

#[test]
fn no_more_is_added_than_the_label_counts() {
    let out = add(&partial(), &[], &["b", "c"]);
    assert!(out.contains("- issue-desk (3 tools)\n"), "{out}");
    assert!(out.contains(".b()") && !out.contains(".c()"), "{out}");
    assert_eq!(read(&partial()).unwrap().unlisted_in("issue-desk"), Some(1));
    assert_eq!(read(&partial()).unwrap().unlisted_in("maps"), None);
}

#[test]
fn what_a_list_has_already_is_not_added() {
    assert_eq!(add(&partial(), &[], &["list_items"]), partial());
}

#[test]
fn without_a_hint_the_claim_still_follows() {
    let text = complete();
    let edits = read(&text).unwrap().edits(|namespace| namespace != "ping", |_, _| true, &[], false);
    assert!(apply(&text, &normalise(edits)).contains("\n\nThe catalog is partial.\n\n## Available tools"));
    let text = v1c("## Available tools (COMPLETE list - all)");
    let edits = read(&text).unwrap().edits(|namespace| namespace != "ping", |_, _| true, &[], false);
    assert!(apply(&text, &normalise(edits)).contains("## Available tools (PARTIAL - 3 of 14 shown)\n"));
}

#[test]
fn a_text_that_only_opens_like_an_old_catalog_is_none() {
    let mut cursor = Cursor::new("Run JavaScript to orchestrate tool calls through `{ code }`.\nMore.");
    assert!(matches!(Catalog::read(&mut cursor), Ok(None)));
}

#[test]
fn old_signatures_are_read() {
    let text = format!(
        "{HEAD}The catalog is complete.\n\n## Available tools\n\n- a (3 tools)\n  - tools.a.x(input: {{ q: string; n?: number }}): Promise<unknown> // X\n  - tools.a.y(input: {{\n  q: string,\n}}): Promise<{{\n  r: string,\n}}> // Y\n  - tools.a.z(input: {{}}): Promise<unknown>"
    );
    let catalog = read(&text).unwrap();
    let read: Vec<_> = catalog.namespaces[0]
        .entries
        .iter()
        .map(|e| (&*e.tool, e.description.clone().map(|r| &text[r])))
        .collect();
    assert_eq!(read, [("x", Some("X")), ("y", Some("Y")), ("z", None)]);
}

#[test]
fn rewriting_twice_equals_rewriting_once() {
    for text in [partial(), complete(), v1c("## Available tools (PARTIAL - 4 of 14 shown; more)")] {
        for kept in [vec![], vec!["notes"], vec!["issue-desk", "weather"]] {
            let once = rewrite(&text, &kept, &["list_items"]);
            assert_eq!(rewrite(&once, &kept, &["list_items"]), once);
        }
    }
}

#[test]
fn a_list_that_disagrees_with_itself_is_not_read() {
    for (from, to) in [
        ("3 tools, 2 shown", "3 tools, 1 shown"),
        ("3 tools, 2 shown", "1 tool, 2 shown"),
        ("- ping (1 tool)", "- notes (1 tool)"),
        ("tools.notes.find(", "tools.note.find("),
        ("tools.notes.find(", "tools.notes[find]("),
        ("- ping (1 tool)", "- ping, one tool"),
        ("The catalog is partial.", "The catalog is whole."),
    ] {
        assert!(read(&partial().replacen(from, to, 1)).is_err(), "{from} -> {to}");
    }
    for heading in ["(PARTIAL - 3 of 14 shown)", "(PARTIAL - 4 of 13 shown)", "(PARTIAL - some of 14 shown)"]
    {
        assert!(read(&v1c(&format!("## Available tools {heading}"))).is_err(), "{heading}");
    }
}

#[test]
fn a_namespace_description_may_go_on_over_lines() {
    let text = partial().replace("// Short notes", "// Short notes\nand long ones");
    let out = rewrite(&text, &["issue-desk", "ping", "weather"], &[]);
    assert!(!out.contains("long ones"));
    assert_eq!(out.matches("\n- ").count(), 4);
}
