//! `NbSendRecv` of event loops: a deferred signal or acknowledgement, and the next receive, on the fast and the slow path.

use limen_abi::{Label, Syscall, slot};

use crate::support::{Arguments, Interrupt, Paths, Plan, REPLY, System, Thread, Wiring, assert_twins};

const ACK: u64 = Label::IrqHandlerAck.as_raw();

/// A program with an event loop, one that waits for its signals, and others that are ready.
struct Deferring {
    plan: Plan,
    program: Thread,
    /// Its slot for the notification of `waiter`.
    signal: u64,
    /// Its slot for its own notification.
    signal_self: u64,
    /// Its slot for an interrupt that signals its own notification.
    acknowledge: u64,
    interrupt: Interrupt,
    waiter: Thread,
    wait: u64,
}

impl Deferring {
    /// The program has priority 100, and an endpoint or only its notification to receive from.
    fn new(waiter: u8, others: &[u8], has_endpoint: bool) -> Self {
        let mut plan = Plan::new();
        let program = plan.thread("program", 100);
        let waiter = plan.thread("waiter", waiter);
        others.iter().for_each(|priority| _ = plan.thread("other", *priority));
        let own = plan.bound_notification(program);
        let input = if has_endpoint { plan.endpoint().receiver() } else { own.waiter() };
        plan.place(program, slot::INPUT, input);
        let notification = plan.notification();
        let wait = plan.grant(waiter, notification.waiter());
        let signal = plan.grant(program, notification.signaller(1));
        let signal_self = plan.grant(program, own.signaller(2));
        let interrupt = plan.interrupt(Wiring::EdgeKept, own, 4);
        let acknowledge = plan.grant(program, interrupt.control());
        Self { plan, program, signal, signal_self, acknowledge, interrupt, waiter, wait }
    }

    /// The waiter waits, whatever its priority, the others are ready, and the program runs after an interrupt.
    fn boot(mut self) -> System {
        let mut system = self.plan.boot_serving(&[(self.program, slot::INPUT), (self.waiter, self.wait)]);
        system.edge(self.interrupt);
        system.take_interrupts();
        system.assert_signal(self.program, 4);
        system
    }

    /// The waiter waits again, if it runs.
    fn run_waiter(&self, system: &mut System) {
        if system.current() == Some(self.waiter) {
            system.wait(self.waiter, self.wait);
        }
    }
}

/// Runs the steps on two systems, one of them on slow paths only, and compares them after each step.
fn compare(make: impl Fn() -> Deferring, steps: &[&dyn Fn(&mut System)]) -> System {
    let (mut fast, mut slow) = (make().boot(), make().boot());
    slow.paths = Paths::SlowOnly;
    for step in steps {
        step(&mut fast);
        step(&mut slow);
        assert_twins(&fast, &slow);
    }
    fast
}

#[test]
fn a_deferred_signal_wakes_whom_the_slow_path_wakes() {
    for waiter in [90, 100, 110] {
        for others in [&[][..], &[80], &[95], &[95, 95], &[100], &[100, 95]] {
            for has_endpoint in [true, false] {
                let make = || Deferring::new(waiter, others, has_endpoint);
                let deferring = make();
                let (program, signal) = (deferring.program, deferring.signal);
                let defer = |system: &mut System| {
                    if system.current() == Some(program) {
                        system.nb_send_recv(program, signal, slot::INPUT, 0, &[]);
                    }
                };
                let signal_self = |system: &mut System| {
                    if system.current() == Some(program) {
                        system.signal(program, deferring.signal_self);
                    }
                };
                let defer_to_self = |system: &mut System| {
                    if system.current() == Some(program) {
                        system.nb_send_recv(program, deferring.signal_self, slot::INPUT, 0, &[]);
                    }
                };
                let waits = |system: &mut System| deferring.run_waiter(system);
                let fires = |system: &mut System| {
                    system.edge(deferring.interrupt);
                    system.take_interrupts();
                };
                compare(make, &[&defer, &waits, &fires, &defer, &waits, &defer]);
                compare(make, &[&signal_self, &defer, &waits, &defer, &waits]);
                compare(make, &[&defer_to_self, &defer_to_self, &defer, &fires, &defer]);
            }
        }
    }
}

#[test]
fn a_deferred_acknowledgement_unmasks_its_line_once() {
    for has_endpoint in [true, false] {
        let make = || Deferring::new(50, &[], has_endpoint);
        let deferring = make();
        let (program, slot) = (deferring.program, deferring.acknowledge);
        let interrupt = deferring.interrupt;
        let acknowledge = |system: &mut System| {
            if system.current() == Some(program) {
                system.nb_send_recv(program, slot, slot::INPUT, ACK, &[]);
            }
        };
        let raise = |system: &mut System| {
            system.edge(interrupt);
            system.take_interrupts();
        };
        compare(make, &[&acknowledge, &raise, &acknowledge, &raise, &raise, &acknowledge, &raise]);
        let other_label = |system: &mut System| {
            if system.current() == Some(program) {
                system.nb_send_recv(program, slot, slot::INPUT, ACK + 1, &[]);
            }
        };
        compare(make, &[&acknowledge, &raise, &other_label, &raise]);
    }
}

/// A capability argument that does not exist makes an acknowledgement invalid, whatever the method does with it.
#[test]
fn an_acknowledgement_with_a_bad_argument_is_none() {
    for syscall in [Syscall::Call, Syscall::NbSendRecv] {
        let make = || Deferring::new(50, &[], true);
        let deferring = make();
        let (program, slot, interrupt) = (deferring.program, deferring.acknowledge, deferring.interrupt);
        let raise = |system: &mut System| {
            system.nb_send_recv(program, slot, slot::INPUT, ACK, &[]);
            system.edge(interrupt);
            system.take_interrupts();
        };
        let bad = |system: &mut System| {
            let arguments = Arguments { label: ACK, words: &[], caps: &[1 << 30] };
            system.context_mut(program).set_reply_cptr(REPLY);
            system.context_mut(program).set_send_cptr(slot);
            let cptr = if syscall == Syscall::Call { slot } else { slot::INPUT };
            system.syscall(program, syscall, cptr, &arguments);
        };
        let system = compare(make, &[&raise, &bad]);
        assert_ne!(
            system.kernel.irqs[interrupt.id()].state,
            limen_core::object::irq::State::Armed,
            "{syscall:?} has acknowledged"
        );
    }
}
