//! From a decision to edits: which ranges of which texts go, which labels follow, which entries are added,
//! which tool keys are deleted. Why something goes is not known here.

pub mod additions;
pub mod announcement;

use std::borrow::Cow;
use std::ops::Range;
use std::rc::Rc;

use arcstr::Substr;

use crate::candidates::Candidates;
use crate::hash::FxIndexSet;
use crate::opencode::catalog::{Addition, Catalog};
use crate::opencode::ReadText;
use crate::opencode::{Restatement, Section};
use crate::policy::Decision;
use crate::request::facts::Facts;
use crate::session::memory::{AddedTool, CandidateName, CandidateNames, RestatementCount};
use crate::text::{normalise, with_one_separator, Edit};

/// All changes to one request. It is carried out as a whole or not at all.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plan {
    /// The edits of each text, in the order of the texts given.
    pub texts: Vec<Vec<Edit>>,
    /// Messages of ours: in front of which message each goes, and its text.
    pub messages: Vec<(usize, String)>,
    /// The native names of the tools to delete.
    pub tools: Vec<Substr>,
    /// The namespaces that go with all their tools.
    pub servers: Vec<Substr>,
    /// The configured names of the servers whose instructions go.
    pub instructions: Vec<Substr>,
    /// A line to stand behind all system texts.
    pub note: Option<String>,
    /// What `load_tool` says of itself instead.
    pub pointers: Option<String>,
}

/// What a plan takes besides the decision.
#[derive(Debug, Default)]
pub struct Extras<'a> {
    /// Entries to add to full catalogs.
    pub added: Vec<&'a AddedTool>,
    /// What announcements tell of, in their order.
    pub announced: Vec<PlacedAnnouncement<'a>>,
    /// How many restatements of each list, from the first on, are cut down to nothing.
    pub cut: RestatementCount,
    /// What was hidden before, available now or not.
    pub hidden: Cow<'a, CandidateNames>,
    /// Whether a list that lost something tells how to reach the rest.
    pub hint: bool,
}

/// A message of ours, and where it stands.
#[derive(Debug)]
pub struct PlacedAnnouncement<'a> {
    /// In front of which message; nowhere if that one is gone.
    pub message: Option<usize>,
    /// What is cut from all texts in front of it.
    pub names: &'a [CandidateName],
    /// Its text; an empty one is not put anywhere.
    pub text: &'a str,
}

impl PlacedAnnouncement<'_> {
    /// Whether a text stands in front of it; those in front of all messages do.
    fn is_behind(&self, place: Option<usize>) -> bool {
        match (place, self.message) {
            (Some(place), Some(message)) => place < message,
            _ => true,
        }
    }
}

impl Extras<'_> {
    fn is_empty(&self) -> bool {
        self.added.is_empty()
            && self.announced.is_empty()
            && self.hidden.is_empty()
            && self.cut == RestatementCount::default()
    }
}

impl Plan {
    /// `places` says which message each text stands in, none for those in front of all messages.
    pub fn make(
        texts: &[Rc<ReadText>],
        places: &[Option<usize>],
        candidates: &Candidates,
        decision: &Decision,
        extras: &Extras,
    ) -> Plan {
        if !decision.prunes() && extras.is_empty() {
            return Plan { texts: vec![Vec::new(); texts.len()], ..Plan::default() };
        }
        let rejected = rejected(candidates, decision, &extras.hidden);
        let mut plan = Plan::default();
        let (mut to_cut, mut catalogs) = (extras.cut, 0);
        for (at, text) in texts.iter().enumerate() {
            let place = places.get(at).copied().flatten();
            let announced: Vec<&PlacedAnnouncement> =
                extras.announced.iter().filter(|announced| announced.is_behind(place)).collect();
            let here = Gone::new(&extras.hidden, &rejected, &announced);
            let cut = take_restatements(text, &mut to_cut);
            let mut edits: Vec<Edit> =
                cut.iter().map(|range| Edit::remove(with_one_separator(&text.text, range))).collect();
            for (section, span) in text.reading.sections.iter().zip(&text.reading.spans) {
                let ordinal = catalogs;
                catalogs += usize::from(matches!(section, Section::Catalog(_)));
                let before = cut.partition_point(|range| range.start <= span.start);
                if before > 0 && cut[before - 1].contains(&span.start) {
                    continue;
                }
                let added = extras.added.iter().filter(|added| added.since <= ordinal);
                let added: Vec<&Addition> = added.map(|added| &added.addition).collect();
                edits.extend(here.edits(&text.text, section, &added, extras.hint));
            }
            plan.texts.push(settle_start(&text.text, normalise(edits)));
        }
        let placed = extras.announced.iter().filter(|announced| !announced.text.is_empty());
        plan.messages =
            placed.filter_map(|announced| Some((announced.message?, announced.text.to_string()))).collect();
        plan.tools = native_tools_to_delete(candidates, decision);
        let servers = candidates.servers.iter().zip(&decision.servers).filter(|(_, verdict)| !verdict.kept);
        plan.servers = servers.map(|(server, _)| server.namespace.clone()).collect();
        plan.instructions = instructions_to_remove(texts, &Gone::new(&extras.hidden, &rejected, &[]));
        plan
    }

