//! A text takes time in proportion to its length, whatever stands in it. Nobody waits for a hostile
//! AGENTS.md.

use std::time::{Duration, Instant};

use opencode_jev_pruner::opencode::messages::{Use, Used};
use opencode_jev_pruner::opencode::ReadText;
use opencode_jev_pruner::text::to_utf16;

use crate::pipeline::{rewrite, Choices};

const SIZE: usize = 1 << 18;

/// Four times the text may take four times the time, and some more; with a square it would be sixteen times.
const MOST_FOR_FOUR_TIMES_THE_TEXT: f64 = 10.0;

/// How long to work on the shorter text before times are compared, and how often at most. Some systems tell
/// the time worked in steps of 10 ms.
const ENOUGH: Duration = Duration::from_millis(40);
const MOST_TRIES: usize = 32;

/// The time that this thread has worked, where the system tells it; other programs do not count then.
fn time_worked() -> Option<Duration> {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(Duration::from_nanos(told.split(' ').next()?.parse().ok()?))
}

fn timed(work: impl Fn()) -> Duration {
    let (since, worked_before) = (Instant::now(), time_worked());
    work();
    match (worked_before, time_worked()) {
        (Some(before), Some(now)) => now.saturating_sub(before),
        _ => since.elapsed(),
    }
}

/// Reading a text, and rejecting all that it names, is linear.
fn assert_linear(write: impl Fn(usize) -> String) {
    assert_work_is_linear(write, |text| {
        let rewritten = rewrite(&[text.to_string()], &Choices::all(false));
        rewritten.each().for_each(|(text, edits, _)| drop(to_utf16(text, edits)));
    });
}

fn assert_work_is_linear(write: impl Fn(usize) -> String, work: impl Fn(&str)) {
    let (quarter, whole) = (write(SIZE / 4), write(SIZE));
    let (mut once, mut four_times) = (Duration::ZERO, Duration::ZERO);
    for _ in 0..MOST_TRIES {
        once += timed(|| work(&quarter));
        four_times += timed(|| work(&whole));
        if once > ENOUGH {
            let ratio = four_times.as_secs_f64() / once.as_secs_f64();
            assert!(
                ratio < MOST_FOR_FOUR_TIMES_THE_TEXT,
                "four times the text took {ratio:.1} times as long"
            );
            return;
        }
    }
}

/// Lines up to a length, each made from its number.
fn lines(size: usize, line: impl Fn(usize) -> String) -> String {
    let mut out = String::with_capacity(size + 256);
    for at in 0.. {
        if out.len() >= size {
            break;
        }
        out.push_str(&line(at));
        out.push('\n');
    }
    out
}

fn repeated(line: &'static str) -> impl Fn(usize) -> String {
    move |size| lines(size, |_| line.to_string())
}

const V4: &str = "# Code Mode\n\nThe catalog is partial.\n\n## Available tools\n\n";

#[test]
fn two_megabytes_of_anchors_are_read_in_a_second() {
    let anchors =
        ["# Code Mode", "<mcp_instructions>", "<available_skills>", "## Available tools (COMPLETE list"];
    let text = lines(2 << 20, |at| anchors[at % anchors.len()].to_string());
    let shortest = (0..3).map(|_| timed(|| drop(ReadText::new(text.clone())))).min();
    assert!(shortest < Some(Duration::from_secs(1)));
}

#[test]
fn beginnings_of_sections_that_lead_nowhere() {
    assert_linear(repeated("# Code Mode"));
    assert_linear(repeated("<mcp_instructions>"));
    assert_linear(repeated("<available_skills>"));
    assert_linear(repeated("<available_skills>\n  <skill>\n    <id>x</id>"));
    assert_linear(repeated("## Available tools (PARTIAL - 1 of 2 shown)"));
    assert_linear(repeated("## Available tools\n"));
    assert_linear(repeated("This is a restricted JavaScript language\n\n## Rules"));
    assert_linear(repeated("The Code Mode tool catalog below is complete.\n"));
}

#[test]
fn messages_of_changes() {
    assert_linear(repeated("The Code Mode tool catalog has changed."));
    assert_linear(repeated("New tools are available in addition to those previously listed:\n"));
    assert_linear(repeated("New skills are available in addition to those previously listed:\n  <skill>"));
    assert_linear(|size| {
        let opening = "New MCP server instructions are available in addition to those previously listed:\n";
        format!("{}{}", opening.repeat(20), lines(size, |_| "  <server name=\"x\">".into()))
    });
}

#[test]
fn beginnings_of_sections_that_read_as_empty() {
    assert_linear(repeated("## Available tools (COMPLETE list"));
    assert_linear(repeated("## Available tools (PARTIAL - 0 of 0 shown)"));
    assert_linear(repeated("<mcp_instructions>\n</mcp_instructions>"));
}

#[test]
fn sections_that_are_never_closed() {
    assert_linear(|size| format!("# Code Mode\n{}", lines(size, |_| "text".into())));
    assert_linear(|size| {
        let open = "<mcp_instructions>\n  <server name=\"x\">\n";
        format!("{}{}", open.repeat(20), lines(size, |_| "    text".into()))
    });
    assert_linear(|size| {
        let open = "<available_skills>\n  <skill>\n    <id>x</id>\n    <description>\n";
        format!("{}{}", open.repeat(20), lines(size, |_| "text</description>".into()))
    });
}

