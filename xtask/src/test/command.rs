//! `./x test`: host tests, headers, then every on-target suite and example on every board.

use std::cell::Cell;
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
use crate::run::qemu::{self, Audience, Boot, Session, Watch};
use crate::sdk;
use crate::shell::concurrent;
use crate::shell::files;
use crate::shell::progress::{self, Steps};
use crate::test::boot_case::{CASES, Case};
use crate::test::busy::Busy;
use crate::test::cothreads;
use crate::test::coverage::{Coverage, Executed};
use crate::test::docs;
use crate::test::gdb;
use crate::test::host_coverage;
use crate::test::host_tests;
use crate::test::large;
use crate::test::quick::Choice;
use crate::test::record::{self, Phase};
use crate::test::replay::{self, Replay};
use crate::test::sdk_tests;
use crate::test::selection::{self, Candidate};
use crate::test::suite::{Place, Suite, Verdict};
use crate::test::tally::{REPLAY_OF, Tally, Terms};
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
       ./x test --repeat N FILTER [--beside M] [--board BOARD] [--replay]
       ./x test --failed [--repeat N [--beside M]]

Runs the tests of the host crates (`host`) and of the cothread library on this machine (`cothreads on the
host`), and tests the finished SDK (`sdk`). With --all, also compiles every header of the SDK (`headers`) and checks how
the tool's cost grows with descriptions (`large descriptions`), and runs the commands that the documents show (`docs`).
Records and reads traces of systems (`traces`). Then boots,
on every board, the suites under tests/ in debug and release, the examples with an expected.txt in debug or
where their suite.toml says, and unusual boots (`boot/...`). Replays a suite on one board of each instruction set, and
compares the cost of paths with the records in bench/golden (`figures`). Suites and examples that ask for variants of a
board boot once more with them, in debug. Ends with the slowest tests, and a line `N passed, N failed`.

Without FILTER, --board and --all, each system boots on the usual board of each instruction set, in one of its configurations
in turn; those that depend on a board's devices boot on every board. Further boards than the default one compare a sample of
their figures. docs/testing.md has the rules. build/test.json has the result and the time of each test.

  FILTER              run only tests whose name contains this, as in `host` or `tests/ipc on qemu_virt_aarch64`
  --board BOARD       run only on this board; older names work as well
  --all               run everything: each system in all configurations on every board, and all figures
  --quick             run what a change reaches: the host tests of the crates whose files differ from origin/main and of
                      those that use them, and changed or chosen suites in debug on one board of each instruction set
  --failed            run exactly those tests that failed when they last ran
  --repeat N          run everything that FILTER selects N times, count how often each test passed, and fail if one failed
  --beside M          start M busy processes beside the repeated runs, and stop them at the end
  --replay            run only systems: the kernel records each event, and a program on the host executes it with the
                      kernel's core and compares the outcomes
  --coverage          run only systems and the kernel's host tests, slowly: print which part of each file of the kernel
                      they execute, and write a page with the lines that they do not
  --trace-limit GIB   the largest trace file of a suite that injects events, after which the emulator is stopped; default: 2
";

/// Names of the tests without a system.
pub const HOST: &str = "host";
const HEADERS: &str = "headers";
const SDK: &str = "sdk";
/// The first word of the name of a comparison with recorded figures.
const FIGURES: &str = "figures";

/// The largest numbers of `--repeat` and `--beside`.
const MOST_ROUNDS: u32 = 10_000;
const MOST_BESIDE: u32 = 256;

/// How many lines of a failed system's console are shown.
const TAIL: usize = 40;

#[derive(Debug)]
struct Options {
    filter: String,
    /// The tests to run, by their complete names; `None` for those that the filter selects.
    only: Option<BTreeSet<String>>,
    board: Option<String>,
    all: bool,
    coverage: bool,
    failed: bool,
    quick: bool,
    trace_limit: Limit,
    replay: bool,
    /// How often everything runs.
    repeat: Option<u32>,
    /// How many busy processes run beside it.
    beside: u32,
}

