//! Traces of systems on the target, read back: nothing is missing, and the records agree with each other.
//!
//! The kernel writes a record for each switch, entry and message. Their consequences must fit: exactly one thread runs at
//! a time, a server's reply follows the call, and a thread that waits for a signal does not run before it.

use std::collections::BTreeSet;

use limen_trace::timeline::{Mark, Slice, State, Thread, Timeline, Wait, What};
use limen_trace::{System, Trace};

use crate::failure::{Failure, Outcome};
use crate::run::board::{Board, BootProtocol};
use crate::run::project::Project;
use crate::shell::concurrent;
use crate::test::perfetto::{Event, File};
use crate::test::suite::Verdict;
use crate::trace::command::record;
use crate::workspace::Workspace;

/// The name of the test.
pub const TEST: &str = "traces";

/// The time of the machine to record, in nanoseconds.
const NANOSECONDS: u64 = 50_000_000;

/// A step of the clock, in nanoseconds, in which no two tracepoints of a program fit.
const SHORT: u64 = 100;
const CONFIG: &str = "release";
/// The same for several processors, whose time is that of the host.
const SMP_CONFIG: &str = "smp-release";
const SMP_NANOSECONDS: u64 = 2_000_000_000;

/// A system, and something that its trace must show.
struct Traced {
    system: &'static str,
    shows: fn(&Shown<'_>) -> bool,
}

/// A recorded system: the timeline, and the file for Perfetto as another reader sees it.
struct Shown<'s> {
    timeline: &'s Timeline,
    system: &'s System,
    file: File,
}

const SYSTEMS: [Traced; 6] = [
    Traced {
        system: "examples/tour",
        shows: |Shown { timeline, system, .. }| has_call(timeline, system, "client", "adder"),
    },
    Traced {
        system: "examples/domains",
        shows: |Shown { timeline, .. }| alternates(&timeline.processors[0].slots.slices),
    },
    Traced {
        system: "examples/fpu_budget",
        shows: |Shown { timeline, system, .. }| {
            has_mark(timeline, limen_abi::TraceKind::Fpu)
                && uses_budget(timeline, system, "painter", 2_000_000)
        },
    },
    Traced {
        system: "examples/broken",
        // As docs/debugging.md says.
        shows: |Shown { timeline, system, .. }| {
            ends_with_budget(timeline, system, "planner", 1_000_000)
                && signals_without_effect(timeline, system, "producer") == 2
                && slices_of(timeline, system, "consumer") == 1
        },
    },
    Traced {
        system: "tests/spans",
        shows: |Shown { timeline, file, .. }| {
            ["tester", "rust"].iter().all(|program| has_spans(file, program, timeline.clock.nanoseconds(1)))
        },
    },
    SMP,
];

/// A program on each of four processors, which notify each other.
const SMP: Traced = Traced {
    system: "examples/pipeline",
    shows: |Shown { timeline, system, file }| {
        let on = |name: &str| thread(timeline, system, name).map(|thread| thread.processor);
        ["source", "parser", "filter", "sink"].iter().zip(0..).all(|(name, processor)| {
            on(name) == Some(processor) && file.has_events_on(&format!("processor {processor}"))
        }) && crosses(timeline)
    },
};

/// Records each system on a board of each way to boot and each instruction set, the usual one where there are several: the clock of
/// others has steps in which much happens.
pub fn run(workspace: &Workspace, boards: &[Board]) -> Verdict {
    let mut seen = BTreeSet::new();
    let (usual, others): (Vec<_>, Vec<_>) = boards.iter().partition(|board| board.is_usual());
    let boards = usual.into_iter().chain(others).filter(|board| {
        let is_own = board.renamed.is_none() || boards.len() == 1;
        is_own && seen.insert((&board.architecture, board.boot == BootProtocol::Loader))
    });
    let recordings = boards.flat_map(|board| SYSTEMS.iter().map(move |traced| (board, traced)));
    let verdicts = concurrent::map(recordings.collect(), |(board, traced)| {
        let outcome = check(workspace, board, traced);
        let name = || format!("{} on {}", traced.system, board.title());
        Verdict::single(outcome.map_err(|reason| Failure::new(format!("{}: {reason}", name()))))
    });
    let mut verdict = Verdict::default();
    verdicts.into_iter().for_each(|single| verdict.add(single));
    verdict
}

