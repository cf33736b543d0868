//! Random systems that do random things: whatever programs do, every rule holds after every event.
//!
//! The seed is fixed, so a run repeats the last one; a failure is shrunk to few threads, capabilities and steps.
//! `PROPTEST_RNG_SEED` and `PROPTEST_CASES` choose other systems and more of them.

mod rules;
mod step;
mod world;

use proptest::collection::vec;
use proptest::test_runner::TestRunner;

use limen_core::Kernel;
use limen_core::event::Event;
use limen_core::machine::Machine;

use crate::support::{HostMachine, Snapshot, System, TestContext, random_config};
use rules::{Ledger, buffers};
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

/// Runs one system through its steps. Each system call and fault is served in the general way first, then all of it is undone, and then
/// as the ports do: both come to the same.
fn compare(shape: &Shape, steps: &[Step]) {
    let mut system = shape.boot();
    for step in steps {
        system.pass(step.ticks);
        let event = step.prepare(shape, &mut system).kind;
        let (Event::Syscall(_) | Event::Fault(_)) = event else {
            system.kernel.handle(event);
            continue;
        };
        let before = (Snapshot::of(&system), buffers(&system));
        let general = outcome_of(&mut system, |kernel| {
            kernel.handle(event);
            kernel.running().copied()
        });
        before.0.restore(&mut system);
        set_buffers(&system, &before.1);
        let short = outcome_of(&mut system, |kernel| match event {
            Event::Syscall(number) => kernel.serve_syscall(number).copied(),
            Event::Fault(fault) => kernel.serve_fault(fault).copied(),
            Event::FpuUse(_) | Event::Interrupt => None,
        });
        assert_eq!(short, general);
    }
}

fn outcome_of(
    system: &mut System,
    serve: impl FnOnce(&mut Kernel<HostMachine>) -> Option<TestContext>,
) -> (Snapshot, Vec<Vec<u64>>, Option<TestContext>) {
    let runs = serve(&mut system.kernel);
    (Snapshot::of(system), buffers(system), runs)
}

fn set_buffers(system: &System, saved: &[Vec<u64>]) {
    for (thread, words) in system.threads().zip(saved) {
        for (position, word) in words.iter().enumerate() {
            system.kernel.machine.buffers()[thread.id()].set_word(position, *word);
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
