//! On-target test suites: where they run, and what their consoles must show.
//!
//! A suite prints one line per test, `TEST name PASS` or `TEST name FAIL reason`, then `SUITE name N passed, N failed`,
//! then `LIMEN|DONE` or `LIMEN|FAIL reason`. `suite.toml` beside its Makefile can set:
//!
//! ```toml
//! configs = ["debug"]              # default: debug and release; of an example, debug
//! boards = ["qemu_virt_aarch64"]   # default: all, by their present names
//! deterministic = true             # on an emulator that counts instructions; default: false
//! qemu = ["-device", "edu"]        # more arguments for the emulator; {folder} is the image's folder
//! same_files = ["disk.img", "end.img"]  # files in that folder that must be equal after a run
//! expect = ["MON|ERROR: faulting PD: child", "/^pc : 0x[0-9a-f]{16}$/"]
//! forbid = ["PANIC"]
//! stands_still = true              # the run must end because no thread can run; the console gets the lists of threads,
//!                                  # objects and keys
//! variants = ["q35"]               # boot once more on boards with these variants: in debug, if it is among the configs
//! # or: [["q35"], ["avx"]]         # once more for each of these lists
//!
//! [release]                        # only in this configuration
//! forbid = ["MON|"]
//!
//! [debug.aarch64]                  # only in this configuration on this instruction set
//! expect = ["ec: 0x24"]
//!
//! [with_variants]                  # only where the variants apply; [without_variants]: only elsewhere
//! expect = ["page_table_switch=on"]
//! ```
//!
//! `[load]` types lines at the console, see [`crate::test::load`]; `[worlds]` compares builds, see [`crate::test::worlds`];
//! `[injection]` injects interrupts and bit flips, see [`crate::test::injection`]; `debugger = "session.gdb"` debugs the
//! system with these commands, see [`crate::test::gdb`].
//!
//! An entry of `expect` or `forbid` is text within a line, or a regular expression between slashes. Each counts as a
//! test.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;

use regex_lite::Regex;
use serde::Deserialize;

use crate::failure::{Context, Failure, Outcome};
use crate::run::board::Board;
use crate::run::project::Project;
use crate::run::qemu::{Ending, Session};
use crate::shell::data;
use crate::shell::files;
use crate::test::injection::Injection;
use crate::test::load::Load;
use crate::test::worlds::{self, Consoles, Worlds};
use crate::workspace::{self, OFFERS_SMP};

/// The configuration in which variants of boards run, of those of a suite: there the kernel checks itself.
const VARIANT_CONFIG: &str = "debug";

/// The settings of `suite.toml`, with defaults.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Suite {
    configs: Option<Vec<String>>,
    boards: Option<Vec<String>>,
    variants: Variants,
    qemu: Vec<String>,
    same_files: Vec<String>,
    load: Option<Load>,
    injection: Option<Injection>,
    debugger: Option<String>,
    worlds: Worlds,
    /// Whether time must follow the instruction count.
    pub deterministic: bool,
    /// Whether the run must end because no thread can run.
    pub stands_still: bool,
    expect: Vec<Pattern>,
    forbid: Vec<Pattern>,
    debug: InConfig,
    release: InConfig,
    with_variants: Demands,
    without_variants: Demands,
}

/// The place of a run.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    /// The configuration.
    pub config: &'a str,
    /// The instruction set.
    pub architecture: &'a str,
    /// The variants of the board.
    pub variants: &'a [String],
}

/// Demands in one configuration.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct InConfig {
    expect: Vec<Pattern>,
    forbid: Vec<Pattern>,
    aarch64: Demands,
    riscv64: Demands,
    x86_64: Demands,
}

/// Demands in one place.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Demands {
    expect: Vec<Pattern>,
    forbid: Vec<Pattern>,
}

/// The variants of boards that a suite asks for.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Variants {
    /// Together, in one run.
    Together(Vec<String>),
    /// In a run for each list.
    Each(Vec<Vec<String>>),
}

impl Default for Variants {
    fn default() -> Self {
        Self::Each(Vec::new())
    }
}

