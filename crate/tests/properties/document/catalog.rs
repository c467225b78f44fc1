//! Code Mode catalogs, written by the grammar.

use std::collections::HashSet;

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;

use super::Kept;
use crate::words::{raw_line, sanitised, server_names, text, tool_paths};

/// Says how the model reaches what is not listed.
pub const SEARCH_HINT: &str =
    " Inside `execute`, `search({ query })` finds the tools that are not listed here.";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    V4,
    V3,
    V2,
    V1c,
}

#[derive(Clone, Debug)]
pub struct Catalog {
    pub form: Form,
    pub is_complete: bool,
    /// How many tools OpenCode counted when it wrote the catalog.
    pub total: usize,
    pub namespaces: Vec<Namespace>,
    /// Whether something was taken out, and whether a hint says so.
    lost: Lost,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lost {
    Nothing,
    Something { hint: bool },
}

#[derive(Clone, Debug)]
pub struct Namespace {
    pub name: String,
    /// Raw lines.
    pub description: Vec<String>,
    pub tools: Vec<Tool>,
    /// How many tools there are, listed or not.
    pub total: usize,
}

#[derive(Clone, Debug)]
pub struct Tool {
    /// Segments below the namespace; none for a tool without namespace.
    pub path: Vec<String>,
    /// From the opening parenthesis on.
    pub signature: String,
    pub description: Option<String>,
}

impl Catalog {
    pub fn write(&self) -> String {
        match self.form {
            Form::V4 => self.write_v4(),
            Form::V3 => self.write_v3(),
            Form::V2 => self.write_v2(),
            Form::V1c => self.write_v1c(),
        }
    }

    fn write_v4(&self) -> String {
        let search =
            "- search({\n  query?: string,\n  limit?: number,\n}): { items: Array<{ path: string }> }";
        let status = match (self.is_complete, self.lost) {
            (true, Lost::Nothing) => "The catalog is complete. Do not guess — größte Sorgfalt.".to_string(),
            (true, Lost::Something { hint }) => {
                format!("The catalog is partial.{}", if_hinted(hint, SEARCH_HINT))
            }
            (false, _) => format!("The catalog is partial. Use search.\n\n{search}"),
        };
        let list = self.write_list();
        format!("# Code Mode\n\nUse the `execute` tool.\n\n{status}\n\n## Available tools{list}")
    }

    fn write_v3(&self) -> String {
        let below = "The Code Mode tool catalog below is";
        let status = match (self.is_complete, self.lost) {
            (true, Lost::Nothing) => format!("{below} complete. Größte Sorgfalt."),
            (true, Lost::Something { hint }) => format!("{below} partial.{}", if_hinted(hint, SEARCH_HINT)),
            (false, _) => format!(
                "{below} partial.\n\n## Search\n\nSearch.\n\n- search(input: {{\n  query: string,\n}})"
            ),
        };
        format!("{status}\n\n## Available tools{}", self.write_list())
    }

    fn write_v2(&self) -> String {
        let search = match (self.is_complete, self.lost) {
            (true, Lost::Something { hint: true }) => format!("\n\n{}", SEARCH_HINT.trim_start()),
            (true, _) => String::new(),
            (false, _) => "\n\n## Search\n\nUse it — 😀.".to_string(),
        };
        let list = self.write_list();
        format!(
            "Run JavaScript to orchestrate tool calls.\n\nMore prose.{search}\n\n## Available tools{list}"
        )
    }

    fn write_v1c(&self) -> String {
        let counts = format!("PARTIAL - {} of {} shown", self.shown(), self.total);
        let heading = match (self.is_complete, self.lost) {
            (true, Lost::Nothing) => "COMPLETE list - these are all".to_string(),
            (true, Lost::Something { hint }) => {
                format!("{counts}{}", if_hinted(hint, "; find the rest with search(...)"))
            }
            (false, _) => format!("{counts}; more — with search"),
        };
        format!(
            "This is a restricted JavaScript language. See `## Available tools`.\n\n## Rules\n- None 😀\n\n\
             ## Available tools ({heading}){}\n\n\
             Search returns complete callable signatures:\n- search(input: {{\n  query: string,\n}})",
            self.write_list()
        )
    }

    fn write_list(&self) -> String {
        match self.namespaces.is_empty() {
            true => String::new(),
            false => {
                let blocks: Vec<String> = self.namespaces.iter().map(Namespace::write).collect();
                format!("\n\n{}", blocks.join("\n"))
            }
        }
    }

    pub fn shown(&self) -> usize {
        self.namespaces.iter().map(|namespace| namespace.tools.len()).sum()
    }

    pub fn only(&self, kept: &Kept) -> Catalog {
        let mut left = self.clone();
        left.namespaces.retain(|namespace| kept.namespaces.contains(&namespace.name));
        for namespace in &mut left.namespaces {
            let name = namespace.name.clone();
            namespace.tools.retain(|tool| kept.tool(&name, &tool.name(&name)));
        }
        if left.named() != self.named() {
            left.lost = Lost::Something { hint: kept.hint };
        }
        left
    }

    pub fn named(&self) -> Vec<(String, Vec<String>)> {
        let tools = |namespace: &Namespace| {
            namespace.tools.iter().map(|tool| tool.name(&namespace.name)).collect::<Vec<_>>()
        };
        self.namespaces.iter().map(|namespace| (namespace.name.clone(), tools(namespace))).collect()
    }
}

impl Namespace {
    pub fn header(&self) -> String {
        let label = label(self.total, self.tools.len());
        match self.description.is_empty() {
            true => format!("- {} ({label})", self.name),
            false => format!("- {} ({label}) // {}", self.name, self.description.join("\n")),
        }
    }

