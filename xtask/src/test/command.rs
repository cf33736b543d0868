//! `./x test`: host tests, headers, then every on-target suite and example on every board.

use std::collections::BTreeSet;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use lexopt::prelude::*;
use limen_nearest::advice;

use crate::bench;
use crate::bench::Rows;
use crate::bench::environment;
use crate::bench::trace::{Limit, MOST_GIB};
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
use crate::shell::concurrent;
use crate::shell::files;
use crate::shell::progress::{self, Steps};
use crate::test::boot_case::{CASES, Case};
use crate::test::cothreads;
use crate::test::coverage::{Coverage, Executed};
use crate::test::gdb;
use crate::test::host_coverage;
use crate::test::host_tests;
use crate::test::large;
use crate::test::quick;
use crate::test::replay::{self, Replay};
use crate::test::sdk_tests;
use crate::test::selection::{self, Candidate};
use crate::test::suite::{Place, Suite, Verdict};
use crate::test::traces;
use crate::test::worlds::Consoles;
use crate::trace::sdk as recording_sdk;
use crate::workspace::{CONFIGS, OFFERS_SMP, Workspace, is_smp};

/// The command.
pub const COMMAND: Command =
    Command { name: "test", summary: "host tests, then every suite and example in QEMU", help: HELP, run };

const HELP: &str = "
usage: ./x test [FILTER] [--board BOARD] [--all] [--coverage] [--trace-limit GIB]
       ./x test --quick [--board BOARD]
       ./x test --replay FILTER [--board BOARD]

Runs the tests of the host crates (`host`) and of the cothread library on this machine (`cothreads on the
host`), and tests the finished SDK (`sdk`). With --all, also compiles every header of the SDK (`headers`) and checks how
the tool's cost grows with descriptions (`large descriptions`). Records and reads traces of systems (`traces`). Then boots,
on every board, the suites under tests/ in debug and release, the examples with an expected.txt in debug or
where their suite.toml says, and unusual boots (`boot/...`). Replays a suite on one board of each instruction set, and
compares the cost of paths with the records in bench/golden (`figures`). Suites and examples that ask for variants of a
board boot once more with them, in debug. Ends with the slowest tests, and a line `N passed, N failed`.

Without FILTER, --board and --all, each system boots on the usual board of each instruction set, in one of its configurations
in turn; those that depend on a board's devices boot on every board. Further boards than the default one compare a sample of
their figures. docs/testing.md has the rules.

  FILTER              run only tests whose name contains this, as in `host` or `tests/ipc on qemu_virt_aarch64`
  --board BOARD       run only on this board; older names work as well
  --all               run everything: each system in all configurations on every board, and all figures
  --quick             run what a change most likely breaks: host tests without examples, and chosen suites in
                      debug on one board of each instruction set
  --replay            run only systems: the kernel records each event, and a program on the host executes it with the
                      kernel's core and compares the outcomes
  --coverage          run only systems and the kernel's host tests, slowly: print which part of each file of the kernel
                      they execute, and write a page with the lines that they do not
  --trace-limit GIB   the largest trace file of a suite that injects events, after which the emulator is stopped; default: 2
";

/// Names of the tests without a system.
const HOST: &str = "host";
const HEADERS: &str = "headers";
const SDK: &str = "sdk";
/// The first word of the name of a comparison with recorded figures.
const FIGURES: &str = "figures";

/// How many of the slowest tests are shown, when there are more.
const SLOWEST: usize = 10;

/// How many lines of a failed system's console are shown.
const TAIL: usize = 40;

struct Options {
    filter: String,
    board: Option<String>,
    all: bool,
    coverage: bool,
    quick: bool,
    trace_limit: Limit,
    replay: bool,
}

impl Options {
    /// The kernel does not depend on a board's name, so everything runs again only if the user asks for the older name.
    fn run_everything_on(&self, board: &Board) -> bool {
        board.renamed.is_none() || self.board.is_some()
    }

    /// Whether everything that matches runs, and not only the [selection].
    fn is_whole(&self) -> bool {
        self.all || self.coverage || self.replay || self.board.is_some() || !self.filter.is_empty()
    }