#[test]
fn one_line() {
    assert_linear(|size| "é".repeat(size / 2));
    assert_linear(|size| format!("{V4}- one (1 tool) // {}", "é".repeat(size / 2)));
    assert_linear(|size| format!("{V4}- {}", "one (".repeat(size / 5)));
    assert_linear(|size| format!("{V4}- one (1 tool)\n  - tools.one.x(): P<{}", "> // ".repeat(size / 5)));
}

#[test]
fn brackets() {
    let entry = |path: String| format!("{V4}- one (1 tool)\n  - tools.one{path}(): Promise<unknown>");
    assert_linear(|size| entry("[\"a\"]".repeat(size / 5)));
    assert_linear(|size| entry("[\"a".repeat(size / 3)));
    assert_linear(|size| entry(format!("[\"{}", "\\".repeat(size))));
    assert_linear(|size| entry(format!("[\"{}\"]", "\\\\".repeat(size / 2))));
    assert_linear(|size| entry(".a".repeat(size / 2)));
}

#[test]
fn lines_that_could_end_a_skill() {
    let skill = |line: &'static str| {
        move |size| {
            let lines = lines(size, |_| line.into());
            let open = "<available_skills>\n  <skill>\n    <id>x</id>\n    <description>\n";
            format!("{open}{lines}</description>\n  </skill>\n</available_skills>")
        }
    };
    assert_linear(skill("  </skill>"));
    assert_linear(skill("x</description>\n  </skill>"));
}

#[test]
fn many_namespaces_and_tools() {
    let catalog = |list: String| format!("{V4}{list}");
    assert_linear(|size| catalog(lines(size, |at| format!("- n{at} (9 tools, none shown) // é"))));
    assert_linear(|size| {
        catalog(lines(size, |at| {
            format!("- n{at} (2 tools, 1 shown)\n  - tools.n{at}.find(): Promise<unknown> // é")
        }))
    });
    assert_linear(|size| {
        let tools = size / 40;
        let list: String =
            (0..tools).map(|at| format!("\n  - tools.one.t{at}(): Promise<unknown> // é")).collect();
        catalog(format!("- one ({tools} tools){list}"))
    });
    assert_linear(|size| {
        catalog(format!("- one (2 tools, none shown) // é\n{}", lines(size, |_| "more".into())))
    });
}

#[test]
fn many_servers_with_instructions() {
    let section = |servers: String| format!("<mcp_instructions>\n{servers}</mcp_instructions>");
    assert_linear(|size| {
        section(lines(size, |at| format!("  <server name=\"é{at}\">\n    Text.\n  </server>")))
    });
}

#[test]
fn many_servers_of_one_namespace() {
    let section = |servers: String| format!("<mcp_instructions>\n{servers}</mcp_instructions>");
    let namespace = "    Use tools from this server through `execute` under `tools[\"x\"]`.";
    assert_linear(|size| {
        section(lines(size, |at| {
            format!("  <server name=\"é{at}\">\n{namespace}\n    Text {at}.\n  </server>")
        }))
    });
}

#[test]
fn messages_that_say_what_is_gone() {
    let baseline = |size| {
        let servers = lines(size / 2, |at| format!("  <server name=\"s{at}\">\n    Text.\n  </server>"));
        format!("<mcp_instructions>\n{servers}</mcp_instructions>\n\n")
    };
    let gone = "Instructions for the following MCP servers are no longer available: ";
    let names = |size: usize| (0..size / 2 / 40).map(|at| format!("x{at}")).collect::<Vec<_>>().join(", ");
    assert_linear(|size| format!("{}{gone}{}.", baseline(size), names(size)));
    assert_linear(|size| format!("{}{}", baseline(size), lines(size / 2, |at| format!("{gone}x{at}."))));
    let gone = "The following tools are no longer available and must not be called: ";
    assert_linear(|size| {
        let tools = 0..size / 80;
        let list: String = tools.clone().map(|at| format!("\n  - tools.one.t{at}(): Promise<x>")).collect();
        let gone_too = tools.clone().map(|at| format!("tools.one.t{at}")).collect::<Vec<_>>().join(", ");
        let change = format!("The Code Mode tool catalog has changed.\n\n{gone}{gone_too}.");
        format!("{V4}- one ({} tools){list}\n\n{change}", tools.len())
    });
}

#[test]
fn lists_that_are_stated_anew_again_and_again() {
    let skills = "<available_skills>\n  <skill>\n    <id>x</id>\n  </skill>\n</available_skills>";
    assert_linear(|size| {
        lines(size, |_| format!("The available skills have changed. This list supersedes all.\n{skills}\n"))
    });
}

#[test]
fn paths_in_the_code_of_a_conversation() {
    let read = |code: &str| drop(Used::of(vec![Use::Paths(code.to_string())]));
    assert_work_is_linear(|size| "tools.notes.add(x);".repeat(size / 16 / 19), read);
    assert_work_is_linear(|size| format!("tools{}", ".a".repeat(size / 128 / 2)), read);
    assert_work_is_linear(|size| "tools.".repeat(size / 64 / 6), read);
}

#[test]
fn many_skills() {
    assert_linear(|size| {
        let skills = lines(size, |at| {
            format!("  <skill>\n    <id>é{at}</id>\n    <description>x</description>\n  </skill>")
        });
        format!("<available_skills>\n{skills}</available_skills>")
    });
}
