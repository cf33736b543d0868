//! Builds and boots the systems under `bench/`, and collects the rows that they print.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use limen_executed::{Listener, Marks, Operations, Parts};
use limen_nearest::advice;
use limen_report::{Results, Row};

use crate::bench::counting::Counting;
use crate::bench::entries::Counted;
use crate::bench::environment;
use crate::bench::footprint;
use crate::bench::kept::{Kept, Start};
use crate::bench::kernel_keys;
use crate::bench::model;
use crate::bench::trace::{self, SILENCE};
use crate::bench::waits;
use crate::emulator_plugin::session::{Detail, Listening};
use crate::failure::{Context, Failure, Outcome};
use crate::run::board::{self, Board};
use crate::run::project::{Build, Project};
use crate::run::qemu::{self, Audience, Boot, Session};
use crate::sdk::overlay;
use crate::sdk::version;
use crate::shell::concurrent;
use crate::shell::files;
use crate::shell::progress::Steps;
use crate::test::large;
use crate::test::suite::Suite;
use crate::workspace::{self, Workspace};

/// The configuration of measured systems whose build names no other.
pub const CONFIG: &str = "release";

/// The systems that a simulated core measures without a filter; each takes minutes there. docs/hardware.md says why the others
/// are left out.
const SIMULATED: [&str; 10] = [
    "bench/boot",
    "bench/cothreads",
    "bench/crossing",
    "bench/fault",
    "bench/fpu",
    "bench/fpu_sync",
    "bench/irq",
    "bench/keys",
    "bench/notify",
    "bench/ppc",
];

/// The systems that a simulated core with several harts measures without a filter.
const SEVERAL_HARTS: [&str; 2] = ["bench/elsewhere", "bench/slots"];

/// The variable with which programs are built for a simulated core.
pub const SIMULATED_BUILD: &str = "SIMULATED=1";

/// The system of which a simulated core also counts the parts of boot.
const BOOT: &str = "bench/boot";

/// The system of which a simulated core also counts events, the name of the rows that these belong to, and the row after the last
/// of them, which ends the run, because each event takes a run of its own.
const CALLS: (&str, &str, &str) = ("bench/ppc", "ppc_rt", "ROW name=ppc_rt server=passive words=4");

/// An event that the simulator can count, the name of the rows that show it, and their parameter.
type Event = (&'static str, &'static str, Option<(&'static str, &'static str)>);

/// Lines that a cache reads from memory, and walks of the page tables.
const EVENTS: [Event; 3] = [
    ("code_lines", "ppc_lines", Some(("cache", "code"))),
    ("data_lines", "ppc_lines", Some(("cache", "data"))),
    ("walks", "ppc_walks", None),
];

/// Builds with this variable are left out there as well: their paths are those of the others in part.
const MIXED: &str = "FPU=mixed";

/// The make variable that names another configuration.
const OTHER_CONFIG: &str = "CONFIG";

/// The make variable that names a variant of the board.
const VARIANT: &str = "VARIANT";

/// The make variable that names how many processors the machine has, if it is not all of the board.
const PROCESSORS: &str = "PROCESSORS";

/// How often the tool's time is measured, because it depends on the machine's load.
const REPEATED: usize = 9;

/// The start of the names of systems whose builds a full run times: nothing else runs meanwhile.
const TIMED: &str = "bench/boot";

/// How the rows of a system are measured.
type Measure<'a> = Box<dyn FnOnce() -> Outcome<Vec<Row>> + Send + 'a>;

