//! Known mistakes in kernels with budgets; each test shows that this kernel does not make one of them.

use limen_abi::{FaultLabel, Label, Syscall};
use limen_core::machine::Ticks;
use limen_core::object::thread::State;
use limen_core::sched::sporadic_server::SporadicServer;

use crate::support::{Arguments, Family, Grant, Plan, Service, System, Thread};

/// A client that calls one passive server, which calls another, and an equal of the client that never blocks.
struct Chain {
    plan: Plan,
    client: Thread,
    servers: [Thread; 2],
    equal: Thread,
    /// The servers' slots to receive, then the slots of the client and the first server to call.
    receive: [u64; 2],
    call: [u64; 2],
}

impl Chain {
    fn new() -> Self {
        let mut plan = Plan::new();
        let servers = [plan.passive("first server", 150), plan.passive("second server", 200)];
        let client = plan.thread("client", 100);
        let equal = plan.thread("equal", 100);
        let endpoints = [plan.endpoint(), plan.endpoint()];
        let receive = [0, 1].map(|index| plan.grant(servers[index], endpoints[index].receiver()));
        let callers = [client, servers[0]];
        let call = [0, 1].map(|index| plan.grant(callers[index], endpoints[index].caller(1)));
        Self { plan, client, servers, equal, receive, call }
    }

    fn boot(&mut self) -> System {
        self.plan.boot_serving(&[(self.servers[0], self.receive[0]), (self.servers[1], self.receive[1])])
    }

    /// The running thread performs the next step of the calls; the equal computes.
    fn act(&self, system: &mut System) {
        match system.current() {
            Some(thread) if thread == self.client => system.call(thread, self.call[0], 0, &[0]),
            Some(thread) if thread == self.servers[0] && self.is_answered(system) => {
                system.reply_recv(thread, self.receive[0], 0, &[]);
            }
            Some(thread) if thread == self.servers[0] => system.call(thread, self.call[1], 0, &[]),
            Some(thread) if thread == self.servers[1] => {
                system.reply_recv(thread, self.receive[1], 0, &[7]);
            }
            _ => {}
        }
    }

    /// Returns whether the second server has replied to the first.
    fn is_answered(&self, system: &System) -> bool {
        system.message_word(self.servers[0], 0) == 7
    }
}

/// The client is always in a server when its slice ends, and the server continues because no higher-priority thread is
/// ready. When the client returns, the slice that began in the server is not its own.
#[test]
fn a_slice_that_ends_in_a_server_does_not_starve_the_clients_equals() {
    let mut chain = Chain::new();
    let mut system = chain.boot();
    let mut used = 0;
    for _ in 0..40 {
        if system.current() == Some(chain.client) {
            chain.act(&mut system);
        }
        if system.current() == Some(chain.servers[0]) {
            chain.act(&mut system);
        }
        let before = system.kernel.machine.now;
        let is_equal = system.current() == Some(chain.equal);
        system.run_to_timer();
        used += if is_equal { system.kernel.machine.now - before } else { 0 };
        for server in [1, 0] {
            if system.current() == Some(chain.servers[server]) {
                system.reply_recv(chain.servers[server], chain.receive[server], 0, &[]);
            }
        }
    }
    assert!(used * 3 >= system.kernel.machine.now, "{used} of {}", system.kernel.machine.now);
}

#[test]
fn one_budget_through_several_servers_is_one_budget() {
    let mut chain = Chain::new();
    chain.plan.share(chain.client, 100, 400);
    chain.plan.slice(chain.equal, 50);
    let mut system = chain.boot();
    let time = system.kernel.threads[chain.client.id()].sched_context.expect("the client has time");
    while system.kernel.machine.now < 40_000 {
        system.run_for(7);
        chain.act(&mut system);
        assert!(system.kernel.consumed(time) <= 100 * (system.kernel.machine.now / 400 + 1));
    }
    assert!(system.kernel.consumed(time) >= 9_000);
}

#[test]
fn a_budget_that_ends_in_a_server_is_not_renewed_by_the_reply() {
    let mut service = Service::passive(200);
    service.plan.share(service.client, 100, 400);
    let mut system = service.boot();
    system.pass(50);
    system.call(service.client, service.call, 0, &[]);
    // The server replies when the budget is used up, before the timer interrupt is taken.
    system.pass(51);
    system.reply_recv(service.server, service.receive, 0, &[]);
    system.run_to_timer();
    assert_eq!(system.state(service.client), State::Postponed);
    system.run_to_timer();
    assert_eq!(system.kernel.machine.now, 400 + 1);
    system.assert_running(service.client);
}

