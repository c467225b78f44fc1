//! Writes what the host tells of a world: the lists at the start of a session (`opencode-host.md` §6.1, §6.2, §7,
//! §8), and the changes since (§6.3). Each wording of a thing carries a mark, so that it can be counted.

use std::collections::{BTreeMap, BTreeSet};

use opencode_jev_pruner::opencode::names::sanitise;

use crate::world::{Form, Session, World};

const CHANGED: &str = "The Code Mode tool catalog has changed.";
pub const MARK_OPEN: &str = "[[";
pub const MARK_CLOSE: &str = "]]";

/// A sign that a wording of a thing stands somewhere.
pub fn mark(name: &str, number: usize) -> String {
    format!("{MARK_OPEN}{name} #{number}{MARK_CLOSE}")
}

fn path(namespace: &str, tool: &str) -> String {
    let segment = |name: &str| match name.contains('-') {
        true => format!("[\"{name}\"]"),
        false => format!(".{name}"),
    };
    format!("tools{}{}", segment(namespace), segment(tool))
}

fn entry(namespace: &str, tool: &str, number: usize) -> String {
    let input = if tool == "find" { "{\n  /** - tools.none.here() */\n  id: string,\n}" } else { "" };
    let mark = mark(&format!("tool {namespace} {tool}"), number);
    format!("\n  - {}({input}): Promise<unknown> // Does {mark}", path(namespace, tool))
}

fn element(server: &str, number: usize) -> String {
    let mark = mark(&format!("server {}", sanitise(server)), number);
    format!("\n  <server name=\"{server}\">\n    Says {mark}\n    \n    - fake (3 tools)\n  </server>")
}

fn skill(id: &str, number: usize) -> String {
    let mark = mark(&format!("skill {id}"), number);
    format!("\n  <skill>\n    <id>{id}</id>\n    <name>The {id}</name>\n    <description>Knows {mark}\n<all> of it.</description>\n  </skill>")
}

impl Session {
    pub fn catalog(&self, world: &World) -> Option<String> {
        let totals = world.totals();
        let (shown, total) = (world.tools.len(), totals.values().sum::<usize>());
        let claim = if shown < total { "partial" } else { "complete" };
        let search = if shown < total { "\n\n## Search\n\nSome:\n\n- search(input: {})" } else { "" };
        let head = match self.form {
            Form::V4 => {
                format!("# Code Mode\n\nUse it.\n\nThe catalog is {claim}. So it is.\n\n## Available tools")
            }
            Form::V3 => {
                format!("The Code Mode tool catalog below is {claim}.{search}\n\n## Available tools")
            }
            Form::V2 => {
                format!("Run JavaScript to orchestrate tool calls and more.{search}\n\n## Available tools")
            }
            Form::V1c if shown < total => {
                format!("## Available tools (PARTIAL - {shown} of {total} shown; x)")
            }
            Form::V1c => "## Available tools (COMPLETE list - all)".to_string(),
        };
        let mut text = format!("{head}\n");
        for (name, total) in &totals {
            let shown = world.shown_of(name);
            let tools = if *total == 1 { "tool" } else { "tools" };
            let part = match shown.len() {
                all if all == *total => String::new(),
                0 => ", none shown".to_string(),
                some => format!(", {some} shown"),
            };
            text.push_str(&format!("\n- {name} ({total} {tools}{part})"));
            text.extend(shown.iter().map(|(tool, number)| entry(name, tool, *number)));
        }
        (!totals.is_empty()).then_some(text)
    }

