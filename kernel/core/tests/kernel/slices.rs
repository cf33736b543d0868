//! Time: slices, round robin among equals, the lazy timer, and charging.

use limen_abi::{MessageInfo, Syscall};
use limen_core::machine::{Interrupt, Line};

use crate::support::{Notification, Plan, Service, System, Thread};

/// Two threads of equal priority with these slices, each with a slot on which it may wait forever.
fn equals(slices: [u64; 2]) -> (Plan, [Thread; 2], u64) {
    let mut plan = Plan::new();
    let threads = ["first", "second"].map(|name| plan.thread(name, 50));
    let never = plan.notification();
    let slot = threads.map(|thread| plan.grant(thread, never.waiter()))[0];
    for (thread, slice) in threads.into_iter().zip(slices) {
        plan.slice(thread, slice);
    }
    (plan, threads, slot)
}

/// A thread that waits and preempts the running one, and how to wake it.
fn add_interrupter(plan: &mut Plan, by: Thread) -> (Thread, Notification, u64, u64) {
    let thread = plan.thread("interrupter", 200);
    let notification = plan.notification();
    let wait = plan.grant(thread, notification.waiter());
    let wake = plan.grant(by, notification.signaller(1));
    (thread, notification, wait, wake)
}

fn deadline(system: &System) -> u64 {
    system.kernel.machine.deadline
}

#[test]
fn equals_take_turns() {
    let (plan, [first, second], _) = equals([1000, 300]);
    let mut system = plan.boot();
    for (thread, end) in [(first, 1000), (second, 1300), (first, 2300), (second, 2600)] {
        system.assert_running(thread);
        assert_eq!(deadline(&system), end);
        system.run_to_timer();
    }
}

#[test]
fn the_only_thread_of_a_priority_starts_a_new_slice() {
    let mut plan = Plan::new();
    let only = plan.thread("only", 50);
    plan.thread("low", 10);
    let mut system = plan.boot();
    for turn in 1..4 {
        assert_eq!(deadline(&system), turn * 1000);
        system.run_to_timer();
        system.assert_running(only);
    }
}

#[test]
fn the_timer_is_not_set_if_the_next_slice_ends_later() {
    let (plan, [first, second], never) = equals([1000, 1000]);
    let mut system = plan.boot();
    let set = system.kernel.machine.deadlines_set;
    system.pass(400);
    system.wait(first, never);
    system.assert_running(second);
    assert_eq!((deadline(&system), system.kernel.machine.deadlines_set), (1000, set));
    system.run_to_timer();
    system.assert_running(second);
    assert_eq!(deadline(&system), 1400, "it fired too early and was set again");
    system.run_to_timer();
    assert_eq!(deadline(&system), 2400);
}

#[test]
fn the_timer_is_set_if_the_next_slice_ends_earlier() {
    let (plan, [first, second], never) = equals([1000, 100]);
    let mut system = plan.boot();
    system.pass(400);
    system.wait(first, never);
    system.assert_running(second);
    assert_eq!(deadline(&system), 500);
}

#[test]
fn a_late_timer_ends_the_slice() {
    let (plan, [first, second], _) = equals([1000, 300]);
    let mut system = plan.boot();
    system.pass(5000);
    system.run_to_timer();
    system.assert_running(second);
    assert_eq!(deadline(&system), 5300);
    system.run_to_timer();
    system.assert_running(first);
    assert_eq!(deadline(&system), 6300);
}

#[test]
fn an_interrupted_slice_continues() {
    let (mut plan, [first, second], _) = equals([1000, 1000]);
    let (interrupter, _, wait, wake) = add_interrupter(&mut plan, first);
    let mut system = plan.boot();
    system.wait(interrupter, wait);
    system.pass(400);
    system.signal(first, wake);
    system.assert_running(interrupter);
    system.pass(250);
    system.wait(interrupter, wait);
    system.assert_running(first);
    while system.current() == Some(first) {
        system.run_to_timer();
    }
    system.assert_running(second);
    assert_eq!(system.kernel.machine.now, 1250);
}

