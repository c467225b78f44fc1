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
//!
//! A change during a session lists further skills behind a sentence and without the wrapper:
//!
//! ```text
//! New skills are available in addition to those previously listed:
//!   <skill>
//!     ...
//!   </skill>
//! ```

use std::ops::Range;

use arcstr::Substr;

use super::Unreadable;
use crate::hash::FxHashSet;
use crate::text::{remove_items, with_one_separator, Cursor, Edit, Item, Line};

const OPEN: &str = "<available_skills>";
const CLOSE: &str = "</available_skills>";
const SKILL_OPEN: &str = "  <skill>";
const SKILL_CLOSE: &str = "  </skill>";
const ADDED: &str = "New skills are available";
/// The sentence that may follow additions at once, in its newer and its older wording.
const REMOVED: [&str; 2] =
    ["The following skill IDs are no longer available", "The following skills are no longer available"];
/// How the model reaches what is not listed (§8); constant, so that it never changes the request by itself.
/// OpenCode 1.18 knows skills by name only.
const HINT_BY_ID: &str =
    "\nMore skills are installed than are listed here; the skill tool loads any of them by its id.";
const HINT_BY_NAME: &str =
    "\nMore skills are installed than are listed here; the skill tool loads any of them by its name.";
const FIELD_ENDS: [&str; 4] = ["</description>", "</location>", "</name>", "</id>"];

/// All skills.
#[derive(Debug)]
pub struct Skills {
    /// In the order of the text.
    pub skills: Vec<SkillElement>,
    range: Range<usize>,
}

/// One skill.
#[derive(Debug)]
pub struct SkillElement {
    /// Raw; the name where there is no id.
    pub id: Substr,
    has_id: bool,
    /// Raw; the id where there is no name.
    pub name: Substr,
    /// Without its tags.
    pub description: Option<Range<usize>>,
    /// From `<skill>` to `</skill>`, with the indent before it and without the newline behind it.
    pub range: Range<usize>,
}

/// Skills that a change adds.
#[derive(Debug)]
pub struct AddedSkills {
    /// In the order of the text.
    pub skills: Vec<SkillElement>,
    range: Range<usize>,
}

impl AddedSkills {
    /// Whether a line is the sentence before added skills.
    pub(crate) fn opens(line: &str) -> bool {
        line.starts_with(ADDED)
    }

    /// Reads the addition whose sentence the cursor stands on, and moves the cursor behind it.
    pub(crate) fn read(cursor: &mut Cursor) -> Result<AddedSkills, Unreadable> {
        const NOTHING: Unreadable = Unreadable("skills that are announced and not there");
        let may_follow = |next: Option<&str>| match next {
            None | Some("" | SKILL_OPEN) => true,
            Some(line) => announces_removal(line),
        };
        let sentence = cursor.take().ok_or(NOTHING)?;
        let mut skills: Vec<SkillElement> = Vec::new();
        while let Some(open) = cursor.take_exact(SKILL_OPEN) {
            skills.push(SkillElement::read(&open, cursor, may_follow)?);
        }
        let end = skills.last().ok_or(NOTHING)?.range.end;
        Ok(AddedSkills { skills, range: sentence.start..end })
    }

    /// The edits that leave only the skills that are kept; without any the sentence goes too.
    pub(crate) fn without(&self, text: &str, keeps: impl Fn(&SkillElement) -> bool) -> Vec<Edit> {
        let items = items(&self.skills, keeps);
        match items.iter().any(|item| item.kept) {
            true => remove_items(&items, "\n"),
            false => vec![Edit::remove(with_one_separator(text, &self.range))],
        }
    }
}

/// Whether a line is the sentence that names removed skills.
pub(super) fn announces_removal(line: &str) -> bool {
    REMOVED.iter().any(|beginning| line.starts_with(beginning))
}

fn items(skills: &[SkillElement], keeps: impl Fn(&SkillElement) -> bool) -> Vec<Item> {
    skills.iter().map(|skill| Item { range: skill.range.clone(), kept: keeps(skill) }).collect()
}

impl Skills {
    /// Whether a line is the first one of the list.
    pub(crate) fn opens(line: &str) -> bool {
        line == OPEN
    }

    /// Reads the list whose first line the cursor stands on, and moves the cursor behind it.
    pub(crate) fn read(cursor: &mut Cursor) -> Result<Skills, Unreadable> {
        let unclosed = Unreadable("a skill list that does not end");
        let open = cursor.take_exact(OPEN).ok_or(unclosed)?;
        let mut skills: Vec<SkillElement> = Vec::new();
        let mut ids = FxHashSet::default();
        loop {
            let line = cursor.take().ok_or(unclosed)?;
            match line.text {
                CLOSE => return Ok(Skills { skills, range: open.start..line.end() }),
                SKILL_OPEN => {
                    let in_list = |next: Option<&str>| matches!(next, Some(SKILL_OPEN | CLOSE));
                    let skill = SkillElement::read(&line, cursor, in_list)?;
                    if !ids.insert(skill.id.clone()) {
                        return Err(Unreadable("a skill list that names a skill twice"));
                    }
                    skills.push(skill);
                }
                _ => return Err(Unreadable("a line between the skills of a skill list")),
            }
        }
    }

