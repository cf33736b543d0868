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

use crate::support::random_config;
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
