//! `./x fuzz`: feeds random inputs to a part of the system until time is up or something breaks.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command as Process;

use lexopt::prelude::*;

use crate::command::{Command, unknown};
use crate::cothreads;
use crate::failure::{Context, Outcome};
use crate::process;
use crate::workspace::Workspace;

/// The command.
pub const COMMAND: Command =
    Command { name: "fuzz", summary: "feed random inputs until something breaks", help: HELP, run };

const HELP: &str = "
usage: ./x fuzz [TARGET] [--seconds N]

Runs a fuzzer; without a target, all of them one after the other. Files in build/fuzz/TARGET/inputs are among the
inputs that it starts from. An input that breaks something is written to build/fuzz/TARGET.

  TARGET              cothreads: calls of the cothread library from random threads, with address and
                      undefined-behaviour sanitizers
                      description: the reader of system descriptions
                      elf: the reader of program files
                      image: the validator of boot images
  --seconds N         how long each one runs; default: 60
";

/// A part of the system with a fuzzer.
struct Target {
    name: &'static str,
    /// Builds it: a program that takes the options of libFuzzer.
    build: fn(&Workspace) -> Outcome<PathBuf>,
}

const TARGETS: [Target; 4] = [
    Target { name: "cothreads", build: |workspace| cothreads::build(workspace, "fuzz") },
    Target { name: "description", build: |workspace| build_reader(workspace, "fuzz_description") },
    Target { name: "elf", build: |workspace| build_reader(workspace, "fuzz_elf") },
    Target { name: "image", build: |workspace| build_reader(workspace, "fuzz_image") },
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

struct Options {
    target: Option<String>,
    seconds: u64,
}

fn run(workspace: &Workspace, arguments: lexopt::Parser) -> Outcome {
    let options = parse(arguments)?;
    for target in chosen(options.target.as_deref())? {
        target.run(workspace, options.seconds)?;
    }
    Ok(())
}

fn parse(mut arguments: lexopt::Parser) -> Outcome<Options> {
    let mut options = Options { target: None, seconds: 60 };
    while let Some(argument) = arguments.next()? {
        match argument {
            Long("seconds") => options.seconds = arguments.value()?.parse()?,
            Value(target) if options.target.is_none() => options.target = Some(target.string()?),
            other => return Err(other.unexpected().into()),
        }
    }
    Ok(options)
}

fn chosen(name: Option<&str>) -> Outcome<Vec<&'static Target>> {
    let found: Vec<_> = TARGETS.iter().filter(|target| name.is_none_or(|name| name == target.name)).collect();
    if found.is_empty() {
        let names = TARGETS.map(|target| target.name);
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
        assert_eq!(failure, "there is no fuzzer 'kitchen'; choose from: cothreads, description, elf, image");
    }
}
