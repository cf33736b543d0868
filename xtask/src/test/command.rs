//! `./x test`: host tests, headers, then every on-target suite and example on every board.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::thread;

use lexopt::prelude::*;
use limen_nearest::advice;

use crate::bench;
use crate::bench::environment;
use crate::check;
use crate::command::Command;
use crate::emulator_plugin::session::Listening;
use crate::failure::{Context, Failure, Outcome};
use crate::run::board::{self, Board};
use crate::run::expected::Expected;
use crate::run::faults;
use crate::run::inspection::{self, Inspection};
use crate::run::project::{Build, Project};
use crate::run::python;
use crate::run::qemu::{self, Audience, Boot, Watch};
use crate::sdk;
use crate::shell::files;
use crate::shell::progress::{self, Steps};
use crate::test::boot_case::{CASES, Case};
use crate::test::cothreads;
use crate::test::coverage::{Coverage, Executed};
use crate::test::gdb;
use crate::test::host_tests;
use crate::test::large;
use crate::test::quick;
use crate::test::sdk_tests;
use crate::test::suite::{Place, Suite, Verdict};
use crate::test::traces;
use crate::test::worlds::Consoles;
use crate::workspace::Workspace;

/// The command.
pub const COMMAND: Command =
    Command { name: "test", summary: "host tests, then every suite and example in QEMU", help: HELP, run };

const HELP: &str = "
usage: ./x test [FILTER] [--board BOARD] [--coverage]
       ./x test --quick [--board BOARD]

Runs the tests of the host crates (`host`) and of the cothread library on this machine (`cothreads on the
host`), compiles every header of the SDK (`headers`), tests the finished SDK (`sdk`), and checks how the tool's
cost grows with descriptions (`large descriptions`). Records and reads traces of systems (`traces`). Then boots, on every board, the suites under tests/ in debug
and release, the examples with an expected.txt in debug or where their suite.toml says, and unusual boots
(`boot/...`), and compares the cost of paths with the records in bench/golden (`figures`). Suites and examples
that ask for variants of a board boot once more with them, in debug. Ends with a line `N passed, N failed`.

  FILTER              run only tests whose name contains this, as in `host` or `tests/ipc on qemu_virt_aarch64`
  --board BOARD       run only on this board; older names work as well
  --quick             run what a change most likely breaks: host tests without examples, and chosen suites in
                      debug on one board of each instruction set
  --coverage          run only systems, slowly: print which part of each file of the kernel they execute, and write a
                      page with the lines that they do not
";

/// Names of the tests without a system.
const HOST: &str = "host";
const HEADERS: &str = "headers";
const SDK: &str = "sdk";
/// The first word of the name of a comparison with recorded figures.
const FIGURES: &str = "figures";

/// The number of systems that run concurrently: on a small machine, more would only compete.
const MOST_AT_ONCE: usize = 2;

/// How many lines of a failed system's console are shown.
const TAIL: usize = 40;

struct Options {
    filter: String,
    board: Option<String>,
    coverage: bool,
    quick: bool,
}

impl Options {
    /// The kernel does not depend on a board's name, so everything runs again only if the user asks for the older name.
    fn run_everything_on(&self, board: &Board) -> bool {
        board.renamed.is_none() || self.board.is_some()
    }

    /// Whether to run the test with this name. A filter that is a complete name selects only that, so `host` does not
    /// select hostile.
    fn select(&self, name: &str) -> bool {
        let is_whole = [HOST, HEADERS, SDK].contains(&self.filter.as_str());
        if is_whole { name == self.filter } else { name.contains(&self.filter) }
    }
}

