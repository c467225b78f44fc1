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
//! - the first line names the namespace where the server's tools are in the catalog, and is absent otherwise;
//! - the oldest wording is not indented; there a server ends at the last `</server>` before the next server
//!   or the end of the list.
//!
//! A change during a session lists further servers behind a sentence and without the wrapper:
//!
//! ```text
//! New MCP server instructions are available in addition to those previously listed:
//!   <server name="maps">
//!     ...
//!   </server>
//! ```

use std::ops::Range;

use arcstr::Substr;

use super::names::{read_bracket, sanitise};
use super::Unreadable;
use crate::hash::FxHashSet;
use crate::text::{remove_items, with_one_separator, Cursor, Edit, Item, Line};

const OPEN: &str = "<mcp_instructions>";
const CLOSE: &str = "</mcp_instructions>";
const SERVER_OPEN: &str = "  <server name=\"";
const SERVER_CLOSE: &str = "  </server>";
const INDENT: &str = "    ";
const ADDED: &str = "New MCP server instructions are available";
const NAMESPACE_LINE: &str = "    Use tools from this server through `execute` under `tools";

const STRAY_LINE: Unreadable = Unreadable("a line between the servers of the MCP instructions");
const UNCLOSED: Unreadable = Unreadable("MCP instructions that do not end");

/// The instructions of all servers.
#[derive(Debug)]
pub struct Instructions {
    /// In the order of the text.
    pub servers: Vec<ServerElement>,
    range: Range<usize>,
}

/// The instructions of one server.
#[derive(Debug)]
pub struct ServerElement {
    /// The name from the user's configuration, raw.
    pub name: Substr,
    /// The name under which its tools are called.
    pub namespace: Substr,
    /// What the server says, still indented, without the line that names the namespace.
    pub text: Range<usize>,
    /// From `<server` to `</server>`, with the indent before it and without the newline behind it.
    pub range: Range<usize>,
}

/// Servers that a change adds.
#[derive(Debug)]
pub struct AddedServers {
    /// In the order of the text.
    pub servers: Vec<ServerElement>,
    range: Range<usize>,
}

impl AddedServers {
    /// Whether a line is the sentence before added servers.
    pub(crate) fn opens(line: &str) -> bool {
        line.starts_with(ADDED)
    }

    /// Reads the addition whose sentence the cursor stands on, and moves the cursor behind it.
    pub(crate) fn read(cursor: &mut Cursor) -> Result<AddedServers, Unreadable> {
        const NOTHING: Unreadable = Unreadable("MCP instructions that are announced and not there");
        let sentence = cursor.take().ok_or(NOTHING)?;
        let mut servers: Vec<ServerElement> = Vec::new();
        while let Some(line) = cursor.line().filter(|line| line.text.starts_with(SERVER_OPEN)) {
            cursor.advance();
            servers.push(ServerElement::read(&line, cursor)?);
        }
        let end = servers.last().ok_or(NOTHING)?.range.end;
        Ok(AddedServers { servers, range: sentence.start..end })
    }

    /// The edits that leave only the servers that are kept; without any the sentence goes too.
    pub(crate) fn without(&self, text: &str, keeps_namespace: impl Fn(&str) -> bool) -> Vec<Edit> {
        without_servers(text, &self.range, &self.servers, keeps_namespace)
    }
}

fn without_servers(
    text: &str,
    range: &Range<usize>,
    servers: &[ServerElement],
    keeps_namespace: impl Fn(&str) -> bool,
) -> Vec<Edit> {
    let items: Vec<Item> = servers
        .iter()
        .map(|server| Item { range: server.range.clone(), kept: keeps_namespace(&server.namespace) })
        .collect();
    if !items.is_empty() && items.iter().all(|item| !item.kept) {
        return vec![Edit::remove(with_one_separator(text, range))];
    }
    // A sentence or tag stands before the first item, so that the first takes its newline from there.
    remove_items(&items, "\n")
}

impl Instructions {
    /// Whether a line is the first one of the instructions.
    pub(crate) fn opens(line: &str) -> bool {
        line == OPEN
    }

    /// Reads the section whose first line the cursor stands on, and moves the cursor behind it.
    pub(crate) fn read(cursor: &mut Cursor) -> Result<Instructions, Unreadable> {
        let mut ahead = *cursor;
        ahead.advance();
        ahead.advance();
        if ahead.line().is_some_and(|first| first.text.starts_with(INDENT)) {
            return Self::read_with(cursor, ServerElement::read);
        }
        Self::read_with(cursor, ServerElement::read_unindented)
    }

    fn read_with(
        cursor: &mut Cursor,
        read_server: impl Fn(&Line, &mut Cursor) -> Result<ServerElement, Unreadable>,
    ) -> Result<Instructions, Unreadable> {
        let open = cursor.take_exact(OPEN).ok_or(UNCLOSED)?;
        let mut servers = Vec::new();
        let mut names = FxHashSet::default();
        loop {
            let line = cursor.take().ok_or(UNCLOSED)?;
            if line.text == CLOSE {
                return Ok(Instructions { servers, range: open.start..line.end() });
            }
            let server = read_server(&line, cursor)?;
            if !names.insert(server.name.clone()) {
                return Err(Unreadable("MCP instructions that name a server twice"));
            }
            servers.push(server);
        }
    }

    /// The edits that leave only the servers that are kept. When none is left the wrapper goes too, with
    /// the newlines on one side of it.
    pub(crate) fn without(&self, text: &str, keeps_namespace: impl Fn(&str) -> bool) -> Vec<Edit> {
        without_servers(text, &self.range, &self.servers, keeps_namespace)
    }
}

