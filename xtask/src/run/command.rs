//! `./x run`: builds a system, boots it in QEMU and shows its console.

use std::path::Path;
use std::slice;
use std::time::Duration;

use lexopt::prelude::*;
use limen_inspect::View;
use limen_symbolise::Symboliser;

use crate::command::{Command, number, one_of, only};
use crate::failure::{Failure, Outcome};
use crate::profile;
use crate::run::board;
use crate::run::debug;
use crate::run::expected::Expected;
use crate::run::faults;
use crate::run::inspection::{self, Inspection};
use crate::run::project::{Build, Project};
use crate::run::qemu::{self, Audience, Boot, Watch};
use crate::sdk;
use crate::simulated_core;
use crate::test::suite::Suite;
use crate::workspace::{Workspace, configs};

/// The command.
pub const COMMAND: Command =
    Command { name: "run", summary: "build a system, boot it in QEMU, show its console", help: HELP, run };

const HELP: &str = "
usage: ./x run [SYSTEM] [--board BOARD] [--variant NAME] [--config CONFIG] [--timeout SECONDS]
               [--profile | --gdb | --inspect [--after SECONDS]]

Builds the SDK and a system, boots the system in QEMU and shows its console, with a sentence about each fault: what the
program did, in which function, file and line. On a terminal, keys reach the system, and Ctrl-C ends the run. The run
succeeds when the system prints LIMEN|DONE, or all lines of its expected.txt; with --inspect, and in examples of
debugging, it goes on after these lines. It fails when the system prints LIMEN|FAIL, QEMU ends on its own, or the
console falls silent; then it lists all threads: where each one is, and what it waits for. It fails at once when no
thread can ever run again, and when the kernel stops. A system with `deterministic = true` in its suite.toml runs on an
emulator that counts instructions, as in ./x test, and threads are not listed.

  SYSTEM              a folder under examples/, tests/ or bench/, or a path; default: examples/tour
  --board BOARD       default: qemu_virt_aarch64; older names work as well
  --variant NAME      another machine or option of the board, see its data file; may be repeated
  --config CONFIG     debug, release or benchmark, or the same with smp- for several processors; default: debug, and
                      release with --profile
  --timeout SECONDS   how long the system may print nothing; default: 60; 0 waits forever. On a simulated core, as
                      --variant rocket of qemu_virt_riscv64, in cycles; default: 100000000
  --profile           count the instructions of each program and function, on an emulator that counts exactly: print
                      them as tables, and write a page with a flame graph
  --inspect           stop the system after some seconds, and list its threads, objects and static keys
  --after SECONDS     how long it runs before that, if it does not end earlier; default: 5
  --gdb               start the machine stopped, and print the command that debugs it in another terminal. The run
                      ends with Ctrl-C here, or with `kill` there
";

struct Options {
    system: String,
    board: String,
    variants: Vec<String>,
    config: Option<String>,
    /// In seconds, or cycles of a simulated core.
    timeout: Option<u64>,
    profile: bool,
    inspect: bool,
    after: Option<Duration>,
    is_debugged: bool,
}

impl Options {
    fn config(&self) -> &str {
        self.config.as_deref().unwrap_or(if self.profile { "release" } else { "debug" })
    }

    /// How long the system may be silent on the emulator; `None` waits forever.
    fn silence(&self) -> Option<Duration> {
        let silence = self.timeout.map_or(qemu::SILENCE, Duration::from_secs);
        (!silence.is_zero()).then_some(silence)
    }

    /// Whether the emulator counts instructions, as in `./x test`. Such an emulator does not answer while the machine is idle, so
    /// nothing can look at it.
    fn counts(&self, suite: &Suite) -> bool {
        suite.deterministic && !self.inspect && !self.is_debugged
    }

    /// An option that only the emulator can follow.
    fn for_the_emulator(&self) -> Option<&'static str> {
        let options = [(self.profile, "--profile"), (self.is_debugged, "--gdb"), (self.inspect, "--inspect")];
        options.into_iter().find_map(|(is_chosen, name)| is_chosen.then_some(name))
    }
}

