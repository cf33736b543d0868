//! The cothread library on the host: its own tests, which a Makefile builds and runs, and other programs.

use std::path::PathBuf;
use std::process::Command;

use crate::failure::Outcome;
use crate::shell::process;
use crate::test::suite::Verdict;
use crate::workspace::Workspace;

/// The name of the tests.
pub const NAME: &str = "cothreads on the host";

/// Builds and runs the tests.
///
/// # Errors
/// When a program does not build; the failure carries the compiler's output.
pub fn run(workspace: &Workspace) -> Outcome<Verdict> {
    make(workspace, "test").map(|(_, console)| judge(&console))
}

/// Builds one of the other programs and returns its path.
///
/// # Errors
/// When it does not build; the failure carries the compiler's output.
pub fn build(workspace: &Workspace, program: &str) -> Outcome<PathBuf> {
    make(workspace, program).map(|(output, _)| output.join(program))
}

/// Runs make; returns the output folder and what was printed.
fn make(workspace: &Workspace, goal: &str) -> Outcome<(PathBuf, String)> {
    let output = workspace.path("build/cothreads");
    let mut make = Command::new("make");
    make.args(["--silent", "--no-print-directory", "--jobs=2", "-C"]);
    make.arg(workspace.path("user/libmicrokitco/host"));
    let console = process::capture(make.arg(format!("BUILD={}", output.display())).arg(goal))?;
    Ok((output, console))
}

/// Counts the lines of tests, each named after the program that printed it.
fn judge(console: &str) -> Verdict {
    let mut verdict = Verdict::default();
    let mut program = "";
    for line in console.lines() {
        program = line.strip_prefix("PROGRAM ").unwrap_or(program);
        match line.strip_prefix("TEST ").map(|test| test.split_once(' ').unwrap_or((test, ""))) {
            Some((_, "PASS")) => verdict.passed += 1,
            Some((test, reason)) => verdict.complaints.push(format!("{program}: {test} {reason}")),
            None => {}
        }
    }
    if verdict == Verdict::default() {
        verdict.complaints.push("no test ran".to_owned());
    }
    verdict
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_counted_and_failures_named_with_their_program() {
        let verdict = judge("PROGRAM a\nTEST one PASS\nSUITE a 1 passed\nPROGRAM b\nTEST two FAIL why\n");
        assert_eq!(
            verdict,
            Verdict { passed: 1, complaints: vec!["b: two FAIL why".to_owned()], notes: Vec::new() }
        );
        assert_eq!(judge("").complaints, ["no test ran"]);
    }
}
