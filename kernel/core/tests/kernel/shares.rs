//! Budgets below their period: the limit, the refills, and the accounting.

use limen_abi::limits::{PAUSE_US, POSTPONED_AT_ONCE};
use limen_abi::{ErrorCode, Label, Syscall};
use limen_core::machine::Interrupt as MachineInterrupt;
use limen_core::object::thread::State;

use crate::support::{Arguments, Checking, Grant, Plan, Service, System, Thread, Wiring};

/// Threads with these priorities, budgets and periods, above a spinner.
fn shares(shapes: &[(u8, u64, u64)]) -> (System, Vec<Thread>) {
    let mut plan = Plan::new();
    let mut threads = Vec::new();
    for (index, (priority, budget, period)) in shapes.iter().enumerate() {
        let thread = plan.thread(&format!("share {index}"), *priority);
        plan.share(thread, *budget, *period);
        threads.push(thread);
    }
    threads.push(plan.thread("spinner", 1));
    (plan.boot(), threads)
}

/// Runs the system and returns how long each thread ran.
fn run(system: &mut System, threads: &[Thread], ticks: u64) -> Vec<u64> {
    let mut used = vec![0; threads.len()];
    let end = system.kernel.machine.now + ticks;
    while system.kernel.machine.now < end {
        let before = system.kernel.machine.now;
        let current = system.current();
        let next = system.kernel.machine.deadline.min(end);
        system.pass(next - before);
        if let Some(index) = threads.iter().position(|thread| Some(*thread) == current) {
            used[index] += next - before;
        }
        if system.kernel.machine.deadline <= system.kernel.machine.now {
            system.run_to_timer();
        }
    }
    used
}

#[test]
fn a_share_gets_its_budget_in_each_period_and_no_more() {
    for (budget, period) in [(100, 400), (200, 1000), (2000, 10_000), (20, 21)] {
        let (mut system, threads) = shares(&[(50, budget, period)]);
        let used = run(&mut system, &threads, 1000 * period);
        assert_eq!(used, [1000 * budget, 1000 * (period - budget)]);
    }
}

#[test]
fn shares_of_different_priorities_get_their_budgets() {
    let (mut system, threads) = shares(&[(60, 2000, 10_000), (50, 3000, 10_000)]);
    assert_eq!(run(&mut system, &threads, 10_000_000), [2_000_000, 3_000_000, 5_000_000]);
    let (mut system, threads) = shares(&[(60, 100, 400), (50, 200, 1000)]);
    assert_eq!(run(&mut system, &threads, 10_000_000), [2_500_000, 2_000_000, 5_500_000]);
}

#[test]
fn a_share_gets_its_budget_in_spite_of_frequent_interruptions() {
    let (mut system, threads) = shares(&[(60, 20, 90), (50, 3000, 10_000)]);
    system.checking = Checking::ByHand;
    let [often, share, _] = run(&mut system, &threads, 1_000_000)[..] else { panic!("three threads") };
    system.verify("the whole run");
    assert!((222_000..=222_240).contains(&often), "{often}");
    assert!((298_000..=300_000).contains(&share), "{share}");
}

#[test]
fn a_thread_without_budget_is_postponed_until_its_refill() {
    let (mut system, threads) = shares(&[(50, 100, 400)]);
    let [share, spinner] = threads[..] else { panic!("two threads") };
    assert_eq!(system.kernel.machine.deadline, 100);
    system.run_to_timer();
    system.assert_running(spinner);
    assert_eq!((system.state(share), system.kernel.machine.deadline), (State::Postponed, 400));
    system.run_to_timer();
    system.assert_running(share);
    assert_eq!(system.kernel.machine.now, 400);
}

#[test]
fn the_processor_idles_until_the_refill_if_no_other_thread_is_ready() {
    let mut plan = Plan::new();
    let share = plan.thread("share", 50);
    plan.share(share, 100, 400);
    let mut system = plan.boot();
    system.run_to_timer();
    system.assert_idle();
    system.run_to_timer();
    system.assert_running(share);
}

#[test]
fn yielding_forfeits_the_available_budget() {
    let (mut system, threads) = shares(&[(50, 100, 400)]);
    let [share, spinner] = threads[..] else { panic!("two threads") };
    system.pass(30);
    system.yield_slice(share);
    system.run_for(369);
    system.assert_running(spinner);
    system.run_to_timer();
    system.assert_running(share);
    assert_eq!(system.kernel.machine.now, 400);
}

