//! The arguments of `./x test`, and which tests they select.

use std::collections::BTreeSet;
use std::num::NonZeroU32;

use lexopt::prelude::*;

use crate::bench::Rows;
use crate::bench::trace::{Limit, MOST_GIB};
use crate::command::only;
use crate::failure::{Failure, Outcome};
use crate::run::board::{self, Board};
use crate::test::docs;
use crate::test::large;
use crate::test::plan::{FULL_FIGURES, HEADERS, HOST, SDK, figures};
use crate::test::random;

/// The largest numbers of `--repeat` and `--beside`.
const MOST_ROUNDS: u32 = 10_000;
const MOST_BESIDE: u32 = 256;

/// The arguments of `./x test`.
#[derive(Debug)]
pub struct Options {
    pub filter: String,
    /// The tests to run, by their complete names; `None` for those that the filter selects.
    pub only: Option<BTreeSet<String>>,
    pub board: Option<String>,
    /// The variants of that board, as in its data file.
    pub variants: Vec<String>,
    pub all: bool,
    pub coverage: bool,
    pub failed: bool,
    pub quick: bool,
    pub trace_limit: Limit,
    pub replay: bool,
    /// How often everything runs.
    pub repeat: Option<u32>,
    /// How many busy processes run beside it.
    pub beside: u32,
}

impl Options {
    /// The kernel does not depend on a board's name, so everything runs again only if the user asks for the older name.
    pub fn run_everything_on(&self, board: &Board) -> bool {
        board.renamed.is_none() || self.board.is_some()
    }

    /// Whether everything that matches runs, and not only the [selection](crate::test::selection).
    pub fn is_whole(&self) -> bool {
        let selects = self.only.is_some() || self.board.is_some() || !self.filter.is_empty();
        self.all || self.coverage || self.replay || selects
    }

    /// Whether simulated cores are built if they are not there.
    pub fn builds_cores(&self) -> bool {
        self.all || self.only.is_some() || !self.variants.is_empty()
    }

    /// Why these options do not go together.
    fn conflict(&self) -> Option<&'static str> {
        let has_filter = !self.filter.is_empty();
        let conflicts = [
            (
                self.replay && (self.quick || self.coverage),
                "--replay runs systems by itself; remove --quick or --coverage",
            ),
            (
                self.quick && (self.coverage || self.all || has_filter),
                "--quick chooses the tests; remove FILTER, --coverage, --all or --quick",
            ),
            (
                self.failed && (self.quick || self.coverage || self.replay || self.all),
                "--failed repeats each test as it ran; remove --all, --quick, --coverage or --replay",
            ),
            (
                self.failed && (has_filter || self.board.is_some()),
                "--failed chooses the tests; remove FILTER, --board or --failed",
            ),
            (
                self.repeat.is_some() && (self.quick || self.coverage || self.all),
                "--repeat runs what FILTER selects; remove --all, --quick or --coverage",
            ),
            (
                self.repeat.is_some() && !self.failed && !has_filter,
                "--repeat needs the tests to repeat; add FILTER or --failed",
            ),
            (
                !self.variants.is_empty() && (self.board.is_none() || !has_filter),
                "--variant names a machine of a board for chosen tests; add FILTER and --board",
            ),
            (
                !self.variants.is_empty() && (self.quick || self.coverage || self.replay || self.all),
                "--variant runs what FILTER selects; remove --all, --quick, --coverage or --replay",
            ),
            (
                self.beside > 0 && self.repeat.is_none(),
                "--beside loads the machine for repeated runs; add --repeat N",
            ),
        ];
        conflicts.into_iter().find_map(|(applies, sentence)| applies.then_some(sentence))
    }

    /// Whether to run this test without a system. A complete run leaves those to `--all` that `./x check` runs too, or that
    /// take long for what they find.
    pub fn selects_part(&self, name: &str) -> bool {
        if name == docs::TEST && self.only.is_none() {
            return docs::pages_of(&self.filter).is_some() || self.all && self.filter.is_empty();
        }
        self.select(name) && (self.is_whole() || ![HEADERS, large::TEST, random::TEST].contains(&name))
    }

    /// Which recorded figures of a board to compare, each time measuring anew. Full runs are left to `--all`.
    pub fn comparisons(&self, board: &Board) -> impl Iterator<Item = Rows> {
        let usual = if self.is_whole() || board.name == board::DEFAULT { Rows::All } else { Rows::Sample };
        let is_full = self.all || self.only.is_some() || self.filter.contains(FULL_FIGURES);
        let full = (is_full && !board.is_simulated).then_some(Rows::Full);
        [Some(usual), full].into_iter().flatten().filter(|rows| self.select(&figures(board, *rows)))
    }

    /// Whether to run the test with this name. A filter that is a complete name selects only that, so `host` does not
    /// select hostile.
    pub fn select(&self, name: &str) -> bool {
        if let Some(only) = &self.only {
            return only.contains(name);
        }
        let is_whole = [HOST, HEADERS, SDK, docs::TEST].contains(&self.filter.as_str());
        if is_whole { name == self.filter } else { name.contains(&self.filter) }
    }
}

