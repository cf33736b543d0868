//! The systems that a run boots, each in one configuration.

use std::collections::BTreeSet;

use crate::bench::trace::Limit;
use crate::failure::{Context, Outcome};
use crate::run::board::{self, Board};
use crate::run::expected::Expected;
use crate::run::project::Project;
use crate::simulated_core;
use crate::test::boot_case::{CASES, Case};
use crate::test::injection::{Injection, Places};
use crate::test::options::Options;
use crate::test::quick::Choice;
use crate::test::replay;
use crate::test::selection::{self, Candidate};
use crate::test::suite::Suite;
use crate::test::tally::REPLAY_OF;
use crate::workspace::{OFFERS_SMP, Workspace, is_smp};

/// A system to boot, and how to judge its output.
#[derive(Clone)]
pub struct Job {
    pub project: Project,
    /// The board, and the same one with variants. They run in turn, because they share the build.
    pub boards: Vec<Board>,
    pub config: String,
    pub judge: Judge,
    pub trace_limit: Limit,
    /// Which places of an injection are taken.
    pub places: Places,
    /// Whether the run is recorded and replayed.
    pub replays: bool,
}

/// How the output of a system is judged.
#[derive(Clone, Copy)]
pub enum Judge {
    /// By the lines of its tests.
    Suite,
    /// By the lines of `expected.txt` and the patterns of `suite.toml`.
    Example,
    /// By the line of an unusual boot.
    Boot(&'static Case),
}

impl Job {
    /// The name of its boot on one of its boards.
    pub fn name(&self, board: &Board) -> String {
        let name = name(&self.project, board, &self.config);
        if self.replays { replayed(&name) } else { name }
    }

    /// The same, recorded and replayed; `None` for unusual boots.
    pub fn replay(&self) -> Option<Self> {
        (!matches!(self.judge, Judge::Boot(_))).then(|| Self { replays: true, ..self.clone() })
    }
}

/// The systems to boot, without those that nothing selects.
///
/// # Errors
/// When a suite or a board cannot be read.
pub fn select(
    workspace: &Workspace,
    boards: &[Board],
    options: &Options,
    quick: Option<&Choice>,
) -> Outcome<Vec<Job>> {
    let all_boards = board::all(workspace)?;
    let trace_limit = options.trace_limit;
    let choosing = Choosing { workspace, boards, options, quick };
    let mut jobs = Vec::new();
    for (shelf, judge) in [("tests", Judge::Suite), ("examples", Judge::Example)] {
        for project in Project::on_shelf(workspace, shelf)? {
            let suite = Suite::of(&project)?;
            suite.check_variants(&all_boards).context(|| project.name.clone())?;
            jobs.extend(choosing.jobs(&project, &suite, judge)?);
        }
    }
    if quick.is_some() {
        jobs.retain(|job: &Job| !job.boards.is_empty());
        return Ok(jobs);
    }
    let usual = boards.iter().filter(|board| options.run_everything_on(board) && !board.is_simulated);
    let cases = || CASES.iter().filter(|case| OFFERS_SMP || !is_smp(case.config));
    for (board, case) in usual.flat_map(|board| cases().map(move |case| (board, case))) {
        if let Some(project) = case.project(workspace, board) {
            let (boards, config) = (vec![board.for_config(case.config)?], case.config.to_owned());
            let (judge, places) = (Judge::Boot(case), Places::All);
            jobs.push(Job { project, boards, config, judge, replays: false, trace_limit, places });
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

/// Chooses the systems of suites and examples.
struct Choosing<'a> {
    workspace: &'a Workspace,
    boards: &'a [Board],
    options: &'a Options,
    quick: Option<&'a Choice>,
}

impl Choosing<'_> {
    /// The systems of a project.
    fn jobs(&self, project: &Project, suite: &Suite, judge: Judge) -> Outcome<Vec<Job>> {
        let Self { boards, options, quick, .. } = *self;
        let is_example = matches!(judge, Judge::Example);
        if is_example && Expected::of(project)?.is_none() {
            return Ok(Vec::new());
        }
        let is_sampled = !options.is_whole() && suite.injection().is_some_and(Injection::is_sampled);
        let taken = if is_sampled { Places::Sample } else { Places::All };
        let configs = |board: &Board| {
            let mut configs = match is_example {
                true => suite.example_configs(&board.name),
                false => suite.configs(&board.name),
            };
            // A simulated core may have fewer processors than the board.
            configs.retain(|config| !board.is_simulated || board.has(config));
            configs
        };
        let runs =
            |board: &&Board| options.run_everything_on(board) || !is_example && suite.names(&board.name);
        let candidates = boards.iter().filter(runs).map(|board| Candidate { board, configs: configs(board) });
        let mut places: Vec<_> = candidates.filter(|candidate| !candidate.configs.is_empty()).collect();
        if let Some(choice) = quick {
            places = choice.places(&project.name, places);
        } else if !options.is_whole() {
            places = selection::places(&project.name, places);
        }
        let mut jobs = Vec::new();
        for Candidate { board, configs: chosen } in places {
            let all = configs(board);
            for config in &all {
                let mut boards = boards_for(suite, board, config)?;
                // Variants run wherever the project does, in their own configuration.
                if !chosen.contains(config) {
                    boards.remove(0);
                }
                if quick.is_some() {
                    boards.retain(|board| board.chosen.is_empty());
                } else {
                    boards.extend(self.cores(project, board, config, &all));
                }
                jobs.push(Job {
                    project: project.clone(),
                    boards,
                    config: config.clone(),
                    judge,
                    replays: false,
                    trace_limit: options.trace_limit,
                    places: taken,
                });
            }
        }
        Ok(jobs)
    }

    /// The simulated cores on which a project boots as well in this one of its configurations.
    fn cores(&self, project: &Project, board: &Board, config: &str, configs: &[String]) -> Vec<Board> {
        let Self { workspace, options, .. } = *self;
        if options.replay || options.coverage {
            return Vec::new();
        }
        let names = selection::cores(&project.name, options.is_whole());
        let mut cores: Vec<_> = names.filter_map(|name| board.with(&[name.to_owned()]).ok()).collect();
        cores.retain(|core| {
            let last = configs.iter().rfind(|config| core.has(config));
            let is_there = || options.builds_cores() || simulated_core::is_built(workspace, core);
            last.is_some_and(|last| last == config) && is_there()
        });
        cores
    }
}

/// The board with the emulator's command for a configuration, then the same with the suite's variants.
fn boards_for(suite: &Suite, board: &Board, config: &str) -> Outcome<Vec<Board>> {
    let board = board.for_config(config)?;
    if board.is_simulated {
        return Ok(vec![board]);
    }
    let variants: Vec<_> = suite.variants_of(&board, config).collect();
    Ok([vec![board], variants].concat())
}

/// A replay of one suite, and of one on several processors, on one board of each instruction set.
fn usual_replays(workspace: &Workspace, boards: &[Board], options: &Options) -> Outcome<Vec<Job>> {
    let mut jobs = Vec::new();
    for (suite, config) in replay::SUITES {
        let (project, mut seen) = (Project::locate(workspace, suite)?, BTreeSet::new());
        for board in boards.iter().filter(|board| options.run_everything_on(board) && !board.is_simulated) {
            let is_first = seen.insert(&board.architecture);
            if is_first && options.select(&replayed(&name(&project, board, config))) {
                jobs.push(Job {
                    project: project.clone(),
                    boards: vec![board.for_config(config)?],
                    config: config.to_owned(),
                    judge: Judge::Suite,
                    replays: true,
                    trace_limit: options.trace_limit,
                    places: Places::All,
                });
            }
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
