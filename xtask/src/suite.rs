//! A suite of on-target tests: where it runs, and what its console must say.
//!
//! A suite prints one line per test, `TEST name PASS` or `TEST name FAIL reason`, then `SUITE name N passed, N failed`,
//! then `LIMEN|DONE` or `LIMEN|FAIL reason`. `suite.toml` beside its Makefile may say more:
//!
//! ```toml
//! configs = ["debug"]              # default: debug and release
//! boards = ["qemu_virt_aarch64"]   # default: all, by their present names
//! deterministic = true             # on an emulator that counts instructions; default: false
//! qemu = ["-device", "edu"]        # further arguments for the emulator; {folder} is where the image is
//! same_files = ["disk.img", "end.img"]  # files in that folder that must be the same after a run
//! expect = ["MON|ERROR: faulting PD: child", "/^pc : 0x[0-9a-f]{16}$/"]
//! forbid = ["PANIC"]
//! variants = ["q35"]               # boots once more, in debug, on boards that have these variants
//!
//! [release]                        # only in this configuration
//! forbid = ["MON|"]
//!
//! [debug.aarch64]                  # only in this configuration on this instruction set
//! expect = ["ec: 0x24"]
//! ```
//!
//! `[load]` has lines typed at the console, see [`crate::load`]; `[worlds]` compares builds, see [`crate::worlds`];
//! `[injection]` brings about what only somebody outside can, see [`crate::injection`].
//!
//! An entry of `expect` or `forbid` is text within a line, or a regular expression between slashes. Each counts as a
//! test.

use std::fs;
use std::path::Path;

use regex_lite::Regex;
use toml::de::DeTable;

use crate::board::{self, Board};
use crate::failure::{Context, Failure, Outcome};
use crate::files;
use crate::injection::Injection;
use crate::load::Load;
use crate::project::Project;
use crate::qemu::Session;
use crate::worlds::{self, Comparison, Consoles};

/// Configurations in which a demand may hold.
const CONFIGS: [&str; 2] = ["debug", "release"];
/// Instruction sets to which a demand may be limited.
pub const ARCHITECTURES: [&str; 3] = ["aarch64", "riscv64", "x86_64"];

/// The configuration in which variants of boards are tried: the kernel checks itself there.
const VARIANT_CONFIG: &str = "debug";

/// What `suite.toml` says, with its defaults.
#[derive(Debug)]
pub struct Suite {
    configs: Vec<String>,
    boards: Option<Vec<String>>,
    variants: Vec<String>,
    qemu: Vec<String>,
    same_files: Vec<String>,
    load: Option<Load>,
    injection: Option<Injection>,
    comparisons: Vec<Comparison>,
    /// Whether time must pass by instructions.
    pub deterministic: bool,
    demands: Vec<Demand>,
}

/// What a run of a suite showed.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    /// Tests that passed.
    pub passed: usize,
    /// One sentence per test that failed.
    pub complaints: Vec<String>,
    /// What else people want to know, a sentence each.
    pub notes: Vec<String>,
}

impl Verdict {
    /// Both together.
    pub fn add(&mut self, other: Self) {
        self.passed += other.passed;
        self.complaints.extend(other.complaints);
        self.notes.extend(other.notes);
    }

    /// The verdict on something that counts as a single test.
    pub fn single(outcome: Outcome) -> Self {
        match outcome {
            Ok(()) => Self { passed: 1, ..Self::default() },
            Err(failure) => Self { complaints: vec![failure.to_string()], ..Self::default() },
        }
    }
}

/// A pattern that the console must have, or must not have.
#[derive(Debug)]
struct Demand {
    pattern: Pattern,
    wanted: bool,
    /// The configuration in which this holds; every one if there is none.
    config: Option<&'static str>,
    /// The instruction set on which this holds; every one if there is none.
    architecture: Option<&'static str>,
}

#[derive(Debug)]
struct Pattern {
    written: String,
    regex: Option<Regex>,
}

impl Suite {
    /// Reads the project's `suite.toml`, which may be absent.
    ///
    /// # Errors
    /// When the file says something that it cannot say.
    pub fn of(project: &Project) -> Outcome<Self> {
        let file = project.folder.join("suite.toml");
        let text = if file.exists() { files::read(&file)? } else { String::new() };
        Self::parse(&text).context(|| format!("{}/suite.toml", project.name))
    }

