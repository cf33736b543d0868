//! Random systems in which every thread invokes all methods of all objects, also in the middle of calls, services and
//! key switches. The invariants hold after every event, and fast paths have the effects of the slow path.
//!
//! The seed is fixed, so runs are repeatable; `PROPTEST_RNG_SEED` and `PROPTEST_CASES` select other systems and their
//! number.

mod bytes;
mod step;
mod world;

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;

use limen_abi::ErrorCode;
use proptest::collection::vec;
use proptest::prelude::*;

use crate::support::{Counts, OpenCalls, Paths, System, assert_twins, check_random, replay_damaged};
use bytes::Bytes;
use step::{Step, steps};
use world::{KERNEL_KEY, MONITOR, PORTS, SPACE, Shape, shapes, specified_shapes};

/// The number of systems in a run.
const CASES: u32 = 256;
/// The maximum number of steps of a system.
const STEPS: usize = 400;

/// Runs one system through its steps.
fn run(shape: &Shape, steps: &[Step]) {
    let mut world = shape.boot();
    steps.iter().for_each(|step| step.take(&mut world));
}

/// Runs two equal systems through the same steps, one of them on the slow path only.
fn compare(shape: &Shape, steps: &[Step]) {
    let (mut fast, mut slow) = (shape.boot(), shape.boot());
    slow.system.paths = Paths::SlowOnly;
    for step in steps {
        fast.system.open_calls = step.open_calls;
        step.take(&mut fast);
        step.take(&mut slow);
        if step.open_calls == OpenCalls::Flush {
            assert_twins(&fast.system, &slow.system);
        }
    }
}

/// Runs one system, whose open calls stay open, beside the specification. Returns the outcomes of methods for hardware.
fn specify(shape: &Shape, steps: &[Step], paths: Paths, counts: &Counts) -> Vec<(u64, Option<u64>)> {
    let mut world = shape.boot();
    (world.system.paths, world.system.open_calls) = (paths, OpenCalls::Keep);
    world.system.follow_specification();
    steps.iter().for_each(|step| step.take(&mut world));
    counts.add(&world.system);
    world.outcomes
}

/// Each outcome of methods for hardware: success, the errors, and, where a call restarts, none.
fn device_outcomes() -> impl Iterator<Item = (u64, Option<u64>)> {
    let illegal = Some(ErrorCode::IllegalOperation.as_raw());
    let truncated = Some(ErrorCode::TruncatedMessage.as_raw());
    let range = Some(ErrorCode::RangeError.as_raw());
    let ports = [Some(0), illegal, truncated].map(|result| (PORTS, result));
    let monitor = [Some(0), illegal, truncated].map(|result| (MONITOR, result));
    let invalid = Some(ErrorCode::InvalidArgument.as_raw());
    let spaces = [Some(0), None, illegal, truncated, invalid, range].map(|result| (SPACE, result));
    let keys = [Some(0), None, illegal].map(|result| (KERNEL_KEY, result));
    ports.into_iter().chain(monitor).chain(spaces).chain(keys)
}

/// Runs the system and the steps that bytes describe beside the specification. For fuzzers.
pub(crate) fn try_bytes(bytes: &[u8]) {
    let mut bytes = Bytes::new(bytes);
    let (paths, shape) = (bytes.pick(&[Paths::All, Paths::SlowOnly]), Shape::of(&mut bytes));
    let mut steps = Vec::new();
    while !bytes.is_empty() {
        steps.push(Step::of(&mut bytes));
    }
    specify(&shape, &steps, paths, &Counts::default());
}

#[test]
fn inputs_that_fuzzers_have_found_get_what_is_specified() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fuzz/corpus/calls");
    let inputs: Vec<_> = std::fs::read_dir(folder).expect("the folder of inputs").collect();
    assert!(!inputs.is_empty());
    for input in inputs {
        try_bytes(&std::fs::read(input.expect("an input").path()).expect("its bytes"));
    }
}

#[test]
fn hostile_threads_get_what_is_specified() {
    for paths in [Paths::All, Paths::SlowOnly] {
        let (counts, outcomes) = (Counts::default(), RefCell::new(BTreeSet::new()));
        check_random(CASES, (specified_shapes(), vec(steps(), 1..STEPS)), |(shape, steps)| {
            outcomes.borrow_mut().extend(specify(&shape, &steps, paths, &counts));
        });
        println!("{paths:?}: {counts}");
        if paths == Paths::All {
            counts.assert_documented("hostile::hostile_threads_get_what_is_specified", CASES);
        }
        if paths == Paths::All && Counts::are_usual() {
            let outcomes = outcomes.borrow();
            let missing: Vec<_> = device_outcomes().filter(|outcome| !outcomes.contains(outcome)).collect();
            assert_eq!(missing, [], "no call for hardware ends in these ways");
        }
    }
}

/// Records one system, whose open calls stay open. Reading the clock takes so many ticks.
fn record(shape: Shape, steps: &[Step], ticks_per_read: u64) -> System {
    let mut world = shape.boot_recording();
    world.system.open_calls = OpenCalls::Keep;
    world.system.kernel.machine.slow_clock(ticks_per_read);
    steps.iter().filter(|step| step.is_of_port()).for_each(|step| step.take(&mut world));
    world.system
}

/// Half of the systems have probes, whose samples are replayed as well.
#[test]
fn recordings_of_hostile_threads_replay() {
    let (events, specified) = (Cell::new(0), Cell::new(0));
    for ticks_per_read in [0, 7] {
        check_random(CASES, (specified_shapes(), vec(steps(), 1..STEPS)), |(shape, steps)| {
            match record(shape, &steps, ticks_per_read).replay() {
                Ok(replayed) => {
                    events.update(|events| events + replayed.events);
                    specified.update(|specified| specified + replayed.specified);
                }
                Err(ending) => panic!("{ending}"),
            }
        });
    }
    println!("{} events replayed, {} of them compared with the specification", events.get(), specified.get());
    assert!(specified.get() > 0);
}

/// One word of a recording is changed, or its end is missing. A changed time is at most 2^24 ticks off, or years: the core goes
/// through all slots of the domains between two events.
#[test]
fn a_damaged_recording_of_hostile_threads_is_reported() {
    let found = [const { Cell::new(0) }; 3];
    let damage = (any::<prop::sample::Index>(), prop_oneof![0..24_u32, 56..64_u32], any::<bool>());
    let values = (specified_shapes(), vec(steps(), 8..STEPS), damage);
    check_random(CASES, values, |(shape, steps, (place, bit, is_cut))| {
        let kind = replay_damaged(&mut record(shape, &steps, 1), place, bit, is_cut);
        found[kind].update(|count| count + 1);
    });
    let [unnoticed, damaged, differs] = found.map(|count| count.get());
    println!("{unnoticed} changes without an effect, {damaged} damaged recordings, {differs} differences");
    assert!(damaged > 0 && differs > 0, "{damaged} {differs}");
}

#[test]
fn hostile_threads_break_no_invariant() {
    check_random(CASES, (shapes(), vec(steps(), 1..STEPS)), |(shape, steps)| run(&shape, &steps));
}

#[test]
fn fast_and_slow_paths_have_the_same_effect_on_hostile_threads() {
    check_random(CASES, (shapes(), vec(steps(), 1..STEPS)), |(shape, steps)| compare(&shape, &steps));
}