#[test]
fn a_postponed_thread_can_be_stopped_and_resumed() {
    let mut plan = Plan::new();
    let share = plan.thread("share", 50);
    plan.share(share, 100, 400);
    let master = plan.thread("master", 10);
    let control = plan.grant(master, share.control());
    let mut system = plan.boot();
    let pc = system.pc(share);
    system.run_to_timer();
    system.call(master, control, Label::TcbSuspend.as_raw(), &[]);
    system.assert_inactive(share);
    system.call(master, control, Label::TcbResume.as_raw(), &[]);
    system.assert_running(master);
    assert_eq!(system.state(share), State::Postponed);
    system.run_to_timer();
    system.assert_running(share);
    assert_eq!((system.kernel.machine.now, system.pc(share)), (400, pc));
}

#[test]
fn a_passive_server_is_charged_to_its_caller() {
    let mut service = Service::passive(100);
    service.plan.share(service.client, 100, 400);
    let mut system = service.boot();
    system.pass(30);
    system.call(service.client, service.call, 0, &[]);
    system.assert_running(service.server);
    system.run_to_timer();
    assert_eq!((system.state(service.server), system.kernel.machine.now), (State::Postponed, 100));
    system.run_to_timer();
    system.assert_running(service.server);
    assert_eq!(system.kernel.machine.now, 400);
}

/// Its budget has come back, but the kernel has not read the clock since.
#[test]
fn a_woken_thread_whose_budget_has_come_back_runs_before_its_equals() {
    let mut service = Service::active(100);
    service.plan.share(service.server, 100, 400);
    service.plan.record(service.client).priority = 200;
    let equal = service.plan.thread("equal", 100);
    let Service { client, call, server, receive, .. } = service;
    let mut system = service.boot();
    system.assert_running(client);
    system.call(client, call, 0, &[]);
    system.assert_running(server);
    system.pass(100);
    system.reply_recv(server, receive, 0, &[]);
    system.pass(350);
    system.call(client, call, 0, &[]);
    system.assert_running(server);
    assert_eq!(system.state(equal), State::Runnable);
}

#[test]
fn a_woken_thread_without_budget_is_postponed_and_others_continue() {
    let mut plan = Plan::new();
    let share = plan.thread("share", 50);
    plan.share(share, 100, 400);
    let low = plan.thread("low", 10);
    let notification = plan.notification();
    let wait = plan.grant(share, notification.waiter());
    let wake = plan.grant(low, notification.signaller(1));
    let mut system = plan.boot();
    system.pass(95);
    system.wait(share, wait);
    system.pass(5);
    system.signal(low, wake);
    system.assert_running(low);
    assert_eq!(system.state(share), State::Postponed);
    system.run_for(200);
    system.run_to_timer();
    system.assert_signal(share, 1);
    // The five ticks that were left wait for the rest of the budget, which is available at 400.
    assert_eq!(system.kernel.machine.now, 395);
}

/// A thread with a share, and a higher-priority one that may reconfigure it.
fn controlled() -> (System, Thread, Thread, u64, u64, u64) {
    let mut plan = Plan::new();
    let share = plan.thread("share", 50);
    plan.share(share, 100, 400);
    let master = plan.thread("master", 60);
    let notification = plan.notification();
    let wait = plan.grant(master, notification.waiter());
    let wake = plan.grant(share, notification.signaller(1));
    let control = plan.grant(master, Grant::sched_control());
    let time = plan.sched_context_of(share);
    let time = plan.grant(master, time.control());
    let mut system = plan.boot();
    system.wait(master, wait);
    system.pass(60);
    system.signal(share, wake);
    system.assert_running(master);
    (system, master, share, control, time, wait)
}

fn configure(system: &mut System, thread: Thread, control: u64, time: u64, words: &[u64]) {
    let label = Label::SchedControlConfigureFlags.as_raw();
    let arguments = Arguments { label, words, caps: &[time] };
    system.syscall(thread, Syscall::Call, control, &arguments);
}

