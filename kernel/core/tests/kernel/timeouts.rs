//! Timeout faults: the end of a budget, reported to a handler.

use limen_abi::FaultLabel;
use limen_core::object::thread::State;

use crate::support::{Family, System, Thread};

/// A parent that handles its child's timeouts, when the child's budget has just ended.
fn timed_out(passive: bool) -> (System, Thread, Thread, u64) {
    let mut family = if passive { Family::passive(200) } else { Family::active(200) };
    family.plan.share(family.child, 100, 400);
    family.plan.handle_timeouts(family.child, family.endpoint.caller(Family::BADGE));
    let mut system = family.boot();
    system.run_to_timer();
    (system, family.parent, family.child, family.receive)
}

#[test]
fn a_timeout_reports_the_consumed_time() {
    let (system, parent, child, _) = timed_out(false);
    system.assert_running(parent);
    system.assert_message(parent, Family::BADGE, FaultLabel::Timeout.as_raw(), &[0, 100]);
    system.assert_calling(child);
}

#[test]
fn after_the_reply_the_thread_waits_for_its_next_period() {
    let (mut system, parent, child, receive) = timed_out(false);
    let pc = system.pc(child);
    system.reply_recv(parent, receive, 0, &[]);
    assert_eq!(system.state(child), State::Postponed);
    system.run_to_timer();
    system.assert_running(child);
    assert_eq!((system.kernel.machine.now, system.pc(child)), (400, pc));
}

#[test]
fn the_reply_may_set_registers() {
    let (mut system, parent, child, receive) = timed_out(false);
    system.reply_recv(parent, receive, 0, &[0x1000, 0x2000]);
    assert_eq!(system.pc(child), 0x1000);
}

#[test]
fn a_reply_with_a_label_stops_the_thread() {
    let (mut system, parent, child, receive) = timed_out(false);
    system.reply_recv(parent, receive, 1, &[]);
    system.assert_inactive(child);
}

#[test]
fn a_used_up_budget_is_not_lent() {
    let (system, parent, child, _) = timed_out(true);
    system.assert_idle();
    assert_eq!(system.state(parent), State::Runnable);
    assert!(system.kernel.threads[parent.id()].sched_context.is_none());
    assert!(system.kernel.threads[child.id()].sched_context.is_some());
}

#[test]
fn the_end_of_a_slice_is_no_timeout() {
    let mut family = Family::active(200);
    family.plan.handle_timeouts(family.child, family.endpoint.caller(Family::BADGE));
    let mut system = family.boot();
    system.run_for(10_000);
    system.assert_running(family.child);
}
