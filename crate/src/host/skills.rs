//! The list of skills that the model may load (`opencode-host.md` §8).
//!
//! ```text
//! Skills provide specialized instructions and workflows for specific tasks.
//! <available_skills>
//!   <skill>
//!     <id>pdf-forms</id>
//!     <name>PDF forms</name>
//!     <description>Fill and flatten forms.
//! Continuation lines are not indented, and nothing is <escaped> & safe.</description>
//!   </skill>
//! </available_skills>
//! ```
//!
//! Rules:
//! - a description is raw and may contain any line, closing tags included. So a line `  </skill>` ends a
//!   skill only where the line before it ends a field and the line behind it opens a skill or ends the list;
//! - a skill may lack its id (then its name stands for it) or its description, and may have a location;
//! - the prose before the list stays when the list goes.

use std::collections::HashSet;
use std::ops::Range;

use super::text::{remove_items, Cursor, Edit, Item, Line};
use super::Unread;

const OPEN: &str = "<available_skills>";
const CLOSE: &str = "</available_skills>";
const SKILL_OPEN: &str = "  <skill>";
const SKILL_CLOSE: &str = "  </skill>";
const FIELD_ENDS: [&str; 4] = ["</description>", "</location>", "</name>", "</id>"];

#[derive(Debug)]
pub struct Skills {
    pub skills: Vec<SkillElement>,
    range: Range<usize>,
}

#[derive(Debug)]
pub struct SkillElement {
    pub id: String,
    pub name: String,
    pub description: Option<Range<usize>>,
    range: Range<usize>,
}

impl Skills {
    pub fn opens(line: &str) -> bool {
        line == OPEN
    }

    /// Reads the list whose first line the cursor stands on, and moves the cursor behind it.
    pub fn read(cursor: &mut Cursor) -> Result<Skills, Unread> {
        let unclosed = Unread("a skill list that does not end");
        let open = cursor.take_exact(OPEN).ok_or(unclosed)?;
        let mut skills: Vec<SkillElement> = Vec::new();
        let mut ids = HashSet::new();
        loop {
            let line = cursor.take().ok_or(unclosed)?;
            match line.text {
                CLOSE => return Ok(Skills { skills, range: open.start..line.end() }),
                SKILL_OPEN => {
                    let skill = SkillElement::read(&line, cursor)?;
                    if !ids.insert(skill.id.clone()) {
                        return Err(Unread("a skill list that names a skill twice"));
                    }
                    skills.push(skill);
                }
                _ => return Err(Unread("a line between the skills of a skill list")),
            }
        }
    }

    /// The edits that leave only the skills that are kept. When none is left the wrapper goes too.
    pub fn without(&self, keeps: impl Fn(&SkillElement) -> bool) -> Vec<Edit> {
        let items: Vec<Item> =
            self.skills.iter().map(|skill| Item { range: skill.range.clone(), kept: keeps(skill) }).collect();
        if !items.is_empty() && items.iter().all(|item| !item.kept) {
            let newline_before = usize::from(self.range.start > 0);
            return vec![Edit::remove(self.range.start - newline_before..self.range.end)];
        }
        remove_items(&items)
    }

    pub fn end(&self) -> usize {
        self.range.end
    }
}

impl SkillElement {
    fn read(open: &Line, cursor: &mut Cursor) -> Result<SkillElement, Unread> {
        let id = read_field(cursor, "id");
        let name = read_field(cursor, "name");
        let (Some(id), name) = (id.or(name), name) else {
            return Err(Unread("a skill without id and name"));
        };
        let description = cursor.line().and_then(|line| {
            let rest = line.text.strip_prefix("    <description>")?;
            Some(line.end() - rest.len())
        });
        let (content_end, close) = find_close(cursor)?;
        let description = match description {
            Some(start) => Some(start..content_end.ok_or(Unread("a skill description that does not end"))?),
            None => None,
        };
        Ok(SkillElement {
            id: id.to_string(),
            name: name.unwrap_or(id).to_string(),
            description,
            range: open.start..close.end(),
        })
    }
}