impl Variants {
    /// The variants of each run.
    fn runs(&self) -> &[Vec<String>] {
        match self {
            Self::Together(names) if names.is_empty() => &[],
            Self::Together(names) => std::slice::from_ref(names),
            Self::Each(runs) => runs,
        }
    }
}

/// Text within a line, or a regular expression.
#[derive(Debug, Deserialize)]
#[serde(try_from = "String")]
struct Pattern {
    written: String,
    regex: Option<Regex>,
}

/// The result of a suite's run.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    /// Tests that passed.
    pub passed: usize,
    /// One sentence per test that failed.
    pub complaints: Vec<String>,
    /// Further information for the user, a sentence each.
    pub notes: Vec<String>,
}

impl Verdict {
    /// Adds another verdict.
    pub fn add(&mut self, other: Self) {
        self.passed += other.passed;
        self.complaints.extend(other.complaints);
        self.notes.extend(other.notes);
    }

    /// The verdict on something that could not be judged.
    pub fn failed(failure: Failure) -> Self {
        Self { complaints: vec![failure.to_string()], ..Self::default() }
    }

    /// The verdict on something that counts as a single test.
    pub fn single(outcome: Outcome) -> Self {
        match outcome {
            Ok(()) => Self { passed: 1, ..Self::default() },
            Err(failure) => Self::failed(failure),
        }
    }
}

impl Suite {
    /// Reads the project's `suite.toml`, which may be absent.
    ///
    /// # Errors
    /// When the file has an unknown key or a wrong value.
    pub fn of(project: &Project) -> Outcome<Self> {
        let file = project.folder.join("suite.toml");
        let text = if file.exists() { files::read(&file)? } else { String::new() };
        data::parse(&text, &format!("{}/suite.toml", project.name))
    }

    /// Whether the suite names this board explicitly.
    pub fn names(&self, board: &str) -> bool {
        self.boards.as_ref().is_some_and(|boards| boards.iter().any(|name| name == board))
    }

    /// Explains a failure to build a project for a board, if the project names others.
    pub fn explain(&self, failure: Failure, project: &Project, board: &Board) -> Failure {
        match &self.boards {
            Some(boards) if !self.names(&board.name) => {
                let boards = boards.join(", ");
                Failure::new(format!(
                    "{} runs only on {boards}, not on {}: {failure}",
                    project.name, board.name
                ))
            }
            _ => failure,
        }
    }

    /// The configurations in which the suite runs on a board; empty if it does not run there.
    pub fn configs(&self, board: &str) -> Vec<String> {
        self.configs_or(board, &["debug", "release"])
    }

    /// The same for an example. Most print through the kernel, which has a console only in debug.
    pub fn example_configs(&self, board: &str) -> Vec<String> {
        self.configs_or(board, &["debug"])
    }

    fn configs_or(&self, board: &str, default: &[&str]) -> Vec<String> {
        if self.boards.is_some() && !self.names(board) {
            return Vec::new();
        }
        let default = || default.iter().copied().map(str::to_owned).collect();
        let configs = self.configs.clone().unwrap_or_else(default);
        configs.into_iter().filter(|config| OFFERS_SMP || !workspace::is_smp(config)).collect()
    }

    /// The board with the suite's variants, for each run; none if the suite asks for none in this configuration, or the
    /// board lacks them.
    pub fn variants_of<'a>(&'a self, board: &'a Board, config: &str) -> impl Iterator<Item = Board> + 'a {
        let has_usual = |configs: &Vec<String>| configs.iter().any(|config| config == VARIANT_CONFIG);
        let is_chosen =
            config == VARIANT_CONFIG || self.configs.as_ref().is_some_and(|configs| !has_usual(configs));
        let runs = if is_chosen { self.variants.runs() } else { &[] };
        runs.iter().filter_map(|variants| board.with(variants).ok())
    }

    /// Checks that some board has the variants of each run.
    ///
    /// # Errors
    /// When none of these boards has them.
    pub fn check_variants(&self, boards: &[Board]) -> Outcome {
        let is_nowhere = |run: &&Vec<String>| !boards.iter().any(|board| board.with(run).is_ok());
        self.variants
            .runs()
            .iter()
            .find(is_nowhere)
            .map_or(Ok(()), |run| Err(Failure::new(format!("no board has the variants {}", run.join(", ")))))
    }