fn run(workspace: &Workspace, arguments: lexopt::Parser) -> Outcome {
    let options = parse(arguments)?;
    let boards = match &options.board {
        Some(name) => vec![board::named(workspace, name)?],
        None => board::all_names(workspace)?,
    };
    let jobs = jobs(workspace, &boards, &options)?;
    if options.coverage {
        return cover(workspace, &jobs, &options);
    }
    let compared = boards.iter().filter(|board| !options.quick && options.select(&figures(board)));
    let compared: Vec<_> = compared.collect();
    let parts = [HOST, cothreads::NAME, HEADERS, SDK, large::TEST, traces::TEST]
        .map(|part| if options.quick { part == HOST } else { options.select(part) });
    let needs_sdk = parts[3] || parts[4] || parts[5] || !jobs.is_empty() || !compared.is_empty();
    let phases = parts.into_iter().filter(|part| *part).count();
    let mut steps = Steps::new(phases + usize::from(!jobs.is_empty()) + compared.len());
    let mut tally = Tally::default();
    if parts[0] {
        steps.next("building and running host tests");
        let verdict = if options.quick { host_tests::run_quickly()? } else { host_tests::run()? };
        tally.add(HOST, &verdict);
    }
    if parts[1] {
        steps.next("building and running the cothread library");
        tally.add(cothreads::NAME, &cothreads::run(workspace)?);
    }
    if parts[2] {
        steps.next("compiling headers");
        tally.add(HEADERS, &Verdict::single(check::sdk_headers(workspace)));
    }
    if needs_sdk && let Err(failure) = sdk::build(workspace) {
        tally.add(SDK, &Verdict::single(Err(failure)));
        return tally.finish();
    }
    if parts[3] {
        steps.next("testing the SDK");
        tally.add(SDK, &sdk_tests::run(workspace));
    }
    if parts[4] {
        steps.next("measuring the tool on large descriptions");
        tally.add(large::TEST, &large::run(workspace)?);
    }
    if parts[5] {
        steps.next("recording traces");
        tally.add(traces::TEST, &traces::run(workspace, &boards));
    }
    if !jobs.is_empty() {
        steps.next("running systems");
        tally = run_all(workspace, &jobs, tally, None);
    }
    for board in compared {
        steps.next(&figures(board));
        if let Some(outcome) = bench::compare_with_record(workspace, board) {
            let verdict = outcome.unwrap_or_else(|failure| Verdict::single(Err(failure)));
            tally.add(&figures(board), &verdict);
        }
    }
    if tally.is_empty() {
        return Err(no_test(workspace, &options.filter)?);
    }
    tally.finish()
}

/// Runs systems, and reports which lines of the kernel they execute.
fn cover(workspace: &Workspace, jobs: &[Job], options: &Options) -> Outcome {
    if jobs.is_empty() {
        return Err(no_test(workspace, &options.filter)?);
    }
    sdk::build(workspace)?;
    let coverage = Coverage::default();
    let tally = run_all(workspace, jobs, Tally::default(), Some(&coverage));
    coverage.report(workspace)?;
    tally.finish()
}

fn parse(mut arguments: lexopt::Parser) -> Outcome<Options> {
    let mut options = Options { filter: String::new(), board: None, coverage: false, quick: false };
    while let Some(argument) = arguments.next()? {
        match argument {
            Long("board") => options.board = Some(arguments.value()?.string()?),
            Long("coverage") => options.coverage = true,
            Long("quick") => options.quick = true,
            // A shell completes folders with a slash.
            Value(filter) => options.filter = filter.string()?.trim_end_matches('/').to_owned(),
            other => return Err(other.unexpected().into()),
        }
    }
    if options.quick && (options.coverage || !options.filter.is_empty()) {
        return Err(Failure::new(
            "--quick chooses the tests; remove FILTER, --coverage or --quick".to_owned(),
        ));
    }
    Ok(options)
}

/// Counts tests and reports their results.
#[derive(Default)]
struct Tally {
    judged: usize,
    passed: usize,
    failed: usize,
}

impl Tally {
    fn add(&mut self, name: &str, verdict: &Verdict) {
        progress::clear();
        self.judged += 1;
        self.passed += verdict.passed;
        self.failed += verdict.complaints.len();
        let word = if verdict.complaints.is_empty() { "ok" } else { "FAILED" };
        println!("{word:6} {name}: {} passed, {} failed", verdict.passed, verdict.complaints.len());
        for note in &verdict.notes {
            println!("       {note}");
        }
        for complaint in &verdict.complaints {
            println!("       {}", complaint.replace('\n', "\n       "));
        }
    }

    fn is_empty(&self) -> bool {
        self.judged == 0
    }

    fn finish(self) -> Outcome {
        println!("{} passed, {} failed", self.passed, self.failed);
        if self.failed == 0 { Ok(()) } else { Err(Failure::explained()) }
    }
}