impl Options {
    /// The kernel does not depend on a board's name, so everything runs again only if the user asks for the older name.
    fn run_everything_on(&self, board: &Board) -> bool {
        board.renamed.is_none() || self.board.is_some()
    }

    /// Whether everything that matches runs, and not only the [selection].
    fn is_whole(&self) -> bool {
        let selects = self.only.is_some() || self.board.is_some() || !self.filter.is_empty();
        self.all || self.coverage || self.replay || selects
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
                self.beside > 0 && self.repeat.is_none(),
                "--beside loads the machine for repeated runs; add --repeat N",
            ),
        ];
        conflicts.into_iter().find_map(|(applies, sentence)| applies.then_some(sentence))
    }

    /// Whether to run this test without a system. A complete run leaves those to `--all` that `./x check` runs too, or that
    /// take long for what they find.
    fn selects_part(&self, name: &str) -> bool {
        if name == docs::TEST && self.only.is_none() {
            return self.filter == name || self.all && self.filter.is_empty();
        }
        self.select(name) && (self.is_whole() || ![HEADERS, large::TEST].contains(&name))
    }

    /// Which recorded figures of a board to compare.
    fn rows(&self, board: &Board) -> Rows {
        if self.is_whole() || board.name == board::DEFAULT { Rows::All } else { Rows::Sample }
    }

    /// Whether to run the test with this name. A filter that is a complete name selects only that, so `host` does not
    /// select hostile.
    fn select(&self, name: &str) -> bool {
        if let Some(only) = &self.only {
            return only.contains(name);
        }
        let is_whole = [HOST, HEADERS, SDK, docs::TEST].contains(&self.filter.as_str());
        if is_whole { name == self.filter } else { name.contains(&self.filter) }
    }
}

fn run(workspace: &Workspace, arguments: lexopt::Parser) -> Outcome {
    let mut options = parse(arguments)?;
    if options.failed {
        let failing = record::failing(workspace)?;
        if failing.is_empty() {
            println!("nothing to repeat: every test passed when it last ran\n0 passed, 0 failed");
            return Ok(());
        }
        options.only = Some(failing);
    }
    let boards = match &options.board {
        Some(name) => vec![board::named(workspace, name)?],
        None => board::all_names(workspace)?,
    };
    let plan = Plan::of(workspace, &boards, &options)?;
    let (partly, repeats) = (plan.partly(), options.repeat.is_some());
    let mut terms = Terms { partly, repeats, ..Terms::default() };
    if let Some(only) = &options.only {
        let names = plan.names();
        terms.gone = only.difference(&names).cloned().collect();
        for name in &terms.gone {
            println!("gone   {name}: there is no such test any more");
        }
    } else if plan.is_empty() && options.quick {
        println!("nothing to run\n0 passed, 0 failed");
        return Ok(());
    } else if plan.is_empty() {
        return Err(no_test(workspace, &options.filter)?);
    }
    let mut tally = Tally::begin();
    if options.coverage {
        cover(workspace, &plan, &mut tally)?;
        return tally.finish(workspace, &terms);
    }
    let has_sdk = plan.needs_sdk() && build_sdk(workspace, &mut tally);
    let _busy = Busy::start(options.beside)?;
    for _ in 0..options.repeat.unwrap_or(1) {
        plan.run(workspace, has_sdk, &mut tally);
    }
    if tally.is_empty() && options.only.is_none() {
        return Err(no_test(workspace, &options.filter)?);
    }
    tally.finish(workspace, &terms)
}

/// Builds the SDK; returns whether it exists.
fn build_sdk(workspace: &Workspace, tally: &mut Tally) -> bool {
    let begun = Instant::now();
    match sdk::build(workspace) {
        Ok(()) => {
            tally.built_sdk(begun.elapsed());
            true
        }
        Err(failure) => {
            tally.add(SDK, Phase::Building, begun, &Verdict::failed(failure));
            false
        }
    }
}

/// The tests of a run.
struct Plan<'a> {
    options: &'a Options,
    /// The tests that a change reaches, for a quick run.
    quick: Option<Choice>,
    boards: &'a [Board],
    /// The tests without a system.
    parts: Vec<&'static Part>,
    jobs: Vec<Job>,
    /// The boards of which figures are compared.
    compared: Vec<&'a Board>,
}

