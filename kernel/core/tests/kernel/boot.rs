//! Boot: threads start in the state that the image describes.

use limen_abi::limits;
use limen_core::machine::CounterAccess;

use crate::support::{Clock, Grant, PC, Plan, SP, Space, System};

#[test]
fn the_thread_of_the_highest_priority_runs_first() {
    let mut plan = Plan::new();
    plan.thread("low", 1);
    let high = plan.thread("high", 200);
    plan.thread("middle", 100);
    plan.boot().assert_running(high);
}

#[test]
fn the_first_of_equal_threads_runs_first() {
    let mut plan = Plan::new();
    let [first, second, third] = ["first", "second", "third"].map(|name| plan.thread(name, 7));
    let mut system = plan.boot();
    for thread in [first, second, third, first] {
        system.assert_running(thread);
        system.yield_slice(thread);
    }
}

#[test]
fn threads_start_at_their_entry_with_their_stack_and_zeroed_registers() {
    let mut plan = Plan::new();
    let thread = plan.thread("program", 1);
    plan.record(thread).entry = 0x12_3000;
    plan.record(thread).stack_top = 0x45_6000;
    let system = System::boot_plain(&plan.image(), vec!["program".into()], Clock::PLAIN, &[]);
    let registers = system.context(thread).registers;
    assert_eq!((registers[PC], registers[SP]), (0x12_3000, 0x45_6000));
    assert_eq!(registers.iter().filter(|value| **value != 0).count(), 2);
}

#[test]
fn a_thread_without_a_scheduling_context_does_not_start() {
    let mut plan = Plan::new();
    let passive = plan.passive("passive", 200);
    let active = plan.thread("active", 1);
    let system = plan.boot();
    system.assert_running(active);
    system.assert_runnable(passive);
}

#[test]
fn a_system_of_passive_threads_idles() {
    let mut plan = Plan::new();
    plan.passive("passive", 200);
    plan.boot().assert_idle();
}

#[test]
fn each_thread_runs_in_its_own_address_space() {
    let mut plan = Plan::new();
    let [first, second] = ["first", "second"].map(|name| plan.thread(name, 7));
    let mut system = plan.boot();
    assert_eq!(system.kernel.machine.space, Space(0));
    system.yield_slice(first);
    assert_eq!(system.kernel.machine.space, Space(1));
    system.yield_slice(second);
    assert_eq!(system.kernel.machine.space, Space(0));
}

#[test]
fn threads_that_share_an_address_space_switch_without_entering_it() {
    let mut plan = Plan::new();
    let [first, second] = ["first", "second"].map(|name| plan.thread(name, 7));
    plan.record(second).vspace = 0;
    plan.record(second).ipc_buffer = 2 * limits::PAGE_BYTES;
    let mut system = plan.boot();
    let entered = system.kernel.machine.spaces_entered;
    system.yield_slice(first);
    system.assert_running(second);
    assert_eq!(system.kernel.machine.spaces_entered, entered);
}

#[test]
fn only_threads_with_the_grant_can_read_the_counter() {
    let mut plan = Plan::new();
    let [granted, denied] = ["granted", "denied"].map(|name| plan.thread(name, 7));
    plan.grant_counter(granted);
    let mut system = plan.boot();
    assert_eq!(system.kernel.machine.counter, CounterAccess::Granted);
    system.yield_slice(granted);
    assert_eq!(system.kernel.machine.counter, CounterAccess::Denied);
    system.yield_slice(denied);
    assert_eq!(system.kernel.machine.counter, CounterAccess::Granted);
}

#[test]
fn a_thread_switch_sets_counter_access_only_if_threads_differ() {
    for (granted, access) in
        [(0, CounterAccess::Denied), (1, CounterAccess::Granted), (2, CounterAccess::Granted)]
    {
        let mut plan = Plan::new();
        let threads = ["first", "second"].map(|name| plan.thread(name, 7));
        threads.iter().take(granted).for_each(|thread| plan.grant_counter(*thread));
        let mut system = plan.boot();
        assert_eq!(system.kernel.processor.counters_differ, granted == 1);
        assert_eq!(system.kernel.machine.counter, access);
        system.yield_slice(threads[0]);
        let second = if granted == 2 { CounterAccess::Granted } else { CounterAccess::Denied };
        assert_eq!(system.kernel.machine.counter, second);
    }
}

#[test]
fn a_full_system_boots() {
    let mut plan = Plan::new();
    let threads: Vec<_> = (0..limits::THREADS).map(|i| plan.thread(&format!("t{i}"), i as u8)).collect();
    for thread in &threads {
        plan.bound_notification(*thread);
        let endpoint = plan.endpoint();
        plan.grant(*thread, endpoint.receiver());
        plan.place(*thread, limits::CAP_SLOTS as u64 - 1, Grant::vspace(*thread));
    }
    let system = plan.boot();
    system.assert_running(threads[limits::THREADS - 1]);
}