    /// The edits that leave only the skills that are kept. When none is left the wrapper goes too. With
    /// `hint` a list that lost something says how to reach the others.
    pub(crate) fn without(&self, keeps: impl Fn(&SkillElement) -> bool, hint: bool) -> Vec<Edit> {
        let items = items(&self.skills, keeps);
        let by_id = self.skills.iter().all(|skill| skill.has_id);
        let hint = hint.then_some(if by_id { HINT_BY_ID } else { HINT_BY_NAME });
        if !items.is_empty() && items.iter().all(|item| !item.kept) {
            let newline_before = usize::from(self.range.start > 0);
            let range = self.range.start - newline_before..self.range.end;
            // At the very beginning of a text there is no line to end.
            let hint = hint.map_or("", |hint| hint.get(1 - newline_before..).unwrap_or(hint));
            return vec![Edit::replace(range, hint)];
        }
        let mut edits = remove_items(&items, "\n");
        if let Some(hint) = hint.filter(|_| !edits.is_empty()) {
            edits.push(Edit::replace(self.range.end..self.range.end, hint));
        }
        edits
    }
}

impl SkillElement {
    /// `may_follow` says of the line behind a skill whether it can stand there.
    fn read(
        open: &Line,
        cursor: &mut Cursor,
        may_follow: impl Fn(Option<&str>) -> bool,
    ) -> Result<SkillElement, Unreadable> {
        let id = read_field(cursor, "id");
        let name = read_field(cursor, "name");
        let has_id = id.is_some();
        let (Some(id), name) = (id.or(name), name) else {
            return Err(Unreadable("a skill without id and name"));
        };
        let description = cursor.line().and_then(|line| {
            let rest = line.text.strip_prefix("    <description>")?;
            Some(line.end() - rest.len())
        });
        let (content_end, close) = find_close(cursor, may_follow)?;
        let description = match description {
            Some(start) => {
                Some(start..content_end.ok_or(Unreadable("a skill description that does not end"))?)
            }
            None => None,
        };
        Ok(SkillElement {
            id: id.into(),
            has_id,
            name: name.unwrap_or(id).into(),
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
fn find_close<'a>(
    cursor: &mut Cursor<'a>,
    may_follow: impl Fn(Option<&str>) -> bool,
) -> Result<(Option<usize>, Line<'a>), Unreadable> {
    let mut field_ended = true;
    let mut description_end = None;
    while let Some(line) = cursor.take() {
        let next = cursor.line().map(|line| line.text);
        if line.text == SKILL_CLOSE && field_ended && may_follow(next) {
            return Ok((description_end, line));
        }
        if line.text.ends_with("</description>") {
            description_end = Some(line.end() - "</description>".len());
        }
        field_ended = FIELD_ENDS.iter().any(|end| line.text.ends_with(end));
    }
    Err(Unreadable("a skill that does not end"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{apply, normalise};

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

    fn read(text: &str) -> Result<Skills, Unreadable> {
        let mut cursor = Cursor::new(text);
        while !cursor.line().is_some_and(|line| Skills::opens(line.text)) {
            cursor.advance();
        }
        Skills::read(&mut cursor)
    }

    fn rewrite(text: &str, kept: &[&str]) -> String {
        let edits = read(text).unwrap().without(|skill| kept.contains(&skill.id.as_str()), false);
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
    fn added_skills_go_with_their_sentence() {
        let skill = |id: &str| {
            format!("  <skill>\n    <id>{id}</id>\n    <name>{id}</name>\n    <description>Does\n  </skill>\nit.</description>\n  </skill>")
        };
        let sentence = "New skills are available in addition to those previously listed:";
        let gone = "The following skill IDs are no longer available and must not be used: old.";
        for behind in ["".to_string(), format!("\n{gone}"), "\n\nOther text".to_string()] {
            let text = format!("{sentence}\n{}\n{}{behind}", skill("a"), skill("b"));
            let rewrite = |kept: &[&str]| {
                let added = AddedSkills::read(&mut Cursor::new(&text)).unwrap();
                let edits = added.without(&text, |skill| kept.contains(&skill.id.as_str()));
                apply(&text, &normalise(edits))
            };
            assert_eq!(rewrite(&["a", "b"]), text);
            assert_eq!(rewrite(&["a"]), format!("{sentence}\n{}{behind}", skill("a")));
            assert_eq!(rewrite(&[]), behind.trim_start_matches('\n'));
        }
    }

    #[test]
    fn a_list_that_lost_something_says_how_to_reach_the_others() {
        let text = section();
        let hinted = |kept: &[&str]| {
            let edits = read(&text).unwrap().without(|skill| kept.contains(&skill.id.as_str()), true);
            apply(&text, &normalise(edits))
        };
        assert!(hinted(&["pdf-forms"])
            .contains(&format!("</available_skills>{HINT_BY_NAME}\n\nInstructions from: x")));
        assert_eq!(hinted(&[]), format!("{PROSE}{HINT_BY_NAME}\n\nInstructions from: x"));
        assert_eq!(hinted(&["pdf-forms", "release-notes", "old-line"]), text);
        let ids = "<available_skills>\n  <skill>\n    <id>a</id>\n  </skill>\n  <skill>\n    <id>b</id>\n  </skill>\n</available_skills>";
        let edits = read(ids).unwrap().without(|skill| skill.id == "a", true);
        assert!(apply(ids, &normalise(edits)).ends_with(HINT_BY_ID));
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
