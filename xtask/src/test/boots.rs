//! Builds and boots systems, and judges their output.

use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::bench::environment;
use crate::emulator_plugin::session::Listening;
use crate::failure::Outcome;
use crate::run::board::Board;
use crate::run::control::Control;
use crate::run::expected::Expected;
use crate::run::faults;
use crate::run::inspection::{self, Inspection};
use crate::run::project::Build;
use crate::run::python;
use crate::run::qemu::{self, Audience, Boot, Session, Watch};
use crate::shell::files;
use crate::simulated_core;
use crate::test::boot_case::Case;
use crate::test::coverage::{Coverage, Executed};
use crate::test::gdb;
use crate::test::jobs::{Job, Judge};
use crate::test::record::Phase;
use crate::test::replay::{self, Replay};
use crate::test::screen::Screen;
use crate::test::suite::{Place, Suite, Verdict};
use crate::test::worlds::Consoles;
use crate::trace::sdk as recording_sdk;
use crate::workspace::Workspace;

/// How many lines of a failed system's console are shown.
const TAIL: usize = 40;

/// Boots a job on each of its boards in turn.
pub fn run(workspace: &Workspace, job: &Job, screen: &Screen<'_>, coverage: Option<&Coverage>) {
    for board in &job.boards {
        screen.run(&job.name(board), Phase::Emulation, |building| {
            Run { workspace, job, board, coverage, building }.judge()
        });
    }
}

/// A job on one of its boards.
struct Run<'a> {
    workspace: &'a Workspace,
    job: &'a Job,
    board: &'a Board,
    coverage: Option<&'a Coverage>,
    /// How long its systems took to build.
    building: &'a Cell<Duration>,
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
        if board.is_simulated && suite.needs_emulator() {
            let note = "not run: it needs the emulator".to_owned();
            return Ok(Verdict { notes: vec![note], ..Verdict::default() });
        }
        if board.is_simulated && !simulated_core::is_built(workspace, board) {
            let note = "not run: the simulated core is not there".to_owned();
            return Ok(Verdict { notes: vec![note], ..Verdict::default() });
        }
        if job.replays
            && let Some(reason) = suite.not_recorded(&job.project)?
        {
            let note = format!("not run: {reason}");
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
                Some(reason) if suite.deterministic => verdict.notes.push(reason),
                _ => verdict.add(suite.compare(&consoles, &board.architecture)),
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
            true => (board.deterministic(), qemu::COUNTED_SILENCE),
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
            let (session, found) = injection.run(&boot, &kernel, job.trace_limit, job.places)?;
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
    let mut control = Control::new();
    let control_arguments = control.arguments();
    let listening = control_arguments.iter().map(String::as_str).filter(|_| case.event.is_some());
    let extra: Vec<_> = case.arguments.iter().chain(options).copied().chain(listening).collect();
    let boot = Boot { board, image, extra: &extra, audience, silence };
    let mut event = case.event;
    let mut raised = Ok(());
    let session = boot.run(|line| {
        if let Some(command) = event.take_if(|_| Case::is_due(line)) {
            raised = control.give(command);
        }
        raised.is_err() || case.is_seen(line)
    })?;
    raised?;
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
}
