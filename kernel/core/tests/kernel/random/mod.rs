//! Random systems that perform random operations. Every rule must hold after every event.
//!
//! The seed is fixed, so runs are repeatable; a failure is shrunk to few threads, capabilities and steps.
//! `PROPTEST_RNG_SEED` and `PROPTEST_CASES` select other systems and their number.

mod rules;
mod step;
mod world;

use proptest::collection::vec;

use crate::support::{Counts, OpenCalls, Paths, assert_twins, check_random};
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

#[test]
fn random_systems_are_as_specified() {
    for paths in [Paths::All, Paths::SlowOnly] {
        let counts = Counts::default();
        check_random(CASES, (shapes(), vec(steps(), 1..STEPS)), |(shape, steps)| {
            specify(&shape, &steps, paths, &counts);
        });
        println!("{paths:?}: {counts}");
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
