//! Random systems that perform random operations. Every rule must hold after every event.
//!
//! The seed is fixed, so runs are repeatable; a failure is shrunk to few threads, capabilities and steps.
//! `PROPTEST_RNG_SEED` and `PROPTEST_CASES` select other systems and their number.

mod rules;
mod step;
mod world;

use std::cell::Cell;

use proptest::collection::vec;
use proptest::prelude::*;

use crate::support::{Counts, OpenCalls, Paths, System, assert_twins, check_random, replay_damaged};
use rules::Ledger;
use step::{Step, steps};
use world::{Shape, shapes};

/// The number of systems in a run.
const CASES: u32 = 256;
/// The maximum number of steps of a system.
const STEPS: usize = 160;

/// Runs one system through its steps.
fn run(shape: &Shape, steps: &[Step]) {
    let mut system = shape.boot();
    let mut ledger = Ledger::new(&system);
    for step in steps {
        ledger.pass(&mut system, step.ticks);
        let event = step.prepare(shape, &mut system);
        ledger.open(&system, event);
        system.event(event.kind);
        ledger.close(&system);
    }
}

/// Runs two equal systems through the same steps, one of them on the slow path only.
fn compare(shape: &Shape, steps: &[Step]) {
    let (mut fast, mut slow) = (shape.boot(), shape.boot());
    slow.paths = Paths::SlowOnly;
    for step in steps {
        fast.open_calls = step.open_calls;
        for system in [&mut fast, &mut slow] {
            system.pass(step.ticks);
            let event = step.prepare(shape, system);
            system.event(event.kind);
        }
        if step.open_calls == OpenCalls::Flush {
            assert_twins(&fast, &slow);
        }
    }
}

/// Runs one system, whose open calls stay open, beside the specification.
fn specify(shape: &Shape, steps: &[Step], paths: Paths, counts: &Counts) {
    let mut system = shape.boot();
    (system.paths, system.open_calls) = (paths, OpenCalls::Keep);
    system.follow_specification();
    for step in steps {
        system.pass(step.ticks);
        let event = step.prepare(shape, &mut system);
        system.event(event.kind);
    }
    counts.add(&system);
}

/// Records one system, whose open calls stay open, and replays it.
fn record(shape: &Shape, steps: &[Step], ticks_per_read: u64) -> System {
    let mut system = shape.boot_recording();
    system.open_calls = OpenCalls::Keep;
    system.kernel.machine.slow_clock(ticks_per_read);
    for step in steps {
        system.pass(step.ticks);
        let event = step.prepare(shape, &mut system);
        system.event(event.kind);
    }
    system
}

#[test]
fn a_recording_replays() {
    let (events, specified) = (Cell::new(0), Cell::new(0));
    for ticks_per_read in [0, 1, 7] {
        check_random(CASES, (shapes(), vec(steps(), 1..STEPS)), |(shape, steps)| {
            match record(&shape, &steps, ticks_per_read).replay() {
                Ok(replayed) => {
                    events.update(|events| events + replayed.events);
                    specified.update(|events| events + replayed.specified);
                }
                Err(ending) => panic!("{ending}"),
            }
        });
    }
    let (events, specified) = (events.get(), specified.get());
    println!("{events} events replayed, {specified} of them compared with the specification");
    assert!(specified > 0);
}

/// One word of a recording is changed, or its end is missing.
#[test]
fn a_damaged_recording_is_reported() {
    let found = [const { Cell::new(0) }; 3];
    let values = (shapes(), vec(steps(), 8..30), any::<prop::sample::Index>(), 0..64u32, any::<bool>());
    check_random(CASES, values, |(shape, steps, place, bit, is_cut)| {
        let mut system = record(&shape, &steps, 1);
        let kind = replay_damaged(&mut system, place, bit, is_cut);
        found[kind].update(|count| count + 1);
    });
    let [unnoticed, damaged, differs] = found.map(|count| count.get());
    println!("{unnoticed} changes without an effect, {damaged} damaged recordings, {differs} differences");
    assert!(damaged > CASES / 4 && differs > CASES / 8, "{damaged} {differs}");
}

#[test]
fn random_systems_are_as_specified() {
    for paths in [Paths::All, Paths::SlowOnly] {
        let counts = Counts::default();
        check_random(CASES, (shapes(), vec(steps(), 1..STEPS)), |(shape, steps)| {
            specify(&shape, &steps, paths, &counts);
        });
        println!("{paths:?}: {counts}");
        if paths == Paths::All {
            counts.assert_documented("random::random_systems_are_as_specified", CASES);
        }
    }
}

#[test]
fn fast_and_slow_paths_have_the_same_effect() {
    check_random(CASES, (shapes(), vec(steps(), 1..STEPS)), |(shape, steps)| compare(&shape, &steps));
}

#[test]
fn random_systems_obey_every_rule() {
    check_random(CASES, (shapes(), vec(steps(), 1..STEPS)), |(shape, steps)| run(&shape, &steps));
}
