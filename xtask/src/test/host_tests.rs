//! Runs the tests of the host crates and counts them.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use crate::failure::{Context, Failure, Outcome};
use crate::shell::process;
use crate::test::changes::Crates;
use crate::test::orders;
use crate::test::quick::Choice;
use crate::test::suite::Verdict;
use crate::workspace::Workspace;

/// The kinds of branches on static keys besides the usual one.
const OTHER_KEY_BUILDS: [&str; 2] = ["fallback", "none"];
/// Crates that a plain `cargo test` leaves out because their binaries do not run on the host.
const LIBRARIES: [&str; 2] = ["limen-platform", "limen-loader"];

/// Runs `cargo test` for everything that runs on the host. Lines about passing tests are not shown.
///
/// # Errors
/// When cargo cannot be started.
pub fn run(workspace: &Workspace) -> Outcome<Verdict> {
    let mut verdict = Verdict::default();
    follow_tests(process::cargo("test").arg("--no-fail-fast"), &mut verdict)?;
    let libraries = LIBRARIES.iter().flat_map(|name| ["--package", *name]);
    follow_tests(process::cargo("test").args(["--no-fail-fast", "--lib"]).args(libraries), &mut verdict)?;
    for build in OTHER_KEY_BUILDS {
        let mut cargo = process::cargo("test");
        cargo.env("LIMEN_KEYS", build).args(["--package", "limen-keys", "--test", "linux"]);
        follow_tests(&mut cargo, &mut verdict)?;
    }
    follow_tests(orders::cargo(workspace, "test").arg("--locked"), &mut verdict)?;
    Ok(verdict)
}

/// Runs the tests that a change reaches, without examples of documentation and without other kinds of branches on static
/// keys.
///
/// # Errors
/// As [`run`].
pub fn run_quickly(workspace: &Workspace, choice: &Choice) -> Outcome<Verdict> {
    let crates = Crates::of(workspace)?.0.into_iter().filter(|each| choice.crates.contains(&each.name));
    let (on_host, others): (Vec<_>, Vec<_>) = crates.partition(|each| each.runs_on_host);
    let mut verdict = Verdict::default();
    let mut follow = |targets: &str, names: Vec<&str>| {
        let packages = names.iter().flat_map(|name| ["--package", *name]);
        let mut cargo = process::cargo("test");
        cargo.args(["--no-fail-fast", targets]).args(packages);
        if names.is_empty() { Ok(()) } else { follow_tests(&mut cargo, &mut verdict) }
    };
    follow("--tests", on_host.iter().map(|each| each.name.as_str()).collect())?;
    let libraries = LIBRARIES.into_iter().filter(|name| others.iter().any(|each| each.name == *name));
    follow("--lib", libraries.collect())?;
    if choice.orders {
        follow_tests(orders::cargo(workspace, "test").arg("--locked"), &mut verdict)?;
    }
    Ok(verdict)
}

/// Runs these tests.
///
/// # Errors
/// When cargo cannot be started.
pub fn follow_all(cargo: &mut Command) -> Outcome<Verdict> {
    let mut verdict = Verdict::default();
    follow_tests(cargo, &mut verdict)?;
    Ok(verdict)
}

fn follow_tests(cargo: &mut Command, verdict: &mut Verdict) -> Outcome {
    let failures = verdict.complaints.len();
    let mut output = TestOutput::default();
    let succeeded = follow(cargo, |line| {
        output.take(line, verdict);
        if is_worth_showing(line) {
            println!("{line}");
        }
    })?;
    if !succeeded && verdict.complaints.len() == failures {
        verdict.complaints.push("cargo test failed before it ran every test (see above)".to_owned());
    }
    Ok(())
}

/// How many lines of a failed test's output are repeated.
const TAIL: usize = 40;

/// The output of programs with tests, read line by line: below `failures:` the output of each failed test, and below a
/// second one the names of all of them; then the sums.
#[derive(Default)]
struct TestOutput {
    /// The name and the lines of each test that failed.
    failed: Vec<(String, Vec<String>)>,
    lists_names: bool,
}

