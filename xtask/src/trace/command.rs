//! `./x trace`: records what a system does in the emulator, and shows it.

use std::fs;
use std::path::{Path, PathBuf};

use lexopt::prelude::*;
use limen_trace::{System, Trace, program};

use crate::command::{Command, one_of, only};
use crate::failure::{Context, Failure, Outcome};
use crate::run::board::{self, Board};
use crate::run::expected::Expected;
use crate::run::project::{Build, Project};
use crate::sdk;
use crate::shell::files;
use crate::test::suite::Suite;
use crate::trace::recorder::{End, Recorded, Run};
use crate::trace::sdk as traced_sdk;
use crate::workspace::{Workspace, configs};

/// The command.
pub const COMMAND: Command =
    Command { name: "trace", summary: "record what a system does, and show a timeline", help: HELP, run };

const HELP: &str = "
usage: ./x trace [SYSTEM] [--board BOARD] [--variant NAME] [--config CONFIG] [--seconds N]
                 [--only pd=NAME] [-o FILE] [--html FILE] [--table]

Builds the SDK and a system with the kernel's trace on, runs it in QEMU with one instruction per nanosecond,
and copies the ring of records before it overflows. Writes a timeline for Perfetto (ui.perfetto.dev) and as a
page, and prints who used the processor, who waited for what, and how long answers took. With several
processors, the emulator's time is that of the host, and it runs on while the rings are copied. Recording ends
when the system prints LIMEN|DONE or all lines of its expected.txt, when it is idle, or after --seconds.

  SYSTEM              a folder under examples/, tests/ or bench/, or a path; default: examples/tour
  --board BOARD       default: qemu_virt_aarch64; older names work as well
  --variant NAME      another machine or option of the board, see its data file; may be repeated
  --config CONFIG     debug, release or benchmark, or the same with smp- for several processors; default: release
  --seconds N         the machine's time, as in 0.25; default: 10
  --only pd=NAME      leave out other programs; may be repeated
  -o FILE             the file for Perfetto; default: build/traces/SYSTEM.perfetto-trace
  --html FILE         the page; default: build/traces/SYSTEM.html
  --table             print the tables only; files are written if -o or --html names them
";

/// Nanoseconds of a second.
const SECOND: f64 = 1e9;

struct Options {
    system: String,
    board: String,
    variants: Vec<String>,
    config: String,
    nanoseconds: u64,
    only: Vec<String>,
    perfetto: Option<PathBuf>,
    html: Option<PathBuf>,
    is_table: bool,
}

fn run(workspace: &Workspace, arguments: lexopt::Parser) -> Outcome {
    let options = parse(arguments)?;
    let config = &options.config;
    let board = board::named(workspace, &options.board)?.with(&options.variants)?.for_config(config)?;
    board.check_emulated("a trace")?;
    let project = Project::locate(workspace, &options.system)?;
    sdk::build_with(workspace, config)?;
    eprintln!("building {} for {} ({})", workspace.display(&project.folder), board.title(), options.config);
    let (recorded, system) = record(workspace, &project, &board, &options.config, options.nanoseconds)?;
    let outcome = recorded.outcome();
    if outcome.is_err() {
        recorded.session.lines.iter().for_each(|line| eprintln!("{line}"));
    }
    let end = recorded.end;
    let trace = match Trace::new(recorded.reader, system, &options.only) {
        Ok(trace) => trace,
        Err(reason) => return outcome.and(Err(Failure::new(reason))),
    };
    write(workspace, &options, &project, &trace)?;
    print!("{}", trace.table());
    match end {
        End::Idle => eprintln!("recording ended because the system was idle"),
        End::Full => eprintln!("recording ended because there were too many records; --seconds limits them"),
        End::Time | End::Console => {}
    }
    outcome
}

