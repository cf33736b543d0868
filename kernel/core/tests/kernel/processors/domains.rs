//! Domains with several processors: slots of all begin at the time of the schedule, and what crosses waits for a slot.

use limen_abi::Label;
use limen_core::fault::Fault;
use limen_core::machine::Interrupt;

use crate::support::{Plan, Processors, Thread};

const BADGE: u64 = 0x42;

/// Lets time pass, and every processor takes its timer interrupts in the order of their times.
fn run_until(processors: &mut Processors, end: u64) {
    let deadline = |processors: &Processors, at: usize| processors.systems[at].kernel.machine.deadline;
    loop {
        let next =
            (0..processors.systems.len()).min_by_key(|at| deadline(processors, *at)).expect("a processor");
        let (now, time) = (processors.systems[0].kernel.machine.now, deadline(processors, next));
        if time > end {
            return processors.pass(end - now);
        }
        processors.pass(time.saturating_sub(now));
        processors.systems[next].interrupt(Interrupt::Timer);
    }
}

fn running(processors: &Processors) -> Vec<Option<Thread>> {
    processors.systems.iter().map(|system| system.current()).collect()
}

/// Threads of domains 0 and 1 on each of two processors, whose schedules have slots of 1000 and 500 ticks.
struct Pairs {
    plan: Plan,
    /// By processor, then by domain.
    threads: [[Thread; 2]; 2],
}

impl Pairs {
    fn new() -> Self {
        let mut plan = Plan::new();
        let threads = [0, 1].map(|processor| {
            let threads = ["first", "second"].map(|name| plan.thread(&format!("{name} on {processor}"), 50));
            for (domain, thread) in (0..).zip(threads) {
                plan.set_processor(thread, processor);
                plan.set_domain(thread, domain);
            }
            plan.turn_on(processor, 0, 1000);
            plan.turn_on(processor, 1, 500);
            threads
        });
        Self { plan, threads }
    }
}

#[test]
fn slots_of_all_processors_begin_together() {
    let Pairs { plan, threads } = Pairs::new();
    let mut processors = plan.boot_processors();
    for (end, domain) in [(999, 0), (1000, 1), (1499, 1), (1500, 0), (2500, 1), (3000, 0)] {
        run_until(&mut processors, end);
        assert_eq!(running(&processors), [Some(threads[0][domain]), Some(threads[1][domain])], "at {end}");
    }
}

#[test]
fn a_processor_that_starts_late_shortens_only_its_first_slot() {
    let Pairs { plan, .. } = Pairs::new();
    let mut processors = plan.boot_processors();
    let system = &mut processors.systems[1];
    system.kernel.machine.now = 70;
    system.kernel.start(0);
    assert_eq!(system.kernel.processor.slot_end, 1000);
}

#[test]
fn a_processor_follows_its_own_schedule() {
    let Pairs { mut plan, threads: [[first, second], [other, another]] } = Pairs::new();
    plan.writer.domain_schedule.clear();
    plan.turn_on(1, 1, 300);
    plan.turn_on(0, 0, 200);
    plan.turn_on(1, 0, 100);
    plan.turn_on(0, 1, 200);
    let mut processors = plan.boot_processors();
    let expected = [(0, first, another), (200, second, another), (300, second, other), (400, first, another)];
    for (end, here, there) in expected {
        run_until(&mut processors, end);
        assert_eq!(running(&processors), [Some(here), Some(there)], "at {end}");
    }
}

#[test]
fn a_signal_from_another_processor_waits_for_the_slot_of_its_receiver() {
    let Pairs { mut plan, threads: [[first, _], [other, another]] } = Pairs::new();
    let notification = plan.bound_notification(another);
    let (wake, wait) =
        (plan.grant(first, notification.signaller(4)), plan.grant(another, notification.waiter()));
    let mut processors = plan.boot_processors();
    run_until(&mut processors, 1000);
    processors.of(another).wait(another, wait);
    processors.of(another).assert_idle();
    run_until(&mut processors, 1600);
    processors.of(first).signal(first, wake);
    assert_eq!(processors.interrupted(), [1]);
    processors.take_interrupt(1);
    processors.of(other).assert_running(other);
    run_until(&mut processors, 2500);
    processors.of(another).assert_signal(another, 4);
}

