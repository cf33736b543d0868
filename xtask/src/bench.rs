//! `./x bench`: boots the systems under `bench/` in deterministic emulation and reports their figures.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command as Process;
use std::time::Instant;

use lexopt::prelude::*;
use limen_report::{Comparison, Golden, Reference, Results, Row};

use crate::board::{self, Board};
use crate::command::Command;
use crate::failure::{Context, Failure, Outcome};
use crate::files;
use crate::native;
use crate::process;
use crate::project::{Build, Project};
use crate::qemu::{self, Audience, Boot};
use crate::sdk;
use crate::workspace::Workspace;

/// The command.
pub const COMMAND: Command =
    Command { name: "bench", summary: "measure every path and compare with the reference", help: HELP, run };

const HELP: &str = "
usage: ./x bench --native
       ./x bench [FILTER] [--board BOARD] [--variant NAME] [--json FILE] [--html FILE] [--quick] [--record]

Boots every system under bench/ in its release configuration on an emulator that counts instructions
exactly, so that every machine prints the same figures, and shows them beside the reference and the targets.

  FILTER              measure only systems with this in their names, as in bench/ppc
  --board BOARD       default: qemu_virt_aarch64
  --variant NAME      another machine or option of the board, see its data file; may be repeated
  --json FILE         write the figures for other programs
  --html FILE         write a report with a plot
  --native            time the programs of bench/native on this machine instead: ratios within a run are what counts
  --quick             fewer repetitions (programs are built with QUICK=1)
  --record            keep the figures in bench/golden, with which `./x test` compares; of all systems, quickly
";

const CONFIG: &str = "release";

struct Options {
    filter: String,
    board: String,
    variants: Vec<String>,
    json: Option<PathBuf>,
    html: Option<PathBuf>,
    quick: bool,
    native: bool,
    record: bool,
}

fn run(workspace: &Workspace, arguments: lexopt::Parser) -> Outcome {
    let options = parse(arguments)?;
    if options.native {
        return native::run(workspace);
    }
    let board = board::named(workspace, &options.board)?.with(&options.variants)?;
    let reference = Reference::built_in().map_err(Failure::new)?;
    sdk::build(workspace)?;
    let results = measure(workspace, &board, &options.filter, options.quick)?;
    let comparison = Comparison::new(&results, &reference, &board.architecture);
    print!("{}", comparison.to_text());
    if options.record {
        if !options.filter.is_empty() {
            return Err(Failure::new("a record is of all systems: leave FILTER out"));
        }
        files::write(&golden(workspace, &board), Golden::of(&results).to_text())?;
    }
    if let Some(file) = &options.json {
        files::write(&workspace.called_from(file), results.to_json())?;
    }
    if let Some(file) = &options.html {
        files::write(&workspace.called_from(file), comparison.to_html())?;
    }
    Ok(())
}

fn parse(mut arguments: lexopt::Parser) -> Outcome<Options> {
    let mut options = Options {
        filter: String::new(),
        board: board::DEFAULT.to_owned(),
        variants: Vec::new(),
        json: None,
        html: None,
        quick: false,
        native: false,
        record: false,
    };
    while let Some(argument) = arguments.next()? {
        match argument {
            Long("board") => options.board = arguments.value()?.string()?,
            Long("variant") => options.variants.push(arguments.value()?.string()?),
            Long("json") => options.json = Some(arguments.value()?.into()),
            Long("html") => options.html = Some(arguments.value()?.into()),
            Long("quick") => options.quick = true,
            Long("native") => options.native = true,
            Long("record") => (options.record, options.quick) = (true, true),
            Value(filter) => options.filter = filter.string()?,
            other => return Err(other.unexpected().into()),
        }
    }
    Ok(options)
}

/// Where the figures of a board are recorded.
fn golden(workspace: &Workspace, board: &Board) -> PathBuf {
    workspace.path("bench/golden").join(board.title() + ".txt")
}

