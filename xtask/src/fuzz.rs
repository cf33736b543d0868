//! `./x fuzz`: feeds random inputs to a component until time is up or something breaks.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command as Process;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use lexopt::prelude::*;

use crate::command::{Command, unknown};
use crate::failure::{Context, Failure, Outcome};
use crate::shell::process;
use crate::test::cothreads;
use crate::workspace::Workspace;

/// The command.
pub const COMMAND: Command =
    Command { name: "fuzz", summary: "feed random inputs until something breaks", help: HELP, run };

const HELP: &str = "
usage: ./x fuzz [TARGET] [--seconds N] [--seed N]

Runs a fuzzer; without a target, all of them in turn. Each also starts from the files in
build/fuzz/TARGET/inputs. An input that breaks something is written to build/fuzz/TARGET.

  TARGET              cothreads: calls of the cothread library from random threads, with address and
                      undefined-behaviour sanitizers
                      description: the reader of system descriptions
                      elf: the reader of program files
                      image: the validator of boot images
                      trace: the reader of trace rings, with all outputs
                      target: tests/adversaries in the emulator, with one seed after the other; only
                      when it is named
  --seconds N         how long each one runs; default: 60
  --seed N            the first seed of target, decimal; default: the time. SEED=N TIMES=20
                      ./x test tests/adversaries repeats one
";

/// A component with a fuzzer.
struct Target {
    name: &'static str,
    /// Builds a program that takes the options of libFuzzer.
    build: fn(&Workspace) -> Outcome<PathBuf>,
}

const TARGETS: [Target; 5] = [
    Target { name: "cothreads", build: |workspace| cothreads::build(workspace, "fuzz") },
    Target { name: "description", build: |workspace| build_reader(workspace, "fuzz_description") },
    Target { name: "elf", build: |workspace| build_reader(workspace, "fuzz_elf") },
    Target { name: "image", build: |workspace| build_reader(workspace, "fuzz_image") },
    Target { name: "trace", build: |workspace| build_reader(workspace, "fuzz_trace") },
];

/// A fuzzer of `host/fuzz`.
fn build_reader(workspace: &Workspace, program: &str) -> Outcome<PathBuf> {
    process::capture(process::cargo("build").args([
        "--profile",
        "fuzz",
        "--package",
        "limen-fuzz",
        "--bin",
        program,
    ]))?;
    Ok(workspace.path("target/fuzz").join(program))
}

/// The fuzzer that runs in the emulator, and its suite.
const ON_TARGET: (&str, &str) = ("target", "tests/adversaries on");
/// How many times as many attempts a seed makes there as in `./x test`.
const TIMES: u64 = 20;

struct Options {
    target: Option<String>,
    seconds: u64,
    seed: Option<u64>,
}

fn run(workspace: &Workspace, arguments: lexopt::Parser) -> Outcome {
    let options = parse(arguments)?;
    if options.target.as_deref() == Some(ON_TARGET.0) {
        return attack(&options);
    }
    for target in chosen(options.target.as_deref())? {
        target.run(workspace, options.seconds)?;
    }
    Ok(())
}

fn parse(mut arguments: lexopt::Parser) -> Outcome<Options> {
    let mut options = Options { target: None, seconds: 60, seed: None };
    while let Some(argument) = arguments.next()? {
        match argument {
            Long("seconds") => options.seconds = arguments.value()?.parse()?,
            Long("seed") => options.seed = Some(arguments.value()?.parse()?),
            Value(target) if options.target.is_none() => options.target = Some(target.string()?),
            other => return Err(other.unexpected().into()),
        }
    }
    Ok(options)
}

/// Runs the suite with one seed after the other until time is up or a test fails.
fn attack(options: &Options) -> Outcome {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let program = std::env::current_exe().context(|| "cannot find the program of ./x".to_owned())?;
    let end = Instant::now() + Duration::from_secs(options.seconds);
    for seed in options.seed.unwrap_or(now).. {
        println!("fuzzing {} with seed {seed}", ON_TARGET.0);
        let mut suite = Process::new(&program);
        suite.args(["test", ON_TARGET.1]);
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
    fn run(&self, workspace: &Workspace, seconds: u64) -> Outcome {
        let program = (self.build)(workspace)?;
        let folder = workspace.path("build/fuzz").join(self.name);
        let inputs = folder.join("inputs");
        std::fs::create_dir_all(&inputs).context(|| format!("cannot create {}", inputs.display()))?;
        println!("fuzzing {} for {seconds} seconds", self.name);
        let mut findings = OsString::from("-artifact_prefix=");
        findings.push(folder.join(""));
        let mut fuzzer = Process::new(&program);
        fuzzer.arg(format!("-max_total_time={seconds}")).args(["-print_final_stats=1", "-verbosity=0"]);
        let report = process::capture(fuzzer.arg(findings).arg(&inputs))?;
        println!("{}", report.trim_end());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_is_found_by_name_and_none_means_all() {
        assert_eq!(chosen(None).unwrap().len(), TARGETS.len());
        assert_eq!(chosen(Some("elf")).unwrap().len(), 1);
        let failure = chosen(Some("kitchen")).err().unwrap().to_string();
        assert_eq!(
            failure,
            "there is no fuzzer 'kitchen'; choose from: cothreads, description, elf, image, trace, target"
        );
    }
}
