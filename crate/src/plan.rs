//! From a decision to edits: which ranges of which texts go, which labels follow, which tool keys are
//! deleted. Why something goes is not known here.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use crate::candidates::{Candidates, ReadText};
use crate::decide::Decision;
use crate::host::instructions::Instructions;
use crate::host::text::{normalise, Edit};
use crate::host::Section;

/// All changes to one request. It is carried out as a whole or not at all.
#[derive(Debug, Default, PartialEq)]
pub struct Plan {
    /// The edits of each text, in the order of the texts given.
    pub texts: Vec<Vec<Edit>>,
    /// The native names of the tools to delete.
    pub tools: Vec<String>,
    /// The namespaces that go with all their tools.
    pub servers: Vec<String>,
    /// The configured names of the servers whose instructions go.
    pub instructions: Vec<String>,
}

impl Plan {
    pub fn make(texts: &[Rc<ReadText>], candidates: &Candidates, decision: &Decision) -> Plan {
        if !decision.prunes() {
            return Plan { texts: vec![Vec::new(); texts.len()], ..Plan::default() };
        }
        let kept = Kept::new(candidates, decision);
        let mut plan = Plan::default();
        for text in texts {
            let sections = &text.reading.sections;
            plan.texts.push(normalise(
                sections.iter().flat_map(|section| kept.edits(&text.text, section)).collect(),
            ));
            for section in sections {
                if let Section::Instructions(instructions) = section {
                    kept.note_instructions(instructions, &mut plan.instructions);
                }
            }
        }
        let servers = candidates.servers.iter().zip(&decision.servers);
        plan.servers = servers
            .filter(|(_, verdict)| !verdict.kept)
            .map(|(server, _)| server.namespace.clone())
            .collect();
        plan.tools = native_tools_to_delete(candidates, decision);
        plan
    }

    pub fn is_empty(&self) -> bool {
        self.tools.is_empty() && self.texts.iter().all(Vec::is_empty)
    }

    /// How many characters the edits of one text take away; negative if labels grew by more.
    pub fn chars_saved(&self, text: usize, source: &str) -> i64 {
        let count = |text: &str| text.chars().count() as i64;
        let edits = self.texts.get(text).map(Vec::as_slice).unwrap_or_default();
        edits
            .iter()
            .map(|edit| count(source.get(edit.range.clone()).unwrap_or_default()) - count(&edit.replacement))
            .sum()
    }
}

fn native_tools_to_delete(candidates: &Candidates, decision: &Decision) -> Vec<String> {
    let tools = candidates.servers.iter().flat_map(|server| &server.tools);
    let verdicts = decision.tools.iter().flatten();
    tools
        .zip(verdicts)
        .filter(|(tool, verdict)| tool.is_native && !verdict.kept)
        .map(|(tool, _)| tool.id.clone())
        .collect()
}

/// What goes, by the names under which texts speak of it. What is no candidate stays.
struct Kept<'a> {
    gone_servers: HashSet<&'a str>,
    gone_tools: HashMap<&'a str, HashSet<&'a str>>,
    gone_skills: HashSet<&'a str>,
}

impl<'a> Kept<'a> {
    fn new(candidates: &'a Candidates, decision: &Decision) -> Kept<'a> {
        let mut kept =
            Kept { gone_servers: HashSet::new(), gone_tools: HashMap::new(), gone_skills: HashSet::new() };
        let servers = candidates.servers.iter().zip(&decision.servers).zip(&decision.tools);
        for ((server, verdict), tools) in servers {
            if !verdict.kept {
                kept.gone_servers.insert(&server.namespace);
                continue;
            }
            let gone = server.tools.iter().zip(tools).filter(|(_, verdict)| !verdict.kept);
            kept.gone_tools.insert(&server.namespace, gone.map(|(tool, _)| tool.name.as_str()).collect());
        }
        let gone = candidates.skills.iter().zip(&decision.skills).filter(|(_, verdict)| !verdict.kept);
        kept.gone_skills = gone.map(|(skill, _)| skill.id.as_str()).collect();
        kept
    }

    fn edits(&self, text: &str, section: &Section) -> Vec<Edit> {
        match section {
            Section::Catalog(catalog) => catalog.without(
                |namespace| !self.gone_servers.contains(namespace),
                |namespace, tool| !self.gone_tools.get(namespace).is_some_and(|gone| gone.contains(tool)),
            ),
            Section::Instructions(instructions) => {
                instructions.without(text, |namespace| !self.gone_servers.contains(namespace))
            }
            Section::Skills(skills) => skills.without(|skill| !self.gone_skills.contains(skill.id.as_str())),
        }
    }

    fn note_instructions(&self, instructions: &Instructions, names: &mut Vec<String>) {
        for server in &instructions.servers {
            if self.gone_servers.contains(server.namespace.as_str()) && !names.contains(&server.name) {
                names.push(server.name.clone());
            }
        }
    }
}