    fn catalog_change(&self, before: &World, after: &World, anew: bool) -> Option<String> {
        let is_told =
            self.form != Form::V1c && (&before.tools, &before.unshown) != (&after.tools, &after.unshown);
        let stated = is_told.then(|| self.catalog(after))?;
        let Some(stated) = stated else {
            let gone = "Code Mode tools are no longer available. Forget them.";
            let empty = "No Code Mode tools are currently available. Wait.";
            return Some(if anew {
                format!("{CHANGED} This catalog supersedes it.\n\n{empty}")
            } else {
                gone.into()
            });
        };
        if before.totals().is_empty() {
            return Some(stated);
        }
        let crosses = before.unshown.is_empty() != after.unshown.is_empty();
        let samples_differ = !after.unshown.is_empty() && before.tools != after.tools;
        if anew || crosses || samples_differ {
            return Some(format!("{CHANGED} This catalog supersedes the one before.\n\n{stated}"));
        }
        let mut paragraphs = vec![CHANGED.to_string()];
        let mut enumerate = |sentence: &str, names: Vec<String>| {
            (!names.is_empty()).then(|| paragraphs.push(format!("{sentence}: {}.", names.join(", "))));
        };
        let (was, is) = (before.totals(), after.totals());
        if !after.unshown.is_empty() {
            let new = is.iter().filter(|(name, _)| !was.contains_key(*name));
            let new = new.map(|(name, total)| format!("`{name}` ({total} tools)")).collect();
            enumerate("New tool namespaces are available", new);
            let other = is.iter().filter(|(name, total)| was.get(*name).is_some_and(|known| known != *total));
            let other = other.map(|(name, total)| format!("`{name}` now has {total} tools")).collect();
            enumerate("The following namespace inventories changed; look anew", other);
            let gone =
                was.keys().filter(|name| !is.contains_key(*name)).map(|name| format!("`{name}`")).collect();
            enumerate("The following tool namespaces are no longer available here", gone);
            return Some(paragraphs.join("\n\n"));
        }
        let entries = |is_new: bool, sentence: &str| {
            let told = after.tools.iter().filter(|(key, number)| match before.tools.get(*key) {
                None => is_new,
                Some(known) => !is_new && known != *number,
            });
            let told: String =
                told.map(|((namespace, tool), number)| entry(namespace, tool, *number)).collect();
            (!told.is_empty()).then(|| format!("{sentence}:{told}"))
        };
        let gone = before.tools.keys().filter(|key| !after.tools.contains_key(*key));
        let gone = gone.map(|(namespace, tool)| path(namespace, tool)).collect();
        enumerate("The following tools are no longer available and must not be called", gone);
        let listed = [
            entries(true, "New tools are available besides"),
            entries(false, "Changed tool listings supersede the old"),
        ];
        listed.into_iter().rev().flatten().for_each(|told| paragraphs.insert(1, told));
        Some(paragraphs.join("\n\n"))
    }

    /// What is told at the start.
    pub fn baseline(&self, world: &World) -> String {
        let catalog = self.catalog(world).filter(|_| self.form != Form::V1c);
        let lists = [catalog, list(&INSTRUCTIONS, &world.instructions), list(&SKILL_LIST, &world.skills)];
        lists.into_iter().flatten().chain(["Today's date: Mon".to_string()]).collect::<Vec<_>>().join("\n\n")
    }

    pub fn told(&self, before: &World, after: &World, anew: [bool; 3], beside: bool) -> Option<String> {
        let changes = [
            self.catalog_change(before, after, anew[0]),
            list_change(&INSTRUCTIONS, &before.instructions, &after.instructions, anew[1]),
            list_change(&SKILL_LIST, &before.skills, &after.skills, anew[2]),
        ];
        let mut told: Vec<String> = changes.into_iter().flatten().collect();
        if beside {
            told.insert(0, "Today's date: Tue".to_string());
            told.push("Instructions from: /sub\n# Sub".to_string());
        }
        (!told.is_empty()).then(|| told.join("\n\n"))
    }
}