/// Takes the line `    <TAG>content</TAG>` and returns its content.
fn read_field<'a>(cursor: &mut Cursor<'a>, tag: &str) -> Option<&'a str> {
    let line = cursor.line()?;
    let content = line
        .text
        .strip_prefix("    <")?
        .strip_prefix(tag)?
        .strip_prefix('>')?
        .strip_suffix('>')?
        .strip_suffix(tag)?
        .strip_suffix("</")?;
    cursor.advance();
    Some(content)
}

/// Moves behind the line that closes a skill, and returns that line and where the description ends.
fn find_close<'a>(cursor: &mut Cursor<'a>) -> Result<(Option<usize>, Line<'a>), Unread> {
    let mut field_ended = true;
    let mut description_end = None;
    while let Some(line) = cursor.take() {
        let next = cursor.line().map(|line| line.text);
        if line.text == SKILL_CLOSE && field_ended && matches!(next, Some(SKILL_OPEN | CLOSE)) {
            return Ok((description_end, line));
        }
        if line.text.ends_with("</description>") {
            description_end = Some(line.end() - "</description>".len());
        }
        field_ended = FIELD_ENDS.iter().any(|end| line.text.ends_with(end));
    }
    Err(Unread("a skill that does not end"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::text::{apply, normalise};

    const PROSE: &str = "Skills provide specialized instructions and workflows for specific tasks.";
    const LIST: &str = "<available_skills>
  <skill>
    <id>pdf-forms</id>
    <name>PDF forms</name>
    <description>Fill and flatten forms.
  </skill>
</available_skills>
Uses <tags> & closing </description> ones.</description>
  </skill>
  <skill>
    <id>release-notes</id>
    <name>Release notes</name>
  </skill>
  <skill>
    <name>old-line</name>
    <description>From an older host.</description>
    <location>/home/user/skills/old-line/SKILL.md</location>
  </skill>
</available_skills>";

    fn section() -> String {
        format!("{PROSE}\n{LIST}\n\nInstructions from: x")
    }

    fn read(text: &str) -> Result<Skills, Unread> {
        let mut cursor = Cursor::new(text);
        while !cursor.line().is_some_and(|line| Skills::opens(line.text)) {
            cursor.advance();
        }
        Skills::read(&mut cursor)
    }

    fn rewrite(text: &str, kept: &[&str]) -> String {
        let edits = read(text).unwrap().without(|skill| kept.contains(&skill.id.as_str()));
        apply(text, &normalise(edits))
    }

    #[test]
    fn skills_are_read_with_id_name_and_description() {
        let text = section();
        let read: Vec<_> = read(&text)
            .unwrap()
            .skills
            .into_iter()
            .map(|skill| (skill.id, skill.name, skill.description.map(|range| text[range].to_string())))
            .collect();
        let described = "Fill and flatten forms.\n  </skill>\n</available_skills>\nUses <tags> & closing </description> ones.";
        assert_eq!(
            read,
            [
                ("pdf-forms".into(), "PDF forms".into(), Some(described.into())),
                ("release-notes".into(), "Release notes".into(), None),
                ("old-line".into(), "old-line".into(), Some("From an older host.".to_string())),
            ]
        );
    }

    #[test]
    fn a_rejected_skill_loses_its_element() {
        let text = section();
        let first =
            &LIST[LIST.find("  <skill>\n    <id>pdf").unwrap()..LIST.find("  <skill>\n    <id>rel").unwrap()];
        assert_eq!(rewrite(&text, &["release-notes", "old-line"]), text.replace(first, ""));
    }

    #[test]
    fn the_wrapper_goes_with_the_last_skill_and_the_prose_stays() {
        assert_eq!(rewrite(&section(), &[]), format!("{PROSE}\n\nInstructions from: x"));
    }

    #[test]
    fn without_a_decision_nothing_changes() {
        assert_eq!(rewrite(&section(), &["pdf-forms", "release-notes", "old-line"]), section());
    }

    #[test]
    fn what_does_not_keep_to_the_grammar_is_not_read() {
        for broken in [
            section().replace("\n</available_skills>\n\n", "\n\n"),
            section().replace("<id>release-notes</id>", "<id>pdf-forms</id>"),
            section().replace("    <name>old-line</name>\n", ""),
            section().replace("older host.</description>", "older host."),
        ] {
            assert!(read(&broken).is_err(), "{broken}");
        }
    }
}
