//! Notifications: merging of signals, and the threads that they wake.

use limen_abi::{ErrorCode, Label, Syscall};
use limen_core::machine::Context;

use crate::support::{Arguments, Notification, Plan, REPLY, Service, System, Thread, X0};

/// A thread that waits for a notification, and a lower-priority one that signals it.
struct Pair {
    plan: Plan,
    waiter: Thread,
    signaller: Thread,
    notification: Notification,
    wait: u64,
    signal: u64,
}

impl Pair {
    const BADGE: u64 = 0b1001;

    fn new(waiter: u8, signaller: u8) -> Self {
        let mut plan = Plan::new();
        let [waiter, signaller] =
            [("waiter", waiter), ("signaller", signaller)].map(|(name, p)| plan.thread(name, p));
        let notification = plan.notification();
        let wait = plan.grant(waiter, notification.waiter());
        let signal = plan.grant(signaller, notification.signaller(Self::BADGE));
        Self { plan, waiter, signaller, notification, wait, signal }
    }

    /// Boots; the waiter waits.
    fn boot_waiting(&mut self) -> System {
        let mut system = self.plan.boot();
        system.wait(self.waiter, self.wait);
        system.assert_waiting(self.waiter, self.notification);
        system
    }
}

#[test]
fn signals_merge_until_they_are_received() {
    let mut pair = Pair::new(10, 50);
    let other = pair.plan.grant(pair.signaller, pair.notification.signaller(0b0110));
    let mut system = pair.plan.boot();
    for slot in [pair.signal, other, other] {
        system.signal(pair.signaller, slot);
        system.assert_running(pair.signaller);
    }
    system.stop(pair.signaller);
    system.wait(pair.waiter, pair.wait);
    system.assert_running(pair.waiter);
    system.assert_signal(pair.waiter, 0b1111);
    system.nb_wait(pair.waiter, pair.wait);
    system.assert_signal(pair.waiter, 0);
}

#[test]
fn a_signal_sets_only_the_badge() {
    let mut pair = Pair::new(50, 10);
    let mut system = pair.boot_waiting();
    let before = *system.context(pair.waiter);
    system.send(pair.signaller, pair.signal, 7, &[1, 2, 3]);
    let after = *system.context(pair.waiter);
    assert_eq!(after.cptr(), Pair::BADGE);
    assert_eq!(after.registers[X0 + 1..], before.registers[X0 + 1..]);
}

#[test]
fn polling_finds_nothing_or_everything() {
    let mut pair = Pair::new(50, 10);
    let mut system = pair.plan.boot();
    let info = system.context(pair.waiter).info();
    system.nb_wait(pair.waiter, pair.wait);
    system.assert_running(pair.waiter);
    system.assert_signal(pair.waiter, 0);
    assert_eq!(system.context(pair.waiter).info(), info, "the info register is unchanged");
    let own = pair.plan.grant(pair.waiter, pair.notification.signaller(0x40));
    let mut system = pair.plan.boot();
    system.signal(pair.waiter, own);
    system.nb_wait(pair.waiter, pair.wait);
    system.assert_signal(pair.waiter, 0x40);
}

#[test]
fn a_waiter_of_higher_priority_preempts() {
    let mut pair = Pair::new(50, 10);
    let mut system = pair.boot_waiting();
    system.signal(pair.signaller, pair.signal);
    system.assert_running(pair.waiter);
    system.assert_signal(pair.waiter, Pair::BADGE);
    system.assert_runnable(pair.signaller);
}

#[test]
fn a_waiter_of_equal_priority_does_not_preempt() {
    let mut pair = Pair::new(50, 50);
    let mut system = pair.boot_waiting();
    system.signal(pair.signaller, pair.signal);
    system.assert_running(pair.signaller);
    system.assert_runnable(pair.waiter);
    system.yield_slice(pair.signaller);
    system.assert_running(pair.waiter);
}

#[test]
fn a_waiter_of_lower_priority_does_not_preempt() {
    let mut pair = Pair::new(10, 50);
    let control = pair.plan.grant(pair.signaller, pair.signaller.control());
    let mut system = pair.plan.boot_serving(&[(pair.waiter, pair.wait)]);
    system.signal(pair.signaller, pair.signal);
    system.assert_running(pair.signaller);
    system.assert_runnable(pair.waiter);
    system.send(pair.signaller, control, Label::TcbSuspend.as_raw(), &[]);
    system.assert_running(pair.waiter);
    system.assert_signal(pair.waiter, Pair::BADGE);
}

#[test]
fn waiters_are_woken_one_at_a_time_by_priority() {
    let mut pair = Pair::new(50, 10);
    let high = pair.plan.thread("high", 90);
    let equal = pair.plan.thread("equal", 50);
    let slots = [high, equal].map(|thread| pair.plan.grant(thread, pair.notification.waiter()));
    let mut system = pair.plan.boot();
    system.wait(high, slots[0]);
    system.wait(pair.waiter, pair.wait);
    system.wait(equal, slots[1]);
    for (woken, slot) in [(high, slots[0]), (high, slots[0])] {
        system.signal(pair.signaller, pair.signal);
        system.assert_running(woken);
        system.wait(woken, slot);
    }
    system.signal(pair.signaller, pair.signal);
    system.stop(high);
    for woken in [pair.waiter, equal] {
        system.signal(pair.signaller, pair.signal);
        system.assert_running(woken);
        system.stop(woken);
    }
}

