//! Device interrupts: from a line to a signal, and the effect of an acknowledgement.

use limen_abi::{ErrorCode, Label, Syscall};
use limen_core::machine::{Interrupt as MachineInterrupt, Line};
use limen_core::object::irq::State;

use crate::support::{Arguments, Interrupt, Notification, Plan, REPLY, System, Thread, Wiring};

const ACK: u64 = Label::IrqHandlerAck.as_raw();
const BADGE: u64 = 0b100;

/// A driver that waits for the interrupts of a device, and another program that runs.
struct Device {
    plan: Plan,
    driver: Thread,
    other: Thread,
    notification: Notification,
    interrupt: Interrupt,
    wait: u64,
    control: u64,
}

impl Device {
    fn new(wiring: Wiring, driver: u8, other: u8) -> Self {
        let mut plan = Plan::new();
        let [driver, other] = [("driver", driver), ("other", other)].map(|(name, p)| plan.thread(name, p));
        let notification = plan.notification();
        let interrupt = plan.interrupt(wiring, notification, BADGE);
        let wait = plan.grant(driver, notification.waiter());
        let control = plan.grant(driver, interrupt.control());
        Self { plan, driver, other, notification, interrupt, wait, control }
    }

    /// Boots; the driver, which has the higher priority, waits.
    fn boot_waiting(&self) -> System {
        let mut system = self.plan.boot();
        system.wait(self.driver, self.wait);
        system.assert_waiting(self.driver, self.notification);
        system.assert_running(self.other);
        system
    }

    fn state(&self, system: &System) -> State {
        system.kernel.irqs[self.interrupt.id()].state
    }
}

#[test]
fn an_interrupt_wakes_its_driver_at_once() {
    for wiring in Wiring::ALL {
        let device = Device::new(wiring, 50, 10);
        let mut system = device.boot_waiting();
        system.set_asserted(device.interrupt, true);
        assert_eq!(system.take_interrupts(), 1, "{wiring:?}");
        system.assert_running(device.driver);
        system.assert_signal(device.driver, BADGE);
        assert_eq!(device.state(&system), State::Delivered);
    }
}

#[test]
fn an_interrupt_does_not_preempt_for_a_driver_of_lower_priority() {
    let device = Device::new(Wiring::Level, 10, 50);
    let mut system = device.plan.boot();
    system.set_asserted(device.interrupt, true);
    system.take_interrupts();
    system.assert_running(device.other);
    system.stop(device.other);
    system.wait(device.driver, device.wait);
    system.assert_signal(device.driver, BADGE);
}

#[test]
fn an_interrupt_wakes_an_idle_processor() {
    let device = Device::new(Wiring::EdgeKept, 50, 10);
    let mut system = device.boot_waiting();
    system.stop(device.other);
    system.assert_idle();
    system.edge(device.interrupt);
    system.take_interrupts();
    system.assert_running(device.driver);
}

#[test]
fn a_level_interrupts_again_only_after_its_acknowledgement() {
    let device = Device::new(Wiring::Level, 50, 10);
    let mut system = device.boot_waiting();
    system.set_asserted(device.interrupt, true);
    assert_eq!(system.take_interrupts(), 1);
    system.call(device.driver, device.control, ACK, &[]);
    system.assert_done(device.driver);
    assert_eq!(system.take_interrupts(), 1, "it is still asserted");
    system.set_asserted(device.interrupt, false);
    system.call(device.driver, device.control, ACK, &[]);
    assert_eq!(system.take_interrupts(), 0);
    system.nb_wait(device.driver, device.wait);
    system.assert_signal(device.driver, BADGE);
    assert_eq!(device.state(&system), State::Armed);
}

#[test]
fn edges_before_an_acknowledgement_become_one_signal_after_it() {
    for wiring in [Wiring::EdgeKept, Wiring::EdgeForgotten, Wiring::Message] {
        let device = Device::new(wiring, 50, 10);
        let mut system = device.boot_waiting();
        for _ in 0..4 {
            system.edge(device.interrupt);
            system.take_interrupts();
        }
        system.assert_signal(device.driver, BADGE);
        system.nb_wait(device.driver, device.wait);
        system.assert_signal(device.driver, 0);
        system.call(device.driver, device.control, ACK, &[]);
        system.take_interrupts();
        system.nb_wait(device.driver, device.wait);
        system.assert_signal(device.driver, BADGE);
        system.call(device.driver, device.control, ACK, &[]);
        assert_eq!(system.take_interrupts(), 0, "{wiring:?}");
        system.nb_wait(device.driver, device.wait);
        system.assert_signal(device.driver, 0);
        assert_eq!(device.state(&system), State::Armed);
    }
}

#[test]
fn an_interrupt_storm_interrupts_at_most_twice() {
    for (wiring, most) in [(Wiring::Level, 1), (Wiring::EdgeKept, 1), (Wiring::EdgeForgotten, 2)] {
        let device = Device::new(wiring, 50, 10);
        let mut system = device.boot_waiting();
        let mut count = 0;
        for _ in 0..100 {
            system.edge(device.interrupt);
            system.set_asserted(device.interrupt, true);
            count += system.take_interrupts();
            system.set_asserted(device.interrupt, false);
        }
        assert_eq!(count, most, "{wiring:?}");
    }
}