/// The failure for a filter that matches no name. Boards and configurations follow the word `on`.
fn no_test(workspace: &Workspace, filter: &str) -> Outcome<Failure> {
    let mut names =
        [HOST, cothreads::NAME, HEADERS, SDK, large::TEST, traces::TEST, FIGURES].map(str::to_owned).to_vec();
    for shelf in ["tests", "examples"] {
        names.extend(Project::on_shelf(workspace, shelf)?.into_iter().map(|project| project.name));
    }
    names.extend(CASES.iter().map(Case::title));
    let names: Vec<_> = names.iter().map(String::as_str).collect();
    let wanted = filter.split(" on ").next().unwrap_or_default();
    let advice = if names.contains(&wanted) {
        format!("`./x test {wanted}` runs it on all of its boards")
    } else {
        advice(wanted, &names, "./x test --help lists the names")
    };
    Ok(Failure::new(format!("no test has '{filter}' in its name; {advice}")))
}

/// A system to boot, and how to judge its output.
struct Job {
    project: Project,
    /// The board, and the same one with variants. They run in turn, because they share the build.
    boards: Vec<Board>,
    config: String,
    judge: Judge,
}

enum Judge {
    /// By the lines of its tests.
    Suite,
    /// By the lines of `expected.txt` and the patterns of `suite.toml`.
    Example,
    /// By the line of an unusual boot.
    Boot(&'static Case),
}

fn jobs(workspace: &Workspace, boards: &[Board], options: &Options) -> Outcome<Vec<Job>> {
    let all_boards = board::all(workspace)?;
    let mut jobs = Vec::new();
    for board in boards {
        let everything = options.run_everything_on(board);
        for project in Project::on_shelf(workspace, "tests")? {
            let suite = Suite::of(&project)?;
            suite.check_variants(&all_boards).context(|| project.name.clone())?;
            if !everything && !suite.names(&board.name) {
                continue;
            }
            for config in suite.configs(&board.name) {
                let mut boards = vec![board.clone()];
                boards.extend(suite.variants_of(board, &config));
                jobs.push(Job { project: project.clone(), boards, config, judge: Judge::Suite });
            }
        }
        for project in Project::on_shelf(workspace, "examples")?.into_iter().filter(|_| everything) {
            let suite = Suite::of(&project)?;
            if Expected::of(&project)?.is_none() {
                continue;
            }
            for config in suite.example_configs(&board.name) {
                let mut boards = vec![board.clone()];
                boards.extend(suite.variants_of(board, &config));
                jobs.push(Job { project: project.clone(), boards, config, judge: Judge::Example });
            }
        }
    }
    let usual = boards.iter().filter(|board| options.run_everything_on(board));
    for (board, case) in usual.flat_map(|board| CASES.iter().map(move |case| (board, case))) {
        if let Some(project) = case.project(workspace, board) {
            let (boards, config) = (vec![board.clone()], case.config.to_owned());
            jobs.push(Job { project, boards, config, judge: Judge::Boot(case) });
        }
    }
    for job in &mut jobs {
        let (project, config) = (&job.project, &job.config);
        job.boards.retain(|board| match options.quick {
            true => quick::selects(project, board, config),
            false => options.select(&name(project, board, config)),
        });
    }
    jobs.retain(|job| !job.boards.is_empty());
    Ok(jobs)
}

/// The name of a boot, for display and filters.
fn name(project: &Project, board: &Board, config: &str) -> String {
    format!("{} on {} ({config})", project.name, board.title())
}

/// The name of a comparison with recorded figures, for display and filters.
fn figures(board: &Board) -> String {
    format!("{FIGURES} on {}", board.title())
}

fn run_all(workspace: &Workspace, jobs: &[Job], tally: Tally, coverage: Option<&Coverage>) -> Tally {
    let queue = Mutex::new(jobs.iter());
    let of = jobs.iter().map(|job| job.boards.len()).sum();
    let screen = Mutex::new(Screen { started: 0, of, running: Vec::new(), tally });
    let with_screen = |act: &dyn Fn(&mut Screen)| {
        act(&mut screen.lock().unwrap_or_else(PoisonError::into_inner));
    };
    let work = || {
        while let Some(job) = queue.lock().ok().and_then(|mut queue| queue.next()) {
            for board in &job.boards {
                let name = name(&job.project, board, &job.config);
                with_screen(&|screen| screen.start(&name));
                let verdict = job.run(workspace, board, coverage);
                let verdict = verdict.unwrap_or_else(|failure| Verdict::single(Err(failure)));
                with_screen(&|screen| screen.finish(&name, &verdict));
            }
        }
    };
    thread::scope(|scope| {
        for _ in 0..MOST_AT_ONCE {
            scope.spawn(work);
        }
    });
    screen.into_inner().unwrap_or_else(PoisonError::into_inner).tally
}

/// The results so far, and below them the running tests.
struct Screen {
    started: usize,
    of: usize,
    running: Vec<String>,
    tally: Tally,
}

impl Screen {
    fn start(&mut self, name: &str) {
        self.started += 1;
        self.running.push(name.to_owned());
        self.show();
    }

