//! The seeds that ship: each holds, and each of a format is read as that format unless its name says otherwise.

use opencode_jev_pruner::opencode::{read, Section};
use opencode_jev_pruner_fuzz::{seeds, TARGETS};

fn seeds_of(target: &str) -> Vec<(String, Vec<u8>)> {
    let seeds = seeds(target).unwrap();
    assert!(!seeds.is_empty(), "{target} has no seed");
    seeds
}

#[test]
fn every_target_holds_for_its_seeds() {
    for target in TARGETS {
        for (name, seed) in seeds_of(target.name) {
            let result = std::panic::catch_unwind(|| (target.check)(&seed));
            assert!(result.is_ok(), "{}: {name}", target.name);
        }
    }
}

#[test]
fn every_target_holds_for_the_seeds_of_all_others_and_for_nothing() {
    for target in TARGETS {
        (target.check)(b"");
        for other in TARGETS {
            seeds_of(other.name).iter().for_each(|(_, seed)| (target.check)(seed));
        }
    }
}

#[test]
fn a_seed_of_a_format_is_read_as_that_format_unless_it_is_named_unread() {
    let is_of = |format: &str, section: &Section| match section {
        Section::Catalog(_) => format == "catalog",
        Section::CatalogChange(_) => format == "catalog_changes",
        Section::Instructions(_) | Section::AddedServers(_) => format == "instructions",
        Section::Skills(_) | Section::AddedSkills(_) => format == "skills",
        Section::Cleared(_) | Section::Superseded(_) | Section::Removed(..) => false,
    };
    for format in ["catalog", "catalog_changes", "instructions", "skills"] {
        for (name, seed) in seeds_of(format) {
            let text = String::from_utf8(seed).unwrap();
            let reading = read(&text);
            let is_read = reading.unread.is_empty() && reading.sections.iter().any(|one| is_of(format, one));
            assert_eq!(is_read, !name.starts_with("unread_"), "{format}/{name}: {:?}", reading.unread);
        }
    }
}
