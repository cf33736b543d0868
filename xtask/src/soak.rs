//! `./x soak`: runs the suite of several processors with one seed after the other until time is up or a test fails.

use std::collections::BTreeMap;
use std::process::Command as Process;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use lexopt::prelude::*;

use crate::command::{Command, number};
use crate::failure::{Context, Failure, Outcome};
use crate::run::board::{self, Board};
use crate::shell::files;
use crate::shell::process;
use crate::workspace::Workspace;

/// The command.
pub const COMMAND: Command =
    Command { name: "soak", summary: "cross between processors at random, for a long time", help: HELP, run };

const HELP: &str = "
usage: ./x soak [--minutes N] [--board BOARD] [--seed S]

Runs tests/soak with one seed after the other. On four processors, each of which is a thread of the emulator,
programs call, signal, fault, switch a static key, and are stopped, resumed and restarted, at random. At the end
of each run, registers, memory, floating-point registers and the counts of all messages must agree. Boards take
turns, and so do the configurations smp-debug, in which the kernel also checks itself, and smp-release.

Each run prints its seed and what it did, and the end has the sums of each board. A failure shows the report of
the suite and the command that repeats it. The same seed makes the same attempts; their order between processors
differs from run to run.

  --minutes N         how long all runs together take; the last one ends later; default: 30
  --board BOARD       only on this board; default: the usual board of each instruction set
  --seed S            the seed of the first run, decimal or with 0x in front; default: the time
";

/// The suite.
const SUITE: &str = "tests/soak";
/// The beginning of the console's line with what a run did so far.
const COUNTS: &str = "counts: ";
/// A configuration, and how many times as many rounds as in `./x test` a run has there. In debug, the kernel prints each fault,
/// and a console has a limited number of lines.
const CONFIGS: [(&str, u64); 2] = [("smp-debug", 20), ("smp-release", 60)];

#[derive(Debug)]
struct Options {
    minutes: u64,
    board: Option<String>,
    seed: u64,
}

/// One run of the suite.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Round<'a> {
    board: &'a str,
    config: &'static str,
    seed: u64,
    times: u64,
}

/// The sums of a board: the number of each operation, in the order of the console.
#[derive(Debug, Default)]
struct Sums {
    rounds: u64,
    operations: Vec<(String, u64)>,
}

fn run(workspace: &Workspace, arguments: lexopt::Parser) -> Outcome {
    let options = parse(arguments)?;
    let boards = boards(workspace, options.board.as_deref())?;
    let names: Vec<_> = boards.iter().map(|board| board.name.as_str()).collect();
    println!("first seed {:#x}", options.seed);
    let mut sums: BTreeMap<&str, Sums> = BTreeMap::new();
    let end = Instant::now() + Duration::from_secs(options.minutes.saturating_mul(60));
    for round in rounds(&names, options.seed) {
        let counts = round.run(workspace)?;
        sums.entry(round.board).or_default().add(&counts);
        if Instant::now() >= end {
            break;
        }
    }
    sums.iter().for_each(|(board, sums)| println!("{board}: {}", sums.text()));
    Ok(())
}

fn parse(mut arguments: lexopt::Parser) -> Outcome<Options> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let mut options = Options { minutes: 30, board: None, seed: now };
    while let Some(argument) = arguments.next()? {
        match argument {
            Long("minutes") => {
                options.minutes = number(&mut arguments, "--minutes", "a whole number of minutes")?
            }
            Long("board") => options.board = Some(arguments.value()?.string()?),
            Long("seed") => options.seed = seed_of(&arguments.value()?.string()?)?,
            other => return Err(other.unexpected().into()),
        }
    }
    Ok(options)
}

fn seed_of(text: &str) -> Outcome<u64> {
    let seed = match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16),
        None => text.parse(),
    };
    seed.map_err(|_| Failure::new(format!("'{text}' is not a seed: write a number, or one with 0x in front")))
}

/// The boards that take turns.
fn boards(workspace: &Workspace, name: Option<&str>) -> Outcome<Vec<Board>> {
    let boards = match name {
        Some(name) => vec![board::named(workspace, name)?],
        None => board::USUAL.iter().map(|name| board::named(workspace, name)).collect::<Outcome<_>>()?,
    };
    match boards.iter().find(|board| CONFIGS.iter().any(|(config, _)| !board.has(config))) {
        Some(board) => {
            let name = &board.name;
            Err(Failure::new(format!("the kernel uses one processor of {name}; name a board with several")))
        }
        None => Ok(boards),
    }
}

