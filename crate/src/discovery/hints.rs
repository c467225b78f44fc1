//! What a request says of the things that it hides, so that the model knows that there is more to find: a line
//! after the lists, and names in the description of `load_tool`.

use std::collections::BTreeMap;

use super::own_tools::OwnTool;
use crate::text::cut;

/// Which lists of a request are shortened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shortened {
    /// A server or tool is hidden.
    pub(crate) tools: bool,
    /// A skill is hidden.
    pub(crate) skills: bool,
}

/// The line that says how to find what is hidden; none if nothing is.
pub(crate) fn search_note(shortened: Shortened) -> Option<String> {
    let line = match (shortened.tools, shortened.skills) {
        (true, true) => {
            "2 lists are shortened here, of tools and of skills: `tool_search` and `skill_search` find the rest."
        }
        (true, false) => "1 list is shortened here, of tools: `tool_search` finds the rest.",
        (false, true) => "1 list is shortened here, of skills: `skill_search` finds the rest.",
        (false, false) => return None,
    };
    Some(line.to_string())
}

/// The description of `load_tool` with what is hidden behind it, by server and cut at `max_chars`; none if nothing
/// is. What is hidden comes as server and tool, in any order, or as a server without a tool.
///
/// ```text
/// ... Not shown now:
/// desk: list_items
/// files
/// notes: add, drop
/// ```
pub(crate) fn pointer_list<'a>(
    hidden: impl IntoIterator<Item = (&'a str, Option<&'a str>)>,
    max_chars: usize,
) -> Option<String> {
    let mut servers: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (server, tool) in hidden {
        servers.entry(server).or_default().extend(tool);
    }
    if servers.is_empty() {
        return None;
    }
    let mut list = String::new();
    for (server, mut tools) in servers {
        tools.sort_unstable();
        list.push('\n');
        list.push_str(server);
        list.push_str(if tools.is_empty() { "" } else { ": " });
        list.push_str(&tools.join(", "));
    }
    let shown = cut(&list, max_chars);
    let ellipsis = if shown.len() < list.len() { "..." } else { "" };
    Some(format!("{} Not shown now:{shown}{ellipsis}", OwnTool::LoadTool.description()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_note_says_how_many_lists_are_shortened_and_how_to_search() {
        for (tools, skills, parts) in [
            (true, true, vec!["2 lists", "`tool_search`", "`skill_search`"]),
            (true, false, vec!["1 list", "`tool_search`"]),
            (false, true, vec!["1 list", "`skill_search`"]),
        ] {
            let note = search_note(Shortened { tools, skills }).unwrap();
            assert!(!note.contains('\n'));
            assert!(parts.iter().all(|part| note.contains(part)), "{note}");
        }
        assert_eq!(search_note(Shortened { tools: false, skills: false }), None);
    }

    #[test]
    fn the_pointer_list_names_hidden_tools_by_server_in_a_fixed_order() {
        let hidden = vec![("c", Some("y")), ("b", Some("z")), ("c", Some("x")), ("a", None)];
        let list = pointer_list(hidden, 1000).unwrap();
        assert!(list.ends_with("\na\nb: z\nc: x, y"), "{list}");
        assert_eq!(pointer_list(Vec::new(), 1000), None);
    }

    #[test]
    fn the_pointer_list_names_what_is_hidden_and_is_cut() {
        let hidden = vec![("desk", Some("a")), ("desk", Some("b")), ("files", None), ("notes", Some("add"))];
        let ends = |max_chars, end| pointer_list(hidden.clone(), max_chars).unwrap().ends_with(end);
        assert!(ends(100, " Not shown now:\ndesk: a, b\nfiles\nnotes: add"));
        assert!(ends(14, " Not shown now:\ndesk: a, b\nfi..."));
    }
}