/// The rows of all systems whose name contains `filter`, on a board. `quick` takes fewer samples. A resumed run uses the
/// rows that an earlier one has kept.
///
/// # Errors
/// When a system does not build or ends with an error, or no name matches.
pub fn run(
    workspace: &Workspace,
    board: &Board,
    filter: &str,
    quick: bool,
    start: Start,
    counting: Counting<'_>,
) -> Outcome<Results> {
    // A simulated core takes a minute for as many cycles as an emulator does in a tenth of a second.
    let quick = quick || board.is_simulated;
    let projects = Project::on_shelf(workspace, "bench")?;
    let mut chosen = Vec::new();
    // There the whole name of a system stands for this one only: bench/irq is in the name of bench/irq_work.
    let is_chosen = |project: &&Project| match board.is_simulated {
        true if filter.is_empty() && board.processors > 1 => SEVERAL_HARTS.contains(&project.name.as_str()),
        true if filter.is_empty() => SIMULATED.contains(&project.name.as_str()),
        true if SIMULATED.contains(&filter) => project.name == filter,
        _ => project.name.contains(filter),
    };
    for project in projects.iter().filter(is_chosen) {
        let mut builds = if is_for(project, board)? { builds(project)? } else { Vec::new() };
        builds.retain(|build| !(board.is_simulated && build.iter().any(|variable| variable == MIXED)));
        let on_board = |build: Vec<String>| Some((project, machine_of(board, &build)?, build));
        chosen.extend(builds.into_iter().filter_map(on_board));
    }
    let weighs = !board.is_simulated && footprint::NAME.contains(filter);
    // The cost of the tool does not depend on the board. It takes a minute, and is not recorded.
    let is_wanted = !quick || !filter.is_empty();
    let counts = is_wanted && large::NAME.contains(filter) && board.name == board::DEFAULT;
    let run = results(workspace, board, unit(board), Vec::new())?;
    let run = Results { environment: environment::of(board)?, ..run };
    let kept = Kept::new(workspace, run.clone(), quick, counting, start)?;
    let compares_keys = !board.is_simulated && kernel_keys::NAME.contains(filter);
    let systems = chosen.iter().map(|(project, machine, build)| {
        let title = format!("{} {}", project.name, build.join(" ")).trim_end().to_owned();
        let system = title.clone();
        let measure: Measure<'_> =
            Box::new(move || rows_of(workspace, project, machine, build, quick, counting).context(|| system));
        (title, measure)
    });
    let others: [(bool, &str, Measure<'_>); 3] = [
        (weighs, footprint::NAME, Box::new(|| footprint::rows(workspace, board))),
        (counts, large::NAME, Box::new(|| large::rows(workspace, board))),
        (compares_keys, kernel_keys::NAME, Box::new(|| kernel_keys::rows(workspace, board))),
    ];
    let others = others.into_iter().filter(|(is_chosen, ..)| *is_chosen);
    let others: Vec<_> = others.map(|(_, name, measure)| (name.to_owned(), measure)).collect();
    let last = others.len();
    // They compile kernels, which takes longest, so they begin first.
    let tasks: Vec<_> = others.into_iter().chain(systems).collect();
    let steps = Mutex::new(Steps::new(tasks.len()));
    let measured = |(title, measure): (String, Measure<'_>)| {
        steps.lock().unwrap_or_else(PoisonError::into_inner).next(&format!("measuring {title}"));
        kept.rows(&title, measure)
    };
    let (timed, counted): (Vec<_>, Vec<_>) =
        tasks.into_iter().partition(|(title, _)| !quick && title.starts_with(TIMED));
    let mut rows = timed.into_iter().map(measured).collect::<Outcome<Vec<_>>>()?.concat();
    let mut of_tasks = concurrent::try_map(counted, measured)?;
    of_tasks.rotate_left(last);
    rows.extend(of_tasks.concat());
    if rows.is_empty() {
        if let Some(project) = projects.iter().find(is_chosen) {
            return Err(Failure::new(format!(
                "no build of {} is measured on {}: its boards.txt and builds.txt name the boards",
                project.name,
                board.title()
            )));
        }
        // On a simulated core, or with a quick run, what the filter names may be left out.
        return Err(Failure::new(format!(
            "nothing with '{filter}' in its name is measured on {}",
            board.title()
        )));
    }
    Ok(Results { rows, ..run })
}

/// Checks that the name of a measured system contains `filter`, before anything is built.
///
/// # Errors
/// When there is none.
pub fn find(workspace: &Workspace, filter: &str) -> Outcome {
    let projects = Project::on_shelf(workspace, "bench")?;
    let names = projects.iter().map(|project| project.name.as_str());
    let names: Vec<_> = names.chain([footprint::NAME, large::NAME, kernel_keys::NAME]).collect();
    if names.iter().any(|name| name.contains(filter)) {
        return Ok(());
    }
    let advice = advice(filter, &names, "each folder below bench/ with a Makefile is one");
    Err(Failure::new(format!("no measured system has '{filter}' in its name; {advice}")))
}

/// The rows of a user's own system.
///
/// # Errors
/// When it does not build, ends with an error, or prints no row.
pub fn of_project(
    workspace: &Workspace,
    board: &Board,
    project: &Project,
    config: &str,
    quick: bool,
    counting: Counting<'_>,
) -> Outcome<Results> {
    let mut steps = Steps::new(1);
    steps.next(&format!("measuring {}", project.name));
    let variables: &[&str] = if quick { &["QUICK=1"] } else { &[] };
    let (_, rows) = boot(workspace, project, &Build { board, config, variables }, counting)?;
    let results = results(workspace, board, unit(board), rows)?;
    Ok(Results { environment: environment::of(board)?, config: config.to_owned(), ..results })
}

/// The modelled cycles of some paths, on processors of a board's instruction set.
///
/// # Errors
/// When a system does not run, or the model cannot be started.
pub fn model(workspace: &Workspace, board: &Board) -> Outcome<Results> {
    let environment = [environment::of(board)?, environment::of_model()?].concat();
    let rows = model::rows(workspace, board)?;
    Ok(Results { environment, ..results(workspace, board, "modelled cycles", rows)? })
}

/// The unit of what the counter of programs counts.
fn unit(board: &Board) -> &'static str {
    if board.is_simulated { "cycles" } else { "instructions" }
}

