//! Skill lists, written by the grammar.

use proptest::bool;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

use super::Kept;
use crate::words::{raw_line, skill_ids, text};

/// How the line begins that tells how to reach what is not listed.
pub const SKILL_HINT: &str =
    "More skills are installed than are listed here; the skill tool loads any of them";

#[derive(Clone, Debug)]
pub struct SkillList {
    pub prose: String,
    pub skills: Vec<Skill>,
    /// Whether OpenCode gives ids; an older one has only names, which are the ids then.
    pub has_ids: bool,
    /// Whether the list lost something and tells so.
    pub hints: bool,
}

#[derive(Clone, Debug)]
pub struct Skill {
    pub id: String,
    /// Beside the id, where there is one.
    pub name: String,
    /// Raw lines.
    pub description: Option<Vec<String>>,
    pub location: Option<String>,
}

impl SkillList {
    /// The prose stays when no skill is left.
    pub fn write(&self) -> String {
        let mut out = self.prose.clone();
        if !self.skills.is_empty() {
            let skills: String =
                self.skills.iter().map(|skill| skill.lines(self.has_ids).join("\n") + "\n").collect();
            out.push_str(&format!("\n<available_skills>\n{skills}</available_skills>"));
        }
        if self.hints {
            let by = if self.has_ids { "id" } else { "name" };
            out.push_str(&format!("\n{SKILL_HINT} by its {by}."));
        }
        out
    }

    pub fn only(&self, kept: &Kept) -> SkillList {
        let mut left = self.clone();
        left.skills.retain(|skill| kept.skills.contains(&skill.id));
        left.hints |= kept.hint && left.skills.len() < self.skills.len();
        left
    }
}

impl Skill {
    fn lines(&self, has_id: bool) -> Vec<String> {
        let mut lines = vec!["  <skill>".to_string()];
        if has_id {
            lines.push(format!("    <id>{}</id>", self.id));
        }
        lines.push(format!("    <name>{}</name>", if has_id { &self.name } else { &self.id }));
        if let Some(description) = &self.description {
            let described = format!("    <description>{}</description>", description.join("\n"));
            lines.extend(described.split('\n').map(String::from));
        }
        lines.extend(self.location.iter().map(|location| format!("    <location>{location}</location>")));
        lines.push("  </skill>".to_string());
        lines
    }

    /// Nothing is escaped, so a description can hold the very lines that end a skill and begin the next.
    fn is_unambiguous(&self) -> bool {
        let ends_field = |line: &str| {
            ["id", "name", "description", "location"].iter().any(|tag| line.ends_with(&format!("</{tag}>")))
        };
        let ends_here = |lines: &[String]| {
            ends_field(&lines[0])
                && lines[1] == "  </skill>"
                && (lines[2] == "  <skill>" || lines[2] == "</available_skills>")
        };
        !self.lines(true).windows(3).any(ends_here)
    }
}

pub fn skill_lists() -> impl Strategy<Value = SkillList> {
    let prose = vec(text(), 0..2).prop_map(|more| {
        let first = "Skills provide specialized instructions and workflows for specific tasks.".to_string();
        [vec![first], more].concat().join("\n")
    });
    let skills = skill_ids().prop_flat_map(|ids| ids.into_iter().map(skill).collect::<Vec<_>>());
    (prose, skills, bool::weighted(0.8)).prop_map(|(prose, skills, has_ids)| SkillList {
        prose,
        skills,
        has_ids,
        hints: false,
    })
}

/// Lines of any kind, among them those that end a skill elsewhere.
fn raw_description() -> impl Strategy<Value = Vec<String>> {
    let ending = ["</description>".to_string(), "  </skill>".to_string()];
    let lines = prop_oneof![4 => raw_line().prop_map(|line| vec![line]), 1 => Just(ending.to_vec())];
    vec(lines, 1..5).prop_map(|lines| lines.concat())
}

fn skill(id: String) -> impl Strategy<Value = Skill> {
    let description = option::weighted(0.8, raw_description());
    let location = option::weighted(0.2, Just("file:///home/jürgen/SKILL.md".to_string()));
    (Just(id), text(), description, location)
        .prop_map(|(id, name, description, location)| Skill { id, name, description, location })
        .prop_filter("a description that ends its own skill", Skill::is_unambiguous)
}