#[test]
fn a_plain_send_does_not_make_a_passive_server_unavailable() {
    let mut service = Service::passive(200);
    let notification = service.plan.bound_notification(service.server);
    let time = service.plan.sched_context(300);
    let place = service.plan.grant(service.client, time.control());
    let keep = service.plan.grant(service.client, notification.waiter());
    let mut system = service.boot();
    system.call_with_caps(service.client, place, Label::SchedContextBind.as_raw(), &[keep]);
    system.send(service.client, service.call, 3, &[]);
    system.assert_message(service.server, Service::BADGE, 3, &[]);
    system.recv(service.server, service.receive);
    system.call(service.client, service.call, 4, &[]);
    system.assert_running(service.server);
}

#[test]
fn threads_that_wake_each_other_do_not_starve_an_equal() {
    let mut plan = Plan::new();
    let [ping, pong, equal] = ["ping", "pong", "equal"].map(|name| plan.thread(name, 50));
    let waker = plan.thread("waker", 90);
    let notifications = [ping, pong, waker].map(|_| plan.notification());
    let threads = [ping, pong, waker];
    let wait = [0, 1, 2].map(|index| plan.grant(threads[index], notifications[index].waiter()));
    let wake_waker = [ping, pong].map(|thread| plan.grant(thread, notifications[2].signaller(1)));
    let wake = [0, 1].map(|index| plan.grant(waker, notifications[index].signaller(1)));
    let mut system = plan.boot();
    system.wait(waker, wait[2]);
    let (mut turn, mut used) = (0, 0);
    for _ in 0..3000 {
        let before = system.kernel.machine.now;
        let is_equal = system.current() == Some(equal);
        system.run_for(13);
        used += if is_equal { system.kernel.machine.now - before } else { 0 };
        match system.current() {
            // Signals the waker to wake the other one, and waits.
            Some(thread) if thread == ping => system.nb_send_wait(thread, wake_waker[0], wait[0], 0, &[]),
            Some(thread) if thread == pong => system.nb_send_wait(thread, wake_waker[1], wait[1], 0, &[]),
            Some(thread) if thread == waker => {
                turn = 1 - turn;
                system.nb_send_wait(thread, wake[turn], wait[2], 0, &[]);
            }
            _ => {}
        }
    }
    assert!(used * 4 >= system.kernel.machine.now, "{used} of {}", system.kernel.machine.now);
}

/// Two domains with slots of 1000 and 500 ticks, and a thread in each.
fn domains() -> (Plan, Thread, Thread) {
    let mut plan = Plan::new();
    let threads = [plan.thread("first", 50), plan.thread("second", 50)];
    plan.set_domain(threads[1], 1);
    plan.turn(0, 1000);
    plan.turn(1, 500);
    (plan, threads[0], threads[1])
}

#[test]
fn a_slot_is_never_shortened_however_little_is_left() {
    let (plan, first, second) = domains();
    let mut system = plan.boot();
    for left in [19, 5, 1] {
        system.pass(1000 - left - system.kernel.machine.now);
        system.yield_slice(first);
        system.assert_running(first);
        assert_eq!(system.kernel.machine.deadline, 1000);
    }
    system.run_to_timer();
    system.assert_running(second);
}

#[test]
fn a_domain_switch_is_charged_to_the_next_thread() {
    let (plan, first, second) = domains();
    let mut system = plan.boot();
    let [first, second] = [first, second]
        .map(|thread| system.kernel.threads[thread.id()].sched_context.expect("both have time"));
    system.pass(1000);
    system.kernel.machine.slow_clock(3);
    system.run_to_timer();
    let since = system.kernel.processor.since;
    assert_eq!((since, system.kernel.consumed(first)), (1000, 1000));
    system.kernel.machine.slow_clock(0);
    system.run_for(500);
    let paid = system.kernel.consumed(second);
    assert_eq!(1000 + paid, system.kernel.processor.since);
}

#[test]
fn a_budget_that_ends_with_its_domains_slot_is_a_timeout() {
    let mut family = Family::active(200);
    let other = family.plan.thread("other", 10);
    family.plan.set_domain(other, 1);
    family.plan.turn(0, 1000);
    family.plan.turn(1, 500);
    family.plan.share(family.child, 1000, 4000);
    family.plan.handle_timeouts(family.child, family.endpoint.caller(Family::BADGE));
    let mut system = family.boot();
    system.run_to_timer();
    system.assert_running(other);
    system.run_to_timer();
    system.assert_running(family.parent);
    system.assert_message(family.parent, Family::BADGE, FaultLabel::Timeout.as_raw(), &[0, 1000]);
}