#[test]
fn a_preempted_thread_queues_before_its_equals() {
    let (mut plan, [first, second], never) = equals([1000, 1000]);
    let (interrupter, _, wait, wake) = add_interrupter(&mut plan, first);
    let mut system = plan.boot();
    system.wait(interrupter, wait);
    system.signal(first, wake);
    system.wait(interrupter, wait);
    system.assert_running(first);
    system.wait(first, never);
    system.assert_running(second);
}

#[test]
fn a_woken_thread_queues_behind_its_ready_equals() {
    let mut plan = Plan::new();
    let [woken, running, ready] = ["woken", "running", "ready"].map(|name| plan.thread(name, 50));
    let notification = plan.notification();
    let wait = plan.grant(woken, notification.waiter());
    let wake = plan.grant(running, notification.signaller(1));
    let mut system = plan.boot();
    system.wait(woken, wait);
    system.signal(running, wake);
    for thread in [running, ready, woken, running] {
        system.assert_running(thread);
        system.yield_slice(thread);
    }
}

#[test]
fn yielding_switches_to_equals_only() {
    let (mut plan, [first, second], _) = equals([1000, 1000]);
    plan.thread("low", 10);
    let mut system = plan.boot();
    system.pass(100);
    system.yield_slice(first);
    system.assert_running(second);
    system.yield_slice(second);
    system.assert_running(first);
    let mut alone = Plan::new();
    let only = alone.thread("only", 50);
    alone.thread("low", 10);
    let mut system = alone.boot();
    system.yield_slice(only);
    system.assert_running(only);
}

#[test]
fn yielding_starts_a_new_slice() {
    let mut plan = Plan::new();
    let only = plan.thread("only", 50);
    let mut system = plan.boot();
    system.pass(900);
    system.yield_slice(only);
    system.run_to_timer();
    assert_eq!(deadline(&system), 1900);
    system.run_to_timer();
    assert_eq!(deadline(&system), 2900);
}

#[test]
fn yielding_changes_no_register() {
    let mut plan = Plan::new();
    let only = plan.thread("only", 50);
    let mut system = plan.boot();
    system.yield_slice(only);
    let mut expected = *system.context(only);
    expected.trap(Syscall::Yield.as_raw(), 0, MessageInfo::default());
    system.yield_slice(only);
    assert_eq!(*system.context(only), expected);
}

#[test]
fn a_passive_server_uses_up_its_clients_slice() {
    let mut service = Service::passive(200);
    let (equal, _) = service.add_client("equal", 200, 2);
    let never = service.plan.notification();
    let never = service.plan.grant(equal, never.waiter());
    service.plan.slice(service.client, 500);
    let mut system = service.boot();
    system.wait(equal, never);
    system.pass(300);
    system.call(service.client, service.call, 1, &[]);
    system.assert_running(service.server);
    system.run_to_timer();
    assert_eq!(system.kernel.machine.now, 500, "the slice that the client started");
    system.assert_running(service.server);
    assert_eq!(deadline(&system), 1000);
}

#[test]
fn a_slice_that_ends_in_a_server_lets_the_servers_equals_run() {
    let mut service = Service::passive(200);
    let gate = service.plan.notification();
    let (equal, _) = service.add_client("equal", 200, 2);
    let wait = service.plan.grant(equal, gate.waiter());
    let open = service.plan.grant(service.server, gate.signaller(1));
    let mut system = service.boot();
    system.wait(equal, wait);
    system.call(service.client, service.call, 1, &[]);
    system.signal(service.server, open);
    system.assert_running(service.server);
    system.run_to_timer();
    system.assert_running(equal);
    system.wait(equal, wait);
    system.assert_running(service.server);
    system.reply_recv(service.server, service.receive, 0, &[]);
    system.assert_running(service.client);
}

#[test]
fn idle_time_is_charged_to_no_scheduling_context() {
    let mut plan = Plan::new();
    let only = plan.thread("only", 50);
    let never = plan.notification();
    let wait = plan.grant(only, never.waiter());
    let time = plan.sched_context_of(only);
    let mut system = plan.boot();
    system.pass(300);
    system.wait(only, wait);
    system.assert_idle();
    for _ in 0..3 {
        system.pass(10_000);
        system.interrupt(Interrupt::Timer);
        system.assert_idle();
    }
    assert_eq!(system.kernel.consumed(time.id()), 300);
}

