//! Which lines of the kernel the host tests execute, as compiled with `-Cinstrument-coverage`.
//!
//! The tests write profiles; LLVM's tools merge them and export the lines. Version 19 reads what the pinned compiler writes.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::failure::{Context, Failure, Outcome};
use crate::sdk::version;
use crate::shell::process;
use crate::test::host_tests;
use crate::test::suite::Verdict;
use crate::workspace::Workspace;

/// The crates of the kernel, and those of `abi/` that it uses.
const PACKAGES: [&str; 9] = [
    "limen-abi",
    "limen-core",
    "limen-fpu",
    "limen-image",
    "limen-keys",
    "limen-mmu",
    "limen-platform",
    "limen-services",
    "limen-simd",
];
const MERGER: &str = "llvm-profdata-19";
const EXPORTER: &str = "llvm-cov-19";

/// Lines by file below the repository.
pub type ExecutedLines = BTreeMap<String, BTreeSet<u32>>;

/// Runs the tests, and returns their verdict and the lines that they execute.
///
/// # Errors
/// When they do not build, or LLVM's tools fail.
pub fn run(workspace: &Workspace) -> Outcome<(Verdict, ExecutedLines)> {
    let folder = workspace.path("build/coverage");
    let profiles = folder.join("profiles");
    _ = fs::remove_dir_all(&profiles);
    let host = version::host()?;
    let tests = || {
        let mut cargo = process::cargo("test");
        // With a target, only tests are instrumented, not what runs while they are built.
        cargo.args(["--lib", "--tests", "--target", &host]);
        cargo.args(PACKAGES.iter().flat_map(|package| ["--package", package]));
        cargo.env_remove("CARGO_ENCODED_RUSTFLAGS").env("RUSTFLAGS", "-Cinstrument-coverage");
        // Processes of one program add to one file.
        cargo.env("LLVM_PROFILE_FILE", profiles.join("%m.profraw"));
        cargo.env("CARGO_TARGET_DIR", folder.join("target"));
        cargo
    };
    let listed = process::capture(tests().args(["--no-run", "--message-format=json"]))?;
    let programs: Vec<_> = listed.lines().filter_map(executable).collect();
    let verdict = host_tests::follow_all(workspace, tests().arg("--no-fail-fast"), host_tests::FILE)?;
    let text = exported(&profiles, &folder.join("host.profdata"), &programs)?;
    Ok((verdict, executed_lines(&text, workspace.root())))
}

/// The program that a line of cargo's messages names.
fn executable(line: &str) -> Option<PathBuf> {
    let (_, rest) = line.split_once("\"executable\":\"")?;
    rest.split('"').next().map(PathBuf::from)
}

/// The executed lines as LLVM exports them.
fn exported(profiles: &Path, merged: &Path, programs: &[PathBuf]) -> Outcome<String> {
    let files = fs::read_dir(profiles).context(|| format!("the tests wrote no {}", profiles.display()))?;
    let files = files.flatten().map(|file| file.path());
    let mut merge = Command::new(MERGER);
    process::capture(merge.args(["merge", "-sparse"]).args(files).arg("-o").arg(merged))?;
    let (first, others) =
        programs.split_first().ok_or_else(|| Failure::new("cargo named no program with tests"))?;
    let mut export = Command::new(EXPORTER);
    export.args(["export", "-format=lcov", "-skip-branches", "-skip-functions"]);
    export.arg("-instr-profile").arg(merged).arg(first);
    process::capture(export.args(others.iter().flat_map(|program| [Path::new("-object"), program])))
}

/// Reads the lines `SF:FILE` and `DA:LINE,COUNT`.
fn executed_lines(text: &str, root: &Path) -> ExecutedLines {
    let (mut lines, mut file) = (ExecutedLines::new(), None);
    for line in text.lines() {
        if let Some(path) = line.strip_prefix("SF:") {
            file = Path::new(path).strip_prefix(root).ok().and_then(Path::to_str).map(str::to_owned);
        } else if let (Some(file), Some(rest)) = (&file, line.strip_prefix("DA:"))
            && let Some((number, count)) = rest.split_once(',')
            && let Ok(number) = number.parse()
            && count != "0"
        {
            lines.entry(file.clone()).or_default().insert(number);
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn executed_lines_of_the_repository_are_read() {
        let text = "SF:/limen/kernel/core/src/a.rs\nFNF:2\nDA:3,0\nDA:4,12\nDA:9,1\nend_of_record\n\
                    SF:/elsewhere/b.rs\nDA:1,1\nend_of_record\n";
        let lines = executed_lines(text, Path::new("/limen"));
        assert_eq!(lines, BTreeMap::from([("kernel/core/src/a.rs".to_owned(), BTreeSet::from([4, 9]))]));
    }

    #[test]
    fn programs_are_found_in_messages_of_cargo() {
        let line =
            r#"{"reason":"compiler-artifact","filenames":["/t/a"],"executable":"/t/a-1","fresh":true}"#;
        assert_eq!(executable(line), Some(PathBuf::from("/t/a-1")));
        assert_eq!(executable(r#"{"reason":"compiler-artifact","executable":null}"#), None);
    }
}