    fn write(&self) -> String {
        let tools = self.tools.iter().map(|tool| tool.write(&self.name));
        [self.header()].into_iter().chain(tools).collect::<Vec<_>>().join("\n")
    }
}

fn if_hinted(hint: bool, text: &str) -> &str {
    if hint {
        text
    } else {
        ""
    }
}

/// What OpenCode puts in parentheses behind a namespace.
pub fn label(total: usize, shown: usize) -> String {
    let all = format!("{total} {}", if total == 1 { "tool" } else { "tools" });
    match shown {
        _ if shown == total => all,
        0 => format!("{all}, none shown"),
        _ => format!("{all}, {shown} shown"),
    }
}

impl Tool {
    pub fn name(&self, namespace: &str) -> String {
        match self.path.is_empty() {
            true => namespace.to_string(),
            false => self.path.join("."),
        }
    }

    fn write(&self, namespace: &str) -> String {
        let segments = std::iter::once(namespace).chain(self.path.iter().map(String::as_str));
        let path: String = segments.map(segment).collect();
        let described = self.description.as_ref().map_or(String::new(), |text| format!(" // {text}"));
        format!("  - tools{path}{}{described}", self.signature)
    }
}

fn segment(name: &str) -> String {
    let is_start = |c: char| c.is_ascii_alphabetic() || c == '_' || c == '$';
    let is_plain = name.starts_with(is_start) && name.chars().all(|c| is_start(c) || c.is_ascii_digit());
    match is_plain {
        true => format!(".{name}"),
        false => format!("[{}]", serde_json::Value::from(name)),
    }
}

pub fn catalogs(form: Form) -> impl Strategy<Value = Catalog> {
    (server_names(), any::<bool>()).prop_flat_map(move |(names, is_complete)| {
        let mut seen = HashSet::new();
        let names = names.iter().map(|name| sanitised(name)).filter(|name| seen.insert(name.clone()));
        let namespaces: Vec<_> = names.map(|name| namespace(name, is_complete, form)).collect();
        namespaces.prop_map(move |namespaces| {
            let total = namespaces.iter().map(|namespace| namespace.total).sum();
            Catalog { form, is_complete, total, namespaces, lost: Lost::Nothing }
        })
    })
}

fn namespace(name: String, is_complete: bool, form: Form) -> impl Strategy<Value = Namespace> {
    let tools = tool_paths()
        .prop_flat_map(move |paths| paths.into_iter().map(|path| tool(path, form)).collect::<Vec<_>>());
    let bare = tool(Vec::new(), form).prop_map(|tool| vec![tool]);
    let tools = prop_oneof![4 => tools, 1 => bare];
    (Just(name), tools, namespace_description(), 0..9usize).prop_map(
        move |(name, mut tools, description, unlisted)| {
            if is_complete && tools.is_empty() {
                let signature = "(): Promise<unknown>".into();
                tools.push(Tool { path: vec!["only".into()], signature, description: None });
            }
            let is_bare = tools.first().is_some_and(|tool| tool.path.is_empty());
            let unlisted = match is_complete || is_bare {
                true => 0,
                false => unlisted.max(usize::from(tools.is_empty())),
            };
            Namespace { name, description, total: tools.len() + unlisted, tools }
        },
    )
}

/// Raw and of several lines, but never a blank one and none that begins something else of the list.
fn namespace_description() -> impl Strategy<Value = Vec<String>> {
    let more = prop_oneof![
        text().prop_map(|text| format!("and {text}")),
        text().prop_map(|text| format!("  and {text}")),
        select(vec!["- not (a namespace)", "} // x", "  - tool", "</server>", "# Code Mode", "<b>"])
            .prop_map(String::from),
    ];
    prop_oneof![
        3 => Just(Vec::new()),
        2 => text().prop_map(|text| vec![text]),
        1 => (text(), vec(more, 1..3)).prop_map(|(first, more)| [vec![first], more].concat()),
    ]
}

fn tool(path: Vec<String>, form: Form) -> impl Strategy<Value = Tool> {
    let parts = (Just(path), option::of(vec(field(), 1..3)), output(), option::of(text()));
    parts.prop_map(move |(path, fields, output, description)| {
        let input = match (fields, form) {
            (None, Form::V4) => String::new(),
            (None, _) => "input: {}".to_string(),
            (Some(fields), Form::V4) => format!("{{\n{}}}", fields.concat()),
            (Some(fields), _) => format!("input: {{\n{}}}", fields.concat()),
        };
        Tool { path, signature: format!("({input}): Promise<{output}>"), description }
    })
}

fn field() -> impl Strategy<Value = String> {
    let comment = prop_oneof![
        2 => Just(String::new()),
        1 => text().prop_map(|text| format!("  /** {text} */\n")),
        1 => vec(raw_line(), 1..3).prop_map(|lines| {
            let lines: String = lines.iter().map(|line| format!("   * {line}\n")).collect();
            format!("  /**\n{lines}   */\n")
        }),
    ];
    let kind = select(vec![
        "  query: string,\n",
        "  limit?: number | null,\n",
        "  titles: Array<{\n      name: string,\n    }>,\n",
        "  [key: string]: unknown,\n",
        "  box: {\n    size: \"größer\" | \"😀\",\n  },\n",
    ]);
    (comment, kind).prop_map(|(comment, kind)| format!("{comment}{kind}"))
}

fn output() -> impl Strategy<Value = &'static str> {
    select(vec!["unknown", "string", "{\n  ids: Array<string>,\n}", "Array<{\n    id: string,\n  }>"])
}
