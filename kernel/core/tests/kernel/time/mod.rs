//! Random systems over a long time. Whatever programs do and however late interrupts are, no scheduling context gets
//! more time than its limit, and every tick is charged once.
//!
//! The bound: in a window as long as its period, a scheduling context uses at most its budget plus the lateness of the
//! timer interrupt. A window in which it is reconfigured contains at most the larger budget, if the window is no
//! longer than the shorter period.

mod record;
mod step;
mod windows;
mod world;

use proptest::collection::vec;

use crate::support::{Paths, assert_twins, check_random};
use record::Record;
use step::{Step, steps};
use world::{Shape, shapes};

/// The number of systems in a run.
const CASES: u32 = 64;
/// The number of steps of a system.
const STEPS: core::ops::Range<usize> = 50..350;

fn run(shape: &Shape, steps: &[Step]) {
    let mut world = shape.boot();
    let mut record = Record::new(&world);
    for step in steps {
        step.perform(&mut world, &mut record);
    }
    record.check_windows(&world.system);
}

#[test]
fn random_systems_get_no_more_than_their_budgets() {
    check_random(CASES, (shapes(), vec(steps(), STEPS)), |(shape, steps)| run(&shape, &steps));
}

/// Runs two equal systems, one of them on the slow path only. Reading the clock takes no time here, because the paths
/// read it a different number of times.
fn compare(shape: &Shape, steps: &[Step]) {
    let [mut fast, mut slow] = [shape.boot(), shape.boot()];
    slow.system.paths = Paths::SlowOnly;
    for world in [&mut fast, &mut slow] {
        world.system.kernel.machine.slow_clock(0);
    }
    let mut records = [Record::new(&fast), Record::new(&slow)];
    for step in steps {
        for (world, record) in [&mut fast, &mut slow].into_iter().zip(&mut records) {
            step.perform(world, record);
        }
        assert_twins(&fast.system, &slow.system);
    }
}

#[test]
fn fast_and_slow_paths_charge_and_switch_alike() {
    check_random(CASES, (shapes(), vec(steps(), STEPS)), |(shape, steps)| compare(&shape, &steps));
}