fn check(workspace: &Workspace, board: &Board, traced: &Traced) -> Outcome {
    let project = Project::locate(workspace, traced.system)?;
    let is_smp = traced.system == SMP.system;
    let (config, nanoseconds) = if is_smp { (SMP_CONFIG, SMP_NANOSECONDS) } else { (CONFIG, NANOSECONDS) };
    let board = board.for_config(config)?;
    let recorded = || -> Outcome<(Trace, System)> {
        let (recorded, system) = record(workspace, &project, &board, config, nanoseconds)?;
        recorded.outcome()?;
        Ok((Trace::new(recorded.reader, system.clone(), &[]).map_err(Failure::new)?, system))
    };
    let (trace, system) = recorded()?;
    let timeline = trace.timeline();
    let is_whole = timeline.processors.iter().all(|one| one.losses.is_empty() && one.lost_outside == 0);
    let complaint = if is_smp && !is_whole {
        // A busy host may be too late for an emulator that runs on.
        None
    } else if let Some(note) = trace.notes().first() {
        Some(note.clone())
    } else if let Some(complaint) = complaint(timeline) {
        Some(complaint)
    } else {
        let file = File::read(&trace.perfetto())?;
        let shows = (traced.shows)(&Shown { timeline, system: &system, file });
        if !shows {
            Some("the trace does not show what the example does".to_owned())
        } else if is_smp {
            None
        } else {
            // With one processor, time is counted in instructions.
            difference(&trace, &recorded()?.0)
        }
    };
    complaint.map_or(Ok(()), |complaint| Err(Failure::new(complaint)))
}

/// The first difference of two runs of a system.
fn difference(trace: &Trace, other: &Trace) -> Option<String> {
    if trace.perfetto() == other.perfetto() {
        return None;
    }
    let (table, other) = (trace.table(), other.table());
    let first = table.lines().zip(other.lines()).find(|(line, other)| line != other);
    let shown = first.map(|(line, other)| format!(": '{other}' instead of '{line}'"));
    Some(format!("another run has another trace{}", shown.unwrap_or_default()))
}

/// The first contradiction in a timeline.
fn complaint(timeline: &Timeline) -> Option<String> {
    let [start, end] = timeline.range;
    for processor in &timeline.processors {
        if let Some(gap) = gap(&processor.whole.slices, start, end) {
            return Some(format!("it is unknown what processor {} ran at {gap} ticks", processor.number));
        }
    }
    for (number, thread) in &timeline.threads {
        let runs = &timeline.processors[thread.processor].whole.slices;
        let own: Vec<_> = running(thread).filter(|slice| slice.end > slice.start).collect();
        let shown = runs.iter().filter(|run| run.what == What::Run(Some(*number)) && run.end > run.start);
        if !shown.map(|run| (run.start, run.end)).eq(own.iter().map(|slice| (slice.start, slice.end))) {
            return Some(format!("thread {number} runs at other times than the processor runs it"));
        }
        let outside = |slice: &&Slice| matches!(slice.what, What::Kernel(..)) && slice.depth == 0;
        if let Some(slice) = thread.track.slices.iter().find(outside) {
            return Some(format!(
                "thread {number} enters the kernel at {} ticks, but does not run",
                slice.start
            ));
        }
    }
    let unwoken = timeline.flows.iter().filter(|flow| flow.end.is_none()).count();
    // At most one arrow for each thread is on its way at the end of the recording.
    (unwoken > timeline.threads.len()).then(|| format!("{unwoken} woken threads never ran"))
}

fn running(thread: &Thread) -> impl Iterator<Item = &Slice> {
    thread.track.slices.iter().filter(|slice| slice.what == What::State(State::Running))
}

/// The first time that no slice covers, or that two cover.
fn gap(slices: &[Slice], start: u64, end: u64) -> Option<u64> {
    let mut now = start;
    for slice in slices {
        if slice.start != now {
            return Some(now);
        }
        now = slice.end;
    }
    (now != end).then_some(now)
}

fn has_call(timeline: &Timeline, system: &System, from: &str, to: &str) -> bool {
    let named = |thread: u16, name: &str| system.thread(thread) == name;
    timeline
        .calls
        .iter()
        .any(|call| named(call.from, from) && named(call.to, to) && call.times[0] < call.times[1])
}

