//! Every state that a line, its interrupt and its notification can reach, whatever device and driver do.
//!
//! A breadth-first search, for each kind of line, over what can happen: the device asserts its line or lets go, the
//! processor takes an interrupt, the driver looks for a signal or acknowledges. In every state: no edge and no asserted
//! level is ever lost, because a driver that does its work from there on sees it.

use std::collections::HashSet;

use limen_abi::Label;
use limen_core::machine::Context;
use limen_core::object::irq::State;
use limen_core::object::notification::Signals;

use crate::support::{Checking, Interrupt, LineState, Plan, Snapshot, System, Thread, Wiring};

/// What can happen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Step {
    Assert,
    LetGo,
    TakeInterrupt,
    Look,
    Acknowledge,
}

impl Step {
    const ALL: [Self; 5] = [Self::Assert, Self::LetGo, Self::TakeInterrupt, Self::Look, Self::Acknowledge];
}

/// What the search knows beside the state of the system.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
struct Ghost {
    /// An edge has come since the driver saw a signal.
    edge: bool,
    /// Interrupts since the last acknowledgement, at most three.
    interrupts: u8,
}

/// What tells one state from another: registers and time do not.
type Key = (State, LineState, bool, Ghost);

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

    fn key(&self, system: &System, ghost: Ghost) -> Key {
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
            Step::LetGo => system.set_asserted(self.interrupt, false),
            Step::TakeInterrupt => {
                if let Some(line) = system.kernel.machine.controller.acknowledge() {
                    system.interrupt(limen_core::machine::Interrupt::Line(line));
                    ghost.interrupts = (ghost.interrupts + 1).min(3);
                }
            }
            Step::Look => {
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

    /// A driver that looks and acknowledges from here on sees a signal if there is a reason for one.
    fn check_promise(&self, system: &mut System, ghost: Ghost) {
        let asserted = system.kernel.machine.controller.state(self.interrupt.line()).asserted;
        let due = if self.wiring == Wiring::Level { asserted } else { ghost.edge };
        let mut seen = false;
        for _ in 0..3 {
            system.take_interrupts();
            seen |= self.sees_signal(system);
            system.call(self.driver, self.control, Label::IrqHandlerAck.as_raw(), &[]);
        }
        assert!(seen || !due, "{:?}: the driver is never told", self.wiring);
    }

    fn check_state(&self, (state, _, _, ghost): Key) {
        let most = match self.wiring {
            Wiring::Level | Wiring::EdgeKept => 1,
            Wiring::EdgeForgotten => 2,
            Wiring::Message => 3,
        };
        assert!(ghost.interrupts <= most, "{:?}: interrupts without acknowledgement", self.wiring);
        let again = state == State::DeliveredAgain;
        assert!(!again || most > 1, "{:?}: a line that is in service has interrupted", self.wiring);
    }

    /// Searches all states; gives their number.
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
                        self.check_promise(system, ghost);
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