    fn parse(text: &str) -> Outcome<Self> {
        let table = DeTable::parse(text).context(|| "not valid TOML".to_owned())?;
        let table = table.get_ref();
        const KNOWN: &[&str] = &[
            "configs",
            "boards",
            "variants",
            "deterministic",
            "qemu",
            "same_files",
            "load",
            "injection",
            "worlds",
            "expect",
            "forbid",
            "debug",
            "release",
        ];
        known_keys(table, KNOWN)?;
        let list = |key| if table.contains_key(key) { board::words(table, key).map(Some) } else { Ok(None) };
        let mut demands = demands(table, None, None)?;
        for config in CONFIGS {
            let Some(inside) = inner(table, config)? else { continue };
            known_keys(inside, &[&["expect", "forbid"], ARCHITECTURES.as_slice()].concat())?;
            demands.extend(self::demands(inside, Some(config), None)?);
            for architecture in ARCHITECTURES {
                let Some(inside) = inner(inside, architecture)? else { continue };
                known_keys(inside, &["expect", "forbid"])?;
                demands.extend(self::demands(inside, Some(config), Some(architecture))?);
            }
        }
        Ok(Self {
            configs: list("configs")?.unwrap_or_else(|| ["debug", "release"].map(str::to_owned).to_vec()),
            boards: list("boards")?,
            variants: list("variants")?.unwrap_or_default(),
            qemu: list("qemu")?.unwrap_or_default(),
            same_files: list("same_files")?.unwrap_or_default(),
            load: inner(table, "load")?.map(Load::parse).transpose()?,
            injection: inner(table, "injection")?.map(Injection::parse).transpose()?,
            comparisons: inner(table, "worlds")?.map_or(Ok(Vec::new()), worlds::parse)?,
            deterministic: flag(table, "deterministic")?,
            demands,
        })
    }

    /// Whether the suite is meant for this board in particular.
    pub fn names(&self, board: &str) -> bool {
        self.boards.as_ref().is_some_and(|boards| boards.iter().any(|name| name == board))
    }

    /// The configurations in which the suite runs on a board; none if it does not run there.
    pub fn configs(&self, board: &str) -> &[String] {
        if self.boards.is_none() || self.names(board) { &self.configs } else { &[] }
    }

    /// The board with the variants that the suite asks for; none if it asks for none, or not in this configuration, or
    /// the board does not have them.
    pub fn variant_of(&self, board: &Board, config: &str) -> Option<Board> {
        let wanted = !self.variants.is_empty() && config == VARIANT_CONFIG;
        wanted.then(|| board.with(&self.variants).ok()).flatten()
    }

    /// Makes sure that what no board has is not asked for.
    ///
    /// # Errors
    /// When none of these boards has the suite's variants.
    pub fn check_variants(&self, boards: &[Board]) -> Outcome {
        if boards.iter().any(|board| board.with(&self.variants).is_ok()) {
            return Ok(());
        }
        Err(Failure::new(format!("no board has the variants {}", self.variants.join(", "))))
    }

    /// Arguments for the emulator beside those of the board.
    pub fn qemu(&self) -> &[String] {
        &self.qemu
    }

    /// Adds to the verdict on a run whether the files beside its image are as they should be.
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

    /// What is typed at the console.
    pub fn load(&self) -> Option<&Load> {
        self.load.as_ref()
    }

    /// What happens to it from outside.
    pub fn injection(&self) -> Option<&Injection> {
        self.injection.as_ref()
    }

    /// The builds of the system, each by its variables of make.
    pub fn builds(&self, architecture: &str) -> Vec<String> {
        worlds::builds(self.comparisons(architecture))
    }

