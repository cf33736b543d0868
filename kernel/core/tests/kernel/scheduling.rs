//! Scheduling: the running thread is always the highest-priority one that could run.

use limen_abi::Label;

use crate::support::{Plan, System, Thread};

/// Priorities at the limits and at the word boundaries of a bitmap.
const PRIORITIES: [u8; 10] = [0, 1, 63, 64, 127, 128, 191, 192, 254, 255];

/// Threads of each of these priorities, added in another order, and a slot to wait on forever.
fn crowd() -> (Plan, Vec<(Thread, u8)>, u64) {
    let mut plan = Plan::new();
    let order = [3, 7, 0, 9, 1, 5, 8, 2, 6, 4].map(|index| PRIORITIES[index]);
    let mut threads: Vec<_> =
        order.into_iter().map(|p| (plan.thread(&format!("priority {p}"), p), p)).collect();
    let never = plan.notification();
    let slots: Vec<_> = threads.iter().map(|(thread, _)| plan.grant(*thread, never.waiter())).collect();
    threads.sort_by_key(|(_, priority)| core::cmp::Reverse(*priority));
    (plan, threads, slots[0])
}

#[test]
fn threads_run_in_order_of_priority() {
    let (plan, threads, never) = crowd();
    let mut system = plan.boot();
    for (thread, _) in threads {
        system.assert_running(thread);
        system.wait(thread, never);
    }
    system.assert_idle();
}

#[test]
fn the_end_of_a_slice_does_not_help_lower_priorities() {
    let (plan, threads, _) = crowd();
    let mut system = plan.boot();
    for _ in 0..5 {
        system.run_to_timer();
        system.assert_running(threads[0].0);
    }
}

/// The lowest-priority thread wakes all others, from the bottom up, and each waits again.
fn wake_all(system: &mut System, threads: &[(Thread, u8)], slots: &[(u64, u64)]) {
    let (waker, _) = threads[threads.len() - 1];
    for (index, (wait, wake)) in slots.iter().enumerate().rev() {
        system.signal(waker, *wake);
        system.assert_running(threads[index].0);
        system.wait(threads[index].0, *wait);
        system.assert_running(waker);
    }
}

#[test]
fn every_priority_above_preempts() {
    let (mut plan, threads, _) = crowd();
    let waker = threads[threads.len() - 1].0;
    let mut slots = Vec::new();
    for (thread, _) in &threads[..threads.len() - 1] {
        let notification = plan.notification();
        let wait = plan.grant(*thread, notification.waiter());
        slots.push((wait, plan.grant(waker, notification.signaller(1))));
    }
    let mut system = plan.boot();
    for ((thread, _), (wait, _)) in threads.iter().zip(&slots) {
        system.wait(*thread, *wait);
    }
    wake_all(&mut system, &threads, &slots);
}

#[test]
fn a_timer_interrupt_leaves_an_idle_processor_idle() {
    let (plan, threads, never) = crowd();
    let mut system = plan.boot();
    for (thread, _) in &threads {
        system.wait(*thread, never);
    }
    system.pass(1_000_000);
    system.interrupt(limen_core::machine::Interrupt::Timer);
    system.assert_idle();
    assert_eq!(system.kernel.machine.deadline, u64::MAX, "no slice has to end");
}

#[test]
fn a_last_woken_thread_of_low_priority_does_not_keep_the_processor() {
    let mut plan = Plan::new();
    let [high, low] = [("high", 90), ("low", 10)].map(|(name, priority)| plan.thread(name, priority));
    let control = plan.grant(low, high.control());
    let own = plan.grant(high, low.control());
    let never = plan.notification();
    let never = plan.grant(high, never.waiter());
    let mut system = plan.boot();
    system.call(high, own, Label::TcbSuspend.as_raw(), &[]);
    system.call(high, own, Label::TcbResume.as_raw(), &[]);
    system.assert_running(high);
    system.wait(high, never);
    system.assert_running(low);
    system.call(low, control, Label::TcbResume.as_raw(), &[]);
    system.assert_running(high);
}
