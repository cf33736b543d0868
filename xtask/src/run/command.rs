//! `./x run`: builds a system, boots it in QEMU and shows its console.

use std::time::Duration;

use lexopt::prelude::*;
use limen_symbolise::Symboliser;

use crate::command::{Command, one_of};
use crate::failure::Outcome;
use crate::profile;
use crate::run::board;
use crate::run::expected::Expected;
use crate::run::faults;
use crate::run::project::{Build, Project};
use crate::run::qemu::{self, Audience, Boot};
use crate::sdk;
use crate::test::suite::Suite;
use crate::workspace::{CONFIGS, Workspace};

/// The command.
pub const COMMAND: Command =
    Command { name: "run", summary: "build a system, boot it in QEMU, show its console", help: HELP, run };

const HELP: &str = "
usage: ./x run [SYSTEM] [--board BOARD] [--variant NAME] [--config CONFIG] [--timeout SECONDS] [--profile]

Builds the SDK and a system, boots the system in QEMU and shows its console, with a sentence about each fault:
what the program did, in which function, file and line. On a terminal, keys reach the system, and Ctrl-C ends the run. The run succeeds when the system prints LIMEN|DONE, or all lines of its
expected.txt. It fails when the system prints LIMEN|FAIL, QEMU ends on its own, or the console falls silent.

  SYSTEM              a folder under examples/, tests/ or bench/, or a path; default: examples/tour
  --board BOARD       default: qemu_virt_aarch64; older names work as well
  --variant NAME      another machine or option of the board, see its data file; may be repeated
  --config CONFIG     debug, release or benchmark; default: debug, and release with --profile
  --timeout SECONDS   how long the system may print nothing; default: 60; 0 waits forever
  --profile           count the instructions of each program and function, on an emulator that counts exactly: print
                      them as tables, and write a page with a flame graph
";

struct Options {
    system: String,
    board: String,
    variants: Vec<String>,
    config: Option<String>,
    silence: Option<Duration>,
    profile: bool,
}

impl Options {
    fn config(&self) -> &str {
        self.config.as_deref().unwrap_or(if self.profile { "release" } else { "debug" })
    }
}

fn run(workspace: &Workspace, arguments: lexopt::Parser) -> Outcome {
    let options = parse(arguments)?;
    let board = board::named(workspace, &options.board)?.with(&options.variants)?;
    let project = Project::locate(workspace, &options.system)?;
    sdk::build(workspace)?;
    let config = options.config();
    eprintln!("building {} for {} ({config})", workspace.display(&project.folder), board.title());
    let image = project.build(workspace, &Build { board: &board, config, variables: &[] })?;
    let mut expected = Expected::of(&project)?;
    let suite = Suite::of(&project)?;
    let extra: Vec<&str> = suite.qemu().iter().map(String::as_str).collect();
    let extra: Vec<&str> = if options.profile { [&qemu::DETERMINISTIC[..], &extra].concat() } else { extra };
    let boot = Boot {
        board: &board,
        image: &image,
        extra: &extra,
        audience: Audience::Person,
        silence: options.silence,
    };
    let mut symboliser = faults::symboliser(workspace, &board, config, &image);
    let mut follow = |line: &str| {
        let sentences = symboliser.iter_mut().flat_map(|faults| faults.take(line));
        sentences.for_each(|sentence| println!("{sentence}"));
        expected.as_mut().is_some_and(|expected| expected.complete_with(line))
    };
    let (session, profile) = if options.profile {
        let title = format!("{} on {} ({config})", project.name, board.title());
        let with_symbols = faults::symboliser(workspace, &board, config, &image);
        let profiled = profile::run(workspace, &boot, &title, with_symbols, &mut follow)?;
        (profiled.session, Some((profiled.text, profiled.page)))
    } else {
        (boot.run(&mut follow)?, None)
    };
    symboliser.iter_mut().flat_map(Symboliser::finish).for_each(|sentence| println!("{sentence}"));
    if let Some((text, page)) = profile {
        print!("\n{text}flame graph: {}\n", workspace.display(&page));
    }
    session.ending.outcome()
}

fn parse(mut arguments: lexopt::Parser) -> Outcome<Options> {
    let mut options = Options {
        system: "examples/tour".to_owned(),
        board: board::DEFAULT.to_owned(),
        variants: Vec::new(),
        config: None,
        silence: Some(qemu::SILENCE),
        profile: false,
    };
    while let Some(argument) = arguments.next()? {
        match argument {
            Long("board") => options.board = arguments.value()?.string()?,
            Long("variant") => options.variants.push(arguments.value()?.string()?),
            Long("config") => {
                options.config = Some(one_of("configuration", arguments.value()?.string()?, &CONFIGS)?)
            }
            Long("timeout") => options.silence = seconds(arguments.value()?.parse()?),
            Long("profile") => options.profile = true,
            Value(system) => options.system = system.string()?,
            other => return Err(other.unexpected().into()),
        }
    }
    Ok(options)
}

fn seconds(count: u64) -> Option<Duration> {
    (count > 0).then(|| Duration::from_secs(count))
}
