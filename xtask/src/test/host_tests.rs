//! Runs the tests of the host crates, counts them, and keeps what they print.

use std::collections::VecDeque;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Write};
use std::iter;
use std::process::{Command, Stdio};

use crate::failure::{Context, Outcome};
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

/// The file that keeps everything that the host tests of a run and their compilation print.
pub const FILE: &str = "build/host-tests.txt";

/// Runs `cargo test` for everything that runs on the host.
///
/// # Errors
/// When cargo cannot be started, or the [file](FILE) cannot be written.
pub fn run(workspace: &Workspace) -> Outcome<Verdict> {
    let mut tests = HostTests::begin(workspace, FILE)?;
    tests.follow(cargo_test().arg("--no-fail-fast"))?;
    let libraries = LIBRARIES.iter().flat_map(|name| ["--package", *name]);
    tests.follow(cargo_test().args(["--no-fail-fast", "--lib"]).args(libraries))?;
    for build in OTHER_KEY_BUILDS {
        let mut cargo = cargo_test();
        cargo.env("LIMEN_KEYS", build).args(["--package", "limen-keys", "--test", "linux"]);
        tests.follow(&mut cargo)?;
    }
    tests.follow(&mut orders::test(workspace))?;
    Ok(tests.verdict)
}

/// Runs the tests that a change reaches, without examples of documentation and without other kinds of branches on static
/// keys.
///
/// # Errors
/// As [`run`].
pub fn run_quickly(workspace: &Workspace, choice: &Choice) -> Outcome<Verdict> {
    let crates = Crates::of(workspace)?.0.into_iter().filter(|each| choice.crates.contains(&each.name));
    let (on_host, others): (Vec<_>, Vec<_>) = crates.partition(|each| each.runs_on_host);
    let mut tests = HostTests::begin(workspace, FILE)?;
    let mut follow = |targets: &str, names: Vec<&str>| {
        let packages = names.iter().flat_map(|name| ["--package", *name]);
        let mut cargo = cargo_test();
        cargo.args(["--no-fail-fast", targets]).args(packages);
        if names.is_empty() { Ok(()) } else { tests.follow(&mut cargo) }
    };
    follow("--tests", on_host.iter().map(|each| each.name.as_str()).collect())?;
    let libraries = LIBRARIES.into_iter().filter(|name| others.iter().any(|each| each.name == *name));
    follow("--lib", libraries.collect())?;
    if choice.orders {
        tests.follow(&mut orders::test(workspace))?;
    }
    Ok(tests.verdict)
}

/// Runs these tests, and keeps what they print in this file.
///
/// # Errors
/// As [`run`].
pub fn follow_all(workspace: &Workspace, cargo: &mut Command, file: &'static str) -> Outcome<Verdict> {
    let mut tests = HostTests::begin(workspace, file)?;
    tests.follow(cargo)?;
    Ok(tests.verdict)
}

/// `cargo test`, which names each test.
fn cargo_test() -> Command {
    let mut cargo = Command::new("cargo");
    cargo.arg("test");
    cargo
}

/// The host tests of a run.
struct HostTests {
    /// The name of the file that keeps the output.
    name: &'static str,
    /// The output so far.
    file: File,
    verdict: Verdict,
}

impl HostTests {
    fn begin(workspace: &Workspace, name: &'static str) -> Outcome<Self> {
        let path = workspace.path(name);
        fs::create_dir_all(workspace.path("build")).context(|| "cannot create build".to_owned())?;
        let file = File::create(path).context(|| format!("cannot write {name}"))?;
        Ok(Self { name, file, verdict: Verdict::default() })
    }

    /// Runs cargo, and adds the results of the tests.
    fn follow(&mut self, cargo: &mut Command) -> Outcome {
        let failures = self.verdict.complaints.len();
        let mut output = TestOutput::of(self.name);
        let mut last = VecDeque::new();
        let succeeded = self.keep(cargo, |line, verdict| {
            output.take(line, verdict);
            last.push_back(line.to_owned());
            if last.len() > TAIL {
                last.pop_front();
            }
        })?;
        if !succeeded && self.verdict.complaints.len() == failures {
            let what = "cargo test failed before it ran every test";
            self.verdict.complaints.push(complaint(what, self.name, last.make_contiguous()));
        }
        Ok(())
    }

    /// Runs cargo and keeps what it prints; returns whether it succeeds.
    fn keep(&mut self, cargo: &mut Command, mut each: impl FnMut(&str, &mut Verdict)) -> Outcome<bool> {
        let cannot = || "cannot run cargo test".to_owned();
        let name = self.name;
        let cannot_write = || format!("cannot write {name}");
        writeln!(self.file, "$ {}", process::shown(cargo)).context(cannot_write)?;
        // One pipe for both: the file has the compiler's messages and those of tests in their order.
        let (reader, writer) = io::pipe().context(cannot)?;
        cargo.stdin(Stdio::null()).stdout(writer.try_clone().context(cannot)?).stderr(writer);
        let mut child = cargo.env("CARGO_TERM_COLOR", "never").spawn().context(cannot)?;
        // The end of the pipe is reached when every writer is closed, and the command has two.
        cargo.stdout(Stdio::null()).stderr(Stdio::null());
        for line in BufReader::new(reader).split(b'\n') {
            let line = String::from_utf8_lossy(&line.context(cannot)?).into_owned();
            writeln!(self.file, "{line}").context(cannot_write)?;
            each(&line, &mut self.verdict);
        }
        Ok(child.wait().context(cannot)?.success())
    }
}