fn results(workspace: &Workspace, board: &Board, unit: &str, rows: Vec<Row>) -> Outcome<Results> {
    Ok(Results {
        board: board.title(),
        config: CONFIG.to_owned(),
        unit: unit.to_owned(),
        version: version::NUMBER.to_owned(),
        commit: version::commit(workspace),
        environment: Vec::new(),
        rows,
    })
}

/// Whether a system is measured on a board: on those whose names or titles are in its `boards.txt`, or on all.
fn is_for(project: &Project, board: &Board) -> Outcome<bool> {
    let file = project.folder.join("boards.txt");
    Ok(!file.exists() || files::read(&file)?.lines().any(|name| name == board.name || name == board.title()))
}

/// The measured builds of a system, each a list of make variables: the lines of its `builds.txt`, or one build without
/// variables.
pub fn builds(project: &Project) -> Outcome<Vec<Vec<String>>> {
    let file = project.folder.join("builds.txt");
    let text = if file.exists() { files::read(&file)? } else { "\n".to_owned() };
    Ok(text.lines().map(|line| line.split_whitespace().map(str::to_owned).collect()).collect())
}

/// The value of a make variable of a build.
fn variable<'a>(build: &'a [String], name: &str) -> Option<&'a str> {
    build.iter().find_map(|variable| variable.strip_prefix(name)?.strip_prefix('='))
}

/// The machine on which a build is measured: the board with the build's VARIANT and PROCESSORS, for its CONFIG. `None` if the
/// board lacks one of them, or the build names ARCHITECTURES without the board's.
pub fn machine_of(board: &Board, build: &[String]) -> Option<Board> {
    let is_for = |names: &str| names.split('+').any(|name| name == board.architecture);
    let variant = variable(build, VARIANT).map(str::to_owned);
    let is_wanted = variable(build, "ARCHITECTURES").is_none_or(is_for);
    let board = is_wanted.then(|| board.with(variant.as_slice()).ok()).flatten()?;
    let board = match variable(build, PROCESSORS) {
        Some(count) => board.with_processors(count.parse().ok()?)?,
        None => board,
    };
    board.for_config(config_of(build)).ok()
}

/// Whether a build uses several processors.
pub fn is_smp(build: &[String]) -> bool {
    workspace::is_smp(config_of(build))
}

/// The configuration of a build.
pub fn config_of(build: &[String]) -> &str {
    variable(build, OTHER_CONFIG).unwrap_or(CONFIG)
}

fn rows_of(
    workspace: &Workspace,
    project: &Project,
    board: &Board,
    variables: &[String],
    quick: bool,
    counting: Counting<'_>,
) -> Outcome<Vec<Row>> {
    let own = [quick.then_some("QUICK=1"), board.is_simulated.then_some(SIMULATED_BUILD)];
    let made_with: Vec<&str> =
        variables.iter().map(String::as_str).chain(own.into_iter().flatten()).collect();
    let build = Build { board, config: config_of(variables), variables: &made_with };
    let (image, mut rows) = boot(workspace, project, &build, counting)?;
    if board.counts_events() && waits::SYSTEMS.contains(&project.name.as_str()) {
        rows.extend(waits::rows(&image.with_file_name(trace::FILE), &rows)?);
    }
    if board.counts_events() && project.name == CALLS.0 {
        rows.extend(events(workspace, project, board, &image)?);
    }
    if let Some(name) = variable(variables, VARIANT) {
        rows.iter_mut().for_each(|row| row.params.push(("variant".to_owned(), name.to_owned())));
    }
    if workspace::is_smp(build.config) {
        let count = board.processors.to_string();
        rows.iter_mut().for_each(|row| row.params.push(("processors".to_owned(), count.clone())));
    }
    let boot = rows.iter().find(|row| row.name.starts_with("boot")).filter(|_| !board.is_simulated);
    if let Some(boot) = boot.cloned() {
        rows.push(Row::single("image_bytes", boot.params.clone(), footprint::file_bytes(&image)?));
        rows.push(Row::single("memory_bytes", boot.params.clone(), footprint::used_bytes(&image)?));
        if !quick {
            let times = (0..REPEATED).map(|_| tool_time(workspace, project, &build, &image));
            rows.push(Row::of_samples("tool_us", boot.params, times.collect::<Outcome<_>>()?));
        }
    }
    Ok(rows)
}

