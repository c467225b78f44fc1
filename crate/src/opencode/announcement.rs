//! How the host tells a model of additions during a session (`opencode-host.md` §6.3, §7, §8), to write a
//! message of the same form:
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

/// What to tell of; all but the namespaces as the host writes them elsewhere.
#[derive(Debug, Default)]
pub struct Additions<'a> {
    /// Namespaces that have more tools than are told of, with the number of all their tools.
    pub namespaces: Vec<(&'a str, usize)>,
    pub entries: Vec<&'a str>,
    pub servers: Vec<&'a str>,
    pub skills: Vec<&'a str>,
}

impl Additions<'_> {
    /// The message, or nothing if there is nothing to tell of.
    pub fn write(&self) -> Option<String> {
        let mut sections = Vec::new();
        if !self.namespaces.is_empty() || !self.entries.is_empty() {
            sections.push(CATALOG_CHANGED.to_string());
        }
        if !self.namespaces.is_empty() {
            let names: Vec<String> =
                self.namespaces.iter().map(|(name, tools)| format!("`{name}` ({tools} tools)")).collect();
            sections.push(format!("{NEW_NAMESPACES}{}.", names.join(", ")));
        }
        let lists =
            [(NEW_TOOLS, &self.entries), (NEW_INSTRUCTIONS, &self.servers), (NEW_SKILLS, &self.skills)];
        for (sentence, items) in lists.into_iter().filter(|(_, items)| !items.is_empty()) {
            sections.push(format!("{sentence}\n{}", items.join("\n")));
        }
        (!sections.is_empty()).then(|| sections.join("\n\n"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::candidates::advertised::{Available, ReadText};

    #[test]
    fn what_is_told_is_read_as_what_it_tells() {
        let additions = Additions {
            namespaces: vec![("weather", 9), ("cal", 1)],
            entries: vec![
                "  - tools.weather.now({\n  place: string,\n}): Promise<unknown> // Look outside",
                "  - tools.maps.route(): Promise<unknown>",
            ],
            servers: vec!["  <server name=\"weather\">\n    Ask for a place.\n  </server>"],
            skills: vec![
                "  <skill>\n    <id>zip</id>\n    <name>Zip</name>\n    <description>Pack.</description>\n  </skill>",
            ],
        };
        let text = additions.write().unwrap();
        let now = Available::read(&[ReadText::new(text)]);
        let totals: Vec<_> = now.namespaces.iter().map(|(name, of)| (name.as_str(), of.total)).collect();
        assert_eq!(totals, [("weather", 9), ("cal", 1), ("maps", 1)]);
        assert_eq!(now.namespaces["weather"].tools["now"].description.as_deref(), Some("Look outside"));
        assert_eq!(now.instructions["weather"].text.as_deref(), Some("Ask for a place."));
        assert_eq!(now.skills["zip"].description.as_deref(), Some("Pack."));
    }

    #[test]
    fn lists_of_nothing_are_not_announced() {
        assert_eq!(Additions::default().write(), None);
        let skills = Additions { skills: vec!["  <skill>\n  </skill>"], ..Additions::default() };
        assert_eq!(skills.write().unwrap(), format!("{NEW_SKILLS}\n  <skill>\n  </skill>"));
    }
}