/// How many lines of a failed test's output are repeated.
const TAIL: usize = 40;

/// The output of programs with tests, read line by line: below `successes:` the output of tests that passed, if it is shown, below
/// `failures:` that of each failed test, and below a second one the names of all of them; then the sums.
struct TestOutput {
    /// The name of the file that keeps the output.
    file: &'static str,
    /// The name and the lines of each test that failed.
    failed: Vec<(String, Vec<String>)>,
    lists_names: bool,
    shows_successes: bool,
}

impl TestOutput {
    fn of(file: &'static str) -> Self {
        Self { file, failed: Vec::new(), lists_names: false, shows_successes: false }
    }

    fn take(&mut self, line: &str, verdict: &mut Verdict) {
        let name = line.strip_prefix("---- ").and_then(|rest| rest.strip_suffix(" stdout ----"));
        if self.shows_successes && line != "failures:" && !line.starts_with("test result: ") {
            return;
        }
        if let Some(name) = name {
            self.failed.push((name.to_owned(), Vec::new()));
            self.lists_names = false;
        } else if let Some((passed, failed)) = counts(line) {
            verdict.passed += passed;
            let told = self.failed.drain(..);
            let told = told
                .map(|(name, lines)| complaint(&format!("the host test {name} failed"), self.file, &lines));
            let untold = iter::repeat_with(|| format!("a host test failed (see {})", self.file));
            verdict.complaints.extend(told.chain(untold).take(failed));
            (self.lists_names, self.shows_successes) = (false, false);
        } else if line == "successes:" {
            self.shows_successes = true;
        } else if line == "failures:" {
            (self.lists_names, self.shows_successes) = (true, false);
        } else if let Some((_, lines)) = self.failed.last_mut().filter(|_| !self.lists_names) {
            lines.push(line.to_owned());
        }
    }
}

fn complaint(what: &str, file: &str, lines: &[String]) -> String {
    let end = lines.iter().rposition(|line| !line.is_empty()).map_or(0, |last| last + 1);
    let tail = &lines[end.saturating_sub(TAIL)..end];
    let shown: String = tail.iter().map(|line| format!("\n| {line}")).collect();
    format!("{what}; the end of its output ({file}):{shown}")
}

/// Passed and failed tests of a line `test result: ok. 3 passed; 0 failed; ...`.
fn counts(line: &str) -> Option<(usize, usize)> {
    let (_, sums) = line.strip_prefix("test result: ")?.split_once(". ")?;
    let number = |of: &str| sums.split("; ").find_map(|part| part.strip_suffix(of)?.trim().parse().ok());
    Some((number("passed")?, number("failed")?))
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
successes:

---- tests::zero stdout ----
zero


successes:
    tests::zero

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
        let (mut output, mut verdict) = (TestOutput::of(FILE), Verdict::default());
        printed.lines().for_each(|line| output.take(line, &mut verdict));
        assert_eq!(verdict.passed, 1);
        assert_eq!(
            verdict.complaints,
            [
                "the host test tests::one failed; the end of its output (build/host-tests.txt):\n| seed 0x7\n| \n\
                 | thread 'tests::one' panicked at src/lib.rs:3:5:\n| left is not right",
                "the host test tests::two failed; the end of its output (build/host-tests.txt):\n| two",
                "a host test failed (see build/host-tests.txt)",
            ]
        );
    }

    #[test]
    fn everything_that_is_printed_is_kept() {
        let top = std::env::temp_dir().join(format!("limen-host-tests-{}", std::process::id()));
        let workspace = Workspace::at(&top, &top);
        let mut tests = HostTests::begin(&workspace, FILE).unwrap();
        let mut shell = |script: &str| tests.follow(Command::new("sh").args(["-c", script]));
        shell("echo Running one >&2; echo 'test one ... ok'; echo 'test result: ok. 1 passed; 0 failed'")
            .unwrap();
        shell("echo 'error: no such crate' >&2; exit 101").unwrap();
        assert_eq!(tests.verdict.passed, 1);
        assert_eq!(
            tests.verdict.complaints,
            ["cargo test failed before it ran every test; the end of its output (build/host-tests.txt):\n\
                 | error: no such crate"]
        );
        let kept = fs::read_to_string(workspace.path(FILE)).unwrap();
        let lines: Vec<_> = kept.lines().filter(|line| !line.starts_with("$ sh -c ")).collect();
        assert_eq!(
            lines,
            ["Running one", "test one ... ok", "test result: ok. 1 passed; 0 failed", "error: no such crate"]
        );
        fs::remove_dir_all(top).unwrap();
    }
}
