//! Exhaustive search of the states of a line, its interrupt and its notification, whatever device and driver do.
//!
//! A breadth-first search for each kind of line. The device asserts or deasserts its line, the processor takes an
//! interrupt, the driver polls for a signal or acknowledges. In every state, no edge and no asserted level is lost: a
//! driver that works correctly from there on sees it.

use std::collections::HashSet;

use limen_abi::Label;
use limen_core::machine::Context;
use limen_core::object::irq::State;
use limen_core::object::notification::Signals;

use crate::support::{Checking, Interrupt, LineState, Plan, Snapshot, System, Thread, Wiring};

/// An event in the model.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Step {
    Assert,
    Deassert,
    TakeInterrupt,
    Poll,
    Acknowledge,
}

impl Step {
    const ALL: [Self; 5] = [Self::Assert, Self::Deassert, Self::TakeInterrupt, Self::Poll, Self::Acknowledge];
}

/// The state of the search itself.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
struct Ghost {
    /// An edge has come since the driver last saw a signal.
    edge: bool,
    /// Interrupts since the last acknowledgement, counted up to three.
    interrupts: u8,
}

/// The part of the state that the search distinguishes: registers and time are left out.
type ModelState = (State, LineState, bool, Ghost);

struct Model {
    wiring: Wiring,
    driver: Thread,
    interrupt: Interrupt,
    wait: u64,
    control: u64,
}

impl Model {
    fn new(wiring: Wiring) -> (Self, System) {
        let mut plan = Plan::new();
        let driver = plan.thread("driver", 50);
        let notification = plan.notification();
        let interrupt = plan.interrupt(wiring, notification, 1);
        let wait = plan.grant(driver, notification.waiter());
        let control = plan.grant(driver, interrupt.control());
        let mut system = plan.boot();
        system.checking = Checking::ByHand;
        (Self { wiring, driver, interrupt, wait, control }, system)
    }

    fn key(&self, system: &System, ghost: Ghost) -> ModelState {
        let kernel = &system.kernel;
        let signalled = kernel.notifications.iter().any(|(_, n)| matches!(n.state, Signals::Active(_)));
        let state = kernel.irqs[self.interrupt.id()].state;
        (state, kernel.machine.controller.state(self.interrupt.line()), signalled, ghost)
    }

    fn perform(&self, step: Step, system: &mut System, ghost: &mut Ghost) {
        match step {
            Step::Assert => {
                let before = system.kernel.machine.controller.state(self.interrupt.line());
                ghost.edge |= !before.asserted;
                system.set_asserted(self.interrupt, true);
            }
            Step::Deassert => system.set_asserted(self.interrupt, false),
            Step::TakeInterrupt => {
                if let Some(line) = system.kernel.machine.controller.acknowledge() {
                    system.interrupt(limen_core::machine::Interrupt::Line(line));
                    ghost.interrupts = (ghost.interrupts + 1).min(3);
                }
            }
            Step::Poll => {
                if self.sees_signal(system) {
                    ghost.edge = false;
                }
            }
            Step::Acknowledge => {
                system.call(self.driver, self.control, Label::IrqHandlerAck.as_raw(), &[]);
                ghost.interrupts = 0;
            }
        }
    }

    fn sees_signal(&self, system: &mut System) -> bool {
        system.nb_wait(self.driver, self.wait);
        system.context(self.driver).cptr() != 0
    }

    /// From here on, a driver that polls and acknowledges sees a signal if one is due.
    fn check_delivery(&self, system: &mut System, ghost: Ghost) {
        let asserted = system.kernel.machine.controller.state(self.interrupt.line()).asserted;
        let due = if self.wiring == Wiring::Level { asserted } else { ghost.edge };
        let mut seen = false;
        for _ in 0..3 {
            system.take_interrupts();
            seen |= self.sees_signal(system);
            system.call(self.driver, self.control, Label::IrqHandlerAck.as_raw(), &[]);
        }
        assert!(seen || !due, "{:?}: the driver never sees the signal", self.wiring);
    }

    fn check_state(&self, (state, _, _, ghost): ModelState) {
        let most = match self.wiring {
            Wiring::Level | Wiring::EdgeKept => 1,
            Wiring::EdgeForgotten => 2,
            Wiring::Message => 3,
        };
        assert!(
            ghost.interrupts <= most,
            "{:?}: too many interrupts without an acknowledgement",
            self.wiring
        );
        let again = state == State::DeliveredAgain;
        assert!(!again || most > 1, "{:?}: a line interrupted while in service", self.wiring);
    }

    /// Searches all states and returns their number.
    fn search(&self, system: &mut System) -> usize {
        let start = Ghost::default();
        let mut found = HashSet::from([self.key(system, start)]);
        let mut layer = vec![(Snapshot::of(system), start)];
        while !layer.is_empty() {
            let mut next = Vec::new();
            for (state, before) in &layer {
                for step in Step::ALL {
                    state.restore(system);
                    let mut ghost = *before;
                    self.perform(step, system, &mut ghost);
                    let key = self.key(system, ghost);
                    if found.insert(key) {
                        system.verify(step);
                        self.check_state(key);
                        next.push((Snapshot::of(system), ghost));
                        self.check_delivery(system, ghost);
                    }
                }
            }
            layer = next;
        }
        found.len()
    }
}

#[test]
fn no_interrupt_is_lost_in_any_state() {
    for wiring in Wiring::ALL {
        let (model, mut system) = Model::new(wiring);
        println!("{wiring:?}: {} states", model.search(&mut system));
    }
}