/// A test without a system, or with systems of its own.
struct Part {
    name: &'static str,
    phase: Phase,
    /// Its description, for display.
    step: &'static str,
    needs_sdk: bool,
    judge: fn(&Workspace, &Plan<'_>) -> Outcome<Verdict>,
}

/// Every such test, in the order in which they run.
static PARTS: [Part; 7] = [
    Part {
        name: HOST,
        phase: Phase::HostTests,
        step: "building and running host tests",
        needs_sdk: false,
        judge: |workspace, plan| match &plan.quick {
            Some(choice) => host_tests::run_quickly(workspace, choice),
            None => host_tests::run(workspace),
        },
    },
    Part {
        name: cothreads::NAME,
        phase: Phase::HostTests,
        step: "building and running the cothread library",
        needs_sdk: false,
        judge: |workspace, _| cothreads::run(workspace),
    },
    Part {
        name: HEADERS,
        phase: Phase::SdkTests,
        step: "compiling headers",
        needs_sdk: false,
        judge: |workspace, _| Ok(Verdict::single(check::sdk_headers(workspace))),
    },
    Part {
        name: SDK,
        phase: Phase::SdkTests,
        step: "testing the SDK",
        needs_sdk: true,
        judge: |workspace, _| Ok(sdk_tests::run(workspace)),
    },
    Part {
        name: large::TEST,
        phase: Phase::SdkTests,
        step: "measuring the tool on large descriptions",
        needs_sdk: true,
        judge: |workspace, _| large::run(workspace),
    },
    Part {
        name: traces::TEST,
        phase: Phase::SdkTests,
        step: "recording traces",
        needs_sdk: true,
        judge: |workspace, plan| Ok(traces::run(workspace, plan.boards)),
    },
    Part {
        name: docs::TEST,
        phase: Phase::SdkTests,
        step: "running the commands of the documents",
        needs_sdk: true,
        judge: |workspace, _| docs::run(workspace),
    },
];

impl<'a> Plan<'a> {
    fn of(workspace: &Workspace, boards: &'a [Board], options: &'a Options) -> Outcome<Self> {
        let quick = options.quick.then(|| Choice::of(workspace)).transpose()?;
        let mut jobs = jobs(workspace, boards, options, quick.as_ref())?;
        if let Some(choice) = &quick {
            choice.notes.iter().for_each(|note| println!("{note}"));
            for Job { project, boards, .. } in choice.limit(&mut jobs, |job| &job.project.name) {
                println!("left out: {} on {}", project.name, boards[0].name);
            }
        }
        let has_only_systems = options.coverage || options.replay;
        let selects = |part: &&Part| match (&quick, part.name) {
            (Some(choice), name) => choice.selects_part(name),
            (None, HOST) if options.coverage => options.select(HOST),
            (None, name) => !has_only_systems && options.selects_part(name),
        };
        let parts = PARTS.iter().filter(selects).collect();
        let has_figures =
            |board: &&Board| quick.is_none() && !has_only_systems && options.select(&figures(board));
        let compared = boards.iter().filter(has_figures).collect();
        Ok(Self { options, quick, boards, parts, jobs, compared })
    }

    fn is_empty(&self) -> bool {
        self.parts.is_empty() && self.jobs.is_empty() && self.compared.is_empty()
    }

    fn needs_sdk(&self) -> bool {
        !self.jobs.is_empty() || !self.compared.is_empty() || self.parts.iter().any(|part| part.needs_sdk)
    }

    /// The name of each test.
    fn names(&self) -> BTreeSet<String> {
        let parts = self.parts.iter().map(|part| part.name.to_owned());
        let boots = self.jobs.iter().flat_map(|job| job.boards.iter().map(|board| job.name(board)));
        parts.chain(boots).chain(self.compared.iter().map(|board| figures(board))).collect()
    }

    /// The tests of which this run executes only a part.
    fn partly(&self) -> Vec<String> {
        let host = (self.options.quick || self.options.coverage).then(|| HOST.to_owned());
        let samples = self.compared.iter().filter(|board| self.options.rows(board) == Rows::Sample);
        host.into_iter().chain(samples.map(|board| figures(board))).collect()
    }