    fn finish(&mut self, name: &str, verdict: &Verdict) {
        self.running.retain(|running| running != name);
        self.tally.add(name, verdict);
        self.show();
    }

    fn show(&self) {
        if self.running.is_empty() {
            return progress::clear();
        }
        progress::show(&format!("[{}/{}] {}", self.started, self.of, self.running.join(", ")));
    }
}

impl Job {
    fn run(&self, workspace: &Workspace, board: &Board, coverage: Option<&Coverage>) -> Outcome<Verdict> {
        if let Judge::Boot(case) = self.judge {
            let image = case.image(&self.build(workspace, board, "")?)?;
            let listening = Coverage::watch(coverage, workspace, board, &image)?;
            let verdict = boot(board, &image, case, &options_of(&listening));
            Coverage::add(coverage, listening, workspace.kernel(&board.name, &self.config))?;
            return verdict;
        }
        let suite = Suite::of(&self.project)?;
        if coverage.is_some() && suite.injection().is_some() {
            let note = "not run: no coverage is collected with a debugger".to_owned();
            return Ok(Verdict { notes: vec![note], ..Verdict::default() });
        }
        if suite.injection().is_some()
            && let Some(reason) = environment::not_debuggable(board)?
        {
            return Ok(Verdict { notes: vec![reason], ..Verdict::default() });
        }
        if let Some(reason) = python::not_installable(workspace, &self.project)? {
            return Ok(Verdict { notes: vec![reason], ..Verdict::default() });
        }
        let (mut verdict, mut consoles) = (Verdict::default(), Consoles::new());
        for build in suite.builds(&board.architecture) {
            let (found, console) = self.run_build(workspace, board, &suite, &build, coverage)?;
            verdict.add(found);
            consoles.insert(build, console);
        }
        if suite.compares(&board.architecture) {
            match environment::not_repeatable(board)? {
                Some(reason) => verdict.notes.push(reason),
                None => verdict.add(suite.compare(&consoles, &board.architecture)),
            }
        }
        Ok(verdict)
    }

    fn build(&self, workspace: &Workspace, board: &Board, variables: &str) -> Outcome<PathBuf> {
        let variables: Vec<_> = variables.split_whitespace().collect();
        self.project.build(workspace, &Build { board, config: &self.config, variables: &variables })
    }