    /// Whether the request stays as it is; notes and pointers alone are not worth a change.
    pub fn is_empty(&self) -> bool {
        let lists = self.tools.is_empty() && self.servers.is_empty() && self.messages.is_empty();
        lists && self.texts.iter().all(Vec::is_empty)
    }

    /// How many characters of a request it takes away; negative if it adds more.
    pub(crate) fn chars_saved(&self, facts: &Facts) -> i64 {
        let texts = facts.texts.iter().enumerate().map(|(at, text)| self.chars_saved_in(at, &text.text));
        let native = self.tools.iter().map(|name| facts.native.chars(name));
        let announced = self.messages.iter().map(|(_, text)| text.chars().count() as i64);
        texts.sum::<i64>() + native.sum::<i64>() - announced.sum::<i64>()
    }

    /// How many characters the edits of one text, whose words are `source`, take away.
    pub fn chars_saved_in(&self, text: usize, source: &str) -> i64 {
        let count = |text: &str| text.chars().count() as i64;
        let edits = self.texts.get(text).map(Vec::as_slice).unwrap_or_default();
        let saved = |edit: &Edit| {
            count(source.get(edit.range.clone()).unwrap_or_default()) - count(&edit.replacement)
        };
        edits.iter().map(saved).sum()
    }
}

/// The full catalog that holds now: the last one that is stated.
pub fn newest_catalog(texts: &[Rc<ReadText>]) -> Option<(usize, usize)> {
    let places = texts.iter().enumerate().flat_map(|(at, text)| {
        let sections = text.reading.sections.iter().enumerate();
        sections
            .filter(|(_, section)| matches!(section, Section::Catalog(_)))
            .map(move |(place, _)| (at, place))
    });
    places.last()
}

/// That catalog itself.
pub fn catalog_at(texts: &[Rc<ReadText>], (text, place): (usize, usize)) -> Option<&Catalog> {
    match texts.get(text)?.reading.sections.get(place)? {
        Section::Catalog(catalog) => Some(catalog),
        _ => None,
    }
}

/// How many restatements of each list a later one of the same list supersedes.
pub fn superseded(texts: &[Rc<ReadText>]) -> RestatementCount {
    let mut count = RestatementCount::default();
    for Restatement { list, .. } in texts.iter().flat_map(|text| text.reading.restatements()) {
        count[list as usize] += 1;
    }
    count.map(|all| all.saturating_sub(1))
}

/// The ranges of a text's restatements that are among the first `left` of their list.
fn take_restatements(text: &ReadText, left: &mut RestatementCount) -> Vec<Range<usize>> {
    let mut ranges = Vec::new();
    for Restatement { list, range } in text.reading.restatements() {
        if left[list as usize] > 0 {
            left[list as usize] -= 1;
            ranges.push(range);
        }
    }
    ranges
}

/// A text that lost its beginning does not begin with the joint to what stood there.
fn settle_start(text: &str, mut edits: Vec<Edit>) -> Vec<Edit> {
    if let Some(first) = edits.first_mut().filter(|edit| edit.range.start == 0 && edit.replacement.is_empty())
    {
        let behind = text.get(first.range.end..).unwrap_or_default();
        first.range.end += behind.len() - behind.trim_start_matches('\n').len();
    }
    normalise(edits)
}

