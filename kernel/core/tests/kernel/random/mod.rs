//! Random systems that do random things: whatever programs do, every rule holds after every event.
//!
//! The seed is fixed, so a run repeats the last one; a failure is shrunk to few threads, capabilities and steps.
//! `PROPTEST_RNG_SEED` and `PROPTEST_CASES` choose other systems and more of them.

mod rules;
mod step;
mod world;

use proptest::collection::vec;
use proptest::test_runner::TestRunner;

use crate::support::{OpenCalls, Ways, assert_twins, random_config};
use rules::Ledger;
use step::{Step, steps};
use world::{Shape, shapes};

/// Systems in a run.
const CASES: u32 = 256;
/// Most steps that a system makes.
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

/// Runs two equal systems through the same steps, one of them on the general way only.
fn compare(shape: &Shape, steps: &[Step]) {
    let (mut short, mut general) = (shape.boot(), shape.boot());
    general.ways = Ways::General;
    for step in steps {
        short.open_calls = step.open_calls;
        for system in [&mut short, &mut general] {
            system.pass(step.ticks);
            let event = step.prepare(shape, system);
            system.event(event.kind);
        }
        if step.open_calls == OpenCalls::AreSettled {
            assert_twins(&short, &general);
        }
    }
}

#[test]
fn shortcuts_come_to_the_same_as_the_general_path() {
    let mut runner = TestRunner::new(random_config(CASES));
    let result = runner.run(&(shapes(), vec(steps(), 1..STEPS)), |(shape, steps)| {
        compare(&shape, &steps);
        Ok(())
    });
    if let Err(failure) = result {
        panic!("{failure}");
    }
}

#[test]
fn random_systems_keep_every_rule() {
    let mut runner = TestRunner::new(random_config(CASES));
    let result = runner.run(&(shapes(), vec(steps(), 1..STEPS)), |(shape, steps)| {
        run(&shape, &steps);
        Ok(())
    });
    if let Err(failure) = result {
        panic!("{failure}");
    }
}