    /// Boots one build of the system, and returns its console and verdict.
    fn run_build(
        &self,
        workspace: &Workspace,
        board: &Board,
        suite: &Suite,
        build: &str,
        coverage: Option<&Coverage>,
    ) -> Outcome<(Verdict, Vec<String>)> {
        let image = self.build(workspace, board, build)?;
        let listening = Coverage::watch(coverage, workspace, board, &image)?;
        let audience = if suite.load().is_some() { Audience::Typist } else { Audience::Nobody };
        let (counted, silence): (&[&str], _) = match suite.deterministic {
            true => (&qemu::DETERMINISTIC, qemu::COUNTED_SILENCE),
            false => (&[], qemu::SILENCE),
        };
        let silence = Some(silence);
        let suites = suite.qemu().iter().map(String::as_str);
        let extra: Vec<&str> = suites.chain(counted.iter().copied()).chain(options_of(&listening)).collect();
        let boot = Boot { board, image: &image, extra: &extra, audience, silence };
        let mut expected = match self.judge {
            Judge::Example => Expected::of(&self.project)?,
            Judge::Suite | Judge::Boot(_) => None,
        };
        let mut findings = Verdict::default();
        let kernel = workspace.kernel(&board.name, &self.config);
        let session = if let Some(injection) = suite.injection() {
            let (session, found) = injection.run(&boot, &kernel)?;
            findings = found;
            Ok(session)
        } else if let Some(commands) = suite.debugger() {
            gdb::run(workspace, &boot, &self.config, &self.project.folder.join(commands), |line| {
                expected.iter_mut().for_each(|expected| _ = expected.complete_with(line));
            })
        } else {
            // An emulator that counts does not answer while the machine is idle.
            let inspection = Inspection::of(workspace, board, &self.config, &image);
            let inspection = inspection.filter(|_| !suite.deterministic);
            let watch = inspection.map(|inspection| Watch {
                inspection,
                views: &inspection::ALL,
                after: None,
                keep: None,
            });
            boot.run_watching(watch, |line, keys| {
                suite.load().into_iter().for_each(|load| load.follow(line, keys));
                expected.as_mut().is_some_and(|expected| expected.complete_with(line))
            })
        };
        Coverage::add(coverage, listening, kernel)?;
        let mut session = session?;
        let symboliser = faults::symboliser(workspace, board, &self.config, &image);
        session.lines.extend(faults::explained(symboliser, &session.lines));
        let state = session.state.iter().flat_map(|state| state.lines());
        session.lines.extend(state.map(str::to_owned));
        let (config, architecture) = (self.config.as_str(), board.architecture.as_str());
        let place = Place { config, architecture, variants: &board.chosen };
        let mut verdict = match &expected {
            None => suite.judge(&session, place),
            Some(expected) => {
                let mut verdict = Verdict::single(expected.outcome().and_then(|()| session.ending.outcome()));
                verdict.add(suite.judge_patterns(&session, place));
                verdict
            }
        };
        verdict.add(findings);
        suite.judge_files(&image, &mut verdict)?;
        let file = [&["console".to_owned()], board.chosen.as_slice()].concat().join("-");
        let console = image.with_file_name(file + ".txt");
        files::write(&console, session.lines.join("\n") + "\n")?;
        if let Some(last) = verdict.complaints.last_mut() {
            let tail = &session.lines[session.lines.len().saturating_sub(TAIL)..];
            let shown: String = tail.iter().map(|line| format!("\n| {line}")).collect();
            last.push_str(&format!("\nend of the console ({}):{shown}", workspace.display(&console)));
        }
        Ok((verdict, session.lines))
    }
}

/// The emulator's options for a run that may be watched.
fn options_of(listening: &Option<Listening<Executed>>) -> Vec<&str> {
    listening.iter().flat_map(Listening::options).collect()
}

fn boot(board: &Board, image: &Path, case: &Case, options: &[&str]) -> Outcome<Verdict> {
    let (audience, silence) = (Audience::Nobody, Some(qemu::SILENCE));
    let extra = [case.arguments, options].concat();
    let boot = Boot { board, image, extra: &extra, audience, silence };
    let session = boot.run(|line| case.is_seen(line))?;
    Ok(Verdict::single(case.judge(&session)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filter_is_part_of_names_or_a_complete_one() {
        let select = |filter: &str, name| {
            Options { filter: filter.to_owned(), board: None, coverage: false, quick: false }.select(name)
        };
        assert!(select("", HOST) && select("hostile", "tests/hostile on b (debug)"));
        assert!(select("host", HOST) && !select("host", "tests/hostile on b (debug)"));
    }

    #[test]
    fn quick_excludes_a_filter_and_coverage() {
        let quick = |words: &[&str]| parse(lexopt::Parser::from_args(words)).map(|options| options.quick);
        assert!(quick(&["--quick"]).unwrap() && quick(&["--quick", "--board", "x86_64_generic"]).unwrap());
        assert!(!quick(&["calls"]).unwrap());
        for words in [["--quick", "calls"], ["calls", "--quick"], ["--coverage", "--quick"]] {
            let failure = quick(&words).unwrap_err().to_string();
            assert_eq!(failure, "--quick chooses the tests; remove FILTER, --coverage or --quick");
        }
    }

    #[test]
    fn the_closest_name_is_suggested_for_a_filter_without_a_test() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let said = |filter: &str| no_test(&Workspace::at(&root, &root), filter).unwrap().to_string();
        assert_eq!(said("hots"), "no test has 'hots' in its name; did you mean `host`?");
        assert_eq!(
            said("tests/timr on zcu102"),
            "no test has 'tests/timr on zcu102' in its name; did you mean `tests/timer`?"
        );
        assert_eq!(
            said("tests/timer on pdp11"),
            "no test has 'tests/timer on pdp11' in its name; `./x test tests/timer` runs it on all of its boards"
        );
        assert!(said("kitchen").ends_with("; ./x test --help lists the names"));
    }
}