/// The board's figures, compared with the recorded ones; nothing if there are none.
pub fn compare_with_record(workspace: &Workspace, board: &Board) -> Option<Outcome> {
    let file = golden(workspace, board);
    file.exists().then(|| {
        let golden = Golden::parse(&files::read(&file)?)
            .map_err(|reason| Failure::new(format!("{}: {reason}", workspace.display(&file))))?;
        let differences = golden.differences(&measure(workspace, board, "", true)?);
        if differences.is_empty() {
            return Ok(());
        }
        let told: String = differences.iter().map(|difference| format!("{difference}\n")).collect();
        let way_out = format!("If that is as it should be: ./x bench --board {} --record", board.title());
        Err(Failure::new(told + &way_out))
    })
}

fn measure(workspace: &Workspace, board: &Board, filter: &str, quick: bool) -> Outcome<Results> {
    let projects = Project::on_shelf(workspace, "bench")?;
    let mut rows = Vec::new();
    for project in projects.iter().filter(|project| project.name.contains(filter)) {
        for build in builds(project)? {
            let title = format!("{} {}", project.name, build.join(" "));
            let title = title.trim_end();
            eprintln!("measuring {title}");
            rows.extend(rows_of(workspace, project, board, &build, quick).context(|| title.to_owned())?);
        }
    }
    if rows.is_empty() {
        return Err(Failure::new(format!("no system under bench/ has '{filter}' in its name")));
    }
    Ok(Results {
        board: board.title(),
        config: CONFIG.to_owned(),
        unit: "instructions".to_owned(),
        commit: commit(workspace)?,
        rows,
    })
}

/// The builds of a system that are measured, each a list of variables for make: the lines of its `builds.txt`, or one
/// build without variables.
fn builds(project: &Project) -> Outcome<Vec<Vec<String>>> {
    let file = project.folder.join("builds.txt");
    let text = if file.exists() { files::read(&file)? } else { "\n".to_owned() };
    Ok(text.lines().map(|line| line.split_whitespace().map(str::to_owned).collect()).collect())
}

fn rows_of(
    workspace: &Workspace,
    project: &Project,
    board: &Board,
    build: &[String],
    quick: bool,
) -> Outcome<Vec<Row>> {
    let mut variables: Vec<&str> = build.iter().map(String::as_str).collect();
    variables.extend(quick.then_some("QUICK=1"));
    let build = Build { board, config: CONFIG, variables: &variables };
    let image = project.build(workspace, &build)?;
    let (audience, silence) = (Audience::Nobody, Some(qemu::SILENCE));
    let session =
        Boot { board, image: &image, extra: &qemu::DETERMINISTIC, audience, silence }.run(|_| false)?;
    session.ending.outcome()?;
    let rows = session.lines.iter().filter_map(|line| Row::parse(line));
    let mut rows = rows.collect::<Result<Vec<_>, _>>().map_err(Failure::new)?;
    if rows.is_empty() {
        return Err(Failure::new("it ended without a row"));
    }
    if let Some(boot) = rows.iter().find(|row| row.name.starts_with("boot")) {
        rows.push(image_row(boot, &image)?);
        eprintln!("  the tool took {} ms", again(&image, || project.build(workspace, &build))?);
    }
    Ok(rows)
}

/// How large the image of a measured boot is.
fn image_row(boot: &Row, image: &Path) -> Outcome<Row> {
    let bytes = fs::metadata(image).context(|| format!("cannot read {}", image.display()))?.len();
    let (min, median, p99, max, mean) = (bytes, bytes, bytes, bytes, bytes as f64);
    Ok(Row { name: "image_bytes".to_owned(), min, median, p99, max, mean, stddev: 0.0, ..boot.clone() })
}

/// Milliseconds in which an image is made again. They depend on this machine, so they are told and not recorded.
fn again(image: &Path, build: impl FnOnce() -> Outcome<PathBuf>) -> Outcome<u128> {
    fs::remove_file(image).context(|| format!("cannot remove {}", image.display()))?;
    let start = Instant::now();
    build()?;
    Ok(start.elapsed().as_millis())
}

/// The version that is measured; `-dirty` marks changes that are not committed.
fn commit(workspace: &Workspace) -> Outcome<String> {
    let describe = ["describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"];
    let commit = process::capture(Process::new("git").current_dir(workspace.root()).args(describe))?;
    Ok(commit.trim().to_owned())
}
