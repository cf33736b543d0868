//! Recordings of several processors. Each replays alone: all that its kernel gets from others is in it.

use std::cell::Cell;

use proptest::collection::vec;
use proptest::prelude::*;

use super::random::{Action, CASES, DOMAINS, STEPS, Step, ThreadShape, boot, shapes, step, steps};
use crate::random::replay_damaged;
use crate::support::{Processors, check_random};

fn start(processors: &mut Processors) {
    processors.systems.iter_mut().for_each(|system| system.start_recording());
}

/// Records random processors. Reading the clock takes so many ticks.
fn record(processors: u64, shapes: &[ThreadShape], steps: &[Step], ticks_per_read: u64) -> Processors {
    let mut processors = boot(processors, shapes, DOMAINS);
    start(&mut processors);
    for system in &mut processors.systems {
        system.kernel.machine.slow_clock(ticks_per_read);
    }
    // Ports report no unknown system call as a fault.
    let is_of_port = |step: &&Step| !matches!(step.action, Action::Fault(kind) if kind % 3 == 2);
    steps.iter().filter(is_of_port).for_each(|at| step(&mut processors, at));
    processors
}

fn assert_replay(processors: &Processors) -> u64 {
    let mut events = 0;
    for (number, system) in processors.systems.iter().enumerate() {
        match system.replay() {
            Ok(replayed) => events += replayed.events,
            Err(ending) => panic!("processor {number}: {ending}"),
        }
    }
    events
}

#[test]
fn recordings_of_several_processors_replay() {
    let events = Cell::new(0);
    for ticks_per_read in [0, 7] {
        check_random(CASES, (shapes(DOMAINS), vec(steps(), 1..STEPS)), |((processors, shapes), steps)| {
            let processors = record(processors, &shapes, &steps, ticks_per_read);
            events.update(|events| events + assert_replay(&processors));
        });
    }
    println!("{} events replayed", events.get());
    assert!(events.get() > 0);
}

/// One word of a recording is changed, or its end is missing. A changed time is at most 2^24 ticks off, or years: the core goes
/// through all slots of the domains between two events.
#[test]
fn a_damaged_recording_of_one_processor_is_reported() {
    let found = [const { Cell::new(0) }; 3];
    let damage = (any::<prop::sample::Index>(), prop_oneof![0..24_u32, 56..64_u32], any::<bool>());
    let values = (shapes(DOMAINS), vec(steps(), 8..STEPS), damage);
    check_random(CASES, values, |((processors, shapes), steps, (place, bit, is_cut))| {
        let mut processors = record(processors, &shapes, &steps, 1);
        for system in &mut processors.systems {
            let kind = replay_damaged(system, place, bit, is_cut);
            found[kind].update(|count| count + 1);
        }
    });
    let [unnoticed, damaged, differs] = found.map(|count| count.get());
    println!("{unnoticed} changes without an effect, {damaged} damaged recordings, {differs} differences");
    assert!(damaged > 0 && differs > 0, "{damaged} {differs}");
}