/// Reads the arguments.
///
/// # Errors
/// When one is unknown or needs another value, or two do not go together.
pub fn parse(mut arguments: lexopt::Parser) -> Outcome<Options> {
    let mut options = Options {
        filter: String::new(),
        only: None,
        board: None,
        variants: Vec::new(),
        all: false,
        coverage: false,
        failed: false,
        quick: false,
        replay: false,
        repeat: None,
        beside: 0,
        trace_limit: Limit::of_gib(MOST_GIB),
    };
    let mut filter = None;
    while let Some(argument) = arguments.next()? {
        match argument {
            Long("board") => options.board = Some(arguments.value()?.string()?),
            Long("variant") => options.variants.push(arguments.value()?.string()?),
            Long("all") => options.all = true,
            Long("coverage") => options.coverage = true,
            Long("failed") => options.failed = true,
            Long("quick") => options.quick = true,
            Long("repeat") => {
                options.repeat = Some(number("--repeat", &arguments.value()?.string()?, MOST_ROUNDS)?)
            }
            Long("beside") => {
                options.beside = number("--beside", &arguments.value()?.string()?, MOST_BESIDE)?
            }
            Long("trace-limit") => {
                let gib = arguments.value()?.parse_with(str::parse::<NonZeroU32>)?;
                options.trace_limit = Limit::of_gib(gib.get());
            }
            Long("replay") => options.replay = true,
            Value(name) => only(&mut filter, name)?,
            other => return Err(other.unexpected().into()),
        }
    }
    // A shell completes folders with a slash.
    options.filter = filter.unwrap_or_default().trim_end_matches('/').to_owned();
    match options.conflict() {
        None => Ok(options),
        Some(sentence) => Err(Failure::new(sentence)),
    }
}

/// The number that an option needs.
fn number(option: &str, value: &str, most: u32) -> Outcome<u32> {
    let number = value.parse().ok().filter(|number| (1..=most).contains(number));
    number.ok_or_else(|| Failure::new(format!("{option} needs a number from 1 to {most}, not '{value}'")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filter_is_part_of_names_or_a_complete_one() {
        let select = |filter: &str, name| parse(lexopt::Parser::from_args([filter])).unwrap().select(name);
        assert!(select("", HOST) && select("hostile", "tests/hostile on b (debug)"));
        assert!(select("host", HOST) && !select("host", "tests/hostile on b (debug)"));
    }

    #[test]
    fn a_second_filter_is_refused() {
        let said = parsed(&["tests/calls", "tests/keys"]).unwrap_err().to_string();
        assert_eq!(said, "name one of 'tests/calls' and 'tests/keys': this command takes one name");
    }

    fn parsed(words: &[&str]) -> Outcome<Options> {
        parse(lexopt::Parser::from_args(words))
    }

    #[test]
    fn options_that_choose_the_tests_exclude_each_other() {
        assert!(parsed(&["--quick", "--board", "x86_64_generic"]).unwrap().quick);
        let quick = "--quick chooses the tests; remove FILTER, --coverage, --all or --quick";
        let replay = "--replay runs systems by itself; remove --quick or --coverage";
        let as_it_ran = "--failed repeats each test as it ran; remove --all, --quick, --coverage or --replay";
        let failed = "--failed chooses the tests; remove FILTER, --board or --failed";
        let repeat = "--repeat runs what FILTER selects; remove --all, --quick or --coverage";
        let nothing = "--repeat needs the tests to repeat; add FILTER or --failed";
        let beside = "--beside loads the machine for repeated runs; add --repeat N";
        let cases: [(&[&str], &str); 17] = [
            (&["--quick", "calls"], quick),
            (&["calls", "--quick"], quick),
            (&["--coverage", "--quick"], quick),
            (&["--all", "--quick"], quick),
            (&["--replay", "--quick"], replay),
            (&["--replay", "--coverage", "calls"], replay),
            (&["--failed", "--all"], as_it_ran),
            (&["--failed", "--quick"], as_it_ran),
            (&["--failed", "calls"], failed),
            (&["--failed", "--board", "zcu102"], failed),
            (&["--repeat", "2", "--all", "calls"], repeat),
            (&["--repeat", "2", "--quick"], repeat),
            (&["--repeat", "2", "--coverage", "calls"], repeat),
            (&["--repeat", "2"], nothing),
            (&["--repeat", "2", "", "--board", "zcu102"], nothing),
            (&["--beside", "2"], beside),
            (&["--beside", "2", "--failed"], beside),
        ];
        for (words, sentence) in cases {
            assert_eq!(parsed(words).unwrap_err().to_string(), sentence, "{words:?}");
        }
    }

    #[test]
    fn tests_are_repeated_a_number_of_times() {
        let options = parsed(&["--repeat", "3", "tests/calls", "--beside", "2", "--replay"]).unwrap();
        assert_eq!((options.repeat, options.beside), (Some(3), 2));
        let options = parsed(&["--failed", "--repeat", "10"]).unwrap();
        assert_eq!((options.repeat, options.beside), (Some(10), 0));
        let said = |words: &[&str]| parsed(words).unwrap_err().to_string();
        assert_eq!(said(&["calls", "--repeat", "0"]), "--repeat needs a number from 1 to 10000, not '0'");
        assert_eq!(said(&["calls", "--repeat=-1"]), "--repeat needs a number from 1 to 10000, not '-1'");
        assert_eq!(said(&["--repeat", "calls"]), "--repeat needs a number from 1 to 10000, not 'calls'");
        assert_eq!(
            said(&["calls", "--repeat", "2", "--beside", "0"]),
            "--beside needs a number from 1 to 256, not '0'"
        );
        assert_eq!(
            said(&["calls", "--repeat", "2", "--beside", "257"]),
            "--beside needs a number from 1 to 256, not '257'"
        );
    }

    #[test]
    fn a_filter_or_a_board_selects_everything_that_matches() {
        let options = |words: &[&str]| parsed(words).unwrap();
        for words in [&["--all"][..], &["--board", "zcu102"], &["tests/calls"], &["--coverage"]] {
            assert!(options(words).is_whole(), "{words:?}");
        }
        assert!(!options(&[]).is_whole());
    }
}
