//! Domains: the exact schedule, and what other domains can observe.

use crate::support::{Plan, System, Thread};

/// One thread in each of two domains, with slots of 1000 and 500 ticks.
fn pair() -> (Plan, Thread, Thread) {
    let mut plan = Plan::new();
    let first = plan.thread("first", 50);
    let second = plan.thread("second", 100);
    plan.set_domain(first, 3);
    plan.set_domain(second, 15);
    plan.turn(3, 1000);
    plan.turn(15, 500);
    (plan, first, second)
}

/// The running thread over time, until `end`.
fn trace(system: &mut System, end: u64) -> Vec<(u64, Option<Thread>)> {
    let mut trace = vec![(system.kernel.machine.now, system.current())];
    while system.kernel.machine.deadline <= end {
        system.run_to_timer();
        if trace.last().map(|last| last.1) != Some(system.current()) {
            trace.push((system.kernel.machine.now, system.current()));
        }
    }
    trace
}

#[test]
fn domains_run_by_the_schedule() {
    let (plan, first, second) = pair();
    let mut system = plan.boot();
    let expected = [(0, first), (1000, second), (1500, first), (2500, second), (3000, first)]
        .map(|(at, t)| (at, Some(t)));
    assert_eq!(trace(&mut system, 3000), expected);
}

#[test]
fn a_late_switch_shortens_only_the_next_slot() {
    let (plan, first, second) = pair();
    let mut system = plan.boot();
    system.pass(1100);
    system.run_to_timer();
    system.assert_running(second);
    assert_eq!(system.kernel.machine.deadline, 1500);
    system.run_to_timer();
    system.assert_running(first);
    assert_eq!(system.kernel.processor.slot_end, 2500);
}

#[test]
fn a_slot_that_ends_before_it_begins_is_skipped() {
    let (plan, first, _) = pair();
    let mut system = plan.boot();
    system.pass(1600);
    system.run_to_timer();
    system.assert_running(first);
    assert_eq!(system.kernel.processor.slot_end, 2500);
}

#[test]
fn a_domain_without_threads_idles() {
    let (mut plan, first, _) = pair();
    plan.turn(7, 300);
    let mut system = plan.boot();
    system.run_for(1500);
    system.assert_idle();
    system.run_to_timer();
    system.assert_running(first);
    assert_eq!(system.kernel.machine.now, 1800);
}

#[test]
fn a_signal_from_another_domain_takes_effect_in_the_waiters_slot() {
    let (mut plan, first, second) = pair();
    let notification = plan.notification();
    let wait = plan.grant(second, notification.waiter());
    let wake = plan.grant(first, notification.signaller(4));
    let mut system = plan.boot();
    system.run_for(1000);
    system.wait(second, wait);
    system.assert_idle();
    system.run_for(500);
    system.signal(first, wake);
    system.assert_running(first);
    system.run_to_timer();
    while system.kernel.machine.now < 2500 {
        system.run_to_timer();
    }
    system.assert_signal(second, 4);
}

#[test]
fn a_call_to_another_domain_is_served_in_that_domains_slot() {
    let (mut plan, first, second) = pair();
    let server = plan.thread("server", 200);
    plan.set_domain(server, 15);
    let endpoint = plan.endpoint();
    let receive = plan.grant(server, endpoint.receiver());
    let call = plan.grant(first, endpoint.caller(9));
    let mut system = plan.boot();
    system.run_for(1000);
    system.recv(server, receive);
    system.run_for(500);
    system.call(first, call, 5, &[6]);
    system.assert_idle();
    system.run_for(1000);
    system.assert_message(server, 9, 5, &[6]);
    system.reply_recv(server, receive, 0, &[7]);
    system.assert_running(second);
    system.run_for(500);
    system.assert_message(first, 0, 0, &[7]);
    system.assert_running(first);
}

#[test]
fn a_refill_does_not_interrupt_the_slot_of_another_domain() {
    let (mut plan, first, second) = pair();
    plan.share(first, 300, 1200);
    let mut system = plan.boot();
    let expected = [(0, Some(first)), (300, None), (1000, Some(second)), (1500, Some(first)), (1800, None)];
    assert_eq!(trace(&mut system, 2000), expected);
    assert_eq!(system.kernel.processor.slot_end, 2500);
}

#[test]
fn the_load_of_a_domain_does_not_shift_the_slots_of_another() {
    let quiet = trace_of_second(|_, _, _| {});
    let busy = trace_of_second(|system, first, wake| {
        if system.current() == Some(first) {
            system.signal(first, wake);
            system.yield_slice(first);
        }
    });
    assert_eq!(quiet, busy);
}

/// When the second thread starts and stops running, whatever the first one does.
fn trace_of_second(behave: impl Fn(&mut System, Thread, u64)) -> Vec<(u64, bool)> {
    let (mut plan, first, second) = pair();
    let busy = plan.thread("busy", 60);
    plan.set_domain(busy, 3);
    plan.share(busy, 100, 330);
    let notification = plan.notification();
    let wake = plan.grant(first, notification.signaller(1));
    let mut system = plan.boot();
    let mut trace = Vec::new();
    for step in 0..4000 {
        behave(&mut system, first, wake);
        system.run_for(if step % 2 == 0 { 3 } else { 7 });
        let runs = system.current() == Some(second);
        if trace.last().map(|last: &(u64, bool)| last.1) != Some(runs) {
            trace.push((system.kernel.machine.now, runs));
        }
    }
    trace
}
