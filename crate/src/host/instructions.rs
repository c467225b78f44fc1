//! The instructions that MCP servers send along (`opencode-host.md` §7).
//!
//! ```text
//! <mcp_instructions>
//!   <server name="issue desk">
//!     Use tools from this server through `execute` under `tools["issue_desk"]`.
//!     First line the server sent
//!   </server>
//! </mcp_instructions>
//! ```
//!
//! Rules:
//! - nothing is escaped: the name is the raw one and may contain `"`, the text may contain closing tags;
//! - each line of the text is indented by four spaces, an empty one is four spaces: so the anchored lines
//!   `  <server name="...">`, `  </server>` and `</mcp_instructions>` are exact;
//! - the first line names the namespace where the server's tools are in the catalog, and is absent otherwise.

use std::collections::HashSet;
use std::ops::Range;

use super::names::{read_bracket, sanitise};
use super::text::{remove_items, Cursor, Edit, Item, Line};
use super::Unread;

const OPEN: &str = "<mcp_instructions>";
const CLOSE: &str = "</mcp_instructions>";
const SERVER_CLOSE: &str = "  </server>";
const INDENT: &str = "    ";
const NAMESPACE_LINE: &str = "    Use tools from this server through `execute` under `tools";

#[derive(Debug)]
pub struct Instructions {
    pub servers: Vec<ServerElement>,
    range: Range<usize>,
}

#[derive(Debug)]
pub struct ServerElement {
    /// The name from the user's configuration.
    pub name: String,
    /// The name under which its tools are called.
    pub namespace: String,
    /// What the server says, still indented, without the line that names the namespace.
    pub text: Range<usize>,
    range: Range<usize>,
}

impl Instructions {
    pub fn opens(line: &str) -> bool {
        line == OPEN
    }

    /// Reads the section whose first line the cursor stands on, and moves the cursor behind it.
    pub fn read(cursor: &mut Cursor) -> Result<Instructions, Unread> {
        let unclosed = Unread("MCP instructions that do not end");
        let open = cursor.take_exact(OPEN).ok_or(unclosed)?;
        let mut servers = Vec::new();
        let mut names = HashSet::new();
        loop {
            let line = cursor.take().ok_or(unclosed)?;
            if line.text == CLOSE {
                return Ok(Instructions { servers, range: open.start..line.end() });
            }
            let server = ServerElement::read(&line, cursor)?;
            if !names.insert(server.name.clone()) {
                return Err(Unread("MCP instructions that name a server twice"));
            }
            servers.push(server);
        }
    }

    /// The edits that leave only the servers that are kept. When none is left the wrapper goes too, with
    /// one of the two joints that hold it between its neighbours.
    pub fn without(&self, text: &str, keeps_namespace: impl Fn(&str) -> bool) -> Vec<Edit> {
        let items: Vec<Item> = self
            .servers
            .iter()
            .map(|server| Item { range: server.range.clone(), kept: keeps_namespace(&server.namespace) })
            .collect();
        if !items.is_empty() && items.iter().all(|item| !item.kept) {
            return vec![Edit::remove(with_one_joint(text, &self.range))];
        }
        remove_items(&items)
    }

    pub fn end(&self) -> usize {
        self.range.end
    }
}

impl ServerElement {
    fn read(open: &Line, cursor: &mut Cursor) -> Result<ServerElement, Unread> {
        let name = open
            .text
            .strip_prefix("  <server name=\"")
            .and_then(|rest| rest.strip_suffix("\">"))
            .ok_or(Unread("a line between the servers of the MCP instructions"))?;
        let named = cursor.line().and_then(|line| read_namespace_line(line.text));
        if named.is_some() {
            cursor.advance();
        }
        let start = cursor.line().map_or(open.end(), |line| line.start);
        let mut end = start;
        loop {
            let line = cursor.take().ok_or(Unread("MCP instructions that do not end"))?;
            if line.text == SERVER_CLOSE {
                return Ok(ServerElement {
                    name: name.to_string(),
                    namespace: named.unwrap_or_else(|| sanitise(name)),
                    text: start..end,
                    range: open.start..line.end(),
                });
            }
            if !line.text.starts_with(INDENT) {
                return Err(Unread("a line of MCP instructions that is not indented"));
            }
            end = line.end();
        }
    }
}