/// The server makes the client's slice a share that began in the server, and the client may only use that much of it after
/// the reply, although an equal has its turn first.
#[test]
fn what_a_server_used_of_a_share_that_was_a_slice_is_not_lost() {
    let mut service = Service::passive(200);
    let (equal, _) = service.add_client("equal", Service::CLIENT_PRIORITY, 2);
    let control = service.plan.grant(service.server, Grant::sched_control());
    let time = service.plan.sched_context_of(service.client);
    let time = service.plan.grant(service.server, time.control());
    let mut system = service.boot();
    system.call(service.client, service.call, 1, &[]);
    system.run_to_timer();
    system.assert_running(service.server);
    configure(&mut system, service.server, control, time, &[100, 10_000, 0, 0, 0]);
    system.pass(90);
    system.reply_recv(service.server, service.receive, 0, &[]);
    let start = system.kernel.machine.now;
    let used = run(&mut system, &[service.client, equal], 5000);
    assert_eq!(used[0], 10, "the client has used 90 of 100 before {start}");
}

#[test]
fn reconfiguring_grants_no_time_twice() {
    let (mut system, master, share, control, time, wait) = controlled();
    configure(&mut system, master, control, time, &[200, 1000, 0, 0, 0]);
    system.assert_done(master);
    system.wait(master, wait);
    system.assert_running(share);
    system.run_to_timer();
    assert_eq!((system.kernel.machine.now, system.state(share)), (100, State::Postponed));
    system.run_to_timer();
    assert_eq!(system.kernel.machine.now, 1060);
    system.assert_running(share);
}

#[test]
fn a_slice_can_become_a_share_and_a_share_a_slice() {
    let (mut system, master, share, control, time, wait) = controlled();
    configure(&mut system, master, control, time, &[400, 400, 0, 0, 0]);
    system.assert_done(master);
    system.wait(master, wait);
    system.run_for(5000);
    system.assert_running(share);
}

#[test]
fn reconfiguring_releases_a_thread_that_waits_for_a_longer_period() {
    let mut plan = Plan::new();
    let share = plan.thread("share", 50);
    plan.share(share, 100, 10_000);
    let master = plan.thread("master", 10);
    let control = plan.grant(master, Grant::sched_control());
    let time = plan.sched_context_of(share);
    let time = plan.grant(master, time.control());
    let mut system = plan.boot();
    system.run_to_timer();
    system.pass(50);
    configure(&mut system, master, control, time, &[100, 200, 0, 0, 0]);
    system.assert_done(master);
    system.assert_running(master);
    assert_eq!((system.state(share), system.kernel.machine.deadline), (State::Postponed, 350));
    system.run_to_timer();
    system.assert_running(share);
}

#[test]
fn reconfiguring_ones_own_time_takes_effect_at_once() {
    let mut plan = Plan::new();
    let master = plan.thread("master", 60);
    let low = plan.thread("low", 10);
    let control = plan.grant(master, Grant::sched_control());
    let time = plan.sched_context_of(master);
    let time = plan.grant(master, time.control());
    let mut system = plan.boot();
    system.pass(50);
    configure(&mut system, master, control, time, &[30, 300, 0, 0, 0]);
    system.assert_running(master);
    assert_eq!(system.kernel.machine.deadline, 80);
    system.run_to_timer();
    system.assert_running(low);
}

#[test]
fn invalid_budgets_are_refused_in_order() {
    let (mut system, master, _, control, time, _) = controlled();
    let range = |min, max| (ErrorCode::RangeError, vec![min, max]);
    let hour = 3_600_000_000;
    let cases = [
        (vec![hour + 1, 5, 0, 0, 0], range(20, hour)),
        (vec![100, hour + 1, 0, 0, 0], range(20, hour)),
        (vec![19, 100, 0, 0, 0], range(20, hour)),
        (vec![20, 19, 0, 0, 0], range(20, hour)),
        (vec![101, 100, 0, 0, 0], range(20, 100)),
        (vec![50, 100, 9, 0, 0], range(0, 8)),
        (vec![50, 100, 0, 0], (ErrorCode::TruncatedMessage, vec![])),
    ];
    for (words, (code, details)) in cases {
        configure(&mut system, master, control, time, &words);
        system.assert_refused(master, code, &details);
    }
    configure(&mut system, master, control, control, &[50, 100, 0, 0, 0]);
    system.assert_refused(master, ErrorCode::InvalidCapability, &[1]);
    system.call(master, control, Label::SchedControlConfigureFlags.as_raw(), &[50, 100, 0, 0, 0]);
    system.assert_refused(master, ErrorCode::TruncatedMessage, &[]);
}