/// Builds a project with the trace on, and records it for at most this time of the machine.
///
/// # Errors
/// When it does not build, or the emulator cannot be started.
pub fn record(
    workspace: &Workspace,
    project: &Project,
    board: &Board,
    config: &str,
    nanoseconds: u64,
) -> Outcome<(Recorded, System)> {
    // The variable only tells the image apart from one without a trace.
    let build = Build { board, config, variables: &["TRACED=1"] };
    let suite = Suite::of(project)?;
    let image = project
        .build_with(workspace, &build, &traced_sdk::make(workspace, traced_sdk::Adds::Trace)?)
        .map_err(|failure| suite.explain(failure, project, board))?;
    let folder = image.parent().map(Path::to_owned).unwrap_or_default();
    let report = files::read(&folder.join("report.json"))?;
    let system = System::new(&report, std::slice::from_ref(&folder)).map_err(Failure::new)?;
    let mut expected = Expected::of(project)?;
    let extra: Vec<&str> = suite.qemu().iter().map(String::as_str).collect();
    let run = Run { board, image: &image, extra: &extra, nanoseconds };
    let until = |line: &str| expected.as_mut().is_some_and(|expected| expected.complete_with(line));
    Ok((run.record(&system, until)?, system))
}

fn write(workspace: &Workspace, options: &Options, project: &Project, trace: &Trace) -> Outcome {
    let typed = |path: &Option<PathBuf>, extension: &str| match path {
        Some(path) => Some(workspace.called_from(path)),
        None if options.is_table => None,
        None => {
            let name = project.name.replace('/', "-");
            Some(workspace.path("build/traces").join(format!("{name}.{extension}")))
        }
    };
    let title = format!("Trace of {}", project.name);
    if let Some(path) = typed(&options.perfetto, "perfetto-trace") {
        save(workspace, &path, &trace.perfetto())?;
    }
    if let Some(path) = typed(&options.html, "html") {
        save(workspace, &path, trace.page(&title).as_bytes())?;
    }
    Ok(())
}

fn save(workspace: &Workspace, path: &Path, bytes: &[u8]) -> Outcome {
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder).context(|| format!("cannot create {}", folder.display()))?;
    fs::write(path, bytes).context(|| format!("cannot write {}", path.display()))?;
    eprintln!("wrote {}", workspace.display(path));
    Ok(())
}

fn parse(mut arguments: lexopt::Parser) -> Outcome<Options> {
    let mut options = Options {
        system: "examples/tour".to_owned(),
        board: board::DEFAULT.to_owned(),
        variants: Vec::new(),
        config: "release".to_owned(),
        nanoseconds: 10 * SECOND as u64,
        only: Vec::new(),
        perfetto: None,
        html: None,
        is_table: false,
    };
    let mut system = None;
    while let Some(argument) = arguments.next()? {
        match argument {
            Long("board") => options.board = arguments.value()?.string()?,
            Long("variant") => options.variants.push(arguments.value()?.string()?),
            Long("config") => {
                options.config = one_of("configuration", arguments.value()?.string()?, &configs())?
            }
            Long("seconds") => options.nanoseconds = nanoseconds(&arguments.value()?.string()?)?,
            Long("only") => options.only.push(program(&arguments.value()?.string()?).map_err(Failure::new)?),
            Short('o') | Long("output") => options.perfetto = Some(arguments.value()?.into()),
            Long("html") => options.html = Some(arguments.value()?.into()),
            Long("table") => options.is_table = true,
            Value(name) => only(&mut system, name)?,
            other => return Err(other.unexpected().into()),
        }
    }
    options.system = system.unwrap_or(options.system);
    Ok(options)
}

fn nanoseconds(text: &str) -> Outcome<u64> {
    let seconds: Option<f64> = text.parse().ok().filter(|seconds| *seconds > 0.0 && *seconds < 1e6);
    let seconds =
        seconds.ok_or_else(|| Failure::new(format!("--seconds takes a number above 0, not '{text}'")))?;
    Ok((seconds * SECOND) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read() {
        let words = ["hello", "--seconds", "0.5", "--only=pd=a", "--only", "pd=b", "-o", "x", "--table"];
        let options = parse(lexopt::Parser::from_args(words)).unwrap();
        assert_eq!(
            (options.system.as_str(), options.nanoseconds, options.is_table),
            ("hello", 500_000_000, true)
        );
        assert_eq!(options.only, ["a", "b"]);
        for words in
            [["--seconds", "0"], ["--seconds", "x"], ["--seconds", "nan"], ["--only", "a"], ["--config", "x"]]
        {
            assert!(parse(lexopt::Parser::from_args(words)).is_err(), "{words:?}");
        }
    }
}