#[test]
fn a_signal_without_bits_still_wakes() {
    let mut pair = Pair::new(50, 10);
    let empty = pair.plan.grant(pair.signaller, pair.notification.signaller(0));
    let mut system = pair.boot_waiting();
    system.signal(pair.signaller, empty);
    system.assert_running(pair.waiter);
    system.assert_signal(pair.waiter, 0);
}

#[test]
fn a_call_to_a_notification_signals_and_returns_at_once() {
    let mut pair = Pair::new(50, 10);
    let mut system = pair.boot_waiting();
    system.call(pair.signaller, pair.signal, 5, &[1]);
    system.assert_running(pair.waiter);
    system.assert_done(pair.signaller);
    system.assert_runnable(pair.signaller);
}

#[test]
fn signalling_needs_the_send_right() {
    let mut pair = Pair::new(50, 10);
    let slot = pair.plan.grant(pair.signaller, pair.notification.waiter());
    let mut system = pair.boot_waiting();
    system.signal(pair.signaller, slot);
    system.assert_running(pair.signaller);
    system.call(pair.signaller, slot, 0, &[]);
    system.assert_refused(pair.signaller, ErrorCode::InvalidCapability, &[0]);
    system.assert_waiting(pair.waiter, pair.notification);
}

#[test]
fn a_bound_notification_wakes_a_thread_that_receives_from_an_endpoint() {
    let mut service = Service::active(200);
    let notification = service.plan.bound_notification(service.server);
    let signal = service.plan.grant(service.client, notification.signaller(0x20));
    let mut system = service.boot();
    let before = system.context(service.server).registers;
    system.signal(service.client, signal);
    system.assert_running(service.server);
    system.assert_signal(service.server, 0x20);
    assert_eq!(system.context(service.server).registers[X0 + 1..], before[X0 + 1..]);
    system.recv(service.server, service.receive);
    system.call(service.client, service.call, 1, &[]);
    system.assert_message(service.server, Service::BADGE, 1, &[]);
}

#[test]
fn a_bound_signal_is_received_before_messages() {
    let mut service = Service::active(50);
    let notification = service.plan.bound_notification(service.server);
    let signal = service.plan.grant(service.client, notification.signaller(0x20));
    let mut system = service.plan.boot();
    system.signal(service.client, signal);
    system.call(service.client, service.call, 1, &[]);
    system.recv(service.server, service.receive);
    system.assert_signal(service.server, 0x20);
    system.assert_calling(service.client);
    system.recv(service.server, service.receive);
    system.assert_message(service.server, Service::BADGE, 1, &[]);
}

#[test]
fn polling_an_endpoint_receives_the_bound_signal() {
    let mut service = Service::active(200);
    let notification = service.plan.bound_notification(service.server);
    let signal = service.plan.grant(service.server, notification.signaller(0x20));
    let mut system = service.plan.boot();
    system.signal(service.server, signal);
    system.nb_recv(service.server, service.receive);
    system.assert_signal(service.server, 0x20);
    system.nb_recv(service.server, service.receive);
    system.assert_signal(service.server, 0);
    system.signal(service.server, signal);
    system.nb_wait(service.server, service.receive);
    system.assert_signal(service.server, 0x20);
}

#[test]
fn a_bound_signal_stays_pending_while_its_thread_calls_or_sends() {
    for syscall in [Syscall::Call, Syscall::Send] {
        let mut service = Service::active(50);
        let notification = service.plan.bound_notification(service.client);
        let wait = service.plan.grant(service.client, notification.waiter());
        let signal = service.plan.grant(service.server, notification.signaller(0x20));
        let mut system = service.plan.boot();
        system.syscall(service.client, syscall, service.call, &Arguments::default());
        system.signal(service.server, signal);
        system.assert_sending(service.client, service.endpoint);
        system.recv(service.server, service.receive);
        if syscall == Syscall::Call {
            system.signal(service.server, signal);
            system.assert_calling(service.client);
            system.send(service.server, REPLY, 0, &[]);
        }
        system.assert_running(service.client);
        system.nb_wait(service.client, wait);
        system.assert_signal(service.client, 0x20);
    }
}

#[test]
fn a_bound_thread_may_wait_for_its_notification() {
    let mut pair = Pair::new(50, 10);
    pair.plan.record(pair.waiter).notification = pair.notification.0;
    let mut system = pair.boot_waiting();
    system.signal(pair.signaller, pair.signal);
    system.assert_running(pair.waiter);
    system.assert_signal(pair.waiter, Pair::BADGE);
}

#[test]
fn only_the_bound_thread_may_wait() {
    for syscall in [Syscall::Wait, Syscall::NbWait, Syscall::Recv, Syscall::NbRecv] {
        let mut pair = Pair::new(50, 10);
        pair.plan.record(pair.signaller).notification = pair.notification.0;
        let mut system = pair.plan.boot();
        let at_syscall = system.pc(pair.waiter);
        system.receive(pair.waiter, syscall, pair.wait, REPLY);
        system.assert_inactive(pair.waiter);
        assert_eq!(system.pc(pair.waiter), at_syscall);
    }
}

#[test]
fn waiting_needs_the_receive_right() {
    let mut pair = Pair::new(50, 10);
    let slot = pair.plan.grant(pair.waiter, pair.notification.signaller(1));
    let mut system = pair.plan.boot();
    system.wait(pair.waiter, slot);
    system.assert_inactive(pair.waiter);
}