/// The budgets of these equals all turn out to be used up when it is the first one's turn again.
#[test]
fn one_entry_postpones_a_few_threads_and_the_timer_continues_with_the_rest() {
    const SHARES: u64 = 11;
    let shapes: Vec<_> = (0..SHARES).map(|index| (50, 20, 1000 - 10 * index)).collect();
    let (mut system, threads) = shares(&shapes);
    let spinner = threads[SHARES as usize];
    let is_postponed = |system: &System, thread: &Thread| system.state(*thread) == State::Postponed;
    let mut before = 0;
    while system.current() != Some(spinner) {
        system.run_to_timer();
        let postponed = threads.iter().filter(|thread| is_postponed(&system, thread)).count();
        assert!(postponed - before <= POSTPONED_AT_ONCE, "{} at once", postponed - before);
        before = postponed;
    }
    let pauses = SHARES / POSTPONED_AT_ONCE as u64;
    assert_eq!((before as u64, system.kernel.machine.now), (SHARES, 20 * SHARES + PAUSE_US * pauses));
}

/// It can be interrupted in between: a woken thread runs at once.
#[test]
fn an_interrupt_is_handled_before_the_rest_is_postponed() {
    let mut plan = Plan::new();
    for index in 0..2 * POSTPONED_AT_ONCE {
        let thread = plan.thread(&format!("share {index}"), 50);
        plan.share(thread, 20, 1000);
    }
    let driver = plan.thread("driver", 60);
    let notification = plan.notification();
    let interrupt = plan.interrupt(Wiring::Level, notification, 1);
    let wait = plan.grant(driver, notification.waiter());
    let mut system = plan.boot();
    system.wait(driver, wait);
    while system.kernel.processor.current.is_some() {
        system.run_to_timer();
    }
    assert_ne!(system.kernel.processor.queues.ready.highest(), 0);
    system.interrupt(MachineInterrupt::Line(interrupt.line()));
    system.assert_running(driver);
}

/// With a seed of 0 all lengths and distances are equal, so that pairs of refills cost the same; with others they differ.
#[test]
fn a_full_list_of_refills_is_merged_as_specified() {
    for (budget, seed) in [(1600, 0), (2500, 0), (1601, 1), (1750, 2), (2500, 3), (5000, 4)] {
        let mut plan = Plan::new();
        let (share, waker) = (plan.thread("share", 50), plan.thread("waker", 10));
        plan.share(share, budget, 100_000);
        let notification = plan.notification();
        let wait = plan.grant(share, notification.waiter());
        let signal = plan.grant(waker, notification.signaller(1));
        let time = plan.sched_context_of(share).id();
        let mut system = plan.boot();
        system.follow_specification();
        system.wait(share, wait);
        let (mut number, mut longest): (u64, _) = (seed, 0);
        for _ in 0..500 {
            if system.current() == Some(share) {
                system.wait(share, wait);
            } else if matches!(system.state(share), State::Waiting { .. }) {
                system.signal(waker, signal);
            }
            number = (number * 48_271) % 2_147_483_647;
            let is_share = system.current() == Some(share);
            system.run_for(if is_share { 50 + number % 101 } else { 900 + number % 2003 });
            longest = longest.max(system.kernel.sporadic_servers[time].refills().count());
        }
        assert_eq!(longest, 16, "a budget of {budget}");
    }
}

#[test]
fn time_that_a_late_timer_adds_is_charged_after_what_the_list_has() {
    let mut plan = Plan::new();
    let (manager, thread) = (plan.thread("manager", 200), plan.thread("thread", 100));
    plan.share(thread, 20, 75);
    let (time, spare, notification) =
        (plan.sched_context_of(thread), plan.sched_context(1000), plan.notification());
    let wait = plan.grant(manager, notification.waiter());
    let [manages, controls] = [manager, thread].map(|holder| plan.grant(holder, Grant::sched_control()));
    let (time, spare) = (plan.grant(manager, time.control()), plan.grant(thread, spare.control()));
    let mut system = plan.boot();
    system.follow_specification();
    let configure = |system: &mut System, by, control, words: &[u64], time| {
        let label = Label::SchedControlConfigureFlags.as_raw();
        system.syscall(by, Syscall::Call, control, &Arguments { label, words, caps: &[time] });
    };
    // Four ticks more, which come when the others come back.
    configure(&mut system, manager, manages, &[24, 25, 0, 0, 0], time);
    system.wait(manager, wait);
    system.pass(20);
    // The kernel reads the clock, and the refill in use is used up.
    configure(&mut system, thread, controls, &[1000, 1000, 0, 0, 0], spare);
    system.assert_running(thread);
    system.pass(4);
    system.interrupt(MachineInterrupt::Timer);
    assert_eq!(system.state(thread), State::Postponed);
}
