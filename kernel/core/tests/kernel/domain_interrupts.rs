//! Exhaustive search of the states of an interrupt line while the domain of its driver and another one alternate.
//!
//! A breadth-first search for each kind of line. The device asserts or deasserts its line, the processor takes an
//! interrupt, the driver polls for a signal, the running program acknowledges, a slot ends. In every state: the line
//! interrupts only slots of its driver's domain, and every event on the line reaches the driver in its slot.

use std::collections::HashSet;

use limen_abi::Label;
use limen_core::machine::{self, Context};
use limen_core::object::irq::State;
use limen_core::object::notification::Signals;

use crate::support::{Checking, Interrupt, LineState, Plan, System, Thread, Wiring};

/// An event in the model.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Step {
    Assert,
    Deassert,
    TakeInterrupt,
    Poll,
    Acknowledge,
    EndSlot,
}

impl Step {
    const ALL: [Self; 6] =
        [Self::Assert, Self::Deassert, Self::TakeInterrupt, Self::Poll, Self::Acknowledge, Self::EndSlot];
}

/// The state of the search itself.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
struct Ghost {
    /// An edge has come since the driver last saw a signal.
    edge: bool,
    /// An edge has come to a suspended line; it will be lost if the device deasserts before the driver's slot.
    at_risk: bool,
}

/// The part of the state that the search distinguishes: registers and time are left out.
type ModelState = (u8, State, LineState, bool, Ghost);

const DRIVERS: u8 = 3;
const OTHERS: u8 = 5;

struct Model {
    wiring: Wiring,
    driver: Thread,
    other: Thread,
    interrupt: Interrupt,
    wait: u64,
    control: u64,
    control_of_other: u64,
    system: System,
    ghost: Ghost,
}

impl Model {
    fn new(wiring: Wiring) -> Self {
        let mut plan = Plan::new();
        let (driver, other) = (plan.thread("driver", 50), plan.thread("other", 50));
        plan.set_domain(driver, u64::from(DRIVERS));
        plan.set_domain(other, u64::from(OTHERS));
        plan.turn(u64::from(OTHERS), 1000);
        plan.turn(u64::from(DRIVERS), 1000);
        let notification = plan.bound_notification(driver);
        let interrupt = plan.interrupt(wiring, notification, 1);
        let wait = plan.grant(driver, notification.waiter());
        let control = plan.grant(driver, interrupt.control());
        let control_of_other = plan.grant(other, interrupt.control());
        let mut system = plan.boot();
        system.checking = Checking::ByHand;
        let ghost = Ghost::default();
        Self { wiring, driver, other, interrupt, wait, control, control_of_other, system, ghost }
    }

    /// Creates the state that these steps lead to.
    fn after(wiring: Wiring, steps: &[Step]) -> Self {
        let mut model = Self::new(wiring);
        steps.iter().for_each(|step| model.perform(*step));
        model
    }

    fn line(&self) -> LineState {
        self.system.kernel.machine.controller.state(self.interrupt.line())
    }

    fn drivers_slot(&self) -> bool {
        self.system.kernel.processor.domain == DRIVERS
    }

    fn key(&self) -> ModelState {
        let kernel = &self.system.kernel;
        let signalled = kernel.notifications.iter().any(|(_, n)| matches!(n.state, Signals::Active(_)));
        (kernel.processor.domain, kernel.irqs[self.interrupt.id()].state, self.line(), signalled, self.ghost)
    }

    fn perform(&mut self, step: Step) {
        match step {
            Step::Assert => self.assert_line(),
            Step::Deassert => {
                self.ghost.at_risk = false;
                self.system.set_asserted(self.interrupt, false);
            }
            Step::TakeInterrupt => self.take_interrupt(),
            Step::Poll => {
                if self.drivers_slot() && self.sees_signal() {
                    self.ghost.edge = false;
                }
            }
            Step::Acknowledge => self.acknowledge(),
            Step::EndSlot => self.end_slot(),
        }
    }

    fn assert_line(&mut self) {
        let is_edge = !self.line().asserted;
        if self.wiring == Wiring::EdgeForgotten && self.line().suspended {
            self.ghost.at_risk |= is_edge;
        } else {
            self.ghost.edge |= is_edge;
        }
        self.system.set_asserted(self.interrupt, true);
    }

    fn take_interrupt(&mut self) {
        if let Some(line) = self.system.kernel.machine.controller.acknowledge() {
            let may_interrupt = self.drivers_slot() || self.wiring == Wiring::Message;
            assert!(may_interrupt, "{:?}: the line interrupts a slot of another domain", self.wiring);
            self.system.interrupt(machine::Interrupt::Line(line));
        }
    }

    fn sees_signal(&mut self) -> bool {
        self.system.nb_wait(self.driver, self.wait);
        self.system.context(self.driver).cptr() != 0
    }

    fn acknowledge(&mut self) {
        let (thread, control) = if self.drivers_slot() {
            (self.driver, self.control)
        } else {
            (self.other, self.control_of_other)
        };
        self.system.call(thread, control, Label::IrqHandlerAck.as_raw(), &[]);
    }

