//! Texts as OpenCode writes them: generated as models, written out by the grammar, and made smaller by the
//! rules for what a decision leaves.

mod catalog;
mod instructions;
mod skills;

use std::collections::HashSet;
use std::fmt;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

pub use catalog::{catalogs, label, Catalog, Form, SEARCH_HINT};
pub use instructions::{instructions, Server};
pub use skills::{skill_lists, SkillList, SKILL_HINT};

use crate::words::{text, LOOK_ALIKES};

/// One text of a request: pieces joined by a blank line.
#[derive(Clone)]
pub struct Document {
    pub pieces: Vec<Piece>,
}

#[derive(Clone, Debug)]
pub enum Piece {
    Prose(String),
    Catalog(Catalog),
    Instructions(Vec<Server>),
    Skills(SkillList),
}

/// What a text lists, in its order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Named {
    pub namespaces: Vec<(String, Vec<String>)>,
    /// Configured names with the namespace.
    pub servers: Vec<(String, String)>,
    pub skills: Vec<String>,
}

/// What a decision keeps, by name.
#[derive(Clone, Debug, Default)]
pub struct Kept {
    pub namespaces: HashSet<String>,
    pub tools: HashSet<(String, String)>,
    pub skills: HashSet<String>,
    /// Whether a list that lost something tells how to reach the rest.
    pub hint: bool,
}

impl Kept {
    pub fn tool(&self, namespace: &str, tool: &str) -> bool {
        self.namespaces.contains(namespace) && self.tools.contains(&(namespace.into(), tool.into()))
    }
}

impl Named {
    /// What is left of this by a decision.
    pub fn only(&self, kept: &Kept) -> Named {
        let mut left = self.clone();
        left.namespaces.retain(|(namespace, _)| kept.namespaces.contains(namespace));
        for (namespace, tools) in &mut left.namespaces {
            tools.retain(|tool| kept.tool(namespace, tool));
        }
        left.servers.retain(|(_, namespace)| kept.namespaces.contains(namespace));
        left.skills.retain(|id| kept.skills.contains(id));
        left
    }
}

impl fmt::Debug for Document {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write().fmt(f)
    }
}

impl Document {
    pub fn write(&self) -> String {
        let pieces: Vec<String> = self.pieces.iter().filter_map(Piece::write).collect();
        pieces.join("\n\n")
    }

    /// The document that OpenCode would have written, had it known only of what is kept.
    pub fn only(&self, kept: &Kept) -> Document {
        let pieces = self.pieces.iter().map(|piece| match piece {
            Piece::Prose(text) => Piece::Prose(text.clone()),
            Piece::Catalog(catalog) => Piece::Catalog(catalog.only(kept)),
            Piece::Instructions(servers) => {
                let stays = |server: &&Server| kept.namespaces.contains(&server.namespace());
                Piece::Instructions(servers.iter().filter(stays).cloned().collect())
            }
            Piece::Skills(list) => Piece::Skills(list.only(kept)),
        });
        Document { pieces: pieces.collect() }
    }

    pub fn named(&self) -> Named {
        let mut named = Named::default();
        for piece in &self.pieces {
            match piece {
                Piece::Prose(_) => {}
                Piece::Catalog(catalog) => named.namespaces.extend(catalog.named()),
                Piece::Instructions(servers) => {
                    let both = |server: &Server| (server.name.clone(), server.namespace());
                    named.servers.extend(servers.iter().map(both));
                }
                Piece::Skills(list) => named.skills.extend(list.skills.iter().map(|skill| skill.id.clone())),
            }
        }
        named
    }

    pub fn catalogs(&self) -> impl Iterator<Item = &Catalog> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Catalog(catalog) => Some(catalog),
            _ => None,
        })
    }
}

impl Piece {
    /// `None` where nothing is left to write, and no joint either.
    fn write(&self) -> Option<String> {
        match self {
            Piece::Prose(text) => Some(text.clone()),
            Piece::Catalog(catalog) => Some(catalog.write()),
            Piece::Instructions(servers) => instructions::write(servers),
            Piece::Skills(list) => Some(list.write()),
        }
    }
}

/// Whole texts: each kind of section at most once, in any order, between base text and project rules.
pub fn documents() -> impl Strategy<Value = Document> {
    let newer = prop_oneof![3 => catalogs(Form::V4), 1 => catalogs(Form::V3), 1 => catalogs(Form::V2)];
    let sections = (
        proptest::option::weighted(0.7, newer),
        proptest::option::weighted(0.4, catalogs(Form::V1c)),
        proptest::option::weighted(0.7, instructions()),
        proptest::option::weighted(0.7, skill_lists()),
        vec(prose(), 0..3),
    );
    let pieces = sections.prop_map(|(newer, v1c, instructions, skills, prose)| {
        let mut pieces: Vec<Piece> = prose.into_iter().map(Piece::Prose).collect();
        pieces.extend([newer, v1c].into_iter().flatten().map(Piece::Catalog));
        pieces.extend(instructions.map(Piece::Instructions));
        pieces.extend(skills.map(Piece::Skills));
        pieces
    });
    pieces.prop_shuffle().prop_map(|pieces| Document { pieces })
}

/// A list that is stated anew during a session, behind its sentence.
pub fn restatements() -> impl Strategy<Value = String> {
    let stated = |piece: Piece, sentence: &str, joint: &str| {
        format!("{sentence}{joint}{}", piece.write().unwrap_or_default())
    };
    prop_oneof![
        catalogs(Form::V4).prop_map(move |catalog| {
            let sentence =
                "The Code Mode tool catalog has changed. This catalog supersedes the previous one.";
            stated(Piece::Catalog(catalog), sentence, "\n\n")
        }),
        instructions().prop_map(move |servers| {
            let sentence = "The available MCP server instructions have changed. They supersede the others.";
            stated(Piece::Instructions(servers), sentence, "\n")
        }),
        skill_lists().prop_map(move |list| {
            let sentence = "The available skills have changed. This list supersedes the previous one.";
            stated(Piece::Skills(list), sentence, "\n")
        }),
    ]
}

/// Text without any of OpenCode's sections that could be read, though it may imitate their lines.
pub fn prose() -> impl Strategy<Value = String> {
    let opening = select(vec![
        "You are an agent that helps — with software 😀.",
        "Here is some useful information about the environment you are running in:",
        "Instructions from: /home/jürgen/AGENTS.md",
        "Today's date: Thu Jan 01 1970",
    ]);
    let line = prop_oneof![
        5 => text(),
        2 => Just(String::new()),
        1 => text().prop_map(|text| format!("- {text}")),
        1 => text().prop_map(|text| format!("## {text}")),
    ];
    // Nothing is escaped: behind the opening of a list, the opening of an item would be one.
    let opens_item = |line: &&str| line.starts_with("  <s") || line.ends_with("none shown) // x");
    let imitated: Vec<&str> = LOOK_ALIKES.into_iter().filter(|line| !opens_item(line)).collect();
    let imitated = vec(select(imitated).prop_map(String::from), 0..3);
    let lines = (vec(line, 0..5), imitated).prop_map(|(lines, imitated)| [lines, imitated].concat());
    (opening, lines.prop_shuffle(), any::<bool>()).prop_map(|(opening, lines, ends_with_newline)| {
        let mut text = [vec![opening.to_string()], lines].concat().join("\n");
        text.push_str(if ends_with_newline { "\n" } else { "" });
        text
    })
}