/// Every reconfiguration of a share with every possible rest: the new share has no overlaps, adds up to the new
/// budget, and begins with no amount below the minimum.
#[test]
fn a_reconfigured_share_is_sound_and_respects_the_minimum() {
    const LEAST: Ticks = 20;
    let limits = [(20, 21), (20, 100), (100, 110), (100, 1000)];
    for (budget, period) in limits {
        for used in 0..=budget {
            let mut share = SporadicServer::new(budget, budget, period, LEAST, 1000);
            share.begin(1000);
            share.charge(1000, used / 2);
            share.begin(1000 + used);
            share.charge(1000 + used, used - used / 2);
            for (budget, period) in limits {
                let now = 1000 + 2 * used;
                let mut next = SporadicServer::new(share.clone().begin(now), budget, period, LEAST, now);
                assert!(next.is_sound(budget), "{next:?}");
                let begun = next.begin(now);
                assert!(begun == 0 || begun >= LEAST, "{next:?}");
                assert!(next.is_sound(budget), "{next:?}");
            }
        }
    }
}

/// Two shares above a spinner, on a clock that starts at this time.
fn shares_from(start: Ticks) -> System {
    let mut plan = Plan::new();
    plan.clock_starts_at(start);
    for (name, budget, period) in [("short", 20, 90), ("long", 300, 1000)] {
        let thread = plan.thread(name, 50);
        plan.share(thread, budget, period);
    }
    plan.thread("spinner", 1);
    plan.boot()
}

#[test]
fn a_clock_near_its_end_changes_nothing() {
    const START: Ticks = Ticks::MAX - 20_000;
    let (mut early, mut late) = (shares_from(0), shares_from(START));
    for _ in 0..1000 {
        early.run_for(17);
        late.run_for(17);
        assert_eq!(
            (early.current(), early.kernel.machine.now),
            (late.current(), late.kernel.machine.now - START)
        );
        assert_eq!(early.kernel.machine.deadline, late.kernel.machine.deadline - START);
    }
}

#[test]
fn a_clock_at_its_end_grants_nothing_twice() {
    let mut system = shares_from(Ticks::MAX - 3_000);
    while system.kernel.machine.deadline < Ticks::MAX - 10 {
        system.run_to_timer();
    }
    let consumed: Ticks = system.kernel.sched_contexts.iter().map(|(id, _)| system.kernel.consumed(id)).sum();
    assert!(consumed <= 3_000);
}

#[test]
fn an_interrupt_that_is_a_thousand_periods_late_is_one_overrun() {
    let mut system = shares_from(0);
    system.pass(100_000);
    system.run_to_timer();
    system.verify("a late interrupt");
    // The first thread has used a thousand periods; the excess over its budget delays its refills by as much.
    let late = system.kernel.sporadic_servers
        [system.kernel.threads[Thread(0).id()].sched_context.expect("has time")];
    assert_eq!((late.release_time(), late.refills().count()), (90 + 100_000 - 20, 1));
}

#[test]
fn budgets_shorter_than_a_kernel_entry_do_not_stop_the_system() {
    let mut system = shares_from(0);
    system.kernel.machine.slow_clock(50);
    for _ in 0..1000 {
        let deadline = system.kernel.machine.deadline;
        let machine = &mut system.kernel.machine;
        machine.now += deadline.saturating_sub(machine.time());
        system.interrupt(limen_core::machine::Interrupt::Timer);
    }
    let spinner = Thread(2).id();
    let time = system.kernel.threads[spinner].sched_context.expect("has time");
    assert!(system.kernel.consumed(time) > 0, "the spinner never ran");
}

#[test]
fn reconfiguring_ones_own_share_charges_the_old_one_first() {
    let mut plan = Plan::new();
    let master = plan.thread("master", 60);
    plan.thread("spinner", 1);
    plan.share(master, 100, 400);
    let control = plan.grant(master, Grant::sched_control());
    let time = plan.sched_context_of(master);
    let slot = plan.grant(master, time.control());
    let mut system = plan.boot();
    // Each reconfiguration asks for a new start, just before the end of the budget.
    while system.kernel.machine.now < 40_000 {
        if system.current() == Some(master) {
            let label = Label::SchedControlConfigureFlags.as_raw();
            let arguments = Arguments { label, words: &[100, 400, 0, 0, 0], caps: &[slot] };
            system.syscall(master, Syscall::Call, control, &arguments);
        }
        system.run_for(9);
    }
    assert!(system.kernel.consumed(time.id()) <= 10_000 + 100);
}