    fn end_slot(&mut self) {
        let domain = self.system.kernel.processor.domain;
        while self.system.kernel.processor.domain == domain {
            self.system.run_to_timer();
        }
        if self.drivers_slot() {
            self.ghost.edge |= self.ghost.at_risk;
            self.ghost.at_risk = false;
        }
    }

    fn check_state(&self) {
        assert_eq!(
            self.line().suspended,
            !self.drivers_slot(),
            "{:?}: the line must be suspended exactly outside its domain's slots",
            self.wiring
        );
    }

    /// From here on, a driver that polls and acknowledges in its slots sees a signal if one is due.
    fn check_delivery(mut self) {
        let Ghost { edge, at_risk } = self.ghost;
        let due = if self.wiring == Wiring::Level { self.line().asserted } else { edge || at_risk };
        if !self.drivers_slot() {
            self.end_slot();
        }
        let mut seen = false;
        for _ in 0..3 {
            self.system.take_interrupts();
            seen |= self.sees_signal();
            self.acknowledge();
        }
        assert!(seen || !due, "{:?}: the driver never sees the signal", self.wiring);
    }

    /// Searches all states and returns their number.
    fn search(wiring: Wiring) -> usize {
        let mut found = HashSet::from([Self::new(wiring).key()]);
        let mut layer = vec![Vec::new()];
        while !layer.is_empty() {
            let mut next = Vec::new();
            for path in layer {
                for step in Step::ALL {
                    let mut steps: Vec<Step> = path.clone();
                    steps.push(step);
                    let model = Self::after(wiring, &steps);
                    if found.insert(model.key()) {
                        model.system.verify(step);
                        model.check_state();
                        model.check_delivery();
                        next.push(steps);
                    }
                }
            }
            layer = next;
        }
        found.len()
    }
}

#[test]
fn a_line_interrupts_only_its_domain_and_loses_no_event() {
    for wiring in Wiring::ALL {
        println!("{wiring:?}: {} states", Model::search(wiring));
    }
}

/// A driver in one domain, whose slot comes first, and another program in another domain.
fn driver_and_other(wiring: Wiring) -> (Plan, Interrupt) {
    let mut plan = Plan::new();
    let (driver, other) = (plan.thread("driver", 50), plan.thread("other", 50));
    plan.set_domain(driver, u64::from(DRIVERS));
    plan.set_domain(other, u64::from(OTHERS));
    let notification = plan.bound_notification(driver);
    let interrupt = plan.interrupt(wiring, notification, 1);
    (plan, interrupt)
}

fn is_suspended(system: &System, interrupt: Interrupt) -> bool {
    system.kernel.machine.controller.state(interrupt.line()).suspended
}

#[test]
fn a_line_is_not_suspended_between_consecutive_slots_of_its_domain() {
    let (mut plan, interrupt) = driver_and_other(Wiring::Level);
    plan.turn(u64::from(DRIVERS), 100);
    plan.turn(u64::from(DRIVERS), 100);
    plan.turn(u64::from(OTHERS), 100);
    let mut system = plan.boot();
    let mut seen = Vec::new();
    for _ in 0..5 {
        seen.push(is_suspended(&system, interrupt));
        system.run_for(100);
    }
    assert_eq!(seen, [false, false, true, false, false]);
}

#[test]
fn a_skipped_slot_resumes_no_line() {
    let (mut plan, interrupt) = driver_and_other(Wiring::Level);
    plan.turn(u64::from(OTHERS), 100);
    plan.turn(u64::from(DRIVERS), 100);
    plan.turn(u64::from(OTHERS), 100);
    let mut system = plan.boot();
    system.pass(250);
    system.run_to_timer();
    assert!(is_suspended(&system, interrupt));
    assert_eq!(system.kernel.processor.domain, OTHERS);
}

#[test]
fn a_line_without_a_bound_thread_interrupts_every_slot() {
    let mut plan = Plan::new();
    let other = plan.thread("other", 50);
    plan.set_domain(other, u64::from(OTHERS));
    plan.turn(u64::from(OTHERS), 100);
    plan.turn(u64::from(DRIVERS), 100);
    let notification = plan.notification();
    let interrupt = plan.interrupt(Wiring::Level, notification, 1);
    let mut system = plan.boot();
    for _ in 0..4 {
        assert!(!is_suspended(&system, interrupt));
        system.run_for(100);
    }
}

#[test]
fn a_line_asserted_in_another_slot_wakes_its_driver_in_its_own() {
    let mut plan = Plan::new();
    let driver = plan.thread("driver", 50);
    plan.set_domain(driver, u64::from(DRIVERS));
    let notification = plan.bound_notification(driver);
    let interrupt = plan.interrupt(Wiring::EdgeKept, notification, 1);
    let wait = plan.grant(driver, notification.waiter());
    plan.turn(u64::from(DRIVERS), 100);
    plan.turn(u64::from(OTHERS), 100);
    let mut system = plan.boot();
    system.wait(driver, wait);
    system.run_for(100);
    system.edge(interrupt);
    assert_eq!(system.take_interrupts(), 0);
    system.run_for(100);
    system.assert_idle();
    assert_eq!(system.take_interrupts(), 1);
    system.assert_signal(driver, 1);
}