#[test]
fn an_acknowledgement_without_an_interrupt_does_nothing() {
    for wiring in Wiring::ALL {
        let device = Device::new(wiring, 50, 10);
        let mut system = device.plan.boot();
        for _ in 0..2 {
            system.call(device.driver, device.control, ACK, &[]);
            system.assert_done(device.driver);
        }
        system.edge(device.interrupt);
        system.set_asserted(device.interrupt, true);
        assert_eq!(system.take_interrupts(), 1, "{wiring:?}");
        for _ in 0..2 {
            system.set_asserted(device.interrupt, false);
            system.call(device.driver, device.control, ACK, &[]);
            system.assert_done(device.driver);
        }
        assert_eq!(device.state(&system), State::Armed);
    }
}

#[test]
fn every_kind_of_send_can_acknowledge() {
    let device = Device::new(Wiring::Level, 50, 10);
    let mut system = device.boot_waiting();
    let ack = Arguments { label: ACK, words: &[], caps: &[] };
    let driver = device.driver;
    for syscall in [Syscall::Call, Syscall::Send, Syscall::NbSend] {
        system.set_asserted(device.interrupt, true);
        assert_eq!(system.take_interrupts(), 1);
        system.set_asserted(device.interrupt, false);
        system.syscall(driver, syscall, device.control, &ack);
        assert_eq!(device.state(&system), State::Armed, "{syscall:?}");
        system.wait(driver, device.wait);
    }
    for syscall in [Syscall::NbSendRecv, Syscall::NbSendWait] {
        system.set_asserted(device.interrupt, true);
        assert_eq!(system.take_interrupts(), 1);
        system.set_asserted(device.interrupt, false);
        let context = system.context_mut(driver);
        context.set_send_cptr(device.control);
        context.set_reply_cptr(if syscall == Syscall::NbSendWait { device.control } else { REPLY });
        system.syscall(driver, syscall, device.wait, &ack);
        assert_eq!(device.state(&system), State::Armed, "{syscall:?}");
        system.assert_waiting(driver, device.notification);
    }
}

/// The acknowledgement itself delivers a recorded edge, to a driver that is already waiting by then.
#[test]
fn a_deferred_acknowledgement_delivers_the_recorded_edge() {
    let device = Device::new(Wiring::Message, 50, 10);
    let mut system = device.boot_waiting();
    for _ in 0..2 {
        system.edge(device.interrupt);
        system.take_interrupts();
    }
    system.nb_send_recv(device.driver, device.control, device.wait, ACK, &[]);
    system.assert_running(device.driver);
    system.assert_signal(device.driver, BADGE);
    assert_eq!(device.state(&system), State::Delivered);
}

#[test]
fn interrupts_have_no_other_method() {
    let device = Device::new(Wiring::Level, 50, 10);
    let mut system = device.plan.boot();
    // These would set or clear the notification.
    for label in [ACK + 1, ACK + 2, 0, u64::from(u32::MAX)] {
        system.call(device.driver, device.control, label, &[]);
        system.assert_refused(device.driver, ErrorCode::IllegalOperation, &[]);
    }
}

#[test]
fn an_interrupt_from_an_unused_line_does_nothing() {
    let device = Device::new(Wiring::Level, 50, 10);
    let mut system = device.boot_waiting();
    for line in [0, 27, 33, 1023, 1024, u32::MAX] {
        system.interrupt(MachineInterrupt::Line(Line(line)));
        system.assert_running(device.other);
    }
    assert_eq!(device.state(&system), State::Armed);
}

#[test]
fn interrupts_merge_with_signals_of_programs() {
    let mut device = Device::new(Wiring::EdgeKept, 10, 50);
    let second = device.plan.interrupt(Wiring::EdgeKept, device.notification, 0b10);
    let signal = device.plan.grant(device.other, device.notification.signaller(1));
    let mut system = device.plan.boot();
    system.edge(device.interrupt);
    system.edge(second);
    assert_eq!(system.take_interrupts(), 2);
    system.signal(device.other, signal);
    system.stop(device.other);
    system.wait(device.driver, device.wait);
    system.assert_signal(device.driver, 0b111);
}

#[test]
fn an_interrupt_wakes_a_bound_thread_that_receives() {
    let mut plan = Plan::new();
    let [server, other] = [("server", 50), ("other", 10)].map(|(name, p)| plan.thread(name, p));
    let (endpoint, notification) = (plan.endpoint(), plan.bound_notification(server));
    let interrupt = plan.interrupt(Wiring::Level, notification, BADGE);
    let receive = plan.grant(server, endpoint.receiver());
    let mut system = plan.boot();
    system.recv(server, receive);
    system.assert_running(other);
    system.set_asserted(interrupt, true);
    system.take_interrupts();
    system.assert_running(server);
    system.assert_signal(server, BADGE);
}

/// A passive driver runs on the scheduling context that its notification holds.
#[test]
fn an_interrupt_lends_the_time_of_its_notification() {
    let mut device = Device::new(Wiring::Level, 50, 10);
    let (driver, manager) = (device.driver, device.other);
    let time = device.plan.sched_context_of(driver);
    let control = device.plan.grant(manager, time.control());
    let target = device.plan.grant(manager, device.notification.waiter());
    let mut system = device.boot_waiting();
    system.call(manager, control, Label::SchedContextUnbind.as_raw(), &[]);
    system.call_with_caps(manager, control, Label::SchedContextBind.as_raw(), &[target]);
    system.assert_done(manager);
    system.assert_holds(driver, None);
    system.set_asserted(device.interrupt, true);
    system.take_interrupts();
    system.assert_running(driver);
    system.assert_holds(driver, Some(time));
}