/// Builds and boots a system; returns its image and the rows that it prints, with the kernel's memory if it is counted.
fn boot(
    workspace: &Workspace,
    project: &Project,
    build: &Build<'_>,
    counting: Counting<'_>,
) -> Outcome<(PathBuf, Vec<Row>)> {
    let (image, mut rows) = boot_plainly(workspace, project, build)?;
    if build.board.is_simulated {
        // What a clock shows has no parts.
        rows.iter_mut().filter(|row| Parts::divides(row)).for_each(Parts::leave_whole);
    } else if rows.iter().any(Parts::divides) {
        let (whole, divided) = divided(workspace, project, build)?;
        for (whole, parts) in whole.iter().zip(divided) {
            let place = rows.iter().position(|row| row.title() == whole.title());
            place.into_iter().for_each(|place| drop(rows.splice(place + 1..place + 1, parts.clone())));
        }
    }
    if !build.board.is_simulated && rows.iter().any(Marks::counts) {
        let (printed, counts) = listened(workspace, project, build, Detail::Memory, Marks::default())?;
        rows = counts.rows(&printed).map_err(Failure::new)?;
    }
    // Operations of several processors are not divided by reads.
    if counting.counts(&rows) && !workspace::is_smp(build.config) {
        let (mut counted, operations) = watched(workspace, project, build)?;
        operations.count(&mut counted);
        for row in &mut rows {
            row.cold = counted.iter().find(|other| other.title() == row.title()).and_then(|other| other.cold);
        }
    }
    Ok((image, rows))
}

/// Builds an image for as many processors as the machine has.
fn image_of(workspace: &Workspace, project: &Project, build: &Build<'_>) -> Outcome<PathBuf> {
    let starts = |variable: &&str| variable.starts_with(PROCESSORS);
    let Some(variable) = build.variables.iter().copied().find(starts) else {
        return project.build(workspace, build);
    };
    let board = build.board;
    let sdk =
        workspace.path("build/smaller_sdk").join(format!("{}-{variable}", board.name).replace('=', "-"));
    let file = Path::new("board").join(&board.name).join(build.config).join("board.toml");
    overlay::replace(&workspace.sdk(), &sdk, &file, &board.data()?)?;
    project.build_with(workspace, build, &sdk)
}

fn boot_plainly(workspace: &Workspace, project: &Project, build: &Build<'_>) -> Outcome<(PathBuf, Vec<Row>)> {
    let image = image_of(workspace, project, build)?;
    let rows = boot_image(workspace, project, build.board, &image)?;
    Ok((image, rows))
}

/// Boots an image of a system; returns the rows that it prints.
///
/// # Errors
/// When it ends with an error, or prints no row.
pub fn boot_image(
    workspace: &Workspace,
    project: &Project,
    board: &Board,
    image: &Path,
) -> Outcome<Vec<Row>> {
    let more: &[&str] = match project.name.as_str() {
        _ if !board.is_simulated => &[],
        BOOT => &["--phases", "1"],
        name if board.counts_events() && waits::SYSTEMS.contains(&name) => &trace::READS,
        _ => &[],
    };
    boot_until(workspace, project, board, image, more, |_| false)
}

/// The events of calls, which the counter of programs counts in these runs in place of cycles.
fn events(workspace: &Workspace, project: &Project, board: &Board, image: &Path) -> Outcome<Vec<Row>> {
    let mut counted = Vec::new();
    for (event, name, parameter) in EVENTS {
        let is_last = |line: &str| line.starts_with(CALLS.2);
        let mut rows = boot_until(workspace, project, board, image, &["--counter", event], is_last)?;
        rows.retain(|row| row.name == CALLS.1 && row.param("words").is_some_and(|words| words == "0"));
        for row in &mut rows {
            name.clone_into(&mut row.name);
            row.params.extend(parameter.map(|(key, value)| (key.to_owned(), value.to_owned())));
        }
        counted.extend(rows);
    }
    Ok(counted)
}

