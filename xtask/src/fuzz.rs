//! `./x fuzz`: feeds random inputs to a component until time is up or something breaks.

use std::ffi::OsString;
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::process::{Command as Process, Stdio};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use lexopt::prelude::*;

use crate::command::{Command, number, unknown};
use crate::failure::{Context, Failure, Outcome};
use crate::shell::process;
use crate::shell::progress;
use crate::test::cothreads;
use crate::workspace::Workspace;

/// The command.
pub const COMMAND: Command =
    Command { name: "fuzz", summary: "feed random inputs until something breaks", help: HELP, run };

const HELP: &str = "
usage: ./x fuzz [TARGET] [--seconds N] [--seed N]
       ./x fuzz target [--board BOARD] [--seconds N] [--seed N]

Runs a fuzzer; without a target, all of them in turn. All but target are guided by coverage: libFuzzer keeps
the inputs that reach new code. It starts from valid inputs and from the files in fuzz/corpus/TARGET and
build/fuzz/TARGET/inputs, and adds its own to the latter. An input that breaks something is written to
build/fuzz/TARGET; make it smaller, add it to fuzz/corpus/TARGET, and the host tests run it from then on.

  TARGET              calls: the kernel against its specification, with random systems and events
                      cothreads: calls of the cothread library from random threads, with address and
                      undefined-behaviour sanitizers
                      description: the reader of system descriptions
                      elf: the reader of program files
                      image: the validator of boot images
                      trace: the reader of trace rings, with all outputs
                      target: tests/adversaries in the emulator, with one seed after the other; only
                      when it is named
  --board BOARD       where target runs; default: the usual board of each instruction set
  --seconds N         how long each one runs, of target without the last seed; default: 60
  --seed N            the seed, decimal; of target the first one; default: the time. SEED=N TIMES=20
                      ./x test tests/adversaries repeats one of target
";

/// A component with a fuzzer.
struct Target {
    name: &'static str,
    /// Builds a program that takes the options of libFuzzer, and what it starts from.
    build: fn(&Workspace, &Target) -> Outcome<Process>,
}

const TARGETS: [Target; 6] = [
    Target { name: "calls", build: program },
    Target { name: "cothreads", build: cothreads },
    Target { name: "description", build: reader },
    Target { name: "elf", build: reader },
    Target { name: "image", build: reader },
    Target { name: "trace", build: reader },
];

fn cothreads(workspace: &Workspace, target: &Target) -> Outcome<Process> {
    let mut fuzzer = Process::new(cothreads::build(workspace, "fuzz")?);
    fuzzer.arg(target.inputs(workspace)).arg(target.corpus(workspace));
    Ok(fuzzer)
}

/// A fuzzer of the workspace `fuzz`, with the inputs that the repository keeps.
fn program(workspace: &Workspace, target: &Target) -> Outcome<Process> {
    let options = ["--release", "--locked", "--bin", target.name];
    // It takes a minute at first, which is none of the fuzzer's time.
    progress::show(&format!("building the fuzzer of {}", target.name));
    process::capture(cargo(workspace, "build").args(options))?;
    let mut fuzzer = cargo(workspace, "run");
    fuzzer.args(options).arg("--");
    // It adds inputs to the first folder.
    fuzzer.arg(target.inputs(workspace)).arg(target.corpus(workspace));
    Ok(fuzzer)
}

/// The same for a reader of `host/fuzz`, which has first inputs and a dictionary.
fn reader(workspace: &Workspace, target: &Target) -> Outcome<Process> {
    let folder = target.folder(workspace).join("first");
    process::capture(
        process::cargo("run").args(["--package", "limen-fuzz", "--", target.name]).arg(&folder),
    )?;
    let mut dictionary = OsString::from("-dict=");
    dictionary.push(folder.with_extension("dict"));
    let mut fuzzer = program(workspace, target)?;
    fuzzer.arg(folder).arg(dictionary);
    Ok(fuzzer)
}

/// `cargo` for the fuzzers that libFuzzer guides.
pub fn cargo(workspace: &Workspace, subcommand: &str) -> Process {
    let mut cargo = process::cargo(subcommand);
    // Cargo reads the options of the compiler, which count what an input reaches, where it is started.
    cargo.current_dir(workspace.path("fuzz")).env("CARGO_TARGET_DIR", workspace.path("build/fuzz/program"));
    cargo
}

/// The fuzzer that runs in the emulator, and its suite.
const ON_TARGET: (&str, &str) = ("target", "tests/adversaries on");
/// How many times as many attempts a seed makes there as in `./x test`.
const TIMES: u64 = 20;

/// How long each one runs.
const SECONDS: NonZeroU32 = NonZeroU32::new(60).unwrap();

struct Options {
    target: Option<String>,
    /// The board of the fuzzer in the emulator; without it, the usual board of each instruction set.
    board: Option<String>,
    seconds: NonZeroU32,
    seed: Option<u64>,
}

impl Options {
    /// The seed; by default the time.
    fn seed(&self) -> u64 {
        let now = || SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        self.seed.unwrap_or_else(now)
    }
}