#[test]
fn a_spurious_interrupt_changes_nothing() {
    let (plan, [first, second], never) = equals([1000, 1000]);
    let mut system = plan.boot();
    system.pass(2000);
    system.interrupt(Interrupt::Line(Line(1000)));
    system.assert_running(first);
    system.wait(first, never);
    system.wait(second, never);
    system.interrupt(Interrupt::Line(Line(1000)));
    system.assert_idle();
}

#[test]
fn a_timer_that_fires_too_early_is_set_again() {
    let (plan, [first, _], _) = equals([1000, 1000]);
    let mut system = plan.boot();
    system.pass(100);
    for _ in 0..3 {
        system.interrupt(Interrupt::Timer);
        system.assert_running(first);
        assert_eq!(deadline(&system), 1000);
    }
}

#[test]
fn no_slice_is_overrun_when_the_timer_is_on_time() {
    let (mut plan, [first, _], _) = equals([700, 300]);
    let (interrupter, _, wait, wake) = add_interrupter(&mut plan, first);
    let mut system = plan.boot();
    system.wait(interrupter, wait);
    let mut turn_started = 0;
    let mut interrupted = 0;
    for step in 0..200 {
        let running = system.current();
        system.pass(17.min(deadline(&system) - system.kernel.machine.now));
        if system.kernel.machine.now == deadline(&system) {
            system.run_to_timer();
        } else if running == Some(first) && step % 5 == 0 {
            system.signal(first, wake);
            system.pass(3);
            system.wait(interrupter, wait);
            interrupted += 3;
        }
        if system.current() != running {
            let slice = if running == Some(first) { 700 } else { 300 };
            assert_eq!(system.kernel.machine.now - turn_started - interrupted, slice, "step {step}");
            (turn_started, interrupted) = (system.kernel.machine.now, 0);
        }
    }
}

#[test]
fn a_reply_returns_to_the_callers_slice() {
    let mut service = Service::active(200);
    service.plan.slice(service.server, 100);
    let mut system = service.boot();
    system.run_for(600);
    system.assert_running(service.client);
    system.call(service.client, service.call, 1, &[]);
    assert_eq!(deadline(&system), 700, "the server's own slice");
    system.pass(60);
    system.reply_recv(service.server, service.receive, 0, &[]);
    system.assert_running(service.client);
    system.run_to_timer();
    system.assert_running(service.client);
    assert_eq!(deadline(&system), 1060, "400 of the client's slice were left");
}

/// A thread enters the kernel at the end of its slice, before the timer interrupt is taken.
fn enter_at_the_end_of_the_slice(system: &mut System) {
    system.kernel.machine.now = system.kernel.machine.deadline;
}

#[test]
fn a_call_at_the_end_of_a_slice_does_not_starve_equals() {
    let mut service = Service::active(200);
    let (equal, _) = service.add_client("equal", 100, 2);
    let mut system = service.boot();
    system.assert_running(service.client);
    enter_at_the_end_of_the_slice(&mut system);
    system.call(service.client, service.call, 1, &[]);
    system.interrupt(Interrupt::Timer);
    system.reply_recv(service.server, service.receive, 0, &[]);
    system.assert_running(equal);
}

#[test]
fn a_signal_at_the_end_of_a_slice_does_not_starve_equals() {
    let mut plan = Plan::new();
    let [first, second] = ["first", "second"].map(|name| plan.thread(name, 50));
    let important = plan.thread("important", 200);
    let notification = plan.notification();
    let wait = plan.grant(important, notification.waiter());
    let signal = plan.grant(first, notification.signaller(1));
    let mut system = plan.boot();
    system.wait(important, wait);
    enter_at_the_end_of_the_slice(&mut system);
    system.signal(first, signal);
    system.interrupt(Interrupt::Timer);
    system.wait(important, wait);
    system.assert_running(second);
}
