//! `./x dump`: writes the memory and registers of a running system to a file, and lists what a file contains.

use std::path::{Path, PathBuf};
use std::time::Duration;

use lexopt::prelude::*;

use crate::command::{Command, number, one_of, only};
use crate::failure::{Failure, Outcome};
use crate::run::board;
use crate::run::inspection::{AFTER, Inspection};
use crate::run::project::{Build, Project};
use crate::run::qemu::{Audience, Boot, Watch};
use crate::sdk;
use crate::test::suite::Suite;
use crate::workspace::{Workspace, configs};

/// The command.
pub const COMMAND: Command =
    Command { name: "dump", summary: "write the memory of a running system to a file", help: HELP, run };

const HELP: &str = "
usage: ./x dump [SYSTEM] -o FILE [--board BOARD] [--variant NAME] [--config CONFIG] [--after SECONDS]
       ./x dump [SYSTEM] --read FILE [--board BOARD] [--config CONFIG]

Builds the SDK and a system, boots it in QEMU, and after some seconds writes its physical memory and its registers to a
file, an ELF core file. With --read, lists threads, objects and static keys from such a file instead; the system must be
built as it was when the file was written. `microkit inspect` reads the same files.

  SYSTEM              a folder under examples/, tests/ or bench/, or a path; default: examples/tour
  -o, --output FILE   the file
  --read FILE         list the contents of this file
  --board BOARD       default: qemu_virt_aarch64; older names work as well
  --variant NAME      another machine or option of the board, see its data file; may be repeated
  --config CONFIG     debug, release or benchmark, or the same with smp- for several processors; default: debug
  --after SECONDS     how long the system runs before, if it does not end earlier; default: 5
";

/// The use of the file.
enum Task {
    Write(PathBuf),
    Read(PathBuf),
}

struct Options {
    system: String,
    board: String,
    variants: Vec<String>,
    config: String,
    after: Duration,
    task: Task,
}

fn run(workspace: &Workspace, arguments: lexopt::Parser) -> Outcome {
    let options = parse(arguments)?;
    let config = &options.config;
    let board = board::named(workspace, &options.board)?.with(&options.variants)?.for_config(config)?;
    board.check_emulated("a dump")?;
    let project = Project::locate(workspace, &options.system)?;
    sdk::build_with(workspace, config)?;
    let suite = Suite::of(&project)?;
    let image = project
        .build(workspace, &Build { board: &board, config: &options.config, variables: &[] })
        .map_err(|failure| suite.explain(failure, &project, &board))?;
    let inspection = Inspection::of(workspace, &board, &options.config, &image)
        .ok_or_else(|| Failure::new("the Makefile of this system writes no report.json beside the image"))?;
    let file = match options.task {
        Task::Read(file) => {
            print!("{}", inspection.of_file(&workspace.called_from(&file))?);
            return Ok(());
        }
        Task::Write(file) => workspace.called_from(&file),
    };
    let extra: Vec<&str> = suite.qemu().iter().map(String::as_str).collect();
    let boot =
        Boot { board: &board, image: &image, extra: &extra, audience: Audience::Person, silence: None };
    let watch = Watch { inspection, views: &[], after: Some(options.after), keep: Some(file.clone()) };
    let session = boot.run_watching(Some(watch), |_, _| false)?;
    session.ending.outcome()?;
    if let Some(reason) = session.state {
        return Err(Failure::new(reason.trim_end()));
    }
    written(workspace, &file)
}

fn written(workspace: &Workspace, file: &Path) -> Outcome {
    let name = workspace.display(file);
    if !file.is_file() {
        return Err(Failure::new(format!("{name} was not written: the system ended before")));
    }
    println!("{name}: the memory of the system; ./x dump --read lists its contents");
    Ok(())
}

fn parse(mut arguments: lexopt::Parser) -> Outcome<Options> {
    let (mut system, mut board) = (None, board::DEFAULT.to_owned());
    let (mut variants, mut config, mut after, mut task) = (Vec::new(), "debug".to_owned(), AFTER, None);
    while let Some(argument) = arguments.next()? {
        match argument {
            Short('o') | Long("output") => task = Some(Task::Write(arguments.value()?.into())),
            Long("read") => task = Some(Task::Read(arguments.value()?.into())),
            Long("board") => board = arguments.value()?.string()?,
            Long("variant") => variants.push(arguments.value()?.string()?),
            Long("config") => config = one_of("configuration", arguments.value()?.string()?, &configs())?,
            Long("after") => {
                after = Duration::from_secs(number(&mut arguments, "--after", "a whole number of seconds")?)
            }
            Value(name) => only(&mut system, name)?,
            other => return Err(other.unexpected().into()),
        }
    }
    let task =
        task.ok_or_else(|| Failure::new("name a file to write with -o, or one to list with --read"))?;
    let system = system.unwrap_or_else(|| "examples/tour".to_owned());
    Ok(Options { system, board, variants, config, after, task })
}
