//! Random systems in which every thread may do everything to all others, and does: all methods of all objects, in the middle of
//! calls, of work and of patching. The invariants hold after every event, and fast paths have the effects of the slow path.
//!
//! The seed is fixed; `PROPTEST_RNG_SEED` and `PROPTEST_CASES` choose other systems and more of them.

mod step;
mod world;

use proptest::collection::vec;
use proptest::test_runner::TestRunner;

use crate::support::{OpenCalls, Paths, assert_twins, random_config};
use step::{Step, steps};
use world::{Shape, shapes};

/// Systems in a run.
const CASES: u32 = 256;
/// Most steps that a system makes.
const STEPS: usize = 400;

/// Runs one system through its steps.
fn run(shape: &Shape, steps: &[Step]) {
    let mut world = shape.boot();
    steps.iter().for_each(|step| step.take(&mut world));
}

/// Runs two equal systems through the same steps, one of them on the slow path only.
fn compare(shape: &Shape, steps: &[Step]) {
    let (mut short, mut general) = (shape.boot(), shape.boot());
    general.system.paths = Paths::SlowOnly;
    for step in steps {
        short.system.open_calls = step.open_calls;
        step.take(&mut short);
        step.take(&mut general);
        if step.open_calls == OpenCalls::Flush {
            assert_twins(&short.system, &general.system);
        }
    }
}

#[test]
fn hostile_threads_break_no_invariant() {
    let mut runner = TestRunner::new(random_config(CASES));
    let result = runner.run(&(shapes(), vec(steps(), 1..STEPS)), |(shape, steps)| {
        run(&shape, &steps);
        Ok(())
    });
    if let Err(failure) = result {
        panic!("{failure}");
    }
}

#[test]
fn short_ways_of_hostile_threads_come_to_the_same_as_the_general_one() {
    let mut runner = TestRunner::new(random_config(CASES));
    let result = runner.run(&(shapes(), vec(steps(), 1..STEPS)), |(shape, steps)| {
        compare(&shape, &steps);
        Ok(())
    });
    if let Err(failure) = result {
        panic!("{failure}");
    }
}