impl TestOutput {
    fn take(&mut self, line: &str, verdict: &mut Verdict) {
        let name = line.strip_prefix("---- ").and_then(|rest| rest.strip_suffix(" stdout ----"));
        if let Some(name) = name {
            self.failed.push((name.to_owned(), Vec::new()));
            self.lists_names = false;
        } else if let Some((passed, failed)) = counts(line) {
            verdict.passed += passed;
            let told = self.failed.drain(..).map(|(name, lines)| complaint(&name, &lines));
            let untold = std::iter::repeat_with(|| "a host test failed (see above)".to_owned());
            verdict.complaints.extend(told.chain(untold).take(failed));
            self.lists_names = false;
        } else if line == "failures:" {
            self.lists_names = true;
        } else if let Some((_, lines)) = self.failed.last_mut().filter(|_| !self.lists_names) {
            lines.push(line.to_owned());
        }
    }
}

fn complaint(name: &str, lines: &[String]) -> String {
    let end = lines.iter().rposition(|line| !line.is_empty()).map_or(0, |last| last + 1);
    let tail = &lines[end.saturating_sub(TAIL)..end];
    let shown: String = tail.iter().map(|line| format!("\n| {line}")).collect();
    format!("the host test {name} failed; the end of its output:{shown}")
}

fn follow(command: &mut Command, mut each: impl FnMut(&str)) -> Outcome<bool> {
    let cannot = || "cannot run cargo test".to_owned();
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().context(cannot)?;
    let output = child.stdout.take().ok_or_else(|| Failure::new(cannot()))?;
    for line in BufReader::new(output).lines() {
        each(&line.context(cannot)?);
    }
    Ok(child.wait().context(cannot)?.success())
}

/// Passed and failed tests of a line `test result: ok. 3 passed; 0 failed; ...`.
fn counts(line: &str) -> Option<(usize, usize)> {
    let (_, sums) = line.strip_prefix("test result: ")?.split_once(". ")?;
    let number = |of: &str| sums.split("; ").find_map(|part| part.strip_suffix(of)?.trim().parse().ok());
    Some((number("passed")?, number("failed")?))
}

fn is_worth_showing(line: &str) -> bool {
    let routine = line.is_empty() || line.starts_with("running ") || line.starts_with("test result: ok");
    // A dot for each test, and their number at the end of a line.
    let is_count = line.chars().all(|c| c == '.' || c == ' ' || c == '/' || c.is_ascii_digit());
    !routine && !line.ends_with("... ok") && !is_count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_of_cargo_are_read() {
        let line = "test result: FAILED. 3 passed; 1 failed; 0 ignored; 0 measured; 2 filtered out; finished in 0.00s";
        assert_eq!(counts(line), Some((3, 1)));
        assert_eq!(counts("test some::test ... ok"), None);
    }

    #[test]
    fn a_failed_test_is_named_with_its_output() {
        let printed = "
running 3 tests
.FF
failures:

---- tests::one stdout ----
seed 0x7

thread 'tests::one' panicked at src/lib.rs:3:5:
left is not right

---- tests::two stdout ----
two


failures:
    tests::one
    tests::two

test result: FAILED. 1 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s
test result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s
";
        let (mut output, mut verdict) = (TestOutput::default(), Verdict::default());
        printed.lines().for_each(|line| output.take(line, &mut verdict));
        assert_eq!(verdict.passed, 1);
        assert_eq!(
            verdict.complaints,
            [
                "the host test tests::one failed; the end of its output:\n| seed 0x7\n| \n\
                 | thread 'tests::one' panicked at src/lib.rs:3:5:\n| left is not right",
                "the host test tests::two failed; the end of its output:\n| two",
                "a host test failed (see above)",
            ]
        );
    }

    #[test]
    fn only_failures_are_shown() {
        assert!(!is_worth_showing("test arena::tests::index ... ok"));
        assert!(!is_worth_showing("......"));
        assert!(!is_worth_showing("...... 6/12"));
        assert!(is_worth_showing("test arena::tests::index ... FAILED"));
        assert!(is_worth_showing("thread 'arena' panicked"));
    }
}
