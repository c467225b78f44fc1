//! Writes an announcement: a message of ours about newly shown tools, servers and skills, in the form in which OpenCode
//! announces additions during a session (`opencode-host.md` §6.3, §7, §8).
//!
//! ```text
//! The Code Mode tool catalog has changed.
//!
//! New tool namespaces are available: `weather` (9 tools).
//!
//! New tools are available in addition to those previously listed:
//!   - tools.weather.now(): Promise<unknown> // Look outside
//!
//! New MCP server instructions are available in addition to those previously listed:
//!   <server name="weather">
//!     ...
//!   </server>
//!
//! New skills are available in addition to those previously listed:
//!   <skill>
//!     ...
//!   </skill>
//! ```

const CATALOG_CHANGED: &str = "The Code Mode tool catalog has changed.";
const NEW_NAMESPACES: &str = "New tool namespaces are available: ";
const NEW_TOOLS: &str = "New tools are available in addition to those previously listed:";
const NEW_INSTRUCTIONS: &str =
    "New MCP server instructions are available in addition to those previously listed:";
const NEW_SKILLS: &str = "New skills are available in addition to those previously listed:";

/// What is newly shown. Entries and elements are given as OpenCode writes them elsewhere, with their indent.
#[derive(Debug, Default)]
pub(crate) struct Announcement<'a> {
    /// Namespaces that have more tools than are announced.
    pub(crate) namespaces: Vec<NewNamespace<'a>>,
    /// Catalog entries, `  - tools....`.
    pub(crate) entries: Vec<&'a str>,
    /// Elements `  <server name="...">...`.
    pub(crate) servers: Vec<&'a str>,
    /// Elements `  <skill>...`.
    pub(crate) skills: Vec<&'a str>,
}

/// A namespace to announce with the number of its tools.
#[derive(Debug)]
pub(crate) struct NewNamespace<'a> {
    /// The name in the catalog.
    pub(crate) name: &'a str,
    /// How many tools it has, announced or not.
    pub(crate) total: usize,
}

impl Announcement<'_> {
    /// The message; `None` if nothing is newly shown.
    pub(crate) fn render(&self) -> Option<String> {
        let mut paragraphs = Vec::new();
        if !self.namespaces.is_empty() || !self.entries.is_empty() {
            paragraphs.push(CATALOG_CHANGED.to_string());
        }
        if !self.namespaces.is_empty() {
            let count = |NewNamespace { name, total }: &NewNamespace| format!("`{name}` ({total} tools)");
            let counts: Vec<String> = self.namespaces.iter().map(count).collect();
            paragraphs.push(format!("{NEW_NAMESPACES}{}.", counts.join(", ")));
        }
        let lists =
            [(NEW_TOOLS, &self.entries), (NEW_INSTRUCTIONS, &self.servers), (NEW_SKILLS, &self.skills)];
        for (sentence, items) in lists.into_iter().filter(|(_, items)| !items.is_empty()) {
            paragraphs.push(format!("{sentence}\n{}", items.join("\n")));
        }
        (!paragraphs.is_empty()).then(|| paragraphs.join("\n\n"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_nothing_are_not_announced() {
        assert_eq!(Announcement::default().render(), None);
        let skills = Announcement { skills: vec!["  <skill>\n  </skill>"], ..Announcement::default() };
        assert_eq!(skills.render().unwrap(), format!("{NEW_SKILLS}\n  <skill>\n  </skill>"));
    }
}