    fn comparisons<'a>(&'a self, architecture: &str) -> impl Iterator<Item = &'a Comparison> {
        self.comparisons.iter().filter(move |comparison| comparison.is_for(architecture))
    }

    /// Whether it has several builds to compare.
    pub fn compares(&self, architecture: &str) -> bool {
        self.comparisons(architecture).next().is_some()
    }

    /// Compares what the builds have printed.
    pub fn compare(&self, consoles: &Consoles, architecture: &str) -> Verdict {
        let mut verdict = Verdict::default();
        for comparison in self.comparisons(architecture) {
            match comparison.complaint(consoles) {
                None => verdict.passed += 1,
                Some(complaint) => verdict.complaints.push(complaint),
            }
        }
        verdict
    }

    /// Judges a finished run in a configuration on an instruction set.
    pub fn judge(&self, session: &Session, config: &str, architecture: &str) -> Verdict {
        let mut verdict = Verdict::default();
        let tests = session.lines.iter().filter_map(|line| line.strip_prefix("TEST "));
        for test in tests {
            match test.split_once(' ') {
                Some((_, "PASS")) => verdict.passed += 1,
                _ => verdict.complaints.push(format!("TEST {test}")),
            }
        }
        verdict.complaints.extend(miscount(&session.lines, &verdict));
        let holds = |demand: &&Demand| {
            demand.config.is_none_or(|name| name == config)
                && demand.architecture.is_none_or(|name| name == architecture)
        };
        for Demand { pattern, wanted, .. } in self.demands.iter().filter(holds) {
            match (session.lines.iter().any(|line| pattern.is_in(line)), wanted) {
                (true, true) | (false, false) => verdict.passed += 1,
                (false, true) => verdict.complaints.push(format!("the console lacks: {}", pattern.written)),
                (true, false) => verdict.complaints.push(format!("the console has: {}", pattern.written)),
            }
        }
        match self.load.as_ref().map(|load| load.complaint(&session.lines)) {
            Some(None) => verdict.passed += 1,
            Some(Some(complaint)) => verdict.complaints.push(complaint),
            None => {}
        }
        if let Err(failure) = session.ending.outcome() {
            verdict.complaints.push(failure.to_string());
        }
        if verdict == Verdict::default() {
            verdict.complaints.push("the suite ran no test".to_owned());
        }
        verdict
    }
}

/// A truth value; false if it is absent.
fn flag(table: &DeTable<'_>, key: &str) -> Outcome<bool> {
    let Some(value) = table.get(key) else { return Ok(false) };
    value.get_ref().as_bool().ok_or_else(|| Failure::new(format!("'{key}' must be true or false")))
}

fn known_keys(table: &DeTable<'_>, known: &[&str]) -> Outcome {
    match table.keys().find(|key| !known.contains(&key.get_ref().as_ref())) {
        Some(key) => Err(Failure::new(format!("'{}' means nothing here", key.get_ref()))),
        None => Ok(()),
    }
}

/// The table with this name inside another one.
fn inner<'a, 'i>(table: &'a DeTable<'i>, name: &str) -> Outcome<Option<&'a DeTable<'i>>> {
    let Some(inside) = table.get(name) else { return Ok(None) };
    let inside = inside.get_ref().as_table();
    inside.map(Some).ok_or_else(|| Failure::new(format!("'{name}' must be a table")))
}

fn demands(
    table: &DeTable<'_>,
    config: Option<&'static str>,
    architecture: Option<&'static str>,
) -> Outcome<Vec<Demand>> {
    let mut demands = Vec::new();
    for (key, wanted) in [("expect", true), ("forbid", false)] {
        if table.contains_key(key) {
            for written in board::words(table, key)? {
                demands.push(Demand { pattern: Pattern::parse(written)?, wanted, config, architecture });
            }
        }
    }
    Ok(demands)
}

/// Compares the tests on the console with the suite's own count: a lost line must not pass unnoticed.
fn miscount(lines: &[String], verdict: &Verdict) -> Option<String> {
    let counted = format!("{} passed, {} failed", verdict.passed, verdict.complaints.len());
    let mut sums = lines.iter().filter_map(|line| line.strip_prefix("SUITE ")?.split_once(' '));
    match sums.next() {
        None if verdict == &Verdict::default() => None,
        None => Some("the suite printed no SUITE line".to_owned()),
        Some((_, sum)) if sum == counted => None,
        Some((_, sum)) => Some(format!("the suite says {sum}, but its TEST lines say {counted}")),
    }
}

impl Pattern {
    fn parse(written: String) -> Outcome<Self> {
        let inside = written.strip_prefix('/').and_then(|rest| rest.strip_suffix('/'));
        let regex = inside.map(Regex::new).transpose().context(|| format!("regular expression {written}"))?;
        Ok(Self { written, regex })
    }

