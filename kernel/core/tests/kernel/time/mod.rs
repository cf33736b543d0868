//! Random systems over a long time: whatever programs do and however late interrupts are, nobody gets more time than was
//! promised, and every tick is charged once.
//!
//! The bound that is checked: in a window as long as its period, a scheduling context uses at most its budget, and what
//! the timer's interrupt was late by. A window in which it was configured anew holds at most the larger budget, if it is
//! no longer than the shorter period.

mod record;
mod step;
mod windows;
mod world;

use proptest::collection::vec;
use proptest::test_runner::TestRunner;

use crate::support::{Ways, assert_twins, random_config};
use record::Record;
use step::{Step, steps};
use world::{Shape, shapes};

/// Systems in a run.
const CASES: u32 = 64;
/// Steps of a system.
const STEPS: core::ops::Range<usize> = 50..350;

fn run(shape: &Shape, steps: &[Step]) {
    let mut world = shape.boot();
    let mut record = Record::new(&world);
    for step in steps {
        step.take(&mut world, &mut record);
    }
    record.check_windows(&world.system);
}

#[test]
fn random_systems_get_the_time_that_was_promised_and_no_more() {
    let mut runner = TestRunner::new(random_config(CASES));
    let result = runner.run(&(shapes(), vec(steps(), STEPS)), |(shape, steps)| {
        run(&shape, &steps);
        Ok(())
    });
    if let Err(failure) = result {
        panic!("{failure}");
    }
}

/// Two equal systems, one of them on the general way only. Reads of the clock take no time: the ways make more and fewer.
fn compare(shape: &Shape, steps: &[Step]) {
    let [mut short, mut general] = [shape.boot(), shape.boot()];
    general.system.ways = Ways::General;
    for world in [&mut short, &mut general] {
        world.system.kernel.machine.slow_clock(0);
    }
    let mut records = [Record::new(&short), Record::new(&general)];
    for step in steps {
        for (world, record) in [&mut short, &mut general].into_iter().zip(&mut records) {
            step.take(world, record);
        }
        assert_twins(&short.system, &general.system);
    }
}

#[test]
fn short_ways_charge_and_switch_like_the_general_one() {
    let mut runner = TestRunner::new(random_config(CASES));
    let result = runner.run(&(shapes(), vec(steps(), STEPS)), |(shape, steps)| {
        compare(&shape, &steps);
        Ok(())
    });
    if let Err(failure) = result {
        panic!("{failure}");
    }
}