    /// Whether it uses what only the emulator has: further devices, typed lines, looks at the machine, or a debugger.
    pub fn needs_emulator(&self) -> bool {
        !self.qemu.is_empty()
            || self.load.is_some()
            || self.injection.is_some()
            || self.debugger.is_some()
            || self.stands_still
    }

    /// Emulator arguments besides those of the board.
    pub fn qemu(&self) -> &[String] {
        &self.qemu
    }

    /// Checks the files beside the image after a run, and adds complaints to the verdict.
    ///
    /// # Errors
    /// When one of them cannot be read.
    pub fn judge_files(&self, image: &Path, verdict: &mut Verdict) -> Outcome {
        let read = |name: &String| {
            let file = image.with_file_name(name);
            fs::read(&file).context(|| format!("cannot read {}", file.display()))
        };
        let Some((first, others)) = self.same_files.split_first() else { return Ok(()) };
        let wanted = read(first)?;
        for other in others {
            if read(other)? == wanted {
                verdict.passed += 1;
            } else {
                verdict.complaints.push(format!("after the run, {first} is not the same as {other}"));
            }
        }
        Ok(())
    }

    /// The console input.
    pub fn load(&self) -> Option<&Load> {
        self.load.as_ref()
    }

    /// Why its runs cannot be recorded.
    ///
    /// # Errors
    /// When its descriptions cannot be read.
    pub fn not_recorded(&self, project: &Project) -> Outcome<Option<&'static str>> {
        let descriptions = files::below(&project.folder)?;
        let descriptions = descriptions.iter().filter(|file| file.extension() == Some(OsStr::new("system")));
        let texts =
            descriptions.map(|file| files::read(&project.folder.join(file))).collect::<Outcome<Vec<_>>>()?;
        Ok(if self.injection.is_some() || self.debugger.is_some() {
            Some("a run with a debugger is not recorded")
        } else if self.qemu.iter().any(|word| word == "-m") {
            Some("the recording is read from a machine with the board's memory")
        } else if texts.iter().any(|text| text.contains("<trace ")) {
            Some("a program reads the trace, and the recording takes its place")
        } else {
            None
        })
    }

    /// The fault injection.
    pub fn injection(&self) -> Option<&Injection> {
        self.injection.as_ref()
    }

    /// The file with the debugger's commands, in the suite's folder.
    pub fn debugger(&self) -> Option<&str> {
        self.debugger.as_deref()
    }

    /// The builds of the system, each a string of make variables.
    pub fn builds(&self, architecture: &str) -> Vec<String> {
        worlds::builds(&self.worlds.on(architecture))
    }

    /// Whether it has several builds to compare.
    pub fn compares(&self, architecture: &str) -> bool {
        !self.worlds.on(architecture).is_empty()
    }

    /// Compares the output of the builds.
    pub fn compare(&self, consoles: &Consoles, architecture: &str) -> Verdict {
        let mut verdict = Verdict::default();
        for comparison in self.worlds.on(architecture) {
            match comparison.complaint(consoles) {
                None => verdict.passed += 1,
                Some(complaint) => verdict.complaints.push(complaint),
            }
        }
        verdict
    }

    /// Judges a finished run.
    pub fn judge(&self, session: &Session, place: Place<'_>) -> Verdict {
        let mut verdict = Verdict::default();
        let tests = session.lines.iter().filter_map(|line| line.strip_prefix("TEST "));
        for test in tests {
            match test.split_once(' ') {
                Some((_, "PASS")) => verdict.passed += 1,
                _ => verdict.complaints.push(format!("TEST {test}")),
            }
        }
        verdict.complaints.extend(miscount(&session.lines, &verdict));
        verdict.add(self.judge_patterns(session, place));
        match self.load.as_ref().map(|load| load.complaint(&session.lines)) {
            Some(None) => verdict.passed += 1,
            Some(Some(complaint)) => verdict.complaints.push(complaint),
            None => {}
        }
        match (&session.ending, session.ending.outcome()) {
            (Ending::Stuck, _) if self.stands_still => verdict.passed += 1,
            (_, Err(failure)) => verdict.complaints.push(failure.to_string()),
            (_, Ok(())) if self.stands_still => {
                verdict.complaints.push("the run did not end because no thread can run".to_owned());
            }
            (_, Ok(())) => {}
        }
        if verdict == Verdict::default() {
            verdict.complaints.push("the suite ran no test".to_owned());
        }
        verdict
    }

    /// Checks `expect` and `forbid` after a run.
    pub fn judge_patterns(&self, session: &Session, place: Place<'_>) -> Verdict {
        let mut verdict = Verdict::default();
        for (pattern, wanted) in self.demands(place) {
            match (session.lines.iter().any(|line| pattern.is_in(line)), wanted) {
                (true, true) | (false, false) => verdict.passed += 1,
                (false, true) => verdict.complaints.push(format!("the console lacks: {}", pattern.written)),
                (true, false) => verdict.complaints.push(format!("the console has: {}", pattern.written)),
            }
        }
        verdict
    }

    /// Patterns, and whether the console must match them.
    fn demands(&self, place: Place<'_>) -> impl Iterator<Item = (&Pattern, bool)> {
        let inside = match workspace::base(place.config) {
            "debug" => Some(&self.debug),
            "release" => Some(&self.release),
            _ => None,
        };
        let on = inside.and_then(|inside| match place.architecture {
            "aarch64" => Some(&inside.aarch64),
            "riscv64" => Some(&inside.riscv64),
            "x86_64" => Some(&inside.x86_64),
            _ => None,
        });
        let by_variants =
            if place.variants.is_empty() { &self.without_variants } else { &self.with_variants };
        let lists = [
            Some((&self.expect, &self.forbid)),
            Some((&by_variants.expect, &by_variants.forbid)),
            inside.map(|inside| (&inside.expect, &inside.forbid)),
            on.map(|on| (&on.expect, &on.forbid)),
        ];
        let lists =
            lists.into_iter().flatten().flat_map(|(expect, forbid)| [(expect, true), (forbid, false)]);
        lists.flat_map(|(patterns, wanted)| patterns.iter().map(move |pattern| (pattern, wanted)))
    }
}