impl ServerElement {
    /// Reads the element that `open` begins; the cursor stands behind that line and ends behind the element.
    fn read(open: &Line, cursor: &mut Cursor) -> Result<ServerElement, Unreadable> {
        let name = open.text.strip_prefix(SERVER_OPEN).and_then(|rest| rest.strip_suffix("\">"));
        let name = name.ok_or(STRAY_LINE)?;
        let namespace = cursor.line().and_then(|line| read_namespace_line(line.text));
        if namespace.is_some() {
            cursor.advance();
        }
        let start = cursor.line().map_or(open.end(), |line| line.start);
        let mut end = start;
        loop {
            let line = cursor.take().ok_or(UNCLOSED)?;
            if line.text == SERVER_CLOSE {
                return Ok(ServerElement {
                    name: name.into(),
                    namespace: namespace.unwrap_or_else(|| sanitise(name)).into(),
                    text: start..end,
                    range: open.start..line.end(),
                });
            }
            if !line.text.starts_with(INDENT) {
                return Err(Unreadable("a line of MCP instructions that is not indented"));
            }
            end = line.end();
        }
    }

    /// The same for the oldest wording, which has no line about the namespace.
    fn read_unindented(open: &Line, cursor: &mut Cursor) -> Result<ServerElement, Unreadable> {
        let name = server_name(open.text).ok_or(STRAY_LINE)?;
        let start = cursor.line().map_or(open.end(), |line| line.start);
        let mut end = start;
        loop {
            let line = cursor.take().ok_or(UNCLOSED)?;
            let closes = unindent(line.text) == "</server>"
                && cursor.line().is_some_and(|next| ends_unindented_server(next.text));
            if closes {
                return Ok(ServerElement {
                    name: name.into(),
                    namespace: sanitise(name).into(),
                    text: start..end,
                    range: open.start..line.end(),
                });
            }
            end = line.end();
        }
    }
}

/// Whether a line of the oldest wording opens a server or ends the list.
fn ends_unindented_server(line: &str) -> bool {
    line == CLOSE || server_name(line).is_some()
}

/// The name in `<server name="...">` behind at most two spaces.
fn server_name(line: &str) -> Option<&str> {
    unindent(line).strip_prefix("<server name=\"")?.strip_suffix("\">")
}

fn unindent(line: &str) -> &str {
    line.strip_prefix("  ").or(line.strip_prefix(' ')).unwrap_or(line)
}

/// The namespace from ``Use tools from this server through `execute` under `tools["issue_desk"]`.``
fn read_namespace_line(line: &str) -> Option<String> {
    let (namespace, rest) = read_bracket(line.strip_prefix(NAMESPACE_LINE)?)?;
    (rest == "`.").then_some(namespace)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{apply, normalise};

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

    fn read(text: &str) -> Result<Instructions, Unreadable> {
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
    fn the_wrapper_goes_with_the_last_server_and_one_separator() {
        for (before, behind, expected) in [
            ("A\n\n", "\n\nB", "A\n\nB"),
            ("", "\n\nB", "B"),
            ("A\n\n", "", "A"),
            ("A\n\n\n", "\n\nB", "A\n\n\nB"),
            ("A\n", "\nB", "A\nB"),
            ("A\n\n", "\nB", "A\n\nB"),
            ("A\n", "\n\nB", "A\n\nB"),
            ("", "", ""),
        ] {
            assert_eq!(rewrite(&format!("{before}{SECTION}{behind}"), &[]), expected);
        }
    }

    #[test]
    fn the_unindented_wording_is_read() {
        let text = "A\n\n<mcp_instructions>\n<server name=\"issue desk\">\nTools are available via `execute`.\n</server>\nstill text\n</server>\n<server name=\"maps\">\nText\n</server>\n</mcp_instructions>\n\nB";
        assert_eq!(read(text).unwrap().servers[0].namespace, "issue_desk");
        let maps = "<server name=\"maps\">\nText\n</server>\n";
        assert_eq!(rewrite(text, &["issue_desk"]), text.replace(maps, ""));
        assert_eq!(rewrite(text, &[]), "A\n\nB");
    }

    #[test]
    fn added_servers_go_with_their_sentence() {
        let added = "New MCP server instructions are available in addition to those previously listed:\n  <server name=\"maps\">\n    Text\n  </server>\n  <server name=\"notes\">\n    More\n  </server>";
        let gone = "Instructions for the following MCP servers are no longer available: old.";
        let text = format!("{added}\n{gone}");
        let rewrite = |kept: &[&str]| {
            let edits = AddedServers::read(&mut Cursor::new(&text))
                .unwrap()
                .without(&text, |name| kept.contains(&name));
            apply(&text, &normalise(edits))
        };
        assert_eq!(rewrite(&["maps", "notes"]), text);
        assert_eq!(
            rewrite(&["notes"]),
            text.replace("  <server name=\"maps\">\n    Text\n  </server>\n", "")
        );
        assert_eq!(
            rewrite(&["maps"]),
            text.replace("\n  <server name=\"notes\">\n    More\n  </server>", "")
        );
        assert_eq!(rewrite(&[]), gone);
    }

    #[test]
    fn what_does_not_keep_to_the_grammar_is_not_read() {
        for broken in [
            SECTION.replace("  </server>\n</mcp", "</mcp"),
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