#[test]
fn a_call_to_another_processor_is_served_in_a_slot_of_the_server_and_answered_in_one_of_the_caller() {
    let Pairs { mut plan, threads: [[first, second], [other, another]] } = Pairs::new();
    let endpoint = plan.endpoint();
    let (call, receive) =
        (plan.grant(first, endpoint.caller(BADGE)), plan.grant(another, endpoint.receiver()));
    let mut processors = plan.boot_processors();
    run_until(&mut processors, 1000);
    processors.of(another).recv(another, receive);
    run_until(&mut processors, 1600);
    processors.of(first).call(first, call, 5, &[6]);
    processors.settle();
    processors.of(first).assert_idle();
    processors.of(other).assert_running(other);
    run_until(&mut processors, 2500);
    processors.of(another).assert_message(another, BADGE, 5, &[6]);
    processors.of(another).reply_recv(another, receive, 7, &[8]);
    processors.settle();
    processors.of(second).assert_running(second);
    run_until(&mut processors, 3000);
    processors.of(first).assert_running(first);
    processors.of(first).assert_message(first, 0, 7, &[8]);
}

#[test]
fn a_passive_server_elsewhere_uses_the_time_of_its_caller_only_in_its_own_slots() {
    let Pairs { mut plan, threads: [[first, _], [other, another]] } = Pairs::new();
    plan.slice(first, 5000);
    let endpoint = plan.endpoint();
    let (call, receive) =
        (plan.grant(first, endpoint.caller(BADGE)), plan.grant(another, endpoint.receiver()));
    let (time, callers) = (plan.sched_context_of(another), plan.sched_context_of(first));
    let control = plan.grant(other, time.control());
    let mut processors = plan.boot_processors();
    run_until(&mut processors, 1000);
    processors.of(another).recv(another, receive);
    run_until(&mut processors, 1600);
    processors.of(other).call(other, control, Label::SchedContextUnbind.as_raw(), &[]);
    processors.of(first).call(first, call, 5, &[]);
    processors.settle();
    // The rest of this slot of the other domain is not charged.
    run_until(&mut processors, 2500);
    processors.of(another).assert_running(another);
    run_until(&mut processors, 2800);
    processors.of(another).reply_recv(another, receive, 7, &[]);
    processors.settle();
    run_until(&mut processors, 3000);
    processors.of(first).assert_running(first);
    let left = processors.of(first).kernel.sched_contexts[callers.id()].remaining;
    // It ran for 1000 and 100 before the call, and its server for 300.
    assert_eq!(left, 5000 - 1000 - 100 - 300);
}

#[test]
fn a_fault_is_handled_on_another_processor_in_a_slot_of_the_handler() {
    let Pairs { mut plan, threads: [[first, _], [other, another]] } = Pairs::new();
    let endpoint = plan.endpoint();
    plan.handle_faults(first, endpoint.caller(BADGE));
    let receive = plan.grant(another, endpoint.receiver());
    let mut processors = plan.boot_processors();
    run_until(&mut processors, 1000);
    processors.of(another).recv(another, receive);
    run_until(&mut processors, 1600);
    processors.of(first).fault(first, Fault::UnknownSyscall { number: 3 });
    processors.settle();
    processors.of(other).assert_running(other);
    run_until(&mut processors, 2500);
    processors.of(another).assert_running(another);
    processors.of(another).reply_recv(another, receive, 0, &[]);
    processors.settle();
    run_until(&mut processors, 3000);
    processors.of(first).assert_running(first);
}