/// Compares the tests on the console with the suite's own count: a lost line must not go unnoticed.
fn miscount(lines: &[String], verdict: &Verdict) -> Option<String> {
    let counted = format!("{} passed, {} failed", verdict.passed, verdict.complaints.len());
    let mut sums = lines.iter().filter_map(|line| line.strip_prefix("SUITE ")?.split_once(' '));
    match sums.next() {
        None if verdict == &Verdict::default() => None,
        None => Some("the suite printed no SUITE line".to_owned()),
        Some((_, sum)) if sum == counted => None,
        Some((_, sum)) => Some(format!("the suite reports {sum}, but its TEST lines say {counted}")),
    }
}

impl TryFrom<String> for Pattern {
    type Error = String;

    fn try_from(written: String) -> Result<Self, Self::Error> {
        let inside = written.strip_prefix('/').and_then(|rest| rest.strip_suffix('/'));
        let regex = inside.map(Regex::new).transpose();
        let regex = regex.map_err(|error| format!("regular expression {written}: {error}"))?;
        Ok(Self { written, regex })
    }
}

impl Pattern {
    fn is_in(&self, line: &str) -> bool {
        self.regex.as_ref().map_or_else(|| line.contains(&self.written), |regex| regex.is_match(line))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::run::board::BootProtocol;
    use crate::workspace::Workspace;

    fn parse(text: &str) -> Outcome<Suite> {
        data::parse(text, "suite.toml")
    }

    fn judge(suite: &str, lines: &[&str]) -> Verdict {
        judge_with(&[], suite, lines)
    }

    fn judge_with(variants: &[String], suite: &str, lines: &[&str]) -> Verdict {
        let lines = lines.iter().map(|&line| line.to_owned()).collect();
        let place = Place { config: "debug", architecture: "aarch64", variants };
        parse(suite).unwrap().judge(&Session { lines, ending: Ending::Done, state: None }, place)
    }

    #[test]
    fn runs_that_cannot_be_recorded_are_left_out() {
        let workspace = Workspace::locate().unwrap();
        let reason = |name: &str| {
            let project = Project::locate(&workspace, &format!("tests/{name}")).unwrap();
            Suite::of(&project).unwrap().not_recorded(&project).unwrap().unwrap_or("none")
        };
        assert_eq!(reason("calls"), "none");
        assert_eq!(reason("injection"), "a run with a debugger is not recorded");
        assert_eq!(reason("compat_dma"), "the recording is read from a machine with the board's memory");
        assert_eq!(reason("fpu"), "a program reads the trace, and the recording takes its place");
    }

    #[test]
    fn a_suite_runs_in_debug_and_release_everywhere_by_default() {
        assert_eq!(parse("").unwrap().configs("any"), ["debug", "release"]);
        let narrow = parse("configs = ['debug']\nboards = ['a']\n").unwrap();
        assert_eq!(narrow.configs("a"), ["debug"]);
        assert!(narrow.configs("b").is_empty());
    }

    #[test]
    fn a_failure_to_build_names_the_boards_of_the_suite() {
        let workspace = Workspace::locate().unwrap();
        let project = Project::locate(&workspace, "examples/hello").unwrap();
        let board = crate::run::board::named(&workspace, "x86_64_generic").unwrap();
        let explained = |suite| parse(suite).unwrap().explain(Failure::new("make failed"), &project, &board);
        assert_eq!(explained("").to_string(), "make failed");
        assert_eq!(explained("boards = ['a', 'x86_64_generic']").to_string(), "make failed");
        let sentence = "examples/hello runs only on a, b, not on x86_64_generic: make failed";
        assert_eq!(explained("boards = ['a', 'b']").to_string(), sentence);
    }

    #[test]
    fn an_example_runs_in_debug_unless_it_names_configurations() {
        assert_eq!(parse("").unwrap().example_configs("any"), ["debug"]);
        let both = parse("configs = ['debug', 'release']").unwrap();
        assert_eq!(both.example_configs("any"), ["debug", "release"]);
    }

    #[test]
    fn every_suite_of_the_repository_is_read() {
        let workspace = Workspace::locate().unwrap();
        let projects =
            ["tests", "examples", "bench"].map(|shelf| Project::on_shelf(&workspace, shelf).unwrap());
        for project in projects.iter().flatten() {
            Suite::of(project).unwrap();
        }
    }

    #[test]
    fn a_suite_can_ask_for_instruction_time() {
        assert!(!parse("").unwrap().deterministic);
        assert!(parse("deterministic = true").unwrap().deterministic);
        let error = parse("deterministic = 1").unwrap_err();
        assert_eq!(error.to_string(), "suite.toml:1: invalid type: integer `1`, expected a boolean");
    }

    #[test]
    fn variants_run_in_debug_on_boards_that_have_them() {
        let variants = BTreeMap::from([("large".to_owned(), vec!["-m".to_owned()])]);
        let board = Board {
            name: "a".into(),
            aliases: Vec::new(),
            renamed: None,
            architecture: "none".into(),
            platform: "none".into(),
            boot: BootProtocol::Loader,
            qemu: Vec::new(),
            qemu_smp: Vec::new(),
            processors: 1,
            variants,
            repeatable_with: Vec::new(),
            simulated: BTreeMap::new(),
            is_simulated: false,
            chosen: Vec::new(),
            file: "a.toml".into(),
        };
        let suite = parse("variants = ['large']").unwrap();
        let runs = |suite: &Suite, config| -> Vec<_> {
            suite.variants_of(&board, config).map(|board| board.qemu).collect()
        };
        assert_eq!(runs(&suite, "debug"), [["-m"]]);
        assert!(runs(&suite, "release").is_empty());
        assert!(runs(&parse("").unwrap(), "debug").is_empty());
        let suite = parse("variants = [['large'], ['large', 'large']]").unwrap();
        assert_eq!(runs(&suite, "debug"), [vec!["-m"], vec!["-m", "-m"]]);
        let suite = parse("variants = [['large'], ['huge']]").unwrap();
        assert_eq!(runs(&suite, "debug"), [["-m"]]);
        assert_eq!(suite.check_variants(&[board]).unwrap_err().to_string(), "no board has the variants huge");
    }

    #[test]
    fn files_are_compared_after_a_run() {
        let folder = std::env::temp_dir().join(format!("limen-suite-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        for (name, text) in [("a", "x"), ("b", "x"), ("c", "y")] {
            fs::write(folder.join(name), text).unwrap();
        }
        let image = folder.join("loader.img");
        let mut verdict = Verdict::default();
        let judge = |suite: &str, verdict: &mut Verdict| {
            parse(suite).unwrap().judge_files(&image, verdict).map_err(|failure| failure.to_string())
        };
        assert_eq!(judge("same_files = ['a', 'b', 'c']", &mut verdict), Ok(()));
        assert_eq!((verdict.passed, verdict.complaints.len()), (1, 1));
        assert_eq!(verdict.complaints[0], "after the run, a is not the same as c");
        assert!(judge("same_files = ['a', 'none']", &mut verdict).unwrap_err().contains("none"));
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn an_unknown_key_is_an_error() {
        let sentence = parse("qemu = []\nexpects = []").unwrap_err().to_string();
        assert!(sentence.starts_with("suite.toml:2: unknown field `expects`, expected one of"), "{sentence}");
        assert!(parse("expect = ['/(/']").is_err());
    }

    #[test]
    fn tests_and_expectations_are_counted() {
        let lines = ["TEST a PASS", "TEST b PASS", "SUITE s 2 passed, 0 failed", "pc : 0x10"];
        let verdict = judge("expect = ['/^pc : 0x[0-9]+$/', 'pc :']\nforbid = ['PANIC']", &lines);
        assert_eq!(verdict, Verdict { passed: 5, ..Verdict::default() });
    }

    #[test]
    fn an_expectation_can_be_limited_to_one_configuration() {
        let lines = ["TEST a PASS", "SUITE s 1 passed, 0 failed", "MON"];
        let suite = "[debug]\nexpect = ['MON']\n[release]\nforbid = ['MON']\nexpect = ['no']";
        assert_eq!(judge(suite, &lines), Verdict { passed: 2, ..Verdict::default() });
        assert!(parse("debug = 1").is_err());
        assert!(parse("[debug]\nboards = []").is_err());
    }

    #[test]
    fn an_expectation_can_be_limited_to_variants() {
        let lines = ["TEST a PASS", "SUITE s 1 passed, 0 failed", "x"];
        let suite = "[with_variants]\nexpect = ['x']\n[without_variants]\nforbid = ['x']";
        let with = judge_with(&["q35".to_owned()], suite, &lines);
        assert_eq!(with, Verdict { passed: 2, ..Verdict::default() });
        assert_eq!(judge(suite, &lines).complaints, ["the console has: x"]);
    }

    #[test]
    fn an_expectation_can_be_limited_to_one_instruction_set() {
        let lines = ["TEST a PASS", "SUITE s 1 passed, 0 failed", "ec"];
        let suite = "[debug.aarch64]\nexpect = ['ec']\n[debug.riscv64]\nexpect = ['no']";
        assert_eq!(judge(suite, &lines), Verdict { passed: 2, ..Verdict::default() });
        assert!(parse("[debug.arm]\nexpect = ['ec']").is_err());
    }

    #[test]
    fn failures_carry_their_reasons() {
        let lines = ["TEST a FAIL got 3", "SUITE s 0 passed, 1 failed", "PANIC"];
        let verdict = judge("expect = ['x|y']\nforbid = ['PANIC']", &lines);
        assert_eq!(verdict.passed, 0);
        assert_eq!(
            verdict.complaints,
            ["TEST a FAIL got 3", "the console lacks: x|y", "the console has: PANIC"]
        );
    }

    #[test]
    fn lost_lines_and_empty_suites_fail() {
        let lost = judge("", &["TEST a PASS", "SUITE s 2 passed, 0 failed"]);
        assert!(lost.complaints[0].contains("its TEST lines say 1 passed, 0 failed"));
        assert_eq!(judge("", &["TEST a PASS"]).complaints, ["the suite printed no SUITE line"]);
        assert_eq!(judge("", &[]).complaints, ["the suite ran no test"]);
    }
}