fn native_tools_to_delete(candidates: &Candidates, decision: &Decision) -> Vec<Substr> {
    let tools = candidates.servers.iter().flat_map(|server| &server.tools);
    let verdicts = decision.tools.iter().flatten();
    tools
        .zip(verdicts)
        .filter(|(tool, verdict)| tool.is_native && !verdict.kept)
        .map(|(tool, _)| tool.id.clone())
        .collect()
}

fn instructions_to_remove(texts: &[Rc<ReadText>], gone: &Gone) -> Vec<Substr> {
    let mut names: FxIndexSet<Substr> = FxIndexSet::default();
    for section in texts.iter().flat_map(|text| &text.reading.sections) {
        for server in section.servers().iter().filter(|server| !gone.keeps_namespace(&server.namespace)) {
            names.insert(server.name.clone());
        }
    }
    names.into_iter().collect()
}

/// What a decision hides that was not hidden before.
fn rejected(candidates: &Candidates, decision: &Decision, hidden: &CandidateNames) -> CandidateNames {
    let mut rejected = CandidateNames::default();
    let mut note = |name: CandidateName| {
        if !hidden.contains(&name) {
            rejected.insert(name);
        }
    };
    let servers = candidates.servers.iter().zip(&decision.servers).zip(&decision.tools);
    for ((server, verdict), tools) in servers {
        if !verdict.kept {
            note(CandidateName::Server(server.namespace.clone()));
            continue;
        }
        let tools = server.tools.iter().zip(tools);
        let gone = tools.filter(|(tool, verdict)| tool.is_listed && !verdict.kept);
        gone.for_each(|(tool, _)| note(CandidateName::tool(server, tool)));
    }
    let skills = candidates.skills.iter().zip(&decision.skills).filter(|(_, verdict)| !verdict.kept);
    skills.for_each(|(skill, _)| note(CandidateName::Skill(skill.id.clone())));
    rejected
}

/// What goes from a text. What is no candidate stays.
struct Gone<'a>([&'a CandidateNames; 2], CandidateNames);

impl<'a> Gone<'a> {
    /// `announced` stands in messages of ours, so that it goes here although it is kept.
    fn new(
        hidden: &'a CandidateNames,
        rejected: &'a CandidateNames,
        announced: &[&PlacedAnnouncement],
    ) -> Gone<'a> {
        let mut elsewhere = CandidateNames::default();
        announced
            .iter()
            .flat_map(|announced| announced.names)
            .for_each(|name| elsewhere.insert(name.clone()));
        Gone([hidden, rejected], elsewhere)
    }

    fn all(&self) -> impl Iterator<Item = &CandidateNames> {
        self.0.into_iter().chain([&self.1])
    }

    fn keeps_namespace(&self, namespace: &str) -> bool {
        !self.all().any(|gone| gone.servers.contains(namespace))
    }

    fn keeps_tool(&self, namespace: &str, tool: &str) -> bool {
        !self.all().any(|gone| gone.has_tool(namespace, tool))
    }

    fn keeps_skill(&self, id: &str) -> bool {
        !self.all().any(|gone| gone.skills.contains(id))
    }

    fn edits(&self, text: &str, section: &Section, added: &[&Addition], hint: bool) -> Vec<Edit> {
        let namespace = |name: &str| self.keeps_namespace(name);
        let tool = |namespace: &str, tool: &str| self.keeps_tool(namespace, tool);
        match section {
            Section::Catalog(catalog) => catalog.edits(namespace, tool, added, hint),
            Section::CatalogChange(change) => change.without(text, namespace, tool),
            Section::Instructions(list) => list.without(text, namespace),
            Section::AddedServers(added) => added.without(text, namespace),
            Section::Skills(list) => list.without(|skill| self.keeps_skill(&skill.id), hint),
            Section::AddedSkills(added) => added.without(text, |skill| self.keeps_skill(&skill.id)),
            Section::Cleared(_) | Section::Superseded(_) | Section::Removed(..) => Vec::new(),
        }
    }
}
