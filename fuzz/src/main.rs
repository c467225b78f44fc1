//! Runs the fuzz targets on any toolchain, without libFuzzer: seeds first, then what the mutator makes of them. It
//! does not see which code an input reaches, so it finds less in the same time; it is for every change, libFuzzer
//! for a night.

use std::panic::catch_unwind;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use opencode_jev_pruner_fuzz::mutate::{mutate, read_words, Chance};
use opencode_jev_pruner_fuzz::{seeds, Target, TARGETS};

const HELP: &str = "\
usage: npm run fuzz -- [--seconds N] [--target NAME]... [--seed N] [FILE...]

  --seconds N    how long each target runs (default 10)
  --target NAME  only this target; all of them otherwise:
                 catalog, catalog_changes, instructions, skills, sessions, replies, options
  --seed N       plays the inputs of an earlier run; its number stands in what it printed
  FILE...        runs each file through the targets once, and nothing else";

/// An input of at most 64 KB that takes longer than this is a fault.
const TOO_SLOW: Duration = Duration::from_secs(2);
/// How many inputs that were made before are kept to make further ones of.
const POOL: usize = 256;

struct Args {
    seconds: u64,
    targets: Vec<Target>,
    seed: u64,
    files: Vec<PathBuf>,
}

fn main() -> ExitCode {
    if std::env::args().any(|word| word == "--help") {
        println!("{HELP}");
        return ExitCode::SUCCESS;
    }
    let args = match read_args(std::env::args().skip(1)) {
        Ok(args) => args,
        Err(problem) => {
            eprintln!("{problem}\n\n{HELP}");
            return ExitCode::from(2);
        }
    };
    let failed = match args.files.is_empty() {
        true => args.targets.iter().filter(|target| !fuzz(target, &args)).count(),
        false => args.targets.iter().filter(|target| !run_files(target, &args.files)).count(),
    };
    println!("{} passed, {failed} failed", args.targets.len() - failed);
    match failed {
        0 => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    }
}

fn read_args(mut words: impl Iterator<Item = String>) -> Result<Args, String> {
    let mut args = Args { seconds: 10, targets: Vec::new(), seed: seed_of_now(), files: Vec::new() };
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or(format!("{word} needs a value"));
        match word.as_str() {
            "--seconds" => args.seconds = number(&value()?)?,
            "--seed" => args.seed = number(&value()?)?,
            "--target" => args.targets.push(target(&value()?)?),
            option if option.starts_with('-') => return Err(format!("there is no option {option}")),
            file => args.files.push(file.into()),
        }
    }
    if args.targets.is_empty() {
        args.targets = TARGETS.to_vec();
    }
    Ok(args)
}

fn number(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("{text} is no whole number"))
}

fn target(name: &str) -> Result<Target, String> {
    TARGETS.into_iter().find(|target| target.name == name).ok_or(format!("there is no target {name}"))
}

fn seed_of_now() -> u64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    now.map_or(0, |now| u64::from(now.subsec_nanos()) + now.as_secs()) % 1_000_000
}

fn run_files(target: &Target, files: &[PathBuf]) -> bool {
    let mut all_good = true;
    for file in files {
        match std::fs::read(file) {
            Ok(input) => all_good &= holds(target, &input),
            Err(error) => {
                eprintln!("{}: {error}", file.display());
                all_good = false;
            }
        }
    }
    all_good
}

/// Whether a target held for as long as it ran.
fn fuzz(target: &Target, args: &Args) -> bool {
    let (Ok(mut pool), Ok(words)) = (known_inputs(target), words()) else {
        eprintln!("{}: the seeds or words.dict cannot be read", target.name);
        return false;
    };
    let shipped = pool.len();
    let (since, mut count) = (Instant::now(), 0);
    if !pool.iter().all(|input| holds(target, input)) {
        return false;
    }
    let mut chance = Chance::new(args.seed);
    while since.elapsed() < Duration::from_secs(args.seconds) {
        let (input, other) = (chance.pick(&pool).unwrap_or_default(), chance.pick(&pool).unwrap_or_default());
        let made = mutate(input, other, &words, &mut chance);
        if !holds(target, &made) {
            eprintln!("{}: input {count} of --seed {}", target.name, args.seed);
            return false;
        }
        count += 1;
        keep(&mut pool, shipped, made, &mut chance);
    }
    println!("{:<16} {count:>9} inputs in {} s, --seed {}", target.name, args.seconds, args.seed);
    true
}

/// Some inputs stay for a while, so that changes add up.
fn keep(pool: &mut Vec<Box<[u8]>>, shipped: usize, made: Vec<u8>, chance: &mut Chance) {
    if chance.below(8) > 0 {
        return;
    }
    match pool.len() < shipped + POOL {
        true => pool.push(made.into()),
        false => pool[shipped + chance.below(POOL)] = made.into(),
    }
}

fn known_inputs(target: &Target) -> std::io::Result<Vec<Box<[u8]>>> {
    Ok(seeds(target.name)?.into_iter().map(|(_, seed)| seed.into_boxed_slice()).collect())
}

fn words() -> std::io::Result<Vec<Box<[u8]>>> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("words.dict");
    Ok(read_words(&std::fs::read_to_string(file)?))
}

/// Whether a target holds for an input, in time. One that does not is written to `artifacts/`.
fn holds(target: &Target, input: &[u8]) -> bool {
    let since = Instant::now();
    let problem = match catch_unwind(|| (target.check)(input)) {
        Err(_) => "panicked",
        // Another program may have had the processor, so it is tried once more.
        Ok(()) if since.elapsed() > TOO_SLOW && is_slow_again(target, input) => "took too long",
        Ok(()) => return true,
    };
    match write_artifact(target, input) {
        Ok(file) => eprintln!("{} {problem}: {}", target.name, file.display()),
        Err(error) => eprintln!("{} {problem}; its input cannot be written: {error}", target.name),
    }
    false
}

fn is_slow_again(target: &Target, input: &[u8]) -> bool {
    let since = Instant::now();
    let failed = catch_unwind(|| (target.check)(input)).is_err();
    failed || since.elapsed() > TOO_SLOW
}

fn write_artifact(target: &Target, input: &[u8]) -> std::io::Result<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("artifacts").join(target.name);
    std::fs::create_dir_all(&folder)?;
    let file = folder.join(format!("failed-{:016x}", opencode_jev_pruner::hash::fingerprint_of(input)));
    std::fs::write(&file, input)?;
    Ok(file)
}
