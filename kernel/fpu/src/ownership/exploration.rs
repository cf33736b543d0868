//! Explores every reachable state of the model and checks its invariants.

use std::collections::{HashSet, VecDeque};
use std::println;
use std::vec::Vec;

use limen_abi::FpuPolicy;
use limen_abi::fpu::FpuOption;

use super::Taken;
use super::model::{Content, Operation, THREADS, Thread, Width, World, thread_of};
use crate::counters::Counters;
use crate::unit::Name;

fn operations() -> Vec<Operation> {
    let mut all = Vec::from([
        Operation::Idle,
        Operation::Use,
        Operation::NextDomain,
        Operation::BeginWork,
        Operation::FinishWork,
        Operation::End,
    ]);
    all.extend(
        Width::EACH.into_iter().flat_map(|width| [Operation::Interrupt(width), Operation::Begin(width)]),
    );
    for thread in 0..THREADS as Thread {
        all.extend([Operation::Switch(thread), Operation::Release(thread), Operation::Move(thread)]);
        all.extend([true, false].map(|may| Operation::SetUse(thread, may)));
        all.push(Operation::AbandonWork(thread));
    }
    for (policy, ..) in FpuPolicy::ALL {
        all.extend((0..=FpuOption::ALL).map(|options| Operation::SetPolicy(*policy, options)));
    }
    all
}

/// The specification. Registers of a thread, and of the kernel while it works for one, change only by their own
/// instructions. Wherever they are, they hold the last written values; registers that are not in the unit are in an
/// area. While work runs, its registers are in the unit and the unit is on, because a trap could not be handled there.
/// No thread can read what work has written, and nothing that an interrupt handler has computed is left after it.
fn specification(world: &World) {
    for thread in 0..THREADS as Thread {
        for user in [thread, world.name(thread)] {
            let is_owner = world.fpu.owner() == Some(user);
            let registers =
                if is_owner { &world.unit.registers } else { &world.unit.areas[usize::from(user)] };
            assert!(world.is_right(user, registers), "registers of user {user}: {registers:?}");
        }
    }
    for (user, area) in world.unit.areas.iter().enumerate() {
        let is_own = area.iter().all(|content| match content {
            Content::Initial => true,
            Content::Latest(writer) | Content::Old(writer) => usize::from(*writer) == user,
            Content::Kernel => false,
        });
        assert!(is_own, "the area of user {user} holds another user's registers: {area:?}");
    }
    assert!(
        !world.unit.registers.contains(&Content::Kernel),
        "the unit holds an interrupt handler's registers"
    );
    if let Some(running) = world.running.map(|running| world.name(running)).filter(|name| name.is_trusted()) {
        assert!(world.unit.is_on && world.fpu.owner() == Some(running), "the kernel does not have the unit");
    }
}

/// The structural invariants of the state diagram.
fn structure(world: &World) {
    assert_eq!(world.fpu.is_on(), world.unit.is_on, "the cached state of the unit");
    if world.unit.is_on {
        let owner = world.fpu.owner().expect("an owner while the unit is on");
        let is_owner = |running| world.user(running) == Some(owner);
        assert!(world.running.is_none_or(is_owner), "the unit is on for another thread");
        let may_use = owner.is_trusted() || world.may_use[usize::from(owner)];
        assert!(may_use, "the unit is on for a thread that may not use it");
    }
    if let Some(owner) = world.fpu.owner() {
        assert_eq!(world.domains[thread_of(owner)], world.domain, "the owner is in another domain");
        assert!(!owner.is_trusted() || world.at_work[thread_of(owner)], "work that is over owns the unit");
    }
    if let Some(running) = world.running {
        assert!(world.fpu.is_valid_for(world.user(running)), "the unit is not set up for the running thread");
    }
    let is_isolated = world.options & FpuOption::ISOLATE != 0;
    if let (true, Some(running)) = (is_isolated, world.running.map(|running| world.name(running))) {
        let own = [Content::Initial, Content::Latest(running), Content::Old(running)];
        let is_own = world.unit.registers.iter().all(|content| own.contains(content));
        assert!(is_own, "another thread's registers are in the unit");
    }
}