    /// Runs everything that can run without the SDK, or everything.
    fn run(&self, workspace: &Workspace, has_sdk: bool, tally: &mut Tally) {
        let parts = self.parts.iter().filter(|part| has_sdk || !part.needs_sdk);
        let (jobs, compared) =
            if has_sdk { (self.jobs.as_slice(), self.compared.as_slice()) } else { (&[][..], &[][..]) };
        let mut steps = Steps::new(parts.clone().count() + usize::from(!jobs.is_empty()) + compared.len());
        for part in parts {
            steps.next(part.step);
            let begun = Instant::now();
            let verdict = (part.judge)(workspace, self).unwrap_or_else(Verdict::failed);
            tally.add(part.name, part.phase, begun, &verdict);
        }
        if !jobs.is_empty() {
            steps.next("running systems");
            run_all(workspace, jobs, tally, None);
        }
        for board in compared {
            steps.next(&figures(board));
            let begun = Instant::now();
            if let Some(outcome) = bench::compare_with_record(workspace, board, self.options.rows(board)) {
                tally.add(&figures(board), Phase::Figures, begun, &outcome.unwrap_or_else(Verdict::failed));
            }
        }
    }
}

/// Runs systems and host tests, and reports which lines of the kernel they execute.
fn cover(workspace: &Workspace, plan: &Plan<'_>, tally: &mut Tally) -> Outcome {
    sdk::build(workspace)?;
    let mut by_host_tests = None;
    if plan.parts.iter().any(|part| part.name == HOST) {
        progress::show("building and running host tests of the kernel");
        let begun = Instant::now();
        let (verdict, lines) = host_coverage::run(workspace)?;
        tally.add(HOST, Phase::HostTests, begun, &verdict);
        by_host_tests = Some(lines);
    }
    let usual = plan.boards.iter().filter(|board| plan.options.run_everything_on(board));
    let kernels = usual.map(|board| workspace.kernel(&board.name, CONFIGS[0]));
    let coverage = Coverage::new(kernels, by_host_tests);
    run_all(workspace, &plan.jobs, tally, Some(&coverage));
    coverage.report(workspace)
}

fn parse(mut arguments: lexopt::Parser) -> Outcome<Options> {
    let mut options = Options {
        filter: String::new(),
        only: None,
        board: None,
        all: false,
        coverage: false,
        failed: false,
        quick: false,
        replay: false,
        repeat: None,
        beside: 0,
        trace_limit: Limit::of_gib(MOST_GIB),
    };
    while let Some(argument) = arguments.next()? {
        match argument {
            Long("board") => options.board = Some(arguments.value()?.string()?),
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
            // A shell completes folders with a slash.
            Value(filter) => options.filter = filter.string()?.trim_end_matches('/').to_owned(),
            other => return Err(other.unexpected().into()),
        }
    }
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

/// The failure for a filter that matches no name. Boards and configurations follow the word `on`.
fn no_test(workspace: &Workspace, filter: &str) -> Outcome<Failure> {
    let mut names = [HOST, cothreads::NAME, HEADERS, SDK, large::TEST, traces::TEST, docs::TEST, FIGURES]
        .map(str::to_owned)
        .to_vec();
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
#[derive(Clone)]
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

#[derive(Clone, Copy)]
enum Judge {
    /// By the lines of its tests.
    Suite,
    /// By the lines of `expected.txt` and the patterns of `suite.toml`.
    Example,
    /// By the line of an unusual boot.
    Boot(&'static Case),
}

fn jobs(
    workspace: &Workspace,
    boards: &[Board],
    options: &Options,
    quick: Option<&Choice>,
) -> Outcome<Vec<Job>> {
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
            if let Some(choice) = quick {
                places = choice.places(&project.name, places);
            } else if !options.is_whole() {
                places = selection::places(&project.name, places);
            }
            for Candidate { board, configs: chosen } in places {
                for config in configs(board) {
                    let mut boards = boards_for(&suite, board, &config)?;
                    // Variants run wherever the project does, in their own configuration.
                    if !chosen.contains(&config) {
                        boards.remove(0);
                    }
                    if quick.is_some() {
                        boards.retain(|board| board.chosen.is_empty());
                    }
                    let (project, judge) = (project.clone(), judge());
                    jobs.push(Job { project, boards, config, judge, replays: false, trace_limit });
                }
            }
        }
    }
    if quick.is_some() {
        jobs.retain(|job: &Job| !job.boards.is_empty());
        return Ok(jobs);
    }
    let usual = boards.iter().filter(|board| options.run_everything_on(board));
    let cases = || CASES.iter().filter(|case| OFFERS_SMP || !is_smp(case.config));
    for (board, case) in usual.flat_map(|board| cases().map(move |case| (board, case))) {
        if let Some(project) = case.project(workspace, board) {
            let (boards, config) = (vec![board.for_config(case.config)?], case.config.to_owned());
            jobs.push(Job { project, boards, config, judge: Judge::Boot(case), replays: false, trace_limit });
        }
    }
    // Failures of every kind are repeated.
    let replays = match options.only {
        Some(_) => jobs.iter().filter_map(Job::replay).collect(),
        None => Vec::new(),
    };
    jobs.extend(replays);
    for job in &mut jobs {
        let names: Vec<_> = job.boards.iter().map(|board| job.name(board)).collect();
        let mut names = names.iter();
        job.boards.retain(|_| names.next().is_some_and(|name| options.select(name)));
    }
    if options.replay {
        jobs = jobs.iter().filter_map(Job::replay).collect();
    } else if !options.coverage && options.only.is_none() {
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
    format!("{REPLAY_OF}{name}")
}

/// The name of a boot, for display and filters.
fn name(project: &Project, board: &Board, config: &str) -> String {
    format!("{} on {} ({config})", project.name, board.title())
}

/// The name of a comparison with recorded figures, for display and filters.
fn figures(board: &Board) -> String {
    format!("{FIGURES} on {}", board.title())
}

fn run_all(workspace: &Workspace, jobs: &[Job], tally: &mut Tally, coverage: Option<&Coverage>) {
    let of = jobs.iter().map(|job| job.boards.len()).sum();
    let screen = Mutex::new(Screen { started: 0, of, running: Vec::new(), tally });
    let with_screen = |act: &dyn Fn(&mut Screen<'_>)| {
        act(&mut screen.lock().unwrap_or_else(PoisonError::into_inner));
    };
    let run = |job: &Job| {
        for board in &job.boards {
            let name = job.name(board);
            with_screen(&|screen| screen.start(&name));
            let run = Run { workspace, job, board, coverage, building: Cell::default() };
            let verdict = run.judge().unwrap_or_else(Verdict::failed);
            with_screen(&|screen| screen.finish(&name, run.building.get(), &verdict));
        }
    };
    concurrent::map(jobs.iter().collect(), run);
}

/// The results so far, and below them the running tests.
struct Screen<'a> {
    started: usize,
    of: usize,
    running: Vec<(String, Instant)>,
    tally: &'a mut Tally,
}

impl Screen<'_> {
    fn start(&mut self, name: &str) {
        self.started += 1;
        self.running.push((name.to_owned(), Instant::now()));
        self.show();
    }

    fn finish(&mut self, name: &str, building: Duration, verdict: &Verdict) {
        if let Some(place) = self.running.iter().position(|(running, _)| running == name) {
            let (_, begun) = self.running.remove(place);
            self.tally.add_built(name, Phase::Emulation, begun, building, verdict);
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
    /// The name of its boot on one of its boards.
    fn name(&self, board: &Board) -> String {
        let name = name(&self.project, board, &self.config);
        if self.replays { replayed(&name) } else { name }
    }

    /// The same, recorded and replayed; `None` for unusual boots.
    fn replay(&self) -> Option<Self> {
        (!matches!(self.judge, Judge::Boot(_))).then(|| Self { replays: true, ..self.clone() })
    }
}

/// A job on one of its boards.
struct Run<'a> {
    workspace: &'a Workspace,
    job: &'a Job,
    board: &'a Board,
    coverage: Option<&'a Coverage>,
    /// How long its systems took to build.
    building: Cell<Duration>,
}

impl Run<'_> {
    fn judge(&self) -> Outcome<Verdict> {
        let Self { workspace, job, board, coverage, .. } = *self;
        if let Judge::Boot(case) = job.judge {
            let image = case.image(&self.build("")?)?;
            let listening = Coverage::watch(coverage, workspace, board, &image)?;
            let verdict = boot(workspace, board, &image, case, &options_of(&listening));
            Coverage::add(coverage, listening, workspace.kernel(&board.name, &job.config))?;
            return verdict;
        }
        let suite = Suite::of(&job.project)?;
        if job.replays && (suite.injection().is_some() || suite.debugger().is_some()) {
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
        if let Some(reason) = python::not_installable(workspace, &job.project)? {
            return Ok(Verdict { notes: vec![reason], ..Verdict::default() });
        }
        let (mut verdict, mut consoles) = (Verdict::default(), Consoles::new());
        for build in suite.builds(&board.architecture) {
            let (found, console) = self.run_build(&suite, &build)?;
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

    fn build(&self, variables: &str) -> Outcome<PathBuf> {
        let begun = Instant::now();
        let image = self.image(variables);
        self.building.set(self.building.get() + begun.elapsed());
        image
    }

    /// The image, which is built, and the program that replays its run.
    fn image(&self, variables: &str) -> Outcome<PathBuf> {
        let Self { workspace, job, board, .. } = *self;
        let mut variables: Vec<_> = variables.split_whitespace().collect();
        if job.replays {
            replay::build()?;
            // The variable only tells the image apart from one without a recording.
            variables.push("RECORDED=1");
            let sdk = recording_sdk::make(workspace, recording_sdk::Adds::Recording)?;
            let build = Build { board, config: &job.config, variables: &variables };
            return job.project.build_with(workspace, &build, &sdk);
        }
        job.project.build(workspace, &Build { board, config: &job.config, variables: &variables })
    }

    /// Boots one build of the system, and returns its console and verdict.
    fn run_build(&self, suite: &Suite, build: &str) -> Outcome<(Verdict, Vec<String>)> {
        let Self { workspace, job, board, coverage, .. } = *self;
        let image = self.build(build)?;
        let listening = Coverage::watch(coverage, workspace, board, &image)?;
        let audience = if suite.load().is_some() { Audience::Typist } else { Audience::Nobody };
        let (counted, silence): (&[&str], _) = match suite.deterministic {
            true => (&qemu::DETERMINISTIC, qemu::COUNTED_SILENCE),
            false => (&[], qemu::SILENCE),
        };
        let silence = Some(silence);
        let suites = suite.qemu().iter().map(String::as_str);
        let replay = job.replays.then(|| Replay::start(workspace, board, &image)).transpose()?;
        let recorded = replay.iter().flat_map(Replay::options);
        let extra = suites.chain(counted.iter().copied()).chain(options_of(&listening));
        let extra: Vec<&str> = extra.chain(recorded).collect();
        let boot = Boot { board, image: &image, extra: &extra, audience, silence };
        let mut expected = match job.judge {
            Judge::Example => Expected::of(&job.project)?,
            Judge::Suite | Judge::Boot(_) => None,
        };
        let mut findings = Verdict::default();
        let kernel = workspace.kernel(&board.name, &job.config);
        let session = if let Some(injection) = suite.injection() {
            let (session, found) = injection.run(&boot, &kernel, job.trace_limit)?;
            findings = found;
            Ok(session)
        } else if let Some(commands) = suite.debugger() {
            gdb::run(workspace, &boot, &job.config, &job.project.folder.join(commands), |line| {
                expected.iter_mut().for_each(|expected| _ = expected.complete_with(line));
            })
        } else {
            // An emulator that counts does not answer while the machine is idle.
            let inspection = Inspection::of(workspace, board, &job.config, &image);
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
        let symboliser = faults::symboliser(workspace, board, &job.config, &image);
        session.lines.extend(faults::explained(symboliser, &session.lines));
        let state = session.state.iter().flat_map(|state| state.lines());
        session.lines.extend(state.map(str::to_owned));
        let (config, architecture) = (job.config.as_str(), board.architecture.as_str());
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
        keep(workspace, &image.with_file_name(file + ".txt"), &session, &mut verdict)?;
        Ok((verdict, session.lines))
    }
}

/// The emulator's options for a run that may be watched.
fn options_of(listening: &Option<Listening<Executed>>) -> Vec<&str> {
    listening.iter().flat_map(Listening::options).collect()
}

fn boot(
    workspace: &Workspace,
    board: &Board,
    image: &Path,
    case: &Case,
    options: &[&str],
) -> Outcome<Verdict> {
    let (audience, silence) = (Audience::Nobody, Some(qemu::SILENCE));
    let extra = [case.arguments, options].concat();
    let boot = Boot { board, image, extra: &extra, audience, silence };
    let session = boot.run(|line| case.is_seen(line))?;
    let mut verdict = Verdict::single(case.judge(&session));
    keep(workspace, &image.with_file_name("console.txt"), &session, &mut verdict)?;
    Ok(verdict)
}

/// Keeps the console in a file. If a test failed, its report ends with the file, the console's end and the seed that the
/// system printed.
fn keep(workspace: &Workspace, file: &Path, session: &Session, verdict: &mut Verdict) -> Outcome {
    files::write(file, session.lines.join("\n") + "\n")?;
    if let Some(last) = verdict.complaints.last_mut() {
        last.push_str(&console_of_failure(&session.lines, &workspace.display(file)));
    }
    Ok(())
}

/// The part of a report that is about the console.
fn console_of_failure(lines: &[String], file: &str) -> String {
    let prints_seed = |line: &&String| {
        !line.starts_with("TEST ") && line.to_ascii_lowercase().contains("seed") && line.contains("0x")
    };
    let seed = lines.iter().find(prints_seed).map_or(String::new(), |line| format!("\nits seed: {line}"));
    let tail = &lines[lines.len().saturating_sub(TAIL)..];
    let shown: String = tail.iter().map(|line| format!("\n| {line}")).collect();
    format!("{seed}\nend of the console ({file}):{shown}")
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
    fn failures_are_selected_by_their_complete_names() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let workspace = Workspace::at(&root, &root);
        let boards = board::all_names(&workspace).unwrap();
        let names = [
            HEADERS,
            "boot/damaged_image on zcu102 (release)",
            "figures on x86_64_generic",
            "replay of tests/timer on qemu_virt_riscv64 (debug)",
            "tests/calls on qemu_virt_aarch64 (release)",
        ];
        let mut options = parsed(&["--failed"]).unwrap();
        let selected = |options: &Options| Plan::of(&workspace, &boards, options).unwrap().names();
        let wanted: BTreeSet<_> = names.map(str::to_owned).into();
        options.only = Some(&wanted | &BTreeSet::from(["tests/gone on zcu102 (debug)".to_owned()]));
        assert_eq!(selected(&options), wanted);
        options.only = Some(BTreeSet::from(["tests/calls".to_owned()]));
        assert!(selected(&options).is_empty());
    }

    #[test]
    fn the_console_of_a_failure_ends_its_report() {
        let lines = ["TEST seed_0x1 PASS", "ADVERSARIES SEED=0x12", "last"].map(str::to_owned);
        assert_eq!(
            console_of_failure(&lines, "build/console.txt"),
            "\nits seed: ADVERSARIES SEED=0x12\nend of the console (build/console.txt):\n\
             | TEST seed_0x1 PASS\n| ADVERSARIES SEED=0x12\n| last"
        );
        let long: Vec<_> = (0..TAIL + 9).map(|number| number.to_string()).collect();
        let told = console_of_failure(&long, "console.txt");
        assert!(told.starts_with("\nend of the console (console.txt):\n| 9\n"), "{told}");
    }

    #[test]
    fn a_filter_or_a_board_selects_everything_that_matches() {
        let options = |words: &[&str]| parsed(words).unwrap();
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