/// What a message of the plugin's own tells of these things, in the host's words and form.
pub fn additions(world: &World, names: &BTreeSet<String>) -> String {
    let is_told = |name: String| names.contains(&name);
    let tools: Vec<_> =
        world.tools.iter().filter(|((of, name), _)| is_told(format!("tool {of} {name}"))).collect();
    let totals = world.totals().into_iter().filter(|(name, total)| {
        let told = tools.iter().filter(|((of, _), _)| of == name).count();
        is_told(format!("server {name}")) && *total > told
    });
    let namespaces: Vec<String> = totals.map(|(name, total)| format!("`{name}` ({total} tools)")).collect();
    let servers = world.instructions.iter().filter(|(name, _)| is_told(format!("server {}", sanitise(name))));
    let skills = world.skills.iter().filter(|(id, _)| is_told(format!("skill {id}")));
    let lists = [
        (
            "New tools are available besides:",
            tools.iter().map(|((of, name), at)| entry(of, name, **at)).collect(),
        ),
        (INSTRUCTIONS.added, servers.map(|(name, at)| element(name, *at)).collect()),
        (SKILL_LIST.added, skills.map(|(id, at)| skill(id, *at)).collect::<String>()),
    ];
    let mut told = Vec::new();
    if !namespaces.is_empty() || !tools.is_empty() {
        told.push(CHANGED.to_string());
    }
    if !namespaces.is_empty() {
        told.push(format!("New tool namespaces are available: {}.", namespaces.join(", ")));
    }
    told.extend(
        lists.iter().filter(|(_, items)| !items.is_empty()).map(|(words, items)| format!("{words}{items}")),
    );
    told.join("\n\n")
}

/// How a list whose items stand behind one another is told of.
pub struct Words {
    open: &'static str,
    close: &'static str,
    item: fn(&str, usize) -> String,
    added: &'static str,
    removed: &'static str,
    anew: &'static str,
    pub gone: &'static str,
}

pub const INSTRUCTIONS: Words = Words {
    open: "<mcp_instructions>",
    close: "\n</mcp_instructions>",
    item: element,
    added: "New MCP server instructions are available besides:",
    removed: "Instructions for the following MCP servers are no longer available: ",
    anew: "The available MCP server instructions have changed. Here they are.\n",
    gone: "MCP server instructions are no longer available.",
};
pub const SKILL_LIST: Words = Words {
    open: "Skills provide specialized instructions.\nUse them.\n<available_skills>",
    close: "\n</available_skills>",
    item: skill,
    added: "New skills are available besides:",
    removed: "The following skill IDs are no longer available and must not be used: ",
    anew: "The available skills have changed. This list supersedes the old.\n",
    gone: "Skill guidance is no longer available. Forget it.",
};

fn list(words: &Words, items: &BTreeMap<&'static str, usize>) -> Option<String> {
    let elements: String = items.iter().map(|(name, number)| (words.item)(name, *number)).collect();
    (!items.is_empty()).then(|| format!("{}{elements}{}", words.open, words.close))
}

fn list_change(
    words: &Words,
    before: &BTreeMap<&'static str, usize>,
    after: &BTreeMap<&'static str, usize>,
    anew: bool,
) -> Option<String> {
    if before == after {
        return None;
    }
    let Some(stated) = list(words, after) else { return Some(words.gone.to_string()) };
    let is_reworded =
        after.iter().any(|(name, number)| before.get(name).is_some_and(|known| known != number));
    match before.is_empty() {
        true => return Some(stated),
        false if anew || is_reworded => return Some(format!("{}{stated}", words.anew)),
        false => {}
    }
    let added: String = after
        .iter()
        .filter(|(name, _)| !before.contains_key(*name))
        .map(|(name, number)| (words.item)(name, *number))
        .collect();
    let removed: Vec<&str> = before.keys().filter(|name| !after.contains_key(*name)).copied().collect();
    let mut told = Vec::new();
    (!added.is_empty()).then(|| told.push(format!("{}{added}", words.added)));
    (!removed.is_empty()).then(|| told.push(format!("{}{}.", words.removed, removed.join(", "))));
    Some(told.join("\n"))
}