/// The saves and loads that an operation may cost.
fn costs(before: &World, operation: Operation, after: &World) {
    let done = &after.unit.done;
    let (saves, loads) = (done.saves, done.loads);
    let had_owner = u64::from(before.fpu.owner().is_some());
    let is_isolated = before.options & FpuOption::ISOLATE != 0;
    match operation {
        Operation::Switch(thread) if !is_isolated => {
            let is_owner = before.fpu.owner() == Some(before.name(thread));
            let expected = match (before.policy, before.user(thread)) {
                _ if is_owner => (0, 0),
                (FpuPolicy::FaultLazy, Some(user)) if user.is_trusted() => (had_owner, 1),
                (FpuPolicy::SemiLazy, None) | (FpuPolicy::FaultLazy, _) => (0, 0),
                (FpuPolicy::EarlySave, None) => (had_owner, 0),
                _ => (had_owner, 1),
            };
            // Eager moves nothing to a thread that cannot use the unit if the unit has no owner.
            let nothing = before.policy == FpuPolicy::Eager && (saves, loads) == (0, 0) && had_owner == 0;
            assert!((saves, loads) == expected || nothing, "{before:?} {operation:?} {done:?}");
        }
        Operation::NextDomain if before.options & FpuOption::CONSTANT_EXIT != 0 => {
            assert_eq!([saves, loads, done.enables, done.disables], [1; 4]);
            assert!(after.unit.registers.iter().all(|content| *content == Content::Initial));
        }
        Operation::NextDomain => assert_eq!((saves, loads), (had_owner, had_owner * u64::from(is_isolated))),
        Operation::Idle | Operation::Interrupt(_) | Operation::Begin(_) | Operation::End => {
            assert_eq!(*done, Counters::ZERO);
        }
        Operation::SetPolicy(..) => assert!(saves <= 1 && loads <= 3),
        _ => assert!(saves <= 1 && loads <= 2),
    }
}

fn same_counts(counted: &Counters, done: &Counters) {
    let sums = |c: &Counters| [c.saves(), c.loads(), c.enables(), c.disables()];
    assert_eq!(sums(counted), sums(done), "the counters differ from the operations performed");
}

/// States from which all steps are taken; in Miri only the first ones.
const STATES: usize = if cfg!(miri) { 2 } else { usize::MAX };

#[test]
fn registers_of_a_thread_change_only_by_its_own_instructions() {
    let operations = operations();
    let mut seen = HashSet::from([World::booted()]);
    let mut queue = VecDeque::from([World::booted()]);
    let (mut steps, mut states) = (0_usize, 0);
    while let Some(world) = queue.pop_front().filter(|_| states < STATES) {
        states += 1;
        for operation in operations.iter().filter(|operation| world.allows(**operation)) {
            let mut next = world.clone();
            next.perform(*operation);
            specification(&next);
            structure(&next);
            costs(&world, *operation, &next);
            same_counts(&next.fpu.counters, &next.unit.done);
            (next.fpu.counters, next.unit.done) = (Counters::ZERO, Counters::ZERO);
            next.spoil();
            steps += 1;
            if seen.insert(next.clone()) {
                queue.push_back(next);
            }
        }
    }
    println!("{} states, {steps} steps", seen.len());
    assert!(seen.len() > if cfg!(miri) { 10 } else { 1000 });
}

/// Runs a sequence and returns its counts: saves, loads, enables, disables.
fn counts_of(world: &mut World, sequence: &[Operation]) -> [u64; 4] {
    world.fpu.counters = Counters::ZERO;
    sequence.iter().for_each(|operation| world.perform(*operation));
    let counters = world.fpu.counters();
    [counters.saves(), counters.loads(), counters.enables(), counters.disables()]
}