    fn is_in(&self, line: &str) -> bool {
        self.regex.as_ref().map_or_else(|| line.contains(&self.written), |regex| regex.is_match(line))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::board::BootProtocol;
    use crate::qemu::Ending;

    fn judge(suite: &str, lines: &[&str]) -> Verdict {
        let lines = lines.iter().map(|&line| line.to_owned()).collect();
        Suite::parse(suite).unwrap().judge(&Session { lines, ending: Ending::Done }, "debug", "aarch64")
    }

    #[test]
    fn a_suite_runs_in_debug_and_release_everywhere_unless_it_says_otherwise() {
        assert_eq!(Suite::parse("").unwrap().configs("any"), ["debug", "release"]);
        let narrow = Suite::parse("configs = ['debug']\nboards = ['a']\n").unwrap();
        assert_eq!(narrow.configs("a"), ["debug"]);
        assert!(narrow.configs("b").is_empty());
    }

    #[test]
    fn time_passes_by_instructions_where_a_suite_asks_for_it() {
        assert!(!Suite::parse("").unwrap().deterministic);
        assert!(Suite::parse("deterministic = true").unwrap().deterministic);
        let error = Suite::parse("deterministic = 1").unwrap_err();
        assert_eq!(error.to_string(), "'deterministic' must be true or false");
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
            variants,
            repeatable_with: Vec::new(),
            chosen: Vec::new(),
            file: "a.toml".into(),
        };
        let suite = Suite::parse("variants = ['large']").unwrap();
        assert_eq!(suite.variant_of(&board, "debug").unwrap().qemu, ["-m"]);
        assert!(suite.variant_of(&board, "release").is_none());
        assert!(Suite::parse("").unwrap().variant_of(&board, "debug").is_none());
        let suite = Suite::parse("variants = ['huge']").unwrap();
        assert!(suite.variant_of(&board, "debug").is_none());
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
            Suite::parse(suite).unwrap().judge_files(&image, verdict).map_err(|failure| failure.to_string())
        };
        assert_eq!(judge("same_files = ['a', 'b', 'c']", &mut verdict), Ok(()));
        assert_eq!((verdict.passed, verdict.complaints.len()), (1, 1));
        assert_eq!(verdict.complaints[0], "after the run, a is not the same as c");
        assert!(judge("same_files = ['a', 'none']", &mut verdict).unwrap_err().contains("none"));
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_key_that_means_nothing_is_an_error() {
        assert_eq!(Suite::parse("expects = []").unwrap_err().to_string(), "'expects' means nothing here");
        assert!(Suite::parse("expect = ['/(/']").is_err());
    }

    #[test]
    fn tests_and_expectations_are_counted() {
        let lines = ["TEST a PASS", "TEST b PASS", "SUITE s 2 passed, 0 failed", "pc : 0x10"];
        let verdict = judge("expect = ['/^pc : 0x[0-9]+$/', 'pc :']\nforbid = ['PANIC']", &lines);
        assert_eq!(verdict, Verdict { passed: 5, ..Verdict::default() });
    }

    #[test]
    fn a_demand_may_hold_in_one_configuration_only() {
        let lines = ["TEST a PASS", "SUITE s 1 passed, 0 failed", "MON"];
        let suite = "[debug]\nexpect = ['MON']\n[release]\nforbid = ['MON']\nexpect = ['no']";
        assert_eq!(judge(suite, &lines), Verdict { passed: 2, ..Verdict::default() });
        assert!(Suite::parse("debug = 1").is_err());
        assert!(Suite::parse("[debug]\nboards = []").is_err());
    }

    #[test]
    fn a_demand_may_hold_on_one_instruction_set_only() {
        let lines = ["TEST a PASS", "SUITE s 1 passed, 0 failed", "ec"];
        let suite = "[debug.aarch64]\nexpect = ['ec']\n[debug.riscv64]\nexpect = ['no']";
        assert_eq!(judge(suite, &lines), Verdict { passed: 2, ..Verdict::default() });
        assert!(Suite::parse("[debug.arm]\nexpect = ['ec']").is_err());
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
