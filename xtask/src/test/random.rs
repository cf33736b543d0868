//! Random systems of the kernel beside its specification: many more than the host tests run, and others with each commit.

use std::env;
use std::fs;
use std::process::Command;

use crate::failure::{Context, Outcome};
use crate::sdk::version;
use crate::test::host_tests;
use crate::test::suite::Verdict;
use crate::workspace::Workspace;

/// The name of the test.
pub const TEST: &str = "random systems";

/// The file that keeps what it prints.
const FILE: &str = "build/random-systems.txt";

/// The tests in `kernel/core/tests` that compare each event with the specification.
const COMPARISONS: [&str; 2] =
    ["hostile::hostile_threads_get_what_is_specified", "random::random_systems_are_as_specified"];

/// As many systems as have some ten million events.
const SYSTEMS: &str = "12000";

/// Variables with which the user chooses other systems.
const CASES: &str = "PROPTEST_CASES";
const SEED: &str = "PROPTEST_RNG_SEED";

/// Runs the comparisons.
///
/// # Errors
/// When cargo cannot be started, or the [file](FILE) cannot be written or read.
pub fn run(workspace: &Workspace) -> Outcome<Verdict> {
    let chosen = |name: &str, usual: String| env::var(name).unwrap_or(usual);
    let seed = chosen(SEED, seed(&version::commit(workspace)).to_string());
    let mut cargo = Command::new("cargo");
    cargo.args(["test", "--package", "limen-core", "--test", "kernel", "--", "--show-output", "--exact"]);
    cargo.args(COMPARISONS).env(SEED, &seed).env(CASES, chosen(CASES, SYSTEMS.to_owned()));
    let mut verdict = host_tests::follow_all(workspace, &mut cargo, FILE)?;
    let output = fs::read_to_string(workspace.path(FILE)).context(|| format!("cannot read {FILE}"))?;
    let events = compared(&output);
    if events == 0 && verdict.complaints.is_empty() {
        verdict.complaints.push(format!("no event was compared (see {FILE})"));
    }
    verdict.notes.push(format!("{events} events compared with the specification, {SEED}={seed}"));
    Ok(verdict)
}

/// The seed of a commit: its first eight digits.
fn seed(commit: &str) -> u64 {
    commit.get(..8).and_then(|digits| u64::from_str_radix(digits, 16).ok()).unwrap_or(1)
}

/// The sum of the events in lines like `All: 89222 events compared with the specification, 206 that it does not contain`.
fn compared(output: &str) -> u64 {
    let count = |line: &str| {
        let (before, _) = line.split_once(" events compared with the specification")?;
        before.rsplit(' ').next()?.parse::<u64>().ok()
    };
    output.lines().filter_map(count).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_commit_selects_the_systems() {
        assert_eq!(seed("88d6a8dd7cbe-dirty"), 0x88d6_a8dd);
        assert_eq!(seed("unknown"), 1);
    }

    #[test]
    fn events_of_all_comparisons_are_added() {
        let output = "All: 12 events compared with the specification, 3 that it does not contain\n\
                      nothing\nSlowOnly: 30 events compared with the specification, 0 that it does not contain\n";
        assert_eq!(compared(output), 42);
    }
}