fn world_of(may_use: [bool; THREADS]) -> World {
    let mut world = World::booted();
    (world.may_use, world.domains) = (may_use, [0; THREADS]);
    world
}

#[test]
fn a_call_through_threads_without_the_unit_moves_nothing() {
    let mut world = world_of([true, false, false]);
    counts_of(&mut world, &[Operation::Switch(0), Operation::Use]);
    let call = [1, 2, 1, 0].map(Operation::Switch);
    assert_eq!(counts_of(&mut world, &call), [0, 0, 1, 1]);
}

#[test]
fn a_system_without_the_unit_does_nothing() {
    let mut world = world_of([false; THREADS]);
    assert_eq!(counts_of(&mut world, &[0, 1, 2, 0].map(Operation::Switch)), [0; 4]);
}

#[test]
fn threads_that_all_use_the_unit_cost_one_exchange_each() {
    let mut world = world_of([true; THREADS]);
    counts_of(&mut world, &[Operation::Switch(0)]);
    assert_eq!(counts_of(&mut world, &[1, 2, 0, 1].map(Operation::Switch)), [4, 4, 0, 0]);
}

#[test]
fn eager_moves_registers_of_threads_that_cannot_use_them() {
    let mut world = world_of([true, false, false]);
    counts_of(&mut world, &[Operation::SetPolicy(FpuPolicy::Eager, 0), Operation::Switch(0)]);
    assert_eq!(counts_of(&mut world, &[1, 2, 1, 0].map(Operation::Switch)), [4, 4, 3, 3]);
}

#[test]
fn eager_does_nothing_for_the_thread_that_ran_before() {
    let mut world = world_of([true, false, false]);
    counts_of(&mut world, &[Operation::SetPolicy(FpuPolicy::Eager, 0), Operation::Switch(1)]);
    assert_eq!(counts_of(&mut world, &[Operation::Idle, Operation::Switch(1)]), [0; 4]);
}

/// The last thread may not use the unit, so both of its uses are faults.
#[test]
fn each_use_of_the_disabled_unit_is_a_fault() {
    let mut world = world_of([true, true, false]);
    world.perform(Operation::SetPolicy(FpuPolicy::FaultLazy, 0));
    for (thread, faults) in [(0, 1), (0, 1), (1, 2), (2, 4), (0, 5)] {
        for operation in [Operation::Switch(thread), Operation::Use, Operation::Use] {
            world.perform(operation);
        }
        assert_eq!(world.fpu.counters().faults(), faults, "after thread {thread}");
    }
}

#[test]
fn only_a_unit_that_fits_the_running_thread_is_valid() {
    let mut world = world_of([true, true, false]);
    let kernel = THREADS as Thread;
    let users = [None, Some(0), Some(1), Some(kernel)];
    let mut valid_after = |operations: &[Operation]| {
        operations.iter().for_each(|operation| world.perform(*operation));
        users.map(|user| world.fpu.is_valid_for(user))
    };
    assert_eq!(valid_after(&[Operation::Switch(0)]), [false, true, false, false]);
    assert_eq!(valid_after(&[Operation::Switch(2)]), [true, false, false, false]);
    let lazy = [Operation::SetPolicy(FpuPolicy::FaultLazy, 0), Operation::Switch(0)];
    assert_eq!(valid_after(&lazy), [true, true, true, false]);
    assert_eq!(valid_after(&[Operation::Use]), [false, true, false, false]);
}

#[test]
fn an_exception_while_the_unit_is_on_is_a_fault_of_the_thread() {
    let mut world = world_of([true; THREADS]);
    for operation in [Operation::Switch(0), Operation::Use] {
        world.perform(operation);
    }
    let before = world.clone();
    assert_eq!(world.fpu.take_over(&mut world.unit, Some(0)), Taken::No);
    assert_eq!(world.fpu.owner(), before.fpu.owner());
    assert_eq!(world.unit, before.unit);
}
