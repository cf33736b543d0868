//! Noninterference: what a domain's threads see on all processors does not depend on what another domain does on any of them.

use std::cell::Cell;

use limen_core::event::Event;
use limen_core::machine::Interrupt;
use proptest::collection::vec;

use super::random::{Action, Step, ThreadShape, add_thread, connect, fault, shapes, steps, trap};
use crate::support::{Plan, Processors, TestContext, Thread, check_random};

/// The number of systems in a run.
const CASES: u32 = 128;
/// The maximum number of actions of a domain.
const ACTIONS: usize = 150;
/// Ticks of a slot.
const SLOT: u64 = 40;
/// Ticks between the actions of a processor.
const STEP: u64 = 5;
/// How long a system runs, in ticks.
const END: u64 = 4000;

/// The domain that acts in different ways, and the one that looks.
const OTHER: u64 = 0;
const OBSERVER: u64 = 1;

/// For each processor, the running thread and its registers, if it is one of the observers.
type Sight = Vec<Option<(Thread, TestContext)>>;

/// Whether the two domains have objects in common.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Common {
    Nothing,
    Everything,
}

/// Boots threads of two domains, whose slots begin together on all processors.
fn boot(processors: u64, groups: [&[ThreadShape]; 2], common: Common) -> Processors {
    let mut plan = Plan::new();
    for processor in 0..processors {
        plan.turn_on(processor, OTHER, SLOT);
        plan.turn_on(processor, OBSERVER, SLOT);
    }
    let groups = [OTHER, OBSERVER].map(|domain| {
        let shapes = groups[domain as usize].iter().map(|shape| shape.place(domain, processors));
        shapes.map(|shape| (add_thread(&mut plan, &shape), shape)).collect::<Vec<_>>()
    });
    let groups = if common == Common::Nothing { groups.to_vec() } else { vec![groups.concat()] };
    for group in groups {
        let (threads, shapes): (Vec<_>, Vec<_>) = group.into_iter().unzip();
        connect(&mut plan, processors, &threads, &shapes, None);
    }
    plan.writer.processors = processors;
    plan.boot_processors()
}

/// Lets the threads of each domain do what its list says, and returns what the observers see.
fn run(mut processors: Processors, first_observer: usize, actions: [&[Step]; 2]) -> Vec<Sight> {
    let mut actions = actions.map(|steps| steps.iter().map(|step| &step.action).cycle());
    let mut sights = Vec::new();
    for _ in 0..END / STEP {
        processors.pass(STEP);
        for system in &mut processors.systems {
            while system.kernel.machine.deadline <= system.kernel.machine.now {
                system.interrupt(Interrupt::Timer);
            }
        }
        processors.settle();
        let sight = processors.systems.iter().map(|system| {
            let thread = system.current().filter(|thread| thread.0 as usize >= first_observer)?;
            Some((thread, *system.context(thread)))
        });
        sights.push(sight.collect());
        for number in 0..processors.systems.len() {
            let system = &mut processors.systems[number];
            let Some(thread) = system.current() else { continue };
            match actions[usize::from(thread.0 as usize >= first_observer)].next() {
                Some(Action::Fault(kind)) => system.event(Event::Fault(fault(*kind))),
                Some(Action::Syscall { number, slot, label, words, caps }) => {
                    trap(system, thread, (*number, *slot, *label), words, caps);
                }
                _ => {}
            }
        }
    }
    sights
}

/// Compares what the observers see of three ways of the other domain. Returns in how many systems they saw a difference, and
/// how often one of them ran.
fn compare(common: Common) -> (usize, usize) {
    let (differences, running) = (Cell::new(0), Cell::new(0));
    let one = || vec(steps(), 1..ACTIONS);
    check_random(
        CASES,
        (shapes(1), shapes(1), one(), one(), one()),
        |(other, observer, looks, first, second)| {
            let (processors, groups) = (other.0.min(observer.0), [other.1.as_slice(), observer.1.as_slice()]);
            let see = |way: &[Step]| run(boot(processors, groups, common), groups[0].len(), [way, &looks]);
            let quiet = see(&[]);
            running.set(running.get() + quiet.iter().flatten().flatten().count());
            let is_seen = [first, second].iter().any(|way| see(way) != quiet);
            differences.set(differences.get() + usize::from(is_seen));
            assert!(!is_seen || common == Common::Everything, "the observers see a difference");
        },
    );
    (differences.get(), running.get())
}

#[test]
fn a_domain_sees_nothing_of_another_on_any_processor() {
    let (_, running) = compare(Common::Nothing);
    assert!(running > 3000, "the observers ran only {running} times");
}

#[test]
fn domains_with_common_objects_see_each_other() {
    let (differences, _) = compare(Common::Everything);
    assert!(differences > CASES as usize / 2, "only {differences} observers have seen anything");
}