    /// Whether to run this test without a system. A complete run leaves those to `--all` that `./x check` runs too, or that
    /// take long for what they find.
    fn selects_part(&self, name: &str) -> bool {
        self.select(name) && (self.is_whole() || ![HEADERS, large::TEST].contains(&name))
    }

    /// Which recorded figures of a board to compare.
    fn rows(&self, board: &Board) -> Rows {
        if self.is_whole() || board.name == board::DEFAULT { Rows::All } else { Rows::Sample }
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
        return cover(workspace, &boards, &jobs, &options);
    }
    if options.replay {
        if jobs.is_empty() {
            return Err(no_test(workspace, &options.filter)?);
        }
        sdk::build(workspace)?;
        replay::build()?;
        return run_all(workspace, &jobs, Tally::default(), None).finish();
    }
    let compared = boards.iter().filter(|board| !options.quick && options.select(&figures(board)));
    let compared: Vec<_> = compared.collect();
    let parts = [HOST, cothreads::NAME, HEADERS, SDK, large::TEST, traces::TEST]
        .map(|part| if options.quick { part == HOST } else { options.selects_part(part) });
    let needs_sdk = parts[3] || parts[4] || parts[5] || !jobs.is_empty() || !compared.is_empty();
    let phases = parts.into_iter().filter(|part| *part).count();
    let mut steps = Steps::new(phases + usize::from(!jobs.is_empty()) + compared.len());
    let mut tally = Tally::default();
    if parts[0] {
        steps.next("building and running host tests");
        let begun = Instant::now();
        let verdict = if options.quick { host_tests::run_quickly()? } else { host_tests::run(workspace)? };
        tally.add(HOST, begun, &verdict);
    }
    if parts[1] {
        steps.next("building and running the cothread library");
        tally.add(cothreads::NAME, Instant::now(), &cothreads::run(workspace)?);
    }
    if parts[2] {
        steps.next("compiling headers");
        tally.add(HEADERS, Instant::now(), &Verdict::single(check::sdk_headers(workspace)));
    }
    if needs_sdk {
        let begun = Instant::now();
        if let Err(failure) = sdk::build(workspace) {
            tally.add(SDK, begun, &Verdict::single(Err(failure)));
            return tally.finish();
        }
    }
    if parts[3] {
        steps.next("testing the SDK");
        tally.add(SDK, Instant::now(), &sdk_tests::run(workspace));
    }
    if parts[4] {
        steps.next("measuring the tool on large descriptions");
        tally.add(large::TEST, Instant::now(), &large::run(workspace)?);
    }
    if parts[5] {
        steps.next("recording traces");
        tally.add(traces::TEST, Instant::now(), &traces::run(workspace, &boards));
    }
    if jobs.iter().any(|job| job.replays) {
        let begun = Instant::now();
        if let Err(failure) = replay::build() {
            tally.add(replay::PACKAGE, begun, &Verdict::single(Err(failure)));
            return tally.finish();
        }
    }
    if !jobs.is_empty() {
        steps.next("running systems");
        tally = run_all(workspace, &jobs, tally, None);
    }
    for board in compared {
        steps.next(&figures(board));
        let begun = Instant::now();
        if let Some(outcome) = bench::compare_with_record(workspace, board, options.rows(board)) {
            let verdict = outcome.unwrap_or_else(|failure| Verdict::single(Err(failure)));
            tally.add(&figures(board), begun, &verdict);
        }
    }
    if tally.is_empty() {
        return Err(no_test(workspace, &options.filter)?);
    }
    tally.finish()
}

/// Runs systems and host tests, and reports which lines of the kernel they execute.
fn cover(workspace: &Workspace, boards: &[Board], jobs: &[Job], options: &Options) -> Outcome {
    let has_host_tests = options.select(HOST);
    if jobs.is_empty() && !has_host_tests {
        return Err(no_test(workspace, &options.filter)?);
    }
    sdk::build(workspace)?;
    let mut tally = Tally::default();
    let mut by_host_tests = None;
    if has_host_tests {
        progress::show("building and running host tests of the kernel");
        let begun = Instant::now();
        let (verdict, lines) = host_coverage::run(workspace)?;
        tally.add(HOST, begun, &verdict);
        by_host_tests = Some(lines);
    }
    let usual = boards.iter().filter(|board| options.run_everything_on(board));
    let kernels = usual.map(|board| workspace.kernel(&board.name, CONFIGS[0]));
    let coverage = Coverage::new(kernels, by_host_tests);
    let tally = run_all(workspace, jobs, tally, Some(&coverage));
    coverage.report(workspace)?;
    tally.finish()
}