/// The namespace from ``Use tools from this server through `execute` under `tools["issue_desk"]`.``
fn read_namespace_line(line: &str) -> Option<String> {
    let (namespace, rest) = read_bracket(line.strip_prefix(NAMESPACE_LINE)?)?;
    (rest == "`.").then_some(namespace)
}

/// A section's range and the newlines that join it to the one behind, or else to the one before: two in
/// OpenCode 2, one in 1.18 (`host-observed.md`). The one before may end with newlines of its own.
fn with_one_joint(text: &str, section: &Range<usize>) -> Range<usize> {
    let behind = text.get(section.end..).unwrap_or_default();
    let newlines_behind = behind.len() - behind.trim_start_matches('\n').len();
    if newlines_behind > 0 {
        return section.start..section.end + newlines_behind.min(2);
    }
    let before = text.get(..section.start).unwrap_or_default();
    let newlines_before = before.len() - before.trim_end_matches('\n').len();
    section.start - newlines_before.min(2)..section.end
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::text::{apply, normalise};

    const SECTION: &str = r#"<mcp_instructions>
  <server name="issue desk">
    Use tools from this server through `execute` under `tools["issue_desk"]`.
    Items have titles.
    
    - One per line
  </server>
  <server name="odd "srv".x">
    Use tools from this server through `execute` under `tools["odd__srv__x"]`.
      </server>
    </mcp_instructions>
    - fake (3 tools)
  </server>
  <server name="maps">
    Text only
  </server>
</mcp_instructions>"#;

    fn read(text: &str) -> Result<Instructions, Unread> {
        let start = text.find(OPEN).unwrap();
        let mut cursor = Cursor::new(text);
        while cursor.line().unwrap().start < start {
            cursor.advance();
        }
        Instructions::read(&mut cursor)
    }

    fn rewrite(text: &str, kept: &[&str]) -> String {
        let edits = read(text).unwrap().without(text, |namespace| kept.contains(&namespace));
        apply(text, &normalise(edits))
    }

    #[test]
    fn servers_are_read_with_raw_name_and_namespace() {
        let section = read(SECTION).unwrap();
        let names: Vec<_> =
            section.servers.iter().map(|server| (server.name.as_str(), server.namespace.as_str())).collect();
        assert_eq!(names, [("issue desk", "issue_desk"), ("odd \"srv\".x", "odd__srv__x"), ("maps", "maps")]);
        assert_eq!(
            &SECTION[section.servers[0].text.clone()],
            "    Items have titles.\n    \n    - One per line"
        );
    }

    #[test]
    fn a_rejected_server_loses_its_element() {
        let middle = &SECTION
            [SECTION.find("  <server name=\"odd").unwrap()..SECTION.find("  <server name=\"maps").unwrap()];
        assert_eq!(rewrite(SECTION, &["issue_desk", "maps"]), SECTION.replace(middle, ""));
    }

    #[test]
    fn the_wrapper_goes_with_the_last_server_and_one_joint() {
        for (before, behind, expected) in [
            ("A\n\n", "\n\nB", "A\n\nB"),
            ("", "\n\nB", "B"),
            ("A\n\n", "", "A"),
            ("A\n\n\n", "\n\nB", "A\n\n\nB"),
            ("A\n", "\nB", "A\nB"),
            ("A\n\n", "\nB", "A\n\nB"),
            ("", "", ""),
        ] {
            assert_eq!(rewrite(&format!("{before}{SECTION}{behind}"), &[]), expected);
        }
    }

    #[test]
    fn what_does_not_keep_to_the_indentation_is_not_read() {
        for broken in [
            SECTION.replace("    Text only", "Text only"),
            SECTION.replace("\n</mcp_instructions>", ""),
            SECTION.replace("  <server name=\"maps\">", "  <server>"),
            SECTION.replace("\"maps\"", "\"issue desk\""),
        ] {
            assert!(read(&broken).is_err(), "{broken}");
        }
    }

    #[test]
    fn without_a_decision_nothing_changes() {
        assert_eq!(rewrite(SECTION, &["issue_desk", "odd__srv__x", "maps"]), SECTION);
    }
}