/// Boots an image with further arguments of the emulator or simulator; `until` sees every line and may end the run.
fn boot_until(
    workspace: &Workspace,
    project: &Project,
    board: &Board,
    image: &Path,
    more: &[&str],
    until: impl FnMut(&str) -> bool,
) -> Outcome<Vec<Row>> {
    let (audience, silence) = (Audience::Nobody, Some(qemu::COUNTED_SILENCE));
    let counted = Counted::of(workspace, board, project, image)?;
    let suite = Suite::of(project)?;
    let devices: Vec<_> = suite.qemu().iter().map(String::as_str).collect();
    if counted.is_some() || !devices.is_empty() {
        board.check_emulated("a system with devices or a log of the emulator")?;
    }
    let log = counted.as_ref().map_or(vec![], Counted::options);
    let extra = [board.deterministic(), &devices, &log, more].concat();
    let session = Boot { board, image, extra: &extra, audience, silence }.run(until)?;
    session.ending.outcome()?;
    let mut rows = printed(&session)?;
    if let Some(counted) = counted {
        rows.extend(counted.rows(&rows)?);
    }
    Ok(rows)
}

/// The divided rows of a system, and the parts of each.
fn divided(
    workspace: &Workspace,
    project: &Project,
    build: &Build<'_>,
) -> Outcome<(Vec<Row>, Vec<Vec<Row>>)> {
    let parts = Parts::of(&build.board.architecture);
    let (mut rows, parts) = listened(workspace, project, build, Detail::Memory, parts)?;
    let divided = parts.rows(&rows).map_err(Failure::new)?;
    rows.retain(Parts::divides);
    Ok((rows, divided))
}

/// Builds a system with few samples, and boots it with the emulator's plugin; returns its rows and operations.
///
/// # Errors
/// When it does not build, ends with an error, or the plugin fails.
pub fn watched(
    workspace: &Workspace,
    project: &Project,
    build: &Build<'_>,
) -> Outcome<(Vec<Row>, Operations)> {
    listened(workspace, project, build, Detail::KernelMemory, Operations::default())
}

/// Builds a system with few samples, and boots it with the emulator's plugin and a listener; returns its rows and the listener.
fn listened<L: Listener + Send + 'static>(
    workspace: &Workspace,
    project: &Project,
    build: &Build<'_>,
    detail: Detail,
    listener: L,
) -> Outcome<(Vec<Row>, L)> {
    let variables = [build.variables, &["TRACE=1"]].concat();
    let image = project.build(workspace, &Build { variables: &variables, ..*build })?;
    let suite = Suite::of(project)?;
    let devices: Vec<_> = suite.qemu().iter().map(String::as_str).collect();
    let folder = image.parent().unwrap_or(Path::new("."));
    let watch = Listening::start(workspace, build.board, folder, detail, listener)?;
    let extra = [&qemu::DETERMINISTIC[..], &devices, &watch.options()].concat();
    let (audience, silence) = (Audience::Nobody, Some(SILENCE));
    let session = Boot { board: build.board, image: &image, extra: &extra, audience, silence }.run(|_| false);
    let (_, listener) = watch.finish()?;
    let session = session?;
    session.ending.outcome()?;
    Ok((printed(&session)?, listener))
}

/// The rows that a system has printed.
///
/// # Errors
/// When a row is malformed, or there are none.
pub fn printed(session: &Session) -> Outcome<Vec<Row>> {
    let rows = session.lines.iter().filter_map(|line| Row::parse(line));
    let rows = rows.collect::<Result<Vec<_>, _>>().map_err(Failure::new)?;
    if rows.is_empty() {
        return Err(Failure::new(
            "it ended without printing a row; docs/profiling.md, \"Measuring your own system\", describes rows",
        ));
    }
    Ok(rows)
}

/// The time in microseconds in which the tool rebuilds an image, including `make`.
fn tool_time(workspace: &Workspace, project: &Project, build: &Build<'_>, image: &Path) -> Outcome<u64> {
    fs::remove_file(image).context(|| format!("cannot remove {}", image.display()))?;
    let start = Instant::now();
    image_of(workspace, project, build)?;
    Ok(u64::try_from(start.elapsed().as_micros()).unwrap_or(u64::MAX))
}
