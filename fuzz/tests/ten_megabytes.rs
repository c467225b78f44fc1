//! Ten megabytes of hostile text are parsed in under one second, in a build as it ships.
//!
//! The time is that which this thread has worked, where the system tells it: other programs do not count.

use std::time::{Duration, Instant};

use opencode_jev_pruner::opencode::ReadText;

const SIZE: usize = 10 << 20;
const MOST: Duration = Duration::from_secs(1);

fn time_worked() -> Option<Duration> {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(Duration::from_nanos(told.split(' ').next()?.parse().ok()?))
}

fn time_to_read(text: String) -> Duration {
    let (since, before) = (Instant::now(), time_worked());
    let read = ReadText::new(text);
    let taken = match (before, time_worked()) {
        (Some(before), Some(now)) => now.saturating_sub(before),
        _ => since.elapsed(),
    };
    drop(read);
    taken
}

/// A beginning, then something again and again.
fn heap(beginning: &str, again: impl Fn(usize) -> String) -> String {
    let mut text = String::with_capacity(SIZE + 1024);
    text.push_str(beginning);
    for at in 0.. {
        if text.len() >= SIZE {
            break;
        }
        text.push_str(&again(at));
    }
    text
}

fn repeated(beginning: &str, again: &str) -> String {
    heap(beginning, |_| again.to_string())
}

const LIST: &str = "# Code Mode\n\nThe catalog is partial.\n\n## Available tools\n\n";
const SKILL: &str = "<available_skills>\n  <skill>\n    <id>x</id>\n    <description>\n";
const SERVER: &str = "<mcp_instructions>\n  <server name=\"x\">\n";

#[cfg_attr(debug_assertions, ignore = "it is about the build that ships: cargo test --release")]
#[test]
fn ten_megabytes_of_hostile_text_are_parsed_in_under_one_second() {
    let texts = [
        ("one line", repeated("", "é")),
        ("empty lines", repeated("", "\n")),
        ("NUL", repeated("", "\0")),
        ("openings of catalogs", repeated("", "# Code Mode\n")),
        ("headings of lists", repeated("", "## Available tools\n\n")),
        ("empty lists", repeated("", "## Available tools (COMPLETE list\n")),
        ("openings of all kinds", repeated("", "# Code Mode\n<mcp_instructions>\n<available_skills>\n")),
        ("namespaces", heap(LIST, |at| format!("- n{at} (9 tools, none shown)\n"))),
        ("one namespace again and again", repeated(LIST, "- n (9 tools, none shown)\n")),
        ("a namespace line that never ends", repeated(&format!("{LIST}- "), "n (1 tool) // ")),
        ("tools that no label counts", heap(LIST, |at| format!("  - tools.n.t{at}(): Promise<x>\n"))),
        (
            "tools of one namespace",
            heap(&format!("{LIST}- n (9 tools)\n"), |at| format!("  - tools.n.t{at}(): Promise<x> // é\n")),
        ),
        ("a path that never ends", repeated(&format!("{LIST}- n (1 tool)\n  - tools.n"), ".a")),
        ("brackets in a path", repeated(&format!("{LIST}- n (1 tool)\n  - tools"), "[\"a\\\"")),
        ("changes", repeated("", "The Code Mode tool catalog has changed.\n\nNew tools are available:\n")),
        ("tools that are gone", repeated("The following tools are no longer available: ", "tools.a.b, ")),
        ("servers that are gone", {
            repeated("Instructions for the following MCP servers are no longer available: ", "a, ")
        }),
        ("a list of instructions that never ends", repeated(SERVER, "    text\n")),
        ("servers that are never closed", repeated("<mcp_instructions>\n", "  <server name=\"x\">\n")),
        ("closing tags of servers", repeated("<mcp_instructions>\n<server name=\"x\">\n", "</server>\n")),
        (
            "servers",
            heap("<mcp_instructions>\n", |at| format!("  <server name=\"s{at}\">\n    x\n  </server>\n")),
        ),
        ("empty lists of instructions", repeated("", "<mcp_instructions>\n</mcp_instructions>\n")),
        ("a description that never ends", repeated(SKILL, "text</description>\n")),
        ("closing tags of skills", repeated(SKILL, "x</description>\n  </skill>\n")),
        ("skills", heap("<available_skills>\n", |at| format!("  <skill>\n    <id>s{at}</id>\n  </skill>\n"))),
        ("added skills", repeated("", "New skills are available\n  <skill>\n    <id>x</id>\n  </skill>\n")),
        (
            "lists stated anew",
            repeated("", &format!("The available skills have changed. This list supersedes\n{SKILL}")),
        ),
    ];
    for (name, text) in texts {
        let shortest = (0..3).map(|_| time_to_read(text.clone())).min().unwrap_or_default();
        println!("{:>5} ms  {name}", shortest.as_millis());
        assert!(shortest < MOST, "{name} took {} ms", shortest.as_millis());
    }
}
