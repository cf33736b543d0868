//! Random systems that do random things: whatever programs do, every rule holds after every event.
//!
//! The seed is fixed, so a run repeats the last one; a failure is shrunk to few threads, capabilities and steps.
//! `PROPTEST_RNG_SEED` and `PROPTEST_CASES` choose other systems and more of them.

mod rules;
mod step;
mod world;

use proptest::collection::vec;
use proptest::test_runner::TestRunner;

use crate::support::random_config;
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