fn run(workspace: &Workspace, arguments: lexopt::Parser) -> Outcome {
    let options = parse(arguments)?;
    if options.target.as_deref() == Some(ON_TARGET.0) {
        return attack(&options);
    }
    if options.board.is_some() {
        return Err(Failure::new(format!(
            "--board is for the fuzzer in the emulator: ./x fuzz {}",
            ON_TARGET.0
        )));
    }
    for target in chosen(options.target.as_deref())? {
        target.run(workspace, &options)?;
    }
    Ok(())
}

fn parse(mut arguments: lexopt::Parser) -> Outcome<Options> {
    let mut options = Options { target: None, board: None, seconds: SECONDS, seed: None };
    while let Some(argument) = arguments.next()? {
        match argument {
            Long("seconds") => {
                options.seconds = number(&mut arguments, "--seconds", "a number of seconds from 1")?
            }
            Long("board") => options.board = Some(arguments.value()?.string()?),
            Long("seed") => options.seed = Some(number(&mut arguments, "--seed", "a whole number")?),
            Value(target) if options.target.is_none() => options.target = Some(target.string()?),
            other => return Err(other.unexpected().into()),
        }
    }
    Ok(options)
}

/// Runs the suite with one seed after the other until time is up or a test fails.
fn attack(options: &Options) -> Outcome {
    let program = process::itself()?;
    let end = Instant::now() + Duration::from_secs(options.seconds.get().into());
    for seed in options.seed().. {
        println!("fuzzing {} with seed {seed}", ON_TARGET.0);
        let mut suite = Process::new(&program);
        suite.args(["test", ON_TARGET.1]).args(options.board.iter().flat_map(|board| ["--board", board]));
        suite.env("SEED", seed.to_string()).env("TIMES", TIMES.to_string());
        let status = suite.status().context(|| "cannot run ./x test".to_owned())?;
        if !status.success() {
            return Err(Failure::new(format!("seed {seed} breaks something (see above)")));
        }
        if Instant::now() >= end {
            break;
        }
    }
    Ok(())
}

fn chosen(name: Option<&str>) -> Outcome<Vec<&'static Target>> {
    let found: Vec<_> = TARGETS.iter().filter(|target| name.is_none_or(|name| name == target.name)).collect();
    if found.is_empty() {
        let names: Vec<_> = TARGETS.iter().map(|target| target.name).chain([ON_TARGET.0]).collect();
        return Err(unknown("fuzzer", name.unwrap_or_default(), &names, ""));
    }
    Ok(found)
}

impl Target {
    fn folder(&self, workspace: &Workspace) -> PathBuf {
        workspace.path("build/fuzz").join(self.name)
    }

    /// The inputs that it has found.
    fn inputs(&self, workspace: &Workspace) -> PathBuf {
        self.folder(workspace).join("inputs")
    }

    /// The inputs that the repository keeps.
    fn corpus(&self, workspace: &Workspace) -> PathBuf {
        workspace.path("fuzz/corpus").join(self.name)
    }

    fn run(&self, workspace: &Workspace, options: &Options) -> Outcome {
        let (folder, inputs) = (self.folder(workspace), self.inputs(workspace));
        std::fs::create_dir_all(&inputs).context(|| format!("cannot create {}", inputs.display()))?;
        let mut fuzzer = (self.build)(workspace, self)?;
        let seed = options.seed();
        println!("fuzzing {} for {} seconds with seed {seed}", self.name, options.seconds);
        let mut findings = OsString::from("-artifact_prefix=");
        findings.push(folder.join(""));
        fuzzer.arg(format!("-max_total_time={}", options.seconds)).arg(format!("-seed={}", seed as u32));
        fuzzer.args(["-print_final_stats=1", "-verbosity=0"]).arg(findings);
        let output = fuzzer.stdin(Stdio::null()).output().context(|| "cannot run the fuzzer".to_owned())?;
        let report = String::from_utf8_lossy(&output.stderr);
        if !output.status.success() {
            return Err(Failure::new(format!("{report}{} breaks something, with seed {seed}", self.name)));
        }
        report.lines().filter(|line| line.starts_with("stat::")).for_each(|line| println!("{line}"));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// libFuzzer takes zero for no limit.
    #[test]
    fn a_fuzzer_runs_for_a_second_at_least() {
        let parsed = |words: &[&str]| parse(lexopt::Parser::from_args(words));
        assert_eq!(parsed(&["--seconds", "1"]).unwrap().seconds.get(), 1);
        let said = parsed(&["calls", "--seconds", "0"]).err().unwrap().to_string();
        assert_eq!(said, "--seconds takes a number of seconds from 1, not '0'");
    }

    #[test]
    fn only_the_fuzzer_in_the_emulator_takes_a_board() {
        let workspace = Workspace::locate().unwrap();
        let words = ["calls", "--board", "x86_64_generic"];
        let said = run(&workspace, lexopt::Parser::from_args(words)).err().unwrap().to_string();
        assert_eq!(said, "--board is for the fuzzer in the emulator: ./x fuzz target");
    }

    #[test]
    fn a_target_is_found_by_name_and_none_means_all() {
        assert_eq!(chosen(None).unwrap().len(), TARGETS.len());
        assert_eq!(chosen(Some("elf")).unwrap().len(), 1);
        let failure = chosen(Some("kitchen")).err().unwrap().to_string();
        assert_eq!(
            failure,
            "there is no fuzzer 'kitchen'; choose from: calls, cothreads, description, elf, image, trace, target"
        );
    }
}