/// The runs in their order.
fn rounds<'a>(boards: &[&'a str], seed: u64) -> impl Iterator<Item = Round<'a>> {
    let places = CONFIGS.into_iter().flat_map(|place| boards.iter().map(move |board| (*board, place)));
    let places: Vec<_> = places.collect();
    places.into_iter().cycle().zip(0..).map(move |((board, (config, times)), number)| Round {
        board,
        config,
        seed: seed.wrapping_add(number),
        times,
    })
}

impl Round<'_> {
    /// The test's name.
    fn test(&self) -> String {
        format!("{SUITE} on {} ({})", self.board, self.config)
    }

    /// The command that repeats it.
    fn command(&self) -> String {
        format!("SEED={:#x} TIMES={} ./x test '{}'", self.seed, self.times, self.test())
    }

    /// Runs it, and returns the console's line with what it did.
    fn run(&self, workspace: &Workspace) -> Outcome<String> {
        let begun = Instant::now();
        let program = process::itself()?;
        let mut test = Process::new(&program);
        test.args(["test", &self.test()]);
        test.env("SEED", format!("{:#x}", self.seed)).env("TIMES", self.times.to_string());
        let output = test.output().context(|| "cannot run ./x test".to_owned())?;
        if !output.status.success() {
            let report = [output.stdout, output.stderr].concat();
            let report = String::from_utf8_lossy(&report);
            return Err(Failure::new(format!("{report}to repeat it: {}", self.command())));
        }
        let console = workspace.path("build/systems").join(SUITE).join(self.board).join(self.config);
        let console = files::read(&console.join("console.txt"))?;
        let counts = counts_of(&console).ok_or_else(|| {
            Failure::new(format!("the console of seed {:#x} has no counts: {}", self.seed, self.command()))
        })?;
        let (board, config, seconds) = (self.board, self.config, begun.elapsed().as_secs());
        println!("ok     seed {:#x} on {board} ({config}) in {seconds} s: {counts}", self.seed);
        Ok(counts.to_owned())
    }
}

/// The last counts of a console.
fn counts_of(console: &str) -> Option<&str> {
    console.lines().rev().find_map(|line| line.strip_prefix(COUNTS))
}

impl Sums {
    /// Adds a list of numbers, each with what it counts.
    fn add(&mut self, counts: &str) {
        self.rounds += 1;
        let counted = counts.split(", ").filter_map(|part| part.split_once(' '));
        for (number, what) in counted {
            let Ok(number) = number.parse::<u64>() else { continue };
            match self.operations.iter_mut().find(|(name, _)| name == what) {
                Some((_, sum)) => *sum += number,
                None => self.operations.push((what.to_owned(), number)),
            }
        }
    }

    fn text(&self) -> String {
        let operations = self.operations.iter().map(|(what, sum)| format!(", {sum} {what}"));
        format!("{} runs{}", self.rounds, operations.collect::<String>())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boards_and_configurations_take_turns_with_a_seed_each() {
        let all: Vec<_> = rounds(&["a", "b"], 7).take(5).collect();
        let places: Vec<_> = all.iter().map(|round| (round.board, round.config, round.seed)).collect();
        let (debug, release) = ("smp-debug", "smp-release");
        assert_eq!(
            places,
            [("a", debug, 7), ("b", debug, 8), ("a", release, 9), ("b", release, 10), ("a", debug, 11)]
        );
        assert_eq!(all[2].command(), "SEED=0x9 TIMES=60 ./x test 'tests/soak on a (smp-release)'");
    }

    #[test]
    fn seeds_are_decimal_or_hexadecimal() {
        assert_eq!([seed_of("0x1f").unwrap(), seed_of("31").unwrap()], [31, 31]);
        assert_eq!(
            seed_of("1f").unwrap_err().to_string(),
            "'1f' is not a seed: write a number, or one with 0x in front"
        );
    }

    #[test]
    fn the_last_counts_of_each_run_are_added() {
        let console =
            "seed 0x1\ncounts: 1 rounds, 2 calls\nTEST a PASS\ncounts: 3 rounds, 5 calls, 0 stops\nend\n";
        let mut sums = Sums::default();
        (0..2).for_each(|_| sums.add(counts_of(console).unwrap()));
        assert_eq!(sums.text(), "2 runs, 6 rounds, 10 calls, 0 stops");
        assert_eq!(counts_of("seed 0x1\n"), None);
    }
}