/// Whether an arrow leads from one processor to another, and none ends before it begins.
fn crosses(timeline: &Timeline) -> bool {
    let home = |thread: u16| timeline.threads.get(&thread).map(|thread| thread.processor);
    let across = timeline.flows.iter().filter(|flow| flow.from.and_then(home) != home(flow.to));
    across.clone().any(|flow| flow.end.is_some())
        && across.clone().all(|flow| flow.end.is_none_or(|end| end > flow.start))
}

/// Whether several domains take turns.
fn alternates(slots: &[Slice]) -> bool {
    slots.len() > 4
        && slots.windows(2).all(|pair| pair[0].end == pair[1].start && pair[0].what != pair[1].what)
}

fn thread<'t>(timeline: &'t Timeline, system: &System, name: &str) -> Option<&'t Thread> {
    timeline.threads.iter().find(|(number, _)| system.thread(**number) == name).map(|(_, thread)| thread)
}

/// The rest of a thread's budget, in nanoseconds.
fn left(timeline: &Timeline, thread: &Thread) -> Vec<u64> {
    thread.budget.iter().map(|(_, ticks)| timeline.clock.nanoseconds(*ticks)).collect()
}

/// Whether a thread has this budget in nanoseconds, uses it up, and then waits for its fault handler.
fn ends_with_budget(timeline: &Timeline, system: &System, name: &str, budget: u64) -> bool {
    let Some(thread) = thread(timeline, system, name) else { return false };
    let last = thread.track.slices.iter().rfind(|slice| matches!(slice.what, What::State(_)));
    // The first record is made after the kernel's own time.
    let [first, 0] = left(timeline, thread)[..] else { return false };
    (budget * 99 / 100..=budget).contains(&first)
        && last.is_some_and(|slice| matches!(slice.what, What::State(State::Waiting(Wait::FaultHandler(_)))))
}

/// The number of signals that wake no thread.
fn signals_without_effect(timeline: &Timeline, system: &System, name: &str) -> usize {
    let marks = thread(timeline, system, name).map_or(&[][..], |thread| &thread.track.marks);
    let is_signal = |mark: &&Mark| mark.record.kind() == Some(limen_abi::TraceKind::Signal);
    marks.iter().filter(is_signal).filter(|mark| mark.flow.is_none()).count()
}

fn slices_of(timeline: &Timeline, system: &System, name: &str) -> usize {
    thread(timeline, system, name).map_or(0, |thread| running(thread).count())
}

/// Whether a thread begins with at most this budget in nanoseconds, uses it up and gets it again.
fn uses_budget(timeline: &Timeline, system: &System, name: &str, most: u64) -> bool {
    let left = thread(timeline, system, name).map_or_else(Vec::new, |thread| left(timeline, thread));
    let refills = left.windows(2).filter(|pair| pair[0] == 0 && pair[1] > most / 2).count();
    left.iter().all(|left| *left <= most) && refills > 1
}

/// Whether the spans of a program nest and end, and its counter is on one track, as `tests/spans` does three times. Between
/// two steps of the clock, all of it may have one time.
fn has_spans(file: &File, program: &str, step: u64) -> bool {
    let ([spans], [items]) = (&file.tracks_of(program, "program")[..], &file.tracks_of(program, "items")[..])
    else {
        return false;
    };
    let begin = |name: &str, round| Event::Begin(name.to_owned(), Some(round));
    let end = |name: &str| Event::End(name.to_owned());
    let round = |round| [begin("outer", round), begin("inner", round), end("inner"), end("outer")];
    let is_long = |pair: &[(u64, Event)]| pair[0].0 < pair[1].0 + u64::from(step > SHORT);
    spans.events.iter().map(|(_, event)| event.clone()).eq((0..3).flat_map(round))
        && spans.events.windows(2).all(is_long)
        && items.events.iter().map(|(_, event)| event.clone()).eq([0, 1, 10, 11, 20, 21].map(Event::Count))
}

fn has_mark(timeline: &Timeline, kind: limen_abi::TraceKind) -> bool {
    let marks = timeline.threads.values().flat_map(|thread| &thread.track.marks);
    let others = timeline.processors.iter().flat_map(|processor| &processor.whole.marks);
    marks.chain(others).any(|mark| mark.record.kind() == Some(kind))
}