fn run(workspace: &Workspace, arguments: lexopt::Parser) -> Outcome {
    let options = parse(arguments)?;
    let config = options.config();
    let board = board::named(workspace, &options.board)?.with(&options.variants)?.for_config(config)?;
    if let Some(what) = options.for_the_emulator() {
        board.check_emulated(what)?;
    }
    let project = Project::locate(workspace, &options.system)?;
    simulated_core::build(workspace, slice::from_ref(&board))?;
    sdk::build_with(workspace, config)?;
    eprintln!("building {} for {} ({config})", workspace.display(&project.folder), board.title());
    let suite = Suite::of(&project)?;
    let image = project
        .build(workspace, &Build { board: &board, config, variables: &[] })
        .map_err(|failure| suite.explain(failure, &project, &board))?;
    // What a person looks for comes after these lines.
    let goes_on = options.inspect || suite.debugger().is_some();
    let mut expected = if goes_on { None } else { Expected::of(&project)? };
    let mut extra: Vec<&str> = suite.qemu().iter().map(String::as_str).collect();
    if !extra.is_empty() {
        board.check_emulated("a system with devices in suite.toml")?;
    }
    let cycles = options.timeout.filter(|_| board.is_simulated).map(|cycles| cycles.to_string());
    if let Some(cycles) = &cycles {
        extra.extend(["--silence", cycles]);
    }
    let counts = options.profile || options.counts(&suite);
    if counts {
        extra = [board.deterministic(), &extra].concat();
    }
    if options.is_debugged {
        extra.extend(debug::STOPPED);
        let script = debug::write_script(workspace, &board, config, &image)?;
        eprintln!("the machine waits for a debugger; in another terminal, type");
        eprintln!("    {} -x {}", debug::GDB, workspace.display(&script));
    }
    let boot = Boot {
        board: &board,
        image: &image,
        extra: &extra,
        audience: if options.is_debugged { Audience::Debugger } else { Audience::Person },
        silence: options.silence().filter(|_| !options.is_debugged),
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
        let watch = if counts { None } else { watch(workspace, &board, &options, &image)? };
        (boot.run_watching(watch, |line, _| follow(line))?, None)
    };
    symboliser.iter_mut().flat_map(Symboliser::finish).for_each(|sentence| println!("{sentence}"));
    if let Some((text, page)) = profile {
        print!("\n{text}flame graph: {}\n", workspace.display(&page));
    }
    session.state.iter().for_each(|state| print!("{state}"));
    session.ending.outcome()
}

fn watch(
    workspace: &Workspace,
    board: &board::Board,
    options: &Options,
    image: &Path,
) -> Outcome<Option<Watch>> {
    if options.is_debugged {
        return Ok(None);
    }
    let inspection = Inspection::of(workspace, board, options.config(), image);
    if options.inspect && inspection.is_none() {
        return Err(Failure::new("the Makefile of this system writes no report.json beside the image"));
    }
    let (views, after): (&[View], _) = if options.inspect {
        (&inspection::ALL, Some(options.after.unwrap_or(inspection::AFTER)))
    } else {
        (&[View::Threads], None)
    };
    Ok(inspection.map(|inspection| Watch { inspection, views, after, keep: None }))
}

fn parse(mut arguments: lexopt::Parser) -> Outcome<Options> {
    let mut options = Options {
        system: "examples/tour".to_owned(),
        board: board::DEFAULT.to_owned(),
        variants: Vec::new(),
        config: None,
        timeout: None,
        profile: false,
        inspect: false,
        after: None,
        is_debugged: false,
    };
    let mut system = None;
    while let Some(argument) = arguments.next()? {
        match argument {
            Long("board") => options.board = arguments.value()?.string()?,
            Long("variant") => options.variants.push(arguments.value()?.string()?),
            Long("config") => {
                options.config = Some(one_of("configuration", arguments.value()?.string()?, &configs())?)
            }
            Long("timeout") => {
                options.timeout = Some(number(&mut arguments, "--timeout", "a whole number of seconds")?)
            }
            Long("profile") => options.profile = true,
            Long("inspect") => options.inspect = true,
            Long("after") => {
                options.after =
                    Some(Duration::from_secs(number(&mut arguments, "--after", "a whole number of seconds")?))
            }
            Long("gdb") => options.is_debugged = true,
            Value(name) => only(&mut system, name)?,
            other => return Err(other.unexpected().into()),
        }
    }
    options.system = system.unwrap_or(options.system);
    if usize::from(options.profile) + usize::from(options.inspect) + usize::from(options.is_debugged) > 1 {
        return Err(Failure::new("--profile, --inspect and --gdb exclude each other"));
    }
    if options.after.is_some() && !options.inspect {
        return Err(Failure::new("--after needs --inspect"));
    }
    Ok(options)
}