fn parse(mut arguments: lexopt::Parser) -> Outcome<Options> {
    let mut options = Options {
        filter: String::new(),
        board: None,
        all: false,
        coverage: false,
        quick: false,
        replay: false,
        trace_limit: Limit::of_gib(MOST_GIB),
    };
    while let Some(argument) = arguments.next()? {
        match argument {
            Long("board") => options.board = Some(arguments.value()?.string()?),
            Long("all") => options.all = true,
            Long("coverage") => options.coverage = true,
            Long("quick") => options.quick = true,
            Long("trace-limit") => {
                let gib = arguments.value()?.parse_with(str::parse::<NonZeroU32>)?;
                options.trace_limit = Limit::of_gib(gib.get());
            }
            Long("replay") => options.replay = true,
            // A shell completes folders with a slash.
            Value(filter) => options.filter = filter.string()?.trim_end_matches('/').to_owned(),
            other => return Err(other.unexpected().into()),
        }
    }
    if options.replay && (options.quick || options.coverage) {
        return Err(Failure::new("--replay runs systems by itself; remove --quick or --coverage".to_owned()));
    }
    if options.quick && (options.coverage || options.all || !options.filter.is_empty()) {
        return Err(Failure::new(
            "--quick chooses the tests; remove FILTER, --coverage, --all or --quick".to_owned(),
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
    /// How long each took.
    times: Vec<(Duration, String)>,
    /// The name of each that failed, and what it reports.
    failures: Vec<(String, Vec<String>)>,
}

impl Tally {
    /// Adds a test that began at this time and has ended.
    fn add(&mut self, name: &str, begun: Instant, verdict: &Verdict) {
        progress::clear();
        self.judged += 1;
        let time = begun.elapsed();
        self.passed += verdict.passed;
        self.failed += verdict.complaints.len();
        let word = if verdict.complaints.is_empty() { "ok" } else { "FAILED" };
        let (passed, failed) = (verdict.passed, verdict.complaints.len());
        println!("{word:6} {name}: {passed} passed, {failed} failed in {:.1} s", time.as_secs_f64());
        self.times.push((time, name.to_owned()));
        for note in &verdict.notes {
            println!("       {note}");
        }
        show(&verdict.complaints);
        if !verdict.complaints.is_empty() {
            self.failures.push((name.to_owned(), verdict.complaints.clone()));
        }
    }

    fn is_empty(&self) -> bool {
        self.judged == 0
    }

    fn finish(mut self) -> Outcome {
        if self.judged > SLOWEST {
            self.times.sort_by(|one, other| other.cmp(one));
            println!("slowest of {}, in seconds:", self.judged);
            for (time, name) in self.times.iter().take(SLOWEST) {
                println!("{:6} {name}", time.as_secs());
            }
        }
        // The first report is far above, between others.
        for (name, complaints) in self.failures.iter().filter(|_| self.judged > 1) {
            println!("FAILED {name}");
            show(complaints);
            println!("       to repeat it: ./x test '{}'", name.trim_start_matches(&replayed("")));
        }
        println!("{} passed, {} failed", self.passed, self.failed);
        if self.failed == 0 { Ok(()) } else { Err(Failure::explained()) }
    }
}

/// Prints what a test reports.
fn show(complaints: &[String]) {
    for complaint in complaints {
        println!("       {}", complaint.replace('\n', "\n       "));
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
    trace_limit: Limit,
    /// Whether the run is recorded and replayed.
    replays: bool,
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
    let trace_limit = options.trace_limit;
    let mut jobs = Vec::new();
    for (shelf, judge) in [("tests", (|| Judge::Suite) as fn() -> Judge), ("examples", || Judge::Example)] {
        for project in Project::on_shelf(workspace, shelf)? {
            let suite = Suite::of(&project)?;
            suite.check_variants(&all_boards).context(|| project.name.clone())?;
            let is_example = shelf == "examples";
            if is_example && Expected::of(&project)?.is_none() {
                continue;
            }
            let configs = |board: &Board| match is_example {
                true => suite.example_configs(&board.name),
                false => suite.configs(&board.name),
            };
            let runs =
                |board: &&Board| options.run_everything_on(board) || !is_example && suite.names(&board.name);
            let candidates =
                boards.iter().filter(runs).map(|board| Candidate { board, configs: configs(board) });
            let mut places: Vec<_> = candidates.filter(|candidate| !candidate.configs.is_empty()).collect();
            if !options.is_whole() && !options.quick {
                places = selection::places(&project.name, places);
            }
            for Candidate { board, configs: chosen } in places {
                for config in configs(board) {
                    let mut boards = boards_for(&suite, board, &config)?;
                    // Variants run wherever the project does, in their own configuration.
                    if !chosen.contains(&config) {
                        boards.remove(0);
                    }
                    let (project, judge) = (project.clone(), judge());
                    jobs.push(Job { project, boards, config, judge, replays: false, trace_limit });
                }
            }
        }
    }
    let usual = boards.iter().filter(|board| options.run_everything_on(board));
    let cases = || CASES.iter().filter(|case| OFFERS_SMP || !is_smp(case.config));
    for (board, case) in usual.flat_map(|board| cases().map(move |case| (board, case))) {
        if let Some(project) = case.project(workspace, board) {
            let (boards, config) = (vec![board.for_config(case.config)?], case.config.to_owned());
            jobs.push(Job { project, boards, config, judge: Judge::Boot(case), replays: false, trace_limit });
        }
    }
    for job in &mut jobs {
        let (project, config) = (&job.project, &job.config);
        job.boards.retain(|board| match options.quick {
            true => quick::selects(project, board, config),
            false => options.select(&name(project, board, config)),
        });
    }
    if options.replay {
        jobs.retain(|job| !matches!(job.judge, Judge::Boot(_)));
        jobs.iter_mut().for_each(|job| job.replays = true);
    } else if !options.quick && !options.coverage {
        jobs.extend(usual_replays(workspace, boards, options)?);
    }
    jobs.retain(|job| !job.boards.is_empty());
    Ok(jobs)
}

/// The board with the emulator's command for a configuration, then the same with the suite's variants.
fn boards_for(suite: &Suite, board: &Board, config: &str) -> Outcome<Vec<Board>> {
    let board = board.for_config(config)?;
    let variants: Vec<_> = suite.variants_of(&board, config).collect();
    Ok([vec![board], variants].concat())
}

/// A replay of one suite on one board of each instruction set.
fn usual_replays(workspace: &Workspace, boards: &[Board], options: &Options) -> Outcome<Vec<Job>> {
    let (project, config) = (Project::locate(workspace, replay::SUITE)?, replay::CONFIG);
    let (mut seen, mut jobs) = (BTreeSet::new(), Vec::new());
    for board in boards.iter().filter(|board| options.run_everything_on(board)) {
        let is_first = seen.insert(&board.architecture);
        if is_first && options.select(&replayed(&name(&project, board, config))) {
            let (project, boards, config) = (project.clone(), vec![board.clone()], config.to_owned());
            jobs.push(Job {
                project,
                boards,
                config,
                judge: Judge::Suite,
                replays: true,
                trace_limit: options.trace_limit,
            });
        }
    }
    Ok(jobs)
}

/// The name of a boot that is replayed.
fn replayed(name: &str) -> String {
    format!("replay of {name}")
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
    let of = jobs.iter().map(|job| job.boards.len()).sum();
    let screen = Mutex::new(Screen { started: 0, of, running: Vec::new(), tally });
    let with_screen = |act: &dyn Fn(&mut Screen)| {
        act(&mut screen.lock().unwrap_or_else(PoisonError::into_inner));
    };
    let run = |job: &Job| {
        for board in &job.boards {
            let name = name(&job.project, board, &job.config);
            let name = if job.replays { replayed(&name) } else { name };
            with_screen(&|screen| screen.start(&name));
            let verdict = job.run(workspace, board, coverage);
            let verdict = verdict.unwrap_or_else(|failure| Verdict::single(Err(failure)));
            with_screen(&|screen| screen.finish(&name, &verdict));
        }
    };
    concurrent::map(jobs.iter().collect(), run);
    screen.into_inner().unwrap_or_else(PoisonError::into_inner).tally
}

/// The results so far, and below them the running tests.
struct Screen {
    started: usize,
    of: usize,
    running: Vec<(String, Instant)>,
    tally: Tally,
}

impl Screen {
    fn start(&mut self, name: &str) {
        self.started += 1;
        self.running.push((name.to_owned(), Instant::now()));
        self.show();
    }

    fn finish(&mut self, name: &str, verdict: &Verdict) {
        if let Some(place) = self.running.iter().position(|(running, _)| running == name) {
            let (_, begun) = self.running.remove(place);
            self.tally.add(name, begun, verdict);
        }
        self.show();
    }

    fn show(&self) {
        if self.running.is_empty() {
            return progress::clear();
        }
        let running: Vec<_> = self.running.iter().map(|(name, _)| name.as_str()).collect();
        progress::show(&format!("[{}/{}] {}", self.started, self.of, running.join(", ")));
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
        if self.replays && (suite.injection().is_some() || suite.debugger().is_some()) {
            let note = "not run: a run with a debugger is not recorded".to_owned();
            return Ok(Verdict { notes: vec![note], ..Verdict::default() });
        }
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
        let mut variables: Vec<_> = variables.split_whitespace().collect();
        if self.replays {
            // The variable only tells the image apart from one without a recording.
            variables.push("RECORDED=1");
            let sdk = recording_sdk::make(workspace, recording_sdk::Adds::Recording)?;
            let build = Build { board, config: &self.config, variables: &variables };
            return self.project.build_with(workspace, &build, &sdk);
        }
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
        let replay = self.replays.then(|| Replay::start(workspace, board, &image)).transpose()?;
        let recorded = replay.iter().flat_map(Replay::options);
        let extra = suites.chain(counted.iter().copied()).chain(options_of(&listening));
        let extra: Vec<&str> = extra.chain(recorded).collect();
        let boot = Boot { board, image: &image, extra: &extra, audience, silence };
        let mut expected = match self.judge {
            Judge::Example => Expected::of(&self.project)?,
            Judge::Suite | Judge::Boot(_) => None,
        };
        let mut findings = Verdict::default();
        let kernel = workspace.kernel(&board.name, &self.config);
        let session = if let Some(injection) = suite.injection() {
            let (session, found) = injection.run(&boot, &kernel, self.trace_limit)?;
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
        let replayed = replay.map(Replay::finish).transpose()?;
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
        verdict.add(replayed.unwrap_or_default());
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
        let select = |filter: &str, name| parse(lexopt::Parser::from_args([filter])).unwrap().select(name);
        assert!(select("", HOST) && select("hostile", "tests/hostile on b (debug)"));
        assert!(select("host", HOST) && !select("host", "tests/hostile on b (debug)"));
    }

    #[test]
    fn quick_excludes_a_filter_and_coverage() {
        let quick = |words: &[&str]| parse(lexopt::Parser::from_args(words)).map(|options| options.quick);
        assert!(quick(&["--quick"]).unwrap() && quick(&["--quick", "--board", "x86_64_generic"]).unwrap());
        assert!(!quick(&["calls"]).unwrap());
        for words in
            [["--quick", "calls"], ["calls", "--quick"], ["--coverage", "--quick"], ["--all", "--quick"]]
        {
            let failure = quick(&words).unwrap_err().to_string();
            assert_eq!(failure, "--quick chooses the tests; remove FILTER, --coverage, --all or --quick");
        }
    }

    #[test]
    fn a_filter_or_a_board_selects_everything_that_matches() {
        let options = |words: &[&str]| parse(lexopt::Parser::from_args(words)).unwrap();
        for words in [&["--all"][..], &["--board", "zcu102"], &["tests/calls"], &["--coverage"]] {
            assert!(options(words).is_whole(), "{words:?}");
        }
        assert!(!options(&[]).is_whole());
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
