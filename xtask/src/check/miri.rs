//! `./x check --miri`: host tests in Miri, an interpreter that finds undefined behaviour.
//!
//! It is a hundred times slower than a processor. Tests that search many states search few in Miri (`cfg!(miri)`), random
//! tests try one case, and of the kernel's tests only some run: the core has no unsafe code.

use std::env;
use std::process::Command as Process;

use crate::failure::{Failure, Outcome};
use crate::shell::process;
use crate::shell::progress;
use crate::workspace::Workspace;

/// Names the toolchain; set by `x`, which installs it.
const TOOLCHAIN: &str = "LIMEN_MIRI";

/// Arguments of `cargo miri test`.
const RUNS: [&[&str]; 10] = [
    &["--package", "limen", "--test", "region", "--test", "ring"],
    &["--package", "limen-simd", "--test", "memory", "plain_code"],
    &["--package", "limen-platform", "--lib", "traps::"],
    &["--package", "limen-keys", "--lib"],
    &["--package", "limen-mmu", "--lib", "--", "--skip", "x86_64::space"],
    &["--package", "limen-fpu", "--lib"],
    &[
        "--package",
        "limen-services",
        "--lib",
        "--",
        "--skip",
        "the_digest_is",
        "--skip",
        "an_interrupt_leaves",
        "--skip",
        "no_two",
    ],
    &["--package", "limen-image", "--test", "image", "rules::"],
    &["--package", "limen-core", "--lib"],
    &["--package", "limen-core", "--test", "kernel", "priorities::a_r"],
];

/// Runs them all.
///
/// # Errors
/// When `x` has installed no toolchain with Miri, or a test fails there.
pub fn run(workspace: &Workspace) -> Outcome {
    let Ok(toolchain) = env::var(TOOLCHAIN) else {
        return Err(Failure::new(format!("{TOOLCHAIN} is not set: start this command with ./x")));
    };
    let mut failed = 0;
    for (index, arguments) in RUNS.into_iter().enumerate() {
        let name = shown(arguments);
        progress::show(&format!("[{}/{}] Miri {name}", index + 1, RUNS.len()));
        let mut cargo = Process::new("cargo");
        cargo.args(["miri", "test", "--quiet", "--locked"]).args(arguments);
        // Tests read variables of the environment, and leak what programs have for ever.
        cargo.env("RUSTUP_TOOLCHAIN", &toolchain);
        cargo.env("MIRIFLAGS", "-Zmiri-disable-isolation -Zmiri-ignore-leaks -Zmiri-permissive-provenance");
        cargo.env("PROPTEST_CASES", "1").env("CARGO_TARGET_DIR", workspace.path("build/miri"));
        let outcome = process::capture(&mut cargo);
        progress::clear();
        match outcome {
            // A filter that fits no test would pass for ever.
            Ok(report) if passed(&report) == 0 => {
                failed += 1;
                println!(
                    "Miri {name}: FAILED\nno test has such a name; change RUNS in xtask/src/check/miri.rs"
                );
            }
            Ok(report) => println!("Miri {name}: {} tests passed", passed(&report)),
            Err(failure) => {
                failed += 1;
                println!("Miri {name}: FAILED\n{failure}");
            }
        }
    }
    if failed == 0 {
        Ok(())
    } else {
        Err(Failure::new(format!("Miri objects to {failed} of {} runs", RUNS.len())))
    }
}

/// The words of a run that choose tests: packages, programs and names, without those to skip.
fn shown(arguments: &[&str]) -> String {
    let chosen = arguments.iter().skip(1).take_while(|word| **word != "--");
    chosen.filter(|word| !word.starts_with('-')).copied().collect::<Vec<_>>().join(" ")
}

/// The number of passed tests in a report of cargo.
fn passed(report: &str) -> usize {
    let results = report.lines().filter_map(|line| line.strip_prefix("test result: ok. "));
    results.filter_map(|result| result.split_once(" passed;")?.0.parse::<usize>().ok()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_named_by_what_it_chooses() {
        let run = ["--package", "kitchen", "--test", "oven", "--", "--skip", "burnt"];
        assert_eq!(shown(&run), "kitchen oven");
    }

    #[test]
    fn passed_tests_of_all_programs_are_counted() {
        let report = "\nrunning 2 tests\n..\ntest result: ok. 2 passed; 0 failed; 1 ignored; 0 measured; 7 filtered out\n\n\
                      running 11 tests\ntest result: ok. 11 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\n";
        assert_eq!(passed(report), 13);
        assert_eq!(passed("test result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 9 filtered out"), 0);
    }
}
